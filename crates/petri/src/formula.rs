//! Formulas about markings and runs of a net, as the Model Checking Contest has them: sums of tokens
//! compared with numbers, dead markings, linear and branching time. Where transitions are enabled is
//! said by tokens. Knows no file.

use crate::net::{Net, PlaceId, Tokens, TransitionId};

/// Places with factors, ascending, none with factor zero.
pub type Sum = Vec<(PlaceId, i64)>;

/// A formula.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formula {
    /// True or false.
    Constant(bool),
    /// A sum of tokens is at most this.
    AtMost(Sum, i64),
    /// No transition is enabled.
    Dead,
    /// Negation.
    Not(Box<Formula>),
    /// Conjunction.
    And(Vec<Formula>),
    /// Disjunction.
    Or(Vec<Formula>),
    /// On every run.
    All(Box<Formula>),
    /// On some run.
    Some(Box<Formula>),
    /// In the next marking.
    Next(Box<Formula>),
    /// Now or later.
    Finally(Box<Formula>),
    /// Now and always later.
    Globally(Box<Formula>),
    /// The second comes, and until then the first.
    Until(Box<Formula>, Box<Formula>),
}

/// What a formula is checked by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It speaks about the marking it is evaluated in.
    State,
    /// `EF` of a marking.
    Reachable,
    /// `AG` of markings.
    Invariant,
    /// Branching time.
    Branching,
    /// Linear time.
    Linear,
}

impl Formula {
    /// Where a place holds at least so many tokens.
    pub fn at_least(place: PlaceId, tokens: Tokens) -> Self {
        !Formula::AtMost(vec![(place, 1)], i64::from(tokens) - 1)
    }

    /// Where one of these transitions is enabled.
    pub fn fireable(net: &Net, transitions: &[TransitionId]) -> Self {
        Formula::or(transitions.iter().map(|&transition| {
            let take = &net.transition(transition).take;
            Formula::and(take.iter().map(|&(place, weight)| Formula::at_least(place, weight)))
        }))
    }

    /// A sum that is at most a constant, with places in order and joined.
    pub fn at_most(mut sum: Sum, most: i64) -> Self {
        sum.sort_unstable();
        sum.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        sum.retain(|&(_, factor)| factor != 0);
        if sum.is_empty() { Formula::Constant(0 <= most) } else { Formula::AtMost(sum, most) }
    }

    /// The conjunction, flat and without constants.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Formula::Constant(true) => {}
                Formula::Constant(false) => return Formula::Constant(false),
                Formula::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat.len() {
            0 => Formula::Constant(true),
            1 => flat.remove(0),
            _ => Formula::And(flat),
        }
    }

    /// The disjunction, flat and without constants.
    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Formula::Constant(false) => {}
                Formula::Constant(true) => return Formula::Constant(true),
                Formula::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat.len() {
            0 => Formula::Constant(false),
            1 => flat.remove(0),
            _ => Formula::Or(flat),
        }
    }

    /// Its direct parts.
    pub fn parts(&self) -> Vec<&Formula> {
        match self {
            Formula::Constant(_) | Formula::AtMost(..) | Formula::Dead => Vec::new(),
            Formula::Not(one)
            | Formula::All(one)
            | Formula::Some(one)
            | Formula::Next(one)
            | Formula::Finally(one)
            | Formula::Globally(one) => vec![one],
            Formula::And(all) | Formula::Or(all) => all.iter().collect(),
            Formula::Until(one, other) => vec![one, other],
        }
    }

    /// The same with every direct part replaced.
    pub fn map(&self, mut each: impl FnMut(&Formula) -> Formula) -> Formula {
        let mut boxed = |inner: &Formula| Box::new(each(inner));
        match self {
            Formula::Constant(_) | Formula::AtMost(..) | Formula::Dead => self.clone(),
            Formula::Not(inner) => !each(inner),
            Formula::And(all) => Formula::and(all.iter().map(each)),
            Formula::Or(all) => Formula::or(all.iter().map(each)),
            Formula::All(inner) => Formula::All(boxed(inner)),
            Formula::Some(inner) => Formula::Some(boxed(inner)),
            Formula::Next(inner) => Formula::Next(boxed(inner)),
            Formula::Finally(inner) => Formula::Finally(boxed(inner)),
            Formula::Globally(inner) => Formula::Globally(boxed(inner)),
            Formula::Until(one, other) => Formula::Until(boxed(one), boxed(other)),
        }
    }

    /// Whether it speaks about one marking only.
    pub fn is_state(&self) -> bool {
        match self {
            Formula::Constant(_) | Formula::AtMost(..) | Formula::Dead => true,
            Formula::Not(_) | Formula::And(_) | Formula::Or(_) => {
                self.parts().into_iter().all(Formula::is_state)
            }
            _ => false,
        }
    }

    /// What it is checked by.
    pub fn kind(&self) -> Kind {
        match self {
            _ if self.is_state() => Kind::State,
            Formula::Some(inner) => match &**inner {
                Formula::Finally(goal) if goal.is_state() => Kind::Reachable,
                _ if self.is_branching() => Kind::Branching,
                _ => Kind::Linear,
            },
            Formula::All(inner) => match &**inner {
                Formula::Globally(invariant) if invariant.is_state() => Kind::Invariant,
                _ if self.is_branching() => Kind::Branching,
                _ => Kind::Linear,
            },
            _ => Kind::Branching,
        }
    }

    /// Whether every temporal operator stands directly below a quantifier.
    fn is_branching(&self) -> bool {
        match self {
            Formula::All(inner) | Formula::Some(inner) => match &**inner {
                Formula::Next(_)
                | Formula::Finally(_)
                | Formula::Globally(_)
                | Formula::Until(..) => inner.parts().into_iter().all(Formula::is_branching),
                other => other.is_branching(),
            },
            Formula::Next(_) | Formula::Finally(_) | Formula::Globally(_) | Formula::Until(..) => {
                false
            }
            other => other.parts().into_iter().all(Formula::is_branching),
        }
    }

    /// Whether a part has this property.
    pub fn any(&self, is: &impl Fn(&Formula) -> bool) -> bool {
        is(self) || self.parts().into_iter().any(|part| part.any(is))
    }

    /// Whether it speaks about the next marking.
    pub fn has_next(&self) -> bool {
        self.any(&|part| matches!(part, Formula::Next(_)))
    }

    /// Whether it speaks about dead markings.
    pub fn has_dead(&self) -> bool {
        self.any(&|part| matches!(part, Formula::Dead))
    }

    /// Adds the places it speaks about.
    pub fn mark_places(&self, places: &mut [bool]) {
        if let Formula::AtMost(sum, _) = self {
            sum.iter().for_each(|(place, _)| places[place.index()] = true);
        }
        self.parts().into_iter().for_each(|part| part.mark_places(places));
    }

    /// The formula about other places; `None` where one has no place there.
    pub fn renamed(&self, places: &[Option<PlaceId>]) -> Option<Formula> {
        if let Formula::AtMost(sum, most) = self {
            let term = |&(place, factor): &(PlaceId, i64)| Some((places[place.index()]?, factor));
            let sum = sum.iter().map(term).collect::<Option<Sum>>()?;
            return Some(Formula::at_most(sum, *most));
        }
        let mut is_whole = true;
        let renamed = self.map(|part| {
            part.renamed(places).unwrap_or_else(|| {
                is_whole = false;
                Formula::Constant(false)
            })
        });
        is_whole.then_some(renamed)
    }

    /// Whether a formula about states holds in a marking. What is about runs does not.
    pub fn holds(&self, net: &Net, marking: &[Tokens]) -> bool {
        match self {
            Formula::Constant(value) => *value,
            Formula::AtMost(sum, most) => value(sum, marking) <= *most,
            Formula::Dead => !net.transition_ids().any(|id| net.is_enabled(id, marking)),
            Formula::Not(inner) => !inner.holds(net, marking),
            Formula::And(all) => all.iter().all(|part| part.holds(net, marking)),
            Formula::Or(all) => all.iter().any(|part| part.holds(net, marking)),
            _ => false,
        }
    }

    /// Negations only before comparisons and dead markings; of sums there are none at all, since a
    /// sum that is not at most `k` is at least `k + 1`. For formulas about states; what is about runs
    /// stays below its negation.
    #[must_use]
    pub fn pushed(&self, negated: bool) -> Formula {
        match self {
            Formula::Constant(value) => Formula::Constant(*value != negated),
            Formula::AtMost(sum, most) if negated => {
                let turned = sum.iter().map(|&(place, factor)| (place, -factor)).collect();
                Formula::AtMost(turned, -most - 1)
            }
            Formula::Not(inner) => inner.pushed(!negated),
            Formula::And(all) | Formula::Or(all) => {
                let parts = all.iter().map(|part| part.pushed(negated));
                if matches!(self, Formula::And(_)) != negated {
                    Formula::and(parts)
                } else {
                    Formula::or(parts)
                }
            }
            other if negated => Formula::Not(Box::new(other.clone())),
            other => other.clone(),
        }
    }
}

impl std::ops::Not for Formula {
    type Output = Formula;

    fn not(self) -> Formula {
        match self {
            Formula::Constant(value) => Formula::Constant(!value),
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }
}

/// What a sum comes to.
pub fn value(sum: &Sum, marking: &[Tokens]) -> i64 {
    sum.iter().map(|&(place, factor)| factor * i64::from(marking[place.index()])).sum()
}
