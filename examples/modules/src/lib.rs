//! Generated modules under the strictest lints: a module that needs an exception shows it here. `chess` is
//! checked in, and `cargo test` of the command line keeps it up to date; `build.rs` generates the others.
//!
//! Roles have a type for each of their states. Calls out of order do not compile:
//!
//! ```
//! # use quadrille_example_modules::chess::{self, Move};
//! let chess::Roles { white, black } = chess::liberal().into_roles();
//! # std::thread::spawn(move || {
//! let (Move, black) = black.typed().recv()?;
//! black.send(Move)?.finish()
//! # });
//! # let white = white.typed();
//! # let white = white.send(Move)?;
//! # let (Move, white) = white.recv()?;
//! # white.finish()?;
//! # Ok::<(), quadrille_runtime::Error>(())
//! ```
//!
//! Black does not begin:
//!
//! ```compile_fail,E0599
//! # use quadrille_example_modules::chess::{self, Move};
//! chess::liberal().into_roles().black.typed().send(Move);
//! ```
//!
//! White does not move twice:
//!
//! ```compile_fail,E0599
//! # use quadrille_example_modules::chess::{self, Move};
//! let white = chess::liberal().into_roles().white.typed();
//! white.send(Move)?.send(Move)?;
//! # Ok::<(), quadrille_runtime::Error>(())
//! ```
//!
//! No state is used twice:
//!
//! ```compile_fail,E0382
//! # use quadrille_example_modules::chess::{self, Move};
//! let white = chess::liberal().into_roles().white.typed();
//! white.send(Move)?;
//! white.send(Move)?;
//! # Ok::<(), quadrille_runtime::Error>(())
//! ```
//!
//! The game is not over before it has begun:
//!
//! ```compile_fail,E0599
//! # use quadrille_example_modules::chess;
//! chess::liberal().into_roles().white.typed().finish();
//! ```
#![warn(clippy::pedantic, missing_docs, unused)]
#![forbid(unsafe_code)]

pub mod all;
pub mod bank;
/// Two players move in turn, from `examples/protocols/chess.quad`.
pub mod chess;
/// A master and workers, from `protocols/farm.quad`; how many is chosen at run time.
pub mod farm {
    include!(concat!(env!("OUT_DIR"), "/farm.rs"));
}
/// A master and any number of workers, all at once, from `protocols/pool.quad`.
pub mod pool {
    include!(concat!(env!("OUT_DIR"), "/pool.rs"));
}
/// The same with twenty workers, from `protocols/pool.quad`.
pub mod crew {
    include!(concat!(env!("OUT_DIR"), "/crew.rs"));
}
/// A token that anybody passes to anybody, from `examples/protocols/token-full-mesh.quad`.
pub mod full_mesh {
    include!(concat!(env!("OUT_DIR"), "/full_mesh.rs"));
}
/// Signing in through a third party, from `examples/protocols/login.quad`.
pub mod login {
    include!(concat!(env!("OUT_DIR"), "/login.rs"));
}
/// Names that are taken, from `protocols/names.quad`.
pub mod names {
    include!(concat!(env!("OUT_DIR"), "/names.rs"));
}
pub mod odd;
/// A coordinator and participants that vote, from `examples/protocols/two-phase-commit.quad`.
pub mod two_phase_commit {
    include!(concat!(env!("OUT_DIR"), "/two_phase_commit.rs"));
}
