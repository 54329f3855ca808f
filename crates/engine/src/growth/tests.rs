//! Estimates of sizes that are known.

use super::*;

/// The levels of `n` independent parts that make three steps each: sums of trinomial coefficients.
fn product(n: usize) -> Vec<u64> {
    let mut levels = vec![1u64];
    for _ in 0..n {
        let mut next = vec![0; levels.len() + 3];
        for (level, &size) in levels.iter().enumerate() {
            (0..4).for_each(|steps| next[level + steps] += size);
        }
        levels = next;
    }
    levels
}

#[test]
fn independent_parts_are_estimated_from_a_few_levels() {
    let levels = product(12);
    let all: u64 = levels.iter().sum();
    assert_eq!(all, 4u64.pow(12));
    for n_known in [10, 12, 15, 20, 30] {
        let known = &levels[..n_known];
        let Growth { least, most, likely } = growth(known, known.iter().sum());
        let (most, likely) = (most.expect("it ends"), likely.expect("it ends"));
        let all = all as f64;
        assert!(least <= all && all <= most, "{n_known}: {least} {likely} {most}");
        assert!(likely / all < 6.0 && all / likely < 6.0, "{n_known}: {likely}");
    }
}

#[test]
fn what_grows_without_end_has_no_most() {
    let doubling: Vec<u64> = (0..16).map(|level| 1 << level).collect();
    let Growth { most, .. } = growth(&doubling, 65_535);
    assert_eq!(most, None);
    assert_eq!(growth(&[1, 2], 3), Growth { least: 3.0, most: None, likely: None });
}
