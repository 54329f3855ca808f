//! Whether the liberal form of a protocol does what the protocol says: both are compared as tables,
//! queues included, and a difference is traced to the step that makes it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;

use quadrille_diagnostic::{Diagnostic, Severity};
use quadrille_engine::equivalence::{
    Bisimulation, Comparison, Difference, Observation, Relation, Side, View, Word, compare,
};
use quadrille_engine::{Edge, Limits, Observer, Progress, Space};
use quadrille_model::{Bound, Ending, Model, StateId, Trace, Verdict};
use quadrille_protocol::core::ActId;
use quadrille_protocol::project::{Global, Liberal, Projection, Queues, Size};

use super::Stopped;
use super::codes::{ADDED, LOST, OTHER_MOMENT, REORDERED, UNBOUNDED};
use super::explored::{Explored, steps_note};
use super::order::{Order, compare_order};
use super::queues::{InFlight, in_flight};

/// The liberal form of a protocol and what is known of it.
pub struct LiberalReport {
    /// The automata and queues.
    pub liberal: Liberal,
    /// What the queues must hold.
    pub in_flight: InFlight,
    /// Whether it does what the protocol says.
    pub faithfulness: Faithfulness,
    /// What to tell the user.
    pub diagnostics: Vec<Diagnostic>,
}

/// Whether the liberal form of a protocol does what the protocol says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Faithfulness {
    /// It does the same: the forms are strongly bisimilar.
    Faithful,
    /// It has the same runs, but choices fall at other moments; what tells them apart.
    SameRuns(Difference),
    /// It is the same up to the order of steps of different roles ([`compare_order`]); a run in which they are in another
    /// order.
    Reordered(Box<Deviation>),
    /// It has other runs.
    Differs(Box<Deviation>),
    /// A bound was reached first.
    Unknown(Bound),
}

impl Faithfulness {
    /// Whether the liberal form has the runs of the protocol, up to the order of steps of different roles; if not, with a
    /// run that it has and the other has not.
    pub fn verdict(&self) -> Verdict {
        match self {
            Faithfulness::Faithful | Faithfulness::SameRuns(_) | Faithfulness::Reordered(_) => {
                Verdict::Holds
            }
            Faithfulness::Differs(deviation) => Verdict::Violated(Some(deviation.trace.clone())),
            Faithfulness::Unknown(bound) => Verdict::Unknown(*bound),
        }
    }
}

/// A shortest run that one form has and the other has not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deviation {
    /// Which form has it.
    pub which: Which,
    /// What is seen; the other form can go along until the last.
    pub observations: Vec<Observation>,
    /// The run: of the liberal form where it was added, of the strict form where it was lost.
    pub trace: Trace,
}

/// What became of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// The liberal form has it and the protocol has not.
    Added,
    /// The protocol has it and the liberal form has not.
    Lost,
}

/// Projects a protocol to all its roles. Of the limits only memory counts: a projection has its own of states.
pub fn projected(
    global: &Global,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Projection, Stopped> {
    let mut watch = |size: &Size| match limits.memory {
        Some(most) if size.bytes > most => ControlFlow::Break(Bound::Memory(most)),
        _ => observer(&Progress {
            states: size.states,
            transitions: size.steps,
            bytes: size.bytes,
            ..Progress::default()
        }),
    };
    Ok(Projection::watched(global, &mut watch)?)
}

/// Projects a protocol and compares what comes out with it. The limits are for each search.
pub fn liberal(
    explored: &Explored<'_>,
    queues: &Queues,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<LiberalReport, Stopped> {
    let projection = projected(explored.global(), limits, observer)?;
    examined(explored, Liberal::new(projection, queues), limits, observer)
}

/// The same for a form that was made already.
pub fn examined(
    explored: &Explored<'_>,
    liberal: Liberal,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<LiberalReport, Stopped> {
    let in_flight = in_flight(&liberal, limits, observer).map_err(Stopped::Unrepeatable)?;
    let global = explored.global();
    let faithfulness = match &in_flight {
        InFlight::Bounded(_) => compare_forms(global, &liberal, limits, observer)?,
        // There is no table of all states, but an added run is usually a short one.
        InFlight::Unbounded(_) => match added_run(global, &liberal, limits, observer) {
            Ok(Some(run)) => Faithfulness::Differs(Box::new(run)),
            Ok(None) => unreachable!("a form with infinitely many states has no last one"),
            Err(Stopped::Bound(bound)) => Faithfulness::Unknown(bound),
            Err(stopped) => return Err(stopped),
        },
        InFlight::Unknown(bound @ Bound::States(_)) => {
            match added_run(global, &liberal, early(limits), observer) {
                Ok(Some(run)) => Faithfulness::Differs(Box::new(run)),
                _ => Faithfulness::Unknown(*bound),
            }
        }
        InFlight::Unknown(bound) => Faithfulness::Unknown(*bound),
    };
    let faithfulness = match &in_flight {
        InFlight::Bounded(_) => up_to_order(explored, &liberal, faithfulness, limits, observer)?,
        InFlight::Unbounded(_) | InFlight::Unknown(_) => faithfulness,
    };
    let mut diagnostics = Vec::new();
    if let InFlight::Unbounded(pump) = &in_flight {
        let name = liberal.channel_name(pump.channel);
        let (prefix, cycle) = pump.labels(&liberal);
        let message = format!("the queue {name} can grow for ever in the liberal form");
        let diagnostic = Diagnostic::warning(&UNBOUNDED, message)
            .note(steps_note("after", &prefix))
            .note(steps_note("can be repeated for ever", &cycle))
            .help("let the receiver answer before the sender goes on");
        let first = cycle.first().and_then(|label| act_of(explored.global(), label));
        diagnostics.push(match first {
            Some(act) => {
                let before = explored.path_before(act);
                explored.at(diagnostic, &before, act, "repeated without waiting")
            }
            None => diagnostic,
        });
    }
    diagnostics.extend(difference(explored, &faithfulness));
    Ok(LiberalReport { liberal, in_flight, faithfulness, diagnostics })
}

/// What to tell of a run that a large form has and the protocol has not, if there is a short one: it is found long
/// before such a form is explored completely. `None` for forms that are not large.
pub fn early_deviation(
    explored: &Explored<'_>,
    liberal: &Liberal,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Option<Diagnostic> {
    let few = early(limits);
    let Ok(InFlight::Unknown(Bound::States(_))) = in_flight(liberal, few, observer) else {
        return None;
    };
    let run = added_run(explored.global(), liberal, few, observer).ok()??;
    Some(explain(explored, &run))
}

/// Most states among which a short run is looked for.
const EARLY: u64 = 100_000;

fn early(limits: Limits) -> Limits {
    Limits { states: Some(limits.states.map_or(EARLY, |most| most.min(EARLY))), ..limits }
}

/// The same question where queues hold only so much each and senders wait for room.
pub fn with_capacities(
    explored: &Explored<'_>,
    liberal: &Liberal,
    capacities: &[u32],
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<(Faithfulness, Option<Diagnostic>), Stopped> {
    let bounded = liberal.bounded(capacities);
    let faithfulness = compare_forms(explored.global(), &bounded, limits, observer)?;
    let faithfulness = up_to_order(explored, &bounded, faithfulness, limits, observer)?;
    let diagnostic = difference(explored, &faithfulness);
    Ok((faithfulness, diagnostic))
}

/// Whether a form with other runs differs in the order of different roles only. Queues of several senders make an order
/// between these, so that such a form is not looked at.
fn up_to_order(
    explored: &Explored<'_>,
    liberal: &Liberal,
    faithfulness: Faithfulness,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Faithfulness, Stopped> {
    let has_pairs = liberal.channels().iter().all(|channel| channel.from.is_some());
    match faithfulness {
        Faithfulness::Differs(deviation) if has_pairs && deviation.which == Which::Added => {
            Ok(match compare_order(explored, liberal, limits, observer)? {
                Order::Same => Faithfulness::Reordered(deviation),
                // A run that no order explains says more than one that another order does.
                Order::Differs(harmful) => Faithfulness::Differs(harmful),
                Order::Unknown(_) => Faithfulness::Differs(deviation),
            })
        }
        faithfulness => Ok(faithfulness),
    }
}

/// What a user should know of it.
fn difference(explored: &Explored<'_>, faithfulness: &Faithfulness) -> Option<Diagnostic> {
    match faithfulness {
        Faithfulness::Differs(deviation) => Some(explain(explored, deviation)),
        Faithfulness::Reordered(deviation) => Some(reordered(explored, deviation)),
        Faithfulness::SameRuns(_) => {
            let message = "the liberal form makes a choice at another moment than the protocol";
            Some(Diagnostic::warning(&OTHER_MOMENT, message))
        }
        Faithfulness::Faithful | Faithfulness::Unknown(_) => None,
    }
}

/// Compares the liberal form, on the left, with the strict one.
fn compare_forms(
    strict: &Global,
    liberal: &dyn Model,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Faithfulness, Stopped> {
    let (mut left, mut right) = (Space::new(liberal), Space::new(strict));
    let strict_table = right.tabulate(limits, observer)?;
    let liberal_table = match left.tabulate(limits, observer) {
        Ok(table) => table,
        Err(quadrille_engine::Stopped::Bound(bound)) => return Ok(Faithfulness::Unknown(bound)),
        Err(stopped) => return Err(stopped.into()),
    };
    let (relation, view) = (Relation::Bisimilar(Bisimulation::Strong), View::default());
    let found = compare(&liberal_table, &strict_table, relation, &view, limits, observer);
    Ok(match found {
        Comparison::Holds => Faithfulness::Faithful,
        Comparison::Unknown(bound) => Faithfulness::Unknown(bound),
        Comparison::Differs(Difference::Word(Word { side, observations, run })) => {
            let (which, space) = match side {
                Side::Left => (Which::Added, &left),
                Side::Right => (Which::Lost, &right),
            };
            let trace = space.retold(&run).expect("the table has the edges of its model");
            Faithfulness::Differs(Box::new(Deviation { which, observations, trace }))
        }
        Comparison::Differs(difference) => Faithfulness::SameRuns(difference),
    })
}

/// A shortest run of the liberal form that the strict form has not, found without exploring either
/// completely: pairs of a state of the one and all states that the other may be in by then.
///
/// There is one if queues grow for ever and the strict form receives all that is sent; where they grow and it
/// does not, the search goes on until a bound ends it.
fn added_run(
    strict: &Global,
    liberal: &Liberal,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Option<Deviation>, Stopped> {
    let mut space = Space::new(liberal);
    let start = (space.initial()[0], vec![Global::START]);
    let mut pairs = vec![(start.clone(), None)];
    let mut seen = BTreeSet::from([start]);
    let most = limits.states.unwrap_or(u64::MAX);
    let mut next = 0;
    while next < pairs.len() {
        let (state, known) = pairs[next].0.clone();
        if space.may_end(state)? && !known.iter().any(|&known| strict.is_end(known)) {
            return Ok(Some(added(&space, &pairs, next, None)));
        }
        for edge in space.expand(state)?.to_vec() {
            let act = ActId::from(edge.action);
            let edges = known.iter().flat_map(|&known| strict.edges(known));
            let after: BTreeSet<StateId> =
                edges.filter(|step| step.0 == act).map(|step| step.1).collect();
            if after.is_empty() {
                return Ok(Some(added(&space, &pairs, next, Some(edge))));
            }
            let pair = (edge.to, after.into_iter().collect::<Vec<_>>());
            if seen.insert(pair.clone()) {
                pairs.push((pair, Some((next, edge))));
            }
        }
        next += 1;
        let progress = Progress {
            states: pairs.len() as u64,
            frontier: (pairs.len() - next) as u64,
            bytes: space.bytes() as u64,
            ..Progress::default()
        };
        if progress.states > most {
            return Err(Bound::States(most).into());
        }
        if next.is_multiple_of(1024)
            && let ControlFlow::Break(bound) = observer(&progress)
        {
            return Err(bound.into());
        }
    }
    Ok(None)
}

/// A pair of a liberal state and all strict states that go with it; how it was reached, if it is not the
/// first: the position of the pair before, and the step.
type Pair = ((StateId, Vec<StateId>), Option<(usize, Edge)>);

/// The run to a pair and one step further, or to an end there.
fn added(space: &Space<'_>, pairs: &[Pair], at: usize, last: Option<Edge>) -> Deviation {
    let back = |&(before, _): &(usize, Edge)| pairs[before].1;
    let mut edges: Vec<Edge> =
        std::iter::successors(pairs[at].1, back).map(|(_, edge)| edge).collect();
    edges.reverse();
    let ending = if last.is_some() { Ending::Prefix } else { Ending::Finished };
    edges.extend(last);
    let label = |edge: &Edge| Observation::Action(space.model().action(edge.action).label);
    let mut observations: Vec<Observation> = edges.iter().map(label).collect();
    if last.is_none() {
        observations.push(Observation::End);
    }
    let trace = space.trace(space.initial()[0], &edges, ending);
    Deviation { which: Which::Added, observations, trace }
}

fn act_of(global: &Global, label: &str) -> Option<ActId> {
    global.act_ids().find(|&act| global.label(act) == label)
}

fn label_of(observation: &Observation) -> String {
    match observation {
        Observation::Action(label) => label.clone(),
        other => other.to_string(),
    }
}

/// What the strict form may do after the observations: the states it may be in.
fn strict_states(global: &Global, observations: &[Observation]) -> BTreeSet<StateId> {
    let mut states = BTreeSet::from([Global::START]);
    for observation in observations {
        let Observation::Action(label) = observation else { break };
        let edges = states.iter().flat_map(|&state| global.edges(state));
        let same = edges.filter(|&&(act, _)| global.label(act) == label);
        states = same.map(|&(_, to)| to).collect();
    }
    states
}

/// A shortest path of the protocol that looks to the role of an action as a run does, and after which the
/// action is possible: why the role performs it.
fn as_seen(global: &Global, run: &[ActId], act: ActId) -> Option<Vec<ActId>> {
    let role = global.act(act).subjects()[0];
    let is_own = |act: ActId| global.act(act).subjects().contains(&role);
    let own: Vec<ActId> = run.iter().copied().filter(|&act| is_own(act)).collect();
    let start = (Global::START, 0);
    let mut arrivals = BTreeMap::from([(start, None)]);
    let mut queue = VecDeque::from([start]);
    while let Some((state, n_own)) = queue.pop_front() {
        let edges = global.edges(state);
        if n_own == own.len() && edges.iter().any(|&(other, _)| other == act) {
            let back = |&(from, _): &((StateId, usize), ActId)| arrivals[&from];
            let steps = std::iter::successors(arrivals[&(state, n_own)], back);
            let mut path: Vec<ActId> = steps.map(|(_, act)| act).collect();
            path.reverse();
            return Some(path);
        }
        for &(step, to) in edges {
            let next = match (is_own(step), own.get(n_own) == Some(&step)) {
                (false, _) => (to, n_own),
                (true, true) => (to, n_own + 1),
                (true, false) => continue,
            };
            if let Entry::Vacant(entry) = arrivals.entry(next) {
                entry.insert(Some(((state, n_own), step)));
                queue.push_back(next);
            }
        }
    }
    None
}

/// The note that only the order of different roles differs.
fn reordered(explored: &Explored<'_>, deviation: &Deviation) -> Diagnostic {
    let message = "the liberal form is the same as the protocol up to reordering";
    let mut diagnostic = Diagnostic::warning(&REORDERED, message);
    diagnostic.severity = Severity::Note;
    let labels = deviation.observations.iter().filter_map(|observation| match observation {
        Observation::Action(label) => Some(label.as_str()),
        _ => None,
    });
    let labels: Vec<&str> = labels.collect();
    let Some((last, before)) = labels.split_last() else { return diagnostic };
    let global = explored.global();
    let run: Vec<ActId> = before.iter().filter_map(|label| act_of(global, label)).collect();
    if let Some(act) = act_of(global, last) {
        let path = as_seen(global, &run, act).unwrap_or_else(|| explored.path_before(act));
        let text = "may happen before what other roles do first in the protocol";
        diagnostic = explored.at(diagnostic, &path, act, text);
    }
    diagnostic.note(
        "each role keeps its own order, every message is received where the protocol has it, and no role gets stuck",
    )
}

fn explain(explored: &Explored<'_>, deviation: &Deviation) -> Diagnostic {
    let global = explored.global();
    if deviation.trace.ending == Ending::Stuck {
        let labels: Vec<String> = deviation.observations.iter().map(label_of).collect();
        return Diagnostic::warning(
            &ADDED,
            "the liberal form gets stuck, and the protocol does not",
        )
        .note(steps_note("after", &labels))
        .help("send a message to the role that must wait, or run the strict form");
    }
    let Some((last, before)) = deviation.observations.split_last() else {
        return Diagnostic::warning(&ADDED, "the liberal form differs from the protocol");
    };
    let labels: Vec<String> = before.iter().map(label_of).collect();
    let (act, what) = match last {
        Observation::Action(label) => (act_of(global, label), format!("`{label}`")),
        _ => (None, "an end".to_owned()),
    };
    let (code, what) = match deviation.which {
        Which::Added => {
            (&ADDED, format!("the liberal form allows {what} where the protocol does not"))
        }
        Which::Lost => {
            (&LOST, format!("the liberal form does not allow {what} where the protocol does"))
        }
    };
    let mut diagnostic = Diagnostic::warning(code, what).note(steps_note("after", &labels));
    let run: Vec<ActId> = labels.iter().filter_map(|label| act_of(global, label)).collect();
    if let Some(act) = act {
        let text = match deviation.which {
            Which::Added => "happens out of turn",
            Which::Lost => "cannot happen there",
        };
        let seen = match deviation.which {
            Which::Added => as_seen(global, &run, act),
            Which::Lost => Some(run.clone()),
        };
        let path = seen.unwrap_or_else(|| explored.path_before(act));
        diagnostic = explored.at(diagnostic, &path, act, text);
    }
    if let (Some(act), Which::Added) = (act, deviation.which) {
        let role = global.role(global.act(act).subjects()[0]);
        let note = format!("`{role}` cannot tell from what it has done so far that it must wait");
        diagnostic = diagnostic.note(note);
    }
    let states = strict_states(global, before);
    let allowed: BTreeSet<ActId> =
        states.iter().flat_map(|&state| global.edges(state).iter().map(|&(act, _)| act)).collect();
    for &act in &allowed {
        diagnostic = explored.at(diagnostic, &run, act, "the protocol goes on here");
    }
    if states.iter().any(|&state| global.is_end(state)) {
        diagnostic = diagnostic.note("the protocol may end there");
    }
    diagnostic.help(match deviation.which {
        Which::Added => "send a message to the role that must wait, or run the strict form",
        Which::Lost => {
            "let messages be received in the order they are sent, or run the strict form"
        }
    })
}
