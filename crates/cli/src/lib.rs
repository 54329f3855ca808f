//! The command line: arguments in, answers rendered. The only crate that touches files, clocks, the
//! environment and the terminal; files and questions become answers in `quadrille_query`.
#![forbid(unsafe_code)]

mod arguments;
pub mod codes;
mod commands;
mod exit;
mod formulas;
mod manual;
mod model;
mod quantity;
mod shell;
mod watch;
mod world;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Parser as _;
use quadrille_diagnostic::{Diagnostic, Severity, Sources, render};
use quadrille_model::Bound;
use quadrille_query::codes::{TOO_LARGE_TO_PROJECT, UNREPEATABLE};
use quadrille_query::{Refused, protocol::Stopped};
use quadrille_report::{DiagnosticsDocument, bound_advice, bound_phrase};

use crate::arguments::{Arguments, Format, LimitArguments, with_join};
use crate::exit::Exit;
use crate::world::{Printed, World};

/// What a command gives: how it ended, or why it could not go on.
type Ended = Result<Exit, Stop>;

/// Why a command could not go on.
enum Stop {
    /// Something is wrong with what it was given.
    Bad(Vec<Diagnostic>),
    /// A bound was reached before there was anything to say.
    Bound(Bound),
    /// A size limit was hit; the diagnostics explain which.
    TooLarge(Vec<Diagnostic>),
}

impl From<Vec<Diagnostic>> for Stop {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Stop::Bad(diagnostics)
    }
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Self {
        Stop::Bad(vec![diagnostic])
    }
}

impl From<Stopped> for Stop {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Bound(bound) => Stop::Bound(bound),
            Stopped::Problems(problems) => Stop::Bad(problems),
            Stopped::TooLarge(error) => Stop::TooLarge(vec![
                Diagnostic::error(&TOO_LARGE_TO_PROJECT, error.to_string())
                    .help("project a smaller instance, or stay with the strict form"),
            ]),
            Stopped::NoStart => {
                let message = "the protocol has no initial state";
                Diagnostic::error(&quadrille_query::codes::NO_START, message).into()
            }
            stopped => Diagnostic::error(&UNREPEATABLE, stopped.to_string()).into(),
        }
    }
}

impl From<quadrille_engine::Stopped> for Stop {
    fn from(stopped: quadrille_engine::Stopped) -> Self {
        Stopped::from(stopped).into()
    }
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Diagnostics(diagnostics) => Stop::Bad(diagnostics),
            Refused::Stopped(stopped) => stopped.into(),
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
    if quadrille_sim_cargo::is_wrapper() {
        return quadrille_sim_cargo::wrap(&arguments);
    }
    let arguments = match Arguments::try_parse_from(with_join(arguments)) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to stdout and are no error; everything else is bad usage.
            let lost = error.print().err().filter(|error| error.kind() != ErrorKind::BrokenPipe);
            if let Some(lost) = &lost {
                let unwritable = world::unwritable(lost);
                report(&World::new(false), &Sources::default(), &[unwritable]);
            }
            let is_bad = lost.is_some() || error.use_stderr();
            return if is_bad { Exit::CannotRun } else { Exit::Holds }.into();
        }
    };
    let world = World::new(arguments.quiet);
    if let Some(limits) = arguments.command.limits() {
        guard(&world, limits, arguments.command.format() == Some(Format::Json));
    }
    let mut sources = Sources::default();
    let ended = commands::run(&arguments.command, &world, &mut sources);
    let (exit, diagnostics) = match ended {
        Ok(exit) => (exit, Vec::new()),
        Err(Stop::Bad(diagnostics)) => (Exit::CannotRun, diagnostics),
        Err(Stop::TooLarge(diagnostics)) => (Exit::Unknown, diagnostics),
        Err(Stop::Bound(bound)) => {
            world.complain(&unknown(bound));
            if arguments.command.format() == Some(Format::Json) {
                world.print(&DiagnosticsDocument::unknown(bound).to_json());
            }
            (Exit::Unknown, Vec::new())
        }
    };
    if !diagnostics.is_empty() {
        report(&world, &sources, &diagnostics);
        if arguments.command.format() == Some(Format::Json) {
            world.print(&DiagnosticsDocument::new(&diagnostics, &sources).to_json());
        }
    }
    match world.printed() {
        Printed::Everything => exit.into(),
        Printed::Enough => Exit::Holds.into(),
        Printed::Failed(unwritable) => {
            report(&world, &sources, &[*unwritable]);
            Exit::CannotRun.into()
        }
    }
}

/// What to say where a bound was reached before there was anything else to say.
fn unknown(bound: Bound) -> String {
    format!("unknown: {}; {}\n", bound_phrase(bound), bound_advice(bound))
}

/// Ends the command soon after its bounds, in phases that do not look at them.
fn guard(world: &World, limits: &LimitArguments, is_json: bool) {
    world.guard(limits.timeout, limits.max_memory, move |bound| {
        let document = is_json.then(|| DiagnosticsDocument::unknown(bound).to_json());
        world::end(&unknown(bound), document.as_deref(), Exit::Unknown);
    });
}

/// Shows diagnostics on standard error; warnings only where they are wanted.
fn report(world: &World, sources: &Sources, diagnostics: &[Diagnostic]) {
    let shown =
        |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error || !world.is_quiet();
    let shown: Vec<&Diagnostic> = diagnostics.iter().filter(shown).collect();
    for diagnostic in &shown {
        world.complain(&render(diagnostic, sources, world.error_style()));
    }
    if let [first, ..] = shown[..] {
        world.complain(&format!("see `quadrille explain {}`\n", first.code.id));
    }
}
