//! What a model could not compute. A problem is an outcome of a step, as plain data; every
//! search passes it on, and no verdict is given over it.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::Value;

/// Something about a model that could not be computed: a division by zero, a definition without
/// end, a step of a program that panicked.
#[derive(Clone, Debug)]
pub struct Problem {
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// Where in the text of the model it is, if that is known.
    pub place: Option<Place>,
    /// The state in which it was met; empty where there is none.
    pub state: Vec<Value>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// A range of bytes of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The number of the text.
    pub text: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// Where something is written, if it is. It says nothing about the thing: all origins are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin(pub Option<Place>);

/// Where the items of a list are written, if they are. Like an [`Origin`], equal to any other.
#[derive(Clone, Debug, Default)]
pub struct Places(pub Arc<[Place]>);

impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Places {}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}

impl Problem {
    /// A problem with no place.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, state: Vec::new(), source: None }
    }

    /// Says where in the text it is.
    #[must_use]
    pub fn at(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }

    /// Says in which state it was met.
    #[must_use]
    pub fn in_state(mut self, state: &[Value]) -> Self {
        self.state = state.to_vec();
        self
    }

    /// Keeps what the front end has to say about it, to be found again by [`Error::source`].
    #[must_use]
    pub fn because(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Problem {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Equal where the plain data are.
impl PartialEq for Problem {
    fn eq(&self, other: &Self) -> bool {
        (&self.message, self.place, &self.state) == (&other.message, other.place, &other.state)
    }
}

impl Eq for Problem {}
