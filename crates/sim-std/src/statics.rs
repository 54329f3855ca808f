//! Atomics in statics begin every execution with the value they had before the first.

use ::std::cell::RefCell;
use ::std::collections::BTreeMap;

::std::thread_local! {
    /// By address: the value before the first execution, as bits.
    static INITIAL: RefCell<BTreeMap<usize, u64>> = const { RefCell::new(BTreeMap::new()) };
}

/// Whether an address lies in the statics of the program.
#[cfg(target_os = "linux")]
fn is_static(address: usize) -> bool {
    unsafe extern "C" {
        static __data_start: u8;
        static _end: u8;
    }
    let (begin, end) = (&raw const __data_start as usize, &raw const _end as usize);
    (begin..end).contains(&address)
}

/// Whether an address lies in the statics of the program; nobody knows here.
#[cfg(not(target_os = "linux"))]
fn is_static(_: usize) -> bool {
    false
}

/// The value to begin with, for an atomic that is used for the first time in an execution and now
/// holds `value`: nothing if it need not be changed.
pub(crate) fn initial(address: usize, value: u64) -> Option<u64> {
    if !is_static(address) {
        return None;
    }
    let first = INITIAL.with_borrow_mut(|initial| *initial.entry(address).or_insert(value));
    (first != value).then_some(first)
}
