//! `chess channels`: two engines play a game over links of one kind or another.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command: its output is its purpose

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use quadrille_example_chess::engine::{Engine, Taste};
use quadrille_example_chess::{Version, game};

/// Plays a game of chess between two engines on two threads.
#[derive(Parser)]
struct Arguments {
    /// What carries the messages
    carrier: Carrier,
    /// How many moves White looks ahead
    #[arg(long, default_value_t = 4)]
    white: u32,
    /// How many moves Black looks ahead
    #[arg(long, default_value_t = 3)]
    black: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum Carrier {
    /// Channels written by hand
    Channels,
    /// The generated module, one machine for everybody
    Strict,
    /// The generated module, a machine for each role
    Liberal,
}

fn main() -> ExitCode {
    let Arguments { carrier, white, black } = Arguments::parse();
    let version = match carrier {
        Carrier::Channels => Version::Channels,
        Carrier::Strict => Version::Strict,
        Carrier::Liberal => Version::Liberal,
    };
    let white = Engine { depth: white, taste: Taste::Centre };
    let black = Engine { depth: black, taste: Taste::Mobility };
    match game(version, white, black) {
        Ok([record, _]) => {
            for (number, pair) in (1..).zip(record.game.moves().chunks(2)) {
                let pair: Vec<String> = pair.iter().map(ToString::to_string).collect();
                println!("{number}. {}", pair.join(" "));
            }
            println!("\n{}\n\n{}", record.game.board(), record.outcome);
            ExitCode::SUCCESS
        }
        Err(broken) => {
            eprintln!("error: {broken}");
            ExitCode::FAILURE
        }
    }
}
