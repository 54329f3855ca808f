//! A formula as operators of time over formulas about one state and the next.

use quadrille_solve::{Circuit, Lit};
use rustc_hash::FxHashMap;

use crate::core::{NodeId, Op, Tense};
use crate::induction::is_local;
use crate::names::world::VarId;
use crate::scope::Bounds;
use crate::translate::{At, Kept, Translator};

/// How many promises and memories there may be: each doubles the work.
const MOST: usize = 14;

/// A part, by number; parts come before what they are part of.
pub(super) type Part = usize;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    /// Of a state and the next one: a number among the atoms.
    Atom(usize),
    Not(Part),
    And(Vec<Part>),
    Iff(Part, Part),
    Next(Part),
    Until(Part, Part),
    Before(Part),
    Since(Part, Part),
}

/// A formula as its parts.
#[derive(Debug, Default)]
pub(super) struct Skeleton {
    kinds: Vec<Kind>,
    known: FxHashMap<Kind, Part>,
    /// The circuits of the atoms at the first of two states.
    pub(super) atoms: Vec<Lit>,
    /// What is promised of the next state: a part that has to hold there.
    pub(super) promises: Vec<Part>,
    /// What is remembered of the state before.
    pub(super) memories: Vec<Part>,
    /// For each part with a promise or memory, its number.
    bit: FxHashMap<Part, usize>,
    /// All of it.
    pub(super) root: Part,
    /// Parts of which one has to hold again and again for each: what ends an `until`, or that it does
    /// not hold.
    pub(super) fair: Vec<(Part, Part)>,
}

/// What builds it.
struct Builder<'b> {
    skeleton: Skeleton,
    bounds: &'b mut Bounds,
    circuit: &'b mut Circuit,
    kept: &'b mut Kept,
    stop: &'b dyn Fn() -> bool,
    env: Vec<(VarId, u16)>,
}

impl Skeleton {
    /// All of these formulas; `None` where an operator is not known here, or there are too many.
    pub(super) fn new(
        bounds: &mut Bounds,
        formulas: &[NodeId],
        circuit: &mut Circuit,
        kept: &mut Kept,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let skeleton = Self::default();
        let mut builder = Builder { skeleton, bounds, circuit, kept, stop, env: Vec::new() };
        let parts: Option<Vec<Part>> =
            formulas.iter().map(|formula| builder.part(*formula)).collect();
        let root = builder.skeleton.add(Kind::And(parts?));
        let mut skeleton = builder.skeleton;
        skeleton.root = root;
        (skeleton.promises.len() <= MOST).then_some(skeleton)
    }

    fn add(&mut self, kind: Kind) -> Part {
        if let Some(part) = self.known.get(&kind) {
            return *part;
        }
        let part = self.kinds.len();
        self.kinds.push(kind.clone());
        match kind {
            Kind::Next(of) => {
                self.bit.insert(part, self.promises.len());
                self.promises.push(of);
            }
            Kind::Until(_, end) => {
                self.bit.insert(part, self.promises.len());
                self.promises.push(part);
                self.fair.push((part, end));
            }
            Kind::Before(of) => {
                self.bit.insert(part, self.memories.len());
                self.memories.push(of);
            }
            Kind::Since(..) => {
                self.bit.insert(part, self.memories.len());
                self.memories.push(part);
            }
            _ => {}
        }
        self.known.insert(kind, part);
        part
    }

    /// What each part is worth, given atoms, promises and memories.
    pub(super) fn worth(&self, atoms: &[bool], promised: u32, remembered: u32) -> Vec<bool> {
        let mut worth: Vec<bool> = Vec::with_capacity(self.kinds.len());
        for (part, kind) in self.kinds.iter().enumerate() {
            let is_set = |bits: u32| bits >> self.bit[&part] & 1 == 1;
            let value = match kind {
                Kind::Atom(atom) => atoms[*atom],
                Kind::Not(of) => !worth[*of],
                Kind::And(parts) => parts.iter().all(|part| worth[*part]),
                Kind::Iff(a, b) => worth[*a] == worth[*b],
                Kind::Next(_) => is_set(promised),
                Kind::Until(a, b) => worth[*b] || worth[*a] && is_set(promised),
                Kind::Before(_) => is_set(remembered),
                Kind::Since(a, b) => worth[*b] || worth[*a] && is_set(remembered),
            };
            worth.push(value);
        }
        worth
    }
}

impl Builder<'_> {
    fn part(&mut self, node: NodeId) -> Option<Part> {
        if is_local(&self.bounds.core, node) {
            let lit = self.circuit_of(node)?;
            let at = self.skeleton.atoms.iter().position(|known| *known == lit);
            let at = at.unwrap_or_else(|| {
                self.skeleton.atoms.push(lit);
                self.skeleton.atoms.len() - 1
            });
            return Some(self.skeleton.add(Kind::Atom(at)));
        }
        let op = self.bounds.core.op(node).clone();
        let kind = match op {
            Op::Not(of) => Kind::Not(self.part(of)?),
            Op::And(parts) => {
                let parts: Option<Vec<Part>> =
                    parts.into_iter().map(|part| self.part(part)).collect();
                Kind::And(parts?)
            }
            Op::Iff(a, b) => Kind::Iff(self.part(a)?, self.part(b)?),
            Op::All(var, set, body) => self.all(var, set, body)?,
            Op::After(of) => Kind::Next(self.part(of)?),
            Op::Always(of) => {
                let of = self.part(of)?;
                let broken = self.skeleton.add(Kind::Not(of));
                Kind::Not(self.eventually(broken))
            }
            Op::Until(a, b) => Kind::Until(self.part(a)?, self.part(b)?),
            Op::Before(of) => Kind::Before(self.part(of)?),
            Op::Once(of) => {
                let truth = self.skeleton.add(Kind::And(Vec::new()));
                Kind::Since(truth, self.part(of)?)
            }
            Op::Since(a, b) => Kind::Since(self.part(a)?, self.part(b)?),
            _ => return None,
        };
        Some(self.skeleton.add(kind))
    }

    fn eventually(&mut self, part: Part) -> Part {
        let truth = self.skeleton.add(Kind::And(Vec::new()));
        self.skeleton.add(Kind::Until(truth, part))
    }

    /// For each atom that may be in the set: where it is, the body.
    fn all(&mut self, var: VarId, set: NodeId, body: NodeId) -> Option<Kind> {
        if !is_local(&self.bounds.core, set) {
            return None;
        }
        let atom = self.bounds.core.node(Op::Var(var));
        let is_in = self.bounds.core.node(Op::In(atom, set));
        let mut parts = Vec::new();
        for atom in self.may_be_in(set)? {
            self.env.push((var, atom));
            let inside = self.part(is_in);
            let holds = self.part(body);
            self.env.pop();
            let broken = self.skeleton.add(Kind::Not(holds?));
            let both = self.skeleton.add(Kind::And(vec![inside?, broken]));
            parts.push(self.skeleton.add(Kind::Not(both)));
        }
        Some(Kind::And(parts))
    }

    fn may_be_in(&mut self, set: NodeId) -> Option<Vec<u16>> {
        let (env, stop) = (self.env.clone(), self.stop);
        let mut translator = Translator::new(self.bounds, self.circuit, self.kept, 2, stop);
        // Where an atom may be in may depend on time: all that may be in at one of two states.
        let matrix = translator.bound(&env, |it| it.matrix(set, At { state: 0, round: 0 }));
        let atoms = matrix.cells().iter().map(|(atom, _)| *atom as u16).collect();
        translator.failure.is_none().then_some(atoms)
    }

    fn circuit_of(&mut self, node: NodeId) -> Option<Lit> {
        let (env, stop) = (self.env.clone(), self.stop);
        let mut translator = Translator::new(self.bounds, self.circuit, self.kept, 2, stop);
        let lit = translator.bound(&env, |it| it.formula(node, At { state: 0, round: 0 }));
        translator.failure.is_none().then_some(lit)
    }
}

/// Whether a formula depends on the next state.
pub(super) fn looks_ahead(bounds: &Bounds, node: NodeId) -> bool {
    bounds.core.tense(node) == Tense::Temporal
}
