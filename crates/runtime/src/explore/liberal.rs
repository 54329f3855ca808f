//! The workbench of the liberal form. A state has slots for each role (one, or one for each parallel part), then one for
//! each queue, then one for each closing.

mod tables;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Waker};

use quadrille_model::{ActionId, Flow, GroupId, Successors, Value};

pub(super) use self::tables::contents;
use self::tables::{queues, requests, slots, touches};
use super::content::Contents;
use super::fault::{FaultKind, Faults, text_of};
use super::layout::Layout;
use crate::liberal::{LiberalMachine, SharedPart, machines};
use crate::module::{Form, ModuleConfig, Sample};
use crate::plan::{ActId, Kind, LocalId, PacketId, RoleId};
use crate::request::{Attempt, Blocked, Completed, Request};
use crate::sync::Ordering;
use crate::table::{IDLE, LocalStep};

/// A module in the state that is asked about.
pub(super) struct LiberalBench<P: Sample> {
    faults: Faults,
    config: ModuleConfig,
    layout: Layout,
    machines: Vec<LiberalMachine<P>>,
    shared: Arc<SharedPart<P>>,
    /// The state that it is in.
    at: Vec<Value>,
    /// The state after a step; equal to `at` between steps.
    next: Vec<Value>,
    queues: Vec<QueueAt>,
    /// By role.
    roles: Vec<RoleAt>,
    /// By slot: the roles whose steps depend on it.
    readers: Vec<Vec<RoleId>>,
    /// Slots that a step changed; only used during one.
    changed: Vec<usize>,
    /// A content; only used while one is read or written.
    content: Vec<u32>,
    /// Steps of others that are possible after a step of which they were not told; only used during one.
    suspects: Vec<Suspect>,
}

/// A step that is possible after another.
struct Suspect {
    role: RoleId,
    step: LocalStep,
    after: ActId,
}

/// Where the halves of a queue are.
struct QueueAt {
    contents: Contents,
    /// Who puts in, by one of its outbound queues.
    sender: (usize, usize),
    /// Who takes out, by one of its inbound queues.
    receiver: (usize, usize),
}

/// What is known of a role.
struct RoleAt {
    /// What it may ask for, by state.
    requests: Vec<Vec<Request>>,
    /// Slots that its steps look at and change, by state; with parallel parts, the same for all.
    slots: Vec<Vec<usize>>,
}

impl RoleAt {
    fn all_slots(&self) -> BTreeSet<usize> {
        self.slots.iter().flatten().copied().collect()
    }
}

impl<P: Sample> LiberalBench<P> {
    pub(super) fn new(config: ModuleConfig, contents: &[Contents]) -> Self {
        let table = Arc::clone(&config.table);
        let machines = machines::<P>(&config);
        let layout = Layout::new(&table, Form::Liberal);
        let n_control = layout.n_slots();
        let n_slots = n_control + table.plan.queues.len() + table.closings.len();
        let mut start = vec![0; n_slots];
        layout.start(&mut start);
        let roles = (0..table.n_roles()).map(|role| RoleAt {
            requests: requests(&table.locals[role]),
            slots: slots(&table, &layout, RoleId(role as u16)),
        });
        let roles: Vec<RoleAt> = roles.collect();
        let mut readers = vec![Vec::new(); n_slots];
        for (role, known) in roles.iter().enumerate() {
            for slot in known.all_slots() {
                readers[slot].push(RoleId(role as u16));
            }
        }
        Self {
            faults: Faults::default(),
            shared: Arc::clone(&machines[0].shared),
            at: start.clone(),
            next: start,
            layout,
            queues: queues(&table, contents),
            roles,
            readers,
            changed: Vec::new(),
            content: Vec::new(),
            suspects: Vec::new(),
            machines,
            config,
        }
        .begun()
    }

    /// Tries everything that these roles could ask for.
    pub(super) fn expand(
        &mut self,
        state: &[Value],
        roles: impl Iterator<Item = RoleId>,
        sink: &mut dyn Successors,
    ) -> Flow {
        self.restore(state);
        for role in roles {
            let several = self.requests_of_parts(role);
            let local = self.local(role);
            let n_requests =
                several.as_ref().map_or(self.roles[role.index()].requests[local].len(), Vec::len);
            for number in 0..n_requests {
                let request = match &several {
                    Some(several) => several[number],
                    None => self.roles[role.index()].requests[local][number],
                };
                let mut wanted = 0;
                while let Some((act, n_choices)) = self.step(role, request, wanted) {
                    let flow = sink.next(GroupId::new(act.0), ActionId::new(act.0), &self.next);
                    self.undo();
                    self.clear_suspects();
                    self.register();
                    flow?;
                    wanted += 1;
                    if wanted >= n_choices {
                        break;
                    }
                }
            }
        }
        self.compare(state);
        self.faults.outcome()
    }

    /// The row of a role's state.
    fn local(&self, role: RoleId) -> usize {
        let n_rows = self.roles[role.index()].requests.len();
        (self.at[self.layout.of(role.index()).start] as usize).min(n_rows - 1)
    }

    /// What a role may ask for whose parallel parts are under way.
    fn requests_of_parts(&self, role: RoleId) -> Option<Vec<Request>> {
        let places = self.machines[role.index()].part.places();
        if places.len() == 1 {
            return None;
        }
        let mut requests = Vec::new();
        for request in places.iter().flat_map(|at| &self.roles[role.index()].requests[at.index()]) {
            if !requests.contains(request) {
                requests.push(*request);
            }
        }
        Some(requests)
    }

    /// All in their first states, waiting.
    fn begun(mut self) -> Self {
        for role in 0..self.machines.len() {
            self.stand(role);
        }
        self.register();
        self
    }

    fn restore(&mut self, state: &[Value]) {
        for (slot, &value) in state.iter().enumerate() {
            if self.at[slot] != value {
                self.set(slot, value);
                self.at[slot] = value;
                self.next[slot] = value;
            }
        }
        self.register();
    }

    /// Puts a part of the machine into a state.
    fn set(&mut self, slot: usize, value: Value) {
        let n_control = self.layout.n_slots();
        if slot < n_control {
            self.put(slot, value);
        } else if let Some(queue) = self.queues.get(slot - n_control) {
            let (receiver, inbound) = queue.receiver;
            self.machines[receiver].part.inbound[inbound].clear();
            self.content.clear();
            queue.contents.decode(value, &mut self.content);
            let (sender, outbound) = queue.sender;
            for &packet in &self.content {
                let label = self.config.table.message(PacketId(packet));
                if let Some(sample) = P::sample(label) {
                    let _ = self.machines[sender].part.outbound[outbound]
                        .try_push((PacketId(packet), sample));
                }
            }
        } else {
            let closed = &self.shared.closed[slot - n_control - self.queues.len()];
            closed.store(value == 1, Ordering::Relaxed);
        }
    }

    /// Puts a slot of a role into a state.
    fn put(&mut self, slot: usize, value: Value) {
        let role = self.layout.machine(slot);
        let LiberalMachine { shared, part } = &mut self.machines[role];
        part.give_up(shared);
        let forks = &shared.table.locals[role].forks;
        if forks.is_empty() {
            part.state = LocalId(value);
        } else {
            if part.slots.is_empty() {
                part.slots = forks.start();
            }
            if part.places().len() == 1 && forks.fork_in(part.slots[0]).is_none() {
                part.slots[0] = part.state.0;
            }
            let first = self.layout.of(role).start;
            part.slots[slot - first] = self.layout.decode(slot, value);
            part.settle(forks);
        }
        self.stand(role);
    }

    /// Lets a role wait to be met if it can be.
    fn stand(&mut self, role: usize) {
        let LiberalMachine { shared, part } = &mut self.machines[role];
        part.give_up(shared);
        if part.table(shared).row(part.state).has_rendezvous {
            part.offer(shared, None);
        }
    }

    /// What a part of the machine is in.
    fn get(&mut self, slot: usize) -> Option<Value> {
        let n_control = self.layout.n_slots();
        if slot < n_control {
            let role = self.layout.machine(slot);
            let number = slot - self.layout.of(role).start;
            let part = &self.machines[role].part;
            return Some(match part.slots.get(number) {
                Some(&value) if number > 0 || !part.is_single() => self.layout.encode(slot, value),
                None if number > 0 => self.layout.encode(slot, IDLE),
                _ => part.state.0,
            });
        }
        let Some(queue) = self.queues.get_mut(slot - n_control) else {
            let closed = &self.shared.closed[slot - n_control - self.queues.len()];
            return Some(Value::from(closed.load(Ordering::Relaxed)));
        };
        let (receiver, inbound) = queue.receiver;
        self.content.clear();
        self.machines[receiver].part.inbound[inbound]
            .for_each(|envelope| self.content.push(envelope.0.0));
        queue.contents.encode(&self.content)
    }

    /// Lets all roles wait that were notified.
    fn register(&mut self) {
        let mut context = Context::from_waker(Waker::noop());
        for mailbox in &self.shared.mailboxes {
            if !mailbox.event.is_waiting() {
                let _ = mailbox.event.poll(&mut context, || None::<()>);
            }
        }
    }

    /// Lets a role take the step that is this one of the possible ones, and leaves the outcome in `next`. What was
    /// done, and how many were possible.
    fn step(&mut self, role: RoleId, request: Request, wanted: u32) -> Option<(ActId, u32)> {
        let (attempt, n_choices) = self.attempt(role, request, wanted);
        let table = Arc::clone(&self.config.table);
        let done = match attempt {
            Ok(done) => done,
            Err(Blocked::Wait) => return None,
            Err(Blocked::Never(cause)) => {
                self.put_back(role);
                if !matches!(*cause, crate::Cause::Closed { .. }) {
                    let text = request.attempted(&table);
                    self.report(role, &text, FaultKind::Refused(cause.to_string()));
                }
                return None;
            }
        };
        #[cfg(feature = "fault-injection")]
        self.inject(done.act);
        let act = table.act(done.act);
        if act.kind == Kind::Exchange {
            for &to in act.to.iter().filter(|&&to| to != role) {
                self.meet(to, done.act);
            }
        }
        let is_labelled = done.received.is_none_or(|received| Some(received.label) == act.label);
        // Where it arrived it waits to be met.
        self.stand(role.index());
        self.read_back(role);
        let n_more: isize = self.changed.iter().map(|&slot| self.growth(slot)).sum();
        let n_expected = match act.kind {
            Kind::Send => table.global.pairs_of(done.act).len() as isize,
            Kind::Receive => -1,
            Kind::Exchange | Kind::Close | Kind::Local => 0,
        };
        if n_more != n_expected || !is_labelled {
            self.report(role, &act.text, FaultKind::Misplaced);
        }
        self.watch(role, done.act);
        Some((done.act, n_choices))
    }

    /// Asks a machine, and survives what it does.
    fn attempt(&mut self, role: RoleId, request: Request, wanted: u32) -> (Attempt<P>, u32) {
        let mut payload = None;
        if let Request::Send(label, _) = request {
            payload = P::sample(label);
            if payload.is_none() {
                let text = request.attempted(&self.config.table);
                self.report(role, &text, FaultKind::NoSample);
                return (Err(Blocked::Wait), 0);
            }
        }
        let LiberalMachine { shared, part } = &mut self.machines[role.index()];
        part.chooser.force(wanted);
        let attempt =
            catch_unwind(AssertUnwindSafe(|| part.attempt(shared, request, &mut payload, false)));
        match attempt {
            Ok(attempt) => (attempt, part.chooser.seen()),
            Err(panic) => {
                let text = request.attempted(&self.config.table);
                self.report(role, &text, FaultKind::Panicked(text_of(&*panic)));
                self.rebuild();
                (Err(Blocked::Wait), 0)
            }
        }
    }

    /// Spoils what an act did, where a fault is to be injected. All roles were registered as waiting before the act.
    #[cfg(feature = "fault-injection")]
    fn inject(&mut self, act: ActId) {
        let Some(injection) = self.config.injection.filter(|injection| injection.act == act) else {
            return;
        };
        if injection.fault == super::InjectedFault::SkipWakeUp {
            return self.register();
        }
        let table = Arc::clone(&self.config.table);
        let (from, receivers) = (table.act(act).from, &table.act(act).to);
        let is_filled = |queue: &crate::plan::Queue| {
            queue.from.is_none_or(|sender| sender == from) && receivers.contains(&queue.to)
        };
        let queues = table.plan.queues.iter().enumerate().filter(|(_, queue)| is_filled(queue));
        for (number, _) in queues {
            let at = &self.queues[number];
            let inbound = &mut self.machines[at.receiver.0].part.inbound[at.receiver.1];
            let mut content = inbound.contents();
            let Some(last) = content.pop() else { continue };
            inbound.clear();
            if injection.fault == super::InjectedFault::DuplicateMessage {
                content.extend([last.clone(), last]);
            }
            let outbound = &mut self.machines[at.sender.0].part.outbound[at.sender.1];
            for envelope in content {
                let _ = outbound.try_push(envelope);
            }
        }
    }

    /// Lets a role take what it was handed.
    fn meet(&mut self, role: RoleId, act: ActId) {
        if self.shared.mailboxes[role.index()].event.is_waiting() {
            let text = self.config.table.act(act).text.clone();
            self.report(role, &text, FaultKind::NotWoken);
        }
        match self.attempt(role, Request::Receive(None), 0).0 {
            Ok(Completed { act: taken, .. }) if taken == act => {
                self.stand(role.index());
            }
            _ => {
                let text = self.config.table.act(act).text.clone();
                self.report(role, &text, FaultKind::Misplaced);
            }
        }
    }

    /// Sees what a step of a role changed, of all that steps from its state may change.
    fn read_back(&mut self, role: RoleId) {
        self.changed.clear();
        let local = self.local(role);
        for number in 0..self.roles[role.index()].slots[local].len() {
            let slot = self.roles[role.index()].slots[local][number];
            match self.get(slot) {
                Some(value) if value == self.at[slot] => {}
                Some(value) => {
                    self.next[slot] = value;
                    self.changed.push(slot);
                }
                None => {
                    self.changed.push(slot);
                    self.report(
                        role,
                        "a packet in a queue that is not its own",
                        FaultKind::Misplaced,
                    );
                }
            }
        }
    }

    /// By how many messages a changed slot grew.
    fn growth(&self, slot: usize) -> isize {
        let queue = slot.checked_sub(self.layout.n_slots()).and_then(|at| self.queues.get(at));
        let length = |value: Value| queue.map_or(0, |queue| queue.contents.len(value)) as isize;
        length(self.next[slot]) - length(self.at[slot])
    }

    /// Looks for steps that others can take now without having been told so.
    fn watch(&mut self, by: RoleId, act: ActId) {
        let table = &self.config.table;
        for &slot in &self.changed {
            for &role in &self.readers[slot] {
                if role == by || !self.shared.mailboxes[role.index()].event.is_waiting() {
                    continue;
                }
                let LiberalMachine { shared, part } = &mut self.machines[role.index()];
                let local = &table.locals[role.index()];
                let places = part.places().to_vec();
                let steps = places.iter().flat_map(|&at| local.steps(local.row(at)));
                for step in steps {
                    if touches(table, &self.layout, local, step, slot)
                        && part.is_possible(shared, step)
                    {
                        self.suspects.push(Suspect { role, step: *step, after: act });
                    }
                }
            }
        }
    }

    /// Sees, after the step was undone, whether suspected steps were possible before: then no role waited for
    /// them.
    fn clear_suspects(&mut self) {
        while let Some(Suspect { role, step, after }) = self.suspects.pop() {
            let LiberalMachine { shared, part } = &mut self.machines[role.index()];
            if !part.is_possible(shared, &step) {
                let text = self.config.table.act(after).text.clone();
                self.report(role, &text, FaultKind::NotWoken);
            }
        }
    }

    /// Takes back what the last step did.
    fn undo(&mut self) {
        for number in 0..self.changed.len() {
            let slot = self.changed[number];
            self.next[slot] = self.at[slot];
            self.set(slot, self.at[slot]);
        }
        self.changed.clear();
    }

    /// Sees whether everything is as it was.
    fn compare(&mut self, state: &[Value]) {
        for (slot, &value) in state.iter().enumerate() {
            if self.get(slot) == Some(value) {
                continue;
            }
            let queue = slot.checked_sub(self.layout.n_slots()).and_then(|at| self.queues.get(at));
            // A number that is no content was read as the content that comes closest.
            let is_content = queue.is_none_or(|queue| {
                self.content.clear();
                queue.contents.decode(value, &mut self.content);
                queue.contents.len(value) == self.content.len()
            });
            if is_content {
                let role = queue.map_or_else(|| self.owner(slot), |queue| queue.receiver.0);
                self.report(RoleId(role as u16), "some step in this state", FaultKind::Strayed);
                self.set(slot, value);
            }
        }
    }

    /// The role of a slot of control; of others, any.
    fn owner(&self, slot: usize) -> usize {
        if slot < self.layout.n_slots() { self.layout.machine(slot) } else { 0 }
    }

    /// Puts a role back to where it was.
    fn put_back(&mut self, role: RoleId) {
        for slot in self.layout.of(role.index()) {
            self.put(slot, self.at[slot]);
        }
    }

    fn rebuild(&mut self) {
        self.machines = machines(&self.config);
        self.shared = Arc::clone(&self.machines[0].shared);
        for slot in 0..self.at.len() {
            self.set(slot, self.at[slot]);
        }
    }

    fn report(&mut self, role: RoleId, step: &str, kind: FaultKind) {
        self.faults.report(self.config.table.role(role), &self.at, step, kind);
    }
}
