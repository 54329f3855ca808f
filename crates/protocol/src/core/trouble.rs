//! What goes wrong while a protocol is explored, as diagnostics.

use std::collections::{BTreeSet, VecDeque};

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_model::{ActionId, GroupId, Model, Place, Problem, Value};

use super::action::ActId;
use super::data::{Data, DataError};
use super::model::{DATA_ERROR, ProtocolModel, TOO_DEEP, UNGUARDED};
use super::place::MAX_STATES;
use super::step::{Named, Trouble, Walk};
use super::term::{Term, TermId};

impl ProtocolModel {
    pub(super) fn trouble(&self, trouble: Trouble) -> Box<Problem> {
        let diagnostic = match trouble {
            Trouble::Body(diagnostic) => *diagnostic,
            Trouble::Unguarded(call) => {
                let Term::Call(definition, arguments) = self.terms().term(call) else {
                    unreachable!("only calls are unfolded")
                };
                let Named { text, span } = self.definitions.named(definition, arguments);
                Diagnostic::error(&UNGUARDED, format!("no action comes before `{text}`"))
                    .at(span, "unfolded again and again without an action")
                    .help("put an action before the recursive call, or give the recursion an end")
            }
            Trouble::Deep => Diagnostic::error(&TOO_DEEP, "the protocol is nested too deeply")
                .help("put an action before the recursive call, or write it as a loop"),
        };
        problem(diagnostic)
    }

    /// A step, or a condition, that cannot be computed; a step with the variables before it.
    pub(super) fn data_error(
        &self,
        error: DataError,
        step: Option<(ActId, &[Value])>,
    ) -> Box<Problem> {
        let message = match error {
            DataError::OutOfRange(variable, value) => {
                let variable = self.terms().variable(variable);
                let (min, max) = variable.data_type.bounds();
                format!("`{}` cannot hold {value}: its values are {min} to {max}", variable.name)
            }
            DataError::DivisionByZero | DataError::Overflow => error.to_string(),
        };
        let diagnostic = Diagnostic::error(&DATA_ERROR, message);
        let place =
            step.and_then(|(act, store)| self.failing_place(act, &diagnostic.message, store));
        problem(match place {
            Some(place) => diagnostic.at(place, "in this step"),
            None => diagnostic,
        })
    }

    /// Where a step is written that cannot be taken with these variables: of several equal ones, the first
    /// to be met for which the protocol by place says the same.
    fn failing_place(&self, act: ActId, message: &str, store: &[Value]) -> Option<Span> {
        let places = self.terms().places_of(act);
        let [first, _, ..] = places[..] else { return places.first().copied() };
        let Some(apart) = self.by_place() else { return Some(first) };
        let mut explorer = apart.explorer();
        let (mut known, mut open) = (BTreeSet::new(), VecDeque::new());
        let mut meet = |state: &[Value], open: &mut VecDeque<Vec<Value>>| {
            if known.len() < MAX_STATES && known.insert(state.to_vec()) {
                open.push_back(state.to_vec());
            }
        };
        explorer.each_initial(|state: &[Value]| meet(state, &mut open)).ok()?;
        while let Some(state) = open.pop_front() {
            let visit = |_: GroupId, _: ActionId, next: &[Value]| meet(next, &mut open);
            let Err(found) = explorer.each_successor(&state, visit) else { continue };
            let place =
                Diagnostic::behind(&*found).and_then(|it| it.labels.first()).map(|it| it.span);
            if let Some(place) = place
                && found.message == message
                && state[apart.n_parts()..] == *store
                && places.contains(&place)
            {
                return Some(place);
            }
        }
        Some(first)
    }

    /// The calls in a state that stand inside their own unfolding, before any action, and so contribute
    /// nothing: why a protocol is stuck that seems to go on.
    pub fn empty_calls(&self, state: &[Value]) -> Vec<Diagnostic> {
        let mut walk = Walk::new(self.terms(), &*self.definitions);
        for &part in &state[..self.n_parts()] {
            walk.edges(TermId(part), &mut Vec::new());
        }
        let name = |call: &TermId| match self.terms().term(*call) {
            Term::Call(definition, arguments) => self.definitions.named(definition, arguments),
            _ => unreachable!("only calls are unfolded"),
        };
        let told = walk.empty.iter().map(name).map(|Named { text, span }| {
            let message =
                format!("`{text}` calls itself before any action, and does nothing there");
            let diagnostic =
                Diagnostic::warning(&UNGUARDED, message).at(span, "has no first action");
            diagnostic.help("put an action before the recursive call, or give it another branch")
        });
        told.collect()
    }
}

/// What a protocol has to say about one of its problems.
pub fn diagnosed(problem: &Problem) -> Diagnostic {
    let generic = || Diagnostic::error(&DATA_ERROR, problem.message.clone());
    Diagnostic::behind(problem).cloned().unwrap_or_else(generic)
}

/// A diagnostic as a problem of the model.
fn problem(diagnostic: Diagnostic) -> Box<Problem> {
    let place = diagnostic.labels.first().map(|label| Place {
        text: label.span.source.number(),
        start: label.span.start,
        end: label.span.end,
    });
    Box::new(Problem::new(&diagnostic.message).at(place).because(diagnostic))
}
