//! Watches a search: shows how far it is, ends it at a time bound or on Ctrl-C.

mod course;
mod line;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use quadrille_engine::{Limits, Progress};
use quadrille_model::Bound;
use quadrille_report::{ProgressDocument, show_size};

use crate::arguments::{LimitArguments, ProgressArgument};
use crate::world::{Moment, Stops, World, memory_held};
use course::{Course, about};
pub(crate) use line::Line;

/// One command's eye on all its searches: the time bound holds for them together.
pub(crate) struct Watcher<'a> {
    world: &'a World,
    start: Moment,
    /// When the present question was begun.
    begun: Moment,
    timeout: Option<Duration>,
    /// Whether half of that time is kept for what follows.
    keeps_time: bool,
    /// Per question.
    timeout_each: Option<Duration>,
    limits: Limits,
    /// Without `--max-memory`: what the process may hold before the machine runs short.
    ceiling: Option<u64>,
    /// When the process was last measured against it.
    measured: Cell<Duration>,
    bar: Option<ProgressBar>,
    /// When the progress line was last drawn, or told.
    drawn: Cell<Duration>,
    /// What is being asked.
    question: String,
    course: Course,
    tells: ProgressArgument,
    /// The folder of a search on disk, whose size is told.
    folder: Option<PathBuf>,
}

/// Time between two lines for machines.
const TELLING: Duration = Duration::from_secs(1);

/// Time between two drawings of the progress line, and between two measurements of memory; what is
/// over before the first shows none.
const PERIOD: Duration = Duration::from_millis(200);

/// Per cent of the memory left that a search takes at most, unless `--max-memory` says otherwise.
const SHARE: u64 = 80;

impl<'a> Watcher<'a> {
    /// Starts the clock.
    pub(crate) fn new(world: &'a World, limits: &LimitArguments) -> Self {
        Self {
            world,
            start: world.now(),
            begun: world.now(),
            timeout: limits.timeout,
            keeps_time: false,
            timeout_each: limits.timeout_each,
            limits: Limits { states: limits.max_states, memory: limits.max_memory },
            ceiling: match limits.max_memory {
                Some(_) => None,
                None => world.memory_left().map(|left| left / 100 * SHARE),
            },
            measured: Cell::default(),
            bar: None,
            drawn: Cell::default(),
            question: String::new(),
            course: Course::default(),
            // A process that another one started has no terminal: it tells that one.
            tells: match limits.progress {
                ProgressArgument::Auto if world.tells_parent() => ProgressArgument::Json,
                asked => asked,
            },
            folder: None,
        }
    }

    /// Tells how large a folder is, too.
    pub(crate) fn measure(&mut self, folder: Option<PathBuf>) {
        self.folder = folder;
    }

    fn line(&self, progress: &Progress, elapsed: Duration) -> String {
        let seconds = self.begun.seconds();
        ProgressDocument {
            question: &self.question,
            seconds: elapsed.as_secs_f64(),
            level: progress.depth,
            states: progress.states,
            transitions: progress.transitions,
            frontier: progress.frontier,
            rate: (progress.states as f64 / seconds.max(0.001)).round(),
            memory: progress.bytes,
            on_disk: self.folder.as_deref().map(|folder| self.world.size_of(folder)),
            seconds_left: self.course.left(progress, seconds),
        }
        .to_line()
    }

    /// The outside.
    pub(crate) fn world(&self) -> &'a World {
        self.world
    }

    /// The engine's limits; time is the watcher's own.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Takes the progress line away.
    pub(crate) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// A progress line does not outlive its command, however that ends.
impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

/// The watcher of a thread that helps: the same bounds, and no progress line.
struct Helper {
    stops: Stops,
    start: Moment,
    begun: Moment,
    timeout: Option<Duration>,
    timeout_each: Option<Duration>,
    ceiling: Option<u64>,
    measured: Cell<Duration>,
}

impl quadrille_query::Watcher for Helper {
    fn begin(&mut self, _question: &str) {
        self.begun = Moment::now();
    }

    fn look(&mut self, _progress: &Progress) -> ControlFlow<Bound> {
        if self.stops.is_interrupted() {
            return ControlFlow::Break(Bound::Interrupted);
        }
        let elapsed = self.start.elapsed();
        let ends = |timeout: &Duration, elapsed: Duration| elapsed >= *timeout;
        let timeout = self.timeout.filter(|timeout| ends(timeout, elapsed));
        let each = self.timeout_each.filter(|timeout| ends(timeout, self.begun.elapsed()));
        if let Some(timeout) = timeout.or(each) {
            return ControlFlow::Break(Bound::Time(timeout.as_millis() as u64));
        }
        if let Some(ceiling) = self.ceiling
            && elapsed >= self.measured.get() + PERIOD
        {
            self.measured.set(elapsed);
            if memory_held().is_some_and(|held| held > ceiling) {
                return ControlFlow::Break(Bound::Memory(ceiling));
            }
        }
        ControlFlow::Continue(())
    }

    fn seconds(&self) -> f64 {
        self.begun.seconds()
    }
}

impl quadrille_query::Watcher for Watcher<'_> {
    fn begin(&mut self, question: &str) {
        self.end();
        self.begun = self.world.now();
        question.clone_into(&mut self.question);
        self.course = Course::default();
        self.world.catch_interrupts();
        if !self.world.shows_progress() || self.tells != ProgressArgument::Auto {
            return;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style =
            ProgressStyle::with_template("{spinner} {elapsed_precise} {prefix}: {wide_msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.set_prefix(question.chars().take(40).collect::<String>());
        self.bar = Some(bar);
    }

    fn look(&mut self, progress: &Progress) -> ControlFlow<Bound> {
        if self.world.is_interrupted() {
            return ControlFlow::Break(Bound::Interrupted);
        }
        let elapsed = self.start.elapsed();
        if let Some(timeout) = self.timeout
            && elapsed >= if self.keeps_time { timeout / 2 } else { timeout }
        {
            return ControlFlow::Break(Bound::Time(timeout.as_millis() as u64));
        }
        if let Some(timeout) = self.timeout_each
            && self.begun.elapsed() >= timeout
        {
            return ControlFlow::Break(Bound::Time(timeout.as_millis() as u64));
        }
        if let Some(ceiling) = self.ceiling
            && elapsed >= self.measured.get() + PERIOD
        {
            self.measured.set(elapsed);
            if self.world.memory_held().is_some_and(|held| held > ceiling) {
                return ControlFlow::Break(Bound::Memory(ceiling));
            }
        }
        self.course.see(progress);
        if self.tells != ProgressArgument::Auto && elapsed >= self.drawn.get() + TELLING {
            self.drawn.set(elapsed);
            self.world.complain(&self.line(progress, elapsed));
        }
        if let Some(bar) = &self.bar
            && elapsed >= self.drawn.get() + PERIOD
        {
            self.drawn.set(elapsed);
            let depth = progress.depth.map(|depth| format!(", depth {depth}")).unwrap_or_default();
            let rate = progress.states as f64 / bar.elapsed().as_secs_f64().max(0.001);
            let left = self.course.left(progress, self.begun.seconds());
            let left = left.map(|left| format!(", {}", about(left))).unwrap_or_default();
            bar.set_message(format!(
                "{} states, {} to expand, {rate:.0}/s{depth}, {}{left}",
                progress.states,
                progress.frontier,
                show_size(progress.bytes)
            ));
            bar.tick();
        }
        ControlFlow::Continue(())
    }

    fn seconds(&self) -> f64 {
        self.begun.seconds()
    }

    fn helper(&self) -> Option<Box<dyn quadrille_query::Watcher + Send>> {
        let has_core = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
        has_core.then(|| {
            Box::new(Helper {
                stops: self.world.stops(),
                start: self.start,
                begun: Moment::now(),
                timeout: self.timeout,
                timeout_each: self.timeout_each,
                ceiling: self.ceiling,
                measured: Cell::default(),
            }) as Box<dyn quadrille_query::Watcher + Send>
        })
    }

    fn seconds_each(&self) -> Option<f64> {
        self.timeout_each.map(|each| each.as_secs_f64())
    }

    fn keep_time(&mut self, keep: bool) {
        self.keeps_time = keep;
    }
}
