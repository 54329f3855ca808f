//! Whether what a role does may take the place of what another does, wherever that is at home: precise subtyping of local
//! types (Ghilezan, Jakšić, Pantović, Scalas, Yoshida: *Precise subtyping for synchronous multiparty sessions*, JLAMP 2019,
//! and, with Prokić, *for asynchronous multiparty sessions*, POPL 2021).
//!
//! The replacement may make fewer choices, as long as it makes one, and it may take more messages. That is all where it
//! keeps the order ([`Substitution::Fits`]), and is decided. With queues it may also send before it takes what comes first,
//! send to different roles in another order, and take messages of different roles in another order ([`Substitution::FitsEarlier`]).
//! That is undecidable (Bravetti, Carbone, Zavattaro 2017; Lange, Yoshida 2017): the replacement is followed as long as it
//! is at most [`MOST_AHEAD`] steps ahead. What it has left out must be made up for again and again, or a message waits for
//! ever.
//!
//! Where a role may both send and receive in a state, types have no rule. Here it must go on being able to send: the
//! others may wait for that.

mod machine;
mod rest;
#[cfg(test)]
mod tests;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::core::RoleId;

use self::machine::{LabelId, Labels, Machine, State};
use self::rest::{Arrival, Old, Rest};
use super::Projection;

/// Most steps that a replacement is followed ahead of what it replaces.
pub const MOST_AHEAD: usize = 24;

/// Most steps that are owed, in all branches.
const MOST_OWED: usize = 400;

/// Most pairs of a state and of what is left.
const MOST_PAIRS: usize = 50_000;

/// Whether one may take the place of the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Substitution {
    /// It may, with queues and with rendezvous.
    Fits,
    /// It may where messages wait in queues, as it does this before its turn.
    FitsEarlier(String),
    /// It may not.
    Misfits(Misfit),
    /// It got too far ahead to be followed.
    Unknown {
        /// The steps that lead there.
        run: Vec<String>,
    },
    /// Two steps with this label lead to different states: messages that differ in the branch that they carry cannot be
    /// compared with those of another protocol.
    Ambiguous(String),
}

/// A run of the replacement, and what is wrong after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// What the replacement does, from the start.
    pub run: Vec<String>,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a replacement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It does this; instead of one of these.
    Does(String, Vec<String>),
    /// This may arrive and it does not take it; what it takes.
    Misses(String, Vec<String>),
    /// It takes this, which may arrive there and is for later.
    TakesEarly(String),
    /// It waits, and the others wait for one of these.
    Waits(Vec<String>),
    /// It may stop there, and the others go on; with what comes next.
    Stops(Vec<String>),
    /// The others may have stopped there, and it must go on.
    GoesOn,
    /// It goes round for ever by these steps and never does one of those.
    Owes {
        /// The steps that repeat.
        cycle: Vec<String>,
        /// What it never does.
        steps: Vec<String>,
    },
}

/// Whether what the role does in `new` may take the place of what it does in `old`.
#[must_use]
pub fn substitution(old: (&Projection, RoleId), new: (&Projection, RoleId)) -> Substitution {
    let mut labels = Labels::default();
    let old = Machine::new(old.0, old.1, &mut labels);
    let new = Machine::new(new.0, new.1, &mut labels);
    match (old, new) {
        (Ok(old), Ok(new)) => compared(&old, &new, &labels),
        (Err(label), _) | (_, Err(label)) => Substitution::Ambiguous(label),
    }
}

fn compared(old: &Machine, new: &Machine, labels: &Labels) -> Substitution {
    let search = |reorders| {
        let old = Old { machine: old, labels, reorders };
        Search::new(&old, new).run()
    };
    match search(false) {
        Found::Fits => Substitution::Fits,
        in_order => match (search(true), in_order) {
            (Found::Fits, Found::Misfits(first)) => Substitution::FitsEarlier(match first.fault {
                Fault::Does(step, _) | Fault::TakesEarly(step) | Fault::Misses(step, _) => step,
                _ => first.run.last().cloned().unwrap_or_default(),
            }),
            (Found::Fits, _) => Substitution::Fits,
            (Found::Misfits(misfit), _) => Substitution::Misfits(misfit),
            (Found::Unknown(run), _) => Substitution::Unknown { run },
        },
    }
}

enum Found {
    Fits,
    Misfits(Misfit),
    Unknown(Vec<String>),
}

/// A state of the replacement, and what is left of the behaviour that it replaces.
type Pair = (usize, Rest);

/// A step between pairs.
struct Step {
    label: LabelId,
    to: usize,
    /// Whether it does what is owed first, or nothing is owed.
    settles: bool,
}

struct Search<'s> {
    old: &'s Old<'s>,
    new: &'s Machine,
    pairs: Vec<Pair>,
    numbers: BTreeMap<Pair, usize>,
    /// By pair: from where it was reached first, and how.
    arrivals: Vec<Option<(usize, LabelId)>>,
    /// By pair.
    steps: Vec<Vec<Step>>,
}

impl<'s> Search<'s> {
    fn new(old: &'s Old<'s>, new: &'s Machine) -> Self {
        let start = (0, Rest::At(0));
        Self {
            old,
            new,
            numbers: BTreeMap::from([(start.clone(), 0)]),
            pairs: vec![start],
            arrivals: vec![None],
            steps: Vec::new(),
        }
    }

    fn run(mut self) -> Found {
        while self.steps.len() < self.pairs.len() {
            let at = self.steps.len();
            self.steps.push(Vec::new());
            match self.step(at) {
                Ok(()) => {}
                Err(Some(fault)) => {
                    let misfit = Misfit { run: self.run_to(at), fault };
                    assert!(self.repeats(&misfit), "{misfit:?} is a run of the replacement");
                    return Found::Misfits(misfit);
                }
                Err(None) => return Found::Unknown(self.run_to(at)),
            }
        }
        match self.never_settled() {
            Some(misfit) => {
                assert!(self.repeats(&misfit), "{misfit:?} is a run of the replacement");
                Found::Misfits(misfit)
            }
            None => Found::Fits,
        }
    }

    /// Compares a pair and finds those after it; a fault, or nothing where a bound was reached.
    fn step(&mut self, at: usize) -> Result<(), Option<Fault>> {
        let (number, rest) = self.pairs[at].clone();
        let state = &self.new.states[number];
        for (&label, &to) in &state.outputs {
            let Some(after) = self.old.sent(&rest, label) else {
                return Err(Some(Fault::Does(self.text(label), self.texts(self.next_of(&rest)))));
            };
            let settles = matches!(rest, Rest::At(_)) && matches!(after, Rest::At(_));
            let settles = settles || rest.owed().any(|owed| owed == label);
            self.meet(at, label, (to, after), settles)?;
        }
        self.take(at, state, &rest)?;
        self.end(state, &rest).map_err(Some)
    }

    /// What the replacement takes from others.
    fn take(&mut self, at: usize, state: &State, rest: &Rest) -> Result<(), Option<Fault>> {
        let peers_of = |label: &LabelId| self.old.labels.get(*label).peers.iter();
        let peers: BTreeSet<&str> =
            state.inputs.keys().flat_map(peers_of).map(String::as_str).collect();
        if state.outputs.is_empty() {
            self.wait(state, rest, &peers)?;
        }
        let mut taken = Vec::new();
        for peer in &peers {
            for (label, arrival) in self.old.arriving(rest, peer) {
                let takes = state.inputs.get(&label);
                let in_turn = arrival == Arrival::Next
                    || (arrival == Arrival::AfterOthers
                        && self.old.reorders
                        && !self.old.labels.get(label).is_sync);
                match takes {
                    Some(&to) if in_turn => taken.push((label, to)),
                    Some(_) => return Err(Some(Fault::TakesEarly(self.text(label)))),
                    None if in_turn => {
                        let takes = self.texts(state.inputs.keys().copied());
                        return Err(Some(Fault::Misses(self.text(label), takes)));
                    }
                    None => {}
                }
            }
        }
        for (label, to) in taken {
            let is_owed = rest.owed().any(|owed| owed == label);
            for after in self.old.taken(rest, label, MOST_AHEAD).ok_or(None)? {
                let settles = match (rest, &after) {
                    (Rest::At(_), after) => matches!(after, Rest::At(_)),
                    // In another world something else came first.
                    (_, after) => is_owed && self.is_direct(rest, label, after),
                };
                self.meet(at, label, (to, after), settles)?;
            }
        }
        Ok(())
    }

    fn is_direct(&self, rest: &Rest, label: LabelId, after: &Rest) -> bool {
        matches!(rest, Rest::Takes(parts) if parts.get(&label) == Some(after))
    }

    /// What is wrong with doing nothing but waiting for these.
    fn wait(&self, state: &State, rest: &Rest, peers: &BTreeSet<&str>) -> Result<(), Fault> {
        let (must_act, waits) = match rest {
            Rest::At(old) => {
                let old = &self.old.machine.states[*old];
                let may_stop = state.may_end && old.may_end && old.inputs.is_empty();
                (!old.outputs.is_empty() && !may_stop, !old.inputs.is_empty())
            }
            Rest::Takes(_) => (false, true),
            Rest::Sends(_) => (true, false),
        };
        if must_act {
            return Err(Fault::Waits(self.texts(self.outputs_of(rest))));
        }
        if !waits || self.old.is_certain(rest, peers) {
            return Ok(());
        }
        let missed = self.next_of(rest).find(|label| !state.inputs.contains_key(label));
        Err(missed.map_or(Fault::GoesOn, |label| {
            Fault::Misses(self.text(label), self.texts(state.inputs.keys().copied()))
        }))
    }

    fn end(&self, state: &State, rest: &Rest) -> Result<(), Fault> {
        let old = match rest {
            Rest::At(old) => Some(&self.old.machine.states[*old]),
            Rest::Takes(_) | Rest::Sends(_) => None,
        };
        let may_end = old.is_some_and(|old| old.may_end);
        if state.may_end && !may_end {
            return Err(Fault::Stops(self.texts(self.next_of(rest))));
        }
        let others_decide = old.is_some_and(|old| !old.inputs.is_empty() || old.outputs.is_empty());
        if may_end && others_decide && !state.may_end {
            return Err(Fault::GoesOn);
        }
        Ok(())
    }

    fn outputs_of(&self, rest: &Rest) -> impl Iterator<Item = LabelId> {
        let found: Vec<LabelId> = match rest {
            Rest::At(state) => self.old.machine.states[*state].outputs.keys().copied().collect(),
            Rest::Takes(_) => Vec::new(),
            Rest::Sends(_) => rest.owed().collect(),
        };
        found.into_iter()
    }

    /// What comes next.
    fn next_of(&self, rest: &Rest) -> impl Iterator<Item = LabelId> {
        let found: Vec<LabelId> = match rest {
            Rest::At(state) => {
                let state = &self.old.machine.states[*state];
                state.outputs.keys().chain(state.inputs.keys()).copied().collect()
            }
            Rest::Takes(_) | Rest::Sends(_) => rest.owed().collect(),
        };
        found.into_iter()
    }

    fn meet(
        &mut self,
        from: usize,
        label: LabelId,
        pair: Pair,
        settles: bool,
    ) -> Result<(), Option<Fault>> {
        if pair.1.depth() > MOST_AHEAD || pair.1.size() > MOST_OWED {
            return Err(None);
        }
        let next = self.pairs.len();
        let to = *self.numbers.entry(pair.clone()).or_insert(next);
        if to == next {
            if next >= MOST_PAIRS {
                return Err(None);
            }
            self.pairs.push(pair);
            self.arrivals.push(Some((from, label)));
        }
        self.steps[from].push(Step { label, to, settles });
        Ok(())
    }

    fn text(&self, label: LabelId) -> String {
        self.old.labels.get(label).text.clone()
    }

    fn texts(&self, labels: impl Iterator<Item = LabelId>) -> Vec<String> {
        labels.map(|label| self.text(label)).collect()
    }

    fn run_to(&self, pair: usize) -> Vec<String> {
        let back = |&(from, _): &(usize, LabelId)| self.arrivals[from];
        let steps = std::iter::successors(self.arrivals[pair], back);
        let mut run: Vec<String> = steps.map(|(_, label)| self.text(label)).collect();
        run.reverse();
        run
    }

    /// Whether the replacement performs a run and what is said to be wrong after it.
    fn repeats(&self, misfit: &Misfit) -> bool {
        let follow = |from: usize, steps: &[String]| {
            steps.iter().try_fold(from, |at, step| {
                let state = &self.new.states[at];
                let mut all = state.outputs.iter().chain(&state.inputs);
                all.find(|(label, _)| self.text(**label) == *step).map(|(_, &to)| to)
            })
        };
        let has = |steps: &BTreeMap<LabelId, usize>, step: &String| {
            steps.keys().any(|&label| self.text(label) == *step)
        };
        let Some(at) = follow(0, &misfit.run) else { return false };
        let state = &self.new.states[at];
        match &misfit.fault {
            Fault::Does(step, _) => has(&state.outputs, step),
            Fault::Misses(step, _) => !has(&state.inputs, step),
            Fault::TakesEarly(step) => has(&state.inputs, step),
            Fault::Waits(_) => state.outputs.is_empty(),
            Fault::Stops(_) => state.may_end,
            Fault::GoesOn => !state.may_end,
            Fault::Owes { cycle, steps } => {
                follow(at, cycle) == Some(at) && cycle.iter().all(|step| !steps.contains(step))
            }
        }
    }

    /// A way to go round for ever without doing what is owed first.
    fn never_settled(&self) -> Option<Misfit> {
        let owes = |pair: usize| !matches!(self.pairs[pair].1, Rest::At(_));
        (0..self.pairs.len()).filter(|&pair| owes(pair)).find_map(|start| {
            let mut arrivals: BTreeMap<usize, (usize, LabelId)> = BTreeMap::new();
            let mut queue = VecDeque::from([start]);
            while let Some(at) = queue.pop_front() {
                for step in self.steps[at].iter().filter(|step| !step.settles && owes(step.to)) {
                    if step.to == start {
                        let mut cycle = vec![self.text(step.label)];
                        let mut here = at;
                        while here != start {
                            let (before, label) = arrivals[&here];
                            cycle.push(self.text(label));
                            here = before;
                        }
                        cycle.reverse();
                        let steps = self.texts(self.pairs[start].1.owed());
                        let fault = Fault::Owes { cycle, steps };
                        return Some(Misfit { run: self.run_to(start), fault });
                    }
                    if let Entry::Vacant(entry) = arrivals.entry(step.to) {
                        entry.insert((at, step.label));
                        queue.push_back(step.to);
                    }
                }
            }
            None
        })
    }
}
