//! What has to be checked about an architecture, and each check as an [`Assembly`]: the parts of a
//! composite by themselves, or closed by the inverted frame.
//!
//! Components that are bound must call an interface by one name, and by a name that no other component has
//! (Holub 2010: each pair communicates by names of its own). An interface is called as its provider
//! calls it, with the provider's name in front where that is not unique.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use quadrille_diagnostic::Diagnostic;

use super::rename::{Names, rename};
use super::system::{Architecture, Component, ComponentId, End, Frame, PartId, PortId};
use super::tree::Side;
use crate::assembly::{Assembly, Member};
use crate::automata::{Construction, Throws};
use crate::composition::{Binding, UnitId, Wiring};
use crate::syntax::{Kind, Protocol};

/// What a composite must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compliance {
    /// Its parts are compatible, for every behaviour of the environment.
    Horizontal,
    /// Its parts do what its frame protocol promises.
    Vertical,
}

impl fmt::Display for Compliance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compliance::Horizontal => "horizontal",
            Compliance::Vertical => "vertical",
        })
    }
}

/// All that must hold, those inside others first.
pub fn compliances(system: &Architecture) -> Vec<(ComponentId, Compliance)> {
    let mut all = Vec::new();
    for &id in system.bottom_up() {
        let component = system.component(id);
        if component.is_composite() {
            all.push((id, Compliance::Horizontal));
            if component.frame.is_some() {
                all.push((id, Compliance::Vertical));
            }
        }
    }
    all
}

/// Puts the parts of a composite together; vertically, with its frame turned into an environment.
/// Parts without a protocol are left out.
pub fn assemble(
    system: &Architecture,
    composite: ComponentId,
    compliance: Compliance,
) -> Result<Assembly, Diagnostic> {
    let composite = system.component(composite);
    let names = Connectors::new(system, composite);
    let mut members = Vec::new();
    let mut units: BTreeMap<Option<PartId>, UnitId> = BTreeMap::new();
    for (position, part) in composite.parts.iter().enumerate() {
        let id = PartId(position as u32);
        let inner = system.component(part.of);
        let Some(frame) = &inner.frame else { continue };
        units.insert(Some(id), UnitId(members.len() as u32));
        let new = names.of(inner, |port| End::Part(id, port));
        members.push(member(&part.name.text, frame, &system.throws(inner), &new));
    }
    if let (Compliance::Vertical, Some(frame)) = (compliance, &composite.frame) {
        units.insert(None, UnitId(members.len() as u32));
        let new = names.of(composite, End::Own);
        let name = environment(composite);
        members.push(inverted(member(&name, frame, &system.throws(composite), &new)));
    }
    let wiring = wiring(system, composite, compliance, &names, &units);
    Assembly::new(members, Construction::Minimal, |_, _| wiring)
}

/// What the environment of a composite are called among its parts.
fn environment(composite: &Component) -> String {
    let mut name = "environment".to_owned();
    while composite.find_part(&name).is_some() {
        name.insert(0, '_');
    }
    name
}

fn member(name: &str, frame: &Frame, throws: &Throws, names: &Names) -> Member {
    let mut component = frame.component.clone();
    component.name.text = name.to_owned();
    rename(&mut component.protocol, names);
    let entry = |(path, exceptions): (&String, &Vec<String>)| {
        let (interface, method) = path.rsplit_once('.').unwrap_or(("", path));
        let interface = names.get(interface).map_or(interface, |name| name);
        (format!("{interface}.{method}"), exceptions.clone())
    };
    let throws = Throws { methods: throws.methods.iter().map(entry).collect() };
    Member { types: frame.types.clone(), component, throws: Some(throws) }
}

/// The same with emitting and accepting exchanged.
pub(super) fn inverted(mut member: Member) -> Member {
    let protocol = member.component.protocol;
    let span = protocol.span;
    member.component.protocol = Protocol { kind: Kind::Invert(Box::new(protocol)), span };
    member
}

fn wiring(
    system: &Architecture,
    composite: &Component,
    compliance: Compliance,
    names: &Connectors,
    units: &BTreeMap<Option<PartId>, UnitId>,
) -> Wiring {
    let unit = |end: End| match end {
        End::Own(_) => units.get(&None),
        End::Part(part, _) => units.get(&Some(part)),
    };
    let mut wiring = Wiring { closed: true, ..Wiring::default() };
    for connection in &composite.connections {
        let name = names.all[&connection.client].clone();
        match (unit(connection.client), unit(connection.server)) {
            (Some(client), Some(server)) => {
                wiring.bindings.push(Binding { name, between: Some([*client, *server]) });
            }
            _ if compliance == Compliance::Horizontal => wiring.external.push(name),
            _ => {}
        }
    }
    // A provider that has a caller inside as well is looked at with that caller alone.
    let Wiring { bindings, external, .. } = &mut wiring;
    external.retain(|name| bindings.iter().all(|binding| binding.name != *name));
    for (part, port) in &composite.external {
        wiring.external.push(names.all[&End::Part(*part, *port)].clone());
    }
    // An unbound call is an error against the frame; without one, among the parts.
    if compliance == Compliance::Horizontal && composite.frame.is_some() {
        wiring.external.extend(loose(system, composite).map(|end| names.all[&end].clone()));
    }
    wiring
}

/// Required interfaces of parts that are not bound.
fn loose<'a>(system: &'a Architecture, composite: &'a Component) -> impl Iterator<Item = End> + 'a {
    let is_joined = |end: &End| composite.connections.iter().any(|one| one.client == *end);
    let parts = composite.parts.iter().enumerate();
    parts
        .flat_map(|(position, part)| {
            let ports = system.component(part.of).ports.iter().enumerate();
            let required = ports.filter(|(_, port)| port.side == Side::Required);
            required.map(move |(port, _)| End::Part(PartId(position as u32), PortId(port as u32)))
        })
        .filter(move |end| !is_joined(end))
}

/// What every interface inside a composite is called.
struct Connectors {
    all: BTreeMap<End, String>,
}

impl Connectors {
    fn new(system: &Architecture, composite: &Component) -> Self {
        let servers = composite.connections.iter().map(|connection| connection.server);
        let external = composite.external.iter().map(|(part, port)| End::Part(*part, *port));
        let joined: BTreeSet<End> =
            composite.connections.iter().map(|connection| connection.client).collect();
        let own = (0..composite.ports.len() as u32).map(|port| End::Own(PortId(port)));
        let parts = (0..composite.parts.len() as u32).map(PartId).flat_map(|part| {
            let n_ports = system.component(composite.part(part).of).ports.len() as u32;
            (0..n_ports).map(move |port| End::Part(part, PortId(port)))
        });
        let rest = own.chain(parts).filter(|end| !joined.contains(end));
        let mut all: BTreeMap<End, String> = BTreeMap::new();
        let mut taken = BTreeSet::new();
        // Short names go first to interfaces that are bound inside, then to those bound outside.
        let classes: [BTreeSet<End>; 3] = [servers.collect(), external.collect(), rest.collect()];
        for class in classes {
            let new: Vec<End> = class.into_iter().filter(|end| !all.contains_key(end)).collect();
            let port = |end: &End| system.port(composite, *end).name.text;
            for end in &new {
                let owner = match end {
                    End::Own(_) => &composite.name.text,
                    End::Part(part, _) => &composite.part(*part).name.text,
                };
                let mut name = port(end);
                let is_ambiguous = new.iter().filter(|other| port(other) == name).count() > 1;
                while is_ambiguous && !name.contains('.') || taken.contains(&name) {
                    name.insert_str(0, &format!("{owner}."));
                }
                taken.insert(name.clone());
                all.insert(*end, name);
            }
        }
        for connection in &composite.connections {
            let name = all[&connection.server].clone();
            all.insert(connection.client, name);
        }
        Self { all }
    }

    /// The new names of a component's interfaces.
    fn of(&self, component: &Component, end: impl Fn(PortId) -> End) -> Names {
        let ports = component.ports.iter().enumerate();
        let name = |(position, port): (usize, &super::Port)| {
            let new = self.all.get(&end(PortId(position as u32)))?;
            Some((port.name.text.clone(), new.clone()))
        };
        ports.filter_map(name).collect()
    }
}
