//! Positions: where pieces stand, who moves, what castling and capturing in passing are still allowed; and
//! how a move changes them.
//!
//! Which moves are legal is in `moves.rs`. A position does not know how it came about: repetition and the
//! fifty-move rule are in `game.rs`.

use std::fmt;
use std::ops::Not;
use std::str::FromStr;

/// A side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Colour {
    /// Moves first, up the board.
    White,
    /// Moves second, down the board.
    Black,
}

impl Colour {
    /// The direction its pawns walk in, in ranks.
    pub(crate) fn forward(self) -> i8 {
        match self {
            Colour::White => 1,
            Colour::Black => -1,
        }
    }

    /// The rank its pieces start on.
    fn home(self) -> i8 {
        match self {
            Colour::White => 0,
            Colour::Black => 7,
        }
    }
}

impl Not for Colour {
    type Output = Colour;

    fn not(self) -> Colour {
        match self {
            Colour::White => Colour::Black,
            Colour::Black => Colour::White,
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// What a piece can do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs)]
pub enum Kind {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl Kind {
    const LETTERS: [(Kind, char); 6] = [
        (Kind::Pawn, 'p'),
        (Kind::Knight, 'n'),
        (Kind::Bishop, 'b'),
        (Kind::Rook, 'r'),
        (Kind::Queen, 'q'),
        (Kind::King, 'k'),
    ];

    fn letter(self) -> char {
        Kind::LETTERS[self as usize].1
    }

    fn from_letter(letter: char) -> Option<Kind> {
        Kind::LETTERS.iter().find(|(_, its)| *its == letter).map(|(kind, _)| *kind)
    }
}

/// A piece on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    /// Whose it is.
    pub colour: Colour,
    /// What it can do.
    pub kind: Kind,
}

/// One of the 64 squares: a1, b1, …, h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Square(u8);

impl Square {
    /// All squares, from a1 to h8.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..64).map(Square)
    }

    /// The square on this file and rank, if they are on the board.
    pub fn at(file: i8, rank: i8) -> Option<Square> {
        let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
        on_board.then(|| Square((rank * 8 + file).unsigned_abs()))
    }

    /// The file, from 0 for a.
    pub fn file(self) -> i8 {
        (self.0 % 8).cast_signed()
    }

    /// The rank, from 0.
    pub fn rank(self) -> i8 {
        (self.0 / 8).cast_signed()
    }

    /// The square so many files and ranks away.
    pub(crate) fn step(self, (files, ranks): (i8, i8)) -> Option<Square> {
        Square::at(self.file() + files, self.rank() + ranks)
    }

    fn index(self) -> usize {
        self.0.into()
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.0 % 8), self.rank() + 1)
    }
}

/// A move: from where to where, and what a pawn becomes on the last rank. Castling is a move of the king.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Move {
    /// Where the piece stands.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
    /// What a pawn becomes.
    pub promotion: Option<Kind>,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        self.promotion.map_or(Ok(()), |kind| write!(f, "{}", kind.letter()))
    }
}

/// Which castlings king and rook have not yet spoilt by moving.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Castling {
    /// By colour: with the rook on the h-file.
    king_side: [bool; 2],
    /// By colour: with the rook on the a-file.
    queen_side: [bool; 2],
}

/// A position. Equal positions allow the same moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    squares: [Option<Piece>; 64],
    turn: Colour,
    castling: Castling,
    /// The square that a pawn has just jumped over, if an enemy pawn stands beside it.
    passed: Option<Square>,
}

impl Board {
    /// How every game starts.
    pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    /// Who moves.
    pub fn turn(&self) -> Colour {
        self.turn
    }

    /// What stands on a square.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.squares[square.index()]
    }

    /// Everything that stands on the board.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        Square::all().filter_map(|square| Some((square, self.piece(square)?)))
    }

    /// Where the king of a side stands. Positions without a king exist in puzzles.
    pub fn king(&self, colour: Colour) -> Option<Square> {
        let king = Piece { colour, kind: Kind::King };
        self.pieces().find(|(_, piece)| *piece == king).map(|(square, _)| square)
    }

    pub(crate) fn passed(&self) -> Option<Square> {
        self.passed
    }

    /// Whether neither king nor rook of the side to move has moved.
    pub(crate) fn may_castle(&self, king_side: bool) -> bool {
        let rights = if king_side { self.castling.king_side } else { self.castling.queen_side };
        rights[self.turn as usize]
    }

    /// The position after a move, which must be pseudo-legal here.
    #[must_use]
    pub fn after(&self, step: Move) -> Board {
        let mut next = *self;
        let Some(piece) = next.squares[step.from.index()].take() else { return next };
        let kind = step.promotion.unwrap_or(piece.kind);
        next.squares[step.to.index()] = Some(Piece { kind, ..piece });
        next.passed = None;
        match piece.kind {
            Kind::Pawn => next.pawn_moved(step, self.passed),
            Kind::King => next.king_moved(step),
            _ => {}
        }
        next.castling.spoil(step.from);
        next.castling.spoil(step.to);
        next.turn = !self.turn;
        next
    }

    /// What else changes: the pawn that was captured in passing is gone; a jump can be captured in passing.
    fn pawn_moved(&mut self, step: Move, passed: Option<Square>) {
        if passed == Some(step.to)
            && let Some(victim) = Square::at(step.to.file(), step.from.rank())
        {
            self.squares[victim.index()] = None;
        }
        if (step.to.rank() - step.from.rank()).abs() == 2 {
            let enemy = Some(Piece { colour: !self.turn, kind: Kind::Pawn });
            let beside = |files| step.to.step((files, 0)).is_some_and(|at| self.piece(at) == enemy);
            if beside(-1) || beside(1) {
                self.passed = step.from.step((0, self.turn.forward()));
            }
        }
    }

    /// What else changes: in castling the rook jumps over the king.
    fn king_moved(&mut self, step: Move) {
        let rank = step.from.rank();
        let (corner, target) = match step.to.file() - step.from.file() {
            2 => (7, 5),
            -2 => (0, 3),
            _ => return,
        };
        if let (Some(corner), Some(target)) = (Square::at(corner, rank), Square::at(target, rank)) {
            self.squares[target.index()] = self.squares[corner.index()].take();
        }
    }
}

impl Castling {
    /// A king or rook that leaves its first square, or is captured there, never castles.
    fn spoil(&mut self, square: Square) {
        for colour in [Colour::White, Colour::Black] {
            if square.rank() == colour.home() {
                self.king_side[colour as usize] &= !matches!(square.file(), 4 | 7);
                self.queen_side[colour as usize] &= !matches!(square.file(), 0 | 4);
            }
        }
    }
}

impl Default for Board {
    fn default() -> Board {
        Board::START.parse().expect("the start is a position")
    }
}

/// A text that is not a position in Forsyth-Edwards notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoPosition;

impl fmt::Display for NoPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a position; the start is `{}`", Board::START)
    }
}

impl std::error::Error for NoPosition {}

/// Reads the first four fields of Forsyth-Edwards notation. The counters that may follow belong to a game.
impl FromStr for Board {
    type Err = NoPosition;

    fn from_str(text: &str) -> Result<Board, NoPosition> {
        let mut fields = text.split_whitespace();
        let mut field = || fields.next().ok_or(NoPosition);
        let squares = placement(field()?)?;
        let turn = match field()? {
            "w" => Colour::White,
            "b" => Colour::Black,
            _ => return Err(NoPosition),
        };
        let rights = field()?;
        let castling = Castling {
            king_side: [rights.contains('K'), rights.contains('k')],
            queen_side: [rights.contains('Q'), rights.contains('q')],
        };
        let passed = match field()? {
            "-" => None,
            name => Some(Square::all().find(|at| at.to_string() == name).ok_or(NoPosition)?),
        };
        Ok(Board { squares, turn, castling, passed })
    }
}

/// Reads where pieces stand, from the eighth rank down.
fn placement(text: &str) -> Result<[Option<Piece>; 64], NoPosition> {
    let mut squares = [None; 64];
    let mut rank = 7;
    for row in text.split('/') {
        let mut file = 0;
        for letter in row.chars() {
            if let Some(empty @ 1..=8) = letter.to_digit(10) {
                file += empty as i8;
                continue;
            }
            let kind = Kind::from_letter(letter.to_ascii_lowercase()).ok_or(NoPosition)?;
            let colour = if letter.is_uppercase() { Colour::White } else { Colour::Black };
            let square = Square::at(file, rank).ok_or(NoPosition)?;
            squares[square.index()] = Some(Piece { colour, kind });
            file += 1;
        }
        if file != 8 {
            return Err(NoPosition);
        }
        rank -= 1;
    }
    if rank == -1 { Ok(squares) } else { Err(NoPosition) }
}

/// The board as White sees it.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            write!(f, "{} ", rank + 1)?;
            for piece in (0..8).filter_map(|file| Square::at(file, rank)).map(|at| self.piece(at)) {
                let letter = match piece {
                    None => '.',
                    Some(Piece { colour: Colour::White, kind }) => {
                        kind.letter().to_ascii_uppercase()
                    }
                    Some(Piece { colour: Colour::Black, kind }) => kind.letter(),
                };
                write!(f, " {letter}")?;
            }
            writeln!(f)?;
        }
        f.write_str("   a b c d e f g h")
    }
}
