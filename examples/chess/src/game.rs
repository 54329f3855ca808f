//! A game: a position with its past, and when it is over.

use std::fmt;

use crate::board::{Board, Colour, Kind, Move};

/// After so many moves of both players together a game is drawn, so that every program ends.
const LONGEST: usize = 240;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Outcome {
    /// The side that cannot move is in check.
    Checkmate {
        /// Who gave it.
        winner: Colour,
    },
    /// The side that cannot move is not in check.
    #[default]
    Stalemate,
    /// Neither side has enough to give checkmate with.
    BareKings,
    /// The same position for the third time.
    Repetition,
    /// Fifty moves of each without a capture or a pawn move.
    FiftyMoves,
    /// The game was too long for this program.
    TooLong,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Checkmate { winner } => write!(f, "{winner} wins by checkmate"),
            Outcome::Stalemate => f.write_str("drawn by stalemate"),
            Outcome::BareKings => f.write_str("drawn: nobody can win"),
            Outcome::Repetition => f.write_str("drawn by repetition"),
            Outcome::FiftyMoves => f.write_str("drawn by the fifty-move rule"),
            Outcome::TooLong => write!(f, "drawn after {LONGEST} moves"),
        }
    }
}

/// A game under way.
#[derive(Clone, Debug)]
pub struct Game {
    board: Board,
    moves: Vec<Move>,
    /// Positions since the last capture or pawn move: only these can come again.
    past: Vec<Board>,
}

impl Default for Game {
    fn default() -> Game {
        Game::from(Board::default())
    }
}

impl From<Board> for Game {
    fn from(board: Board) -> Game {
        Game { board, moves: Vec::new(), past: Vec::new() }
    }
}

impl Game {
    /// The position now.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// All moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Makes a move if it is legal.
    ///
    /// # Errors
    /// When it is not; then nothing changes.
    pub fn play(&mut self, step: Move) -> Result<(), Illegal> {
        if self.outcome().is_some() || !self.board.legal_moves().contains(&step) {
            return Err(Illegal { step, turn: self.board.turn() });
        }
        let captures = self.board.piece(step.to).is_some();
        let is_pawn = self.board.piece(step.from).is_some_and(|piece| piece.kind == Kind::Pawn);
        if captures || is_pawn {
            self.past.clear();
        } else {
            self.past.push(self.board);
        }
        self.board = self.board.after(step);
        self.moves.push(step);
        Ok(())
    }

    /// How the game ended, if it did.
    pub fn outcome(&self) -> Option<Outcome> {
        let board = &self.board;
        let drawn = |condition: bool, outcome| condition.then_some(outcome);
        if board.legal_moves().is_empty() {
            return Some(if board.in_check(board.turn()) {
                Outcome::Checkmate { winner: !board.turn() }
            } else {
                Outcome::Stalemate
            });
        }
        let seen = self.past.iter().filter(|past| *past == board).count();
        drawn(is_bare(board), Outcome::BareKings)
            .or_else(|| drawn(seen >= 2, Outcome::Repetition))
            .or_else(|| drawn(self.past.len() >= 100, Outcome::FiftyMoves))
            .or_else(|| drawn(self.moves.len() >= LONGEST, Outcome::TooLong))
    }
}

/// Whether there is, beside the kings, at most one knight or bishop.
fn is_bare(board: &Board) -> bool {
    let mut others = board.pieces().map(|(_, piece)| piece.kind).filter(|kind| *kind != Kind::King);
    matches!((others.next(), others.next()), (None | Some(Kind::Knight | Kind::Bishop), None))
}

/// A move that the rules do not allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Illegal {
    step: Move,
    turn: Colour,
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a legal move of {}", self.step, self.turn)
    }
}

impl std::error::Error for Illegal {}

#[cfg(test)]
mod tests {
    use super::*;

    /// How a game ends that starts in a position and goes on with these moves; the last word is `None` if it goes on.
    fn check(position: &str, moves: &str, expected: Option<Outcome>) {
        let mut game = Game::from(position.parse::<Board>().expect("a position"));
        for name in moves.split_whitespace() {
            let legal = game.board().legal_moves();
            let step = legal.into_iter().find(|step| step.to_string() == name);
            game.play(step.expect("a legal move")).expect("a game under way");
        }
        assert_eq!(game.outcome(), expected, "{position} {moves}");
    }

    #[test]
    fn the_shortest_game() {
        let black_wins = Some(Outcome::Checkmate { winner: Colour::Black });
        check(Board::START, "f2f3 e7e5 g2g4 d8h4", black_wins);
        check(Board::START, "f2f3 e7e5 g2g4", None);
    }

    #[test]
    fn who_cannot_move_and_is_not_in_check_draws() {
        check("7k/5Q2/6K1/8/8/8/8/8 b - -", "", Some(Outcome::Stalemate));
    }

    #[test]
    fn the_third_time_is_a_draw() {
        let there_and_back = "g1f3 g8f6 f3g1 f6g8 ";
        check(Board::START, there_and_back, None);
        check(Board::START, &there_and_back.repeat(2), Some(Outcome::Repetition));
    }

    #[test]
    fn a_knight_alone_does_not_win() {
        check("8/8/4k3/8/8/2KN4/8/8 w - -", "", Some(Outcome::BareKings));
        check("8/8/4k3/8/8/2KR4/8/8 w - -", "", None);
    }

    #[test]
    fn fifty_moves_without_progress_are_a_draw() {
        // The rook walks along every rank, so that no position comes a third time.
        let mut game = Game::from("7k/8/8/8/8/8/R7/K7 w - -".parse::<Board>().expect("a position"));
        while game.outcome().is_none() {
            let quiet = game.board().legal_moves().into_iter().find(|step| {
                let mut next = game.clone();
                next.play(*step).is_ok()
                    && matches!(next.outcome(), None | Some(Outcome::FiftyMoves))
            });
            game.play(quiet.expect("a move that does not end the game")).expect("a legal move");
        }
        assert_eq!((game.outcome(), game.moves().len()), (Some(Outcome::FiftyMoves), 100));
    }

    #[test]
    fn a_move_that_is_not_legal_changes_nothing() {
        let mut game = Game::default();
        let nowhere = Move::default();
        assert_eq!(
            game.play(nowhere).map_err(|illegal| illegal.to_string()),
            Err("a1a1 is not a legal move of White".into())
        );
        assert_eq!(game.board(), &Board::default());
    }
}
