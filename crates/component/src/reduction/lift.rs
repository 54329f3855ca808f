//! Lifts counterexamples: a run to an error of the reduced system becomes a run of the original one. The
//! log is read backwards; each entry puts back what its rule left out. Where a step of a component alone
//! belongs is found in the original composition, which takes such steps as late as it can; what is
//! reported is therefore always a run of it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use quadrille_graph::Tree;
use quadrille_model::{ActionId, Ending, Model, PropositionId, Step, Trace, Value};
use rustc_hash::FxHashSet;

use super::Reduction;
use super::log::{ComponentStep, Undo};
use crate::automata::{Alphabet, EventId, StepId};
use crate::composition::{Composition, ErrorKind, ErrorRun, UnitId};

/// Most configurations looked at while a run is found, or while its end is looked for.
const BUDGET: usize = 1 << 20;

/// A step of some components together, ascending; each took one of the steps listed.
type Joint = Vec<(UnitId, Vec<StepId>)>;

/// What is known of a run.
#[derive(Clone, Debug)]
struct Run {
    /// What happened; where that is not certain, one of several.
    steps: Vec<Vec<Joint>>,
    /// What may have happened in between.
    optional: Vec<Joint>,
}

impl Reduction {
    /// The run of the original composition behind a run of the reduced one. No activity and infinite
    /// activity are told apart anew: steps that were removed may go on for ever. `None` if the run is
    /// not of these compositions, or if finding the original run takes too long.
    pub fn lift(
        &self,
        original: &Composition,
        reduced: &Composition,
        run: &ErrorRun,
    ) -> Option<ErrorRun> {
        let n_steps = match run.kind {
            ErrorKind::InfiniteActivity { enters } => enters,
            ErrorKind::BadActivity(_) | ErrorKind::NoActivity => run.trace.steps.len(),
        };
        let bad = match run.kind {
            ErrorKind::BadActivity(bad) => {
                let name = &reduced.signature().propositions[bad.index()].name;
                let mut known = original.signature().propositions.iter();
                let position = known.position(|known| known.name == *name)?;
                Some(PropositionId::from_usize(position))
            }
            ErrorKind::NoActivity | ErrorKind::InfiniteActivity { .. } => None,
        };
        let joints =
            |action: ActionId| reduced.taken(action).iter().map(|way| joint(way)).collect();
        let steps = run.trace.steps[..n_steps].iter().map(|step| joints(step.action)).collect();
        let mut original_run = Run { steps, optional: Vec::new() };
        for entry in self.log.iter().rev() {
            original_run.undo(&self.system.alphabet, &entry.undo);
        }
        Search { composition: original, run: &original_run, bad }.find()
    }
}

impl Run {
    /// Makes it a run of what there was before a rule was applied.
    fn undo(&mut self, alphabet: &Alphabet, back: &Undo) {
        match back {
            Undo::Same => {}
            Undo::Inserted { unit, step } => self.optional.push(vec![(*unit, vec![*step])]),
            Undo::Renamed { unit, from, to } => {
                for (own, steps) in self.all().flatten() {
                    if own == unit && steps.contains(to) {
                        steps.push(*from);
                    }
                }
            }
            Undo::After { events, step } => {
                let leads = |joint: &Joint| events.iter().any(|event| has(alphabet, joint, *event));
                if self.optional.iter().any(leads) {
                    self.optional.push(joint(step));
                }
                let put_back = |joints: Vec<Joint>| {
                    let again = joints.iter().any(leads).then(|| vec![joint(step)]);
                    std::iter::once(joints).chain(again)
                };
                self.steps =
                    std::mem::take(&mut self.steps).into_iter().flat_map(put_back).collect();
            }
            Undo::First { step } => self.steps.insert(0, vec![joint(step)]),
            Undo::Accepted { by, steps } => {
                for joint in self.all() {
                    let accepted = steps.iter().find(|(event, _)| has(alphabet, joint, *event));
                    if let Some((_, step)) = accepted {
                        joint.push((*by, vec![*step]));
                        joint.sort_unstable();
                    }
                }
            }
            Undo::Parts { origin } => {
                for joint in self.all() {
                    for (unit, _) in joint.iter_mut() {
                        *unit = origin[unit.index()];
                    }
                    joint.sort_unstable();
                }
            }
        }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Joint> {
        self.steps.iter_mut().flatten().chain(&mut self.optional)
    }
}

fn joint(taken: &[ComponentStep]) -> Joint {
    taken.iter().map(|(unit, step)| (*unit, vec![*step])).collect()
}

fn has(alphabet: &Alphabet, joint: &Joint, event: EventId) -> bool {
    let mut parts =
        joint.iter().flat_map(|(_, steps)| steps).flat_map(|step| alphabet.step_events(*step));
    parts.any(|part| part.event == event)
}

/// Looks for a run in a composition, with the error at its end.
struct Search<'a> {
    composition: &'a Composition,
    run: &'a Run,
    bad: Option<PropositionId>,
}

/// A configuration met, and how.
struct SearchNode {
    state: Vec<Value>,
    /// The node before, and the step from there.
    parent: Option<(usize, Step)>,
}

impl Search<'_> {
    /// Goes as far along the run as possible first, with as few other steps as possible.
    fn find(&self) -> Option<ErrorRun> {
        let initial = self.composition.start();
        let mut seen = FxHashSet::from_iter([(0, initial.clone())]);
        let mut met = vec![SearchNode { state: initial, parent: None }];
        let mut open = BinaryHeap::from([(0, Reverse(0), Reverse(0))]);
        while let Some((done, Reverse(n_extra), Reverse(at))) = open.pop() {
            if done == self.run.steps.len()
                && let Some(run) = self.error_at(&met, at)
            {
                return Some(run);
            }
            if met.len() > BUDGET {
                return None;
            }
            for step in self.composition.steps(&met[at].state) {
                let next = self.run.steps.get(done);
                let is_next = next.is_some_and(|next| self.is(step.action, next));
                let is_extra = self.is(step.action, &self.run.optional);
                let ways = [(is_next, done + 1, n_extra), (is_extra, done, n_extra + 1)];
                for (_, done, n_extra) in ways.into_iter().filter(|way| way.0) {
                    if seen.insert((done, step.state.clone())) {
                        open.push((done, Reverse(n_extra), Reverse(met.len())));
                        let (state, parent) = (step.state.clone(), Some((at, step.clone())));
                        met.push(SearchNode { state, parent });
                    }
                }
            }
        }
        None
    }

    /// Whether an action is one of some steps.
    fn is(&self, action: ActionId, wanted: &[Joint]) -> bool {
        let fits = |taken: &[ComponentStep], wanted: &Joint| {
            let same = |(one, wanted): (&ComponentStep, &(UnitId, Vec<StepId>))| {
                one.0 == wanted.0 && wanted.1.contains(&one.1)
            };
            taken.len() == wanted.len() && taken.iter().zip(wanted).all(same)
        };
        let mut ways = self.composition.taken(action).iter();
        ways.any(|taken| wanted.iter().any(|wanted| fits(taken, wanted)))
    }

    /// The run to a configuration, if the error is there.
    fn error_at(&self, met: &[SearchNode], end: usize) -> Option<ErrorRun> {
        let state = &met[end].state;
        match self.bad {
            Some(bad) if !self.composition.holds(bad, state) => return None,
            None if may_still_end(self.composition, state) => return None,
            _ => {}
        }
        let (mut steps, mut at) = (Vec::new(), end);
        while let Some((parent, step)) = &met[at].parent {
            steps.push(step.clone());
            at = *parent;
        }
        steps.reverse();
        let trace = Trace { initial: met[at].state.clone(), steps, ending: Ending::Prefix };
        Some(match self.bad {
            Some(bad) => ErrorRun::bad_activity(trace, bad),
            None => ErrorRun::without_end(self.composition, trace),
        })
    }
}

/// Whether all components may still end after a configuration, as far as the budget goes.
fn may_still_end(composition: &Composition, state: &[Value]) -> bool {
    let mut tree: Tree<Vec<Value>> = Tree::default();
    tree.root(state.to_vec());
    while let Some(at) = tree.next() {
        if composition.may_end(tree.node(at)) {
            return true;
        }
        if tree.nodes().len() > BUDGET {
            return false;
        }
        for step in composition.steps(tree.node(at)) {
            tree.child(at, (), step.state);
        }
    }
    false
}
