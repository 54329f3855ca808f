//! A run of a table that shows a given sequence of observations: what makes a distinguishing trace
//! something to look at. Searches the table as it is, so that it also proves that the trace is one.

use std::collections::VecDeque;

use quadrille_model::{ActionId, Ending, Explicit, GroupId, StateId, Step, Trace};
use rustc_hash::FxHashMap;

use super::{Observation, View};

/// A state of the table and how many observations are behind it.
type Point = (StateId, usize);

/// A run with the fewest steps that shows the observations. There must be one.
pub(super) fn find_run(table: &Explicit, view: &View, observations: &[Observation]) -> Trace {
    let mut reached_by: FxHashMap<Point, Option<(Point, ActionId)>> = FxHashMap::default();
    let mut queue: VecDeque<Point> = VecDeque::new();
    for &state in table.initial_states() {
        reached_by.entry((state, 0)).or_insert_with(|| {
            queue.push_back((state, 0));
            None
        });
    }
    while let Some(point) = queue.pop_front() {
        let (state, shown) = point;
        let back = |to: Point| trace_to(&reached_by, to);
        match observations.get(shown) {
            None => return back(point).finish(Ending::Prefix),
            Some(Observation::End) if table.is_end(state) => {
                return back(point).finish(Ending::Finished);
            }
            Some(Observation::Divergence) => {
                if let Some(cycle) = internal_cycle(table, view, state) {
                    let mut run = back(point);
                    let from = run.steps.len();
                    run.steps.extend(cycle);
                    return run.finish(Ending::Loop { from });
                }
            }
            Some(_) => {}
        }
        for &(action, to) in table.edges(state) {
            let label = &table.labels()[action.index()];
            let next = if view.internal.contains(label) {
                (to, shown)
            } else if matches!(&observations[shown], Observation::Action(text) if text == label) {
                (to, shown + 1)
            } else {
                continue;
            };
            reached_by.entry(next).or_insert_with(|| {
                queue.push_back(next);
                Some((point, action))
            });
        }
    }
    unreachable!("the trace {observations:?} was found in this table")
}

/// A run under construction.
struct Run {
    start: StateId,
    steps: Vec<(ActionId, StateId)>,
}

impl Run {
    fn finish(self, ending: Ending) -> Trace {
        let steps = self.steps.into_iter().map(|(action, state)| Step {
            group: GroupId::new(action.number()),
            action,
            state: vec![state.number()],
        });
        Trace { initial: vec![self.start.number()], steps: steps.collect(), ending }
    }
}

fn trace_to(reached_by: &FxHashMap<Point, Option<(Point, ActionId)>>, last: Point) -> Run {
    let mut at = last;
    let mut steps = Vec::new();
    while let Some((before, action)) = reached_by[&at] {
        steps.push((action, at.0));
        at = before;
    }
    steps.reverse();
    Run { start: at.0, steps }
}

/// Internal steps from a state back to it.
fn internal_cycle(
    table: &Explicit,
    view: &View,
    state: StateId,
) -> Option<Vec<(ActionId, StateId)>> {
    let mut reached_by: FxHashMap<StateId, (StateId, ActionId)> = FxHashMap::default();
    let mut queue = VecDeque::from([state]);
    while let Some(from) = queue.pop_front() {
        for &(action, to) in table.edges(from) {
            let known = reached_by.contains_key(&to);
            if known || !view.internal.contains(&table.labels()[action.index()]) {
                continue;
            }
            reached_by.insert(to, (from, action));
            if to == state {
                let mut steps = Vec::new();
                let mut at = state;
                loop {
                    let (before, action) = reached_by[&at];
                    steps.push((action, at));
                    at = before;
                    if at == state {
                        steps.reverse();
                        return Some(steps);
                    }
                }
            }
            queue.push_back(to);
        }
    }
    None
}
