//! A composite of an architecture as boxes and wires.

use std::collections::BTreeMap;

use quadrille_component::architecture::tree::Side;
use quadrille_component::architecture::{Architecture, Component, ComponentId, End};
use quadrille_diagnostic::Diagnostic;
use quadrille_query::find_component;
use quadrille_report::{Graph, GraphEdge, GraphNode, NodeShape};

/// The composite of this name, or the outermost: a box per part, and a wire per connection from the one that
/// calls to the one that is called; the composite's own interfaces above and below.
pub(super) fn wiring(
    system: &Architecture,
    name: Option<&str>,
    title: &str,
) -> Result<Graph, Diagnostic> {
    let id = match name {
        Some(name) => find_component(system, name)?,
        None => outermost(system),
    };
    let composite = system.component(id);
    let parts = composite.parts.iter().map(|part| {
        let of = &system.component(part.of).name.text;
        let label = match part.name.text == *of {
            true => of.clone(),
            false => format!("{} : {of}", part.name.text),
        };
        node(label, tooltip(system.component(part.of)), NodeShape::Part)
    });
    let mut nodes: Vec<GraphNode> = parts.collect();
    if nodes.is_empty() {
        nodes.push(node(composite.name.text.clone(), tooltip(composite), NodeShape::Part));
    }
    let n_parts = nodes.len();
    nodes.extend(composite.ports.iter().map(|port| {
        let side = if port.side == Side::Provided { "provides" } else { "requires" };
        node(port.name.text.clone(), format!("{side} {}", port.name.text), NodeShape::Port)
    }));
    let place = |end: End| match end {
        End::Own(port) => n_parts + port.0 as usize,
        End::Part(part, _) => part.0 as usize,
    };
    let mut wires: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for wire in &composite.connections {
        let labels = wires.entry((place(wire.client), place(wire.server))).or_default();
        // A port of the composite bears its name itself.
        if let (End::Part(part, port), End::Part(..)) = (wire.client, wire.server) {
            let of = system.component(composite.parts[part.0 as usize].of);
            labels.push(of.ports[port.0 as usize].name.text.clone());
        }
    }
    if composite.parts.is_empty() {
        for (number, port) in composite.ports.iter().enumerate() {
            let ends = if port.side == Side::Provided { (1 + number, 0) } else { (0, 1 + number) };
            wires.insert(ends, Vec::new());
        }
    }
    let is_called = |node: usize| wires.keys().any(|&(_, to)| to == node);
    let initial: Vec<bool> = (0..nodes.len()).map(|node| !is_called(node)).collect();
    nodes.iter_mut().zip(initial).for_each(|(node, initial)| node.initial = initial);
    let edges = wires.into_iter().map(|((from, to), labels)| GraphEdge { from, to, labels });
    let title = format!("{title}: {}", composite.name.text);
    Ok(Graph { title, nodes, edges: edges.collect() })
}

/// The last composite that is part of no other.
fn outermost(system: &Architecture) -> ComponentId {
    let order = system.bottom_up();
    let inner = |id: &&ComponentId| {
        order.iter().any(|&other| system.component(other).parts.iter().any(|part| part.of == **id))
    };
    let composites = order.iter().rev().filter(|id| system.component(**id).is_composite());
    composites.clone().find(|id| !inner(id)).or(order.last()).copied().unwrap_or(ComponentId(0))
}

fn node(label: String, tooltip: String, shape: NodeShape) -> GraphNode {
    GraphNode { label, tooltip, initial: false, end: false, stuck: false, shape }
}

fn tooltip(component: &Component) -> String {
    let ports = component.ports.iter().map(|port| {
        let side = if port.side == Side::Provided { "provides" } else { "requires" };
        format!("{side} {}", port.name.text)
    });
    std::iter::once(component.name.text.clone()).chain(ports).collect::<Vec<_>>().join("\n")
}
