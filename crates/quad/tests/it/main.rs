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
use quadrille_model::{ActionId, GroupId, Model, Value};
use quadrille_quad::load;

/// Diagnostics as a user sees them.
fn rendered(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain)).collect()
}

/// Every state of a model with its steps, breadth first: `0. a→1` may end and goes on to 1 by `a`.
fn explored(model: &dyn Model, n_states: usize) -> String {
    let mut states: Vec<Vec<Value>> = Vec::new();
    let mut queue = VecDeque::new();
    model.initial(&mut |state| {
        states.push(state.to_vec());
        queue.push_back(states.len() - 1);
    });
    let mut shown = String::new();
    while let Some(number) = queue.pop_front() {
        let state = states[number].clone();
        let end = if model.may_end(&state) { "." } else { "" };
        let _ = write!(shown, "{number}{end}");
        model.expand(&state, &mut |_: GroupId, action: ActionId, next: &[Value]| {
            let known = states.iter().position(|known| known == next);
            let to = known.unwrap_or_else(|| {
                states.push(next.to_vec());
                queue.push_back(states.len() - 1);
                states.len() - 1
            });
            let _ = write!(shown, " [{}]→{to}", model.action(action).label);
        });
        shown.push('\n');
        if states.len() > n_states {
            shown.push_str("…\n");
            break;
        }
    }
    shown
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
            shown = explored(&session.model, 20);
            diagnostics.extend(session.model.problems());
        }
    }
    if diagnostics.is_empty() { shown } else { rendered(&sources, &diagnostics) }
}

/// Marsaglia's xorshift64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }
}
