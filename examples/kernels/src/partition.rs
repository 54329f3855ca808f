//! How rows, keys and planes are divided among workers. Knows no kernel.

use std::ops::Range;

use crate::link::Workers;

/// One consecutive range per worker, as equal as possible; together they are `0..len`.
///
/// With more workers than elements the last ranges are empty.
pub fn blocks(len: usize, workers: Workers) -> impl Iterator<Item = Range<usize>> + Clone {
    let workers = workers.get();
    (0..workers).map(move |worker| {
        let start = |worker: usize| worker * (len / workers) + worker.min(len % workers);
        start(worker)..start(worker + 1)
    })
}

/// Deals consecutive elements out by [`blocks`]; only moves them.
pub fn deal<T>(elements: Vec<T>, workers: Workers) -> impl Iterator<Item = Vec<T>> {
    let sizes = blocks(elements.len(), workers);
    let mut elements = elements.into_iter();
    sizes.map(move |block| elements.by_ref().take(block.len()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_consecutive_and_nearly_equal() {
        for (len, count) in [(7, 3), (2, 4), (0, 2), (12, 4)] {
            let workers = Workers::new(count).expect("not zero");
            let elements: Vec<usize> = (0..len).collect();
            let parts: Vec<Vec<usize>> = deal(elements.clone(), workers).collect();
            assert_eq!(parts.len(), count);
            assert_eq!(parts.concat(), elements);
            assert!(parts.iter().all(|part| part.len().abs_diff(len / count) <= 1));
            let ranges: Vec<usize> = blocks(len, workers).flatten().collect();
            assert_eq!(ranges, elements);
        }
    }
}
