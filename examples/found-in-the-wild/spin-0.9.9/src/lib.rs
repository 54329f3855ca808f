//! spin 0.9.9 as it is on the registry.

#[cfg(test)]
#[path = "../../spin.rs"]
mod tests;
