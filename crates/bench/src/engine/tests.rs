//! Counts that differ and names that do not exist are reported.

use super::*;

#[test]
fn a_count_that_differs_is_noticed() {
    let mut bench = Bench { n_runs: 1, spin: None, wrong: Vec::new() };
    let workload = workloads()[0];
    let known = workload.known;
    bench.compare(&workload, "breadth", known.states, known.transitions);
    assert!(bench.wrong.is_empty());
    bench.compare(&workload, "breadth", known.states, known.transitions - 1);
    assert_eq!(bench.wrong.len(), 1);
}

#[test]
fn an_unknown_name_is_refused() {
    let request = Request { names: vec!["phil-7".to_owned()], ..Request::default() };
    assert!(run(&request).is_err());
}
