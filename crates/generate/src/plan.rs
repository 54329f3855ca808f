//! From an explored protocol to the [`Plan`] that its machines execute: tables, and queues chosen by what is proven about
//! them. Knows no Rust text.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use quadrille_diagnostic::{Code, Diagnostic, Severity};
use quadrille_engine::equivalence::{Bisimulation, Comparison, Relation, View, compare};
use quadrille_engine::{Limits, Observer, Space};
use quadrille_model::{InteractionKind, Model};
use quadrille_protocol::core::{ActId, Message, RoleId};
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

/// Which variants a module has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Variants {
    /// The strict one, and the liberal one where it is faithful to the protocol; a warning says where it is not.
    #[default]
    WhereFaithful,
    /// One automaton for all roles.
    Strict,
    /// An automaton per role; refused where it is not faithful to the protocol.
    Liberal,
    /// Both; refused where the liberal one is not faithful to the protocol.
    Both,
}

impl Variants {
    /// Whether the strict variant is one of them.
    pub fn has_strict(self) -> bool {
        self != Variants::Liberal
    }

    /// Whether the liberal variant may be one of them.
    pub fn has_liberal(self) -> bool {
        self != Variants::Strict
    }
}

/// Options of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Which variants.
    pub variants: Variants,
    /// The capacity of unbounded queues. Senders wait for room there.
    pub capacity: u32,
    /// Whether the liberal variant may be unfaithful to the protocol.
    pub accept_differences: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { variants: Variants::default(), capacity: 1, accept_differences: false }
    }
}

/// A plan with warnings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The messages of its labels.
    pub messages: Vec<Message>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// The plan of a protocol, whose name with its arguments is `name`.
///
/// Queues of the liberal variant are chosen by what is proven about them. Where messages in flight are bounded, queues have
/// exactly that capacity, and senders never wait for room. A receiver that waits for several senders in some state gets one
/// inbox for all of them, if that does not change the behaviour.
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
    let mut liberal = None;
    if wanted.variants.has_liberal() {
        match liberal_form(explored, wanted, limits, observer, &mut warnings) {
            Ok(made) => liberal = Some(made),
            Err(Refused::Unfaithful(refusal)) if wanted.variants == Variants::WhereFaithful => {
                warnings.push(left_out(refusal));
            }
            Err(refused) => return Err(refused.diagnostics()),
        }
    }
    let global = explored.global();
    let acts = Acts::of(global);
    let strict = if wanted.variants.has_strict() { strict(global, &acts) } else { Vec::new() };
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

/// The liberal variant with its queues.
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
            Refused::Unfaithful(diagnostic) => diagnostic.help(
                "generate the strict variant alone with `--variant strict`, or accept this with `--accept-differences`; \
                 in a build script, `.variants(Variants::Strict)` or `.accept_differences()`",
            ),
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
        return Err(Refused::Unfaithful(as_error(&UNFAITHFUL, &told)));
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

/// The same with an inbox for each role that waits for several senders at once; `None` if no role does, or if the order of
/// arrival would then matter.
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
    let Ok(InFlight::Bounded(most)) = in_flight(&mixed, limits, observer) else { return None };
    // Any model that is bisimilar to the form with pairs will do; a faithful strict variant is the smallest.
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

/// Refuses an unfaithful form, unless that was accepted; otherwise keeps the warnings.
fn judge(
    faithfulness: &Faithfulness,
    told: Vec<Diagnostic>,
    wanted: &Wanted,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(), Refused> {
    let refusal = match faithfulness {
        Faithfulness::Faithful | Faithfulness::SameRuns(_) | Faithfulness::Reordered(_) => None,
        Faithfulness::Differs(_) => told.first().map(|told| as_error(&UNFAITHFUL, told)),
        Faithfulness::Unknown(bound) => {
            let message = "it is not known whether the liberal variant does what the protocol says";
            Some(Diagnostic::error(&BOUND_REACHED, message).note(reached(*bound)))
        }
    };
    if wanted.accept_differences {
        return Ok(());
    }
    match refusal {
        Some(refusal) => Err(Refused::Unfaithful(refusal)),
        None => {
            warnings.extend(told);
            Ok(())
        }
    }
}

/// The warning that a module has no liberal variant.
fn left_out(refusal: Diagnostic) -> Diagnostic {
    let message = format!("the module has no liberal variant: {}", refusal.message);
    Diagnostic { severity: Severity::Warning, message, ..refusal }
        .help("to generate it nevertheless, give `--accept-differences`; without this warning, `--variant strict`")
}

/// A diagnostic as an error with another code.
fn as_error(code: &'static Code, told: &Diagnostic) -> Diagnostic {
    let note = told.help.iter().map(|help| format!("to change that, {help}"));
    Diagnostic {
        labels: told.labels.clone(),
        notes: told.notes.iter().cloned().chain(note).collect(),
        ..Diagnostic::error(code, told.message.clone())
    }
}

/// The roles with a state in which they wait for several senders.
fn waiting_for_several(projection: &Projection) -> BTreeSet<RoleId> {
    let waits = |state: &LocalState| {
        let receives = state
            .edges
            .iter()
            .map(|edge| projection.act(edge.act))
            .filter(|act| act.kind == InteractionKind::Receive);
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

/// The reachable actions, renumbered, with their messages.
struct Acts {
    numbers: BTreeMap<ActId, plan::ActId>,
    made: Vec<plan::Act>,
    /// Messages and local steps, by label.
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
                kind: act.kind,
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

fn local(automaton: &LocalAutomaton, acts: &Acts) -> plan::LocalAutomaton {
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
    plan::LocalAutomaton { states: automaton.states.iter().map(state).collect() }
}

fn packet(packet: &Packet, acts: &Acts) -> plan::Packet {
    plan::Packet { act: acts.number(packet.act), variant: packet.variant }
}

fn role_id(role: RoleId) -> plan::RoleId {
    plan::RoleId(role.participant().number() as u16)
}
