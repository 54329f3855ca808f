//! From the formulas of the command line to questions about a model: read, then tied to the model's
//! actions and propositions by name.

use std::collections::BTreeSet;
use std::ops::Range;

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span, similar};
use quadrille_engine::Meaning;
use quadrille_logic::{AtomId, Atoms, Formula, Kind, PlainAtom, PlainAtoms, parse};
use quadrille_model::{ActionId, Model, PropositionId};

use crate::arguments::FormulaArguments;
use crate::codes;
use crate::world::World;

/// A formula about a model.
pub(crate) struct Question {
    /// The formula as the user wrote it, in one line.
    pub(crate) property: String,
    /// The formula.
    pub(crate) formula: Formula,
    /// Linear or branching time.
    pub(crate) kind: Kind,
    /// Where it was written.
    pub(crate) span: Span,
    /// What each atom means, by number.
    pub(crate) subjects: Vec<Subject>,
}

/// What an atom speaks about.
pub(crate) enum Subject {
    /// Actions with this label.
    Label(String),
    /// A proposition.
    Proposition(PropositionId),
}

impl Question {
    /// What the atoms mean, for the engine.
    pub(crate) fn meanings(&self) -> Vec<Meaning<'_>> {
        let meaning = |subject| match subject {
            &Subject::Proposition(proposition) => Meaning::Proposition(proposition),
            Subject::Label(label) => {
                Meaning::Action(Box::new(move |action| action.label == *label))
            }
        };
        self.subjects.iter().map(meaning).collect()
    }
}

/// Reads all formulas; every error of every formula is reported.
pub(crate) fn read(
    arguments: &FormulaArguments,
    model: &dyn Model,
    world: &World,
    sources: &mut Sources,
) -> Result<Vec<Question>, Vec<Diagnostic>> {
    let mut spans = Vec::new();
    let mut diagnostics = Vec::new();
    for (number, text) in arguments.formula.iter().enumerate() {
        let source = sources.add(format!("formula {}", number + 1), text.as_str());
        spans.push(Span::new(source, 0..text.len()));
    }
    for path in &arguments.formula_file {
        match world.read(path, sources) {
            Err(unreadable) => diagnostics.push(unreadable),
            Ok(source) => {
                let found = paragraphs(sources, source);
                if found.is_empty() {
                    let message = format!("`{}` holds no formula", path.display());
                    diagnostics.push(
                        Diagnostic::error(&codes::NO_FORMULA, message)
                            .at(Span::new(source, 0..0), ""),
                    );
                }
                spans.extend(found);
            }
        }
    }
    let vocabulary = Vocabulary::new(model);
    let mut questions = Vec::new();
    for span in spans {
        match vocabulary.question(sources, span) {
            Ok((question, warnings)) => {
                crate::report(world, sources, &warnings);
                questions.push(question);
            }
            Err(errors) => diagnostics.extend(errors),
        }
    }
    if diagnostics.is_empty() { Ok(questions) } else { Err(diagnostics) }
}

/// The formulas of a file: pieces between blank lines that hold more than comments.
fn paragraphs(sources: &Sources, source: SourceId) -> Vec<Span> {
    let text = sources.text(source);
    let mut found = Vec::new();
    let mut piece: Option<Range<usize>> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.trim_end().len();
        let is_comment = line.trim_start().starts_with("//");
        if line.trim().is_empty() {
            found.extend(piece.take());
        } else if !is_comment || piece.is_some() {
            piece = Some(piece.map_or(at, |piece| piece.start)..end);
        }
        at += line.len();
    }
    found.extend(piece);
    found.into_iter().map(|range| Span::new(source, range)).collect()
}

/// The names a model has.
struct Vocabulary<'m> {
    labels: BTreeSet<String>,
    propositions: &'m [String],
}

impl<'m> Vocabulary<'m> {
    fn new(model: &'m dyn Model) -> Self {
        let label = |number| model.action(ActionId::from_usize(number)).label;
        Self {
            labels: (0..model.n_actions()).map(label).collect(),
            propositions: model.propositions(),
        }
    }

    /// Reads the formula of a span; warnings come along.
    fn question(
        &self,
        sources: &Sources,
        span: Span,
    ) -> Result<(Question, Vec<Diagnostic>), Vec<Diagnostic>> {
        let parsed = parse(sources, span, &mut PlainAtoms);
        let Some(formula) = parsed.formula else { return Err(parsed.diagnostics) };
        let Ok(kind) = formula.kind() else { return Err(parsed.diagnostics) };
        let mut subjects = Vec::new();
        let mut unknown = Vec::new();
        for (id, atom) in parsed.atoms.iter() {
            match self.subject(atom) {
                Ok(subject) => subjects.push(subject),
                Err(diagnostic) => unknown.push(placed(diagnostic, &parsed.atoms, id, span)),
            }
        }
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let written = sources.slice(span);
        let property = if written.contains("//") {
            formula.show(&parsed.atoms).to_string()
        } else {
            written.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        Ok((Question { property, formula, kind, span, subjects }, parsed.diagnostics))
    }

    fn subject(&self, atom: &PlainAtom) -> Result<Subject, Diagnostic> {
        match atom {
            PlainAtom::Action(label) if self.labels.contains(label) => {
                Ok(Subject::Label(label.clone()))
            }
            PlainAtom::Action(label) => {
                let message = format!("the model has no action `{label}`");
                let diagnostic = Diagnostic::error(&codes::UNKNOWN_ACTION, message);
                if self.propositions.contains(label) {
                    return Err(diagnostic
                        .help(format!("`{label}` is a proposition: write it without quotes")));
                }
                let known: Vec<&str> = self.labels.iter().map(String::as_str).collect();
                Err(advise(diagnostic, label, &known, "actions", |name| format!("\"{name}\"")))
            }
            PlainAtom::Proposition(name) => {
                if let Some(position) = self.propositions.iter().position(|known| known == name) {
                    return Ok(Subject::Proposition(PropositionId::from_usize(position)));
                }
                let message = format!("the model has no proposition `{name}`");
                let diagnostic = Diagnostic::error(&codes::UNKNOWN_PROPOSITION, message);
                if self.labels.contains(name) {
                    return Err(diagnostic
                        .help(format!("`{name}` is an action: write \"{name}\", with quotes")));
                }
                let known: Vec<&str> = self.propositions.iter().map(String::as_str).collect();
                Err(advise(diagnostic, name, &known, "propositions", str::to_owned))
            }
        }
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

fn placed(
    diagnostic: Diagnostic,
    atoms: &Atoms<PlainAtom>,
    atom: AtomId,
    formula: Span,
) -> Diagnostic {
    diagnostic.at(atoms.span(atom).unwrap_or(formula), "")
}
