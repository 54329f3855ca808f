//! Modules: which files are opened, what their parameters stand for, and what can be named from where.

use std::rc::Rc;

use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use super::world::{FunctionId, SigId};
use crate::codes::{NAME, OPEN, SYNTAX};
use crate::library;
use crate::parse;
use crate::syntax::tree::{self, Expr, Open};

/// Where texts come from: a path with `/`, beside the first file or in the folders above it.
pub trait Files {
    /// The text at a path, if there is one.
    fn text(&mut self, path: &str) -> Option<(SourceId, String)>;

    /// A text that comes with the language.
    fn library(&mut self, name: &str, text: &'static str) -> SourceId;
}

/// A module that is opened.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    pub(super) alias: String,
    pub(super) arguments: Vec<tree::Name>,
    pub(super) module: usize,
    pub(super) is_private: bool,
}

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub(super) name: String,
    pub(super) is_private: bool,
    pub(super) parameters: Vec<String>,
    pub(super) body: Rc<Expr>,
}

/// One use of a file.
#[derive(Clone, Debug)]
pub(super) struct Module {
    pub(super) file: String,
    /// How it is reached: aliases with `/`.
    pub(super) path: String,
    pub(super) source: SourceId,
    pub(super) tree: Rc<tree::Module>,
    pub(super) parameters: Vec<(String, Option<SigId>)>,
    pub(super) opens: Vec<Opened>,
    pub(super) sigs: Vec<(String, SigId)>,
    pub(super) functions: Vec<(String, FunctionId)>,
    pub(super) macros: Vec<Macro>,
}

/// All modules; the first is the one that was asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Modules {
    pub(super) all: Vec<Module>,
}

impl Modules {
    /// Reads a file and all that it opens.
    pub(super) fn read(
        files: &mut dyn Files,
        path: &str,
        source: SourceId,
        text: &str,
    ) -> Result<Self, Diagnostic> {
        let mut modules = Self::default();
        let mut chain = Vec::new();
        modules.load(files, (path.to_owned(), source, text.to_owned()), "", &mut chain)?;
        Ok(modules)
    }

    fn load(
        &mut self,
        files: &mut dyn Files,
        (file, source, text): (String, SourceId, String),
        path: &str,
        chain: &mut Vec<String>,
    ) -> Result<usize, Diagnostic> {
        let mut tree = parse(source, &text)?;
        if !library::has(&file) {
            tree.opens.push(integers(source));
        }
        let tree = Rc::new(tree);
        let header = tree.header.as_ref();
        let parameters = header.map_or(&[][..], |header| &header.parameters[..]);
        let parameters = parameters.iter().map(|(name, _)| (name.text.clone(), None)).collect();
        let index = self.all.len();
        self.all.push(Module {
            file: file.clone(),
            path: path.to_owned(),
            source,
            tree: tree.clone(),
            parameters,
            opens: Vec::new(),
            sigs: Vec::new(),
            functions: Vec::new(),
            macros: Vec::new(),
        });
        let named = header.map_or("unknown", |header| &header.name.text);
        chain.push(file.clone());
        for (alias, open) in aliases(&tree)? {
            let found = find(files, &file, named, open)?;
            if chain.contains(&found.0) {
                let message = format!("`{}` opens itself in the end", open.path.text);
                let help = "remove one of the `open` lines of the circle";
                return Err(Diagnostic::error(&OPEN, message).at(open.path.span, "").help(help));
            }
            let below = match path {
                "" => alias.clone(),
                path => format!("{path}/{alias}"),
            };
            let module = self.load(files, found, &below, chain)?;
            let (given, wanted) = (open.arguments.len(), self.all[module].parameters.len());
            if given != wanted {
                let message = format!("`{}` has {wanted} parameters, not {given}", open.path.text);
                let help = "give a signature for each parameter, `open m[A, B]`";
                return Err(Diagnostic::error(&OPEN, message).at(open.path.span, "").help(help));
            }
            self.all[index].opens.push(Opened {
                alias,
                arguments: open.arguments.clone(),
                module,
                is_private: open.is_private,
            });
        }
        chain.pop();
        for item in &tree.macros {
            if self.all[index].macros.iter().any(|known| known.name == item.name.text) {
                let message = format!("there are two macros `{}`", item.name.text);
                let diagnostic = Diagnostic::error(&NAME, message).at(item.name.span, "");
                return Err(diagnostic.help("rename one of them"));
            }
            self.all[index].macros.push(Macro {
                name: item.name.text.clone(),
                is_private: item.is_private,
                parameters: item.parameters.iter().map(|name| name.text.clone()).collect(),
                body: Rc::new(item.body.clone()),
            });
        }
        Ok(index)
    }

    /// Modules whose names can be used from one: itself, and what it opens, but for what those open
    /// privately.
    pub(super) fn nameable(&self, from: usize) -> Vec<usize> {
        let mut found = Vec::new();
        self.visit(from, true, true, &mut found);
        found
    }

    /// All modules that are reached from the first.
    pub(super) fn reachable(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.visit(0, true, false, &mut found);
        found
    }

    fn visit(&self, at: usize, is_start: bool, hides: bool, found: &mut Vec<usize>) {
        if found.contains(&at) {
            return;
        }
        found.push(at);
        for open in &self.all[at].opens {
            if is_start || !hides || !open.is_private {
                self.visit(open.module, false, hides, found);
            }
        }
    }

    /// Follows the aliases of a path; what is left is a plain name. `None` where an alias is unknown.
    pub(super) fn follow<'n>(&self, from: usize, name: &'n str) -> Option<(usize, &'n str, usize)> {
        let mut rest = name.strip_prefix("this/").unwrap_or(name);
        let (mut module, mut level) = (from, 0);
        while let Some((alias, behind)) = rest.split_once('/') {
            let open = self.all[module].opens.iter().find(|open| open.alias == alias)?;
            if level > 0 && open.is_private {
                return None;
            }
            (module, rest) = (open.module, behind);
            level += 1;
        }
        Some((module, rest, level))
    }
}

/// Every module opens `util/integer`, whether it says so or not.
fn integers(source: SourceId) -> Open {
    let span = Span { source, start: 0, end: 0 };
    let path = tree::Name { text: "util/integer".to_owned(), span };
    Open { path, arguments: Vec::new(), alias: None, is_private: false }
}

/// The name each open module gets.
fn aliases(tree: &tree::Module) -> Result<Vec<(String, &Open)>, Diagnostic> {
    let is_plain = |name: &str| {
        let mut chars = name.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic())
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '"' || c == '\'')
    };
    let mut named: Vec<(String, &Open)> = Vec::new();
    for open in &tree.opens {
        let alias = match &open.alias {
            Some(alias) if alias.text.contains('/') => {
                let message = format!("`{}` cannot be an alias", alias.text);
                let diagnostic = Diagnostic::error(&SYNTAX, message).at(alias.span, "");
                return Err(diagnostic.help("leave out the `/`"));
            }
            Some(alias) => alias.text.clone(),
            None if open.arguments.is_empty() && is_plain(&open.path.text) => {
                open.path.text.clone()
            }
            None => format!("open${}", named.len() + 1),
        };
        let names = |open: &Open| -> Vec<String> {
            open.arguments.iter().map(|name| name.text.clone()).collect()
        };
        if let Some((_, known)) = named.iter().find(|(known, _)| *known == alias) {
            if known.path.text == open.path.text && names(known) == names(open) {
                continue;
            }
            let message = format!("two modules have the alias `{alias}`");
            let diagnostic = Diagnostic::error(&OPEN, message).at(open.path.span, "");
            return Err(diagnostic.help("give one of them another name with `as`"));
        }
        named.push((alias, open));
    }
    // What got no name has the last part of its path, where nothing else has it.
    let given: Vec<String> = named.iter().map(|(alias, _)| alias.clone()).collect();
    let mut taken: Vec<String> = Vec::new();
    for (alias, open) in &mut named {
        if alias.contains('$') {
            let base = open.path.text.rsplit('/').next().unwrap_or("");
            let is_free = !given.iter().chain(&taken).any(|known| known == base);
            if is_free && is_plain(base) {
                base.clone_into(alias);
            }
        }
        taken.push(alias.clone());
    }
    Ok(named)
}

/// The text of a module that is opened: beside the file that opens it, seen from the folder in which
/// the names of modules begin, or one of the language's own.
fn find(
    files: &mut dyn Files,
    file: &str,
    named: &str,
    open: &Open,
) -> Result<(String, SourceId, String), Diagnostic> {
    let wanted = &open.path.text;
    let mut folder: Vec<&str> = file.split('/').collect();
    folder.pop();
    let parents: Vec<&str> = named.split('/').collect();
    let parts: Vec<&str> = wanted.split('/').collect();
    let shared = parents[..parents.len() - 1]
        .iter()
        .zip(&parts[..parts.len() - 1])
        .take_while(|(a, b)| a == b)
        .count();
    let up = parents.len() - 1 - shared;
    let root = &folder[..folder.len().saturating_sub(up)];
    let join = |folder: &[&str], rest: &[&str]| [folder, rest].concat().join("/");
    let mut tried = vec![join(root, &parts[shared..]), join(&folder, &parts)];
    tried.dedup();
    for path in tried {
        for ending in ["als", "ele"] {
            let path = format!("{path}.{ending}");
            if let Some((source, text)) = files.text(&path) {
                return Ok((path, source, text));
            }
        }
    }
    if let Some(text) = library::text(wanted) {
        let name = format!("{wanted}.als");
        let source = files.library(&name, text);
        return Ok((name, source, text.to_owned()));
    }
    let message = format!("there is no module `{wanted}`");
    let mut diagnostic = Diagnostic::error(&OPEN, message).at(open.path.span, "");
    let known = library::names();
    if let Some(near) = quadrille_diagnostic::similar(wanted, known).first() {
        diagnostic = diagnostic.note(format!("there is `{near}`"));
    }
    Err(diagnostic.help("paths are seen from the folder in which the names of modules begin"))
}
