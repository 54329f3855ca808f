//! Ways of events, cut into pieces that look at one slot at a time and write constants: by the value
//! that decides what is written, then by what decides whether the piece is possible at all. The
//! pieces of a way exclude each other. Where that takes too many of them, a condition stays a circuit.

use rustc_hash::FxHashMap;

use super::circuit::{Bit, Circuit, FALSE, TRUE, Values, values};

/// What a slot becomes: for each value, the condition that it becomes that.
pub(crate) type Becomes = (usize, Vec<Bit>);

/// A piece of the next-state relation.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Piece {
    /// Per slot, the values that it must have one of.
    pub(crate) known: Vec<Values>,
    /// What must hold beside that.
    pub(crate) rest: Vec<Bit>,
    /// What the slots that change become.
    pub(crate) effects: Vec<Becomes>,
    /// Which of the formulas about a state and the next hold of its steps.
    pub(crate) held: Vec<usize>,
}

impl Piece {
    /// The values that an effect can give.
    pub(crate) fn results(effect: &[Bit]) -> Values {
        let possible = effect.iter().enumerate().filter(|(_, bit)| **bit != FALSE);
        possible.fold(0, |all, (value, _)| all | 1 << value)
    }
}

/// How far events are cut into pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Splitting {
    /// Whether pieces write constants.
    pub effects: bool,
    /// Whether pieces look at single slots.
    pub guards: bool,
    /// Most pieces of one way in which an event can go.
    pub most: usize,
}

impl Default for Splitting {
    fn default() -> Self {
        Self { effects: true, guards: true, most: 48 }
    }
}

/// The pieces of a way that goes where a condition holds.
pub(crate) fn pieces(
    circuit: &mut Circuit,
    when: Bit,
    effects: Vec<Becomes>,
    splitting: Splitting,
) -> Vec<Piece> {
    let known = circuit.all().to_vec();
    let Some(whole) = simplified(circuit, known, when, effects) else { return Vec::new() };
    let mut attempts = vec![splitting];
    if splitting.guards {
        attempts.push(Splitting { guards: false, ..splitting });
    }
    for attempt in attempts {
        let mut found = Vec::new();
        if split(circuit, whole.clone(), attempt, &mut found) {
            return found;
        }
    }
    vec![whole]
}

/// Splits a piece further; whether few enough came out.
fn split(circuit: &mut Circuit, piece: Piece, how: Splitting, found: &mut Vec<Piece>) -> bool {
    let open: Vec<Vec<Bit>> = if how.effects {
        let is_open = |effect: &&Becomes| effect.1.iter().any(|bit| *bit != TRUE && *bit != FALSE);
        piece.effects.iter().filter(is_open).map(|effect| effect.1.clone()).collect()
    } else {
        Vec::new()
    };
    let open = match open.is_empty() && how.guards {
        true => piece.rest.iter().map(|bit| vec![*bit]).collect(),
        false => open,
    };
    if open.is_empty() {
        found.push(piece);
        return found.len() <= how.most;
    }
    let Some(slot) = decisive(circuit, &open) else {
        found.push(piece);
        return found.len() <= how.most;
    };
    let mut classes: Vec<(Values, Piece)> = Vec::new();
    for value in values(piece.known[slot]) {
        let mut known = piece.known.clone();
        known[slot] = 1 << value;
        let when = circuit.and(piece.rest.iter().copied());
        let Some(part) = simplified(circuit, known, when, piece.effects.clone()) else { continue };
        let same = classes.iter_mut().find(|(_, other)| {
            let is_same =
                |position: usize| position == slot || other.known[position] == part.known[position];
            other.rest == part.rest
                && other.effects == part.effects
                && (0..part.known.len()).all(is_same)
        });
        match same {
            Some((all, _)) => *all |= 1 << value,
            None => classes.push((1 << value, part)),
        }
        if found.len() + classes.len() > how.most {
            return false;
        }
    }
    for (all, mut part) in classes {
        part.known[slot] = all;
        if !split(circuit, part, how, found) {
            return false;
        }
    }
    true
}

/// The slot that most of some conditions depend on; among equals one with many values, then the
/// first.
fn decisive(circuit: &Circuit, open: &[Vec<Bit>]) -> Option<usize> {
    let mut counts: std::collections::BTreeMap<usize, usize> = std::collections::BTreeMap::new();
    for bits in open {
        for slot in circuit.support(bits.iter().copied()) {
            *counts.entry(slot).or_default() += 1;
        }
    }
    let rank = |slot: usize, count: usize| {
        (count, circuit.all()[slot].count_ones(), std::cmp::Reverse(slot))
    };
    counts.into_iter().max_by_key(|(slot, count)| rank(*slot, *count)).map(|(slot, _)| slot)
}

/// A piece with everything that follows from what is known of its slots; `None` if it is never
/// possible.
fn simplified(
    circuit: &mut Circuit,
    mut known: Vec<Values>,
    mut when: Bit,
    effects: Vec<Becomes>,
) -> Option<Piece> {
    loop {
        when = circuit.under(when, &known, &mut FxHashMap::default());
        if when == FALSE {
            return None;
        }
        let mut is_done = true;
        for part in circuit.conjuncts(when) {
            if let Some((slot, values)) = circuit.as_test(part) {
                known[slot] &= values;
                is_done = false;
            }
        }
        if is_done {
            break;
        }
    }
    let rest = circuit.conjuncts(when);
    let mut memo = FxHashMap::default();
    let mut changed = Vec::new();
    for (slot, bits) in effects {
        let bits: Vec<Bit> =
            bits.into_iter().map(|bit| circuit.under(bit, &known, &mut memo)).collect();
        let stays = values(circuit.all()[slot]).all(|value| {
            let test = circuit.test(slot, 1 << value);
            circuit.under(test, &known, &mut memo) == bits[value as usize]
        });
        if Piece::results(&bits) == 0 {
            return None;
        }
        if !stays {
            changed.push((slot, bits));
        }
    }
    Some(Piece { known, rest, effects: changed, held: Vec::new() })
}
