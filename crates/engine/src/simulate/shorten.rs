//! Makes a run that chance found short: breadth first, at first among the states of the run alone,
//! which leaves out every detour, then among all states as far as a small budget goes.

use std::ops::ControlFlow;

use quadrille_model::{ActionId, Flow, GroupId, Halt, Model, Step, Trace, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::judge::{Judge, Marks, Probe, Refuted};
use crate::Stopped;
use crate::limits::Watch;

/// States among which a shortest run is looked for.
const FEW: usize = 20_000;

/// A run that refutes the probe like this one, and whether none is shorter.
pub(super) fn shortened<'a>(
    model: &'a dyn Model,
    probe: impl Fn() -> Probe<'a>,
    trace: &Trace,
    watch: &mut Watch<'_>,
) -> Result<(Trace, bool), Stopped> {
    let states = std::iter::once(&trace.initial).chain(trace.steps.iter().map(|step| &step.state));
    let inside: FxHashSet<&[Value]> = states.map(Vec::as_slice).collect();
    let mut search = Search::new(model, probe());
    let found = search.run(usize::MAX, |values| inside.contains(values), watch)?;
    let mut search = Search::new(model, probe());
    if let Some(shortest) = search.run(FEW, |_| true, watch)? {
        return Ok((shortest, true));
    }
    Ok((found.unwrap_or_else(|| trace.clone()), false))
}

/// A state with what the probe remembers of the way there.
struct Node {
    values: Vec<Value>,
    marks: Marks,
    /// Where it was met from, and by which step.
    from: Option<(usize, GroupId, ActionId)>,
}

struct Search<'a> {
    model: &'a dyn Model,
    judge: Judge<'a>,
    nodes: Vec<Node>,
    numbers: FxHashMap<(Vec<Value>, Marks), usize>,
}

impl<'a> Search<'a> {
    fn new(model: &'a dyn Model, probe: Probe<'a>) -> Self {
        let judge = Judge::new(model, vec![probe]);
        Self { model, judge, nodes: Vec::new(), numbers: FxHashMap::default() }
    }

    fn run(
        &mut self,
        most: usize,
        admits: impl Fn(&[Value]) -> bool,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Trace>, Stopped> {
        let mut explorer = self.model.explorer();
        let start = self.judge.start();
        let mut states = Vec::new();
        explorer.each_initial(|state| states.push(state.to_vec()))?;
        for values in states.into_iter().filter(|values| admits(values)) {
            self.meet(values, start.clone(), None);
        }
        let mut next = 0;
        while next < self.nodes.len() && next < most {
            let (values, marks) = (self.nodes[next].values.clone(), self.nodes[next].marks.clone());
            let mut edges: Vec<(GroupId, ActionId, Vec<Value>)> = Vec::new();
            let flow = explorer.expand(&values, &mut |group, action, to: &[Value]| -> Flow {
                edges.push((group, action, to.to_vec()));
                ControlFlow::Continue(())
            });
            if let ControlFlow::Break(Halt::Problem(problem)) = flow {
                return Err(problem.into());
            }
            let stuck = edges.is_empty();
            if let Some(found) = self.judge.arrive(&marks, &mut *explorer, &values, stuck)? {
                return Ok(Some(self.trace(next, None, found)));
            }
            for (group, action, to) in edges {
                let mut after = marks.clone();
                let refuted = self.judge.leave(&mut after, &mut *explorer, &values, action)?;
                if let Some(found) = refuted {
                    return Ok(Some(self.trace(next, Some((group, action, to)), found)));
                }
                if admits(&to) {
                    self.meet(to, after, Some((next, group, action)));
                }
            }
            next += 1;
            watch.work(64, || self.nodes.len() * 16 * values.len())?;
        }
        Ok(None)
    }

    fn meet(&mut self, values: Vec<Value>, marks: Marks, from: Option<(usize, GroupId, ActionId)>) {
        let number = self.nodes.len();
        let known = *self.numbers.entry((values.clone(), marks.clone())).or_insert(number);
        if known == number {
            self.nodes.push(Node { values, marks, from });
        }
    }

    fn trace(
        &self,
        last: usize,
        more: Option<(GroupId, ActionId, Vec<Value>)>,
        (_, ending): Refuted,
    ) -> Trace {
        let mut steps: Vec<Step> = Vec::new();
        steps.extend(more.map(|(group, action, state)| Step { group, action, state }));
        let mut at = last;
        while let Some((before, group, action)) = self.nodes[at].from {
            steps.push(Step { group, action, state: self.nodes[at].values.clone() });
            at = before;
        }
        steps.reverse();
        Trace { initial: self.nodes[at].values.clone(), steps, ending }
    }
}
