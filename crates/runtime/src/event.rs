//! Waiting for something that others bring about: one role waits, many notify. Knows nothing of what is
//! waited for: whoever waits brings a function that looks.
//!
//! Nobody loses a wake-up, by the argument of Dekker: a notifier first makes its change, then looks whether
//! somebody waits; the role first says that it waits, then looks whether there is a change. A fence
//! stands between the two on either side, so one of them sees the other. The fences are asymmetric while only
//! threads wait, because they look a while before they sleep; a task goes to sleep at once, so its
//! event is `fenced` and both sides pay the same.

use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::sync::{
    AtomicBool, AtomicU32, Ordering, Patience, Thread, UnsafeCell, current, fence, heavy_fence,
    is_asymmetric, light_fence, park, park_timeout, patience, spin_loop, yield_now,
};

/// How many waits it takes until the role tries again whether looking pays.
const PROBE_EVERY: u32 = 32;

/// How many waits it takes until it tries again whether giving way pays: that can be expensive.
const GIVE_WAY_EVERY: u32 = 1024;

/// Who waited longer than this for the processor waited for somebody else.
const STRANGERS: Duration = Duration::from_micros(20);

/// Nobody sleeps; the waiter is the role's.
const AWAKE: u32 = 0;
/// The role sleeps or is about to; whoever gets from here to `TAKEN` has the waiter.
const WAITING: u32 = 1;
/// Somebody has the waiter, for a few instructions.
const TAKEN: u32 = 2;

/// Something may have happened for the one role that waits for it.
#[derive(Debug)]
#[repr(align(128))] // notifiers read `state` all the time: nothing that is written often may be beside it
pub struct Event {
    state: AtomicU32,
    /// Whether notifiers need a full fence.
    fenced: AtomicBool,
    /// How often looking again is worth it, as far as the role has learnt.
    spins: AtomicU32,
    /// How often letting others run is worth it, as far as the role has learnt.
    yields: AtomicU32,
    /// How often the role gave way.
    n_waits: AtomicU32,
    waiter: UnsafeCell<Option<Waiter>>,
}

/// Who is to be woken.
#[derive(Debug)]
enum Waiter {
    Thread(Thread),
    Task(Waker),
}

// SAFETY: `waiter`, which may be sent anywhere, is accessed only by whoever brought `state` to `TAKEN`.
unsafe impl Sync for Event {}

impl Default for Event {
    fn default() -> Self {
        Self::new()
    }
}

impl Event {
    /// Nobody waits, nothing happened.
    pub fn new() -> Self {
        let patience = patience();
        Self {
            state: AtomicU32::new(AWAKE),
            fenced: AtomicBool::new(!is_asymmetric()),
            n_waits: AtomicU32::new(0),
            spins: AtomicU32::new(*patience.spins.end() / 4),
            yields: AtomicU32::new(patience.yields),
            waiter: UnsafeCell::new(None),
        }
    }

    /// The same for a role that sleeps about as often as it is notified: both sides pay the same from the start.
    pub fn fenced() -> Self {
        let event = Self::new();
        event.fenced.store(true, Ordering::Relaxed);
        event
    }

    /// Tells the role to look again. Everything that the caller did before is seen by it. Costs two loads
    /// while the role does not sleep, and a fence if it ever waited as a task.
    #[inline(always)]
    pub fn notify(&self) {
        light_fence();
        if self.fenced.load(Ordering::Relaxed) {
            fence(Ordering::SeqCst);
        }
        if self.state.load(Ordering::Relaxed) == WAITING {
            self.wake();
        }
    }

    /// Whether the role registered to sleep and nobody notified it since.
    pub fn is_waiting(&self) -> bool {
        self.state.load(Ordering::Acquire) == WAITING
    }

    /// Blocks the thread until `ready` gives something; `None` if that does not happen before the
    /// deadline. Looks a while, lets others run, then sleeps.
    ///
    /// Only one thread or task may wait for an event at a time: of two, one would sleep for ever.
    pub fn wait<R>(
        &self,
        mut ready: impl FnMut() -> Option<R>,
        deadline: Option<Instant>,
    ) -> Option<R> {
        if let Some(result) = self.spin(&mut ready) {
            return Some(result);
        }
        loop {
            self.register(Waiter::Thread(current()));
            let result = ready();
            if result.is_some() || !sleep(deadline) {
                self.withdraw();
                return result;
            }
        }
    }

    /// Looks once; if there is nothing, the task is woken by the next notification.
    ///
    /// Only one thread or task may wait for an event at a time: of two, one would sleep for ever.
    pub fn poll<R>(
        &self,
        context: &mut Context<'_>,
        mut ready: impl FnMut() -> Option<R>,
    ) -> Poll<R> {
        match ready() {
            Some(result) => Poll::Ready(result),
            None => self.poll_again(context, ready),
        }
    }

    /// The same for a task that has just looked: it says that it waits before it looks once more.
    pub fn poll_again<R>(
        &self,
        context: &mut Context<'_>,
        mut ready: impl FnMut() -> Option<R>,
    ) -> Poll<R> {
        if !self.fenced.load(Ordering::Relaxed) {
            // A notifier that does not see this passes the heavy fence after its change, which is seen then.
            self.fenced.store(true, Ordering::Relaxed);
            heavy_fence();
        }
        self.register(Waiter::Task(context.waker().clone()));
        match ready() {
            Some(result) => {
                self.withdraw();
                Poll::Ready(result)
            }
            None => Poll::Pending,
        }
    }

    /// Says that the role does not wait any more, as when a future is dropped. It may still be woken once,
    /// for nothing.
    pub fn withdraw(&self) {
        drop(self.take_waiter());
    }

    /// Looks without sleeping, and learns for the next time how long that is worth it.
    fn spin<R>(&self, ready: &mut impl FnMut() -> Option<R>) -> Option<R> {
        let Patience { spins, yields, probe, .. } = patience();
        let n_waits = self.n_waits.load(Ordering::Relaxed);
        let is_probe = n_waits.is_multiple_of(PROBE_EVERY);
        let learnt = self.spins.load(Ordering::Relaxed);
        let budget = if is_probe { learnt.max(probe) } else { learnt };
        for _ in 0..budget {
            if let Some(result) = ready() {
                if learnt < *spins.end() {
                    self.spins.store(budget.max(learnt * 2), Ordering::Relaxed);
                }
                return Some(result);
            }
            spin_loop();
        }
        if learnt > *spins.start() {
            self.spins.store(learnt / 2, Ordering::Relaxed);
        }
        self.n_waits.store(n_waits.wrapping_add(1), Ordering::Relaxed);
        self.give_way(if n_waits.is_multiple_of(GIVE_WAY_EVERY) { yields } else { 0 }, ready)
    }

    /// Lets others run: on a busy processor that is how what is waited for comes about, and cheaper than to
    /// sleep. If the others are strangers, who keep the processor, sleeping is better: then it is tried
    /// less often.
    #[allow(clippy::disallowed_methods)] // only the clock can tell whether strangers ran
    fn give_way<R>(&self, least: u32, ready: &mut impl FnMut() -> Option<R>) -> Option<R> {
        let learnt = self.yields.load(Ordering::Relaxed);
        let budget = learnt.max(least);
        if budget == 0 {
            return None;
        }
        let start = Instant::now();
        let mut result = None;
        for _ in 0..budget {
            yield_now();
            result = ready();
            if result.is_some() {
                break;
            }
        }
        let is_worth_it = result.is_some() && start.elapsed() < STRANGERS;
        let yields = if is_worth_it { patience().yields } else { learnt / 2 };
        self.yields.store(yields, Ordering::Relaxed);
        result
    }

    /// Says that the role is about to sleep; what others did before they could know that is seen by the
    /// caller from here on.
    fn register(&self, waiter: Waiter) {
        let mut before = None;
        while self
            .state
            .compare_exchange(AWAKE, TAKEN, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            // Either a call that was given up without saying so left its waiter here, or a notifier has it and
            // is about to let go.
            before = self.take_waiter();
            if before.is_none() {
                yield_now();
            }
        }
        // SAFETY: this thread brought the state to `TAKEN`. Acquiring it saw the release of whoever had the
        // waiter before.
        self.waiter.with_mut(|place| unsafe { *place = Some(waiter) });
        self.state.store(WAITING, Ordering::Release);
        if self.fenced.load(Ordering::Relaxed) {
            fence(Ordering::SeqCst);
        } else {
            heavy_fence();
        }
        // A waker may do anything when it is dropped, even notify.
        drop(before);
    }

    /// The waiter, if somebody waits; then nobody does any more.
    fn take_waiter(&self) -> Option<Waiter> {
        self.state.compare_exchange(WAITING, TAKEN, Ordering::Acquire, Ordering::Relaxed).ok()?;
        // SAFETY: this thread brought the state to `TAKEN`. Acquiring it saw the role's release, after it had
        // written the waiter.
        let waiter = self.waiter.with_mut(|place| unsafe { (*place).take() });
        self.state.store(AWAKE, Ordering::Release);
        waiter
    }

    #[cold]
    fn wake(&self) {
        // If another notifier was faster, the role looks again after it was woken by that one. Should it miss
        // the change of this one even then, it registers again, which comes after the load in `notify`.
        match self.take_waiter() {
            Some(Waiter::Thread(thread)) => thread.unpark(),
            Some(Waiter::Task(waker)) => waker.wake(),
            None => {}
        }
    }
}

/// Sleeps until woken, perhaps for nothing; `false` if the deadline is over.
fn sleep(deadline: Option<Instant>) -> bool {
    let Some(deadline) = deadline else {
        park();
        return true;
    };
    #[allow(clippy::disallowed_methods)] // a time-out is what the caller asked for
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return false;
    }
    park_timeout(left);
    true
}

/// Waits a short time for the next of many messages, or for room for it, and mostly without looking: looking
/// would take the cache line from the other side for every single message. Then lets others run: if the other
/// side has to share the processor, it gets through many messages before it is this one's turn again.
pub fn linger<R>(mut ready: impl FnMut() -> Option<R>) -> Option<R> {
    let Patience { linger, lingers, .. } = patience();
    for round in 0..lingers {
        if round > 0 {
            yield_now();
        }
        for _ in 0..linger {
            spin_loop();
        }
        if let Some(result) = ready() {
            return Some(result);
        }
    }
    None
}
