//! Refinement against signatures computed from their definitions for all nodes in every round.

use std::collections::BTreeSet;
use std::convert::Infallible;

use quadrille_workshop::{Choices, check};

use super::*;

type Signature = BTreeSet<(u32, u32)>;

/// A sparse graph with long paths, so that there are many rounds; internal steps lead downwards.
fn random_graph(choices: &mut Choices) -> Csr<(u32, u32)> {
    let n_nodes = 60;
    let mut edges = Vec::new();
    for node in 0..n_nodes {
        edges.push((node, (1 + choices.below(2) as u32, (node + 1) % n_nodes)));
        if choices.below(3) == 0 {
            edges.push((node, (choices.below(3) as u32, choices.below(n_nodes))));
        }
        if node > 0 && choices.below(3) == 0 {
            edges.push((node, (0, node - 1 - choices.below(node.min(6)))));
        }
    }
    edges.retain(|&(from, (label, to))| label != 0 || to < from);
    Csr::group(n_nodes, edges.iter().map(|&(from, (label, to))| (from, (label, to as u32))))
}

fn definition(
    graph: &Csr<(u32, u32)>,
    kind: Bisimulation,
    classes: &[u32],
    node: usize,
) -> Signature {
    let internal = |node: usize| {
        let edges = graph.row(node).iter();
        edges.filter(|edge| edge.0 == 0).map(|edge| edge.1 as usize).collect::<Vec<_>>()
    };
    let closure = |node: usize, follow: &dyn Fn(usize) -> bool| {
        let mut reached = BTreeSet::from([node]);
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            open.extend(internal(at).into_iter().filter(|&to| follow(to) && reached.insert(to)));
        }
        reached
    };
    let own = classes[node];
    match kind {
        Bisimulation::Strong => {
            graph.row(node).iter().map(|&(l, to)| (l, classes[to as usize])).collect()
        }
        Bisimulation::Branching => {
            let before = closure(node, &|to| classes[to] == own);
            let steps = before.iter().flat_map(|&at| graph.row(at));
            let seen = steps.filter(|step| step.0 != 0 || classes[step.1 as usize] != own);
            seen.map(|&(label, to)| (label, classes[to as usize])).collect()
        }
        Bisimulation::Weak => {
            let before = closure(node, &|_| true);
            let mut signature: Signature = before.iter().map(|&at| (0, classes[at])).collect();
            for &(label, to) in before.iter().flat_map(|&at| graph.row(at)) {
                signature.extend(
                    closure(to as usize, &|_| true).into_iter().map(|at| (label, classes[at])),
                );
            }
            signature
        }
    }
}

#[test]
fn each_round_separates_what_the_definition_separates() {
    let never = |_: usize| ControlFlow::<Infallible>::Continue(());
    check(60, |choices| {
        let graph = random_graph(choices);
        let n_nodes = graph.n_rows();
        let initial = if choices.coin() {
            Partition::by_key((0..n_nodes).map(|_| choices.below(8) == 0))
        } else {
            Partition::coarsest(n_nodes)
        };
        for kind in [Bisimulation::Strong, Bisimulation::Branching, Bisimulation::Weak] {
            let Ok(found) = refine(&graph, initial.clone(), kind, never);
            let mut naive = initial.clone();
            for round in 0.. {
                let name = |node| found.block_after(round, node);
                assert_eq!(Partition::by_key((0..n_nodes).map(name)), naive);
                let classes = naive.classes();
                let signature = |node| (classes[node], definition(&graph, kind, classes, node));
                let finer = Partition::by_key((0..n_nodes).map(signature));
                if finer == naive {
                    assert!(round > 2, "{kind:?}: too easy");
                    break;
                }
                naive = finer;
            }
            assert_eq!(found.partition, naive, "{kind:?}");
            for (left, right) in (0..200).map(|_| (choices.below(n_nodes), choices.below(n_nodes)))
            {
                let apart = |&round: &u32| {
                    found.block_after(round, left) != found.block_after(round, right)
                };
                let first = (0..=found.n_rounds()).find(apart);
                assert_eq!(found.separated(left, right), first, "{kind:?}");
            }
        }
    });
}

#[test]
fn old_signatures_are_forgotten_without_changing_the_result() {
    // A chain: every node but the last two differs only after as many rounds as it is long.
    let n_nodes: usize = 3_000;
    let chain: Csr<(u32, u32)> = (0..n_nodes)
        .map(|node| {
            (0..30).filter(move |_| node + 1 < n_nodes).map(move |l| (l + 1, node as u32 + 1))
        })
        .collect();
    let mut most = 0;
    let found = refine(&chain, Partition::coarsest(n_nodes), Bisimulation::Strong, |bytes| {
        most = bytes.max(most);
        ControlFlow::<Infallible>::Continue(())
    });
    let Ok(found) = found;
    assert_eq!(found.partition.n_classes(), n_nodes);
    assert_eq!(found.separated(0, 1), Some(n_nodes as u32 - 1));
    assert!(most < 8_000_000, "{most} bytes");
}

#[test]
fn a_watch_that_stops_is_obeyed() {
    let graph = random_graph(&mut Choices::seeded(1));
    let initial = Partition::coarsest(graph.n_rows());
    let found = refine(&graph, initial, Bisimulation::Strong, ControlFlow::Break);
    assert!(found.is_err_and(|bytes| bytes > 0));
}
