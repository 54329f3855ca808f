//! One process of a cluster: it connects with the others, lets its workers search, and looks after them.
#![allow(clippy::disallowed_methods, reason = "connections; ARCHITECTURE.md names this place")]

use std::any::Any;
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use quadrille_engine::disk::{Identity, RunStore, RunsOutcome, model_fingerprint};
use quadrille_engine::{Error, Limits, Observer, Outcome, Progress, Property, Stopped};
use quadrille_model::{Bound, Model, Verdict};
use quadrille_secret::Secret;

use crate::flow::{Flow, Start, workers};
use crate::greeting::{Hello, Kind};
use crate::hosts::Hosts;
use crate::links::{Calling, Links};
use crate::moves::Moves;
use crate::pulse::Pulse;
use crate::shared::{Shared, WorkerProgress, peers};
use crate::wire::Wire;
use crate::worker::{Ended, Job, Refuted};

/// How often the observer is called.
const PERIOD: Duration = Duration::from_millis(20);
const TELLING: Duration = Duration::from_secs(1);
/// How long what is over may take to end.
const FAREWELL: Duration = Duration::from_secs(2);

/// A process of a cluster.
#[derive(Debug)]
pub struct Node {
    /// All processes.
    pub hosts: Hosts,
    /// Which of them this is.
    pub process: usize,
    /// Workers of each process.
    pub workers: usize,
    /// What all of them know.
    pub secret: Secret,
    /// How long it waits for others: to come, and to say something.
    pub patience: Duration,
    /// Where it listens.
    listener: TcpListener,
}

/// The properties that are asked; every worker makes them for itself.
pub type Asked<'a> = dyn Fn() -> Vec<Property<'a>> + Sync + 'a;

/// What is searched.
pub struct Work<'a, 'p> {
    /// The model.
    pub model: &'a dyn Model,
    /// What is asked.
    pub properties: &'a Asked<'p>,
    /// Where each worker keeps its states; on disk, in a folder of its own in this one.
    pub runs: &'a RunStore,
    /// What identifies the search: all processes must have the same.
    pub identity: &'a Identity,
    /// Limits of this process; of states, of all.
    pub limits: Limits,
    /// Is told each second how far each worker came, as far as this process knows.
    pub tell: &'a (dyn Fn(&[WorkerProgress]) + Sync),
    /// Is told that a worker of this process hangs, which the others know by then. What comes back from it
    /// waits for the worker, for ever perhaps.
    pub hangs: &'a (dyn Fn(&Error) + Sync),
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Told {
    /// Verdicts and counts, of all processes together.
    pub found: RunsOutcome,
    /// How far each worker came; complete in process 0.
    pub workers: Vec<WorkerProgress>,
}

impl Node {
    /// A process that listens where its host's line says.
    pub fn new(
        (hosts, process, workers): (Hosts, usize, usize),
        secret: Secret,
        patience: Duration,
    ) -> Result<Self, Error> {
        let name = hosts.name(process).to_owned();
        let listener = hosts.addresses(process).and_then(|all| TcpListener::bind(&all[..]));
        let listener = listener.map_err(|error| {
            peers(format!("process {process} cannot listen at {name}: {error}"))
        })?;
        Ok(Self::listening(listener, (hosts, process, workers), secret, patience))
    }

    /// A process that listens already.
    pub fn listening(
        listener: TcpListener,
        (hosts, process, workers): (Hosts, usize, usize),
        secret: Secret,
        patience: Duration,
    ) -> Self {
        Self { hosts, process, workers: workers.max(1), secret, patience, listener }
    }

    /// Searches with all others. The observer is told how far they came as far as this process knows:
    /// process 0 knows of all.
    pub fn search(self, work: &Work<'_, '_>, observer: &mut Observer<'_>) -> Result<Told, Error> {
        let n_workers = self.hosts.number() * self.workers;
        let shared = Arc::new(Shared::new(n_workers));
        let links = match self.connect(work, observer) {
            Ok(links) => links,
            Err(Stopped::Failed(error)) => return Err(error),
            Err(Stopped::Bound(bound)) => return Ok(nothing(bound, (work.properties)().len())),
        };
        let team = Team {
            node: Place { process: self.process, workers: self.workers, n_workers },
            shared,
        };
        team.search(&self.hosts, links, self.patience, work, observer)
    }

    fn connect(&self, work: &Work<'_, '_>, observer: &mut Observer<'_>) -> Result<Links, Stopped> {
        let (on_disk, resume) = match work.runs {
            RunStore::Memory => (false, false),
            RunStore::Disk { resume, .. } => (true, *resume),
        };
        let hello = Hello {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            title: work.identity.title.clone(),
            model: model_fingerprint(work.model, work.identity),
            questions: work.identity.questions,
            processes: self.hosts.number(),
            workers: self.workers,
            on_disk,
            resume,
        };
        let listener = self.listener.try_clone().map_err(|error| peers(error.to_string()))?;
        let calling = Calling {
            hosts: self.hosts.clone(),
            own: self.process,
            secret: self.secret.clone(),
            hello,
            patience: self.patience,
        };
        calling.connect(listener, observer)
    }
}

/// What is told where nothing was searched.
fn nothing(bound: Bound, n_properties: usize) -> Told {
    let verdicts = vec![Verdict::Unknown(bound); n_properties];
    let outcome = Outcome { verdicts, counts: Default::default(), bound: Some(bound) };
    Told { found: RunsOutcome { outcome, stored: 0, on_disk: None }, workers: Vec::new() }
}

/// Where a process stands among all.
#[derive(Clone, Copy)]
struct Place {
    process: usize,
    workers: usize,
    n_workers: usize,
}

/// The workers of one process.
struct Team {
    node: Place,
    shared: Arc<Shared>,
}

impl Team {
    fn search(
        &self,
        hosts: &Hosts,
        mut links: Links,
        patience: Duration,
        work: &Work<'_, '_>,
        observer: &mut Observer<'_>,
    ) -> Result<Told, Error> {
        let broken = |error: std::io::Error| peers(format!("a connection broke: {error}"));
        let mut pulses = Vec::new();
        for other in 0..hosts.number() {
            if let Some(stream) = links.remove(&(Kind::Pulse, other)) {
                pulses.push(self.pulse(other, stream, patience).start().map_err(broken)?);
            }
        }
        let (builders, guard) = self.builders(hosts.number(), links).map_err(broken)?;
        let ended = self.work(builders, patience, work, observer);
        if let Some(failure) = self.shared.failure() {
            // The threads of connections wait for what will never come.
            std::mem::forget(guard);
            wait_for(&pulses);
            return Err(failure.clone());
        }
        self.shared.finish();
        let farewell = thread::spawn(move || drop(guard));
        pulses.push(farewell);
        wait_for(&pulses);
        let Some(ended) = ended else { return Err(peers("no worker came to an end")) };
        Ok(Told { found: found(ended), workers: self.shared.each() })
    }

    fn pulse(&self, other: usize, stream: std::net::TcpStream, patience: Duration) -> Pulse {
        let Place { process, workers, .. } = self.node;
        Pulse {
            own: process,
            other,
            stream,
            shared: Arc::clone(&self.shared),
            patience,
            workers: process * workers..(process + 1) * workers,
        }
    }

    /// What the workers begin with, and what keeps the threads of connections.
    fn builders(
        &self,
        n_processes: usize,
        mut links: Links,
    ) -> std::io::Result<(Vec<Start>, Box<dyn Any + Send>)> {
        let mut sockets = Vec::with_capacity(n_processes);
        for other in 0..n_processes {
            sockets.push(match links.remove(&(Kind::Data, other)) {
                None => None,
                Some(stream) => {
                    stream.set_read_timeout(None)?;
                    stream.set_write_timeout(None)?;
                    Some(Wire::new(stream, other, Arc::clone(&self.shared)))
                }
            });
        }
        workers(sockets, self.node.process, self.node.workers)
    }

    /// Lets all workers search; what one of them knows at the end.
    fn work(
        &self,
        builders: Vec<Start>,
        patience: Duration,
        work: &Work<'_, '_>,
        observer: &mut Observer<'_>,
    ) -> Option<Ended> {
        let (sender, done) = channel();
        let Place { process, workers, .. } = self.node;
        let mut moves = Moves::new(process * workers..(process + 1) * workers, patience);
        let mut hangs_since: Option<Instant> = None;
        thread::scope(|scope| {
            let n_workers = builders.len();
            for (number, builder) in builders.into_iter().enumerate() {
                let sender = sender.clone();
                scope.spawn(move || {
                    let ended = catch_unwind(AssertUnwindSafe(|| self.one(number, builder, work)));
                    if ended.is_err() {
                        self.shared.fail(peers("a worker ended by a bug in quadrille"));
                    }
                    let _ = sender.send((number, ended.ok().flatten()));
                });
            }
            let (mut n_done, mut first, mut told) = (0, None, Instant::now());
            while n_done < n_workers {
                if let Ok((number, ended)) = done.recv_timeout(PERIOD) {
                    n_done += 1;
                    moves.ended(number);
                    let tells = |ended: &Ended| {
                        ended.verdicts.iter().all(|it| !matches!(it, Refuted::By(None)))
                    };
                    first = first.or(ended.filter(tells));
                }
                if hangs_since.is_none()
                    && let Some(what) = moves.standing(&self.shared)
                {
                    self.shared.fail(peers(what));
                    hangs_since = Some(Instant::now());
                }
                if hangs_since.is_some_and(|since| since.elapsed() > FAREWELL)
                    && let Some(failure) = self.shared.failure()
                {
                    (work.hangs)(failure);
                }
                if told.elapsed() >= TELLING {
                    told = Instant::now();
                    (work.tell)(&self.shared.each());
                }
                if let ControlFlow::Break(bound) = observer(&self.progress()) {
                    self.shared.stop(bound);
                }
            }
            first
        })
    }

    /// How far all came.
    fn progress(&self) -> Progress {
        let mut all = Progress { depth: Some(0), ..Progress::default() };
        for WorkerProgress { progress, .. } in self.shared.each() {
            all.states += progress.states;
            all.transitions += progress.transitions;
            all.depth = all.depth.max(progress.depth);
            all.frontier += progress.frontier;
            all.bytes += progress.bytes;
        }
        all
    }

    /// One worker, from its beginning to its end.
    fn one(&self, number: usize, start: Start, work: &Work<'_, '_>) -> Option<Ended> {
        let mut flow = Flow::new(start);
        let share = self.node.workers as u64;
        let limits = Limits { memory: work.limits.memory.map(|all| all / share), ..work.limits };
        let (shared, tells) = (&*self.shared, number == 0);
        let job = Job { model: work.model, runs: work.runs, limits, shared, tells };
        debug_assert_eq!(flow.n_workers(), self.node.n_workers, "as many as are counted");
        match job.drive(&mut flow, &(work.properties)()) {
            Ok(ended) => {
                let worker = self.node.process * self.node.workers + number;
                let is_hopeless = || {
                    shared.moved(worker);
                    shared.failure().is_some()
                };
                flow.close(is_hopeless).then_some(ended)
            }
            Err(stopped) => {
                shared.fail(match stopped {
                    Stopped::Failed(error) => error,
                    Stopped::Bound(_) => peers("a worker was stopped before it could begin"),
                });
                flow.abandon();
                None
            }
        }
    }
}

fn found(ended: Ended) -> RunsOutcome {
    let Ended { counts, bound, verdicts, stored, on_disk } = ended;
    let verdict = |refuted| match (refuted, bound) {
        (Refuted::By(run), _) => Verdict::Violated(run),
        (Refuted::Unshown(bound), _) | (Refuted::No, Some(bound)) => Verdict::Unknown(bound),
        (Refuted::No, None) => Verdict::Holds,
    };
    let verdicts = verdicts.into_iter().map(verdict).collect();
    RunsOutcome { outcome: Outcome { verdicts, counts, bound }, stored, on_disk }
}

/// Waits for threads that are about to end, but not for ever.
fn wait_for(threads: &[JoinHandle<()>]) {
    let until = Instant::now() + FAREWELL;
    while threads.iter().any(|thread| !thread.is_finished()) && Instant::now() < until {
        thread::sleep(Duration::from_millis(1));
    }
}
