//! Interrupts: the environment raises them, a thread of the program serves them. The active half of a control interface.

use std::panic::Location;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use quadrille_sim::{Access, Action, Guard, Kind, ObjectId, Request, task};

/// An interrupt line. A clone is the same line.
///
/// In a simulation, raising it makes the thread that waits for it runnable, at the model time of the event; outside, the same
/// type works between threads as they are.
#[derive(Clone, Debug)]
pub struct Interrupt {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// The object of a simulation; none outside.
    object: Option<ObjectId>,
    n_pending: Mutex<u64>,
    raised: Condvar,
}

impl Interrupt {
    /// A line that was not raised.
    #[track_caller]
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it says where it was made")]
    pub fn new() -> Self {
        let object = task::is_simulated().then(|| task::object(Kind::User, 0, Location::caller()));
        let inner = Inner { object, n_pending: Mutex::new(0), raised: Condvar::new() };
        Self { inner: Arc::new(inner) }
    }

    /// Names the line in reports.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        if let Some(object) = self.inner.object {
            task::name_object(object, name);
        }
        self
    }

    /// Raises the interrupt. It stays pending until it is served; several are served one by one.
    #[track_caller]
    pub fn raise(&self) {
        match self.inner.object {
            Some(object) if task::is_environment() => task::signal(object, task::word(object) + 1),
            Some(object) => {
                // A thread raises it: an operation like every other.
                task::visible(Request::new(
                    Action::Other("raise"),
                    object,
                    Access::Write,
                    Location::caller(),
                ));
                task::signal(object, task::word(object) + 1);
            }
            None => {
                *self.inner.n_pending.lock().unwrap_or_else(PoisonError::into_inner) += 1;
                self.inner.raised.notify_one();
            }
        }
    }

    /// Waits until the interrupt is raised, and serves it.
    #[track_caller]
    pub fn wait(&self) {
        if let Some(object) = self.inner.object {
            let request =
                Request::new(Action::Other("interrupt"), object, Access::Write, Location::caller());
            task::visible(request.when(Guard::NonZero));
            return task::set_word(object, task::word(object) - 1);
        }
        let mut n_pending = self.inner.n_pending.lock().unwrap_or_else(PoisonError::into_inner);
        while *n_pending == 0 {
            n_pending = self.inner.raised.wait(n_pending).unwrap_or_else(PoisonError::into_inner);
        }
        *n_pending -= 1;
    }
}
