//! Formulas that need more than a walk: of linear time on a graph, of branching time on labels. Both are
//! kept for the next formula.

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{
    CtlGraph, Graph, Interpretation, LtlAlgorithm, LtlError, LtlOptions, Progress, check_ltl,
};
use quadrille_logic::Kind;
use quadrille_model::{Bound, Counts, Runs, Verdict};

use super::{Answered, Config, Refused, Watcher, unrepeatable};
use crate::claim::{Claim, Property};
use crate::codes::CONTRADICTION;
use crate::question::Question;
use crate::subject::Subject;

/// Answers formulas about one subject.
pub(super) struct Formulas<'s> {
    subject: &'s Subject<'s>,
    config: Config,
    linear: Option<Graph<'s>>,
    branching: Option<Branching<'s>>,
}

/// A model explored for branching time, or how far it was explored until a bound was reached.
enum Branching<'s> {
    Whole(Box<CtlGraph<'s>>),
    Part(Bound, Counts),
}

impl<'s> Formulas<'s> {
    pub(super) fn new(subject: &'s Subject<'s>, config: &Config) -> Self {
        Self { subject, config: config.clone(), linear: None, branching: None }
    }

    /// Whether all claims of a property hold.
    pub(super) fn answer(&mut self, property: &Property, watcher: &mut dyn Watcher) -> Answered {
        let engine = match (property.is_linear(), self.config.algorithm) {
            (false, _) => "branching-time labelling",
            (true, LtlAlgorithm::Components) => "strongly connected components",
            (true, LtlAlgorithm::Nested) => "nested depth-first search",
        };
        let question = Question::Property(property.clone());
        let mut answer = self.subject.blank(&question, &self.config, engine);
        for claim in &property.claims {
            let (found, counts) = match claim.kind {
                Kind::Branching => self.branching(claim, property, watcher)?,
                Kind::Linear => self.linear(claim, property, watcher)?,
            };
            answer.counts.states = answer.counts.states.max(counts.states);
            answer.counts.transitions = answer.counts.transitions.max(counts.transitions);
            answer.counts.bytes = answer.counts.bytes.max(counts.bytes);
            match found {
                Verdict::Holds => {}
                Verdict::Unknown(_) => answer.verdict = found,
                Verdict::Violated(_) => {
                    answer.verdict = found;
                    break;
                }
            }
        }
        Ok(answer)
    }

    fn linear(
        &mut self,
        claim: &Claim,
        property: &Property,
        watcher: &mut dyn Watcher,
    ) -> Result<(Verdict, Counts), Refused> {
        let graph = self.linear.get_or_insert_with(|| Graph::new(self.subject.model()));
        let interpretation = Interpretation::new(claim.meanings(self.subject.terms()));
        let options = LtlOptions {
            runs: property.runs,
            fairness: self.config.fairness.clone(),
            algorithm: self.config.algorithm,
            limits: self.config.limits,
        };
        let mut look = |progress: &_| watcher.look(progress);
        let report = check_ltl(graph, &claim.formula, &interpretation, &options, &mut look);
        let report = report.map_err(|error| linear_refusal(error, property))?;
        // The size of the model, not that of its product with an automaton.
        let counts = Counts {
            states: graph.space().n_states() as u64,
            transitions: graph.n_edges(),
            ..report.counts
        };
        Ok((report.verdict, counts))
    }

    fn branching(
        &mut self,
        claim: &Claim,
        property: &Property,
        watcher: &mut dyn Watcher,
    ) -> Result<(Verdict, Counts), Refused> {
        if property.runs != Runs::Maximal || !self.config.fairness.is_none() {
            let message = "--runs and --fair do not apply to a formula of branching time";
            return Err(vec![
                Diagnostic::error(&CONTRADICTION, message)
                    .at(property.span, "has path quantifiers")
                    .help("leave the options out, or write a linear formula"),
            ]
            .into());
        }
        let (subject, config) = (self.subject, &self.config);
        let explored =
            self.branching.get_or_insert_with(|| Branching::explore(subject, config, watcher));
        match explored {
            Branching::Part(bound, counts) => Ok((Verdict::Unknown(*bound), *counts)),
            Branching::Whole(graph) => {
                let interpretation = Interpretation::new(claim.meanings(subject.terms()));
                let verdict = graph.check(&claim.formula, &interpretation);
                Ok((verdict.map_err(unrepeatable)?, graph.counts()))
            }
        }
    }
}

/// Why a linear formula could not be checked.
pub(super) fn linear_refusal(error: LtlError, property: &Property) -> Refused {
    match error {
        LtlError::Translation(error) => vec![error.diagnostic(property.span)].into(),
        LtlError::Unrepeatable(_) | LtlError::Flawed(_) => unrepeatable(error),
        error => {
            let diagnostic = Diagnostic::error(&CONTRADICTION, error.to_string());
            vec![diagnostic.at(property.span, "")].into()
        }
    }
}

impl<'s> Branching<'s> {
    fn explore(subject: &'s Subject<'s>, config: &Config, watcher: &mut dyn Watcher) -> Self {
        let mut last = Progress::default();
        let mut look = |progress: &Progress| {
            last = *progress;
            watcher.look(progress)
        };
        match CtlGraph::explore(subject.model(), config.limits, &mut look) {
            Ok(graph) => Branching::Whole(Box::new(graph)),
            Err(bound) => {
                let met = if let Bound::States(states) = bound { states } else { 0 };
                let counts = Counts {
                    states: last.states.max(met),
                    transitions: last.transitions,
                    bytes: last.bytes,
                    ..Counts::default()
                };
                Branching::Part(bound, counts)
            }
        }
    }
}
