//! The control program: a thread per source that runs its pump, monitors that they share, and a coordinator that wakes those who wait for
//! room in the tank. Endless, as control programs are. It sees the world through its [`ControlInterface`] only.
//!
//! The errors that can be planted ([`Variant`]) are each a line or two; without one, the program is correct.

use std::time::Duration;

use quadrille_sim_std::sync::{Arc, Condvar, Mutex, PoisonError};
use quadrille_sim_std::thread;

use crate::interface::{ControlInterface, SourceId, SourceLevel};

/// Which error is planted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// None.
    Correct,
    /// `if` instead of `while` around waiting for a permit.
    IfGuard,
    /// Running pumps ignore a full tank.
    NoFullStop,
    /// Control threads sleep a minute instead of a second.
    SlowPeriod,
    /// Nobody wakes those who wait for room in the tank.
    NoCoordinator,
    /// A permit is requested while the source's monitor is held, and the coordinator reads all of those first.
    NestedMonitor,
    /// The permit is given back before the pump is off.
    PermitBeforePump,
    /// Nobody is ever notified.
    NoNotify,
}

impl Variant {
    /// All of them, the correct one first.
    pub const ALL: [Self; 8] = [
        Self::Correct,
        Self::IfGuard,
        Self::NoFullStop,
        Self::SlowPeriod,
        Self::NoCoordinator,
        Self::NestedMonitor,
        Self::PermitBeforePump,
        Self::NoNotify,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::IfGuard => "if-guard",
            Self::NoFullStop => "no-full-stop",
            Self::SlowPeriod => "slow-period",
            Self::NoCoordinator => "no-coordinator",
            Self::NestedMonitor => "nested-monitor",
            Self::PermitBeforePump => "permit-before-pump",
            Self::NoNotify => "no-notify",
        }
    }

    fn period(self) -> Duration {
        if self == Self::SlowPeriod { Duration::from_secs(60) } else { PERIOD }
    }
}

/// How long control threads and the coordinator sleep.
pub const PERIOD: Duration = Duration::from_secs(1);

/// Starts the program: a thread per source, and the coordinator. They never end.
pub fn start(interface: &Arc<dyn ControlInterface>, variant: Variant) -> Arc<Station> {
    let n = interface.n_sources();
    let sources: Arc<[SourceMonitor]> =
        (0..n).map(|source| SourceMonitor::new(SourceId(source), Arc::clone(interface))).collect();
    let station = Arc::new(Station::new(Arc::clone(interface), variant));
    for source in 0..n {
        let (sources, station) = (Arc::clone(&sources), Arc::clone(&station));
        let builder = thread::Builder::new().name(format!("control {source}"));
        let thread = builder.spawn(move || control(&sources[source], &station, variant));
        thread.expect("the system has room for a few threads");
    }
    let coordinated = Arc::clone(&station);
    let builder = thread::Builder::new().name("coordinator".to_owned());
    let thread = builder.spawn(move || coordinate(&sources, &coordinated, variant));
    thread.expect("the system has room for a few threads");
    station
}

/// The life of a control thread. Hysteresis: a pump is started at the high sensor and runs down to the low one.
fn control(source: &SourceMonitor, station: &Station, variant: Variant) {
    let mut is_on = false;
    loop {
        let SourceLevel { is_low, is_high } = source.level();
        let is_full = station.is_full() && variant != Variant::NoFullStop;
        if is_on && (is_low || is_full) {
            if variant == Variant::PermitBeforePump {
                station.release();
                source.switch_pump(false);
            } else {
                source.switch_pump(false);
                station.release();
            }
            is_on = false;
        } else if !is_on && is_high {
            if variant == Variant::NestedMonitor {
                source.start_pump_with_permit(station);
            } else {
                station.request();
                source.switch_pump(true);
            }
            is_on = true;
        }
        thread::sleep(variant.period());
    }
}

/// The life of the coordinator: when all control threads wait because the tank was full, nobody else would wake them.
fn coordinate(sources: &[SourceMonitor], station: &Station, variant: Variant) {
    loop {
        if variant == Variant::NestedMonitor {
            for source in sources {
                source.level();
            }
        }
        if !station.is_full() {
            station.wake();
        }
        thread::sleep(PERIOD);
    }
}

/// Guards one source: its sensors are read together, its pump is switched by one thread at a time.
struct SourceMonitor {
    id: SourceId,
    interface: Arc<dyn ControlInterface>,
    lock: Mutex<()>,
}

impl SourceMonitor {
    fn new(id: SourceId, interface: Arc<dyn ControlInterface>) -> Self {
        Self { id, interface, lock: Mutex::new(()) }
    }

    fn level(&self) -> SourceLevel {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.interface.source_level(self.id)
    }

    fn switch_pump(&self, is_on: bool) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.interface.switch_pump(self.id, is_on);
    }

    /// The nested monitor: whoever wants to read this source meanwhile waits for the station, too.
    fn start_pump_with_permit(&self, station: &Station) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        station.request();
        self.interface.switch_pump(self.id, true);
    }
}

/// Guards the station: at most so many pumps run as the power supply can bear, and none is started while the tank is full.
pub struct Station {
    interface: Arc<dyn ControlInterface>,
    variant: Variant,
    permits: Mutex<Permits>,
    changed: Condvar,
}

#[derive(Default)]
struct Permits {
    n_running: usize,
    n_waiting: usize,
}

impl Station {
    fn new(interface: Arc<dyn ControlInterface>, variant: Variant) -> Self {
        Self { interface, variant, permits: Mutex::default(), changed: Condvar::new() }
    }

    fn is_full(&self) -> bool {
        let _guard = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        self.interface.tank_is_full()
    }

    /// Waits for a permit to run a pump.
    fn request(&self) {
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        permits.n_waiting += 1;
        if self.variant == Variant::IfGuard {
            if self.must_wait(&permits) {
                permits = self.changed.wait(permits).unwrap_or_else(PoisonError::into_inner);
            }
        } else {
            while self.must_wait(&permits) {
                permits = self.changed.wait(permits).unwrap_or_else(PoisonError::into_inner);
            }
        }
        permits.n_waiting -= 1;
        permits.n_running += 1;
    }

    fn must_wait(&self, permits: &Permits) -> bool {
        permits.n_running >= self.interface.max_pumps() || self.interface.tank_is_full()
    }

    /// Gives a permit back.
    fn release(&self) {
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        permits.n_running -= 1;
        if self.variant != Variant::NoNotify {
            self.changed.notify_all();
        }
    }

    /// Lets those who wait look again.
    fn wake(&self) {
        let _guard = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(self.variant, Variant::NoCoordinator | Variant::NoNotify) {
            self.changed.notify_all();
        }
    }

    /// Whether a thread waits for a permit that it could have; nothing while the station is locked. A moment of this is no fault: the thread
    /// may have been notified just now.
    pub fn keeps_waiting(&self) -> Option<bool> {
        let permits = self.permits.try_lock().ok()?;
        Some(permits.n_waiting > 0 && !self.must_wait(&permits))
    }
}
