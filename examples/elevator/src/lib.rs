//! An elevator: a controller with two threads, one of them woken by the interrupt of the floor sensor, and a model of shaft, cabin and
//! passengers. Where `examples/water` looks at its environment once a second, this program waits for events and gives commands.
#![forbid(unsafe_code)]

pub mod control;
pub mod model;

use std::sync::Arc;
use std::time::Duration;

use quadrille_joint::{Joint, Report, World};
use quadrille_simulation::ModelTime;

pub use control::Variant;
pub use model::Shaft;

/// Where the cabin goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Motion {
    /// Upwards.
    Up,
    /// Downwards.
    Down,
    /// It stands.
    Stop,
}

/// A storey, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Floor(pub usize);

/// The control interface: all that the controller sees of the elevator.
pub trait Lift: Send + Sync {
    /// How many floors there are.
    fn n_floors(&self) -> usize;
    /// Whether somebody has called from this floor or wants to go there.
    fn is_called(&self, floor: Floor) -> bool;
    /// Switches the light of the call off.
    fn reset_call(&self, floor: Floor);
    /// The floor that the cabin was at last.
    fn floor(&self) -> Floor;
    /// Waits for the interrupt of the floor sensor: the cabin is at a floor.
    fn wait_for_arrival(&self);
    /// Commands the motor.
    fn drive(&self, motion: Motion);
    /// Opens or closes the door.
    fn set_door(&self, is_open: bool);
}

/// How long anybody may have to wait.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the controller with the model for `seconds` of model time.
#[must_use]
pub fn run(seed: u64, variant: Variant, seconds: u64) -> (Report, Arc<Shaft>) {
    let (sender, receiver) = std::sync::mpsc::channel();
    let report = Joint::new(seed).until(ModelTime::from_secs(seconds)).run(move |world| {
        // Who listens has not gone: it waits for the run.
        drop(sender.send(set_up(world, variant)));
    });
    (report, receiver.recv().expect("the run has set everything up"))
}

fn set_up(world: &World, variant: Variant) -> Arc<Shaft> {
    let shaft = Shaft::start(world, 6);
    control::start(&(Arc::clone(&shaft) as Arc<dyn Lift>), variant);
    let invariant = |name, grace, holds: fn(&Shaft) -> bool| {
        let shaft = Arc::clone(&shaft);
        world.invariant(name, grace, move || holds(&shaft));
    };
    invariant(
        "1: an open door means a standing cabin at a floor",
        Duration::ZERO,
        Shaft::door_is_safe,
    );
    invariant("2: the cabin stays within the shaft", Duration::ZERO, Shaft::cabin_is_inside);
    // Somebody is always under way; what must not last is that the same person is.
    let (waiting, now) = (Arc::clone(&shaft), world.clone());
    world.invariant("3: nobody waits or rides for ever", Duration::ZERO, move || {
        waiting.longest_trip(now.now()) <= PATIENCE
    });
    shaft
}
