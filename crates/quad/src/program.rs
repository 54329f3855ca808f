//! A `.quad` text with names looked up and types checked: what lowering and properties work on.
//! Values are not computed here.

use quadrille_diagnostic::Span;
use quadrille_model::Runs;
use quadrille_protocol::core::{Reader, Writer};
use rustc_hash::FxHashMap;

use super::tree::{Indexing, Name, Operator};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
            pub(super) struct $name(pub(super) usize);
        )*
    };
}

ids! {
    /// A parameter of the text.
    ParameterId;
    /// An enumeration.
    EnumId;
    /// A kind of message.
    MessageId;
    /// A kind of local event.
    EventId;
    /// A role, or a family of them.
    FamilyId;
    /// A variable, or an array of them.
    ArrayId;
    /// A protocol.
    ProtocolId;
    /// A name bound inside a protocol: a place in its frame.
    LocalId;
}

/// What a name that is declared in the text stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Global {
    Parameter(ParameterId),
    Enum(EnumId),
    Value(EnumId, u32),
    Message(MessageId),
    Event(EventId),
    Role(FamilyId),
    Variable(ArrayId),
    Protocol(ProtocolId),
}

impl Global {
    /// What kind of thing it is, for messages.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Global::Parameter(_) => "a parameter",
            Global::Enum(_) => "an enumeration",
            Global::Value(..) => "a value",
            Global::Message(_) => "a message",
            Global::Event(_) => "an event",
            Global::Role(_) => "a role",
            Global::Variable(_) => "a variable",
            Global::Protocol(_) => "a protocol",
        }
    }
}

/// What a name should stand for where it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sought {
    Type,
    Value,
    Message,
    Event,
    Role,
    Variable,
    Protocol,
}

impl Sought {
    /// For messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Sought::Type => "type",
            Sought::Value => "value",
            Sought::Message => "message",
            Sought::Event => "event",
            Sought::Role => "role",
            Sought::Variable => "variable",
            Sought::Protocol => "protocol",
        }
    }

    /// Whether a declared name is one.
    pub(super) fn is(self, global: Global) -> bool {
        match self {
            Sought::Type => matches!(global, Global::Enum(_)),
            Sought::Value => {
                !matches!(global, Global::Message(_) | Global::Event(_) | Global::Protocol(_))
            }
            Sought::Message => matches!(global, Global::Message(_)),
            Sought::Event => matches!(global, Global::Event(_)),
            Sought::Role => matches!(global, Global::Role(_)),
            Sought::Variable => matches!(global, Global::Variable(_)),
            Sought::Protocol => matches!(global, Global::Protocol(_)),
        }
    }

    /// Whether a name that is bound where it is used may be one.
    pub(super) fn may_be_local(self) -> bool {
        matches!(self, Sought::Value | Sought::Role)
    }
}

/// What an expression is worth. Sets are sorted and have no repetitions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Value {
    Int(i64),
    Bool(bool),
    Enum(EnumId, u32),
    Role(FamilyId, Vec<i64>),
    Set(Vec<Value>),
}

impl Value {
    pub(super) fn set(mut values: Vec<Value>) -> Self {
        values.sort_unstable();
        values.dedup();
        Value::Set(values)
    }

    /// Adds the value as bytes that are the same in every process.
    pub(super) fn write(&self, out: &mut Writer) {
        match self {
            Value::Int(number) => {
                out.number(0);
                out.signed(*number);
            }
            Value::Bool(value) => out.number(1 + u64::from(*value)),
            Value::Enum(id, position) => {
                out.numbers(&[3, id.0 as u64, u64::from(*position)]);
            }
            Value::Role(family, indices) => {
                out.numbers(&[4, family.0 as u64]);
                out.list(indices.iter(), |out, &index| out.signed(index));
            }
            Value::Set(values) => {
                out.number(5);
                out.list(values.iter(), |out, value| value.write(out));
            }
        }
    }

    /// The value that was written.
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let index = |reader: &mut Reader<'_>| usize::try_from(reader.number()?).ok();
        Some(match reader.number()? {
            0 => Value::Int(reader.signed()?),
            1 => Value::Bool(false),
            2 => Value::Bool(true),
            3 => Value::Enum(EnumId(index(reader)?), u32::try_from(reader.number()?).ok()?),
            4 => Value::Role(FamilyId(index(reader)?), reader.list(Reader::signed)?),
            5 => Value::Set(reader.list(Value::read)?),
            _ => return None,
        })
    }

    /// The value as a number of the core; sets and roles have none.
    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            Value::Bool(value) => Some(i64::from(*value)),
            Value::Enum(_, position) => Some(i64::from(*position)),
            Value::Role(..) | Value::Set(_) => None,
        }
    }
}

/// What kind of values an expression has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// Nothing is known, and nothing more is to be said.
    Unknown,
    Int,
    Bool,
    Enum(EnumId),
    Role,
    Set(Box<Type>),
}

impl Type {
    pub(super) fn set_of(element: Type) -> Self {
        Type::Set(Box::new(element))
    }

    /// Whether a value of one type can stand where the other is wanted.
    pub(super) fn fits(&self, wanted: &Type) -> bool {
        match (self, wanted) {
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            (Type::Set(a), Type::Set(b)) => a.fits(b),
            (a, b) => a == b,
        }
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
    /// Whether it depends on variables.
    pub(super) dynamic: bool,
}

/// Functions that every text knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Function {
    Min,
    Max,
    Size,
    Subsets,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Constant(Value),
    Local(LocalId),
    Parameter(ParameterId),
    Variable(ArrayId, Vec<Expr>),
    /// Indices are numbers, or sets of them: then the value is a set of roles. None: every index.
    Role(FamilyId, Vec<Option<Expr>>),
    Set(Vec<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(Function, Vec<Expr>),
}

/// The values of a variable or field.
#[derive(Clone, Debug)]
pub(super) enum Domain {
    Bool,
    Enum(EnumId),
    Range(Expr),
}

impl Domain {
    pub(super) fn value_type(&self) -> Type {
        match self {
            Domain::Bool => Type::Bool,
            Domain::Enum(id) => Type::Enum(*id),
            Domain::Range(_) => Type::Int,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Enumeration {
    pub(super) name: Name,
    pub(super) values: Vec<Name>,
}

#[derive(Clone, Debug)]
pub(super) struct MessageKind {
    pub(super) name: Name,
    pub(super) fields: Vec<(Name, Domain)>,
    pub(super) rust_type: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Family {
    pub(super) name: Name,
    pub(super) dimensions: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) name: Name,
    pub(super) dimensions: Vec<Expr>,
    pub(super) domain: Domain,
    pub(super) initial: Option<Expr>,
}

#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: Name,
    pub(super) value_type: Type,
    pub(super) default: Option<Expr>,
}

#[derive(Clone, Debug)]
pub(super) struct Protocol {
    pub(super) name: Name,
    /// The first locals of the frame.
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Vec<Statement>,
    pub(super) n_locals: usize,
}

#[derive(Clone, Debug)]
pub(super) struct PropertyDecl {
    pub(super) name: Name,
    pub(super) protocol: ProtocolId,
    pub(super) arguments: Vec<Expr>,
    pub(super) runs: Runs,
    pub(super) violated: bool,
    pub(super) formula: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) kind: StatementKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) when: Option<Expr>,
    pub(super) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub(super) array: ArrayId,
    pub(super) indices: Vec<Expr>,
    pub(super) value: Expr,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Value(Expr),
    Any(Option<LocalId>),
}

#[derive(Clone, Debug)]
pub(super) struct Communication {
    pub(super) message: MessageId,
    pub(super) content: Vec<Content>,
    pub(super) from: Expr,
    pub(super) to: Vec<Expr>,
    pub(super) sync: bool,
    pub(super) with: Vec<Assignment>,
}

#[derive(Clone, Debug)]
pub(super) struct Indexed {
    pub(super) indexing: Indexing,
    pub(super) bindings: Vec<(LocalId, Expr)>,
    pub(super) filter: Option<Expr>,
    pub(super) branch: Branch,
}

#[derive(Clone, Debug)]
pub(super) enum StatementKind {
    Message(Communication),
    Close { from: Expr, to: Expr },
    Does { by: Expr, event: EventId, with: Vec<Assignment> },
    Call(ProtocolId, Vec<Expr>),
    Either(Vec<Branch>),
    Par(Vec<Vec<Statement>>),
    Loop(Branch),
    Opt(Branch),
    Forever(Vec<Statement>),
    When(Expr, Vec<Statement>),
    Indexed(Box<Indexed>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    Let(LocalId, Expr),
    State(Name, Vec<Expr>),
}

/// A whole text.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) names: FxHashMap<String, Global>,
    pub(super) parameters: Vec<(Name, Option<Expr>)>,
    pub(super) enums: Vec<Enumeration>,
    pub(super) messages: Vec<MessageKind>,
    pub(super) events: Vec<Name>,
    pub(super) families: Vec<Family>,
    pub(super) arrays: Vec<Array>,
    pub(super) protocols: Vec<Protocol>,
    pub(super) properties: Vec<PropertyDecl>,
    /// Whether states are named.
    pub(super) has_state_names: bool,
}

impl Program {
    /// A type as people write it.
    pub(super) fn show_type(&self, shown: &Type) -> String {
        match shown {
            Type::Unknown => "something".to_owned(),
            Type::Int => "a number".to_owned(),
            Type::Bool => "true or false".to_owned(),
            Type::Enum(id) => format!("a value of `{}`", self.enums[id.0].name.text),
            Type::Role => "a role".to_owned(),
            Type::Set(element) => match **element {
                Type::Unknown => "a set".to_owned(),
                Type::Int => "a set of numbers".to_owned(),
                Type::Role => "several roles".to_owned(),
                _ => format!("a set, each of it {}", self.show_type(element)),
            },
        }
    }

    /// A value as people write it.
    pub(super) fn show(&self, value: &Value) -> String {
        match value {
            Value::Int(number) => number.to_string(),
            Value::Bool(value) => value.to_string(),
            Value::Enum(id, position) => self.enums[id.0].values[*position as usize].text.clone(),
            Value::Role(family, indices) => {
                let indices: String = indices.iter().map(|index| format!("[{index}]")).collect();
                format!("{}{indices}", self.families[family.0].name.text)
            }
            Value::Set(values) => {
                let shown: Vec<String> = values.iter().map(|value| self.show(value)).collect();
                format!("{{{}}}", shown.join(", "))
            }
        }
    }
}
