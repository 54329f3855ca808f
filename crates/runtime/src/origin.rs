//! The protocol that a module was generated from, for tests that compare the two.

use crate::module::{Form, Module, Payload};

/// The text of the protocol that a module was generated from, so that tests can explore it and compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The file: `chess.quad`. Its extension determines the language.
    pub file: &'static str,
    /// The content of the file.
    pub text: &'static str,
    /// The session.
    pub session: &'static str,
    /// Its arguments.
    pub arguments: &'static [&'static str],
    /// Parameters of the file with other values than its own.
    pub parameters: &'static [(&'static str, &'static str)],
}

/// A generated module in all its forms with its origin, as `verify()` of generated code returns it.
pub struct Subject<P: Payload> {
    /// The protocol.
    pub origin: Origin,
    /// The forms that were generated.
    pub modules: Vec<(Form, Module<P>)>,
}
