//! Waiting for something that others bring about: one role waits, many notify. Knows nothing of what is
//! waited for: whoever waits brings a function that looks.
//!
//! Nobody loses a wake-up. While only threads wait, by the argument of Dekker: a notifier first makes its
//! change, then looks whether somebody waits; the role first says that it waits, then looks whether there is a
//! change. A fence stands between the two on either side, so one of them sees the other; the fences are
//! asymmetric, because threads look a while before they sleep. A task goes to sleep at once, so its event is
//! `exchanged` and both sides pay the same: they exchange the state, and whoever comes second sees all that the
//! first did before.

use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::sync::{
    AtomicBool, AtomicU32, Ordering, Patience, Thread, UnsafeCell, current, heavy_fence,
    is_asymmetric, light_fence, park, park_timeout, patience, spin_loop, yield_now,
};

/// How many waits it takes until the role tries again whether looking pays.
const PROBE_EVERY: u32 = 32;

/// How many waits it takes until it tries again whether giving way pays: that can be expensive.
const GIVE_WAY_EVERY: u32 = 1024;

/// Who waited longer than this for the processor waited for somebody else.
const STRANGERS: Duration = Duration::from_micros(20);

/// Nobody sleeps.
const AWAKE: u32 = 0;
/// The role sleeps or is about to; whoever gets from here to `AWAKE` has the waiter.
const WAITING: u32 = 1;

/// Something may have happened for the one role that waits for it.
#[derive(Debug)]
#[repr(align(128))] // notifiers read `state` all the time: nothing that is written often may be beside it
pub struct Event {
    state: AtomicU32,
    /// Whether notifiers have to exchange the state.
    exchanged: AtomicBool,
    /// Whether there is a waiter: one that was taken is about to be moved away.
    is_held: AtomicBool,
    /// How often looking again is worth it, as far as the role has learnt.
    spins: AtomicU32,
    /// How often letting others run is worth it, as far as the role has learnt.
    yields: AtomicU32,
    /// How often the role gave way.
    n_waits: AtomicU32,
    /// Whether the role is one of so many that they have to share processors.
    is_crowded: bool,
    waiter: UnsafeCell<Option<Waiter>>,
}

/// How a role looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// It will look again soon.
    Awake,
    /// It sleeps if there is nothing.
    Last,
}

/// Who is to be woken.
#[derive(Debug)]
enum Waiter {
    Thread(Thread),
    Task(Waker),
}

// SAFETY: `waiter`, which may be sent anywhere, is written by the role while `is_held` is off, and moved away by
// whoever brought `state` from `WAITING` to `AWAKE`, who then turns `is_held` off. There is one role: whoever waits has
// its machine by `&mut`, or is the thread that writes to the peer where the role runs. Nobody else sees an event.
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
            exchanged: AtomicBool::new(!is_asymmetric()),
            is_held: AtomicBool::new(false),
            n_waits: AtomicU32::new(0),
            spins: AtomicU32::new(*patience.spins.end() / 4),
            yields: AtomicU32::new(patience.yields),
            is_crowded: false,
            waiter: UnsafeCell::new(None),
        }
    }

    /// The same for one of so many roles that they have to share processors. It sleeps so often that both sides pay
    /// the same.
    #[must_use]
    pub fn crowded(self) -> Self {
        Self { is_crowded: true, ..self }.exchanged()
    }

    /// The same for a role that sleeps about as often as it is notified: both sides pay the same from the start.
    #[must_use]
    pub fn exchanged(self) -> Self {
        self.exchanged.store(true, Ordering::Relaxed);
        self
    }

    /// Tells the role to look again. Everything that the caller did before is seen by it. Costs two loads
    /// while the role does not sleep, and an exchange if it ever waited as a task.
    #[inline(always)]
    pub fn notify(&self) {
        light_fence();
        if self.exchanged.load(Ordering::Relaxed) || self.state.load(Ordering::Relaxed) == WAITING {
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
    /// Only one thread or task may wait for an event at a time: two would write the waiter at once.
    pub fn wait<R>(
        &self,
        mut ready: impl FnMut() -> Option<R>,
        deadline: Option<Instant>,
    ) -> Option<R> {
        self.stay_awake(&mut ready).or_else(|| self.sleep(|_| ready(), deadline))
    }

    /// The first part of waiting: looks without sleeping, and learns for the next time how long that is worth it.
    #[inline(always)]
    pub fn stay_awake<R>(&self, mut ready: impl FnMut() -> Option<R>) -> Option<R> {
        if self.is_crowded {
            return take_turns(&mut ready);
        }
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
        self.give_way(if n_waits.is_multiple_of(GIVE_WAY_EVERY) { yields } else { 0 }, &mut ready)
    }

    /// Waits a short time for the next of many messages, or for room for it, and mostly without looking: looking
    /// would take the cache line from the other side for every single message. Then lets others run: if the other
    /// side has to share the processor, it gets through many messages before it is this one's turn again.
    pub fn linger<R>(&self, mut ready: impl FnMut() -> Option<R>) -> Option<R> {
        if self.is_crowded {
            return None;
        }
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

    /// The second part of waiting: sleeps until there is something.
    pub fn sleep<R>(
        &self,
        mut ready: impl FnMut(Look) -> Option<R>,
        deadline: Option<Instant>,
    ) -> Option<R> {
        loop {
            self.register(Waiter::Thread(current()));
            let last = ready(Look::Last);
            if last.is_some() || !sleep(deadline) {
                self.withdraw();
                return last;
            }
            let early = ready(Look::Awake);
            if early.is_some() {
                return early;
            }
        }
    }

    /// Looks once; if there is nothing, the task is woken by the next notification.
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

    /// The same for a task that has just looked: it says that it waits before it looks once more.
    pub fn poll_again<R>(
        &self,
        context: &mut Context<'_>,
        mut ready: impl FnMut() -> Option<R>,
    ) -> Poll<R> {
        if !self.exchanged.load(Ordering::Relaxed) {
            // A notifier that does not see this passes the heavy fence after its change, which is seen then.
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

    /// Says that the role does not wait any more, as when a future is dropped. It may still be woken once,
    /// for nothing.
    pub fn withdraw(&self) {
        drop(self.withdrawn());
    }

    /// The role's own waiter, if nobody has taken it.
    fn withdrawn(&self) -> Option<Waiter> {
        // Only the role lets itself wait, so it need not exchange anything to know that it does not.
        if self.state.load(Ordering::Relaxed) == AWAKE { None } else { self.take_waiter() }
    }

    /// Lets others run: on a busy processor that is how what is waited for comes about, and cheaper than to
    /// sleep. If the others are strangers, who keep the processor, sleeping is better: then it is tried
    /// less often.
    #[allow(clippy::disallowed_methods)] // only the clock can tell whether strangers ran
    #[inline(never)]
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
        // A call that was given up without saying so may have left its waiter here.
        let before = self.withdrawn();
        while self.is_held.load(Ordering::Acquire) {
            // A notifier is about to let go.
            yield_now();
        }
        // SAFETY: `is_held` is off, so the waiter is the role's. Acquiring that saw the release of whoever had
        // the waiter before.
        self.waiter.with_mut(|place| unsafe { *place = Some(waiter) });
        self.is_held.store(true, Ordering::Relaxed);
        self.state.swap(WAITING, Ordering::AcqRel);
        if !self.exchanged.load(Ordering::Relaxed) {
            heavy_fence();
        }
        // A waker may do anything when it is dropped, even notify.
        drop(before);
    }

    /// The waiter, if somebody waits; then nobody does any more.
    fn take_waiter(&self) -> Option<Waiter> {
        if self.state.swap(AWAKE, Ordering::AcqRel) != WAITING {
            return None;
        }
        // SAFETY: this thread brought the state from `WAITING` to `AWAKE`. Acquiring it saw the role's release,
        // after it had written the waiter.
        let waiter = self.waiter.with_mut(|place| unsafe { (*place).take() });
        self.is_held.store(false, Ordering::Release);
        waiter
    }

    #[inline(never)]
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

/// Lets the others run: looking without end would keep them from what is waited for.
#[inline(never)]
fn take_turns<R>(ready: &mut impl FnMut() -> Option<R>) -> Option<R> {
    for _ in 0..patience().turns {
        yield_now();
        if let Some(result) = ready() {
            return Some(result);
        }
    }
    None
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
