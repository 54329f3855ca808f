//! The run to a state that a search found: backwards, level by level, the first state that leads on.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use quadrille_model::{ActionId, Ending, Misfit, Model, Step, Trace, Value};

use super::key::Key;
use super::search::Search;
use crate::evidence::replayed;
use crate::limits::Watch;
use crate::{Error, Stopped};

/// Blocks that a worker looks through at a time.
const SLICE: usize = 8;

/// The run through some states, and one step more of a wanted action.
pub(super) fn run_through(
    model: &dyn Model,
    states: Vec<Vec<Value>>,
    last: Option<&dyn Fn(ActionId) -> bool>,
    ending: Ending,
) -> Result<Trace, Error> {
    let mut steps = Vec::with_capacity(states.len());
    let step_that = |from: &[Value], is_it: &dyn Fn(ActionId, &[Value]) -> bool| {
        let mut found = None;
        model.explorer().each_successor(from, |group, action, next| {
            if found.is_none() && is_it(action, next) {
                found = Some(Step { group, action, state: next.to_vec() });
            }
        })?;
        Ok::<_, Error>(found)
    };
    for (position, pair) in states.windows(2).enumerate() {
        let step = step_that(&pair[0], &|_, next| next == pair[1])?;
        steps.push(step.ok_or(Error::Unrepeatable(Misfit::Step(position)))?);
    }
    if let (Some(is_wanted), Some(from)) = (last, states.last()) {
        let step = step_that(from, &|action, _| is_wanted(action))?;
        steps.push(step.ok_or(Error::Unrepeatable(Misfit::Step(steps.len())))?);
    }
    let initial = states.into_iter().next().ok_or(Error::Unrepeatable(Misfit::Initial))?;
    replayed(model, Trace { initial, steps, ending })
}

impl<K: Key> Search<'_, K> {
    /// A run of `depth` steps to a state of that depth, and one step more of a wanted action.
    pub fn run_to(
        &self,
        key: &K,
        depth: u64,
        last: Option<&dyn Fn(ActionId) -> bool>,
        ending: Ending,
        watch: &mut Watch<'_>,
    ) -> Result<Trace, Stopped> {
        let mut keys = vec![key.clone()];
        for level in (0..depth as usize).rev() {
            let target = &keys[keys.len() - 1];
            let before = self.before(level, target, watch)?;
            keys.push(before.ok_or(Error::Unrepeatable(Misfit::Step(level)))?);
        }
        keys.reverse();
        let mut own = self.states.own();
        let states = keys.iter().map(|key| self.states.values(&mut own, key).to_vec()).collect();
        Ok(run_through(self.states.model, states, last, ending)?)
    }

    /// The first state of a level that leads to another.
    pub fn before(
        &self,
        level: usize,
        target: &K,
        watch: &mut Watch<'_>,
    ) -> Result<Option<K>, Stopped> {
        let mut slices = Vec::new();
        for part in self.visited.with_level(level) {
            let n_blocks = part.run.blocks.len();
            let starts = (0..n_blocks).step_by(SLICE);
            slices.extend(starts.map(|start| (part, start..(start + SLICE).min(n_blocks))));
        }
        let first = AtomicUsize::new(usize::MAX);
        let found: Mutex<Vec<(usize, Result<K, Stopped>)>> = Mutex::default();
        let (mut bound, states) = (None, &self.states);
        let workers = if slices.len() > 1 { self.workers } else { crate::Workers::default() };
        let memory = self.visited.memory();
        workers.share(
            slices.iter().enumerate(),
            || (states.own(), Vec::new(), Vec::new()),
            |(own, keys, tags), (number, (part, blocks))| {
                if first.load(Ordering::Relaxed) < number {
                    return;
                }
                let note = |result| {
                    first.fetch_min(number, Ordering::Relaxed);
                    found.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
                };
                let mut reader = part.run.reader();
                for position in blocks.clone() {
                    if let Err(trouble) = reader.read_tagged(position, blocks.end, keys, Some(tags))
                    {
                        return note(Err(trouble.into()));
                    }
                    for (at, key) in keys.iter().enumerate() {
                        if tags.get(at).is_some_and(|&tag| tag as usize != level) {
                            continue;
                        }
                        let mut leads = false;
                        let see = |next: K| leads |= next == *target;
                        match states.expand(own, key, see) {
                            Err(problem) => return note(Err(problem.into())),
                            Ok(_) if leads => return note(Ok(key.clone())),
                            Ok(_) => {}
                        }
                    }
                }
            },
            || {
                bound = bound.or(watch.work(1 << 16, || memory).err());
                bound.is_none()
            },
        );
        if let Some(bound) = bound {
            return Err(bound.into());
        }
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let first = found.into_iter().min_by_key(|(start, _)| *start);
        first.map(|(_, found)| found).transpose()
    }
}
