//! Linearizability (Herlihy & Wing 1990): operations that overlap must look as if each happened at
//! one moment between its call and its return. The check is that of Wing & Gong (1993) with the
//! memory of Lowe (2017): which operations are done already and what the object is then, once.

use std::fmt::{Debug, Write as _};
use std::hash::Hash;
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

use quadrille_sim::{Access, Action, Kind, ObjectId, Place, Request, task};
use rustc_hash::FxHashSet;

/// An object as it should be: operations one after the other.
pub trait Sequential: Clone + Eq + Hash {
    /// What can be asked of it.
    type Call: Debug;
    /// What it answers.
    type Return: PartialEq + Debug;

    /// Performs an operation.
    fn perform(&mut self, call: &Self::Call) -> Self::Return;
}

/// An operation of the history: when it began and ended, counted in calls and returns.
#[derive(Debug)]
struct Entry<C, R> {
    call: C,
    began: u32,
    /// Nothing while it is under way.
    ended: Option<(u32, R)>,
    thread: usize,
    place: Place,
}

/// What threads asked of an object, and what it answered.
///
/// ```
/// use quadrille_sim::sim;
/// use quadrille_sim_check::{History, Sequential};
/// use quadrille_sim_std::sync::{Arc, atomic::{AtomicU32, Ordering::SeqCst}};
/// use quadrille_sim_std::thread;
///
/// #[derive(Clone, PartialEq, Eq, Hash, Default)]
/// struct Counter(u32);
/// impl Sequential for Counter {
///     type Call = &'static str;
///     type Return = u32;
///     fn perform(&mut self, _: &&'static str) -> u32 {
///         self.0 += 1;
///         self.0
///     }
/// }
///
/// let count = |is_atomic: bool| move || {
///     let shared = Arc::new((AtomicU32::new(0), History::<Counter>::new()));
///     let next = move |shared: &(AtomicU32, History<Counter>)| {
///         shared.1.record("next", || match is_atomic {
///             true => shared.0.fetch_add(1, SeqCst) + 1,
///             false => {
///                 let next = shared.0.load(SeqCst) + 1;
///                 shared.0.store(next, SeqCst);
///                 next
///             }
///         });
///     };
///     let other = Arc::clone(&shared);
///     let thread = thread::spawn(move || next(&other));
///     next(&shared);
///     thread.join().unwrap();
///     shared.1.check(&Counter::default());
/// };
/// sim(count(true)).exhaustive().assert();
/// assert!(sim(count(false)).exhaustive().run().unwrap().failure.is_some());
/// ```
pub struct History<S: Sequential>(Mutex<Recorded<S::Call, S::Return>>);

/// The real lock is held for moments only, never while an operation is performed.
struct Recorded<C, R> {
    entries: Vec<Entry<C, R>>,
    /// Counts calls and returns.
    clock: u32,
    /// Stands for the order of calls and returns; of the execution of this number.
    object: Option<(u32, ObjectId)>,
}

impl<S: Sequential> Default for History<S> {
    fn default() -> History<S> {
        History::new()
    }
}

impl<S: Sequential> History<S> {
    /// Nothing happened yet.
    #[must_use]
    pub const fn new() -> History<S> {
        History(Mutex::new(Recorded { entries: Vec::new(), clock: 0, object: None }))
    }

    fn recorded(&self) -> MutexGuard<'_, Recorded<S::Call, S::Return>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which of two operations was over before the other began decides what is allowed, so that a
    /// call and a return do not commute.
    fn mark(&self, word: &'static str, access: Access, place: Place) -> u32 {
        if task::is_simulated() {
            let epoch = task::epoch();
            let known = self.recorded().object.filter(|(made, _)| *made == epoch);
            let object = known.map_or_else(|| task::object(Kind::User, 0, place), |(_, id)| id);
            self.recorded().object = Some((epoch, object));
            task::visible(Request::new(Action::Other(word), object, access, place));
        }
        let mut recorded = self.recorded();
        recorded.clock += 1;
        recorded.clock
    }

    /// Performs an operation of the real object and records it.
    #[track_caller]
    pub fn record(&self, call: S::Call, perform: impl FnOnce() -> S::Return) -> S::Return
    where
        S::Return: Clone,
    {
        let place = Location::caller();
        let began = self.mark("call", Access::Read, place);
        let thread = if task::is_simulated() { task::current().index() } else { 0 };
        let index = {
            let mut recorded = self.recorded();
            recorded.entries.push(Entry { call, began, ended: None, thread, place });
            recorded.entries.len() - 1
        };
        let answer = perform();
        let ended = self.mark("return", Access::Write, place);
        self.recorded().entries[index].ended = Some((ended, answer.clone()));
        answer
    }

    /// Says whether the history is one of an object that does one operation after the other, and
    /// fails the execution if it is not.
    pub fn check(&self, object: &S) {
        if let Err(message) = self.judge(object) {
            if task::is_simulated() {
                task::fail("linearizability", &message);
            } else {
                panic!("linearizability: {message}");
            }
        }
    }

    /// The same as a value.
    ///
    /// # Errors
    ///
    /// The history, if no order of its operations explains all answers.
    pub fn judge(&self, object: &S) -> Result<(), String> {
        let recorded = self.recorded();
        if is_linearizable(object, &recorded.entries) {
            return Ok(());
        }
        let mut text = "no order of these operations explains the answers:".to_owned();
        for Entry { call, began, ended, thread, place } in &recorded.entries {
            let _ = match ended {
                Some((ended, answer)) => write!(
                    text,
                    "\n  {began}-{ended} thread {thread}: {call:?} gives {answer:?} at {place}"
                ),
                None => write!(text, "\n  {began}-   thread {thread}: {call:?} at {place}"),
            };
        }
        Err(text)
    }
}

/// Which operations are done, as bits.
type Done = Vec<u64>;

fn is_done(done: &Done, index: usize) -> bool {
    done[index / 64] >> (index % 64) & 1 == 1
}

/// Searches an order. An operation that is under way may have had its effect or not.
fn is_linearizable<S: Sequential>(object: &S, entries: &[Entry<S::Call, S::Return>]) -> bool {
    let start: (Done, S) = (vec![0; entries.len().div_ceil(64)], object.clone());
    let mut seen = FxHashSet::default();
    let mut stack = vec![start];
    while let Some((done, object)) = stack.pop() {
        if !seen.insert((done.clone(), object.clone())) {
            continue;
        }
        let open = || (0..entries.len()).filter(|&index| !is_done(&done, index));
        if open().all(|index| entries[index].ended.is_none()) {
            return true;
        }
        // What begins after an open operation has ended cannot come before it.
        let ends = open().filter_map(|index| entries[index].ended.as_ref().map(|ended| ended.0));
        let first_end = ends.min().unwrap_or(u32::MAX);
        for index in open().filter(|&index| entries[index].began < first_end) {
            let mut after = object.clone();
            let answer = after.perform(&entries[index].call);
            if entries[index].ended.as_ref().is_none_or(|(_, expected)| *expected == answer) {
                let mut done = done.clone();
                done[index / 64] |= 1 << (index % 64);
                stack.push((done, after));
            }
        }
    }
    false
}

#[cfg(test)]
mod tests;
