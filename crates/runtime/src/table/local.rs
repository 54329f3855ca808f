//! The liberal form as tables, one per role: what each step does with which of the role's own queues.

use std::sync::Arc;

use super::{PlanError, label_of, within};
use crate::plan::{Act, ActId, Edge, Kind, LabelId, LocalId, PacketId, Plan, QueueId, RoleId};

/// The automaton of one role.
#[derive(Debug, Default)]
pub(crate) struct LocalTable {
    pub(crate) rows: Vec<Row>,
    /// By state.
    pub(crate) quick: Arc<[Quick]>,
    steps: Vec<Step>,
    outs: Vec<Out>,
    /// The queues that the role takes from.
    pub(crate) inbound: Vec<Inbound>,
    /// The queues that it puts into.
    pub(crate) outbound: Vec<QueueId>,
}

/// A state: its steps, first those that the role brings about, then what it receives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    first: u32,
    incoming: u32,
    end: u32,
    /// Whether the role may stop here.
    pub(crate) may_end: bool,
    /// Whether others can pass it something in one step.
    pub(crate) meets: bool,
}

/// What can be done in a state by looking at one queue: all that it takes, in one place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quick {
    /// One message can be sent.
    Put {
        step: QuickStep,
        outbound: u32,
        /// Whether the role comes here only by sending.
        is_stream: bool,
    },
    /// One message can be received.
    Take {
        step: QuickStep,
        inbound: u32,
        /// Who may be waiting for room in the queue.
        wakes: Option<RoleId>,
        /// Whether the role comes here only by receiving.
        is_stream: bool,
    },
    /// One of several messages can be received.
    TakeOne {
        inbound: u32,
        /// Whether the role comes here only by receiving.
        is_stream: bool,
    },
    /// It takes more.
    Not,
}

/// Whether a role comes to a state only by sending, or only by receiving.
#[derive(Clone, Copy)]
struct Way {
    by_putting: bool,
    by_taking: bool,
}

/// The step of a message that can be sent or received quickly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuickStep {
    pub(crate) act: ActId,
    pub(crate) label: LabelId,
    pub(crate) packet: PacketId,
    pub(crate) to: LocalId,
    pub(crate) peer: RoleId,
}

/// What a role can do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) what: What,
    pub(crate) act: ActId,
    /// Meaningless for a closing.
    pub(crate) label: LabelId,
    /// Who sends it, or who receives it: the first of them.
    pub(crate) peer: RoleId,
    /// Meaningless for a closing and a step alone.
    pub(crate) packet: PacketId,
    pub(crate) to: LocalId,
}

/// What a step does beside changing the role's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// Puts a packet into `count` queues.
    Put {
        /// Among the `outs`.
        first: u32,
        count: u32,
    },
    /// Takes a packet from one of the role's inbound queues.
    Take { inbound: u32 },
    /// Passes a packet to `count` roles, which take it in the same step.
    Meet {
        /// Among the `outs`.
        first: u32,
        count: u32,
    },
    /// Takes a packet that is passed.
    Met,
    /// Closes to the peer, for ever or until it sends again.
    Close { closing: u32, is_final: bool },
    /// Nothing.
    Alone,
}

/// A receiver, and the outbound queue that leads to it (meaningless where the packet is passed).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Out {
    pub(crate) outbound: u32,
    pub(crate) to: RoleId,
}

/// A queue that a role takes from.
#[derive(Clone, Debug)]
pub(crate) struct Inbound {
    pub(crate) queue: QueueId,
    /// Who may be waiting for room in it.
    pub(crate) wakes: Vec<RoleId>,
}

impl QuickStep {
    pub(crate) fn of(step: &Step) -> Self {
        let &Step { act, label, packet, to, peer, .. } = step;
        Self { act, label, packet, to, peer }
    }
}

impl LocalTable {
    pub(crate) fn row(&self, state: LocalId) -> Row {
        self.rows[state.index()]
    }

    /// What the role can bring about.
    pub(crate) fn own(&self, row: Row) -> &[Step] {
        &self.steps[row.first as usize..row.incoming as usize]
    }

    /// What the role can receive.
    pub(crate) fn incoming(&self, row: Row) -> &[Step] {
        &self.steps[row.incoming as usize..row.end as usize]
    }

    /// All that can be done.
    pub(crate) fn steps(&self, row: Row) -> &[Step] {
        &self.steps[row.first as usize..row.end as usize]
    }

    /// Whether a packet that is next in a queue can be taken in a state, or later without taking anything from the queue.
    pub(crate) fn may_take(&self, state: LocalId, inbound: u32, packet: PacketId) -> bool {
        let mut is_met = vec![false; self.rows.len()];
        let mut stack = vec![state];
        while let Some(state) = stack.pop() {
            if std::mem::replace(&mut is_met[state.index()], true) {
                continue;
            }
            for step in self.steps(self.row(state)) {
                if step.what != (What::Take { inbound }) {
                    stack.push(step.to);
                } else if step.packet == packet {
                    return true;
                }
            }
        }
        false
    }

    /// By state: how the role comes there.
    fn ways(&self) -> Vec<Way> {
        let mut ways = vec![Way { by_putting: true, by_taking: true }; self.rows.len()];
        for step in &self.steps {
            let way = &mut ways[step.to.index()];
            way.by_putting &= matches!(step.what, What::Put { .. });
            way.by_taking &= matches!(step.what, What::Take { .. });
        }
        ways
    }

    fn quick_of(&self, row: Row, way: Way) -> Quick {
        match *self.steps(row) {
            [step @ Step { what: What::Put { first, count: 1 }, .. }] => Quick::Put {
                step: QuickStep::of(&step),
                outbound: self.outs[first as usize].outbound,
                is_stream: way.by_putting,
            },
            [step @ Step { what: What::Take { inbound }, .. }]
                if self.inbound[inbound as usize].wakes.len() <= 1 =>
            {
                Quick::Take {
                    step: QuickStep::of(&step),
                    inbound,
                    wakes: self.inbound[inbound as usize].wakes.first().copied(),
                    is_stream: way.by_taking,
                }
            }
            [Step { what: What::Take { inbound }, .. }, ref others @ ..]
                if others.iter().all(|step| step.what == What::Take { inbound }) =>
            {
                Quick::TakeOne { inbound, is_stream: way.by_taking }
            }
            _ => Quick::Not,
        }
    }

    /// The receivers of what a step sends.
    pub(crate) fn outs(&self, step: &Step) -> &[Out] {
        match step.what {
            What::Put { first, count } | What::Meet { first, count } => {
                &self.outs[first as usize..(first + count) as usize]
            }
            _ => &[],
        }
    }
}

/// Who closes to whom.
type Closings = Vec<(RoleId, RoleId)>;

pub(super) fn compile(plan: &Plan) -> Result<(Vec<LocalTable>, Closings), PlanError> {
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
        Compiler { plan, closings: &closings, role, table: LocalTable::default() }.compile()
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
    fn compile(mut self) -> Result<LocalTable, PlanError> {
        let states = &self.plan.locals[self.role.index()].states;
        if states.is_empty() {
            return Err(PlanError::Empty { list: "states of a role" });
        }
        let n_roles = self.plan.roles.len();
        for (number, queue) in self.plan.queues.iter().enumerate() {
            let queue_id = QueueId(number as u32);
            if queue.to == self.role {
                let everybody = || (0..n_roles).map(|role| RoleId(role as u16)).collect();
                let fillers = queue.from.map_or_else(everybody, |from| vec![from]);
                let wakes = if queue.suffices { Vec::new() } else { fillers };
                self.table.inbound.push(Inbound { queue: queue_id, wakes });
            }
            if queue.from.is_none_or(|from| from == self.role) {
                self.table.outbound.push(queue_id);
            }
        }
        for state in states.iter() {
            let first = self.table.steps.len();
            for edge in state.edges.iter() {
                let step = self.step(edge, states.len())?;
                self.table.steps.push(step);
            }
            let is_incoming = |step: &Step| matches!(step.what, What::Take { .. } | What::Met);
            let steps = &mut self.table.steps[first..];
            steps.sort_by_key(is_incoming);
            let n_own = steps.partition_point(|step| !is_incoming(step));
            let meets = steps.iter().any(|step| step.what == What::Met);
            self.table.rows.push(Row {
                first: first as u32,
                incoming: (first + n_own) as u32,
                end: (first + steps.len()) as u32,
                may_end: state.may_end,
                meets,
            });
        }
        self.mark_final_closings();
        let rows = self.table.rows.iter().zip(self.table.ways());
        self.table.quick = rows.map(|(&row, way)| self.table.quick_of(row, way)).collect();
        Ok(self.table)
    }

    fn step(&mut self, edge: &Edge, n_states: usize) -> Result<Step, PlanError> {
        within("acts", self.plan.acts.len(), edge.act.0)?;
        within("states of a role", n_states, edge.to.0)?;
        let act = &self.plan.acts[edge.act.index()];
        let what = self.what(edge.act, act)?;
        let packet = self.packet(edge, act)?;
        let peer = match what {
            What::Take { .. } | What::Met => act.from,
            _ => act.to.first().copied().unwrap_or(self.role),
        };
        Ok(Step { what, act: edge.act, label: label_of(act), peer, packet, to: edge.to })
    }

    fn what(&mut self, id: ActId, act: &Act) -> Result<What, PlanError> {
        let is_mine = act.from == self.role;
        match act.kind {
            Kind::Send if is_mine => {
                let first = self.table.outs.len() as u32;
                for to in receivers(act) {
                    let queue = self.queue(self.role, to)?;
                    if receivers(act).len() > 1
                        && self.plan.queues[queue.index()].from.is_none()
                        && !self.plan.queues[queue.index()].suffices
                    {
                        return Err(PlanError::Crowded(queue));
                    }
                    let outbound = position(&self.table.outbound, |&other| other == queue);
                    self.table.outs.push(Out { outbound, to });
                }
                Ok(What::Put { first, count: self.table.outs.len() as u32 - first })
            }
            Kind::Exchange if is_mine => {
                let first = self.table.outs.len() as u32;
                let others = receivers(act).into_iter().filter(|&to| to != self.role);
                self.table.outs.extend(others.map(|to| Out { outbound: 0, to }));
                Ok(What::Meet { first, count: self.table.outs.len() as u32 - first })
            }
            Kind::Receive if act.to[0] == self.role => {
                let queue = self.queue(act.from, self.role)?;
                let inbound = position(&self.table.inbound, |other| other.queue == queue);
                Ok(What::Take { inbound })
            }
            Kind::Exchange if act.to.contains(&self.role) => Ok(What::Met),
            Kind::Close if is_mine => {
                let closing = position(self.closings, |&pair| pair == (act.from, act.to[0]));
                Ok(What::Close { closing, is_final: true })
            }
            Kind::Alone if is_mine => Ok(What::Alone),
            _ => Err(PlanError::Stranger { role: self.role, act: id }),
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

    /// The packet of an edge, if it is one of what the act sends or receives.
    fn packet(&self, edge: &Edge, act: &Act) -> Result<PacketId, PlanError> {
        let wrong = PlanError::WrongPacket { role: self.role, act: edge.act };
        match (act.kind, edge.packet) {
            (Kind::Close | Kind::Alone, None) => Ok(PacketId(u32::MAX)),
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

    /// A closing is final unless the role may send there again: then whoever waits must go on waiting.
    fn mark_final_closings(&mut self) {
        for (closing, &(from, to)) in self.closings.iter().enumerate() {
            if from != self.role {
                continue;
            }
            let sends = self.states_that_send(to);
            for step in &mut self.table.steps {
                if let What::Close { closing: number, is_final } = &mut step.what
                    && *number as usize == closing
                {
                    *is_final = !sends[step.to.index()];
                }
            }
        }
    }

    /// By state: whether something is sent to the role there or later.
    fn states_that_send(&self, to: RoleId) -> Vec<bool> {
        let table = &self.table;
        let mut before = vec![Vec::new(); table.rows.len()];
        let mut sends = vec![false; table.rows.len()];
        let mut stack = Vec::new();
        for (state, &row) in table.rows.iter().enumerate() {
            for step in table.steps(row) {
                before[step.to.index()].push(state);
                if table.outs(step).iter().any(|out| out.to == to) && !sends[state] {
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
