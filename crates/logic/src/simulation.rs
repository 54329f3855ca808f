//! Direct simulation between the locations of an automaton, letter by letter, and what follows from
//! it: merging locations, dropping edges that another edge makes superfluous, disjoint labels.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Cube, Edge, Location};

/// Most comparisons of edges; larger automata are left as they are.
const MAX_WORK: usize = 4_000_000;

/// Which way a simulation looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    /// A location is below another when that one can do all that it can do.
    Forward,
    /// A location is below another when that one can be entered wherever it can.
    Backward,
}

/// Which locations are below which.
struct Below {
    rows: Vec<Vec<bool>>,
}

impl Below {
    fn holds(&self, low: Location, high: Location) -> bool {
        self.rows[low.index()][high.index()]
    }

    /// Adds what follows by transitivity. Nothing does, unless covering gave up on some label; what
    /// is added is then a simulation as well.
    fn close(&mut self) {
        for middle in 0..self.rows.len() {
            let through = self.rows[middle].clone();
            for row in &mut self.rows {
                if row[middle] {
                    for (known, &further) in row.iter_mut().zip(&through) {
                        *known |= further;
                    }
                }
            }
        }
    }
}

/// Edges seen from one end: for `Backward` the location is where the edge comes from.
fn arms(automaton: &Automaton, direction: Direction) -> Vec<Vec<Edge>> {
    if direction == Direction::Forward {
        return automaton.edges.clone();
    }
    let mut arms = vec![Vec::new(); automaton.n_locations()];
    for (from, edges) in automaton.edges.iter().enumerate() {
        for edge in edges {
            arms[edge.to.index()].push(Edge { to: Location(from as u32), ..*edge });
        }
    }
    arms
}

/// The largest simulation, or `None` where it would take too long.
fn simulation(automaton: &Automaton, finals: &[bool], direction: Direction) -> Option<Below> {
    let n_locations = automaton.n_locations();
    let arms = arms(automaton, direction);
    let n_edges = automaton.n_edges();
    if n_edges.saturating_mul(n_edges.max(n_locations)) > MAX_WORK {
        return None;
    }
    let special: Vec<bool> = match direction {
        Direction::Forward if finals.is_empty() => vec![false; n_locations],
        Direction::Forward => finals.to_vec(),
        Direction::Backward => {
            let mut special = vec![false; n_locations];
            for start in &automaton.initial {
                special[start.index()] = true;
            }
            special
        }
    };
    let row = |low: usize| (0..n_locations).map(|high| !special[low] || special[high]).collect();
    let mut below = Below { rows: (0..n_locations).map(row).collect() };
    let mut changed = true;
    while changed {
        changed = false;
        for low in 0..n_locations {
            for high in 0..n_locations {
                if low == high || !below.rows[low][high] {
                    continue;
                }
                if !arms[low].iter().all(|edge| is_matched(edge, &arms[high], &below)) {
                    below.rows[low][high] = false;
                    changed = true;
                }
            }
        }
    }
    below.close();
    Some(below)
}

/// Whether for each letter of an edge there is one among the others that is at least as good.
fn is_matched(edge: &Edge, others: &[Edge], below: &Below) -> bool {
    let fitting = others
        .iter()
        .filter(|other| edge.marks & !other.marks == 0 && below.holds(edge.to, other.to));
    let cubes: Vec<Cube> = fitting.map(|other| other.label).collect();
    edge.label.is_covered_by(&cubes)
}

/// Merges locations that simulate each other and drops edges that a better one accompanies.
pub(crate) fn reduce(automaton: &mut Automaton, finals: &mut [bool], direction: Direction) {
    let Some(below) = simulation(automaton, finals, direction) else { return };
    let representative = |at: usize| {
        let equal = |other: &usize| below.rows[at][*other] && below.rows[*other][at];
        (0..automaton.n_locations()).find(equal).unwrap_or(at)
    };
    let class: Vec<usize> = (0..automaton.n_locations()).map(representative).collect();
    let mut arms = arms(automaton, direction);
    for (at, edges) in arms.iter_mut().enumerate() {
        if class[at] != at {
            edges.clear();
            continue;
        }
        for edge in edges.iter_mut() {
            edge.to = Location(class[edge.to.index()] as u32);
        }
        edges.sort_unstable();
        edges.dedup();
        let all = edges.clone();
        let is_better = |better: &Edge, edge: &Edge| {
            better != edge
                && edge.label.implies(better.label)
                && edge.marks & !better.marks == 0
                && below.holds(edge.to, better.to)
        };
        edges.retain(|edge| !all.iter().any(|other| is_better(other, edge)));
    }
    automaton.edges = match direction {
        Direction::Forward => arms,
        Direction::Backward => {
            let backward = Automaton { initial: Vec::new(), edges: arms, n_sets: 0 };
            self::arms(&backward, Direction::Backward)
        }
    };
    for at in 0..class.len() {
        if direction == Direction::Backward && !finals.is_empty() && finals[at] {
            finals[class[at]] = true;
        }
    }
    for start in &mut automaton.initial {
        *start = Location(class[start.index()] as u32);
    }
}

/// Merges locations with the same future by partition refinement, which is quick on any size.
pub(crate) fn merge_equal(automaton: &mut Automaton, finals: &mut [bool]) {
    let mut class: Vec<u32> = match finals {
        [] => vec![0; automaton.n_locations()],
        finals => finals.iter().map(|&is_final| u32::from(is_final)).collect(),
    };
    let mut n_classes = 0;
    loop {
        let mut names: FxHashMap<(u32, Vec<Edge>), u32> = FxHashMap::default();
        let mut refined = Vec::with_capacity(class.len());
        for (at, edges) in automaton.edges.iter().enumerate() {
            let mut image: Vec<Edge> = edges
                .iter()
                .map(|edge| Edge { to: Location(class[edge.to.index()]), ..*edge })
                .collect();
            image.sort_unstable();
            image.dedup();
            let fresh = names.len() as u32;
            refined.push(*names.entry((class[at], image)).or_insert(fresh));
        }
        let stable = names.len() == n_classes;
        n_classes = names.len();
        class = refined;
        if stable {
            break;
        }
    }
    let mut first = vec![None; n_classes];
    for (at, &name) in class.iter().enumerate() {
        first[name as usize].get_or_insert(Location(at as u32));
    }
    let chosen = |at: Location| first[class[at.index()] as usize].unwrap_or(at);
    for edges in &mut automaton.edges {
        for edge in edges.iter_mut() {
            edge.to = chosen(edge.to);
        }
        edges.sort_unstable();
        edges.dedup();
    }
    for start in &mut automaton.initial {
        *start = chosen(*start);
    }
}

/// Takes from a label the letters on which a better edge leaves the same location, where what
/// remains is still a cube. Fewer runs have then to be followed.
pub(crate) fn make_disjoint(automaton: &mut Automaton, finals: &[bool]) {
    let Some(below) = simulation(automaton, finals, Direction::Forward) else { return };
    for edges in &mut automaton.edges {
        for at in 0..edges.len() {
            for better_at in 0..edges.len() {
                let (edge, better) = (edges[at], edges[better_at]);
                let is_good = |good: Edge, edge: Edge| {
                    edge.marks & !good.marks == 0 && below.holds(edge.to, good.to)
                };
                let is_better = at != better_at
                    && is_good(better, edge)
                    && (better_at < at || !is_good(edge, better));
                if is_better && let Some(label) = subtract(edge.label, better.label) {
                    edges[at].label = label;
                }
            }
        }
    }
}

/// The letters of one cube without those of another, where they are a cube and fewer.
fn subtract(cube: Cube, other: Cube) -> Option<Cube> {
    cube.and(other)?;
    let positive = other.positive & !cube.positive;
    let negative = other.negative & !cube.negative;
    (positive.count_ones() + negative.count_ones() == 1)
        .then_some(Cube { positive: cube.positive | negative, negative: cube.negative | positive })
}
