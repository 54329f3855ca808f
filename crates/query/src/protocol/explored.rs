//! A protocol explored once, for all questions about it.

use std::collections::VecDeque;
use std::sync::OnceLock;

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_engine::{Limits, Observer, Space};
use quadrille_model::{Counts, StateId};
use quadrille_protocol::core::{ActId, ProtocolModel};
use quadrille_protocol::project::Global;

use super::Stopped;

/// A protocol and its automaton.
pub struct Explored<'m> {
    model: &'m ProtocolModel,
    global: Global,
    /// Per state of the automaton the step by which a shortest path arrives there.
    arrivals: Vec<Option<(StateId, ActId)>>,
    /// The steps into each state: what happens, and from where.
    into: Vec<Vec<(ActId, StateId)>>,
    /// Actions that happen somewhere, ascending.
    used: Vec<ActId>,
    counts: Counts,
    /// The protocol by place, made when a place is asked for.
    by_place: OnceLock<Option<ProtocolModel>>,
}

impl<'m> Explored<'m> {
    /// Explores a protocol completely, unless a limit or the observer ends it.
    pub fn new(
        model: &'m ProtocolModel,
        limits: Limits,
        observer: &mut Observer<'_>,
    ) -> Result<Self, Stopped> {
        let mut space = Space::new(model);
        let table = space.tabulate(limits, observer)?;
        let counts = Counts {
            states: table.n_states() as u64,
            transitions: table.n_edges() as u64,
            bytes: space.bytes() as u64,
            ..Counts::default()
        };
        let global = Global::new(model, &table).ok_or(Stopped::NoStart)?;
        let arrivals = arrivals(&global);
        let mut into = vec![Vec::new(); global.n_states()];
        for state in global.states() {
            for &(act, to) in global.edges(state) {
                into[to.index()].push((act, state));
            }
        }
        let mut used: Vec<ActId> = into.iter().flatten().map(|&(act, _)| act).collect();
        used.sort_unstable();
        used.dedup();
        Ok(Self { model, global, arrivals, into, used, counts, by_place: OnceLock::new() })
    }

    /// The protocol.
    pub fn model(&self) -> &'m ProtocolModel {
        self.model
    }

    /// Its automaton, which is its strict form.
    pub fn global(&self) -> &Global {
        &self.global
    }

    /// What was explored.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Its automaton alone.
    pub fn into_global(self) -> Global {
        self.global
    }

    /// The steps into a state: what happens, and from where.
    pub(crate) fn into(&self, state: StateId) -> &[(ActId, StateId)] {
        &self.into[state.index()]
    }

    /// The states from which one of these is reachable by steps that `follow` accepts.
    pub(crate) fn reaching(
        &self,
        goals: impl Iterator<Item = StateId>,
        follow: impl Fn(ActId) -> bool,
    ) -> Vec<bool> {
        let mut reaches = vec![false; self.into.len()];
        let mut stack: Vec<StateId> = goals.collect();
        while let Some(state) = stack.pop() {
            if !std::mem::replace(&mut reaches[state.index()], true) {
                let steps = self.into(state).iter().filter(|&&(act, _)| follow(act));
                stack.extend(steps.map(|&(_, from)| from));
            }
        }
        reaches
    }

    /// Where an action is written that follows others; the first place of all where that is not known.
    fn places(&self, before: &[ActId], act: ActId) -> Vec<Span> {
        let by_place = self.by_place.get_or_init(|| self.model.by_place());
        let label = self.global.label(act);
        let mut places = match by_place {
            Some(model) => model.places_after(&self.labels(before), label),
            None => Vec::new(),
        };
        if places.is_empty() {
            places.extend(self.model.terms().place_of(act));
        }
        places
    }

    /// A shortest path to a state in which an action is possible.
    pub(crate) fn path_before(&self, act: ActId) -> Vec<ActId> {
        let has_act = |state: &StateId| self.global.edges(*state).iter().any(|edge| edge.0 == act);
        self.global.states().find(has_act).map_or_else(Vec::new, |state| self.path_to(state))
    }

    /// What leads from the start to a state, by a shortest path.
    pub(crate) fn path_to(&self, state: StateId) -> Vec<ActId> {
        let back = |&(from, _): &(StateId, ActId)| self.arrivals[from.index()];
        let steps = std::iter::successors(self.arrivals[state.index()], back);
        let mut path: Vec<ActId> = steps.map(|(_, act)| act).collect();
        path.reverse();
        path
    }

    /// The labels of actions.
    pub(crate) fn labels(&self, acts: &[ActId]) -> Vec<&str> {
        acts.iter().map(|&act| self.global.label(act)).collect()
    }

    /// Actions that happen somewhere, ascending.
    pub(crate) fn used_acts(&self) -> impl Iterator<Item = ActId> {
        self.used.iter().copied()
    }

    /// Points a diagnostic at an action that follows others, if it is known where that is written.
    pub(crate) fn at(
        &self,
        mut diagnostic: Diagnostic,
        before: &[ActId],
        act: ActId,
        text: &str,
    ) -> Diagnostic {
        for span in self.places(before, act).into_iter().take(MAX_PLACES) {
            if !diagnostic.labels.iter().any(|label| label.span == span) {
                diagnostic = diagnostic.at(span, text);
            }
        }
        diagnostic
    }
}

fn arrivals(global: &Global) -> Vec<Option<(StateId, ActId)>> {
    let mut arrivals = vec![None; global.n_states()];
    let mut queue = VecDeque::from([Global::START]);
    while let Some(state) = queue.pop_front() {
        for &(act, to) in global.edges(state) {
            if to != Global::START && arrivals[to.index()].is_none() {
                arrivals[to.index()] = Some((state, act));
                queue.push_back(to);
            }
        }
    }
    arrivals
}

/// Most places that one action is shown in.
const MAX_PLACES: usize = 4;

/// Most steps that a note lists.
const MAX_STEPS: usize = 12;

/// Steps as a note: `after: a sends X to b; b receives X from a`, or `at the start`.
pub fn steps_note<S: AsRef<str>>(heading: &str, labels: &[S]) -> String {
    // Nothing is gained by leaving out one.
    let left_out = if labels.len() <= MAX_STEPS + 1 { 0 } else { labels.len() - MAX_STEPS };
    let shown: Vec<&str> = labels[left_out..].iter().map(AsRef::as_ref).collect();
    let start = match left_out {
        0 => String::new(),
        count => format!("… {count} steps …; "),
    };
    match heading.strip_suffix("after") {
        Some(before) if labels.is_empty() => format!("{before}at the start"),
        _ => format!("{heading}: {start}{}", shown.join("; ")),
    }
}
