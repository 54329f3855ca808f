//! One worker of a search: it drives its owner level by level, and says to all others what it found.

use std::ops::ControlFlow;

use quadrille_engine::disk::partition::{News, Owner, Portable, kept, owner};
use quadrille_engine::disk::{Folder, RunStore};
use quadrille_engine::{Config, Error, Limits, Progress, Property, Stopped, Watch};
use quadrille_model::{ActionId, Bound, Counts, Ending, Misfit, Model, Probability, Trace};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::flow::Flow;
use crate::ledger::{Ledger, Standing, Step, Word};
use crate::shared::{Shared, peers};

/// What a worker is to do.
pub(crate) struct Job<'a> {
    pub model: &'a dyn Model,
    pub runs: &'a RunStore,
    /// States of all workers, and bytes of this one.
    pub limits: Limits,
    pub shared: &'a Shared,
    /// Whether it puts runs together: one worker of each process does.
    pub tells: bool,
}

/// What a worker knows at the end.
pub(crate) struct Ended {
    pub counts: Counts,
    pub bound: Option<Bound>,
    /// Per property, whether it is refuted, and by which run, where this worker tells.
    pub verdicts: Vec<Refuted>,
    pub stored: u64,
    pub on_disk: Option<u64>,
}

pub(crate) enum Refuted {
    No,
    By(Option<Trace>),
    /// It is, but there was no time to show how.
    Unshown(Bound),
}

/// A bound as numbers, and back.
pub(crate) fn numbers_of(bound: Bound) -> (u8, u64) {
    match bound {
        Bound::States(most) => (0, most),
        Bound::Memory(most) => (1, most),
        Bound::Time(most) => (2, most),
        Bound::Interrupted => (3, 0),
        Bound::Walks(most) => (4, most),
        Bound::Endless => (5, 0),
        Bound::Omission(probability) => (6, (probability.value() * 1e9).round() as u64),
        Bound::Infinite => (7, 0),
    }
}

pub(crate) fn bound_of(kind: u8, number: u64) -> Bound {
    match kind {
        0 => Bound::States(number),
        1 => Bound::Memory(number),
        2 => Bound::Time(number),
        4 => Bound::Walks(number),
        5 => Bound::Endless,
        6 => Bound::Omission(Probability::new(number as f64 / 1e9)),
        7 => Bound::Infinite,
        _ => Bound::Interrupted,
    }
}

/// The store of one worker.
fn store_of(runs: &RunStore, worker: usize) -> RunStore {
    match runs {
        RunStore::Memory => RunStore::Memory,
        RunStore::Disk { folder, resume, identity } => RunStore::Disk {
            folder: Folder::new(folder.path().join(format!("worker-{worker}"))),
            resume: *resume,
            identity: identity.clone(),
        },
    }
}

impl Job<'_> {
    /// Searches with all others.
    pub fn drive(&self, flow: &mut Flow, properties: &[Property<'_>]) -> Result<Ended, Stopped> {
        let worker = flow.index();
        let mut look = |progress: &Progress| {
            let Progress { states, transitions, depth, frontier, bytes } = *progress;
            self.shared.moved(worker);
            self.shared.tell(worker, [states, transitions, depth.unwrap_or(0), frontier, bytes]);
            match (self.shared.failure(), self.shared.bound()) {
                (Some(_), _) => ControlFlow::Break(Bound::Interrupted),
                (None, Some(bound)) => ControlFlow::Break(bound),
                (None, None) => ControlFlow::Continue(()),
            }
        };
        let limits = Limits { states: None, ..self.limits };
        let watch = &mut Watch::new(limits, &mut look);
        let store = store_of(self.runs, worker);
        let from = self.agree(flow, &store)?;
        let config = Config { limits, ..Config::default() };
        let place = (worker, flow.n_workers());
        let mut owner = owner(self.model, place, &store, from, &config)?;
        let counts = owner.counts();
        let standing = Standing {
            n_levels: owner.n_levels(),
            states: counts.states,
            transitions: counts.transitions,
            deadlocks: counts.deadlocks,
            is_complete: owner.is_complete(),
            found: owner.found()?,
        };
        let all: Vec<Standing> = self.consult(flow, &standing)?;
        let ledger = Ledger::new(&all, properties.len());
        let mut ledger =
            ledger.ok_or_else(|| peers("the folders of the workers are of different searches"))?;
        let mut bound = None;
        while !ledger.is_over() && bound.is_none() {
            bound = self.level(flow, &mut *owner, &mut ledger, properties, watch)?;
        }
        owner.commit(ledger.is_complete)?;
        let mut verdicts = Vec::with_capacity(properties.len());
        for (number, property) in properties.iter().enumerate() {
            let found = ledger.found.iter().find(|(found, ..)| *found == number);
            verdicts.push(match found {
                None => Refuted::No,
                Some((_, depth, state)) => {
                    let found = (*depth, state);
                    let shown = self.show(flow, &mut *owner, property, found, watch)?;
                    if let Refuted::Unshown(by) = &shown {
                        bound = Some(*by);
                    }
                    shown
                }
            });
        }
        let (stored, on_disk) = owner.stored();
        let held = [stored, on_disk.unwrap_or(0), owner.memory() as u64];
        let all: Vec<[u64; 3]> = self.consult(flow, &held)?;
        let sum = |at: usize| all.iter().map(|held| held[at]).sum();
        let counts = Counts { bytes: sum(2), ..ledger.counts };
        Ok(Ended { counts, bound, verdicts, stored: sum(0), on_disk: on_disk.map(|_| sum(1)) })
    }

    /// The manifest that all workers go on from: the last that all of them have; 0 to begin.
    fn agree(&self, flow: &mut Flow, store: &RunStore) -> Result<u64, Stopped> {
        let all: Vec<Vec<u64>> = self.consult(flow, &kept(store)?)?;
        let last = |commits: &Vec<u64>| commits.first().copied().unwrap_or(0);
        let from = all.iter().map(last).min().unwrap_or(0);
        // A worker that has none would begin while others threw away what they have; only the first manifest
        // may be missing, where a process died before it was written.
        let furthest = all.iter().map(last).max().unwrap_or(0);
        if from == 0 && furthest > 1 {
            let missing = all.iter().position(Vec::is_empty).unwrap_or(0);
            return Err(peers(format!(
                "worker {missing} has no search in its folder, though others have: name the folder \
                 that it had, or delete all of them"
            ))
            .into());
        }
        Ok(from)
    }

    /// Says something to all, and waits for what they say.
    fn consult<T: Serialize + DeserializeOwned>(
        &self,
        flow: &mut Flow,
        word: &T,
    ) -> Result<Vec<T>, Stopped> {
        let bytes = postcard::to_allocvec(word).map_err(|error| peers(error.to_string()))?;
        flow.say(&bytes);
        let all = loop {
            if let Some(all) = flow.heard() {
                break all;
            }
            self.wait(flow)?;
        };
        let read = |bytes: &Vec<u8>| postcard::from_bytes(bytes);
        let all: Result<Vec<T>, _> = all.iter().map(read).collect();
        let all = all.ok().filter(|all| all.len() == flow.n_workers());
        Ok(all.ok_or_else(|| peers("a worker said something that no worker says"))?)
    }

    /// Waits a moment for others; fails if that is in vain.
    fn wait(&self, flow: &mut Flow) -> Result<(), Stopped> {
        match self.shared.failure() {
            Some(failure) => Err(failure.clone().into()),
            None => {
                self.shared.moved(flow.index());
                flow.step(true);
                Ok(())
            }
        }
    }

    /// Searches one level with all others, and says what ended the search, if something did.
    fn level(
        &self,
        flow: &mut Flow,
        owner: &mut dyn Owner,
        ledger: &mut Ledger,
        properties: &[Property<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Option<Bound>, Stopped> {
        let most = self.limits.states.unwrap_or(u64::MAX);
        if ledger.counts.states > most {
            return Ok(Some(Bound::States(most)));
        }
        let worked = match ledger.n_levels {
            0 => owner.begin(properties, watch),
            _ => self.work(flow, owner, properties, watch),
        };
        let word = match worked {
            Ok(news) => Word::new(news),
            Err(Stopped::Bound(bound)) => Word::bound(numbers_of(bound)),
            Err(failed) => return Err(failed),
        };
        let words: Vec<Word> = self.consult(flow, &word)?;
        match ledger.take(&words) {
            Step::Forget(bound) => {
                owner.forget();
                return Ok(Some(bound));
            }
            step => owner.keep(&ledger.found, step == Step::Next, watch)?,
        }
        if ledger.is_worth() {
            owner.commit(ledger.is_complete)?;
        }
        Ok(None)
    }

    /// Expands the own states of a level, a slice at a time, and takes what others send meanwhile.
    fn work(
        &self,
        flow: &mut Flow,
        owner: &mut dyn Owner,
        properties: &[Property<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<News, Stopped> {
        let mut bound = None;
        loop {
            let more = owner.expand(properties, watch, &mut |to, batch| flow.send(to, batch));
            let more = match more {
                Ok(more) => more,
                Err(Stopped::Bound(by)) => {
                    bound = Some(by);
                    false
                }
                Err(failed) => return Err(failed),
            };
            self.shared.moved(flow.index());
            self.shared.tell_sent(flow.index(), flow.sent);
            flow.step(false);
            self.receive(flow, owner)?;
            while !flow.has_room() {
                self.wait(flow)?;
                self.receive(flow, owner)?;
            }
            if !more {
                break;
            }
        }
        flow.end_level();
        if let Some(bound) = bound {
            return Err(bound.into());
        }
        while !flow.is_level_over() {
            self.wait(flow)?;
            self.receive(flow, owner)?;
        }
        self.receive(flow, owner)?;
        owner.absorb(properties, watch)
    }

    fn receive(&self, flow: &mut Flow, owner: &mut dyn Owner) -> Result<(), Stopped> {
        while let Some(batch) = flow.take() {
            owner.receive(batch.from, &batch.bytes)?;
        }
        Ok(())
    }

    /// The run that shows why a property fails: backwards, each time the first of all owners' states that
    /// leads on.
    fn show(
        &self,
        flow: &mut Flow,
        owner: &mut dyn Owner,
        property: &Property<'_>,
        (depth, state): (u64, &Portable),
        watch: &mut Watch<'_>,
    ) -> Result<Refuted, Stopped> {
        let mut states = vec![state.clone()];
        for level in (0..depth as usize).rev() {
            let target = &states[states.len() - 1];
            let before = match owner.before(level, target, watch) {
                Ok(before) => (before, None),
                Err(Stopped::Bound(bound)) => (None, Some(numbers_of(bound))),
                Err(failed) => return Err(failed),
            };
            let all: Vec<(Option<Portable>, _)> = self.consult(flow, &before)?;
            if let Some((kind, number)) =
                all.iter().find_map(|(_, bound): &(_, Option<(u8, u64)>)| *bound)
            {
                return Ok(Refuted::Unshown(bound_of(kind, number)));
            }
            let first = all.into_iter().filter_map(|(before, _)| before).min();
            states.push(first.ok_or(Error::Unrepeatable(Misfit::Step(level)))?);
        }
        if !self.tells {
            return Ok(Refuted::By(None));
        }
        states.reverse();
        let (last, ending): (Option<&dyn Fn(ActionId) -> bool>, _) = match property {
            Property::DeadlockFree => (None, Ending::Stuck),
            Property::Always(_) => (None, Ending::Prefix),
            Property::Never(is_wanted) => (Some(&**is_wanted), Ending::Prefix),
        };
        Ok(Refuted::By(Some(owner.run_through(&states, last, ending)?)))
    }
}
