//! Programs and environments together. Sleeps are in model time: no test waits for the clock.

mod binding;
mod conformance;
mod scenario;
mod watching;
