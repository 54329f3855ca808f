//! Wake-ups: one role waits for a condition, many roles notify it. The condition is a function of the waiting role.
//!
//! No wake-up is lost. While only threads wait, by Dekker's argument: a notifier makes its change, then checks whether the
//! role is registered as waiting; the role registers, then checks the condition again. A fence stands between the two on
//! either side, so one of them sees the other. The fences are asymmetric, because threads spin before they park. A task
//! suspends at once, so its event is `exchanged`: both sides exchange the state atomically, and the second sees everything
//! that the first did before.

use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::sync::{
    AtomicBool, AtomicU32, BackOff, Ordering, Thread, UnsafeCell, back_off, current, heavy_fence,
    is_asymmetric, light_fence, park, park_timeout, spin_loop, yield_now,
};

/// After so many waits, spin longer once to find out whether it pays again.
const SPIN_PROBE_EVERY: u32 = 32;

/// After so many waits, yield once to find out whether it pays again: yielding can be expensive.
const YIELD_PROBE_EVERY: u32 = 1024;

/// If yielding takes longer than this, another process was scheduled.
const FOREIGN_TIME_SLICE: Duration = Duration::from_micros(20);

/// The role is not registered as waiting.
const AWAKE: u32 = 0;
/// The role is parked or about to park; the thread that changes this to `AWAKE` owns the waiter.
const WAITING: u32 = 1;

/// The wake-up of one role.
#[derive(Debug)]
#[repr(align(128))] // notifiers read `state` all the time: nothing that is written often may be beside it
pub struct Event {
    state: AtomicU32,
    /// Whether notifiers must exchange the state.
    exchanged: AtomicBool,
    /// Whether the waiter is in use; a notifier that took it clears this after moving it out.
    is_held: AtomicBool,
    /// The learnt number of spins.
    spins: AtomicU32,
    /// The learnt number of yields.
    yields: AtomicU32,
    /// How many waits outlasted spinning.
    n_waits: AtomicU32,
    /// Whether roles outnumber processors.
    is_crowded: bool,
    waiter: UnsafeCell<Option<Waiter>>,
}

/// How a role checks its condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// It will check again soon.
    Awake,
    /// It parks if the condition is false.
    Last,
}

/// What to wake.
#[derive(Debug)]
enum Waiter {
    Thread(Thread),
    Task(Waker),
}

// SAFETY: `waiter` is `Send`. It is written by the role while `is_held` is false, and moved out by the thread that changed
// `state` from `WAITING` to `AWAKE`, which then clears `is_held`. Only one thread waits for an event: the one that has the
// role's machine by `&mut`, or the writer of the connection to the process where the role runs. Events are private.
unsafe impl Sync for Event {}

impl Default for Event {
    fn default() -> Self {
        Self::new()
    }
}

impl Event {
    /// An event that no role waits for.
    pub fn new() -> Self {
        let back_off = back_off();
        Self {
            state: AtomicU32::new(AWAKE),
            exchanged: AtomicBool::new(!is_asymmetric()),
            is_held: AtomicBool::new(false),
            n_waits: AtomicU32::new(0),
            spins: AtomicU32::new(*back_off.spins.end() / 4),
            yields: AtomicU32::new(back_off.yields),
            is_crowded: false,
            waiter: UnsafeCell::new(None),
        }
    }

    /// The same where roles outnumber processors. The role parks so often that both sides exchange the state.
    #[must_use]
    pub fn crowded(self) -> Self {
        Self { is_crowded: true, ..self }.exchanged()
    }

    /// The same for a role that parks about as often as it is notified: both sides exchange the state from the start.
    #[must_use]
    pub fn exchanged(self) -> Self {
        self.exchanged.store(true, Ordering::Relaxed);
        self
    }

    /// Wakes the role, which then sees everything that the caller did before. Costs two loads while the role is not
    /// parked, and an exchange if it ever waited as a task.
    #[inline(always)]
    pub fn notify(&self) {
        light_fence();
        if self.exchanged.load(Ordering::Relaxed) || self.state.load(Ordering::Relaxed) == WAITING {
            self.wake();
        }
    }

    /// Whether the role is registered as waiting and was not notified since.
    #[cfg(any(feature = "explore", test))]
    pub fn is_waiting(&self) -> bool {
        self.state.load(Ordering::Acquire) == WAITING
    }

    /// Blocks the thread until `ready` returns something; `None` if the deadline passes first. Spins, yields, then parks.
    ///
    /// Only one thread or task may wait for an event at a time: two would write the waiter at once.
    pub fn wait<R>(
        &self,
        mut ready: impl FnMut() -> Option<R>,
        deadline: Option<Instant>,
    ) -> Option<R> {
        self.stay_awake(&mut ready).or_else(|| self.sleep(|_| ready(), deadline))
    }

    /// The first phase of waiting: spins and yields, and adapts the back-off to whether that helped.
    #[inline(always)]
    pub fn stay_awake<R>(&self, mut ready: impl FnMut() -> Option<R>) -> Option<R> {
        if self.is_crowded {
            return yield_in_turn(&mut ready);
        }
        let BackOff { spins, yields, probe, .. } = back_off();
        let n_waits = self.n_waits.load(Ordering::Relaxed);
        let is_probe = n_waits.is_multiple_of(SPIN_PROBE_EVERY);
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
        self.yield_and_check(
            if n_waits.is_multiple_of(YIELD_PROBE_EVERY) { yields } else { 0 },
            &mut ready,
        )
    }

    /// Waits for the next message of a stream, or for room in its queue, with few checks: each check would take the cache
    /// line from the other side. Yields in between: if both sides share a processor, the other one handles many messages
    /// in its turn.
    pub fn linger<R>(&self, mut ready: impl FnMut() -> Option<R>) -> Option<R> {
        if self.is_crowded {
            return None;
        }
        let BackOff { linger, lingers, .. } = back_off();
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

    /// The second phase of waiting: parks until the condition holds.
    pub fn sleep<R>(
        &self,
        mut ready: impl FnMut(Look) -> Option<R>,
        deadline: Option<Instant>,
    ) -> Option<R> {
        loop {
            self.register(Waiter::Thread(current()));
            let last = ready(Look::Last);
            if last.is_some() || !park_until(deadline) {
                self.withdraw();
                return last;
            }
            let early = ready(Look::Awake);
            if early.is_some() {
                return early;
            }
        }
    }

    /// Checks once; if the condition is false, the next notification wakes the task.
    ///
    /// Only one thread or task may wait for an event at a time: two would write the waiter at once.
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

    /// The same for a task that has just checked: it registers before it checks again.
    pub fn poll_again<R>(
        &self,
        context: &mut Context<'_>,
        mut ready: impl FnMut() -> Option<R>,
    ) -> Poll<R> {
        if !self.exchanged.load(Ordering::Relaxed) {
            // A notifier that misses this store passes the heavy fence after its change, which is visible then.
            self.exchanged.store(true, Ordering::Relaxed);
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

    /// Ends waiting, as when a future is dropped. One spurious wake-up may follow.
    pub fn withdraw(&self) {
        drop(self.withdrawn());
    }

    /// The role's own waiter, unless a notifier took it.
    fn withdrawn(&self) -> Option<Waiter> {
        // Only the role registers itself, so a plain load suffices to know that it is not registered.
        if self.state.load(Ordering::Relaxed) == AWAKE { None } else { self.take_waiter() }
    }

    /// Yields the processor: on a busy machine that lets the awaited role run, and is cheaper than parking. Where other
    /// processes take the time slice, parking is better, so yielding is tried less often.
    #[allow(clippy::disallowed_methods)] // only the clock shows whether another process ran
    #[inline(never)]
    fn yield_and_check<R>(&self, least: u32, ready: &mut impl FnMut() -> Option<R>) -> Option<R> {
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
        let is_worth_it = result.is_some() && start.elapsed() < FOREIGN_TIME_SLICE;
        let yields = if is_worth_it { back_off().yields } else { learnt / 2 };
        self.yields.store(yields, Ordering::Relaxed);
        result
    }

    /// Registers the role as waiting. Changes that notifiers made before they could see that are visible afterwards.
    fn register(&self, waiter: Waiter) {
        // A leaked future may have left its waiter here.
        let before = self.withdrawn();
        while self.is_held.load(Ordering::Acquire) {
            // A notifier is about to clear it.
            yield_now();
        }
        // SAFETY: `is_held` is false, so the waiter is the role's. The acquiring load saw the release of the notifier that had
        // the waiter before.
        self.waiter.with_mut(|place| unsafe { *place = Some(waiter) });
        self.is_held.store(true, Ordering::Relaxed);
        self.state.swap(WAITING, Ordering::AcqRel);
        if !self.exchanged.load(Ordering::Relaxed) {
            heavy_fence();
        }
        // Dropping a waker runs foreign code, which may even notify this event.
        drop(before);
    }

    /// Takes the waiter, if the role is registered.
    fn take_waiter(&self) -> Option<Waiter> {
        if self.state.swap(AWAKE, Ordering::AcqRel) != WAITING {
            return None;
        }
        // SAFETY: this thread changed the state from `WAITING` to `AWAKE`. The acquiring exchange saw the role's release,
        // which came after it had written the waiter.
        let waiter = self.waiter.with_mut(|place| unsafe { (*place).take() });
        self.is_held.store(false, Ordering::Release);
        waiter
    }

    #[inline(never)]
    fn wake(&self) {
        // If another notifier was faster, the role checks again after that wake-up. Should it still miss the change of this
        // one, it registers again, which comes after the load in `notify`.
        match self.take_waiter() {
            Some(Waiter::Thread(thread)) => thread.unpark(),
            Some(Waiter::Task(waker)) => waker.wake(),
            None => {}
        }
    }
}

/// Yields repeatedly: spinning would keep the awaited role from the processor.
#[inline(never)]
fn yield_in_turn<R>(ready: &mut impl FnMut() -> Option<R>) -> Option<R> {
    for _ in 0..back_off().turns {
        yield_now();
        if let Some(result) = ready() {
            return Some(result);
        }
    }
    None
}

/// Parks until woken, possibly spuriously; `false` if the deadline has passed.
fn park_until(deadline: Option<Instant>) -> bool {
    let Some(deadline) = deadline else {
        park();
        return true;
    };
    #[allow(clippy::disallowed_methods)] // the caller set a time-out
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return false;
    }
    park_timeout(left);
    true
}
