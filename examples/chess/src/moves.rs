//! Which moves are legal in a position.
//!
//! Moves are made in two steps: how pieces walk, whatever becomes of their king; then those that leave the king
//! in check are left out. The counts that `tests` compares with are well known (chessprogramming.org, *Perft results*).

use crate::board::{Board, Colour, Kind, Move, Piece, Square};

/// A direction, in files and ranks.
type Direction = (i8, i8);

const STRAIGHT: [Direction; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [Direction; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const AROUND: [Direction; 8] =
    [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
const JUMPS: [Direction; 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const PROMOTIONS: [Kind; 4] = [Kind::Queen, Kind::Rook, Kind::Bishop, Kind::Knight];

impl Board {
    /// All legal moves, in an order that depends on the position only.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = self.walks();
        moves.retain(|step| !self.after(*step).in_check(self.turn()));
        moves
    }

    /// Whether the king of a side is attacked.
    pub fn in_check(&self, colour: Colour) -> bool {
        self.king(colour).is_some_and(|king| self.is_attacked(king, !colour))
    }

    /// Whether a side could capture on a square.
    fn is_attacked(&self, square: Square, by: Colour) -> bool {
        let holds = |at: Option<Square>, kinds: &[Kind]| {
            at.and_then(|at| self.piece(at))
                .is_some_and(|piece| piece.colour == by && kinds.contains(&piece.kind))
        };
        let sees = |directions: [Direction; 4], kind| {
            directions
                .iter()
                .any(|direction| holds(self.ray(square, *direction).last(), &[kind, Kind::Queen]))
        };
        JUMPS.iter().any(|jump| holds(square.step(*jump), &[Kind::Knight]))
            || AROUND.iter().any(|step| holds(square.step(*step), &[Kind::King]))
            || [-1, 1].iter().any(|side| holds(square.step((*side, -by.forward())), &[Kind::Pawn]))
            || sees(STRAIGHT, Kind::Rook)
            || sees(DIAGONAL, Kind::Bishop)
    }

    /// The squares in a direction, up to and with the first that is occupied.
    fn ray(&self, from: Square, direction: Direction) -> impl Iterator<Item = Square> {
        let mut next = from.step(direction);
        std::iter::from_fn(move || {
            let square = next?;
            next = if self.piece(square).is_none() { square.step(direction) } else { None };
            Some(square)
        })
    }

    /// How the pieces of the side to move walk, whatever becomes of their king.
    fn walks(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(48);
        for (from, piece) in self.pieces().filter(|(_, piece)| piece.colour == self.turn()) {
            match piece.kind {
                Kind::Pawn => self.pawn(from, &mut moves),
                Kind::Knight => self.steps(from, &JUMPS, &mut moves),
                Kind::Bishop => self.slides(from, &DIAGONAL, &mut moves),
                Kind::Rook => self.slides(from, &STRAIGHT, &mut moves),
                Kind::Queen => self.slides(from, &AROUND, &mut moves),
                Kind::King => {
                    self.steps(from, &AROUND, &mut moves);
                    self.castle(from, &mut moves);
                }
            }
        }
        moves
    }

    fn steps(&self, from: Square, directions: &[Direction], moves: &mut Vec<Move>) {
        let targets = directions.iter().filter_map(|direction| from.step(*direction));
        moves.extend(targets.filter(|to| !self.is_own(*to)).map(|to| plain(from, to)));
    }

    fn slides(&self, from: Square, directions: &[Direction], moves: &mut Vec<Move>) {
        for direction in directions {
            let targets = self.ray(from, *direction).filter(|to| !self.is_own(*to));
            moves.extend(targets.map(|to| plain(from, to)));
        }
    }

    fn is_own(&self, square: Square) -> bool {
        self.piece(square).is_some_and(|piece| piece.colour == self.turn())
    }

    fn pawn(&self, from: Square, moves: &mut Vec<Move>) {
        let forward = self.turn().forward();
        let first = if forward == 1 { 1 } else { 6 };
        let reach = if from.rank() == first { 2 } else { 1 };
        let ahead = self.ray(from, (0, forward)).take(reach).filter(|to| self.piece(*to).is_none());
        let captures = [-1, 1].into_iter().filter_map(|side| from.step((side, forward)));
        let captures = captures.filter(|to| {
            self.passed() == Some(*to)
                || self.piece(*to).is_some_and(|piece| piece.colour != self.turn())
        });
        for to in ahead.chain(captures) {
            if matches!(to.rank(), 0 | 7) {
                moves.extend(PROMOTIONS.map(|kind| Move { from, to, promotion: Some(kind) }));
            } else {
                moves.push(plain(from, to));
            }
        }
    }

    /// The king may not castle out of check or across an attacked square; that it does not castle into
    /// check is looked at with all other moves.
    fn castle(&self, from: Square, moves: &mut Vec<Move>) {
        let rook = Some(Piece { colour: self.turn(), kind: Kind::Rook });
        for (king_side, direction) in [(true, 1), (false, -1)] {
            if !self.may_castle(king_side) {
                continue;
            }
            let corner = self.ray(from, (direction, 0)).last();
            let is_free = corner
                .is_some_and(|corner| self.piece(corner) == rook && matches!(corner.file(), 0 | 7));
            let passes = from.step((direction, 0));
            let is_safe = |square| !self.is_attacked(square, !self.turn());
            if is_free
                && is_safe(from)
                && passes.is_some_and(is_safe)
                && let Some(to) = from.step((2 * direction, 0))
            {
                moves.push(plain(from, to));
            }
        }
    }
}

fn plain(from: Square, to: Square) -> Move {
    Move { from, to, promotion: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many games of so many moves there are.
    fn perft(board: &Board, depth: usize) -> u64 {
        let moves = board.legal_moves();
        if depth == 1 {
            return moves.len() as u64;
        }
        moves.iter().map(|step| perft(&board.after(*step), depth - 1)).sum()
    }

    fn check(position: &str, counts: &[u64]) {
        let board: Board = position.parse().expect("a position");
        let found: Vec<u64> = (1..=counts.len()).map(|depth| perft(&board, depth)).collect();
        assert_eq!(found, counts, "{position}");
    }

    #[test]
    fn start() {
        check(Board::START, &[20, 400, 8_902, 197_281]);
    }

    #[test]
    fn castling_and_pins() {
        check(
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
            &[48, 2_039, 97_862],
        );
    }

    #[test]
    fn capturing_in_passing_with_a_pinned_pawn() {
        check("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", &[14, 191, 2_812, 43_238]);
    }

    #[test]
    fn promotion_with_check() {
        check("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -", &[6, 264, 9_467]);
        check("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -", &[44, 1_486, 62_379]);
    }

    #[test]
    fn what_is_not_a_position_is_refused() {
        for text in [
            "",
            "8/8 w - -",
            "9/8/8/8/8/8/8/8 w - -",
            "8/8/8/8/8/8/8/7x w - -",
            "8/8/8/8/8/8/8/8 w - z9",
        ] {
            assert!(text.parse::<Board>().is_err(), "{text}");
        }
    }
}
