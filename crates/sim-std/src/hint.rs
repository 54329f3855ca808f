//! `std::hint`, in which `spin_loop` says that the thread polls.

pub use ::std::hint::*;

/// Says that the thread polls. The scheduler then lets it wait until what it polls has changed.
pub fn spin_loop() {
    if quadrille_sim::task::is_simulated() {
        quadrille_sim::task::polls();
    } else {
        ::std::hint::spin_loop();
    }
}
