//! What is probably a mistake in a protocol, each finding with a code, a place and a path.
//!
//! | rules | how | where |
//! |---|---|---|
//! | channels: causality, closing, sending to oneself | formulas of branching time with past, per channel | `channels.rs` |
//! | ends, choices, equal beginnings, starvation | on the protocol's automaton | `choices.rs`, `progress.rs` |
//! | a role that cannot tell | on the projection | `choices.rs` |
//! | roles that are declared and not used | compared | here |
//! | the order of steps of different roles | the liberal form, compared | here |

mod channels;
mod choices;
mod progress;

use std::collections::BTreeSet;

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_engine::{Limits, Observer};
use quadrille_model::Bound;
use quadrille_protocol::project::Queues;

use crate::answer::Finding;
use crate::protocol::Stopped;
use crate::protocol::codes::{REORDERED, UNDECLARED_ROLE, UNUSED_ROLE};
use crate::protocol::explored::Explored;
use crate::protocol::faithful::{Faithfulness, LiberalReport, liberal};

pub use progress::stuck;

/// Everything that is probably a mistake in a protocol, in order of codes.
pub fn lint(
    explored: &Explored<'_>,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Vec<Finding>, Stopped> {
    let mut findings = channels::findings(explored, limits, observer)?;
    findings.extend(progress::findings(explored));
    findings.extend(choices::findings(explored, limits, observer)?);
    findings.extend(reordering(explored, limits, observer)?);
    findings.sort_by_key(|finding| finding.diagnostic.code.id);
    Ok(findings)
}

/// Most states of a form that are looked at for a note.
const FEW_STATES: u64 = 20_000;

/// The note that the liberal form of a protocol is the same up to reordering, unless it takes long to know.
fn reordering(
    explored: &Explored<'_>,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Option<Finding>, Stopped> {
    let few = limits.states.map_or(FEW_STATES, |most| most.min(FEW_STATES));
    if explored.counts().states > few {
        return Ok(None);
    }
    let limits = Limits { states: Some(few), ..limits };
    match liberal(explored, &Queues::PerPair, limits, observer) {
        Ok(LiberalReport { faithfulness: Faithfulness::Reordered(_), diagnostics, .. }) => {
            let found = diagnostics.into_iter().find(|told| told.code == &REORDERED);
            Ok(found.map(Finding::from))
        }
        Err(stopped @ Stopped::Bound(Bound::Interrupted | Bound::Time(_))) => Err(stopped),
        // What is wrong with the form itself is told where it is asked for.
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Roles that a file declares and none of its protocols uses, and roles that one uses and the file does
/// not declare, although it declares others. For languages that do not see to it themselves.
pub fn lint_roles(declared: &[(&str, Span)], protocols: &[&Explored<'_>]) -> Vec<Diagnostic> {
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let mut undeclared = Vec::new();
    for explored in protocols {
        for act_id in explored.used_acts() {
            let act = explored.global().act(act_id);
            for role in std::iter::once(act.from).chain(act.to.iter().copied()) {
                let name = explored.model().terms().role_of(role).name.as_str();
                let is_declared = declared.iter().any(|&(declared, _)| declared == name);
                if used.insert(name) && !is_declared && !declared.is_empty() {
                    let message = format!("role `{name}` is not declared");
                    let diagnostic = Diagnostic::warning(&UNDECLARED_ROLE, message);
                    let before = explored.path_before(act_id);
                    undeclared.push(explored.at(diagnostic, &before, act_id, "takes part here"));
                }
            }
        }
    }
    let unused = declared.iter().filter(|(name, _)| !used.contains(name)).map(|&(name, span)| {
        let message = format!("role `{name}` never takes part");
        Diagnostic::warning(&UNUSED_ROLE, message).at(span, "declared here")
    });
    unused.chain(undeclared).collect()
}
