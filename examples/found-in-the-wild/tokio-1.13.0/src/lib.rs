//! tokio 1.13.0 as it is on the registry.

#[cfg(test)]
#[path = "../../tokio_sync.rs"]
mod tests;
