//! The one type of answers: the verdict, what was counted, what shows it, and what was assumed.

use std::borrow::Cow;

use quadrille_component::composition::CompositionErrors;
use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_engine::Tasks;
use quadrille_engine::equivalence::Difference;
use quadrille_engine::{Fairness, Limits, ProductCounts};
use quadrille_model::{Bound, Counts, Expected, Model, Runs, Trace, Verdict};
use quadrille_protocol::project::{Global, Liberal};
use quadrille_symbolic::Size;

use crate::ask::Conformance;
use crate::claim::{ActionAtom, Aim};
use crate::protocol::{LiberalReport, QueueBound};
use crate::selection::Form;

/// A run that was looked for was found.
const FOUND: &str = "found";
/// There is no such run.
const NONE_FOUND: &str = "none found";

/// What was found out about one question.
pub struct Answer {
    /// The one word for the kind of question.
    pub question: &'static str,
    /// What was asked: a formula, the name of a property, `no deadlock`.
    pub name: String,
    /// The formula, where the name is that of a declared property.
    pub formula: Option<String>,
    /// What came out, with the run that shows a violation where one run can.
    pub verdict: Verdict,
    /// What should have come out.
    pub expected: Expected,
    /// Whether all runs were to satisfy what was asked, or a run was looked for.
    pub aim: Aim,
    /// What was explored of the model.
    pub counts: Counts,
    /// The exact size of the model where sets of states were counted, which 64 bits may not hold.
    pub size: Option<Size>,
    /// The size of the product with a formula, which is not the size of the model.
    pub product: Option<ProductCounts>,
    /// What else there is to show.
    pub evidence: Evidence,
    /// What the verdict ranges over.
    pub assumptions: Assumptions,
    /// How long it took.
    pub seconds: f64,
}

/// What there is to show beside a run.
pub enum Evidence {
    /// Nothing.
    None,
    /// The errors of a composition.
    Errors(CompositionReport),
    /// The liberal form of a protocol, and the protocol as one automaton.
    Liberal(Box<(LiberalReport, Global)>),
    /// What each queue of a liberal form holds at most.
    Queues(Vec<QueueBound>),
    /// Why two systems differ; `run` is the run of a word, of the side that has it.
    Difference {
        /// The difference.
        difference: Difference,
        /// A run of the model that shows it.
        run: Option<Trace>,
    },
    /// How an implementation conforms to its protocol.
    Conformance(Conformance),
    /// Why it does not.
    Deviation {
        /// The difference; the implementation is on the left.
        difference: Difference,
        /// A run that shows it, of the side that has it.
        run: Option<Trace>,
        /// The projection it was compared with last, if not the protocol itself.
        form: Option<Box<Liberal>>,
    },
    /// What is probably a mistake.
    Findings(Vec<Finding>),
    /// What never happened.
    Unused(Unused),
}

/// What never happened in a model that was explored completely.
#[derive(Clone, Debug, Default)]
pub struct Unused {
    /// Atoms of properties that no action satisfies.
    pub atoms: Vec<ActionAtom>,
    /// The names of groups of steps of which none was taken, and where they are written.
    pub steps: Vec<(String, Option<Span>)>,
    /// Slots with values they never had: local states that are never reached.
    pub values: Vec<UnusedValue>,
    /// The outermost statements of a protocol, or operands of components' protocols, in which nothing
    /// happened.
    pub statements: Vec<Span>,
}

/// A value that a slot never had.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnusedValue {
    /// The slot: a participant.
    pub slot: String,
    /// The value: a local state.
    pub value: String,
    /// Where it is written.
    pub place: Option<Span>,
}

/// What was found about a composition of components.
#[derive(Clone, Debug)]
pub struct CompositionReport {
    /// The errors, unless a bound was reached first. Reduced, the counts are what is left.
    pub errors: Option<CompositionErrors>,
    /// How many configurations and steps there are without reduction, where there was one.
    pub unreduced: Option<Result<(usize, usize), Bound>>,
    /// What never happened, where the composition has no error and was not reduced.
    pub unused: Unused,
}

/// Something that is probably a mistake.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// What to tell the user; its code is the rule.
    pub diagnostic: Diagnostic,
    /// The channel it is about, sender first, if it is about one.
    pub channel: Option<(String, String)>,
    /// A run that shows it, if one can.
    pub trace: Option<Trace>,
}

impl From<Diagnostic> for Finding {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, channel: None, trace: None }
    }
}

/// What a verdict ranges over, and how it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumptions {
    /// Which runs; `None` where the question does not arise.
    pub runs: Option<Runs>,
    /// Which infinite runs among them, where that matters: `weak fairness of all steps`.
    pub fairness: Option<String>,
    /// What was left out of the exploration, or why nothing was.
    pub reduction: Option<String>,
    /// The bounds of the exploration.
    pub limits: Limits,
    /// The form of the protocol that was explored.
    pub form: Form,
    /// The algorithm, or the parts of the portfolio that answered.
    pub engine: Cow<'static, str>,
}

impl Answer {
    /// Whether it came out as expected. An unknown verdict never does.
    pub fn passed(&self) -> bool {
        match self.verdict {
            Verdict::Holds => self.expected == Expected::Holds,
            Verdict::Violated(_) => self.expected == Expected::Violated,
            Verdict::Unknown(_) => false,
        }
    }

    /// The one word, or two, for what came out.
    pub fn word(&self) -> &'static str {
        match (self.aim, &self.verdict) {
            (Aim::Find, Verdict::Violated(_)) => FOUND,
            (Aim::Find, Verdict::Holds) => NONE_FOUND,
            (_, verdict) => verdict.word(),
        }
    }

    /// The same for what should have come out.
    pub fn expected_word(&self) -> &'static str {
        match (self.aim, self.expected) {
            (Aim::Find, Expected::Violated) => FOUND,
            (Aim::Find, Expected::Holds) => NONE_FOUND,
            (Aim::Prove, expected) => expected.word(),
        }
    }

    /// The run that shows a violation, or that was looked for.
    pub fn run(&self) -> Option<&Trace> {
        match &self.verdict {
            Verdict::Violated(run) => run.as_ref(),
            Verdict::Holds | Verdict::Unknown(_) => None,
        }
    }

    /// What was found about a composition of components.
    pub fn composition(&self) -> Option<&CompositionReport> {
        match &self.evidence {
            Evidence::Errors(composition) => Some(composition),
            _ => None,
        }
    }

    /// What each queue of a liberal form holds at most, where that was asked.
    pub fn queues(&self) -> &[QueueBound] {
        match &self.evidence {
            Evidence::Queues(queues) => queues,
            _ => &[],
        }
    }

    /// What is probably a mistake.
    pub fn findings(&self) -> &[Finding] {
        match &self.evidence {
            Evidence::Findings(findings) => findings,
            _ => &[],
        }
    }
}

/// Fairness in words, with the names that tasks have in a model.
pub(crate) fn fairness_words(fairness: &Fairness, model: &dyn Model) -> String {
    let words = |kind: &str, tasks: &Tasks| match tasks {
        Tasks::None => None,
        Tasks::All => Some(format!("{kind} fairness of all steps")),
        Tasks::Some(tasks) if tasks.is_empty() => None,
        Tasks::Some(tasks) => {
            let names = &model.signature().tasks;
            let mut names: Vec<&str> = tasks.iter().map(|task| &*names[task.index()]).collect();
            names.dedup();
            Some(format!("{kind} fairness of {}", names.join(", ")))
        }
    };
    let all = [words("weak", &fairness.weak), words("strong", &fairness.strong)];
    let all: Vec<String> = all.into_iter().flatten().collect();
    if all.is_empty() { "no fairness".to_owned() } else { all.join(" and ") }
}
