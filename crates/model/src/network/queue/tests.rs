//! Queues against a vector.

use std::collections::VecDeque;

use quadrille_workshop::check;

use super::*;

#[test]
fn behaves_like_a_queue_of_any_size() {
    for (capacity, n_messages) in
        [(1, 1), (4, 1), (32, 1), (33, 1), (5, 3), (16, 3), (40, 3), (9, 300), (3, 65_535)]
    {
        let queue = Queue::new(SlotId::new(1), capacity, n_messages);
        check(2, |choices| {
            let mut state = vec![7; 1 + usize::from(queue.n_slots) + 1];
            state[queue.slots()].fill(0);
            let mut naive = VecDeque::new();
            for _ in 0..choices.below(2500) {
                let room = queue.has_room().holds(&state) == Some(true);
                assert_eq!(room, naive.len() < usize::from(capacity));
                if room && !choices.once_in(4) {
                    let message = choices.below_u32(u32::from(n_messages));
                    queue.push(&mut state, message);
                    naive.push_back(message);
                } else if let Some(head) = naive.pop_front() {
                    assert_eq!(queue.head_is(head).holds(&state), Some(true));
                    queue.pop(&mut state);
                }
                assert_eq!(queue.is_empty(&state), naive.is_empty());
                let held: Vec<_> =
                    state[queue.slots()].iter().flat_map(|&value| queue.messages(value)).collect();
                assert_eq!(held, naive.iter().copied().collect::<Vec<_>>());
                for (position, &value) in state[queue.slots()].iter().enumerate() {
                    let held: Vec<_> = queue.messages(value).collect();
                    assert_eq!(queue.holding(position, held.into_iter()), Some(value));
                    match queue.domain(position) {
                        Domain::Size(size) => assert!(value < size),
                        domain => assert_eq!(domain, Domain::Interned),
                    }
                }
                assert_eq!((state[0], state[state.len() - 1]), (7, 7), "wrote beside the queue");
            }
        });
    }
}
