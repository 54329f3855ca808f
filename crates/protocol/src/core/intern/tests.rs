//! Interning from several threads.

use super::*;

#[test]
fn equal_entries_have_equal_ids_from_any_thread() {
    let table: Interner<String> = Interner::default();
    let ids = |offset: u32| -> Vec<(u32, u32)> {
        (0..5_000)
            .map(|number| (number + offset) % 5_000)
            .map(|number| (number, table.intern(number.to_string())))
            .collect()
    };
    let (mut first, mut second) = std::thread::scope(|scope| {
        let other = scope.spawn(|| ids(2_500));
        (ids(0), other.join().expect("no panic"))
    });
    first.sort_unstable();
    second.sort_unstable();
    assert_eq!(first, second);
    assert_eq!(table.len(), 5_000);
    assert!(first.iter().all(|&(number, id)| *table.get(id) == number.to_string()));
}
