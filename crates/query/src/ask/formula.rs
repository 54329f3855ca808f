//! Formulas that need more than a walk, of linear and of branching time: checked on the graph that the
//! walk left.

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{
    Error, Graph, Interpretation, LtlAlgorithm, LtlOptions, Report, check_ctl, check_ltl,
    check_never,
};
use quadrille_model::{Runs, Verdict};

use super::{Answered, Config, Refused, Watcher, unrepeatable};
use crate::claim::{Claim, Property, Statement};
use crate::codes::CONTRADICTION;
use crate::question::Question;
use crate::subject::Subject;

/// Answers formulas about one subject.
pub(super) struct Formulas<'s> {
    subject: &'s Subject<'s>,
    config: Config,
}

impl<'s> Formulas<'s> {
    pub(super) fn new(subject: &'s Subject<'s>, config: &Config) -> Self {
        Self { subject, config: config.clone() }
    }

    /// Whether all claims of a property hold.
    pub(super) fn answer(
        &self,
        property: &Property,
        graph: &mut Graph<'_>,
        watcher: &mut dyn Watcher,
    ) -> Answered {
        let engine = match (property.is_linear(), self.config.algorithm) {
            (false, _) => "branching-time labelling",
            (true, LtlAlgorithm::Components) => "strongly connected components",
            (true, LtlAlgorithm::Nested) => "nested depth-first search",
            (true, LtlAlgorithm::Owcty) => "one way, catch them young",
        };
        let question = Question::Property(property.clone());
        let mut answer = self.subject.blank(&question, &self.config, engine);
        for claim in &property.claims {
            let report = self.check(claim, property, graph, watcher);
            let Report { verdict, product } = report?;
            let known = answer.product.unwrap_or_default();
            answer.product = Some(if product.nodes > known.nodes { product } else { known });
            match verdict {
                Verdict::Holds => {}
                Verdict::Unknown(_) => answer.verdict = verdict,
                Verdict::Violated(_) => {
                    answer.verdict = verdict;
                    break;
                }
            }
        }
        answer.counts = graph.counts();
        answer.counts.bytes = answer.product.unwrap_or_default().bytes.max(answer.counts.bytes);
        Ok(answer)
    }

    fn check(
        &self,
        claim: &Claim,
        property: &Property,
        graph: &mut Graph<'_>,
        watcher: &mut dyn Watcher,
    ) -> Result<Report, Refused> {
        let interpretation = Interpretation::new(claim.meanings(self.subject.terms()));
        let mut look = |progress: &_| watcher.look(progress);
        let options = LtlOptions {
            runs: property.runs,
            fairness: self.config.fairness.clone(),
            algorithm: self.config.algorithm,
            limits: self.config.limits,
            workers: self.config.workers,
        };
        let report = match &claim.statement {
            Statement::Linear(formula) => {
                check_ltl(graph, formula, &interpretation, &options, &mut look)
            }
            Statement::Never(automaton) => {
                refuse_finite(property)?;
                check_never(graph, automaton, &interpretation, &options, &mut look)
            }
            Statement::Branching(formula) => {
                if property.runs != Runs::Maximal || !self.config.fairness.is_none() {
                    let message = "--runs and --fair do not apply to a formula of branching time";
                    return Err(vec![
                        Diagnostic::error(&CONTRADICTION, message)
                            .at(property.span, "has path quantifiers")
                            .help("leave the options out, or write a linear formula"),
                    ]
                    .into());
                }
                let limits = self.config.limits;
                check_ctl(graph, formula, &interpretation, limits, &mut look)
            }
        };
        report.map_err(|error| refusal(error, property))
    }
}

/// Refuses automata for runs that end.
pub(super) fn refuse_finite(property: &Property) -> Result<(), Refused> {
    let is_automaton = |claim: &Claim| matches!(claim.statement, Statement::Never(_));
    if property.runs == Runs::Finite && property.claims.iter().any(is_automaton) {
        let message = "an automaton in the Hanoi format accepts infinite words";
        let help = "leave --runs out, or write a formula";
        let diagnostic = Diagnostic::error(&CONTRADICTION, message);
        return Err(vec![diagnostic.at(property.span, "").help(help)].into());
    }
    Ok(())
}

/// Why a formula could not be checked.
pub(super) fn refusal(error: Error, property: &Property) -> Refused {
    match error {
        Error::Translation(error) => vec![error.diagnostic(property.span)].into(),
        Error::Unrepeatable(_) | Error::Flawed(_) | Error::Problem(_) => unrepeatable(error),
        error => {
            let diagnostic = Diagnostic::error(&CONTRADICTION, error.to_string());
            vec![diagnostic.at(property.span, "")].into()
        }
    }
}
