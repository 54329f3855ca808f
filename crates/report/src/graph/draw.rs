//! A laid-out graph as SVG.

use std::fmt::Write as _;

use super::layout::{Layout, Route, Sizes, TEXT_INSET, layout};
use super::{Graph, GraphEdge, GraphNode, NodeShape};
use crate::svg::{Anchor, Canvas, Px, shorten, text_width};

const MARGIN: Px = 20;
const TITLE: Px = 42;
const NODE_HEIGHT: Px = 26;
const LINE: Px = 14;
/// Longer labels are cut; the whole text stands in the tooltip.
const MAX_LABEL: usize = 32;
/// Labels of one edge that are shown before the number of the others.
const MAX_LINES: usize = 4;
/// Room for the arrow that marks an initial node.
const START: Px = 22;
/// How far a loop reaches out to the right of its node.
const LOOP: Px = 26;

pub(super) fn draw(graph: &Graph) -> String {
    let loops: Vec<Option<&GraphEdge>> = (0..graph.nodes.len())
        .map(|node| graph.edges.iter().find(|edge| edge.from == node && edge.to == node))
        .collect();
    let sizes = Sizes {
        // A loop widens its node on both sides, so that the node stays in the middle.
        nodes: graph
            .nodes
            .iter()
            .zip(&loops)
            .map(|(node, lap)| node_width(node) + 2 * lap.map_or(0, |lap| LOOP + label_size(lap).0))
            .collect(),
        labels: graph.edges.iter().map(label_size).collect(),
        height: NODE_HEIGHT + 4,
    };
    let places = layout(graph, &sizes);
    let mut canvas = Canvas::default();
    let title = shorten(&graph.title, 90);
    canvas.text("title", MARGIN, MARGIN + 6, Anchor::Start, &title);
    if graph.is_wiring() {
        frame(&mut canvas, graph, &places);
    }
    let mut labels = Vec::new();
    for (number, edge) in graph.edges.iter().enumerate() {
        canvas.open_group(&edge.labels.join("\n"));
        match &places.routes {
            Some(routes) if edge.from != edge.to => {
                labels.push((edge, line(&mut canvas, graph, &places, edge, &routes[number])));
            }
            Some(_) => labels.push((edge, lap(&mut canvas, graph, &places, edge))),
            None if edge.from != edge.to => straight(&mut canvas, &places, edge),
            None => {}
        }
        canvas.close_group();
    }
    // Above all lines, so that none runs through them.
    for (edge, place) in labels {
        label(&mut canvas, edge, place);
    }
    for (node, &centre) in graph.nodes.iter().zip(&places.nodes) {
        draw_node(&mut canvas, node, on_page(centre));
    }
    let width = (places.width + 2 * MARGIN).max(text_width(&title) * 13 / 12 + 2 * MARGIN);
    canvas.finish(&graph.title, width, places.height + MARGIN + TITLE + START)
}

/// From the layout's coordinates to the page's.
fn on_page((x, y): (Px, Px)) -> (Px, Px) {
    (x + MARGIN, y + TITLE + START)
}

fn node_width(node: &GraphNode) -> Px {
    (text_width(&shorten(&node.label, MAX_LABEL)) + 18).max(30)
}

/// The lines of an edge's label.
fn label_lines(edge: &GraphEdge) -> Vec<String> {
    let shown = if edge.labels.len() > MAX_LINES { MAX_LINES - 1 } else { MAX_LINES };
    let mut lines: Vec<String> =
        edge.labels.iter().take(shown).map(|label| shorten(label, MAX_LABEL)).collect();
    if edge.labels.len() > shown {
        lines.push(format!("and {} more", edge.labels.len() - shown));
    }
    lines
}

fn label_size(edge: &GraphEdge) -> (Px, Px) {
    let lines = label_lines(edge);
    let width = lines.iter().map(|line| text_width(line)).max().unwrap_or(0);
    (width, lines.len() as Px * LINE)
}

/// The label of an edge, at the right of a place.
fn label(canvas: &mut Canvas, edge: &GraphEdge, (x, y): (Px, Px)) {
    let lines = label_lines(edge);
    let mut y = y - (lines.len() as Px - 1) * LINE / 2 + 4;
    for text in lines {
        canvas.text("halo", x, y, Anchor::Start, &text);
        y += LINE;
    }
}

fn draw_node(canvas: &mut Canvas, node: &GraphNode, (x, y): (Px, Px)) {
    let (width, height) = (node_width(node), NODE_HEIGHT);
    canvas.open_group(&node.tooltip);
    if node.initial && node.shape == NodeShape::State {
        let from = (x, y - height / 2 - START);
        canvas.circle("tip", from, 3);
        canvas.arrow(from, (x, y - height / 2 - 1));
    }
    if node.end {
        canvas.rect(
            "end",
            (x - width / 2 - 3, y - height / 2 - 3),
            (width + 6, height + 6),
            height / 2 + 3,
        );
    }
    let (class, radius) = match (node.stuck, node.shape) {
        (true, _) => ("stuck", height / 2),
        (false, NodeShape::State | NodeShape::Place) => ("box", height / 2),
        (false, NodeShape::Part) => ("box", 3),
        (false, NodeShape::Step) => ("head", 2),
        (false, NodeShape::Port) => ("head", height / 2),
    };
    canvas.rect(class, (x - width / 2, y - height / 2), (width, height), radius);
    canvas.text("label", x, y + 4, Anchor::Middle, &shorten(&node.label, MAX_LABEL));
    canvas.close_group();
}

/// The border between the parts of a system and what is outside: through the middle of the ports.
fn frame(canvas: &mut Canvas, graph: &Graph, places: &Layout) {
    let shaped = |shape: NodeShape| {
        let nodes = graph.nodes.iter().zip(&places.nodes);
        nodes.filter(move |(node, _)| node.shape == shape).map(|(_, place)| place.1)
    };
    let first = shaped(NodeShape::Part).min().unwrap_or(0) - NODE_HEIGHT;
    let points = places.routes.iter().flatten().flat_map(|route| &route.points);
    let wires = points.map(|point| point.1 + 14);
    let last = shaped(NodeShape::Part).max().unwrap_or(0) + NODE_HEIGHT;
    let top = shaped(NodeShape::Port).filter(|&y| y < first).max().unwrap_or(first);
    let port = shaped(NodeShape::Port).filter(|&y| y > last).min();
    let bottom = port.unwrap_or_else(|| wires.chain([last]).max().unwrap_or(last));
    let (x, y) = on_page((-MARGIN / 2, top));
    canvas.rect("frame", (x, y), (places.width + MARGIN, bottom - top), 6);
}

/// A loop at the right side of a node; where its label stands.
fn lap(canvas: &mut Canvas, graph: &Graph, places: &Layout, edge: &GraphEdge) -> (Px, Px) {
    let (x, y) = on_page(places.nodes[edge.from]);
    let x = x
        + node_width(&graph.nodes[edge.from]) / 2
        + if graph.nodes[edge.from].end { 3 } else { 0 };
    let (out, up) = (x + LOOP, y - 13);
    canvas.path(&format!("M{x} {} C{out} {up} {out} {} {x} {}", y - 5, y + 13, y + 5));
    (x + LOOP - 4, y)
}

/// An edge of a large graph, from rim to rim; its labels are in the tooltip.
fn straight(canvas: &mut Canvas, places: &Layout, edge: &GraphEdge) {
    let ((x, y), (to_x, to_y)) = (on_page(places.nodes[edge.from]), on_page(places.nodes[edge.to]));
    let rim = NODE_HEIGHT / 2 + 1;
    let side = (to_y - y).signum() * rim;
    canvas.line("thin", (x, y + side), (to_x, to_y - side));
}

/// An edge between two nodes: smooth, upright where it passes a rank; where its label stands.
fn line(
    canvas: &mut Canvas,
    graph: &Graph,
    places: &Layout,
    edge: &GraphEdge,
    route: &Route,
) -> (Px, Px) {
    let points: Vec<(Px, Px)> = route.points.iter().copied().map(on_page).collect();
    let end = |node: usize, towards: (Px, Px)| {
        let (x, y) = on_page(places.nodes[node]);
        let reach = node_width(&graph.nodes[node]) / 2 - 5;
        let rim = NODE_HEIGHT / 2 + if graph.nodes[node].end { 4 } else { 1 };
        let side = if towards.1 >= y { rim } else { -rim };
        (x + ((towards.0 - x) / 3).clamp(-reach, reach), y + side)
    };
    let (first, last) = (points[0], points[points.len() - 1]);
    let (start, stop) = (end(edge.from, first), end(edge.to, last));
    let path = if route.level {
        let level =
            |x: Px| format!("{} {} {} {}", Px::midpoint(x, first.0), first.1, first.0, first.1);
        let ((x, y), (to_x, to_y)) = (start, stop);
        let half = level(x);
        let back = Px::midpoint(to_x, first.0);
        format!(
            "M{x} {y} C{x} {} {half} C{back} {} {to_x} {} {to_x} {to_y}",
            first.1, first.1, first.1
        )
    } else {
        smooth(&[&[start], points.as_slice(), &[stop]].concat())
    };
    canvas.path(&path);
    let (x, y) = points[route.label];
    (x + TEXT_INSET, y)
}

/// A curve through all points that is upright at each of them, so that it never runs through the label
/// beside it: cubic Bézier pieces with vertical tangents.
fn smooth(points: &[(Px, Px)]) -> String {
    let mut path = format!("M{} {}", points[0].0, points[0].1);
    for pair in points.windows(2) {
        let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
        let middle = Px::midpoint(y, to_y);
        let _ = write!(path, " C{x} {middle} {to_x} {middle} {to_x} {to_y}");
    }
    path
}
