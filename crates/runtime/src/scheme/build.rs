//! The automaton of all roles with its forks, from the tree: each node is put before what follows it, with silent moves
//! where paths meet, which are removed at the end (Thompson 1968).

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::instance::{Frame, Instance};
use super::{How, Node, NodeId, Scheme, Unfit};
use crate::plan::{Act, ActId, GlobalId, GlobalState, Kind, LabelId, Packet, PacketId, RoleId};
use crate::structure::Fork;

/// The automaton of all roles.
pub(super) struct Automaton {
    pub(super) acts: Vec<Act>,
    /// By act: its packet, if a message travels.
    pub(super) packet_of: Vec<Option<PacketId>>,
    pub(super) states: Vec<State>,
    pub(super) forks: Vec<Fork>,
}

/// A state of it.
#[derive(Clone, Default)]
pub(super) struct State {
    pub(super) edges: Vec<(ActId, u32)>,
    /// The forks that leave it.
    pub(super) forks: Vec<u32>,
    /// Whether the protocol may end here.
    pub(super) may_end: bool,
    /// Whether it is the end of a parallel part.
    pub(super) ends_part: bool,
}

impl Automaton {
    /// The states as a plan has them.
    pub(super) fn states(&self) -> Vec<GlobalState> {
        let state = |state: &State| GlobalState {
            edges: state.edges.iter().map(|&(act, to)| (act, GlobalId(to))).collect(),
            may_end: state.may_end,
        };
        self.states.iter().map(state).collect()
    }

    /// A packet for each act that sends.
    pub(super) fn packets(&self) -> Vec<Packet> {
        let sends = self.acts.iter().enumerate().filter(|(_, act)| act.kind == Kind::Send);
        sends.map(|(act, _)| Packet { act: ActId(act as u32), variant: 0 }).collect()
    }

    pub(super) fn act(&self, act: ActId) -> &Act {
        &self.acts[act.index()]
    }
}

/// The role that takes a step.
pub(super) fn subject(act: &Act) -> RoleId {
    if act.kind == Kind::Receive { act.to[0] } else { act.from }
}

/// Builds the automaton of an instance.
pub(super) fn build(instance: &Instance<'_>) -> Result<Automaton, Unfit> {
    let mut builder = Builder {
        instance,
        acts: Vec::new(),
        numbers: FxHashMap::default(),
        states: Vec::new(),
        forks: Vec::new(),
        frame: Vec::new(),
        send_of: BTreeMap::new(),
    };
    let end = builder.state(Raw { may_end: true, ..Raw::default() })?;
    let whole = NodeId((instance.scheme.nodes.len().max(1) - 1) as u16);
    let start = builder.node(whole, end)?;
    builder.finish(start)
}

/// A state under construction.
#[derive(Clone, Default)]
struct Raw {
    edges: Vec<(ActId, u32)>,
    silent: Vec<u32>,
    fork: Option<u32>,
    may_end: bool,
    ends_part: bool,
}

struct Builder<'i, 's> {
    instance: &'i Instance<'s>,
    acts: Vec<Act>,
    numbers: FxHashMap<(Kind, RoleId, Vec<RoleId>, Option<LabelId>), ActId>,
    states: Vec<Raw>,
    forks: Vec<Fork>,
    frame: Frame,
    /// By act of a receive: the send that it belongs to.
    send_of: BTreeMap<ActId, ActId>,
}

impl Builder<'_, '_> {
    fn state(&mut self, state: Raw) -> Result<u32, Unfit> {
        if self.states.len() >= Scheme::MAX_STATES {
            return Err(Unfit::TooLarge);
        }
        self.states.push(state);
        Ok(self.states.len() as u32 - 1)
    }

    fn step(&mut self, act: ActId, then: u32) -> Result<u32, Unfit> {
        self.state(Raw { edges: vec![(act, then)], ..Raw::default() })
    }

    fn act(&mut self, kind: Kind, from: RoleId, to: &[RoleId], label: Option<LabelId>) -> ActId {
        let Self { acts, numbers, instance, .. } = self;
        *numbers.entry((kind, from, to.to_vec(), label)).or_insert_with(|| {
            let name = |role: RoleId| instance.roles[role.index()].as_str();
            let shown = label.map_or("", |label| &instance.scheme.labels[label.index()]);
            let names = to.iter().map(|&to| name(to)).collect::<Vec<_>>().join(", ");
            let by = name(from);
            let text = match kind {
                Kind::Send => format!("{by} sends {shown} to {names}"),
                Kind::Receive => format!("{names} receives {shown} from {by}"),
                Kind::Exchange => format!("{by} passes {shown} to {names}"),
                Kind::Close => format!("{by} closes to {names}"),
                Kind::Local => format!("{by} does {shown}"),
            };
            acts.push(Act { kind, from, to: to.to_vec().into(), label, text: Cow::Owned(text) });
            ActId(acts.len() as u32 - 1)
        })
    }

    /// The state in which a node begins, if `then` is what follows it.
    fn node(&mut self, id: NodeId, then: u32) -> Result<u32, Unfit> {
        let scheme = self.instance.scheme;
        let Some(node) = scheme.nodes.get(usize::from(id.0)) else { return Ok(then) };
        match node {
            Node::Message { label, from, to } => {
                let from = self.instance.role(from, &self.frame)?;
                let mut receivers = Vec::new();
                for to in to.iter() {
                    let to = self.instance.role(to, &self.frame)?;
                    if !receivers.contains(&to) {
                        receivers.push(to);
                    }
                }
                self.message(LabelId(u32::from(*label)), from, &receivers, then)
            }
            Node::Close { from, to } => {
                let from = self.instance.role(from, &self.frame)?;
                let to = self.instance.role(to, &self.frame)?;
                let act = self.act(Kind::Close, from, &[to], None);
                self.step(act, then)
            }
            Node::Local { label, by } => {
                let by = self.instance.role(by, &self.frame)?;
                let act = self.act(Kind::Local, by, &[], Some(LabelId(u32::from(*label))));
                self.step(act, then)
            }
            Node::Sequence(parts) => {
                parts.iter().rev().try_fold(then, |then, &part| self.node(part, then))
            }
            Node::Choice(parts) => {
                let starts = parts.iter().map(|&part| self.node(part, then));
                let silent = starts.collect::<Result<_, _>>()?;
                self.state(Raw { silent, ..Raw::default() })
            }
            Node::Parallel(parts) => self
                .fork(parts.len(), then, |builder, number, end| builder.node(parts[number], end)),
            Node::Loop { body, may_end } => {
                let head = self.state(Raw::default())?;
                let start = self.node(*body, head)?;
                self.states[head as usize].silent.push(start);
                if *may_end {
                    self.states[head as usize].silent.push(then);
                }
                Ok(head)
            }
            Node::Each { how, variable, from, until, body } => {
                let from = self.instance.index(from, &self.frame)?;
                let until = self.instance.index(until, &self.frame)?;
                if until.saturating_sub(from) > Scheme::MAX_STATES as i64 {
                    return Err(Unfit::TooLarge);
                }
                self.each(*how, *variable, from..until, *body, then)
            }
            Node::If { test, then: yes, other } => {
                let holds = self.instance.holds(test, &self.frame)?;
                self.node(if holds { *yes } else { *other }, then)
            }
        }
    }

    fn each(
        &mut self,
        how: How,
        variable: u8,
        range: std::ops::Range<i64>,
        body: NodeId,
        then: u32,
    ) -> Result<u32, Unfit> {
        let (from, count) = (range.start, (range.end - range.start).max(0) as usize);
        let instance = |builder: &mut Self, value: i64, then: u32| {
            builder.frame.push((variable, value));
            let start = builder.node(body, then);
            builder.frame.pop();
            start
        };
        match how {
            How::InOrder => range.rev().try_fold(then, |then, value| instance(self, value, then)),
            How::OneOf => {
                let starts = range.map(|value| instance(self, value, then));
                let silent = starts.collect::<Result<_, _>>()?;
                self.state(Raw { silent, ..Raw::default() })
            }
            How::AtOnce => self.fork(count, then, |builder, number, end| {
                instance(builder, from + number as i64, end)
            }),
        }
    }

    fn message(
        &mut self,
        label: LabelId,
        from: RoleId,
        receivers: &[RoleId],
        then: u32,
    ) -> Result<u32, Unfit> {
        if receivers.is_empty() || receivers.contains(&from) {
            return Err(Unfit::Index("a message without a receiver, or to its sender".to_owned()));
        }
        let send = self.act(Kind::Send, from, receivers, Some(label));
        let receive = |builder: &mut Self, number: usize, then: u32| {
            let act = builder.act(Kind::Receive, from, &[receivers[number]], Some(label));
            // Else a receiver could not tell the packets of two sends apart by their act.
            let of = *builder.send_of.entry(act).or_insert(send);
            if of == send { builder.step(act, then) } else { Err(Unfit::OpenEnd) }
        };
        let after = match receivers.len() {
            1 => receive(self, 0, then)?,
            n => self.fork(n, then, receive)?,
        };
        self.step(send, after)
    }

    /// Parallel parts: those that do nothing are left out, and one alone is no part.
    fn fork(
        &mut self,
        n_parts: usize,
        then: u32,
        mut part: impl FnMut(&mut Self, usize, u32) -> Result<u32, Unfit>,
    ) -> Result<u32, Unfit> {
        if n_parts == 1 {
            return part(self, 0, then);
        }
        let mut parts = Vec::new();
        let mut last_end = then;
        for number in 0..n_parts {
            let end = self.state(Raw { ends_part: true, ..Raw::default() })?;
            let start = part(self, number, end)?;
            if start != end {
                parts.push(start);
                last_end = end;
            }
        }
        if let &[start] = &parts[..] {
            self.states[last_end as usize] = Raw { silent: vec![then], ..Raw::default() };
            return Ok(start);
        }
        if parts.is_empty() {
            return Ok(then);
        }
        self.forks.push(Fork { at: Vec::new(), parts, then });
        let fork = self.forks.len() as u32 - 1;
        self.state(Raw { fork: Some(fork), ..Raw::default() })
    }

    /// Removes silent moves and what is not reached, and numbers states by when they are met.
    fn finish(self, start: u32) -> Result<Automaton, Unfit> {
        let mut finish = Finish {
            raw: &self.states,
            forks: &self.forks,
            numbers: vec![u32::MAX; self.states.len()],
            order: Vec::new(),
            fork_numbers: vec![u32::MAX; self.forks.len()],
            fork_order: Vec::new(),
        };
        let mut states: Vec<State> = Vec::new();
        let first = finish.meet(start);
        debug_assert_eq!(first, 0);
        while states.len() < finish.order.len() {
            let state = finish.closed(finish.order[states.len()])?;
            states.push(state);
        }
        let is_dead = |state: &State| {
            let goes_on = !state.edges.is_empty() || !state.forks.is_empty();
            !goes_on && !state.may_end && !state.ends_part
        };
        if states[0].may_end && states[0].edges.is_empty() && states[0].forks.is_empty() {
            return Err(Unfit::Empty);
        }
        if states.iter().any(is_dead) {
            return Err(Unfit::Stuck);
        }
        let mut forks: Vec<Fork> = Vec::new();
        for &old in &finish.fork_order {
            let Fork { parts, then, .. } = &self.forks[old as usize];
            let number = |state: &u32| finish.numbers[*state as usize];
            let parts: Vec<u32> = parts.iter().map(number).collect();
            // A part that ends where it begins would have to be joined before it was started.
            if parts.iter().any(|&part| states[part as usize].ends_part) {
                return Err(Unfit::OpenEnd);
            }
            forks.push(Fork { at: Vec::new(), parts, then: number(then) });
        }
        for (number, state) in states.iter().enumerate() {
            for &fork in &state.forks {
                forks[fork as usize].at.push(number as u32);
            }
        }
        let mut n_packets = 0;
        let mut packet_of: Vec<Option<PacketId>> = Vec::new();
        for act in &self.acts {
            let is_send = act.kind == Kind::Send;
            packet_of.push(is_send.then_some(PacketId(n_packets)));
            n_packets += u32::from(is_send);
        }
        for (receive, send) in &self.send_of {
            packet_of[receive.index()] = packet_of[send.index()];
        }
        Ok(Automaton { acts: self.acts, packet_of, states, forks })
    }
}

struct Finish<'b> {
    raw: &'b [Raw],
    forks: &'b [Fork],
    numbers: Vec<u32>,
    order: Vec<u32>,
    fork_numbers: Vec<u32>,
    fork_order: Vec<u32>,
}

impl Finish<'_> {
    fn meet(&mut self, state: u32) -> u32 {
        let number = &mut self.numbers[state as usize];
        if *number == u32::MAX {
            *number = self.order.len() as u32;
            self.order.push(state);
        }
        *number
    }

    fn meet_fork(&mut self, fork: u32) -> u32 {
        if self.fork_numbers[fork as usize] == u32::MAX {
            self.fork_numbers[fork as usize] = self.fork_order.len() as u32;
            self.fork_order.push(fork);
            let Fork { parts, then, .. } = &self.forks[fork as usize];
            for &state in parts.iter().chain([then]) {
                self.meet(state);
            }
        }
        self.fork_numbers[fork as usize]
    }

    /// What is possible in a state or after silent moves.
    fn closed(&mut self, state: u32) -> Result<State, Unfit> {
        let mut closed = State::default();
        let (mut met, mut next) = (vec![state], 0);
        while let Some(&at) = met.get(next) {
            next += 1;
            let raw = &self.raw[at as usize];
            for &(act, to) in &raw.edges {
                let edge = (act, self.meet(to));
                if !closed.edges.contains(&edge) {
                    closed.edges.push(edge);
                }
            }
            if let Some(fork) = raw.fork {
                closed.forks.push(self.meet_fork(fork));
            }
            closed.may_end |= raw.may_end;
            closed.ends_part |= raw.ends_part;
            for &silent in &raw.silent {
                if !met.contains(&silent) {
                    met.push(silent);
                }
            }
        }
        if closed.ends_part && !(closed.edges.is_empty() && closed.forks.is_empty()) {
            return Err(Unfit::OpenEnd);
        }
        Ok(closed)
    }
}
