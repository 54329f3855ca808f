//! The answer to a command: instances, or how far there is none.

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_solve::Statistics;

use crate::codes::UNSUPPORTED;
use crate::instance::Instance;
use crate::names::world::{Command, World};
use crate::search::{Everywhere, Found, Options, Reach, Search};

/// What looks for the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// The solver; where it finds nothing, induction, and all states if there are few.
    #[default]
    Auto,
    /// The solver, up to the steps of the scope; induction.
    Sat,
    /// All states that can follow each other.
    Explicit,
    /// The solver and all states: both must agree.
    Both,
}

/// How many steps between states there may be where nothing was asked for, and where all states were.
const FEW: usize = 20_000;
const MANY: usize = 4_000_000;

/// What is asked of a command.
#[derive(Clone)]
pub struct Question {
    /// How many instances at most.
    pub instances: usize,
    /// Whether a proof for every length of run is tried.
    pub proves: bool,
    /// What looks for the answer.
    pub engine: Engine,
    /// How to search.
    pub options: Options,
}

impl Default for Question {
    fn default() -> Self {
        Self { instances: 1, proves: true, engine: Engine::Auto, options: Options::default() }
    }
}

/// What is known about a command.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Instances: of a `check`, counterexamples. The first is as short as any.
    pub instances: Vec<Instance>,
    /// How far there is none, or no other; nothing if the search was stopped or had enough.
    pub reach: Option<Reach>,
    /// How many states an induction needed.
    pub induction: Option<usize>,
    /// How many states and steps there are, where all were looked at.
    pub explored: Option<(usize, usize)>,
    /// The length of an instance that is longer than the scope allows.
    pub longer: Option<usize>,
    /// Whether an instance may be longer than another, because not all loops were compared.
    pub may_be_longer: bool,
    /// Whether all states were asked for, and there are too many.
    pub is_too_large: bool,
    /// Whether integers wrap around in the first instance.
    pub wraps: bool,
    /// Places that contradict each other.
    pub core: Vec<Span>,
    /// Gates of the circuit, and what the solver did.
    pub statistics: (usize, Statistics),
    /// Whether it was told to stop.
    pub is_stopped: bool,
}

impl Answer {
    /// Whether there is an instance, if that is known.
    pub fn is_found(&self) -> Option<bool> {
        match (self.instances.is_empty(), self.is_stopped) {
            (false, _) => Some(true),
            (true, false) => Some(false),
            (true, true) => None,
        }
    }
}

/// Answers a command. A growing scope of a `check` is tried at each size, that of a `run` at the first.
pub fn answer(world: &World, command: &Command, question: &Question) -> Result<Answer, Diagnostic> {
    let growths = command.scope.sigs.iter().map(|item| {
        let steps = (item.end - item.start) / item.increment.max(1);
        if command.is_check && item.end < i64::from(i32::MAX) { steps.max(0) } else { 0 }
    });
    let growths = growths.max().unwrap_or(0);
    let mut grown = 0;
    loop {
        let answer = at_size(world, command, question, grown)?;
        if grown == growths || answer.is_found() != Some(false) {
            return Ok(answer);
        }
        grown += 1;
    }
}

fn at_size(
    world: &World,
    command: &Command,
    question: &Question,
    grown: i64,
) -> Result<Answer, Diagnostic> {
    let mut search = Search::new(world, command, question.options.clone(), grown)?;
    let mut answer = Answer {
        instances: Vec::new(),
        reach: None,
        induction: None,
        explored: None,
        longer: None,
        may_be_longer: false,
        is_too_large: false,
        wraps: false,
        core: Vec::new(),
        statistics: (0, Statistics::default()),
        is_stopped: false,
    };
    if question.engine == Engine::Explicit {
        among_states(&search, command, &mut answer)?;
        return Ok(answer);
    }
    by_lengths(&mut search, question, &mut answer)?;
    let is_none = answer.instances.is_empty() && !answer.is_stopped;
    match (question.engine, answer.reach) {
        (Engine::Both, _) if !answer.is_stopped => compare(&search, command, &mut answer)?,
        (Engine::Auto | Engine::Sat, Some(Reach::Steps(_))) if is_none && question.proves => {
            answer.induction = if command.is_check { search.prove() } else { None };
            if answer.induction.is_some() {
                answer.reach = Some(Reach::Everything);
            } else if question.engine == Engine::Auto {
                note(search.explore(FEW), &mut answer);
            }
        }
        _ => {}
    }
    answer.core = search.core().to_vec();
    answer.statistics = search.statistics();
    Ok(answer)
}

/// Looks for instances, length by length.
fn by_lengths(
    search: &mut Search<'_>,
    question: &Question,
    answer: &mut Answer,
) -> Result<(), Diagnostic> {
    while answer.instances.len() < question.instances.max(1) {
        match search.find()? {
            Found::Instance(instance) => answer.instances.push(*instance),
            Found::None(reach) => {
                answer.reach = Some(reach);
                break;
            }
            Found::Stopped => {
                answer.is_stopped = true;
                break;
            }
        }
    }
    answer.wraps = answer.instances.first().is_some_and(|instance| search.wraps(instance));
    Ok(())
}

/// What all states say beside an answer that there is nothing within the steps of the scope.
fn note(everywhere: Everywhere, answer: &mut Answer) {
    match everywhere {
        Everywhere::None { states, steps } => {
            answer.reach = Some(Reach::Everything);
            answer.explored = Some((states, steps));
        }
        Everywhere::Found { instance, .. } => answer.longer = Some(instance.length()),
        Everywhere::Unknown | Everywhere::TooMuch | Everywhere::Stopped => {}
    }
}

/// The answer of all states alone.
fn among_states(
    search: &Search<'_>,
    command: &Command,
    answer: &mut Answer,
) -> Result<(), Diagnostic> {
    match search.explore(MANY) {
        Everywhere::Found { instance, is_shortest } => {
            answer.may_be_longer = !is_shortest;
            answer.wraps = search.wraps(&instance);
            answer.instances.push(*instance);
        }
        Everywhere::Unknown => return Err(refused(command)),
        Everywhere::TooMuch => (answer.is_stopped, answer.is_too_large) = (true, true),
        Everywhere::Stopped => answer.is_stopped = true,
        none @ Everywhere::None { .. } => note(none, answer),
    }
    Ok(())
}

fn refused(command: &Command) -> Diagnostic {
    let message = format!("`{}` cannot be answered state by state", command.name);
    let diagnostic = Diagnostic::error(&UNSUPPORTED, message).at(command.span, "");
    let diagnostic = diagnostic.note(
        "that takes facts `always …` that say what the next state may be, and operators of time \
         that do not stand below a set that changes with them",
    );
    diagnostic.help("use `--engine sat`, or leave `--engine` out")
}

/// Holds an answer of the solver against that of all states.
fn compare(search: &Search<'_>, command: &Command, answer: &mut Answer) -> Result<(), Diagnostic> {
    let everywhere = search.explore(MANY);
    let is_found = !answer.instances.is_empty();
    let disagree = match &everywhere {
        Everywhere::Unknown => return Err(refused(command)),
        Everywhere::None { .. } => is_found,
        Everywhere::Found { instance, .. } => match answer.reach {
            Some(Reach::Steps(n)) => !is_found && instance.length() <= n,
            _ => false,
        },
        Everywhere::TooMuch | Everywhere::Stopped => false,
    };
    if disagree {
        let message = format!("the engines disagree about `{}`: this is a defect", command.name);
        let diagnostic = Diagnostic::error(&UNSUPPORTED, message).at(command.span, "");
        return Err(diagnostic.help("please report it with the specification"));
    }
    if matches!(everywhere, Everywhere::Stopped | Everywhere::TooMuch) && !is_found {
        answer.is_too_large = matches!(everywhere, Everywhere::TooMuch);
        answer.is_stopped = true;
    } else if !is_found {
        note(everywhere, answer);
    }
    Ok(())
}
