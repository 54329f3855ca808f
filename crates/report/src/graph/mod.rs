//! Small state graphs as drawings: what is drawn, and the formats that leave the layout to others.

mod draw;
mod layout;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use quadrille_diagnostic::Diagnostic;
use quadrille_model::{Explicit, StateId};

use crate::codes;
use crate::mermaid::escape;
use crate::text::clean;

/// A graph to be drawn. Edges with the same ends are one edge with several labels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// What stands above the drawing.
    pub title: String,
    /// The nodes; edges count them from 0.
    pub nodes: Vec<GraphNode>,
    /// The edges, ordered by their ends.
    pub edges: Vec<GraphEdge>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphNode {
    /// What stands in it.
    pub label: String,
    /// What it means, in full.
    pub tooltip: String,
    /// Whether runs start here.
    pub initial: bool,
    /// Whether runs may end here.
    pub end: bool,
    /// Whether runs get stuck here.
    pub stuck: bool,
    /// What it stands for.
    pub shape: NodeShape,
}

/// What a node stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NodeShape {
    /// A state.
    #[default]
    State,
    /// A part of a system; the graph has boxes and wires.
    Part,
    /// Where such a system meets what is outside.
    Port,
    /// A place of a net; runs start with its tokens where it is initial.
    Place,
    /// A transition of a net; the graph has places and transitions.
    Step,
}

/// An edge, or several with the same ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphEdge {
    /// Where it starts.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// Its labels, in order.
    pub labels: Vec<String>,
}

/// What a slot holds in a state, as a drawing tells it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlotText {
    /// The name of the slot.
    pub name: String,
    /// What it holds.
    pub value: String,
    /// Whether only tooltips mention it.
    pub hidden: bool,
}

impl Graph {
    /// The graph of a transition system whose states hold these values. A state is named by what the
    /// first step to it changed, or by its number.
    pub fn of(title: &str, system: &Explicit, values: impl Fn(StateId) -> Vec<SlotText>) -> Graph {
        let values: Vec<Vec<SlotText>> = system.states().map(values).collect();
        let mut parents: Vec<Option<StateId>> = vec![None; system.n_states()];
        let mut edges: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        for from in system.states() {
            for (action, to) in system.edges(from) {
                if *to > from {
                    parents[to.index()].get_or_insert(from);
                }
                let labels = edges.entry((from.index(), to.index())).or_default();
                let label = system.labels()[action.index()].clone();
                if !labels.contains(&label) {
                    labels.push(label);
                }
            }
        }
        let node = |state: StateId| GraphNode {
            label: name(state, parents[state.index()], &values),
            tooltip: tooltip(state, &values[state.index()]),
            initial: system.initial_states().contains(&state),
            end: system.is_end(state),
            stuck: system.edges(state).is_empty() && !system.is_end(state),
            shape: NodeShape::State,
        };
        let edge = |((from, to), labels)| GraphEdge { from, to, labels };
        Graph {
            title: title.to_owned(),
            nodes: system.states().map(node).collect(),
            edges: edges.into_iter().map(edge).collect(),
        }
    }

    /// The graph as self-contained SVG.
    pub fn svg(&self) -> String {
        draw::draw(self)
    }

    /// Whether it shows parts and wires, not states.
    fn is_wiring(&self) -> bool {
        self.nodes.iter().any(|node| node.shape == NodeShape::Part)
    }

    /// Boxes and wires as a Mermaid `flowchart`.
    fn flowchart(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        let is_port = |node: &&(usize, &GraphNode)| node.1.shape == NodeShape::Port;
        let nodes: Vec<(usize, &GraphNode)> = self.nodes.iter().enumerate().collect();
        for (number, node) in nodes.iter().filter(is_port) {
            let _ = writeln!(text, "  s{number}([\"{}\"])", escape(&node.label));
        }
        let _ = writeln!(text, "  subgraph whole[\"{}\"]", escape(&self.title));
        for (number, node) in nodes.iter().filter(|node| !is_port(node)) {
            let _ = writeln!(text, "    s{number}[\"{}\"]", escape(&node.label));
        }
        text.push_str("  end\n");
        for GraphEdge { from, to, labels } in &self.edges {
            let labels: Vec<String> = labels.iter().map(|label| escape(label)).collect();
            let _ = match labels.join("<br/>") {
                label if label.is_empty() => writeln!(text, "  s{from} --> s{to}"),
                label => writeln!(text, "  s{from} -->|\"{label}\"| s{to}"),
            };
        }
        text
    }

    /// A net as a Mermaid `flowchart`: places round, transitions square.
    fn net_chart(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        for (number, node) in self.nodes.iter().enumerate() {
            let label = escape(&node.label);
            let _ = match node.shape {
                NodeShape::Step => writeln!(text, "  s{number}[\"{label}\"]"),
                _ => writeln!(text, "  s{number}([\"{label}\"])"),
            };
        }
        for GraphEdge { from, to, labels } in &self.edges {
            let _ = match labels.first() {
                None => writeln!(text, "  s{from} --> s{to}"),
                Some(weight) => writeln!(text, "  s{from} -->|\"{}\"| s{to}", escape(weight)),
            };
        }
        text
    }

    /// The graph as a Mermaid `stateDiagram-v2`, or as a `flowchart` of parts or of a net.
    pub fn mermaid(&self) -> String {
        if self.is_wiring() {
            return self.flowchart();
        }
        if self.nodes.iter().any(|node| node.shape == NodeShape::Step) {
            return self.net_chart();
        }
        let mut text = String::from("stateDiagram-v2\n");
        for (number, node) in self.nodes.iter().enumerate() {
            let _ = writeln!(text, "  s{number} : {}", escape(&node.label));
            if node.initial {
                let _ = writeln!(text, "  [*] --> s{number}");
            }
            if node.end {
                let _ = writeln!(text, "  s{number} --> [*]");
            }
        }
        for edge in &self.edges {
            let labels: Vec<String> = edge.labels.iter().map(|label| escape(label)).collect();
            let _ = writeln!(text, "  s{} --> s{} : {}", edge.from, edge.to, labels.join("<br/>"));
        }
        text
    }

    /// The graph in the language of Graphviz.
    pub fn dot(&self) -> String {
        let mut text = format!("digraph {} {{\n", quoted(&self.title));
        text.push_str("  node [shape=box, style=rounded, fontname=monospace]\n");
        text.push_str("  edge [fontname=monospace]\n");
        for (number, node) in self.nodes.iter().enumerate() {
            let colour = if node.stuck { ", color=red" } else { "" };
            let outline = match (node.end, node.shape) {
                (true, _) => ", peripheries=2",
                (false, NodeShape::Part | NodeShape::Step) => ", style=solid",
                (false, NodeShape::Port) => ", shape=plaintext",
                (false, NodeShape::Place) => ", shape=ellipse, style=solid",
                (false, NodeShape::State) => "",
            };
            let (label, tooltip) = (quoted(&node.label), quoted(&node.tooltip));
            let _ =
                writeln!(text, "  s{number} [label={label}, tooltip={tooltip}{outline}{colour}]");
            if node.initial && node.shape == NodeShape::State {
                let _ = writeln!(text, "  start{number} [shape=point]");
                let _ = writeln!(text, "  start{number} -> s{number}");
            }
        }
        for edge in &self.edges {
            let label = quoted(&edge.labels.join("\n"));
            let _ = writeln!(text, "  s{} -> s{} [label={label}]", edge.from, edge.to);
        }
        text.push_str("}\n");
        text
    }

    /// What to say where a net has more than `limit` places and transitions.
    pub fn too_large_net(n_nodes: u64, limit: u64) -> Diagnostic {
        let message =
            format!("the net has {n_nodes} places and transitions, more than {limit} to draw");
        let help =
            format!("draw it with `--max-states {n_nodes}`, or with `--to dot` for Graphviz");
        Diagnostic::error(&codes::TOO_LARGE_TO_DRAW, message).help(help)
    }

    /// What to say where a graph would have more than `limit` nodes.
    pub fn too_large(limit: u64) -> Diagnostic {
        let message = format!("there are more than {limit} states to draw");
        Diagnostic::error(&codes::TOO_LARGE_TO_DRAW, message)
            .help("raise --max-states, draw a trace with --trace, or write DOT")
    }
}

/// What the first step to a state changed; the value itself where the state has one slot.
fn name(state: StateId, parent: Option<StateId>, values: &[Vec<SlotText>]) -> String {
    let here = &values[state.index()];
    if let [only] = here.as_slice()
        && !only.hidden
    {
        return only.value.clone();
    }
    let before = parent.map_or(&here[..], |parent| &values[parent.index()]);
    let changed =
        here.iter().zip(before).find(|(now, then)| !now.hidden && now.value != then.value);
    changed.map_or_else(
        || state.number().to_string(),
        |(slot, _)| format!("{} {}", slot.name, slot.value),
    )
}

fn tooltip(state: StateId, values: &[SlotText]) -> String {
    let lines = values.iter().map(|slot| format!("{}: {}", slot.name, slot.value));
    let head = format!("state {}", state.number());
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

/// A string in the language of Graphviz.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| clean(line).replace('\\', "\\\\").replace('"', "\\\""))
        .collect();
    format!("\"{}\"", lines.join("\\n"))
}
