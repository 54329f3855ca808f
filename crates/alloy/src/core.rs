//! The small language that everything is brought down to: no calls, no `let`, no overloads; one node
//! for what is the same. Nodes know which variables they mention and how they depend on time.

use rustc_hash::FxHashMap;

use crate::names::world::VarId;

/// A node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(pub(crate) u32);

/// A relation that is looked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RelId(pub(crate) u32);

/// Numbers from two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Arithmetic {
    Plus,
    Minus,
    Times,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
}

/// Relations, numbers and formulas.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    // Relations.
    Rel(RelId),
    /// Fixed tuples, with their number of columns.
    Constant(usize, Vec<u128>),
    Var(VarId),
    Union(NodeId, NodeId),
    Minus(NodeId, NodeId),
    Intersect(NodeId, NodeId),
    Join(NodeId, NodeId),
    Product(NodeId, NodeId),
    Override(NodeId, NodeId),
    /// A relation of which one column is in a set.
    Restrict(NodeId, bool, NodeId),
    Transpose(NodeId),
    Closure(NodeId),
    /// Each atom of a set with itself.
    Identity(NodeId),
    Prime(NodeId),
    Choose(NodeId, NodeId, NodeId),
    Comprehension(Vec<(VarId, NodeId)>, NodeId),
    FromInt(NodeId),
    // Numbers.
    Number(i64),
    Count(NodeId),
    SumOf(NodeId),
    SumOver(VarId, NodeId, NodeId),
    Arithmetic(Arithmetic, NodeId, NodeId),
    ChooseInt(NodeId, NodeId, NodeId),
    // Formulas.
    And(Vec<NodeId>),
    Not(NodeId),
    Iff(NodeId, NodeId),
    In(NodeId, NodeId),
    Equal(NodeId, NodeId),
    Some(NodeId),
    Lone(NodeId),
    One(NodeId),
    /// At most so many tuples, whatever the width of integers.
    AtMost(NodeId, usize),
    EqualInt(NodeId, NodeId),
    Less(NodeId, NodeId),
    /// A number made of numbers that fit does not fit into the width of integers itself.
    Exceeds(NodeId),
    All(VarId, NodeId, NodeId),
    /// For every subset of a relation; of those with at most one tuple where it says so.
    AllSets(VarId, NodeId, bool, NodeId),
    /// Elements, first, next.
    TotalOrder(NodeId, NodeId, NodeId),
    After(NodeId),
    Always(NodeId),
    Until(NodeId, NodeId),
    Before(NodeId),
    Once(NodeId),
    Since(NodeId, NodeId),
}

/// How a node depends on time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Tense {
    /// Not at all.
    Static,
    /// On the current state alone.
    Present,
    /// On other states, too.
    Temporal,
}

/// What is known about a node.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) free: Box<[VarId]>,
    pub(crate) tense: Tense,
    /// How deep operators about the past lie within each other.
    pub(crate) past: u32,
    /// How many columns there are; none for numbers and formulas.
    pub(crate) arity: usize,
}

/// All nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Core {
    ops: Vec<Op>,
    facts: Vec<Facts>,
    known: FxHashMap<Op, NodeId>,
    /// Of relations: the number of columns, and whether they change.
    pub(crate) relations: Vec<(usize, bool)>,
    /// How many columns variables have that are not single atoms.
    pub(crate) wide: FxHashMap<VarId, usize>,
}

impl Core {
    pub(crate) fn op(&self, id: NodeId) -> &Op {
        &self.ops[id.0 as usize]
    }

    pub(crate) fn facts(&self, id: NodeId) -> &Facts {
        &self.facts[id.0 as usize]
    }

    pub(crate) fn arity(&self, id: NodeId) -> usize {
        self.facts(id).arity
    }

    pub(crate) fn tense(&self, id: NodeId) -> Tense {
        self.facts(id).tense
    }

    pub(crate) fn node(&mut self, op: Op) -> NodeId {
        if let Some(id) = self.known.get(&op) {
            return *id;
        }
        let facts = self.derive(&op);
        let id = NodeId(self.ops.len() as u32);
        self.ops.push(op.clone());
        self.facts.push(facts);
        self.known.insert(op, id);
        id
    }

    fn derive(&self, op: &Op) -> Facts {
        let mut free: Vec<VarId> = Vec::new();
        let (mut tense, mut past) = (Tense::Static, 0);
        for child in children(op) {
            let facts = self.facts(child);
            free.extend(facts.free.iter());
            tense = tense.max(facts.tense);
            past = past.max(facts.past);
        }
        match op {
            Op::Rel(id) if self.relations[id.0 as usize].1 => tense = Tense::Present,
            Op::Var(var) => free.push(*var),
            Op::Prime(of) if self.tense(*of) != Tense::Static => tense = Tense::Temporal,
            Op::After(_) | Op::Always(_) | Op::Until(..) if tense != Tense::Static => {
                tense = Tense::Temporal;
            }
            // Even of what never changes: there is nothing before the first state.
            Op::Before(_) | Op::Once(_) | Op::Since(..) => {
                tense = Tense::Temporal;
                past += 1;
            }
            Op::All(var, ..) | Op::AllSets(var, ..) | Op::SumOver(var, ..) => {
                // Bounds are outside of the variable's reach, and never mention it.
                free.retain(|it| it != var);
            }
            Op::Comprehension(vars, _) => {
                free.retain(|it| !vars.iter().any(|(var, _)| var == it));
            }
            _ => {}
        }
        free.sort_unstable();
        free.dedup();
        Facts { free: free.into(), tense, past, arity: self.derive_arity(op) }
    }

    fn derive_arity(&self, op: &Op) -> usize {
        match op {
            Op::Rel(id) => self.relations[id.0 as usize].0,
            Op::Constant(arity, _) => *arity,
            Op::Var(var) => self.wide.get(var).copied().unwrap_or(1),
            Op::Union(a, _) | Op::Minus(a, _) | Op::Intersect(a, _) | Op::Override(a, _) => {
                self.arity(*a)
            }
            Op::Join(a, b) => (self.arity(*a) + self.arity(*b)).saturating_sub(2),
            Op::Product(a, b) => self.arity(*a) + self.arity(*b),
            Op::Restrict(a, ..) | Op::Prime(a) | Op::Choose(_, a, _) => self.arity(*a),
            Op::Transpose(_) | Op::Closure(_) | Op::Identity(_) => 2,
            Op::Comprehension(vars, _) => vars.len(),
            Op::FromInt(_) => 1,
            _ => 0,
        }
    }

    // Formulas, with the rules that keep them small.

    pub(crate) fn truth(&mut self) -> NodeId {
        self.node(Op::And(Vec::new()))
    }

    pub(crate) fn not(&mut self, of: NodeId) -> NodeId {
        match self.op(of) {
            Op::Not(inner) => *inner,
            _ => self.node(Op::Not(of)),
        }
    }

    pub(crate) fn and(&mut self, parts: impl IntoIterator<Item = NodeId>) -> NodeId {
        let mut flat: Vec<NodeId> = Vec::new();
        for part in parts {
            match self.op(part) {
                Op::And(inner) => flat.extend(inner.clone()),
                _ => flat.push(part),
            }
        }
        match flat[..] {
            [only] => only,
            _ => self.node(Op::And(flat)),
        }
    }

    pub(crate) fn or(&mut self, parts: impl IntoIterator<Item = NodeId>) -> NodeId {
        let denied: Vec<NodeId> = parts.into_iter().map(|part| self.not(part)).collect();
        let none = self.and(denied);
        self.not(none)
    }

    pub(crate) fn implies(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let not = self.not(a);
        self.or([not, b])
    }

    pub(crate) fn exists(&mut self, var: VarId, bound: NodeId, body: NodeId) -> NodeId {
        let not = self.not(body);
        let all = self.node(Op::All(var, bound, not));
        self.not(all)
    }

    pub(crate) fn none(&mut self, arity: usize) -> NodeId {
        self.node(Op::Constant(arity, Vec::new()))
    }

    pub(crate) fn union(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let is_empty = |id: NodeId| matches!(self.op(id), Op::Constant(_, all) if all.is_empty());
        match (is_empty(a), is_empty(b)) {
            (true, _) => b,
            (_, true) => a,
            _ if a == b => a,
            _ => self.node(Op::Union(a, b)),
        }
    }

    /// Always, where there is a difference.
    pub(crate) fn always(&mut self, of: NodeId) -> NodeId {
        match self.tense(of) {
            Tense::Static => of,
            _ => self.node(Op::Always(of)),
        }
    }
}

/// The nodes a node is made of.
pub(crate) fn children(op: &Op) -> Vec<NodeId> {
    match op {
        Op::Rel(_) | Op::Constant(..) | Op::Var(_) | Op::Number(_) => Vec::new(),
        Op::Transpose(a)
        | Op::Closure(a)
        | Op::Identity(a)
        | Op::Prime(a)
        | Op::FromInt(a)
        | Op::Count(a)
        | Op::SumOf(a)
        | Op::Not(a)
        | Op::Some(a)
        | Op::Lone(a)
        | Op::One(a)
        | Op::AtMost(a, _)
        | Op::Exceeds(a)
        | Op::After(a)
        | Op::Always(a)
        | Op::Before(a)
        | Op::Once(a) => vec![*a],
        Op::Union(a, b)
        | Op::Minus(a, b)
        | Op::Intersect(a, b)
        | Op::Join(a, b)
        | Op::Product(a, b)
        | Op::Override(a, b)
        | Op::Restrict(a, _, b)
        | Op::SumOver(_, a, b)
        | Op::Arithmetic(_, a, b)
        | Op::Iff(a, b)
        | Op::In(a, b)
        | Op::Equal(a, b)
        | Op::EqualInt(a, b)
        | Op::Less(a, b)
        | Op::All(_, a, b)
        | Op::AllSets(_, a, _, b)
        | Op::Until(a, b)
        | Op::Since(a, b) => vec![*a, *b],
        Op::Choose(a, b, c) | Op::ChooseInt(a, b, c) | Op::TotalOrder(a, b, c) => vec![*a, *b, *c],
        Op::And(parts) => parts.clone(),
        Op::Comprehension(vars, body) => {
            vars.iter().map(|(_, bound)| *bound).chain([*body]).collect()
        }
    }
}

/// A node of others in the place of those it is made of.
pub(crate) fn map(op: Op, f: &mut impl FnMut(NodeId) -> NodeId) -> Op {
    match op {
        Op::Rel(_) | Op::Constant(..) | Op::Var(_) | Op::Number(_) => op,
        Op::Transpose(a) => Op::Transpose(f(a)),
        Op::Closure(a) => Op::Closure(f(a)),
        Op::Identity(a) => Op::Identity(f(a)),
        Op::Prime(a) => Op::Prime(f(a)),
        Op::FromInt(a) => Op::FromInt(f(a)),
        Op::Count(a) => Op::Count(f(a)),
        Op::SumOf(a) => Op::SumOf(f(a)),
        Op::Not(a) => Op::Not(f(a)),
        Op::Some(a) => Op::Some(f(a)),
        Op::Lone(a) => Op::Lone(f(a)),
        Op::One(a) => Op::One(f(a)),
        Op::AtMost(a, n) => Op::AtMost(f(a), n),
        Op::Exceeds(a) => Op::Exceeds(f(a)),
        Op::After(a) => Op::After(f(a)),
        Op::Always(a) => Op::Always(f(a)),
        Op::Before(a) => Op::Before(f(a)),
        Op::Once(a) => Op::Once(f(a)),
        Op::Union(a, b) => Op::Union(f(a), f(b)),
        Op::Minus(a, b) => Op::Minus(f(a), f(b)),
        Op::Intersect(a, b) => Op::Intersect(f(a), f(b)),
        Op::Join(a, b) => Op::Join(f(a), f(b)),
        Op::Product(a, b) => Op::Product(f(a), f(b)),
        Op::Override(a, b) => Op::Override(f(a), f(b)),
        Op::Restrict(a, is_last, b) => Op::Restrict(f(a), is_last, f(b)),
        Op::SumOver(var, a, b) => Op::SumOver(var, f(a), f(b)),
        Op::Arithmetic(operator, a, b) => Op::Arithmetic(operator, f(a), f(b)),
        Op::Iff(a, b) => Op::Iff(f(a), f(b)),
        Op::In(a, b) => Op::In(f(a), f(b)),
        Op::Equal(a, b) => Op::Equal(f(a), f(b)),
        Op::EqualInt(a, b) => Op::EqualInt(f(a), f(b)),
        Op::Less(a, b) => Op::Less(f(a), f(b)),
        Op::All(var, a, b) => Op::All(var, f(a), f(b)),
        Op::AllSets(var, a, is_lone, b) => Op::AllSets(var, f(a), is_lone, f(b)),
        Op::Until(a, b) => Op::Until(f(a), f(b)),
        Op::Since(a, b) => Op::Since(f(a), f(b)),
        Op::Choose(a, b, c) => Op::Choose(f(a), f(b), f(c)),
        Op::ChooseInt(a, b, c) => Op::ChooseInt(f(a), f(b), f(c)),
        Op::TotalOrder(a, b, c) => Op::TotalOrder(f(a), f(b), f(c)),
        Op::And(parts) => Op::And(parts.into_iter().map(f).collect()),
        Op::Comprehension(vars, body) => {
            let vars = vars.into_iter().map(|(var, bound)| (var, f(bound))).collect();
            Op::Comprehension(vars, f(body))
        }
    }
}
