//! The machine itself, as the one who holds the lock sees it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::hope::{self, Hopes};
use crate::ask::{self, Ask, Attempt, Done, Obstacle};
use crate::error::Cause;
use crate::module::Payload;
use crate::observe::Observe;
use crate::plan::{ActId, GlobalId, Kind, LabelId, RoleId};
use crate::policy::{Chooser, Decision};
use crate::role::Received;
use crate::sabotage::Harm;
use crate::table::{GlobalStep, Table};

/// The machine.
pub(crate) struct Core<P> {
    pub(super) table: Arc<Table>,
    pub(crate) state: GlobalId,
    /// By pair of the table: what was sent and not yet received. The automaton decides in which order it is
    /// taken.
    pub(crate) flight: Vec<VecDeque<(LabelId, P)>>,
    /// By role.
    pub(super) places: Vec<Place<P>>,
    /// Who was served last.
    pub(super) turn: RoleId,
    /// Who has closed to whom.
    closed: Vec<(RoleId, RoleId)>,
    /// Who left first before its end.
    broken: Option<RoleId>,
    hopes: Hopes,
    pub(super) observer: Option<Arc<dyn Observe>>,
}

/// What the machine knows of a role.
pub(super) struct Place<P> {
    /// What it waits for.
    pub(super) waits: Option<Request>,
    /// What it wants to give, if the machine may do that for it.
    pub(super) deposit: Option<P>,
    /// What was done for it, or passed to it.
    pub(super) outcome: Option<Outcome<P>>,
    /// Why it cannot go on; to be told at once.
    pub(super) verdict: Option<Cause>,
    /// What others are told if it has left.
    pub(super) left: Option<Cause>,
}

/// Something that happened while a role waited.
pub(super) struct Outcome<P> {
    pub(super) done: Done<P>,
    /// The number of the step, if it was the role's own.
    pub(super) number: Option<u32>,
}

/// What a role asks for, and how it waits for it.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    pub(crate) ask: Ask,
    /// Whether it goes on by itself after some time.
    pub(super) is_timed: bool,
    /// Whether it does nothing else until it happens, so that the machine may do it for the role.
    pub(super) is_served: bool,
}

impl Request {
    /// Of a thread that stays in its call.
    pub(crate) fn of_thread(ask: Ask, is_timed: bool) -> Self {
        Self { ask, is_timed, is_served: true }
    }

    /// Of a task, which may change its mind before it asks again.
    pub(crate) fn of_task(ask: Ask) -> Self {
        Self { ask, is_timed: false, is_served: false }
    }
}

/// Who asks.
pub(crate) struct Caller<'c> {
    pub(crate) role: RoleId,
    pub(crate) chooser: &'c mut Chooser,
    /// Collects whom to wake.
    pub(crate) calls: &'c mut Vec<RoleId>,
}

impl<P> Place<P> {
    fn new(left: Option<Cause>) -> Self {
        Self { waits: None, deposit: None, outcome: None, verdict: None, left }
    }
}

impl<P: Payload> Core<P> {
    pub(super) fn new(table: Arc<Table>, observer: Option<Arc<dyn Observe>>) -> Self {
        Self {
            state: GlobalId(0),
            flight: table.global.pairs.iter().map(|_| VecDeque::new()).collect(),
            places: (0..table.n_roles()).map(|_| Place::new(None)).collect(),
            turn: RoleId(0),
            closed: Vec::new(),
            broken: None,
            hopes: Hopes::default(),
            observer,
            table,
        }
    }

    /// Asks once.
    pub(crate) fn attempt(
        &mut self,
        caller: Caller<'_>,
        request: Request,
        payload: &mut Option<P>,
    ) -> Attempt<P> {
        let Caller { role, chooser, calls } = caller;
        let ask = request.ask;
        if let Some(done) = self.outcome(role, ask, chooser) {
            return Ok(done);
        }
        let place = &mut self.places[role.index()];
        if let Some(deposit) = place.deposit.take() {
            *payload = Some(deposit);
        }
        if let Some(cause) = place.verdict.take() {
            return Err(Obstacle::never(cause));
        }
        if let Some(step) = self.choose(role, ask, chooser) {
            self.places[role.index()].waits = None;
            let done = self.perform(step, payload, calls)?;
            if !self.table.spoils(done.act, Harm::LetSleep) {
                self.serve(calls);
                self.call_others(calls);
            }
            return Ok(done);
        }
        if !self.has_hope(role, ask) {
            self.places[role.index()].waits = None;
            return Err(Obstacle::never(self.why_never(role, ask)));
        }
        self.enlist(role, request, payload, calls);
        if let Some(done) = self.outcome(role, ask, chooser) {
            calls.retain(|&other| other != role);
            return Ok(done);
        }
        match self.places[role.index()].verdict.take() {
            Some(cause) => Err(Obstacle::never(cause)),
            None => Err(Obstacle::Wait),
        }
    }

    /// What has happened for a role while it waited: what it asks for, since it asks for nothing else before it
    /// gives up.
    fn outcome(&mut self, role: RoleId, ask: Ask, chooser: &mut Chooser) -> Option<Done<P>> {
        let Outcome { done, number } = self.places[role.index()].outcome.take()?;
        if let Some(number) = number {
            chooser.took(decision(ask), number);
        }
        Some(done)
    }

    /// The step that is taken for a role, if there is one.
    fn choose(&self, role: RoleId, ask: Ask, chooser: &mut Chooser) -> Option<GlobalStep> {
        let mut best: Option<(u64, GlobalStep)> = None;
        let decision = decision(ask);
        for (number, step) in self.possible(role, ask) {
            let load = || {
                let pairs = self.table.global.pairs_of(step.act).iter();
                pairs.map(|&pair| self.flight[pair as usize].len()).sum()
            };
            let rank = chooser.rank(decision, number, load);
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, step));
            }
        }
        let (_, step) = best?;
        chooser.took(decision, self.number(step));
        Some(step)
    }

    /// The steps that would be what a role asks for, with numbers that tell them apart.
    pub(super) fn possible(
        &self,
        role: RoleId,
        ask: Ask,
    ) -> impl Iterator<Item = (u32, GlobalStep)> + '_ {
        let steps = self.table.global.steps_by(self.state, role);
        let steps = steps.iter().filter(move |step| ask.is_for(&self.table, role, step.act));
        steps.filter(|step| self.is_ready(step)).map(|&step| (self.number(step), step))
    }

    /// Steps with other messages or roles have other numbers, and so have other branches that begin alike.
    pub(super) fn number(&self, step: GlobalStep) -> u32 {
        let n_states = self.table.plan.strict.len() as u32;
        step.act.0.wrapping_mul(n_states).wrapping_add(step.to.0)
    }

    /// Whether all that a step needs beside the state is there.
    pub(super) fn is_ready(&self, step: &GlobalStep) -> bool {
        let act = self.table.act(step.act);
        match act.kind {
            Kind::Receive => {
                let pair = self.table.global.pairs_of(step.act)[0];
                self.flight[pair as usize].iter().any(|(label, _)| Some(*label) == act.label)
            }
            Kind::Exchange => act.to.iter().filter(|&&to| to != act.from).all(|&to| {
                self.places[to.index()].waits.is_some_and(|request| match request.ask {
                    Ask::Take(from) => from.is_none_or(|from| from == act.from),
                    _ => false,
                })
            }),
            Kind::Send => act.to.iter().all(|to| self.places[to.index()].left.is_none()),
            Kind::Close | Kind::Alone => true,
        }
    }

    /// Takes a step.
    pub(super) fn perform(
        &mut self,
        step: GlobalStep,
        payload: &mut Option<P>,
        calls: &mut Vec<RoleId>,
    ) -> Attempt<P> {
        let Self { table, flight, places, closed, observer, state, .. } = self;
        let act = table.act(step.act);
        let mut received = None;
        match (act.kind, act.label) {
            (Kind::Send, Some(label)) => {
                let pairs = table.global.pairs_of(step.act);
                let copies = copies(payload, pairs.len(), table, label)?;
                for (&pair, payload) in pairs.iter().zip(copies) {
                    let flight = &mut flight[pair as usize];
                    if table.spoils(step.act, Harm::Double) {
                        flight.extend(payload.duplicate().map(|twin| (label, twin)));
                    }
                    if !table.spoils(step.act, Harm::Lose) {
                        flight.push_back((label, payload));
                    }
                }
            }
            (Kind::Exchange, Some(label)) => {
                let others = act.to.iter().filter(|&&to| to != act.from);
                let copies = copies(payload, others.clone().count(), table, label)?;
                for (to, payload) in others.zip(copies) {
                    let received = Some(Received { from: act.from, label, payload });
                    let place = &mut places[to.index()];
                    place.outcome =
                        Some(Outcome { done: Done { act: step.act, received }, number: None });
                    place.waits = None;
                    if !table.spoils(step.act, Harm::LetSleep) {
                        calls.push(*to);
                    }
                }
            }
            (Kind::Receive, Some(label)) => {
                let flight = &mut flight[table.global.pairs_of(step.act)[0] as usize];
                let position = flight.iter().position(|(other, _)| *other == label);
                let taken = position.and_then(|position| flight.remove(position));
                received = taken.map(|(_, payload)| Received { from: act.from, label, payload });
            }
            (Kind::Close, _) => {
                let pair = (act.from, act.to[0]);
                closed.retain(|other| *other != pair);
                closed.push(pair);
            }
            _ => {}
        }
        *state = step.to;
        if let Some(observer) = observer {
            observer.did(&table.plan, step.act);
        }
        Ok(Done { act: step.act, received })
    }

    pub(super) fn has_hope(&mut self, role: RoleId, ask: Ask) -> bool {
        let Self { table, state, places, hopes, .. } = self;
        hopes.is_there(table, *state, role, ask, |other| places[other.index()].left.is_none())
    }

    /// Why a role will never get what it asks for.
    #[cold]
    fn why_never(&self, role: RoleId, ask: Ask) -> Cause {
        let acts = hope::acts(&self.table, self.state, role);
        let is_wanted = acts.iter().any(|&act| ask.is_for(&self.table, role, act));
        if is_wanted {
            // It could come if everybody were there. Who finished may have done so because another broke off.
            let left = |role: RoleId| self.places[role.index()].left.as_ref();
            let wanted = acts.iter().filter(|&&act| ask.is_for(&self.table, role, act));
            let partners = wanted.flat_map(|&act| {
                let act = self.table.act(act);
                std::iter::once(act.from).chain(act.to.iter().copied())
            });
            let mut partners = partners.filter_map(left);
            let cause = partners
                .clone()
                .find(|cause| cause.is_broken())
                .or_else(|| left(self.broken?))
                .or_else(|| partners.next())
                .or_else(|| self.places.iter().find_map(|place| place.left.as_ref()));
            if let Some(cause) = cause {
                return cause.clone();
            }
        }
        if let Ask::Take(from) = ask {
            let mut closed = self.closed.iter().rev();
            let is_it =
                |pair: &&(RoleId, RoleId)| pair.1 == role && from.is_none_or(|from| pair.0 == from);
            if let Some((from, _)) = closed.find(is_it) {
                return Cause::Closed { role: self.table.role(*from).to_owned() };
            }
        }
        let allowed = ask::texts(&self.table, acts);
        Cause::NotAllowed { message: ask.attempted(&self.table), allowed }
    }

    /// A role does not wait any more: what happened for it before, and what it wanted to give.
    pub(super) fn give_up(&mut self, role: RoleId) -> (Option<Done<P>>, Option<P>) {
        let place = &mut self.places[role.index()];
        (place.waits, place.verdict) = (None, None);
        (place.outcome.take().map(|outcome| outcome.done), place.deposit.take())
    }

    /// Nobody waits any more, nothing was handed over or told: for explorations.
    pub(crate) fn forget_waiting(&mut self) {
        for place in &mut self.places {
            *place = Place::new(place.left.take());
        }
    }

    /// What was done for a role that waited: for explorations.
    pub(crate) fn served(&self, role: RoleId) -> Option<ActId> {
        self.places[role.index()].outcome.as_ref().map(|outcome| outcome.done.act)
    }

    /// Says that a role will do nothing more, and calls whom that concerns.
    pub(super) fn leave(&mut self, role: RoleId, cause: &Cause, calls: &mut Vec<RoleId>) {
        if let Some(observer) = &self.observer {
            observer.left(&self.table.plan, role, cause);
        }
        let place = &mut self.places[role.index()];
        place.waits = None;
        place.left = Some(cause.clone());
        if cause.is_broken() {
            self.broken.get_or_insert(role);
        }
        self.hopes.forget();
        self.call_others(calls);
        if calls.is_empty() {
            self.look_for_deadlock(calls);
        }
    }

    pub(super) fn may_finish(&self, role: RoleId) -> bool {
        hope::may_finish(&self.table, self.state, role)
    }

    /// What a role may do, now or after others did something.
    pub(super) fn allowed(&self, role: RoleId) -> Vec<String> {
        ask::texts(&self.table, hope::acts(&self.table, self.state, role))
    }

    pub(super) fn awaited(&self, role: RoleId, ask: Ask) -> String {
        let acts = hope::acts(&self.table, self.state, role).into_iter();
        let acts: Vec<ActId> = acts.filter(|&act| ask.is_for(&self.table, role, act)).collect();
        ask.awaited(&self.table, &acts)
    }
}

/// What is decided where what is asked for is possible in several ways.
fn decision(ask: Ask) -> Decision {
    if let Ask::Take(_) = ask { Decision::Source } else { Decision::Step }
}

/// The payload as often as there are receivers, made before anything changes: it may be impossible, or panic.
fn copies<P: Payload>(
    payload: &mut Option<P>,
    count: usize,
    table: &Table,
    label: LabelId,
) -> Result<impl Iterator<Item = P>, Obstacle> {
    let mut copies = Vec::new();
    for _ in 1..count {
        let Some(copy) = payload.as_ref().and_then(Payload::duplicate) else {
            let message = table.label(label).to_owned();
            return Err(Obstacle::never(Cause::NotDuplicated { message }));
        };
        copies.push(copy);
    }
    Ok(copies.into_iter().chain(payload.take()))
}
