//! Projection with messages that carry nothing, where that is enough, against messages that always carry
//! what the sender knows, on random protocols.

use super::bare::Bare;
use super::build::{Failure, build_with};
use super::tests::{global, protocol};
use super::{Global, Projection, minimise};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn communication(&mut self) -> String {
        let arrow = ["-->>", "-->>", "-->>", "-->", "close"][self.below(5) as usize];
        let from = self.below(4);
        let to = (from + 1 + self.below(3)) % 4;
        let message = ["M ", "N ", "O "][self.below(3) as usize];
        let message = if arrow == "close" { "" } else { message };
        format!("(s/{arrow} {message}::r{from} ::r{to})")
    }

    fn body(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(5) == 0 {
            return self.communication();
        }
        let (one, other) = (self.body(depth - 1), self.body(depth - 1));
        match self.below(8) {
            0 | 1 => format!("(s/par {one} {other})"),
            2 => format!("(s/* {one})"),
            3 => format!("(s/? {one})"),
            4 => format!("(s/alt {one} {other})"),
            _ => format!("(s/cat {one} {other})"),
        }
    }
}

/// Projected with and without what senders know; `None` where something must be carried.
fn both(global: &Global) -> (Projection, Option<Projection>) {
    let carried = build_with(global, None).ok().expect("small");
    let bare = match Bare::new(global).map(|bare| build_with(global, Some(bare))) {
        None | Some(Err(Failure::Insufficient)) => None,
        Some(Ok(raw)) => Some(minimise::minimise(&raw)),
        Some(Err(Failure::TooManyStates(error))) => panic!("{error}"),
    };
    (minimise::minimise(&carried), bare)
}

#[test]
fn where_messages_need_carry_nothing_projection_is_the_same() {
    let (mut n_bare, mut n_parallel, mut n_carrying) = (0, 0, 0);
    for seed in 1..=2_000u64 {
        let body = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)).body(4);
        let global = global(&protocol(&body));
        if global.n_states() > 500 {
            continue;
        }
        let (carried, bare) = both(&global);
        let Some(bare) = bare else {
            n_carrying += 1;
            continue;
        };
        n_bare += 1;
        n_parallel += u32::from(body.contains("par"));
        assert_eq!(bare.packets, carried.packets, "seed {seed}: {body}");
        assert_eq!(bare.locals, carried.locals, "seed {seed}: {body}");
    }
    assert!(
        n_bare > 500 && n_parallel > 200 && n_carrying > 200,
        "{n_bare} {n_parallel} {n_carrying}"
    );
}
