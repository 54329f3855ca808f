//! B4: steps with the environment alone. They are always enabled and no other component observes
//! them, so a state can take over what is behind such a step.
//!
//! The published condition, that nothing becomes acceptable earlier, is not enough: a state that
//! accepts more than the one behind the step, or that can end or go on where the one behind it is
//! stuck, would hide that the step may be taken. Required here instead, of a step from `s` to `t`:
//!
//! - whatever event a component may emit is accepted in both or in neither, and the same way;
//! - behind a fork, the branches can do nothing more where they may end, since the first step behind a
//!   fork is also what ends it;
//! - inside a fork, both may end or neither, unless nothing is accepted behind the fork;
//! - `t` can always go on by itself (it emits, or has such a step), or it can do all that `s` can, or
//!   there is a way of such steps back to `s`.

use std::collections::BTreeSet;

use super::automaton::{
    AutomatonPath, counts_starts, dfa_at, dfa_at_mut, first, follow, is_settled, normalise, places,
    starts_quietly,
};
use super::facts::Facts;
use super::log::{Entry, Rule, Transition, Undo};
use super::system::ComponentSystem;
use crate::automata::{DfaStateId, ForkedDfa, Letter, StepEvent, StepId, Target};
use crate::composition::UnitId;

/// What is done about a free step.
struct Removal {
    place: AutomatonPath,
    from: DfaStateId,
    step: StepId,
    to: DfaStateId,
    way: Elimination,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Elimination {
    /// It leads from a state to itself.
    Drop,
    /// The state takes over the transitions of the other.
    Copy,
    /// Both states become one.
    Merge,
}

/// Removes free steps until none can be removed.
pub(super) fn eliminate(system: &mut ComponentSystem, log: &mut Vec<Entry>) {
    let (n_states, n_edges) = system.size();
    // Each removal makes less of what there was; this is a guard against a mistake in that argument.
    for _ in 0..16 + 8 * (n_states + n_edges) {
        let found = {
            let facts = Facts::new(system);
            let units = (0..system.units.len() as u32).map(UnitId);
            units.into_iter().find_map(|unit| find(system, &facts, unit))
        };
        let Some(removal) = found else { return };
        apply(system, removal, log);
    }
}

fn find(system: &ComponentSystem, facts: &Facts<'_>, unit: UnitId) -> Option<Removal> {
    let root = &system.units[unit.index()].dfa;
    let changeable =
        places(unit, root).into_iter().filter(|place| !counts_starts(root, &place.way));
    changeable.into_iter().find_map(|place| {
        let dfa = dfa_at(root, &place.way);
        let search = Search {
            facts,
            unit,
            dfa,
            is_quiet: starts_quietly(root, &place.way),
            is_followed: !facts.waiting(unit, &follow(root, &place.way)).is_empty(),
        };
        let (from, step, to, way) = search.find()?;
        Some(Removal { place, from, step, to, way })
    })
}

/// One automaton, and what matters of what is around it.
struct Search<'a> {
    facts: &'a Facts<'a>,
    unit: UnitId,
    dfa: &'a ForkedDfa,
    /// Whether nothing else may happen while it is in its initial state.
    is_quiet: bool,
    /// Whether something is accepted once it has ended.
    is_followed: bool,
}

impl Search<'_> {
    fn find(&self) -> Option<(DfaStateId, StepId, DfaStateId, Elimination)> {
        let states = || (0..self.dfa.states.len() as u32).map(DfaStateId);
        let all: Vec<(DfaStateId, StepId, DfaStateId)> = states()
            .flat_map(|from| self.external_edges(from).into_iter().map(move |e| (from, e.0, e.1)))
            .collect();
        let is_round = |(from, _, to): &&(DfaStateId, StepId, DfaStateId)| from == to;
        let mut rounds = all.iter().filter(is_round);
        if let Some(&(from, step, to)) =
            rounds.find(|one| is_settled(self.dfa, one.0, self.is_quiet))
        {
            return Some((from, step, to, Elimination::Drop));
        }
        all.into_iter()
            .filter(|one| !is_round(&one))
            .find_map(|(from, step, to)| Some((from, step, to, self.how_to(from, step, to)?)))
    }

    fn external_edges(&self, state: DfaStateId) -> Vec<(StepId, DfaStateId)> {
        let free = |&(letter, target): &(Letter, Target)| match (letter, target) {
            (Letter::Step(step), Target::State(to)) if self.facts.is_external(self.unit, step) => {
                Some((step, to))
            }
            _ => None,
        };
        self.dfa.state(state).edges.iter().filter_map(free).collect()
    }

    /// For a step to another state.
    fn how_to(&self, from: DfaStateId, step: StepId, to: DfaStateId) -> Option<Elimination> {
        let dfa = self.dfa;
        let (ends, ends_behind) = (dfa.may_end_from(from), dfa.may_end_from(to));
        let waiting = |state| self.facts.waiting(self.unit, &first(dfa, state));
        if !is_settled(dfa, from, self.is_quiet)
            || ends != ends_behind && self.is_followed
            || waiting(from) != waiting(to)
        {
            return None;
        }
        if self.leads(to, from) {
            let merged = merged(dfa, from, to);
            let fits = is_settled(dfa, to, self.is_quiet) && is_deterministic(&merged);
            return fits.then_some(Elimination::Merge);
        }
        let copied = copied(dfa, from, step, to);
        if !is_deterministic(&copied) {
            return None;
        }
        let own = dfa.state(from).edges.iter();
        let mut others = own.filter(|edge| **edge != (Letter::Step(step), Target::State(to)));
        let behind = &dfa.state(to).edges;
        let is_covered = others.all(|edge| behind.contains(edge)) && (!ends || ends_behind);
        if is_covered {
            return Some(Elimination::Copy);
        }
        let free_behind = self.external_edges(to);
        let has_edge = |&(other, next): &(StepId, DfaStateId)| {
            let edge = (Letter::Step(other), Target::State(next));
            (other, next) != (step, to) && dfa.state(from).edges.contains(&edge)
        };
        let goes_on = free_behind.iter().any(|(_, next)| *next != to)
            || first(dfa, to).iter().any(|step| self.facts.is_urgent(self.unit, *step));
        // Only what makes fewer free steps: they must not chase one another.
        (goes_on && free_behind.iter().all(has_edge)).then_some(Elimination::Copy)
    }

    /// Whether free steps lead from a state to another.
    fn leads(&self, from: DfaStateId, to: DfaStateId) -> bool {
        let mut seen = vec![from];
        let mut done = 0;
        while done < seen.len() {
            for (_, next) in self.external_edges(seen[done]) {
                if !seen.contains(&next) {
                    seen.push(next);
                }
            }
            done += 1;
        }
        seen.contains(&to)
    }
}

type Edges = BTreeSet<(Letter, Target)>;

/// The transitions of a state that takes over those behind a step.
fn copied(dfa: &ForkedDfa, from: DfaStateId, step: StepId, to: DfaStateId) -> Edges {
    let mut edges: Edges = dfa.state(from).edges.iter().copied().collect();
    edges.remove(&(Letter::Step(step), Target::State(to)));
    edges.extend(dfa.state(to).edges.iter().copied());
    edges
}

/// The transitions of two states that become one, the first.
fn merged(dfa: &ForkedDfa, one: DfaStateId, other: DfaStateId) -> Edges {
    let both = dfa.state(one).edges.iter().chain(&dfa.state(other).edges);
    let redirect = |&(letter, target): &(Letter, Target)| match target {
        Target::State(to) if to == other => (letter, Target::State(one)),
        _ => (letter, target),
    };
    both.map(redirect).collect()
}

/// Whether each letter leads to one state at most.
fn is_deterministic(edges: &Edges) -> bool {
    let to_states = || edges.iter().filter(|edge| matches!(edge.1, Target::State(_)));
    to_states().zip(to_states().skip(1)).all(|(one, next)| one.0 != next.0)
}

fn apply(system: &mut ComponentSystem, removal: Removal, log: &mut Vec<Entry>) {
    let Removal { place, from, step, to, way } = removal;
    let unit = &mut system.units[place.unit.index()];
    let dfa = dfa_at_mut(&mut unit.dfa, &place.way);
    let free = (Letter::Step(step), Target::State(to));
    match way {
        Elimination::Drop => dfa.states[from.index()].edges.retain(|edge| *edge != free),
        Elimination::Copy => {
            let accepting = dfa.state(to).accepting;
            let edges = copied(dfa, from, step, to);
            let state = &mut dfa.states[from.index()];
            state.edges = edges.into_iter().collect();
            state.accepting |= accepting;
        }
        Elimination::Merge => {
            let edges: Vec<_> = merged(dfa, from, to).into_iter().collect();
            let accepting = dfa.state(from).accepting || dfa.state(to).accepting;
            for state in &mut dfa.states {
                for (_, target) in &mut state.edges {
                    if *target == Target::State(to) {
                        *target = Target::State(from);
                    }
                }
            }
            for state in [from, to] {
                dfa.states[state.index()].edges = edges.clone();
                dfa.states[state.index()].accepting = accepting;
            }
        }
    }
    normalise(&mut unit.dfa);
    log.push(Entry {
        rule: Rule::External,
        components: vec![unit.name.clone()],
        events: system.alphabet.step_events(step).iter().map(|part| part.event).collect(),
        removed: vec![Transition { component: unit.name.clone(), from, step, to }],
        undo: Undo::Inserted { unit: place.unit, step },
    });
}

/// Removes external events from atomic actions: they are always enabled.
pub(super) fn strip(system: &mut ComponentSystem, log: &mut Vec<Entry>) {
    for unit in (0..system.units.len() as u32).map(UnitId) {
        let wanted = {
            let facts = Facts::new(system);
            let mut wanted: Vec<(StepId, Vec<StepEvent>, Vec<StepEvent>)> = Vec::new();
            for event in facts.events() {
                for one in facts.uses(event).iter().filter(|u| u.is_atomic && u.place.unit == unit)
                {
                    let parts = system.alphabet.step_events(one.step);
                    let (free, rest): (Vec<_>, Vec<_>) = parts
                        .iter()
                        .copied()
                        .partition(|part| facts.is_external_event(unit, *part));
                    let known = wanted.iter().any(|(step, ..)| *step == one.step);
                    if !free.is_empty() && !rest.is_empty() && !known {
                        wanted.push((one.step, free, rest));
                    }
                }
            }
            wanted
        };
        for (step, free, rest) in wanted {
            let short = system.alphabet.step(rest);
            let mut after = system.units[unit.index()].dfa.clone();
            if !rename(&mut after, step, short) {
                continue;
            }
            normalise(&mut after);
            let unit_name = system.units[unit.index()].name.clone();
            system.units[unit.index()].dfa = after;
            log.push(Entry {
                rule: Rule::External,
                components: vec![unit_name],
                events: free.iter().map(|part| part.event).collect(),
                removed: Vec::new(),
                undo: Undo::Renamed { unit, from: step, to: short },
            });
        }
    }
}

/// Renames a step everywhere; fails where the new name is taken.
fn rename(dfa: &mut ForkedDfa, old: StepId, new: StepId) -> bool {
    for state in &mut dfa.states {
        let has = |step: StepId| state.edges.iter().any(|edge| edge.0 == Letter::Step(step));
        if has(old) && has(new) {
            return false;
        }
        for (letter, _) in &mut state.edges {
            if *letter == Letter::Step(old) {
                *letter = Letter::Step(new);
            }
        }
    }
    dfa.forks.iter_mut().flat_map(|fork| &mut fork.branches).all(|b| rename(b, old, new))
}
