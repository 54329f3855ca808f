//! Why a question about a model has no answer, and why a computation ended early. Limits are no
//! errors: they end in *unknown*.

use std::fmt;

use quadrille_logic::{AtomId, TranslationError};
use quadrille_model::{Bound, Misfit, Problem, PropositionId, TaskId, Verdict};

use crate::disk::Trouble;
use crate::ltl::Flaw;

/// Why a computation ended before it was complete.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// A limit was reached, or the observer ended it.
    Bound(Bound),
    /// It failed; nothing that is not refuted already can be answered.
    Failed(Error),
}

impl Stopped {
    /// The verdict on what is open: unknown at a bound, none after an error.
    pub(crate) fn verdict(self) -> Result<Verdict, Error> {
        match self {
            Stopped::Bound(bound) => Ok(Verdict::Unknown(bound)),
            Stopped::Failed(error) => Err(error),
        }
    }
}

impl From<Bound> for Stopped {
    fn from(bound: Bound) -> Self {
        Stopped::Bound(bound)
    }
}

impl From<Box<Problem>> for Stopped {
    fn from(problem: Box<Problem>) -> Self {
        Stopped::Failed(problem.into())
    }
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Stopped::Failed(error)
    }
}

/// Why a question cannot be answered.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The model gives different answers to the same question, so no verdict about it can be
    /// trusted: when a run was replayed, it did not fit here.
    Unrepeatable(Misfit),
    /// Nested depth-first search cannot respect fairness; choose `LtlAlgorithm::Components`.
    NestedWithFairness,
    /// A step, a proposition or an end of the model could not be computed.
    Problem(Box<Problem>),
    /// The model has no such task.
    UnknownTask(TaskId),
    /// The model has no such proposition.
    UnknownProposition(PropositionId),
    /// The formula has an atom that the interpretation does not.
    UnknownAtom(AtomId),
    /// A formula for branching time has an operator of linear time.
    Linear,
    /// The formula has no automaton.
    Translation(TranslationError),
    /// A process that shares the search is gone or failed, as the message says.
    Peers(Box<str>),
    /// The files of a search cannot be used.
    Store(Box<Trouble>),
    /// A counterexample was found that is none: the model gives different answers to the same
    /// question, or there is a bug in the engine.
    Flawed(Flaw),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unrepeatable(misfit) => {
                write!(
                    f,
                    "the model is not deterministic in its answers: when a run was replayed, "
                )?;
                match misfit {
                    Misfit::Initial => write!(f, "its initial state was not found again"),
                    Misfit::Step(position) => {
                        write!(f, "step {} was not found again", position + 1)
                    }
                    Misfit::Ending => write!(f, "it ended differently"),
                }
            }
            Error::NestedWithFairness => {
                f.write_str("nested depth-first search cannot respect fairness")
            }
            Error::Problem(problem) => problem.fmt(f),
            Error::UnknownTask(task) => write!(f, "no task has number {}", task.number()),
            Error::UnknownProposition(proposition) => {
                write!(f, "no proposition has number {}", proposition.number())
            }
            Error::UnknownAtom(atom) => write!(f, "atom {} is not interpreted", atom.index()),
            Error::Linear => f.write_str("the formula has an operator of linear time"),
            Error::Translation(error) => error.fmt(f),
            Error::Peers(message) => f.write_str(message),
            Error::Store(trouble) => trouble.fmt(f),
            Error::Flawed(flaw) => {
                write!(f, "a counterexample was rejected when rechecked: {flaw}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Problem(problem) => Some(&**problem),
            Error::Store(trouble) => Some(&**trouble),
            _ => None,
        }
    }
}

impl From<Box<Problem>> for Error {
    fn from(problem: Box<Problem>) -> Self {
        Error::Problem(problem)
    }
}
