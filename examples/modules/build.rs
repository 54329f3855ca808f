//! Generates the modules that are not checked in.

use quadrille_build::Protocol;

fn main() {
    for file in ["login", "token-full-mesh"] {
        Protocol::new(format!("../protocols/{file}.quad")).generate();
    }
    let commit = Protocol::new("../protocols/two-phase-commit.quad").accept_differences();
    commit.message_type("Vote", "crate::bank::Vote").generate();
    Protocol::new("protocols/names.quad").accept_differences().generate();
    let farm = Protocol::new("protocols/farm.quad").accept_differences();
    farm.parameter("k", "1..=4").generate();
    let pool = || Protocol::new("protocols/pool.quad");
    pool().parameter("k", "1..").generate();
    pool().parameter("k", "20").module("crew").generate();
}
