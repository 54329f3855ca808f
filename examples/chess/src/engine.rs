//! Two ways to find a move: alpha-beta search (Knuth and Moore, 1975) to a fixed depth, with either of two
//! opinions about positions. The same game always gets the same move.

use crate::board::{Board, Kind, Move, Square};
use crate::game::{Game, Outcome};

/// What an engine thinks of positions, beside counting pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taste {
    /// Likes to have many moves and the other to have few.
    Mobility,
    /// Likes its pieces near the centre and its pawns far ahead.
    Centre,
}

/// Finds moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Engine {
    /// How many moves it looks ahead, of both players together; at least one.
    pub depth: u32,
    /// What it thinks of positions.
    pub taste: Taste,
}

/// Better than any position.
const MATE: i32 = 1_000_000;

impl Engine {
    /// The best move it finds; `None` if there is no legal one.
    pub fn choose(&self, game: &Game) -> Option<Move> {
        let mut best = None;
        let mut alpha = -MATE - 1;
        for step in ordered(game.board()) {
            let mut next = game.clone();
            if next.play(step).is_err() {
                continue;
            }
            let value = match next.outcome() {
                Some(Outcome::Checkmate { .. }) => return Some(step),
                Some(_) => 0,
                None => -self.search(next.board(), self.depth.saturating_sub(1), -MATE - 1, -alpha),
            };
            if value > alpha {
                alpha = value;
                best = Some(step);
            }
        }
        best
    }

    /// The value of a position for the side to move, if it lies between `alpha` and `beta`.
    fn search(&self, board: &Board, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        let moves = ordered(board);
        if moves.is_empty() {
            // A checkmate that is near is worth more than one that is far.
            return if board.in_check(board.turn()) { -MATE - depth.cast_signed() } else { 0 };
        }
        if depth == 0 {
            return self.opinion(board, moves.len());
        }
        for step in moves {
            alpha = alpha.max(-self.search(&board.after(step), depth - 1, -beta, -alpha));
            if alpha >= beta {
                break;
            }
        }
        alpha
    }

    /// What a position is worth for the side to move, which has so many moves; a pawn counts 100.
    fn opinion(&self, board: &Board, moves: usize) -> i32 {
        let pieces = board.pieces().map(|(square, piece)| {
            let own = if piece.colour == board.turn() { 1 } else { -1 };
            let place = match self.taste {
                Taste::Mobility => 0,
                Taste::Centre => place(square, piece.kind, piece.colour.forward()),
            };
            own * (worth(piece.kind) + place)
        });
        let mobility = match self.taste {
            Taste::Mobility => i32::try_from(moves).unwrap_or(i32::MAX / 2),
            Taste::Centre => 0,
        };
        pieces.sum::<i32>() + mobility
    }
}

/// Legal moves, captures of the most valuable first: then the search can leave out more.
fn ordered(board: &Board) -> Vec<Move> {
    let mut moves = board.legal_moves();
    moves.sort_by_key(|step| {
        -(board.piece(step.to).map_or(0, |piece| worth(piece.kind))
            + step.promotion.map_or(0, worth))
    });
    moves
}

/// What a piece counts (Shannon, 1950).
fn worth(kind: Kind) -> i32 {
    match kind {
        Kind::Pawn => 100,
        Kind::Knight | Kind::Bishop => 300,
        Kind::Rook => 500,
        Kind::Queen => 900,
        Kind::King => 0,
    }
}

/// What a piece counts in addition where it stands.
fn place(square: Square, kind: Kind, forward: i8) -> i32 {
    let from_edge = |line: i8| i32::from(line.min(7 - line));
    let advance = i32::from(if forward == 1 { square.rank() } else { 7 - square.rank() });
    let central = from_edge(square.file()) + from_edge(square.rank());
    match kind {
        Kind::Pawn => 4 * advance + 2 * from_edge(square.file()),
        Kind::Knight | Kind::Bishop => 5 * central,
        Kind::Rook | Kind::Queen => central,
        Kind::King => -4 * central,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What both tastes choose at a depth.
    fn check(position: &str, depth: u32, expected: &str) {
        let game = Game::from(position.parse::<Board>().expect("a position"));
        for taste in [Taste::Mobility, Taste::Centre] {
            let chosen = Engine { depth, taste }.choose(&game);
            assert_eq!(chosen.map(|step| step.to_string()).as_deref(), Some(expected), "{taste:?}");
        }
    }

    #[test]
    fn a_queen_that_hangs_is_taken() {
        check("4k3/8/8/3q4/4P3/8/8/4K3 w - -", 1, "e4d5");
    }

    #[test]
    fn checkmate_in_one_is_given() {
        check("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - -", 1, "a1a8");
    }

    #[test]
    fn checkmate_in_two_is_found() {
        check("7k/8/8/8/8/8/R7/1R4K1 w - -", 3, "b1b7");
    }

    #[test]
    fn who_cannot_move_chooses_nothing() {
        let game = Game::from("7k/5Q2/6K1/8/8/8/8/8 b - -".parse::<Board>().expect("a position"));
        assert_eq!(Engine { depth: 2, taste: Taste::Centre }.choose(&game), None);
    }
}
