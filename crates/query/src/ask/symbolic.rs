//! The questions of a walk and formulas, answered by sets of states instead of states.

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{Interpretation, Limits, LtlAlgorithm, Stopped};
use quadrille_logic::{Formula, Path, Unary};
use quadrille_model::{Bound, Counts, Runs, Verdict};
use quadrille_symbolic::{Budget, Ended, Meter, Size, Symbolic};

use super::occurrences::Occurred;
use super::{Answered, Config, Refused, Watcher, formula, unrepeatable};
use crate::answer::{Answer, Evidence};
use crate::claim::{Claim, Property, Statement};
use crate::codes::CONTRADICTION;
use crate::invariant::Invariant;
use crate::question::Question;
use crate::subject::Subject;

/// Which engine answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// State by state.
    #[default]
    Explicit,
    /// By sets of states.
    Symbolic,
    /// State by state; where there are many, by sets of states first, under a small budget.
    Auto,
}

/// States after which sets are tried: what is smaller is over before it matters.
pub const FEW_STATES: u64 = 100_000;

/// What [`Engine::Auto`] may spend on sets: about two seconds.
const TRIAL: Budget = Budget { nodes: 1_000_000, steps: 10_000_000, collect_at: 1 << 18 };

/// What the symbolic engine found, or why it ended.
type Found<T> = Result<T, Ended>;

impl Subject<'_> {
    /// Counts the model by sets of states, or says which limit was reached.
    pub fn count_sets(
        &self,
        limits: Limits,
        watcher: &mut dyn Watcher,
    ) -> Result<Result<Size, Bound>, Refused> {
        match self.size(limits, Budget::default(), watcher) {
            Ok(size) => Ok(Ok(size)),
            Err(Ended::Stopped(Stopped::Bound(bound))) => Ok(Err(bound)),
            Err(ended) => Err(refusal(ended, &[])),
        }
    }

    /// Counts the model by sets of states, unless that takes too much, or fails.
    pub fn try_count_sets(&self, limits: Limits, watcher: &mut dyn Watcher) -> Option<Size> {
        self.size(Limits { states: None, ..limits }, TRIAL, watcher).ok()
    }

    fn size(&self, limits: Limits, budget: Budget, watcher: &mut dyn Watcher) -> Found<Size> {
        let mut look = |progress: &_| watcher.look(progress);
        let mut meter = Meter::new(limits, budget, &mut look);
        Symbolic::explore(self.model(), budget, &mut meter)?.size(&mut meter)
    }

    /// Whether sets of states can answer all questions.
    pub(super) fn suits_sets(&self, questions: &[Question<'_>], config: &Config) -> bool {
        questions.iter().all(|question| match question {
            Question::Deadlock | Question::Unused => true,
            Question::Property(property) => {
                let is_sought = property.is_linear() && self.invariants(property).is_none();
                // An algorithm that is named is the one that is wanted.
                let is_named = is_sought && config.algorithm != LtlAlgorithm::default();
                !is_named && self.unsuited(property, config).is_none()
            }
            _ => false,
        })
    }

    /// Answers questions on trial; `None` if that takes too much, or fails.
    pub(super) fn try_sets(
        &self,
        questions: &[Question<'_>],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Option<Vec<Answered>> {
        let limits = Limits { states: None, ..config.limits };
        let found = self.ask_sets(questions, config, (limits, TRIAL), watcher).ok()?;
        Some(found.into_iter().map(Ok).collect())
    }

    /// Answers questions by sets of states only.
    pub(super) fn only_sets(
        &self,
        questions: &[Question<'_>],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Vec<Answered> {
        watcher.begin(&questions.first().map(Question::name).unwrap_or_default());
        let refused: Vec<Option<Refused>> = questions
            .iter()
            .map(|question| match question {
                Question::Property(property) => self.unsuited(property, config),
                _ => None,
            })
            .collect();
        if refused.iter().any(Option::is_some) {
            let refusal = refused.iter().flatten().next().cloned();
            let of = |refused: Option<Refused>| refused.or_else(|| refusal.clone());
            return refused.into_iter().filter_map(of).map(Err).collect();
        }
        let budget = (config.limits, Budget::default());
        match self.ask_sets(questions, config, budget, watcher) {
            Ok(answers) => answers.into_iter().map(Ok).collect(),
            Err(Ended::Stopped(Stopped::Bound(bound))) => {
                let unknown = |question| Answer {
                    verdict: Verdict::Unknown(bound),
                    seconds: watcher.seconds(),
                    ..self.blank(question, config, SYMBOLIC)
                };
                questions.iter().map(unknown).map(Ok).collect()
            }
            Err(ended) => {
                let refused = refusal(ended, questions);
                questions.iter().map(|_| Err(refused.clone())).collect()
            }
        }
    }

    /// A claim as a formula of branching time: itself, or an invariant as `AG`.
    fn branching(&self, claim: &Claim) -> Option<Formula> {
        match &claim.statement {
            Statement::Branching(formula) => Some(formula.clone()),
            Statement::Linear(Formula::Unary(_, _, body)) => {
                let always = || Formula::Unary(Path::All, Unary::Always, body.clone());
                Invariant::of(claim, self.terms()).map(|_| always())
            }
            Statement::Linear(_) | Statement::Never(_) => None,
        }
    }

    fn ask_sets(
        &self,
        questions: &[Question<'_>],
        config: &Config,
        (limits, budget): (Limits, Budget),
        watcher: &mut dyn Watcher,
    ) -> Found<Vec<Answer>> {
        let mut found: Vec<(Verdict, Evidence)> = Vec::new();
        let mut look = |progress: &_| watcher.look(progress);
        let meter = &mut Meter::new(limits, budget, &mut look);
        let mut symbolic = Symbolic::explore(self.model(), budget, meter)?;
        let size = symbolic.size(meter)?;
        for question in questions {
            found.push(match question {
                Question::Property(property) => {
                    (self.check_sets(property, &mut symbolic, meter)?, Evidence::None)
                }
                Question::Unused => (Verdict::Holds, Evidence::None),
                _ => (symbolic.check_deadlock(meter)?, Evidence::None),
            });
        }
        let occurred = Occurred {
            actions: symbolic.actions(meter)?,
            groups_missing: symbolic.groups_missing(meter)?,
            values_missing: symbolic.values_missing(),
        };
        let mut look = |progress: &_| watcher.look(progress);
        let unused = occurred.unused(self, questions, limits, &mut look);
        for ((_, evidence), question) in found.iter_mut().zip(questions) {
            if matches!(question, Question::Unused) {
                *evidence = Evidence::Unused(unused.clone());
            }
        }
        let seconds = watcher.seconds();
        let answer = |(question, (verdict, evidence))| Answer {
            verdict,
            evidence,
            seconds,
            counts: counts_of(&size),
            size: Some(size.clone()),
            ..self.blank(question, config, SYMBOLIC)
        };
        Ok(questions.iter().zip(found).map(answer).collect())
    }

    /// Why the symbolic engine does not check a property, if it does not.
    fn unsuited(&self, property: &Property, config: &Config) -> Option<Refused> {
        let is_automaton = |claim: &Claim| matches!(claim.statement, Statement::Never(_));
        let message = if self.needs_fairness(property, config) || property.runs != Runs::Maximal {
            "the symbolic engine knows neither fairness nor `--runs` other than `maximal`"
        } else if property.claims.iter().any(is_automaton) {
            "the symbolic engine checks formulas, no automata"
        } else {
            return None;
        };
        let diagnostic = Diagnostic::error(&CONTRADICTION, message).at(property.span, "");
        Some(vec![diagnostic.help("use --engine explicit, or leave --engine out")].into())
    }

    fn check_sets(
        &self,
        property: &Property,
        symbolic: &mut Symbolic<'_>,
        meter: &mut Meter<'_>,
    ) -> Found<Verdict> {
        for claim in &property.claims {
            let interpretation = Interpretation::new(claim.meanings(self.terms()));
            let verdict = match (self.branching(claim), &claim.statement) {
                (Some(formula), _) => symbolic.check_ctl(&formula, &interpretation, meter)?,
                (None, Statement::Linear(formula)) => {
                    symbolic.check_ltl(formula, &interpretation, meter)?
                }
                (None, _) => return Err(Ended::Budget),
            };
            if verdict != Verdict::Holds {
                return Ok(verdict);
            }
        }
        Ok(Verdict::Holds)
    }
}

/// What reports call the algorithm.
pub const SYMBOLIC: &str = "symbolic saturation";

/// Why the symbolic engine has no answer, where no limit of the user ended it.
fn refusal(ended: Ended, questions: &[Question<'_>]) -> Refused {
    let property = questions.iter().find_map(|question| match question {
        Question::Property(property) => Some(property),
        _ => None,
    });
    match (ended, property) {
        (Ended::Stopped(Stopped::Failed(error)), Some(property)) => {
            formula::refusal(error, property)
        }
        (Ended::Stopped(Stopped::Failed(error)), None) => unrepeatable(error),
        (Ended::Stopped(Stopped::Bound(_)) | Ended::Budget, _) => {
            let message = "the model has too many slots for the symbolic engine";
            let help = "use --engine explicit, or leave --engine out";
            vec![Diagnostic::error(&CONTRADICTION, message).help(help)].into()
        }
    }
}

/// The size as far as 64 bits hold it.
pub fn counts_of(size: &Size) -> Counts {
    let of = |number: &quadrille_symbolic::Natural| number.to_u64().unwrap_or(u64::MAX);
    Counts {
        states: of(&size.states),
        transitions: of(&size.transitions),
        deadlocks: of(&size.deadlocks),
        depth: None,
        bytes: size.bytes,
    }
}
