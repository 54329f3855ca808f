//! Questions answered on a model with fewer states, where that is sound: steps that commute are left
//! out, and states that differ only in which member of a family is where are one. Else the reason why
//! not.

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{
    Config as SearchConfig, Error, Graph, Limits, Outcome, Property as Search, Workers, check,
    replayed,
};
use quadrille_logic::Letter;
use quadrille_model::{Action, Bound, Change, Group, Misfit, Model, Runs, Verdict};
use quadrille_reduction::{Obstacle, Reduced, Savings, Seen, Symmetric, Symmetry};

use super::formula::Formulas;
use super::{Answered, Config, FEW_STATES, Refused, Watcher, unrepeatable};
use crate::answer::Answer;
use crate::claim::{Atom, Property, Statement};
use crate::codes::REDUCTION;
use crate::invariant::Invariant;
use crate::question::Question;
use crate::subject::Subject;

/// Whether a way to explore fewer states is used: leaving out steps that commute, or making one of
/// states that differ only in which member of a family is where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reduction {
    /// Everything is explored.
    #[default]
    Off,
    /// In large models, where it is sound and leaves out enough.
    Auto,
    /// Everything is explored with and without, and compared.
    Check,
    /// One step stands for all others, where nothing that it does not commute with can come before it:
    /// another strategy of leaving out steps, for deadlocks alone.
    Representatives,
}

const NOT_SHORTEST: &str = ", the run need not be a shortest one";

/// States after which fewer are tried where sets are not: choosing steps takes little time.
pub(super) const FEW_WHOLE: u64 = 20_000;

/// States after which it is known how much is left out.
const TRIAL: u64 = 5_000;

/// Of a hundred steps, how many may be taken for reduction to pay.
const MOST_TAKEN: u128 = 80;

/// What it takes, in nanoseconds: to look at a word of a set while steps are chosen; to take a step that
/// was chosen; to take a step of a model whose steps are masks on packed states; and of another.
const WORD: u128 = 14;
const CHOSEN_STEP: u128 = 400;
const PACKED_STEP: u128 = 150;
const STEP: u128 = 600;

/// Why a question is not answered so, as verdicts say it.
pub(super) type Reason = &'static str;

/// How fewer states are explored.
struct Fewer<'s> {
    reduced: Option<Reduced<'s>>,
    symmetry: Option<Symmetry>,
}

/// How fewer states can be explored for a question.
struct Plan<'q> {
    /// What it sees, where steps can be left out.
    seen: Option<Seen<'q>>,
    symmetry: Option<Symmetry>,
}

impl Fewer<'_> {
    /// What counts are of.
    fn words(&self) -> &'static str {
        match (&self.reduced, &self.symmetry) {
            (_, None) => "partial-order reduction: counts are of the reduced graph",
            (None, Some(_)) => "symmetry: counts are of representatives",
            (Some(_), Some(_)) => {
                "symmetry and partial-order reduction: counts are of representatives"
            }
        }
    }

    /// That both ways were compared.
    fn compared(&self) -> &'static str {
        match (&self.reduced, &self.symmetry) {
            (_, None) => "explored with and without partial-order reduction",
            (None, Some(_)) => "explored with and without symmetry",
            (Some(_), Some(_)) => "explored with and without symmetry and partial-order reduction",
        }
    }
}

impl Subject<'_> {
    /// Answers questions on fewer states; `None` if one of them needs all, or too little is left out.
    pub(super) fn try_fewer(
        &self,
        questions: &[Question<'_>],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Option<Vec<Answered>> {
        let mut answers = Vec::new();
        let mut all = Vec::new();
        for question in questions {
            // What never happens may be among what is left out.
            let is_left_out = matches!(question, Question::Unused);
            all.push(if is_left_out { None } else { Some(self.plan(question, config).ok()?) });
        }
        for (question, plan) in questions.iter().zip(all) {
            let Some(plan) = plan else {
                let verdict = Verdict::Unknown(Bound::States(FEW_STATES));
                answers.push(Ok(Answer { verdict, ..self.blank(question, config, "none") }));
                continue;
            };
            let mut fewer = self.fewer(plan)?;
            watcher.begin(&question.name());
            let few = Limits { states: Some(TRIAL), ..config.limits };
            let mut answer = None;
            if config.limits.states.is_none_or(|most| most > TRIAL) {
                // Workers would expand more, and how much more follows from their number.
                let alone = Config { workers: Workers::default(), ..config.clone() };
                let (first, alike) = self.search_fewer(question, &fewer, few, &alone, watcher);
                let is_large = matches!(
                    &first,
                    Ok(Answer { verdict: Verdict::Unknown(Bound::States(TRIAL)), .. })
                );
                if is_large {
                    let is_packed = self.model().signature().groups.iter().all(is_packed);
                    fewer.reduced = fewer.reduced.filter(|it| pays(it.savings(), is_packed));
                    fewer.symmetry = fewer.symmetry.filter(|_| alike >= 2);
                    if fewer.reduced.is_none() && fewer.symmetry.is_none() {
                        return None;
                    }
                } else {
                    answer = Some(first);
                }
            }
            let answer = match answer {
                Some(answer) => answer,
                None => self.search_fewer(question, &fewer, config.limits, config, watcher).0,
            };
            let answer = match fewer.reduced {
                Some(_) => answer.map(|answer| self.shortest(question, answer, config, watcher)),
                None => answer,
            };
            answers.push(answer.map(|answer| Answer { seconds: watcher.seconds(), ..answer }));
        }
        Some(answers)
    }

    /// Answers a question on fewer states; runs are told and replayed on the whole model. Also says how
    /// many states are like one that was explored, on average.
    fn search_fewer(
        &self,
        question: &Question<'_>,
        fewer: &Fewer<'_>,
        limits: Limits,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> (Answered, u64) {
        let whole = self.model();
        let base = fewer.reduced.as_ref().map_or(whole, |reduced| reduced as &dyn Model);
        let symmetric = fewer.symmetry.clone().map(|symmetry| Symmetric::new(base, symmetry));
        let explored = symmetric.as_ref().map_or(base, |symmetric| symmetric as &dyn Model);
        let mut answer = match self.search(question, explored, limits, config, watcher) {
            Ok(answer) => answer,
            Err(refused) => return (Err(refused), 1),
        };
        if let Verdict::Violated(Some(run)) = answer.verdict {
            let told = match &symmetric {
                Some(symmetric) => symmetric.run_of_whole(whole, &run, &self.letters(question)),
                None => Some(run),
            };
            let run = told.ok_or(Error::Unrepeatable(Misfit::Ending));
            match run.and_then(|run| replayed(whole, run)).map_err(unrepeatable) {
                Ok(run) => answer.verdict = Verdict::Violated(Some(run)),
                Err(refused) => return (Err(refused), 1),
            }
        }
        answer.assumptions.limits = config.limits;
        answer.assumptions.reduction = Some(fewer.words().to_owned());
        let savings = symmetric.map(|symmetric| symmetric.savings());
        (Ok(answer), savings.map_or(1, |(n_explored, n_alike)| n_alike / n_explored.max(1)))
    }

    /// Answers a question on a model of fewer states.
    pub(super) fn search(
        &self,
        question: &Question<'_>,
        explored: &dyn Model,
        limits: Limits,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Answered {
        let model = self.model();
        let invariants = match question {
            Question::Property(property) if property.runs != Runs::Maximal => None,
            Question::Property(property) => self.invariants(property),
            _ => Some(Vec::new()),
        };
        if let (Question::Property(property), None) = (question, &invariants) {
            let config = Config { limits, ..config.clone() };
            let formulas = Formulas::new(self, &config);
            return formulas.answer(property, &mut Graph::new(explored), watcher);
        }
        let mut searches: Vec<Search<'_>> =
            invariants.iter().flatten().map(|invariant| invariant.search(model)).collect();
        if searches.is_empty() {
            searches.push(Search::DeadlockFree);
        }
        let search = SearchConfig { limits, workers: config.workers, ..SearchConfig::default() };
        let mut look = |progress: &_| watcher.look(progress);
        let found = check(explored, searches, &search, &mut look).map_err(unrepeatable)?;
        let Outcome { verdicts, counts, .. } = found;
        let rank = |verdict: &Verdict| match verdict {
            Verdict::Violated(_) => 0,
            Verdict::Unknown(_) => 1,
            Verdict::Holds => 2,
        };
        let verdict = verdicts.into_iter().min_by_key(rank).unwrap_or(Verdict::Holds);
        Ok(Answer { verdict, counts, ..self.blank(question, config, "breadth-first search") })
    }

    /// The answer with a shortest run where one is promised: the whole model is searched for it, which
    /// ends at the length of the run that is known, unless a limit ends it before.
    pub(super) fn shortest(
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
                answer.assumptions.reduction.get_or_insert_default().push_str(NOT_SHORTEST);
                answer
            }
        }
    }

    /// Whether fairness matters to a property. To invariants it does not: whatever happened, a fair run
    /// goes on from there, if in no other way by taking in turn what is enabled.
    pub(super) fn needs_fairness(&self, property: &Property, config: &Config) -> bool {
        !config.fairness.is_none() && self.invariants(property).is_none()
    }

    /// The invariants that a property consists of, if it does.
    pub(super) fn invariants<'s>(&'s self, property: &'s Property) -> Option<Vec<Invariant<'s>>> {
        property.claims.iter().map(|claim| Invariant::of(claim, self.terms())).collect()
    }

    /// How fewer states can be explored for a question, or why not; quick.
    fn plan<'q>(&'q self, question: &'q Question<'_>, config: &Config) -> Result<Plan<'q>, String> {
        let symmetry = match config.symmetry {
            Reduction::Off | Reduction::Representatives => Err(None),
            Reduction::Auto | Reduction::Check => self.symmetry(question, config),
        };
        let seen = match config.reduction {
            Reduction::Off | Reduction::Representatives => Err("no reduction"),
            Reduction::Auto | Reduction::Check => self.sees(question, config),
        };
        match (seen, symmetry) {
            (Err(why), Err(None)) => Err(why.to_owned()),
            (Err(why), Err(Some(other))) => Err(format!("{why}, {other}")),
            (seen, symmetry) => Ok(Plan { seen: seen.ok(), symmetry: symmetry.ok() }),
        }
    }

    /// What is explored instead of the model.
    fn fewer(&self, Plan { seen, symmetry }: Plan<'_>) -> Option<Fewer<'_>> {
        let exchanged = symmetry.as_ref().map_or(&[][..], Symmetry::families);
        let reduced =
            seen.and_then(|seen| Reduced::new(self.model(), &Seen { exchanged, ..seen }).ok());
        (reduced.is_some() || symmetry.is_some()).then_some(Fewer { reduced, symmetry })
    }

    /// What a question sees of the model, or why it is not reduced for it.
    fn sees<'q>(&'q self, question: &'q Question<'_>, config: &Config) -> Result<Seen<'q>, Reason> {
        let mut seen = Seen::default();
        match question {
            Question::Deadlock => {}
            Question::Property(property) => {
                if self.needs_fairness(property, config) {
                    return Err("no reduction (fairness)");
                }
                may_reduce(property)?;
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

    /// Says in answers about a large model why all of it was explored for them.
    pub(super) fn explain_all(
        &self,
        questions: &[Question<'_>],
        answers: &mut [Answered],
        config: &Config,
    ) {
        for (question, answer) in questions.iter().zip(answers) {
            if let (Ok(answer), Err(reason)) = (answer, self.plan(question, config)) {
                answer.assumptions.reduction.get_or_insert(reason);
            }
        }
    }

    /// Answers questions on all states and compares with what fewer give.
    pub(super) fn compare_fewer(
        &self,
        questions: &[Question<'_>],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Vec<Answered> {
        let only = |setting: Reduction| match setting {
            Reduction::Check => Reduction::Check,
            Reduction::Auto | Reduction::Off | Reduction::Representatives => Reduction::Off,
        };
        let (reduction, symmetry) = (only(config.reduction), only(config.symmetry));
        let compared = Config { reduction, symmetry, ..config.clone() };
        let (reduction, symmetry) = (Reduction::Off, Reduction::Off);
        let whole = Config { reduction, symmetry, ..config.clone() };
        let mut answers = self.ask(questions, &whole, watcher);
        for (question, answer) in questions.iter().zip(&mut answers) {
            let Ok(known) = answer else { continue };
            if !matches!(question, Question::Deadlock | Question::Property(_)) {
                continue;
            }
            let plan = match self.plan(question, &compared) {
                Ok(plan) => plan,
                Err(reason) => {
                    known.assumptions.reduction = Some(reason);
                    continue;
                }
            };
            let Some(fewer) = self.fewer(plan) else { continue };
            watcher.begin(&question.name());
            match self.search_fewer(question, &fewer, config.limits, config, watcher).0 {
                Err(refused) => *answer = Err(refused),
                Ok(found) => match disagreement(question, known, &found) {
                    Some(refused) => *answer = Err(refused),
                    None => known.assumptions.reduction = Some(fewer.compared().to_owned()),
                },
            }
        }
        answers
    }
}

/// Whether reduction takes less time than exploring everything: it leaves out enough, and choosing and
/// taking the steps of one state takes no longer than all steps of the states that it stands for,
/// which are so many more as there are steps that are not taken.
fn pays(Savings { enabled, taken, effort, .. }: Savings, is_packed: bool) -> bool {
    let [enabled, taken, effort] = [enabled, taken, effort].map(u128::from);
    let step = if is_packed { PACKED_STEP } else { STEP };
    taken * 100 <= enabled * MOST_TAKEN
        && (effort * WORD + taken * CHOSEN_STEP) * taken <= enabled * enabled * step
}

/// Whether the steps of a group are masks on packed states.
fn is_packed(group: &Group) -> bool {
    let is_constant = |change: &Change| matches!(change, Change::Assign(set) if set.len() == 1);
    group.guards_complete && group.effects.iter().all(|effect| is_constant(&effect.change))
}

/// An obstacle as verdicts say it.
pub(super) fn reason(obstacle: Obstacle) -> Reason {
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
    let help = "please report it; use --reduction off --symmetry off";
    Some(vec![Diagnostic::error(&REDUCTION, message).help(help)].into())
}

/// Why a property needs all steps, if it does.
fn may_reduce(property: &Property) -> Result<(), Reason> {
    if !property.is_linear() {
        return Err("no reduction (branching time)");
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
