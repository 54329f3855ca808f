//! Random walks: what there is to find where a model has too many states to explore. A walk that
//! refutes nothing proves nothing; one that does is made short and replayed.
//!
//! Walk number `n` draws from a generator that is seeded by the seed and `n`, and walks go on in rounds
//! of a fixed number of steps, so that everything comes out the same for any number of workers.

mod judge;
mod shorten;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use quadrille_model::{
    ActionId, Bound, Ending, Explorer, Flow, GroupId, Halt, Model, Problem, Step, Trace, Value,
};
use rustc_hash::FxHashSet;

pub use judge::Probe;

use crate::evidence::replayed;
use crate::fingerprint::{fingerprint, mixed};
use crate::limits::{Limits, Observer, Progress, Watch};
use crate::workers::Workers;
use crate::{Error, Stopped};
use judge::{Judge, Memory, Refuted};
use shorten::shortened;

/// Walks that are under way at the same time, for any number of workers.
const BATCH: u64 = 64;
/// Steps of a walk in a round: over in some milliseconds.
const ROUND: u64 = 1_000;

/// How to walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Simulation {
    /// What all choices follow from.
    pub seed: u64,
    /// How many walks.
    pub walks: u64,
    /// The most steps of a walk.
    pub depth: u64,
    /// When to give up. States are those that were seen.
    pub limits: Limits,
    /// How many threads walk. Nothing that is reported depends on it.
    pub workers: Workers,
}

/// What random walks came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Simulated {
    /// Walks that were begun.
    pub walks: u64,
    /// Those that came to a state without successor.
    pub ended: u64,
    /// Steps of all walks together.
    pub steps: u64,
    /// Steps of the longest walk.
    pub longest: u64,
    /// Distinct states that were seen, told apart by 64 bits.
    pub states: u64,
    /// Per action, how often it was taken.
    pub taken: Vec<u64>,
    /// Bytes allocated.
    pub bytes: u64,
    /// What ended the walks early.
    pub bound: Option<Bound>,
    /// What refutes a probe; the walks ended there.
    pub found: Option<Found>,
}

/// A run that refutes a probe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Which probe.
    pub probe: usize,
    /// Which walk came upon it, from 0.
    pub walk: u64,
    /// How many steps that had taken.
    pub steps: u64,
    /// A short run, replayed.
    pub trace: Trace,
    /// Whether it is known that none is shorter.
    pub is_shortest: bool,
}

/// One walk.
struct Walk {
    number: u64,
    chance: u64,
    values: Vec<Value>,
    memory: Memory,
    /// Which initial state, then which successor each time: enough to walk again.
    choices: Vec<u32>,
    /// Fingerprints of states seen in this round.
    seen: Vec<u64>,
    /// Actions taken in this round.
    taken: Vec<ActionId>,
    end: Option<End>,
}

/// How a walk ended.
enum End {
    /// It took as many steps as it may.
    Long,
    /// In a state without successor.
    Stuck,
    Refuted(Refuted),
    Problem(Box<Problem>),
}

/// Walks through a model at random. `probes` is asked once per worker, and gives the same each time.
pub fn simulate<'a>(
    model: &'a dyn Model,
    probes: &(dyn Fn() -> Vec<Probe<'a>> + Sync),
    config: &Simulation,
    observer: &mut Observer<'_>,
) -> Result<Simulated, Error> {
    let workers = if model.allows_workers() { config.workers } else { Workers::default() };
    let mut watch = Watch::new(config.limits, observer);
    let mut all = Simulated::default();
    let mut seen: FxHashSet<u64> = FxHashSet::default();
    while all.walks < config.walks && all.bound.is_none() {
        let batch = all.walks..config.walks.min(all.walks + BATCH);
        all.walks = batch.end;
        let mut walks: Vec<Walk> = batch.map(|number| Walk::new(number, config.seed)).collect();
        while walks.iter().any(|walk| walk.end.is_none()) && all.bound.is_none() {
            let n_steps = all.steps;
            workers.share(
                walks.iter_mut().filter(|walk| walk.end.is_none()),
                || Walker::new(model, probes()),
                |walker, walk| walker.advance(walk, config.depth),
                || {
                    all.bound = watch.wait().err();
                    all.bound.is_none()
                },
            );
            all.absorb(&mut walks, &mut seen);
            let is_final =
                |walk: &&Walk| matches!(walk.end, Some(End::Refuted(_) | End::Problem(_)));
            match walks.iter().find(is_final).map(|walk| (walk, &walk.end)) {
                Some((_, Some(End::Problem(problem)))) => return Err(problem.clone().into()),
                Some((walk, Some(End::Refuted((probe, ending))))) => {
                    all.found = Some(found(model, probes, walk, (*probe, *ending), &mut watch)?);
                    return Ok(all);
                }
                _ => {}
            }
            let (steps, states, bytes) = (all.steps, all.states, all.bytes);
            let progress = || Progress {
                states,
                transitions: steps,
                depth: None,
                frontier: 0,
                bytes: bytes + model.bytes() as u64,
            };
            let within = watch.check_after((steps - n_steps) as usize, seen.len(), progress).err();
            all.bound = all.bound.or(within);
        }
        all.ended +=
            walks.iter().filter(|walk| matches!(walk.end, Some(End::Stuck))).count() as u64;
    }
    Ok(all)
}

impl Simulated {
    /// Takes in what walks saw since the last time, in their order.
    fn absorb(&mut self, walks: &mut [Walk], seen: &mut FxHashSet<u64>) {
        for walk in &mut *walks {
            seen.extend(walk.seen.drain(..));
            self.steps += walk.taken.len() as u64;
            self.longest = self.longest.max(walk.n_steps());
            for action in walk.taken.drain(..) {
                if self.taken.len() <= action.index() {
                    self.taken.resize(action.index() + 1, 0);
                }
                self.taken[action.index()] += 1;
            }
        }
        self.states = seen.len() as u64;
        let walks: usize = walks.iter().map(Walk::bytes).sum();
        self.bytes = (walks + seen.capacity() * 8 / 7 * (size_of::<u64>() + 1)) as u64;
    }
}

impl Walk {
    fn new(number: u64, seed: u64) -> Self {
        Self {
            number,
            chance: mixed(mixed(seed) ^ number),
            values: Vec::new(),
            memory: Vec::new(),
            choices: Vec::new(),
            seen: Vec::new(),
            taken: Vec::new(),
            end: None,
        }
    }

    fn n_steps(&self) -> u64 {
        self.choices.len().saturating_sub(1) as u64
    }

    /// A number below `n`, each as likely as the others.
    fn choose(&mut self, n: usize) -> usize {
        self.chance = self.chance.wrapping_add(1);
        let chosen = ((u128::from(mixed(self.chance)) * n as u128) >> 64) as usize;
        self.choices.push(chosen as u32);
        chosen
    }

    fn bytes(&self) -> usize {
        (self.choices.capacity() + self.values.capacity() + self.taken.capacity())
            * size_of::<u32>()
            + self.seen.capacity() * size_of::<u64>()
    }
}

/// What a worker has for itself.
struct Walker<'a> {
    explorer: Box<dyn Explorer + 'a>,
    judge: Judge<'a>,
    /// The successors of a state: labels, and vectors one after the other.
    labels: Vec<(GroupId, ActionId)>,
    successors: Vec<Value>,
}

impl<'a> Walker<'a> {
    fn new(model: &'a dyn Model, probes: Vec<Probe<'a>>) -> Self {
        let judge = Judge::new(model, probes);
        Self { explorer: model.explorer(), judge, labels: Vec::new(), successors: Vec::new() }
    }

    /// Goes on with a walk for a round.
    fn advance(&mut self, walk: &mut Walk, depth: u64) {
        if let Err(problem) = self.try_advance(walk, depth) {
            walk.end = Some(End::Problem(problem));
        }
    }

    fn try_advance(&mut self, walk: &mut Walk, depth: u64) -> Result<(), Box<Problem>> {
        let mut marks = if walk.choices.is_empty() {
            let mut states = Vec::new();
            self.explorer.each_initial(|state| states.push(state.to_vec()))?;
            if states.is_empty() {
                walk.end = Some(End::Stuck);
                return Ok(());
            }
            walk.values = states.swap_remove(walk.choose(states.len()));
            self.judge.start()
        } else {
            self.judge.recall(&walk.memory)
        };
        for _ in 0..ROUND {
            self.expand(&walk.values)?;
            walk.seen.push(fingerprint(&walk.values, 0));
            let stuck = self.labels.is_empty();
            let refuted = self.judge.arrive(&marks, &mut *self.explorer, &walk.values, stuck)?;
            walk.end = match (refuted, stuck) {
                (Some(refuted), _) => Some(End::Refuted(refuted)),
                (None, true) => Some(End::Stuck),
                (None, false) if walk.n_steps() >= depth => Some(End::Long),
                (None, false) => None,
            };
            if walk.end.is_some() {
                return Ok(());
            }
            let chosen = walk.choose(self.labels.len());
            let (_, action) = self.labels[chosen];
            let refuted =
                self.judge.leave(&mut marks, &mut *self.explorer, &walk.values, action)?;
            let n_slots = walk.values.len();
            walk.values.copy_from_slice(&self.successors[chosen * n_slots..][..n_slots]);
            walk.taken.push(action);
            if let Some(refuted) = refuted {
                walk.end = Some(End::Refuted(refuted));
                return Ok(());
            }
        }
        walk.memory = self.judge.remember(&marks);
        Ok(())
    }

    fn expand(&mut self, values: &[Value]) -> Result<(), Box<Problem>> {
        let Self { explorer, labels, successors, .. } = self;
        labels.clear();
        successors.clear();
        let flow = explorer.expand(values, &mut |group, action, next: &[Value]| -> Flow {
            labels.push((group, action));
            successors.extend_from_slice(next);
            ControlFlow::Continue(())
        });
        match flow {
            ControlFlow::Break(Halt::Problem(mut problem)) => {
                problem.state = values.to_vec();
                Err(problem)
            }
            _ => Ok(()),
        }
    }
}

/// The run of a walk that refutes a probe, made short.
fn found<'a>(
    model: &'a dyn Model,
    probes: &(dyn Fn() -> Vec<Probe<'a>> + Sync),
    walk: &Walk,
    (probe, ending): Refuted,
    watch: &mut Watch<'_>,
) -> Result<Found, Error> {
    let trace = replayed(model, retraced(model, walk, ending)?)?;
    let steps = trace.steps.len() as u64;
    let nth = || probes().swap_remove(probe);
    let (trace, is_shortest) = match shortened(model, nth, &trace, watch) {
        Ok((short, is_shortest)) if short.steps.len() <= trace.steps.len() => (short, is_shortest),
        // There was no time to look for a shorter one.
        Ok(_) | Err(Stopped::Bound(_)) => (trace, false),
        Err(Stopped::Failed(error)) => return Err(error),
    };
    let trace = replayed(model, trace)?;
    Ok(Found { probe, walk: walk.number, steps, trace, is_shortest })
}

/// The run of a walk, by its choices.
fn retraced(model: &dyn Model, walk: &Walk, ending: Ending) -> Result<Trace, Box<Problem>> {
    let mut walker = Walker::new(model, Vec::new());
    let mut states = Vec::new();
    walker.explorer.each_initial(|state| states.push(state.to_vec()))?;
    let mut choices = walk.choices.iter().map(|&choice| choice as usize);
    let initial = states.swap_remove(choices.next().unwrap_or(0));
    let (mut at, mut steps) = (initial.clone(), Vec::new());
    for choice in choices {
        walker.expand(&at)?;
        let (group, action) = walker.labels[choice];
        at = walker.successors[choice * at.len()..][..at.len()].to_vec();
        steps.push(Step { group, action, state: at.clone() });
    }
    Ok(Trace { initial, steps, ending })
}
