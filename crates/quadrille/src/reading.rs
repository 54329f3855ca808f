//! From texts to questions: the protocol that a module comes from, and formulas about the module. Searches
//! nothing.

use quadrille_diagnostic::{Diagnostic, Sources, Span, Style, render};
use quadrille_protocol::core::{Identity, Role, Terms};
use quadrille_protocol::owl::Types;
use quadrille_query::codes::OTHER_KIND;
use quadrille_query::{
    FormulaText, Names, Property, Selection, SessionSelection, Subject, load_text,
};
use quadrille_runtime::{Origin, Plan};

/// What a text is to be read as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Syntax {
    /// Our own, linear time.
    Linear,
    /// Our own, branching time.
    Branching,
    /// Our own, of either kind.
    Own,
    /// The Owl dialect, with what `<Short>` stands for.
    Owl(Types),
}

/// A formula as its user wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    pub(crate) text: String,
    pub(crate) syntax: Syntax,
}

/// The text of all diagnostics.
pub(crate) fn shown(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    diagnostics.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain)).collect()
}

/// The protocol that a module comes from, loaded again.
pub(crate) fn protocol(
    origin: &Origin,
    sources: &mut Sources,
) -> Result<Subject<'static>, Vec<Diagnostic>> {
    let owned = |text: &&str| (*text).to_owned();
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let session = SessionSelection {
        protocol: (!origin.session.is_empty()).then(|| origin.session.to_owned()),
        arguments: origin.arguments.iter().map(owned).collect(),
        parameters: origin.parameters.iter().map(pair).collect(),
        ..SessionSelection::default()
    };
    let source = sources.add(origin.file, origin.text);
    let (subject, diagnostics) = load_text(sources, source, &Selection::of_session(session));
    subject.ok_or(diagnostics)
}

/// Whether a protocol is written in our own language, which reads formulas too.
pub(crate) fn is_quad(origin: &Origin) -> bool {
    origin.file.ends_with(".quad")
}

/// The names of a module; role `n` is participant `n`.
pub(crate) fn names(plan: &Plan) -> Names {
    let terms = Terms::new(Identity::Written, Vec::new());
    for name in plan.roles.iter() {
        terms.role(role(name));
    }
    Names {
        roles: plan.roles.iter().map(ToString::to_string).collect(),
        messages: plan.labels.iter().map(ToString::to_string).collect(),
        actions: plan.acts.iter().map(|act| act.text.to_string()).collect(),
        terms,
    }
}

/// `worker[0][2]` as a name with indices.
fn role(text: &str) -> Role {
    let (name, rest) = text.split_at(text.find('[').unwrap_or(text.len()));
    let parts = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let indices: Option<Vec<i64>> = parts.map_or(Some(Vec::new()), |parts| {
        parts.split("][").map(|index| index.parse().ok()).collect()
    });
    match indices {
        Some(indices) if !name.is_empty() => Role::indexed(name, indices),
        _ => Role::new(text),
    }
}

/// A formula, placed where diagnostics can show it as the question with this number.
pub(crate) fn place(asked: &Asked, number: usize, sources: &mut Sources) -> FormulaText {
    let source = sources.add(format!("question {number}"), asked.text.as_str());
    let syntax = match &asked.syntax {
        Syntax::Owl(types) => quadrille_query::Syntax::Owl(types.clone()),
        Syntax::Linear | Syntax::Branching | Syntax::Own => quadrille_query::Syntax::Own,
    };
    FormulaText { span: Span::new(source, 0..asked.text.len()), syntax }
}

/// Refuses a formula that was asked by the method of the other kind.
pub(crate) fn of_kind(asked: &Asked, property: &Property) -> Result<(), Vec<Diagnostic>> {
    let (message, help) = match (&asked.syntax, property.is_linear()) {
        (Syntax::Linear, false) => ("this formula has path quantifiers", "ask it with `ctl`"),
        (Syntax::Branching, true) => ("this formula has no path quantifiers", "ask it with `ltl`"),
        _ => return Ok(()),
    };
    Err(vec![Diagnostic::error(&OTHER_KIND, message).at(property.span, "").help(help)])
}
