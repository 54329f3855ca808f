//! The `cargo quadrille` command: the same, with the word that cargo puts in front taken away.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|word| word == "quadrille") {
        arguments.remove(1);
    }
    quadrille_cli::main(arguments)
}
