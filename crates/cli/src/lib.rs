//! The command line: reads files, runs the engine, prints what it found. The only crate that touches
//! files, clocks, the environment and the terminal; it owns no algorithm.
#![forbid(unsafe_code)]

mod arguments;
pub mod codes;
mod commands;
mod exit;
mod formulas;
mod input;
mod manual;
mod quantity;
mod watch;
mod world;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;
use quadrille_diagnostic::{Diagnostic, Sources, render};

use crate::arguments::{Arguments, Command};
use crate::exit::Exit;
use crate::world::World;

/// What a command gives: how it ended, or what is wrong with what it was given.
type Ended = Result<Exit, Vec<Diagnostic>>;

/// Runs the command with these arguments, the first being its own name.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to stdout and are no error; everything else is bad usage.
            let _ = error.print();
            return if error.use_stderr() { Exit::CannotRun } else { Exit::Holds }.into();
        }
    };
    let world = World::new(arguments.quiet);
    let mut sources = Sources::default();
    let ended = match &arguments.command {
        Command::Check(check) => commands::check::run(check, &world, &mut sources),
        Command::States(states) => commands::states::run(states, &world, &mut sources),
        Command::Draw(draw) => commands::draw::run(draw, &world, &mut sources),
        Command::Replay(replay) => commands::replay::run(replay, &world, &mut sources),
        Command::Compare(compare) => commands::compare::run(compare, &world, &mut sources),
        Command::Explain(explain) => commands::explain::run(explain, &world),
        Command::Completions(completions) => commands::completions::run(completions, &world),
    };
    match ended {
        Ok(exit) => exit.into(),
        Err(diagnostics) => {
            report(&world, &sources, &diagnostics);
            Exit::CannotRun.into()
        }
    }
}

/// Shows diagnostics to whoever sits at the terminal or reads the log.
fn report(world: &World, sources: &Sources, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        world.complain(&render(diagnostic, sources, world.error_style()));
    }
    if let [first, ..] = diagnostics {
        world.complain(&format!("see `quadrille explain {}`\n", first.code.id));
    }
}
