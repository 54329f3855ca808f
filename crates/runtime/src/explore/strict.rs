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
use crate::strict::{Seat, Shared, seats};

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
                    self.watch(role, ask, wanted, act);
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
        let mut core = self.shared.lock();
        for step in table.global.steps_by(state, role) {
            let act = table.act(step.act);
            if act.kind == Kind::Exchange && ask.is_for(table, role, step.act) {
                for &to in act.to.iter().filter(|&&to| to != role && to != busy) {
                    core.enlist(to, Ask::Take(None), false, &mut Vec::new());
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
        let Seat { shared, own } = &mut self.seats[role.index()];
        own.forget();
        own.chooser.force(wanted);
        let attempt =
            catch_unwind(AssertUnwindSafe(|| own.attempt(shared, ask, &mut payload, false)));
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
    fn watch(&mut self, by: RoleId, ask: Ask, wanted: u32, act: ActId) {
        let (before, after) = (self.at[0], self.next[0]);
        self.watch_receivers(by, ask, wanted, act);
        if before == after {
            return;
        }
        for role in (0..self.seats.len()).map(|role| RoleId(role as u16)).filter(|&role| role != by)
        {
            for waits_for in self.asks(GlobalId(after), role) {
                if self.asks(GlobalId(before), role).contains(&waits_for)
                    || !self.watched.insert((before, after, act, role, waits_for))
                {
                    continue;
                }
                if let Ask::Give(..) = ask {
                    self.let_receivers_wait(GlobalId(before), by, ask, by);
                }
                if let Ask::Give(..) = waits_for {
                    self.let_receivers_wait(GlobalId(after), role, waits_for, by);
                }
                self.shared.lock().enlist(role, waits_for, false, &mut Vec::new());
                let event = self.shared.event(role);
                let _ = event.poll(&mut Context::from_waker(Waker::noop()), || None::<()>);
                let (attempt, _) = self.attempt(by, ask, wanted);
                let can_go_on = self.shared.lock().can_go_on(role, waits_for);
                let is_called = !self.shared.event(role).is_waiting();
                if attempt.is_ok() && can_go_on && !is_called {
                    let text = self.setting.table.act(act).text.clone();
                    self.report(role, &text, Wrong::NotWoken);
                }
                self.restore();
            }
        }
    }

    /// Takes a step again while those wait who are handed a message by it: they must be woken.
    fn watch_receivers(&mut self, by: RoleId, ask: Ask, wanted: u32, act: ActId) {
        let table = Arc::clone(&self.setting.table);
        let Act { kind: Kind::Exchange, to, text, .. } = table.act(act) else { return };
        for &role in to.iter().filter(|&&role| role != by) {
            let take = Ask::Take(Some(by));
            if !self.watched.insert((self.at[0], self.next[0], act, role, take)) {
                continue;
            }
            self.let_receivers_wait(GlobalId(self.at[0]), by, ask, by);
            let event = self.shared.event(role);
            let _ = event.poll(&mut Context::from_waker(Waker::noop()), || None::<()>);
            let (attempt, _) = self.attempt(by, ask, wanted);
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
