//! `rock-paper-scissors channels --players 4`: a game over links of one kind or another.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command: its output is its purpose

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use quadrille_example_rock_paper_scissors::{Version, game};

/// Plays rock, paper, scissors until at most one player is left.
#[derive(Parser)]
struct Arguments {
    /// What carries the messages
    carrier: Carrier,
    /// How many players
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=4))]
    players: u8,
    /// Another number, another game
    #[arg(long, default_value_t = 0)]
    seed: u64,
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
    let Arguments { carrier, players, seed } = Arguments::parse();
    let version = match carrier {
        Carrier::Channels => Version::Channels,
        Carrier::Strict => Version::Strict,
        Carrier::Liberal => Version::Liberal,
    };
    let records = match game(version, players.into(), seed) {
        Ok(records) => records,
        Err(broken) => {
            eprintln!("error: {broken}");
            return ExitCode::FAILURE;
        }
    };
    // Who stayed longest saw everything.
    if let Some(record) = records.iter().max_by_key(|record| record.rounds.len()) {
        for (number, round) in (1..).zip(&record.rounds) {
            let hands: Vec<String> =
                round.iter().map(|(seat, hand)| format!("{seat}: {hand}")).collect();
            println!("{number}. {}", hands.join(", "));
        }
        for winner in &record.winners {
            println!("{winner} wins");
        }
    }
    ExitCode::SUCCESS
}
