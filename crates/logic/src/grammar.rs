//! What the dialects have in common and where they differ: operators, their spellings, how tightly
//! they bind. The parser and the printer both read this; neither has a table of its own.

use crate::formula::{Binary, Path, Unary};
use crate::lexer::{Cursor, Symbol, TokenKind};

/// Which language a formula is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    /// Words and symbols, past and branching time.
    Own,
    /// The dialect of `.owl` files: symbols only, linear future only.
    Owl,
}

/// An operator before its operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prefix {
    Not,
    Temporal(Path, Unary),
}

/// An operator between its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Infix {
    And,
    Or,
    Implies,
    Iff,
    Temporal(Path, Binary),
}

impl Infix {
    /// How tightly it binds: higher is tighter. All but `and` and `or`, which are flat, associate
    /// to the right.
    pub(crate) fn level(self, dialect: Dialect) -> u32 {
        match (dialect, self) {
            (Dialect::Own, Infix::Iff) | (Dialect::Owl, Infix::Or) => 1,
            (Dialect::Own, Infix::Implies) | (Dialect::Owl, Infix::And) => 2,
            (Dialect::Own, Infix::Or) | (Dialect::Owl, _) => 3,
            (Dialect::Own, Infix::And) => 4,
            (Dialect::Own, Infix::Temporal(..)) => 5,
        }
    }
}

/// The level of operators before their operand, tighter than every infix.
pub(crate) const PREFIX_LEVEL: u32 = 6;

use Path::{All, Some as Any, This};

/// Words that stand before an operand. The first spelling of an operator is the one printed.
pub(crate) const PREFIXES: &[(&str, Prefix)] = &[
    ("X", Prefix::Temporal(This, Unary::Next)),
    ("F", Prefix::Temporal(This, Unary::Eventually)),
    ("G", Prefix::Temporal(This, Unary::Always)),
    ("Y", Prefix::Temporal(This, Unary::Previous)),
    ("O", Prefix::Temporal(This, Unary::Once)),
    ("H", Prefix::Temporal(This, Unary::Historically)),
    ("AX", Prefix::Temporal(All, Unary::Next)),
    ("AF", Prefix::Temporal(All, Unary::Eventually)),
    ("AG", Prefix::Temporal(All, Unary::Always)),
    ("AY", Prefix::Temporal(All, Unary::Previous)),
    ("AP", Prefix::Temporal(All, Unary::Once)),
    ("AH", Prefix::Temporal(All, Unary::Historically)),
    ("EX", Prefix::Temporal(Any, Unary::Next)),
    ("EF", Prefix::Temporal(Any, Unary::Eventually)),
    ("EG", Prefix::Temporal(Any, Unary::Always)),
    ("EY", Prefix::Temporal(Any, Unary::Previous)),
    ("EP", Prefix::Temporal(Any, Unary::Once)),
    ("EH", Prefix::Temporal(Any, Unary::Historically)),
    ("not", Prefix::Not),
    ("next", Prefix::Temporal(This, Unary::Next)),
    ("eventually", Prefix::Temporal(This, Unary::Eventually)),
    ("always", Prefix::Temporal(This, Unary::Always)),
    ("previously", Prefix::Temporal(This, Unary::Previous)),
    ("once", Prefix::Temporal(This, Unary::Once)),
    ("historically", Prefix::Temporal(This, Unary::Historically)),
];

/// Words that stand between operands; two for some of the operators.
pub(crate) const INFIXES: &[(&[&str], Infix)] = &[
    (&["U"], Infix::Temporal(This, Binary::Until)),
    (&["W"], Infix::Temporal(This, Binary::WeakUntil)),
    (&["R"], Infix::Temporal(This, Binary::Release)),
    (&["M"], Infix::Temporal(This, Binary::StrongRelease)),
    (&["S"], Infix::Temporal(This, Binary::Since)),
    (&["AU"], Infix::Temporal(All, Binary::Until)),
    (&["AS"], Infix::Temporal(All, Binary::Since)),
    (&["EU"], Infix::Temporal(Any, Binary::Until)),
    (&["ES"], Infix::Temporal(Any, Binary::Since)),
    (&["and"], Infix::And),
    (&["or"], Infix::Or),
    (&["implies"], Infix::Implies),
    (&["iff"], Infix::Iff),
    (&["until"], Infix::Temporal(This, Binary::Until)),
    (&["weak", "until"], Infix::Temporal(This, Binary::WeakUntil)),
    (&["release"], Infix::Temporal(This, Binary::Release)),
    (&["strong", "release"], Infix::Temporal(This, Binary::StrongRelease)),
    (&["since"], Infix::Temporal(This, Binary::Since)),
];

/// Words that the Owl dialect reserves.
const OWL_WORDS: &[&str] = &["X", "F", "G", "U", "W", "R", "M"];

/// Whether a word means something to our own dialect where an operand or operator is expected.
/// `weak` and `strong` do only before `until` and `release`.
pub(crate) fn is_reserved(word: &str) -> bool {
    PREFIXES.iter().any(|(spelling, _)| *spelling == word)
        || INFIXES.iter().any(|(spelling, _)| *spelling == [word])
        || matches!(word, "true" | "false" | "A" | "E")
}

/// The prefix operator the cursor stands before.
pub(crate) fn prefix(cursor: &Cursor<'_>, dialect: Dialect) -> Option<Prefix> {
    match cursor.peek().kind {
        TokenKind::Symbol(Symbol::Not) => Some(Prefix::Not),
        TokenKind::Symbol(Symbol::Diamond) if dialect == Dialect::Own => {
            Some(Prefix::Temporal(This, Unary::Eventually))
        }
        TokenKind::Symbol(Symbol::Box) if dialect == Dialect::Own => {
            Some(Prefix::Temporal(This, Unary::Always))
        }
        TokenKind::Word => {
            let word = cursor.word()?;
            if dialect == Dialect::Owl && !OWL_WORDS.contains(&word) {
                return None;
            }
            PREFIXES.iter().find(|(spelling, _)| *spelling == word).map(|(_, prefix)| *prefix)
        }
        _ => None,
    }
}

/// The infix operator the cursor stands before, and how many tokens it has.
pub(crate) fn infix(cursor: &Cursor<'_>, dialect: Dialect) -> Option<(Infix, usize)> {
    match cursor.peek().kind {
        TokenKind::Symbol(Symbol::And) => Some((Infix::And, 1)),
        TokenKind::Symbol(Symbol::Or) => Some((Infix::Or, 1)),
        TokenKind::Symbol(Symbol::Implies) => Some((Infix::Implies, 1)),
        TokenKind::Symbol(Symbol::Iff) => Some((Infix::Iff, 1)),
        TokenKind::Word => {
            let word = cursor.word()?;
            if dialect == Dialect::Owl && !OWL_WORDS.contains(&word) {
                return None;
            }
            let fits = |words: &[&str]| {
                words.iter().enumerate().all(|(at, word)| cursor.nth_word(at) == Some(word))
            };
            let found = INFIXES.iter().find(|(words, _)| fits(words));
            found.map(|(words, infix)| (*infix, words.len()))
        }
        _ => None,
    }
}
