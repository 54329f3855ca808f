//! The names that the text of a protocol gives to states of roles (`state Deciding of buyer;`), and which states of a plan
//! have them.

use std::collections::BTreeSet;

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_protocol::core::{NamedStates, NotNamed, ProtocolModel, StateName};
use quadrille_runtime::Plan;
use quadrille_runtime::plan::{LocalAutomaton, LocalId, RoleId};

use crate::codes::NAME_UNUSED;
use crate::typestate::Class;

/// Most states of a protocol that are looked at for the names of states.
const MAX_STATES: usize = 200_000;

/// A name and where it stands; members of a family may share it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Written {
    place: Option<Span>,
    pub(crate) name: String,
}

impl From<&StateName> for Written {
    fn from(name: &StateName) -> Self {
        Self { place: name.place, name: name.name.clone() }
    }
}

/// The names of a text, and the states that have them.
#[derive(Default)]
pub(crate) struct WrittenNames {
    all: BTreeSet<StateName>,
    /// By role and local state.
    states: Vec<Vec<Vec<Written>>>,
    /// Why nothing is known of them.
    why_not: Option<Diagnostic>,
}

impl WrittenNames {
    /// The names of a protocol, and the states of its plan that have them.
    pub(crate) fn of_plan(model: &ProtocolModel, plan: &Plan) -> Self {
        match model.named_states(MAX_STATES) {
            // What goes wrong is told where the protocol is explored.
            None | Some(Err(NotNamed::Problem(_))) => Self::default(),
            Some(Err(NotNamed::TooMany(most))) => {
                let message = "the names of states are not used: the protocol is too large";
                let why_not = Diagnostic::warning(&NAME_UNUSED, message)
                    .note(format!("it has more than {most} states"))
                    .help("generate for smaller arguments, or leave out the names");
                Self { why_not: Some(why_not), ..Self::default() }
            }
            Some(Ok(named)) => {
                let roles = plan.roles.iter().zip(plan.locals.iter());
                let states = roles.map(|(role, local)| states(&named, plan, role, local)).collect();
                let all = named.all().into_iter().cloned().collect();
                Self { all, states, why_not: None }
            }
        }
    }

    /// The names of a state that is some local states of a role.
    pub(crate) fn of(&self, role: RoleId, local: &[LocalId]) -> Vec<Written> {
        let Some(states) = self.states.get(role.index()) else { return Vec::new() };
        let names: BTreeSet<&Written> =
            local.iter().flat_map(|state| &states[state.index()]).collect();
        names.into_iter().cloned().collect()
    }

    /// The names that none of these typed states has.
    pub(crate) fn unused(&self, plan: &Plan, classes: &[Class]) -> Vec<Diagnostic> {
        let mut told: Vec<Diagnostic> = self.why_not.clone().into_iter().collect();
        let states = || {
            classes.iter().flat_map(|class| class.states.iter().map(move |state| (class, state)))
        };
        let used: BTreeSet<&Written> =
            states().filter_map(|(_, state)| state.names.first()).collect();
        let mut seen = BTreeSet::new();
        for name in &self.all {
            let written = Written::from(name);
            if used.contains(&written) || !seen.insert(written.clone()) {
                continue;
            }
            let StateName { name, role, .. } = name;
            let mut diagnostic = Diagnostic::warning(
                &NAME_UNUSED,
                format!("no state of `{role}` is called `{name}`"),
            );
            let same = states().find(|(_, state)| state.names.contains(&written));
            let takes_part = plan.roles.iter().any(|known| known == role);
            diagnostic = match same {
                Some((_, state)) => {
                    let first = &state.names[0];
                    let text = format!("this is the state `{}`", first.name);
                    let diagnostic = point(diagnostic, written.place, &text);
                    point(diagnostic, first.place, "the same, as far as the role can tell")
                        .help("keep one of the names")
                }
                None if !takes_part => {
                    point(diagnostic, written.place, "it takes part in nothing").help("delete this")
                }
                // Its states have no types.
                None => continue,
            };
            told.push(diagnostic);
        }
        told
    }
}

fn point(diagnostic: Diagnostic, place: Option<Span>, text: &str) -> Diagnostic {
    match place {
        Some(place) => diagnostic.at(place, text),
        None => diagnostic,
    }
}

/// The names of the states of a role.
fn states(
    named: &NamedStates,
    plan: &Plan,
    role: &str,
    local: &LocalAutomaton,
) -> Vec<Vec<Written>> {
    let steps: Vec<Vec<(&str, usize)>> = local
        .states
        .iter()
        .map(|state| {
            let edges = state.edges.iter();
            edges.map(|edge| (&*plan.acts[edge.act.index()].text, edge.to.index())).collect()
        })
        .collect();
    let names = named.of_role(role, &steps).into_iter();
    names.map(|names| names.iter().map(Written::from).collect()).collect()
}
