//! The table of languages, and from a file to what can be asked about it. A new language is one row
//! here and a module in `languages/` that makes [`Subject`]s of its texts.

use std::path::{Path, PathBuf};

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, similar};

use crate::codes::UNKNOWN_KIND;
use crate::files::{Files, Memory, read_text};
use crate::languages::{architectures, components, data, designs, nets, protocols, specifications};
use crate::selection::{Parts, Selection};
use crate::subject::Subject;

/// A language of files that describe behaviour.
pub struct Language {
    /// What the names of its files end in.
    pub ending: &'static str,
    /// What such a file holds.
    pub meaning: &'static str,
    /// Which parts of a selection it understands.
    pub(crate) knows: Parts,
    /// Makes subjects of a file: at least one.
    pub(crate) load: fn(&mut Loader<'_>, &Path) -> Loaded,
}

/// What a language makes of a file. Warnings go to the loader.
pub(crate) type Loaded = Result<Vec<Subject<'static>>, Vec<Diagnostic>>;

const NOTHING: Parts = Parts { session: false, components: false, composite: false, scopes: false };
const PROTOCOL: Parts = Parts { session: true, ..NOTHING };
const COMPONENTS: Parts = Parts { components: true, ..NOTHING };
const COMPOSITE: Parts = Parts { composite: true, ..NOTHING };
const SCOPES: Parts = Parts { scopes: true, ..NOTHING };

/// All languages.
pub const LANGUAGES: [Language; 11] = [
    Language {
        ending: "quad",
        meaning: "protocols with their properties",
        knows: PROTOCOL,
        load: protocols::quad,
    },
    Language {
        ending: "dcj",
        meaning: "protocols in Discourje's language",
        knows: PROTOCOL,
        load: protocols::discourje,
    },
    Language {
        ending: "bp",
        meaning: "components with their behavior protocols",
        knows: COMPONENTS,
        load: components::load,
    },
    Language {
        ending: "arch",
        meaning: "an architecture of components",
        knows: COMPOSITE,
        load: architectures::load,
    },
    Language {
        ending: "qev",
        meaning: "a design of relations and events",
        knows: SCOPES,
        load: designs::load,
    },
    Language {
        ending: "tno",
        meaning: "a design in Taino's form",
        knows: SCOPES,
        load: designs::load,
    },
    Language {
        ending: "als",
        meaning: "a specification in Alloy 6, for `check`, `test` and `eval`",
        knows: NOTHING,
        load: specifications::load,
    },
    Language {
        ending: "aut",
        meaning: "a transition system in Aldebaran format",
        knows: NOTHING,
        load: data::table,
    },
    Language {
        ending: "net",
        meaning: "a network of participants and channels",
        knows: NOTHING,
        load: data::network,
    },
    Language { ending: "pnml", meaning: "a Petri net", knows: NOTHING, load: nets::load },
    Language {
        ending: "ia",
        meaning: "a network in positional form",
        knows: NOTHING,
        load: data::network,
    },
];

/// How many of the behaviours that a file describes are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// One: the selected one, or the first, or the only one.
    One,
    /// All that the selection leaves open: every session that has properties, every compliance.
    All,
}

/// A file that is being read, with those beside it.
pub(crate) struct Loader<'a> {
    pub(crate) files: &'a dyn Files,
    pub(crate) sources: &'a mut Sources,
    pub(crate) selection: &'a Selection,
    pub(crate) wanted: Wanted,
    pub(crate) warnings: Vec<Diagnostic>,
    /// The text of the first file, where it was read already.
    given: Option<SourceId>,
}

impl Loader<'_> {
    /// The text of a file.
    pub(crate) fn text(&mut self, path: &Path) -> Result<SourceId, Vec<Diagnostic>> {
        match self.given.take() {
            Some(source) => Ok(source),
            None => {
                read_text(self.files, path, self.sources).map_err(|unreadable| vec![unreadable])
            }
        }
    }
}

/// Loads the behaviour that a selection means; there is one exactly if no diagnostic is an error that
/// prevents it. Nothing is explored yet.
pub fn load(
    files: &dyn Files,
    sources: &mut Sources,
    path: &Path,
    selection: &Selection,
) -> (Option<Subject<'static>>, Vec<Diagnostic>) {
    let (mut subjects, diagnostics) = loaded(files, sources, path, selection, Wanted::One, None);
    (subjects.pop(), diagnostics)
}

/// Loads all behaviours that a selection leaves open: of a `.quad` file every session that properties
/// speak about, of an architecture every composite with its compliances.
pub fn load_all(
    files: &dyn Files,
    sources: &mut Sources,
    path: &Path,
    selection: &Selection,
) -> (Vec<Subject<'static>>, Vec<Diagnostic>) {
    loaded(files, sources, path, selection, Wanted::All, None)
}

/// Loads the behaviour that a selection means of a text that is a source already; the ending of its name
/// tells the language.
pub fn load_text(
    sources: &mut Sources,
    source: SourceId,
    selection: &Selection,
) -> (Option<Subject<'static>>, Vec<Diagnostic>) {
    let path = PathBuf::from(sources.name(source));
    let (files, given) = (Memory::default(), Some(source));
    let (mut subjects, diagnostics) = loaded(&files, sources, &path, selection, Wanted::One, given);
    (subjects.pop(), diagnostics)
}

fn loaded(
    files: &dyn Files,
    sources: &mut Sources,
    path: &Path,
    selection: &Selection,
    wanted: Wanted,
    given: Option<SourceId>,
) -> (Vec<Subject<'static>>, Vec<Diagnostic>) {
    let language = match language_in(files, path) {
        Ok(language) => language,
        Err(unknown) => return (Vec::new(), vec![unknown]),
    };
    if let Err(refused) = selection.refuse(path, language) {
        return (Vec::new(), refused);
    }
    let warnings = Vec::new();
    let mut loader = Loader { files, sources, selection, wanted, warnings, given };
    let found = (language.load)(&mut loader, path);
    let mut diagnostics = loader.warnings;
    match found {
        Ok(subjects) => (subjects, diagnostics),
        Err(errors) => {
            diagnostics.extend(errors);
            (Vec::new(), diagnostics)
        }
    }
}

/// The language of a path: a folder holds components.
pub fn language_in(files: &dyn Files, path: &Path) -> Result<&'static Language, Diagnostic> {
    match language_of(path) {
        Err(_) if files.below(path).is_some() => language_of(Path::new("folder.bp")),
        found => found,
    }
}

/// The language of a file, by the ending of its name.
pub fn language_of(path: &Path) -> Result<&'static Language, Diagnostic> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    // Clojure's own ending is understood where a Discourje file keeps it, and so is Electrum's.
    let extension = match extension.unwrap_or_default().as_str() {
        "clj" => "dcj".to_owned(),
        "ele" => "als".to_owned(),
        other => other.to_owned(),
    };
    if let Some(language) = LANGUAGES.iter().find(|language| language.ending == extension) {
        return Ok(language);
    }
    let message = format!("unknown file type: `{}`", path.display());
    let mut diagnostic = Diagnostic::error(&UNKNOWN_KIND, message);
    for Language { ending, meaning, .. } in &LANGUAGES {
        diagnostic = diagnostic.note(format!(".{ending}: {meaning}"));
    }
    let endings = LANGUAGES.iter().map(|language| language.ending);
    Err(diagnostic.help(match similar(&extension, endings).first() {
        Some(near) => format!("did you mean `.{near}`?"),
        None => "give the file one of these endings".to_owned(),
    }))
}

impl Language {
    /// Whether its files hold protocols.
    pub fn has_protocols(&self) -> bool {
        self.knows.session
    }

    /// Whether its files hold components or architectures.
    pub fn has_components(&self) -> bool {
        self.knows.components || self.knows.composite
    }

    /// Whether its files hold constraints, of which there is no model to take steps in.
    pub fn has_constraints(&self) -> bool {
        self.ending == "als"
    }

    /// Whether its files hold commands with scopes of their own.
    pub fn has_scopes(&self) -> bool {
        self.knows.scopes
    }
}
