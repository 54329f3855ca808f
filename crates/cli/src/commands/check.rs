//! `quadrille check`: does the model do what is asked of it?

pub(super) mod outputs;
pub(super) mod text;

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_model::Verdict;
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::{
    Answer, Answered, Config, Evidence, Lossy, Property, Question, Subject, Unused, read_text,
};
use quadrille_report::{CheckDocument, Outcome, Suite};

use crate::arguments::{
    CheckArguments, CheckFormat, EngineArgument, FormulaArguments, OrderArgument,
    ReductionArgument, StoreArgument, SymmetryArgument, identity, refuse,
};
use crate::commands::cluster::Seat;
use crate::commands::{component, specification};
use crate::exit::Exit;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop, formulas, model};

/// What was found about one model.
struct Findings {
    /// One per question.
    outcomes: Vec<Outcome>,
    /// For each of them, the options that ask it again.
    again: Vec<Vec<String>>,
    /// What never happened.
    unused: Unused,
    /// Why some questions have no answer.
    refused: Vec<Diagnostic>,
    /// For each of them, the options that select the model, beside the file.
    selections: Vec<Vec<String>>,
}

pub(crate) fn run(arguments: &CheckArguments, world: &World, sources: &mut Sources) -> Ended {
    run_in(arguments, None, world, sources)
}

/// The same, searched by a cluster that this process has a seat in.
pub(super) fn run_in(
    arguments: &CheckArguments,
    seat: Option<&Seat>,
    world: &World,
    sources: &mut Sources,
) -> Ended {
    let trace_files = outputs::trace_files(&arguments.output.trace_out)?;
    if specification::is_one(&arguments.file) {
        return specification::check(arguments, world, sources);
    }
    if let Some(option) = arguments.specification.given() {
        let message = format!("{option} is about specifications (.als)");
        return Err(Diagnostic::error(&CONTRADICTION, message).help("leave it out").into());
    }
    arguments.engine.refuse_specifications()?;
    let language = model::language(&arguments.file, world)?;
    if arguments.bounded && !language.has_protocols() {
        let message = "--bounded is about the queues of protocols (.quad, .dcj)";
        return Err(Diagnostic::error(&CONTRADICTION, message).help("leave it out").into());
    }
    if language.has_components() && !arguments.formulas.asks() {
        if arguments.lossy.is_some() {
            let message = "--lossy does not ask whether components fit together";
            let help = "leave --lossy out, or ask a formula";
            return Err(Diagnostic::error(&CONTRADICTION, message).help(help).into());
        }
        let asks = "the question whether components fit together: ask a formula";
        arguments.store.refuse(&[(true, asks)])?;
        if seat.is_some() {
            refuse("a cluster", &[(true, asks)])?;
        }
        return component::check::run(arguments, &trace_files, world, sources);
    }
    if arguments.reduce {
        let message = "--reduce preserves only compatibility verdicts, so it cannot be combined \
                       with formulas";
        let help = "leave --reduce out, or ask no formula";
        return Err(Diagnostic::error(&CONTRADICTION, message).help(help).into());
    }
    let mut watcher = Watcher::new(world, &arguments.limits);
    let findings = if language.has_scopes() && !arguments.formulas.asked.asks() {
        in_all_scopes(arguments, seat, world, &mut watcher, sources)?
    } else {
        in_one(arguments, seat, world, &mut watcher, sources)?
    };
    let exit =
        |exit: Exit, outcome: &Outcome| exit.and(Exit::of(&outcome.answer, arguments.strict));
    let exit = findings.outcomes.iter().fold(Exit::Holds, exit);
    if seat.is_some_and(|seat| !seat.reports()) {
        return Ok(if findings.refused.is_empty() { exit } else { Exit::CannotRun });
    }
    crate::report(world, sources, &findings.refused);
    world.print(&match arguments.output.format {
        CheckFormat::Text | CheckFormat::Diagram => {
            text::text(arguments, &findings, world, sources)
        }
        CheckFormat::Json => {
            let file = arguments.file.display().to_string();
            let Findings { outcomes, unused, refused, .. } = &findings;
            CheckDocument::new(&file, exit.word(), outcomes, unused, refused, sources).to_json()
        }
    });
    // Files come last: where one cannot be written, the verdict was printed.
    outputs::write_traces(&trace_files, &findings, world)?;
    let suite = Suite {
        file: arguments.file.display().to_string(),
        outcomes: findings.outcomes,
        ..Suite::default()
    };
    outputs::write_junit(arguments.output.junit.as_deref(), &[suite], &[], world)?;
    Ok(if findings.refused.is_empty() { exit } else { Exit::CannotRun })
}

/// Asks about one behaviour of a file: formulas, and properties that the file declares for it.
fn in_one(
    arguments: &CheckArguments,
    seat: Option<&Seat>,
    world: &World,
    watcher: &mut Watcher<'_>,
    sources: &mut Sources,
) -> Result<Findings, Stop> {
    let (texts, unreadable) = formulas::texts(&arguments.formulas.asked, world, sources);
    let selection = arguments.model.selection();
    let mut subject = model::one(&arguments.file, &selection, watcher, sources)?;
    let runs = arguments.formulas.asked.runs.map(Into::into);
    let mut properties =
        formulas::read_asked(&mut subject, (&texts, unreadable), runs, world, sources)?;
    for path in &arguments.properties {
        let source = read_text(world, path, sources).map_err(|unreadable| vec![unreadable])?;
        let (found, problems) = subject.net_properties(sources, source);
        if problems.iter().any(Diagnostic::is_error) {
            return Err(problems.into());
        }
        properties.extend(found);
    }
    properties.extend(declared(&arguments.formulas, &subject, texts.is_empty())?);
    ask((arguments, seat), &subject, &properties, world, watcher, sources)
}

/// Asks the commands of a design, each in its own scope.
fn in_all_scopes(
    arguments: &CheckArguments,
    seat: Option<&Seat>,
    world: &World,
    watcher: &mut Watcher<'_>,
    sources: &mut Sources,
) -> Result<Findings, Stop> {
    let selection = arguments.model.selection();
    let (mut subjects, warnings) = model::all(&arguments.file, &selection, world, sources)?;
    crate::report(world, sources, &warnings);
    let wanted = &arguments.formulas.property;
    let declares = |subject: &Subject<'_>, name: &String| subject.property(name).is_ok();
    // A name that no scope has is told by the first.
    let is_known = |name: &String| subjects.iter().any(|subject| declares(subject, name));
    if !wanted.is_empty() && wanted.iter().all(is_known) {
        subjects.retain(|subject| wanted.iter().any(|name| declares(subject, name)));
    } else if !wanted.is_empty() {
        subjects.truncate(1);
    }
    let n_scopes = subjects.len();
    let is_one_search = matches!(arguments.store.store, StoreArgument::Disk(_)) || seat.is_some();
    if n_scopes > 1 && is_one_search {
        let message = "a folder or cluster makes one search, and this design has several scopes";
        let help = "name one of its commands with --property";
        return Err(Diagnostic::error(&CONTRADICTION, message).help(help).into());
    }
    let runs = arguments.formulas.asked.runs.map(Into::into);
    let mut all: Option<Findings> = None;
    for subject in &subjects {
        let here = |name: &&String| n_scopes == 1 || declares(subject, name);
        let names: Vec<String> = wanted.iter().filter(here).cloned().collect();
        let properties = formulas::declared(subject, &names, runs)?;
        let mut found = ask((arguments, seat), subject, &properties, world, watcher, sources)?;
        if let Some(scope) = subject.scope.as_ref().filter(|_| n_scopes > 1) {
            let about_deadlock = |outcome: &&mut Outcome| outcome.answer.question == "deadlock";
            for outcome in found.outcomes.iter_mut().filter(about_deadlock) {
                outcome.answer.name = format!("{}, {scope}", outcome.answer.name);
            }
        }
        all = Some(match all {
            None => found,
            Some(before) => before.and(found),
        });
    }
    all.ok_or_else(|| Stop::Bad(Vec::new()))
}

/// The properties of the file that are checked: those that are named; without a formula, all.
fn declared(
    arguments: &FormulaArguments,
    subject: &Subject<'_>,
    no_formulas: bool,
) -> Result<Vec<Property>, Vec<Diagnostic>> {
    if arguments.property.is_empty() && !no_formulas {
        return Ok(Vec::new());
    }
    formulas::declared(subject, &arguments.property, arguments.asked.runs.map(Into::into))
}

fn ask(
    (arguments, seat): (&CheckArguments, Option<&Seat>),
    subject: &Subject<'_>,
    properties: &[Property],
    world: &World,
    watcher: &mut Watcher<'_>,
    sources: &Sources,
) -> Result<Findings, Stop> {
    let (fairness, algorithm) = formulas::method(&arguments.formulas, subject.model())?;
    let (order, limits) = (arguments.order.into(), watcher.limits());
    let (reduction, symmetry) = (arguments.reduction.into(), arguments.symmetry.into());
    let engine = arguments.engine.into();
    let workers = arguments.workers.number(world);
    let lossy = lossy(arguments)?;
    let others = [
        (lossy.is_some(), "--lossy"),
        (arguments.engine == EngineArgument::Symbolic, "--engine symbolic"),
        (arguments.order == OrderArgument::Dfs, "--order dfs"),
        (arguments.reduction == ReductionArgument::Check, "--reduction check"),
        (arguments.reduction == ReductionArgument::Representatives, "--reduction representatives"),
        (arguments.symmetry == SymmetryArgument::Check, "--symmetry check"),
    ];
    arguments.store.refuse(&others)?;
    if seat.is_some() {
        refuse("a cluster", &others)?;
    }
    let names: Vec<String> = properties
        .iter()
        .map(|property| property.name.clone())
        .chain(arguments.bounded.then(|| "all queues are bounded".to_owned()))
        .chain((!arguments.allow_deadlock).then(|| "no deadlock".to_owned()))
        .collect();
    let title = arguments.file.display().to_string();
    let runs = arguments.store.runs(&title, &subject.selection, sources, &names)?;
    let (runs, elsewhere) = match seat {
        None => (runs, None),
        Some(seat) => {
            let identity = identity(&title, &subject.selection, sources, &names);
            (Some(runs.unwrap_or_default()), Some(seat.take(identity)?))
        }
    };
    let config = Config {
        limits,
        order,
        fairness,
        algorithm,
        engine,
        reduction,
        symmetry,
        workers,
        lossy,
        runs,
        elsewhere,
    };
    let mut questions: Vec<Question<'_>> =
        properties.iter().cloned().map(Question::Property).collect();
    let mut again: Vec<Vec<String>> =
        properties.iter().map(|property| property.words.clone()).collect();
    if !arguments.allow_deadlock {
        questions.push(Question::Deadlock);
        again.push(Vec::new());
    }
    if arguments.bounded {
        questions.push(Question::Bounded);
        again.push(vec!["--bounded".to_owned()]);
    }
    let n_asked = questions.len();
    questions.push(Question::Unused);
    if n_asked == 0 {
        let message = "--allow-deadlock leaves nothing to check";
        return Err(Diagnostic::error(&CONTRADICTION, message).help("ask a formula, too").into());
    }
    watcher.measure(arguments.store.folder());
    let answers = subject.ask(&questions, &config, watcher);
    watcher.end();
    let Certain { mut answers, again, refused } = certain(answers, again)?;
    let unused = match answers.pop_if(|answer| answer.question == "unused") {
        Some(Answer { evidence: Evidence::Unused(unused), .. }) => unused,
        _ => Unused::default(),
    };
    for answer in answers.iter().filter(|answer| answer.question == "deadlock") {
        if let Verdict::Violated(Some(run)) = &answer.verdict {
            crate::report(world, sources, &subject.empty_calls(run));
        }
    }
    let unmatched = unused.atoms.iter().map(quadrille_query::protocol::idle_atom);
    crate::report(world, sources, &unmatched.collect::<Vec<_>>());
    let outcomes = answers.into_iter().map(|answer| Outcome::new(answer, subject)).collect();
    let outcomes: Vec<Outcome> = outcomes;
    let selections = vec![subject.selection.words(); outcomes.len()];
    Ok(Findings { outcomes, again, unused, refused, selections })
}

/// What is remembered of states, if not all; refuses options that ask for something else.
fn lossy(arguments: &CheckArguments) -> Result<Option<Lossy>, Diagnostic> {
    let Some(lossy) = arguments.lossy else { return Ok(None) };
    let other = if arguments.engine == EngineArgument::Symbolic {
        "--engine symbolic"
    } else if arguments.reduction == ReductionArgument::Check {
        "--reduction check"
    } else if arguments.order == OrderArgument::Dfs {
        "--order dfs"
    } else {
        return Ok(Some(lossy));
    };
    let message = format!("--lossy explores breadth first and cannot be combined with {other}");
    Err(Diagnostic::error(&CONTRADICTION, message).help("leave one of them out"))
}

/// Questions that are answered although others could not be.
struct Certain {
    answers: Vec<Answer>,
    again: Vec<Vec<String>>,
    /// What keeps the others from being answered.
    refused: Vec<Diagnostic>,
}

/// The answers that there are, if one of them is a violation; else why there are no others.
fn certain(answers: Vec<Answered>, again: Vec<Vec<String>>) -> Result<Certain, Stop> {
    let is_violated = |answer: &Answered| {
        answer.as_ref().is_ok_and(|answer| matches!(answer.verdict, Verdict::Violated(_)))
    };
    let is_certain = answers.iter().any(is_violated);
    let mut certain = Certain { answers: Vec::new(), again: Vec::new(), refused: Vec::new() };
    let again = again.into_iter().map(Some).chain(std::iter::repeat(None));
    for (answer, again) in answers.into_iter().zip(again) {
        match answer.map_err(Stop::from) {
            Ok(answer) => {
                certain.answers.push(answer);
                certain.again.extend(again);
            }
            Err(Stop::Bad(diagnostics)) if is_certain => {
                let known = certain.refused.clone();
                certain.refused.extend(diagnostics.into_iter().filter(|it| !known.contains(it)));
            }
            Err(stop) => return Err(stop),
        }
    }
    Ok(certain)
}

impl Findings {
    /// What was found in one scope and in another: only what happened in neither never happened.
    fn and(mut self, other: Findings) -> Findings {
        self.outcomes.extend(other.outcomes);
        self.again.extend(other.again);
        self.selections.extend(other.selections);
        self.refused.extend(other.refused);
        self.unused.steps.retain(|step| other.unused.steps.contains(step));
        self.unused.values.retain(|value| other.unused.values.contains(value));
        self
    }

    /// Outcomes that have a trace, by position.
    fn traced(&self) -> Vec<usize> {
        let is_traced = |&position: &usize| self.outcomes[position].story.is_some();
        (0..self.outcomes.len()).filter(is_traced).collect()
    }
}
