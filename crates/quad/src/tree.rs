//! The tree of a `.quad` text, as written: names are not looked up, nothing is evaluated.

use quadrille_diagnostic::Span;

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A whole text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct File {
    /// Declarations, in the order of the text.
    pub items: Vec<Item>,
}

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// `parameter k = 4;`
    Parameter(Name, Expr),
    /// `enum Colour { red, green }`
    Enum(Name, Vec<Name>),
    /// `message Vote(yes: bool) as bank::Vote;`
    Message(MessageItem),
    /// `event Crash;`
    Event(Name),
    /// `role worker[0..k];`
    Role(Name, Vec<Expr>),
    /// `variable votes: 0..=3 = 0;`
    Variable(VariableItem),
    /// `protocol chess { … }`
    Protocol(ProtocolItem),
    /// `property fair: …;`
    Property(PropertyItem),
}

/// A kind of message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageItem {
    /// Its name.
    pub name: Name,
    /// What it carries: names and domains.
    pub fields: Vec<(Name, Expr)>,
    /// The Rust type it stands for.
    pub rust_type: Option<Name>,
}

/// A variable, or an array of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableItem {
    /// Its name.
    pub name: Name,
    /// The indices of an array, one set per dimension.
    pub dimensions: Vec<Expr>,
    /// The values it may take.
    pub domain: Expr,
    /// The value it starts with; without one, the least.
    pub initial: Option<Expr>,
}

/// A named protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProtocolItem {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<ParameterItem>,
    /// What happens.
    pub body: Block,
}

/// A parameter of a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParameterItem {
    /// Its name.
    pub name: Name,
    /// Its type; without one, `int`.
    pub type_name: Option<Name>,
    /// The value it has where none is given.
    pub default: Option<Expr>,
}

/// A property of a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyItem {
    /// Its name.
    pub name: Name,
    /// The protocol it speaks about, with arguments; without one, the first of the text.
    pub of: Option<(Name, Vec<Expr>)>,
    /// Words in parentheses: which runs count, and the verdict to expect.
    pub options: Vec<Name>,
    /// Where the formula stands.
    pub formula: Span,
    /// The text of the formula.
    pub text: String,
}

/// Statements in braces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The statements in order.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// A block that may be entered only where a condition holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The condition.
    pub when: Option<Expr>,
    /// The block.
    pub body: Block,
}

/// A statement and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it stands.
    pub span: Span,
}

/// `variable := value`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assign {
    /// A variable, with indices if it is one of an array.
    pub target: Expr,
    /// Its new value.
    pub value: Expr,
}

/// What stands for a field of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// This value.
    Value(Expr),
    /// Any value of the field; named, for the rest of the block.
    Any(Option<Name>, Span),
}

/// How an indexed statement puts its instances together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Indexing {
    /// `for`: one after the other.
    For,
    /// `choose`: one of them.
    Choose,
    /// `par for`: all at once.
    Par,
}

/// What a statement is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// `Move from White to Black;`
    Message {
        /// The kind of message.
        message: Name,
        /// What it carries; empty where nothing is said.
        content: Vec<Content>,
        /// The sender.
        from: Expr,
        /// The receivers.
        to: Vec<Expr>,
        /// Whether sending and receiving are one step.
        sync: bool,
        /// What is assigned with the send.
        with: Vec<Assign>,
    },
    /// `White closes Black;`
    Close {
        /// Whose channel.
        from: Expr,
        /// The channel to whom.
        to: Expr,
    },
    /// `worker[0] does Crash;`
    Does {
        /// Who acts alone.
        by: Expr,
        /// What happens.
        event: Name,
        /// What is assigned.
        with: Vec<Assign>,
    },
    /// `turn(Black, White);`
    Call(Name, Vec<Expr>),
    /// `either { … } or { … }`
    Either(Vec<Branch>),
    /// `par { … } and { … }`
    Par(Vec<Block>),
    /// `loop { … }`
    Loop(Branch),
    /// `opt { … }`
    Opt(Branch),
    /// `repeat forever { … }`
    Forever(Block),
    /// `when condition { … }`
    When(Expr, Block),
    /// `for i in 0..k where i != j { … }` and its like.
    Indexed {
        /// How the instances are put together.
        indexing: Indexing,
        /// Names and the sets they range over.
        bindings: Vec<(Name, Expr)>,
        /// Which combinations count.
        filter: Option<Expr>,
        /// What is done for each.
        branch: Branch,
    },
    /// `if condition { … } else { … }`
    If(Expr, Block, Option<Block>),
    /// `let j = i + 1;`, for the rest of the block.
    Let(Name, Expr),
    /// `state Deciding of buyer;`: what these roles' states are called here.
    State(Name, Vec<Expr>),
}

/// An expression and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// Operators between two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    In,
    Range,
    RangeInclusive,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            Operator::Or => "or",
            Operator::And => "and",
            Operator::Equal => "==",
            Operator::NotEqual => "!=",
            Operator::Less => "<",
            Operator::AtMost => "<=",
            Operator::Greater => ">",
            Operator::AtLeast => ">=",
            Operator::In => "in",
            Operator::Range => "..",
            Operator::RangeInclusive => "..=",
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Remainder => "%",
        }
    }

    /// How tightly it binds; operators of one level associate to the left, and those of
    /// [`COMPARISON`] and [`RANGE`] do not associate.
    pub fn level(self) -> u32 {
        match self {
            Operator::Or => 1,
            Operator::And => 2,
            Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::AtMost
            | Operator::Greater
            | Operator::AtLeast
            | Operator::In => COMPARISON,
            Operator::Range | Operator::RangeInclusive => RANGE,
            Operator::Add | Operator::Subtract => 5,
            Operator::Multiply | Operator::Divide | Operator::Remainder => 6,
        }
    }
}

/// The level of comparisons.
pub const COMPARISON: u32 = 3;
/// The level of ranges.
pub const RANGE: u32 = 4;
/// The level of what stands before an operand.
pub const PREFIX: u32 = 7;

/// What an expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// `3`
    Number(i64),
    /// `true`
    Bool(bool),
    /// `name`, or `name[i][j]`
    Name(String, Vec<Expr>),
    /// `*` as an index: every one.
    Every,
    /// `{1, 2}`
    Set(Vec<Expr>),
    /// `not a`
    Not(Box<Expr>),
    /// `-a`
    Negate(Box<Expr>),
    /// `a + b`
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `if a then b else c`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `min(a, b)`
    Call(Name, Vec<Expr>),
}
