//! The `quadrille` command.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    quadrille_cli::main(std::env::args_os().collect())
}
