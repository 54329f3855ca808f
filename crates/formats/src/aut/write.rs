//! Writes a table as an Aldebaran text, always the same for the same table.

use std::fmt::{self, Write};

use quadrille_model::Explicit;

/// Why a table cannot be written as an Aldebaran text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AutError {
    /// The format has exactly one initial state; this table has another number of them.
    InitialStates(usize),
    /// The text does not take more.
    Full,
}

impl fmt::Display for AutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InitialStates(n) => {
                write!(f, "an .aut file has exactly one initial state, this system has {n}")
            }
            Self::Full => f.write_str("the text became too long"),
        }
    }
}

impl std::error::Error for AutError {}

/// The table as an Aldebaran text: labels in quotes, edges by source, then label, then target.
/// The format has no place for propositions and proper ends; they are left out.
pub fn write_aut(model: &Explicit) -> Result<String, AutError> {
    let mut out = String::new();
    write_aut_to(&mut out, model)?;
    Ok(out)
}

/// [`write_aut`] to somewhere that may refuse to take more.
pub fn write_aut_to(out: &mut impl Write, model: &Explicit) -> Result<(), AutError> {
    let [initial] = model.initial_states() else {
        return Err(AutError::InitialStates(model.initial_states().len()));
    };
    let labels: Vec<String> = model.labels().iter().map(|label| quote(label)).collect();
    let (n_edges, n_states) = (model.n_edges(), model.n_states());
    let full = |_: fmt::Error| AutError::Full;
    writeln!(out, "des ({},{n_edges},{n_states})", initial.number()).map_err(full)?;
    let mut edges = Vec::new();
    for state in model.states() {
        edges.clear();
        let of = model.edges(state).iter();
        edges.extend(of.map(|(action, to)| (labels[action.index()].as_str(), to.number())));
        edges.sort_unstable();
        for (label, to) in &edges {
            writeln!(out, "({},{label},{to})", state.number()).map_err(full)?;
        }
    }
    Ok(())
}

fn quote(label: &str) -> String {
    let mut out = String::with_capacity(label.len() + 2);
    out.push('"');
    for character in label.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
