//! The names that formulas about a subject may use. Formulas are read after the subject was loaded; a
//! name that it does not have is a mistake, because `always not …` would hold of it whatever the system
//! does.

mod hoa;

use std::collections::BTreeSet;
use std::ops::Range;

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span, similar};
use quadrille_logic::{PlainAtom, PlainAtoms, parse, parse_owl};
use quadrille_model::{ActionId, Expected, Model, ParticipantId, PropositionId, Runs};
use quadrille_protocol::core::Terms;
use quadrille_protocol::owl::{OwlAtom, Types};
use quadrille_quad::atoms::ActionAtoms;
use quadrille_quad::{self as quad, MessagePattern, Pattern, RolePattern};

use crate::claim::{ActionAtom, ActionTest, Aim, Atom, Claim, Property, Statement};
use crate::codes::{
    CONTRADICTION, NO_VARIABLES, UNKNOWN_ACTION, UNKNOWN_NAME, UNKNOWN_PROPOSITION,
};
use crate::events::EventAtoms;
use crate::languages::nets;
use crate::protocol::ignored_words;
use crate::subject::{Matter, Subject};

pub use hoa::HoaText;

/// How formulas about a subject are written, and which names they may use.
pub enum Vocabulary {
    /// Labels in quotes and bare propositions, of a model as data.
    Labels,
    /// Tokens and transitions of a Petri net.
    Net,
    /// Events of components, without quotes.
    Events,
    /// What roles do, in a protocol whose names are found as it is explored.
    Actions,
    /// The declared names of a `.quad` text, in its own language.
    Quad(Box<quad::Formulas>),
    /// What roles do, in a system whose names are all known.
    Names(Box<Names>),
}

/// All names that a system has.
pub struct Names {
    /// Its roles, by number of the participant.
    pub roles: Vec<String>,
    /// What is sent or done, with content: `Vote(true)`.
    pub messages: Vec<String>,
    /// The labels of its actions.
    pub actions: Vec<String>,
    /// The roles as participants of a protocol.
    pub terms: Terms,
}

/// A formula that was not read yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormulaText {
    /// Where it stands.
    pub span: Span,
    /// How it is written.
    pub syntax: Syntax,
}

/// How a formula is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// In our own syntax, with the atoms of the subject's language.
    Own,
    /// In the Owl dialect, a whole file; with what `<Short>` stands for.
    Owl(Types),
    /// As an automaton in the Hanoi format, a whole file.
    Hoa(Box<HoaText>),
}

impl Subject<'_> {
    /// Reads a formula about the subject, with warnings. Conditions on variables become propositions of
    /// the model.
    pub fn formula(
        &mut self,
        sources: &Sources,
        text: &FormulaText,
    ) -> Result<(Property, Vec<Diagnostic>), Vec<Diagnostic>> {
        let span = text.span;
        if let Syntax::Owl(types) = &text.syntax {
            return self.owl(sources, span, types);
        }
        if let Syntax::Hoa(hoa) = &text.syntax {
            return self.automaton(sources, span, hoa);
        }
        let (claims, warnings) = match (&self.vocabulary, &mut self.matter) {
            (Vocabulary::Quad(formulas), Matter::Protocol(protocol)) => {
                let property = formulas.read(sources, span, &mut protocol.model)?;
                (Property::from(property).claims, Vec::new())
            }
            (Vocabulary::Names(names), _) => (vec![names.claim(sources, span)?], Vec::new()),
            (Vocabulary::Net, Matter::Net(model)) => {
                let (claim, warnings) = nets::claim(model, sources, span)?;
                (vec![claim], warnings)
            }
            (Vocabulary::Labels | Vocabulary::Events | Vocabulary::Net, _) => {
                let are_events = matches!(self.vocabulary, Vocabulary::Events);
                let (claim, warnings) =
                    Labels::new(self.model(), are_events).claim(sources, span)?;
                (vec![claim], warnings)
            }
            (Vocabulary::Actions | Vocabulary::Quad(_), _) => {
                (vec![actions_claim(sources, span)?], Vec::new())
            }
        };
        let name = one_line(sources.slice(span));
        let words = vec!["--formula".to_owned(), name.clone()];
        let (runs, expected) = (Runs::default(), Expected::Holds);
        let (aim, text) = (Aim::Prove, None);
        let property = Property { name, claims, runs, expected, span, words, aim, text };
        self.fits(&property)?;
        Ok((property, warnings))
    }

    /// Refuses properties about variables where the form that is explored has none.
    pub fn fits(&self, property: &Property) -> Result<(), Vec<Diagnostic>> {
        let has_no_variables = self.protocol().is_some()
            && self.model().signature().propositions.is_empty()
            || matches!(self.vocabulary, Vocabulary::Names(_));
        if !has_no_variables || !property.speaks_of_states() {
            return Ok(());
        }
        let (message, help) = match self.vocabulary {
            Vocabulary::Names(_) => (
                "a module has no variables",
                "say it by the messages, or check the protocol itself",
            ),
            _ => (
                "this form of the protocol has no variables",
                "leave --form out, or write a formula about the messages",
            ),
        };
        let diagnostic = Diagnostic::error(&NO_VARIABLES, message);
        Err(vec![diagnostic.at(property.span, "speaks about variables").help(help)])
    }

    fn owl(
        &self,
        sources: &Sources,
        span: Span,
        types: &Types,
    ) -> Result<(Property, Vec<Diagnostic>), Vec<Diagnostic>> {
        let path = sources.name(span.source);
        if self.terms().is_none() {
            let message = format!("`{path}` speaks about a protocol");
            let help = "write the formula with the model's own names, in a file of another kind";
            return Err(vec![
                Diagnostic::error(&CONTRADICTION, message)
                    .at(Span::new(span.source, 0..0), "its atoms are sends and receives of roles")
                    .help(help),
            ]);
        }
        let parsed = parse_owl(sources, span);
        let mut warnings = parsed.diagnostics;
        let Some(formula) = parsed.formula else { return Err(warnings) };
        let (mut atoms, mut bad) = (Vec::new(), Vec::new());
        for (id, text) in parsed.atoms.iter() {
            let place = parsed.atoms.span(id).unwrap_or(span);
            match OwlAtom::parse(text, place, types) {
                Err(diagnostic) => bad.push(*diagnostic),
                Ok(atom) => {
                    warnings.extend(ignored_words(&atom, place));
                    let test = ActionTest::Owl(atom);
                    atoms.push(Atom::Action(ActionAtom { text: text.clone(), span: place, test }));
                }
            }
        }
        if !bad.is_empty() {
            return Err(bad);
        }
        let claims = vec![Claim { statement: Statement::Linear(formula), atoms }];
        let mut words = vec!["--formula-file".to_owned(), path.to_owned()];
        for (short, full) in types {
            words.extend(["--type".to_owned(), format!("{short}={full}")]);
        }
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        let (runs, expected) = (Runs::default(), Expected::Holds);
        let (aim, text) = (Aim::Prove, None);
        Ok((Property { name, claims, runs, expected, span, words, aim, text }, warnings))
    }

    /// The property with a name that the subject's file declares.
    pub fn property(&self, name: &str) -> Result<&Property, Diagnostic> {
        if self.protocol().is_none() && self.properties.is_empty() {
            let message = "--property is for .quad and .qev files";
            return Err(Diagnostic::error(&CONTRADICTION, message));
        }
        let found = self.properties.iter().find(|property| property.name == name);
        found.ok_or_else(|| {
            let message = format!("the protocol has no property `{name}`");
            let known = self.properties.iter().map(|property| property.name.as_str());
            let near = similar(name, known).join(" or ");
            let diagnostic = Diagnostic::error(&crate::codes::UNKNOWN_PROPERTY, message);
            diagnostic.help(match near.as_str() {
                "" => "properties belong to a protocol; name it with --protocol".to_owned(),
                near => format!("did you mean {near}?"),
            })
        })
    }
}

/// A formula in one line, without comments.
fn one_line(text: &str) -> String {
    let without_comment = |line: &str| {
        let mut quoted = false;
        let end = line.char_indices().position(|(at, c)| {
            quoted ^= c == '"';
            !quoted && line[at..].starts_with("//")
        });
        line.chars().take(end.unwrap_or(usize::MAX)).collect::<String>()
    };
    let lines: Vec<String> = text.lines().map(without_comment).collect();
    lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads a formula about what roles do, in a protocol whose names are not declared.
fn actions_claim(sources: &Sources, span: Span) -> Result<Claim, Vec<Diagnostic>> {
    let parsed = parse(sources, span, &mut ActionAtoms);
    let Some(formula) = parsed.formula else { return Err(parsed.diagnostics) };
    let place = |id| parsed.atoms.span(id).unwrap_or(span);
    let atoms = parsed.atoms.iter().map(|(id, atom)| (atom, place(id)));
    Ok(Claim::of_quad(&formula, atoms))
}

impl Names {
    /// Reads a formula about a system with these names.
    fn claim(&self, sources: &Sources, span: Span) -> Result<Claim, Vec<Diagnostic>> {
        let parsed = parse(sources, span, &mut ActionAtoms);
        let mut unknown = Vec::new();
        for (id, atom) in parsed.atoms.iter() {
            let place = parsed.atoms.span(id).unwrap_or(span);
            let found = match atom {
                quad::Atom::Action(Pattern { role, message, other, .. }) => self
                    .unknown_role(role)
                    .or_else(|| self.unknown_role(other))
                    .or_else(|| self.unknown_message(message)),
                quad::Atom::Label(label) if !self.actions.contains(label) => {
                    Some(unknown_name("action", label, &self.actions))
                }
                quad::Atom::Label(_) | quad::Atom::Proposition(_) => None,
            };
            unknown.extend(found.map(|diagnostic| diagnostic.at(place, "")));
        }
        if unknown.is_empty() { actions_claim(sources, span) } else { Err(unknown) }
    }

    fn unknown_role(&self, pattern: &RolePattern) -> Option<Diagnostic> {
        let mut participants = (0..self.roles.len()).map(ParticipantId::from_usize);
        let is_known = participants.any(|participant| pattern.matches(&self.terms, participant));
        (!is_known).then(|| unknown_name("role", &pattern.to_string(), &self.roles))
    }

    fn unknown_message(&self, pattern: &MessagePattern) -> Option<Diagnostic> {
        let is_known = *pattern == MessagePattern::Any
            || self.messages.iter().any(|message| pattern.matches(message));
        (!is_known).then(|| unknown_name("message", &pattern.to_string(), &self.messages))
    }
}

fn unknown_name(kind: &str, name: &str, known: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&UNKNOWN_NAME, format!("the module has no {kind} `{name}`"));
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    advise(diagnostic, name, &known, &format!("{kind}s"), |name| format!("`{name}`"))
}

/// The names of a model as data.
struct Labels<'m> {
    labels: BTreeSet<String>,
    propositions: Vec<&'m str>,
    /// Whether actions are events, which need no quotes.
    are_events: bool,
}

impl<'m> Labels<'m> {
    fn new(model: &'m dyn Model, are_events: bool) -> Self {
        let mut labels = BTreeSet::new();
        for number in 0..model.n_actions() {
            let action = model.action(ActionId::from_usize(number));
            labels.extend(action.names().iter().cloned());
        }
        let propositions = model.signature().propositions.iter();
        let propositions = propositions.map(|proposition| proposition.name.as_str()).collect();
        Self { labels, propositions, are_events }
    }

    fn claim(
        &self,
        sources: &Sources,
        span: Span,
    ) -> Result<(Claim, Vec<Diagnostic>), Vec<Diagnostic>> {
        let parsed = if self.are_events {
            parse(sources, span, &mut EventAtoms)
        } else {
            parse(sources, span, &mut PlainAtoms)
        };
        let Some(formula) = parsed.formula else { return Err(parsed.diagnostics) };
        let Ok(kind) = formula.kind() else { return Err(parsed.diagnostics) };
        let (mut atoms, mut unknown) = (Vec::new(), Vec::new());
        for (id, atom) in parsed.atoms.iter() {
            let place = parsed.atoms.span(id).unwrap_or(span);
            match self.atom(atom, place) {
                Ok(atom) => atoms.push(atom),
                Err(diagnostic) => unknown.push(diagnostic.at(place, "")),
            }
        }
        if !unknown.is_empty() {
            return Err(unknown);
        }
        Ok((Claim { statement: (formula, kind).into(), atoms }, parsed.diagnostics))
    }

    fn atom(&self, atom: &PlainAtom, span: Span) -> Result<Atom, Diagnostic> {
        match atom {
            PlainAtom::Action(label) if !self.labels.contains(label) => Err(self.no_action(label)),
            PlainAtom::Action(label) => {
                let (text, test) = (label.clone(), ActionTest::Name(label.clone()));
                Ok(Atom::Action(ActionAtom { text, span, test }))
            }
            PlainAtom::Proposition(name) => {
                let position = self.propositions.iter().position(|known| known == name);
                let id = position.map(PropositionId::from_usize);
                id.map(Atom::Proposition).ok_or_else(|| self.no_proposition(name))
            }
        }
    }

    fn no_action(&self, label: &str) -> Diagnostic {
        let message = format!("the model has no action `{label}`");
        let diagnostic = Diagnostic::error(&UNKNOWN_ACTION, message);
        if self.propositions.contains(&label) {
            return diagnostic.help(format!("`{label}` is a proposition: write it without quotes"));
        }
        let known: Vec<&str> = self.labels.iter().map(String::as_str).collect();
        advise(diagnostic, label, &known, "actions", |name| match self.are_events {
            true => name.to_owned(),
            false => format!("\"{name}\""),
        })
    }

    fn no_proposition(&self, name: &str) -> Diagnostic {
        let message = format!("the model has no proposition `{name}`");
        let diagnostic = Diagnostic::error(&UNKNOWN_PROPOSITION, message);
        if self.labels.contains(name) {
            return diagnostic
                .help(format!("`{name}` is an action: write \"{name}\", with quotes"));
        }
        advise(diagnostic, name, &self.propositions, "propositions", str::to_owned)
    }
}

/// Names listed in full where there are no more than this.
const MAX_LISTED: usize = 12;

/// Suggests similar names, or lists what there is.
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

/// The formulas of a file: pieces between blank lines that hold more than comments.
pub fn paragraphs(sources: &Sources, source: SourceId) -> Vec<Span> {
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
