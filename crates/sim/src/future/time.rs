//! Futures that wait for model time. The executor that polls one keeps its timer and calls its waker
//! when the time has come: late rather than early, never before. Timers that are over at the same time
//! let their tasks go on in any order; the strategy decides.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::{after, with_current};
use crate::operation::Place;
use crate::task;
use crate::world::WORLD;
use quadrille_simulation::ModelTime;

/// A timer that is running.
#[derive(Debug)]
pub(super) struct Timer {
    deadline: ModelTime,
    /// Set when the time is over; shared with the future.
    is_over: Arc<AtomicBool>,
    waker: Waker,
}

/// When the first timer is over.
pub(super) fn next(timers: &[Timer]) -> Option<ModelTime> {
    timers.iter().map(|timer| timer.deadline).min()
}

/// Ends the timers whose time has come; at least the first one, if time-outs come at any time.
pub(super) fn take_due(timers: &mut Vec<Timer>, now: ModelTime) -> Vec<Waker> {
    let limit = next(timers).unwrap_or(now).max(now);
    let mut due: Vec<Timer> = timers.extract_if(.., |timer| timer.deadline <= limit).collect();
    due.sort_by_key(|timer| timer.deadline);
    due.iter().for_each(|timer| timer.is_over.store(true, Relaxed));
    due.into_iter().map(|timer| timer.waker).collect()
}

/// A future that is ready when its time has come; made by [`sleep`].
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Sleep {
    deadline: ModelTime,
    is_over: Arc<AtomicBool>,
    has_timer: bool,
    place: Place,
}

/// Lets model time pass.
#[track_caller]
pub fn sleep(length: Duration) -> Sleep {
    until(after(length), Location::caller())
}

fn until(deadline: ModelTime, place: Place) -> Sleep {
    Sleep { deadline, is_over: Arc::default(), has_timer: false, place }
}

impl Sleep {
    /// Ends its timer, wherever that is.
    fn cancel(&mut self) {
        if !std::mem::replace(&mut self.has_timer, false) {
            return;
        }
        let timers: Vec<Timer> = WORLD.with(|world| {
            let Ok(mut world) = world.try_borrow_mut() else { return Vec::new() };
            let is_mine = |timer: &mut Timer| Arc::ptr_eq(&timer.is_over, &self.is_over);
            let polled = world.polled.iter_mut();
            polled.flat_map(|polled| polled.timers.extract_if(.., is_mine)).collect()
        });
        // Their wakers may be the program's own: not while the world is borrowed.
        drop(timers);
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.cancel();
        if self.is_over.load(Relaxed) || task::now() >= self.deadline {
            return Poll::Ready(());
        }
        let (deadline, is_over) = (self.deadline, Arc::clone(&self.is_over));
        let timer = Timer { deadline, is_over, waker: context.waker().clone() };
        let place = self.place;
        with_current(|polled| polled.timers.push(timer)).unwrap_or_else(|| {
            panic!(
                "the timer at {place} is polled by an executor that knows no model time: use \
                 `future::block_on` and `future::spawn`"
            )
        });
        self.has_timer = true;
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// The time was over before the future was ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed;

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time was over before the future was ready")
    }
}

impl std::error::Error for Elapsed {}

/// A future with a time limit; made by [`timeout`].
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Timeout<F> {
    future: Pin<Box<F>>,
    sleep: Sleep,
}

/// Waits for a future, but not longer than `length` of model time. A future that is ready when the
/// time is over counts as ready.
#[track_caller]
pub fn timeout<F: Future>(length: Duration, future: F) -> Timeout<F> {
    Timeout { future: Box::pin(future), sleep: sleep(length) }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Poll::Ready(value) = self.future.as_mut().poll(context) {
            return Poll::Ready(Ok(value));
        }
        Pin::new(&mut self.sleep).poll(context).map(|()| Err(Elapsed))
    }
}

/// Ticks at equal distances; made by [`interval`].
#[derive(Debug)]
pub struct Interval {
    next: ModelTime,
    period: Duration,
    place: Place,
}

/// A clock that ticks now and then once every `period` of model time. Ticks that are not awaited in
/// time are made up for at once.
///
/// # Panics
///
/// If the period is zero.
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    assert!(!period.is_zero(), "the period of an interval is zero");
    Interval { next: task::now(), period, place: Location::caller() }
}

impl Interval {
    /// Waits for the next tick; says when it was due.
    pub async fn tick(&mut self) -> ModelTime {
        let due = self.next;
        until(due, self.place).await;
        self.next = due + self.period;
        due
    }
}
