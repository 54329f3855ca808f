//! Automata under construction: nodes, silent edges that look at and set variables, and forks whose
//! branches are under construction too. [`determinise`](super::determinise) makes dfas of them.

use super::alphabet::{EventKind, Role};
use super::forked_dfa::ExitId;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Node(pub u32);

/// A variable or parameter of the component.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct VariableId(pub u32);

/// A value of a variable: a position in the list of values of its type.
pub(super) type Constant = u16;

/// The value of every variable.
pub(super) type Valuation = Vec<Constant>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Variable {
    /// The names of its values.
    pub(super) values: Vec<String>,
    pub(super) initial: Constant,
}

/// Where a jump or an edge leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goal {
    Node(Node),
    Leave(ExitId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Edge {
    Silent(Node),
    /// The variable becomes a constant.
    Set(VariableId, Constant, Node),
    /// The variable becomes what another one is.
    Copy(VariableId, VariableId, Node),
    /// Only when the variable is in one of these.
    When(VariableId, Vec<Constant>, Node),
    Step(Vec<EventPattern>, Goal),
    /// The fork with this position, until its branches are done.
    Join(usize, Node),
    /// The same fork, left through an exit.
    Abort(usize, ExitId, Goal),
}

/// An event of a step, whose arguments may be variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EventPattern {
    pub(super) role: Role,
    pub(super) path: String,
    pub(super) arguments: Vec<Argument>,
    pub(super) kind: EventKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Argument {
    Constant(String),
    Variable(VariableId),
}

/// Branches that run side by side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NfaFork {
    pub(super) branches: Vec<Nfa>,
    /// Whether any of them, but not all, may be left out (`||`).
    pub(super) optional: bool,
}

/// Starts at node 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Nfa {
    pub(super) edges: Vec<Vec<Edge>>,
    pub(super) end: Option<Node>,
    pub(super) forks: Vec<NfaFork>,
}

impl Nfa {
    pub(super) const START: Node = Node(0);

    pub(super) fn fresh(&mut self) -> Node {
        self.edges.push(Vec::new());
        Node(self.edges.len() as u32 - 1)
    }

    pub(super) fn edge(&mut self, from: Node, edge: Edge) {
        let edges = &mut self.edges[from.0 as usize];
        if !edges.contains(&edge) {
            edges.push(edge);
        }
    }
}
