//! Peterson's lock for n processes, the filter lock.

use quadrille_model::{Automaton, LocalId, Network, Predicate, Template};

use super::{Parts, local};

/// Where a process is; its level, the variable that others look at, follows from it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Idle,
    /// About to set the own level to this one (above 1).
    Climb(usize),
    /// About to become the victim of this level.
    Mark(usize),
    /// On this level, about to look at the process with this number.
    Wait(usize, usize),
    Critical,
}

/// All places of a process among `n`, in the order of its local states.
struct Places {
    n: usize,
    list: Vec<Place>,
}

impl Places {
    fn new(n: usize) -> Self {
        let on = |level| {
            let climb = (level > 1).then_some(Place::Climb(level));
            let waits = (0..n).map(move |other| Place::Wait(level, other));
            climb.into_iter().chain([Place::Mark(level)]).chain(waits)
        };
        let list = [Place::Idle].into_iter().chain((1..n).flat_map(on)).chain([Place::Critical]);
        Self { n, list: list.collect() }
    }

    fn id(&self, place: Place) -> LocalId {
        let position = self.list.iter().position(|&other| other == place);
        local(position.expect("a place of the list"))
    }

    /// What the process has written as its level.
    fn level(&self, place: Place) -> usize {
        match place {
            Place::Idle => 0,
            Place::Climb(level) => level - 1,
            Place::Mark(level) | Place::Wait(level, _) => level,
            Place::Critical => self.n - 1,
        }
    }

    /// Where a process goes on that has passed all others it looked at on a level.
    fn behind(&self, level: usize, other: usize) -> Place {
        match (other + 1 < self.n, level + 1 < self.n) {
            (true, _) => Place::Wait(level, other + 1),
            (false, true) => Place::Climb(level + 1),
            (false, false) => Place::Critical,
        }
    }

    /// The places whose level is below this one, or those whose is not.
    fn with_level(&self, below: bool, level: usize) -> impl Iterator<Item = LocalId> + '_ {
        let fits = move |&&place: &&Place| (self.level(place) < level) == below;
        self.list.iter().filter(fits).map(|&place| self.id(place))
    }
}

/// `n` processes. One step per access to a shared variable: set the own level; become the victim
/// of that level; then look at every process in turn, oneself included, and pass it when it is
/// oneself, is on a lower level, or another process is the victim (looking is one step, and blocks).
/// Leaving the critical section sets the level to 0. All victims are process 0 in the beginning.
/// Proposition `critical`: a process is in there.
pub fn peterson(n: usize) -> Network {
    let mut parts = Parts::default();
    let places = Places::new(n);
    let names: Vec<String> = places.list.iter().map(|place| name(*place)).collect();
    let processes: Vec<_> = (0..n)
        .map(|i| parts.participant(Automaton::new(format!("process {i}"), names.clone())))
        .collect();
    let numbers = || (0..n).map(|i| i.to_string());
    let victims: Vec<_> = (1..n)
        .map(|level| parts.participant(Automaton::new(format!("victim {level}"), numbers())))
        .collect();
    for (i, &process) in processes.iter().enumerate() {
        let step = |label: &str, from: Place, to: Place| {
            Template::new(format!("{i} {label}")).step(process, places.id(from), places.id(to))
        };
        parts.template(step("enters", Place::Idle, Place::Mark(1)));
        parts.template(step("leaves", Place::Critical, Place::Idle));
        for level in 1..n {
            let victim = victims[level - 1];
            if level > 1 {
                parts.template(step("climbs", Place::Climb(level), Place::Mark(level)));
            }
            let mark = step("is victim", Place::Mark(level), Place::Wait(level, 0));
            parts.template(mark.becomes(victim, [local(i)]));
            for (other, &looked_at) in processes.iter().enumerate() {
                let pass =
                    || step("passes", Place::Wait(level, other), places.behind(level, other));
                if other == i {
                    parts.template(pass());
                    continue;
                }
                // Two templates for "lower, or another is victim": never both at once.
                parts.template(pass().when(looked_at, places.with_level(true, level)));
                let not_me = (0..n).filter(|&number| number != i).map(local);
                parts.template(
                    pass().when(looked_at, places.with_level(false, level)).when(victim, not_me),
                );
            }
        }
    }
    let critical = places.id(Place::Critical).number();
    let inside = |&process| Predicate::In(process, [critical].into_iter().collect());
    parts.proposition("critical", Predicate::Any(processes.iter().map(inside).collect()));
    parts.build()
}

fn name(place: Place) -> String {
    match place {
        Place::Idle => "idle".to_owned(),
        Place::Climb(level) => format!("climbs to {level}"),
        Place::Mark(level) => format!("marks {level}"),
        Place::Wait(level, other) => format!("on {level} looks at {other}"),
        Place::Critical => "critical".to_owned(),
    }
}
