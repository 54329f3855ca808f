//! The search against the definition, on random histories.

use std::panic::Location;

use quadrille_sim::Random;

use super::{Entry, Sequential, is_linearizable};

/// A register: `Some` writes, `None` reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Register(u8);

impl Sequential for Register {
    type Call = Option<u8>;
    type Return = u8;

    fn perform(&mut self, call: &Option<u8>) -> u8 {
        self.0 = call.unwrap_or(self.0);
        self.0
    }
}

type Operation = Entry<Option<u8>, u8>;

/// A random history: operations that overlap, answers that may be right.
fn history(random: &mut Random) -> Vec<Operation> {
    let n = 1 + random.below(5) as usize;
    (0..n)
        .map(|thread| {
            let began = random.below(12) as u32 * 2;
            let call = (random.below(2) == 0).then(|| random.below(3) as u8);
            let answer = call.unwrap_or(random.below(3) as u8);
            let is_open = random.below(6) == 0;
            let ended = (!is_open).then(|| (began + 1 + 2 * random.below(6) as u32, answer));
            Entry { call, began, ended, thread, place: Location::caller() }
        })
        .collect()
}

/// By the definition: some order of all that ended and some of the others, in which nothing comes
/// before what was over when it began, and every answer is the object's.
fn by_definition(object: Register, left: &[&Operation]) -> bool {
    if left.iter().all(|entry| entry.ended.is_none()) {
        return true;
    }
    (0..left.len()).any(|first| {
        let entry = left[first];
        let others: Vec<&Operation> =
            left.iter().enumerate().filter(|(index, _)| *index != first).map(|(_, e)| *e).collect();
        let is_first =
            others.iter().all(|other| other.ended.as_ref().is_none_or(|e| e.0 > entry.began));
        let mut after = object;
        let answer = after.perform(&entry.call);
        let fits = entry.ended.as_ref().is_none_or(|(_, expected)| *expected == answer);
        is_first && fits && by_definition(after, &others)
    })
}

#[test]
fn the_search_agrees_with_the_definition() {
    let mut random = Random::new(7);
    let mut n_linearizable = 0;
    for _ in 0..5_000 {
        let history = history(&mut random);
        let expected = by_definition(Register(0), &history.iter().collect::<Vec<_>>());
        assert_eq!(is_linearizable(&Register(0), &history), expected, "{history:?}");
        n_linearizable += u32::from(expected);
    }
    assert!((500..4_500).contains(&n_linearizable), "{n_linearizable}");
}
