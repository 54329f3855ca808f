//! A Petri net as places and transitions, and its markings in words.

use std::collections::BTreeMap;

use quadrille_diagnostic::Diagnostic;
use quadrille_query::petri::Net;
use quadrille_report::{Graph, GraphEdge, GraphNode, NodeShape};

/// Places and transitions that are drawn at most, unless more are asked for.
pub(super) const MOST: u64 = 300;

/// A net with its initial marking.
pub(super) fn net(net: &Net, title: &str, limit: u64) -> Result<Graph, Diagnostic> {
    let n_nodes = net.n_places() + net.transitions.len();
    if n_nodes as u64 > limit {
        return Err(Graph::too_large_net(n_nodes as u64, limit));
    }
    let node = |label: String, tooltip: String, initial: bool, shape: NodeShape| GraphNode {
        label,
        tooltip,
        initial,
        end: false,
        stuck: false,
        shape,
    };
    let places = net.places.iter().zip(&net.initial).map(|(id, &tokens)| {
        let label = match tokens {
            0 => id.clone(),
            1..=3 => format!("{id} {}", "\u{2022}".repeat(tokens as usize)),
            more => format!("{id} {more}"),
        };
        node(label, format!("{id}: {tokens}"), tokens > 0, NodeShape::Place)
    });
    let transitions = net.transitions.iter().map(|transition| {
        node(transition.id.clone(), transition.id.clone(), false, NodeShape::Step)
    });
    let nodes = places.chain(transitions).collect();
    let mut arcs: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    let weight = |weight: u32| if weight == 1 { Vec::new() } else { vec![weight.to_string()] };
    for (number, transition) in net.transitions.iter().enumerate() {
        let at = net.n_places() + number;
        for &(place, tokens) in &transition.take {
            arcs.insert((place.index(), at), weight(tokens));
        }
        for &(place, tokens) in &transition.put {
            arcs.insert((at, place.index()), weight(tokens));
        }
    }
    let edges = arcs.into_iter().map(|((from, to), labels)| GraphEdge { from, to, labels });
    Ok(Graph { title: title.to_owned(), nodes, edges: edges.collect() })
}

/// A marking in words: the places that hold tokens, with how many where that is not one.
pub(super) fn marking(net: &Net, tokens: &[u32]) -> String {
    let held = net.places.iter().zip(tokens).filter(|(_, tokens)| **tokens > 0);
    let words = held.map(|(id, &tokens)| match tokens {
        1 => id.clone(),
        more => format!("{more} {id}"),
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { "no token".to_owned() } else { words.join(", ") }
}
