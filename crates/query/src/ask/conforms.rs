//! Whether what runs does what its protocol says: both are compared step by step, and where they differ, the
//! implementation is compared with the projection of the protocol to roles with queues like its own.

use std::collections::BTreeSet;

use quadrille_engine::Limits;
use quadrille_engine::equivalence::{Bisimulation, Relation, View};
use quadrille_model::{Model, Verdict};
use quadrille_protocol::project::{Channel, Liberal, Projection, Queues};

use super::{Answered, Config, Refused, Watcher};
use crate::answer::{Answer, Evidence};
use crate::protocol::{Explored, Stopped};
use crate::question::Question;
use crate::subject::Subject;

/// A queue of an implementation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImplementedQueue {
    /// The sender; an inbox for all has none.
    pub from: Option<String>,
    /// The receiver.
    pub to: String,
    /// How many messages it holds.
    pub capacity: u32,
}

/// How an implementation relates to its protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conformance {
    /// It is strongly bisimilar to the protocol: step by step, both can do the same.
    Protocol,
    /// It is strongly bisimilar to the liberal form that projection gives, with the queues it has. That form
    /// differs from the protocol, which was accepted when the implementation was made.
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

const SAME: Relation = Relation::Bisimilar(Bisimulation::Strong);

impl Subject<'_> {
    pub(super) fn conforms(
        &self,
        question: &Question<'_>,
        (specification, queues): (&Subject<'_>, Option<&[ImplementedQueue]>),
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Answered {
        let mut against = |other: &dyn Model, relation| {
            self.compare(question, (other, relation, &View::default()), config, &mut *watcher)
        };
        let answer = against(specification.model(), SAME)?;
        if answer.verdict == Verdict::Holds {
            return Ok(Answer { evidence: Evidence::Conformance(Conformance::Protocol), ..answer });
        }
        let (Verdict::Violated(_), Some(queues)) = (&answer.verdict, queues) else {
            return Ok(deviates(answer, None));
        };
        let limits = config.limits;
        let Some(liberal) = projected(specification, queues, limits)? else {
            return Ok(deviates(answer, None));
        };
        let answer = against(&liberal, SAME)?;
        if answer.verdict != Verdict::Holds {
            return Ok(deviates(answer, Some(liberal)));
        }
        let within_protocol =
            against(specification.model(), Relation::TracesIncluded)?.verdict == Verdict::Holds;
        let evidence = Evidence::Conformance(Conformance::Projection { within_protocol });
        Ok(Answer { evidence, ..answer })
    }
}

/// An answer with what the implementation is compared with.
fn deviates(answer: Answer, form: Option<Liberal>) -> Answer {
    let evidence = match answer.evidence {
        Evidence::Difference { difference, run } => {
            Evidence::Deviation { difference, run, form: form.map(Box::new) }
        }
        evidence => evidence,
    };
    Answer { evidence, ..answer }
}

/// The liberal form of a protocol with queues like those of an implementation; `None` if there is none.
fn projected(
    specification: &Subject<'_>,
    queues: &[ImplementedQueue],
    limits: Limits,
) -> Result<Option<Liberal>, Refused> {
    let Some(protocol) = specification.protocol() else { return Ok(None) };
    let explored = match Explored::new(&protocol.model, limits, &mut quadrille_engine::unobserved) {
        Ok(explored) => explored,
        Err(stopped @ Stopped::Bound(_)) => return Err(stopped.into()),
        Err(_) => return Ok(None),
    };
    let global = explored.global();
    let Ok(projection) = Projection::new(global) else { return Ok(None) };
    let inboxes = queues.iter().filter(|queue| queue.from.is_none());
    let receivers: Vec<&str> = inboxes.map(|queue| &*queue.to).collect();
    let receivers: BTreeSet<_> =
        global.role_ids().filter(|&role| receivers.contains(&global.role(role))).collect();
    let kind = if receivers.is_empty() { Queues::PerPair } else { Queues::Inboxes(receivers) };
    let liberal = Liberal::new(projection, &kind);
    let projection = liberal.projection();
    // The implementation may number roles in its own way.
    let capacity = |channel: &Channel| {
        let from = channel.from.map(|from| projection.role(from));
        let is_same = |queue: &&ImplementedQueue| {
            queue.to == projection.role(channel.to) && queue.from.as_deref() == from
        };
        queues.iter().find(is_same).map(|queue| queue.capacity)
    };
    let capacities: Option<Vec<u32>> = liberal.channels().iter().map(capacity).collect();
    Ok(capacities.map(|capacities| liberal.bounded(&capacities)))
}
