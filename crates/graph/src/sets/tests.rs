//! The subset construction against words.

use quadrille_workshop::check;
use quadrille_workshop::graphs::graph;

use super::*;

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
    check(300, |choices| {
        let graph = graph(choices, 8);
        let automaton = determinise(vec![0], |set, edges| {
            edges.extend(set.iter().flat_map(|&node| graph[node].iter().copied()));
            Ok::<_, std::convert::Infallible>(set.to_vec())
        });
        let Ok(automaton) = automaton;
        for _ in 0..150 {
            let word: Vec<u32> = (0..choices.below(6)).map(|_| choices.below(3) as u32).collect();
            let mut state = Some(0);
            for letter in &word {
                state = state.and_then(|state: usize| {
                    let edges = &automaton[state].0;
                    assert!(edges.is_sorted_by(|a, b| a.0 < b.0), "one edge per label");
                    edges.iter().find(|edge| edge.0 == *letter).map(|edge| edge.1)
                });
            }
            let reached = state.map_or(&[][..], |state| &automaton[state].1);
            assert_eq!(reached, after(&graph, &word), "{word:?}");
            n_words += usize::from(reached.len() > 1);
        }
    });
    assert!(n_words > 300, "{n_words}");
}

#[test]
fn equal_sets_have_one_number() {
    check(10, |choices| {
        let mut sets = Sets::default();
        let mut known: Vec<Vec<usize>> = Vec::new();
        for _ in 0..200 {
            let mut members: Vec<usize> = (0..choices.below(4)).map(|_| choices.below(6)).collect();
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
    });
}
