//! What formulas say of reachable markings outside of all other temporal operators: walks, smaller nets and
//! the state equation answer that, where what remains needs more.

use quadrille_petri::Formula;

/// The markings that a formula looks for.
pub(super) fn goals(formula: &Formula) -> Vec<Formula> {
    match (goal(formula), formula) {
        (Some((goal, _)), _) => vec![goal],
        (None, Formula::Not(_) | Formula::And(_) | Formula::Or(_)) => {
            formula.parts().into_iter().flat_map(goals).collect()
        }
        _ => Vec::new(),
    }
}

/// The marking that is looked for, if a formula says that there is one, or that there is none; and what
/// the formula is if there is one.
fn goal(formula: &Formula) -> Option<(Formula, bool)> {
    match formula {
        Formula::Some(inner) => match &**inner {
            Formula::Finally(goal) if goal.is_state() => Some(((**goal).clone(), true)),
            _ => None,
        },
        Formula::All(inner) => match &**inner {
            Formula::Globally(always) if always.is_state() => Some((always.pushed(true), false)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether nothing but reachable markings decides a formula.
pub(super) fn is_decided_by_goals(formula: &Formula) -> bool {
    match formula {
        Formula::Not(_) | Formula::And(_) | Formula::Or(_) => {
            formula.parts().into_iter().all(is_decided_by_goals)
        }
        other => other.is_state() || goal(other).is_some(),
    }
}

/// The formula with what is known of reachable markings in its place.
pub(super) fn settled(formula: &Formula, reached: &dyn Fn(&Formula) -> Option<bool>) -> Formula {
    match (goal(formula), formula) {
        (Some((goal, meant)), _) => match reached(&goal) {
            Some(reached) => Formula::Constant(reached == meant),
            None => formula.clone(),
        },
        (None, Formula::Not(_) | Formula::And(_) | Formula::Or(_)) => {
            formula.map(|part| settled(part, reached))
        }
        _ => formula.clone(),
    }
}
