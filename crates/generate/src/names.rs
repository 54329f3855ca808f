//! From names of a protocol to names of Rust: cases, keywords, reserved names. Knows no protocol.

use proc_macro2::{Ident, Span};

/// Names that generated modules use themselves.
const TAKEN: [&str; 20] = [
    "Role", "Roles", "Module", "Payload", "Option", "Some", "None", "Vec", "String", "Box",
    "Default", "Clone", "Into", "Chosen", "Start", "End", "Typed", "Sized", "TEXT", "COUNTS",
];

/// Words as the case of Rust's types: `out_of_cards` becomes `OutOfCards`. A name that a generated module
/// uses itself gets an underscore: `Role_`.
pub(crate) fn type_name(name: &str) -> String {
    let mut made = camel(name);
    if TAKEN.contains(&made.as_str()) || is_keyword(&made) {
        made.push('_');
    }
    made
}

/// Words as the case of Rust's functions and fields. Keywords become raw identifiers where Rust has them for
/// it, otherwise they get an underscore.
pub(crate) fn field_name(name: &str) -> String {
    snake(name)
}

/// Words as the case of Rust's constants.
pub(crate) fn constant_name(name: &str) -> String {
    snake(name).to_uppercase()
}

/// A name that can be an identifier, raw or not.
pub(crate) fn allowed(name: &str) -> String {
    match name {
        "self" | "super" | "crate" | "Self" | "_" => format!("{name}_"),
        _ => name.to_owned(),
    }
}

/// A name as an identifier.
pub(crate) fn ident(name: &str) -> Ident {
    let name = allowed(name);
    if is_keyword(&name) {
        Ident::new_raw(&name, Span::call_site())
    } else {
        Ident::new(&name, Span::call_site())
    }
}

fn is_keyword(name: &str) -> bool {
    name == "gen" || syn::parse_str::<Ident>(name).is_err()
}

/// Whether names of Rust may have this character, not necessarily at their start.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || c.is_alphanumeric() && syn::parse_str::<Ident>(&format!("a{c}")).is_ok()
}

/// Whether names of Rust may begin so.
fn is_start(c: char) -> bool {
    c.is_ascii_alphabetic() || syn::parse_str::<Ident>(&c.to_string()).is_ok()
}

/// The last part of a path: `Move` of `org.example.Move`.
pub(crate) fn last_segment(name: &str) -> &str {
    let is_path = name.chars().all(|c| c.is_alphanumeric() || "._-/:$".contains(c));
    if is_path {
        name.rsplit(['.', '/', ':', '$']).find(|part| !part.is_empty()).unwrap_or(name)
    } else {
        name
    }
}

/// The words of a name: letters and digits, cut where a capital follows a small letter.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut characters = name.chars().peekable();
    while let Some(c) = characters.next() {
        let next_is_small = characters.peek().is_some_and(|next| next.is_lowercase());
        let sign =
            c == '-' && characters.peek().is_some_and(char::is_ascii_digit) && !is_letter(before);
        if sign {
            words.push("minus".to_owned());
        } else if is_letter(c) {
            let begins = !is_letter(before)
                || c.is_uppercase()
                    && (before.is_lowercase() || before.is_uppercase() && next_is_small);
            if begins || words.is_empty() {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.push(c);
            }
        }
        before = c;
    }
    if words.is_empty() {
        words.push("any".to_owned());
    }
    words
}

pub(crate) fn camel(name: &str) -> String {
    let capitalised = |word: String| {
        let mut characters = word.chars();
        let first = characters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(characters).collect::<String>()
    };
    let made: String = words(name).into_iter().map(capitalised).collect();
    if made.starts_with(is_start) { made } else { format!("Value{made}") }
}

fn snake(name: &str) -> String {
    let made = words(name).join("_").to_lowercase();
    if made.starts_with(is_start) { made } else { format!("value_{made}") }
}

#[cfg(test)]
mod tests;
