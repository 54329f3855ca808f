//! Counting semaphores of model time. Waiting processes are served in the order in which they came.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use crate::inspect::{Inspect, SemaphoreView, View};
use crate::{Context, ModelTime, Process, ProcessId, State};

/// A number of permits. A clone is the same semaphore.
#[derive(Clone)]
pub struct Semaphore {
    context: Context,
    inner: Rc<Inner>,
}

struct Inner {
    name: String,
    content: RefCell<Content>,
}

struct Content {
    permits: u64,
    waiting: VecDeque<ProcessId>,
}

impl Semaphore {
    /// A semaphore with so many permits at first.
    #[must_use]
    pub fn new(context: &Context, name: impl Into<String>, permits: u64) -> Self {
        let content = RefCell::new(Content { permits, waiting: VecDeque::new() });
        let inner = Rc::new(Inner { name: name.into(), content });
        let inspected: Rc<dyn Inspect> = inner.clone();
        context.registry().enter(&inspected);
        Self { context: context.clone(), inner }
    }

    /// Takes a permit; waits for one if there is none (Dijkstra's P).
    pub fn acquire(&self, process: &Process<'_>) {
        process.must_belong_to(&self.context);
        if self.try_acquire() {
            return;
        }
        self.inner.content.borrow_mut().waiting.push_back(process.id());
        process.wait(State::BlockedOnSemaphore);
    }

    /// Takes a permit if there is one and no process waits for it.
    #[must_use]
    pub fn try_acquire(&self) -> bool {
        let mut content = self.inner.content.borrow_mut();
        let is_free = content.permits > 0;
        content.permits -= u64::from(is_free);
        is_free
    }

    /// Gives a permit to the process that has waited longest, which goes on at this time; else keeps it (V).
    pub fn release(&self) {
        let mut content = self.inner.content.borrow_mut();
        match content.waiting.pop_front() {
            Some(process) => self.context.schedule(process, self.context.now()),
            None => content.permits += 1,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// How many permits can be had without waiting.
    #[must_use]
    pub fn n_permits(&self) -> u64 {
        self.inner.content.borrow().permits
    }

    /// How many processes wait.
    #[must_use]
    pub fn n_waiting(&self) -> usize {
        self.inner.content.borrow().waiting.len()
    }
}

impl Inspect for Inner {
    fn view(&self, _: ModelTime) -> View {
        let content = self.content.borrow();
        View::Semaphore(SemaphoreView {
            name: self.name.clone(),
            permits: content.permits,
            waiting: content.waiting.len(),
        })
    }
}

impl std::fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Semaphore({}, {} permits, {} waiting)",
            self.name(),
            self.n_permits(),
            self.n_waiting()
        )
    }
}
