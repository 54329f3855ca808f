//! `quadrille cluster`: a search that several processes share. Each of them runs the same check; process 0
//! reports. `cluster local` starts them and looks after them.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use quadrille_cluster::{Flaw, Hosts, Node, Secret, Work, WorkerProgress, fresh_secret};
use quadrille_diagnostic::{Diagnostic, Sources, Span};
use quadrille_engine::disk::{Identity, RunStore, RunsOutcome};
use quadrille_engine::{Error, Limits, Observer, Progress};
use quadrille_model::Model;
use quadrille_query::codes::{CLUSTER, CONTRADICTION};
use quadrille_query::{Asked, Elsewhere, Files as _, Watcher as _, read_text, unshared};
use quadrille_report::{WorkerRecord, workers_line};

use super::{check, states};
use crate::arguments::{
    ClusterArguments, ClusterCommand, JoinArguments, LocalArguments, ProgressArgument,
    SharedArguments, StoreArgument, identity, refuse,
};
use crate::exit::Exit;
use crate::watch::{Line, Watcher};
use crate::world::{Child, Children, Fate, World, end, tell};
use crate::{Ended, Stop, model};

pub(crate) fn run(arguments: &ClusterArguments, world: &World, sources: &mut Sources) -> Ended {
    match &arguments.command {
        ClusterCommand::Local(local) => match world.child() {
            Some(child) => take_part(&child, local, world, sources),
            None => supervise(local, world, sources),
        },
        ClusterCommand::Join(join) => take_seat(join, world, sources),
    }
}

/// A place in a cluster, for one search.
pub(super) struct Seat {
    node: Mutex<Option<Node>>,
    reports: bool,
    tells: bool,
}

impl Seat {
    fn new(node: Node, progress: ProgressArgument) -> Self {
        let reports = node.process == 0;
        let tells = reports && progress == ProgressArgument::Workers;
        Self { reports, tells, node: Mutex::new(Some(node)) }
    }

    /// Whether this process prints what all found.
    pub(super) fn reports(&self) -> bool {
        self.reports
    }

    /// The search of the cluster, which it makes once.
    pub(super) fn take(&self, identity: Identity) -> Result<Arc<dyn Elsewhere>, Diagnostic> {
        let node = self.node.lock().unwrap_or_else(PoisonError::into_inner).take();
        let message = "a cluster makes one search, and this is asked in several";
        let node = node.ok_or_else(|| Diagnostic::error(&CONTRADICTION, message))?;
        Ok(Arc::new(Cluster { node: Mutex::new(Some(node)), identity, tells: self.tells }))
    }
}

#[derive(Debug)]
struct Cluster {
    node: Mutex<Option<Node>>,
    identity: Identity,
    tells: bool,
}

impl Elsewhere for Cluster {
    fn search(
        &self,
        model: &dyn Model,
        properties: &Asked<'_>,
        runs: &RunStore,
        limits: Limits,
        observer: &mut Observer<'_>,
    ) -> Result<RunsOutcome, Error> {
        let node = self.node.lock().unwrap_or_else(PoisonError::into_inner).take();
        let again = || Error::Peers("a cluster makes one search, and this is another".into());
        let node = node.ok_or_else(again)?;
        let tell = |workers: &[WorkerProgress]| {
            if self.tells {
                tell(&workers_line(&workers.iter().enumerate().map(record).collect::<Vec<_>>()));
            }
        };
        let identity = &self.identity;
        // A thread that hangs cannot be ended, but the process can.
        let hangs = |error: &Error| {
            let said = unshared(&error.to_string());
            let help = said.help.map(|it| format!("  = help: {it}\n")).unwrap_or_default();
            end(&format!("error[{}]: {}\n{help}", CLUSTER.id, said.message), None, Exit::CannotRun);
        };
        let work = Work { model, properties, runs, identity, limits, tell: &tell, hangs: &hangs };
        Ok(node.search(&work, observer)?.found)
    }
}

fn record((worker, progress): (usize, &WorkerProgress)) -> WorkerRecord {
    let WorkerProgress { progress, sent } = *progress;
    let Progress { states, transitions, depth: level, frontier, bytes: memory } = progress;
    WorkerRecord { worker, level, states, transitions, frontier, memory, sent }
}

/// Joins a cluster whose processes are named in a file.
fn take_seat(join: &JoinArguments, world: &World, sources: &mut Sources) -> Ended {
    let source = read_text(world, &join.hosts, sources).map_err(|unreadable| vec![unreadable])?;
    let hosts = Hosts::read(sources.text(source)).map_err(|Flaw { place, message }| {
        let span = Span::new(source, place);
        let help = "write a line `host:port` for each process, the first for process 0";
        Diagnostic::error(&CLUSTER, message).at(span, "").help(help)
    })?;
    if join.process >= hosts.number() {
        let (process, n) = (join.process, hosts.number());
        let message =
            format!("there is no process {process} among the {n} of {}", join.hosts.display());
        let help = format!("name one of the processes 0 to {}", n - 1);
        return Err(Diagnostic::error(&CONTRADICTION, message).help(help).into());
    }
    let secret = secret(&join.secret, world)?;
    let workers = join.shared.check.workers.number(world).number();
    let place = (hosts, join.process, workers);
    let node = Node::new(place, secret, join.shared.patience);
    search(node.map_err(|error| unshared(&error.to_string()))?, &join.shared, world, sources)
}

fn secret(path: &Path, world: &World) -> Result<Secret, Diagnostic> {
    let bytes = world.read(path).map_err(|error| {
        let message = format!("cannot read the secret `{}`", path.display());
        Diagnostic::error(&CLUSTER, message).note(error)
    })?;
    Secret::new(bytes).map_err(|short| {
        let message = format!("`{}` is no secret: {short}", path.display());
        let help = format!("make one by `head -c 32 /dev/urandom > {}`", path.display());
        Diagnostic::error(&CLUSTER, message).help(help)
    })
}

/// Searches as one of several processes.
fn search(node: Node, shared: &SharedArguments, world: &World, sources: &mut Sources) -> Ended {
    let seat = Seat::new(node, shared.check.limits.progress);
    match shared.count {
        true => count(&seat, shared, world, sources),
        false => check::run_in(&shared.check, Some(&seat), world, sources),
    }
}

/// Counts as `quadrille states` does.
fn count(seat: &Seat, shared: &SharedArguments, world: &World, sources: &mut Sources) -> Ended {
    let arguments = &shared.check;
    refuse("--count", &[(arguments.formulas.asks(), "formulas"), (arguments.reduce, "--reduce")])?;
    let mut watcher = Watcher::new(world, &arguments.limits);
    let subject = model::one(&arguments.file, &arguments.model.selection(), &mut watcher, sources)?;
    let title = arguments.file.display().to_string();
    let runs = arguments.store.runs(&title, &subject.selection, sources, &[])?.unwrap_or_default();
    let cluster = seat.take(identity(&title, &subject.selection, sources, &[]))?;
    let start = world.now();
    watcher.begin("states");
    watcher.measure(arguments.store.folder());
    let limits = watcher.limits();
    let mut look = |progress: &_| watcher.look(progress);
    let counted = cluster.search(subject.model(), &Vec::new, &runs, limits, &mut look);
    watcher.end();
    let counted = counted.map_err(states::not_counted)?;
    let exit = if counted.outcome.bound.is_some() { Exit::Unknown } else { Exit::Holds };
    if seat.reports() {
        world.print(&states::of_runs(
            &title,
            &counted,
            start.seconds(),
            arguments.output.format.into(),
        ));
    }
    Ok(exit)
}

/// Takes part as a process that another one started.
fn take_part(child: &Child, local: &LocalArguments, world: &World, sources: &mut Sources) -> Ended {
    let broken = |error: std::io::Error| {
        Diagnostic::error(&CLUSTER, "the process that started this one is gone")
            .note(error.to_string())
    };
    let told = world.report_for_duty().map_err(broken)?;
    let secret = Secret::new(told.secret).map_err(|short| {
        Diagnostic::error(&CLUSTER, "the process that started this one told no secret")
            .note(short.to_string())
    })?;
    let place = (Hosts::local(&told.ports), child.process, workers(local, world));
    let node = Node::listening(told.listener, place, secret, local.shared.patience);
    search(node, &local.shared, world, sources)
}

/// Workers of each process.
fn workers(local: &LocalArguments, world: &World) -> usize {
    let share = || (world.n_processors() / usize::from(local.processes)).max(1);
    local.shared.check.workers.asked().unwrap_or_else(share)
}

/// Starts processes and waits for what they find. The first that fails ends all others.
fn supervise(local: &LocalArguments, world: &World, sources: &mut Sources) -> Ended {
    // What is wrong with the file is said once, and before anything is started.
    let arguments = &local.shared.check;
    let mut watcher = Watcher::new(world, &arguments.limits);
    if !model::language(&arguments.file, world)?.has_scopes() {
        model::one(&arguments.file, &arguments.model.selection(), &mut watcher, sources)?;
    }
    world.catch_interrupts();
    let broken = |error: std::io::Error| {
        Diagnostic::error(&CLUSTER, "a process cannot be started").note(error.to_string())
    };
    let secret = fresh_secret().map_err(broken)?;
    let n_processes = usize::from(local.processes);
    let shows = world.shows_progress() && arguments.limits.progress == ProgressArgument::Auto;
    let line = shows.then(Line::new);
    let started = Children::start(n_processes, line.as_ref()).and_then(|mut children| {
        children.introduce(&secret.to_hex(), local.shared.patience)?;
        Ok(children.wait())
    });
    if let Some(line) = line {
        line.end();
    }
    let fates = started.map_err(broken)?;
    let is_json = arguments.output.format == crate::arguments::CheckFormat::Json;
    let exit = match fates[0].code {
        Some(code) if fates.iter().all(|fate| fate.code == Some(code)) => Exit::of_code(code),
        _ => None,
    };
    if let Some(exit) = exit.filter(|exit| *exit != Exit::CannotRun) {
        world.complain(&fates[0].errors);
        world.print(&fates[0].output);
        return Ok(exit);
    }
    let again =
        matches!(arguments.store.store, StoreArgument::Disk(_)).then(|| world.again("--resume"));
    let reason = reason(&fates);
    if let Fate { code: Some(2), errors, output, .. } = &fates[reason] {
        // It has said what is wrong.
        world.complain(errors);
        if let Some(again) = again {
            world.complain(&format!("go on from the last complete level with\n  {again}\n"));
        }
        if is_json {
            world.print(output);
        }
        return Ok(Exit::CannotRun);
    }
    let what = fates[reason].how();
    let message = format!("process {reason} of {n_processes} {what}, and the others were ended");
    let diagnostic = Diagnostic::error(&CLUSTER, message);
    let diagnostic = match fates[reason].errors.trim() {
        "" => diagnostic,
        said => diagnostic.note(said),
    };
    Err(Stop::from(match again {
        Some(again) => {
            diagnostic.help(format!("go on from the last complete level with `{again}`"))
        }
        None => diagnostic.help("keep states on disk, by --store disk=FOLDER, to be able to go on"),
    }))
}

/// The process that is the reason why the others ended: one that died, one that says what is wrong with
/// itself, or the first that says anything.
fn reason(fates: &[Fate]) -> usize {
    let died = |fate: &&Fate| !fate.was_ended && !matches!(fate.code, Some(0..=3));
    let is_own = |fate: &&Fate| fate.code == Some(2) && !fate.errors.contains(CLUSTER.id);
    let said = |fate: &&Fate| fate.code == Some(2);
    let first = |is_it: &dyn Fn(&&Fate) -> bool| fates.iter().position(|fate| is_it(&fate));
    first(&died).or_else(|| first(&is_own)).or_else(|| first(&said)).unwrap_or(0)
}
