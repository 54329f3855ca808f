//! Back interpretation: a run to an error of the reduced system becomes a run of the original one. The
//! log is read backwards; each entry puts back what its rule left out. Where a step of a component alone
//! belongs is found in the original composition, which takes such steps as late as it can; what is
//! reported is therefore always a run of it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use quadrille_model::{ActionId, GroupId, Model, PropositionId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Reduction;
use super::log::{Back, Taken};
use crate::automata::{Alphabet, EventId, StepId};
use crate::composition::{Composition, Fault, Path, UnitId};

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
    /// The run of the original composition behind a run of the reduced one. Going on for ever and
    /// being stuck are told apart anew: steps that were left out may go on for ever. Nothing, if the
    /// paths are not of these compositions, or if finding the run takes too long.
    pub fn interpret_back(
        &self,
        original: &Composition,
        reduced: &Composition,
        path: &Path,
    ) -> Option<Path> {
        let trace = path.trace(reduced);
        let n_steps = match path.fault {
            Fault::Endless { enters, .. } => enters,
            Fault::Bad(_) | Fault::Stuck => trace.steps.len(),
        };
        let bad = match path.fault {
            Fault::Bad(bad) => {
                let name = &reduced.propositions()[bad.index()];
                let position = original.propositions().iter().position(|known| known == name)?;
                Some(PropositionId::from_usize(position))
            }
            Fault::Stuck | Fault::Endless { .. } => None,
        };
        let joints =
            |action: ActionId| reduced.taken(action).iter().map(|way| joint(way)).collect();
        let steps = trace.steps[..n_steps].iter().map(|step| joints(step.action)).collect();
        let mut run = Run { steps, optional: Vec::new() };
        for entry in self.log.iter().rev() {
            run.undo(&self.system.alphabet, &entry.back);
        }
        Search { composition: original, run: &run, bad }.find()
    }
}

impl Run {
    /// Makes it a run of what there was before a rule was applied.
    fn undo(&mut self, alphabet: &Alphabet, back: &Back) {
        match back {
            Back::Same => {}
            Back::Inserted { unit, step } => self.optional.push(vec![(*unit, vec![*step])]),
            Back::Renamed { unit, from, to } => {
                for (own, steps) in self.all().flatten() {
                    if own == unit && steps.contains(to) {
                        steps.push(*from);
                    }
                }
            }
            Back::After { events, step } => {
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
            Back::First { step } => self.steps.insert(0, vec![joint(step)]),
            Back::Accepted { by, steps } => {
                for joint in self.all() {
                    let accepted = steps.iter().find(|(event, _)| has(alphabet, joint, *event));
                    if let Some((_, step)) = accepted {
                        joint.push((*by, vec![*step]));
                        joint.sort_unstable();
                    }
                }
            }
            Back::Parts { origin } => {
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

fn joint(taken: &[Taken]) -> Joint {
    taken.iter().map(|(unit, step)| (*unit, vec![*step])).collect()
}

fn has(alphabet: &Alphabet, joint: &Joint, event: EventId) -> bool {
    let mut parts =
        joint.iter().flat_map(|(_, steps)| steps).flat_map(|step| alphabet.parts(*step));
    parts.any(|part| part.event == event)
}

/// Looks for a run in a composition, with the error at its end.
struct Search<'a> {
    composition: &'a Composition,
    run: &'a Run,
    bad: Option<PropositionId>,
}

/// A configuration met, how many steps of the run led there, and how.
struct Met {
    done: usize,
    state: Vec<Value>,
    /// The one before, and which of its edges led here.
    parent: Option<(usize, usize)>,
}

impl Search<'_> {
    /// Goes as far along the run as possible first, with as few other steps as possible.
    fn find(&self) -> Option<Path> {
        let mut initial = Vec::new();
        self.composition.initial(&mut |state| initial = state.to_vec());
        let mut seen = FxHashSet::from_iter([(0, initial.clone())]);
        let mut met = vec![Met { done: 0, state: initial, parent: None }];
        let mut open = BinaryHeap::from([(0, Reverse(0), Reverse(0))]);
        while let Some((done, Reverse(n_extra), Reverse(at))) = open.pop() {
            if done == self.run.steps.len()
                && let Some(path) = self.fault_at(&met, at)
            {
                return Some(path);
            }
            if met.len() > BUDGET {
                return None;
            }
            let edges = edges(self.composition, &met[at].state).into_iter().enumerate();
            for (edge, (action, state)) in edges {
                let is_next = self.run.steps.get(done).is_some_and(|next| self.is(action, next));
                let is_extra = self.is(action, &self.run.optional);
                let ways = [(is_next, done + 1, n_extra), (is_extra, done, n_extra + 1)];
                for (_, done, n_extra) in ways.into_iter().filter(|way| way.0) {
                    if seen.insert((done, state.clone())) {
                        open.push((done, Reverse(n_extra), Reverse(met.len())));
                        let parent = Some((at, edge));
                        met.push(Met { done, state: state.clone(), parent });
                    }
                }
            }
        }
        None
    }

    /// Whether an action is one of some steps.
    fn is(&self, action: ActionId, wanted: &[Joint]) -> bool {
        let fits = |taken: &[Taken], wanted: &Joint| {
            let same = |(one, wanted): (&Taken, &(UnitId, Vec<StepId>))| {
                one.0 == wanted.0 && wanted.1.contains(&one.1)
            };
            taken.len() == wanted.len() && taken.iter().zip(wanted).all(same)
        };
        let mut ways = self.composition.taken(action).iter();
        ways.any(|taken| wanted.iter().any(|wanted| fits(taken, wanted)))
    }

    /// The path to a configuration, if the error is there.
    fn fault_at(&self, met: &[Met], end: usize) -> Option<Path> {
        debug_assert_eq!(met[end].done, self.run.steps.len());
        let state = &met[end].state;
        let fault = match self.bad {
            Some(bad) if self.composition.holds(bad, state) => Fault::Bad(bad),
            Some(_) => return None,
            None if may_still_end(self.composition, state) => return None,
            None => Fault::Stuck,
        };
        let mut path = Path { edges: Vec::new(), fault };
        let mut at = end;
        while let Some((parent, edge)) = met[at].parent {
            path.edges.push(edge);
            at = parent;
        }
        path.edges.reverse();
        if self.bad.is_none() {
            go_on(self.composition, state.clone(), &mut path);
        }
        Some(path)
    }
}

fn edges(composition: &Composition, state: &[Value]) -> Vec<(ActionId, Vec<Value>)> {
    let mut all = Vec::new();
    composition.expand(state, &mut |_: GroupId, action: ActionId, next: &[Value]| {
        all.push((action, next.to_vec()));
    });
    all
}

/// Whether all components may still end after a configuration, as far as the budget goes.
fn may_still_end(composition: &Composition, state: &[Value]) -> bool {
    let mut seen = FxHashSet::from_iter([state.to_vec()]);
    let mut open = vec![state.to_vec()];
    while let Some(state) = open.pop() {
        if composition.may_end(&state) {
            return true;
        }
        if seen.len() > BUDGET {
            return false;
        }
        let next = edges(composition, &state).into_iter().map(|edge| edge.1);
        open.extend(next.filter(|next| seen.insert(next.clone())));
    }
    false
}

/// Goes on from where the end cannot be reached, until stuck or round.
fn go_on(composition: &Composition, mut state: Vec<Value>, path: &mut Path) {
    let enters = path.edges.len();
    let mut met: FxHashMap<Vec<Value>, usize> = FxHashMap::default();
    loop {
        if let Some(&from) = met.get(&state) {
            path.fault = Fault::Endless { enters, from };
            return;
        }
        met.insert(state.clone(), path.edges.len());
        let Some((_, next)) = edges(composition, &state).into_iter().next() else { return };
        path.edges.push(0);
        state = next;
    }
}
