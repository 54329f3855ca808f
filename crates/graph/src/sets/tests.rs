//! The subset construction against words.

use super::*;
use crate::random::Random;

/// The nodes that a word may lead to.
fn after(graph: &[Vec<(u32, usize)>], word: &[u32]) -> Vec<usize> {
    let mut at = vec![0];
    for letter in word {
        let edges = at.iter().flat_map(|&node: &usize| &graph[node]);
        at = edges.filter(|edge| edge.0 == *letter).map(|edge| edge.1).collect();
        at.sort_unstable();
        at.dedup();
    }
    at
}

#[test]
fn a_word_leads_to_the_set_of_all_nodes_it_may_lead_to() {
    let mut n_words = 0;
    for seed in 1..=300 {
        let mut random = Random::new(seed);
        let graph = random.graph(8);
        let automaton = determinise(vec![0], |set, edges| {
            edges.extend(set.iter().flat_map(|&node| graph[node].iter().copied()));
            Ok::<_, std::convert::Infallible>(set.to_vec())
        });
        let Ok(automaton) = automaton;
        for _ in 0..150 {
            let word: Vec<u32> = (0..random.below(6)).map(|_| random.below(3) as u32).collect();
            let mut state = Some(0);
            for letter in &word {
                state = state.and_then(|state: usize| {
                    let edges = &automaton[state].0;
                    assert!(edges.is_sorted_by(|a, b| a.0 < b.0), "one edge per label");
                    edges.iter().find(|edge| edge.0 == *letter).map(|edge| edge.1)
                });
            }
            let reached = state.map_or(&[][..], |state| &automaton[state].1);
            assert_eq!(reached, after(&graph, &word), "seed {seed}, {word:?}");
            n_words += usize::from(reached.len() > 1);
        }
    }
    assert!(n_words > 300, "{n_words}");
}

#[test]
fn equal_sets_have_one_number() {
    let mut sets = Sets::default();
    let mut known: Vec<Vec<usize>> = Vec::new();
    let mut random = Random::new(7);
    for _ in 0..2_000 {
        let mut members: Vec<usize> = (0..random.below(4)).map(|_| random.below(6)).collect();
        let mut naive = members.clone();
        naive.sort_unstable();
        naive.dedup();
        let place = known.iter().position(|set| *set == naive);
        let (number, is_new) = sets.number(&mut members);
        assert_eq!((number, is_new), (place.unwrap_or(known.len()), place.is_none()));
        if is_new {
            known.push(naive);
        }
        assert_eq!(sets.members(number), known[number]);
    }
    assert_eq!(sets.len(), known.len());
}
