//! The heap against a sorted list.

use quadrille_workshop::check;

use super::*;

/// The definition: a vector into which entries are inserted behind those of smaller or equal time.
#[derive(Default)]
struct Naive(Vec<(ModelTime, u32)>);

impl Naive {
    fn insert(&mut self, time: ModelTime, number: u32) {
        self.remove(number);
        let place = self.0.partition_point(|&(other, _)| other <= time);
        self.0.insert(place, (time, number));
    }

    fn remove(&mut self, number: u32) -> Option<ModelTime> {
        let place = self.0.iter().position(|&(_, other)| other == number)?;
        Some(self.0.remove(place).0)
    }
}

#[test]
fn the_heap_is_the_sorted_list() {
    check(50, |choices| {
        let (mut heap, mut naive) = (Calendar::new(), Naive::default());
        for _ in 0..2_000 {
            let number = choices.below_u32(40);
            match choices.below(5) {
                0 => assert_eq!(heap.remove(number), naive.remove(number)),
                1 => {
                    let first = (!naive.0.is_empty()).then(|| naive.0.remove(0));
                    assert_eq!(heap.pop(), first);
                }
                _ => {
                    // Few different times, so that ties are frequent.
                    let time = ModelTime::from_nanos(choices.below(12) as u64);
                    heap.insert(time, number);
                    naive.insert(time, number);
                }
            }
            assert_eq!(heap.first(), naive.0.first().copied());
            assert_eq!(heap.len(), naive.0.len());
        }
        assert_eq!(heap.entries(), naive.0);
    });
}
