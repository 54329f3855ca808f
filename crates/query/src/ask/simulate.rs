//! Questions asked of random walks: what they refute is refuted, everything else stays unknown.

use std::collections::BTreeMap;

use quadrille_engine::{
    Found, Interpretation, LtlOptions, Probe, Property as Search, Simulated, Simulation,
    look_again, monitor_of, simulate,
};
use quadrille_logic::Automaton;
use quadrille_model::{ActionId, Bound, Counts, Model, Runs, Verdict};
use quadrille_protocol::core::Terms;

use super::{Config, Refused, Watcher, formula, unrepeatable};
use crate::answer::Answer;
use crate::claim::{Claim, Property, Statement};
use crate::invariant::Invariant;
use crate::question::Question;
use crate::subject::Subject;

/// What reports call the algorithm.
pub const WALKS: &str = "random walks";

/// What random walks came to: an answer per question, and what they covered.
pub struct Walked {
    /// One per question, in order.
    pub answers: Vec<Answer>,
    /// How much was seen.
    pub simulated: Simulated,
    /// The labels of actions that were never taken, as far as actions are known.
    pub never_taken: Vec<String>,
    /// How many labels of actions there are.
    pub n_labels: usize,
}

/// How a claim is watched during walks.
enum Watched<'s> {
    Deadlock,
    Invariant(Invariant<'s>),
    Formula(&'s Claim, Box<Automaton>),
}

impl Subject<'_> {
    /// Asks deadlock and properties of random walks, which end at the first violation. A property that
    /// no finite walk refutes is unknown, whatever is walked.
    pub fn simulate(
        &self,
        questions: &[Question<'_>],
        config: &Simulation,
        watcher: &mut dyn Watcher,
    ) -> Result<Walked, Refused> {
        let model = self.model();
        let mut watched: Vec<(usize, Watched<'_>)> = Vec::new();
        let mut endless = vec![false; questions.len()];
        for (number, question) in questions.iter().enumerate() {
            question.applies(self)?;
            match question {
                Question::Property(property) => {
                    for claim in &property.claims {
                        match self.watched(claim, property) {
                            Some(how) => watched.push((number, how)),
                            None => endless[number] = true,
                        }
                    }
                }
                _ => watched.push((number, Watched::Deadlock)),
            }
        }
        let terms = self.terms();
        let probes = || -> Vec<Probe<'_>> {
            watched.iter().map(|(_, how)| how.probe(model, terms)).collect()
        };
        watcher.begin(WALKS);
        let mut look = |progress: &_| watcher.look(progress);
        let simulated = simulate(model, &probes, config, &mut look).map_err(unrepeatable)?;
        let seconds = watcher.seconds();
        let bound = simulated.bound.unwrap_or(Bound::Walks(simulated.walks));
        let mut answers = Vec::new();
        let asked = Config { limits: config.limits, ..Config::default() };
        for (number, question) in questions.iter().enumerate() {
            let found = simulated.found.as_ref().filter(|found| watched[found.probe].0 == number);
            let verdict = match found {
                Some(found) => {
                    let (_, how) = &watched[found.probe];
                    how.confirm(question, found, self)?;
                    Verdict::Violated(Some(found.trace.clone()))
                }
                None if endless[number] => Verdict::Unknown(Bound::Endless),
                None => Verdict::Unknown(bound),
            };
            let counts = Counts {
                states: simulated.states,
                transitions: simulated.steps,
                deadlocks: 0,
                depth: None,
                bytes: simulated.bytes,
            };
            let blank = self.blank(question, &asked, WALKS);
            answers.push(Answer { verdict, counts, seconds, ..blank });
        }
        let (never_taken, n_labels) = self.never_taken(&simulated);
        Ok(Walked { answers, simulated, never_taken, n_labels })
    }

    /// How a claim is watched, if a finite run can refute it.
    fn watched<'s>(&'s self, claim: &'s Claim, property: &Property) -> Option<Watched<'s>> {
        if property.runs != Runs::Maximal {
            return None;
        }
        if let Some(invariant) = Invariant::of(claim, self.terms()) {
            return Some(Watched::Invariant(invariant));
        }
        let Statement::Linear(formula) = &claim.statement else { return None };
        Some(Watched::Formula(claim, Box::new(monitor_of(formula)?)))
    }

    /// The labels of actions that were never taken, and how many there are.
    fn never_taken(&self, simulated: &Simulated) -> (Vec<String>, usize) {
        let model = self.model();
        let mut labels: BTreeMap<String, bool> = BTreeMap::new();
        for number in 0..model.n_actions() {
            let label = model.action(ActionId::from_usize(number)).label;
            let taken = simulated.taken.get(number).is_some_and(|&taken| taken > 0);
            *labels.entry(label).or_default() |= taken;
        }
        let n_labels = labels.len();
        let never = labels.into_iter().filter(|(_, taken)| !taken).map(|(label, _)| label);
        (never.collect(), n_labels)
    }
}

impl Watched<'_> {
    fn probe<'s>(&'s self, model: &'s dyn Model, terms: Option<&'s Terms>) -> Probe<'s> {
        match self {
            Watched::Deadlock => Probe::Property(Search::DeadlockFree),
            Watched::Invariant(invariant) => Probe::Property(invariant.search(model)),
            Watched::Formula(claim, automaton) => {
                Probe::Formula(automaton, Interpretation::new(claim.meanings(terms)))
            }
        }
    }

    /// Looks at a run that refutes a formula again, by the definition of its operators.
    fn confirm(
        &self,
        question: &Question<'_>,
        found: &Found,
        subject: &Subject<'_>,
    ) -> Result<(), Refused> {
        let (Watched::Formula(claim, _), Question::Property(property)) = (self, question) else {
            return Ok(());
        };
        let Statement::Linear(formula) = &claim.statement else { return Ok(()) };
        let interpretation = Interpretation::new(claim.meanings(subject.terms()));
        let options = LtlOptions::default();
        look_again(&found.trace, formula, subject.model(), &interpretation, &options)
            .map_err(|error| formula::refusal(error, property))
    }
}
