//! Manifests of tests: TOML that says which formulas are checked on which protocols, and what is
//! expected of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use quadrille_diagnostic::{Diagnostic, SourceId, Span};
use quadrille_protocol::owl::Types;
use quadrille_report::Expected;
use serde::Deserialize;
use toml::Spanned;

use crate::arguments::{ProtocolArguments, RunsArgument, SessionArguments, Variant};
use crate::codes;
use crate::world::{World, has_extension};

/// What one `[[check]]` asks for.
pub(super) struct Check {
    /// The protocol file.
    pub(super) file: PathBuf,
    /// Which behaviour of it.
    pub(super) session: SessionArguments,
    /// Which runs count.
    pub(super) runs: Option<RunsArgument>,
    /// What `<Short>` stands for.
    pub(super) types: Types,
    /// Files of formulas with what is expected of each; none means the properties of the file.
    pub(super) formulas: Vec<(PathBuf, Expected)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    check: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: Spanned<String>,
    protocol: Option<String>,
    #[serde(default)]
    args: Vec<Argument>,
    #[serde(default)]
    variant: Variant,
    runs: Option<RunsArgument>,
    #[serde(default)]
    types: BTreeMap<String, String>,
    #[serde(default)]
    formulas: Vec<Spanned<String>>,
    #[serde(default)]
    expect: BTreeMap<Spanned<String>, Expected>,
}

/// An argument: a number or truth value, or anything in the protocol's language as a string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Argument {
    Number(i64),
    Truth(bool),
    Text(String),
}

/// Whether a TOML file is meant to be a manifest.
pub(super) fn is_manifest(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("[[check]]"))
}

/// Reads a manifest; all paths in it are relative to `folder`.
pub(super) fn read(
    source: SourceId,
    text: &str,
    folder: &Path,
    world: &World,
) -> Result<Vec<Check>, Vec<Diagnostic>> {
    let manifest: Manifest = toml::from_str(text).map_err(|error| {
        let place = Span::new(source, error.span().unwrap_or(0..0));
        vec![Diagnostic::error(&codes::BAD_MANIFEST, error.message()).at(place, "")]
    })?;
    let (mut checks, mut diagnostics) = (Vec::new(), Vec::new());
    for entry in manifest.check {
        let place = |name: &Spanned<String>| Span::new(source, name.span());
        let formulas = entry.formulas(folder, world, &place, &mut diagnostics);
        let file = folder.join(entry.file.get_ref());
        if entry.formulas.is_empty() && !has_extension(&file, "quad") {
            let message = "there are no formulas";
            diagnostics.push(
                Diagnostic::error(&codes::BAD_MANIFEST, message)
                    .at(place(&entry.file), "has no properties of its own")
                    .help("write `formulas = [\"formulas/*.owl\"]`"),
            );
        }
        checks.push(Check {
            file,
            session: SessionArguments {
                protocol: ProtocolArguments {
                    protocol: entry.protocol,
                    arguments: entry.args.into_iter().map(Argument::text).collect(),
                    parameters: Vec::new(),
                },
                variant: entry.variant,
            },
            runs: entry.runs,
            types: entry.types,
            formulas,
        });
    }
    if diagnostics.is_empty() { Ok(checks) } else { Err(diagnostics) }
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
        world: &World,
        place: &dyn Fn(&Spanned<String>) -> Span,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<(PathBuf, Expected)> {
        let mut refuse = |message: String, at: Span, label: &str, help: &str| {
            let diagnostic = Diagnostic::error(&codes::BAD_MANIFEST, message);
            diagnostics.push(diagnostic.at(at, label).help(help));
        };
        let mut files: Vec<PathBuf> = Vec::new();
        for pattern in &self.formulas {
            let text = pattern.get_ref();
            let help = "patterns are relative to the manifest; `*` stands for any part of a name";
            match world.matching(folder, text) {
                Err(why) => refuse(format!("`{text}` is no pattern"), place(pattern), &why, help),
                Ok(found) if found.is_empty() => {
                    refuse(format!("no file matches `{text}`"), place(pattern), "", help);
                }
                Ok(found) => {
                    for path in found {
                        if !files.contains(&path) {
                            files.push(path);
                        }
                    }
                }
            }
        }
        let names = |key: &str, path: &Path| path.ends_with(key);
        // Where no file was found at all, that has been said.
        let told = !self.formulas.is_empty() && files.is_empty();
        for key in self.expect.keys().filter(|_| !told) {
            if !files.iter().any(|path| names(key.get_ref(), path)) {
                let message = format!("`{}` is none of the formulas", key.get_ref());
                refuse(message, place(key), "", "write the name of a file that `formulas` matches");
            }
        }
        let expected = |path: &Path| {
            let found = self.expect.iter().find(|(key, _)| names(key.get_ref(), path));
            found.map_or(Expected::Holds, |(_, expected)| *expected)
        };
        files.into_iter().map(|path| (path.clone(), expected(&path))).collect()
    }
}
