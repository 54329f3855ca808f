//! Searches whose states lie in sorted runs: about a byte per state in memory, or on disk, where memory
//! only bounds how much is sorted at a time. Level by level, what follows on the states of a level is
//! sorted, deduplicated, and merged with all that was met: delayed duplicate detection (Korf, *Linear-time
//! disk-based implicit graph search*, JACM 2008). Nothing is looked up one by one.

mod candidates;
mod checkpoint;
mod code;
mod dictionary;
mod expand;
mod folder;
mod key;
mod linear;
mod manifest;
pub mod partition;
mod router;
mod run;
mod search;
mod shelf;
mod sort;
mod states;
mod symbols;
#[cfg(test)]
mod tests;
mod trace;
mod visited;

use quadrille_model::{Bound, Counts, Ending, Model, Verdict};

pub use checkpoint::{Identity, fingerprint_of, model_fingerprint, unused};
pub use folder::{Folder, Trouble};
pub use linear::{LinearOutcome, check_ltl_runs, check_never_runs};
pub use manifest::{Shelf, delete, shelf};

use crate::explore::Config;
use crate::limits::{Observer, Watch};
use crate::safety::{Outcome, Property};
use crate::workers::Workers;
use crate::{Error, Stopped};
use checkpoint::{Disk, Start};
use dictionary::Dictionary;
use key::{Fixed, Key, Wide};
use search::{Search, memory_room};
use states::States;
use visited::Visited;

/// Where states are kept that lie in sorted runs.
#[derive(Clone, Debug, Default)]
pub enum RunStore {
    /// In memory.
    #[default]
    Memory,
    /// In a folder, with a manifest from which the search goes on after its process died.
    Disk {
        /// The folder.
        folder: Folder,
        /// Whether to go on with what is in it.
        resume: bool,
        /// What is searched.
        identity: Identity,
    },
}

/// What a search in sorted runs found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunsOutcome {
    /// Verdicts, counts, the bound that ended it.
    pub outcome: Outcome,
    /// Bytes of the coded states, in memory or on disk.
    pub stored: u64,
    /// Bytes on disk with everything beside them; none in memory.
    pub on_disk: Option<u64>,
}

/// Checks properties level by level, in sorted runs. Without properties, it explores everything for its
/// counts. Verdicts, counts and the lengths of counterexamples are those of [`check`](crate::check).
pub fn check_runs(
    model: &dyn Model,
    properties: &[Property<'_>],
    runs: &RunStore,
    config: &Config,
    observer: &mut Observer<'_>,
) -> Result<RunsOutcome, Error> {
    check_watched(model, properties, runs, config, &mut Watch::new(config.limits, observer))
}

fn check_watched(
    model: &dyn Model,
    properties: &[Property<'_>],
    runs: &RunStore,
    config: &Config,
    watch: &mut Watch<'_>,
) -> Result<RunsOutcome, Error> {
    match States::n_limbs_of(model) {
        1 => check_by::<u64>(model, properties, runs, config, watch),
        2 => check_by::<u128>(model, properties, runs, config, watch),
        3..=4 => check_by::<Fixed<4>>(model, properties, runs, config, watch),
        5..=8 => check_by::<Fixed<8>>(model, properties, runs, config, watch),
        _ => check_by::<Wide>(model, properties, runs, config, watch),
    }
}

fn check_by<K: Key>(
    model: &dyn Model,
    properties: &[Property<'_>],
    runs: &RunStore,
    config: &Config,
    watch: &mut Watch<'_>,
) -> Result<RunsOutcome, Error> {
    let mut search = open::<K>(model, runs, config)?;
    let bound = bound_of(search.run(properties, watch))?;
    let outcome = answers(&search, properties, bound, watch)?;
    let on_disk = search.disk.as_ref().map(Disk::bytes);
    Ok(RunsOutcome { outcome, stored: search.visited.coded(), on_disk })
}

fn bound_of(ended: Result<(), Stopped>) -> Result<Option<Bound>, Error> {
    match ended {
        Ok(()) => Ok(None),
        Err(Stopped::Bound(bound)) => Ok(Some(bound)),
        Err(Stopped::Failed(error)) => Err(error),
    }
}

fn open<'m, K: Key>(
    model: &'m dyn Model,
    runs: &RunStore,
    config: &Config,
) -> Result<Search<'m, K>, Error> {
    let start = match runs {
        RunStore::Disk { resume: true, .. } => Start::Last,
        _ => Start::New,
    };
    opened(model, runs, (None, start), config)
}

/// A search that begins or goes on, as one of several if it is a partition.
fn opened<'m, K: Key>(
    model: &'m dyn Model,
    runs: &RunStore,
    (partition, start): (Option<(usize, usize)>, Start),
    config: &Config,
) -> Result<Search<'m, K>, Error> {
    let room = memory_room(config.limits.memory, matches!(runs, RunStore::Disk { .. }));
    let limits_states = config.limits.states.is_some();
    let mut search = Search {
        states: States::new(model, Dictionary::default()),
        visited: Visited::new(),
        disk: None,
        counts: Counts::default(),
        found: Vec::new(),
        is_complete: false,
        workers: config.workers,
        room,
        limits_states,
    };
    if let RunStore::Disk { folder, identity, .. } = runs {
        let opened = Disk::open(folder, model, identity, partition, start);
        let (disk, before) = opened.map_err(|trouble| Error::Store(Box::new(trouble)))?;
        search.disk = Some(disk);
        if let Some(before) = before {
            search.states = States::new(model, before.dictionary);
            search.visited = before.visited;
            search.counts = before.counts;
            search.found = before.found;
            search.is_complete = before.is_complete;
        }
    }
    if !search.states.allow_workers() {
        search.workers = Workers::default();
    }
    Ok(search)
}

/// The verdicts on what was found, with replayed runs.
fn answers<K: Key>(
    search: &Search<'_, K>,
    properties: &[Property<'_>],
    bound: Option<Bound>,
    watch: &mut Watch<'_>,
) -> Result<Outcome, Error> {
    let mut verdicts = Vec::with_capacity(properties.len());
    let mut ended = bound;
    for (number, property) in properties.iter().enumerate() {
        let found = search.found.iter().find(|(found, ..)| *found == number);
        verdicts.push(match (found, bound) {
            (None, None) => Verdict::Holds,
            (None, Some(bound)) => Verdict::Unknown(bound),
            (Some((_, depth, key)), _) => {
                let (last, ending) = match property {
                    Property::DeadlockFree => (None, Ending::Stuck),
                    Property::Always(_) => (None, Ending::Prefix),
                    Property::Never(is_wanted) => (Some(&**is_wanted), Ending::Prefix),
                };
                match search.run_to(key, *depth, last, ending, watch) {
                    Ok(run) => Verdict::Violated(Some(run)),
                    // It is violated, but there was no time to show it.
                    Err(Stopped::Bound(bound)) => {
                        ended = Some(bound);
                        Verdict::Unknown(bound)
                    }
                    Err(Stopped::Failed(error)) => return Err(error),
                }
            }
        });
    }
    let bytes = (search.visited.memory() as u64).max(watch.peak());
    Ok(Outcome { verdicts, counts: Counts { bytes, ..search.counts }, bound: ended })
}
