//! Random walks through the markings of a net: what a walk meets is reachable. Some walks are blind,
//! others prefer steps that come nearer to a goal.

use quadrille_graph::SplitMix;

use crate::formula::{Formula, value};
use crate::net::{Net, Tokens, TransitionId};

/// A marking under way, with which transitions are enabled.
struct Walker<'n> {
    net: &'n Net,
    /// Per place, the transitions that take from it.
    takers: &'n [Vec<TransitionId>],
    marking: Vec<Tokens>,
    /// Per transition, how many of its places hold too little.
    missing: Vec<u32>,
    enabled: Vec<TransitionId>,
    /// Per transition, its position among the enabled ones.
    at: Vec<usize>,
    path: Vec<TransitionId>,
}

const ABSENT: usize = usize::MAX;

impl<'n> Walker<'n> {
    fn new(net: &'n Net, takers: &'n [Vec<TransitionId>]) -> Self {
        let n = net.transitions.len();
        let mut walker = Self {
            net,
            takers,
            marking: Vec::new(),
            missing: vec![0; n],
            enabled: Vec::new(),
            at: vec![ABSENT; n],
            path: Vec::new(),
        };
        walker.restart();
        walker
    }

    fn restart(&mut self) {
        self.marking.clone_from(&self.net.initial);
        self.path.clear();
        self.enabled.clear();
        self.at.fill(ABSENT);
        for id in self.net.transition_ids() {
            let take = self.net.transition(id).take.iter();
            let missing = take.filter(|(place, weight)| self.marking[place.index()] < *weight);
            self.missing[id.index()] = missing.count() as u32;
            if self.missing[id.index()] == 0 {
                self.enable(id);
            }
        }
    }

    fn enable(&mut self, id: TransitionId) {
        self.at[id.index()] = self.enabled.len();
        self.enabled.push(id);
    }

    fn disable(&mut self, id: TransitionId) {
        let at = std::mem::replace(&mut self.at[id.index()], ABSENT);
        self.enabled.swap_remove(at);
        if let Some(&moved) = self.enabled.get(at) {
            self.at[moved.index()] = at;
        }
    }

    /// Sets the tokens of a place.
    fn set(&mut self, place: usize, tokens: Tokens) {
        let old = std::mem::replace(&mut self.marking[place], tokens);
        for position in 0..self.takers[place].len() {
            let id = self.takers[place][position];
            let take = &self.net.transition(id).take;
            let found = take.binary_search_by_key(&place, |(place, _)| place.index());
            let weight = found.map_or(0, |at| take[at].1);
            let missing = self.missing[id.index()];
            match (old < weight, tokens < weight) {
                (true, false) => {
                    self.missing[id.index()] = missing - 1;
                    if missing == 1 {
                        self.enable(id);
                    }
                }
                (false, true) => {
                    self.missing[id.index()] = missing + 1;
                    if missing == 0 {
                        self.disable(id);
                    }
                }
                _ => {}
            }
        }
    }

    /// Fires an enabled transition; `false` where numbers would become too large.
    fn fire(&mut self, id: TransitionId, changes: &[Vec<(usize, i64)>]) -> bool {
        let sums = changes[id.index()].iter();
        let fits = |&(place, sum): &(usize, i64)| {
            i64::from(self.marking[place]) + sum <= i64::from(Tokens::MAX)
        };
        if !sums.clone().all(fits) {
            return false;
        }
        for &(place, sum) in sums {
            let tokens = (i64::from(self.marking[place]) + sum) as Tokens;
            self.set(place, tokens);
        }
        self.path.push(id);
        true
    }
}

impl Walker<'_> {
    /// How far from a goal the marking after a step is.
    fn after(&mut self, id: TransitionId, changes: &[Vec<(usize, i64)>], goal: &Formula) -> i64 {
        let change = &changes[id.index()];
        if *goal == Formula::Dead {
            // What is enabled follows from what is next to the places that change.
            let moves = |walker: &mut Self, sign: i64| {
                for &(place, sum) in change {
                    let tokens = i64::from(walker.marking[place]) + sign * sum;
                    walker.set(place, tokens as Tokens);
                }
            };
            moves(self, 1);
            let n_enabled = self.enabled.len() as i64;
            moves(self, -1);
            return n_enabled;
        }
        for &(place, sum) in change {
            self.marking[place] = (i64::from(self.marking[place]) + sum) as Tokens;
        }
        let away = distance(goal, self.net, &self.marking);
        for &(place, sum) in change {
            self.marking[place] = (i64::from(self.marking[place]) - sum) as Tokens;
        }
        away
    }
}

/// What walks look for, all at once.
pub struct Goals<'f> {
    /// The goals that were not met yet; `None` where one was.
    pub open: Vec<Option<&'f Formula>>,
    /// Where those that were are: a walk, and how many of its steps lead there.
    met: Vec<Option<(usize, usize)>>,
    /// Walks that met something.
    walks: Vec<Vec<TransitionId>>,
    n_open: usize,
    /// Per place, the goals that speak about it.
    by_place: Vec<Vec<u32>>,
    /// Goals that speak about dead markings.
    about_dead: Vec<u32>,
}

impl<'f> Goals<'f> {
    /// Nothing is met yet.
    pub fn new(goals: impl IntoIterator<Item = &'f Formula>) -> Self {
        let open: Vec<_> = goals.into_iter().map(Some).collect();
        let (met, n_open) = (vec![None; open.len()], open.len());
        let (walks, by_place, about_dead) = (Vec::new(), Vec::new(), Vec::new());
        Self { open, met, walks, n_open, by_place, about_dead }
    }

    /// The run to a goal, if it was met.
    pub fn run(&self, goal: usize) -> Option<&[TransitionId]> {
        let (walk, len) = self.met[goal]?;
        Some(&self.walks[walk][..len])
    }

    /// For these goals, in their order, whether a run leads to a marking where they hold: walks are
    /// replayed from the start, each once.
    pub fn replayed(&self, net: &Net, goals: &[Formula]) -> Vec<bool> {
        let mut holds = vec![false; goals.len()];
        let mut by_walk: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.walks.len()];
        for (goal, met) in self.met.iter().enumerate() {
            if let Some((walk, len)) = *met {
                by_walk[walk].push((len, goal));
            }
        }
        for (walk, mut met) in self.walks.iter().zip(by_walk) {
            met.sort_unstable();
            let mut marking = net.initial.clone();
            let mut at = 0;
            'walk: for (len, goal) in met {
                for &id in &walk[at..len] {
                    if !net.is_enabled(id, &marking) || !net.fire(id, &mut marking) {
                        break 'walk;
                    }
                }
                at = len;
                holds[goal] = goals[goal].holds(net, &marking);
            }
        }
        holds
    }

    fn is_done(&self) -> bool {
        self.n_open == 0
    }

    /// Notes which goals speak about which places.
    fn index(&mut self, n_places: usize) {
        self.by_place = vec![Vec::new(); n_places];
        let mut named = Vec::new();
        for (number, goal) in (0..).zip(&self.open) {
            let Some(goal) = goal else { continue };
            if goal.has_dead() {
                self.about_dead.push(number);
                continue;
            }
            name_places(goal, &mut named);
            named.sort_unstable();
            named.dedup();
            named.drain(..).for_each(|place| self.by_place[place].push(number));
        }
    }

    fn look_at(&mut self, goal: usize, walker: &Walker<'_>) {
        if self.open[goal].is_some_and(|goal| holds(goal, walker)) {
            let here = (self.walks.len(), walker.path.len());
            (self.open[goal], self.met[goal]) = (None, Some(here));
            self.n_open -= 1;
        }
    }

    fn look(&mut self, walker: &Walker<'_>) {
        (0..self.open.len()).for_each(|goal| self.look_at(goal, walker));
    }

    /// Keeps a walk that met something.
    fn end_walk(&mut self, n_open_before: usize, walker: &Walker<'_>) {
        if self.n_open < n_open_before {
            self.walks.push(walker.path.clone());
        }
    }

    /// Looks at the goals that a step may have met; how many that are.
    fn look_after(&mut self, walker: &Walker<'_>, changed: &[(usize, i64)]) -> u64 {
        let mut n_looked = 0;
        for list in 0..=changed.len() {
            let of = |goals: &Self, at: usize| match changed.get(list) {
                Some(&(place, _)) => goals.by_place[place].get(at).copied(),
                None => goals.about_dead.get(at).copied(),
            };
            let mut at = 0;
            while let Some(goal) = of(self, at) {
                self.look_at(goal as usize, walker);
                (at, n_looked) = (at + 1, n_looked + 1);
            }
        }
        n_looked
    }
}

fn name_places(goal: &Formula, named: &mut Vec<usize>) {
    if let Formula::AtMost(sum, _) = goal {
        named.extend(sum.iter().map(|(place, _)| place.index()));
    }
    goal.parts().into_iter().for_each(|part| name_places(part, named));
}

fn holds(goal: &Formula, walker: &Walker<'_>) -> bool {
    match goal {
        Formula::Dead => walker.enabled.is_empty(),
        Formula::Not(inner) => !holds(inner, walker),
        Formula::And(all) => all.iter().all(|part| holds(part, walker)),
        Formula::Or(all) => all.iter().any(|part| holds(part, walker)),
        other => other.holds(walker.net, &walker.marking),
    }
}

/// How far a marking is from a goal in which negations stand before dead markings only: 0 where it
/// holds.
pub fn distance(goal: &Formula, net: &Net, marking: &[Tokens]) -> i64 {
    match goal {
        Formula::AtMost(sum, most) => (value(sum, marking) - most).max(0),
        Formula::And(all) => {
            all.iter().map(|part| distance(part, net, marking)).fold(0, i64::saturating_add)
        }
        Formula::Or(all) => {
            all.iter().map(|part| distance(part, net, marking)).min().unwrap_or(1 << 40)
        }
        Formula::Dead => {
            net.transition_ids().filter(|&id| net.is_enabled(id, marking)).count() as i64
        }
        other => i64::from(!other.holds(net, marking)) << 20,
    }
}

/// Walks until all goals are met, as many steps as `steps`, or until `go_on` says otherwise. Half of
/// the walks are blind; the others are for one goal each, in turn.
pub fn walk(
    net: &Net,
    goals: &mut Goals<'_>,
    seed: u64,
    steps: u64,
    go_on: &mut dyn FnMut() -> bool,
) {
    let (takers, _) = net.neighbours();
    let changes: Vec<Vec<(usize, i64)>> = net
        .transition_ids()
        .map(|id| net.change(id).into_iter().map(|(place, sum)| (place.index(), sum)).collect())
        .collect();
    let pushed: Vec<Option<Formula>> =
        goals.open.iter().map(|goal| goal.map(|goal| goal.pushed(false))).collect();
    let mut walker = Walker::new(net, &takers);
    goals.index(net.n_places());
    let n_open = goals.n_open;
    goals.look(&walker);
    goals.end_walk(n_open, &walker);
    let (mut chance, mut left, mut round) = (SplitMix::new(seed), steps, 0usize);
    let mut work = 0u64;
    while left > 0 && !goals.is_done() && go_on() {
        walker.restart();
        // A walk that cannot begin counts as well.
        left -= 1;
        let longest = 200 << (round % 8).min(left.max(1).ilog2() as usize);
        let open: Vec<usize> =
            (0..goals.open.len()).filter(|&goal| goals.open[goal].is_some()).collect();
        let aim = (round % 2 == 1).then(|| open[round / 2 % open.len()]);
        round += 1;
        let n_open = goals.n_open;
        let mut last = None;
        for _ in 0..longest {
            if walker.enabled.is_empty() || left == 0 {
                break;
            }
            let towards = aim.and_then(|aim| pushed[aim].as_ref());
            let id = match towards {
                Some(goal) if chance.below(8) > 0 => {
                    work += goal_size(goal) * TRIED;
                    nearest(&mut walker, goal, &changes, &mut chance, &mut left)
                }
                // The same again, now and then: numbers become large that way.
                _ => match last.filter(|id: &TransitionId| walker.at[id.index()] != ABSENT) {
                    Some(last) if chance.below(4) == 0 => last,
                    _ => walker.enabled[chance.below(walker.enabled.len())],
                },
            };
            last = Some(id);
            left = left.saturating_sub(1);
            if !walker.fire(id, &changes) {
                break;
            }
            work += 1 + goals.look_after(&walker, &changes[id.index()]);
            let is_due = work >= LOOK_AFTER;
            work = if is_due { 0 } else { work };
            let is_met = aim.is_some_and(|aim| goals.open[aim].is_none());
            if is_met || goals.is_done() || is_due && !go_on() {
                break;
            }
        }
        goals.end_walk(n_open, &walker);
    }
}

/// Steps that are tried before one is taken towards a goal.
const TRIED: u64 = 24;
/// Steps, or goals looked at, between two looks at the clock.
const LOOK_AFTER: u64 = 4096;

/// About how long a goal is.
fn goal_size(goal: &Formula) -> u64 {
    match goal {
        Formula::AtMost(sum, _) => sum.len() as u64,
        other => 1 + other.parts().into_iter().map(goal_size).sum::<u64>(),
    }
}

/// One of the steps that lead nearest to a goal.
fn nearest(
    walker: &mut Walker<'_>,
    goal: &Formula,
    changes: &[Vec<(usize, i64)>],
    chance: &mut SplitMix,
    left: &mut u64,
) -> TransitionId {
    let n_enabled = walker.enabled.len();
    let start = chance.below(n_enabled);
    let n_tried = n_enabled.min(TRIED as usize);
    let tried: Vec<TransitionId> =
        (0..n_tried).map(|offset| walker.enabled[(start + offset) % n_enabled]).collect();
    let (mut best, mut least, mut ties) = (tried[0], i64::MAX, 0);
    for id in tried {
        let away = walker.after(id, changes, goal);
        if away < least {
            (best, least, ties) = (id, away, 1);
        } else if away == least {
            ties += 1;
            if chance.below(ties) == 0 {
                best = id;
            }
        }
    }
    *left = left.saturating_sub(n_tried as u64 / 4);
    best
}

/// The marking that a run leads to, where it is one.
pub fn replay(net: &Net, run: &[TransitionId]) -> Option<Vec<Tokens>> {
    let mut marking = net.initial.clone();
    for &id in run {
        if !net.is_enabled(id, &marking) || !net.fire(id, &mut marking) {
            return None;
        }
    }
    Some(marking)
}

/// A place that grows without end, with the run that shows it: its last part leads from one marking to
/// another that has as many tokens everywhere and more there, so that it can be repeated for ever (Karp
/// & Miller 1969).
pub fn growing(
    net: &Net,
    seed: u64,
    steps: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<(crate::PlaceId, Vec<TransitionId>)> {
    let (takers, _) = net.neighbours();
    let changes: Vec<Vec<(usize, i64)>> = net
        .transition_ids()
        .map(|id| net.change(id).into_iter().map(|(place, sum)| (place.index(), sum)).collect())
        .collect();
    let (mut walker, mut chance) = (Walker::new(net, &takers), SplitMix::new(seed));
    let (mut left, mut round) = (steps, 0u32);
    while left > 0 && go_on() {
        walker.restart();
        left -= 1;
        // Markings along the walk, at distances that double (Brent 1980), and some before.
        let mut anchors: Vec<Vec<Tokens>> = vec![walker.marking.clone()];
        let longest = 64u64 << (round % 10);
        round += 1;
        for step in 1..=longest {
            if walker.enabled.is_empty() || left == 0 {
                break;
            }
            left -= 1;
            let id = walker.enabled[chance.below(walker.enabled.len())];
            if !walker.fire(id, &changes) {
                break;
            }
            for anchor in &anchors {
                let covers = anchor.iter().zip(&walker.marking).all(|(old, new)| old <= new);
                if covers && *anchor != walker.marking {
                    let grown = anchor.iter().zip(&walker.marking).position(|(old, new)| old < new);
                    return grown.map(|place| (crate::PlaceId::from_usize(place), walker.path));
                }
            }
            if step.is_power_of_two() || step % 16 == 0 {
                if anchors.len() == 8 {
                    anchors.remove(1 + chance.below(7));
                }
                anchors.push(walker.marking.clone());
            }
        }
    }
    None
}
