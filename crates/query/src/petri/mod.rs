//! Petri nets as the Model Checking Contest asks about them: examinations of a net, and what answers them.

mod alone;
mod claims;
mod formulas;
mod goals;
mod instance;
mod local;
mod question;
mod rounds;
mod settings;
mod solve;
mod write;

pub(crate) use claims::formula_of;
pub use instance::{Instance, Row, expected_answers, read_instance};
pub use quadrille_petri::{Formula as NetFormula, Net};
pub use rounds::examine;
pub use settings::{Rules, Settings};
pub use write::as_pnml;

use quadrille_petri::{Formula, PlaceId, Property, TransitionId};

/// An examination of the contest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exam {
    /// How many markings and firings there are, and the most tokens.
    StateSpace,
    /// Whether a dead marking is reachable.
    ReachabilityDeadlock,
    /// Whether no place ever holds two tokens.
    OneSafe,
    /// Whether every transition can fire.
    QuasiLiveness,
    /// Whether every transition can always fire again.
    Liveness,
    /// Whether a place always holds the same.
    StableMarking,
    /// The most tokens that places hold.
    UpperBounds,
    /// Reachable markings, by tokens.
    ReachabilityCardinality,
    /// Reachable markings, by transitions.
    ReachabilityFireability,
    /// Branching time, by tokens.
    CtlCardinality,
    /// Branching time, by transitions.
    CtlFireability,
    /// Linear time, by tokens.
    LtlCardinality,
    /// Linear time, by transitions.
    LtlFireability,
}

impl Exam {
    /// All of them.
    pub const ALL: [Exam; 13] = [
        Exam::StateSpace,
        Exam::ReachabilityDeadlock,
        Exam::OneSafe,
        Exam::QuasiLiveness,
        Exam::Liveness,
        Exam::StableMarking,
        Exam::UpperBounds,
        Exam::ReachabilityCardinality,
        Exam::ReachabilityFireability,
        Exam::CtlCardinality,
        Exam::CtlFireability,
        Exam::LtlCardinality,
        Exam::LtlFireability,
    ];

    /// What the contest calls it.
    pub fn word(self) -> &'static str {
        match self {
            Exam::StateSpace => "StateSpace",
            Exam::ReachabilityDeadlock => "ReachabilityDeadlock",
            Exam::OneSafe => "OneSafe",
            Exam::QuasiLiveness => "QuasiLiveness",
            Exam::Liveness => "Liveness",
            Exam::StableMarking => "StableMarking",
            Exam::UpperBounds => "UpperBounds",
            Exam::ReachabilityCardinality => "ReachabilityCardinality",
            Exam::ReachabilityFireability => "ReachabilityFireability",
            Exam::CtlCardinality => "CTLCardinality",
            Exam::CtlFireability => "CTLFireability",
            Exam::LtlCardinality => "LTLCardinality",
            Exam::LtlFireability => "LTLFireability",
        }
    }

    /// Whether its formulas are in a file of its own.
    pub fn has_file(self) -> bool {
        self >= Exam::UpperBounds
    }

    /// What kind of question it is, for shares.
    pub fn category(self) -> &'static str {
        match self {
            Exam::StateSpace => "state space",
            Exam::ReachabilityDeadlock
            | Exam::ReachabilityCardinality
            | Exam::ReachabilityFireability => "deadlock and reachability",
            Exam::OneSafe | Exam::QuasiLiveness | Exam::Liveness | Exam::StableMarking => {
                "global properties"
            }
            Exam::UpperBounds => "upper bounds",
            Exam::CtlCardinality | Exam::CtlFireability => "branching time",
            Exam::LtlCardinality | Exam::LtlFireability => "linear time",
        }
    }
}

/// What is asked of a net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TaskKind {
    /// How large it is.
    StateSpace,
    /// Whether a formula holds.
    Formula(Formula),
    /// The most tokens that places hold together.
    Bound(Vec<PlaceId>),
    /// Whether every transition can fire.
    QuasiLive,
    /// Whether every transition can always fire again.
    Live,
    /// Whether some place always holds the same.
    Stable,
}

/// A question of an examination.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The examination.
    pub exam: Exam,
    /// The identifier of the formula; empty where the examination is the question.
    pub id: String,
    /// What is asked.
    pub ask: TaskKind,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// Whether it holds.
    Truth(bool),
    /// A number.
    Number(u64),
    /// Markings, firings, most tokens in a place, most tokens in a marking.
    Size([String; 4]),
    /// Nothing, and why.
    Unknown(String),
}

/// An answer, with what found it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// What was found.
    pub found: Found,
    /// The techniques, in the words of the contest.
    pub by: Vec<&'static str>,
    /// What else is to be said: the place that grows without end.
    pub note: Option<String>,
    /// A run to the marking that decides, where one was met.
    pub run: Option<Vec<TransitionId>>,
}

impl Task {
    /// The question that a property is.
    pub fn of(exam: Exam, property: &Property) -> Self {
        let ask = match &property.asked {
            quadrille_petri::Asked::Formula(formula) => TaskKind::Formula(formula.clone()),
            quadrille_petri::Asked::Bound(places) => TaskKind::Bound(places.clone()),
        };
        Self { exam, id: property.id.clone(), ask }
    }
}

/// A formula over propositions of a model, what its atoms mean, and whether it is of linear time.
pub fn prepared(
    model: &mut quadrille_petri::NetModel,
    formula: &Formula,
) -> (quadrille_logic::Formula, quadrille_engine::Interpretation<'static>, bool) {
    let prepared = formulas::Prepared::new(model, formula);
    let interpretation = prepared.interpretation();
    (prepared.formula, interpretation, prepared.is_linear)
}
