//! Proofs for every length of run: k-induction with simple paths (Sheeran, Singh and Stålmarck 2000) for
//! assertions that say of every state, or of every two that follow each other, what a formula without
//! further operators of time says. Facts of other forms, such as fairness, are left out: what holds
//! without them holds with them.

use quadrille_solve::{Batsat, Circuit, Clauses, Lit, Outcome, Solver};

use crate::core::{Core, NodeId, Op, RelId, Tense, children};
use crate::lower::Lowered;
use crate::scope::Bounds;
use crate::translate::{At, Kept, Translator};

/// How many states are assumed to be good at most.
const DEEPEST: usize = 6;

/// How often the solver may look up in one question: the same on every machine.
const PATIENCE: u64 = 400_000;

/// What is assumed of runs.
#[derive(Default)]
pub(crate) struct Assumed {
    /// Of the first state, or of it and the next.
    pub(crate) first: Vec<NodeId>,
    /// Of every state, or of it and the next.
    pub(crate) always: Vec<NodeId>,
    /// What is of another form.
    pub(crate) rest: Vec<NodeId>,
}

/// Whether no run whatever breaks the assertion that a goal denies; `None` where that is not found out.
pub(crate) fn prove(bounds: &Bounds, lowered: &Lowered, stop: &dyn Fn() -> bool) -> Option<usize> {
    let mut core = bounds.core.clone();
    let goal: Vec<NodeId> = lowered.goal.iter().map(|claim| claim.formula).collect();
    let goal = core.and(goal);
    let denied = core.not(goal);
    let invariant = invariant(&mut core, denied)?;
    let mut assumed = Assumed::default();
    for claim in &lowered.facts {
        assume(&core, claim.formula, &mut assumed);
    }
    let mut bounds = bounds.clone();
    bounds.core = core;
    let mut path = Path {
        bounds: &bounds,
        assumed: &assumed,
        circuit: Circuit::default(),
        kept: Kept::default(),
        stop,
    };
    for depth in 0..=DEEPEST {
        if !path.base(invariant, depth)? {
            return None;
        }
        if path.step(invariant, depth)? {
            return Some(depth);
        }
    }
    None
}

/// Whether a formula speaks of a state and the next one only.
pub(crate) fn is_local(core: &Core, node: NodeId) -> bool {
    match core.op(node) {
        _ if core.tense(node) != Tense::Temporal => true,
        Op::Prime(of) => core.tense(*of) != Tense::Temporal,
        Op::After(_)
        | Op::Always(_)
        | Op::Until(..)
        | Op::Before(_)
        | Op::Once(_)
        | Op::Since(..) => false,
        op => children(op).into_iter().all(|child| is_local(core, child)),
    }
}

/// What holds of every state if a formula holds at the first.
fn invariant(core: &mut Core, node: NodeId) -> Option<NodeId> {
    match core.op(node).clone() {
        Op::Always(of) if is_local(core, of) => Some(of),
        Op::And(parts) if !parts.is_empty() => {
            let parts: Option<Vec<NodeId>> =
                parts.into_iter().map(|part| invariant(core, part)).collect();
            Some(core.and(parts?))
        }
        Op::All(var, set, body) if core.tense(set) == Tense::Static => {
            let body = invariant(core, body)?;
            Some(core.node(Op::All(var, set, body)))
        }
        _ => None,
    }
}

/// Takes a formula that holds at the first state apart.
pub(crate) fn assume(core: &Core, node: NodeId, assumed: &mut Assumed) {
    match core.op(node) {
        Op::And(parts) => parts.iter().for_each(|part| assume(core, *part, assumed)),
        Op::Always(of) if is_local(core, *of) => assumed.always.push(*of),
        _ if core.tense(node) == Tense::Static => assumed.always.push(node),
        _ if is_local(core, node) => assumed.first.push(node),
        _ => assumed.rest.push(node),
    }
}

struct Path<'a> {
    bounds: &'a Bounds,
    assumed: &'a Assumed,
    circuit: Circuit,
    kept: Kept,
    stop: &'a dyn Fn() -> bool,
}

impl Path<'_> {
    /// Whether there is no path of these states that breaks the invariant in the last.
    fn has_none(&mut self, invariant: NodeId, depth: usize, is_base: bool) -> Option<bool> {
        // One state more: what is said of the last may mention the next.
        let (bounds, n) = (self.bounds, depth + 2);
        let mut translator =
            Translator::new(bounds, &mut self.circuit, &mut self.kept, n, self.stop);
        let at = |state: usize| At { state, round: 0 };
        let mut all = Vec::new();
        for state in 0..=depth {
            for formula in &self.assumed.always {
                all.push(translator.formula(*formula, at(state)));
            }
            if !is_base && state < depth {
                all.push(translator.formula(invariant, at(state)));
            }
        }
        if is_base {
            for formula in &self.assumed.first {
                all.push(translator.formula(*formula, at(0)));
            }
        }
        all.push(!translator.formula(invariant, at(depth)));
        if translator.failure.is_some() {
            return None;
        }
        if !is_base {
            all.extend(self.are_different(depth));
        }
        let root = self.circuit.all(all);
        let mut solver = Batsat::default();
        let left = std::cell::Cell::new(PATIENCE);
        solver.stop_when(Box::new(move || {
            left.set(left.get().saturating_sub(1));
            left.get() == 0
        }));
        let mut clauses = Clauses::default();
        let literal = clauses.literal(&self.circuit, root, &mut solver);
        match solver.solve(&[literal]) {
            Outcome::Unsatisfiable => Some(true),
            Outcome::Satisfiable => Some(false),
            Outcome::Stopped => None,
        }
    }

    fn base(&mut self, invariant: NodeId, depth: usize) -> Option<bool> {
        self.has_none(invariant, depth, true)
    }

    fn step(&mut self, invariant: NodeId, depth: usize) -> Option<bool> {
        self.has_none(invariant, depth, false)
    }

    /// No state of the path is there twice.
    fn are_different(&mut self, depth: usize) -> Vec<Lit> {
        let mut parts = Vec::new();
        for a in 0..=depth {
            for b in 0..a {
                let mut differ = Vec::new();
                for (number, relation) in self.bounds.relations.iter().enumerate() {
                    if !relation.is_var {
                        continue;
                    }
                    let id = RelId(number as u32);
                    let inputs = &mut self.kept.inputs;
                    let x = inputs.of(self.bounds, id, a, &mut self.circuit);
                    let y = inputs.of(self.bounds, id, b, &mut self.circuit);
                    let same = x.equals(&y, &mut self.circuit);
                    differ.push(!same);
                }
                parts.push(self.circuit.any(differ));
            }
        }
        parts
    }
}
