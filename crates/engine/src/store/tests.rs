//! Numbers of states while the store grows.

use super::*;

/// Interns `n_states` states in batches and compares with plain numbering.
fn check(n_words: usize, n_states: u32) {
    let mut store = Store::new(n_words);
    let words = |number: u32| -> Vec<u32> {
        (0..n_words as u32).map(|word| number.wrapping_mul(2 * word + 1)).collect()
    };
    for first in (0..n_states).step_by(5) {
        // Each batch has one state twice and one from long ago.
        let wanted = [first, first + 1, first + 2, first + 3, first + 4, first + 2, first / 2];
        let batch: Vec<u32> = wanted.iter().flat_map(|&number| words(number)).collect();
        let mut found = Vec::new();
        assert!(store.intern(&batch, MAX_STATES, |state| found.push(state.number())));
        assert_eq!(found, wanted);
    }
    assert_eq!(store.len(), n_states as usize);
    for number in 0..n_states {
        assert_eq!(store.get(StateId::new(number)), words(number));
        assert_eq!(store.find(&words(number)), Some(StateId::new(number)));
    }
    assert_eq!(store.find(&words(n_states)), None);
    let per_state = store.bytes() as f64 / f64::from(n_states);
    assert!(per_state <= 4.0 * n_words as f64 + 8.0 || n_states < 100_000, "{per_state}");
}

#[test]
fn states_keep_their_numbers_across_growth() {
    check(1, 300_000);
    check(2, 100_000);
    check(3, 20_000);
    check(7, 5_000);
}
