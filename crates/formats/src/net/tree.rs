//! The tree of a `.net` text: what was written, with places, names not yet resolved.

use std::borrow::Cow;

use quadrille_diagnostic::Span;

/// A name or number as written, without quotes.
#[derive(Clone, Debug)]
pub(super) struct Name<'a> {
    pub text: Cow<'a, str>,
    pub span: Span,
    /// A quoted name is never a keyword.
    pub quoted: bool,
}

impl Name<'_> {
    /// Whether this is the word itself, not a quoted name that looks like it.
    pub(super) fn is(&self, word: &str) -> bool {
        !self.quoted && self.text == word
    }
}

#[derive(Debug)]
pub(super) struct Statement<'a> {
    pub span: Span,
    pub kind: StatementKind<'a>,
}

#[derive(Debug)]
pub(super) enum StatementKind<'a> {
    /// `participant A, B starts s: s t*`
    Participants { names: Vec<Name<'a>>, starts: Option<Name<'a>>, states: Vec<Starred<'a>> },
    /// `participants A:2 B:3`
    Positions(Vec<(Name<'a>, Name<'a>)>),
    /// `channel c* from A to B [4] of m n`
    Channel {
        name: Starred<'a>,
        ends: Option<(Name<'a>, Name<'a>)>,
        capacity: Name<'a>,
        messages: Vec<Name<'a>>,
    },
    /// `counter a, b [5] starts 2`
    Counters { names: Vec<Name<'a>>, most: Name<'a>, starts: Option<Name<'a>> },
    /// `label: A s -> t, c ! m`
    Template { label: Name<'a>, clauses: Vec<Clause<'a>> },
    /// `label: <s,_> -> <t,_>`
    Positional { label: Name<'a>, condition: Fields<'a>, result: Fields<'a> },
    /// `prop p = A in s`
    Proposition { name: Name<'a>, formula: Formula<'a> },
}

/// A name that may carry `*`.
#[derive(Debug)]
pub(super) struct Starred<'a> {
    pub name: Name<'a>,
    pub star: bool,
}

/// `s`, `!s`, `{s, t}` or `!{s, t}`.
#[derive(Debug)]
pub(super) struct States<'a> {
    pub negated: bool,
    pub names: Vec<Name<'a>>,
    pub span: Span,
}

/// One part of a template.
#[derive(Debug)]
pub(super) struct Clause<'a> {
    pub subject: Name<'a>,
    pub span: Span,
    pub kind: ClauseKind<'a>,
}

#[derive(Debug)]
pub(super) enum ClauseKind<'a> {
    /// `A s -> t`; also `c !m`, which looks like the condition "not in m" until names are resolved.
    Move { when: Option<States<'a>>, becomes: Option<States<'a>> },
    /// `c ?m`
    Receive(Name<'a>),
    /// `a >= 2`
    Test(Comparison, Name<'a>),
    /// `a - 2 + 1`
    Count { take: Option<Name<'a>>, put: Option<Name<'a>> },
}

/// `<s, _, !t>`: one field per participant, `None` for `_` or nothing.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    pub fields: Vec<Option<States<'a>>>,
    pub span: Span,
}

/// How two numbers are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    AtMost,
    Less,
    AtLeast,
    Greater,
    Equal,
    Unequal,
}

/// A part of a sum: a number, or a counter with a factor.
#[derive(Debug)]
pub(super) struct Term<'a> {
    pub minus: bool,
    pub factor: Option<Name<'a>>,
    pub counter: Option<Name<'a>>,
}

#[derive(Debug)]
pub(super) enum Formula<'a> {
    In(Name<'a>, States<'a>),
    Empty(Name<'a>),
    Full(Name<'a>),
    Contains(Name<'a>, Name<'a>),
    Head(Name<'a>, Name<'a>),
    Compare(Vec<Term<'a>>, Comparison, Vec<Term<'a>>),
    Constant(bool),
    Not(Box<Formula<'a>>),
    All(Vec<Formula<'a>>),
    Any(Vec<Formula<'a>>),
}
