//! One part of a search that several workers share, in one process or many: the states that a worker
//! owns, which follows from their content. Knows nothing of how batches travel from owner to owner, nor
//! what the others found; who drives it does, and tells it at the end of every level.

use quadrille_model::{ActionId, Counts, Ending, Model, Trace};

use super::candidates::Candidates;
use super::checkpoint::{Disk, Start, commits};
use super::expand::{Look, Seen, states_of_block};
use super::key::{Fixed, Key, Wide};
use super::router::Router;
use super::run::{Reader, Run};
use super::search::{PARTS, SLICE, Search};
use super::states::{Own, States};
use super::trace::run_through;
use super::{Config, RunStore, opened};
use crate::limits::{Progress, Watch};
use crate::safety::Property;
use crate::{Error, Stopped};

/// A state as bytes that mean the same in every process.
pub type Portable = Vec<u8>;

/// What refutes a property: its number, the depth, and the state.
pub type Found = (usize, u64, Portable);

/// What a worker learned of a level, all of which the others want to know.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct News {
    /// Edges out of the states of the level.
    pub transitions: u64,
    /// Of those, states without an edge that may not end.
    pub deadlocks: u64,
    /// What its states and edges refute.
    pub found: Vec<Found>,
    /// States of the next level.
    pub fresh: u64,
    /// Which invariants those break.
    pub broken: Vec<Found>,
}

/// The part of a search that one worker owns. What is done with it, level by level: [`Owner::expand`]
/// until there is nothing left, [`Owner::receive`] what others sent meanwhile, [`Owner::absorb`], and,
/// once all have told their news, [`Owner::keep`].
pub trait Owner {
    /// What was counted of the own states, and what is known to be refuted.
    fn counts(&self) -> Counts;

    /// What refutes a property, as far as it is known.
    fn found(&mut self) -> Result<Vec<Found>, Stopped>;

    /// Levels that are complete.
    fn n_levels(&self) -> usize;

    /// Whether the search is over.
    fn is_complete(&self) -> bool;

    /// Meets the own initial states, unless the search goes on; the next level is level 0 then.
    fn begin(
        &mut self,
        properties: &[Property<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<News, Stopped>;

    /// Expands some states of the deepest level and hands over what belongs to others, as batches. Says
    /// whether there are more.
    fn expand(
        &mut self,
        properties: &[Property<'_>],
        watch: &mut Watch<'_>,
        send: &mut dyn FnMut(usize, Vec<u8>),
    ) -> Result<bool, Stopped>;

    /// Takes a batch that another owner sent.
    fn receive(&mut self, from: usize, batch: &[u8]) -> Result<(), Stopped>;

    /// Makes the next level of all candidates that were not met.
    fn absorb(
        &mut self,
        properties: &[Property<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<News, Stopped>;

    /// Takes what all learned as known: what is refuted, and, if `goes_on`, the next level as met.
    /// Forgets everything of an unfinished level otherwise.
    fn keep(
        &mut self,
        found: &[Found],
        goes_on: bool,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped>;

    /// Drops what was begun of a level, as if it had not been expanded.
    fn forget(&mut self);

    /// Writes down what is complete.
    fn commit(&mut self, is_complete: bool) -> Result<(), Stopped>;

    /// The first own state of a level that leads to a state.
    fn before(
        &mut self,
        level: usize,
        target: &[u8],
        watch: &mut Watch<'_>,
    ) -> Result<Option<Portable>, Stopped>;

    /// The run through some states, replayed, and one step more of a wanted action.
    fn run_through(
        &mut self,
        states: &[Portable],
        last: Option<&dyn Fn(ActionId) -> bool>,
        ending: Ending,
    ) -> Result<Trace, Stopped>;

    /// Bytes of the coded states, in memory or on disk; and bytes on disk with everything beside them.
    fn stored(&self) -> (u64, Option<u64>);

    /// Bytes in memory.
    fn memory(&self) -> usize;
}

/// The numbers of the last two manifests that an owner left in its store, the last first.
pub fn kept(runs: &RunStore) -> Result<Vec<u64>, Error> {
    match runs {
        RunStore::Disk { folder, resume: true, .. } => {
            commits(folder).map_err(|trouble| Error::Store(Box::new(trouble)))
        }
        _ => Ok(Vec::new()),
    }
}

/// One of several owners, by number. A store on disk goes on from the manifest with the number `from`;
/// with 0, it begins.
pub fn owner<'m>(
    model: &'m dyn Model,
    (number, n_owners): (usize, usize),
    runs: &RunStore,
    from: u64,
    config: &Config,
) -> Result<Box<dyn Owner + 'm>, Error> {
    let start = match runs {
        RunStore::Disk { resume: true, .. } => Start::Commit(from),
        _ => Start::New,
    };
    let place = ((number, n_owners), start);
    Ok(match States::n_limbs_of(model) {
        1 => Box::new(Partition::<u64>::open(model, place, runs, config)?),
        2 => Box::new(Partition::<u128>::open(model, place, runs, config)?),
        3..=4 => Box::new(Partition::<Fixed<4>>::open(model, place, runs, config)?),
        5..=8 => Box::new(Partition::<Fixed<8>>::open(model, place, runs, config)?),
        _ => Box::new(Partition::<Wide>::open(model, place, runs, config)?),
    })
}

fn foreign() -> Error {
    Error::Peers("another process sent states that are none of this model".into())
}

struct Partition<'m, K> {
    search: Search<'m, K>,
    own: Own<'m>,
    router: Router<K>,
    candidates: Candidates<K>,
    look: Option<Look>,
    seen: Seen<K>,
    /// The slice that is expanded next.
    next: usize,
    /// The next level, if it is known.
    level: Option<Run<K>>,
    keys: Vec<K>,
}

impl<'m, K: Key> Partition<'m, K> {
    fn open(
        model: &'m dyn Model,
        ((number, n_owners), start): ((usize, usize), Start),
        runs: &RunStore,
        config: &Config,
    ) -> Result<Self, Error> {
        let search = opened::<K>(model, runs, (Some((number, n_owners)), start), config)?;
        let own = search.states.own();
        let router = Router::new(&search.states, number, n_owners);
        Ok(Self {
            search,
            own,
            router,
            candidates: Candidates::default(),
            look: None,
            seen: Seen::default(),
            next: 0,
            level: None,
            keys: Vec::new(),
        })
    }

    fn portable(&mut self, key: &K) -> Portable {
        self.router.portable(&self.search.states, &mut self.own, key)
    }

    fn key(&mut self, portable: &[u8]) -> Result<K, Stopped> {
        let key = self.router.key(&self.search.states, &mut self.own, portable);
        key.ok_or_else(|| foreign().into())
    }

    fn all_portable(&mut self, found: Vec<(usize, u64, K)>) -> Vec<Found> {
        let each = |(number, depth, key)| (number, depth, self.portable(&key));
        found.into_iter().map(each).collect()
    }

    fn depth(&self) -> u64 {
        (self.search.visited.sizes.len() as u64).saturating_sub(1)
    }

    /// Blocks that are expanded at a time, the parts they are cut into, and how many slices that makes.
    fn slices(&self) -> (usize, usize, usize) {
        let n_blocks = self.search.visited.last().map_or(0, |run| run.blocks.len());
        let masks = self.search.states.are_masks();
        let (n_each, n_parts) = if masks { (SLICE, 1) } else { (1, PARTS) };
        (n_each, n_parts, n_blocks.div_ceil(n_each) * n_parts)
    }

    fn spill_where_full(&mut self) -> Result<(), Stopped> {
        if self.candidates.n() * size_of::<K>() > self.search.room {
            let full = std::mem::take(&mut self.candidates);
            self.candidates.spilled = self.search.spill(full)?;
        }
        Ok(())
    }

    fn progress(&self, n_left: u64) -> Progress {
        Progress {
            states: self.search.visited.n,
            transitions: self.search.counts.transitions + self.seen.n_targets,
            depth: Some(self.depth()),
            frontier: n_left,
            bytes: self.memory() as u64,
        }
    }

    fn expand_slice(&mut self, number: usize) -> Result<usize, Stopped> {
        let (n_each, n_parts, _) = self.slices();
        let Self { search, own, router, candidates, look, seen, keys, .. } = self;
        let (Some(run), Some(look)) = (search.visited.last(), look) else { return Ok(0) };
        let start = number / n_parts * n_each;
        let blocks = start..(start + n_each).min(run.blocks.len());
        let (part, mut n_expanded) = (number % n_parts, 0);
        let mut reader: Reader<'_, K> = run.reader();
        for position in blocks.clone() {
            reader.read(position, blocks.end, keys)?;
            let n = keys.len();
            keys.truncate(n * (part + 1) / n_parts);
            keys.drain(..n * part / n_parts);
            n_expanded += keys.len();
            let states = &search.states;
            states_of_block(states, own, look, keys, seen, |key| router.push(states, key))?;
            router.take_own(candidates, false);
        }
        Ok(n_expanded)
    }
}

impl<K: Key> Owner for Partition<'_, K> {
    fn counts(&self) -> Counts {
        self.search.counts
    }

    fn found(&mut self) -> Result<Vec<Found>, Stopped> {
        let found = self.search.found.clone();
        Ok(self.all_portable(found))
    }

    fn n_levels(&self) -> usize {
        self.search.visited.sizes.len()
    }

    fn is_complete(&self) -> bool {
        self.search.is_complete
    }

    fn begin(
        &mut self,
        properties: &[Property<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<News, Stopped> {
        let mut first = Vec::new();
        self.search.states.each_initial(&mut self.own, |key| first.push(key))?;
        for key in first {
            self.router.push_if_own(&self.search.states, key);
        }
        self.absorb(properties, watch)
    }

    fn expand(
        &mut self,
        properties: &[Property<'_>],
        watch: &mut Watch<'_>,
        send: &mut dyn FnMut(usize, Vec<u8>),
    ) -> Result<bool, Stopped> {
        if self.look.is_none() {
            self.look = Some(self.search.look(properties));
        }
        let (.., n_slices) = self.slices();
        if self.next < n_slices {
            let n_expanded = self.expand_slice(self.next)?;
            self.next += 1;
            self.spill_where_full()?;
            let n_states = self.search.visited.last().map_or(0, |run| run.n);
            let n_left = n_states - n_states * self.next as u64 / n_slices as u64;
            let n_limited = self.search.visited.n as usize * usize::from(self.search.limits_states);
            let checked = watch.check_after(n_expanded, n_limited, || self.progress(n_left));
            checked?;
        }
        let is_last = self.next >= n_slices;
        self.router.hand_over(&self.search.states, is_last, send);
        if is_last {
            self.router.take_own(&self.candidates, true);
        }
        Ok(!is_last)
    }

    fn receive(&mut self, from: usize, batch: &[u8]) -> Result<(), Stopped> {
        let run = self.router.unpack(&self.search.states, from, batch);
        let run = run.ok_or_else(foreign)?;
        let mut keys = Vec::with_capacity(run.n as usize);
        run.each_block(|block| {
            keys.extend_from_slice(block);
            Ok(())
        })?;
        let keys = self.router.translated(&self.search.states, &mut self.own, from, keys);
        self.candidates.add(keys.ok_or_else(foreign)?);
        self.spill_where_full()
    }

    fn absorb(
        &mut self,
        properties: &[Property<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<News, Stopped> {
        self.router.take_own(&self.candidates, true);
        let begins = self.search.visited.sizes.is_empty();
        let depth = self.depth();
        let found = match begins {
            true => Vec::new(),
            false => self.search.refuted(&self.seen, depth, properties)?,
        };
        let run = self.search.absorb(std::mem::take(&mut self.candidates), watch)?;
        let broken = self.search.broken(&run, depth + u64::from(!begins), properties, watch)?;
        let fresh = run.n;
        self.level = Some(run);
        Ok(News {
            transitions: self.seen.n_targets,
            deadlocks: self.seen.n_deadlocks,
            found: self.all_portable(found),
            fresh,
            broken: self.all_portable(broken),
        })
    }

    fn keep(
        &mut self,
        found: &[Found],
        goes_on: bool,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        for (number, depth, portable) in found {
            if self.search.is_open(*number) {
                let key = self.key(portable)?;
                self.search.found.push((*number, *depth, key));
            }
        }
        self.search.counts.transitions += self.seen.n_targets;
        self.search.counts.deadlocks += self.seen.n_deadlocks;
        let level = self.level.take().filter(|_| goes_on);
        self.forget();
        if let Some(level) = level {
            self.search.visited.add(level);
            self.search.counts.states = self.search.visited.n;
            self.search.counts.depth = Some(self.depth());
            self.search.merge_parts(watch)?;
        }
        Ok(())
    }

    fn forget(&mut self) {
        (self.seen, self.next, self.level) = (Seen::default(), 0, None);
        self.candidates = Candidates::default();
        self.router.forget();
    }

    fn commit(&mut self, is_complete: bool) -> Result<(), Stopped> {
        self.search.is_complete = is_complete;
        self.search.commit(true)
    }

    fn before(
        &mut self,
        level: usize,
        target: &[u8],
        watch: &mut Watch<'_>,
    ) -> Result<Option<Portable>, Stopped> {
        let target = self.key(target)?;
        let before = self.search.before(level, &target, watch)?;
        Ok(before.map(|key| self.portable(&key)))
    }

    fn run_through(
        &mut self,
        states: &[Portable],
        last: Option<&dyn Fn(ActionId) -> bool>,
        ending: Ending,
    ) -> Result<Trace, Stopped> {
        let mut values = Vec::with_capacity(states.len());
        for portable in states {
            let key = self.key(portable)?;
            values.push(self.search.states.values(&mut self.own, &key).to_vec());
        }
        Ok(run_through(self.search.states.model, values, last, ending)?)
    }

    fn stored(&self) -> (u64, Option<u64>) {
        (self.search.visited.coded(), self.search.disk.as_ref().map(Disk::bytes))
    }

    fn memory(&self) -> usize {
        let dictionary = self.search.states.dictionary().bytes();
        self.search.visited.memory()
            + self.candidates.memory()
            + self.router.memory()
            + dictionary
            + self.level.as_ref().map_or(0, Run::memory)
    }
}
