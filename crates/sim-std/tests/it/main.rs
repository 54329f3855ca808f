//! The simulated `std` under the scheduler. Sleeps are in model time: no test waits for the clock.

mod checks;
mod coverage;
mod exhaustive;
mod futures;
mod memory;
mod settings;
mod strategies;
mod system;
mod threads;
mod visited;
mod workers;
