//! Questions where states lie in sorted runs, in memory or on disk: one search for deadlock and all
//! invariants, and one for each formula of linear time.

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::disk::{
    Folder, LinearOutcome, RunStore, RunsOutcome, check_ltl_runs, check_never_runs, check_runs,
    unused,
};
use quadrille_engine::{Config as SearchConfig, Error, Interpretation, Property as Search};
use quadrille_model::{Bound, Counts, Runs, Verdict};

use super::formula::{refusal, refuse_finite};
use super::{Answered, Config, FEW_STATES, Refused, Watcher, unrepeatable, unusable};
use crate::answer::Answer;
use crate::claim::{Claim, Property, Statement};
use crate::codes::CONTRADICTION;
use crate::invariant::Invariant;
use crate::question::Question;
use crate::subject::Subject;

/// How a question is answered.
enum Way<'q> {
    /// By a search that asks these invariants, or for deadlock.
    Walk(Vec<Invariant<'q>>),
    /// By one search for each claim.
    Linear(&'q Property),
}

impl Way<'_> {
    /// How many searches of the walk it takes.
    fn n_searches(&self, question: &Question<'_>) -> usize {
        match (question, self) {
            (Question::Deadlock, _) => 1,
            (_, Way::Walk(invariants)) => invariants.len(),
            (_, Way::Linear(_)) => 0,
        }
    }
}

impl Subject<'_> {
    /// Answers questions of a walk by a search in sorted runs, and formulas by others.
    pub(super) fn ask_runs(
        &self,
        questions: &[Question<'_>],
        runs: &RunStore,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Vec<Answered> {
        let ways: Vec<_> = questions.iter().map(|it| self.in_runs(it, config)).collect();
        let ways = match ways.iter().any(Result::is_err) {
            false => ways.into_iter().flatten().collect::<Vec<_>>(),
            true => {
                // A search that leaves a question out would not go on with it later.
                let refuse = |(question, way): (_, Result<_, Refused>)| match way {
                    Err(refused) => Err(refused),
                    Ok(_) => Err(refused_beside(question)),
                };
                return questions.iter().zip(ways).map(refuse).collect();
            }
        };
        let all = |refused: Refused| questions.iter().map(|_| Err(refused.clone())).collect();
        let mut stores = match stores(&ways, runs) {
            Ok(stores) => stores.into_iter(),
            Err(refused) => return all(refused),
        };
        let mut found = None;
        if ways.iter().any(|way| matches!(way, Way::Walk(_))) {
            let store = stores.next().unwrap_or_default();
            found = match self.walk_runs(questions, &ways, &store, config, watcher) {
                Ok(found) => Some((found, watcher.seconds())),
                Err(refused) => return all(refused),
            };
        }
        let mut verdicts = found.iter().flat_map(|(found, _)| found.outcome.verdicts.clone());
        let mut answers = Vec::with_capacity(questions.len());
        for (question, way) in questions.iter().zip(&ways) {
            if let Way::Linear(property) = way {
                let stores = stores.by_ref().take(property.claims.len()).collect::<Vec<_>>();
                answers.push(self.linear_runs((question, property), &stores, config, watcher));
                continue;
            }
            let mut verdict = match question {
                // Values and steps are not looked at one by one.
                Question::Unused => Verdict::Unknown(Bound::States(FEW_STATES)),
                _ => Verdict::Holds,
            };
            for one in verdicts.by_ref().take(way.n_searches(question)) {
                verdict = match (verdict, one) {
                    (Verdict::Violated(run), _) | (_, Verdict::Violated(run)) => {
                        Verdict::Violated(run)
                    }
                    (Verdict::Unknown(bound), _) => Verdict::Unknown(bound),
                    (Verdict::Holds, one) => one,
                };
            }
            let engine = match (runs, &config.elsewhere) {
                (RunStore::Memory, None) => "breadth-first search in sorted runs",
                (RunStore::Disk { .. }, None) => "breadth-first search in sorted runs on disk",
                (RunStore::Memory, Some(_)) => "breadth-first search of a cluster",
                (RunStore::Disk { .. }, Some(_)) => "breadth-first search of a cluster, on disk",
            };
            let walked = found.as_ref();
            let counts = walked.map(|(found, _)| found.outcome.counts).unwrap_or_default();
            let seconds = walked.map_or(0.0, |(_, seconds)| *seconds);
            let blank = self.blank(question, config, engine);
            answers.push(Ok(Answer { verdict, counts, seconds, ..blank }));
        }
        answers
    }

    /// The search for deadlock and invariants.
    fn walk_runs(
        &self,
        questions: &[Question<'_>],
        ways: &[Way<'_>],
        store: &RunStore,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Result<RunsOutcome, Refused> {
        let model = self.model();
        let is_deadlock = |question: &Question<'_>| matches!(question, Question::Deadlock);
        let kinds: Vec<bool> = questions.iter().map(is_deadlock).collect();
        let searches = || {
            let mut searches = Vec::new();
            for (&is_deadlock, way) in kinds.iter().zip(ways) {
                match (is_deadlock, way) {
                    (true, _) => searches.push(Search::DeadlockFree),
                    (_, Way::Walk(all)) => {
                        searches.extend(all.iter().map(|each| each.search(model)));
                    }
                    (_, Way::Linear(_)) => {}
                }
            }
            searches
        };
        watcher.begin(&questions.first().map(Question::name).unwrap_or_default());
        let search = of_search(config);
        let mut look = |progress: &_| watcher.look(progress);
        let found = match &config.elsewhere {
            Some(cluster) => cluster.search(model, &searches, store, config.limits, &mut look),
            None => check_runs(model, &searches(), store, &search, &mut look),
        };
        found.map_err(unrepeatable)
    }

    /// Answers a formula of linear time, claim by claim, each in its own store.
    fn linear_runs(
        &self,
        (question, property): (&Question<'_>, &Property),
        stores: &[RunStore],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Answered {
        watcher.begin(&question.name());
        let engine = match stores.first() {
            Some(RunStore::Disk { .. }) => "one way, catch them young, in sorted runs on disk",
            _ => "one way, catch them young, in sorted runs",
        };
        let mut answer = self.blank(question, config, engine);
        for (claim, store) in property.claims.iter().zip(stores) {
            let found = self.claim_in_runs(claim, property, store, config, watcher);
            let LinearOutcome { report, states } = found.map_err(|error| match error {
                Error::Store(_) => unrepeatable(error),
                error => refusal(error, property),
            })?;
            let known = answer.product.unwrap_or_default();
            let product = if report.product.nodes > known.nodes { report.product } else { known };
            answer.product = Some(product);
            answer.counts = Counts {
                states: states.max(answer.counts.states),
                bytes: product.bytes,
                ..Counts::default()
            };
            match report.verdict {
                Verdict::Holds => {}
                verdict @ Verdict::Unknown(_) => answer.verdict = verdict,
                verdict @ Verdict::Violated(_) => {
                    answer.verdict = verdict;
                    break;
                }
            }
        }
        answer.seconds = watcher.seconds();
        Ok(answer)
    }

    fn claim_in_runs(
        &self,
        claim: &Claim,
        property: &Property,
        store: &RunStore,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Result<LinearOutcome, Error> {
        let interpretation = Interpretation::new(claim.meanings(self.terms()));
        let mut look = |progress: &_| watcher.look(progress);
        let (asked, search) = ((&interpretation, property.runs), of_search(config));
        let model = self.model();
        match &claim.statement {
            Statement::Linear(formula) => {
                check_ltl_runs(model, formula, asked, store, &search, &mut look)
            }
            Statement::Never(automaton) => {
                check_never_runs(model, automaton, asked, store, &search, &mut look)
            }
            Statement::Branching(_) => Err(Error::Linear),
        }
    }

    /// How a question is answered in sorted runs, or why it is not.
    fn in_runs<'q>(
        &'q self,
        question: &'q Question<'_>,
        config: &Config,
    ) -> Result<Way<'q>, Refused> {
        question.applies(self)?;
        let property = match question {
            Question::Deadlock | Question::Unused => return Ok(Way::Walk(Vec::new())),
            Question::Property(property) => property,
            _ => return Err(refused(question, "deadlock and formulas", MEMORY)),
        };
        let is_plain = config.fairness.is_none();
        let invariant = |claim| Invariant::of(claim, self.terms());
        let invariants: Option<_> = property.claims.iter().map(invariant).collect();
        match invariants.filter(|_| is_plain && property.runs == Runs::Maximal) {
            Some(invariants) => Ok(Way::Walk(invariants)),
            None if config.elsewhere.is_some() => {
                let help = "ask it on one machine, with --store runs or --store disk=FOLDER";
                let what = "a cluster answers deadlock and invariants (`G p`)";
                Err(refused(question, what, help))
            }
            None if !is_plain => {
                let what = "searches in sorted runs answer formulas without fairness";
                Err(refused(question, what, "leave --fair out, or ask it with --store memory"))
            }
            None if !property.is_linear() => {
                let what = "searches in sorted runs answer deadlock and formulas of linear time";
                Err(refused(question, what, MEMORY))
            }
            None => {
                refuse_finite(property)?;
                Ok(Way::Linear(property))
            }
        }
    }
}

fn of_search(config: &Config) -> SearchConfig {
    SearchConfig { limits: config.limits, workers: config.workers, ..SearchConfig::default() }
}

/// Where each search keeps its states: on disk, the first in the folder, the others in folders in it.
fn stores(ways: &[Way<'_>], runs: &RunStore) -> Result<Vec<RunStore>, Refused> {
    let n_claims = |way: &Way<'_>| match way {
        Way::Walk(_) => 0,
        Way::Linear(property) => property.claims.len(),
    };
    let n_walks = usize::from(ways.iter().any(|way| matches!(way, Way::Walk(_))));
    let n = n_walks + ways.iter().map(n_claims).sum::<usize>();
    let RunStore::Disk { folder, resume, identity } = runs else {
        return Ok(vec![runs.clone(); n]);
    };
    let of = |number: usize| match number {
        0 => folder.clone(),
        _ => Folder::new(folder.path().join(format!("search-{}", number + 1))),
    };
    let stores = (0..n).map(|number| {
        // Before the first search begins, not when the last would.
        if !resume {
            unused(&of(number)).map_err(|trouble| Refused::from(vec![unusable(&trouble)]))?;
        }
        let (resume, identity) = (*resume, identity.clone());
        Ok(RunStore::Disk { folder: of(number), resume, identity })
    });
    stores.collect()
}

const MEMORY: &str = "ask it with --store memory, or use --engine symbolic";

fn refused(question: &Question<'_>, what: &str, help: &str) -> Refused {
    let message = format!("{what}, not `{}`", question.name());
    let diagnostic = Diagnostic::error(&CONTRADICTION, message);
    let diagnostic = match question {
        Question::Property(Property { span, .. }) => diagnostic.at(*span, ""),
        _ => diagnostic,
    };
    vec![diagnostic.help(help)].into()
}

fn refused_beside(question: &Question<'_>) -> Refused {
    let message =
        format!("`{}` was not asked, because another question was refused", question.name());
    vec![Diagnostic::error(&CONTRADICTION, message).help("ask them in two commands")].into()
}
