//! What is probably a mistake in a protocol, each finding with a code, a place and a path.
//!
//! | rules | how | where |
//! |---|---|---|
//! | channels: causality, closing, sending to oneself | formulas of branching time with past, per channel | `channels.rs` |
//! | ends, choices, equal beginnings, starvation | on the protocol's automaton | `choices.rs`, `progress.rs` |
//! | a role that cannot tell | on the projection | `choices.rs` |
//! | names that are declared and not used | compared | here |

mod channels;
mod choices;
mod progress;

use std::collections::BTreeSet;

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_engine::{Limits, Observer};
use quadrille_model::Trace;
use quadrille_protocol::core::{ActId, RoleId};

use crate::Stopped;
use crate::codes::{UNDECLARED_ROLE, UNUSED_MESSAGE, UNUSED_ROLE};
use crate::explored::Explored;

/// The names that a file declares, and where.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Declared {
    /// Roles and families of roles.
    pub roles: Vec<(String, Span)>,
    /// Messages.
    pub messages: Vec<(String, Span)>,
}

/// Something that is probably a mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What to tell the user; its code is the rule.
    pub diagnostic: Diagnostic,
    /// The channel it is about, if it is about one.
    pub channel: Option<(RoleId, RoleId)>,
    /// A run of the protocol that shows it, if one can.
    pub trace: Option<Trace>,
}

impl Finding {
    fn new(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, channel: None, trace: None }
    }
}

/// Everything that is probably a mistake in a protocol, in order of codes.
pub fn lint(
    explored: &Explored<'_>,
    declared: &Declared,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Vec<Finding>, Stopped> {
    let mut findings = channels::findings(explored, limits, observer)?;
    findings.extend(progress::findings(explored));
    findings.extend(choices::findings(explored)?);
    findings.extend(names(explored, declared));
    findings.sort_by_key(|finding| finding.diagnostic.code.id);
    Ok(findings)
}

/// Names that are declared and not used, or used and not declared.
fn names(explored: &Explored<'_>, declared: &Declared) -> Vec<Finding> {
    let terms = explored.model().terms();
    let mut roles: BTreeSet<&str> = BTreeSet::new();
    let mut messages: BTreeSet<&str> = BTreeSet::new();
    let mut undeclared: Vec<(&str, ActId)> = Vec::new();
    for act_id in explored.used_acts() {
        let act = explored.global().act(act_id);
        messages.extend(act.message.as_ref().map(|message| message.name.as_str()));
        for role in std::iter::once(act.from).chain(act.to.iter().copied()) {
            let name = terms.role_of(role).name.as_str();
            let is_declared = declared.roles.iter().any(|(declared, _)| declared == name);
            if roles.insert(name) && !is_declared && !declared.roles.is_empty() {
                undeclared.push((name, act_id));
            }
        }
    }
    let unused = |names: &[(String, Span)], used: &BTreeSet<&str>| -> Vec<(String, Span)> {
        names.iter().filter(|(name, _)| !used.contains(name.as_str())).cloned().collect()
    };
    let mut found = Vec::new();
    for (name, span) in unused(&declared.roles, &roles) {
        let message = format!("role `{name}` never takes part");
        found.push(Diagnostic::warning(&UNUSED_ROLE, message).at(span, "declared here"));
    }
    for (name, span) in unused(&declared.messages, &messages) {
        let message = format!("message `{name}` is never sent");
        found.push(Diagnostic::warning(&UNUSED_MESSAGE, message).at(span, "declared here"));
    }
    for (name, act) in undeclared {
        let message = format!("role `{name}` is not declared");
        let diagnostic = Diagnostic::warning(&UNDECLARED_ROLE, message);
        found.push(explored.at(diagnostic, act, "takes part here"));
    }
    found.into_iter().map(Finding::new).collect()
}
