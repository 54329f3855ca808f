//! A task that is taken twice, and another that is lost (RUSTSEC-2021-0093, in 0.8.0): a thief goes
//! on reading the buffer that it found, although the owner has another one by now.

use std::thread;

use crossbeam_deque::Worker;

/// One more than the first buffer holds.
const MANY: u32 = 65;

#[test]
fn every_task_is_taken_once() {
    let owner = Worker::new_lifo();
    (0..MANY).for_each(|task| owner.push(task));
    let stealer = owner.stealer();
    let thief = thread::spawn(move || {
        let loot = Worker::new_lifo();
        let _ = stealer.steal_batch(&loot);
        std::iter::from_fn(|| loot.pop()).collect::<Vec<_>>()
    });
    let mut taken: Vec<u32> = (0..MANY - 2).filter_map(|_| owner.pop()).collect();
    (0..4).for_each(|task| owner.push(1000 + task));
    taken.extend(thief.join().unwrap());
    taken.extend(std::iter::from_fn(|| owner.pop()));
    taken.sort_unstable();
    let all: Vec<u32> = (0..MANY).chain(1000..1004).collect();
    assert_eq!(taken, all);
}
