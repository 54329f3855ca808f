//! Models as Promela, the language of Spin: step by step where their signatures tell everything
//! ([`promela_of_steps`]), else as a table, one process that goes from state to state. Written for
//! cross-checks; nothing reads it back.

mod steps;

pub use steps::promela_of_steps;

use std::fmt::{self, Write};

use quadrille_model::{Explicit, Model as _, StateId};

/// The table as a Promela text to somewhere that may refuse to take more. Spin stores as many states as
/// the table has, and one more where there are several initial states. States in which the system may
/// end are at a label of their own, so that Spin's invalid end states are the deadlocks; propositions
/// are macros.
pub fn write_promela_to(out: &mut impl Write, model: &Explicit) -> fmt::Result {
    writeln!(out, "/* {} states, {} steps */", model.n_states(), model.n_edges())?;
    for (number, proposition) in model.signature().propositions.iter().enumerate() {
        let name = &proposition.name;
        let shown = if is_name(name) { name.clone() } else { format!("p{number}") };
        write!(out, "/* {} */\n#define {shown} (false", comment(name))?;
        for state in model.states() {
            if model.holding(state).iter().any(|held| held.index() == number) {
                write!(out, " || state == {}", state.number())?;
            }
        }
        writeln!(out, ")")?;
    }
    let label = |state: StateId| if model.is_end(state) { "end_here" } else { "going_on" };
    match model.initial_states() {
        [] => return writeln!(out, "init {{ false }}"),
        [only] => {
            writeln!(out, "int state = {};\n\nactive proctype system() {{", only.number())?;
            writeln!(out, "  goto {};", label(*only))?;
        }
        several => {
            writeln!(out, "int state = -1;\n\nactive proctype system() {{\n  if")?;
            for state in several {
                writeln!(out, "  :: state = {}; goto {}", state.number(), label(*state))?;
            }
            writeln!(out, "  fi;")?;
        }
    }
    for (name, is_end) in [("going_on", false), ("end_here", true)] {
        writeln!(out, "{name}:\n  if\n  :: false -> goto {name}")?;
        for state in model.states().filter(|state| model.is_end(*state) == is_end) {
            for (action, to) in model.edges(state) {
                let (from, next) = (state.number(), to.number());
                let action = comment(&model.labels()[action.index()]);
                let then = label(*to);
                writeln!(
                    out,
                    "  :: d_step {{ state == {from} -> state = {next} }} goto {then} /* {action} */"
                )?;
            }
        }
        writeln!(out, "  fi;")?;
    }
    writeln!(out, "}}")
}

/// Whether a text can be the name of a macro, and is none of ours.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic());
    starts
        && text.chars().all(is_part)
        && !["state", "system", "going_on", "end_here"].contains(&text)
}

/// A text that stays within a comment, and on its line.
fn comment(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.replace("*/", "* /").chars().map(plain).collect()
}
