//! From an explored protocol to the [`Plan`] that its machines follow: tables, and queues chosen by
//! what is proven about them. Knows no Rust text.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use quadrille_diagnostic::{Code, Diagnostic};
use quadrille_engine::equivalence::{Bisimulation, Comparison, Relation, View, compare};
use quadrille_engine::{Limits, Observer, Space};
use quadrille_model::Model;
use quadrille_protocol::core::{ActId, ActKind, Message, RoleId};
use quadrille_protocol::project::{
    Global, Liberal, LocalAutomaton, LocalState, Packet, Projection, Queues,
};
use quadrille_query::protocol::{
    Explored, Faithfulness, InFlight, LiberalReport, Stopped, early_deviation, examined, in_flight,
    projected, with_capacities,
};
use quadrille_runtime::Plan;
use quadrille_runtime::plan;

use crate::codes::{BOUND_REACHED, UNFAITHFUL};
use crate::{reached, too_large};

/// Which forms a module has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Forms {
    /// One machine for everybody.
    Strict,
    /// A machine per role.
    Liberal,
    /// Both; whoever uses the module chooses.
    #[default]
    Both,
}

impl Forms {
    /// Whether the strict form is one of them.
    pub fn has_strict(self) -> bool {
        self != Forms::Liberal
    }

    /// Whether the liberal form is one of them.
    pub fn has_liberal(self) -> bool {
        self != Forms::Strict
    }
}

/// What is wanted of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Which forms.
    pub forms: Forms,
    /// What queues hold that would grow for ever if they could. Senders wait for room there.
    pub capacity: u32,
    /// Whether the liberal form may differ from the protocol.
    pub accept_differences: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { forms: Forms::Both, capacity: 1, accept_differences: false }
    }
}

/// A plan, and what its user should know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// What its labels stand for.
    pub messages: Vec<Message>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// The plan of a protocol, whose name with its arguments is `name`.
///
/// Queues of the liberal form are chosen by what is proven about them. Where messages in flight are bounded
/// queues hold exactly that, and nobody ever waits for room. A receiver that somewhere waits for several
/// senders at once gets one inbox for all of them, if that changes nothing.
///
/// The limits are for each search.
pub fn plan_of(
    name: &str,
    explored: &Explored<'_>,
    wanted: &Wanted,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Planned, Vec<Diagnostic>> {
    let mut warnings = Vec::new();
    let liberal = if wanted.forms.has_liberal() {
        let made = liberal_form(explored, wanted, limits, observer, &mut warnings);
        Some(made.map_err(Refused::diagnostics)?)
    } else {
        None
    };
    let global = explored.global();
    let acts = Acts::of(global);
    let strict = if wanted.forms.has_strict() { strict(global, &acts) } else { Vec::new() };
    let (mut locals, mut packets, mut queues) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(LiberalForm { liberal, queues: chosen }) = liberal {
        let projection = liberal.projection();
        locals = projection.locals().iter().map(|role| local(role, &acts)).collect();
        packets = projection.packets().iter().map(|sent| packet(sent, &acts)).collect();
        queues = chosen;
    }
    let roles = global.role_ids().map(|role| Cow::Owned(global.role(role).to_owned()));
    let plan = Plan {
        protocol: Cow::Owned(name.to_owned()),
        roles: roles.collect(),
        labels: acts.messages.iter().map(|message| Cow::Owned(message.to_string())).collect(),
        acts: acts.made.into(),
        strict: strict.into(),
        locals: locals.into(),
        packets: packets.into(),
        queues: queues.into(),
    };
    Ok(Planned { plan, messages: acts.messages, warnings })
}

/// The liberal form with the queues that were chosen for it.
struct LiberalForm {
    liberal: Liberal,
    queues: Vec<plan::Queue>,
}

/// Why there is no plan.
enum Refused {
    Stopped(Stopped),
    Unfaithful(Diagnostic),
}

impl From<Stopped> for Refused {
    fn from(stopped: Stopped) -> Self {
        Refused::Stopped(stopped)
    }
}

impl Refused {
    fn diagnostics(self) -> Vec<Diagnostic> {
        vec![match self {
            Refused::Stopped(stopped) => too_large(&stopped),
            Refused::Unfaithful(diagnostic) => diagnostic,
        }]
    }
}

/// Projects a protocol and chooses the queues.
fn liberal_form(
    explored: &Explored<'_>,
    wanted: &Wanted,
    limits: Limits,
    observer: &mut Observer<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<LiberalForm, Refused> {
    let projection = projected(explored.global(), limits, observer)?;
    let form = Liberal::new(projection, &Queues::PerPair);
    if !wanted.accept_differences
        && let Some(told) = early_deviation(explored, &form, limits, observer)
    {
        return Err(unfaithful(as_error(&UNFAITHFUL, &told)));
    }
    let mut pairs = examined(explored, form, limits, observer)?;
    let InFlight::Bounded(most) = &pairs.in_flight else {
        let form = pairs.liberal;
        let capacities = vec![wanted.capacity.max(1); form.channels().len()];
        let (found, told) = with_capacities(explored, &form, &capacities, limits, observer)?;
        judge(&found, told.into_iter().collect(), wanted, warnings)?;
        let queues = queues(&form, &capacities, false);
        return Ok(LiberalForm { liberal: form, queues });
    };
    judge(&pairs.faithfulness, std::mem::take(&mut pairs.diagnostics), wanted, warnings)?;
    if let Some(form) = with_inboxes(explored.global(), &pairs, limits, observer) {
        return Ok(form);
    }
    let queues = queues(&pairs.liberal, most, true);
    Ok(LiberalForm { liberal: pairs.liberal, queues })
}

/// The same form with an inbox for each role that waits for several others at once; `None` if nobody does, or
/// if the order in which messages arrive would then matter.
fn with_inboxes(
    strict: &Global,
    pairs: &LiberalReport,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Option<LiberalForm> {
    let projection = pairs.liberal.projection();
    let receivers = waiting_for_several(projection);
    if receivers.is_empty() {
        return None;
    }
    let mixed = Liberal::new(projection.clone(), &Queues::Inboxes(receivers));
    let InFlight::Bounded(most) = in_flight(&mixed, limits, observer) else { return None };
    // Whatever is bisimilar to the form with pairs will do, and the strict form is the smallest such.
    let same: &dyn Model = match pairs.faithfulness {
        Faithfulness::Faithful => strict,
        _ => &pairs.liberal,
    };
    let mut table = |form: &dyn Model| Space::new(form).tabulate(limits, observer).ok();
    let (left, right) = (table(same)?, table(&mixed)?);
    let relation = Relation::Bisimilar(Bisimulation::Strong);
    let found = compare(&left, &right, relation, &View::default(), limits, observer);
    let queues = queues(&mixed, &most, true);
    (found == Comparison::Holds).then_some(LiberalForm { liberal: mixed, queues })
}

/// Whether a form will do; keeps what its user should know, unless that was accepted.
fn judge(
    faithfulness: &Faithfulness,
    told: Vec<Diagnostic>,
    wanted: &Wanted,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(), Refused> {
    let refusal = match faithfulness {
        Faithfulness::Faithful | Faithfulness::SameRuns(_) => None,
        Faithfulness::Differs(_) => told.first().map(|told| as_error(&UNFAITHFUL, told)),
        Faithfulness::Unknown(bound) => {
            let message = "it is not known whether the liberal form does what the protocol says";
            Some(Diagnostic::error(&BOUND_REACHED, message).note(reached(*bound)))
        }
    };
    if wanted.accept_differences {
        return Ok(());
    }
    match refusal {
        Some(refusal) => Err(unfaithful(refusal)),
        None => {
            warnings.extend(told);
            Ok(())
        }
    }
}

/// A refusal, with what to do about it.
fn unfaithful(refusal: Diagnostic) -> Refused {
    Refused::Unfaithful(refusal.help(
        "generate the strict form alone with `--form strict`, or accept this with `--accept-differences`; in a \
         build script, `.forms(Forms::Strict)` or `.accept_differences()`",
    ))
}

/// The same message as an error of another kind.
fn as_error(code: &'static Code, told: &Diagnostic) -> Diagnostic {
    let note = told.help.iter().map(|help| format!("to change that, {help}"));
    Diagnostic {
        labels: told.labels.clone(),
        notes: told.notes.iter().cloned().chain(note).collect(),
        ..Diagnostic::error(code, told.message.clone())
    }
}

/// The roles that have a state in which they wait for messages of several others.
fn waiting_for_several(projection: &Projection) -> BTreeSet<RoleId> {
    let waits = |state: &LocalState| {
        let receives = state
            .edges
            .iter()
            .map(|edge| projection.act(edge.act))
            .filter(|act| act.kind == ActKind::Receive);
        receives.map(|act| act.from).collect::<BTreeSet<_>>().len() > 1
    };
    let locals = projection.locals().iter();
    locals.filter(|local| local.states.iter().any(waits)).map(|local| local.role).collect()
}

fn queues(liberal: &Liberal, capacities: &[u32], suffices: bool) -> Vec<plan::Queue> {
    let queues = liberal.channels().iter().zip(capacities);
    queues
        .map(|(channel, &capacity)| plan::Queue {
            from: channel.from.map(role_id),
            to: role_id(channel.to),
            capacity: capacity.max(1),
            suffices,
        })
        .collect()
}

/// The actions that can happen, numbered afresh, and what is sent or done in them.
struct Acts {
    numbers: BTreeMap<ActId, plan::ActId>,
    made: Vec<plan::Act>,
    /// What was sent or done, by label.
    messages: Vec<Message>,
}

impl Acts {
    fn of(global: &Global) -> Self {
        let used: BTreeSet<ActId> =
            global.states().flat_map(|state| global.edges(state)).map(|&(act, _)| act).collect();
        let mut acts = Acts { numbers: BTreeMap::new(), made: Vec::new(), messages: Vec::new() };
        let mut labels = BTreeMap::new();
        for id in used {
            let act = global.act(id);
            let label = act.message.as_ref().map(|message| {
                *labels.entry(message).or_insert_with(|| {
                    acts.messages.push(message.clone());
                    plan::LabelId(acts.messages.len() as u32 - 1)
                })
            });
            acts.numbers.insert(id, plan::ActId(acts.made.len() as u32));
            acts.made.push(plan::Act {
                kind: kind(act.kind),
                from: role_id(act.from),
                to: act.to.iter().copied().map(role_id).collect(),
                label,
                text: Cow::Owned(global.label(id).to_owned()),
            });
        }
        acts
    }

    fn number(&self, act: ActId) -> plan::ActId {
        self.numbers[&act]
    }
}

fn strict(global: &Global, acts: &Acts) -> Vec<plan::GlobalState> {
    let state = |state| plan::GlobalState {
        edges: global
            .edges(state)
            .iter()
            .map(|&(act, to)| (acts.number(act), plan::GlobalId(to.number())))
            .collect(),
        may_end: global.is_end(state),
    };
    global.states().map(state).collect()
}

fn local(automaton: &LocalAutomaton, acts: &Acts) -> plan::Local {
    let state = |state: &LocalState| plan::LocalState {
        edges: state
            .edges
            .iter()
            .map(|edge| plan::Edge {
                act: acts.number(edge.act),
                packet: edge.packet.map(|packet| plan::PacketId(packet.index() as u32)),
                to: plan::LocalId(edge.to.number()),
            })
            .collect(),
        may_end: state.may_end,
    };
    plan::Local { states: automaton.states.iter().map(state).collect() }
}

fn packet(packet: &Packet, acts: &Acts) -> plan::Packet {
    plan::Packet { act: acts.number(packet.act), variant: packet.variant }
}

fn role_id(role: RoleId) -> plan::RoleId {
    plan::RoleId(role.participant().number() as u16)
}

fn kind(kind: ActKind) -> plan::Kind {
    match kind {
        ActKind::Send => plan::Kind::Send,
        ActKind::Receive => plan::Kind::Receive,
        ActKind::Exchange => plan::Kind::Exchange,
        ActKind::Close => plan::Kind::Close,
        ActKind::Local => plan::Kind::Alone,
    }
}
