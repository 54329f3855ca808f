//! Makes automata smaller without changing what they accept: what cannot help is pruned, acceptance
//! is simplified component by component, locations are merged by simulation forward and backward
//! (Etessami and Holzmann, CONCUR 2000; Clemente and Mayr, POPL 2013), labels are joined.

use std::collections::BTreeSet;

use quadrille_graph::{Csr, Tree, reachable};

use crate::acceptance;
use crate::automaton::{Automaton, Cube, Edge, Location};
use crate::finite::FiniteAutomaton;
use crate::simulation::{self, Direction};

/// Most rounds of merging.
const MAX_ROUNDS: usize = 10;

/// Reduces an automaton over infinite words.
pub(crate) fn reduce(automaton: &mut Automaton) {
    prune(automaton);
    acceptance::simplify(automaton);
    simulation::merge_equal(automaton, &mut []);
    for _ in 0..MAX_ROUNDS {
        let before = (automaton.n_locations(), automaton.n_edges());
        for transient in [0, automaton.all_marks()] {
            acceptance::mark_transient(automaton, transient);
            for direction in [Direction::Forward, Direction::Backward] {
                simulation::reduce(automaton, &mut [], direction);
                join_labels(&mut automaton.edges);
                prune(automaton);
            }
        }
        acceptance::simplify(automaton);
        if (automaton.n_locations(), automaton.n_edges()) == before {
            break;
        }
    }
    simulation::make_disjoint(automaton, &[]);
    renumber(automaton, &mut Vec::new());
}

/// Reduces an automaton over finite words.
pub(crate) fn reduce_finite(finite: &mut FiniteAutomaton) {
    let mut automaton = Automaton {
        initial: std::mem::take(&mut finite.initial),
        edges: std::mem::take(&mut finite.edges),
        n_sets: 0,
    };
    let finals = &mut finite.is_final;
    prune_finite(&mut automaton, finals);
    simulation::merge_equal(&mut automaton, finals);
    for _ in 0..MAX_ROUNDS {
        let before = (automaton.n_locations(), automaton.n_edges());
        for direction in [Direction::Forward, Direction::Backward] {
            simulation::reduce(&mut automaton, finals, direction);
            join_labels(&mut automaton.edges);
            prune_finite(&mut automaton, finals);
        }
        if (automaton.n_locations(), automaton.n_edges()) == before {
            break;
        }
    }
    simulation::make_disjoint(&mut automaton, finals);
    renumber(&mut automaton, finals);
    finite.initial = automaton.initial;
    finite.edges = automaton.edges;
}

/// Removes locations that no accepting run passes.
fn prune(automaton: &mut Automaton) {
    let components = automaton.components();
    let accepting = automaton.accepting_components(&components);
    let goals: Vec<bool> =
        (0..automaton.n_locations()).map(|at| accepting[components.of[at] as usize]).collect();
    keep_useful(automaton, &mut Vec::new(), &goals);
    if automaton.initial.is_empty() {
        *automaton = Automaton::nothing();
    }
}

fn prune_finite(automaton: &mut Automaton, finals: &mut Vec<bool>) {
    let goals = finals.clone();
    keep_useful(automaton, finals, &goals);
    if automaton.initial.is_empty() {
        *automaton = Automaton::nothing();
        *finals = vec![false];
    }
}

/// Keeps what is reached and from where a goal is reached.
fn keep_useful(automaton: &mut Automaton, finals: &mut Vec<bool>, goals: &[bool]) {
    let n_locations = automaton.n_locations();
    let edges = automaton.edges.iter().enumerate();
    let backwards = edges.flat_map(|(from, edges)| edges.iter().map(move |e| (e.to.index(), from)));
    let sources = Csr::group(n_locations, backwards);
    let goals = (0..n_locations).filter(|&at| goals[at]);
    let useful = reachable(n_locations, goals, |at| sources.row(at).iter().copied());
    let reached = automaton.reached();
    let mut names = vec![None; n_locations];
    let mut kept = 0;
    for at in 0..n_locations {
        if useful[at] && reached[at] {
            names[at] = Some(Location(kept));
            kept += 1;
        }
    }
    rename(automaton, finals, &names);
}

/// Gives locations new names, in ascending order of which they are stored; drops the nameless.
fn rename(automaton: &mut Automaton, finals: &mut Vec<bool>, names: &[Option<Location>]) {
    let mut order: Vec<usize> = (0..names.len()).filter(|&at| names[at].is_some()).collect();
    order.sort_by_key(|&at| names[at]);
    let renamed = |edge: &Edge| names[edge.to.index()].map(|to| Edge { to, ..*edge });
    let rename_edges = |&at: &usize| automaton.edges[at].iter().filter_map(renamed).collect();
    let edges: Vec<Vec<Edge>> = order.iter().map(rename_edges).collect();
    automaton.edges = edges;
    automaton.initial = automaton.initial.iter().filter_map(|start| names[start.index()]).collect();
    automaton.initial.sort_unstable();
    automaton.initial.dedup();
    if !finals.is_empty() {
        *finals = order.iter().map(|&at| finals[at]).collect();
    }
}

/// Numbers locations in the order of a breadth-first walk over sorted edges.
fn renumber(automaton: &mut Automaton, finals: &mut Vec<bool>) {
    for edges in &mut automaton.edges {
        edges.sort_unstable_by_key(|edge| (edge.to, edge.label, edge.marks));
    }
    let mut tree = Tree::default();
    for &start in &automaton.initial {
        tree.root(start);
    }
    while let Some(at) = tree.next() {
        for edge in &automaton.edges[tree.node(at).index()] {
            tree.child(at, (), edge.to);
        }
    }
    let name = |at| tree.number(&Location(at as u32)).map(|number| Location(number as u32));
    let names: Vec<_> = (0..automaton.n_locations()).map(name).collect();
    rename(automaton, finals, &names);
}

/// Joins labels of edges that are otherwise equal: `a` and `!a` make `true`, `a` swallows `a & b`.
fn join_labels(edges: &mut [Vec<Edge>]) {
    for edges in edges {
        edges.sort_unstable_by_key(|edge| (edge.to, edge.marks, edge.label));
        let groups = edges.chunk_by(|a, b| (a.to, a.marks) == (b.to, b.marks));
        let mut joined = Vec::new();
        for group in groups {
            let cubes = join_cubes(group.iter().map(|edge| edge.label).collect());
            joined.extend(cubes.into_iter().map(|label| Edge { label, ..group[0] }));
        }
        *edges = joined;
    }
}

/// Most cubes among which one is looked for that the others cover together.
const MAX_COVERED: usize = 64;

/// Fewer cubes with the same letters.
fn join_cubes(cubes: Vec<Cube>) -> Vec<Cube> {
    let mut cubes: BTreeSet<Cube> = cubes.into_iter().collect();
    while let Some((a, b, joined)) = cubes.iter().find_map(|&cube| partner(cube, &cubes)) {
        cubes.remove(&a);
        cubes.remove(&b);
        cubes.insert(joined);
    }
    let mut cubes: Vec<Cube> = cubes.into_iter().collect();
    let few = cubes.len() <= MAX_COVERED;
    let mut at = 0;
    while at < cubes.len() {
        let cube = cubes.remove(at);
        let superfluous = if few {
            cube.is_covered_by(&cubes)
        } else {
            cubes.iter().any(|&other| cube.implies(other))
        };
        if !superfluous {
            cubes.insert(at, cube);
            at += 1;
        }
    }
    cubes
}

/// A cube that differs in the sign of one literal, and what the two are together.
fn partner(cube: Cube, cubes: &BTreeSet<Cube>) -> Option<(Cube, Cube, Cube)> {
    let mut literals = cube.positive | cube.negative;
    while literals != 0 {
        let bit = literals & literals.wrapping_neg();
        literals &= !bit;
        let flipped = Cube { positive: cube.positive ^ bit, negative: cube.negative ^ bit };
        if cubes.contains(&flipped) {
            let joined = Cube { positive: cube.positive & !bit, negative: cube.negative & !bit };
            return Some((cube, flipped, joined));
        }
    }
    None
}
