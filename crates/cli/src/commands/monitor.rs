//! `quadrille monitor`: does a running system do what its protocol says?

use std::ops::ControlFlow;

use quadrille_diagnostic::{Sources, render};
use quadrille_protocol::monitor::{Event, Monitor, Status};

use crate::arguments::{LimitArguments, MonitorArguments};
use crate::exit::Exit;
use crate::input::{load, no_protocol};
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop};

pub(crate) fn run(arguments: &MonitorArguments, world: &World, sources: &mut Sources) -> Ended {
    let mut watcher = Watcher::new(world, &LimitArguments::default());
    let session = arguments.protocol.clone().into();
    let input = load(&arguments.file, &session, &[], &mut watcher, sources)?;
    let Some(protocol) = input.protocol() else {
        return Err(vec![no_protocol(&arguments.file)].into());
    };
    let mut monitor = Monitor::new(&protocol.session);
    let (mut n_lines, mut n_events) = (0_u64, 0_u64);
    let mut ended: Option<Result<Exit, Stop>> = None;
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
        let wrong = match monitor.observe(&event) {
            Ok(Status::Running) => return ControlFlow::Continue(()),
            Ok(Status::Stuck(diagnostic)) | Err(diagnostic) => diagnostic,
        };
        let wrong = wrong.note(format!("at line {n_lines} of the log"));
        world.print(&render(&wrong, sources, world.output_style()));
        ended = Some(Ok(Exit::Violated));
        ControlFlow::Break(())
    });
    read.map_err(|unreadable| vec![unreadable])?;
    input.sound()?;
    if let Some(ended) = ended {
        return ended;
    }
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
