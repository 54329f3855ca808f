//! The production implementation of the control interface: sensors and switches as files that hold a number, as the
//! general-purpose pins of small Linux computers are.

#![allow(clippy::disallowed_methods)] // this is the outside world

use std::fs;
use std::path::PathBuf;

use crate::interface::{ControlInterface, SourceId, SourceLevel};

/// Pins below a folder: `source0_low`, `source0_high`, `pump0`, …, `tank_low`, `tank_full`, `outlet`.
pub struct Device {
    folder: PathBuf,
    n_sources: usize,
    max_pumps: usize,
}

impl Device {
    /// The device whose pins are in this folder.
    #[must_use]
    pub fn new(folder: PathBuf, n_sources: usize, max_pumps: usize) -> Self {
        Self { folder, n_sources, max_pumps }
    }

    /// A pin that cannot be read counts as what is safe.
    fn read(&self, pin: &str, safe: bool) -> bool {
        fs::read_to_string(self.folder.join(pin)).map_or(safe, |text| text.trim() == "1")
    }
}

impl ControlInterface for Device {
    fn n_sources(&self) -> usize {
        self.n_sources
    }

    fn max_pumps(&self) -> usize {
        self.max_pumps
    }

    fn source_level(&self, SourceId(source): SourceId) -> SourceLevel {
        let is_low = self.read(&format!("source{source}_low"), true);
        SourceLevel { is_low, is_high: self.read(&format!("source{source}_high"), false) }
    }

    fn tank_is_full(&self) -> bool {
        self.read("tank_full", true)
    }

    fn tank_is_low(&self) -> bool {
        self.read("tank_low", false)
    }

    fn outlet_flow(&self) -> f64 {
        let text = fs::read_to_string(self.folder.join("outlet")).unwrap_or_default();
        text.trim().parse().unwrap_or(0.0)
    }

    fn switch_pump(&self, SourceId(source): SourceId, is_on: bool) {
        // A pin that cannot be written is a broken device; the sensors will tell, and the next period tries again.
        drop(fs::write(self.folder.join(format!("pump{source}")), if is_on { "1" } else { "0" }));
    }

    fn pump_is_on(&self, SourceId(source): SourceId) -> bool {
        self.read(&format!("pump{source}"), false)
    }
}
