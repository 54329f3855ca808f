//! The machine, as the holder of the lock sees it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::reachability::{self, Reachability};
use crate::error::Cause;
use crate::module::Payload;
use crate::observe::Observe;
use crate::plan::{ActId, GlobalId, Kind, LabelId, RoleId};
use crate::policy::{Chooser, Decision};
use crate::request::{self, Attempt, Blocked, Completed, Request};
use crate::role::Received;
use crate::table::{GlobalStep, Table};

/// The machine.
pub(crate) struct Core<P> {
    pub(super) table: Arc<Table>,
    /// The state; one that there is not while parallel parts are under way.
    pub(crate) state: GlobalId,
    /// The configuration, if there are parallel parts.
    pub(crate) slots: Vec<u32>,
    /// The states that are under way: one, or one for each parallel part.
    pub(crate) under_way: Vec<GlobalId>,
    /// By pair of the table: the messages in flight. The automaton decides in which order they are taken.
    pub(crate) flight: Vec<VecDeque<(LabelId, P)>>,
    /// By role.
    pub(super) records: Vec<RoleRecord<P>>,
    /// The role that was served last.
    pub(super) turn: RoleId,
    /// Pairs of roles of which the first has closed its channel to the second.
    closed: Vec<(RoleId, RoleId)>,
    /// The role that left first before its end.
    broken: Option<RoleId>,
    reachability: Reachability,
    pub(super) observer: Option<Arc<dyn Observe>>,
}

/// What the machine knows of a role.
pub(super) struct RoleRecord<P> {
    /// Its pending request.
    pub(super) waits: Option<PendingRequest>,
    /// The payload of its pending send, if the machine may carry it out.
    pub(super) deposit: Option<P>,
    /// The outcome of its request, if another role caused it.
    pub(super) outcome: Option<Outcome<P>>,
    /// The error of its pending request.
    pub(super) verdict: Option<Cause>,
    /// Why it has left, if it has.
    pub(super) left: Option<Cause>,
}

/// A request that was carried out while its role waited.
pub(super) struct Outcome<P> {
    pub(super) done: Completed<P>,
    /// The number of the step, if the role performed it.
    pub(super) number: Option<u32>,
}

/// A request and how its role waits.
#[derive(Clone, Copy)]
pub(crate) struct PendingRequest {
    pub(crate) request: Request,
    /// Whether it has a deadline.
    pub(super) is_timed: bool,
    /// Whether the machine may carry it out on behalf of the role, which does nothing else meanwhile.
    pub(super) is_served: bool,
}

impl PendingRequest {
    /// The request of a thread, which stays in its call.
    pub(crate) fn of_thread(request: Request, is_timed: bool) -> Self {
        Self { request, is_timed, is_served: true }
    }

    /// The request of a task, which may be cancelled.
    pub(crate) fn of_task(request: Request) -> Self {
        Self { request, is_timed: false, is_served: false }
    }
}

/// The role that makes a request.
pub(crate) struct Caller<'c> {
    pub(crate) role: RoleId,
    pub(crate) chooser: &'c mut Chooser,
    /// Collects the roles to wake.
    pub(crate) calls: &'c mut Vec<RoleId>,
}

impl<P> RoleRecord<P> {
    fn new(left: Option<Cause>) -> Self {
        Self { waits: None, deposit: None, outcome: None, verdict: None, left }
    }
}

impl<P: Payload> Core<P> {
    pub(super) fn new(table: Arc<Table>, observer: Option<Arc<dyn Observe>>) -> Self {
        Self {
            state: GlobalId(0),
            slots: if table.global.forks.is_empty() {
                Vec::new()
            } else {
                table.global.forks.start()
            },
            under_way: vec![GlobalId(0)],
            flight: table.global.pairs.iter().map(|_| VecDeque::new()).collect(),
            records: (0..table.n_roles()).map(|_| RoleRecord::new(None)).collect(),
            turn: RoleId(0),
            closed: Vec::new(),
            broken: None,
            reachability: Reachability::default(),
            observer,
            table,
        }
    }

    /// Attempts a request once.
    pub(crate) fn attempt(
        &mut self,
        caller: Caller<'_>,
        pending: PendingRequest,
        payload: &mut Option<P>,
    ) -> Attempt<P> {
        let Caller { role, chooser, calls } = caller;
        let request = pending.request;
        if let Some(done) = self.outcome(role, request, chooser) {
            return Ok(done);
        }
        let record = &mut self.records[role.index()];
        if let Some(deposit) = record.deposit.take() {
            *payload = Some(deposit);
        }
        if let Some(cause) = record.verdict.take() {
            return Err(Blocked::never(cause));
        }
        if let Some(step) = self.choose(role, request, chooser) {
            self.records[role.index()].waits = None;
            let done = self.perform(step, payload, calls)?;
            self.serve(calls);
            self.call_others(calls);
            return Ok(done);
        }
        if !self.can_still_happen(role, request) {
            self.records[role.index()].waits = None;
            return Err(Blocked::never(self.why_never(role, request)));
        }
        self.enlist(role, pending, payload, calls);
        if let Some(done) = self.outcome(role, request, chooser) {
            calls.retain(|&other| other != role);
            return Ok(done);
        }
        match self.records[role.index()].verdict.take() {
            Some(cause) => Err(Blocked::never(cause)),
            None => Err(Blocked::Wait),
        }
    }

    /// The outcome of the pending request of a role.
    fn outcome(
        &mut self,
        role: RoleId,
        request: Request,
        chooser: &mut Chooser,
    ) -> Option<Completed<P>> {
        let Outcome { done, number } = self.records[role.index()].outcome.take()?;
        if let Some(number) = number {
            chooser.took(decision(request), number);
        }
        Some(done)
    }

    /// The step that satisfies a request, if one is possible.
    fn choose(&self, role: RoleId, request: Request, chooser: &mut Chooser) -> Option<GlobalStep> {
        let mut best: Option<(u64, GlobalStep)> = None;
        let decision = decision(request);
        for (number, step) in self.possible(role, request) {
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

    /// The possible steps that satisfy a request, with numbers that distinguish them.
    pub(super) fn possible(
        &self,
        role: RoleId,
        request: Request,
    ) -> impl Iterator<Item = (u32, GlobalStep)> + '_ {
        let states = self.under_way.iter();
        let steps = states.flat_map(move |&state| self.table.global.steps_by(state, role));
        let steps = steps.filter(move |step| request.is_for(&self.table, role, step.act));
        steps.filter(|step| self.is_ready(step)).map(|&step| (self.number(step), step))
    }

    /// Distinguishes steps by act and target.
    pub(super) fn number(&self, step: GlobalStep) -> u32 {
        step.act.0.wrapping_mul(self.table.global.n_targets).wrapping_add(step.to.0)
    }

    /// Whether a step is enabled: its message is in flight, or its receivers are there.
    pub(super) fn is_ready(&self, step: &GlobalStep) -> bool {
        let act = self.table.act(step.act);
        match act.kind {
            Kind::Receive => {
                let pair = self.table.global.pairs_of(step.act)[0];
                self.flight[pair as usize].iter().any(|(label, _)| Some(*label) == act.label)
            }
            Kind::Exchange => act.to.iter().filter(|&&to| to != act.from).all(|&to| {
                self.records[to.index()].waits.is_some_and(|pending| match pending.request {
                    Request::Receive(from) => from.is_none_or(|from| from == act.from),
                    _ => false,
                })
            }),
            Kind::Send => act.to.iter().all(|to| self.records[to.index()].left.is_none()),
            Kind::Close | Kind::Local => true,
        }
    }

    /// Takes a step.
    pub(super) fn perform(
        &mut self,
        step: GlobalStep,
        payload: &mut Option<P>,
        calls: &mut Vec<RoleId>,
    ) -> Attempt<P> {
        let Self { table, flight, records, closed, observer, .. } = self;
        let act = table.act(step.act);
        let mut received = None;
        match (act.kind, act.label) {
            (Kind::Send, Some(label)) => {
                let pairs = table.global.pairs_of(step.act);
                let copies = copies(payload, pairs.len(), table, label)?;
                for (&pair, payload) in pairs.iter().zip(copies) {
                    flight[pair as usize].push_back((label, payload));
                }
            }
            (Kind::Exchange, Some(label)) => {
                let others = act.to.iter().filter(|&&to| to != act.from);
                let copies = copies(payload, others.clone().count(), table, label)?;
                for (to, payload) in others.zip(copies) {
                    let received = Some(Received { from: act.from, label, payload });
                    let record = &mut records[to.index()];
                    record.outcome =
                        Some(Outcome { done: Completed { act: step.act, received }, number: None });
                    record.waits = None;
                    calls.push(*to);
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
        if let Some(observer) = observer {
            observer.did(&table.plan, step.act);
        }
        self.go(&step);
        Ok(Completed { act: step.act, received })
    }

    fn go(&mut self, step: &GlobalStep) {
        if self.slots.is_empty() {
            self.state = step.to;
            self.under_way[0] = step.to;
        } else {
            self.table.global.forks.go(&mut self.slots, step.slot, step.to.0);
            self.settle();
        }
    }

    /// Finds the states that are under way in a configuration.
    pub(crate) fn settle(&mut self) {
        let Self { table, slots, under_way, state, .. } = self;
        under_way.clear();
        table.global.forks.under_way(slots, |state| under_way.push(GlobalId(state)));
        *state = GlobalId(slots[0]);
    }

    pub(super) fn can_still_happen(&mut self, role: RoleId, request: Request) -> bool {
        let Self { table, state, slots, records, reachability, .. } = self;
        let is_live = |other: RoleId| records[other.index()].left.is_none();
        if slots.is_empty() {
            reachability.can_happen(table, *state, role, request, is_live)
        } else {
            reachability.can_happen_in_parts(table, slots, role, request, is_live)
        }
    }

    /// Why a request will never be possible.
    #[cold]
    fn why_never(&self, role: RoleId, request: Request) -> Cause {
        let acts = reachability::acts(&self.table, &self.under_way, role);
        let is_wanted = acts.iter().any(|&act| request.is_for(&self.table, role, act));
        if is_wanted {
            // Possible if no role had left. A role may have finished because another left before its end.
            let left = |role: RoleId| self.records[role.index()].left.as_ref();
            let wanted = acts.iter().filter(|&&act| request.is_for(&self.table, role, act));
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
                .or_else(|| self.records.iter().find_map(|record| record.left.as_ref()));
            if let Some(cause) = cause {
                return cause.clone();
            }
        }
        if let Request::Receive(from) = request {
            let mut closed = self.closed.iter().rev();
            let is_it =
                |pair: &&(RoleId, RoleId)| pair.1 == role && from.is_none_or(|from| pair.0 == from);
            if let Some((from, _)) = closed.find(is_it) {
                return Cause::Closed { role: self.table.role(*from).to_owned() };
            }
        }
        let allowed = request::texts(&self.table, acts);
        Cause::NotAllowed { message: request.attempted(&self.table), allowed }
    }

    /// Withdraws the request of a role: its outcome, if it was carried out before, and its payload.
    pub(super) fn give_up(&mut self, role: RoleId) -> (Option<Completed<P>>, Option<P>) {
        let record = &mut self.records[role.index()];
        (record.waits, record.verdict) = (None, None);
        (record.outcome.take().map(|outcome| outcome.done), record.deposit.take())
    }

    /// Forgets all pending requests and outcomes.
    #[cfg(feature = "explore")]
    pub(crate) fn forget_waiting(&mut self) {
        for record in &mut self.records {
            *record = RoleRecord::new(record.left.take());
        }
    }

    /// The act that was carried out on behalf of a waiting role.
    #[cfg(feature = "explore")]
    pub(crate) fn served(&self, role: RoleId) -> Option<ActId> {
        self.records[role.index()].outcome.as_ref().map(|outcome| outcome.done.act)
    }

    /// Records that a role has left, and calls the roles that this concerns.
    pub(super) fn leave(&mut self, role: RoleId, cause: &Cause, calls: &mut Vec<RoleId>) {
        if let Some(observer) = &self.observer {
            observer.left(&self.table.plan, role, cause);
        }
        let record = &mut self.records[role.index()];
        record.waits = None;
        record.left = Some(cause.clone());
        if cause.is_broken() {
            self.broken.get_or_insert(role);
        }
        self.reachability.forget();
        self.call_others(calls);
        if calls.is_empty() {
            self.detect_deadlock(calls);
        }
    }

    pub(super) fn may_finish(&self, role: RoleId) -> bool {
        reachability::may_finish(&self.table, &self.under_way, role)
    }

    /// What a role may do, now or after steps of other roles.
    pub(super) fn allowed(&self, role: RoleId) -> Vec<String> {
        request::texts(&self.table, reachability::acts(&self.table, &self.under_way, role))
    }

    pub(super) fn awaited(&self, role: RoleId, request: Request) -> String {
        let acts = reachability::acts(&self.table, &self.under_way, role).into_iter();
        let acts: Vec<ActId> = acts.filter(|&act| request.is_for(&self.table, role, act)).collect();
        request.awaited(&self.table, &acts)
    }
}

/// The kind of choice between several steps.
fn decision(request: Request) -> Decision {
    if let Request::Receive(_) = request { Decision::Source } else { Decision::Step }
}

/// Copies of the payload, one per receiver, made before anything changes: cloning may be impossible, or panic.
fn copies<P: Payload>(
    payload: &mut Option<P>,
    count: usize,
    table: &Table,
    label: LabelId,
) -> Result<impl Iterator<Item = P>, Blocked> {
    let mut copies = Vec::new();
    for _ in 1..count {
        let Some(copy) = payload.as_ref().and_then(Payload::duplicate) else {
            let message = table.label(label).to_owned();
            return Err(Blocked::never(Cause::NotDuplicated { message }));
        };
        copies.push(copy);
    }
    Ok(copies.into_iter().chain(payload.take()))
}
