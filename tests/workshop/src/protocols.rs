//! Random protocols and formulas about them, as text in either language.

use crate::Choices;

/// The language a protocol is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Our own (`.quad`).
    Quad,
    /// Discourje's (`.dcj`).
    Discourje,
}

/// What random protocols may have.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// The language.
    pub language: Language,
    /// Roles, at least three.
    pub roles: &'a [&'a str],
    /// Types of messages.
    pub messages: &'a [&'a str],
    /// Whether parts may repeat without end (`repeat forever`, `s/ω`), messages go to several
    /// receivers and roles do things alone, where the language can say so.
    pub is_rich: bool,
}

impl Default for Shape<'_> {
    fn default() -> Self {
        Self {
            language: Language::Discourje,
            roles: &["a", "b", "c"],
            messages: &["M", "N"],
            is_rich: false,
        }
    }
}

/// A whole file with one protocol named `s`.
pub fn file(choices: &mut Choices, shape: &Shape<'_>, depth: u32) -> String {
    let body = body(choices, shape, depth);
    match shape.language {
        Language::Discourje => format!("(s/defsession ::s [] {body})"),
        Language::Quad => format!(
            "message {}; event E; role {}; protocol s {{ {body} }}",
            shape.messages.join(", "),
            shape.roles.join(", ")
        ),
    }
}

/// The body of a protocol of at most this depth.
pub fn body(choices: &mut Choices, shape: &Shape<'_>, depth: u32) -> String {
    if depth == 0 || choices.below(4) == 0 {
        return communication(choices, shape);
    }
    let one = body(choices, shape, depth - 1);
    let kind = choices.below(if shape.is_rich { 8 } else { 7 });
    let is_unary = matches!(kind, 5..=7);
    let other = if is_unary { String::new() } else { body(choices, shape, depth - 1) };
    match shape.language {
        Language::Discourje => match kind {
            0 | 1 => format!("(s/cat {one} {other})"),
            2 | 3 => format!("(s/alt {one} {other})"),
            4 => format!("(s/par {one} {other})"),
            5 => format!("(s/? {one})"),
            6 => format!("(s/* {one})"),
            _ => format!("(s/ω {one})"),
        },
        Language::Quad => match kind {
            0 | 1 => format!("{one} {other}"),
            2 | 3 => format!("either {{ {one} }} or {{ {other} }}"),
            4 => format!("par {{ {one} }} and {{ {other} }}"),
            5 => format!("opt {{ {one} }}"),
            6 => format!("loop {{ {one} }}"),
            _ => format!("repeat forever {{ {one} }}"),
        },
    }
}

fn communication(choices: &mut Choices, shape: &Shape<'_>) -> String {
    let n_roles = shape.roles.len();
    let first = choices.below(n_roles);
    let way = 1 + choices.below(n_roles - 1);
    let [from, to, third] =
        [first, first + way, first + n_roles - way].map(|role| shape.roles[role % n_roles]);
    let message = choices.pick(shape.messages);
    let kind = choices.below(if shape.is_rich { 8 } else { 5 });
    match shape.language {
        Language::Discourje => match kind {
            3 => format!("(s/--> {message} ::{from} ::{to})"),
            4 => format!("(s/close ::{from} ::{to})"),
            _ => format!("(s/-->> {message} ::{from} ::{to})"),
        },
        Language::Quad => match kind {
            3 => format!("{message} from {from} to {to} sync;"),
            4 => format!("{from} closes {to};"),
            5 => format!("{from} does E;"),
            6 if n_roles == 3 && third != to => format!("{message} from {from} to {to}, {third};"),
            7 if n_roles == 3 && third != to => {
                format!("{message} from {from} to {to}, {third} sync;")
            }
            _ => format!("{message} from {from} to {to};"),
        },
    }
}

/// A linear formula of this depth about sends and receives of these roles.
pub fn formula(choices: &mut Choices, roles: &[&str], depth: u32) -> String {
    if depth == 0 {
        let role = choices.below(roles.len() + 1);
        let role = roles.get(role).copied().unwrap_or("*");
        return format!("{role} {} *", choices.pick(&["sends", "receives"]));
    }
    let one = formula(choices, roles, depth - 1);
    match choices.below(7) {
        0 => format!("!({one})"),
        1 => format!("X ({one})"),
        2 => format!("G ({one})"),
        3 => format!("F ({one})"),
        4 => format!("(({one}) U ({}))", formula(choices, roles, depth - 1)),
        5 => format!("(({one}) -> ({}))", formula(choices, roles, depth - 1)),
        _ => format!("(({one}) & ({}))", formula(choices, roles, depth - 1)),
    }
}
