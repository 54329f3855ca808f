//! crossbeam-channel 0.5.8 as it is on the registry.

#[cfg(test)]
#[path = "../../crossbeam_channel.rs"]
mod tests;
