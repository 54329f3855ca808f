//! From formulas as users write them to questions about a model: read, then tied to the model's
//! actions and propositions.

mod actions;
mod events;
mod names;

use std::path::{Path, PathBuf};

use quadrille_check::Claim;
use quadrille_check::manifest::paragraphs;
use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span, similar};
use quadrille_engine::Error;
use quadrille_model::Runs;
use quadrille_protocol::owl::Types;
use quadrille_quad::Property;

use crate::arguments::AskedArguments;
use crate::codes;
use crate::input::Input;
use crate::protocols::Protocol;
use crate::shell;
use crate::world::{World, has_extension};

/// A question about a model.
pub(crate) struct Question<'m> {
    /// What it is called: the formula as the user wrote it, in one line, or a name.
    pub(crate) property: String,
    /// What must hold, all of it.
    pub(crate) claims: Vec<Claim<'m>>,
    /// Which runs count.
    pub(crate) runs: Runs,
    /// Where it was written.
    pub(crate) span: Span,
    /// The options of `check` that ask it again.
    pub(crate) again: String,
}

/// What to say where a formula could not be checked.
pub(crate) fn refused(error: Error, formula: Span) -> Vec<Diagnostic> {
    vec![match error {
        Error::Translation(error) => error.diagnostic(formula),
        error => Diagnostic::error(&codes::UNREPEATABLE, error.to_string()),
    }]
}

/// A formula that was found and not read yet.
pub(crate) enum Asked {
    /// In our own syntax.
    Own(Span),
    /// In the Owl dialect: a whole file.
    Owl(PathBuf, SourceId),
}

/// The formulas of the command line, and what is wrong with the files that should hold some.
pub(crate) fn asked(
    arguments: &AskedArguments,
    world: &World,
    sources: &mut Sources,
) -> (Vec<Asked>, Vec<Diagnostic>) {
    let (mut asked, mut diagnostics) = (Vec::new(), Vec::new());
    for (number, text) in arguments.formula.iter().enumerate() {
        let source = sources.add(format!("formula {}", number + 1), text.as_str());
        asked.push(Asked::Own(Span::new(source, 0..text.len())));
    }
    for path in &arguments.formula_file {
        match asked_in(path, world, sources) {
            Ok(found) => asked.extend(found),
            Err(bad) => diagnostics.push(bad),
        }
    }
    (asked, diagnostics)
}

/// The formulas of a file.
pub(crate) fn asked_in(
    path: &Path,
    world: &World,
    sources: &mut Sources,
) -> Result<Vec<Asked>, Diagnostic> {
    let source = world.read(path, sources)?;
    if has_extension(path, "owl") {
        return Ok(vec![Asked::Owl(path.to_owned(), source)]);
    }
    let spans = paragraphs(sources, source);
    if spans.is_empty() {
        let message = format!("`{}` holds no formula", path.display());
        let place = Span::new(source, 0..0);
        return Err(Diagnostic::error(&codes::NO_FORMULA, message).at(place, ""));
    }
    Ok(spans.into_iter().map(Asked::Own).collect())
}

/// The places of those in our own syntax.
pub(crate) fn own(asked: &[Asked]) -> Vec<Span> {
    let own = |asked: &Asked| match asked {
        Asked::Own(span) => Some(*span),
        Asked::Owl(..) => None,
    };
    asked.iter().filter_map(own).collect()
}

/// A question, and what is odd about how it is put.
type Read<'m> = Result<(Question<'m>, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Reads formulas about one model.
pub(crate) struct Reader<'m> {
    input: &'m Input,
    /// What `<Short>` stands for.
    types: Types,
    /// Which runs count, where that is said.
    runs: Option<Runs>,
}

impl<'m> Reader<'m> {
    /// A reader of formulas about a model.
    pub(crate) fn new(input: &'m Input, types: Types, runs: Option<Runs>) -> Self {
        Self { input, types, runs }
    }

    /// Reads formulas; the errors of all of them are reported. Warnings come along.
    pub(crate) fn questions(
        &self,
        asked: &[Asked],
        sources: &Sources,
    ) -> Result<(Vec<Question<'m>>, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (mut questions, mut warnings, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        let read = |asked: &Asked| match (asked, self.input) {
            (Asked::Own(span), Input::Plain(model)) => {
                let vocabulary = names::Vocabulary::new(&**model);
                let (claim, shown, odd) = vocabulary.claim(sources, *span)?;
                Ok((self.formula(vec![claim], &shown, *span, sources), odd))
            }
            (Asked::Own(span), Input::Components(composed)) => {
                let vocabulary = names::Vocabulary::of_events(&composed.composition);
                let (claim, shown, odd) = vocabulary.claim(sources, *span)?;
                Ok((self.formula(vec![claim], &shown, *span, sources), odd))
            }
            (Asked::Own(span), Input::Protocol(protocol)) => {
                let claims = actions::claims(protocol, *span, sources)?;
                Ok((self.formula(claims, sources.slice(*span), *span, sources), Vec::new()))
            }
            (Asked::Owl(path, source), _) => self.owl(path, *source, sources),
        };
        for asked in asked {
            match read(asked) {
                Err(found) => errors.extend(found),
                Ok((question, odd)) => {
                    questions.push(question);
                    warnings.extend(odd);
                }
            }
        }
        if errors.is_empty() { Ok((questions, warnings)) } else { Err(errors) }
    }

    /// The properties that a protocol file has, or those of them with these names.
    pub(crate) fn properties(
        &self,
        protocol: &'m Protocol,
        names: &[String],
    ) -> Result<Vec<(Question<'m>, &'m Property)>, Vec<Diagnostic>> {
        let known = || protocol.properties.iter().map(|property| property.name.as_str());
        let unknown = |name: &&String| !known().any(|known| known == name.as_str());
        let missing: Vec<Diagnostic> = names
            .iter()
            .filter(unknown)
            .map(|name| {
                let message = format!("the protocol has no property `{name}`");
                let near = similar(name, known()).join(" or ");
                let diagnostic = Diagnostic::error(&codes::UNKNOWN_PROPERTY, message);
                diagnostic.help(match near.as_str() {
                    "" => "properties belong to a protocol; name it with --protocol".to_owned(),
                    near => format!("did you mean {near}?"),
                })
            })
            .collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let wanted = |property: &&Property| names.is_empty() || names.contains(&property.name);
        let mut questions = Vec::new();
        for property in protocol.properties.iter().filter(wanted) {
            let question = Question {
                property: property.name.clone(),
                claims: actions::of_property(protocol, property)?,
                runs: self.runs.unwrap_or(property.runs),
                span: property.formula,
                again: format!(" --property {}", shell::word(&property.name)),
            };
            questions.push((question, property));
        }
        Ok(questions)
    }

    /// A formula in our own syntax; `shown` is how it reads without comments.
    fn formula(
        &self,
        claims: Vec<Claim<'m>>,
        shown: &str,
        span: Span,
        sources: &Sources,
    ) -> Question<'m> {
        let written = sources.slice(span);
        let property = if written.contains("//") {
            shown.to_owned()
        } else {
            written.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let again = format!(" --formula {}", shell::word(&property));
        Question { property, claims, runs: self.runs.unwrap_or_default(), span, again }
    }

    fn owl(&self, path: &Path, source: SourceId, sources: &Sources) -> Read<'m> {
        let Input::Protocol(protocol) = self.input else {
            let message = format!("`{}` speaks about a protocol", path.display());
            return Err(vec![
                Diagnostic::error(&codes::CONTRADICTION, message)
                    .at(Span::new(source, 0..0), "its atoms are sends and receives of roles")
                    .help(
                        "write the formula with the model's own names, in a file of another kind",
                    ),
            ]);
        };
        let span = Span::new(source, 0..sources.text(source).len());
        let terms = protocol.session.terms();
        let (claim, warnings) = Claim::of_owl(sources, span, &self.types, terms)?;
        let property = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut again = format!(" --formula-file {}", shell::path(path));
        for (short, full) in &self.types {
            again += &format!(" --type {}", shell::word(&format!("{short}={full}")));
        }
        let runs = self.runs.unwrap_or_default();
        Ok((Question { property, claims: vec![claim], runs, span, again }, warnings))
    }
}
