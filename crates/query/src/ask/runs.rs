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
    /// By the search that asks for deadlock and invariants: here, for deadlock …
    Deadlock,
    /// … or for these.
    Walk(Vec<Invariant<'q>>),
    /// By one search for each claim.
    Linear(&'q Property),
}

impl Way<'_> {
    /// How many of its questions that search is asked.
    fn n_searches(&self) -> usize {
        match self {
            Way::Deadlock => 1,
            Way::Walk(invariants) => invariants.len(),
            Way::Linear(_) => 0,
        }
    }
}

/// Whether anything is asked that the search for deadlock and invariants answers.
fn is_walked(ways: &[Result<Way<'_>, Refused>]) -> bool {
    ways.iter().flatten().any(|way| way.n_searches() > 0)
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
        let all = |refused: Refused| questions.iter().map(|_| Err(refused.clone())).collect();
        let mut stores = match stores(&ways, runs) {
            Ok(stores) => stores.into_iter(),
            Err(refused) => return all(refused),
        };
        let mut found = None;
        if is_walked(&ways) {
            let store = stores.next().unwrap_or_default();
            found = match self.walk_runs(questions, &ways, &store, config, watcher) {
                Ok(found) => Some((found, watcher.seconds())),
                Err(refused) => return all(refused),
            };
        }
        let mut verdicts = found.iter().flat_map(|(found, _)| found.outcome.verdicts.clone());
        let mut answers = Vec::with_capacity(questions.len());
        for (question, way) in questions.iter().zip(&ways) {
            let way = match way {
                Ok(Way::Linear(property)) => {
                    let stores = stores.by_ref().take(property.claims.len()).collect::<Vec<_>>();
                    answers.push(self.linear_runs((question, property), &stores, config, watcher));
                    continue;
                }
                Err(refused) => {
                    answers.push(Err(refused.clone()));
                    continue;
                }
                Ok(way) => way,
            };
            let mut verdict = match question {
                // Values and steps are not looked at one by one.
                Question::Unused => Verdict::Unknown(Bound::States(FEW_STATES)),
                _ => Verdict::Holds,
            };
            for one in verdicts.by_ref().take(way.n_searches()) {
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
        ways: &[Result<Way<'_>, Refused>],
        store: &RunStore,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Result<RunsOutcome, Refused> {
        let model = self.model();
        let walked: Vec<&Way<'_>> = ways.iter().flatten().collect();
        let searches = || {
            let mut searches = Vec::new();
            for way in &walked {
                match way {
                    Way::Deadlock => searches.push(Search::DeadlockFree),
                    Way::Walk(all) => searches.extend(all.iter().map(|each| each.search(model))),
                    Way::Linear(_) => {}
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
                // Edges of the model are not counted apart from those of the product.
                transitions: product.moves,
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
            Question::Deadlock => return Ok(Way::Deadlock),
            Question::Unused => return Ok(Way::Walk(Vec::new())),
            Question::Property(property) => property,
            _ => {
                let what = "searches in sorted runs answer deadlock and formulas";
                return Err(refused(question, what, MEMORY));
            }
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
fn stores(ways: &[Result<Way<'_>, Refused>], runs: &RunStore) -> Result<Vec<RunStore>, Refused> {
    let n_claims = |way: &Way<'_>| match way {
        Way::Linear(property) => property.claims.len(),
        Way::Deadlock | Way::Walk(_) => 0,
    };
    let n = usize::from(is_walked(ways)) + ways.iter().flatten().map(n_claims).sum::<usize>();
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
