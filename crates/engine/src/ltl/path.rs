//! Shortest paths in the product: what makes counterexamples short, and the whole search where
//! only finite runs count.

use super::node::{Node, NodeTable};
use super::product::{Move, Product};
use crate::Stopped;

/// A path of the product.
pub(super) struct Path {
    pub start: Node,
    pub moves: Vec<Move>,
}

impl Path {
    /// Its last node.
    pub fn end(&self) -> Node {
        self.moves.last().map_or(self.start, |step| step.to)
    }
}

/// How a search comes to a node.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub node: Node,
    /// The last move; `None` where the search starts.
    pub step: Option<Move>,
}

/// What a search knows of a node.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Seen {
    #[default]
    Never,
    Admitted,
    Refused,
}

/// An entry of the queue, which keeps what it has served as the tree of shortest paths.
struct Entry {
    arrival: Arrival,
    parent: u32,
}

/// A shortest path over admitted nodes to an arrival that is a goal, see [`nearest`].
pub(super) fn shortest(
    product: &mut Product,
    starts: &[Node],
    admit: impl FnMut(&mut Product, Node) -> Result<bool, Stopped>,
    goal: impl FnMut(&Product, Arrival) -> bool,
) -> Result<Option<Path>, Stopped> {
    Ok(nearest(product, starts, admit, goal, 1)?.pop())
}

/// Shortest paths over admitted nodes to the first arrivals that are goals, breadth first.
///
/// `admit` is asked once per node and must leave it entered; a goal may be a move to a node seen
/// before, so that cycles can be closed.
pub(super) fn nearest(
    product: &mut Product,
    starts: &[Node],
    mut admit: impl FnMut(&mut Product, Node) -> Result<bool, Stopped>,
    mut goal: impl FnMut(&Product, Arrival) -> bool,
    n_wanted: usize,
) -> Result<Vec<Path>, Stopped> {
    let mut seen: NodeTable<Seen> = NodeTable::new(product.n_locations());
    let mut queue: Vec<Entry> = Vec::new();
    let mut arrivals: Vec<Arrival> =
        starts.iter().map(|&node| Arrival { node, step: None }).collect();
    let (mut paths, mut served) = (Vec::new(), 0);
    loop {
        for arrival in arrivals.drain(..) {
            let first = seen.get(arrival.node) == Seen::Never;
            if first {
                let admitted = admit(product, arrival.node)?;
                seen.set(arrival.node, if admitted { Seen::Admitted } else { Seen::Refused });
            }
            if seen.get(arrival.node) == Seen::Refused {
                continue;
            }
            // The arrivals of a round come from the entry served last.
            let entry = Entry { arrival, parent: (served as u32).wrapping_sub(1) };
            if goal(product, arrival) {
                paths.push(path_to(&queue, &entry));
                if paths.len() == n_wanted {
                    return Ok(paths);
                }
            }
            if first {
                queue.push(entry);
            }
        }
        let Some(next) = queue.get(served) else { return Ok(paths) };
        served += 1;
        let node = next.arrival.node;
        product.load(node)?;
        product.work(8, || seen.bytes() + queue.capacity() * size_of::<Entry>())?;
        let steps = product.moves(node);
        arrivals.extend(steps.map(|step| Arrival { node: step.to, step: Some(step) }));
    }
}

fn path_to(queue: &[Entry], last: &Entry) -> Path {
    let mut moves = Vec::new();
    let mut entry = last;
    while let Some(step) = entry.arrival.step {
        moves.push(step);
        entry = &queue[entry.parent as usize];
    }
    moves.reverse();
    Path { start: entry.arrival.node, moves }
}
