//! The command line: reads files, runs the engine, prints what it found. The only crate that touches
//! files, clocks, the environment and the terminal; it owns no algorithm.
#![forbid(unsafe_code)]

mod architectures;
mod arguments;
mod checker;
pub mod codes;
mod commands;
mod components;
mod exit;
mod formulas;
mod input;
mod manual;
mod protocols;
mod quantity;
mod recorded;
mod shell;
mod steps;
mod watch;
mod world;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;
use quadrille_check::Stopped;
use quadrille_diagnostic::{Diagnostic, Sources, render};
use quadrille_model::Bound;
use quadrille_report::{bound_advice, bound_phrase};

use crate::arguments::{Arguments, Command};
use crate::exit::Exit;
use crate::world::World;

/// What a command gives: how it ended, or why it could not go on.
type Ended = Result<Exit, Stop>;

/// Why a command could not go on.
enum Stop {
    /// Something is wrong with what it was given.
    Bad(Vec<Diagnostic>),
    /// A bound was reached before there was anything to say.
    Bound(Bound),
    /// It is too large for an answer, in a way that needs more words.
    TooLarge(Vec<Diagnostic>),
}

impl From<Vec<Diagnostic>> for Stop {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Stop::Bad(diagnostics)
    }
}

impl From<Stopped> for Stop {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Bound(bound) => Stop::Bound(bound),
            Stopped::Unrepeatable(error) => Stop::Bad(input::unrepeatable(error)),
            Stopped::TooLarge(error) => Stop::TooLarge(vec![
                Diagnostic::error(&codes::TOO_LARGE_TO_PROJECT, error.to_string())
                    .help("project a smaller instance, or stay with the strict form"),
            ]),
            other => {
                Stop::Bad(vec![Diagnostic::error(&codes::TOO_LARGE_TO_PROJECT, other.to_string())])
            }
        }
    }
}

impl From<Bound> for Stop {
    fn from(bound: Bound) -> Self {
        Stop::Bound(bound)
    }
}

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
        Command::Reduce(reduce) => commands::component::reduce::run(reduce, &world, &mut sources),
        Command::Substitute(substitute) => {
            commands::component::substitute::run(substitute, &world, &mut sources)
        }
        Command::Test(test) => commands::test::run(test, &world, &mut sources),
        Command::Lint(lint) => commands::lint::run(lint, &world, &mut sources),
        Command::Project(project) => commands::project::run(project, &world, &mut sources),
        Command::Generate(generate) => commands::generate::run(generate, &world, &mut sources),
        Command::Monitor(monitor) => commands::monitor::run(monitor, &world, &mut sources),
        Command::Frame(frame) => commands::frame::run(frame, &world, &mut sources),
        Command::Double(double) => commands::double::run(double, &world, &mut sources),
        Command::States(states) => commands::states::run(states, &world, &mut sources),
        Command::Draw(draw) => commands::draw::run(draw, &world, &mut sources),
        Command::Replay(replay) => commands::replay::run(replay, &world, &mut sources),
        Command::Compare(compare) => commands::compare::run(compare, &world, &mut sources),
        Command::Explain(explain) => commands::explain::run(explain, &world),
        Command::Completions(completions) => commands::completions::run(completions, &world),
    };
    match ended {
        Ok(exit) => exit.into(),
        Err(Stop::Bad(diagnostics)) => {
            report(&world, &sources, &diagnostics);
            Exit::CannotRun.into()
        }
        Err(Stop::TooLarge(diagnostics)) => {
            report(&world, &sources, &diagnostics);
            Exit::Unknown.into()
        }
        Err(Stop::Bound(bound)) => {
            let (phrase, advice) = (bound_phrase(bound), bound_advice(bound));
            world.complain(&format!("unknown: {phrase}; {advice}\n"));
            Exit::Unknown.into()
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
