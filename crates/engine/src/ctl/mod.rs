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

mod label;
mod nodes;
#[cfg(test)]
mod tests;
mod witness;

use std::rc::Rc;

use quadrille_logic::{AtomId, Binary, Formula, Path, Unary};
use quadrille_model::{Bound, Ending, Misfit, StateId, Trace, Verdict};
use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::evidence::replayed;
use crate::graph::Graph;
use crate::limits::Watch;
use crate::workers::Workers;
use crate::{Error, Interpretation, Limits, Observer, ProductCounts, Report, Stopped};
use nodes::Nodes;
use witness::{Claim, Run, RunEnding, Witnesses};

/// Checks a formula of branching time. What of the graph is not explored yet, or whose edges were
/// not kept, is explored first.
///
/// A counterexample comes with a run where one run can show it: one that leads from an initial
/// node, along the universal operators of the formula, to where it fails. What it demands of *some*
/// run from there cannot be shown on one.
pub fn check_ctl(
    graph: &mut Graph<'_>,
    formula: &Formula,
    interpretation: &Interpretation<'_>,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Report, Error> {
    if is_linear(formula) {
        return Err(Error::Linear);
    }
    interpretation.covers(formula, graph.space().model())?;
    let mut watch = Watch::new(limits, observer);
    let mut product = ProductCounts::default();
    let verdict = match judge(graph, formula, interpretation, &mut watch, &mut product) {
        Ok(verdict) => verdict,
        Err(stopped) => stopped.verdict()?,
    };
    product.bytes = product.bytes.max(watch.peak());
    Ok(Report { verdict, product })
}

fn is_linear(formula: &Formula) -> bool {
    matches!(formula, Formula::Unary(Path::This, ..) | Formula::Binary(Path::This, ..))
        || formula.operands().into_iter().any(is_linear)
}

fn judge(
    graph: &mut Graph<'_>,
    formula: &Formula,
    interpretation: &Interpretation<'_>,
    watch: &mut Watch<'_>,
    product: &mut ProductCounts,
) -> Result<Verdict, Stopped> {
    graph.complete(Workers::default(), watch)?;
    let (ends, propositions) = look_at_states(graph, formula, interpretation, watch)?;
    let nodes = Nodes::new(graph, formula, interpretation, ends, watch)?;
    product.nodes = nodes.n_nodes() as u64;
    product.moves = graph.counts().transitions;
    product.bytes = nodes.bytes() as u64;
    let mut labels = Labels { nodes: &nodes, propositions, known: FxHashMap::default() };
    let holds = labels.label(formula, watch)?;
    let mut failing = nodes.initial().filter(|node| !holds.contains(node.index())).peekable();
    if failing.peek().is_none() {
        return Ok(Verdict::Holds);
    }
    let mut witnesses = Witnesses { nodes: &nodes, labels: &labels, watch };
    for node in failing {
        if let Some(run) = witnesses.show(Claim { formula, value: false }, node)? {
            return Ok(Verdict::Violated(Some(trace(&nodes, &run)?)));
        }
    }
    Ok(Verdict::Violated(None))
}

/// The states in which runs may end, and those in which each proposition of a formula holds.
fn look_at_states(
    graph: &mut Graph<'_>,
    formula: &Formula,
    interpretation: &Interpretation<'_>,
    watch: &mut Watch<'_>,
) -> Result<(Bits, FxHashMap<AtomId, Bits>), Stopped> {
    let n_states = graph.space().n_states();
    let mut ends = Bits::none(n_states);
    let asked = interpretation.propositions().filter(|(atom, _)| atom.index() < formula.n_atoms());
    let mut sets: Vec<_> = asked.map(|(atom, p)| (atom, p, Bits::none(n_states))).collect();
    watch.hold((1 + sets.len()) * ends.bytes());
    for state in (0..n_states).map(StateId::from_usize) {
        if graph.steps(state).is_empty() || graph.space_mut().may_end(state)? {
            ends.insert(state.index());
        }
        for (_, proposition, set) in &mut sets {
            if graph.space_mut().holds(*proposition, state)? {
                set.insert(state.index());
            }
        }
        watch.work(8, || graph.bytes())?;
    }
    Ok((ends, sets.into_iter().map(|(atom, _, set)| (atom, set)).collect()))
}

/// A run of nodes as a run of the model, replayed.
fn trace(nodes: &Nodes<'_, '_>, run: &Run) -> Result<Trace, Error> {
    let space = nodes.graph.space();
    let start = nodes.state(run.nodes[0]);
    let mut edges = Vec::new();
    for (position, pair) in run.nodes.windows(2).enumerate() {
        let steps = nodes.graph.steps(nodes.state(pair[0])).iter();
        let step = steps.copied().find(|&step| nodes.target(step) == pair[1]);
        let step = step.ok_or(Error::Unrepeatable(Misfit::Step(position)))?;
        edges.push(nodes.graph.edge(step.label, step.to));
    }
    let last = run.nodes.last().map_or(start, |&node| nodes.state(node));
    let ending = match run.ending {
        RunEnding::Open => Ending::Prefix,
        RunEnding::Ended if space.model().explorer().may_end(&space.state(last))? => {
            Ending::Finished
        }
        RunEnding::Ended => Ending::Stuck,
        RunEnding::Loop { from } => Ending::Loop { from },
    };
    replayed(space.model(), space.trace(start, &edges, ending))
}

/// The subformulas of one formula and where they hold.
struct Labels<'a> {
    nodes: &'a Nodes<'a, 'a>,
    /// Per atom that is a proposition, the states in which it holds.
    propositions: FxHashMap<AtomId, Bits>,
    known: FxHashMap<&'a Formula, Rc<Bits>>,
}

impl<'a> Labels<'a> {
    /// Where a formula holds that was labelled, or where it does not.
    fn get(&self, formula: &Formula, value: bool) -> Rc<Bits> {
        let set = &self.known[formula];
        if value { set.clone() } else { Rc::new(set.not()) }
    }

    /// Labels a formula and all its subformulas.
    fn label(&mut self, formula: &'a Formula, watch: &mut Watch<'_>) -> Result<Rc<Bits>, Bound> {
        if let Some(known) = self.known.get(formula) {
            return Ok(known.clone());
        }
        let operands: Vec<Rc<Bits>> = formula
            .operands()
            .into_iter()
            .map(|operand| self.label(operand, watch))
            .collect::<Result<_, _>>()?;
        let nodes = self.nodes;
        let set = match (formula, &operands[..]) {
            (Formula::True, _) => nodes.all(),
            (Formula::Atom(atom), _) => match self.propositions.get(atom) {
                Some(states) => nodes.filter(|state, _| states.contains(state.index())),
                None => nodes.filter(|_, satisfied| satisfied.contains(atom.index())),
            },
            (Formula::Not(_), [operand]) => operand.not(),
            (Formula::And(_), all) => all.iter().fold(nodes.all(), |set, operand| set.and(operand)),
            (Formula::Or(_), all) => {
                all.iter().fold(nodes.all().not(), |set, operand| set.or(operand))
            }
            (Formula::Implies(..), [left, right]) => left.not().or(right),
            (Formula::Iff(..), [left, right]) => left.and(right).or(&left.not().and(&right.not())),
            (Formula::Unary(Path::All, operator, _), [operand]) => {
                some_unary(nodes, operator_dual(*operator), &operand.not(), watch)?.not()
            }
            (Formula::Unary(_, operator, _), [operand]) => {
                some_unary(nodes, *operator, operand, watch)?
            }
            (Formula::Binary(Path::All, operator, ..), [left, right]) => {
                all_binary(nodes, *operator, left, right, watch)?
            }
            (Formula::Binary(_, operator, ..), [left, right]) => {
                some_binary(nodes, *operator, left, right, watch)?
            }
            // Operators have as many operands as they should; what is left is false.
            _ => nodes.all().not(),
        };
        let set = Rc::new(set);
        watch.hold(set.bytes());
        self.known.insert(formula, set.clone());
        Ok(set)
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

fn some_unary(
    nodes: &Nodes<'_, '_>,
    operator: Unary,
    operand: &Bits,
    watch: &mut Watch<'_>,
) -> Result<Bits, Bound> {
    match operator {
        Unary::Next => nodes.some_next(operand, watch),
        Unary::Eventually => nodes.some_until(&nodes.all(), operand, watch),
        Unary::Always => nodes.some_always(operand, watch),
        Unary::Previous => nodes.some_previous(operand, watch),
        Unary::Once => nodes.some_since(&nodes.all(), operand, watch),
        Unary::Historically => nodes.some_since(operand, &operand.and(&nodes.initial_set()), watch),
    }
}

fn some_binary(
    nodes: &Nodes<'_, '_>,
    operator: Binary,
    left: &Bits,
    right: &Bits,
    watch: &mut Watch<'_>,
) -> Result<Bits, Bound> {
    match operator {
        Binary::Until => nodes.some_until(left, right, watch),
        Binary::WeakUntil => {
            Ok(nodes.some_until(left, right, watch)?.or(&nodes.some_always(left, watch)?))
        }
        Binary::StrongRelease => nodes.some_until(right, &left.and(right), watch),
        Binary::Release => {
            let released = nodes.some_until(right, &left.and(right), watch)?;
            Ok(released.or(&nodes.some_always(right, watch)?))
        }
        Binary::Since => nodes.some_since(left, right, watch),
    }
}

/// Each as the negation of what some run or history does instead.
fn all_binary(
    nodes: &Nodes<'_, '_>,
    operator: Binary,
    left: &Bits,
    right: &Bits,
    watch: &mut Watch<'_>,
) -> Result<Bits, Bound> {
    let (no_left, no_right) = (left.not(), right.not());
    let fails = match operator {
        Binary::Until => some_binary(nodes, Binary::Release, &no_left, &no_right, watch)?,
        Binary::WeakUntil => some_binary(nodes, Binary::StrongRelease, &no_left, &no_right, watch)?,
        Binary::Release => some_binary(nodes, Binary::Until, &no_left, &no_right, watch)?,
        Binary::StrongRelease => some_binary(nodes, Binary::WeakUntil, &no_left, &no_right, watch)?,
        Binary::Since => {
            let neither = no_left.and(&no_right);
            let never = no_right.and(&nodes.initial_set());
            nodes.some_since(&no_right, &neither.or(&never), watch)?
        }
    };
    Ok(fails.not())
}
