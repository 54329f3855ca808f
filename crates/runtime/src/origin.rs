//! Where a module comes from, and what is to be verified about it. Explores nothing.

use crate::module::{Form, Module, Payload};

/// The protocol that a module was generated from, as text, so that it can be explored afresh and compared
/// with the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The file: `chess.quad`. Its ending tells the language.
    pub file: &'static str,
    /// What the file says.
    pub text: &'static str,
    /// The session.
    pub session: &'static str,
    /// Its arguments.
    pub arguments: &'static [&'static str],
    /// Parameters of the file that were given other values.
    pub parameters: &'static [(&'static str, &'static str)],
}

/// A generated module in all its forms, with its origin: what `verify()` of generated code gives.
pub struct Subject<P: Payload> {
    /// The protocol.
    pub origin: Origin,
    /// The forms that were generated.
    pub modules: Vec<(Form, Module<P>)>,
}
