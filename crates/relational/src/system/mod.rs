//! A design as a model: slots for rows of relations, groups for the pieces of each instance of an
//! event, the commands as formulas. Steps are taken on slots; the naive evaluator gives the initial
//! states where `init` is hard, and is what all of this is tested against.

mod declare;
mod families;
pub(crate) mod layout;
mod questions;
mod walker;

use quadrille_diagnostic::Diagnostic;
use quadrille_model::{Condition, Explorer, Model, PropositionId, Signature, TaskId, Value};

use crate::codes::LARGE;
use crate::eval::{Bindings, Evaluator, State};
use crate::ground::{Atom, World};
use crate::lower::{Lowered, Source, drop_impossible, initial, lower, reached};
use crate::types::Design;
use crate::types::core::Formula;
use crate::types::words::{Fair, Scope};
use declare::{Declared, declare};
use families::families;
use layout::Layout;
use questions::{Propositions, Questions};
use walker::Walker;

pub use crate::lower::Splitting;
pub use questions::{Asked, Meaning};

/// Most instances of events.
const MOST_INSTANCES: usize = 1 << 20;

/// A design in a scope, as a model.
pub struct System {
    layout: Layout,
    initial: Vec<Vec<Value>>,
    declared: Declared,
    /// What the commands ask.
    pub asked: Vec<Asked>,
    /// Which tasks are fair, and how.
    pub fairness: Vec<(TaskId, Fair)>,
    /// What is worth knowing of the design in this scope: events that can never happen.
    pub warnings: Vec<Diagnostic>,
}

/// What every step is called beside its event, where formulas about steps are asked.
const ANY_STEP: &str = "any step";

/// What steps are called of which a formula about a state and the next holds.
fn held(number: usize) -> String {
    format!("step formula {}", number + 1)
}

/// An event with its arguments, as traces show it.
fn label(world: &World, name: &str, arguments: &[Atom]) -> String {
    if arguments.is_empty() {
        return name.to_owned();
    }
    let names: Vec<&str> =
        arguments.iter().map(|atom| world.names[*atom as usize].as_str()).collect();
    format!("{name}[{}]", names.join(", "))
}

impl System {
    /// A design in a scope: that of a command, or else that of `init`; with the commands that have
    /// the same scope.
    pub fn new(design: &Design, scope: Option<&Scope>) -> Result<System, Vec<Diagnostic>> {
        Self::split(design, scope, Splitting::default())
    }

    /// A design in a scope whose events are cut into pieces in another way: for comparisons.
    pub fn split(
        design: &Design,
        scope: Option<&Scope>,
        splitting: Splitting,
    ) -> Result<System, Vec<Diagnostic>> {
        let world = World::new(design, scope)?;
        Self::of(design, &world, scope, splitting).map_err(|diagnostic| vec![*diagnostic])
    }

    fn of(
        design: &Design,
        world: &World,
        scope: Option<&Scope>,
        splitting: Splitting,
    ) -> Result<System, Box<Diagnostic>> {
        let evaluator = Evaluator::new(design, world);
        let layout = Layout::whole(&evaluator, (design, world))?;
        let found = initial(design, world, &layout).filter(|states| !states.is_empty());
        let states = found.map_or_else(|| evaluator.initial(), Ok)?;
        let layout = layout.without_constants(design, &states);
        let first = states.first().cloned().unwrap_or(State(Vec::new()));
        let (propositions, across) = (Propositions::new(), Propositions::new());
        let state = &first;
        let mut questions = Questions { evaluator, design, world, state, propositions, across };
        let mut asked = Vec::new();
        for command in design.commands.iter().filter(|command| command.scope.as_ref() == scope) {
            asked.push(questions.asked(command)?);
        }
        let Questions { evaluator, propositions: mut formulas, across, .. } = questions;
        formulas.push((design.end.clone().unwrap_or(Formula::Constant(false)), Bindings::new()));
        let instances: Vec<(usize, Vec<Atom>)> = (0..design.events.len())
            .flat_map(|event| evaluator.instances(event).into_iter().map(move |it| (event, it)))
            .collect();
        if instances.len() > MOST_INSTANCES {
            let message = format!("there are more than {MOST_INSTANCES} instances of events");
            let diagnostic = Diagnostic::error(&LARGE, message).at(design.place, "");
            return Err(Box::new(diagnostic.help("use a smaller scope")));
        }
        let (instances, formulas, across) = (&instances[..], &formulas[..], &across[..]);
        let source = Source { design, world, instances, formulas, across, splitting };
        let (lowered, layout) = narrowed(&source, layout, &states)?;
        let mut declared = declare(&source, &layout, lowered, &evaluator);
        let tasks = declared.fairness.clone();
        let warnings = declared.warnings.clone();
        let initial = vectors(&layout, &states);
        declared.signature.families = families((design, world), &layout, &initial);
        Ok(System { layout, initial, declared, asked, fairness: tasks, warnings })
    }

    /// What the relations hold in a state.
    pub fn state(&self, vector: &[Value]) -> State {
        self.layout.decode(vector)
    }
}

/// Initial states as vectors, each once.
fn vectors(layout: &Layout, states: &[State]) -> Vec<Vec<Value>> {
    let encode = |state: &State| {
        let mut vector = Vec::new();
        layout.encode(state, &mut vector);
        vector
    };
    let mut vectors: Vec<Vec<Value>> = states.iter().map(encode).collect();
    vectors.sort();
    vectors.dedup();
    vectors
}

/// A design lowered to slots and values that are reached, as far as that is seen.
fn narrowed(
    source: &Source<'_>,
    mut layout: Layout,
    states: &[State],
) -> Result<(Lowered, Layout), Box<Diagnostic>> {
    loop {
        let mut lowered = lower(source, &layout)?;
        let reached = reached(&lowered, &vectors(&layout, states));
        let narrower = layout.narrowed(&reached);
        if narrower == layout {
            drop_impossible(&mut lowered, &reached);
            return Ok((lowered, layout));
        }
        layout = narrower;
    }
}

impl Model for System {
    fn signature(&self) -> &Signature {
        &self.declared.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Walker::new(&self.declared, &self.initial))
    }

    fn meaning(&self, proposition: PropositionId) -> Option<Condition> {
        self.declared.meanings[proposition.index()].clone()
    }

    fn ending(&self) -> Option<Condition> {
        self.declared.meanings.last().cloned().flatten()
    }

    fn never_fails(&self) -> bool {
        self.declared.never_fails()
    }

    fn allows_workers(&self) -> bool {
        true
    }
}
