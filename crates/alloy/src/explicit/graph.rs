//! States and steps: the solver is asked for one after the other.

use std::rc::Rc;

use quadrille_solve::{Batsat, Circuit, Clauses, Lit, Outcome, SatLit, Solver, columns};
use rustc_hash::FxHashMap;

use super::Explored;
use super::skeleton::{Skeleton, looks_ahead};
use crate::core::{NodeId, RelId};
use crate::evaluate::{Tuples, Values};
use crate::induction::Assumed;
use crate::scope::Bounds;
use crate::symmetry;
use crate::translate::{At, Kept, Translator};

/// What is open in a state: relations that never change, then those that do.
type Bits = Rc<[bool]>;

/// A step, with what the atoms of the formula are worth on it.
pub(super) struct Edge {
    pub(super) to: usize,
    pub(super) atoms: Box<[bool]>,
}

/// All states that can be reached.
pub(super) struct Graph {
    states: Vec<Bits>,
    pub(super) edges: Vec<Vec<Edge>>,
    pub(super) n_initial: usize,
    /// The relation and tuple of each place of a state that never changes, and that does.
    fixed: Vec<(usize, u128)>,
    changing: Vec<(usize, u128)>,
}

struct Maker<'m> {
    bounds: &'m Bounds,
    circuit: Circuit,
    kept: Kept,
    stop: &'m dyn Fn() -> bool,
    /// Inputs of what never changes, and of what does in the first state and the second.
    fixed: Vec<Lit>,
    changing: [Vec<Lit>; 2],
}

impl Maker<'_> {
    /// All of these formulas at a state.
    fn all(&mut self, formulas: &[NodeId], state: usize) -> Option<Lit> {
        let (circuit, kept) = (&mut self.circuit, &mut self.kept);
        let mut translator = Translator::new(self.bounds, circuit, kept, 3, self.stop);
        let at = At { state, round: 0 };
        let lits: Vec<Lit> = formulas.iter().map(|it| translator.formula(*it, at)).collect();
        let failed = translator.failure.is_some();
        let all = self.circuit.all(lits);
        (!failed).then_some(all)
    }

    fn solver(&self) -> (Batsat, Clauses) {
        (Batsat::default(), Clauses::default())
    }
}

/// The literals of inputs in a solver.
fn literals(
    lits: &[Lit],
    circuit: &Circuit,
    (solver, clauses): &mut (Batsat, Clauses),
) -> Vec<SatLit> {
    lits.iter().map(|lit| clauses.literal(circuit, *lit, solver)).collect()
}

fn values(literals: &[SatLit], solver: &Batsat) -> Vec<bool> {
    literals.iter().map(|literal| solver.value(*literal)).collect()
}

fn signed(literals: &[SatLit], values: &[bool]) -> Vec<SatLit> {
    let signed = literals.iter().zip(values);
    signed.map(|(literal, value)| if *value { *literal } else { !*literal }).collect()
}

impl Graph {
    #[allow(clippy::too_many_arguments)] // one maker, called once
    pub(super) fn new(
        bounds: &Bounds,
        assumed: &Assumed,
        skeleton: &Skeleton,
        classes: &[Vec<u16>],
        mut circuit: Circuit,
        mut kept: Kept,
        most: usize,
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, Explored> {
        let (mut places, mut inputs) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        let mut second = Vec::new();
        for (number, relation) in bounds.relations.iter().enumerate() {
            let kind = usize::from(relation.is_var);
            let id = RelId(number as u32);
            let now = kept.inputs.of(bounds, id, 0, &mut circuit);
            let next = kept.inputs.of(bounds, id, 1, &mut circuit);
            for ((tuple, lit), (_, later)) in now.cells().iter().zip(next.cells()) {
                if *lit != Lit::TRUE {
                    places[kind].push((number, *tuple));
                    inputs[kind].push(*lit);
                    second.extend(relation.is_var.then_some(*later));
                }
            }
        }
        let [fixed_inputs, first] = inputs;
        let [fixed, changing] = places;
        let maker =
            Maker { bounds, circuit, kept, stop, fixed: fixed_inputs, changing: [first, second] };
        let mut graph =
            Self { states: Vec::new(), edges: Vec::new(), n_initial: 0, fixed, changing };
        graph.fill(maker, assumed, skeleton, classes, most)?;
        Ok(graph)
    }

    fn fill(
        &mut self,
        mut maker: Maker<'_>,
        assumed: &Assumed,
        skeleton: &Skeleton,
        classes: &[Vec<u16>],
        most: usize,
    ) -> Result<(), Explored> {
        let present = |formulas: &[NodeId]| -> Vec<NodeId> {
            formulas.iter().copied().filter(|it| !looks_ahead(maker.bounds, *it)).collect()
        };
        let everywhere = present(&assumed.always);
        let mut start = everywhere.clone();
        start.extend(&assumed.first);
        let start = maker.all(&start, 0).ok_or(Explored::Unfit)?;
        let least = symmetry::break_symmetry(
            maker.bounds,
            classes,
            1,
            &mut maker.kept.inputs,
            &mut maker.circuit,
        );
        let start = maker.circuit.and(start, least);
        let step = maker.all(&assumed.always, 0).ok_or(Explored::Unfit)?;
        let after = maker.all(&everywhere, 1).ok_or(Explored::Unfit)?;
        let step = maker.circuit.and(step, after);
        // Initial states. What is said of the first step belongs to them.
        let mut known: FxHashMap<Bits, usize> = FxHashMap::default();
        let mut asked = maker.solver();
        let root = asked.1.literal(&maker.circuit, start, &mut asked.0);
        let own: Vec<Lit> = [&maker.fixed[..], &maker.changing[0]].concat();
        let places = literals(&own, &maker.circuit, &mut asked);
        loop {
            match asked.0.solve(&[root]) {
                Outcome::Satisfiable => {}
                Outcome::Unsatisfiable => break,
                Outcome::Stopped => return Err(Explored::Stopped),
            }
            let state = values(&places, &asked.0);
            let mut other: Vec<SatLit> = signed(&places, &state).iter().map(|it| !*it).collect();
            asked.0.clause(&mut other);
            self.add(&mut known, state);
            if self.states.len() > most {
                return Err(Explored::TooMuch);
            }
            if other.is_empty() {
                break;
            }
            if (maker.stop)() {
                return Err(Explored::Stopped);
            }
        }
        self.n_initial = self.states.len();
        // Steps.
        let mut asked = maker.solver();
        let root = asked.1.literal(&maker.circuit, step, &mut asked.0);
        let here = literals(&own, &maker.circuit, &mut asked);
        let there = literals(&maker.changing[1], &maker.circuit, &mut asked);
        let (mut at, mut n_edges) = (0, 0);
        while at < self.states.len() {
            let state = self.states[at].clone();
            let mut assumptions = signed(&here, &state);
            // Where this state has no further step, the clauses about it are out of force.
            let active = asked.0.variable();
            assumptions.extend([root, active]);
            let mut edges = Vec::new();
            loop {
                match asked.0.solve(&assumptions) {
                    Outcome::Satisfiable => {}
                    Outcome::Unsatisfiable => break,
                    Outcome::Stopped => return Err(Explored::Stopped),
                }
                let next = values(&there, &asked.0);
                let mut other: Vec<SatLit> = signed(&there, &next).iter().map(|it| !*it).collect();
                other.push(!active);
                let atoms = self.atoms(&maker, skeleton, &state, &next);
                asked.0.clause(&mut other);
                let whole = [&state[..maker.fixed.len()], &next[..]].concat();
                let to = self.add(&mut known, whole);
                edges.push(Edge { to, atoms });
                n_edges += 1;
                if n_edges > most {
                    return Err(Explored::TooMuch);
                }
                if (maker.stop)() {
                    return Err(Explored::Stopped);
                }
            }
            asked.0.clause(&mut vec![!active]);
            self.edges.push(edges);
            at += 1;
        }
        Ok(())
    }

    fn add(&mut self, known: &mut FxHashMap<Bits, usize>, state: Vec<bool>) -> usize {
        let state: Bits = state.into();
        let n = self.states.len();
        let at = *known.entry(state.clone()).or_insert(n);
        if at == n {
            self.states.push(state);
        }
        at
    }

    /// What the atoms are worth on a step.
    fn atoms(
        &self,
        maker: &Maker<'_>,
        skeleton: &Skeleton,
        state: &[bool],
        next: &[bool],
    ) -> Box<[bool]> {
        let inputs = maker.fixed.iter().chain(&maker.changing[0]).zip(state);
        let inputs = inputs.chain(maker.changing[1].iter().zip(next));
        let inputs: FxHashMap<Lit, bool> = inputs.map(|(lit, value)| (*lit, *value)).collect();
        let worth = maker.circuit.evaluate(|lit| inputs.get(&lit).copied().unwrap_or(false));
        skeleton.atoms.iter().map(|lit| lit.worth(&worth)).collect()
    }

    pub(super) fn n_states(&self) -> usize {
        self.states.len()
    }

    pub(super) fn n_edges(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// A run through states as values of relations.
    pub(super) fn values(&self, bounds: &Bounds, states: &[usize], back_to: usize) -> Values {
        let n = states.len();
        let mut relations: Vec<Vec<Tuples>> = bounds
            .relations
            .iter()
            .map(|relation| {
                let certain: Tuples =
                    relation.lower.iter().map(|tuple| columns(*tuple, relation.arity)).collect();
                vec![certain; if relation.is_var { n } else { 1 }]
            })
            .collect();
        let mut put = |place: &(usize, u128), at: usize| {
            let tuple = columns(place.1, bounds.relations[place.0].arity);
            relations[place.0][at].insert(tuple);
        };
        for (at, state) in states.iter().enumerate() {
            let bits = &self.states[*state];
            let (fixed, changing) = bits.split_at(self.fixed.len());
            if at == 0 {
                let held = self.fixed.iter().zip(fixed).filter(|(_, is_in)| **is_in);
                held.for_each(|(place, _)| put(place, 0));
            }
            let held = self.changing.iter().zip(changing).filter(|(_, is_in)| **is_in);
            held.for_each(|(place, _)| put(place, at));
        }
        Values { relations, length: n, back_to }
    }
}
