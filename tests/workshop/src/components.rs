//! Random systems of components, as text (`.bp`).

use std::fmt::Write as _;

use crate::Choices;

/// What components of a random system may do.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Events and methods, as paths.
    pub paths: &'a [&'a str],
    /// Whether calls may throw and be tried.
    pub throws: bool,
    /// How deep protocols are nested at most.
    pub depth: u32,
}

impl Default for Shape<'_> {
    fn default() -> Self {
        Self { paths: &["x.a", "x.b", "y.c"], throws: false, depth: 3 }
    }
}

/// A file with `least..=most` components named `A`, `B`, …
pub fn system(choices: &mut Choices, shape: &Shape<'_>, least: usize, most: usize) -> String {
    let protocols = choices.list(least, most, |choices| protocol(choices, shape));
    let mut text = String::new();
    for (number, protocol) in protocols.iter().enumerate() {
        let name = char::from(b'A' + number as u8);
        let _ = writeln!(text, "{name} {protocol}");
    }
    text
}

/// A protocol; exceptions are thrown only inside accepted calls.
pub fn protocol(choices: &mut Choices, shape: &Shape<'_>) -> String {
    nested(choices, shape, shape.depth, false)
}

fn nested(choices: &mut Choices, shape: &Shape<'_>, depth: u32, in_call: bool) -> String {
    if depth == 0 || choices.below(5) == 0 {
        return simple(choices, shape, in_call);
    }
    let inner = |choices: &mut Choices, in_call| nested(choices, shape, depth - 1, in_call);
    match choices.below(if shape.throws { 8 } else { 7 }) {
        0 | 1 => format!("({} ; {})", inner(choices, in_call), inner(choices, in_call)),
        2 => format!("({} + {})", inner(choices, in_call), inner(choices, in_call)),
        3 => format!("({} | {})", inner(choices, in_call), inner(choices, in_call)),
        4 => format!("({})*", inner(choices, in_call)),
        5 => format!("!{} {{ {} }}", choices.pick(shape.paths), inner(choices, in_call)),
        6 => format!("?{} {{ {} }}", choices.pick(shape.paths), inner(choices, true)),
        _ => {
            let body = inner(choices, in_call);
            let handler = inner(choices, in_call);
            let interface = choices.pick(shape.paths).split('.').next().unwrap_or("x");
            format!("try {{ {body} }} catch {{ ?{interface}.e : {handler} }}")
        }
    }
}

fn simple(choices: &mut Choices, shape: &Shape<'_>, in_call: bool) -> String {
    let n_kinds = if shape.throws && in_call { 6 } else { 5 };
    match choices.below(n_kinds) {
        0 => "NULL".to_owned(),
        1 => format!("!{}", choices.pick(shape.paths)),
        2 => format!("?{}", choices.pick(shape.paths)),
        3 => format!("!{}^", choices.pick(shape.paths)),
        4 => format!("?{}^", choices.pick(shape.paths)),
        _ => "throw !e".to_owned(),
    }
}
