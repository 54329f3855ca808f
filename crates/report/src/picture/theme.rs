//! How pictures are drawn, as a small file says.

use quadrille_alloy::Content;
use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use crate::codes::BAD_THEME;

/// How things are drawn: lines `hide NAME`, `colour NAME #rrggbb`, `attribute NAME`, `project NAME`.
#[derive(Clone, Debug, Default)]
pub struct Theme {
    hidden: Vec<String>,
    colours: Vec<(String, String)>,
    attributes: Vec<String>,
    projected: Vec<String>,
}

impl Theme {
    /// Reads a theme; empty lines and those that begin with `--` are comments.
    pub fn read(source: SourceId, text: &str) -> Result<Self, Diagnostic> {
        let (mut theme, mut at) = (Self::default(), 0);
        for line in text.split_inclusive('\n') {
            let begin = at;
            at += line.len();
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [] => {}
                [first, ..] if first.starts_with("--") => {}
                ["hide", name] => theme.hidden.push(name.to_owned()),
                ["attribute", name] => theme.attributes.push(name.to_owned()),
                ["project", name] => theme.projected.push(name.to_owned()),
                ["colour", name, colour] if is_colour(colour) => {
                    theme.colours.push((name.to_owned(), colour.to_owned()));
                }
                _ => {
                    let message = "the line of a theme is not understood";
                    let help = "write `hide NAME`, `attribute NAME`, `project NAME` or \
                                `colour NAME #rrggbb`";
                    let span = Span::new(source, begin..begin + line.trim_end().len());
                    return Err(Diagnostic::error(&BAD_THEME, message).at(span, "").help(help));
                }
            }
        }
        Ok(theme)
    }

    pub(super) fn hides(&self, content: &Content) -> bool {
        self.hidden.contains(&content.name)
            || self.hidden.iter().any(|name| short(&content.name) == name)
    }

    pub(super) fn is_attribute(&self, content: &Content) -> bool {
        self.attributes.iter().any(|name| *name == content.name || short(&content.name) == name)
    }
}

impl Theme {
    /// The colour that the last of these signatures has that has one.
    pub(super) fn colour(&self, sigs: &[&str]) -> Option<&str> {
        let of = |sig: &&str| self.colours.iter().find(|(name, _)| name == sig);
        sigs.iter().rev().find_map(of).map(|(_, colour)| &**colour)
    }

    /// The signatures whose atoms are looked at one by one.
    pub(super) fn projected(&self) -> &[String] {
        &self.projected
    }
}

fn is_colour(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6) && digits.chars().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// The name of a field without its signature.
pub(super) fn short(name: &str) -> &str {
    name.split_once("<:").map_or(name, |(_, field)| field)
}
