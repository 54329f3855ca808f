//! Writes a tree as text that reads back to the same tree, with parentheses only where they are
//! needed.

use std::fmt::{self, Display, Formatter};

use super::tree::{Component, Direction, File, Kind, Path, Phase, Protocol, Token, Variable};

/// How tightly an operator binds; operands that bind less tightly get parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    OrParallel,
    Parallel,
    Alternative,
    Sequence,
    Postfix,
    Operand,
}

fn level(kind: &Kind) -> Level {
    match kind {
        Kind::OrParallel(_) => Level::OrParallel,
        Kind::Parallel(_) | Kind::Adjust(..) => Level::Parallel,
        Kind::Alternative(_) => Level::Alternative,
        Kind::Sequence(_) => Level::Sequence,
        Kind::Repeat(_) | Kind::Restrict(..) => Level::Postfix,
        _ => Level::Operand,
    }
}

impl Display for File {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.types.is_empty() {
            f.write_str("types {")?;
            for of in &self.types {
                let values: Vec<&str> = of.values.iter().map(|value| &value.text[..]).collect();
                write!(f, " {} = {{ {} }}", of.name.text, values.join(", "))?;
            }
            f.write_str(" }\n")?;
        }
        self.components.iter().try_for_each(|component| writeln!(f, "{component}"))
    }
}

impl Display for Component {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.text)?;
        write_variables(f, &self.variables)?;
        write!(f, "\n{}", self.protocol)
    }
}

/// ` vars { Mode m = IDLE }`, or nothing.
pub(crate) fn write_variables(f: &mut Formatter<'_>, variables: &[Variable]) -> fmt::Result {
    for (position, variable) in variables.iter().enumerate() {
        let before = if position == 0 { " vars {" } else { "," };
        let (of, name) = (&variable.of.text, &variable.name.text);
        write!(f, "{before} {of} {name} = {}", variable.initial.text)?;
    }
    if variables.is_empty() { Ok(()) } else { f.write_str(" }") }
}

impl Display for Protocol {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Null => f.write_str("NULL"),
            Kind::Event(token) => token.fmt(f),
            Kind::Call { direction, path, arguments, parameters, body } => {
                write!(f, "{direction}{path}")?;
                if !arguments.is_empty() {
                    write!(f, "({})", join(arguments.iter().map(|argument| &argument.text)))?;
                }
                if !parameters.is_empty() {
                    let one = |of: &str, name: &str| format!("{of} {name}");
                    let list =
                        parameters.iter().map(|one_of| one(&one_of.of.text, &one_of.name.text));
                    write!(f, "({})", join(list))?;
                }
                body.iter().try_for_each(|body| write!(f, " {{ {body} }}"))
            }
            Kind::Atomic(tokens) => write!(f, "[{}]", join(tokens)),
            Kind::Meet(path) => write!(f, "&{path}"),
            Kind::Sequence(parts) => infix(f, parts, " ; ", Level::Postfix),
            Kind::Alternative(parts) => infix(f, parts, " + ", Level::Sequence),
            Kind::Parallel(parts) => infix(f, parts, " | ", Level::Alternative),
            Kind::OrParallel(parts) => infix(f, parts, " || ", Level::Parallel),
            Kind::Repeat(inner) => {
                operand(f, inner, Level::Postfix)?;
                f.write_str("*")
            }
            Kind::Restrict(inner, names) => {
                operand(f, inner, Level::Postfix)?;
                write!(f, " / {{ {} }}", join(names))
            }
            Kind::Adjust(left, names, right) => {
                operand(f, left, Level::Alternative)?;
                write!(f, " |{{ {} }}| ", join(names))?;
                operand(f, right, Level::Alternative)
            }
            Kind::Invert(inner) => {
                f.write_str("~")?;
                operand(f, inner, Level::Operand)
            }
            Kind::Throw(exception) => write!(f, "throw !{}", exception.text),
            Kind::Try { body, catches } => {
                write!(f, "try {{ {body} }}")?;
                catches.iter().try_for_each(|catch| {
                    let exceptions = catch.exceptions.iter().map(|path| format!("?{path}"));
                    write!(f, " catch {{ {} : {} }}", join(exceptions), catch.handler)
                })
            }
            Kind::Assign { variable, value } => write!(f, "{} <- {}", variable.text, value.text),
            Kind::While { test, body } => {
                let operator = if test.equal { "==" } else { "!=" };
                let (variable, value) = (&test.variable.text, &test.value.text);
                write!(f, "while ({variable} {operator} {value}) {{ {body} }}")
            }
            Kind::Switch { variable, cases, default } => {
                write!(f, "switch ({}) {{", variable.text)?;
                for case in cases {
                    write!(f, " {}: {{ {} }}", case.value.text, case.protocol)?;
                }
                default.iter().try_for_each(|default| write!(f, " default: {{ {default} }}"))?;
                f.write_str(" }")
            }
        }
    }
}

fn infix(f: &mut Formatter<'_>, parts: &[Protocol], operator: &str, least: Level) -> fmt::Result {
    for (position, part) in parts.iter().enumerate() {
        if position > 0 {
            f.write_str(operator)?;
        }
        operand(f, part, least)?;
    }
    Ok(())
}

/// An operand, in parentheses if it binds less tightly than it must.
fn operand(f: &mut Formatter<'_>, protocol: &Protocol, least: Level) -> fmt::Result {
    if level(&protocol.kind) < least { write!(f, "({protocol})") } else { write!(f, "{protocol}") }
}

fn join<T: Display>(parts: impl IntoIterator<Item = T>) -> String {
    parts.into_iter().map(|part| part.to_string()).collect::<Vec<_>>().join(", ")
}

impl Display for Token {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.direction, self.path, self.phase)
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Display for Direction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::Emit => "!",
            Direction::Accept => "?",
        })
    }
}

impl Display for Phase {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Request => "^",
            Phase::Response => "$",
        })
    }
}
