//! How evaluation fails: an exception that `try` may catch, or a failure of the program itself.

use quadrille_diagnostic::{Code, Diagnostic, Span};

use super::codes::{ARITY, ENDLESS, EVALUATION, UNKNOWN_NAME, UNSUPPORTED};

/// Most characters that are shown of a value.
const MAX_SHOWN: usize = 400;

/// A failed evaluation.
#[derive(Debug)]
pub(crate) struct Trap {
    pub(crate) code: &'static Code,
    pub(crate) message: String,
    /// The innermost form that failed; none yet while a function reports to its caller.
    pub(crate) span: Option<Span>,
    /// The class of the exception in Java's words, where `try` may catch it.
    pub(crate) class: Option<&'static str>,
    pub(crate) label: &'static str,
}

pub(crate) type Result<T> = std::result::Result<T, Box<Trap>>;

impl Trap {
    fn new(code: &'static Code, class: Option<&'static str>, message: String) -> Box<Self> {
        Box::new(Self { code, message: clipped(message), span: None, class, label: "" })
    }

    pub(crate) fn arithmetic(message: impl Into<String>) -> Box<Self> {
        Self::new(&EVALUATION, Some("ArithmeticException"), message.into())
    }

    pub(crate) fn number_format(message: impl Into<String>) -> Box<Self> {
        Self::new(&EVALUATION, Some("NumberFormatException"), message.into())
    }

    pub(crate) fn class_cast(message: impl Into<String>) -> Box<Self> {
        Self::new(&EVALUATION, Some("ClassCastException"), message.into())
    }

    pub(crate) fn argument(message: impl Into<String>) -> Box<Self> {
        Self::new(&EVALUATION, Some("IllegalArgumentException"), message.into())
    }

    pub(crate) fn bounds(message: impl Into<String>) -> Box<Self> {
        Self::new(&EVALUATION, Some("IndexOutOfBoundsException"), message.into())
    }

    pub(crate) fn thrown(message: impl Into<String>) -> Box<Self> {
        Self::new(&EVALUATION, Some("Exception"), message.into())
    }

    pub(crate) fn arity(message: impl Into<String>) -> Box<Self> {
        Self::new(&ARITY, Some("ArityException"), message.into())
    }

    pub(crate) fn unknown(message: impl Into<String>) -> Box<Self> {
        Self::new(&UNKNOWN_NAME, None, message.into())
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Box<Self> {
        Self::new(&UNSUPPORTED, None, message.into())
    }

    pub(crate) fn endless(message: impl Into<String>) -> Box<Self> {
        Self::new(&ENDLESS, None, message.into())
    }

    /// A failure with a code of its own, which is never caught.
    pub(crate) fn other(
        code: &'static Code,
        span: Span,
        message: impl Into<String>,
        label: &'static str,
    ) -> Box<Self> {
        Box::new(Self { code, message: message.into(), span: Some(span), class: None, label })
    }

    /// The failure at a place, unless it has one already.
    pub(crate) fn at(mut self: Box<Self>, span: Span) -> Box<Self> {
        self.span.get_or_insert(span);
        self
    }

    /// Whether a `catch` of this class takes it.
    pub(crate) fn is_caught_by(&self, class: &str) -> bool {
        let caught = class.rsplit('.').next().unwrap_or(class);
        self.class.is_some_and(|mine| {
            mine == caught
                || matches!(caught, "Throwable" | "Exception" | "RuntimeException")
                || (caught == "IllegalArgumentException"
                    && matches!(mine, "NumberFormatException" | "ArityException"))
        })
    }

    /// What the user is told; `outer` is where it happened if nothing closer is known.
    pub(crate) fn diagnostic(self, outer: Span) -> Diagnostic {
        Diagnostic::error(self.code, self.message).at(self.span.unwrap_or(outer), self.label)
    }
}

/// The beginning of a text that shows a value; values can be large.
pub(crate) fn clipped(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(MAX_SHOWN) {
        text.truncate(at);
        text.push('…');
    }
    text
}
