//! `go-fish channels --players 4`: a game over links of one kind or another.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command: its output is its purpose

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use quadrille_example_go_fish::{Version, game};

/// Plays Go Fish until the stock is empty.
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
    match game(version, players.into(), seed) {
        Ok(score) => {
            for (player, books) in score.books.iter().enumerate() {
                let ranks: Vec<String> = books.iter().map(ToString::to_string).collect();
                println!("player {player}: {} ({})", books.len(), ranks.join(", "));
            }
            println!("{} cards were drawn", score.drawn);
            ExitCode::SUCCESS
        }
        Err(broken) => {
            eprintln!("error: {broken}");
            ExitCode::FAILURE
        }
    }
}
