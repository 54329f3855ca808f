//! Symmetric (coloured) nets: sorts of colours, terms over them, and the place/transition net that one
//! stands for. A place is unfolded into one per colour, a transition into one per binding of its
//! variables; all are named after what they come from.

mod assemble;
mod declare;
mod sorts;
mod terms;
mod unfold;

pub(crate) use assemble::{Written, WrittenArc, WrittenPlace, WrittenTransition, assemble};
pub(crate) use unfold::unfold;

use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use crate::codes::{COLOUR, NOT_UNDERSTOOD, UNKNOWN};
use crate::xml::Node;

/// What is wrong with a term, at its element.
fn mismatch(source: SourceId, node: &Node<'_>, message: impl Into<String>) -> Box<Diagnostic> {
    let span = Span::new(source, node.element.place.clone());
    Box::new(Diagnostic::error(&COLOUR, message).at(span, ""))
}

/// A name that is not declared.
fn unknown(source: SourceId, node: &Node<'_>, kind: &str, name: &str) -> Box<Diagnostic> {
    let span = Span::new(source, node.element.place.clone());
    let message = format!("the net declares no {kind} `{name}`");
    Box::new(Diagnostic::error(&UNKNOWN, message).at(span, "named here"))
}

/// An element that symmetric nets do not have, or that is not read.
fn strange(source: SourceId, node: &Node<'_>, expected: &str) -> Box<Diagnostic> {
    let span = Span::new(source, node.element.place.clone());
    let message = format!("`{}` is not understood here", node.element.name);
    let label = format!("expected {expected}");
    Box::new(Diagnostic::error(&NOT_UNDERSTOOD, message).at(span, label))
}
