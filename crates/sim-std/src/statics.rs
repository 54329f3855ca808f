//! Atomics in statics begin every execution with the value they had before the first.

use ::std::collections::BTreeMap;
use ::std::sync::{Mutex, PoisonError};

use quadrille_sim::{Place, task};

/// By address: the value before the first execution of the process, as bits. Each exploration has a
/// thread of its own, and would take what the one before left for the beginning.
static INITIAL: Mutex<BTreeMap<usize, u64>> = Mutex::new(BTreeMap::new());

/// Whether an address lies in the statics of the program.
#[cfg(target_os = "linux")]
pub(crate) fn is_static(address: usize) -> bool {
    unsafe extern "C" {
        static __data_start: u8;
        static _end: u8;
    }
    let (begin, end) = (&raw const __data_start as usize, &raw const _end as usize);
    (begin..end).contains(&address)
}

/// Whether an address lies in the statics of the program; unknown here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_static(_: usize) -> bool {
    false
}

/// The value to begin with, for an atomic that is used for the first time in an execution and now
/// holds `value`: nothing if it need not be changed. A pointer that holds no address is a mark, such as
/// "initialised" in `once_cell`, of what lies beside it and is not put back; so it stays: a `Lazy` of that
/// crate has used up the function that makes its value.
pub(crate) fn initial(address: usize, value: u64, is_pointer: bool, place: Place) -> Option<u64> {
    const FIRST_PAGE: u64 = 4096;
    if !is_static(address) {
        return None;
    }
    task::outlives_executions(place);
    if is_pointer && (1..FIRST_PAGE).contains(&value) {
        return None;
    }
    let mut initial = INITIAL.lock().unwrap_or_else(PoisonError::into_inner);
    let first = *initial.entry(address).or_insert(value);
    (first != value).then_some(first)
}
