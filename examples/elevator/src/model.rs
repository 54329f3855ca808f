//! The model: a cabin that moves as commanded and raises an interrupt at every floor, and passengers who come at random.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quadrille_joint::{Command, Interrupt, Journal, Signal};
use quadrille_simulation::{Context, MessageBox, ModelTime, Tally};

use crate::{Floor, Lift, Motion};

/// Steps from one floor to the next.
const STEPS: i32 = 20;
/// How long a step of the cabin takes.
const STEP: Duration = Duration::from_millis(100);
/// How often passengers look whether the door is open.
const GLANCE: Duration = Duration::from_millis(200);

/// Shaft, cabin, buttons and passengers.
pub struct Shaft {
    /// What passes between the controller and the elevator.
    pub journal: Journal,
    motor: Command<Motion>,
    arrival: Interrupt,
    motion: Signal<Motion>,
    door: Signal<bool>,
    calls: Vec<Signal<bool>>,
    cabin: Mutex<Cabin>,
}

#[derive(Default)]
struct Cabin {
    /// Steps above the lowest floor.
    position: i32,
    /// When those who are under way began to be.
    trips: Vec<ModelTime>,
    /// Seconds of those who have arrived.
    arrived: Tally,
}

impl Shaft {
    /// Builds an elevator with so many floors, and starts its processes.
    #[must_use]
    pub fn start(context: &Context, n_floors: usize) -> Arc<Self> {
        let (journal, commands) = (Journal::new(), MessageBox::new(context));
        let calls =
            (0..n_floors).map(|floor| Signal::new(&journal, format!("call {floor}"), false));
        let shaft = Arc::new(Self {
            motor: Command::new(&commands),
            arrival: Interrupt::new().named("arrival"),
            motion: Signal::new(&journal, "motor", Motion::Stop),
            door: Signal::new(&journal, "door", false),
            calls: calls.collect(),
            cabin: Mutex::default(),
            journal,
        });
        shaft.move_cabin(context, commands);
        shaft.bring_passengers(context);
        shaft
    }

    fn move_cabin(self: &Arc<Self>, context: &Context, commands: MessageBox<Motion>) {
        let shaft = Arc::clone(self);
        context.start("cabin", move |p| {
            let mut motion = Motion::Stop;
            loop {
                let command = match motion {
                    Motion::Stop => Some(commands.receive(p, None)),
                    _ => commands.try_receive(p, None),
                };
                if let Some(command) = command {
                    motion = command.message;
                }
                if motion == Motion::Stop {
                    continue;
                }
                p.hold(STEP);
                // A command that came during the step stops the cabin where it was.
                if commands.is_empty() && shaft.step(motion) {
                    shaft.arrival.raise();
                }
            }
        });
    }

    /// Moves the cabin by a step. Whether it is at a floor then.
    fn step(&self, motion: Motion) -> bool {
        let mut cabin = self.cabin();
        cabin.position += if motion == Motion::Up { 1 } else { -1 };
        cabin.position % STEPS == 0
    }

    fn bring_passengers(self: &Arc<Self>, context: &Context) {
        let shaft = Arc::clone(self);
        context.start("street", move |p| {
            let mut draws = p.stream("passengers");
            let n = shaft.calls.len() as u64;
            loop {
                p.hold(draws.exponential_time(0.02));
                let from = draws.below(n);
                let to = (from + 1 + draws.below(n - 1)) % n;
                let shaft = Arc::clone(&shaft);
                p.start("passenger", move |p| {
                    let began = p.now();
                    shaft.cabin().trips.push(began);
                    for floor in [from as usize, to as usize] {
                        shaft.calls[floor].set(true);
                        while !(shaft.door.get() && shaft.is_level(floor)) {
                            p.hold(GLANCE);
                        }
                    }
                    let mut cabin = shaft.cabin();
                    cabin.trips.retain(|&other| other != began);
                    cabin.arrived.add((p.now() - began).as_secs_f64());
                });
            }
        });
    }

    fn cabin(&self) -> MutexGuard<'_, Cabin> {
        self.cabin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_level(&self, floor: usize) -> bool {
        self.cabin().position == floor as i32 * STEPS
    }

    /// If the door is open, the motor is off and the cabin at a floor.
    #[must_use]
    pub fn door_is_safe(&self) -> bool {
        !self.door.get()
            || (self.motion.get() == Motion::Stop && self.cabin().position % STEPS == 0)
    }

    /// The cabin is neither above the highest floor nor below the lowest.
    #[must_use]
    pub fn cabin_is_inside(&self) -> bool {
        let highest = (self.calls.len() as i32 - 1) * STEPS;
        (0..=highest).contains(&self.cabin().position)
    }

    /// How long the passenger who has been under way longest has been.
    #[must_use]
    pub fn longest_trip(&self, now: ModelTime) -> Duration {
        self.cabin().trips.first().map_or(Duration::ZERO, |began| now - *began)
    }

    /// How long trips took that are over, in seconds.
    #[must_use]
    pub fn trips(&self) -> Tally {
        self.cabin().arrived
    }
}

impl Lift for Shaft {
    fn n_floors(&self) -> usize {
        self.calls.len()
    }

    fn is_called(&self, floor: Floor) -> bool {
        self.calls[floor.0].get()
    }

    fn reset_call(&self, floor: Floor) {
        self.calls[floor.0].set(false);
    }

    fn floor(&self) -> Floor {
        // The sensor shows the floor that was passed last.
        Floor(usize::try_from(self.cabin().position / STEPS).unwrap_or(0))
    }

    fn wait_for_arrival(&self) {
        self.arrival.wait();
    }

    fn drive(&self, motion: Motion) {
        self.motion.set(motion);
        self.motor.send(motion);
    }

    fn set_door(&self, is_open: bool) {
        self.door.set(is_open);
    }
}
