//! Tests of the relational language through its interface.
#![allow(clippy::disallowed_methods)] // reads test data

mod advice;
mod language;
mod mistakes;
mod model;
mod oracle;
mod random;
mod ring;
mod rules;
mod runs;
mod steps;
mod symmetry;

use std::collections::{BTreeSet, VecDeque};

use quadrille_diagnostic::{Diagnostic, Sources, Style, render};
use quadrille_relational::eval::Evaluator;
use quadrille_relational::{Design, World, read};

/// The design of a text without mistakes.
fn design(text: &str) -> Design {
    let mut sources = Sources::default();
    let source = sources.add("test.qev", text);
    let (design, found) = read(source, text);
    let errors = found.iter().filter(|one| one.is_error());
    let errors: String = errors.map(|one| render(one, &sources, Style::Plain)).collect();
    design.unwrap_or_else(|| panic!("{errors}"))
}

/// States and steps of a design, explored naively.
fn counts(text: &str) -> (usize, usize) {
    let design = design(text);
    let world = World::new(&design, None).expect("a scope");
    let evaluator = Evaluator::new(&design, &world);
    let mut todo: VecDeque<_> = evaluator.initial().expect("initial states").into();
    let mut seen: BTreeSet<_> = todo.iter().cloned().collect();
    let mut n_steps = 0;
    while let Some(state) = todo.pop_front() {
        for step in evaluator.steps(&state).expect("steps") {
            n_steps += 1;
            if seen.insert(step.next.clone()) {
                todo.push_back(step.next);
            }
        }
    }
    (seen.len(), n_steps)
}

/// The codes and messages that a text is answered with, also by its scopes.
fn complaints(text: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let source = sources.add("test.qev", text);
    let (design, mut found) = read(source, text);
    if let Some(design) = design {
        match World::new(&design, None) {
            Err(more) => found.extend(more),
            Ok(world) => {
                found.extend(Evaluator::new(&design, &world).initial().err().map(|one| *one));
            }
        }
    }
    let told = |one: &Diagnostic| {
        let help = one.help.as_deref().unwrap_or("");
        let place = one.labels.first().map_or("", |label| sources.slice(label.span));
        format!("{} {} `{place}` ({help})", one.code.id, one.message)
    };
    found.iter().map(told).collect()
}
