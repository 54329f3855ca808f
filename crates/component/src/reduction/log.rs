//! The reduction log: one entry per application of a rule, with what is needed to undo it in a run.

use std::fmt;

use crate::automata::{DfaStateId, EventId, StepId};
use crate::composition::UnitId;

/// The rules, named as in V. Holub's thesis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// C1: acceptances of events that no component emits are removed.
    Unbound,
    /// B4: steps with the environment alone are removed.
    External,
    /// B1: of a call that is answered at once, the response is left out.
    Call,
    /// B2: of two events that always follow one another, the second is left out.
    Serial,
    /// B5: what two components must do together at the very beginning is taken as done.
    Initial,
    /// C3: nesting that means nothing is dissolved, components that do nothing are left out.
    Redundant,
    /// B3: what a component always accepts, without consequence, is given to the environment.
    Cycle,
}

impl Rule {
    /// All rules, in the order in which they are tried.
    pub const ALL: [Rule; 7] = [
        Rule::Unbound,
        Rule::External,
        Rule::Call,
        Rule::Serial,
        Rule::Initial,
        Rule::Redundant,
        Rule::Cycle,
    ];
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Unbound => "unbound action",
            Rule::External => "external event",
            Rule::Call => "simple method call",
            Rule::Serial => "serial invocation",
            Rule::Initial => "initial state transition",
            Rule::Redundant => "redundant state",
            Rule::Cycle => "simple cycle",
        })
    }
}

/// A transition that is gone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The component.
    pub component: String,
    /// Where it started; states are numbered as they were then.
    pub from: DfaStateId,
    /// What happened.
    pub step: StepId,
    /// Where it led.
    pub to: DfaStateId,
}

/// One application of a rule.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The rule.
    pub rule: Rule,
    /// The components changed.
    pub components: Vec<String>,
    /// The events removed, or given to the environment.
    pub events: Vec<EventId>,
    /// The transitions removed.
    pub removed: Vec<Transition>,
    /// How runs of what was made become runs of what there was.
    pub(super) undo: Undo,
}

/// What a component did in a step.
pub(super) type ComponentStep = (UnitId, StepId);

/// How runs of what was made become runs of what there was.
#[derive(Clone, Debug)]
pub(super) enum Undo {
    /// They are the same.
    Same,
    /// The component may have taken this step, alone.
    Inserted { unit: UnitId, step: StepId },
    /// Steps of the component had another name.
    Renamed { unit: UnitId, from: StepId, to: StepId },
    /// Right after one of these events, this was done.
    After { events: Vec<EventId>, step: Vec<ComponentStep> },
    /// At the beginning, this was done.
    First { step: Vec<ComponentStep> },
    /// These events were accepted by a component, each with this step.
    Accepted { by: UnitId, steps: Vec<(EventId, StepId)> },
    /// Which component each one was part of.
    Parts { origin: Vec<UnitId> },
}
