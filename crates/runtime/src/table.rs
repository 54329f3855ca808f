//! A plan, validated and compiled into the tables of machines, which index them without checks. Has no run-time state.

mod forks;
mod global;
mod local;

use std::fmt;

use crate::plan::{Act, ActId, Kind, LabelId, PacketId, Plan, QueueId, RoleId};
use crate::structure::Structure;

pub(crate) use forks::{ForkTable, IDLE};
pub(crate) use global::{GlobalStep, GlobalTable};
pub(crate) use local::{FastPath, FastStep, LocalStep, LocalTable, StepKind, Target};

/// A plan and its compiled tables.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) plan: Plan,
    /// By role; empty if the plan has no liberal form.
    pub(crate) locals: Vec<LocalTable>,
    /// Pairs of roles of which the first closes its channel to the second somewhere in the liberal form.
    pub(crate) closings: Vec<(RoleId, RoleId)>,
    pub(crate) global: GlobalTable,
}

/// Why a plan is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// An index is out of range.
    OutOfRange {
        /// The list.
        list: &'static str,
        /// The position.
        index: u32,
    },
    /// A list is empty.
    Empty {
        /// The list.
        list: &'static str,
    },
    /// The plan has no automata of single roles, or not one for each.
    NoLiberalForm,
    /// The plan has no automaton for all roles.
    NoStrictForm,
    /// The act has no label where one is needed, or a wrong number of receivers.
    Malformed(ActId),
    /// The role has an edge for an act that it takes no part in.
    NotAParticipant {
        /// The role.
        role: RoleId,
        /// The act.
        act: ActId,
    },
    /// The edge carries no packet where one is needed, or one that does not belong to its act.
    WrongPacket {
        /// The role.
        role: RoleId,
        /// The act.
        act: ActId,
    },
    /// There is not exactly one queue between two roles.
    NotOneQueue {
        /// The sender.
        from: RoleId,
        /// The receiver.
        to: RoleId,
    },
    /// A queue with several producers that may be full cannot take part in a message to several receivers.
    Crowded(QueueId),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::OutOfRange { list, index } => write!(f, "{list} has no position {index}"),
            PlanError::Empty { list } => write!(f, "{list} is empty"),
            PlanError::NoLiberalForm => f.write_str("there is not one automaton for each role"),
            PlanError::NoStrictForm => f.write_str("there is no automaton for all roles"),
            PlanError::Malformed(act) => {
                write!(f, "act {} has no label or a wrong number of receivers", act.0)
            }
            PlanError::NotAParticipant { role, act } => {
                write!(f, "role {} takes no part in act {}", role.0, act.0)
            }
            PlanError::WrongPacket { role, act } => {
                write!(f, "an edge of role {} for act {} has a wrong packet", role.0, act.0)
            }
            PlanError::NotOneQueue { from, to } => {
                write!(f, "there is not exactly one queue from role {} to role {}", from.0, to.0)
            }
            PlanError::Crowded(queue) => {
                write!(
                    f,
                    "queue {} may be full when a message to several receivers is sent",
                    queue.0
                )
            }
        }
    }
}

impl std::error::Error for PlanError {}

impl Table {
    pub(crate) fn new(structure: &Structure) -> Result<Self, PlanError> {
        let plan = &structure.plan;
        check_acts(plan)?;
        let global = GlobalTable::new(plan, &structure.strict)?;
        let (locals, closings) = local::compile(structure)?;
        Ok(Self { plan: plan.clone(), locals, closings, global })
    }

    pub(crate) fn act(&self, act: ActId) -> &Act {
        &self.plan.acts[act.index()]
    }

    pub(crate) fn role(&self, role: RoleId) -> &str {
        &self.plan.roles[role.index()]
    }

    pub(crate) fn label(&self, label: LabelId) -> &str {
        self.plan.labels.get(label.index()).map_or("an unknown message", |label| label)
    }

    pub(crate) fn n_roles(&self) -> usize {
        self.plan.roles.len()
    }

    /// The message of a packet.
    pub(crate) fn message(&self, packet: PacketId) -> LabelId {
        label_of(self.act(self.plan.packets[packet.index()].act))
    }
}

/// The role that performs an act.
pub(crate) fn initiator(act: &Act) -> RoleId {
    match act.kind {
        Kind::Receive => act.to[0],
        Kind::Send | Kind::Exchange | Kind::Close | Kind::Local => act.from,
    }
}

/// The label of a validated act; that of a close is never used.
fn label_of(act: &Act) -> LabelId {
    act.label.unwrap_or(LabelId(u32::MAX))
}

fn within(list: &'static str, length: usize, index: u32) -> Result<(), PlanError> {
    if (index as usize) < length { Ok(()) } else { Err(PlanError::OutOfRange { list, index }) }
}

fn check_acts(plan: &Plan) -> Result<(), PlanError> {
    if plan.roles.is_empty() {
        return Err(PlanError::Empty { list: "roles" });
    }
    let role = |role: RoleId| within("roles", plan.roles.len(), u32::from(role.0));
    for (number, act) in plan.acts.iter().enumerate() {
        role(act.from)?;
        act.to.iter().try_for_each(|&to| role(to))?;
        act.label.map_or(Ok(()), |label| within("labels", plan.labels.len(), label.0))?;
        let n_receivers = match act.kind {
            Kind::Send | Kind::Exchange => 1..=plan.roles.len(),
            Kind::Receive | Kind::Close => 1..=1,
            Kind::Local => 0..=0,
        };
        let is_labelled = act.kind == Kind::Close || act.label.is_some();
        if !is_labelled || !n_receivers.contains(&act.to.len()) {
            return Err(PlanError::Malformed(ActId(number as u32)));
        }
    }
    for packet in plan.packets.iter() {
        within("acts", plan.acts.len(), packet.act.0)?;
    }
    for queue in plan.queues.iter() {
        role(queue.to)?;
        queue.from.map_or(Ok(()), role)?;
    }
    Ok(())
}
