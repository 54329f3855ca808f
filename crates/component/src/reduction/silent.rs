//! B4: steps that only the surroundings take part in. They are always possible and nobody inside
//! notices them, so a state can take over what is behind such a step.
//!
//! The published condition, that nothing becomes acceptable earlier, is not enough: a state that
//! accepts more than the one behind the step, or that can end or go on where the one behind it is
//! stuck, would hide that the step may be taken. What is asked here instead of a step from `s` to `t`:
//!
//! - whatever somebody may emit is accepted in both or in neither, and the same way;
//! - behind a fork, the branches can do nothing more where they may end, since the first step behind a
//!   fork is also what ends it;
//! - inside a fork, both may end or neither, unless nothing is accepted behind the fork;
//! - `t` can always go on by itself (it emits, or has such a step), or it can do all that `s` can, or
//!   there is a way of such steps back to `s`.

use std::collections::BTreeSet;

use super::facts::Facts;
use super::log::{Back, Entry, Rule, Transition};
use super::look::{
    Place, first, follow, is_settled, piece_at, piece_at_mut, places, starts_quietly, tidy,
};
use super::system::System;
use crate::automata::{Letter, Local, Part, Piece, StepId, Target};
use crate::composition::UnitId;

/// What is done about a free step.
struct Removal {
    place: Place,
    from: Local,
    step: StepId,
    to: Local,
    way: HowTo,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HowTo {
    /// It leads from a state to itself.
    Drop,
    /// The state takes over the transitions of the other.
    Copy,
    /// Both states become one.
    Merge,
}

/// Removes free steps until none can be removed.
pub(super) fn eliminate(system: &mut System, log: &mut Vec<Entry>) {
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

fn find(system: &System, facts: &Facts<'_>, unit: UnitId) -> Option<Removal> {
    let root = &system.units[unit.index()].piece;
    places(unit, root).into_iter().find_map(|place| {
        let piece = piece_at(root, &place.way);
        let search = Search {
            facts,
            unit,
            piece,
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
    piece: &'a Piece,
    /// Whether nothing else may happen while it is in its initial state.
    is_quiet: bool,
    /// Whether something is accepted once it has ended.
    is_followed: bool,
}

impl Search<'_> {
    fn find(&self) -> Option<(Local, StepId, Local, HowTo)> {
        let states = || (0..self.piece.states.len() as u32).map(Local);
        let all: Vec<(Local, StepId, Local)> = states()
            .flat_map(|from| self.free_edges(from).into_iter().map(move |e| (from, e.0, e.1)))
            .collect();
        let is_round = |(from, _, to): &&(Local, StepId, Local)| from == to;
        let mut rounds = all.iter().filter(is_round);
        if let Some(&(from, step, to)) =
            rounds.find(|one| is_settled(self.piece, one.0, self.is_quiet))
        {
            return Some((from, step, to, HowTo::Drop));
        }
        all.into_iter()
            .filter(|one| !is_round(&one))
            .find_map(|(from, step, to)| Some((from, step, to, self.how_to(from, step, to)?)))
    }

    fn free_edges(&self, state: Local) -> Vec<(StepId, Local)> {
        let free = |&(letter, target): &(Letter, Target)| match (letter, target) {
            (Letter::Step(step), Target::State(to)) if self.facts.is_free(self.unit, step) => {
                Some((step, to))
            }
            _ => None,
        };
        self.piece.state(state).edges.iter().filter_map(free).collect()
    }

    /// For a step to another state.
    fn how_to(&self, from: Local, step: StepId, to: Local) -> Option<HowTo> {
        let piece = self.piece;
        let (ends, ends_behind) = (piece.may_end_from(from), piece.may_end_from(to));
        let waiting = |state| self.facts.waiting(self.unit, &first(piece, state));
        if !is_settled(piece, from, self.is_quiet)
            || ends != ends_behind && self.is_followed
            || waiting(from) != waiting(to)
        {
            return None;
        }
        if self.leads(to, from) {
            let merged = merged(piece, from, to);
            let fits = is_settled(piece, to, self.is_quiet) && is_deterministic(&merged);
            return fits.then_some(HowTo::Merge);
        }
        let copied = copied(piece, from, step, to);
        if !is_deterministic(&copied) {
            return None;
        }
        let own = piece.state(from).edges.iter();
        let mut others = own.filter(|edge| **edge != (Letter::Step(step), Target::State(to)));
        let behind = &piece.state(to).edges;
        let is_covered = others.all(|edge| behind.contains(edge)) && (!ends || ends_behind);
        if is_covered {
            return Some(HowTo::Copy);
        }
        let free_behind = self.free_edges(to);
        let has_edge = |&(other, next): &(StepId, Local)| {
            let edge = (Letter::Step(other), Target::State(next));
            (other, next) != (step, to) && piece.state(from).edges.contains(&edge)
        };
        let goes_on = free_behind.iter().any(|(_, next)| *next != to)
            || first(piece, to).iter().any(|step| self.facts.pushes(self.unit, *step));
        // Only what makes fewer free steps: they must not chase one another.
        (goes_on && free_behind.iter().all(has_edge)).then_some(HowTo::Copy)
    }

    /// Whether free steps lead from a state to another.
    fn leads(&self, from: Local, to: Local) -> bool {
        let mut seen = vec![from];
        let mut done = 0;
        while done < seen.len() {
            for (_, next) in self.free_edges(seen[done]) {
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
fn copied(piece: &Piece, from: Local, step: StepId, to: Local) -> Edges {
    let mut edges: Edges = piece.state(from).edges.iter().copied().collect();
    edges.remove(&(Letter::Step(step), Target::State(to)));
    edges.extend(piece.state(to).edges.iter().copied());
    edges
}

/// The transitions of two states that become one, the first.
fn merged(piece: &Piece, one: Local, other: Local) -> Edges {
    let both = piece.state(one).edges.iter().chain(&piece.state(other).edges);
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

fn apply(system: &mut System, removal: Removal, log: &mut Vec<Entry>) {
    let Removal { place, from, step, to, way } = removal;
    let unit = &mut system.units[place.unit.index()];
    let piece = piece_at_mut(&mut unit.piece, &place.way);
    let free = (Letter::Step(step), Target::State(to));
    match way {
        HowTo::Drop => piece.states[from.index()].edges.retain(|edge| *edge != free),
        HowTo::Copy => {
            let accepting = piece.state(to).accepting;
            let edges = copied(piece, from, step, to);
            let state = &mut piece.states[from.index()];
            state.edges = edges.into_iter().collect();
            state.accepting |= accepting;
        }
        HowTo::Merge => {
            let edges: Vec<_> = merged(piece, from, to).into_iter().collect();
            let accepting = piece.state(from).accepting || piece.state(to).accepting;
            for state in &mut piece.states {
                for (_, target) in &mut state.edges {
                    if *target == Target::State(to) {
                        *target = Target::State(from);
                    }
                }
            }
            for state in [from, to] {
                piece.states[state.index()].edges = edges.clone();
                piece.states[state.index()].accepting = accepting;
            }
        }
    }
    tidy(&mut unit.piece);
    log.push(Entry {
        rule: Rule::External,
        components: vec![unit.name.clone()],
        events: system.alphabet.parts(step).iter().map(|part| part.event).collect(),
        removed: vec![Transition { component: unit.name.clone(), from, step, to }],
        back: Back::Inserted { unit: place.unit, step },
    });
}

/// Leaves out of atomic actions what the surroundings take part in: it is always possible.
pub(super) fn strip(system: &mut System, log: &mut Vec<Entry>) {
    for unit in (0..system.units.len() as u32).map(UnitId) {
        let wanted = {
            let facts = Facts::new(system);
            let mut wanted: Vec<(StepId, Vec<Part>, Vec<Part>)> = Vec::new();
            for event in facts.events() {
                for one in facts.uses(event).iter().filter(|u| u.is_atomic && u.place.unit == unit)
                {
                    let parts = system.alphabet.parts(one.step);
                    let (free, rest): (Vec<_>, Vec<_>) =
                        parts.iter().copied().partition(|part| facts.is_free_part(unit, *part));
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
            let mut after = system.units[unit.index()].piece.clone();
            if !rename(&mut after, step, short) {
                continue;
            }
            tidy(&mut after);
            let unit_name = system.units[unit.index()].name.clone();
            system.units[unit.index()].piece = after;
            log.push(Entry {
                rule: Rule::External,
                components: vec![unit_name],
                events: free.iter().map(|part| part.event).collect(),
                removed: Vec::new(),
                back: Back::Renamed { unit, from: step, to: short },
            });
        }
    }
}

/// Renames a step everywhere; fails where the new name is taken.
fn rename(piece: &mut Piece, old: StepId, new: StepId) -> bool {
    for state in &mut piece.states {
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
    piece.forks.iter_mut().flat_map(|fork| &mut fork.branches).all(|b| rename(b, old, new))
}
