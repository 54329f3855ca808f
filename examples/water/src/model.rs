//! The model of the water system: sources, tank and consumers as processes, and the model's implementation of the control interface. Knows nothing of
//! the control program.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use quadrille_joint::{Faults, Journal, Signal};
use quadrille_simulation::Context;

use crate::interface::{ControlInterface, SourceId, SourceLevel};

/// Sizes, rates and limits of a water system; volumes in litres, times in seconds.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// How many sources.
    pub n_sources: usize,
    /// How many pumps may run at once.
    pub max_pumps: usize,
    /// How much the tank holds.
    pub tank: f64,
    /// How much is in it at first.
    pub tank_at_start: f64,
    /// Where its low and high sensors are.
    pub tank_sensors: Range<f64>,
    /// How much a source holds.
    pub source: f64,
    /// How much is in it at first.
    pub source_at_start: f64,
    /// Where its low and high sensors are.
    pub source_sensors: Range<f64>,
    /// What a pump moves in a second.
    pub pump_rate: f64,
    /// What comes into a source in a second, drawn each period.
    pub inflow: Range<f64>,
    /// What consumers take in a second.
    pub demand: Range<f64>,
    /// How long they do.
    pub demand_lasts: Range<f64>,
    /// The period of the processes.
    pub period: Duration,
    /// What is wrong with the high sensor of the tank.
    pub tank_sensor_faults: Faults,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            n_sources: 4,
            max_pumps: 2,
            tank: 1000.0,
            tank_at_start: 500.0,
            tank_sensors: 300.0..800.0,
            source: 100.0,
            source_at_start: 50.0,
            source_sensors: 20.0..80.0,
            pump_rate: 3.0,
            inflow: 0.0..1.6,
            demand: 1.0..4.0,
            demand_lasts: 30.0..120.0,
            period: Duration::from_secs(1),
            tank_sensor_faults: Faults::default(),
        }
    }
}

/// The model: its levels, and the lines between it and the control program.
pub struct Model {
    parameters: Parameters,
    /// What passes over the lines.
    pub journal: Journal,
    sources: Vec<Source>,
    tank: Tank,
}

struct Source {
    level: Mutex<f64>,
    is_low: Signal<bool>,
    is_high: Signal<bool>,
    pump: Signal<bool>,
}

struct Tank {
    level: Mutex<f64>,
    is_low: Signal<bool>,
    is_full: Signal<bool>,
    outlet: Signal<f64>,
}

impl Model {
    /// Builds the model and starts its processes: one per source, the tank, the consumers.
    #[must_use]
    pub fn start(context: &Context, parameters: Parameters) -> Arc<Self> {
        let journal = Journal::new();
        let sources = (0..parameters.n_sources).map(|n| Source {
            level: Mutex::new(parameters.source_at_start),
            is_low: Signal::new(&journal, format!("source {n} low"), false),
            is_high: Signal::new(&journal, format!("source {n} high"), false),
            pump: Signal::new(&journal, format!("pump {n}"), false),
        });
        let sources = sources.collect();
        let tank = Tank {
            level: Mutex::new(parameters.tank_at_start),
            is_low: Signal::new(&journal, "tank low", false),
            is_full: Signal::new(&journal, "tank full", false)
                .with_faults(parameters.tank_sensor_faults.clone(), context.stream("tank sensor")),
            outlet: Signal::new(&journal, "outlet", 0.0),
        };
        let model = Arc::new(Self { parameters, journal, sources, tank });
        model.consume(context);
        for source in 0..model.sources.len() {
            model.fill_source(context, source);
        }
        model.fill_tank(context);
        model
    }

    /// Consumers set the flow at the outlet.
    fn consume(self: &Arc<Self>, context: &Context) {
        let model = Arc::clone(self);
        context.start("consumers", move |p| {
            let mut draws = p.stream("demand");
            let Parameters { demand, demand_lasts, .. } = &model.parameters;
            loop {
                model.tank.outlet.set(draws.uniform(demand.start, demand.end));
                p.hold(Duration::from_secs_f64(
                    draws.uniform(demand_lasts.start, demand_lasts.end),
                ));
            }
        });
    }

    /// Water comes into a source by chance and leaves it through the pump.
    fn fill_source(self: &Arc<Self>, context: &Context, number: usize) {
        let model = Arc::clone(self);
        context.start(format!("source {number}"), move |p| {
            let mut draws = p.stream(&format!("inflow {number}"));
            let Parameters { source: limit, source_sensors, pump_rate, inflow, period, .. } =
                &model.parameters;
            let source = &model.sources[number];
            loop {
                p.hold(*period);
                let pumped = if source.pump.get() { *pump_rate } else { 0.0 };
                let flow = draws.uniform(inflow.start, inflow.end) - pumped;
                let level = change(&source.level, flow * period.as_secs_f64(), *limit);
                source.is_low.set(level < source_sensors.start);
                source.is_high.set(level >= source_sensors.end);
            }
        });
    }

    /// Pumps fill the tank, the outlet empties it.
    fn fill_tank(self: &Arc<Self>, context: &Context) {
        let model = Arc::clone(self);
        context.start("tank", move |p| {
            let Parameters { tank: limit, tank_sensors, pump_rate, period, .. } = &model.parameters;
            let tank = &model.tank;
            loop {
                p.hold(*period);
                let flow = model.n_running() as f64 * pump_rate - tank.outlet.get();
                let level = change(&tank.level, flow * period.as_secs_f64(), *limit);
                tank.is_low.set(level < tank_sensors.start);
                tank.is_full.set(level >= tank_sensors.end);
            }
        });
    }

    /// How many pumps run.
    #[must_use]
    pub fn n_running(&self) -> usize {
        self.sources.iter().filter(|source| source.pump.get()).count()
    }

    /// How much is in the tank.
    #[must_use]
    pub fn tank_level(&self) -> f64 {
        *self.tank.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// At most so many pumps run as may.
    #[must_use]
    pub fn pumps_are_few(&self) -> bool {
        self.n_running() <= self.parameters.max_pumps
    }

    /// If the tank is at its high level, no pump runs.
    #[must_use]
    pub fn full_tank_stops_pumps(&self) -> bool {
        self.tank_level() < self.parameters.tank_sensors.end || self.n_running() == 0
    }

    /// If a source is below its low level, its pump is off.
    #[must_use]
    pub fn low_source_stops_its_pump(&self) -> bool {
        self.sources.iter().all(|source| !(source.is_low.get() && source.pump.get()))
    }

    /// If the tank is below its low level and more sources than pumps may run are at their high level, as many pumps run as may.
    #[must_use]
    pub fn low_tank_starts_pumps(&self) -> bool {
        let max_pumps = self.parameters.max_pumps;
        self.tank_level() >= self.parameters.tank_sensors.start
            || self.sources.iter().filter(|source| source.is_high.get()).count() <= max_pumps
            || self.n_running() == max_pumps
    }
}

/// Adds `amount` to a level between 0 and `limit`; the new level.
fn change(level: &Mutex<f64>, amount: f64, limit: f64) -> f64 {
    let mut level = level.lock().unwrap_or_else(PoisonError::into_inner);
    *level = (*level + amount).clamp(0.0, limit);
    *level
}

impl ControlInterface for Model {
    fn n_sources(&self) -> usize {
        self.parameters.n_sources
    }

    fn max_pumps(&self) -> usize {
        self.parameters.max_pumps
    }

    fn source_level(&self, source: SourceId) -> SourceLevel {
        let Source { is_low, is_high, .. } = &self.sources[source.0];
        SourceLevel { is_low: is_low.get(), is_high: is_high.get() }
    }

    fn tank_is_full(&self) -> bool {
        self.tank.is_full.get()
    }

    fn tank_is_low(&self) -> bool {
        self.tank.is_low.get()
    }

    fn outlet_flow(&self) -> f64 {
        self.tank.outlet.get()
    }

    fn switch_pump(&self, source: SourceId, is_on: bool) {
        self.sources[source.0].pump.set(is_on);
    }

    fn pump_is_on(&self, source: SourceId) -> bool {
        self.sources[source.0].pump.get()
    }
}
