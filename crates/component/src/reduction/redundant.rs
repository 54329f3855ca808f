//! C3: nesting that means nothing. Branches that do nothing go, a branch that only forks gives its
//! branches to the fork it is in, a component that only forks becomes several components, and
//! components that do nothing go. All exact.

use super::automaton::normalise;
use super::log::{Entry, Rule, Undo};
use super::system::ComponentSystem;
use crate::automata::{
    DfaStateId, Fork, ForkId, ForkedDfa, Letter, Role, StepEvent, StepId, Target,
};
use crate::composition::{Unit, UnitId};

/// Applies the rule everywhere.
pub(super) fn apply(system: &mut ComponentSystem, log: &mut Vec<Entry>) {
    for unit in &mut system.units {
        if unnest(&mut unit.dfa) {
            normalise(&mut unit.dfa);
            log.push(entry(&unit.name, Undo::Same));
        }
    }
    while let Some(position) = system.units.iter().position(|unit| can_split(system, unit)) {
        split(system, position, log);
    }
}

/// Leaves out components that do nothing, but for one if there are no others.
pub(super) fn drop_idle(system: &mut ComponentSystem, log: &mut Vec<Entry>) {
    let is_idle = |unit: &Unit| does_nothing(&unit.dfa);
    while let Some(position) = system.units.iter().position(is_idle)
        && system.units.len() > 1
    {
        let mut units = system.units.clone();
        let gone = units.remove(position);
        let all = (0..system.units.len() as u32).map(UnitId);
        let origin: Vec<UnitId> = all.filter(|unit| unit.index() != position).collect();
        system.replace_units(units, &origin);
        log.push(entry(&gone.name, Undo::Parts { origin }));
    }
}

fn entry(component: &str, undo: Undo) -> Entry {
    Entry {
        rule: Rule::Redundant,
        components: vec![component.to_owned()],
        events: Vec::new(),
        removed: Vec::new(),
        undo,
    }
}

pub(super) fn does_nothing(dfa: &ForkedDfa) -> bool {
    matches!(&dfa.states[..], [only] if only.accepting && only.edges.is_empty())
}

/// The fork of an automaton that does nothing else.
fn only_fork(dfa: &ForkedDfa) -> Option<ForkId> {
    let [start, end] = &dfa.states[..] else { return None };
    let [(Letter::Join(fork), Target::State(DfaStateId(1)))] = start.edges[..] else { return None };
    let is_plain = !dfa.forks[fork.index()].needs_start;
    (is_plain && !start.accepting && end.accepting && end.edges.is_empty()).then_some(fork)
}

/// Removes idle branches and needless levels, inside first; tells whether there were any.
fn unnest(dfa: &mut ForkedDfa) -> bool {
    let mut changed = false;
    for Fork { branches, needs_start } in &mut dfa.forks {
        for branch in branches.iter_mut() {
            if unnest(branch) {
                normalise(branch);
                changed = true;
            }
        }
        if *needs_start {
            // Which branches have taken a step makes a difference.
            continue;
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
    changed | pass_over_idle_forks(dfa)
}

/// Lets a state take over what is behind a fork that does nothing, where letters do not clash.
fn pass_over_idle_forks(dfa: &mut ForkedDfa) -> bool {
    let mut changed = false;
    for state in 0..dfa.states.len() {
        let idle = dfa.states[state].edges.iter().find_map(|&(letter, target)| {
            let (Letter::Join(fork), Target::State(to)) = (letter, target) else { return None };
            let Fork { branches, needs_start } = &dfa.forks[fork.index()];
            let is_idle = !needs_start && branches.iter().all(does_nothing);
            is_idle.then_some(((letter, target), to))
        });
        let Some((edge, to)) = idle else { continue };
        let mut behind = dfa.state(to).clone();
        behind.edges.retain(|known| *known != edge);
        let own = &mut dfa.states[state];
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
fn can_split(system: &ComponentSystem, unit: &Unit) -> bool {
    fn steps(dfa: &ForkedDfa, each: &mut impl FnMut(StepId)) {
        for (letter, _) in dfa.states.iter().flat_map(|state| &state.edges) {
            if let Letter::Step(step) = letter {
                each(*step);
            }
        }
        for branch in dfa.forks.iter().flat_map(|fork| &fork.branches) {
            steps(branch, each);
        }
    }
    let mut simple = true;
    for other in &system.units {
        steps(&other.dfa, &mut |step| {
            let parts = system.alphabet.step_events(step);
            simple &= matches!(parts, [StepEvent { role: Role::Emit | Role::Accept, .. }]);
        });
    }
    simple && only_fork(&unit.dfa).is_some()
}

fn split(system: &mut ComponentSystem, position: usize, log: &mut Vec<Entry>) {
    let mut units = system.units.clone();
    let whole = units.remove(position);
    let branches: Vec<ForkedDfa> =
        whole.dfa.forks.into_iter().flat_map(|fork| fork.branches).collect();
    let is_one = branches.len() == 1;
    let mut origin: Vec<UnitId> = (0..=units.len() as u32).map(UnitId).collect();
    origin.remove(position);
    for (number, dfa) in branches.into_iter().enumerate() {
        let mut name = whole.name.clone();
        if !is_one {
            name += &format!("_{}", number + 1);
        }
        while units.iter().any(|known| known.name == name) {
            name.push('_');
        }
        units.insert(position + number, Unit { name, dfa });
        origin.insert(position + number, UnitId(position as u32));
    }
    system.replace_units(units, &origin);
    log.push(entry(&whole.name, Undo::Parts { origin }));
}
