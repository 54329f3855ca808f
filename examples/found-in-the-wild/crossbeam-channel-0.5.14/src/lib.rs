//! crossbeam-channel 0.5.14 as it is on the registry.

#[cfg(test)]
#[path = "../../crossbeam_channel.rs"]
mod tests;
