//! The liberal form as tables, one per role: what each step does with which queue of the role.

use std::sync::Arc;

use super::forks::ForkTable;
use super::{PlanError, label_of, within};
use crate::plan::{Act, ActId, Edge, Kind, LabelId, LocalId, PacketId, Plan, QueueId, RoleId};
use crate::structure::{Fork, Structure};

/// The automaton of one role.
#[derive(Debug, Default)]
pub(crate) struct LocalTable {
    pub(crate) rows: Vec<LocalRow>,
    /// By state.
    pub(crate) fast_paths: Arc<[FastPath]>,
    steps: Vec<LocalStep>,
    targets: Vec<Target>,
    /// The queues that the role consumes.
    pub(crate) inbound: Vec<Inbound>,
    /// The queues that it produces into.
    pub(crate) outbound: Vec<QueueId>,
    /// Its parallel parts. With them there is one more row, of no steps, for configurations of several.
    pub(crate) forks: ForkTable,
}

/// A state: its steps, first those that the role initiates, then those in which it receives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalRow {
    first: u32,
    incoming: u32,
    end: u32,
    /// Whether the role may end here.
    pub(crate) may_end: bool,
    /// Whether it receives by rendezvous here.
    pub(crate) has_rendezvous: bool,
}

/// The fast path of a state: everything it needs, in one place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FastPath {
    /// The only step sends a message into one queue.
    Send {
        step: FastStep,
        outbound: u32,
        /// Whether every step to this state sends.
        is_stream: bool,
    },
    /// The only step receives a message.
    Receive {
        step: FastStep,
        inbound: u32,
        /// The role that may wait for room in the queue.
        wakes: Option<RoleId>,
        /// Whether every step to this state receives.
        is_stream: bool,
    },
    /// All steps receive from the same queue.
    ReceiveOneOf {
        inbound: u32,
        /// Whether every step to this state receives.
        is_stream: bool,
    },
    /// There is none.
    None,
}

/// How a state is entered: whether by sends only, and whether by receives only.
#[derive(Clone, Copy)]
struct EnteredBy {
    by_putting: bool,
    by_taking: bool,
}

/// The step of a fast path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastStep {
    pub(crate) act: ActId,
    pub(crate) label: LabelId,
    pub(crate) packet: PacketId,
    pub(crate) to: LocalId,
    pub(crate) peer: RoleId,
}

/// A step of a role.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalStep {
    pub(crate) kind: StepKind,
    pub(crate) act: ActId,
    /// Undefined for a close.
    pub(crate) label: LabelId,
    /// The sender of a receive, else the first receiver.
    pub(crate) peer: RoleId,
    /// Undefined for a close and a local step.
    pub(crate) packet: PacketId,
    /// A state, or an entry of the forks.
    pub(crate) to: LocalId,
    /// The slot of the state that it leaves.
    pub(crate) slot: u32,
}

/// What a step does beside changing the state of the role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepKind {
    /// Puts a packet into `count` queues.
    Enqueue {
        /// Among the `outs`.
        first: u32,
        count: u32,
    },
    /// Takes a packet from an inbound queue.
    Dequeue { inbound: u32 },
    /// Hands a packet over to `count` roles by rendezvous.
    RendezvousSend {
        /// Among the `outs`.
        first: u32,
        count: u32,
    },
    /// Takes a packet that is handed over by rendezvous.
    RendezvousReceive,
    /// Closes the channel to the peer; not final if the role may send to it again.
    Close { closing: u32, is_final: bool },
    /// Nothing.
    Local,
}

/// A receiver, and the outbound queue that leads to it (undefined for a rendezvous).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) outbound: u32,
    pub(crate) to: RoleId,
}

/// A queue that a role consumes.
#[derive(Clone, Debug)]
pub(crate) struct Inbound {
    pub(crate) queue: QueueId,
    /// The roles that may wait for room in it.
    pub(crate) wakes: Vec<RoleId>,
}

impl FastStep {
    pub(crate) fn of(step: &LocalStep) -> Self {
        let &LocalStep { act, label, packet, to, peer, .. } = step;
        Self { act, label, packet, to, peer }
    }
}

impl LocalTable {
    pub(crate) fn row(&self, state: LocalId) -> LocalRow {
        self.rows[state.index()]
    }

    /// The steps that the role initiates.
    pub(crate) fn initiated(&self, row: LocalRow) -> &[LocalStep] {
        &self.steps[row.first as usize..row.incoming as usize]
    }

    /// The steps in which the role receives.
    pub(crate) fn incoming(&self, row: LocalRow) -> &[LocalStep] {
        &self.steps[row.incoming as usize..row.end as usize]
    }

    /// All steps.
    pub(crate) fn steps(&self, row: LocalRow) -> &[LocalStep] {
        &self.steps[row.first as usize..row.end as usize]
    }

    /// Whether the packet at the front of a queue can be taken in a state, or later without taking another from the queue.
    pub(crate) fn may_take(&self, state: LocalId, inbound: u32, packet: PacketId) -> bool {
        let mut is_visited = vec![false; self.rows.len()];
        let mut stack = vec![state];
        while let Some(state) = stack.pop() {
            if std::mem::replace(&mut is_visited[state.index()], true) {
                continue;
            }
            for step in self.steps(self.row(state)) {
                if step.kind != (StepKind::Dequeue { inbound }) {
                    self.forks.consequences(step.to.0, |to| stack.push(LocalId(to)));
                } else if step.packet == packet {
                    return true;
                }
            }
        }
        false
    }

    /// By state: how it is entered.
    fn ways(&self) -> Vec<EnteredBy> {
        let mut ways = vec![EnteredBy { by_putting: true, by_taking: true }; self.rows.len()];
        for step in &self.steps {
            let entered = &mut ways[self.forks.landing(step.to.0) as usize];
            entered.by_putting &= matches!(step.kind, StepKind::Enqueue { .. });
            entered.by_taking &= matches!(step.kind, StepKind::Dequeue { .. });
        }
        ways
    }

    fn fast_path_of(&self, row: LocalRow, entered: EnteredBy) -> FastPath {
        if self.steps(row).iter().any(|step| self.forks.is_entry(step.to.0) || step.slot != 0) {
            return FastPath::None;
        }
        match *self.steps(row) {
            [step @ LocalStep { kind: StepKind::Enqueue { first, count: 1 }, .. }] => {
                FastPath::Send {
                    step: FastStep::of(&step),
                    outbound: self.targets[first as usize].outbound,
                    is_stream: entered.by_putting,
                }
            }
            [step @ LocalStep { kind: StepKind::Dequeue { inbound }, .. }]
                if self.inbound[inbound as usize].wakes.len() <= 1 =>
            {
                FastPath::Receive {
                    step: FastStep::of(&step),
                    inbound,
                    wakes: self.inbound[inbound as usize].wakes.first().copied(),
                    is_stream: entered.by_taking,
                }
            }
            [LocalStep { kind: StepKind::Dequeue { inbound }, .. }, ref others @ ..]
                if others.iter().all(|step| step.kind == StepKind::Dequeue { inbound }) =>
            {
                FastPath::ReceiveOneOf { inbound, is_stream: entered.by_taking }
            }
            _ => FastPath::None,
        }
    }

    /// The receivers of what a step sends.
    pub(crate) fn targets(&self, step: &LocalStep) -> &[Target] {
        match step.kind {
            StepKind::Enqueue { first, count } | StepKind::RendezvousSend { first, count } => {
                &self.targets[first as usize..(first + count) as usize]
            }
            _ => &[],
        }
    }
}

/// Pairs of roles of which the first closes its channel to the second.
type Closings = Vec<(RoleId, RoleId)>;

pub(super) fn compile(structure: &Structure) -> Result<(Vec<LocalTable>, Closings), PlanError> {
    let plan = &structure.plan;
    let mut closings: Closings = plan
        .acts
        .iter()
        .filter(|act| act.kind == Kind::Close)
        .map(|act| (act.from, act.to[0]))
        .collect();
    closings.sort_unstable();
    closings.dedup();
    if plan.locals.is_empty() {
        return Ok((Vec::new(), closings));
    }
    if plan.locals.len() != plan.roles.len() {
        return Err(PlanError::NoLiberalForm);
    }
    let locals = (0..plan.locals.len()).map(|role| {
        let role = RoleId(role as u16);
        let forks = structure.locals.get(role.index()).map_or(&[][..], Vec::as_slice);
        Compiler { plan, closings: &closings, role, table: LocalTable::default() }.compile(forks)
    });
    Ok((locals.collect::<Result<_, _>>()?, closings))
}

struct Compiler<'p> {
    plan: &'p Plan,
    closings: &'p Closings,
    role: RoleId,
    table: LocalTable,
}

impl Compiler<'_> {
    fn compile(mut self, forks: &[Fork]) -> Result<LocalTable, PlanError> {
        let states = &self.plan.locals[self.role.index()].states;
        if states.is_empty() {
            return Err(PlanError::Empty { list: "states of a role" });
        }
        let n_roles = self.plan.roles.len();
        for (number, queue) in self.plan.queues.iter().enumerate() {
            let queue_id = QueueId(number as u32);
            if queue.to == self.role {
                let all_roles = || (0..n_roles).map(|role| RoleId(role as u16)).collect();
                let fillers = queue.from.map_or_else(all_roles, |from| vec![from]);
                let wakes = if queue.suffices { Vec::new() } else { fillers };
                self.table.inbound.push(Inbound { queue: queue_id, wakes });
            }
            if queue.from.is_none_or(|from| from == self.role) {
                self.table.outbound.push(queue_id);
            }
        }
        self.table.forks = self.forks(forks)?;
        for (number, state) in states.iter().enumerate() {
            let first = self.table.steps.len();
            let slot = self.table.forks.slot(number as u32);
            for edge in state.edges.iter() {
                let step = self.step(edge, states.len(), slot)?;
                self.table.steps.push(step);
            }
            for edge in self.entering(number as u32) {
                let step = self.step(&edge, self.table.forks.n_targets() as usize, slot)?;
                self.table.steps.push(step);
            }
            let is_incoming = |step: &LocalStep| {
                matches!(step.kind, StepKind::Dequeue { .. } | StepKind::RendezvousReceive)
            };
            let steps = &mut self.table.steps[first..];
            steps.sort_by_key(is_incoming);
            let n_own = steps.partition_point(|step| !is_incoming(step));
            let has_rendezvous = steps.iter().any(|step| step.kind == StepKind::RendezvousReceive);
            self.table.rows.push(LocalRow {
                first: first as u32,
                incoming: (first + n_own) as u32,
                end: (first + steps.len()) as u32,
                may_end: state.may_end,
                has_rendezvous,
            });
        }
        if !self.table.forks.is_empty() {
            let end = self.table.steps.len() as u32;
            self.table.rows.push(LocalRow {
                first: end,
                incoming: end,
                end,
                may_end: false,
                has_rendezvous: false,
            });
        }
        self.mark_final_closings();
        let rows = self.table.rows.iter().zip(self.table.ways());
        self.table.fast_paths =
            rows.map(|(&row, entered)| self.table.fast_path_of(row, entered)).collect();
        Ok(self.table)
    }

    fn forks(&self, forks: &[Fork]) -> Result<ForkTable, PlanError> {
        if forks.is_empty() {
            return Ok(ForkTable::default());
        }
        let states = &self.plan.locals[self.role.index()].states;
        for edge in states.iter().flat_map(|state| state.edges.iter()) {
            within("states of a role", states.len(), edge.to.0)?;
        }
        let targets =
            |state: u32| states[state as usize].edges.iter().map(|edge| edge.to.0).collect();
        ForkTable::new(states.len(), forks, &targets)
    }

    /// The steps with which forks that leave a state begin.
    fn entering(&mut self, state: u32) -> Vec<Edge> {
        let states = &self.plan.locals[self.role.index()].states;
        let mut edges = Vec::new();
        self.table.forks.entering(state, &mut |forks, begun, part| {
            for edge in states[part as usize].edges.iter() {
                edges.push(Edge { to: LocalId(forks.entry(begun, edge.to.0)), ..*edge });
            }
        });
        edges
    }

    fn step(&mut self, edge: &Edge, n_targets: usize, slot: u32) -> Result<LocalStep, PlanError> {
        within("acts", self.plan.acts.len(), edge.act.0)?;
        within("states of a role", n_targets, edge.to.0)?;
        let act = &self.plan.acts[edge.act.index()];
        let kind = self.step_kind(edge.act, act)?;
        let packet = self.packet(edge, act)?;
        let peer = match kind {
            StepKind::Dequeue { .. } | StepKind::RendezvousReceive => act.from,
            _ => act.to.first().copied().unwrap_or(self.role),
        };
        Ok(LocalStep { kind, act: edge.act, label: label_of(act), peer, packet, to: edge.to, slot })
    }

    fn step_kind(&mut self, id: ActId, act: &Act) -> Result<StepKind, PlanError> {
        let is_mine = act.from == self.role;
        match act.kind {
            Kind::Send if is_mine => {
                let first = self.table.targets.len() as u32;
                for to in receivers(act) {
                    let queue = self.queue(self.role, to)?;
                    if receivers(act).len() > 1
                        && self.plan.queues[queue.index()].from.is_none()
                        && !self.plan.queues[queue.index()].suffices
                    {
                        return Err(PlanError::Crowded(queue));
                    }
                    let outbound = position(&self.table.outbound, |&other| other == queue);
                    self.table.targets.push(Target { outbound, to });
                }
                Ok(StepKind::Enqueue { first, count: self.table.targets.len() as u32 - first })
            }
            Kind::Exchange if is_mine => {
                let first = self.table.targets.len() as u32;
                let others = receivers(act).into_iter().filter(|&to| to != self.role);
                self.table.targets.extend(others.map(|to| Target { outbound: 0, to }));
                Ok(StepKind::RendezvousSend {
                    first,
                    count: self.table.targets.len() as u32 - first,
                })
            }
            Kind::Receive if act.to[0] == self.role => {
                let queue = self.queue(act.from, self.role)?;
                let inbound = position(&self.table.inbound, |other| other.queue == queue);
                Ok(StepKind::Dequeue { inbound })
            }
            Kind::Exchange if act.to.contains(&self.role) => Ok(StepKind::RendezvousReceive),
            Kind::Close if is_mine => {
                let closing = position(self.closings, |&pair| pair == (act.from, act.to[0]));
                Ok(StepKind::Close { closing, is_final: true })
            }
            Kind::Local if is_mine => Ok(StepKind::Local),
            _ => Err(PlanError::NotAParticipant { role: self.role, act: id }),
        }
    }

    /// The one queue between two roles.
    fn queue(&self, from: RoleId, to: RoleId) -> Result<QueueId, PlanError> {
        let fits = |queue: &crate::plan::Queue| {
            queue.to == to && queue.from.is_none_or(|other| other == from)
        };
        let mut queues = self.plan.queues.iter().enumerate().filter(|(_, queue)| fits(queue));
        match (queues.next(), queues.next()) {
            (Some((number, _)), None) => Ok(QueueId(number as u32)),
            _ => Err(PlanError::NotOneQueue { from, to }),
        }
    }

    /// The packet of an edge, if it belongs to the act.
    fn packet(&self, edge: &Edge, act: &Act) -> Result<PacketId, PlanError> {
        let wrong = PlanError::WrongPacket { role: self.role, act: edge.act };
        match (act.kind, edge.packet) {
            (Kind::Close | Kind::Local, None) => Ok(PacketId(u32::MAX)),
            (Kind::Send | Kind::Exchange | Kind::Receive, Some(packet)) => {
                within("packets", self.plan.packets.len(), packet.0)?;
                let sent = self.plan.packets[packet.index()].act;
                let source = &self.plan.acts[sent.index()];
                let fits = match act.kind {
                    Kind::Receive => {
                        source.kind == Kind::Send
                            && source.from == act.from
                            && source.label == act.label
                            && source.to.contains(&self.role)
                    }
                    _ => sent == edge.act,
                };
                if fits { Ok(packet) } else { Err(wrong) }
            }
            _ => Err(wrong),
        }
    }

    /// A close is final unless the role may send to the peer again: then the peer must go on waiting.
    fn mark_final_closings(&mut self) {
        for (closing, &(from, to)) in self.closings.iter().enumerate() {
            if from != self.role {
                continue;
            }
            let sends = self.states_that_send(to);
            for step in &mut self.table.steps {
                if let StepKind::Close { closing: number, is_final } = &mut step.kind
                    && *number as usize == closing
                {
                    *is_final = true;
                    self.table.forks.consequences(step.to.0, |to| *is_final &= !sends[to as usize]);
                }
            }
        }
    }

    /// By state: whether a message to the role can be sent there or later.
    fn states_that_send(&self, to: RoleId) -> Vec<bool> {
        let table = &self.table;
        let mut before = vec![Vec::new(); table.rows.len()];
        let mut sends = vec![false; table.rows.len()];
        let mut stack = Vec::new();
        for (state, &row) in table.rows.iter().enumerate() {
            for step in table.steps(row) {
                table.forks.consequences(step.to.0, |to| before[to as usize].push(state));
                if table.targets(step).iter().any(|target| target.to == to) && !sends[state] {
                    sends[state] = true;
                    stack.push(state);
                }
            }
        }
        while let Some(state) = stack.pop() {
            for &earlier in &before[state] {
                if !std::mem::replace(&mut sends[earlier], true) {
                    stack.push(earlier);
                }
            }
        }
        sends
    }
}

/// The receivers of an act, each once, in order.
fn receivers(act: &Act) -> Vec<RoleId> {
    let mut receivers = act.to.to_vec();
    receivers.sort_unstable();
    receivers.dedup();
    receivers
}

fn position<T>(list: &[T], is_it: impl Fn(&T) -> bool) -> u32 {
    list.iter().position(is_it).map_or(u32::MAX, |position| position as u32)
}
