//! Formulas in our own syntax about the names that a model has.

use std::collections::BTreeSet;

use quadrille_check::{Actions, Claim, Subject};
use quadrille_diagnostic::{Diagnostic, Sources, Span, similar};
use quadrille_logic::{PlainAtom, PlainAtoms, parse};
use quadrille_model::{Action, ActionId, Model, PropositionId};

use super::events::EventAtoms;
use crate::codes;

/// The names a model has.
pub(super) struct Vocabulary<'m> {
    /// The names by which actions may be called.
    labels: BTreeSet<String>,
    /// Whether actions are events, which need no quotes.
    are_events: bool,
    propositions: &'m [String],
}

impl<'m> Vocabulary<'m> {
    /// The names of a model.
    pub(super) fn new(model: &'m dyn Model) -> Self {
        Self::with_names(model, false)
    }

    /// The names of composed components: an action is called by each of its events, whoever
    /// emits it.
    pub(super) fn of_events(model: &'m dyn Model) -> Self {
        Self::with_names(model, true)
    }

    fn with_names(model: &'m dyn Model, are_events: bool) -> Self {
        let mut labels = BTreeSet::new();
        for number in 0..model.n_actions() {
            let action = model.action(ActionId::from_usize(number));
            labels.extend(action.names().iter().cloned());
        }
        Self { labels, are_events, propositions: model.propositions() }
    }

    /// Reads the formula of a span; how it is printed and warnings come along.
    pub(super) fn claim(
        &self,
        sources: &Sources,
        span: Span,
    ) -> Result<(Claim<'static>, String, Vec<Diagnostic>), Vec<Diagnostic>> {
        let parsed = if self.are_events {
            parse(sources, span, &mut EventAtoms)
        } else {
            parse(sources, span, &mut PlainAtoms)
        };
        let Some(formula) = parsed.formula else { return Err(parsed.diagnostics) };
        let Ok(kind) = formula.kind() else { return Err(parsed.diagnostics) };
        let (mut subjects, mut unknown) = (Vec::new(), Vec::new());
        for (id, atom) in parsed.atoms.iter() {
            let place = parsed.atoms.span(id).unwrap_or(span);
            match self.subject(atom, place) {
                Ok(subject) => subjects.push(subject),
                Err(diagnostic) => unknown.push(diagnostic.at(place, "")),
            }
        }
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let shown = formula.show(&parsed.atoms).to_string();
        Ok((Claim { formula, kind, subjects }, shown, parsed.diagnostics))
    }

    fn subject(&self, atom: &PlainAtom, place: Span) -> Result<Subject<'static>, Diagnostic> {
        match atom {
            PlainAtom::Action(label) => {
                if !self.labels.contains(label) {
                    return Err(self.no_action(label));
                }
                let text = label.clone();
                let label = label.clone();
                let matches = Box::new(move |action: &Action| action.names().contains(&label));
                Ok(Subject::Actions(Actions { text, span: place, matches }))
            }
            PlainAtom::Proposition(name) => {
                let position = self.propositions.iter().position(|known| known == name);
                let id = position.map(PropositionId::from_usize);
                id.map(Subject::Proposition).ok_or_else(|| self.no_proposition(name))
            }
        }
    }

    fn no_action(&self, label: &str) -> Diagnostic {
        let message = format!("the model has no action `{label}`");
        let diagnostic = Diagnostic::error(&codes::UNKNOWN_ACTION, message);
        if self.propositions.iter().any(|known| known == label) {
            return diagnostic.help(format!("`{label}` is a proposition: write it without quotes"));
        }
        let known: Vec<&str> = self.labels.iter().map(String::as_str).collect();
        let write = |name: &str| match self.are_events {
            true => name.to_owned(),
            false => format!("\"{name}\""),
        };
        advise(diagnostic, label, &known, "actions", write)
    }

    fn no_proposition(&self, name: &str) -> Diagnostic {
        let message = format!("the model has no proposition `{name}`");
        let diagnostic = Diagnostic::error(&codes::UNKNOWN_PROPOSITION, message);
        if self.labels.contains(name) {
            return diagnostic
                .help(format!("`{name}` is an action: write \"{name}\", with quotes"));
        }
        let known: Vec<&str> = self.propositions.iter().map(String::as_str).collect();
        advise(diagnostic, name, &known, "propositions", str::to_owned)
    }
}

/// Names listed in full where there are no more than this.
const MAX_LISTED: usize = 12;

/// Says what was probably meant, or what there is.
fn advise(
    diagnostic: Diagnostic,
    name: &str,
    known: &[&str],
    kind: &str,
    write: impl Fn(&str) -> String,
) -> Diagnostic {
    let list = |names: &[&str], separator: &str| {
        names.iter().map(|name| write(name)).collect::<Vec<_>>().join(separator)
    };
    let near = similar(name, known.iter().copied());
    if !near.is_empty() {
        return diagnostic.help(format!("did you mean {}?", list(&near, " or ")));
    }
    match known.len() {
        0 => diagnostic.help(format!("the model has no {kind} at all")),
        1..=MAX_LISTED => diagnostic.help(format!("its {kind} are {}", list(known, ", "))),
        n => diagnostic
            .help(format!("it has {n} {kind}, among them {}", list(&known[..MAX_LISTED], ", "))),
    }
}
