//! The tree of a `.bp` file, as written: abbreviations are not expanded. Every node knows its place;
//! the span of a protocol in parentheses includes them.

use quadrille_diagnostic::Span;

/// A file: enumerated types, and one frame protocol per component.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct File {
    /// The types that variables and parameters of the file may have.
    pub types: Vec<EnumType>,
    /// The components in order.
    pub components: Vec<Component>,
}

/// A type with named values: `Mode = { IDLE, BUSY }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnumType {
    /// Its name.
    pub name: Name,
    /// The names of its values.
    pub values: Vec<Name>,
}

/// A component and its frame protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// Its name.
    pub name: Name,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// What it does at its boundary.
    pub protocol: Protocol,
}

/// A variable of a component: `Mode m = IDLE`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name of its type.
    pub of: Name,
    /// Its own name.
    pub name: Name,
    /// Its first value.
    pub initial: Name,
}

/// A word and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A dotted name: interface and method, `Card.lookUp`. A name without a dot has no interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The whole name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl Path {
    /// Everything before the last dot; empty without one.
    pub fn interface(&self) -> &str {
        self.text.rsplit_once('.').map_or("", |(interface, _)| interface)
    }

    /// What follows the last dot.
    pub fn method(&self) -> &str {
        self.text.rsplit_once('.').map_or(&self.text, |(_, method)| method)
    }
}

/// Whether the component emits or accepts an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// `!`: the component emits.
    Emit,
    /// `?`: the component accepts.
    Accept,
}

impl Direction {
    /// The other one.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Direction::Emit => Direction::Accept,
            Direction::Accept => Direction::Emit,
        }
    }
}

/// Which half of a method call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// `^`: the call.
    Request,
    /// `$`: the return, or an exception.
    Response,
}

/// One event as a component sees it: `!i.m^`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Emitted or accepted.
    pub direction: Direction,
    /// Interface and method.
    pub path: Path,
    /// Request or response.
    pub phase: Phase,
}

/// A protocol and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Protocol {
    /// What it is.
    pub kind: Kind,
    /// Where it stands, with parentheses around it if there are any.
    pub span: Span,
}

/// The operators of the language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `NULL`: nothing.
    Null,
    /// `!i.m^`: one event.
    Event(Token),
    /// `!i.m { … }` or `?i.m { … }`: a whole call.
    Call {
        /// Whether the component calls or is called.
        direction: Direction,
        /// Interface and method.
        path: Path,
        /// Constants or variables that an emitted request carries.
        arguments: Vec<Argument>,
        /// Variables that an accepted request sets, known in the body.
        parameters: Vec<Parameter>,
        /// What happens before the response.
        body: Option<Box<Protocol>>,
    },
    /// `[!a^, ?b$]`: several events in one step.
    Atomic(Vec<Token>),
    /// `&i.m`: a joint step of all components that mention it.
    Meet(Path),
    /// `A ; B`
    Sequence(Vec<Protocol>),
    /// `A + B`
    Alternative(Vec<Protocol>),
    /// `A | B`
    Parallel(Vec<Protocol>),
    /// `A || B`: `A + B + (A | B)`
    OrParallel(Vec<Protocol>),
    /// `A *`
    Repeat(Box<Protocol>),
    /// `A / { names }`: only events on these interfaces, or of these methods, are seen.
    Restrict(Box<Protocol>, Vec<Path>),
    /// `A |{ names }| B`: in parallel, but equal events with these names happen once for both.
    Adjust(Box<Protocol>, Vec<Path>, Box<Protocol>),
    /// `~A`: with emitting and accepting exchanged.
    Invert(Box<Protocol>),
    /// `throw !e`
    Throw(Name),
    /// `try { … } catch { … }`
    Try {
        /// What is tried.
        body: Box<Protocol>,
        /// The handlers.
        catches: Vec<Catch>,
    },
    /// `m <- BUSY`
    Assign {
        /// The variable.
        variable: Name,
        /// A constant, or another variable.
        value: Name,
    },
    /// `while (m == BUSY) { … }`
    While {
        /// When to go on.
        test: Test,
        /// What is repeated.
        body: Box<Protocol>,
    },
    /// `switch (m) { IDLE: { … } default: { … } }`
    Switch {
        /// The variable looked at.
        variable: Name,
        /// What happens for which value.
        cases: Vec<Case>,
        /// What happens for all other values.
        default: Option<Box<Protocol>>,
    },
}

/// `catch { ?i.e, ?j.f : … }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Catch {
    /// The exceptions, each with its interface.
    pub exceptions: Vec<Path>,
    /// What happens then.
    pub handler: Protocol,
}

/// What an emitted request carries: a constant or a variable.
pub type Argument = Name;

/// What an accepted request sets: `Mode x`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The name of its type.
    pub of: Name,
    /// Its own name.
    pub name: Name,
}

/// `m == BUSY` or `m != BUSY`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// The variable.
    pub variable: Name,
    /// Whether the value is wanted or unwanted.
    pub equal: bool,
    /// The value.
    pub value: Name,
}

/// One case of a `switch`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The value.
    pub value: Name,
    /// What happens then.
    pub protocol: Protocol,
}

impl Protocol {
    /// Calls back with this protocol and everything in it, outside first.
    pub fn walk<'a>(&'a self, each: &mut impl FnMut(&'a Protocol)) {
        each(self);
        self.for_each_part(|part| part.walk(each));
    }

    /// The protocols directly inside, in the order of the text.
    pub fn for_each_part<'a>(&'a self, mut each: impl FnMut(&'a Protocol)) {
        match &self.kind {
            Kind::Sequence(parts)
            | Kind::Alternative(parts)
            | Kind::Parallel(parts)
            | Kind::OrParallel(parts) => parts.iter().for_each(each),
            Kind::Repeat(inner)
            | Kind::Restrict(inner, _)
            | Kind::Invert(inner)
            | Kind::While { body: inner, .. }
            | Kind::Call { body: Some(inner), .. } => each(inner),
            Kind::Adjust(left, _, right) => {
                each(left);
                each(right);
            }
            Kind::Try { body, catches } => {
                each(body);
                catches.iter().for_each(|catch| each(&catch.handler));
            }
            Kind::Switch { cases, default, .. } => {
                cases.iter().for_each(|case| each(&case.protocol));
                default.iter().for_each(|default| each(default));
            }
            Kind::Null
            | Kind::Event(_)
            | Kind::Call { body: None, .. }
            | Kind::Atomic(_)
            | Kind::Meet(_)
            | Kind::Throw(_)
            | Kind::Assign { .. } => {}
        }
    }
}

/// A name of an event, to be changed.
pub(crate) enum Mention<'a> {
    /// Of an event or a call.
    Event(&'a mut Path),
    /// Of an interface or a method in a list.
    Listed(&'a mut Path),
    /// Of an exception that is thrown.
    Thrown(&'a mut Name),
}

impl Protocol {
    /// Calls back with the name of every event, to be changed.
    pub(crate) fn for_each_mention(&mut self, each: &mut dyn FnMut(Mention<'_>)) {
        match &mut self.kind {
            Kind::Event(token) => each(Mention::Event(&mut token.path)),
            Kind::Atomic(tokens) => {
                tokens.iter_mut().for_each(|token| each(Mention::Event(&mut token.path)));
            }
            Kind::Call { path, body, .. } => {
                each(Mention::Event(path));
                body.iter_mut().for_each(|body| body.for_each_mention(each));
            }
            Kind::Sequence(parts)
            | Kind::Alternative(parts)
            | Kind::Parallel(parts)
            | Kind::OrParallel(parts) => {
                parts.iter_mut().for_each(|part| part.for_each_mention(each));
            }
            Kind::Repeat(inner) | Kind::Invert(inner) | Kind::While { body: inner, .. } => {
                inner.for_each_mention(each);
            }
            Kind::Restrict(inner, list) => {
                list.iter_mut().for_each(|path| each(Mention::Listed(path)));
                inner.for_each_mention(each);
            }
            Kind::Adjust(left, list, right) => {
                list.iter_mut().for_each(|path| each(Mention::Listed(path)));
                left.for_each_mention(each);
                right.for_each_mention(each);
            }
            Kind::Throw(name) => each(Mention::Thrown(name)),
            Kind::Try { body, catches } => {
                body.for_each_mention(each);
                for catch in catches {
                    catch.exceptions.iter_mut().for_each(|path| each(Mention::Event(path)));
                    catch.handler.for_each_mention(each);
                }
            }
            Kind::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|case| case.protocol.for_each_mention(each));
                default.iter_mut().for_each(|default| default.for_each_mention(each));
            }
            Kind::Null | Kind::Meet(_) | Kind::Assign { .. } => {}
        }
    }
}
