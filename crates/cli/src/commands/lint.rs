//! `quadrille lint`: what is probably a mistake in a protocol or in what is asked of it, or in components?

use std::fmt::Write as _;

use quadrille_check::{
    AtomUse, Claim, Explored, Subject, idle_atoms, lint, lint_roles, vacuous, vacuous_part,
};
use quadrille_diagnostic::{Diagnostic, Sources, render};
use quadrille_engine::{Graph, Interpretation, LtlOptions};
use quadrille_logic::{Atoms, Kind};
use quadrille_report::{LintDocument, LintFinding, Story};

use crate::arguments::{Format, LintArguments};
use crate::exit::Exit;
use crate::formulas::{self, Question, Reader};
use crate::input::{Input, load, load_protocols, no_protocol};
use crate::protocols::Protocol;
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::{World, has_extension};
use crate::{Ended, Stop, commands::component, components};

pub(crate) fn run(arguments: &LintArguments, world: &World, sources: &mut Sources) -> Ended {
    let file = &arguments.file;
    if components::are_meant(file, world) || has_extension(file, "arch") {
        return component::lint::run(arguments, world, sources);
    }
    arguments.components.refuse(file)?;
    let mut watcher = Watcher::new(world, &arguments.limits);
    let (asked, unreadable) = formulas::asked(&arguments.asked, world, sources);
    if !unreadable.is_empty() {
        return Err(unreadable.into());
    }
    let inputs = if asked.is_empty() {
        let all = load_protocols(&arguments.file, &arguments.protocol, &mut watcher, sources)?;
        all.into_iter().map(|protocol| Input::Protocol(Box::new(protocol))).collect()
    } else {
        let (own, session) = (formulas::own(&asked), arguments.protocol.clone().into());
        vec![load(&arguments.file, &session, &own, &mut watcher, sources)?]
    };
    let mut findings: Vec<LintFinding> = Vec::new();
    for input in &inputs {
        let Some(protocol) = input.protocol() else {
            return Err(vec![no_protocol(&arguments.file)].into());
        };
        let types = arguments.asked.types.iter().cloned().collect();
        let reader = Reader::new(input, types, arguments.asked.runs.map(Into::into));
        let (mut questions, warnings) = reader.questions(&asked, sources)?;
        let properties = reader.properties(protocol, &[])?;
        questions.extend(properties.into_iter().map(|(question, _)| question));
        let mut found: Vec<LintFinding> = if asked.is_empty() {
            protocol.warnings.iter().cloned().map(LintFinding::from).collect()
        } else {
            Vec::new()
        };
        found.extend(warnings.into_iter().map(LintFinding::from));
        found.extend(look(protocol, &questions, &mut watcher)?);
        for finding in found {
            if !findings.iter().any(|known| known.diagnostic == finding.diagnostic) {
                findings.push(finding);
            }
        }
    }
    watcher.end();
    Ok(tell(arguments, &findings, world, sources))
}

/// Prints what was found.
pub(super) fn tell(
    arguments: &LintArguments,
    findings: &[LintFinding],
    world: &World,
    sources: &Sources,
) -> Exit {
    world.print(&match arguments.format {
        Format::Json => {
            LintDocument::new(&arguments.file.display().to_string(), findings, sources).to_json()
        }
        Format::Text => {
            let mut text = String::new();
            for finding in findings {
                text += &render(&finding.diagnostic, sources, world.output_style());
            }
            let _ = match findings.len() {
                0 => writeln!(text, "no findings"),
                n => writeln!(text, "{}", count(n as u64, "finding")),
            };
            text
        }
    });
    if findings.is_empty() { Exit::Holds } else { Exit::Violated }
}

/// What is odd about a protocol and the questions about it.
fn look(
    protocol: &Protocol,
    questions: &[Question],
    watcher: &mut Watcher,
) -> Result<Vec<LintFinding>, Stop> {
    watcher.begin(&protocol.name);
    let limits = watcher.limits();
    let session = &protocol.session;
    let explored = Explored::new(session, limits, &mut |progress| watcher.look(progress));
    protocol.sound()?;
    let explored = explored?;
    let found = lint(&explored, limits, &mut |progress| watcher.look(progress));
    let mut findings: Vec<LintFinding> = Vec::new();
    for finding in found? {
        let role = |role| explored.global().role(role).to_owned();
        let story = finding.trace.as_ref().map(|trace| {
            let mut story = Story::tell(&finding.diagnostic.message, trace, session);
            story.hidden = protocol.hidden();
            story
        });
        findings.push(LintFinding {
            diagnostic: finding.diagnostic,
            channel: finding.channel.map(|(from, to)| (role(from), role(to))),
            trace: story,
        });
    }
    let declared: Vec<_> = protocol.declared.iter().map(|(name, span)| (&**name, *span)).collect();
    findings.extend(lint_roles(&declared, &[&explored]).into_iter().map(LintFinding::from));
    let mut graph = Graph::new(session);
    for question in questions {
        let diagnostics = look_at_question(question, protocol, &explored, &mut graph, watcher)?;
        findings.extend(diagnostics.into_iter().map(LintFinding::from));
    }
    Ok(findings)
}

/// Atoms that nothing satisfies; parts of a formula that could be anything.
fn look_at_question<'m>(
    question: &Question<'m>,
    protocol: &'m Protocol,
    explored: &Explored<'_>,
    graph: &mut Graph<'m>,
    watcher: &mut Watcher,
) -> Result<Vec<Diagnostic>, Stop> {
    let mut diagnostics = Vec::new();
    for claim in &question.claims {
        let actions = claim.subjects.iter().filter_map(|subject| match subject {
            Subject::Actions(actions) => Some(actions),
            Subject::Proposition(_) => None,
        });
        let uses: Vec<AtomUse> = actions
            .map(|actions| AtomUse {
                text: &actions.text,
                span: actions.span,
                matches: Box::new(|action| (actions.matches)(action)),
            })
            .collect();
        let idle = idle_atoms(explored, &uses);
        // Whatever is said about what never happens is vacuous: saying both would be too much.
        if idle.is_empty() && claim.kind == Kind::Linear {
            let options = LtlOptions {
                runs: question.runs,
                limits: watcher.limits(),
                ..LtlOptions::default()
            };
            let meanings = Interpretation::new(claim.meanings());
            let mut look = |progress: &_| watcher.look(progress);
            let parts = vacuous(graph, &claim.formula, &meanings, &options, &mut look)
                .map_err(|error| formulas::refused(error, question.span))?;
            let names = names(claim, protocol);
            diagnostics.extend(
                parts
                    .into_iter()
                    .map(|part| vacuous_part(&part.show(&names).to_string(), question.span)),
            );
        }
        diagnostics.extend(idle);
    }
    diagnostics.dedup();
    Ok(diagnostics)
}

/// The names of the atoms of a claim.
fn names(claim: &Claim, protocol: &Protocol) -> Atoms<String> {
    let mut names = Atoms::default();
    for (number, subject) in claim.subjects.iter().enumerate() {
        let name = match subject {
            Subject::Actions(actions) => actions.text.clone(),
            Subject::Proposition(id) => protocol.model().propositions()[id.index()].clone(),
        };
        // Two atoms may read alike; a formula shows their names by number.
        let id = names.intern(name.clone(), None);
        if id.index() != number {
            names.intern(format!("{name} ({number})"), None);
        }
    }
    names
}
