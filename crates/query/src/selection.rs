//! Which behaviour of a file is selected: a protocol with its arguments and form, how components are put
//! together, which composite of an architecture. Also as the words of a command line, so that a recorded
//! trace can name the model it belongs to.

use std::path::{Path, PathBuf};

use quadrille_component::architecture::Compliance;
use quadrille_component::automata::Construction;
use quadrille_diagnostic::Diagnostic;
use serde::Deserialize;

use crate::codes::CONTRADICTION;
use crate::language::Language;

/// Which behaviour of a file is selected. Every part that a language does not know must be left as it
/// is by default.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// Of protocols.
    pub session: SessionSelection,
    /// Of components.
    pub components: ComponentSelection,
    /// Of an architecture.
    pub composite: CompositeSelection,
    /// Of a design.
    pub design: DesignSelection,
}

/// A protocol of a file, its arguments, and the form in which it is explored.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SessionSelection {
    /// Its name; without one the first protocol of a `.quad` text, the only session of a `.dcj` text.
    pub protocol: Option<String>,
    /// Its arguments, as its language writes them.
    pub arguments: Vec<String>,
    /// Other values for parameters of a `.quad` text.
    pub parameters: Vec<(String, String)>,
    /// The form of it.
    pub form: Form,
}

/// The forms of a protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// The protocol itself.
    #[default]
    Global,
    /// What is run with one state for all roles.
    Strict,
    /// What is run with a state per role and queues between them.
    Liberal,
}

/// Which components are put together, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ComponentSelection {
    /// Further files or folders of components.
    pub more: Vec<PathBuf>,
    /// Interfaces or methods that join components, everything else being external; without any,
    /// whatever two components mention joins them.
    pub bind: Vec<String>,
    /// Interfaces or methods that the environment takes part in.
    pub external: Vec<String>,
    /// The exceptions of methods; without any, whatever is caught can be thrown.
    pub throws: Vec<(String, Vec<String>)>,
    /// How the automata of components are made.
    pub construction: Construction,
}

/// Which composition of an architecture is selected.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompositeSelection {
    /// The composite.
    pub composite: Option<String>,
    /// Its parts by themselves, or closed by its frame protocol.
    pub compliance: Option<Compliance>,
}

/// Which scope of a design is selected.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DesignSelection {
    /// The command whose scope it is; without one the first.
    pub command: Option<String>,
}

impl Form {
    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Form::Global => "global",
            Form::Strict => "strict",
            Form::Liberal => "liberal",
        }
    }
}

impl Selection {
    /// The selection of a protocol.
    pub fn of_session(session: SessionSelection) -> Self {
        Self { session, ..Self::default() }
    }

    /// The options of a command line that select this, beside the first file.
    pub fn words(&self) -> Vec<String> {
        let SessionSelection { protocol, arguments, parameters, form } = &self.session;
        let ComponentSelection { more, bind, external, throws, construction } = &self.components;
        let CompositeSelection { composite, compliance } = &self.composite;
        let mut words: Vec<String> = more.iter().map(|path| path.display().to_string()).collect();
        let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
        protocol.iter().for_each(|name| option("--protocol", name.clone()));
        arguments.iter().for_each(|argument| option("--arg", argument.clone()));
        for (name, value) in parameters {
            option("--parameter", format!("{name}={value}"));
        }
        if *form != Form::Global {
            option("--form", form.word().to_owned());
        }
        bind.iter().for_each(|name| option("--bind", name.clone()));
        external.iter().for_each(|name| option("--external", name.clone()));
        for (method, exceptions) in throws {
            option("--throws", format!("{method}={}", exceptions.join(",")));
        }
        if *construction == Construction::Published {
            option("--construction", "published".to_owned());
        }
        composite.iter().for_each(|name| option("--composite", name.clone()));
        compliance.iter().for_each(|kind| option("--compliance", kind.to_string()));
        self.design.command.iter().for_each(|name| option("--command", name.clone()));
        words
    }

    /// Refuses the parts of a selection that mean nothing for a file of a language.
    pub fn refuse(&self, path: &Path, language: &Language) -> Result<(), Vec<Diagnostic>> {
        let knows = language.knows;
        let refuse = |what: &str, help: &str| {
            let message = format!("`{}` {what}", path.display());
            Err(vec![Diagnostic::error(&CONTRADICTION, message).help(help)])
        };
        if !knows.components && self.components != ComponentSelection::default() {
            let help =
                "several files, --bind, --external, --throws and --construction are for .bp files";
            return refuse("holds no components", help);
        }
        if !knows.composite && self.composite != CompositeSelection::default() {
            let help = "--composite and --compliance are for .arch files";
            return refuse("is no architecture", help);
        }
        if !knows.session && self.session != SessionSelection::default() {
            return refuse("is no protocol", "leave --protocol, --arg, --parameter and --form out");
        }
        if !knows.scopes && self.design != DesignSelection::default() {
            return refuse("is no design", "--command is for .qev files");
        }
        Ok(())
    }
}

/// The parts of a selection that a language understands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) session: bool,
    pub(crate) components: bool,
    pub(crate) composite: bool,
    pub(crate) scopes: bool,
}
