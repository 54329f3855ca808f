//! Rules about channels, each a formula per channel p→q on states with the action that led there. The
//! rules are those of Discourje's own lint; two of them are two here, one for what is
//! often intended.

use std::collections::BTreeSet;

use quadrille_diagnostic::{Code, Diagnostic};
use quadrille_engine::{Graph, Interpretation, Limits, Meaning, Observer, check_ctl};
use quadrille_logic::{AtomId, Binary, Formula, Path, Unary};
use quadrille_model::{Action, Interaction, InteractionKind, Model, ParticipantId, Trace, Verdict};
use quadrille_protocol::core::{ActId, RoleId};

use crate::answer::Finding;
use crate::protocol::Stopped;
use crate::protocol::codes::{
    CAUSALITY, CLOSED_NEVER_USED, CLOSED_TWICE, CLOSED_UNUSED_ON_PATH, NOT_CLOSED,
    SENT_AFTER_CLOSE, SENT_TO_SELF, STAYS_OPEN, UNPROMPTED,
};
use crate::protocol::explored::{Explored, steps_note};

/// A rule about each channel.
struct Rule {
    code: &'static Code,
    formula: fn() -> Formula,
    /// Whether it is about channels from a role to itself only.
    of_self: bool,
    /// The message, after the name of the channel.
    message: &'static str,
    help: &'static str,
    /// What must happen on a channel for the rule to be broken.
    about: InteractionKind,
    /// The action to point at.
    kind: InteractionKind,
    /// A rule that says more, and is enough where both are broken.
    implies: Option<&'static Code>,
}

const RULES: [Rule; 9] = [
    Rule {
        code: &CAUSALITY,
        formula: || {
            let is_involved = Formula::or([initial(), some(Unary::Once, acted())]);
            let involved = always(some(Unary::Next, sent()).implies(is_involved));
            Formula::or([prompted(), involved])
        },
        of_self: false,
        message: "has a sender that was not involved before",
        help: "let another role send to the sender first",
        about: InteractionKind::Send,
        kind: InteractionKind::Send,
        implies: None,
    },
    Rule {
        code: &UNPROMPTED,
        formula: prompted,
        of_self: false,
        message: "has a sender that no message prompts",
        help: "let another role send to the sender right before",
        about: InteractionKind::Send,
        kind: InteractionKind::Send,
        implies: Some(&CAUSALITY),
    },
    Rule {
        code: &NOT_CLOSED,
        formula: || {
            let can_be = Formula::Binary(
                Path::All,
                Binary::WeakUntil,
                Box::new(possible(closed())),
                Box::new(closed()),
            );
            always(sent().implies(can_be))
        },
        of_self: false,
        message: "is closed on some runs and left open on others",
        help: "close it wherever the protocol ends",
        about: InteractionKind::Close,
        kind: InteractionKind::Send,
        implies: None,
    },
    Rule {
        code: &STAYS_OPEN,
        formula: || always(sent().implies(all(Unary::Eventually, closed()))),
        of_self: false,
        message: "may stay open",
        help: "close it where the protocol ends",
        about: InteractionKind::Send,
        kind: InteractionKind::Send,
        implies: Some(&NOT_CLOSED),
    },
    Rule {
        code: &CLOSED_UNUSED_ON_PATH,
        formula: || always(closed().implies(some(Unary::Once, sent()))),
        of_self: false,
        message: "may be closed where nothing was sent on it",
        help: "close it only in the branches that use it",
        about: InteractionKind::Close,
        kind: InteractionKind::Close,
        implies: None,
    },
    Rule {
        code: &CLOSED_NEVER_USED,
        formula: || possible(closed()).implies(possible(sent())),
        of_self: false,
        message: "is closed and never used",
        help: "perhaps sender and receiver were exchanged",
        about: InteractionKind::Close,
        kind: InteractionKind::Close,
        implies: None,
    },
    Rule {
        code: &CLOSED_TWICE,
        formula: || always(closed().implies(!some(Unary::Next, possible(closed())))),
        of_self: false,
        message: "may be closed twice",
        help: "close it once",
        about: InteractionKind::Close,
        kind: InteractionKind::Close,
        implies: None,
    },
    Rule {
        code: &SENT_AFTER_CLOSE,
        formula: || always(closed().implies(always(!sent()))),
        of_self: false,
        message: "may be sent on after it was closed",
        help: "close it when nothing more is to be sent",
        about: InteractionKind::Close,
        kind: InteractionKind::Send,
        implies: None,
    },
    Rule {
        code: &SENT_TO_SELF,
        formula: || always(!sent()),
        of_self: true,
        message: "leads from a role to itself",
        help: "a role knows what it would tell itself; leave the message out",
        about: InteractionKind::Send,
        kind: InteractionKind::Send,
        implies: None,
    },
];

pub(super) fn findings(
    explored: &Explored<'_>,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Vec<Finding>, Stopped> {
    // On the protocol itself: its automaton mixes the histories of equivalent states.
    let model = explored.model();
    let mut graph = Graph::new(model);
    let mut findings = Vec::new();
    for channel in channels(explored) {
        let (from, to) = (channel.0.participant(), channel.1.participant());
        let interpretation = Interpretation::new(vec![
            Meaning::Action(Box::new(move |action| is_send(action, from, to))),
            Meaning::Action(Box::new(move |action| {
                action.interaction == Interaction::Close { from, to }
            })),
            Meaning::Action(Box::new(move |action| is_receive(action, from))),
            Meaning::Action(Box::new(move |action| acts(action, from))),
        ]);
        let happens = |kind| explored.used_acts().any(|act| uses(explored, act, channel, kind));
        let (is_used, is_closed) =
            (happens(InteractionKind::Send), happens(InteractionKind::Close));
        let may_break = |rule: &&Rule| {
            let happens = if rule.about == InteractionKind::Close { is_closed } else { is_used };
            happens && (!rule.of_self || from == to)
        };
        let mut broken: Vec<&Code> = Vec::new();
        for rule in RULES.iter().filter(may_break) {
            let report =
                check_ctl(&mut graph, &(rule.formula)(), &interpretation, limits, observer)
                    .map_err(|error| Stopped::from(quadrille_engine::Stopped::Failed(error)))?;
            match report.verdict {
                Verdict::Violated(_) if rule.implies.is_some_and(|it| broken.contains(&it)) => {}
                Verdict::Violated(trace) => {
                    broken.push(rule.code);
                    findings.push(finding(explored, rule, channel, trace));
                }
                Verdict::Holds => {}
                Verdict::Unknown(bound) => return Err(Stopped::Bound(bound)),
            }
        }
    }
    Ok(findings)
}

fn finding(
    explored: &Explored<'_>,
    rule: &Rule,
    channel: (RoleId, RoleId),
    trace: Option<Trace>,
) -> Finding {
    let global = explored.global();
    let name = format!("{} to {}", global.role(channel.0), global.role(channel.1));
    let (before, act) = place(explored, rule, channel, trace.as_ref()).unzip();
    let before = before.unwrap_or_default();
    let message = format!("the channel from {name} {}", rule.message);
    let mut diagnostic = Diagnostic::warning(rule.code, message);
    if let Some(act) = act {
        diagnostic = explored.at(diagnostic, &before, act, "here");
    }
    if let Some(trace) = &trace {
        let labels: Vec<String> =
            trace.steps.iter().map(|step| explored.model().action(step.action).label).collect();
        diagnostic = diagnostic.note(steps_note("shown by", &labels));
    }
    let role = |role| global.role(role).to_owned();
    let channel = Some((role(channel.0), role(channel.1)));
    Finding { diagnostic: diagnostic.help(rule.help), channel, trace }
}

/// The action that a finding is about and those before it: the last in the run that shows it, or the
/// first that is possible.
fn place(
    explored: &Explored<'_>,
    rule: &Rule,
    channel: (RoleId, RoleId),
    trace: Option<&Trace>,
) -> Option<(Vec<ActId>, ActId)> {
    let steps = trace.map_or(&[][..], |trace| &trace.steps).iter();
    let mut run: Vec<ActId> = steps.map(|step| ActId::from(step.action)).collect();
    match run.iter().rposition(|&act| uses(explored, act, channel, rule.kind)) {
        Some(last) => {
            let act = run[last];
            run.truncate(last);
            Some((run, act))
        }
        None => {
            let act = explored.used_acts().find(|&act| uses(explored, act, channel, rule.kind))?;
            Some((explored.path_before(act), act))
        }
    }
}

/// Whether an action closes a channel, or sends on it.
fn uses(
    explored: &Explored<'_>,
    act: ActId,
    channel: (RoleId, RoleId),
    kind: InteractionKind,
) -> bool {
    let act = explored.global().act(act);
    let is_kind = match kind {
        InteractionKind::Close => act.kind == InteractionKind::Close,
        _ => matches!(act.kind, InteractionKind::Send | InteractionKind::Exchange),
    };
    is_kind && act.from == channel.0 && act.to.contains(&channel.1)
}

/// The channels on which something is sent or which are closed.
fn channels(explored: &Explored<'_>) -> BTreeSet<(RoleId, RoleId)> {
    let acts = explored.used_acts().map(|act| explored.global().act(act));
    let on_channel = acts.filter(|act| {
        matches!(
            act.kind,
            InteractionKind::Send | InteractionKind::Exchange | InteractionKind::Close
        )
    });
    on_channel.flat_map(|act| act.to.iter().map(|&to| (act.from, to))).collect()
}

fn is_send(action: &Action, p: ParticipantId, q: ParticipantId) -> bool {
    match &action.interaction {
        Interaction::Send { from, to, .. } | Interaction::Exchange { from, to, .. } => {
            *from == p && to.contains(&q)
        }
        _ => false,
    }
}

fn is_receive(action: &Action, p: ParticipantId) -> bool {
    match &action.interaction {
        Interaction::Receive { to, .. } => *to == p,
        Interaction::Exchange { to, .. } => to.contains(&p),
        _ => false,
    }
}

/// Whether a participant takes an active part.
fn acts(action: &Action, p: ParticipantId) -> bool {
    let is_sender = match &action.interaction {
        Interaction::Send { from, .. }
        | Interaction::Exchange { from, .. }
        | Interaction::Close { from, .. } => *from == p,
        _ => false,
    };
    is_sender || is_receive(action, p)
}

fn sent() -> Formula {
    Formula::atom(AtomId::from_usize(0))
}

fn closed() -> Formula {
    Formula::atom(AtomId::from_usize(1))
}

fn received() -> Formula {
    Formula::atom(AtomId::from_usize(2))
}

fn acted() -> Formula {
    Formula::atom(AtomId::from_usize(3))
}

/// If the channel is used at all, then somewhere as the first action, or right after the sender received.
fn prompted() -> Formula {
    let has_cause = Formula::or([initial(), received()]);
    possible(sent()).implies(possible(Formula::and([some(Unary::Next, sent()), has_cause])))
}

/// Nothing has happened yet.
fn initial() -> Formula {
    !some(Unary::Previous, Formula::True)
}

fn some(operator: Unary, operand: Formula) -> Formula {
    Formula::Unary(Path::Some, operator, Box::new(operand))
}

fn all(operator: Unary, operand: Formula) -> Formula {
    Formula::Unary(Path::All, operator, Box::new(operand))
}

fn possible(operand: Formula) -> Formula {
    some(Unary::Eventually, operand)
}

fn always(operand: Formula) -> Formula {
    all(Unary::Always, operand)
}
