//! From what a search found to a run that a person can follow: a short stem and a short loop, or
//! a stem to an end.

use quadrille_logic::Marks;
use quadrille_model::{Ending, TaskId, Trace};
use rustc_hash::FxHashSet;

use super::Witness;
use super::fairness::FairTasks;
use super::node::Node;
use super::path::{Arrival, Path, nearest, shortest};
use super::product::{Move, Product};
use crate::Stopped;

/// A run that shows what the witness says. `met` tells which nodes were entered; the run stays
/// inside them.
pub(super) fn run_of(
    product: &mut Product,
    witness: Witness,
    met: impl Fn(Node) -> bool,
    fair: &FairTasks,
) -> Result<Trace, Stopped> {
    let starts = product.initial();
    let admit = |_: &mut Product, node| Ok(met(node));
    match witness {
        Witness::End => {
            let ends = |product: &Product, arrival: Arrival| product.accepts_end(arrival.node);
            let stem = shortest(product, &starts, admit, ends)?;
            ended(product, &stem.expect("an end that was met can be reached"))
        }
        Witness::Cycle(members) => {
            let members: FxHashSet<Node> = members.into_iter().collect();
            let mut entries: FxHashSet<Node> = FxHashSet::default();
            let n_wanted = if members.len() > LARGE { 1 } else { members.len().min(MOST_TRIED) };
            let enters = |_: &Product, arrival: Arrival| {
                members.contains(&arrival.node) && entries.insert(arrival.node)
            };
            let mut lassos: Vec<Trace> = Vec::new();
            for mut stem in nearest(product, &starts, admit, enters, n_wanted)? {
                let from = stem.moves.len();
                let around = cycle(product, stem.end(), &members, fair)?;
                stem.moves.extend(around);
                lassos.push(folded(to_trace(product, &stem, Ending::Loop { from })));
            }
            let shortest = lassos.into_iter().min_by_key(|trace| trace.steps.len());
            Ok(shortest.expect("a cycle that was met can be reached"))
        }
    }
}

/// How many nodes of a cycle are tried as its beginning …
const MOST_TRIED: usize = 16;
/// … unless there are more than this many to choose from, where a try takes long.
const LARGE: usize = 1 << 16;

/// The same infinite run with the shortest loop and the shortest stem.
///
/// A lasso of the product may go round twice before the automaton is back where it was, or enter
/// the loop late because the automaton had to guess first; the run does not care.
pub(crate) fn folded(mut trace: Trace) -> Trace {
    let Ending::Loop { mut from } = trace.ending else { return trace };
    let period = period(&trace.steps[from..]);
    trace.steps.truncate(from + period);
    loop {
        let last = trace.steps.len() - 1;
        let same_step = from > 0 && trace.steps[from - 1] == trace.steps[last];
        if !same_step || trace.state(from - 1) != trace.state(last) {
            break;
        }
        trace.steps.pop();
        from -= 1;
    }
    trace.ending = Ending::Loop { from };
    trace
}

/// The length of the shortest part that, repeated, gives all (by the failure function of Knuth,
/// Morris and Pratt, 1977).
fn period<T: PartialEq>(all: &[T]) -> usize {
    let mut borders = vec![0; all.len()];
    for end in 1..all.len() {
        let mut border = borders[end - 1];
        while border > 0 && all[border] != all[end] {
            border = borders[border - 1];
        }
        borders[end] = border + usize::from(all[border] == all[end]);
    }
    let shortest = all.len() - borders.last().copied().unwrap_or(0);
    if all.len().is_multiple_of(shortest.max(1)) { shortest } else { all.len() }
}

/// The run along a path that ends there.
pub(super) fn ended(product: &mut Product, path: &Path) -> Result<Trace, Stopped> {
    let finished = product.graph.space_mut().may_end(path.end().state)?;
    let ending = if finished { Ending::Finished } else { Ending::Stuck };
    Ok(to_trace(product, path, ending))
}

fn to_trace(product: &Product, path: &Path, ending: Ending) -> Trace {
    let edge = |step: &Move| product.graph.edge(step.label, step.to.state);
    let edges: Vec<_> = path.moves.iter().map(edge).collect();
    product.graph.space().trace(path.start.state, &edges, ending)
}

/// A cycle through a node that stays inside a strongly connected set and fulfils all that
/// acceptance and fairness ask for: the shortest of all, if that is enough, or else always on to
/// the nearest move that fulfils something more.
fn cycle(
    product: &mut Product,
    start: Node,
    members: &FxHashSet<Node>,
    fair: &FairTasks,
) -> Result<Vec<Move>, Stopped> {
    let admit = |_: &mut Product, node| Ok(members.contains(&node));
    let closes = |_: &Product, arrival: Arrival| arrival.step.is_some() && arrival.node == start;
    let mut all = Pending::new(product, members, fair);
    all.absorb(product, Arrival { node: start, step: None });
    let shortest_of_all = shortest(product, &[start], admit, closes)?;
    let shortest_of_all = shortest_of_all.expect("a strongly connected set has a cycle");
    let mut pending = all.clone();
    pending.absorb_all(product, &shortest_of_all.moves);
    if pending.is_empty() {
        return Ok(shortest_of_all.moves);
    }
    let (mut pending, mut at, mut moves) = (all, start, Vec::new());
    while !pending.is_empty() {
        let serves = |product: &Product, arrival| pending.is_served_by(product, arrival);
        let part = shortest(product, &[at], admit, serves)?;
        let part = part.expect("a fair set offers everything that is asked for");
        pending.absorb_all(product, &part.moves);
        at = part.end();
        moves.extend(part.moves);
    }
    if at != start {
        let back = shortest(product, &[at], admit, closes)?;
        moves.extend(back.expect("a strongly connected set has a way back").moves);
    }
    Ok(moves)
}

/// What a cycle still has to pass.
#[derive(Clone)]
struct Pending {
    marks: Marks,
    /// Tasks to take.
    take: Vec<TaskId>,
    /// Tasks to take or to see disabled.
    take_or_disable: Vec<TaskId>,
}

impl Pending {
    fn new(product: &Product, members: &FxHashSet<Node>, fair: &FairTasks) -> Self {
        let inner = |&node: &Node| product.moves(node).filter(|step| members.contains(&step.to));
        let taken: FxHashSet<TaskId> = match fair.strong() {
            [] => FxHashSet::default(),
            _ => members.iter().flat_map(inner).map(|step| product.task(step)).collect(),
        };
        Self {
            marks: product.all_marks(),
            take: fair.strong().iter().filter(|task| taken.contains(task)).copied().collect(),
            take_or_disable: fair.weak().to_vec(),
        }
    }

    fn is_empty(&self) -> bool {
        self.marks == 0 && self.take.is_empty() && self.take_or_disable.is_empty()
    }

    fn is_served_by(&self, product: &Product, arrival: Arrival) -> bool {
        let took = arrival.step.map(|step| product.task(step));
        let takes = |task: &TaskId| took == Some(*task);
        arrival.step.is_some_and(|step| step.marks & self.marks != 0)
            || self.take.iter().any(takes)
            || self.take_or_disable.iter().any(takes)
            || self.take_or_disable.iter().any(|&task| is_disabled(product, arrival.node, task))
    }

    fn absorb_all(&mut self, product: &Product, moves: &[Move]) {
        for &step in moves {
            self.absorb(product, Arrival { node: step.to, step: Some(step) });
        }
    }

    fn absorb(&mut self, product: &Product, arrival: Arrival) {
        let took = arrival.step.map(|step| product.task(step));
        self.marks &= !arrival.step.map_or(0, |step| step.marks);
        self.take.retain(|&task| took != Some(task));
        self.take_or_disable
            .retain(|&task| took != Some(task) && !is_disabled(product, arrival.node, task));
    }
}

fn is_disabled(product: &Product, node: Node, task: TaskId) -> bool {
    product.enabled(node.state).all(|enabled| enabled != task)
}

#[cfg(test)]
mod tests;
