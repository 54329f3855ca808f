//! A thread pool: workers that take jobs from a queue until the pool is shut down.

use std::collections::VecDeque;

use quadrille_sim_std::sync::atomic::{AtomicBool, Ordering};
use quadrille_sim_std::sync::{Arc, Condvar, Mutex, PoisonError};
use quadrille_sim_std::thread::{self, JoinHandle};

/// Where it is kept that the pool is shutting down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shutdown {
    /// Under the lock of the queue.
    UnderLock,
    /// In an atomic beside it. The error: a worker that has looked at the atomic and not yet begun to
    /// wait misses the wake-up, and waits for ever.
    Beside,
}

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    is_closed: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    is_closed: AtomicBool,
}

/// Workers that wait for jobs.
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    shutdown: Shutdown,
}

impl Pool {
    /// Starts so many workers.
    #[must_use]
    pub fn new(n_workers: usize, shutdown: Shutdown) -> Self {
        let shared = Arc::new(Shared::default());
        let worker = |_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || work(&shared, shutdown))
        };
        let workers = (0..n_workers).map(worker).collect();
        Self { shared, workers, shutdown }
    }

    /// Lets a worker do a job.
    pub fn submit(&self, job: impl FnOnce() + Send + 'static) {
        let mut queue = self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.jobs.push_back(Box::new(job));
        drop(queue);
        self.shared.changed.notify_one();
    }

    /// Waits until all jobs are done and all workers have ended.
    ///
    /// # Panics
    /// If a job panicked.
    pub fn shut_down(self) {
        match self.shutdown {
            Shutdown::UnderLock => {
                let mut queue = self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
                queue.is_closed = true;
            }
            Shutdown::Beside => self.shared.is_closed.store(true, Ordering::SeqCst),
        }
        self.shared.changed.notify_all();
        for worker in self.workers {
            worker.join().expect("no job panics");
        }
    }
}

/// The life of a worker.
fn work(shared: &Shared, shutdown: Shutdown) {
    let mut queue = shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if let Some(job) = queue.jobs.pop_front() {
            drop(queue);
            job();
            queue = shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        let is_closed = match shutdown {
            Shutdown::UnderLock => queue.is_closed,
            Shutdown::Beside => shared.is_closed.load(Ordering::SeqCst),
        };
        if is_closed {
            return;
        }
        queue = shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}
