//! Grouping against a stable sort.

use super::*;
use crate::random::Random;

#[test]
fn grouping_is_a_stable_sort_by_row() {
    for seed in 1..=200 {
        let mut random = Random::new(seed);
        let n_rows = 1 + random.below(6);
        let entries: Vec<(usize, usize)> =
            (0..random.below(20)).map(|position| (random.below(n_rows), position)).collect();
        let grouped = Csr::group(n_rows, entries.iter().copied());
        let naive: Csr<usize> = (0..n_rows)
            .map(|row| entries.iter().filter(move |entry| entry.0 == row).map(|entry| entry.1))
            .collect();
        assert_eq!(grouped, naive, "seed {seed}");
        assert_eq!(grouped.n_entries(), entries.len());
        assert_eq!(grouped.n_rows(), n_rows);
        let mut sorted = entries.clone();
        sorted.sort_by_key(|entry| entry.0);
        assert!(grouped.iter().map(|(row, &entry)| (row, entry)).eq(sorted), "seed {seed}");
    }
}
