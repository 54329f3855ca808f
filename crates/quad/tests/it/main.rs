//! Tests of the `.quad` language through the public interface.

mod against;
mod checking;
mod examples;
mod fuzz;
mod language;
mod manual;
mod mistakes;
mod verdicts;

use std::collections::VecDeque;
use std::fmt::Write;

use quadrille_diagnostic::{Diagnostic, Sources, Style, render};
use quadrille_model::{Model, Problem, Value};
use quadrille_protocol::core::diagnosed;
use quadrille_quad::load;

/// Diagnostics as a user sees them.
fn rendered(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain)).collect()
}

/// Every state of a model with its steps, breadth first: `0. a→1` may end and goes on to 1 by `a`.
/// What cannot be computed comes along; the search goes on elsewhere.
fn explored(model: &dyn Model, n_states: usize) -> (String, Vec<Diagnostic>) {
    let mut explorer = model.explorer();
    let mut states: Vec<Vec<Value>> = Vec::new();
    let mut queue = VecDeque::new();
    let mut problems: Vec<Diagnostic> = Vec::new();
    let mut note = |found: Result<(), Box<Problem>>| {
        let told = found.err().map(|problem| diagnosed(&problem));
        problems.extend(told.filter(|told| !problems.contains(told)));
    };
    note(explorer.each_initial(|state| {
        states.push(state.to_vec());
        queue.push_back(states.len() - 1);
    }));
    let mut shown = String::new();
    while let Some(number) = queue.pop_front() {
        let state = states[number].clone();
        let may_end = explorer.may_end(&state);
        let end = if may_end == Ok(true) { "." } else { "" };
        note(may_end.map(drop));
        let _ = write!(shown, "{number}{end}");
        note(explorer.each_successor(&state, |_, action, next| {
            let known = states.iter().position(|known| known == next);
            let to = known.unwrap_or_else(|| {
                states.push(next.to_vec());
                queue.push_back(states.len() - 1);
                states.len() - 1
            });
            let _ = write!(shown, " [{}]→{to}", model.action(action).label);
        }));
        shown.push('\n');
        if states.len() > n_states {
            shown.push_str("…\n");
            break;
        }
    }
    (shown, problems)
}

/// What a text does, or what is wrong with it: when it is read, started, or explored.
fn behaviour(text: &str) -> String {
    let mut sources = Sources::default();
    let id = sources.add("in.quad", text);
    let (program, mut diagnostics) = load(&sources, id);
    let mut shown = String::new();
    match program.map(|program| program.start(&mut sources, None, &[], &[])) {
        None => {}
        Some(Err(found)) => diagnostics.extend(found),
        Some(Ok(session)) => {
            let (found, problems) = explored(&session.model, 20);
            shown = found;
            diagnostics.extend(problems);
        }
    }
    if diagnostics.is_empty() { shown } else { rendered(&sources, &diagnostics) }
}
