//! Emptiness of a product that lies in sorted runs, by sets that shrink: one way, catch them young
//! ([`crate::ltl`] has the same algorithm in memory, and says why it is right). Every pass reads a set from
//! its beginning to its end, sorts what follows on it, and merges that with the set, as in *I/O efficient
//! accepting cycle detection* (Barnat, Brim and Šimeček, CAV 2007); nothing is looked up one by one.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use quadrille_logic::{Location, Marks};
use quadrille_model::settled;

use super::product::Product;
use super::sets::{Collector, Cursor, Layers, Merged, Place, Sink, sum};
use crate::disk::folder::Trouble;
use crate::disk::key::Key;
use crate::disk::run::Run;
use crate::disk::search::Search;
use crate::limits::{Progress, Watch};
use crate::ltl::Flaw;
use crate::workers::Workers;
use crate::{Error, Stopped};

/// Sets of moves that are merged when there are as many.
const MANY: usize = if cfg!(test) { 3 } else { 16 };
/// The limits are compared after so many keys that were merged.
const LOOK: usize = 1 << 14;

/// A product that was searched, of which the nodes are left that may lie on accepted cycles.
pub(super) struct Shrink<'a, 'm, 'w, 'o, K> {
    pub search: &'a Search<'m, K>,
    pub product: &'a Product<'a>,
    pub watch: &'w mut Watch<'o>,
    pub place: &'a Place,
    /// Nodes that are left, and keys that were merged since the limits were compared.
    n_left: u64,
    n_merged: usize,
}

impl<'a, 'm, 'w, 'o, K: Key> Shrink<'a, 'm, 'w, 'o, K> {
    pub fn new(
        search: &'a Search<'m, K>,
        product: &'a Product<'a>,
        watch: &'w mut Watch<'o>,
        place: &'a Place,
    ) -> Self {
        Self { search, product, watch, place, n_left: 0, n_merged: 0 }
    }

    /// The nodes in whose locations cycles can be accepted.
    pub fn whole(&mut self) -> Result<Run<K>, Stopped> {
        let (search, slot) = (self.search, self.product.slot());
        let mut merged = Merged::new(search.visited.parts.iter().map(|part| &part.run))?;
        let mut all = self.place.build();
        while let Some((key, _)) = merged.next()? {
            let location = Location(search.states.numbered(&key, slot));
            if self.product.homes.has(location) {
                all.push(key)?;
            }
            self.merged()?;
        }
        Ok(all.end()?)
    }

    /// What is left of a set, if all goes that does not lie on, or behind, accepted cycles inside it.
    pub fn shrunk(&mut self, mut set: Run<K>) -> Result<Run<K>, Stopped> {
        while set.n > 0 {
            let before = set.n;
            self.n_left = before;
            for mark in self.product.homes.marks() {
                let marked = self.moves(&set, mark)?;
                set = self.reached(&set, marked)?;
            }
            set = self.trimmed(&set)?;
            if set.n == before {
                break;
            }
        }
        Ok(set)
    }

    /// A node on an accepted cycle, and how deep it is; of a set that [`Shrink::shrunk`] left.
    ///
    /// Every part of such a set that nothing else in it leads to has accepted cycles through all its nodes.
    /// So a node from which all others can be reached is on one; and where some cannot, the others do
    /// without it, or it without them.
    pub fn accepted(&mut self, mut set: Run<K>) -> Result<(u64, K), Stopped> {
        loop {
            let Some((level, key)) = self.shallowest(&set)? else {
                return Err(Error::Flawed(Flaw::Lost).into());
            };
            let mut one = self.place.build();
            one.push(key.clone())?;
            let one = one.end()?;
            let moves = self.moves(&one, 0)?;
            let behind = self.reached(&set, moves)?;
            if behind.n == set.n {
                return Ok((level, key));
            }
            let inside = self.shrunk(behind.clone())?;
            set = match inside.n {
                0 => {
                    let rest = self.without(&set, [&behind, &one])?;
                    self.shrunk(rest)?
                }
                _ => inside,
            };
        }
    }

    /// How many states of the model the nodes belong to.
    pub fn n_states(&mut self) -> Result<u64, Stopped> {
        let search = self.search;
        let mut merged = Merged::new(search.visited.parts.iter().map(|part| &part.run))?;
        let (mut n, mut last) = (0, Vec::new());
        while let Some((key, _)) = merged.next()? {
            // The location is in the lowest bits: nodes of one state are neighbours.
            let state = search.states.limbs_without(&key, self.product.slot());
            if state != last {
                (n, last) = (n + 1, state);
            }
            self.merged()?;
        }
        Ok(n)
    }

    /// Counts a key that was merged.
    fn merged(&mut self) -> Result<(), Stopped> {
        self.n_merged += 1;
        match self.n_merged.is_multiple_of(LOOK) {
            true => Ok(look(self.search, self.watch, self.n_left, 0)?),
            false => Ok(()),
        }
    }

    /// What the moves of a set lead to that can lie on an accepted cycle: all, or those with a mark.
    fn moves(&mut self, set: &Run<K>, mark: Marks) -> Result<Vec<Run<K>>, Stopped> {
        let Self { search, product, n_left, place, .. } = *self;
        let room = if cfg!(test) { 1 << 8 } else { search.room };
        let n_blocks = set.blocks.len();
        let workers = if n_blocks > 1 { search.workers } else { Workers::default() };
        let (sink, next) = (Sink::default(), AtomicUsize::new(0));
        let failed: Mutex<Option<Stopped>> = Mutex::default();
        let (mut bound, mut kept) = (None, Vec::new());
        while next.load(Ordering::Relaxed) < n_blocks {
            let slices = std::iter::from_fn(|| {
                let is_full = sink.memory() > room;
                let number = if is_full { n_blocks } else { next.fetch_add(1, Ordering::Relaxed) };
                (number < n_blocks).then_some(number)
            });
            workers.share(
                slices,
                || {
                    let collector = Collector::new(&sink, room);
                    (search.states.own(), product.walker(), collector, set.reader(), Vec::new())
                },
                |(own, walker, collector, reader, keys), number| {
                    let mut expand = || {
                        reader.read(number, n_blocks, keys)?;
                        for key in &*keys {
                            let values = search.states.values(own, key).to_vec();
                            settled(walker.inner_moves(None, &values, |_, _, marks, next| {
                                if mark == 0 || marks & mark != 0 {
                                    collector.push(search.states.key(own, next));
                                }
                                ControlFlow::Continue(())
                            }))?;
                        }
                        Ok::<(), Stopped>(())
                    };
                    if let Err(stopped) = expand() {
                        next.store(n_blocks, Ordering::Relaxed);
                        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(stopped);
                    }
                },
                || {
                    let looked = look(search, self.watch, n_left, sink.memory());
                    bound = bound.or(looked.err());
                    bound.is_none()
                },
            );
            if let Some(bound) = bound {
                return Err(bound.into());
            }
            if let Some(stopped) = failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return Err(stopped);
            }
            if next.load(Ordering::Relaxed) < n_blocks {
                let mut runs = sink.take();
                if kept.len() >= MANY {
                    runs.append(&mut kept);
                }
                let (mut merged, mut all) = (Merged::new(&runs)?, place.build());
                while let Some((key, count)) = merged.next()? {
                    all.push_counted(key, count)?;
                }
                kept.push(all.end()?);
            }
        }
        kept.extend(sink.take());
        Ok(kept)
    }

    /// What can be reached inside a set from some of its nodes, these included.
    fn reached(&mut self, set: &Run<K>, mut from: Vec<Run<K>>) -> Result<Run<K>, Stopped> {
        let mut met = Layers::new();
        loop {
            let mut fresh = self.place.build();
            let mut merged = Merged::new(&from)?;
            let (mut inside, mut known) = (Cursor::new(set), met.cursors());
            while let Some((key, _)) = merged.next()? {
                if inside.count(&key)? > 0 && sum(&mut known, &key)? == 0 {
                    fresh.push(key)?;
                }
                self.merged()?;
            }
            let fresh = fresh.end()?;
            if fresh.n == 0 {
                break;
            }
            from = self.moves(&fresh, 0)?;
            met.add(fresh, self.place)?;
        }
        let (mut merged, mut all) = (Merged::new(&met.runs)?, self.place.build());
        while let Some((key, _)) = merged.next()? {
            all.push(key)?;
        }
        Ok(all.end()?)
    }

    /// A set without the nodes that nothing in it leads to, again and again.
    fn trimmed(&mut self, set: &Run<K>) -> Result<Run<K>, Stopped> {
        // How many moves inside the set lead to each node that some lead to.
        let (mut arrivals, mut gone) = (self.place.build(), self.place.build());
        let moves = self.moves(set, 0)?;
        let (mut merged, mut all) = (Merged::new(&moves)?, Cursor::new(set));
        let mut arrival = merged.next()?;
        while let Some((key, _)) = all.get()? {
            while arrival.as_ref().is_some_and(|(to, _)| to < key) {
                arrival = merged.next()?;
            }
            match &arrival {
                Some((to, count)) if to == key => arrivals.push_counted(key.clone(), *count)?,
                _ => gone.push(key.clone())?,
            }
            all.advance();
            self.merged()?;
        }
        let (arrivals, mut gone) = (arrivals.end()?, gone.end()?);
        // How many of them came from nodes that are gone.
        let mut lost = Layers::new();
        while gone.n > 0 {
            self.n_left -= gone.n;
            let moves = self.moves(&gone, 0)?;
            let (mut next, mut fewer) = (self.place.build(), self.place.build());
            let (mut merged, mut before) = (Merged::new(&moves)?, Cursor::new(&arrivals));
            let mut known = lost.cursors();
            while let Some((key, count)) = merged.next()? {
                let in_all = before.count(&key)?;
                if in_all > 0 {
                    let lost = sum(&mut known, &key)?.saturating_add(count);
                    fewer.push_counted(key.clone(), count)?;
                    if lost >= in_all {
                        next.push(key)?;
                    }
                }
                self.merged()?;
            }
            let fewer = fewer.end()?;
            gone = next.end()?;
            drop(known);
            lost.add(fewer, self.place)?;
        }
        let (mut known, mut all) = (lost.cursors(), Cursor::new(&arrivals));
        let mut left = self.place.build();
        while let Some((key, count)) = all.get()? {
            if sum(&mut known, key)? < count {
                left.push(key.clone())?;
            }
            all.advance();
            self.merged()?;
        }
        Ok(left.end()?)
    }

    /// A set without the members of two others.
    fn without(&mut self, set: &Run<K>, others: [&Run<K>; 2]) -> Result<Run<K>, Stopped> {
        let (mut all, mut others) = (Cursor::new(set), others.map(Cursor::new));
        let mut left = self.place.build();
        while let Some((key, _)) = all.get()? {
            if sum(&mut others, key)? == 0 {
                left.push(key.clone())?;
            }
            all.advance();
            self.merged()?;
        }
        Ok(left.end()?)
    }

    /// The first of the shallowest nodes of a set, and how deep it is.
    fn shallowest(&mut self, set: &Run<K>) -> Result<Option<(u64, K)>, Stopped> {
        let mut first: Option<(u64, K)> = None;
        for part in &self.search.visited.parts {
            let start = part.levels.start as u64;
            if first.as_ref().is_some_and(|(level, _)| *level < start) {
                break;
            }
            let (mut all, mut levels) = (Cursor::new(set), Cursor::new(&part.run));
            let is_merged = part.levels.len() > 1;
            while let Some((key, _)) = all.get()? {
                if let Some(level) = levels.tag(key)? {
                    let level = if is_merged { u64::from(level) } else { start };
                    if first.as_ref().is_none_or(|(least, _)| level < *least) {
                        first = Some((level, key.clone()));
                    }
                }
                all.advance();
                self.merged()?;
            }
        }
        Ok(first)
    }
}

/// Compares with the limits.
fn look<K: Key>(
    search: &Search<'_, K>,
    watch: &mut Watch<'_>,
    n_left: u64,
    n_bytes: usize,
) -> Result<(), quadrille_model::Bound> {
    let held = search.visited.memory() + search.states.dictionary().bytes();
    let progress = || Progress {
        states: search.counts.states,
        transitions: search.counts.transitions,
        depth: None,
        frontier: n_left,
        bytes: (held + n_bytes) as u64,
    };
    watch.check_after(1 << 10, 0, progress)
}

impl From<Trouble> for Error {
    fn from(trouble: Trouble) -> Self {
        Error::Store(Box::new(trouble))
    }
}
