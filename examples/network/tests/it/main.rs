//! The programs of this crate: in one process, and with a network between their roles. One binary.

mod chat;
mod programs;

use quadrille::Verify as _;
use quadrille_example_network::{chat as chat_module, login, streaming, two_buyer};

/// What the protocols promise, asked of the modules.
#[test]
fn modules_have_the_properties_of_their_protocols() {
    two_buyer::verify().properties().assert();
    streaming::verify().properties().assert();
    login::verify().properties().assert();
    chat_module::verify().properties().assert();
}
