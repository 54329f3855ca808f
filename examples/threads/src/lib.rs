//! Two small things that many programs contain, and a classical error of each: a bounded buffer that
//! loses a wake-up, and a thread pool whose shutdown races with its last jobs. The tests find both,
//! and show by trying every order that the mended versions have neither.
#![forbid(unsafe_code)]

pub mod buffer;
pub mod pool;
