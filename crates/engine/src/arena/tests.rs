//! Records across chunk borders.

use super::*;

#[test]
fn records_survive_the_borders_of_chunks() {
    let mut arena = Arena::new(3);
    let n_records = 3 * (1 << CHUNK_BITS) + 1;
    let record = |position: usize| [0, 1, 2].map(|word| (position * 3 + word) as u32);
    for position in 0..n_records {
        arena.push(&record(position));
    }
    assert_eq!(arena.len(), n_records);
    assert!((0..n_records).all(|position| arena.get(position) == record(position)));
    assert!(arena.iter().enumerate().all(|(position, found)| found == record(position)));
    assert!(arena.bytes() <= 4 * ((1 << CHUNK_BITS) * 3 * 4) + 1024);
}
