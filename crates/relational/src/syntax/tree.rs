//! The tree of a relational text, as it is written: paragraphs, declarations, and one kind of
//! expression for formulas, sets and numbers. Large enough for Alloy 6; nothing is resolved here.

use quadrille_diagnostic::Span;

/// A name with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name as it is written, `$` and `/` included.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A whole text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module {
    /// Its paragraphs, in order.
    pub paragraphs: Vec<Paragraph>,
}

/// What stands at the outermost level.
#[derive(Clone, PartialEq, Debug)]
pub enum Paragraph {
    /// `module name`.
    Module(Name),
    /// `open path[arguments] as alias`.
    Open {
        /// The module that is opened.
        path: Name,
        /// What its parameters stand for.
        arguments: Vec<Name>,
        /// The name it has here.
        alias: Option<Name>,
    },
    /// `enum Name { literals }`.
    Enum {
        /// The signature.
        name: Name,
        /// Its atoms.
        literals: Vec<Name>,
    },
    /// One or several signatures with the same text.
    Sig(Sig),
    /// `fact name { F }`: what is assumed, or with `check` before it, checked.
    Fact {
        /// Its name.
        name: Option<Name>,
        /// The formula.
        body: Expr,
        /// Whether it is checked, not assumed.
        is_checked: bool,
    },
    /// `overflow wraps`: results are counted round within the range of numbers.
    Wraps,
    /// `pred name[parameters] { F }`.
    Pred(Callable),
    /// `fun name[parameters] : bound { e }`.
    Fun(Callable),
    /// `assert name { F }`, or `invariant name { F }`, which is checked in every state.
    Assert {
        /// Its name.
        name: Name,
        /// The formula.
        body: Expr,
        /// Whether it is one to be checked in every state, without a command.
        is_invariant: bool,
    },
    /// `event name[parameters] { guards, effects }`.
    Event(Event),
    /// `init { F } for scope`.
    Init {
        /// The formula of initial states.
        body: Expr,
        /// How many atoms there are, for commands that do not say.
        scope: Option<Scope>,
        /// Where the word stands.
        span: Span,
    },
    /// `end { F }`: where the system may stop.
    End {
        /// The formula.
        body: Expr,
    },
    /// `run` or `check`.
    Command(Command),
}

/// A signature.
#[derive(Clone, PartialEq, Debug)]
pub struct Sig {
    /// The signatures declared together.
    pub names: Vec<Name>,
    /// Whether the set changes.
    pub is_var: bool,
    /// Whether all its atoms belong to extensions.
    pub is_abstract: bool,
    /// How many atoms it has.
    pub mult: Option<Mult>,
    /// What it is part of.
    pub parent: Option<Parent>,
    /// Its fields.
    pub fields: Vec<Decl>,
    /// What holds of each of its atoms.
    pub fact: Option<Expr>,
}

/// What a signature is part of.
#[derive(Clone, PartialEq, Debug)]
pub enum Parent {
    /// Disjoint from the other extensions.
    Extends(Name),
    /// A subset of the union of these.
    In(Vec<Name>),
}

/// A predicate or a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Callable {
    /// Its name.
    pub name: Name,
    /// The signature whose atoms it is called on, `pred S.p`.
    pub receiver: Option<Name>,
    /// Its parameters.
    pub parameters: Vec<Decl>,
    /// Of a function: what its result is in.
    pub result: Option<Expr>,
    /// What it stands for.
    pub body: Expr,
}

/// An event.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Decl>,
    /// Guards and effects.
    pub body: Expr,
    /// Which runs are left out.
    pub fairness: Option<Fair>,
}

/// How an event is fair: runs that break it do not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fair {
    /// Enabled for ever from some moment on, it happens again and again.
    Weak,
    /// Enabled again and again, it happens again and again.
    Strong,
}

/// A command.
#[derive(Clone, PartialEq, Debug)]
pub struct Command {
    /// Whether something is checked or looked for.
    pub kind: CommandKind,
    /// Its name, or that of the assertion or predicate it is about; `check no deadlock` has neither
    /// a name nor a formula.
    pub name: Option<Name>,
    /// The formula, where it has one of its own.
    pub body: Option<Expr>,
    /// How many atoms there are.
    pub scope: Option<Scope>,
    /// What must come out: `expect 0` or `expect 1`.
    pub expect: Option<bool>,
    /// All of it.
    pub span: Span,
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

/// Variables or fields with what they are in.
#[derive(Clone, PartialEq, Debug)]
pub struct Decl {
    /// Whether a field changes.
    pub is_var: bool,
    /// Whether the variables are different.
    pub disj: bool,
    /// The variables.
    pub names: Vec<Name>,
    /// What they are in, with its multiplicity.
    pub bound: Expr,
}

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

/// An expression with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// Expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A name: a variable, signature, field, literal, atom, predicate, function, event.
    Name(String),
    /// A number.
    Int(i64),
    /// `e` under an operator.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `a m -> n b`.
    Arrow(Mult, Mult, Box<Expr>, Box<Expr>),
    /// `e[a, b]`: a call, or a join.
    Call(Box<Expr>, Vec<Expr>),
    /// `c implies a else b`; without `else`, a formula.
    Implies(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// `all x : S | F`.
    Quantified(Quantifier, Vec<Decl>, Box<Expr>),
    /// `let x = e | F`.
    Let(Vec<(Name, Expr)>, Box<Expr>),
    /// `{ F G }`.
    Block(Vec<Expr>),
}

/// Quantifiers and what is written like them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// Every one.
    All,
    /// As many as the multiplicity says.
    Mult(Mult),
    /// The sum of numbers.
    Sum,
    /// The set of those with the property.
    Comprehension,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `not F`.
    Not,
    /// `no e`, `some e` …; in front of a bound, its multiplicity.
    Mult(Mult),
    /// `seq e`.
    Seq,
    /// `#e`.
    Card,
    /// `~e`.
    Transpose,
    /// `^e`.
    Closure,
    /// `*e`.
    Reflexive,
    /// `e'`.
    Prime,
    /// `always F`.
    Always,
    /// `eventually F`.
    Eventually,
    /// `after F`.
    After,
    /// `before F`.
    Before,
    /// `historically F`.
    Historically,
    /// `once F`.
    Once,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `F or G`.
    Or,
    /// `F and G`.
    And,
    /// `F iff G`.
    Iff,
    /// `F until G`.
    Until,
    /// `F releases G`.
    Releases,
    /// `F since G`.
    Since,
    /// `F triggered G`.
    Triggered,
    /// `F ; G`.
    Sequence,
    /// `a.b`.
    Join,
    /// `a + b`.
    Union,
    /// `a - b`.
    Difference,
    /// `a & b`.
    Intersection,
    /// `a ++ b`.
    Override,
    /// `s <: r`.
    Domain,
    /// `r :> s`.
    Range,
    /// A comparison, and whether it is denied.
    Compare(Comparison, bool),
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
