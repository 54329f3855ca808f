//! `cargo quadrille …` is `quadrille …`: cargo looks for a program of this name, and this one starts
//! the other, which is installed beside it.
#![forbid(unsafe_code)]
#![allow(clippy::print_stderr)] // says why the other program does not start

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let name = format!("quadrille{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().map(|this| this.with_file_name(&name));
    let mut command =
        Command::new(beside.ok().filter(|path| path.is_file()).unwrap_or(name.into()));
    // Cargo puts the name of the subcommand in front of the other arguments.
    let skipped =
        if std::env::args_os().nth(1).is_some_and(|word| word == "quadrille") { 2 } else { 1 };
    let error = match run(command.args(std::env::args_os().skip(skipped))) {
        Ok(code) => return code,
        Err(error) => error,
    };
    eprintln!("error: cannot start `quadrille`: {error}");
    ExitCode::from(2)
}

/// Becomes the other program, so that signals reach it.
#[cfg(unix)]
fn run(command: &mut Command) -> std::io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

#[cfg(not(unix))]
fn run(command: &mut Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
