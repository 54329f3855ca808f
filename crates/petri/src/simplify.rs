//! Smaller formulas that hold where the given one does: what follows from bounds of places and from the
//! state equation, constants under temporal operators, and what the initial marking alone decides.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::formula::{Formula, Sum};
use crate::linear::Equation;
use crate::net::{Net, Tokens};

/// What is known of all reachable markings.
pub struct Facts<'n> {
    net: &'n Net,
    bounds: Vec<Option<Tokens>>,
    equation: Option<Equation>,
    known: RefCell<FxHashMap<Formula, Option<bool>>>,
}

impl<'n> Facts<'n> {
    /// Bounds of places, and the state equation if it is to be asked.
    pub fn new(net: &'n Net, bounds: Vec<Option<Tokens>>, equation: Option<Equation>) -> Self {
        Self { net, bounds, equation, known: RefCell::default() }
    }

    /// The least and the most that a sum can be by the bounds of its places.
    fn range(&self, sum: &Sum) -> (Option<i64>, Option<i64>) {
        let (mut least, mut most) = (Some(0i64), Some(0i64));
        for &(place, factor) in sum {
            let large =
                self.bounds[place.index()].map(|bound| factor.saturating_mul(i64::from(bound)));
            let (down, up) = if factor > 0 { (Some(0), large) } else { (large, Some(0)) };
            least = least.zip(down).map(|(sum, part)| sum.saturating_add(part));
            most = most.zip(up).map(|(sum, part)| sum.saturating_add(part));
        }
        (least, most)
    }

    /// What a comparison is in every reachable marking, if it always is the same by bounds alone.
    fn by_bounds(&self, sum: &Sum, limit: i64) -> Option<bool> {
        match self.range(sum) {
            (_, Some(most)) if most <= limit => Some(true),
            (Some(least), _) if least > limit => Some(false),
            _ => None,
        }
    }

    /// What a formula about markings is in every reachable one, if it is seen to always be the same.
    fn always(&self, formula: &Formula, go_on: &mut dyn FnMut() -> bool) -> Option<bool> {
        if let Formula::Constant(value) = formula {
            return Some(*value);
        }
        if let Some(known) = self.known.borrow().get(formula) {
            return *known;
        }
        let equation = self.equation.as_ref()?;
        // What holds at the start cannot be refuted.
        let at_start = formula.holds(self.net, &self.net.initial);
        let is_settled = !formula.has_dead() && equation.refutes(&formula.pushed(at_start), go_on);
        let found = is_settled.then_some(at_start);
        self.known.borrow_mut().insert(formula.clone(), found);
        found
    }

    /// The formula with everything replaced that always is the same.
    pub fn simplified(&self, formula: &Formula, go_on: &mut dyn FnMut() -> bool) -> Formula {
        let is_linear = formula.kind() == crate::Kind::Linear;
        let formula = self.replaced(formula, is_linear, go_on);
        match self.at_start(&formula) {
            Some(value) => Formula::Constant(value),
            None => formula,
        }
    }

    fn replaced(
        &self,
        formula: &Formula,
        is_linear: bool,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Formula {
        if let Formula::AtMost(sum, most) = formula {
            let found = self.by_bounds(sum, *most).or_else(|| self.always(formula, go_on));
            return found.map_or_else(|| formula.clone(), Formula::Constant);
        }
        let inner = formula.map(|part| self.replaced(part, is_linear, go_on));
        let inner = folded(inner, is_linear);
        let is_new =
            inner.is_state() && !matches!(inner, Formula::Constant(_) | Formula::AtMost(..));
        if is_new && let Some(value) = self.always(&inner, go_on) {
            return Formula::Constant(value);
        }
        inner
    }

    /// What the initial marking alone decides.
    fn at_start(&self, formula: &Formula) -> Option<bool> {
        if formula.is_state() {
            return Some(formula.holds(self.net, &self.net.initial));
        }
        match formula {
            Formula::Not(inner) => self.at_start(inner).map(|value| !value),
            Formula::And(all) => {
                let parts: Vec<_> = all.iter().map(|part| self.at_start(part)).collect();
                let is_false = parts.contains(&Some(false)).then_some(false);
                is_false.or(parts.iter().all(|part| *part == Some(true)).then_some(true))
            }
            Formula::Or(all) => {
                let parts: Vec<_> = all.iter().map(|part| self.at_start(part)).collect();
                let is_true = parts.contains(&Some(true)).then_some(true);
                is_true.or(parts.iter().all(|part| *part == Some(false)).then_some(false))
            }
            Formula::All(inner) | Formula::Some(inner) => self.at_start(inner),
            Formula::Finally(inner) => self.at_start(inner).filter(|&value| value),
            Formula::Globally(inner) => self.at_start(inner).filter(|&value| !value),
            Formula::Until(hold, goal) => match (self.at_start(hold), self.at_start(goal)) {
                (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Constants below an operator, and operators that say the same twice. Runs end in dead markings: in
/// branching time there is no next marking then, in linear time it is the same again.
fn folded(formula: Formula, is_linear: bool) -> Formula {
    use Formula::{All, Constant, Dead, Finally, Globally, Next, Not, Some, Until};
    match formula {
        Finally(inner) => match *inner {
            Constant(value) => Constant(value),
            Finally(again) => Finally(again),
            Until(_, goal) => Finally(goal),
            other => Finally(Box::new(other)),
        },
        Globally(inner) => match *inner {
            Constant(value) => Constant(value),
            Globally(again) => Globally(again),
            other => Globally(Box::new(other)),
        },
        Next(inner) => match *inner {
            Constant(value) if is_linear => Constant(value),
            other => Next(Box::new(other)),
        },
        Until(hold, goal) => match (*hold, *goal) {
            (_, Constant(value)) => Constant(value),
            (Constant(true), goal) => folded(Finally(Box::new(goal)), is_linear),
            (Constant(false), goal) => goal,
            (hold, goal) if hold == goal => goal,
            (hold, goal) => Until(Box::new(hold), Box::new(goal)),
        },
        All(inner) => match *inner {
            inner if inner.is_state() => inner,
            Next(next) if !is_linear && *next == Constant(true) => Constant(true),
            Next(next) if !is_linear && *next == Constant(false) => Dead,
            inner if is_linear => All(Box::new(inner)),
            inner => branching(true, inner),
        },
        Some(inner) => match *inner {
            inner if inner.is_state() => inner,
            Next(next) if !is_linear && *next == Constant(false) => Constant(false),
            Next(next) if !is_linear && *next == Constant(true) => Not(Box::new(Dead)),
            inner if is_linear => Some(Box::new(inner)),
            inner => branching(false, inner),
        },
        other => other,
    }
}

/// A quantifier before a temporal operator, with fewer operators where nested ones say the same. Runs go
/// on for ever or end in dead markings; a marking from which something is reachable is reached wherever
/// that is reachable, and where it is not reachable now it never is.
fn branching(is_all: bool, formula: Formula) -> Formula {
    use Formula::{And, Finally, Globally, Or, Until};
    let quantified = |formula: Formula| {
        if is_all { Formula::All(Box::new(formula)) } else { Formula::Some(Box::new(formula)) }
    };
    match formula {
        Finally(body) | Globally(body) | Until(_, body)
            if matches!(*body, Formula::Constant(_)) =>
        {
            *body
        }
        Finally(body) => match *body {
            body if is_some_finally(&body) => body,
            body if is_all && matches!(&body, Formula::All(it) if matches!(**it, Finally(_))) => {
                body
            }
            Or(parts) if !is_all && parts.iter().any(|part| !part.is_state()) => {
                Formula::or(parts.into_iter().map(|part| branching(false, Finally(Box::new(part)))))
            }
            Or(parts) if parts.iter().any(is_some_finally) => {
                let (now, rest) = parts.into_iter().partition::<Vec<_>, _>(is_some_finally);
                let rest = branching(is_all, Finally(Box::new(Formula::or(rest))));
                Formula::or(now.into_iter().chain([rest]))
            }
            body => match (is_all, reached_by(&body)) {
                // Where the goal is reached, it has come on every run from there.
                (false, Some(goal)) => branching(false, Finally(Box::new(goal.clone()))),
                _ => quantified(Finally(Box::new(body))),
            },
        },
        Globally(body) => match *body {
            body if is_all_globally(&body) => body,
            body if !is_all
                && matches!(&body, Formula::Some(it) if matches!(**it, Globally(_))) =>
            {
                body
            }
            And(parts) if is_all && parts.iter().any(|part| !part.is_state()) => Formula::and(
                parts.into_iter().map(|part| branching(true, Globally(Box::new(part)))),
            ),
            And(parts) if parts.iter().any(is_all_globally) => {
                let (now, rest) = parts.into_iter().partition::<Vec<_>, _>(is_all_globally);
                let rest = branching(is_all, Globally(Box::new(Formula::and(rest))));
                Formula::and(now.into_iter().chain([rest]))
            }
            body => match (is_all, &body) {
                (true, Formula::Some(inner)) if matches!(**inner, Globally(_)) => {
                    let Globally(held) = &**inner else {
                        return quantified(Globally(Box::new(body)));
                    };
                    branching(true, Globally(held.clone()))
                }
                _ => quantified(Globally(Box::new(body))),
            },
        },
        Until(hold, goal) => match *goal {
            goal if is_some_finally(&goal) => goal,
            Or(parts) if parts.iter().any(is_some_finally) => {
                let (now, rest) = parts.into_iter().partition::<Vec<_>, _>(is_some_finally);
                let rest = quantified(Until(hold, Box::new(Formula::or(rest))));
                Formula::or(now.into_iter().chain([rest]))
            }
            goal => quantified(Until(hold, Box::new(goal))),
        },
        other => quantified(other),
    }
}

fn is_some_finally(formula: &Formula) -> bool {
    matches!(formula, Formula::Some(inner) if matches!(**inner, Formula::Finally(_)))
}

fn is_all_globally(formula: &Formula) -> bool {
    matches!(formula, Formula::All(inner) if matches!(**inner, Formula::Globally(_)))
}

/// What comes on some run, or on all, where a formula says only that.
fn reached_by(formula: &Formula) -> Option<&Formula> {
    let (Formula::All(inner) | Formula::Some(inner)) = formula else { return None };
    match &**inner {
        Formula::Finally(goal) | Formula::Until(_, goal) => Some(goal),
        _ => None,
    }
}
