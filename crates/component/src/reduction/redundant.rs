//! C3: nesting that means nothing. Branches that do nothing go, a branch that only forks gives its
//! branches to the fork it is in, a component that only forks becomes several components, and
//! components that do nothing go. All exact.

use super::log::{Back, Entry, Rule};
use super::look::tidy;
use super::system::System;
use crate::automata::{Fork, ForkId, Letter, Local, Part, Piece, Role, StepId, Target};
use crate::composition::{Unit, UnitId};

/// Applies the rule everywhere.
pub(super) fn apply(system: &mut System, log: &mut Vec<Entry>) {
    for unit in &mut system.units {
        if unnest(&mut unit.piece) {
            tidy(&mut unit.piece);
            log.push(entry(&unit.name, Back::Same));
        }
    }
    while let Some(position) = system.units.iter().position(|unit| can_split(system, unit)) {
        split(system, position, log);
    }
}

/// Leaves out components that do nothing, but for one if there are no others.
pub(super) fn drop_idle(system: &mut System, log: &mut Vec<Entry>) {
    let is_idle = |unit: &Unit| does_nothing(&unit.piece);
    while let Some(position) = system.units.iter().position(is_idle)
        && system.units.len() > 1
    {
        let mut units = system.units.clone();
        let gone = units.remove(position);
        let all = (0..system.units.len() as u32).map(UnitId);
        let origin: Vec<UnitId> = all.filter(|unit| unit.index() != position).collect();
        system.replace_units(units, &origin);
        log.push(entry(&gone.name, Back::Parts { origin }));
    }
}

fn entry(component: &str, back: Back) -> Entry {
    Entry {
        rule: Rule::Redundant,
        components: vec![component.to_owned()],
        events: Vec::new(),
        removed: Vec::new(),
        back,
    }
}

pub(super) fn does_nothing(piece: &Piece) -> bool {
    matches!(&piece.states[..], [only] if only.accepting && only.edges.is_empty())
}

/// The fork of an automaton that does nothing else.
fn only_fork(piece: &Piece) -> Option<ForkId> {
    let [start, end] = &piece.states[..] else { return None };
    let [(Letter::Join(fork), Target::State(Local(1)))] = start.edges[..] else { return None };
    (!start.accepting && end.accepting && end.edges.is_empty()).then_some(fork)
}

/// Removes idle branches and needless levels, inside first; tells whether there were any.
fn unnest(piece: &mut Piece) -> bool {
    let mut changed = false;
    for Fork { branches } in &mut piece.forks {
        for branch in branches.iter_mut() {
            if unnest(branch) {
                tidy(branch);
                changed = true;
            }
        }
        while branches.len() > 1
            && let Some(idle) = branches.iter().position(does_nothing)
        {
            branches.remove(idle);
            changed = true;
        }
        let mut lifted = Vec::new();
        for branch in branches.drain(..) {
            match only_fork(&branch) {
                Some(fork) => {
                    lifted.extend(branch.forks[fork.index()].branches.iter().cloned());
                    changed = true;
                }
                None => lifted.push(branch),
            }
        }
        *branches = lifted;
    }
    changed | pass_over_idle_forks(piece)
}

/// Lets a state take over what is behind a fork that does nothing, where letters do not clash.
fn pass_over_idle_forks(piece: &mut Piece) -> bool {
    let mut changed = false;
    for state in 0..piece.states.len() {
        let idle = piece.states[state].edges.iter().find_map(|&(letter, target)| {
            let (Letter::Join(fork), Target::State(to)) = (letter, target) else { return None };
            let is_idle = piece.forks[fork.index()].branches.iter().all(does_nothing);
            is_idle.then_some(((letter, target), to))
        });
        let Some((edge, to)) = idle else { continue };
        let mut behind = piece.state(to).clone();
        behind.edges.retain(|known| *known != edge);
        let own = &mut piece.states[state];
        let clashes = |other: &&(Letter, Target)| {
            own.edges.iter().any(|known| known.0 == other.0 && *known != **other)
        };
        if behind.edges.iter().any(|other| clashes(&other)) {
            continue;
        }
        own.edges.retain(|known| *known != edge);
        own.edges.extend(behind.edges);
        own.edges.sort_unstable();
        own.edges.dedup();
        own.accepting |= behind.accepting;
        changed = true;
    }
    changed
}

/// Whether a component only forks. Steps that join more than two could then join two parts of it, so
/// there must be none.
fn can_split(system: &System, unit: &Unit) -> bool {
    fn steps(piece: &Piece, each: &mut impl FnMut(StepId)) {
        for (letter, _) in piece.states.iter().flat_map(|state| &state.edges) {
            if let Letter::Step(step) = letter {
                each(*step);
            }
        }
        for branch in piece.forks.iter().flat_map(|fork| &fork.branches) {
            steps(branch, each);
        }
    }
    let mut simple = true;
    for other in &system.units {
        steps(&other.piece, &mut |step| {
            let parts = system.alphabet.parts(step);
            simple &= matches!(parts, [Part { role: Role::Emit | Role::Accept, .. }]);
        });
    }
    simple && only_fork(&unit.piece).is_some()
}

fn split(system: &mut System, position: usize, log: &mut Vec<Entry>) {
    let mut units = system.units.clone();
    let whole = units.remove(position);
    let branches: Vec<Piece> =
        whole.piece.forks.into_iter().flat_map(|fork| fork.branches).collect();
    let is_one = branches.len() == 1;
    let mut origin: Vec<UnitId> = (0..=units.len() as u32).map(UnitId).collect();
    origin.remove(position);
    for (number, piece) in branches.into_iter().enumerate() {
        let mut name = whole.name.clone();
        if !is_one {
            name += &format!("_{}", number + 1);
        }
        while units.iter().any(|known| known.name == name) {
            name.push('_');
        }
        units.insert(position + number, Unit { name, piece });
        origin.insert(position + number, UnitId(position as u32));
    }
    system.replace_units(units, &origin);
    log.push(entry(&whole.name, Back::Parts { origin }));
}
