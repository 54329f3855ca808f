//! Linearizability of small concurrent objects.

use std::collections::VecDeque;

use quadrille_sim::sim;
use quadrille_sim_check::{History, Sequential};
use quadrille_sim_std::sync::{Arc, Mutex};
use quadrille_sim_std::thread;

/// A queue: `Some` appends, `None` takes.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Queue(VecDeque<u32>);

impl Sequential for Queue {
    type Call = Option<u32>;
    type Return = Option<u32>;

    fn perform(&mut self, call: &Option<u32>) -> Option<u32> {
        match call {
            Some(item) => {
                self.0.push_back(*item);
                None
            }
            None => self.0.pop_front(),
        }
    }
}

/// Two threads and a queue under a lock, which `torn` takes twice in order to take an item.
fn queue(torn: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let shared = Arc::new((Mutex::new(VecDeque::new()), History::<Queue>::new()));
        let put = |shared: &(Mutex<VecDeque<u32>>, History<Queue>), item| {
            shared.1.record(Some(item), || {
                shared.0.lock().unwrap().push_back(item);
                None
            });
        };
        let take = move |shared: &(Mutex<VecDeque<u32>>, History<Queue>)| {
            shared.1.record(None, || {
                if !torn {
                    return shared.0.lock().unwrap().pop_front();
                }
                let front = shared.0.lock().unwrap().front().copied();
                shared.0.lock().unwrap().pop_front();
                front
            })
        };
        put(&shared, 1);
        put(&shared, 2);
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || take(&other));
        take(&shared);
        thread.join().unwrap();
        shared.1.check(&Queue::default());
    }
}

#[test]
fn a_queue_under_a_lock_is_linearizable() {
    let report = sim(queue(false)).exhaustive().assert();
    assert!(report.is_exhausted);
}

#[test]
fn a_torn_queue_is_not() {
    let failure = sim(queue(true)).exhaustive().run().unwrap().failure.unwrap();
    let text = failure.to_string();
    assert!(text.contains("linearizability: no order of these operations explains"), "{text}");
    assert_eq!(text.matches("None gives Some(1)").count(), 2, "{text}");
    assert!(text.contains("objects.rs:"), "{text}");
}
