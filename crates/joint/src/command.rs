//! Commands of threads to processes of the environment, at the model time at which the thread gives them.

use quadrille_sim::task;
use quadrille_simulation::{MessageBox, Port};

/// The way of a thread into a message box of the environment. A clone leads to the same box.
#[derive(Clone, Debug)]
pub struct Command<M> {
    port: Port<M>,
}

impl<M: Send + 'static> Command<M> {
    /// Commands for who receives from the box.
    #[must_use]
    pub fn new(target: &MessageBox<M>) -> Self {
        Self { port: target.port() }
    }

    /// Gives a command. Its receiver goes on at this model time.
    pub fn send(&self, command: M) {
        self.port.send_at(task::now(), command);
    }
}
