//! Which algorithm answers which question about a model, and what one exploration leaves for the next
//! question. Knows formulas only as [`Claim`]s; reads none.

use std::cell::RefCell;
use std::fmt;

use quadrille_engine::{
    Config, Error, Fairness, Graph, Interpretation, Limits, LtlAlgorithm, LtlOptions, Observer,
    Property, Report, check_ctl, check_ltl,
};
use quadrille_logic::Kind;
use quadrille_model::{Action, ActionId, Counts, Model, Runs, Verdict};

use crate::claim::{Actions, Claim, Subject};
use crate::invariant::Invariant;

/// How questions are answered.
#[derive(Clone, Default)]
pub struct Method {
    /// Which runs count beside what a question says about them.
    pub fairness: Fairness,
    /// How violations of linear formulas are searched for.
    pub algorithm: LtlAlgorithm,
    /// Whether all linear formulas share one exploration. Otherwise those that a single state or
    /// action refutes are searched for on their own, which gives shortest traces.
    pub shared: bool,
}

/// Answers questions about one model; what was explored for one is kept for the next.
pub struct Checker<'m> {
    model: &'m dyn Model,
    method: Method,
    limits: Limits,
    graph: Option<Graph<'m>>,
}

/// Why a question has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unanswered {
    /// A formula of linear time could not be checked.
    Linear(Error),
    /// A formula of branching time could not be checked.
    Branching(Error),
    /// The model did not perform a run again.
    Unrepeatable(Error),
    /// A formula of branching time speaks of all runs; runs of some kind or fair ones were wanted.
    RunsOfBranching,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unanswered::Linear(error) => error.fmt(f),
            Unanswered::Branching(error) => error.fmt(f),
            Unanswered::Unrepeatable(error) => error.fmt(f),
            Unanswered::RunsOfBranching => {
                f.write_str("runs cannot be chosen for a formula with path quantifiers")
            }
        }
    }
}

impl std::error::Error for Unanswered {}

impl<'m> Checker<'m> {
    /// A checker that has explored nothing yet.
    pub fn new(model: &'m dyn Model, method: Method, limits: Limits) -> Self {
        Self { model, method, limits, graph: None }
    }

    /// Whether all claims hold over these runs, and what was explored to find out.
    pub fn answer(
        &mut self,
        claims: &[Claim<'_>],
        runs: Runs,
        observer: &mut Observer<'_>,
    ) -> Result<(Verdict, Counts), Unanswered> {
        let mut verdict = Verdict::Holds;
        let mut counts = Counts::default();
        for claim in claims {
            let (found, explored) = match claim.kind {
                Kind::Branching => self.branching(claim, runs, observer)?,
                Kind::Linear => {
                    let every_state_counts = runs == Runs::Maximal
                        && self.method.fairness.is_none()
                        && !self.method.shared;
                    match Invariant::of(claim) {
                        Some(invariant) if every_state_counts => {
                            self.invariant(&invariant, observer)?
                        }
                        _ => self.linear(claim, runs, observer)?,
                    }
                }
            };
            counts = together(counts, explored);
            match found {
                Verdict::Holds => {}
                Verdict::Unknown(_) => verdict = found,
                Verdict::Violated(_) => {
                    verdict = found;
                    break;
                }
            }
        }
        Ok((verdict, counts))
    }

    fn linear(
        &mut self,
        claim: &Claim<'_>,
        runs: Runs,
        observer: &mut Observer<'_>,
    ) -> Result<(Verdict, Counts), Unanswered> {
        let graph = self.graph.get_or_insert_with(|| Graph::new(self.model));
        let interpretation = Interpretation::new(claim.meanings());
        let options = LtlOptions {
            runs,
            fairness: self.method.fairness.clone(),
            algorithm: self.method.algorithm,
            limits: self.limits,
        };
        let report = check_ltl(graph, &claim.formula, &interpretation, &options, observer)
            .map_err(Unanswered::Linear)?;
        Ok(with_product_counts(report))
    }

    /// Checks a formula that one state or one action refutes, with a shortest trace.
    fn invariant(
        &self,
        invariant: &Invariant<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<(Verdict, Counts), Unanswered> {
        let config = Config { limits: self.limits, ..Config::default() };
        let property = invariant.property(self.model);
        let found = quadrille_engine::check(self.model, vec![property], &config, observer);
        let mut found = found.map_err(Unanswered::Unrepeatable)?;
        Ok((found.verdicts.pop().unwrap_or(Verdict::Holds), found.counts))
    }

    fn branching(
        &mut self,
        claim: &Claim<'_>,
        runs: Runs,
        observer: &mut Observer<'_>,
    ) -> Result<(Verdict, Counts), Unanswered> {
        if runs != Runs::Maximal || !self.method.fairness.is_none() {
            return Err(Unanswered::RunsOfBranching);
        }
        let graph = self.graph.get_or_insert_with(|| Graph::new(self.model));
        let interpretation = Interpretation::new(claim.meanings());
        let report = check_ctl(graph, &claim.formula, &interpretation, self.limits, observer);
        Ok((report.map_err(Unanswered::Branching)?.verdict, graph.counts()))
    }
}

/// A verdict with the size of the product it was found in.
fn with_product_counts(report: Report) -> (Verdict, Counts) {
    let counts = Counts {
        states: report.product.nodes,
        transitions: report.product.moves,
        bytes: report.product.bytes,
        ..Counts::default()
    };
    (report.verdict, counts)
}

/// The atoms that no reachable action satisfies. Actions that are known already are tried first;
/// only what is left is searched for.
pub fn unmatched<'q, 'm>(
    claims: impl IntoIterator<Item = &'q Claim<'m>>,
    model: &dyn Model,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Vec<&'q Actions<'m>>, Error>
where
    'm: 'q,
{
    let known: Vec<Action> =
        (0..model.n_actions()).map(|id| model.action(ActionId::from_usize(id))).collect();
    let subjects = claims.into_iter().flat_map(|claim| &claim.subjects);
    let mut suspects: Vec<&Actions> = Vec::new();
    for subject in subjects {
        let Subject::Actions(actions) = subject else { continue };
        let is_new = !suspects.iter().any(|s| s.text == actions.text && s.span == actions.span);
        if is_new && !known.iter().any(&actions.matches) {
            suspects.push(actions);
        }
    }
    if suspects.is_empty() {
        return Ok(suspects);
    }
    let mut properties = Vec::new();
    for actions in &suspects {
        properties.push(Property::Never(Box::new(remembered(model, &actions.matches))));
    }
    let config = Config { limits, ..Config::default() };
    let verdicts = quadrille_engine::check(model, properties, &config, observer)?.verdicts;
    let never = suspects.into_iter().zip(verdicts).filter(|(_, found)| *found == Verdict::Holds);
    Ok(never.map(|(actions, _)| actions).collect())
}

/// A predicate on actions by their ids; each action is looked at once.
pub(crate) fn remembered<'a>(
    model: &'a dyn Model,
    matches: impl Fn(&Action) -> bool + 'a,
) -> impl Fn(ActionId) -> bool + 'a {
    let answers: RefCell<Vec<Option<bool>>> = RefCell::default();
    move |id| {
        let mut answers = answers.borrow_mut();
        if answers.len() <= id.index() {
            answers.resize(id.index() + 1, None);
        }
        *answers[id.index()].get_or_insert_with(|| matches(&model.action(id)))
    }
}

/// What two searches explored together.
fn together(a: Counts, b: Counts) -> Counts {
    Counts {
        states: a.states + b.states,
        transitions: a.transitions + b.transitions,
        deadlocks: a.deadlocks + b.deadlocks,
        depth: a.depth.max(b.depth),
        bytes: a.bytes.max(b.bytes),
    }
}
