//! Grouping against a stable sort.

use quadrille_workshop::check;

use super::*;

#[test]
fn grouping_is_a_stable_sort_by_row() {
    check(200, |choices| {
        let n_rows = 1 + choices.below(6);
        let entries: Vec<(usize, usize)> =
            (0..choices.below(20)).map(|position| (choices.below(n_rows), position)).collect();
        let grouped = Csr::group(n_rows, entries.iter().copied());
        let naive: Csr<usize> = (0..n_rows)
            .map(|row| entries.iter().filter(move |entry| entry.0 == row).map(|entry| entry.1))
            .collect();
        assert_eq!(grouped, naive);
        assert_eq!(grouped.n_entries(), entries.len());
        assert_eq!(grouped.n_rows(), n_rows);
        let mut sorted = entries.clone();
        sorted.sort_by_key(|entry| entry.0);
        assert!(grouped.iter().map(|(row, &entry)| (row, entry)).eq(sorted));
    });
}
