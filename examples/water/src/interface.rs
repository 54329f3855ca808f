//! The control interface: all that the control program sees of the water system. It has two implementations, the model's and
//! the device's; which one is used is decided where the program is started.

/// A source of water, with its pump.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceId(pub usize);

/// What the two sensors of a source say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceLevel {
    /// Too low: the pump must be off.
    pub is_low: bool,
    /// High enough for an idle pump to be started.
    pub is_high: bool,
}

/// Sensors and switches of the water system.
pub trait ControlInterface: Send + Sync {
    /// How many sources there are.
    fn n_sources(&self) -> usize;
    /// How many pumps the power supply can bear at once.
    fn max_pumps(&self) -> usize;
    /// Reads the sensors of a source.
    fn source_level(&self, source: SourceId) -> SourceLevel;
    /// Whether the tank is at its high sensor: all pumps should stop.
    fn tank_is_full(&self) -> bool;
    /// Whether the tank is below its low sensor: as many pumps as possible should run.
    fn tank_is_low(&self) -> bool;
    /// The flow at the outlet, in litres a second.
    fn outlet_flow(&self) -> f64;
    /// Switches a pump.
    fn switch_pump(&self, source: SourceId, is_on: bool);
    /// Whether a pump is switched on.
    fn pump_is_on(&self, source: SourceId) -> bool;
}
