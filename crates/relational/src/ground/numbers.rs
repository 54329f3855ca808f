//! How large numbers get that a design calculates: none may leave 64 bits, whatever its values are.

use quadrille_diagnostic::{Diagnostic, Span};

use super::World;
use crate::codes::OVERFLOW;
use crate::types::Design;
use crate::types::core::{Arithmetic, Formula, Number, Set};

/// A set has no more tuples than that, as far as calculations are concerned.
const MOST_TUPLES: i128 = 1 << 24;
/// A set has no more atoms than that.
const MOST_MEMBERS: i128 = 64;

/// A least and a greatest value.
type Bounds = (i128, i128);

/// Says where a calculation may leave 64 bits.
pub(super) fn bounded(design: &Design, world: &World) -> Result<(), Diagnostic> {
    let place = design.place;
    let events = design.events.iter().map(|event| (&event.body, event.span));
    let commands = design.commands.iter().map(|command| (&command.formula, command.span));
    let declared = design.declared.iter().map(|(formula, _)| formula);
    let others = design.invariants.iter().chain(&design.assumptions).chain(&design.end);
    let others = others.chain([&design.init]).chain(declared).map(|formula| (formula, place));
    for (formula, span) in events.chain(commands).chain(others) {
        if is_beyond(formula, world) {
            return Err(beyond(span));
        }
    }
    Ok(())
}

fn beyond(span: Span) -> Diagnostic {
    let message = "a calculation here may leave 64 bits";
    let help = "use smaller numbers, or `overflow wraps`";
    Diagnostic::error(&OVERFLOW, message).at(span, "").help(help)
}

fn is_beyond(formula: &Formula, world: &World) -> bool {
    let beyond = |number: &Number| bounds(number, world).is_none();
    formula.any(
        &|formula| matches!(formula, Formula::Compare(_, a, b) if beyond(a) || beyond(b)),
        &|set| matches!(set, Set::Number(number, _) if beyond(number)),
    )
}

/// Between which values a number is; `None` if it may leave 64 bits on the way.
fn bounds(number: &Number, world: &World) -> Option<Bounds> {
    let of = |number: &Number| bounds(number, world);
    let (low, high) = (i128::from(world.range.0), i128::from(world.range.1));
    let times = |n: i128, (a, b): Bounds| (n * a.min(0), n * b.max(0));
    let found = match number {
        Number::Literal(value) => return Some((i128::from(*value), i128::from(*value))),
        Number::Card(_) => (0, MOST_TUPLES),
        Number::Value(_) => times(MOST_MEMBERS, (low, high)),
        Number::Arithmetic(operator, a, b) => {
            let ((a, b), (c, d)) = (of(a)?, of(b)?);
            match operator {
                Arithmetic::Plus => (a + c, b + d),
                Arithmetic::Minus => (a - d, b - c),
                Arithmetic::Times => {
                    let all = [a * c, a * d, b * c, b * d];
                    all.iter()
                        .fold((all[0], all[0]), |(low, high), one| (low.min(*one), high.max(*one)))
                }
                Arithmetic::Div | Arithmetic::Rem => {
                    let most = a.abs().max(b.abs());
                    (-most, most)
                }
            }
        }
        Number::Sum(_, _, body) => times(MOST_MEMBERS, of(body)?),
        Number::If(_, a, b) => {
            let ((a, b), (c, d)) = (of(a)?, of(b)?);
            (a.min(c), b.max(d))
        }
    };
    let fits = found.0 >= i128::from(i64::MIN) && found.1 <= i128::from(i64::MAX);
    match world.wraps {
        true => fits.then_some((low, high)),
        false => fits.then_some(found),
    }
}
