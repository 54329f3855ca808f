//! `quadrille monitor` on components: do they keep to their frames?

use std::fmt::Write as _;

use quadrille_component::assembly::Member;
use quadrille_contract::{Frame, Monitor};
use quadrille_diagnostic::{Diagnostic, Sources, render};
use quadrille_query::{ComponentSelection, assemble};

use crate::arguments::MonitorArguments;
use crate::commands::frame::unknown_name;
use crate::commands::monitor::{Log, follow};
use crate::exit::Exit;
use crate::quantity::count;
use crate::world::World;
use crate::{Ended, model};

pub(crate) fn run(arguments: &MonitorArguments, world: &World, sources: &mut Sources) -> Ended {
    let language = model::language(&arguments.file, world)?;
    arguments.protocol.selection().refuse(&arguments.file, language)?;
    let none = ComponentSelection::default();
    let (assembly, _) = assemble(world, sources, &arguments.file, &none)?;
    let frames = frames(assembly.members(), &arguments.component)?;
    let mut monitors: Vec<Monitor<'_>> = frames.iter().map(Monitor::new).collect();
    let log = follow(world, sources, &mut |event| {
        monitors.iter_mut().try_for_each(|monitor| monitor.observe(event))
    })?;
    if matches!(log, Log::Wrong) {
        return Ok(Exit::Violated);
    }
    let mut exit = Exit::Holds;
    let mut told = String::new();
    for (frame, monitor) in frames.iter().zip(&monitors) {
        let (name, events) = (frame.name(), count(monitor.n_events(), "event"));
        match monitor.finish() {
            Ok(()) => {
                let _ = writeln!(told, "{name} conforms: {events}, and it may end here");
            }
            Err(unfinished) => {
                exit = Exit::Unknown;
                let _ = writeln!(told, "{name} conforms so far: {events}");
                told += &render(&unfinished, sources, world.output_style());
            }
        }
    }
    world.print(&told);
    Ok(exit)
}

/// The frames of the components that are named, or of all.
fn frames(members: &[Member], names: &[String]) -> Result<Vec<Frame>, Vec<Diagnostic>> {
    let (mut frames, mut diagnostics) = (Vec::new(), Vec::new());
    let known: Vec<String> =
        members.iter().map(|member| member.component.name.text.clone()).collect();
    let unknown = names.iter().filter(|name| !known.contains(name));
    diagnostics.extend(unknown.map(|name| unknown_name(name, &known)));
    let is_meant =
        |member: &&Member| names.is_empty() || names.contains(&member.component.name.text);
    for Member { types, component, throws } in members.iter().filter(is_meant) {
        match Frame::new(types, component, throws.as_ref()) {
            Ok(frame) => frames.push(frame),
            Err(error) => diagnostics.push(error.of(component)),
        }
    }
    if diagnostics.is_empty() { Ok(frames) } else { Err(diagnostics) }
}
