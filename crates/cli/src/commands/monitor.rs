//! `quadrille monitor`: does a running system do what its protocol says?

use std::ops::ControlFlow;

use quadrille_diagnostic::{Diagnostic, Sources, render};
use quadrille_protocol::monitor::{BAD_LINE, Event, Monitor, Status};
use quadrille_query::codes::CONTRADICTION;

use crate::arguments::{LimitArguments, MonitorArguments};
use crate::exit::Exit;
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop, commands::component, model};

/// How a log ended.
pub(super) enum Log {
    /// Nothing was wrong with its events; so many there were.
    Allowed(u64),
    /// One of them was not allowed.
    Wrong,
}

pub(crate) fn run(arguments: &MonitorArguments, world: &World, sources: &mut Sources) -> Ended {
    if model::holds_components(&arguments.file, world) {
        return component::monitor::run(arguments, world, sources);
    }
    if !arguments.component.is_empty() {
        let message = format!("`{}` holds no components", arguments.file.display());
        let help = "--component is for .bp files";
        return Err(Diagnostic::error(&CONTRADICTION, message).help(help).into());
    }
    let mut watcher = Watcher::new(world, &LimitArguments::default());
    let selection = arguments.protocol.selection();
    let subject = model::one(&arguments.file, &selection, &mut watcher, sources)?;
    let protocol = model::protocol(&subject, &arguments.file)?;
    let by_place = protocol.model.by_place();
    let followed = by_place.as_ref().unwrap_or(&protocol.model);
    let mut monitor = Monitor::new(followed).map_err(|bad| *bad)?;
    let log = follow(world, sources, &mut |event| match monitor.observe(event) {
        Ok(Status::Running) => Ok(()),
        Ok(Status::Stuck(diagnostic)) | Err(diagnostic) => Err(diagnostic),
    });
    let Log::Allowed(n_events) = log? else { return Ok(Exit::Violated) };
    let events = count(n_events, "event");
    match monitor.finish() {
        Ok(()) => {
            world.print(&format!("conforms: {events}, and the protocol may end here\n"));
            Ok(Exit::Holds)
        }
        Err(unfinished) => {
            world.print(&format!("conforms so far: {events}\n"));
            world.print(&render(&unfinished, sources, world.output_style()));
            Ok(Exit::Unknown)
        }
    }
}

/// Reads the log from stdin, to its end or to the first event that is not allowed, which is shown.
pub(super) fn follow(
    world: &World,
    sources: &mut Sources,
    observe: &mut dyn FnMut(&Event) -> Result<(), Box<Diagnostic>>,
) -> Result<Log, Stop> {
    if world.is_dialogue() {
        world.remark("reading events from the terminal, one JSON object per line; Ctrl-D ends\n");
    }
    let (mut n_lines, mut n_events) = (0_u64, 0_u64);
    let mut ended: Option<Result<Log, Stop>> = None;
    let read = world.input_lines(&mut |line| {
        n_lines += 1;
        if line.trim().is_empty() {
            return ControlFlow::Continue(());
        }
        let event = match Event::parse(sources, &format!("line {n_lines}"), line) {
            Ok(event) => event,
            Err(bad) => {
                ended = Some(Err(vec![*bad].into()));
                return ControlFlow::Break(());
            }
        };
        n_events += 1;
        let Err(wrong) = observe(&event) else { return ControlFlow::Continue(()) };
        let wrong = wrong.note(format!("at line {n_lines} of the log"));
        ended = Some(if wrong.code.id == BAD_LINE.id {
            Err(vec![wrong].into())
        } else {
            world.print(&render(&wrong, sources, world.output_style()));
            Ok(Log::Wrong)
        });
        ControlFlow::Break(())
    });
    read.map_err(|unreadable| vec![unreadable])?;
    ended.unwrap_or(Ok(Log::Allowed(n_events)))
}
