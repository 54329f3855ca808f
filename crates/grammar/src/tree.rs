//! The tree of a text as it is written.

use quadrille_diagnostic::Span;

/// A name with its place; paths keep their `/`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// As it is written.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A whole text.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// `module name[parameters]`.
    pub header: Option<Header>,
    /// What it opens, also implicitly (`enum`, `seq`).
    pub opens: Vec<Open>,
    /// Signatures, literals of enumerations included.
    pub sigs: Vec<Sig>,
    /// Facts.
    pub facts: Vec<(Option<String>, Expr)>,
    /// Predicates and functions.
    pub functions: Vec<Function>,
    /// Assertions.
    pub asserts: Vec<(Name, Expr)>,
    /// Macros.
    pub macros: Vec<Macro>,
    /// Commands.
    pub commands: Vec<Command>,
    /// What only designs have.
    pub behaviour: Behaviour,
}

/// What a design has beside that.
#[derive(Clone, Debug, Default)]
pub struct Behaviour {
    /// Events.
    pub events: Vec<Event>,
    /// `init { F } for scope`.
    pub inits: Vec<Init>,
    /// `end { F }`: where the system may stop.
    pub ends: Vec<Expr>,
    /// `invariant name { F }`: checked in every state.
    pub invariants: Vec<(Name, Expr)>,
    /// `check fact name { F }`.
    pub checked: Vec<(Option<Name>, Expr)>,
    /// `check no deadlock`.
    pub deadlocks: Vec<Deadlock>,
    /// `overflow wraps`: results are counted round within the range of numbers.
    pub wraps: bool,
}

/// `event name[parameters] { guards, effects }`.
#[derive(Clone, Debug)]
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

/// `init { F } for scope`.
#[derive(Clone, Debug)]
pub struct Init {
    /// The formula of initial states.
    pub body: Expr,
    /// How many atoms there are, for commands that do not say.
    pub scope: Scope,
    /// Where that is written.
    pub scope_span: Option<Span>,
    /// Where the word stands.
    pub span: Span,
}

/// `check no deadlock`.
#[derive(Clone, Debug)]
pub struct Deadlock {
    /// Its scope.
    pub scope: Scope,
    /// Where that is written.
    pub scope_span: Option<Span>,
    /// `expect`.
    pub expect: Option<i64>,
    /// All of it.
    pub span: Span,
}

/// The first line.
#[derive(Clone, Debug)]
pub struct Header {
    /// The name.
    pub name: Name,
    /// Parameters, and whether each is exact.
    pub parameters: Vec<(Name, bool)>,
}

/// `open path[arguments] as alias`.
#[derive(Clone, Debug)]
pub struct Open {
    /// What is opened.
    pub path: Name,
    /// What its parameters stand for.
    pub arguments: Vec<Name>,
    /// The name it gets.
    pub alias: Option<Name>,
    /// Whether others that open this module do not see it.
    pub is_private: bool,
}

/// A signature.
#[derive(Clone, Debug)]
pub struct Sig {
    /// Its name.
    pub name: Name,
    /// `abstract`.
    pub is_abstract: bool,
    /// `var`.
    pub is_var: bool,
    /// `private`.
    pub is_private: bool,
    /// Declared by `enum`.
    pub is_enum: bool,
    /// `one`, `lone`, `some`.
    pub mult: Option<Mult>,
    /// What it belongs to.
    pub parent: Parent,
    /// Fields.
    pub fields: Vec<Decl>,
    /// What holds of each atom.
    pub fact: Option<Expr>,
}

/// What a signature belongs to.
#[derive(Clone, Debug)]
pub enum Parent {
    /// Nothing.
    None,
    /// One signature, apart from its other extensions.
    Extends(Name),
    /// A subset of a union.
    In(Vec<Name>),
    /// Exactly a union.
    Equals(Vec<Name>),
}

/// Multiplicities.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Mult {
    /// Any number.
    Set,
    /// At most one.
    Lone,
    /// Exactly one.
    One,
    /// At least one.
    Some,
}

/// Variables or fields with what they are in.
#[derive(Clone, Debug)]
pub struct Decl {
    /// `private`.
    pub is_private: bool,
    /// `var`.
    pub is_var: bool,
    /// `disj a, b : e`.
    pub disj: bool,
    /// `a : disj e`.
    pub disj_range: bool,
    /// `a = e`.
    pub is_defined: bool,
    /// The variables.
    pub names: Vec<Name>,
    /// What they are in.
    pub bound: Expr,
}

/// A predicate or function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// `private`.
    pub is_private: bool,
    /// Parameters; a receiver comes first, as `this`.
    pub parameters: Vec<Decl>,
    /// Of a function: what its result is in.
    pub result: Option<Expr>,
    /// The body.
    pub body: Expr,
}

/// `let name[parameters] = e` at the outermost level.
#[derive(Clone, Debug)]
pub struct Macro {
    /// Its name.
    pub name: Name,
    /// `private`.
    pub is_private: bool,
    /// Parameters.
    pub parameters: Vec<Name>,
    /// What it stands for.
    pub body: Expr,
}

/// `run` or `check`.
#[derive(Clone, Debug)]
pub struct Command {
    /// Whether a counterexample is looked for.
    pub is_check: bool,
    /// Its label, where it has one.
    pub label: Option<Name>,
    /// What it is about.
    pub subject: Subject,
    /// Its scope.
    pub scope: Scope,
    /// Where that is written.
    pub scope_span: Option<Span>,
    /// `expect`.
    pub expect: Option<i64>,
    /// All of it.
    pub span: Span,
}

/// What a command is about.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A predicate, function or assertion.
    Named(Name),
    /// A formula of its own.
    Block(Expr),
}

/// How many atoms there are.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Of what is not listed.
    pub overall: Option<i64>,
    /// Of signatures.
    pub sigs: Vec<SigScope>,
    /// Bits of integers.
    pub bitwidth: Option<i64>,
    /// The longest sequence.
    pub seq: Option<i64>,
    /// The fewest and the most steps; no most is `1..`.
    pub steps: Option<(i64, Option<i64>)>,
}

/// How many atoms one signature has.
#[derive(Clone, Debug)]
pub struct SigScope {
    /// The signature.
    pub sig: Name,
    /// Whether exactly so many.
    pub is_exact: bool,
    /// Whether a range is written.
    pub is_range: bool,
    /// The number, or where a growing scope begins.
    pub start: i64,
    /// Where it ends.
    pub end: i64,
    /// By how much it grows.
    pub increment: i64,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: Kind,
    /// Where.
    pub span: Span,
}

/// Expressions.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A number.
    Number(i64),
    /// A string with its quotes.
    Text(String),
    /// A name, `this`, `univ`, `none`, `iden`, `Int`, `seq/Int`, `String`, `@name`.
    Name(String),
    /// `fun/min`, `fun/max`, `fun/next`.
    Builtin(Builtin),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `c => a else b`.
    Else(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `disj[a, b]` and `pred/totalOrder[a, b, c]`.
    List(ListOp, Vec<Expr>),
    /// Formulas one after the other; none is true.
    Block(Vec<Expr>),
    /// Quantifiers, sums and comprehensions.
    Quantified(Quantifier, Vec<Decl>, Box<Expr>),
    /// `let x = e | F`.
    Let(Name, Box<Expr>, Box<Expr>),
}

/// Constants of the machine's integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// The least number.
    Min,
    /// The greatest number.
    Max,
    /// From each number to the next.
    Next,
}

/// What takes several arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ListOp {
    /// Pairwise disjoint.
    Disj,
    /// A total order.
    TotalOrder,
}

/// Quantifiers and what is written like them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// Every one.
    All,
    /// None.
    No,
    /// At least one.
    Some,
    /// At most one.
    Lone,
    /// Exactly one.
    One,
    /// The sum of numbers.
    Sum,
    /// The set of those with the property.
    Comprehension,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    SetOf,
    LoneOf,
    OneOf,
    SomeOf,
    ExactlyOf,
    Not,
    After,
    Always,
    Eventually,
    Before,
    Historically,
    Once,
    No,
    Some,
    Lone,
    One,
    Transpose,
    Prime,
    ReflexiveClosure,
    Closure,
    Cardinality,
    ToInt,
    ToSet,
    /// A pair of braces, which means nothing.
    Group,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Arrow(Mult, Mult),
    /// `seq e`: from `seq/Int` to at most one each, without gaps.
    SeqArrow,
    Join,
    Domain,
    Range,
    Intersect,
    Override,
    Union,
    IntPlus,
    Difference,
    IntMinus,
    Mul,
    Div,
    Rem,
    Equals,
    NotEquals,
    Implies,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    NotLess,
    NotLessEqual,
    NotGreater,
    NotGreaterEqual,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    In,
    NotIn,
    And,
    Or,
    Iff,
    Until,
    Releases,
    Since,
    Triggered,
}
