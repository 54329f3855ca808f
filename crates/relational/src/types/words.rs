//! Words that a resolved design is told in, where the tree of the text has more of them or others.

use quadrille_diagnostic::Span;
use quadrille_grammar::tree::{self, Name};

pub use quadrille_grammar::tree::Fair;

/// Multiplicities.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mult {
    /// Exactly one.
    One,
    /// At most one.
    Lone,
    /// At least one.
    Some,
    /// Any number.
    Set,
    /// None, as a test.
    No,
}

impl From<tree::Mult> for Mult {
    fn from(mult: tree::Mult) -> Self {
        match mult {
            tree::Mult::Set => Mult::Set,
            tree::Mult::Lone => Mult::Lone,
            tree::Mult::One => Mult::One,
            tree::Mult::Some => Mult::Some,
        }
    }
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    /// `in`.
    In,
    /// `=`.
    Equal,
    /// `<`.
    Less,
    /// `>`.
    Greater,
    /// `=<`.
    LessEqual,
    /// `>=`.
    GreaterEqual,
}

/// What a command asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandKind {
    /// Is there a run with the formula?
    Run,
    /// Is there none without it?
    Check,
}

/// How many atoms there are. Two scopes are equal if they say the same, wherever they stand.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Of signatures that are not listed.
    pub overall: Option<i64>,
    /// Of signatures that are.
    pub items: Vec<ScopeItem>,
    /// Where it stands.
    pub span: Span,
}

impl PartialEq for Scope {
    fn eq(&self, other: &Self) -> bool {
        let said = |scope: &Scope| -> Vec<(i64, Option<i64>, String)> {
            scope.items.iter().map(|it| (it.low, it.high, it.sig.text.clone())).collect()
        };
        self.overall == other.overall && said(self) == said(other)
    }
}

/// How many atoms one signature has.
#[derive(Clone, PartialEq, Debug)]
pub struct ScopeItem {
    /// The fewest, or the number.
    pub low: i64,
    /// The most, where a range is written.
    pub high: Option<i64>,
    /// The signature.
    pub sig: Name,
}

impl Scope {
    /// A scope that is written somewhere.
    pub(super) fn of(scope: &tree::Scope, place: Option<Span>) -> Option<Self> {
        let item = |it: &tree::SigScope| ScopeItem {
            low: it.start,
            high: it.is_range.then_some(it.end),
            sig: it.sig.clone(),
        };
        let items = scope.sigs.iter().map(item).collect();
        place.map(|span| Scope { overall: scope.overall, items, span })
    }
}
