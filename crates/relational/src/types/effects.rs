//! Which formulas of an event are effects, and where they write. What is not primed is a guard.

use quadrille_diagnostic::{Diagnostic, Span};

use super::core::{Formula, RelationId, Set, When};
use crate::codes::EFFECT;
use crate::types::words::Mult;

/// What an effect writes: a relation whose first columns are fixed to atoms.
pub(crate) struct Target<'f> {
    pub(crate) relation: RelationId,
    /// One expression per fixed column.
    pub(crate) prefix: Vec<&'f Set>,
}

/// What an effect says about the target.
pub(crate) enum Effect<'f> {
    /// It becomes this.
    Becomes(Target<'f>, &'f Set),
    /// It becomes a part of this; of a field with one value, a member.
    Within(Target<'f>, &'f Set),
    /// It becomes empty.
    Cleared(Target<'f>),
}

/// The place that a set with a prime names: `s'`, `n.f'`, `a.(n.f')`.
fn target(set: &Set) -> Option<Target<'_>> {
    match set {
        Set::Relation(relation, When::Next) => {
            Some(Target { relation: *relation, prefix: Vec::new() })
        }
        Set::Join(atom, rest) if !atom.is_primed() => {
            let mut target = target(rest)?;
            target.prefix.push(atom);
            Some(target)
        }
        _ => None,
    }
}

/// The effect that an atomic formula is, if it is one.
pub(crate) fn effect(formula: &Formula) -> Option<Effect<'_>> {
    match formula {
        Formula::Equal(a, b, _) => match (target(a), target(b)) {
            (Some(target), _) if !b.is_primed() => Some(Effect::Becomes(target, b)),
            (_, Some(target)) if !a.is_primed() => Some(Effect::Becomes(target, a)),
            _ => None,
        },
        Formula::In(a, b, _) if !b.is_primed() => Some(Effect::Within(target(a)?, b)),
        Formula::Count(Mult::No, a, _) => Some(Effect::Cleared(target(a)?)),
        _ => None,
    }
}

/// Everything in the body of an event that is no guard and no effect.
pub(super) fn objections(body: &Formula, whole: Span) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    object(body, whole, &mut found);
    found
}

fn object(formula: &Formula, whole: Span, found: &mut Vec<Diagnostic>) {
    let mut refuse = |message: &str, span: Span, help: &str| {
        found.push(Diagnostic::error(&EFFECT, message).at(span, "").help(help));
    };
    if !formula.is_primed() {
        if formula.is_temporal() {
            let help = "an event speaks about this state and the next; check the rest with `check`";
            refuse("an event cannot have temporal operators", whole, help);
        }
        return;
    }
    let above = "say the condition without a prime";
    match formula {
        Formula::And(all) | Formula::Or(all) => {
            all.iter().for_each(|part| object(part, whole, found));
        }
        Formula::If(condition, then, otherwise) => {
            if condition.is_primed() {
                refuse("a condition of an effect speaks about the next state", whole, above);
            }
            object(then, whole, found);
            object(otherwise, whole, found);
        }
        Formula::All(_, set, body, span) | Formula::Some(_, set, body, span) => {
            if set.is_primed() {
                refuse("a variable ranges over a set of the next state", *span, above);
            }
            object(body, *span, found);
        }
        Formula::Equal(_, _, span) | Formula::In(_, _, span) | Formula::Count(_, _, span) => {
            if effect(formula).is_none() {
                let help =
                    "write `n.f' = e`, `s' = e`, `n.f' in e` or `no n.f'`, without primes in `e`";
                refuse("this says nothing that can be done", *span, help);
            }
        }
        Formula::Not(inner) => {
            let span = match &**inner {
                Formula::Equal(_, _, span)
                | Formula::In(_, _, span)
                | Formula::Some(_, _, _, span)
                | Formula::Count(_, _, span) => *span,
                _ => whole,
            };
            refuse("an effect cannot be denied", span, "say what the next value is");
        }
        _ => refuse("this says nothing that can be done", whole, "say what the next value is"),
    }
}
