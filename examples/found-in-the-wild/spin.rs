//! A failed attempt to initialise a `Once` misleads those who wait for it (RUSTSEC-2023-0031, in
//! 0.9.7).

use std::sync::Arc;
use std::thread;

#[test]
fn one_fails_and_one_succeeds() {
    let once = Arc::new(spin::Once::<u32>::new());
    let other = Arc::clone(&once);
    let fails = thread::spawn(move || {
        let _ = other.try_call_once(|| Err(()));
    });
    assert_eq!(once.try_call_once(|| Ok::<u32, ()>(5)), Ok(&5));
    fails.join().unwrap();
}
