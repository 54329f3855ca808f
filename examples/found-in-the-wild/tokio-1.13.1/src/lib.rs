//! tokio 1.13.1 as it is on the registry.

#[cfg(test)]
#[path = "../../tokio_sync.rs"]
mod tests;
