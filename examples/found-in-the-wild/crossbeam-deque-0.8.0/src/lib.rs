//! crossbeam-deque 0.8.0 as it is on the registry.

#[cfg(test)]
#[path = "../../crossbeam_deque.rs"]
mod tests;
