//! The workbench of the strict form. A state has a slot for the machine, then one for each pair of sender and
//! receiver: the messages in flight, whose order is of no account.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Waker};

use quadrille_model::{ActionId, Domain, Group, GroupId, Layout, Slot, SlotId, Successors, Value};
use rustc_hash::FxHashSet;

use super::content::Contents;
use super::fault::{Faults, Wrong, text_of};
use crate::ask::{Ask, Attempt, Done, Obstacle};
use crate::module::{Sample, Setting};
use crate::plan::{Act, ActId, GlobalId, Kind, LabelId, RoleId};
use crate::strict::{Request, Seat, Shared, seats};

/// A machine in the state that is asked about.
pub(super) struct Bench<P: Sample> {
    pub(super) faults: Faults,
    setting: Setting,
    seats: Vec<Seat<P>>,
    shared: Arc<Shared<P>>,
    at: Vec<Value>,
    next: Vec<Value>,
    /// By pair: labels in flight.
    pairs: Vec<Contents>,
    /// Wake-ups that were watched: before, after, by whom, of whom, what it waited for.
    watched: FxHashSet<(Value, Value, ActId, RoleId, Ask)>,
    content: Vec<u32>,
}

/// The step that was taken last.
#[derive(Clone, Copy)]
struct Last {
    by: RoleId,
    ask: Ask,
    /// Which of the possible ones.
    wanted: u32,
    act: ActId,
}

impl<P: Sample> Bench<P> {
    pub(super) fn new(setting: Setting) -> Self {
        let table = Arc::clone(&setting.table);
        let seats = seats::<P>(&setting);
        let contents = |number: usize| {
            let acts = table.plan.acts.iter().enumerate();
            let acts = acts.filter(|(id, act)| {
                act.kind == Kind::Send
                    && table.global.pairs_of(ActId(*id as u32)).contains(&(number as u32))
            });
            Contents::new(acts.filter_map(|(_, act)| Some(act.label?.0)).collect(), None)
        };
        let n_pairs = table.global.pairs.len();
        Self {
            faults: Faults::default(),
            shared: Arc::clone(&seats[0].shared),
            at: vec![0; 1 + n_pairs],
            next: vec![0; 1 + n_pairs],
            pairs: (0..n_pairs).map(contents).collect(),
            watched: FxHashSet::default(),
            content: Vec::new(),
            seats,
            setting,
        }
    }

    pub(super) fn layout(&self) -> Layout {
        let table = &self.setting.table;
        let states = table.plan.strict.len() as u32;
        let machine = Slot { name: "protocol".to_owned(), domain: Domain::Size(states) };
        let pairs = table.global.pairs.iter().zip(&self.pairs);
        let pairs = pairs.map(|(&(from, to), contents)| Slot {
            name: format!("{}->{}", table.role(from), table.role(to)),
            domain: contents.domain(),
        });
        Layout::new(std::iter::once(machine).chain(pairs).collect())
    }

    /// Each role looks at and changes the machine, and the pairs that it is one of.
    pub(super) fn groups(&self) -> Vec<Group> {
        let pairs = &self.setting.table.global.pairs;
        super::groups(&self.setting.table, |role| {
            let pairs = pairs.iter().enumerate();
            let mine = pairs.filter(|(_, pair)| pair.0 == role || pair.1 == role);
            let slots = mine.map(|(number, _)| SlotId::from_usize(1 + number));
            slots.chain([SlotId::new(0)]).collect()
        })
    }

    pub(super) fn show(&self, slot: usize, value: Value) -> String {
        let Some(contents) = slot.checked_sub(1).and_then(|pair| self.pairs.get(pair)) else {
            return value.to_string();
        };
        let mut content = Vec::new();
        contents.decode(value, &mut content);
        let name = |label: &u32| self.setting.table.label(LabelId(*label));
        format!("[{}]", content.iter().map(name).collect::<Vec<_>>().join(" "))
    }

    /// Tries everything that these roles could ask for.
    pub(super) fn expand(
        &mut self,
        state: &[Value],
        roles: impl Iterator<Item = RoleId>,
        sink: &mut dyn Successors,
    ) {
        self.at.copy_from_slice(state);
        self.next.copy_from_slice(state);
        self.restore();
        for role in roles {
            for ask in self.asks(GlobalId(state[0]), role) {
                let mut wanted = 0;
                while let Some((act, n_choices)) = self.step(role, ask, wanted) {
                    sink.next(GroupId::new(u32::from(role.0)), ActionId::new(act.0), &self.next);
                    self.restore();
                    self.watch(Last { by: role, ask, wanted, act });
                    self.next.copy_from_slice(&self.at);
                    wanted += 1;
                    if wanted >= n_choices {
                        break;
                    }
                }
            }
        }
    }

    /// What a role may ask for in a state.
    fn asks(&self, state: GlobalId, role: RoleId) -> Vec<Ask> {
        let table = &self.setting.table;
        let mut asks = Vec::new();
        for step in table.global.steps_by(state, role) {
            let act = table.act(step.act);
            let ask = match (act.kind, act.label) {
                (Kind::Send | Kind::Exchange, Some(label)) => Ask::Give(label, None),
                (Kind::Receive, _) => Ask::Take(None),
                (Kind::Alone, Some(label)) => Ask::Act(label),
                _ => Ask::Close(act.to[0]),
            };
            if !asks.contains(&ask) {
                asks.push(ask);
            }
        }
        asks
    }

    /// Puts the machine into the state that is asked about; nobody waits.
    fn restore(&mut self) {
        let mut core = self.shared.lock();
        core.state = GlobalId(self.at[0]);
        core.forget_waiting();
        for (pair, contents) in self.pairs.iter().enumerate() {
            self.content.clear();
            contents.decode(self.at[1 + pair], &mut self.content);
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
    fn step(&mut self, role: RoleId, ask: Ask, wanted: u32) -> Option<(ActId, u32)> {
        let table = Arc::clone(&self.setting.table);
        if let Ask::Give(..) = ask {
            self.let_receivers_wait(GlobalId(self.at[0]), role, ask, role);
        }
        let (attempt, n_choices) = self.attempt(role, ask, wanted);
        let done = match attempt {
            Ok(done) => done,
            Err(obstacle) => {
                if let Obstacle::Never(cause) = obstacle {
                    let text = ask.attempted(&table);
                    self.report(role, &text, Wrong::Refused(cause.to_string()));
                }
                self.restore();
                return None;
            }
        };
        let act = table.act(done.act);
        let mut is_right = done.received.is_none_or(|received| Some(received.label) == act.label);
        if act.kind == Kind::Exchange {
            for &to in act.to.iter().filter(|&&to| to != role) {
                let (taken, _) = self.attempt(to, Ask::Take(None), 0);
                is_right &= matches!(taken, Ok(Done { act, .. }) if act == done.act);
            }
        }
        is_right &= self.read_back();
        let growth = |pair: usize| {
            let length = |value| self.pairs[pair].len(value) as isize;
            length(self.next[1 + pair]) - length(self.at[1 + pair])
        };
        let pairs = table.global.pairs_of(done.act);
        let expected = match act.kind {
            Kind::Send => 1,
            Kind::Receive => -1,
            Kind::Exchange | Kind::Close | Kind::Alone => 0,
        };
        is_right &= (0..self.pairs.len())
            .all(|pair| growth(pair) == if pairs.contains(&(pair as u32)) { expected } else { 0 });
        if !is_right {
            self.report(role, &act.text, Wrong::Misplaced);
        }
        Some((done.act, n_choices))
    }

    /// Lets everybody wait to whom a role could pass what it asks to in a state, but for whoever is busy.
    fn let_receivers_wait(&mut self, state: GlobalId, role: RoleId, ask: Ask, busy: RoleId) {
        let table = &self.setting.table;
        let waits = Request::of_task(Ask::Take(None));
        let mut core = self.shared.lock();
        for step in table.global.steps_by(state, role) {
            let act = table.act(step.act);
            if act.kind == Kind::Exchange && ask.is_for(table, role, step.act) {
                for &to in act.to.iter().filter(|&&to| to != role && to != busy) {
                    core.enlist(to, waits, &mut None, &mut Vec::new());
                }
            }
        }
    }

    /// Asks the machine, and survives what it does.
    fn attempt(&mut self, role: RoleId, ask: Ask, wanted: u32) -> (Attempt<P>, u32) {
        let mut payload = None;
        if let Ask::Give(label, _) = ask {
            payload = P::sample(label);
            if payload.is_none() {
                let text = ask.attempted(&self.setting.table);
                self.report(role, &text, Wrong::NoSample);
                return (Err(Obstacle::Wait), 0);
            }
        }
        let request = Request::of_task(ask);
        let Seat { shared, own } = &mut self.seats[role.index()];
        own.forget();
        own.chooser.force(wanted);
        let attempt = catch_unwind(AssertUnwindSafe(|| own.attempt(shared, request, &mut payload)));
        match attempt {
            Ok(attempt) => (attempt, own.chooser.seen()),
            Err(panic) => {
                let text = ask.attempted(&self.setting.table);
                self.report(role, &text, Wrong::Panicked(text_of(&*panic)));
                self.seats = seats(&self.setting);
                self.shared = Arc::clone(&self.seats[0].shared);
                (Err(Obstacle::Wait), 0)
            }
        }
    }

    /// Sees what a step changed; `false` if something is in flight that does not belong there.
    fn read_back(&mut self) -> bool {
        let core = self.shared.lock();
        self.next[0] = core.state.0;
        for (pair, contents) in self.pairs.iter_mut().enumerate() {
            self.content.clear();
            self.content.extend(core.flight[pair].iter().map(|(label, _)| label.0));
            self.content.sort_unstable();
            let Some(value) = contents.encode(&self.content) else { return false };
            self.next[1 + pair] = value;
        }
        true
    }

    /// Takes the last step once more for everybody who can go on after it and could not before, to see whether
    /// it is called when it waits. The machine is in the state before, `next` is the one after.
    fn watch(&mut self, last: Last) {
        let (before, after) = (self.at[0], self.next[0]);
        self.watch_receivers(last);
        if before == after {
            return;
        }
        let roles = (0..self.seats.len()).map(|role| RoleId(role as u16));
        for role in roles.filter(|&role| role != last.by) {
            for ask in self.asks(GlobalId(after), role) {
                if self.asks(GlobalId(before), role).contains(&ask)
                    || !self.watched.insert((before, after, last.act, role, ask))
                {
                    continue;
                }
                for request in [Request::of_task(ask), Request::of_thread(ask, false)] {
                    self.watch_waiting(last, role, request);
                }
            }
        }
    }

    /// Takes the last step once more while a role waits. Either it is called, or what it waits for is done for it
    /// and it is told.
    fn watch_waiting(&mut self, last: Last, role: RoleId, request: Request) {
        let (before, after) = (GlobalId(self.at[0]), GlobalId(self.next[0]));
        let mut payload = None;
        if let Ask::Give(..) = last.ask {
            self.let_receivers_wait(before, last.by, last.ask, last.by);
        }
        if let Ask::Give(label, _) = request.ask {
            self.let_receivers_wait(after, role, request.ask, last.by);
            payload = P::sample(label);
        }
        self.shared.lock().enlist(role, request, &mut payload, &mut Vec::new());
        let event = self.shared.event(role);
        let _ = event.poll(&mut Context::from_waker(Waker::noop()), || None::<()>);
        let (attempt, _) = self.attempt(last.by, last.ask, last.wanted);
        let core = self.shared.lock();
        let (served, state) = (core.served(role), core.state);
        let is_possible = served.is_some() || core.can_go_on(role, request.ask);
        drop(core);
        let table = Arc::clone(&self.setting.table);
        if attempt.is_ok() && is_possible && self.shared.event(role).is_waiting() {
            self.report(role, &table.act(last.act).text, Wrong::NotWoken);
        }
        let is_right = |act: ActId| {
            let mut steps = table.global.steps_by(after, role).iter();
            request.ask.is_for(&table, role, act)
                && steps.any(|step| step.act == act && step.to == state)
        };
        if let Some(act) = served.filter(|&act| !is_right(act)) {
            self.report(role, &table.act(act).text, Wrong::Strayed);
        }
        self.restore();
    }

    /// Takes a step again while those wait who are handed a message by it: they must be woken.
    fn watch_receivers(&mut self, last: Last) {
        let table = Arc::clone(&self.setting.table);
        let Act { kind: Kind::Exchange, to, text, .. } = table.act(last.act) else { return };
        for &role in to.iter().filter(|&&role| role != last.by) {
            let take = Ask::Take(Some(last.by));
            if !self.watched.insert((self.at[0], self.next[0], last.act, role, take)) {
                continue;
            }
            self.let_receivers_wait(GlobalId(self.at[0]), last.by, last.ask, last.by);
            let event = self.shared.event(role);
            let _ = event.poll(&mut Context::from_waker(Waker::noop()), || None::<()>);
            let (attempt, _) = self.attempt(last.by, last.ask, last.wanted);
            if attempt.is_ok() && self.shared.event(role).is_waiting() {
                self.report(role, text, Wrong::NotWoken);
            }
            self.restore();
        }
    }

    fn report(&mut self, role: RoleId, step: &str, wrong: Wrong) {
        self.faults.report(self.setting.table.role(role), &self.at, step, wrong);
    }
}
