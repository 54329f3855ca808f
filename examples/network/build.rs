//! Generates the modules of the protocols beside it.

use quadrille_build::Protocol;

fn main() {
    // The seller quotes to both without waiting for the first to read it; items of a window, and what is said in a room,
    // follow each other likewise. Per-role order is all that is needed.
    Protocol::new("protocols/two-buyer.quad")
        .message_type("Title", "crate::buyers::Title")
        .message_type("Quote", "crate::buyers::Quote")
        .message_type("Share", "crate::buyers::Share")
        .message_type("Delivery", "crate::buyers::Delivery")
        .accept_differences()
        .tcp()
        .generate();
    Protocol::new("protocols/streaming.quad")
        .message_type("Item", "crate::stream::Item")
        .accept_differences()
        .tcp()
        .generate();
    Protocol::new("../protocols/login.quad")
        .session("login")
        .message_type("Credentials", "crate::sign_in::Credentials")
        .message_type("Code", "crate::sign_in::Code")
        .message_type("Exchange", "crate::sign_in::Exchange")
        .message_type("Token", "crate::sign_in::Token")
        .tcp()
        .generate();
    Protocol::new("protocols/chat.quad")
        .message_type("Join", "crate::room::Join")
        .message_type("Say", "crate::room::Say")
        .message_type("Said", "crate::room::Said")
        .capacity(64)
        .accept_differences()
        .tcp()
        .generate();
}
