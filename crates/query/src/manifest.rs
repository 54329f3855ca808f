//! Manifests of tests: TOML that says which formulas are checked on which protocols, and what is
//! expected of them; and the levels of lint's rules. Reads no file itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use quadrille_diagnostic::{Diagnostic, SourceId, Span, codes};
use quadrille_model::{Expected, Runs};
use quadrille_protocol::owl::Types;
use serde::Deserialize;
use toml::Spanned;

use crate::levels::{Level, Levels, rules_named};
use crate::selection::{Form, SessionSelection};

codes! {
    ALL:

    /// A manifest of tests cannot be used.
    ///
    /// A manifest is a TOML file with one `[[check]]` per protocol. Paths are relative to the manifest.
    ///
    /// ```toml
    /// [[check]]
    /// file = "ring.dcj"
    /// protocol = "ring"                 # needed where the file has several
    /// args = [4, 0]
    /// form = "liberal"                  # global (default), strict or liberal
    /// runs = "infinite"                 # maximal (default), infinite or finite
    /// allow_deadlock = true             # a deadlock is no failure
    /// types = { Token = "ring.Token" }  # what <Token> stands for in .owl formulas
    /// formulas = ["formulas/*.owl"]    # also .hoa: automata of the runs that are allowed
    /// never = ["bad.hoa"]               # automata of runs that must never be
    /// expect = { "Unfair.owl" = "violated" }   # all others are expected to hold
    /// ```
    ///
    /// The levels of lint's rules stand in a table `[lint]`: of a group, of a code, or of `all`. They count for
    /// `quadrille lint MANIFEST`, and for all files below the folder of a manifest called `quadrille.toml`.
    ///
    /// ```toml
    /// [lint]
    /// closing = "warn"
    /// L011 = "deny"
    /// ```
    Q017 = BAD_MANIFEST;
}

/// What one `[[check]]` asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// Where it names its file.
    pub place: Span,
    /// The protocol file.
    pub file: PathBuf,
    /// Which behaviour of it.
    pub session: SessionSelection,
    /// Whether a deadlock is no failure.
    pub allow_deadlock: bool,
    /// Which runs count.
    pub runs: Option<Runs>,
    /// What `<Short>` stands for.
    pub types: Types,
    /// Files of formulas with what is expected of each; none means the properties of the file.
    pub formulas: Vec<FormulaFile>,
}

/// A file of formulas, or an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormulaFile {
    /// The file.
    pub path: PathBuf,
    /// What is expected of it.
    pub expected: Expected,
    /// Whether it is an automaton of the runs that must never be.
    pub never: bool,
}

/// Finds the files that a pattern such as `formulas/*.owl` means, relative to a folder, in order; or says
/// what is wrong with the pattern.
pub type Matching<'a> = dyn Fn(&Path, &str) -> Result<Vec<PathBuf>, String> + 'a;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    #[serde(default)]
    check: Vec<Entry>,
    #[serde(default)]
    lint: BTreeMap<Spanned<String>, Level>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: Spanned<String>,
    protocol: Option<String>,
    #[serde(default)]
    args: Vec<Argument>,
    #[serde(default)]
    #[serde(alias = "variant")]
    form: Form,
    runs: Option<RunsWord>,
    #[serde(default)]
    allow_deadlock: bool,
    #[serde(default)]
    types: BTreeMap<String, String>,
    #[serde(default)]
    formulas: Vec<Spanned<String>>,
    #[serde(default)]
    never: Vec<Spanned<String>>,
    #[serde(default)]
    expect: BTreeMap<Spanned<String>, Verdict>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Holds,
    Violated,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RunsWord {
    Maximal,
    Infinite,
    Finite,
}

/// An argument: a number or truth value, or anything in the protocol's language as a string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Argument {
    Number(i64),
    Truth(bool),
    Text(String),
}

/// Whether a TOML file looks like a manifest.
pub fn is_manifest(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("[[check]]"))
}

/// Reads a manifest; all paths in it are relative to `folder`.
pub fn read(
    source: SourceId,
    text: &str,
    folder: &Path,
    matching: &Matching<'_>,
) -> Result<Vec<Check>, Vec<Diagnostic>> {
    let manifest = parse(source, text)?;
    let (mut checks, mut diagnostics) = (Vec::new(), Vec::new());
    if manifest.check.is_empty() {
        let message = "the manifest has no `[[check]]`";
        let help = "write `[[check]]` and `file = \"protocol.quad\"`";
        let place = Span::new(source, 0..0);
        diagnostics.push(Diagnostic::error(&BAD_MANIFEST, message).at(place, "").help(help));
    }
    for entry in manifest.check {
        let place = |name: &Spanned<String>| Span::new(source, name.span());
        let formulas = entry.formulas(folder, matching, &place, &mut diagnostics);
        let file = folder.join(entry.file.get_ref());
        let has_own = entry.formulas.is_empty() && entry.never.is_empty();
        if has_own && file.extension().is_none_or(|extension| extension != "quad") {
            let message = "there are no formulas";
            diagnostics.push(
                Diagnostic::error(&BAD_MANIFEST, message)
                    .at(place(&entry.file), "has no properties of its own")
                    .help("write `formulas = [\"formulas/*.owl\"]`"),
            );
        }
        checks.push(Check {
            place: place(&entry.file),
            file,
            session: SessionSelection {
                protocol: entry.protocol,
                arguments: entry.args.into_iter().map(Argument::text).collect(),
                parameters: Vec::new(),
                form: entry.form,
            },
            allow_deadlock: entry.allow_deadlock,
            runs: entry.runs.map(RunsWord::runs),
            types: entry.types,
            formulas,
        });
    }
    if diagnostics.is_empty() { Ok(checks) } else { Err(diagnostics) }
}

fn parse(source: SourceId, text: &str) -> Result<Manifest, Vec<Diagnostic>> {
    toml::from_str(text).map_err(|error| {
        let place = Span::new(source, error.span().unwrap_or(0..0));
        let help = "a suite has a `[[check]]` for each protocol: `file`, and where they are needed `protocol`, `args`, `form`, `runs`, `allow_deadlock`, `types`, `formulas`, `never`, `expect`; and a table `[lint]` of rules and levels";
        vec![Diagnostic::error(&BAD_MANIFEST, error.message()).at(place, "here").help(help)]
    })
}

/// The levels of rules as a manifest sets them: those of `all` first, then those of groups, then those of codes.
pub fn read_levels(source: SourceId, text: &str) -> Result<Levels, Vec<Diagnostic>> {
    let manifest = parse(source, text)?;
    let (mut levels, mut diagnostics) = (Levels::default(), Vec::new());
    let mut entries: Vec<(&Spanned<String>, Level, usize)> = Vec::new();
    for (name, level) in &manifest.lint {
        match rules_named(name.get_ref()) {
            Ok(rules) => entries.push((name, *level, rules.len())),
            Err(unknown) => {
                let place = Span::new(source, name.span());
                let diagnostic = Diagnostic::error(&BAD_MANIFEST, unknown.to_string());
                diagnostics.push(diagnostic.at(place, "").help(unknown.help()));
            }
        }
    }
    entries.sort_by_key(|(_, _, n_rules)| std::cmp::Reverse(*n_rules));
    for (name, level, _) in entries {
        let known = levels.set(name.get_ref(), level);
        debug_assert!(known.is_ok(), "unknown names are reported above");
    }
    if diagnostics.is_empty() { Ok(levels) } else { Err(diagnostics) }
}

impl RunsWord {
    fn runs(self) -> Runs {
        match self {
            RunsWord::Maximal => Runs::Maximal,
            RunsWord::Infinite => Runs::Infinite,
            RunsWord::Finite => Runs::Finite,
        }
    }
}

impl Argument {
    fn text(self) -> String {
        match self {
            Argument::Number(number) => number.to_string(),
            Argument::Truth(truth) => truth.to_string(),
            Argument::Text(text) => text,
        }
    }
}

impl Entry {
    /// The files of formulas, each once, with what is expected of them.
    fn formulas(
        &self,
        folder: &Path,
        matching: &Matching<'_>,
        place: &dyn Fn(&Spanned<String>) -> Span,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<FormulaFile> {
        let mut refuse = |message: String, at: Span, label: &str, help: &str| {
            let diagnostic = Diagnostic::error(&BAD_MANIFEST, message);
            diagnostics.push(diagnostic.at(at, label).help(help));
        };
        let mut files: Vec<(PathBuf, bool)> = Vec::new();
        let allowed = self.formulas.iter().map(|pattern| (pattern, false));
        for (pattern, never) in allowed.chain(self.never.iter().map(|pattern| (pattern, true))) {
            let text = pattern.get_ref();
            let help = "patterns are relative to the manifest; `*` stands for any part of a name";
            match matching(folder, text) {
                Err(why) => refuse(format!("`{text}` is no pattern"), place(pattern), &why, help),
                Ok(found) if found.is_empty() => {
                    refuse(format!("no file matches `{text}`"), place(pattern), "", help);
                }
                Ok(found) => {
                    for path in found {
                        if !files.contains(&(path.clone(), never)) {
                            files.push((path, never));
                        }
                    }
                }
            }
        }
        let names = |key: &str, path: &Path| path.ends_with(key);
        // Where no file was found at all, that has been said.
        let told = !(self.formulas.is_empty() && self.never.is_empty()) && files.is_empty();
        for key in self.expect.keys().filter(|_| !told) {
            if !files.iter().any(|(path, _)| names(key.get_ref(), path)) {
                let message = format!("`{}` is none of the formulas", key.get_ref());
                refuse(message, place(key), "", "write the name of a file that `formulas` matches");
            }
        }
        let expected = |path: &Path| {
            let found = self.expect.iter().find(|(key, _)| names(key.get_ref(), path));
            match found {
                Some((_, Verdict::Violated)) => Expected::Violated,
                Some((_, Verdict::Holds)) | None => Expected::Holds,
            }
        };
        let file = |(path, never): (PathBuf, bool)| {
            let expected = expected(&path);
            FormulaFile { path, expected, never }
        };
        files.into_iter().map(file).collect()
    }
}
