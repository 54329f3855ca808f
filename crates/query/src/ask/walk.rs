//! One walk through a model for all questions that a walk can answer: deadlock, invariants, what queues hold,
//! what never happened.

use std::ops::ControlFlow;

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{
    Config as SearchConfig, Graph, Limits, LtlAlgorithm, Order, Safety, Stopped as SearchStopped,
    Visitor, explore,
};
use quadrille_model::{Bound, Counts, Runs, Verdict};

use super::occurrences::{Beside, Counted};
use super::{Config, Engine, FEW_STATES, Reduction, Refused, Watcher, unrepeatable};
use crate::answer::{Answer, Evidence, Unused};
use crate::codes::CONTRADICTION;
use crate::invariant::Invariant;
use crate::languages::protocols::Protocol;
use crate::protocol::{InFlight, QueueBound, QueueVisitor};
use crate::question::Question;
use crate::subject::Subject;

/// Why what queues hold cannot be asked: it takes a walk that meets every state.
pub(super) fn not_every_state(config: &Config) -> Option<Diagnostic> {
    let other = if config.lossy.is_some() {
        "a search that remembers states in part"
    } else if config.runs.is_some() {
        "states in sorted runs"
    } else if config.engine == Engine::Symbolic {
        "the symbolic engine"
    } else if matches!(config.reduction, Reduction::Check | Reduction::Representatives)
        || config.symmetry == Reduction::Check
    {
        "a reduction that is asked for"
    } else {
        return None;
    };
    let message = format!("whether all queues are bounded cannot be asked with {other}");
    Some(Diagnostic::error(&CONTRADICTION, message).help("leave one of the two out"))
}

/// Limits for formulas about a model with infinitely many states, which no search explores.
pub(super) fn few_of_many(limits: Limits) -> Limits {
    Limits { states: limits.states.or(Some(FEW_STATES)), ..limits }
}

/// What one walk through the model found.
pub(super) struct Walk<'s> {
    /// Per question, what the walk found about it; `None` where it takes more than a walk.
    pub(super) found: Vec<Option<Result<Verdict, Refused>>>,
    /// What never happened, where that was asked and everything was explored.
    pub(super) unused: Option<Unused>,
    /// What queues hold, where that was asked.
    pub(super) queues: Option<Vec<QueueBound>>,
    pub(super) counts: Counts,
    pub(super) complete: bool,
    /// What ended the walk before that.
    pub(super) bound: Option<Bound>,
    /// What it left, unless it was stopped: then formulas are checked on the fly, which may find a
    /// violation where a walk in breadth does not come.
    pub(super) graph: Option<Graph<'s>>,
    pub(super) seconds: f64,
}

impl Subject<'_> {
    /// Walks through the model once for all questions that this can answer.
    pub(super) fn walk<'s>(
        &'s self,
        questions: &[Question<'_>],
        config: &Config,
        limits: Limits,
        watcher: &mut dyn Watcher,
    ) -> Walk<'s> {
        let model = self.model();
        let mut invariants: Vec<Option<Vec<Invariant<'_>>>> = Vec::new();
        for question in questions {
            invariants.push(match question {
                Question::Property(property) if property.runs == Runs::Maximal => {
                    self.invariants(property)
                }
                _ => None,
            });
        }
        let open = std::cell::Cell::new(0);
        let mut all: Vec<Vec<Counted<'_>>> = Vec::new();
        // Nested search is asked for where memory is short: it asks the model again.
        let (mut has_formulas, mut edges) = (false, false);
        let is_nested = config.algorithm == LtlAlgorithm::Nested;
        for (question, invariants) in questions.iter().zip(&invariants) {
            let searches: Vec<Safety<'_>> = match (question, invariants) {
                (Question::Deadlock, _) => {
                    vec![Safety::new(quadrille_engine::Property::DeadlockFree)]
                }
                (_, Some(all)) => {
                    let each = all.iter();
                    each.map(|it| Safety::new(it.search(model)).sifted(it.sift(model))).collect()
                }
                (Question::Property(property), None) => {
                    has_formulas = true;
                    edges |= !(is_nested && property.is_linear());
                    Vec::new()
                }
                _ => Vec::new(),
            };
            all.push(searches.into_iter().map(|it| Counted::new(it, &open)).collect());
        }
        let asks_unused = questions.iter().any(|question| matches!(question, Question::Unused));
        let asks_bounds = questions.iter().any(|question| matches!(question, Question::Bounded));
        let liberal = self.protocol().and_then(Protocol::liberal).filter(|_| asks_bounds);
        let mut queues = liberal.map(QueueVisitor::new);
        let grows = queues.as_ref().map(QueueVisitor::has_found).unwrap_or_default();
        let mut beside = asks_unused.then(|| Beside::new(self, questions, has_formulas, &open));
        let mut visitors: Vec<&mut dyn Visitor> = Vec::new();
        visitors.extend(all.iter_mut().flatten().map(|visitor| visitor as &mut dyn Visitor));
        visitors.extend(queues.as_mut().map(|visitor| visitor as &mut dyn Visitor));
        visitors.extend(beside.as_mut().map(|visitor| visitor as &mut dyn Visitor));
        // Only deadlock alone may be searched for depth first: invariants promise a shortest run.
        let is_deadlock_alone = matches!(questions, [Question::Deadlock]);
        let order = if is_deadlock_alone { config.order } else { Order::Breadth };
        let search = SearchConfig { order, limits, edges, workers: config.workers };
        watcher.begin(&questions.first().map(Question::name).unwrap_or_default());
        watcher.keep_time(has_formulas);
        let mut look = |progress: &_| match grows.get() {
            true => ControlFlow::Break(Bound::Infinite),
            false => watcher.look(progress),
        };
        let walked = explore(model, &search, &mut visitors, &mut look);
        drop(visitors);
        let bound = match walked.stopped() {
            None | Some(SearchStopped::Failed(_)) => None,
            Some(SearchStopped::Bound(bound)) => Some(*bound),
        };
        let in_flight = queues.map(|queues| queues.found(&walked));
        let bounds = liberal.zip(in_flight.as_ref().and_then(|found| found.as_ref().ok()));
        let bounds = bounds.map(|(liberal, in_flight)| in_flight.queues(liberal));
        let mut found = Vec::new();
        for (question, searches) in questions.iter().zip(&all) {
            // What was refuted before a walk failed is refuted.
            let mut verdict = matches!(question, Question::Unused).then_some(Ok(Verdict::Holds));
            for search in searches {
                let one = search.safety.verdict(&walked).map_err(unrepeatable);
                verdict = Some(match (verdict, one) {
                    (_, Ok(Verdict::Violated(run))) | (Some(Ok(Verdict::Violated(run))), _) => {
                        Ok(Verdict::Violated(run))
                    }
                    (Some(Ok(Verdict::Unknown(bound))), Ok(Verdict::Holds)) => {
                        Ok(Verdict::Unknown(bound))
                    }
                    (Some(Err(refused)), _) => Err(refused),
                    (_, one) => one,
                });
            }
            if let (Question::Bounded, Some(in_flight)) = (question, &in_flight) {
                verdict = Some(match in_flight {
                    Ok(InFlight::Bounded(_)) => Ok(Verdict::Holds),
                    Ok(InFlight::Unbounded(pump)) => Ok(Verdict::Violated(Some(pump.run.clone()))),
                    Ok(InFlight::Unknown(bound)) => Ok(Verdict::Unknown(*bound)),
                    Err(error) => Err(unrepeatable(error.clone())),
                });
            }
            found.push(verdict);
        }
        let complete = walked.is_complete();
        let unused = beside
            .filter(|_| complete)
            .map(|beside| beside.unused(self, questions, config.limits, &mut look));
        let counts = walked.counts();
        let graph = walked.stopped().is_none().then_some(walked.graph);
        watcher.keep_time(false);
        Walk {
            found,
            unused,
            queues: bounds,
            counts,
            complete,
            bound,
            graph,
            seconds: watcher.seconds(),
        }
    }

    /// What the walk found about a question.
    pub(super) fn walked(
        &self,
        question: &Question<'_>,
        verdict: Verdict,
        walk: &mut Walk<'_>,
        config: &Config,
    ) -> Answer {
        let engine = match (config.order, question) {
            (Order::Depth, Question::Deadlock) => "depth-first search",
            _ => "breadth-first search",
        };
        let (verdict, evidence) = match (question, walk.unused.take(), walk.bound) {
            (Question::Unused, Some(unused), _) => (Verdict::Holds, Evidence::Unused(unused)),
            (Question::Unused, None, Some(bound)) => (Verdict::Unknown(bound), Evidence::None),
            (_, unused, _) => {
                walk.unused = unused;
                let queues = walk.queues.take_if(|_| matches!(question, Question::Bounded));
                (verdict, queues.map_or(Evidence::None, Evidence::Queues))
            }
        };
        let mut counts = walk.counts;
        if let Some(Bound::States(most)) = walk.bound.filter(|_| !walk.complete) {
            // The last expansion may have met a few more.
            counts.states = counts.states.min(most);
        }
        let seconds = walk.seconds;
        Answer { verdict, counts, evidence, seconds, ..self.blank(question, config, engine) }
    }
}
