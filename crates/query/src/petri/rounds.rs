//! The portfolio in rounds: where a question has no bound of time, each part gets a little time first, and
//! more where that was not enough, so that no part keeps the others from being asked.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quadrille_engine::Progress;
use quadrille_model::Bound;
use quadrille_petri::Net;

use super::settings::Settings;
use super::solve::portfolio;
use super::{Found, Reply, Task};
use crate::ask::Watcher;

/// Seconds per question, round by round; without an end in the last one.
const ROUNDS: [Option<f64>; 4] = [Some(4.0), Some(40.0), Some(400.0), None];
/// The smallest share of a question's time that a part gets.
const SMALLEST: f64 = 0.1;

/// Answers the questions about a net, and tells each answer once, in the order in which they are found.
pub fn examine(
    net: &Net,
    tasks: &[Task],
    settings: &Settings,
    watcher: &mut dyn Watcher,
    tell: &mut dyn FnMut(usize, Reply),
) {
    if settings.seconds.is_some() {
        return portfolio(net, tasks, settings, watcher, tell);
    }
    let mut open: Vec<usize> = (0..tasks.len()).collect();
    for seconds in ROUNDS {
        let asked: Vec<Task> = open.iter().map(|&task| tasks[task].clone()).collect();
        let settings = Settings { seconds, ..*settings };
        let longest = Arc::<AtomicU64>::default();
        let mut noted = Noted { inner: &mut *watcher, longest: longest.clone() };
        let mut left = Vec::new();
        portfolio(net, &asked, &settings, &mut noted, &mut |task, reply| match reply.found {
            Found::Unknown(_) => left.push((open[task], reply)),
            _ => tell(open[task], reply),
        });
        left.sort_by_key(|(task, _)| *task);
        // What nothing but its share ended has more to find.
        let longest = longest.load(Ordering::Relaxed) as f64 / 1000.0;
        let was_cut = seconds.is_some_and(|seconds| longest >= SMALLEST * seconds);
        let goes_on = was_cut && watcher.look(&Progress::default()).is_continue();
        open = left.iter().map(|(task, _)| *task).collect();
        if open.is_empty() || !goes_on {
            left.into_iter().for_each(|(task, reply)| tell(task, reply));
            return;
        }
    }
}

/// Notes the longest time that a watcher told, in milliseconds.
fn noted(longest: &AtomicU64, seconds: f64) -> f64 {
    longest.fetch_max((seconds * 1000.0) as u64, Ordering::Relaxed);
    seconds
}

/// A watcher whose times are noted.
struct Noted<'w> {
    inner: &'w mut dyn Watcher,
    longest: Arc<AtomicU64>,
}

impl Watcher for Noted<'_> {
    fn begin(&mut self, question: &str) {
        self.inner.begin(question);
    }

    fn look(&mut self, progress: &Progress) -> ControlFlow<Bound> {
        self.inner.look(progress)
    }

    fn seconds(&self) -> f64 {
        noted(&self.longest, self.inner.seconds())
    }

    fn helper(&self) -> Option<Box<dyn Watcher + Send>> {
        let (inner, longest) = (self.inner.helper()?, self.longest.clone());
        Some(Box::new(NotedHelper { inner, longest }))
    }
}

/// The same for a thread that helps.
struct NotedHelper {
    inner: Box<dyn Watcher + Send>,
    longest: Arc<AtomicU64>,
}

impl Watcher for NotedHelper {
    fn begin(&mut self, question: &str) {
        self.inner.begin(question);
    }

    fn look(&mut self, progress: &Progress) -> ControlFlow<Bound> {
        self.inner.look(progress)
    }

    fn seconds(&self) -> f64 {
        noted(&self.longest, self.inner.seconds())
    }
}
