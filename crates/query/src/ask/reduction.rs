//! Questions answered on a model of which steps that commute are left out, where that is sound; else
//! the reason why not.

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{
    Config as SearchConfig, Graph, Limits, Outcome, Property as Search, check, replayed,
};
use quadrille_logic::Letter;
use quadrille_model::{Action, Bound, Runs, Verdict};
use quadrille_reduction::{Obstacle, Reduced, Savings, Seen};

use super::formula::Formulas;
use super::{Answered, Config, FEW_STATES, Refused, Watcher, unrepeatable};
use crate::answer::Answer;
use crate::claim::{Atom, Property, Statement};
use crate::codes::REDUCTION;
use crate::invariant::Invariant;
use crate::question::Question;
use crate::subject::Subject;

/// Whether steps that commute are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reduction {
    /// All steps are explored.
    #[default]
    Off,
    /// In large models, where it is sound and leaves out enough.
    Auto,
    /// Everything is explored with and without, and compared.
    Check,
}

const USED: &str = "partial-order reduction: counts are of the reduced graph";
const NOT_SHORTEST: &str =
    "partial-order reduction: counts are of the reduced graph, the run need not be a shortest one";
const COMPARED: &str = "explored with and without partial-order reduction";

/// States after which it is known how much is left out.
const TRIAL: u64 = 20_000;

/// Of a hundred steps, how many may be taken for reduction to pay.
const MOST_TAKEN: u128 = 80;

/// Words of sets that can be looked at while one step is made and its state found among the known.
const WORDS_PER_STEP: u128 = 100;

/// Why a question is not answered with reduction, as verdicts say it.
type Reason = &'static str;

impl Subject<'_> {
    /// Answers questions with reduction; `None` if one of them needs all steps, or too little is left
    /// out.
    pub(super) fn try_reduced(
        &self,
        questions: &[Question<'_>],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Option<Vec<Answered>> {
        let mut answers = Vec::new();
        let is_answerable = |question: &Question<'_>| {
            matches!(question, Question::Unused) || self.sees(question, config).is_ok()
        };
        if !questions.iter().all(is_answerable) {
            return None;
        }
        for question in questions {
            if matches!(question, Question::Unused) {
                // What never happens may be among what is left out.
                let verdict = Verdict::Unknown(Bound::States(FEW_STATES));
                answers.push(Ok(Answer { verdict, ..self.blank(question, config, "none") }));
                continue;
            }
            let reduced = self.reduced(question, config).ok()?;
            watcher.begin(&question.name());
            let few = Limits { states: Some(TRIAL), ..config.limits };
            let mut answer = None;
            if config.limits.states.is_none_or(|most| most > TRIAL) {
                let first = self.search_reduced(question, &reduced, few, config, watcher);
                let is_large = matches!(
                    &first,
                    Ok(Answer { verdict: Verdict::Unknown(Bound::States(TRIAL)), .. })
                );
                if is_large && !pays(reduced.savings()) {
                    return None;
                }
                answer = (!is_large).then_some(first);
            }
            let answer = match answer {
                Some(answer) => answer,
                None => self.search_reduced(question, &reduced, config.limits, config, watcher),
            };
            let answer = answer.map(|answer| self.shortest(question, answer, config, watcher));
            answers.push(answer.map(|answer| Answer { seconds: watcher.seconds(), ..answer }));
        }
        Some(answers)
    }

    /// Answers a question on a reduced model; runs are replayed on the whole one.
    fn search_reduced(
        &self,
        question: &Question<'_>,
        reduced: &Reduced<'_>,
        limits: Limits,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Answered {
        let model = self.model();
        let invariants = match question {
            Question::Property(property) => self.invariants(property),
            _ => Some(Vec::new()),
        };
        let mut answer = match (question, &invariants) {
            (Question::Property(property), None) => {
                let config = Config { limits, ..config.clone() };
                let formulas = Formulas::new(self, &config);
                formulas.answer(property, &mut Graph::new(reduced), watcher)?
            }
            (_, invariants) => {
                let invariants = invariants.iter().flatten();
                let mut searches: Vec<Search<'_>> =
                    invariants.map(|invariant| invariant.search(model)).collect();
                if searches.is_empty() {
                    searches.push(Search::DeadlockFree);
                }
                let search = SearchConfig { limits, ..SearchConfig::default() };
                let mut look = |progress: &_| watcher.look(progress);
                let found = check(reduced, searches, &search, &mut look).map_err(unrepeatable)?;
                let Outcome { verdicts, counts, .. } = found;
                let rank = |verdict: &Verdict| match verdict {
                    Verdict::Violated(_) => 0,
                    Verdict::Unknown(_) => 1,
                    Verdict::Holds => 2,
                };
                let verdict = verdicts.into_iter().min_by_key(rank).unwrap_or(Verdict::Holds);
                let engine = "breadth-first search";
                Answer { verdict, counts, ..self.blank(question, config, engine) }
            }
        };
        if let Verdict::Violated(Some(run)) = answer.verdict {
            let run = replayed(model, run).map_err(unrepeatable)?;
            answer.verdict = Verdict::Violated(Some(run));
        }
        answer.assumptions.limits = config.limits;
        answer.assumptions.reduction = Some(USED);
        Ok(answer)
    }

    /// The answer with a shortest run where one is promised: the whole model is searched for it, which
    /// ends at the length of the run that is known, unless a limit ends it before.
    fn shortest(
        &self,
        question: &Question<'_>,
        answer: Answer,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Answer {
        let is_promised = match question {
            Question::Property(property) => property.claims.iter().all(|claim| {
                matches!(&claim.statement, Statement::Linear(formula) if formula.is_safety())
            }),
            _ => true,
        };
        if !matches!(answer.verdict, Verdict::Violated(_)) || !is_promised {
            return answer;
        }
        let whole =
            Config { reduction: Reduction::Off, engine: super::Engine::Explicit, ..config.clone() };
        let again = self.ask(std::slice::from_ref(question), &whole, watcher).pop();
        match again {
            Some(Ok(again)) if matches!(again.verdict, Verdict::Violated(_)) => again,
            _ => {
                let mut answer = answer;
                answer.assumptions.reduction = Some(NOT_SHORTEST);
                answer
            }
        }
    }

    /// The invariants that a property consists of, if it does.
    fn invariants<'s>(&'s self, property: &'s Property) -> Option<Vec<Invariant<'s>>> {
        property.claims.iter().map(|claim| Invariant::of(claim, self.terms())).collect()
    }

    /// The model reduced for a question, or why it is not.
    fn reduced(&self, question: &Question<'_>, config: &Config) -> Result<Reduced<'_>, Reason> {
        Reduced::new(self.model(), &self.sees(question, config)?).map_err(reason)
    }

    /// What a question sees of the model, or why it is not reduced for it.
    fn sees<'q>(&'q self, question: &'q Question<'_>, config: &Config) -> Result<Seen<'q>, Reason> {
        let mut seen = Seen::default();
        match question {
            Question::Deadlock => {}
            Question::Property(property) => {
                may_reduce(property, config)?;
                let atoms = property.claims.iter().flat_map(|claim| &claim.atoms);
                let propositions = atoms.filter_map(|atom| match atom {
                    Atom::Proposition(id) => Some(*id),
                    Atom::Action(_) => None,
                });
                let terms = self.terms();
                seen.propositions = propositions.collect();
                seen.ends = self.invariants(property).is_none();
                seen.actions = Some(Box::new(move |action: &Action| {
                    property.actions().any(|atom| atom.matches(terms, action))
                }));
            }
            _ => return Err("no reduction (the question needs all steps)"),
        }
        match Reduced::obstacle(self.model(), &seen) {
            Some(obstacle) => Err(reason(obstacle)),
            None => Ok(seen),
        }
    }

    /// Says in answers about a large model why it was not reduced for them.
    pub(super) fn explain_reduction(
        &self,
        questions: &[Question<'_>],
        answers: &mut [Answered],
        config: &Config,
    ) {
        for (question, answer) in questions.iter().zip(answers) {
            if let (Ok(answer), Err(reason)) = (answer, self.sees(question, config)) {
                answer.assumptions.reduction.get_or_insert(reason);
            }
        }
    }

    /// Answers questions without reduction and compares with what it gives.
    pub(super) fn compare_reduced(
        &self,
        questions: &[Question<'_>],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Vec<Answered> {
        let whole = Config { reduction: Reduction::Off, ..config.clone() };
        let mut answers = self.ask(questions, &whole, watcher);
        for (question, answer) in questions.iter().zip(&mut answers) {
            let Ok(known) = answer else { continue };
            if !matches!(question, Question::Deadlock | Question::Property(_)) {
                continue;
            }
            let reduced = match self.reduced(question, config) {
                Ok(reduced) => reduced,
                Err(reason) => {
                    known.assumptions.reduction = Some(reason);
                    continue;
                }
            };
            watcher.begin(&question.name());
            match self.search_reduced(question, &reduced, config.limits, config, watcher) {
                Err(refused) => *answer = Err(refused),
                Ok(found) => match disagreement(question, known, &found) {
                    Some(refused) => *answer = Err(refused),
                    None => known.assumptions.reduction = Some(COMPARED),
                },
            }
        }
        answers
    }
}

/// Whether reduction takes less time than exploring everything: it leaves out enough, and where it
/// leaves out half of the steps of a state, choosing them costs less than twice as much as all steps.
fn pays(Savings { enabled, taken, effort, .. }: Savings) -> bool {
    let [enabled, taken, effort] = [enabled, taken, effort].map(u128::from);
    taken * 100 <= enabled * MOST_TAKEN && effort * taken <= WORDS_PER_STEP * enabled * enabled
}

/// An obstacle as verdicts say it.
fn reason(obstacle: Obstacle) -> Reason {
    match obstacle {
        Obstacle::MayFail => "no reduction (a step that is left out might fail)",
        Obstacle::TooManyGroups => "no reduction (too many kinds of steps)",
        Obstacle::AllSeen => "no reduction (every step is seen)",
    }
}

/// Why two answers to a question cannot both be right, if they cannot.
fn disagreement(question: &Question<'_>, whole: &Answer, reduced: &Answer) -> Option<Refused> {
    let word = |verdict: &Verdict| match verdict {
        Verdict::Holds => Some("holds"),
        Verdict::Violated(_) => Some("is violated"),
        Verdict::Unknown(_) => None,
    };
    let (expected, found) = (word(&whole.verdict)?, word(&reduced.verdict)?);
    if expected == found {
        return None;
    }
    let message = format!(
        "`{}` {expected} in {} states, and {found} in {} states with reduction",
        question.name(),
        whole.counts.states,
        reduced.counts.states,
    );
    let help = "please report it; use --reduction off";
    Some(vec![Diagnostic::error(&REDUCTION, message).help(help)].into())
}

/// Why a property needs all steps, if it does.
fn may_reduce(property: &Property, config: &Config) -> Result<(), Reason> {
    if !property.is_linear() {
        return Err("no reduction (branching time)");
    }
    if !config.fairness.is_none() {
        return Err("no reduction (fairness)");
    }
    if property.runs != Runs::Maximal {
        return Err("no reduction (not all runs count)");
    }
    for claim in &property.claims {
        let Statement::Linear(formula) = &claim.statement else {
            return Err("no reduction (an automaton)");
        };
        let mut actions: Letter = 0;
        for (number, atom) in claim.atoms.iter().enumerate() {
            if matches!(atom, Atom::Action(_)) {
                actions |= 1u64.checked_shl(number as u32).unwrap_or(Letter::MAX);
            }
        }
        if formula.ignores_unseen_steps(actions) != Ok(true) {
            return Err("no reduction (the formula may see every step)");
        }
    }
    Ok(())
}
