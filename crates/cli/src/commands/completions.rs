//! `quadrille completions`: scripts for shells.

use clap::CommandFactory as _;

use crate::Ended;
use crate::arguments::{Arguments, CompletionsArguments};
use crate::exit::Exit;
use crate::world::World;

pub(crate) fn run(arguments: &CompletionsArguments, world: &World) -> Ended {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "quadrille", &mut script);
    world.print(&String::from_utf8_lossy(&script));
    Ok(Exit::Holds)
}
