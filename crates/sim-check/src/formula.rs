//! Formulas of linear time over executions. An execution is the word of its events, and if the
//! formula speaks of operations, of all its operations; it is finite, or a lasso if it came back to
//! where it was (`quadrille_sim::lasso`).

use std::sync::Arc;

use quadrille_diagnostic::{Sources, Span, Style, render};
use quadrille_logic::{Atoms, Formula as Tree, Kind, Letter, PlainAtom, PlainAtoms, parse};
use quadrille_sim::strategy::Execution;
use quadrille_sim::{Action, Fault, Monitor, Operation};

/// A formula of linear time, to be used as a [`Monitor`].
///
/// | atom | holds at |
/// |---|---|
/// | `name`, `` `any name` `` | the event of that name (`event!`) |
/// | `"lock"` | every operation called so |
/// | `"lock queue"` | such an operation on the object of that name |
/// | `"worker: lock queue"` | the same by the thread of that name |
///
/// Formulas over events may be checked by every strategy: two events never commute, so reduction
/// keeps all their orders. Operations may commute; a formula that speaks of them is refused if
/// orders are left out.
#[derive(Clone, Debug)]
pub struct Formula {
    text: Arc<str>,
    tree: Arc<Tree>,
    atoms: Arc<Atoms<PlainAtom>>,
}

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    ///
    /// What is wrong with it, with the place.
    pub fn parse(text: &str) -> Result<Formula, String> {
        let mut sources = Sources::default();
        let source = sources.add("formula", text);
        let parsed = parse(&sources, Span::new(source, 0..text.len()), &mut PlainAtoms);
        let shown = |diagnostic| render(diagnostic, &sources, Style::Plain);
        let Some(tree) = parsed.formula else {
            return Err(parsed.diagnostics.iter().map(shown).collect());
        };
        if tree.kind() != Ok(Kind::Linear) {
            return Err(format!(
                "`{text}` is not of linear time: `A` and `E` mean nothing on one execution"
            ));
        }
        Ok(Formula { text: text.into(), tree: Arc::new(tree), atoms: Arc::new(parsed.atoms) })
    }

    /// Whether it speaks of operations that are no events.
    #[must_use]
    pub fn is_about_operations(&self) -> bool {
        self.atoms.iter().any(|(_, atom)| matches!(atom, PlainAtom::Action(_)))
    }

    fn letter(&self, operation: &Operation, execution: &Execution<'_>) -> Letter {
        let mut letter = 0;
        for (position, (_, atom)) in self.atoms.iter().enumerate() {
            let holds = match atom {
                PlainAtom::Proposition(name) => {
                    matches!(operation.action, Action::Event(event) if event == name)
                }
                PlainAtom::Action(label) => is_called(operation, label, execution),
            };
            letter |= Letter::from(holds) << position;
        }
        letter
    }

    /// Whether an execution satisfies it.
    fn holds(&self, execution: &Execution<'_>) -> bool {
        let whole = self.is_about_operations();
        let counts = |operation: &&Operation| whole || matches!(operation.action, Action::Event(_));
        let word = |operations: &[Operation]| -> Vec<Letter> {
            operations.iter().filter(counts).map(|o| self.letter(o, execution)).collect()
        };
        match execution.cycle {
            Some(from) => {
                let (stem, mut cycle) =
                    (word(&execution.trace[..from]), word(&execution.trace[from..]));
                if cycle.is_empty() {
                    cycle.push(0); // it goes round without any event
                }
                self.tree.holds_on_lasso(&stem, &cycle)
            }
            None => {
                let mut word = word(execution.trace);
                word.push(0); // the end, where nothing happens
                self.tree.holds_on_word(&word)
            }
        }
    }
}

/// Whether an operation is called so: its word, perhaps its object, perhaps its thread before it.
fn is_called(operation: &Operation, label: &str, execution: &Execution<'_>) -> bool {
    let (thread, rest) = match label.split_once(": ") {
        Some((thread, rest)) => (Some(thread), rest),
        None => (None, label),
    };
    let (word, object) = match rest.split_once(' ') {
        Some((word, object)) => (word, Some(object)),
        None => (rest, None),
    };
    operation.action.word() == word
        && object.is_none_or(|name| execution.names.object(operation.object) == name)
        && thread.is_none_or(|name| execution.names.task(operation.task) == name)
}

impl Monitor for Formula {
    fn finish(&mut self, execution: &Execution<'_>) -> Option<Fault> {
        if !execution.is_complete || self.holds(execution) {
            return None;
        }
        let shape = if execution.cycle.is_some() {
            "a run that goes round for ever"
        } else {
            "a run that ends"
        };
        Some(Fault::Check {
            name: self.text.to_string(),
            message: format!("is violated by {shape}"),
        })
    }

    fn needs_all_orders(&self) -> bool {
        self.is_about_operations()
    }
}
