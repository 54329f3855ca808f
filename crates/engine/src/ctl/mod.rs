//! Branching time on a model: labelling of a graph with the subformulas that hold.
//!
//! The graph's nodes are pairs of a state and the action that led there; an initial node has no
//! action. An atom about actions looks at the action of the node, a proposition at its state. A
//! formula holds on a model when it holds in every initial node.
//!
//! *Runs* through a node go on as long as they can, or end: where the state has no successor, and
//! also where the model says that the system may stop. A run that ends has no next node: `AX p`
//! says that `p` holds in every next node there is, `EX p` that there is one with `p`. `AF p` fails
//! on a run that ends before `p`; `EG p` holds on a run that ends with `p` so far.
//! *Histories* of a node are the finite paths from an initial node to it: `EH p` says that `p` held
//! all the way on one of them. `AY p` holds in initial nodes, `EY p` does not.

mod bits;
mod label;
mod nodes;
#[cfg(test)]
mod tests;
mod witness;

use std::fmt;
use std::rc::Rc;

use quadrille_logic::{AtomId, Binary, Formula, Path, Unary};
use quadrille_model::{
    Action, ActionId, Bound, Counts, Ending, Explicit, GroupId, Misfit, Model, PropositionId,
    StateId, Step, Trace, Value, Verdict,
};
use rustc_hash::FxHashMap;

use crate::evidence::{Unrepeatable, replayed};
use crate::{Interpretation, Limits, Meaning, Observer, Space};
use bits::Bits;
use nodes::Nodes;
use witness::{Claim, Run, RunEnding, Witnesses};

/// The explored graph of a model, on which any number of formulas can be checked.
pub struct CtlGraph<'m> {
    space: Space<'m>,
    table: Explicit,
    nodes: Nodes,
    /// What the actions mean; asked once, since every atom of every formula looks at all.
    actions: Vec<Action>,
}

/// Why a check cannot be run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CtlError {
    /// The formula has an operator of linear time.
    Linear,
    /// The model has no such proposition.
    UnknownProposition(PropositionId),
    /// The formula speaks about an atom that has no meaning.
    UnknownAtom(AtomId),
    /// The model did not perform a counterexample again.
    Unrepeatable(Unrepeatable),
}

impl fmt::Display for CtlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CtlError::Linear => f.write_str("the formula has an operator of linear time"),
            CtlError::UnknownProposition(proposition) => {
                write!(f, "no proposition has number {}", proposition.number())
            }
            CtlError::UnknownAtom(atom) => write!(f, "atom {} has no meaning", atom.index()),
            CtlError::Unrepeatable(unrepeatable) => unrepeatable.fmt(f),
        }
    }
}

impl std::error::Error for CtlError {}

impl<'m> CtlGraph<'m> {
    /// Explores a model completely, unless a limit or the observer ends it.
    pub fn explore(
        model: &'m dyn Model,
        limits: Limits,
        observer: &mut Observer<'_>,
    ) -> Result<Self, Bound> {
        let mut space = Space::new(model);
        let table = space.tabulate(limits, observer)?;
        let nodes = Nodes::new(&table);
        let actions = (0..table.labels().len()).map(ActionId::from_usize);
        let actions = actions.map(|action| model.action(action)).collect();
        Ok(CtlGraph { space, table, nodes, actions })
    }

    /// What was explored.
    pub fn counts(&self) -> Counts {
        let table = &self.table;
        let is_stuck = |&state: &StateId| table.edges(state).is_empty() && !table.is_end(state);
        Counts {
            states: table.n_states() as u64,
            transitions: table.n_edges() as u64,
            deadlocks: table.states().filter(is_stuck).count() as u64,
            depth: None,
            bytes: self.space.bytes() as u64,
        }
    }

    /// Checks a formula. A counterexample comes with a run where one run can show it: one that
    /// leads from an initial node, along the universal operators of the formula, to where it fails.
    /// What it demands of *some* run from there cannot be shown on one.
    pub fn check(
        &self,
        formula: &Formula,
        interpretation: &Interpretation<'_>,
    ) -> Result<Verdict, CtlError> {
        let mut labels = Labels { graph: self, interpretation, known: FxHashMap::default() };
        let holds = labels.label(formula)?;
        let failing =
            || self.nodes.initial().iter().copied().filter(|node| !holds.contains(node.index()));
        if failing().next().is_none() {
            return Ok(Verdict::Holds);
        }
        let witnesses = Witnesses { nodes: &self.nodes, labels: &labels };
        let claim = Claim { formula, value: false };
        match failing().find_map(|node| witnesses.show(claim, node)) {
            None => Ok(Verdict::Violated(None)),
            Some(run) => Ok(Verdict::Violated(Some(self.trace(&run)?))),
        }
    }

    /// A run of nodes as a run of the model, replayed.
    fn trace(&self, run: &Run) -> Result<Trace, CtlError> {
        let model = self.space.model();
        let start = self.nodes.state(run.nodes[0]);
        let mut trace =
            Trace { initial: self.space.state(start), steps: Vec::new(), ending: Ending::Prefix };
        for pair in run.nodes.windows(2) {
            let target = self.space.state(self.nodes.state(pair[1]));
            let mut step = None;
            let mut look = |group: GroupId, action: ActionId, state: &[Value]| {
                if step.is_none() && Some(action) == self.nodes.action(pair[1]) && state == target {
                    step = Some(Step { group, action, state: state.to_vec() });
                }
            };
            model.expand(&self.space.state(self.nodes.state(pair[0])), &mut look);
            let misfit = Misfit::Step(trace.steps.len());
            trace.steps.push(step.ok_or(CtlError::Unrepeatable(Unrepeatable { misfit }))?);
        }
        let last = run.nodes.last().map_or(start, |&node| self.nodes.state(node));
        trace.ending = match run.ending {
            RunEnding::Open => Ending::Prefix,
            RunEnding::Ended if self.table.is_end(last) => Ending::Finished,
            RunEnding::Ended => Ending::Stuck,
            RunEnding::Loop { from } => Ending::Loop { from },
        };
        replayed(model, trace).map_err(CtlError::Unrepeatable)
    }
}

/// The subformulas of one formula and where they hold.
struct Labels<'a> {
    graph: &'a CtlGraph<'a>,
    interpretation: &'a Interpretation<'a>,
    known: FxHashMap<&'a Formula, Rc<Bits>>,
}

impl<'a> Labels<'a> {
    /// Where a formula holds that was labelled, or where it does not.
    fn get(&self, formula: &Formula, value: bool) -> Rc<Bits> {
        let set = &self.known[formula];
        if value { set.clone() } else { Rc::new(set.not()) }
    }

    /// Labels a formula and all its subformulas.
    fn label(&mut self, formula: &'a Formula) -> Result<Rc<Bits>, CtlError> {
        if let Some(known) = self.known.get(formula) {
            return Ok(known.clone());
        }
        let nodes = &self.graph.nodes;
        let set = match formula {
            Formula::True => nodes.all(),
            Formula::False => nodes.all().not(),
            Formula::Atom(atom) => self.atom(*atom)?,
            Formula::Not(operand) => self.label(operand)?.not(),
            Formula::And(operands) => {
                let mut set = nodes.all();
                for operand in operands {
                    set = set.and(&*self.label(operand)?);
                }
                set
            }
            Formula::Or(operands) => {
                let mut set = nodes.all().not();
                for operand in operands {
                    set = set.or(&*self.label(operand)?);
                }
                set
            }
            Formula::Implies(left, right) => self.label(left)?.not().or(&*self.label(right)?),
            Formula::Iff(left, right) => {
                let (left, right) = (self.label(left)?, self.label(right)?);
                left.and(&right).or(&left.not().and(&right.not()))
            }
            Formula::Unary(Path::This, _, _) | Formula::Binary(Path::This, _, _, _) => {
                return Err(CtlError::Linear);
            }
            Formula::Unary(Path::Some, operator, operand) => {
                some_unary(nodes, *operator, &*self.label(operand)?)
            }
            Formula::Unary(Path::All, operator, operand) => {
                some_unary(nodes, operator_dual(*operator), &self.label(operand)?.not()).not()
            }
            Formula::Binary(path, operator, left, right) => {
                let (left, right) = (self.label(left)?, self.label(right)?);
                match path {
                    Path::All => all_binary(nodes, *operator, &left, &right),
                    _ => some_binary(nodes, *operator, &left, &right),
                }
            }
        };
        let set = Rc::new(set);
        self.known.insert(formula, set.clone());
        Ok(set)
    }

    fn atom(&self, atom: AtomId) -> Result<Bits, CtlError> {
        let CtlGraph { table, nodes, actions, .. } = self.graph;
        let meaning = self.interpretation.meaning(atom);
        match meaning.ok_or(CtlError::UnknownAtom(atom))? {
            Meaning::Proposition(proposition) => {
                if proposition.index() >= table.propositions().len() {
                    return Err(CtlError::UnknownProposition(*proposition));
                }
                let of_state = Bits::filter(table.n_states(), |state| {
                    table.holding(StateId::from_usize(state)).binary_search(proposition).is_ok()
                });
                Ok(nodes.filter(|node| of_state.contains(nodes.state(node).index())))
            }
            Meaning::Action(test) => {
                let passes = Bits::filter(actions.len(), |action| test(&actions[action]));
                Ok(nodes.filter(|node| {
                    nodes.action(node).is_some_and(|action| passes.contains(action.index()))
                }))
            }
        }
    }
}

/// The operator `o` for which "not some o not p" is "all p of this operator".
fn operator_dual(operator: Unary) -> Unary {
    match operator {
        Unary::Next | Unary::Previous => operator,
        Unary::Eventually => Unary::Always,
        Unary::Always => Unary::Eventually,
        Unary::Once => Unary::Historically,
        Unary::Historically => Unary::Once,
    }
}

fn some_unary(nodes: &Nodes, operator: Unary, operand: &Bits) -> Bits {
    match operator {
        Unary::Next => nodes.some_next(operand),
        Unary::Eventually => nodes.some_until(&nodes.all(), operand),
        Unary::Always => nodes.some_always(operand),
        Unary::Previous => nodes.some_previous(operand),
        Unary::Once => nodes.some_since(&nodes.all(), operand),
        Unary::Historically => nodes.some_since(operand, &operand.and(&nodes.initial_set())),
    }
}

fn some_binary(nodes: &Nodes, operator: Binary, left: &Bits, right: &Bits) -> Bits {
    match operator {
        Binary::Until => nodes.some_until(left, right),
        Binary::WeakUntil => nodes.some_until(left, right).or(&nodes.some_always(left)),
        Binary::StrongRelease => nodes.some_until(right, &left.and(right)),
        Binary::Release => nodes.some_until(right, &left.and(right)).or(&nodes.some_always(right)),
        Binary::Since => nodes.some_since(left, right),
    }
}

/// Each as the negation of what some run or history does instead.
fn all_binary(nodes: &Nodes, operator: Binary, left: &Bits, right: &Bits) -> Bits {
    let (no_left, no_right) = (left.not(), right.not());
    let neither = no_left.and(&no_right);
    let fails = match operator {
        Binary::Until => nodes.some_until(&no_right, &neither).or(&nodes.some_always(&no_right)),
        Binary::WeakUntil => nodes.some_until(&no_right, &neither),
        Binary::Release => nodes.some_until(&no_left, &no_right),
        Binary::StrongRelease => {
            nodes.some_until(&no_left, &no_right).or(&nodes.some_always(&no_left))
        }
        Binary::Since => {
            let never = no_right.and(&nodes.initial_set());
            nodes.some_since(&no_right, &neither.or(&never))
        }
    };
    fails.not()
}
