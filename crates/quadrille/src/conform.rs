//! Whether a module does what its protocol says: the protocol is explored afresh from its text, and both
//! are compared step by step. Knows no formula.

use std::collections::BTreeSet;

use quadrille_engine::equivalence::{
    Bisimulation, Comparison, Difference, Observation, Relation, Side, View, Word, compare,
};
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_model::{Bound, Explicit, Model};
use quadrille_protocol::core::ProtocolModel;
use quadrille_protocol::project::{Channel, Liberal, Projection, Queues};
use quadrille_query::protocol::{Explored as Automaton, Stopped};
use quadrille_report::Story;
use quadrille_runtime::plan::RoleId;
use quadrille_runtime::{Form, Plan};

use crate::explored::Explored;

/// How a module relates to its protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conformance {
    /// It is strongly bisimilar to the protocol: step by step, both can do the same.
    Protocol,
    /// It is strongly bisimilar to the liberal form that projection gives, with the queues it has. That form
    /// differs from the protocol, which was accepted when the module was generated.
    Projection {
        /// Whether every run of it is one of the protocol.
        within_protocol: bool,
    },
}

impl std::fmt::Display for Conformance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Conformance::Protocol => "bisimilar to the protocol",
            Conformance::Projection { within_protocol: true } => {
                "bisimilar to the projection of the protocol, and its runs are runs of the protocol"
            }
            Conformance::Projection { within_protocol: false } => {
                "bisimilar to the projection of the protocol, which has runs that the protocol has not"
            }
        })
    }
}

/// What a comparison with the protocol found.
pub(crate) enum Judgement {
    Conforms(Conformance),
    /// It does something else: why, and the run that shows it.
    Deviates(String, Option<Story>),
    Unknown(Bound),
    /// The protocol cannot be explored.
    Impossible(String),
}

/// Compares a module with its protocol.
pub(crate) fn judge(
    explored: &Explored<'_>,
    form: Form,
    plan: &Plan,
    protocol: &ProtocolModel,
    limits: Limits,
) -> Judgement {
    let mut space = Space::new(protocol);
    let specified = match space.tabulate(limits, &mut unobserved) {
        Ok(table) => table,
        Err(stopped) => match Stopped::from(stopped) {
            Stopped::Bound(bound) => return Judgement::Unknown(bound),
            stopped => return Judgement::Impossible(stopped.to_string()),
        },
    };
    let difference = match bisimilar(explored.table(), &specified, limits) {
        Comparison::Holds => return Judgement::Conforms(Conformance::Protocol),
        Comparison::Unknown(bound) => return Judgement::Unknown(bound),
        Comparison::Differs(difference) => difference,
    };
    if form == Form::Liberal {
        match projected(plan, protocol, limits) {
            Ok(liberal) => {
                let mut space = Space::new(&liberal);
                let Ok(table) = space.tabulate(limits, &mut unobserved) else {
                    return deviation(explored, &space, &difference, "the protocol");
                };
                return match bisimilar(explored.table(), &table, limits) {
                    Comparison::Holds => {
                        let within_protocol = included(explored.table(), &specified, limits);
                        Judgement::Conforms(Conformance::Projection { within_protocol })
                    }
                    Comparison::Differs(difference) => {
                        deviation(explored, &space, &difference, "the projection of the protocol")
                    }
                    Comparison::Unknown(bound) => Judgement::Unknown(bound),
                };
            }
            Err(Some(bound)) => return Judgement::Unknown(bound),
            Err(None) => {}
        }
    }
    deviation(explored, &space, &difference, "the protocol")
}

/// Whether a module does the same as something else, step by step.
pub(crate) fn bisimilar(module: &Explicit, other: &Explicit, limits: Limits) -> Comparison {
    let relation = Relation::Bisimilar(Bisimulation::Strong);
    compare(module, other, relation, &View::default(), limits, &mut unobserved)
}

fn included(module: &Explicit, protocol: &Explicit, limits: Limits) -> bool {
    let relation = Relation::TracesIncluded;
    let found = compare(module, protocol, relation, &View::default(), limits, &mut unobserved);
    found == Comparison::Holds
}

/// The liberal form of a protocol with queues like those of a plan; `None` if there is none, and the
/// plan comes from elsewhere.
fn projected(
    plan: &Plan,
    protocol: &ProtocolModel,
    limits: Limits,
) -> Result<Liberal, Option<Bound>> {
    let automaton = Automaton::new(protocol, limits, &mut unobserved);
    let automaton = automaton.map_err(|stopped| match stopped {
        Stopped::Bound(bound) => Some(bound),
        _ => None,
    })?;
    let projection = Projection::new(automaton.global()).map_err(|_| None)?;
    let shared = plan.queues.iter().filter(|queue| queue.from.is_none());
    let receivers: Vec<&str> = shared.map(|queue| &*plan.roles[queue.to.index()]).collect();
    let global = automaton.global();
    let receivers: BTreeSet<_> =
        global.role_ids().filter(|&role| receivers.contains(&global.role(role))).collect();
    let queues = if receivers.is_empty() { Queues::PerPair } else { Queues::Inboxes(receivers) };
    let liberal = Liberal::new(projection, &queues);
    let projection = liberal.projection();
    // The plan may number roles in its own way.
    let capacity = |channel: &Channel| {
        let name = |role: RoleId| plan.roles[role.index()].as_ref();
        let mut queues = plan.queues.iter().filter(|queue| {
            let from = channel.from.map(|from| projection.role(from));
            name(queue.to) == projection.role(channel.to) && queue.from.map(name) == from
        });
        queues.next().map(|queue| queue.capacity)
    };
    let capacities: Option<Vec<u32>> = liberal.channels().iter().map(capacity).collect();
    Ok(liberal.bounded(&capacities.ok_or(None)?))
}

/// What a module does that it should not, or does not do that it should.
fn deviation(
    explored: &Explored<'_>,
    space: &Space<'_>,
    difference: &Difference,
    other: &str,
) -> Judgement {
    let Difference::Word(Word { side, observations, run }) = difference else {
        let reason = match difference {
            Difference::Formulas { side, formulas } => {
                let formulas: Vec<String> = formulas.iter().map(ToString::to_string).collect();
                let who = match side {
                    Side::Left => "the module",
                    Side::Right => other,
                };
                format!("{who} can, at the start: {}", formulas.join("; "))
            }
            _ => "they differ after many steps".to_owned(),
        };
        let message =
            format!("the module has the runs of {other}, but chooses at other moments: {reason}");
        return Judgement::Deviates(message, None);
    };
    let last = match observations.last() {
        Some(Observation::Action(label)) => format!("`{label}`"),
        Some(Observation::End) | None => "to end".to_owned(),
        Some(other) => other.to_string(),
    };
    let story = |trace: &_, model: &dyn Model| Story::tell("the module conforms", trace, model);
    match side {
        Side::Left => {
            let message = format!("the module allows {last} after this run, and {other} does not");
            let performed = explored.performed(run);
            let story = performed.map(|trace| story(&trace, explored.module()));
            Judgement::Deviates(message, story)
        }
        Side::Right => {
            let message = format!(
                "{other} allows {last} after this run, and the module does not; the run is one of {other}"
            );
            let story = space.retold(run).map(|trace| story(&trace, space.model()));
            Judgement::Deviates(message, story)
        }
    }
}
