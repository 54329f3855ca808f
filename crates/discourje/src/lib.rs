//! Discourje's specification language (`.dcj`): Clojure forms that describe protocols, read unmodified.
//!
//! A file is read into definitions by [`load`]; [`DcjProgram::session`] starts one of its sessions as a
//! [`ProtocolModel`]. Bodies of sessions are evaluated by a small, pure, fuel-limited
//! interpreter when a search reaches them, never before. States are told apart as Discourje's
//! own interpreter does ([`Identity::Written`]).
#![forbid(unsafe_code)]

mod actions;
mod bind;
mod builtin;
mod codes;
mod collections;
mod content;
mod eval;
mod form;
mod graph;
mod idle;
mod lower;
mod numbers;
mod pattern;
mod program;
mod reader;
mod sequences;
mod special;
mod strings;
mod trap;
mod value;

use std::collections::BTreeSet;
use std::sync::Arc;

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};

pub use codes::*;

use eval::{Env, Interp};
use lower::Lowering;
use program::{Definition, Program};
use quadrille_protocol::core::intern::Interner;
use quadrille_protocol::core::{
    DefinitionId, Definitions, Identity, Named, ProtocolModel, Reader, TermId, Terms, Word, Writer,
};
use value::Value;

/// A file in Discourje's language.
pub struct DcjProgram {
    program: Program,
    whole: Span,
}

/// A session that a file defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionInfo {
    /// Its name, without colons.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<String>,
    /// Where it is defined.
    pub span: Span,
}

/// Reads a file. The program has what could be read; errors are among the diagnostics.
pub fn load(source: SourceId, text: &str) -> (DcjProgram, Vec<Diagnostic>) {
    let (program, diagnostics) = Program::load(source, text);
    (DcjProgram { program, whole: Span::new(source, 0..0) }, diagnostics)
}

impl DcjProgram {
    /// The sessions in order of definition.
    pub fn sessions(&self) -> Vec<SessionInfo> {
        let text = |name| self.program.text(name).to_string();
        let info = |session: &program::Session| SessionInfo {
            name: text(session.name),
            parameters: session.parameters.iter().map(|&name| text(name)).collect(),
            span: session.span,
        };
        self.program.sessions().filter(|session| !session.is_predefined()).map(info).collect()
    }

    /// The names of the roles that the file declares, and where.
    pub fn roles(&self) -> impl Iterator<Item = (&str, Span)> {
        self.program.declared.iter().map(|(name, span)| (&**name, *span))
    }

    /// Starts a session. Arguments are written as in Clojure (`3`, `true`, `"text"`, `:word`, `#{0 1 2}`);
    /// each becomes a source of its own, so that diagnostics can show it.
    pub fn session(
        &self,
        sources: &mut Sources,
        name: &str,
        arguments: &[&str],
    ) -> Result<ProtocolModel, Vec<Diagnostic>> {
        let mut program = self.program.clone();
        let (mut values, mut diagnostics) = (Vec::new(), Vec::new());
        for (position, text) in arguments.iter().enumerate() {
            let source = sources.add(format!("argument {}", position + 1), *text);
            match argument(&mut program, source, text) {
                Ok(value) => values.push(value),
                Err(found) => diagnostics.extend(found),
            }
        }
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let name = name.trim_start_matches(':');
        let found = program.find(name).ok_or_else(|| {
            let message = format!("there is no session `{name}`");
            let known: Vec<String> = self.sessions().into_iter().map(|each| each.name).collect();
            let help = match known.as_slice() {
                [] => "define one: `(s/defsession ::name [] …)`".to_owned(),
                known => format!("sessions here are: {}", known.join(", ")),
            };
            let unknown = Diagnostic::error(&NO_SESSION, message);
            vec![unknown.at(self.whole, "not defined here").help(help)]
        })?;
        let Some(definition) = program.session(found, values.len()) else {
            let mut told =
                lower::no_session(&program, found, values.len(), self.whole).diagnostic(self.whole);
            let named: Vec<SessionInfo> =
                self.sessions().into_iter().filter(|each| each.name == name).collect();
            if !named.is_empty() {
                told.labels.clear();
                told = told.help("give as many arguments as it has, in order");
            }
            return Err(vec![named.iter().fold(told, |told, each| {
                told.at(each.span, format!("takes [{}]", each.parameters.join(" ")))
            })]);
        };
        let words = Interner::default();
        let values: Vec<Word> = values.into_iter().map(|value| words.intern(value)).collect();
        let terms = Terms::new(Identity::Written, Vec::new());
        let start = terms.call(DefinitionId(definition as u32), &values);
        Ok(ProtocolModel::new(terms, start, Box::new(DcjDefinitions { program, words })))
    }
}

/// The value of one argument.
fn argument(program: &mut Program, source: SourceId, text: &str) -> Result<Value, Vec<Diagnostic>> {
    let (forms, diagnostics) = program.read(source, text);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let span = Span::new(source, 0..text.len());
    let [form] = &forms[..] else {
        let message = "an argument is one value";
        return Err(vec![Diagnostic::error(&BAD_ARGUMENT, message).at(span, "expected one form")]);
    };
    Interp::new(program).eval(form, &Env::default()).map_err(|trap| vec![trap.diagnostic(span)])
}

/// What the core asks for while it explores a session.
struct DcjDefinitions {
    program: Program,
    words: Interner<Value>,
}

impl Definitions for DcjDefinitions {
    fn unfold(
        &self,
        terms: &Terms,
        definition: DefinitionId,
        arguments: &[Word],
    ) -> Result<TermId, Box<Diagnostic>> {
        let definition = definition.0 as usize;
        Lowering::new(&self.program, terms, &self.words).unfold(definition, arguments).map_err(
            |trap| {
                let Named { text, span } = self.named(DefinitionId(definition as u32), arguments);
                Box::new(trap.diagnostic(span).note(format!("while unfolding `{text}`")))
            },
        )
    }

    fn write_word(&self, word: Word, out: &mut Writer) {
        if word != lower::UNBOUND {
            content::write(self.words.get(word), out);
        }
    }

    /// Functions are found where they were met before.
    fn read_word(&self, bytes: &[u8]) -> Option<Word> {
        if bytes.is_empty() {
            return Some(lower::UNBOUND);
        }
        let mut reader = Reader::new(bytes);
        if let Some(value) = content::read(&mut reader) {
            return reader.is_empty().then(|| self.words.intern(value));
        }
        let is_it = |&word: &Word| {
            let mut writer = Writer::default();
            content::write(self.words.get(word), &mut writer);
            writer.finish() == bytes
        };
        (0..self.words.len() as Word).find(is_it)
    }

    fn named(&self, definition: DefinitionId, arguments: &[Word]) -> Named {
        let (name, n_shown, span): (Arc<str>, usize, Span) =
            match &self.program.definitions[definition.0 as usize] {
                Definition::Session(session) => {
                    (Arc::clone(self.program.text(session.name)), arguments.len(), session.span)
                }
                Definition::Loop(inner) => {
                    (Arc::clone(self.program.text(inner.name)), inner.variables.len(), inner.span)
                }
                Definition::Graph(graph) => (Arc::from("graph"), 1, graph.span),
            };
        let shown =
            arguments[..n_shown].iter().map(|&word| trap::clipped(self.words.get(word).print()));
        let shown: Vec<String> = shown.collect();
        Named { text: format!("{name}({})", shown.join(", ")), span }
    }

    fn idle(&self, definition: DefinitionId, happened: &BTreeSet<Span>) -> Vec<Span> {
        idle::idle_forms(&self.program, definition.0 as usize, happened)
    }
}
