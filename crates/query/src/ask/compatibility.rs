//! Whether components are compatible: the errors of a composition, found by one walk over it and one
//! formula of branching time on the graph that the walk leaves. What the answers mean is known to
//! `component`.

use std::ops::ControlFlow;

use quadrille_component::composition::{Composition, CompositionErrors, ErrorRun};
use quadrille_engine::{
    Config, Expansion, Explored, Interpretation, Limits, Meaning, Observer, Occurrences, Stopped,
    Visitor, check_ctl, explore,
};
use quadrille_logic::{AtomId, Formula, Path, Unary};
use quadrille_model::{Ending, Flow, PropositionId, StateId, Verdict};

/// The errors of a composition, each with a shortest run to it.
///
/// # Errors
/// Where a limit is reached first, or the observer stops the search.
pub fn composition_errors(
    composition: &Composition,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<CompositionErrors, Stopped> {
    let mut visitor = ErrorVisitor { composition, bad: Vec::new(), deadlock: None };
    let mut occurrences = Occurrences::of_steps(composition);
    let config = Config { limits, edges: true, ..Config::default() };
    let mut explored =
        explore(composition, &config, &mut [&mut visitor, &mut occurrences], observer);
    if let Some(stopped) = explored.stopped() {
        return Err(stopped.clone());
    }
    let counts = explored.counts();
    let mut errors = CompositionErrors {
        configurations: counts.states as usize,
        steps: counts.transitions as usize,
        actions: occurrences.actions().collect(),
        ..CompositionErrors::default()
    };
    for (bad, state) in visitor.bad {
        let trace = explored.trace(state, None, Ending::Prefix)?;
        errors.bad.push(ErrorRun::bad_activity(trace, bad));
    }
    if let Some(state) = visitor.deadlock {
        errors.no_activity =
            Some(ErrorRun::no_activity(explored.trace(state, None, Ending::Stuck)?));
    }
    let atoms = Interpretation::new(vec![Meaning::Proposition(composition.settled())]);
    let report = check_ctl(&mut explored.graph, &can_always_settle(), &atoms, limits, observer)?;
    errors.infinite_activity = match report.verdict {
        Verdict::Unknown(bound) => return Err(bound.into()),
        Verdict::Violated(Some(trace)) => Some(ErrorRun::without_end(composition, trace)),
        Verdict::Violated(None) | Verdict::Holds => None,
    };
    Ok(errors)
}

/// `AG EF (settled | !EX true)`: a configuration without successor is a deadlock or an end.
fn can_always_settle() -> Formula {
    let settled = Formula::atom(AtomId::from_usize(0));
    let next = Formula::Unary(Path::Some, Unary::Next, Box::new(Formula::True));
    let goal = Formula::Or(vec![settled, Formula::Not(Box::new(next))]);
    let possible = Formula::Unary(Path::Some, Unary::Eventually, Box::new(goal));
    Formula::Unary(Path::All, Unary::Always, Box::new(possible))
}

/// Notes where each bad activity, and a deadlock without one, are met first.
struct ErrorVisitor<'c> {
    composition: &'c Composition,
    bad: Vec<(PropositionId, StateId)>,
    deadlock: Option<StateId>,
}

impl Visitor for ErrorVisitor<'_> {
    fn expanded(&mut self, _: &Explored<'_>, expansion: &Expansion<'_>) -> Flow {
        let bad = self.composition.bad_activities(expansion.values);
        if expansion.deadlock && bad.is_empty() {
            self.deadlock.get_or_insert(expansion.state);
        }
        for event in bad {
            if self.bad.iter().all(|(known, _)| *known != event) {
                self.bad.push((event, expansion.state));
            }
        }
        ControlFlow::Continue(())
    }
}
