//! Rust for the frame of a component: a trait per interface, a double for each interface that the
//! component needs, and a function that plays the inverted frame against an implementation. Where the
//! traits are written already, with arguments and results of any type, they are used as they
//! are, and the player supplies the values. Everything that is not a name comes from
//! [`play`](crate::play).

mod names;
mod render;
mod surface;

use std::fmt::{self, Display, Formatter};

use quadrille_component::syntax::{Component, EnumType, File};
use quadrille_diagnostic::Diagnostic;

use crate::codes;
use crate::frame::{Frame, FrameError};
use surface::Surface;

/// Traits that are written already, in a Rust text that [`traits`](crate::traits) has read.
#[derive(Clone, Copy, Debug)]
pub struct Written<'t> {
    /// The text.
    pub text: &'t str,
    /// How the generated module imports what it needs of it: `super::*`.
    pub import: &'t str,
}

/// Why there is no double.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GenerateError {
    /// The component has no frame.
    Frame(FrameError),
    /// The values that this event carries are not of exactly one type.
    Arguments(String),
    /// A name has no interface: there is no trait that it could belong to.
    NoInterface(String),
    /// The component both calls and offers this interface.
    BothSides(String),
    /// Two names become this one in Rust.
    SameName(String),
    /// The component offers nothing that could be called.
    NothingToCall,
    /// The trait that is written does not have this method.
    NoMethod(String),
    /// A double cannot have this method, for this reason.
    Method(String, &'static str),
    /// What should be imported is no path.
    Import(String),
}

impl Display for GenerateError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            GenerateError::Frame(error) => error.fmt(f),
            GenerateError::Arguments(event) => {
                write!(f, "the values of `{event}` are not of exactly one type")
            }
            GenerateError::NoInterface(name) => write!(f, "`{name}` belongs to no interface"),
            GenerateError::BothSides(interface) => {
                write!(f, "the component both calls and offers `{interface}`")
            }
            GenerateError::SameName(name) => write!(f, "two names become `{name}` in Rust"),
            GenerateError::NothingToCall => f.write_str("the component offers nothing to call"),
            GenerateError::NoMethod(path) => write!(f, "the trait of `{path}` has no such method"),
            GenerateError::Method(path, why) => write!(f, "`{path}` {why}"),
            GenerateError::Import(path) => write!(f, "`{path}` cannot be imported"),
        }
    }
}

impl std::error::Error for GenerateError {}

impl From<FrameError> for GenerateError {
    fn from(error: FrameError) -> Self {
        GenerateError::Frame(error)
    }
}

impl GenerateError {
    /// Says so about a component.
    pub fn of(&self, component: &Component) -> Diagnostic {
        let name = &component.name;
        match self {
            GenerateError::Frame(error) => error.of(component),
            _ => {
                let message = format!("`{}` has no double: {self}", name.text);
                Diagnostic::error(&codes::NO_DOUBLE, message).at(name.span, "")
            }
        }
    }
}

/// The Rust text of a double for a component, and of the traits that are not written yet.
pub fn double(
    types: &[EnumType],
    component: &Component,
    written: Option<Written<'_>>,
) -> Result<String, GenerateError> {
    let frame = Frame::new(types, component, None)?;
    let surface = Surface::new(&frame, types, written.map(|written| written.text))?;
    let import = match written {
        Some(Written { import, .. }) => Some(
            syn::parse_str(&format!("use {import};"))
                .map_err(|_| GenerateError::Import(import.to_owned()))?,
        ),
        None => None,
    };
    let file = File { types: types.to_vec(), components: vec![component.clone()] };
    let tokens = render::module(frame.name(), &file.to_string(), import.as_ref(), &surface);
    let file = syn::parse2(tokens).expect("the template is Rust");
    Ok(prettyplease::unparse(&file))
}
