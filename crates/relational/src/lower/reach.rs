//! Which values each slot can have at all, as far as that follows from single slots: what initial
//! states have, and what pieces write that are possible with such values. What is left out is never
//! reached, so its slots, values and pieces can be dropped.

use quadrille_model::Value;

use super::circuit::Values;
use super::split::Piece;

/// Per slot, a set of values that has all it ever has.
pub(crate) fn reach(n_slots: usize, initial: &[Vec<Value>], pieces: &[&Piece]) -> Vec<Values> {
    let mut reached: Vec<Values> = vec![0; n_slots];
    for state in initial {
        for (slot, value) in state.iter().enumerate() {
            reached[slot] |= 1 << value;
        }
    }
    let mut waiting: Vec<&Piece> = pieces.to_vec();
    loop {
        let (ready, rest): (Vec<&Piece>, Vec<&Piece>) =
            waiting.into_iter().partition(|piece| is_possible(piece, &reached));
        if ready.is_empty() {
            return reached;
        }
        for piece in ready {
            for (slot, bits) in &piece.effects {
                reached[*slot] |= Piece::results(bits);
            }
        }
        waiting = rest;
    }
}

/// Whether a piece is possible as far as single slots tell.
pub(crate) fn is_possible(piece: &Piece, reached: &[Values]) -> bool {
    piece.known.iter().zip(reached).all(|(known, reached)| known & reached != 0)
}
