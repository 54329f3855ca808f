//! Ways into a simulation for threads that are not part of it: what they send is kept until the simulation asks for it, between two
//! steps. The only file of this crate that knows that there are threads.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::ModelTime;

/// A way into a [`MessageBox`](crate::MessageBox) of a simulation. Any thread may have one; a clone leads to the same box.
pub struct Port<M> {
    letters: Letters<M>,
    rung: Arc<AtomicBool>,
}

/// What was left in a port, with the times at which it is to arrive.
type Letters<M> = Arc<Mutex<VecDeque<(ModelTime, M)>>>;

impl<M> Port<M> {
    /// Leaves a message. It arrives when the simulation's [`deliver`](crate::Simulation::deliver) is called.
    pub fn send(&self, message: M) {
        self.send_at(ModelTime::ZERO, message);
    }

    /// Leaves a message that arrives at `time`, or when it is delivered if that is later.
    pub fn send_at(&self, time: ModelTime, message: M) {
        self.letters.lock().unwrap_or_else(PoisonError::into_inner).push_back((time, message));
        self.rung.store(true, Ordering::Release);
    }
}

impl<M> Clone for Port<M> {
    fn clone(&self) -> Self {
        Self { letters: Arc::clone(&self.letters), rung: Arc::clone(&self.rung) }
    }
}

impl<M> std::fmt::Debug for Port<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Port")
    }
}

/// Whether anything was left in one of the ports, and how it is carried into its box.
#[derive(Default)]
pub(crate) struct Doorbell {
    rung: Arc<AtomicBool>,
    carriers: RefCell<Vec<Carrier>>,
}

/// Empties one port into its box, at a time that has not passed.
type Carrier = Rc<dyn Fn(ModelTime)>;

impl Doorbell {
    /// Carries everything that was left in ports into the boxes.
    pub(crate) fn answer(&self, now: ModelTime) {
        // Only reading in the frequent case: nothing was left.
        if !self.rung.load(Ordering::Acquire) {
            return;
        }
        self.rung.store(false, Ordering::Release);
        let carriers = self.carriers.borrow().clone();
        for carry in carriers {
            carry(now);
        }
    }

    /// Forgets all ports: what leads into boxes owns the simulation's context, which owns this.
    pub(crate) fn close(&self) {
        self.carriers.borrow_mut().clear();
    }
}

/// A port whose messages are given to `receive` when the doorbell is answered.
pub(crate) fn open<M: 'static>(
    doorbell: &Doorbell,
    receive: impl Fn(M, ModelTime) + 'static,
) -> Port<M> {
    let letters: Letters<M> = Arc::default();
    let port = Port { letters: Arc::clone(&letters), rung: Arc::clone(&doorbell.rung) };
    doorbell.carriers.borrow_mut().push(Rc::new(move |now| {
        let left = std::mem::take(&mut *letters.lock().unwrap_or_else(PoisonError::into_inner));
        for (time, message) in left {
            receive(message, time.max(now));
        }
    }));
    port
}
