//! From the core to circuits, at one position of a lasso: which state, and how often the loop was gone
//! round, as far as the past can tell (Biere, Heljanko, Junttila, Latvala and Schuppan, *Linear
//! encodings of bounded LTL model checking*, 2006). Selectors say where the loop begins.

mod ahead;
mod formulas;
mod sets;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use quadrille_solve::{Bits, Circuit, Lit, Matrix, Tuple};

use crate::core::{NodeId, RelId, Tense};
use crate::names::world::VarId;
use crate::scope::Bounds;

/// The inputs of relations: of each state, those that change.
#[derive(Default)]
pub(crate) struct Inputs {
    matrices: Vec<Vec<Rc<Matrix>>>,
    loops: Vec<Lit>,
}

impl Inputs {
    pub(crate) fn of(
        &mut self,
        bounds: &Bounds,
        id: RelId,
        state: usize,
        circuit: &mut Circuit,
    ) -> Rc<Matrix> {
        let relation = &bounds.relations[id.0 as usize];
        let state = if relation.is_var { state } else { 0 };
        if self.matrices.len() <= id.0 as usize {
            self.matrices.resize(bounds.relations.len(), Vec::new());
        }
        let states = &mut self.matrices[id.0 as usize];
        while states.len() <= state {
            let cells = relation.upper.iter().map(|tuple| {
                let is_certain = relation.lower.binary_search(tuple).is_ok();
                (*tuple, if is_certain { Lit::TRUE } else { circuit.input() })
            });
            let cells: Vec<(Tuple, Lit)> = cells.collect();
            states.push(Rc::new(Matrix::new(relation.arity, cells)));
        }
        states[state].clone()
    }

    /// What says that the loop begins at a state.
    pub(crate) fn selector(&mut self, state: usize, circuit: &mut Circuit) -> Lit {
        while self.loops.len() <= state {
            self.loops.push(circuit.input());
        }
        self.loops[state]
    }
}

/// A state, and how often the loop was gone round before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct At {
    pub(crate) state: usize,
    pub(crate) round: u32,
}

/// What a variable is bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Binding {
    Atom(u16),
    Set(u32),
}

impl Binding {
    fn number(self) -> u32 {
        match self {
            Binding::Atom(atom) => u32::from(atom),
            Binding::Set(number) => 0x1_0000 + number,
        }
    }
}

/// How many variables a node may mention to be remembered.
const REMEMBERED: usize = 6;

type Key = (NodeId, u32, [u32; REMEMBERED]);

/// What was translated, by node, position and what variables are bound to.
#[derive(Default)]
struct Memo {
    lits: FxHashMap<Key, Lit>,
    matrices: FxHashMap<Key, Rc<Matrix>>,
    bits: FxHashMap<Key, Rc<Bits>>,
}

/// What stays from one length of lassos to the next.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) inputs: Inputs,
    memo: Memo,
    sets: Vec<Rc<Matrix>>,
    set_numbers: FxHashMap<Vec<Tuple>, u32>,
}

pub(crate) struct Translator<'a> {
    bounds: &'a Bounds,
    pub(crate) circuit: &'a mut Circuit,
    kept: &'a mut Kept,
    /// Of this length alone.
    memo: Memo,
    /// Where the second pass of `until` is.
    again: FxHashMap<Key, Lit>,
    length: usize,
    loops: Vec<Lit>,
    env: FxHashMap<VarId, Binding>,
    stop: &'a dyn Fn() -> bool,
    steps: u32,
    /// Why there is no answer.
    pub(crate) failure: Option<Failure>,
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// There are too many sets to try.
    HigherOrder,
    /// It was told to stop.
    Stopped,
}

impl<'a> Translator<'a> {
    pub(crate) fn new(
        bounds: &'a Bounds,
        circuit: &'a mut Circuit,
        kept: &'a mut Kept,
        length: usize,
        stop: &'a dyn Fn() -> bool,
    ) -> Self {
        let loops: Vec<Lit> = match length {
            1 => vec![Lit::TRUE],
            _ => (0..length).map(|state| kept.inputs.selector(state, circuit)).collect(),
        };
        Self {
            bounds,
            circuit,
            kept,
            memo: Memo::default(),
            again: FxHashMap::default(),
            length,
            loops,
            env: FxHashMap::default(),
            stop,
            steps: 0,
            failure: None,
        }
    }

    /// The loop begins at exactly one state.
    pub(crate) fn has_loop(&mut self) -> Lit {
        let loops = self.loops.clone();
        let (some, lone) =
            (self.circuit.any(loops.iter().copied()), self.circuit.at_most_one(&loops));
        self.circuit.and(some, lone)
    }

    /// Whether work goes on; asks from time to time.
    fn goes_on(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(1024) && self.failure.is_none() && (self.stop)() {
            self.failure = Some(Failure::Stopped);
        }
        self.failure.is_none()
    }

    /// Under what a node is remembered, if at all; a node that does not look that far is the same in
    /// every round.
    fn key(&self, node: NodeId, at: At) -> Option<Key> {
        let facts = self.bounds.core.facts(node);
        if facts.free.len() > REMEMBERED {
            return None;
        }
        let position = match facts.tense {
            Tense::Static => u32::MAX,
            Tense::Present => at.state as u32,
            Tense::Temporal => (at.state as u32) << 8 | at.round,
        };
        let mut values = [u32::MAX; REMEMBERED];
        for (value, var) in values.iter_mut().zip(&*facts.free) {
            *value = self.env.get(var)?.number();
        }
        Some((node, position, values))
    }

    /// A position as a node sees it.
    fn seen(&self, node: NodeId, at: At) -> At {
        let past = self.bounds.core.facts(node).past;
        At { state: at.state, round: at.round.min(past) }
    }

    fn memo(&mut self, node: NodeId) -> &mut Memo {
        match self.bounds.core.tense(node) {
            Tense::Temporal => &mut self.memo,
            Tense::Static | Tense::Present => &mut self.kept.memo,
        }
    }

    /// Runs with variables bound to atoms.
    pub(crate) fn bound<T>(&mut self, env: &[(VarId, u16)], f: impl FnOnce(&mut Self) -> T) -> T {
        match env {
            [] => f(self),
            [(var, atom), rest @ ..] => {
                self.env.insert(*var, Binding::Atom(*atom));
                self.bound(rest, f)
            }
        }
    }

    fn with<T>(&mut self, var: VarId, binding: Binding, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.env.insert(var, binding);
        let found = f(self);
        match before {
            Some(before) => self.env.insert(var, before),
            None => self.env.remove(&var),
        };
        found
    }

    /// A set of tuples that variables can be bound to.
    fn set_binding(&mut self, arity: usize, tuples: Vec<Tuple>) -> Binding {
        let n = self.kept.sets.len() as u32;
        // Empty sets of several arities differ.
        let mut key = tuples.clone();
        key.push(Tuple::MAX - arity as u128);
        let number = *self.kept.set_numbers.entry(key).or_insert(n);
        if number == n {
            self.kept.sets.push(Rc::new(Matrix::constant(arity, tuples)));
        }
        Binding::Set(number)
    }

    /// Where the position behind one is, with the condition under which it is there.
    fn next(&self, at: At, rounds: u32) -> Vec<(Lit, At)> {
        if at.state + 1 < self.length {
            return vec![(Lit::TRUE, At { state: at.state + 1, ..at })];
        }
        let round = (at.round + 1).min(rounds);
        let loops = self.loops.iter().enumerate();
        loops.map(|(state, lit)| (*lit, At { state, round })).collect()
    }

    /// Whether a state is in the loop.
    fn in_loop(&mut self, state: usize) -> Lit {
        let loops = self.loops[..=state].to_vec();
        self.circuit.any(loops)
    }
}
