//! `quadrille check`: does the model do what is asked of it?

mod method;
pub(super) mod outputs;
mod text;

use quadrille_check::{Actions, codes::IDLE_ATOM};
use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_model::Verdict;
use quadrille_report::{CheckDocument, Outcome};

use crate::arguments::{CheckArguments, Format, FormulaArguments};
use crate::checker::{Checker, deadlock, unmatched};
use crate::exit::Exit;
use crate::formulas::{self, Asked, Question, Reader};
use crate::input::{Input, load_which};
use crate::watch::Watcher;
use crate::world::{World, has_extension};
use crate::{Ended, codes, commands::component, components};

/// What was found about one model.
struct Findings {
    /// One per property that was asked for.
    outcomes: Vec<Outcome>,
    /// For each of them, the options that ask it again.
    again: Vec<String>,
    /// What was found about deadlock where that was not asked for.
    deadlock: Option<Outcome>,
}

pub(crate) fn run(arguments: &CheckArguments, world: &World, sources: &mut Sources) -> Ended {
    let trace_files = outputs::trace_files(&arguments.trace_out)?;
    if !arguments.formulas.asks() {
        if has_extension(&arguments.file, "arch") {
            return component::architecture::run(arguments, &trace_files, world, sources);
        }
        if components::are_meant(&arguments.file, world) {
            return component::check::run(arguments, &trace_files, world, sources);
        }
    }
    if arguments.reduce {
        let message = "--reduce keeps whether components fit together and nothing else";
        let help = "leave it out, or ask no formula";
        return Err(vec![Diagnostic::error(&codes::CONTRADICTION, message).help(help)].into());
    }
    let mut watcher = Watcher::new(world, &arguments.limits);
    let (asked, mut unreadable) = formulas::asked(&arguments.formulas.asked, world, sources);
    let own = formulas::own(&asked);
    let input = load_which(&arguments.file, arguments.which(), &own, &mut watcher, sources)?;
    let questions = questions(&arguments.formulas, &asked, &input, world, sources);
    if !unreadable.is_empty() {
        unreadable.splice(0..0, questions.err().into_iter().flatten());
        return Err(unreadable.into());
    }
    let questions = questions?;
    let findings = check_all(arguments, &questions, &input, &mut watcher)?;
    let never = match input.protocol() {
        Some(_) => unmatched(&questions, input.model(), &mut watcher)?,
        None => Vec::new(),
    };
    watcher.end();
    input.sound()?;
    let warning = |atom: &&Actions| {
        let message = format!("no action of the protocol matches `{}`", atom.text);
        Diagnostic::warning(&IDLE_ATOM, message).at(atom.span, "never true")
    };
    crate::report(world, sources, &never.iter().map(warning).collect::<Vec<_>>());
    let exit = findings
        .outcomes
        .iter()
        .fold(Exit::Holds, |exit, outcome| exit.and(Exit::of(&outcome.finding.verdict)));
    outputs::write_traces(&trace_files, &findings, world)?;
    outputs::write_junit(arguments, &findings.outcomes, world)?;
    let file = arguments.file.display().to_string();
    world.print(&match arguments.format {
        Format::Text => text::text(arguments, &findings, world.output_style()),
        Format::Json => {
            let deadlock = findings.deadlock.as_ref();
            CheckDocument::new(&file, exit.word(), &findings.outcomes, deadlock).to_json()
        }
    });
    Ok(exit)
}

/// The formulas that were asked for; where there are none, the properties that the file has.
fn questions<'m>(
    arguments: &FormulaArguments,
    asked: &[Asked],
    input: &'m Input,
    world: &World,
    sources: &Sources,
) -> Result<Vec<Question<'m>>, Vec<Diagnostic>> {
    let types = arguments.asked.types.iter().cloned().collect();
    let reader = Reader::new(input, types, arguments.asked.runs.map(Into::into));
    let (mut questions, warnings) = reader.questions(asked, sources)?;
    crate::report(world, sources, &warnings);
    match input.protocol() {
        Some(protocol) if asked.is_empty() || !arguments.property.is_empty() => {
            let properties = reader.properties(protocol, &arguments.property)?;
            questions.extend(properties.into_iter().map(|(question, _)| question));
        }
        None if !arguments.property.is_empty() => {
            let message = "--property is for .quad files";
            return Err(vec![Diagnostic::error(&codes::CONTRADICTION, message)]);
        }
        _ => {}
    }
    Ok(questions)
}

fn check_all(
    arguments: &CheckArguments,
    questions: &[Question],
    input: &Input,
    watcher: &mut Watcher,
) -> Result<Findings, Vec<Diagnostic>> {
    let model = input.model();
    let method = method::method(&arguments.formulas, model)?;
    let (mut outcomes, mut again) = (Vec::new(), Vec::new());
    let counts = arguments.deadlock || questions.is_empty();
    if counts {
        outcomes.push(input.tidied(deadlock(model, arguments.order.into(), watcher)?));
        again.push(String::new());
    }
    let mut checker = Checker::new(model, method, watcher.limits());
    for question in questions {
        outcomes.push(input.tidied(checker.answer(question, watcher)?));
        again.push(question.again.clone());
    }
    // What was not asked for comes last: it must not use up the time for what was.
    drop(checker);
    let deadlock = if counts {
        None
    } else {
        Some(input.tidied(deadlock(model, arguments.order.into(), watcher)?))
    };
    Ok(Findings { outcomes, again, deadlock })
}

impl Findings {
    /// Outcomes that have a trace, by position.
    fn traced(&self) -> Vec<usize> {
        let is_traced = |&position: &usize| self.outcomes[position].story.is_some();
        (0..self.outcomes.len()).filter(is_traced).collect()
    }

    fn is_violated(&self, position: usize) -> bool {
        matches!(self.outcomes[position].finding.verdict, Verdict::Violated(_))
    }
}
