//! The controller: a thread that decides where to go, and a service routine that the floor sensor's interrupt wakes. They meet in a monitor.

use std::time::Duration;

use quadrille_sim_std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use quadrille_sim_std::thread;

use crate::{Floor, Lift, Motion};

/// Which error is planted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// None.
    Correct,
    /// The door opens before the motor is told to stop.
    OpensEarly,
    /// All floors of a trip count as served when it ends, also those where somebody called after the cabin had passed.
    LosesCalls,
    /// The service routine waits for the sensor to settle, longer than the cabin takes to leave the floor.
    Debounces,
}

/// How long the door stays open.
const DOOR: Duration = Duration::from_secs(3);
/// How often an idle controller looks for calls.
const PERIOD: Duration = Duration::from_millis(200);

/// Starts the controller. It never ends.
pub fn start(lift: &Arc<dyn Lift>, variant: Variant) {
    let cabin = Arc::new(Cabin {
        lift: Arc::clone(lift),
        state: Mutex::default(),
        arrived: Condvar::new(),
    });
    let served = Arc::clone(&cabin);
    let spawn = |name: &str, life: Box<dyn FnOnce() + Send>| {
        let thread = thread::Builder::new().name(name.to_owned()).spawn(life);
        thread.expect("the system has room for two threads");
    };
    spawn("sensor", Box::new(move || served.serve_interrupts(variant)));
    spawn("controller", Box::new(move || cabin.control(variant)));
}

/// The cabin as the program knows it.
struct Cabin {
    lift: Arc<dyn Lift>,
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Clone, Copy, Default)]
struct State {
    floor: usize,
    n_arrivals: u64,
}

impl Cabin {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The service routine: notes the floor and wakes the controller.
    fn serve_interrupts(&self, variant: Variant) {
        loop {
            self.lift.wait_for_arrival();
            if variant == Variant::Debounces {
                thread::sleep(Duration::from_millis(250));
            }
            let mut state = self.lock();
            state.floor = self.lift.floor().0;
            state.n_arrivals += 1;
            self.arrived.notify_all();
        }
    }

    /// Goes up as long as there are calls above, then down, and so on.
    fn control(&self, variant: Variant) {
        let mut motion = Motion::Up;
        loop {
            let here = self.lock().floor;
            if self.lift.is_called(Floor(here)) {
                self.open_and_close(here);
            } else if self.is_called_beyond(here, motion) {
                self.travel(motion, variant);
            } else if self.is_called_beyond(here, opposite(motion)) {
                motion = opposite(motion);
            } else {
                thread::sleep(PERIOD);
            }
        }
    }

    fn is_called_beyond(&self, here: usize, motion: Motion) -> bool {
        let mut floors = match motion {
            Motion::Up => here + 1..self.lift.n_floors(),
            Motion::Down => 0..here,
            Motion::Stop => 0..0,
        };
        floors.any(|floor| self.lift.is_called(Floor(floor)))
    }

    /// Moves to the next floor on the way where somebody waits.
    fn travel(&self, motion: Motion, variant: Variant) {
        let mut state = self.lock();
        let (start, mut n_arrivals) = (state.floor, state.n_arrivals);
        self.lift.drive(motion);
        loop {
            while state.n_arrivals == n_arrivals {
                state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            n_arrivals = state.n_arrivals;
            let here = state.floor;
            if self.lift.is_called(Floor(here)) || !self.is_called_beyond(here, motion) {
                break;
            }
        }
        if variant == Variant::LosesCalls {
            let passed = start.min(state.floor)..=start.max(state.floor);
            let passed = passed.filter(|&floor| floor != state.floor);
            passed.for_each(|floor| self.lift.reset_call(Floor(floor)));
        }
        if variant == Variant::OpensEarly {
            drop(state);
            self.lift.set_door(true);
            drop(self.lock());
        }
        self.lift.drive(Motion::Stop);
    }

    /// The call is reset first: who calls while the door is open or closing is not forgotten.
    fn open_and_close(&self, here: usize) {
        self.lift.set_door(true);
        self.lift.reset_call(Floor(here));
        thread::sleep(DOOR);
        self.lift.set_door(false);
    }
}

fn opposite(motion: Motion) -> Motion {
    match motion {
        Motion::Up => Motion::Down,
        Motion::Down => Motion::Up,
        Motion::Stop => Motion::Stop,
    }
}
