//! The answer to a command: instances, or how far there is none.

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_solve::Statistics;

use crate::instance::Instance;
use crate::names::world::{Command, World};
use crate::search::{Found, Options, Reach, Search};

/// What is asked of a command.
#[derive(Clone)]
pub struct Question {
    /// How many instances at most.
    pub instances: usize,
    /// Whether a proof for every length of run is tried.
    pub proves: bool,
    /// How to search.
    pub options: Options,
}

impl Default for Question {
    fn default() -> Self {
        Self { instances: 1, proves: true, options: Options::default() }
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
    /// Whether there is an instance where integers wrap around that was not counted, or is the only one.
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
        wraps: false,
        core: Vec::new(),
        statistics: (0, Statistics::default()),
        is_stopped: false,
    };
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
    if answer.instances.is_empty()
        && !answer.is_stopped
        && let Some(instance) = search.overflowing()
    {
        answer.wraps = true;
        // A run is told although numbers wrap around; what is checked does not fail by that.
        if !command.is_check {
            answer.instances.push(instance.clone());
        }
    }
    let may_prove = command.is_check && question.proves && !answer.wraps;
    if answer.instances.is_empty() && may_prove && matches!(answer.reach, Some(Reach::Steps(_))) {
        answer.induction = search.prove();
        if answer.induction.is_some() {
            answer.reach = Some(Reach::Everything);
        }
    }
    answer.core = search.core().to_vec();
    answer.statistics = search.statistics();
    Ok(answer)
}
