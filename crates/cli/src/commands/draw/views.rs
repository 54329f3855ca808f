//! What can be drawn of a protocol beside its states: what one role does, and a run that shows as much
//! as possible.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quadrille_diagnostic::{Diagnostic, similar};
use quadrille_engine::Space;
use quadrille_model::{ActionId, Ending, Explicit, GroupId, StateId, Step, Trace};
use quadrille_protocol::core::ProtocolModel;
use quadrille_protocol::project::Projection;
use quadrille_report::{Graph, GraphEdge, GraphNode, NodeShape};

use crate::codes;

/// The automaton of a role, with the names that the text gives to its states.
pub(super) fn role(
    projection: &Projection,
    role: &str,
    title: &str,
    model: &ProtocolModel,
) -> Result<Graph, Diagnostic> {
    let locals = projection.locals();
    let Some(local) = locals.iter().find(|local| projection.role(local.role) == role) else {
        let known: Vec<&str> = locals.iter().map(|local| projection.role(local.role)).collect();
        let message = format!("the protocol has no role `{role}`");
        let help = match similar(role, known.iter().copied()).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its roles are {}", known.join(", ")),
        };
        return Err(Diagnostic::error(&codes::UNKNOWN_ROLE, message).help(help));
    };
    let names = projection.state_names(model);
    let name = |number: usize| names.get(&(local.role, number)).cloned();
    let nodes = local.states.iter().enumerate().map(|(number, state)| GraphNode {
        label: name(number).unwrap_or_else(|| number.to_string()),
        tooltip: format!("{role}: {number}"),
        initial: number == 0,
        end: state.may_end,
        stuck: state.edges.is_empty() && !state.may_end,
        shape: NodeShape::State,
    });
    let mut edges: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for (from, state) in local.states.iter().enumerate() {
        for step in &state.edges {
            let label = projection.label(step.act);
            // Who acts is the title of the drawing.
            let label = label.strip_prefix(role).unwrap_or(label).trim_start().to_owned();
            let labels = edges.entry((from, step.to.index())).or_default();
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
    }
    let edge = |((from, to), labels)| GraphEdge { from, to, labels };
    Ok(Graph {
        title: format!("{title}: {role}"),
        nodes: nodes.collect(),
        edges: edges.into_iter().map(edge).collect(),
    })
}

/// Most steps of a run that shows as much as possible.
const MAX_STEPS: usize = 200;

/// A run that performs as many different actions as one run can, always going to the nearest that is
/// new; then to the nearest end, or round a loop.
pub(super) fn tour(space: &Space, table: &Explicit) -> Option<Trace> {
    let start = *table.initial_states().first()?;
    let mut path: Vec<(ActionId, StateId)> = Vec::new();
    let mut seen: BTreeSet<ActionId> = BTreeSet::new();
    let mut at = start;
    while path.len() < MAX_STEPS {
        let Some(steps) = nearest(table, at, |action, _| !seen.contains(&action)) else { break };
        seen.extend(steps.iter().map(|(action, _)| *action));
        at = steps.last().map_or(at, |(_, to)| *to);
        path.extend(steps);
    }
    let is_over = |state: StateId| table.is_end(state) || table.edges(state).is_empty();
    if !is_over(at)
        && let Some(steps) = nearest(table, at, |_, to| is_over(to))
    {
        at = steps.last().map_or(at, |(_, to)| *to);
        path.extend(steps);
    }
    let mut ending = match (table.is_end(at), table.edges(at).is_empty()) {
        (true, _) => Ending::Finished,
        (false, true) => Ending::Stuck,
        (false, false) => Ending::Prefix,
    };
    if ending == Ending::Prefix {
        let place = |state: StateId, path: &[(ActionId, StateId)]| {
            let states = std::iter::once(start).chain(path.iter().map(|(_, to)| *to));
            states.take(path.len()).position(|known| known == state)
        };
        let known = path.clone();
        if let Some(from) = place(at, &known) {
            ending = Ending::Loop { from };
        } else if let Some(steps) = nearest(table, at, |_, to| place(to, &known).is_some()) {
            let back = steps.last().map_or(at, |(_, to)| *to);
            path.extend(steps);
            ending = place(back, &known).map_or(Ending::Prefix, |from| Ending::Loop { from });
        }
    }
    let step = |(action, to): (ActionId, StateId)| Step {
        group: GroupId::new(action.number()),
        action,
        state: vec![to.number()],
    };
    let steps = path.into_iter().map(step).collect();
    space.retold(&Trace { initial: vec![start.number()], steps, ending })
}

/// The shortest way from a state whose last step is wanted.
fn nearest(
    table: &Explicit,
    from: StateId,
    wanted: impl Fn(ActionId, StateId) -> bool,
) -> Option<Vec<(ActionId, StateId)>> {
    let mut arrivals: BTreeMap<StateId, (StateId, ActionId)> = BTreeMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(state) = queue.pop_front() {
        for &(action, to) in table.edges(state) {
            if wanted(action, to) {
                let mut steps = vec![(action, to)];
                let mut at = state;
                while at != from {
                    let (before, action) = arrivals[&at];
                    steps.push((action, at));
                    at = before;
                }
                steps.reverse();
                return Some(steps);
            }
            if to != from && !arrivals.contains_key(&to) {
                arrivals.insert(to, (state, action));
                queue.push_back(to);
            }
        }
    }
    None
}
