//! Values of the Clojure subset: immutable, ordered and hashed by what they are, so that equal values
//! are equal arguments of sessions. Knows no evaluation.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::builtin::Builtin;
use super::eval::Closure;
use super::trap::{Result, Trap};
use quadrille_protocol::core::Role;

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Nil,
    Bool(bool),
    Int(i64),
    /// A fraction in lowest terms with a denominator of at least two.
    Ratio(i64, i64),
    Float(f64),
    Char(char),
    Text(Arc<str>),
    /// A keyword without its colons, and whether it belongs to a namespace.
    Keyword(Arc<str>, bool),
    /// A symbol, or the name of a class.
    Symbol(Arc<str>),
    Regex(Arc<str>),
    Role(Arc<Role>),
    List(Arc<Items>),
    Vector(Arc<Items>),
    Set(Arc<Nested<BTreeSet<Value>>>),
    Map(Arc<Nested<BTreeMap<Value, Value>>>),
    Function(Arc<Closure>),
    Builtin(Builtin),
    /// A function with its first arguments given: `partial`.
    Partial(Arc<(Value, Vec<Value>)>),
    /// Functions applied one after the other, the last first: `comp`.
    Composed(Arc<Items>),
    /// Always this value: `constantly`.
    Constantly(Arc<Value>),
    /// True where the function is not: `complement`.
    Complement(Arc<Value>),
}

/// A collection with its [`Extent`].
#[derive(Clone, Debug)]
pub(crate) struct Nested<T> {
    pub(crate) extent: Extent,
    pub(crate) items: T,
}

/// How large a value is when it is written out. Values share their parts, so a small program can make one
/// that takes for ever to compare or to print: `(let [v [v v] v [v v] …] …)`.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Extent {
    /// How deep collections and closures stand in each other.
    depth: u32,
    /// How many values it has, and bytes of strings.
    size: u64,
}

impl Extent {
    pub(crate) fn of<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        values.into_iter().fold(Self::default(), |all, value| all.and(value.extent()))
    }

    /// Of both, side by side.
    pub(crate) fn and(self, other: Self) -> Self {
        let size = self.size.saturating_add(other.size);
        Self { depth: self.depth.max(other.depth), size }
    }

    /// Of something around it.
    pub(crate) fn around(self) -> Self {
        Self { depth: self.depth + 1, size: self.size.saturating_add(1) }
    }

    pub(crate) fn size(self) -> u64 {
        self.size
    }

    /// Fails where the value could not be compared, printed or freed safely.
    pub(crate) fn check(self) -> Result<()> {
        if self.depth >= MAX_DEPTH {
            return Err(Trap::endless("a value is nested too deeply"));
        }
        if self.size > MAX_SIZE {
            return Err(Trap::endless("a value is too large"));
        }
        Ok(())
    }
}

pub(crate) type Items = Nested<Vec<Value>>;

/// Deepest nesting of collections and closures.
const MAX_DEPTH: u32 = 500;

/// Largest size of a value.
pub(crate) const MAX_SIZE: u64 = 1 << 20;

impl Value {
    pub(crate) fn text(text: impl Into<Arc<str>>) -> Self {
        Value::Text(text.into())
    }

    pub(crate) fn list(items: Vec<Value>) -> Self {
        Value::List(Arc::new(nest(items)))
    }

    pub(crate) fn vector(items: Vec<Value>) -> Self {
        Value::Vector(Arc::new(nest(items)))
    }

    pub(crate) fn set(items: BTreeSet<Value>) -> Self {
        Value::Set(Arc::new(Nested { extent: Extent::of(&items).around(), items }))
    }

    pub(crate) fn map(items: BTreeMap<Value, Value>) -> Self {
        let extent = Extent::of(items.iter().flat_map(|(key, value)| [key, value])).around();
        Value::Map(Arc::new(Nested { extent, items }))
    }

    /// How large it is when it is written out.
    pub(crate) fn extent(&self) -> Extent {
        match self {
            Value::List(items) | Value::Vector(items) | Value::Composed(items) => items.extent,
            Value::Set(items) => items.extent,
            Value::Map(items) => items.extent,
            Value::Function(closure) => closure.env.extent().around(),
            Value::Partial(parts) => Extent::of(&parts.1).and(parts.0.extent()).around(),
            Value::Constantly(inner) | Value::Complement(inner) => inner.extent().around(),
            Value::Text(text) => Extent { depth: 0, size: 1 + text.len() as u64 },
            _ => Extent { depth: 0, size: 1 },
        }
    }

    /// Everything but `nil` and `false` is true.
    pub(crate) fn is_true(&self) -> bool {
        !matches!(self, Value::Nil | Value::Bool(false))
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Value::Int(_) | Value::Ratio(..) | Value::Float(_))
    }

    pub(crate) fn is_function(&self) -> bool {
        matches!(
            self,
            Value::Function(_)
                | Value::Builtin(_)
                | Value::Partial(_)
                | Value::Composed(_)
                | Value::Constantly(_)
                | Value::Complement(_)
        )
    }

    /// What kind of thing it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Nil => "nil",
            Value::Bool(_) => "a boolean",
            Value::Int(_) => "an integer",
            Value::Ratio(..) => "a ratio",
            Value::Float(_) => "a floating-point number",
            Value::Char(_) => "a character",
            Value::Text(_) => "a string",
            Value::Keyword(..) => "a keyword",
            Value::Symbol(_) => "a symbol",
            Value::Regex(_) => "a pattern",
            Value::Role(_) => "a role",
            Value::List(_) => "a list",
            Value::Vector(_) => "a vector",
            Value::Set(_) => "a set",
            Value::Map(_) => "a map",
            _ => "a function",
        }
    }

    /// The value as `pr-str` prints it.
    pub(crate) fn print(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, true);
        out
    }

    /// The value as `str` prints it: strings and characters bare.
    pub(crate) fn display(&self) -> String {
        let mut out = String::new();
        match self {
            Value::Nil => {}
            _ => self.write(&mut out, false),
        }
        out
    }

    fn write(&self, out: &mut String, quoted: bool) {
        match self {
            Value::Nil => out.push_str("nil"),
            Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Value::Int(value) => {
                let _ = write!(out, "{value}");
            }
            Value::Ratio(upper, lower) => {
                let _ = write!(out, "{upper}/{lower}");
            }
            Value::Float(value) => {
                let _ = write!(out, "{value:?}");
            }
            Value::Char(value) if quoted => {
                let _ = write!(out, "\\{value}");
            }
            Value::Char(value) => out.push(*value),
            Value::Text(text) if quoted => {
                let _ = write!(out, "{text:?}");
            }
            Value::Text(text) | Value::Symbol(text) => out.push_str(text),
            Value::Keyword(name, own) => {
                out.push_str(if *own { "::" } else { ":" });
                out.push_str(name);
            }
            Value::Regex(pattern) => {
                let _ = write!(out, "#\"{pattern}\"");
            }
            Value::Role(role) => {
                let _ = write!(out, "{role}");
            }
            Value::List(items) => write_all(out, "(", items.items.iter(), ")"),
            Value::Vector(items) => write_all(out, "[", items.items.iter(), "]"),
            Value::Set(items) => write_all(out, "#{", items.items.iter(), "}"),
            Value::Map(items) => {
                let both = items.items.iter().flat_map(|(key, value)| [key, value]);
                write_all(out, "{", both, "}");
            }
            _ => out.push_str("#function"),
        }
    }

    /// What kind of value it is; kinds are ordered so.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Value::Nil => 0,
            Value::Bool(_) => 1,
            Value::Int(_) => 2,
            Value::Ratio(..) => 3,
            Value::Float(_) => 4,
            Value::Char(_) => 5,
            Value::Text(_) => 6,
            Value::Keyword(..) => 7,
            Value::Symbol(_) => 8,
            Value::Regex(_) => 9,
            Value::Role(_) => 10,
            Value::List(_) | Value::Vector(_) => 11,
            Value::Set(_) => 12,
            Value::Map(_) => 13,
            Value::Function(_) => 14,
            Value::Builtin(_) => 15,
            Value::Partial(_) => 16,
            Value::Composed(_) => 17,
            Value::Constantly(_) => 18,
            Value::Complement(_) => 19,
        }
    }
}

pub(crate) fn nest(items: Vec<Value>) -> Items {
    Nested { extent: Extent::of(&items).around(), items }
}

fn write_all<'a>(
    out: &mut String,
    open: &str,
    items: impl Iterator<Item = &'a Value>,
    close: &str,
) {
    out.push_str(open);
    for (position, item) in items.enumerate() {
        if position > 0 {
            out.push(' ');
        }
        item.write(out, true);
    }
    out.push_str(close);
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Ratio(a, b), Value::Ratio(c, d)) => {
                let left = i128::from(*a) * i128::from(*d);
                left.cmp(&(i128::from(*c) * i128::from(*b)))
            }
            (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
            (Value::Char(a), Value::Char(b)) => a.cmp(b),
            (Value::Text(a), Value::Text(b))
            | (Value::Symbol(a), Value::Symbol(b))
            | (Value::Regex(a), Value::Regex(b)) => a.cmp(b),
            (Value::Keyword(a, x), Value::Keyword(b, y)) => a.cmp(b).then(x.cmp(y)),
            (Value::Role(a), Value::Role(b)) => a.cmp(b),
            (Value::List(a) | Value::Vector(a), Value::List(b) | Value::Vector(b))
            | (Value::Composed(a), Value::Composed(b)) => a.items.cmp(&b.items),
            (Value::Set(a), Value::Set(b)) => a.items.cmp(&b.items),
            (Value::Map(a), Value::Map(b)) => a.items.cmp(&b.items),
            (Value::Function(a), Value::Function(b)) => a.cmp(b),
            (Value::Builtin(a), Value::Builtin(b)) => a.cmp(b),
            (Value::Partial(a), Value::Partial(b)) => a.cmp(b),
            (Value::Constantly(a), Value::Constantly(b))
            | (Value::Complement(a), Value::Complement(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Value::Bool(value) => value.hash(state),
            Value::Int(value) => value.hash(state),
            Value::Ratio(upper, lower) => (upper, lower).hash(state),
            Value::Float(value) => value.to_bits().hash(state),
            Value::Char(value) => value.hash(state),
            Value::Text(text) | Value::Symbol(text) | Value::Regex(text) => text.hash(state),
            Value::Keyword(text, own) => (text, own).hash(state),
            Value::Role(role) => role.hash(state),
            Value::List(items) | Value::Vector(items) | Value::Composed(items) => {
                items.items.hash(state);
            }
            Value::Set(items) => items.items.hash(state),
            Value::Map(items) => items.items.hash(state),
            Value::Function(closure) => closure.place().hash(state),
            Value::Builtin(builtin) => builtin.hash(state),
            Value::Nil | Value::Partial(_) | Value::Constantly(_) | Value::Complement(_) => {}
        }
    }
}

/// Ratio comparison needs exact arithmetic elsewhere too: `a/b` in lowest terms.
pub(crate) fn ratio(upper: i128, lower: i128) -> Option<Value> {
    let (mut a, mut b) = (upper.unsigned_abs(), lower.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let divisor = i128::try_from(a).ok()?.max(1) * if lower < 0 { -1 } else { 1 };
    let (upper, lower) = (upper / divisor, lower / divisor);
    let upper = i64::try_from(upper).ok()?;
    let lower = i64::try_from(lower).ok()?;
    Some(if lower == 1 { Value::Int(upper) } else { Value::Ratio(upper, lower) })
}
