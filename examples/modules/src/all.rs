//! Every protocol of `examples/protocols` as a module, for tests: that they compile under the strictest lints, and that
//! sessions of them run.

use quadrille_runtime::{Sample, Subject};

/// What looks at every module.
pub trait Visitor {
    /// One of them; it is made again and again.
    fn module<P: Sample + Send + 'static>(&mut self, name: &str, made: &dyn Fn() -> Subject<P>);
}

include!(concat!(env!("OUT_DIR"), "/all.rs"));
