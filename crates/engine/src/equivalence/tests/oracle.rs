//! The definitions, word for word: relations by greatest fixpoint, traces by enumeration, formulas
//! by evaluation. Slow, and independent of everything that is tested.

use std::collections::BTreeSet;

use quadrille_model::{Explicit, StateId};

use crate::equivalence::{Bisimulation, Formula, Observation, View};

/// A state of one of two tables.
type Point = (usize, StateId);

/// Tables and a view of them, with everything the definitions mention.
pub(super) struct Oracle<'a> {
    tables: Vec<&'a Explicit>,
    view: &'a View,
    points: Vec<Point>,
}

impl<'a> Oracle<'a> {
    pub(super) fn new(tables: &[&'a Explicit], view: &'a View) -> Self {
        let points = tables.iter().enumerate();
        let points = points.flat_map(|(side, table)| table.states().map(move |s| (side, s)));
        Oracle { tables: tables.to_vec(), view, points: points.collect() }
    }

    fn is_internal(&self, label: &str, kind: Bisimulation) -> bool {
        kind != Bisimulation::Strong && self.view.internal.contains(label)
    }

    /// Steps as observations; ends and divergence lead nowhere.
    fn steps(&self, (side, state): Point, kind: Bisimulation) -> Vec<(Observation, Option<Point>)> {
        let table = self.tables[side];
        let mut steps: Vec<_> = table
            .edges(state)
            .iter()
            .map(|&(action, to)| {
                let label = table.labels()[action.index()].clone();
                let observation = if self.is_internal(&label, kind) {
                    Observation::Internal
                } else {
                    Observation::Action(label)
                };
                (observation, Some((side, to)))
            })
            .collect();
        if self.view.endings && table.is_end(state) {
            steps.push((Observation::End, None));
        }
        let internal = |point| self.internal_steps(point, kind);
        if kind != Bisimulation::Strong
            && self.view.divergence
            && internal((side, state))
                .iter()
                .any(|&next| self.internally(next, kind, |_| true).contains(&(side, state)))
        {
            steps.push((Observation::Divergence, None));
        }
        steps
    }

    fn internal_steps(&self, (side, state): Point, kind: Bisimulation) -> Vec<Point> {
        let table = self.tables[side];
        let edges = table.edges(state).iter();
        edges
            .filter(|(action, _)| self.is_internal(&table.labels()[action.index()], kind))
            .map(|&(_, to)| (side, to))
            .collect()
    }

    /// What internal steps reach through states that `pass`, the start included.
    fn internally(
        &self,
        point: Point,
        kind: Bisimulation,
        pass: impl Fn(Point) -> bool,
    ) -> BTreeSet<Point> {
        let mut reached = BTreeSet::new();
        let mut open = vec![point];
        while let Some(next) = open.pop() {
            if pass(next) && reached.insert(next) {
                open.extend(self.internal_steps(next, kind));
            }
        }
        reached
    }

    /// Where the relation's step by an observation leads: the state before it, the state after it.
    fn relation_steps(
        &self,
        point: Point,
        observation: &Observation,
        kind: Bisimulation,
    ) -> Vec<(Point, Option<Point>)> {
        let mut found = Vec::new();
        for before in self.internally(point, kind, |_| true) {
            if kind == Bisimulation::Weak && *observation == Observation::Internal {
                found.push((point, Some(before)));
                continue;
            }
            for (seen, after) in self.steps(before, kind) {
                if seen != *observation {
                    continue;
                }
                match (kind, after) {
                    (Bisimulation::Weak, Some(after)) => {
                        let ends = self.internally(after, kind, |_| true);
                        found.extend(ends.into_iter().map(|end| (before, Some(end))));
                    }
                    _ => found.push((before, after)),
                }
            }
        }
        found
    }

    /// The largest relation in which each step is answered.
    pub(super) fn relation(&self, kind: Bisimulation) -> BTreeSet<(Point, Point)> {
        let mut relation: BTreeSet<(Point, Point)> = BTreeSet::new();
        for &left in &self.points {
            relation.extend(self.points.iter().map(|&right| (left, right)));
        }
        loop {
            let keep = |&(left, right): &(Point, Point)| {
                self.answers(left, right, kind, &relation)
                    && self.answers(right, left, kind, &relation)
            };
            let next: BTreeSet<_> = relation.iter().copied().filter(keep).collect();
            if next.len() == relation.len() {
                return relation;
            }
            relation = next;
        }
    }

    fn answers(
        &self,
        left: Point,
        right: Point,
        kind: Bisimulation,
        relation: &BTreeSet<(Point, Point)>,
    ) -> bool {
        self.steps(left, kind).into_iter().all(|(observation, to)| {
            let idle = kind == Bisimulation::Branching && observation == Observation::Internal;
            if idle && to.is_some_and(|to| relation.contains(&(to, right))) {
                return true;
            }
            let answers = self.relation_steps(right, &observation, kind);
            answers.into_iter().any(|(before, after)| {
                let before_fits = match kind {
                    Bisimulation::Strong => before == right,
                    Bisimulation::Branching => relation.contains(&(left, before)),
                    Bisimulation::Weak => true,
                };
                let after_fits = match (to, after) {
                    (Some(to), Some(after)) => relation.contains(&(to, after)),
                    _ => true,
                };
                before_fits && after_fits
            })
        })
    }

    pub(super) fn initial(&self, side: usize) -> Vec<Point> {
        self.tables[side].initial_states().iter().map(|&state| (side, state)).collect()
    }

    pub(super) fn bisimilar(&self, kind: Bisimulation) -> bool {
        let relation = self.relation(kind);
        let covered = |own: usize, other: usize| {
            self.initial(own).into_iter().all(|left| {
                self.initial(other).into_iter().any(|right| relation.contains(&(left, right)))
            })
        };
        covered(0, 1) && covered(1, 0)
    }

    pub(super) fn n_reachable_classes(&self, kind: Bisimulation) -> usize {
        let relation = self.relation(kind);
        let mut reached: BTreeSet<Point> = BTreeSet::new();
        let mut open = self.initial(0);
        while let Some(point) = open.pop() {
            if reached.insert(point) {
                open.extend(self.steps(point, kind).into_iter().filter_map(|(_, to)| to));
            }
        }
        let first = |&point: &Point| {
            reached.iter().copied().find(|&other| relation.contains(&(point, other)))
        };
        reached.iter().filter_map(first).collect::<BTreeSet<_>>().len()
    }

    /// Where a word leads; nothing if the side has no such trace. The last letter may be an end.
    fn follow(&self, side: usize, word: &[Observation], kind: Bisimulation) -> bool {
        let mut set: BTreeSet<Point> = self.initial(side).into_iter().collect();
        let mut possible = !set.is_empty();
        for letter in word {
            let mut next = BTreeSet::new();
            possible = false;
            for point in set {
                for before in self.internally(point, kind, |_| true) {
                    for (seen, after) in self.steps(before, kind) {
                        if seen == *letter {
                            possible = true;
                            next.extend(after);
                        }
                    }
                }
            }
            set = next;
        }
        possible
    }

    pub(super) fn has_trace(&self, side: usize, word: &[Observation], kind: Bisimulation) -> bool {
        self.follow(side, word, kind)
    }

    /// A shortest trace, of at most `longest` letters, that one side has and the other has not.
    pub(super) fn shortest_missing(
        &self,
        own: usize,
        longest: usize,
        kind: Bisimulation,
    ) -> Option<Vec<Observation>> {
        let mut letters: BTreeSet<Observation> = BTreeSet::new();
        for &point in &self.points {
            letters.extend(self.steps(point, kind).into_iter().map(|(seen, _)| seen));
        }
        letters.remove(&Observation::Internal);
        let mut level: Vec<Vec<Observation>> = vec![Vec::new()];
        for _ in 0..=longest {
            level.retain(|word| self.follow(own, word, kind));
            let missing = level.iter().find(|word| !self.follow(1 - own, word, kind));
            if let Some(missing) = missing {
                return Some(missing.clone());
            }
            level = level
                .into_iter()
                .flat_map(|word| {
                    letters.iter().map(move |letter| {
                        let mut longer = word.clone();
                        longer.push(letter.clone());
                        longer
                    })
                })
                .collect();
        }
        None
    }

    pub(super) fn holds(&self, formula: &Formula, point: Point, kind: Bisimulation) -> bool {
        match formula {
            Formula::Not(inner) => !self.holds(inner, point, kind),
            Formula::Can { through, what, then } => {
                let all = |formulas: &[Formula], point: Point| {
                    formulas.iter().all(|formula| self.holds(formula, point, kind))
                };
                let arrived = |after: Option<Point>| after.is_none_or(|after| all(then, after));
                if kind != Bisimulation::Branching {
                    assert!(through.is_empty(), "only branching formulas look at the way");
                    let steps = self.relation_steps(point, what, kind);
                    return steps.into_iter().any(|(_, after)| arrived(after));
                }
                let passed = self.internally(point, kind, |point| all(through, point));
                passed.into_iter().any(|before| {
                    let mut steps = self.steps(before, kind).into_iter();
                    steps.any(|(seen, after)| seen == *what && arrived(after))
                })
            }
        }
    }
}
