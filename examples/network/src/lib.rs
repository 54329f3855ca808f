//! Programs whose roles run in several processes. Each has its protocol, from which `build.rs` generates the module, and a
//! module of its own with what the roles do.
#![forbid(unsafe_code)]

pub mod buyers;
pub mod room;
pub mod sign_in;
pub mod stream;

/// The module of `protocols/two-buyer.quad`.
pub mod two_buyer {
    include!(concat!(env!("OUT_DIR"), "/two_buyer.rs"));
}

/// The module of `protocols/streaming.quad`.
pub mod streaming {
    include!(concat!(env!("OUT_DIR"), "/streaming.rs"));
}

/// The module of `../protocols/login.quad`.
pub mod login {
    include!(concat!(env!("OUT_DIR"), "/login.rs"));
}

/// The module of `protocols/chat.quad`.
pub mod chat {
    include!(concat!(env!("OUT_DIR"), "/chat.rs"));
}
