//! Branching time on the fly: a formula is decided in the initial marking by looking at as few markings as
//! its operators need. `EX`, `EU` and `EG` are searched for by themselves, everything else is their
//! negation; what is found of a marking is remembered (after Stirling & Walker 1991, with searches in the
//! place of tableaux).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use quadrille_engine::{Limits, Space};
use quadrille_model::{Condition, StateId};
use quadrille_petri::{Formula, NetModel, distance};
use rustc_hash::{FxHashMap, FxHashSet};

/// A formula about markings of a model, as far as it is decided.
pub(super) struct Local<'m> {
    model: &'m NetModel,
    space: Space<'m>,
    limits: Limits,
    parts: Vec<Part>,
    root: usize,
    /// Per part and state, what is known.
    known: Vec<Vec<Known>>,
    /// Per state, where its successors are, once it was expanded.
    lists: Vec<Option<(usize, usize)>>,
    successors: Vec<StateId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    No,
    Yes,
}

impl From<bool> for Known {
    fn from(value: bool) -> Self {
        if value { Self::Yes } else { Self::No }
    }
}

/// A part of the formula; operands are positions of parts.
enum Part {
    /// About one marking. The formula says how far it is from being true.
    Marking(Condition, Formula),
    Not(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
    /// On some run: in the next marking, until, always.
    Next(usize),
    Until(usize, usize),
    Always(usize),
}

/// Ends a search: a limit was reached, or a step could not be computed.
struct Stop;

type Found = Result<bool, Stop>;

/// States that are expanded between two looks at the clock.
const PERIOD: u64 = 64;

/// Formulas that are nested deeper are not looked at: searches within searches take stack.
const DEEPEST: usize = 200;

impl<'m> Local<'m> {
    /// Prepares a formula of branching time; `None` where it is nested too deep.
    pub(super) fn new(model: &'m NetModel, formula: &Formula, limits: Limits) -> Option<Self> {
        if depth(formula) > DEEPEST {
            return None;
        }
        let mut local = Self {
            model,
            space: Space::new(model),
            limits,
            parts: Vec::new(),
            root: 0,
            known: Vec::new(),
            lists: Vec::new(),
            successors: Vec::new(),
        };
        local.root = local.part(&existential(formula), &mut FxHashMap::default());
        Some(local)
    }

    /// Whether the formula holds in the initial marking, if that is found while `go_on` says so. May be
    /// asked again, with more time.
    pub(super) fn decide(&mut self, go_on: &mut dyn FnMut() -> bool) -> Option<bool> {
        let start = *self.space.initial().first()?;
        let mut search = Search { local: self, go_on, n_expanded: 0 };
        search.holds(search.local.root, start).ok()
    }

    fn part(&mut self, formula: &Formula, numbers: &mut FxHashMap<Formula, usize>) -> usize {
        if let Some(&known) = numbers.get(formula) {
            return known;
        }
        let part = match formula {
            _ if formula.is_state() => {
                Part::Marking(self.model.meaning_of(formula), formula.pushed(false))
            }
            Formula::Not(inner) => Part::Not(self.part(inner, numbers)),
            Formula::And(all) | Formula::Or(all) => {
                // What is about the marking alone is known at once.
                let mut ordered: Vec<&Formula> = all.iter().collect();
                ordered.sort_by_key(|part| depth(part));
                let parts = ordered.into_iter().map(|part| self.part(part, numbers)).collect();
                if matches!(formula, Formula::And(_)) { Part::All(parts) } else { Part::Any(parts) }
            }
            Formula::Some(inner) => match &**inner {
                Formula::Next(body) => Part::Next(self.part(body, numbers)),
                Formula::Globally(body) => Part::Always(self.part(body, numbers)),
                Formula::Until(hold, goal) => {
                    Part::Until(self.part(hold, numbers), self.part(goal, numbers))
                }
                other => return self.part(other, numbers),
            },
            other => Part::Marking(self.model.meaning_of(other), other.clone()),
        };
        self.parts.push(part);
        self.known.push(Vec::new());
        numbers.insert(formula.clone(), self.parts.len() - 1);
        self.parts.len() - 1
    }

    fn get(&self, part: usize, state: StateId) -> Option<bool> {
        match self.known[part].get(state.index()) {
            Some(Known::Yes) => Some(true),
            Some(Known::No) => Some(false),
            _ => None,
        }
    }

    fn set(&mut self, part: usize, state: StateId, value: bool) {
        let known = &mut self.known[part];
        if known.len() <= state.index() {
            known.resize(self.space.n_states().max(state.index() + 1), Known::Nothing);
        }
        known[state.index()] = value.into();
    }

    fn is_within(&self) -> bool {
        let n_known: usize = self.known.iter().map(Vec::capacity).sum();
        let bytes = self.space.bytes()
            + n_known
            + self.lists.capacity() * size_of::<Option<(usize, usize)>>()
            + self.successors.capacity() * size_of::<StateId>();
        self.limits.states.is_none_or(|most| self.space.n_states() as u64 <= most)
            && self.limits.memory.is_none_or(|most| bytes as u64 <= most)
    }

    /// How far a state is from a formula about its marking.
    fn distance(&mut self, goal: usize, state: StateId) -> i64 {
        let Part::Marking(_, formula) = &self.parts[goal] else { return 0 };
        let marking = self.model.slots().marking(self.space.view(state));
        distance(formula, self.model.net(), &marking)
    }
}

/// A search under way.
struct Search<'l, 'm, 'g> {
    local: &'l mut Local<'m>,
    go_on: &'g mut dyn FnMut() -> bool,
    n_expanded: u64,
}

impl Search<'_, '_, '_> {
    fn holds(&mut self, part: usize, state: StateId) -> Found {
        if let Some(known) = self.local.get(part, state) {
            return Ok(known);
        }
        match &self.local.parts[part] {
            Part::Marking(condition, _) => {
                condition.holds(self.local.space.view(state)).ok_or(Stop)
            }
            Part::Not(inner) => {
                let inner = *inner;
                Ok(!self.holds(inner, state)?)
            }
            Part::All(parts) | Part::Any(parts) => {
                let decides = matches!(&self.local.parts[part], Part::Any(_));
                for inner in parts.clone() {
                    if self.holds(inner, state)? == decides {
                        return Ok(decides);
                    }
                }
                Ok(!decides)
            }
            Part::Next(inner) => {
                let inner = *inner;
                let (first, last) = self.expand(state)?;
                for at in first..last {
                    if self.holds(inner, self.local.successors[at])? {
                        self.local.set(part, state, true);
                        return Ok(true);
                    }
                }
                self.local.set(part, state, false);
                Ok(false)
            }
            &Part::Until(hold, goal) => self.until(part, hold, goal, state),
            &Part::Always(body) => self.always(part, body, state),
        }
    }

    /// Positions of the successors of a state.
    fn expand(&mut self, state: StateId) -> Result<(usize, usize), Stop> {
        if let Some(&Some(list)) = self.local.lists.get(state.index()) {
            return Ok(list);
        }
        self.n_expanded += 1;
        let n_slots = self.local.model.slots().slots.len() as u64;
        // States of large nets are large themselves, and have many successors.
        let period = (PERIOD * 100 / (n_slots + 1)).clamp(1, PERIOD);
        if self.n_expanded.is_multiple_of(period) && !(self.local.is_within() && (self.go_on)()) {
            return Err(Stop);
        }
        let first = self.local.successors.len();
        let edges = self.local.space.expand(state).map_err(|_| Stop)?;
        self.local.successors.extend(edges.iter().map(|edge| edge.to));
        let list = (first, self.local.successors.len());
        let n_states = self.local.space.n_states();
        self.local.lists.resize(n_states, None);
        self.local.lists[state.index()] = Some(list);
        Ok(list)
    }

    /// A path through `hold` to `goal`: nearest markings first, of those as near the last that was met.
    fn until(&mut self, part: usize, hold: usize, goal: usize, start: StateId) -> Found {
        let mut parents: FxHashMap<StateId, StateId> = FxHashMap::default();
        let mut open = BinaryHeap::from([(Reverse(0i64), 0, Reverse(start))]);
        parents.insert(start, start);
        // In order: what is done does not depend on how states are hashed.
        let mut met = vec![start];
        while let Some((_, _, Reverse(state))) = open.pop() {
            let known = self.local.get(part, state);
            if known == Some(false) {
                continue;
            }
            if known == Some(true) || self.holds(goal, state)? {
                // So does every marking on the way.
                let mut on_way = state;
                loop {
                    self.local.set(part, on_way, true);
                    let parent = parents[&on_way];
                    if parent == on_way {
                        return Ok(true);
                    }
                    on_way = parent;
                }
            }
            if !self.holds(hold, state)? {
                self.local.set(part, state, false);
                continue;
            }
            let (first, last) = self.expand(state)?;
            for at in first..last {
                let next = self.local.successors[at];
                if parents.contains_key(&next) {
                    continue;
                }
                parents.insert(next, state);
                met.push(next);
                let away = self.local.distance(goal, next);
                open.push((Reverse(away), met.len(), Reverse(next)));
            }
        }
        // Everything that can be reached was looked at.
        for state in met {
            self.local.set(part, state, false);
        }
        Ok(false)
    }

    /// A run through `body` that never ends, or ends in a dead marking: a cycle closes on the path.
    fn always(&mut self, part: usize, body: usize, start: StateId) -> Found {
        let mut path: Vec<(StateId, usize, usize)> = Vec::new();
        let mut on_path: FxHashSet<StateId> = FxHashSet::default();
        let mut next = Some(start);
        loop {
            if let Some(state) = next.take() {
                let known = self.local.get(part, state);
                let goes_on = known == Some(true) || on_path.contains(&state);
                if goes_on {
                    return Ok(self.all_go_on(part, &path, state));
                }
                if known.is_none() {
                    if self.holds(body, state)? {
                        let (first, last) = self.expand(state)?;
                        if first == last {
                            return Ok(self.all_go_on(part, &path, state));
                        }
                        path.push((state, first, last));
                        on_path.insert(state);
                    } else {
                        self.local.set(part, state, false);
                    }
                }
            }
            let Some((state, at, last)) = path.last_mut() else { return Ok(false) };
            if at < last {
                next = Some(self.local.successors[*at]);
                *at += 1;
            } else {
                let state = *state;
                path.pop();
                on_path.remove(&state);
                self.local.set(part, state, false);
            }
        }
    }

    fn all_go_on(&mut self, part: usize, path: &[(StateId, usize, usize)], last: StateId) -> bool {
        for &(state, ..) in path {
            self.local.set(part, state, true);
        }
        self.local.set(part, last, true);
        true
    }
}

fn depth(formula: &Formula) -> usize {
    if formula.is_state() {
        return 0;
    }
    1 + formula.parts().into_iter().map(depth).max().unwrap_or(0)
}

/// The same with `EX`, `EU` and `EG` only.
fn existential(formula: &Formula) -> Formula {
    if formula.is_state() {
        return formula.clone();
    }
    let some = |body: Formula| Formula::Some(Box::new(body));
    let until = |hold: Formula, goal: Formula| {
        Formula::Some(Box::new(Formula::Until(Box::new(hold), Box::new(goal))))
    };
    match formula {
        Formula::Some(inner) => match &**inner {
            Formula::Next(body) => some(Formula::Next(Box::new(existential(body)))),
            Formula::Finally(body) => until(Formula::Constant(true), existential(body)),
            Formula::Globally(body) => some(Formula::Globally(Box::new(existential(body)))),
            Formula::Until(hold, goal) => until(existential(hold), existential(goal)),
            other => existential(other),
        },
        Formula::All(inner) => match &**inner {
            Formula::Next(body) => !some(Formula::Next(Box::new(!existential(body)))),
            Formula::Finally(body) => !some(Formula::Globally(Box::new(!existential(body)))),
            Formula::Globally(body) => !until(Formula::Constant(true), !existential(body)),
            Formula::Until(hold, goal) => {
                let (no_hold, no_goal) = (!existential(hold), !existential(goal));
                let leaves = until(no_goal.clone(), Formula::and([no_hold, no_goal.clone()]));
                !Formula::or([leaves, some(Formula::Globally(Box::new(no_goal)))])
            }
            other => existential(other),
        },
        other => other.map(existential),
    }
}
