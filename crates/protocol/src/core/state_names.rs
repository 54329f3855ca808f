//! Names that a text gives to states of roles: `state Deciding of buyer;`. They are nothing that happens, so that a protocol
//! with names has the same states and runs as one without.
//!
//! Which states they name is found in the same protocol with a step for each name, which leads nowhere: it is possible
//! exactly where the text comes by the name, and as it is never followed, everything else is as before.

use std::collections::BTreeSet;

use quadrille_diagnostic::Span;
use quadrille_model::{ActionId, GroupId, InteractionKind, Model, Problem, Value};
use rustc_hash::FxHashMap;

use super::action::{Act, ActId, Message, RoleId};
use super::model::ProtocolModel;
use super::place::Places;
use super::term::{TermId, Terms};

/// How the message of a step begins that stands for a name; no event of a text has a space in its name.
const PREFIX: &str = "state ";

impl Terms {
    /// Whether names of states are steps ([`Terms::state_name`]).
    pub fn names_states(&self) -> bool {
        self.names_states
    }

    /// The step that says that a role is in a state of this name, and leads nowhere.
    pub fn state_name(&self, role: RoleId, name: &str, place: Span) -> TermId {
        let message = Some(Message::new(format!("{PREFIX}{name}")));
        let act = Act { kind: InteractionKind::Local, from: role, to: Vec::new(), message };
        self.seq(self.written_at(self.action(self.act(act)), place), TermId::STOP)
    }
}

/// A name that a text gives to a state of a role.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateName {
    /// Where it stands: names are in the order of the text.
    pub place: Option<Span>,
    /// The name.
    pub name: String,
    /// The role, as models show it.
    pub role: String,
}

/// The states of a protocol, with the names of states of roles in them.
pub struct NamedStates {
    model: ProtocolModel,
    /// By state: what happens, and where it leads.
    pub(crate) steps: Vec<Vec<(ActId, u32)>>,
    /// By state: which names it has, by role.
    pub(crate) names: Vec<Vec<(RoleId, StateName)>>,
}

/// Why it is not known which states names are for.
#[derive(Clone, Debug)]
pub enum NotNamed {
    /// The protocol has more states than that.
    TooMany(usize),
    /// A step cannot be computed.
    Problem(Box<Problem>),
}

impl ProtocolModel {
    /// The states of the protocol with the names that its text gives to states of roles; `None` if it gives none.
    pub fn named_states(&self, most: usize) -> Option<Result<NamedStates, NotNamed>> {
        let model = self
            .definitions
            .name_states()
            .then(|| self.again(Places::default(), true))
            .flatten()?;
        Some(NamedStates::explore(model, most))
    }
}

impl NamedStates {
    fn explore(model: ProtocolModel, most: usize) -> Result<Self, NotNamed> {
        let mut numbers: FxHashMap<Box<[Value]>, u32> = FxHashMap::default();
        let mut states: Vec<Box<[Value]>> = Vec::new();
        let mut number = |states: &mut Vec<Box<[Value]>>, state: &[Value]| {
            *numbers.entry(state.into()).or_insert_with(|| {
                states.push(state.into());
                states.len() as u32 - 1
            })
        };
        let (mut steps, mut names) = (Vec::new(), Vec::new());
        let mut explorer = model.explorer();
        let start = explorer.each_initial(|state| _ = number(&mut states, state));
        start.map_err(NotNamed::Problem)?;
        while let Some(state) = states.get(steps.len()).cloned() {
            let (mut own, mut called) = (Vec::new(), Vec::new());
            let visit = |_: GroupId, action: ActionId, next: &[Value]| {
                let act = ActId::from(action);
                match named(model.terms(), act) {
                    Some(name) => called.push((model.terms().act_of(act).from, name)),
                    None => own.push((act, number(&mut states, next))),
                }
            };
            explorer.each_successor(&state, visit).map_err(NotNamed::Problem)?;
            if states.len() > most {
                return Err(NotNamed::TooMany(most));
            }
            steps.push(own);
            names.push(called);
        }
        drop(explorer);
        Ok(Self { model, steps, names })
    }

    /// All names that stand where the protocol comes by, in the order of the text.
    pub fn all(&self) -> BTreeSet<&StateName> {
        self.names.iter().flatten().map(|(_, name)| name).collect()
    }

    /// The role of this name, if it takes part or is in a state that has a name.
    pub(crate) fn role(&self, name: &str) -> Option<RoleId> {
        let terms = self.model.terms();
        let mut roles = (0..terms.n_roles() as u32).map(RoleId);
        roles.find(|&role| terms.role_of(role).to_string() == name)
    }

    /// An action.
    pub(crate) fn act(&self, act: ActId) -> &Act {
        self.model.terms().act_of(act)
    }

    /// An action as models show it.
    pub(crate) fn label(&self, act: ActId) -> String {
        self.model.action(ActionId::new(act.0)).label
    }

    /// How many actions there are.
    pub(crate) fn n_acts(&self) -> usize {
        self.model.terms().n_acts()
    }
}

/// The name that an action stands for, if it does.
fn named(terms: &Terms, act: ActId) -> Option<StateName> {
    let Act { kind: InteractionKind::Local, from, message: Some(message), .. } = terms.act_of(act)
    else {
        return None;
    };
    let name = message.name.strip_prefix(PREFIX)?.to_owned();
    Some(StateName { place: terms.place_of(act), name, role: terms.role_of(*from).to_string() })
}
