//! Formulas as text that our own parser reads back, with as few parentheses as it needs.

use std::fmt;

use crate::formula::{AtomId, Atoms, Binary, Formula, Path, Unary};
use crate::grammar::{Dialect, INFIXES, Infix, PREFIX_LEVEL, PREFIXES, Prefix};

impl Formula {
    /// The formula as text, with the atoms of a table.
    pub fn show<'a, A: fmt::Display>(&'a self, atoms: &'a Atoms<A>) -> Shown<'a, A> {
        Shown { formula: self, atoms }
    }
}

/// A formula with the names of its atoms, to be printed.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a, A> {
    formula: &'a Formula,
    atoms: &'a Atoms<A>,
}

impl<A: fmt::Display> fmt::Display for Shown<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self.formula, &|atom| self.atoms.get(atom), 0)
    }
}

/// Writes a formula that stands where operators looser than `level` need parentheses.
fn write<'a, A: fmt::Display + 'a>(
    f: &mut fmt::Formatter<'_>,
    formula: &Formula,
    atom: &dyn Fn(AtomId) -> &'a A,
    level: u32,
) -> fmt::Result {
    let list = |f: &mut fmt::Formatter<'_>, operands: &[Formula], infix: Infix, text: &str| {
        let own = infix.level(Dialect::Own);
        enclosed(f, own < level, |f| {
            for (at, operand) in operands.iter().enumerate() {
                if at > 0 {
                    write!(f, " {text} ")?;
                }
                write(f, operand, atom, own + 1)?;
            }
            Ok(())
        })
    };
    let pair = |f: &mut fmt::Formatter<'_>, a: &Formula, b: &Formula, infix: Infix, text: &str| {
        let own = infix.level(Dialect::Own);
        enclosed(f, own < level, |f| {
            write(f, a, atom, own + 1)?;
            write!(f, " {text} ")?;
            write(f, b, atom, own)
        })
    };
    match formula {
        Formula::True => f.write_str("true"),
        Formula::False => f.write_str("false"),
        Formula::Atom(id) => write!(f, "{}", atom(*id)),
        Formula::Not(a) => {
            f.write_str("!")?;
            write(f, a, atom, PREFIX_LEVEL)
        }
        Formula::And(all) => list(f, all, Infix::And, "&"),
        Formula::Or(all) => list(f, all, Infix::Or, "|"),
        Formula::Implies(a, b) => pair(f, a, b, Infix::Implies, "->"),
        Formula::Iff(a, b) => pair(f, a, b, Infix::Iff, "<->"),
        Formula::Unary(path, operator, a) => {
            write!(f, "{} ", prefix_text(*path, *operator))?;
            write(f, a, atom, PREFIX_LEVEL)
        }
        Formula::Binary(Path::This, operator, a, b) => {
            pair(f, a, b, Infix::Temporal(Path::This, *operator), infix_text(*operator))
        }
        Formula::Binary(path, operator, a, b) => {
            f.write_str(if *path == Path::All { "A[" } else { "E[" })?;
            write(f, a, atom, 0)?;
            write!(f, " {} ", infix_text(*operator))?;
            write(f, b, atom, 0)?;
            f.write_str("]")
        }
    }
}

fn enclosed(
    f: &mut fmt::Formatter<'_>,
    parentheses: bool,
    inner: impl FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    if parentheses {
        f.write_str("(")?;
    }
    inner(f)?;
    if parentheses { f.write_str(")") } else { Ok(()) }
}

fn prefix_text(path: Path, operator: Unary) -> &'static str {
    let wanted = Prefix::Temporal(path, operator);
    let found = PREFIXES.iter().find(|(_, prefix)| *prefix == wanted);
    found.expect("the grammar spells every operator").0
}

fn infix_text(operator: Binary) -> &'static str {
    let wanted = Infix::Temporal(Path::This, operator);
    let found = INFIXES.iter().find(|(_, infix)| *infix == wanted);
    found.expect("the grammar spells every operator").0[0]
}
