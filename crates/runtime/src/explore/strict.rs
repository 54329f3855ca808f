//! The workbench of the strict form. A state has a slot for the machine, then one for each pair of sender and
//! receiver: the messages in flight, whose order is of no account.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Waker};

use quadrille_model::{ActionId, Flow, GroupId, Successors, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::content::Contents;
use super::fault::{FaultKind, Faults, text_of};
use super::layout::Layout;
use crate::module::{Form, ModuleConfig, Sample};
use crate::plan::{Act, ActId, GlobalId, Kind, LabelId, RoleId};
use crate::request::{Attempt, Blocked, Completed, Request};
use crate::strict::{Core, PendingRequest, SharedMachine, StrictMachine, machines};
use crate::table::Table;

/// A machine in the state that is asked about.
pub(super) struct StrictBench<P: Sample> {
    faults: Faults,
    config: ModuleConfig,
    machines: Vec<StrictMachine<P>>,
    shared: Arc<SharedMachine<P>>,
    layout: Layout,
    at: Vec<Value>,
    next: Vec<Value>,
    /// Numbers of configurations that have several slots.
    numbers: FxHashMap<Vec<Value>, Value>,
    /// By pair: labels in flight.
    pairs: Vec<Contents>,
    /// Wake-ups that were watched: before, after, by whom, of whom, what it waited for.
    watched: FxHashSet<(Value, Value, ActId, RoleId, Request)>,
    content: Vec<u32>,
}

/// The step that was taken last.
#[derive(Clone, Copy)]
struct Last {
    by: RoleId,
    request: Request,
    /// Which of the possible ones.
    wanted: u32,
    act: ActId,
}

/// What each pair of sender and receiver can have in flight.
pub(super) fn contents(table: &Table) -> Vec<Contents> {
    let contents = |number: usize| {
        let acts = table.plan.acts.iter().enumerate();
        let acts = acts.filter(|(id, act)| {
            act.kind == Kind::Send
                && table.global.pairs_of(ActId(*id as u32)).contains(&(number as u32))
        });
        Contents::new(acts.filter_map(|(_, act)| Some(act.label?.0)).collect(), None)
    };
    (0..table.global.pairs.len()).map(contents).collect()
}

impl<P: Sample> StrictBench<P> {
    pub(super) fn new(config: ModuleConfig, contents: &[Contents]) -> Self {
        let table = Arc::clone(&config.table);
        let machines = machines::<P>(&config);
        let layout = Layout::new(&table, Form::Strict);
        let n_slots = layout.n_slots() + table.global.pairs.len();
        let mut start = vec![0; n_slots];
        layout.start(&mut start);
        Self {
            faults: Faults::default(),
            shared: Arc::clone(&machines[0].shared),
            at: start.clone(),
            next: start,
            layout,
            numbers: FxHashMap::default(),
            pairs: contents.to_vec(),
            watched: FxHashSet::default(),
            content: Vec::new(),
            machines,
            config,
        }
    }

    /// Tries everything that these roles could ask for.
    pub(super) fn expand(
        &mut self,
        state: &[Value],
        roles: impl Iterator<Item = RoleId>,
        sink: &mut dyn Successors,
    ) -> Flow {
        self.at.copy_from_slice(state);
        self.next.copy_from_slice(state);
        self.restore();
        let states = self.states_before();
        for role in roles {
            for request in self.requests(&states, role) {
                let mut wanted = 0;
                while let Some((act, n_choices)) = self.step(role, request, wanted) {
                    sink.next(GroupId::new(act.0), ActionId::new(act.0), &self.next)?;
                    self.restore();
                    self.watch(Last { by: role, request, wanted, act });
                    self.next.copy_from_slice(&self.at);
                    wanted += 1;
                    if wanted >= n_choices {
                        break;
                    }
                }
            }
        }
        self.faults.outcome()
    }

    /// A number for the configuration before the last step, or after it.
    fn number(&mut self, before: bool) -> Value {
        let state = if before { &self.at } else { &self.next };
        match &state[..self.layout.n_slots()] {
            &[state] => state,
            several => {
                let next = self.numbers.len() as Value;
                *self.numbers.entry(several.to_vec()).or_insert(next)
            }
        }
    }

    fn states_before(&self) -> Vec<GlobalId> {
        states_of(&self.config.table, &self.layout, &self.at)
    }

    fn states_after(&self) -> Vec<GlobalId> {
        states_of(&self.config.table, &self.layout, &self.next)
    }

    /// What a role may ask for in some states.
    fn requests(&self, states: &[GlobalId], role: RoleId) -> Vec<Request> {
        let table = &self.config.table;
        let mut requests = Vec::new();
        for step in states.iter().flat_map(|&state| table.global.steps_by(state, role)) {
            let act = table.act(step.act);
            let request = match (act.kind, act.label) {
                (Kind::Send | Kind::Exchange, Some(label)) => Request::Send(label, None),
                (Kind::Receive, _) => Request::Receive(None),
                (Kind::Local, Some(label)) => Request::Local(label),
                _ => Request::Close(act.to[0]),
            };
            if !requests.contains(&request) {
                requests.push(request);
            }
        }
        requests
    }

    /// Puts the machine into the state that is asked about; no role waits.
    fn restore(&mut self) {
        let mut core = self.shared.lock();
        stand(&mut core, &self.layout, &self.at);
        core.forget_waiting();
        for (pair, contents) in self.pairs.iter().enumerate() {
            self.content.clear();
            contents.decode(self.at[self.layout.n_slots() + pair], &mut self.content);
            let flight = &mut core.flight[pair];
            if flight.iter().map(|(label, _)| label.0).eq(self.content.iter().copied()) {
                continue;
            }
            flight.clear();
            flight.extend(
                self.content
                    .iter()
                    .filter_map(|&label| Some((LabelId(label), P::sample(LabelId(label))?))),
            );
        }
    }

    /// Lets a role take the step that is this one of the possible ones, and leaves the outcome in `next`. What was
    /// done, and how many were possible.
    fn step(&mut self, role: RoleId, request: Request, wanted: u32) -> Option<(ActId, u32)> {
        let table = Arc::clone(&self.config.table);
        if let Request::Send(..) = request {
            self.let_receivers_wait(&self.states_before(), role, request, role);
        }
        let (attempt, n_choices) = self.attempt(role, request, wanted);
        let done = match attempt {
            Ok(done) => done,
            Err(blocked) => {
                if let Blocked::Never(cause) = blocked {
                    let text = request.attempted(&table);
                    self.report(role, &text, FaultKind::Refused(cause.to_string()));
                }
                self.restore();
                return None;
            }
        };
        let act = table.act(done.act);
        let mut is_right = done.received.is_none_or(|received| Some(received.label) == act.label);
        if act.kind == Kind::Exchange {
            for &to in act.to.iter().filter(|&&to| to != role) {
                let (taken, _) = self.attempt(to, Request::Receive(None), 0);
                is_right &= matches!(taken, Ok(Completed { act, .. }) if act == done.act);
            }
        }
        is_right &= self.read_back();
        let growth = |pair: usize| {
            let length = |value| self.pairs[pair].len(value) as isize;
            let slot = self.layout.n_slots() + pair;
            length(self.next[slot]) - length(self.at[slot])
        };
        let pairs = table.global.pairs_of(done.act);
        let expected = match act.kind {
            Kind::Send => 1,
            Kind::Receive => -1,
            Kind::Exchange | Kind::Close | Kind::Local => 0,
        };
        is_right &= (0..self.pairs.len())
            .all(|pair| growth(pair) == if pairs.contains(&(pair as u32)) { expected } else { 0 });
        if !is_right {
            self.report(role, &act.text, FaultKind::Misplaced);
        }
        Some((done.act, n_choices))
    }

    /// Lets all roles wait to which a role could pass what it asks to in a state, but for those that are busy.
    fn let_receivers_wait(
        &mut self,
        states: &[GlobalId],
        role: RoleId,
        request: Request,
        busy: RoleId,
    ) {
        let table = &self.config.table;
        let waits = PendingRequest::of_task(Request::Receive(None));
        let mut core = self.shared.lock();
        for step in states.iter().flat_map(|&state| table.global.steps_by(state, role)) {
            let act = table.act(step.act);
            if act.kind == Kind::Exchange && request.is_for(table, role, step.act) {
                for &to in act.to.iter().filter(|&&to| to != role && to != busy) {
                    core.enlist(to, waits, &mut None, &mut Vec::new());
                }
            }
        }
    }

    /// Asks the machine, and survives what it does.
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
        let pending = PendingRequest::of_task(request);
        #[cfg(feature = "fault-injection")]
        let waiting: Vec<bool> =
            self.roles().map(|role| self.shared.event(role).is_waiting()).collect();
        let StrictMachine { shared, part } = &mut self.machines[role.index()];
        part.forget();
        part.chooser.force(wanted);
        let attempt =
            catch_unwind(AssertUnwindSafe(|| part.attempt(shared, pending, &mut payload)));
        match attempt {
            Ok(attempt) => {
                let n_choices = part.chooser.seen();
                #[cfg(feature = "fault-injection")]
                if let Ok(done) = &attempt {
                    self.inject(done.act, &waiting);
                }
                (attempt, n_choices)
            }
            Err(panic) => {
                let text = request.attempted(&self.config.table);
                self.report(role, &text, FaultKind::Panicked(text_of(&*panic)));
                self.machines = machines(&self.config);
                self.shared = Arc::clone(&self.machines[0].shared);
                (Err(Blocked::Wait), 0)
            }
        }
    }

    fn roles(&self) -> impl Iterator<Item = RoleId> + use<P> {
        (0..self.machines.len()).map(|role| RoleId(role as u16))
    }

    /// Spoils what an act did, where a fault is to be injected; `waiting` says which roles waited before it.
    #[cfg(feature = "fault-injection")]
    fn inject(&mut self, act: ActId, waiting: &[bool]) {
        use super::InjectedFault::{DuplicateMessage, LoseMessage, SkipWakeUp};
        let Some(injection) = self.config.injection.filter(|injection| injection.act == act) else {
            return;
        };
        let table = Arc::clone(&self.config.table);
        match injection.fault {
            LoseMessage | DuplicateMessage => {
                let mut core = self.shared.lock();
                for &pair in table.global.pairs_of(act) {
                    let flight = &mut core.flight[pair as usize];
                    let Some(last) = flight.pop_back() else { continue };
                    if injection.fault == DuplicateMessage {
                        flight.extend([last.clone(), last]);
                    }
                }
            }
            SkipWakeUp => {
                let mut context = Context::from_waker(Waker::noop());
                for role in self.roles().filter(|role| waiting[role.index()]) {
                    let _ = self.shared.event(role).poll(&mut context, || None::<()>);
                }
            }
        }
    }

    /// Sees what a step changed; `false` if something is in flight that does not belong there.
    fn read_back(&mut self) -> bool {
        let core = self.shared.lock();
        if core.slots.is_empty() {
            self.next[0] = core.state.0;
        }
        for (slot, &value) in core.slots.iter().enumerate() {
            self.next[slot] = self.layout.encode(slot, value);
        }
        for (pair, contents) in self.pairs.iter().enumerate() {
            self.content.clear();
            self.content.extend(core.flight[pair].iter().map(|(label, _)| label.0));
            self.content.sort_unstable();
            let Some(value) = contents.encode(&self.content) else { return false };
            self.next[self.layout.n_slots() + pair] = value;
        }
        true
    }

    /// Takes the last step once more for all roles that can go on after it and could not before, to see whether
    /// it is called when it waits. The machine is in the state before, `next` is the one after.
    fn watch(&mut self, last: Last) {
        let (before, after) = (self.number(true), self.number(false));
        self.watch_receivers(last);
        if before == after {
            return;
        }
        for role in self.roles().filter(|&role| role != last.by) {
            for request in self.requests(&self.states_after(), role) {
                if self.requests(&self.states_before(), role).contains(&request)
                    || !self.watched.insert((before, after, last.act, role, request))
                {
                    continue;
                }
                for pending in
                    [PendingRequest::of_task(request), PendingRequest::of_thread(request, false)]
                {
                    self.watch_waiting(last, role, pending);
                }
            }
        }
    }

    /// Takes the last step once more while a role waits. Either it is called, or what it waits for is done for it
    /// and it is told.
    fn watch_waiting(&mut self, last: Last, role: RoleId, pending: PendingRequest) {
        let (before, after) = (self.states_before(), self.states_after());
        let mut payload = None;
        if let Request::Send(..) = last.request {
            self.let_receivers_wait(&before, last.by, last.request, last.by);
        }
        if let Request::Send(label, _) = pending.request {
            self.let_receivers_wait(&after, role, pending.request, last.by);
            payload = P::sample(label);
        }
        self.shared.lock().enlist(role, pending, &mut payload, &mut Vec::new());
        let event = self.shared.event(role);
        let _ = event.poll(&mut Context::from_waker(Waker::noop()), || None::<()>);
        let (attempt, _) = self.attempt(last.by, last.request, last.wanted);
        let core = self.shared.lock();
        let (served, state) = (core.served(role), core.slots.is_empty().then_some(core.state));
        let is_possible = served.is_some() || core.can_go_on(role, pending.request);
        drop(core);
        let table = Arc::clone(&self.config.table);
        if attempt.is_ok() && is_possible && self.shared.event(role).is_waiting() {
            self.report(role, &table.act(last.act).text, FaultKind::NotWoken);
        }
        let is_right = |act: ActId| {
            let mut steps = after.iter().flat_map(|&after| table.global.steps_by(after, role));
            pending.request.is_for(&table, role, act)
                && steps.any(|step| step.act == act && state.is_none_or(|to| step.to == to))
        };
        if let Some(act) = served.filter(|&act| !is_right(act)) {
            self.report(role, &table.act(act).text, FaultKind::Strayed);
        }
        self.restore();
    }

    /// Takes a step again while those wait who are handed a message by it: they must be woken.
    fn watch_receivers(&mut self, last: Last) {
        let table = Arc::clone(&self.config.table);
        let Act { kind: Kind::Exchange, to, text, .. } = table.act(last.act) else { return };
        for &role in to.iter().filter(|&&role| role != last.by) {
            let take = Request::Receive(Some(last.by));
            let (before, after) = (self.number(true), self.number(false));
            if !self.watched.insert((before, after, last.act, role, take)) {
                continue;
            }
            self.let_receivers_wait(&self.states_before(), last.by, last.request, last.by);
            let event = self.shared.event(role);
            let _ = event.poll(&mut Context::from_waker(Waker::noop()), || None::<()>);
            let (attempt, _) = self.attempt(last.by, last.request, last.wanted);
            if attempt.is_ok() && self.shared.event(role).is_waiting() {
                self.report(role, text, FaultKind::NotWoken);
            }
            self.restore();
        }
    }

    fn report(&mut self, role: RoleId, step: &str, kind: FaultKind) {
        self.faults.report(self.config.table.role(role), &self.at, step, kind);
    }
}

/// The states that are under way.
fn states_of(table: &Table, layout: &Layout, state: &[Value]) -> Vec<GlobalId> {
    let mut states = Vec::new();
    if table.global.forks.is_empty() {
        states.push(GlobalId(state[0]));
    } else {
        let slots = (0..layout.n_slots()).map(|slot| layout.decode(slot, state[slot]));
        let slots: Vec<u32> = slots.collect();
        table.global.forks.under_way(&slots, |state| states.push(GlobalId(state)));
    }
    states
}

/// Puts a machine into a configuration.
fn stand<P: Sample>(core: &mut Core<P>, layout: &Layout, state: &[Value]) {
    if core.slots.is_empty() {
        core.state = GlobalId(state[0]);
        core.under_way[0] = core.state;
        return;
    }
    for (slot, value) in core.slots.iter_mut().enumerate() {
        *value = layout.decode(slot, state[slot]);
    }
    core.settle();
}
