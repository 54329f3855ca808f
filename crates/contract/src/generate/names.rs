//! Names of behavior protocols as names in Rust.

use proc_macro2::{Ident, Span};
use quote::format_ident;

/// `giveBack` and `desk.give` as `give_back` and `desk_give`.
pub(super) fn snake(name: &str) -> String {
    let mut text = String::new();
    let mut was_lower = false;
    for character in name.chars() {
        if character.is_ascii_uppercase() && was_lower {
            text.push('_');
        }
        text += &plain(character).to_ascii_lowercase();
        was_lower = character.is_ascii_lowercase() || character.is_ascii_digit();
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) { format!("n{text}") } else { text }
}

/// `desk.ask_now` as `DeskAskNow`, and `SOLD_OUT` as `SoldOut`.
pub(super) fn camel(name: &str) -> String {
    if name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(char::is_lowercase) {
        return camel(&name.to_lowercase());
    }
    let mut text = String::new();
    let mut starts = true;
    for part in name.chars().map(plain) {
        if part == "_" {
            starts = true;
        } else if std::mem::take(&mut starts) {
            text += &part[..1].to_ascii_uppercase();
            text += &part[1..];
        } else {
            text += &part;
        }
    }
    let is_good = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if is_good { text } else { format!("N{text}") }
}

/// A character as part of a name in Rust: those that are no letters of English by their number.
fn plain(character: char) -> String {
    match character {
        '.' | '_' => "_".to_owned(),
        _ if character.is_ascii_alphanumeric() => character.to_string(),
        _ => format!("u{:x}", u32::from(character)),
    }
}

/// A name in Rust, also where it is a keyword.
pub(super) fn ident(text: &str) -> Ident {
    match syn::parse_str::<Ident>(text) {
        Ok(ident) => ident,
        Err(_) if ["self", "Self", "super", "crate", "_"].contains(&text) => {
            format_ident!("{text}_")
        }
        Err(_) => Ident::new_raw(text, Span::call_site()),
    }
}
