//! The tree of an `.arch` file, as written. Names are not resolved yet.

use quadrille_diagnostic::Span;

use crate::syntax::{EnumType, Name, Path, Protocol, Variable};

/// A file: interfaces, and components that have them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ArchitectureFile {
    /// The types of variables in protocols written here.
    pub types: Vec<EnumType>,
    /// The interfaces in order.
    pub interfaces: Vec<Interface>,
    /// The components in order.
    pub components: Vec<ComponentDeclaration>,
}

/// `interface ICard { pay throws Declined; revert }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interface {
    /// Its name.
    pub name: Name,
    /// Its methods.
    pub methods: Vec<Method>,
}

/// A method and the exceptions it may throw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Method {
    /// Its name.
    pub name: Name,
    /// The names of its exceptions, without the interface.
    pub throws: Vec<Name>,
}

/// A component; one that contains others is a composite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentDeclaration {
    /// Its name.
    pub name: Name,
    /// What it offers and needs.
    pub ports: Vec<PortDeclaration>,
    /// What it contains.
    pub parts: Vec<PartDeclaration>,
    /// How what it contains is joined.
    pub links: Vec<ConnectionDeclaration>,
    /// Its frame protocol.
    pub frame: Option<FrameSource>,
}

/// Whether a component calls on an interface or is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// `provides`: others call the component.
    Provided,
    /// `requires`: the component calls others.
    Required,
}

/// `provides Card : ICard`: an interface of a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortDeclaration {
    /// Whether the component calls or is called.
    pub side: Side,
    /// Its name in the component's protocol.
    pub name: Name,
    /// The interface, if it is called otherwise than the port.
    pub of: Option<Name>,
}

impl PortDeclaration {
    /// The name of the interface.
    pub fn interface(&self) -> &Name {
        self.of.as_ref().unwrap_or(&self.name)
    }
}

/// `contains visa : Bank`: a component inside another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartDeclaration {
    /// Its name inside.
    pub name: Name,
    /// The component it is one of, if it is called otherwise.
    pub of: Option<Name>,
}

impl PartDeclaration {
    /// The name of the component.
    pub fn component(&self) -> &Name {
        self.of.as_ref().unwrap_or(&self.name)
    }
}

/// How interfaces are joined: whose calls go where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConnectionDeclaration {
    /// `bind tickets.Card to visa.Card`: between two parts.
    Bind {
        /// The one that calls.
        from: Path,
        /// The one that is called.
        to: Path,
    },
    /// `delegate Reserv to tickets.Usr`: calls from outside go to a part.
    Delegate {
        /// The composite's own interface.
        from: Name,
        /// The part that is called.
        to: Path,
    },
    /// `subsume tickets.Log to Log`: calls of a part go outside.
    Subsume {
        /// The part that calls.
        from: Path,
        /// The composite's own interface.
        to: Name,
    },
    /// `external visa.Oper`: the component at the other end is not described.
    External(Path),
}

impl ConnectionDeclaration {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            ConnectionDeclaration::Bind { from, to } => from.span.to(to.span),
            ConnectionDeclaration::Delegate { from, to } => from.span.to(to.span),
            ConnectionDeclaration::Subsume { from, to } => from.span.to(to.span),
            ConnectionDeclaration::External(path) => path.span,
        }
    }
}

/// Where a frame protocol is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FrameSource {
    /// `protocol { … }`
    Here {
        /// Its variables.
        variables: Vec<Variable>,
        /// What the component does at its boundary.
        protocol: Protocol,
    },
    /// `protocol Storage in "parts/storage.bp"`
    File {
        /// The component of the file, if it is called otherwise.
        component: Option<Name>,
        /// The path, relative to the file it is written in.
        path: Name,
    },
}
