//! The automata of all roles before minimisation: sets of global states, found together, since what a
//! role can tell apart depends on what others send it.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;

use quadrille_model::{Bound, InteractionKind, LocalId, StateId};
use rustc_hash::FxHashMap;

use super::bare::Bare;
use super::{
    Global, LocalAutomaton, LocalEdge, LocalState, PacketId, Projection, Size, TooLarge,
    Unprojected, Watch,
};
use crate::core::{Act, ActId, RoleId};

/// Automata of which states and packets are still to be merged.
pub(super) struct Raw<'g> {
    pub(super) global: &'g Global,
    pub(super) locals: Vec<LocalAutomaton>,
    /// The send or exchange of each packet.
    pub(super) packets: Vec<ActId>,
}

/// Builds the automata of all roles: as if messages carried nothing but themselves, if that is enough.
pub(super) fn build<'g>(global: &'g Global, watch: &mut Watch<'_>) -> Result<Raw<'g>, Unprojected> {
    match Bare::new(global).map(|bare| build_with(global, Some(bare), watch)) {
        None | Some(Err(Failure::Insufficient)) => match build_with(global, None, watch) {
            Ok(raw) => Ok(raw),
            Err(Failure::Unprojected(error)) => Err(error),
            Err(Failure::Insufficient) => unreachable!("a branch is all that a sender decides"),
        },
        Some(Ok(raw)) => Ok(raw),
        Some(Err(Failure::Unprojected(error))) => Err(error),
    }
}

/// The same in which messages carry what the sender knows, unless it is tried without.
pub(super) fn build_with<'g>(
    global: &'g Global,
    bare: Option<Bare>,
    watch: &mut Watch<'_>,
) -> Result<Raw<'g>, Failure> {
    let roles: Vec<RoleId> = global.role_ids().collect();
    let mut build = Build {
        global,
        bare,
        roles: roles.iter().map(|&role| RoleWork::new(global, role)).collect(),
        packets: Packets::default(),
        seen: vec![0; global.n_states()],
        n_searches: 0,
        stack: Vec::new(),
        size: Size::default(),
        n_looked_at: 0,
        next_look: INTERVAL,
        watch,
    };
    let mut queue: VecDeque<RoleId> = roles.iter().copied().collect();
    for &role in &roles {
        let start = build.closure(role, &[Global::START]);
        build.intern(role, start)?;
        build.work(role).is_queued = true;
    }
    while let Some(role) = queue.pop_front() {
        build.work(role).is_queued = false;
        for receiver in build.expand_role(role)? {
            if !std::mem::replace(&mut build.work(receiver).is_queued, true) {
                queue.push_back(receiver);
            }
        }
    }
    Ok(build.finish())
}

/// Why there are no automata.
pub(super) enum Failure {
    Unprojected(Unprojected),
    /// What a role must do depends on more than what it has done.
    Insufficient,
}

/// How much work lies between two calls of the observer.
const INTERVAL: u64 = 1 << 16;

/// The set of global states that a local state is, ascending.
type Known = Box<[StateId]>;

/// What is known of one role so far.
struct RoleWork {
    sets: Vec<Known>,
    numbers: FxHashMap<Known, LocalId>,
    /// Local states by the targets of the step that leads there.
    after: FxHashMap<Known, LocalId>,
    edges: Vec<Vec<LocalEdge>>,
    /// Per local state what it receives, by action; empty for those that were not met yet.
    receipts: Vec<Vec<Receipt>>,
    is_queued: bool,
    /// By action, whether it is local.
    is_local: Rc<[bool]>,
    /// By global state, whether a local step or an end is possible in it.
    matters: Rc<[bool]>,
}

/// What a local state receives by one action.
struct Receipt {
    act: ActId,
    steps: Steps,
    /// How many of the packets that the role may take by this action were looked at here.
    n_packets: usize,
}

/// The global steps of one action, by where they lead from.
type Steps = Vec<(StateId, StateId)>;

impl RoleWork {
    fn new(global: &Global, role: RoleId) -> Self {
        let is_local: Rc<[bool]> =
            global.act_ids().map(|act| takes_part(global.act(act), role)).collect();
        let matters = |state: StateId| {
            let mut edges = global.edges(state).iter();
            global.is_end(state) || edges.any(|&(act, _)| is_local[act.0 as usize])
        };
        Self {
            sets: Vec::new(),
            numbers: FxHashMap::default(),
            after: FxHashMap::default(),
            edges: Vec::new(),
            receipts: Vec::new(),
            is_queued: false,
            matters: global.states().map(matters).collect(),
            is_local,
        }
    }
}

/// What senders may have brought about: an action, and the global states after it.
#[derive(Default)]
struct Packets {
    list: Vec<(ActId, Known)>,
    numbers: FxHashMap<(ActId, Known), PacketId>,
    /// By receiver and action of the receiver: the packets that it may take.
    inbound: BTreeMap<(RoleId, ActId), Vec<PacketId>>,
    /// Per packet and receiver: the global states in which it may be taken, as bits.
    ready: FxHashMap<(PacketId, RoleId), Vec<u64>>,
}

struct Build<'g, 'w, 'o> {
    global: &'g Global,
    /// Where messages carry nothing: what must go on being true for that.
    bare: Option<Bare>,
    /// By role.
    roles: Vec<RoleWork>,
    packets: Packets,
    /// Per global state the search that met it last.
    seen: Vec<u32>,
    n_searches: u32,
    stack: Vec<StateId>,
    /// How much was found so far.
    size: Size,
    /// How many global states and steps were looked at for that.
    n_looked_at: u64,
    /// When the observer is called next.
    next_look: u64,
    watch: &'w mut Watch<'o>,
}

impl<'g> Build<'g, '_, '_> {
    fn work(&mut self, role: RoleId) -> &mut RoleWork {
        &mut self.roles[role.0 as usize]
    }

    /// Visits all states that are reachable from `seeds` by edges that `follow` accepts.
    fn search(
        &mut self,
        seeds: &[StateId],
        follow: impl Fn(ActId) -> bool,
        mut visit: impl FnMut(StateId),
    ) {
        self.n_searches += 1;
        let number = self.n_searches;
        let meet = |seen: &mut [u32], stack: &mut Vec<StateId>, state: StateId| {
            if std::mem::replace(&mut seen[state.index()], number) != number {
                stack.push(state);
            }
        };
        for &seed in seeds {
            meet(&mut self.seen, &mut self.stack, seed);
        }
        while let Some(state) = self.stack.pop() {
            self.n_looked_at += 1;
            visit(state);
            for &(act, to) in self.global.edges(state) {
                if follow(act) {
                    meet(&mut self.seen, &mut self.stack, to);
                }
            }
        }
    }

    /// What a role knows when the protocol is in one of these states or has gone on without it.
    fn closure(&mut self, role: RoleId, seeds: &[StateId]) -> Known {
        let (is_local, matters) = self.tables(role);
        let mut found = Vec::new();
        self.search(
            seeds,
            |act| !is_local[act.0 as usize],
            |state| {
                if matters[state.index()] {
                    found.push(state);
                }
            },
        );
        found.sort_unstable();
        found.into()
    }

    fn tables(&self, role: RoleId) -> (Rc<[bool]>, Rc<[bool]>) {
        let work = &self.roles[role.0 as usize];
        (Rc::clone(&work.is_local), Rc::clone(&work.matters))
    }

    /// The local state of a role after a step to one of these.
    fn after(&mut self, role: RoleId, targets: Known) -> Result<LocalId, Failure> {
        if let Some(&known) = self.work(role).after.get(&targets) {
            return Ok(known);
        }
        if self.bare.as_ref().is_some_and(|bare| !bare.is_same(role, &targets)) {
            return Err(Failure::Insufficient);
        }
        let set = self.closure(role, &targets);
        let id = self.intern(role, set)?;
        self.work(role).after.insert(targets, id);
        Ok(id)
    }

    fn intern(&mut self, role: RoleId, set: Known) -> Result<LocalId, Failure> {
        let work = &mut self.roles[role.0 as usize];
        if let Some(&known) = work.numbers.get(&set) {
            return Ok(known);
        }
        let id = LocalId::from_usize(work.sets.len());
        // It stands in two tables; what it receives, and the targets that lead to it, are about as much again.
        self.size.bytes += (4 * size_of_val::<[StateId]>(&set)) as u64;
        self.size.states += 1;
        work.sets.push(set.clone());
        work.edges.push(Vec::new());
        work.numbers.insert(set, id);
        if work.sets.len() > Projection::MAX_STATES {
            return Err(self.too_large(role));
        }
        Ok(id)
    }

    /// Adds a step to a local state.
    fn add(&mut self, role: RoleId, state: usize, edge: LocalEdge) -> Result<(), Failure> {
        self.work(role).edges[state].push(edge);
        self.size.steps += 1;
        self.size.bytes += size_of::<LocalEdge>() as u64;
        if self.size.steps > Projection::MAX_STEPS {
            return Err(self.too_large(role));
        }
        Ok(())
    }

    /// Calls the observer now and then.
    fn look(&mut self, role: RoleId) -> Result<(), Failure> {
        if self.n_looked_at < self.next_look {
            return Ok(());
        }
        if self.n_looked_at > Projection::MAX_WORK {
            return Err(self.too_large(role));
        }
        self.next_look = self.n_looked_at + INTERVAL;
        match (self.watch)(&self.size) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(bound) => Err(stopped(bound)),
        }
    }

    fn too_large(&self, role: RoleId) -> Failure {
        let work = &self.roles[role.0 as usize];
        Failure::Unprojected(Unprojected::TooLarge(TooLarge {
            role: self.global.role(role).to_owned(),
            states: work.sets.len(),
            steps: work.edges.iter().map(Vec::len).sum(),
        }))
    }

    /// Finds the steps of all states of a role that are not known yet: all steps of new states, and what
    /// the others do with new packets. Gives the roles that packets found on the way go to.
    fn expand_role(&mut self, role: RoleId) -> Result<Vec<RoleId>, Failure> {
        let mut receivers = Vec::new();
        let mut state = 0;
        while state < self.work(role).sets.len() {
            if state == self.work(role).receipts.len() {
                let receipts = self.meet(role, state, &mut receivers)?;
                self.work(role).receipts.push(receipts);
            } else {
                let mut receipts = std::mem::take(&mut self.work(role).receipts[state]);
                for receipt in &mut receipts {
                    self.receive(role, state, receipt)?;
                }
                self.work(role).receipts[state] = receipts;
            }
            state += 1;
        }
        Ok(receivers)
    }

    /// Finds the steps of a local state that is looked at for the first time.
    fn meet(
        &mut self,
        role: RoleId,
        state: usize,
        receivers: &mut Vec<RoleId>,
    ) -> Result<Vec<Receipt>, Failure> {
        self.look(role)?;
        let global = self.global;
        let (is_local, _) = self.tables(role);
        let mut steps: BTreeMap<ActId, Steps> = BTreeMap::new();
        for &from in &self.roles[role.0 as usize].sets[state] {
            for &(act, to) in global.edges(from) {
                if is_local[act.0 as usize] {
                    steps.entry(act).or_default().push((from, to));
                }
            }
        }
        let mut receipts = Vec::new();
        for (act, steps) in steps {
            let kind = global.act(act).kind;
            match kind {
                InteractionKind::Close | InteractionKind::Local => {
                    let to = self.after(role, set(steps.iter().map(|&(_, to)| to)))?;
                    self.add(role, state, LocalEdge { act, packet: None, to })?;
                }
                InteractionKind::Send | InteractionKind::Exchange
                    if global.act(act).from == role =>
                {
                    for targets in self.branches(role, &steps) {
                        let (packet, is_new) = self.packet(act, targets.clone());
                        if is_new {
                            receivers.extend(&global.act(act).to);
                        }
                        let to = self.after(role, targets)?;
                        self.add(role, state, LocalEdge { act, packet: Some(packet), to })?;
                    }
                }
                InteractionKind::Send | InteractionKind::Receive | InteractionKind::Exchange => {
                    let mut receipt = Receipt { act, steps, n_packets: 0 };
                    self.receive(role, state, &mut receipt)?;
                    receipts.push(receipt);
                }
            }
        }
        Ok(receipts)
    }

    /// Finds what a local state does with packets that were not looked at there yet.
    fn receive(
        &mut self,
        role: RoleId,
        state: usize,
        receipt: &mut Receipt,
    ) -> Result<(), Failure> {
        let act = receipt.act;
        let kind = self.global.act(act).kind;
        while let Some(&packet) =
            self.packets.inbound.get(&(role, act)).and_then(|all| all.get(receipt.n_packets))
        {
            receipt.n_packets += 1;
            self.n_looked_at += receipt.steps.len() as u64;
            self.look(role)?;
            let steps = receipt.steps.iter().copied();
            let targets = match kind {
                _ if self.bare.is_some() => set(steps.map(|(_, to)| to)),
                InteractionKind::Exchange => {
                    let after = self.packets.targets(packet);
                    set(steps.map(|(_, to)| to).filter(|to| after.binary_search(to).is_ok()))
                }
                _ => {
                    let ready = &self.packets.ready[&(packet, role)];
                    set(steps.filter(|&(from, _)| has_bit(ready, from)).map(|(_, to)| to))
                }
            };
            if !targets.is_empty() {
                let to = self.after(role, targets)?;
                self.add(role, state, LocalEdge { act, packet: Some(packet), to })?;
            }
        }
        Ok(())
    }

    /// The targets of a send, by what the sender decides. What it cannot know stays together: where
    /// the action leads to one state from each, there is nothing to decide. Otherwise targets that
    /// others can lead from one to the other are one branch.
    fn branches(&mut self, role: RoleId, steps: &[(StateId, StateId)]) -> Vec<Known> {
        let targets = set(steps.iter().map(|&(_, to)| to));
        // Steps from the same state stand side by side.
        let decides = steps.windows(2).any(|two| two[0].0 == two[1].0 && two[0].1 != two[1].1);
        if !decides {
            return vec![targets];
        }
        let (is_local, _) = self.tables(role);
        let mut branch: Vec<usize> = (0..targets.len()).collect();
        for position in 0..targets.len() {
            let mut met = Vec::new();
            self.search(
                &[targets[position]],
                |act| !is_local[act.0 as usize],
                |state| {
                    met.extend(targets.binary_search(&state));
                },
            );
            for other in met {
                let (keep, drop) =
                    (branch[position].min(branch[other]), branch[position].max(branch[other]));
                for number in &mut branch {
                    if *number == drop {
                        *number = keep;
                    }
                }
            }
        }
        let mut branches: BTreeMap<usize, Vec<StateId>> = BTreeMap::new();
        for (&number, &target) in branch.iter().zip(&targets) {
            branches.entry(number).or_default().push(target);
        }
        branches.into_values().map(Into::into).collect()
    }

    fn packet(&mut self, act: ActId, targets: Known) -> (PacketId, bool) {
        let key = (act, if self.bare.is_some() { Known::default() } else { targets });
        if let Some(&known) = self.packets.numbers.get(&key) {
            return (known, false);
        }
        let id = PacketId(self.packets.list.len() as u32);
        let global = self.global;
        let sent = global.act(act);
        for receiver in sent
            .to
            .iter()
            .copied()
            .filter(|&to| to != sent.from || sent.kind == InteractionKind::Send)
        {
            let Some(taken) = received_as(global, act, receiver) else { continue };
            self.packets.inbound.entry((receiver, taken)).or_default().push(id);
            if sent.kind == InteractionKind::Send && self.bare.is_none() {
                let mut ready = vec![0u64; global.n_states().div_ceil(64)];
                self.search(
                    &key.1,
                    |step| step != taken,
                    |state| {
                        ready[state.index() / 64] |= 1 << (state.index() % 64);
                    },
                );
                self.packets.ready.insert((id, receiver), ready);
            }
        }
        self.packets.list.push(key.clone());
        self.packets.numbers.insert(key, id);
        (id, true)
    }

    fn finish(self) -> Raw<'g> {
        let global = self.global;
        let locals = self.roles.into_iter().zip(global.role_ids()).map(|(work, role)| {
            let states = work.sets.into_iter().zip(work.edges).map(|(set, edges)| LocalState {
                edges,
                may_end: set.iter().any(|&state| global.is_end(state)),
                knows: set.into(),
            });
            LocalAutomaton { role, states: states.collect() }
        });
        Raw {
            global,
            locals: locals.collect(),
            packets: self.packets.list.into_iter().map(|(act, _)| act).collect(),
        }
    }
}

impl Packets {
    fn targets(&self, packet: PacketId) -> &[StateId] {
        &self.list[packet.0 as usize].1
    }
}

/// The action by which a receiver takes what was sent; the same one for an exchange.
pub(super) fn received_as(global: &Global, act: ActId, receiver: RoleId) -> Option<ActId> {
    let sent = global.act(act);
    global.act_ids().find(|&other| match sent.kind {
        InteractionKind::Exchange => other == act,
        _ => sent.is_received_by(global.act(other)) && global.act(other).to[0] == receiver,
    })
}

/// Whether a step is local to a role.
pub(super) fn takes_part(act: &Act, role: RoleId) -> bool {
    match act.kind {
        InteractionKind::Send | InteractionKind::Close | InteractionKind::Local => act.from == role,
        InteractionKind::Receive => act.to[0] == role,
        InteractionKind::Exchange => act.from == role || act.to.contains(&role),
    }
}

fn stopped(bound: Bound) -> Failure {
    Failure::Unprojected(Unprojected::Stopped(bound))
}

fn set(states: impl Iterator<Item = StateId>) -> Known {
    let mut states: Vec<StateId> = states.collect();
    states.sort_unstable();
    states.dedup();
    states.into()
}

fn has_bit(bits: &[u64], state: StateId) -> bool {
    bits[state.index() / 64] >> (state.index() % 64) & 1 == 1
}
