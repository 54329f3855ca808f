//! `quadrille check`: does the model do what is asked of it?

pub(super) mod outputs;
pub(super) mod text;

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_model::Verdict;
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::{Answer, Answered, Config, Evidence, Property, Question, Subject, Unused};
use quadrille_report::{CheckDocument, Outcome, Suite};

use crate::arguments::{CheckArguments, CheckFormat, FormulaArguments};
use crate::exit::Exit;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop, commands::component, formulas, model};

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
    /// The options that select the model, beside the file.
    selection: Vec<String>,
}

pub(crate) fn run(arguments: &CheckArguments, world: &World, sources: &mut Sources) -> Ended {
    let trace_files = outputs::trace_files(&arguments.output.trace_out)?;
    let language = model::language(&arguments.file, world)?;
    if language.has_components() && !arguments.formulas.asks() {
        return component::check::run(arguments, &trace_files, world, sources);
    }
    if arguments.reduce {
        let message = "--reduce preserves only compatibility verdicts, so it cannot be combined \
                       with formulas";
        let help = "leave --reduce out, or ask no formula";
        return Err(Diagnostic::error(&CONTRADICTION, message).help(help).into());
    }
    let mut watcher = Watcher::new(world, &arguments.limits);
    let (texts, mut unreadable) = formulas::texts(&arguments.formulas.asked, world, sources);
    let selection = arguments.model.selection();
    let mut subject = model::one(&arguments.file, &selection, &mut watcher, sources)?;
    let runs = arguments.formulas.asked.runs.map(Into::into);
    let read = formulas::read(&mut subject, &texts, runs, sources);
    if !unreadable.is_empty() {
        unreadable.splice(0..0, read.err().into_iter().flatten());
        return Err(unreadable.into());
    }
    let (mut properties, warnings) = read?;
    crate::report(world, sources, &warnings);
    properties.extend(declared(&arguments.formulas, &subject, texts.is_empty())?);
    let findings = ask(arguments, &subject, &properties, world, &mut watcher, sources)?;
    let exit =
        |exit: Exit, outcome: &Outcome| exit.and(Exit::of(&outcome.answer, arguments.strict));
    let exit = findings.outcomes.iter().fold(Exit::Holds, exit);
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
    outputs::write_junit(arguments.output.junit.as_deref(), &[suite], world)?;
    Ok(if findings.refused.is_empty() { exit } else { Exit::CannotRun })
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
    arguments: &CheckArguments,
    subject: &Subject<'_>,
    properties: &[Property],
    world: &World,
    watcher: &mut Watcher<'_>,
    sources: &Sources,
) -> Result<Findings, Stop> {
    let (fairness, algorithm) = formulas::method(&arguments.formulas, subject.model())?;
    let (order, limits) = (arguments.order.into(), watcher.limits());
    let (engine, reduction) = (arguments.engine.into(), arguments.reduction.into());
    let workers = arguments.workers.number(world);
    let config = Config { limits, order, fairness, algorithm, engine, reduction, workers };
    let mut questions: Vec<Question<'_>> =
        properties.iter().cloned().map(Question::Property).collect();
    let mut again: Vec<Vec<String>> =
        properties.iter().map(|property| property.words.clone()).collect();
    if !arguments.allow_deadlock {
        questions.push(Question::Deadlock);
        again.push(Vec::new());
    }
    let n_asked = questions.len();
    questions.push(Question::Unused);
    if n_asked == 0 {
        let message = "--allow-deadlock leaves nothing to check";
        return Err(Diagnostic::error(&CONTRADICTION, message).help("ask a formula, too").into());
    }
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
    Ok(Findings { outcomes, again, unused, refused, selection: subject.selection.words() })
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
    /// Outcomes that have a trace, by position.
    fn traced(&self) -> Vec<usize> {
        let is_traced = |&position: &usize| self.outcomes[position].story.is_some();
        (0..self.outcomes.len()).filter(is_traced).collect()
    }
}
