//! Terms as their table keeps them; readers see a [`Term`].

use std::sync::OnceLock;

use super::action::ActId;
use super::data::{ExprId, UpdateId};
use super::term::{DefinitionId, Term, TermId, Word};

/// A term as it is kept.
pub(super) enum Node {
    Stop,
    Skip,
    Act(ActId, UpdateId),
    Seq(TermId, TermId),
    Choice(Box<[TermId]>),
    Par(TermId, TermId),
    Nested(TermId),
    Guard(ExprId, TermId),
    Repeat { body: TermId, may_end: bool },
    Call { definition: DefinitionId, arguments: Box<[Word]>, body: OnceLock<TermId> },
}

impl Node {
    /// As a reader sees it.
    pub(super) fn view(&self) -> Term<'_> {
        match self {
            Node::Stop => Term::Stop,
            Node::Skip => Term::Skip,
            Node::Act(act, update) => Term::Act(*act, *update),
            Node::Seq(first, then) => Term::Seq(*first, *then),
            Node::Choice(parts) => Term::Choice(parts),
            Node::Par(left, right) => Term::Par(*left, *right),
            Node::Nested(inner) => Term::Nested(*inner),
            Node::Guard(condition, term) => Term::Guard(*condition, *term),
            Node::Repeat { body, may_end } => Term::Repeat { body: *body, may_end: *may_end },
            Node::Call { definition, arguments, .. } => Term::Call(*definition, arguments),
        }
    }

    /// To be kept.
    pub(super) fn new(term: Term<'_>) -> Self {
        match term {
            Term::Stop => Node::Stop,
            Term::Skip => Node::Skip,
            Term::Act(act, update) => Node::Act(act, update),
            Term::Seq(first, then) => Node::Seq(first, then),
            Term::Choice(parts) => Node::Choice(parts.into()),
            Term::Par(left, right) => Node::Par(left, right),
            Term::Nested(inner) => Node::Nested(inner),
            Term::Guard(condition, term) => Node::Guard(condition, term),
            Term::Repeat { body, may_end } => Node::Repeat { body, may_end },
            Term::Call(definition, arguments) => {
                Node::Call { definition, arguments: arguments.into(), body: OnceLock::new() }
            }
        }
    }
}
