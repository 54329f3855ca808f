//! A water station: sources with pumps fill a tank that consumers empty. A control program with a thread per pump keeps the tank between its
//! limits; a model of the station is its environment. Both run together in model time, and four invariants are checked after every step.
//!
//! The case study of J. Kačer's thesis (University of West Bohemia, 2005), with errors to be planted.
#![forbid(unsafe_code)]

pub mod control;
pub mod device;
pub mod interface;
pub mod model;
pub mod table;

use std::sync::Arc;
use std::time::Duration;

use quadrille_joint::{Joint, Reaction, Report, World};
use quadrille_simulation::ModelTime;

pub use control::Variant;
pub use model::{Model, Parameters};

use interface::ControlInterface;

/// How long an invariant may be broken: a control thread looks once a second, and may be a little late.
pub const GRACE: Duration = Duration::from_millis(2500);

/// Runs a variant of the program with the model for `seconds` of model time.
#[must_use]
pub fn run(seed: u64, variant: Variant, seconds: u64) -> Report {
    run_with(seed, seconds, move |world| {
        set_up(world, variant, Parameters::default(), Reaction::Log);
    })
}

/// The same, up to the first violation.
#[must_use]
pub fn run_until_violated(seed: u64, variant: Variant, seconds: u64) -> Report {
    run_with(seed, seconds, move |world| {
        set_up(world, variant, Parameters::default(), Reaction::Stop);
    })
}

/// The same for any set-up.
#[must_use]
pub fn run_with(
    seed: u64,
    seconds: u64,
    set_up: impl Fn(&World) + Send + Sync + 'static,
) -> Report {
    Joint::new(seed).until(ModelTime::from_secs(seconds)).run(set_up)
}

/// Builds the model, starts the program on it, asks for the invariants. The place where the model is chosen; `main.rs` has the one where
/// the device is.
pub fn set_up(
    world: &World,
    variant: Variant,
    parameters: Parameters,
    reaction: Reaction,
) -> Arc<Model> {
    let model = Model::start(world, parameters);
    let interface: Arc<dyn ControlInterface> = Arc::clone(&model) as _;
    let station = control::start(&interface, variant);

    let invariant = |name, grace, holds: fn(&Model) -> bool| {
        let model = Arc::clone(&model);
        world.invariant_with(name, grace, reaction, move || holds(&model));
    };
    invariant("1: at most K pumps run", Duration::ZERO, Model::pumps_are_few);
    invariant("2: a full tank stops all pumps", GRACE, Model::full_tank_stops_pumps);
    invariant("3: a low source stops its pump", GRACE, Model::low_source_stops_its_pump);
    invariant("4: a low tank starts K pumps", GRACE, Model::low_tank_starts_pumps);
    // Invariants of the plant alone miss a thread that sleeps for ever while another one does its work.
    world.invariant_with("5: nobody waits for a permit that is free", GRACE, reaction, move || {
        station.keeps_waiting().map(|waits| !waits)
    });
    let shown = Arc::clone(&model);
    world.show("tank", move || format!("{:.1}", shown.tank_level()));
    let shown = Arc::clone(&model);
    world.show("running pumps", move || shown.n_running().to_string());
    model
}
