//! An architecture whose names are resolved: what [`load`](super::load) makes of a file.

use quadrille_diagnostic::Span;

use super::tree::{Interface, Side};
use crate::automata::Throws;
use crate::syntax::{self, EnumType, Name};

/// An interface of a [`Architecture`]: a position in its list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InterfaceId(pub u32);

/// A component of a [`Architecture`]: a position in its list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ComponentId(pub u32);

/// A part of a composite: a position in its list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PartId(pub u32);

/// A port of a component: a position in its list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PortId(pub u32);

/// Everything that an architecture describes. No component contains itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Architecture {
    pub(super) interfaces: Vec<Interface>,
    pub(super) components: Vec<Component>,
    /// All components, those inside others first.
    pub(super) order: Vec<ComponentId>,
}

/// A component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// Its name.
    pub name: Name,
    /// Its interfaces.
    pub ports: Vec<Port>,
    /// The components inside.
    pub parts: Vec<Part>,
    /// Whose calls go where.
    pub connections: Vec<Connection>,
    /// Interfaces of parts whose other end is not described.
    pub external: Vec<(PartId, PortId)>,
    /// Its frame protocol.
    pub frame: Option<Frame>,
}

/// An interface of a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// Whether the component calls or is called.
    pub side: Side,
    /// Its name in the protocol.
    pub name: Name,
    /// What it is.
    pub interface: InterfaceId,
}

/// A component inside another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its name inside.
    pub name: Name,
    /// What it is.
    pub of: ComponentId,
}

/// One end of a connection, seen from inside a composite.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum End {
    /// An interface of the composite itself.
    Own(PortId),
    /// An interface of a part.
    Part(PartId, PortId),
}

/// Calls of one end go to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Connection {
    /// Whether the component calls or is called.
    pub client: End,
    /// The component that is called.
    pub server: End,
    /// Where it is written.
    pub span: Span,
}

/// A frame protocol with the types of its variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The types.
    pub types: Vec<EnumType>,
    /// The protocol, under the name of the component.
    pub component: syntax::Component,
}

impl Architecture {
    /// The interfaces.
    pub fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }

    /// An interface.
    pub fn interface(&self, id: InterfaceId) -> &Interface {
        &self.interfaces[id.0 as usize]
    }

    /// A component.
    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.0 as usize]
    }

    /// All components, those inside others first.
    pub fn bottom_up(&self) -> &[ComponentId] {
        &self.order
    }

    /// The component of a name.
    pub fn find(&self, name: &str) -> Option<ComponentId> {
        let position = self.components.iter().position(|one| one.name.text == name)?;
        Some(ComponentId(position as u32))
    }

    /// The names of all components.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.components.iter().map(|component| &component.name.text[..])
    }

    /// The port at an end of a connection of a composite.
    pub(super) fn port(&self, composite: &Component, end: End) -> Port {
        match end {
            End::Own(port) => composite.port(port).clone(),
            End::Part(part, port) => self.component(composite.part(part).of).port(port).clone(),
        }
    }

    /// What the methods of a component's interfaces may throw, under the names of its ports.
    pub fn throws(&self, component: &Component) -> Throws {
        let mut throws = Throws::default();
        for port in &component.ports {
            for method in &self.interface(port.interface).methods {
                let exceptions = method.throws.iter().map(|name| name.text.clone()).collect();
                let path = format!("{}.{}", port.name.text, method.name.text);
                throws.methods.insert(path, exceptions);
            }
        }
        throws
    }
}

impl Component {
    /// A port.
    pub fn port(&self, id: PortId) -> &Port {
        &self.ports[id.0 as usize]
    }

    /// A part.
    pub fn part(&self, id: PartId) -> &Part {
        &self.parts[id.0 as usize]
    }

    /// The port of a name.
    pub fn find_port(&self, name: &str) -> Option<PortId> {
        let position = self.ports.iter().position(|port| port.name.text == name)?;
        Some(PortId(position as u32))
    }

    /// The part of a name.
    pub fn find_part(&self, name: &str) -> Option<PartId> {
        let position = self.parts.iter().position(|part| part.name.text == name)?;
        Some(PartId(position as u32))
    }

    /// Whether it contains others.
    pub fn is_composite(&self) -> bool {
        !self.parts.is_empty()
    }
}
