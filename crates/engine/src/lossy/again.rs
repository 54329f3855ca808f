//! The run to a state that a lossy search found: the search is made again, as it was.

use std::ops::ControlFlow;

use quadrille_model::{Misfit, Model, Step, Trace, Value};

use super::{Lossy, Refuted, Search, See};
use crate::limits::Watch;
use crate::packing::Packing;
use crate::workers::Workers;
use crate::{Error, Stopped};

/// The run to what refutes a property. The search is made again and again; each time it finds, between
/// any two states of the run that are known, one in the middle.
pub(super) fn run_to(
    model: &dyn Model,
    lossy: Lossy,
    workers: Workers,
    refuted: &Refuted,
    watch: &mut Watch<'_>,
) -> Result<Trace, Stopped> {
    let length = refuted.depth as usize;
    let mut known: Vec<Option<Vec<u32>>> = vec![None; length + 1];
    known[length] = Some(refuted.words.clone());
    while known.iter().any(Option::is_none) {
        halve(model, lossy, workers, &mut known, watch)?;
    }
    let packing = Packing::new(model.signature());
    let states: Vec<Vec<Value>> = known
        .iter()
        .flatten()
        .map(|words| {
            let mut values = vec![0; packing.n_slots()];
            packing.unpack(words, &mut values);
            values
        })
        .collect();
    let mut explorer = model.explorer();
    let mut steps = Vec::with_capacity(length + 1);
    for (position, pair) in states.windows(2).enumerate() {
        let mut found = None;
        explorer.each_successor(&pair[0], |group, action, next| {
            if found.is_none() && next == pair[1] {
                found = Some(Step { group, action, state: next.to_vec() });
            }
        })?;
        steps.push(found.ok_or(Error::Unrepeatable(Misfit::Step(position)))?);
    }
    let last = refuted.step.clone();
    steps.extend(last.map(|(group, action, state)| Step { group, action, state }));
    let initial = states.into_iter().next().ok_or(Error::Unrepeatable(Misfit::Initial))?;
    Ok(Trace { initial, steps, ending: refuted.ending })
}

/// Searches again up to the last known state of a run, and finds a state between any two that are known
/// and do not follow each other.
fn halve(
    model: &dyn Model,
    lossy: Lossy,
    workers: Workers,
    known: &mut [Option<Vec<u32>>],
    watch: &mut Watch<'_>,
) -> Result<(), Stopped> {
    // Per depth at which states get tags of their own, the depth at which a known state tells its own.
    let mut wanted: Vec<(usize, usize)> = Vec::new();
    let mut before = None;
    for (depth, state) in known.iter().enumerate() {
        if state.is_some() {
            let first = before.map_or(0, |before| before + 1);
            if first < depth {
                wanted.push((first + (depth - first) / 2, depth));
            }
            before = Some(depth);
        }
    }
    let mut search = Search::new(model, lossy, workers);
    search.shows_states = false;
    let n_words = search.packing.n_words();
    let mut marked: Vec<u32> = Vec::new();
    for (depth, tells) in wanted {
        let target = known[tells].clone().unwrap_or_default();
        search.advance(depth as u64, watch)?;
        marked.clone_from(&search.next.words);
        for (number, tag) in search.next.tags.iter_mut().enumerate() {
            *tag = number as u32;
        }
        watch.allocated(search.bytes() as usize + marked.capacity() * size_of::<u32>())?;
        search.advance(tells as u64, watch)?;
        let place = search.next.words.chunks_exact(n_words).position(|words| words == target);
        let place = place.ok_or(Error::Unrepeatable(Misfit::Step(tells)))?;
        let middle = search.next.tags[place] as usize * n_words;
        known[depth] = Some(marked[middle..][..n_words].to_vec());
    }
    Ok(())
}

impl Search<'_> {
    /// Goes on until the states of a depth are those that are expanded next.
    fn advance(&mut self, depth: u64, watch: &mut Watch<'_>) -> Result<(), Stopped> {
        let see: &mut See<'_> = &mut |_| Ok(ControlFlow::Continue(()));
        if self.n_states == 0 {
            let _ = self.begin(see)?;
        }
        while self.depth < depth {
            let _ = self.descend(watch, see)?;
            self.depth += 1;
        }
        Ok(())
    }
}
