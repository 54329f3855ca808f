//! One step of the tableau: the ways to meet a set of obligations by what holds now and what is
//! owed from the next step on; and the memory that operators which look back need.

use rustc_hash::FxHashMap;

use crate::automaton::{Cube, Letter, Marks};
use crate::formula::{Binary, Unary};
use crate::pool::{Node, Pool, Term, Words};
use crate::translate::TranslationError;

/// Most ways to meet one set of obligations.
const MAX_STEPS: usize = 4_096;

/// One bit for each operator that looks back: its value in the step before, for `Y` its operand's.
pub(crate) type Memory = u64;

/// One way to meet obligations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Step {
    /// What holds now.
    pub(crate) label: Cube,
    /// What is owed from the next step on, ascending.
    pub(crate) next: Vec<Node>,
    /// Promises that stay open.
    pub(crate) postponed: Marks,
    /// Whether there must be a next step.
    pub(crate) goes_on: bool,
}

impl Step {
    const NOTHING: Step =
        Step { label: Cube::TRUE, next: Vec::new(), postponed: 0, goes_on: false };

    /// Both at once, if what they need now is consistent.
    fn and(&self, other: &Step) -> Option<Step> {
        let label = self.label.and(other.label)?;
        let mut next = self.next.clone();
        next.extend_from_slice(&other.next);
        next.sort_unstable();
        next.dedup();
        Some(Step {
            label,
            next,
            postponed: self.postponed | other.postponed,
            goes_on: self.goes_on || other.goes_on,
        })
    }

    /// Whether the other asks for everything that this one asks for.
    fn dominates(&self, other: &Step) -> bool {
        other.label.implies(self.label)
            && self.postponed & !other.postponed == 0
            && (other.goes_on || !self.goes_on)
            && self.next.iter().all(|node| other.next.binary_search(node).is_ok())
    }
}

/// How many comparisons are left before the translation gives up.
struct Effort(usize);

impl Effort {
    fn spend(&mut self, comparisons: usize) -> Result<(), TranslationError> {
        self.0 = self.0.checked_sub(comparisons).ok_or(TranslationError::TooLarge)?;
        Ok(())
    }
}

/// Alternatives, none of which dominates another.
#[derive(Clone, Default)]
struct Steps(Vec<Step>);

impl Steps {
    fn one(step: Step) -> Self {
        Self(vec![step])
    }

    fn insert(&mut self, step: Step, effort: &mut Effort) -> Result<(), TranslationError> {
        effort.spend(1 + self.0.len())?;
        if self.0.iter().any(|known| known.dominates(&step)) {
            return Ok(());
        }
        self.0.retain(|known| !step.dominates(known));
        if self.0.len() == MAX_STEPS {
            return Err(TranslationError::TooLarge);
        }
        self.0.push(step);
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Bit {
    number: usize,
    /// Whether the bit is the negation: `H a` uses the bit of `O !a`.
    inverted: bool,
}

pub(crate) struct Expander {
    pool: Pool,
    /// The promise of each right operand of an until: they share one where they wait for the same.
    promises: FxHashMap<Node, u32>,
    /// What each bit of [`Memory`] keeps from step to step.
    remembered: Vec<Node>,
    /// The bit of each operator that looks back.
    bits: FxHashMap<Node, Bit>,
    /// Bits of memory that a node's expansion looks at, now or later.
    relevant: FxHashMap<Node, Memory>,
    expanded: FxHashMap<(Node, Memory), Steps>,
    effort: Effort,
}

impl Expander {
    /// Prepares a formula; the node given back stands for it.
    pub(crate) fn new(
        pool: Pool,
        root: Node,
        max_comparisons: usize,
    ) -> Result<(Self, Node), TranslationError> {
        let mut expander = Self {
            pool,
            promises: FxHashMap::default(),
            remembered: Vec::new(),
            bits: FxHashMap::default(),
            relevant: FxHashMap::default(),
            expanded: FxHashMap::default(),
            effort: Effort(max_comparisons),
        };
        let root = expander.dissolve(root, &mut FxHashMap::default());
        expander.collect(root, &mut FxHashMap::default())?;
        if expander.promises.len() > Marks::BITS as usize {
            return Err(TranslationError::TooManySets(expander.promises.len()));
        }
        Ok((expander, root))
    }

    pub(crate) fn n_sets(&self) -> u32 {
        self.promises.len() as u32
    }

    /// Writes equivalence, weak until and strong release by the other operators.
    fn dissolve(&mut self, node: Node, done: &mut FxHashMap<Node, Node>) -> Node {
        if let Some(&known) = done.get(&node) {
            return known;
        }
        let result = match self.pool.term(node).clone() {
            Term::True | Term::False | Term::Atom(_) => node,
            Term::Not(a) => {
                let a = self.dissolve(a, done);
                self.pool.negate(a)
            }
            Term::And(all) => {
                let all: Vec<Node> = all.iter().map(|&a| self.dissolve(a, done)).collect();
                self.pool.plain_and(all)
            }
            Term::Or(all) => {
                let all: Vec<Node> = all.iter().map(|&a| self.dissolve(a, done)).collect();
                self.pool.plain_or(all)
            }
            Term::Iff(a, b) => {
                let (a, b) = (self.dissolve(a, done), self.dissolve(b, done));
                let (not_a, not_b) = (self.pool.negate(a), self.pool.negate(b));
                let both = self.pool.plain_and([a, b]);
                let neither = self.pool.plain_and([not_a, not_b]);
                self.pool.plain_or([both, neither])
            }
            Term::Unary(path, operator, a) => {
                let a = self.dissolve(a, done);
                self.pool.intern(Term::Unary(path, operator, a))
            }
            Term::Binary(path, operator, a, b) => {
                let (a, b) = (self.dissolve(a, done), self.dissolve(b, done));
                let term = match operator {
                    Binary::WeakUntil => {
                        Term::Binary(path, Binary::Release, b, self.pool.plain_or([a, b]))
                    }
                    Binary::StrongRelease => {
                        Term::Binary(path, Binary::Until, b, self.pool.plain_and([a, b]))
                    }
                    _ => Term::Binary(path, operator, a, b),
                };
                self.pool.intern(term)
            }
        };
        done.insert(node, result);
        result
    }

    /// Numbers promises and operators that look back, and notes which memory each node looks at.
    fn collect(
        &mut self,
        node: Node,
        done: &mut FxHashMap<Node, Memory>,
    ) -> Result<Memory, TranslationError> {
        if let Some(&known) = done.get(&node) {
            return Ok(known);
        }
        let term = self.pool.term(node).clone();
        let mut relevant = 0;
        for operand in operands(&term) {
            relevant |= self.collect(operand, done)?;
        }
        match term {
            Term::Unary(_, Unary::Eventually, b) | Term::Binary(_, Binary::Until, _, b)
                if self.pool.words == Words::Infinite =>
            {
                let fresh = self.promises.len() as u32;
                self.promises.entry(b).or_insert(fresh);
            }
            Term::Unary(_, Unary::Previous, a) => relevant |= self.new_bit(node, a)?,
            Term::Unary(_, Unary::Once, _) | Term::Binary(_, Binary::Since, _, _) => {
                relevant |= self.new_bit(node, node)?;
            }
            Term::Unary(_, Unary::Historically, _) => {
                let once = self.pool.negate(node);
                relevant |= self.new_bit(once, once)?;
            }
            _ => {}
        }
        done.insert(node, relevant);
        self.relevant.insert(node, relevant);
        let dual = self.pool.negate(node);
        self.relevant.insert(dual, relevant);
        Ok(relevant)
    }

    /// Gives an operator, and its dual, a bit that remembers what `kept` is in each step.
    fn new_bit(&mut self, operator: Node, kept: Node) -> Result<Memory, TranslationError> {
        if let Some(bit) = self.bits.get(&operator) {
            return Ok(1 << bit.number);
        }
        let number = self.remembered.len();
        if number == Memory::BITS as usize {
            return Err(TranslationError::TooLarge);
        }
        self.remembered.push(kept);
        let dual = self.pool.negate(operator);
        self.bits.insert(operator, Bit { number, inverted: false });
        self.bits.insert(dual, Bit { number, inverted: true });
        Ok(1 << number)
    }

    /// What an operator that looks back, or its dual, was in the step before; for `Y` its operand.
    fn recalls(&self, memory: Memory, node: Node) -> bool {
        self.bits.get(&node).is_some_and(|bit| (memory >> bit.number & 1 == 1) != bit.inverted)
    }

    fn relevant_to(&self, obligations: &[Node]) -> Memory {
        obligations.iter().fold(0, |bits, node| bits | self.relevant.get(node).unwrap_or(&0))
    }

    /// Leaves out obligations that another one contains for the present step: with `G (a & b)`, `a`
    /// adds nothing, nor does `b` with `a R b`, and the steps are exactly the same without it.
    pub(crate) fn absorb(&self, obligations: &mut Vec<Node>) {
        let mut contained: Vec<Node> = Vec::new();
        for &node in obligations.iter() {
            self.contents(node, &mut contained);
        }
        if !contained.is_empty() {
            obligations.retain(|node| !contained.contains(node));
        }
    }

    /// What a node contains for the present step.
    fn contents(&self, node: Node, contained: &mut Vec<Node>) {
        let (Term::Unary(_, Unary::Always, inner) | Term::Binary(_, Binary::Release, _, inner)) =
            *self.pool.term(node)
        else {
            return;
        };
        let inner = match self.pool.term(inner) {
            Term::And(all) => &all[..],
            _ => &[inner],
        };
        for &part in inner {
            contained.push(part);
            self.contents(part, contained);
        }
    }

    /// Every way to meet all the obligations.
    pub(crate) fn steps(
        &mut self,
        obligations: &[Node],
        memory: Memory,
    ) -> Result<Vec<Step>, TranslationError> {
        let mut steps = Steps::one(Step::NOTHING);
        for &node in obligations {
            let more = self.expand(node, memory)?;
            steps = self.both(&steps, &more)?;
        }
        Ok(steps.0)
    }

    /// Splits a label by what it makes the next obligations remember.
    pub(crate) fn remember(
        &mut self,
        label: Cube,
        next: &[Node],
        memory: Memory,
    ) -> Result<Vec<(Cube, Memory)>, TranslationError> {
        let relevant = self.relevant_to(next);
        let mut pieces = vec![(label, 0)];
        for bit in (0..self.remembered.len()).filter(|bit| relevant >> bit & 1 == 1) {
            let value = self.remembered[bit];
            let negated = self.pool.negate(value);
            let (yes, no) = (self.expand(value, memory)?, self.expand(negated, memory)?);
            let mut split = Vec::new();
            for (label, remembered) in pieces {
                let holds = yes.0.iter().filter_map(|step| step.label.and(label));
                split.extend(holds.map(|label| (label, remembered | 1 << bit)));
                let fails = no.0.iter().filter_map(|step| step.label.and(label));
                split.extend(fails.map(|label| (label, remembered)));
            }
            if split.len() > MAX_STEPS {
                return Err(TranslationError::TooLarge);
            }
            pieces = split;
        }
        Ok(pieces)
    }

    fn expand(&mut self, node: Node, memory: Memory) -> Result<Steps, TranslationError> {
        let memory = memory & self.relevant.get(&node).copied().unwrap_or(Memory::MAX);
        if let Some(known) = self.expanded.get(&(node, memory)) {
            return Ok(known.clone());
        }
        let steps = self.expand_anew(node, memory)?;
        self.expanded.insert((node, memory), steps.clone());
        Ok(steps)
    }

    fn expand_anew(&mut self, node: Node, memory: Memory) -> Result<Steps, TranslationError> {
        let always = || Steps::one(Step::NOTHING);
        let given = |holds: bool| if holds { always() } else { Steps::default() };
        Ok(match self.pool.term(node).clone() {
            Term::True => always(),
            Term::False => Steps::default(),
            Term::Atom(atom) => literal(1 << atom.index(), 0),
            Term::Not(inner) => return self.expand_negated(inner, memory),
            Term::And(all) => Steps(self.steps(&all, memory)?),
            Term::Or(all) => {
                let mut steps = Steps::default();
                for part in all {
                    let more = self.expand(part, memory)?;
                    steps = self.either(steps, more)?;
                }
                steps
            }
            Term::Unary(_, operator, a) => match operator {
                Unary::Next => Steps::one(self.owed(a, true)),
                Unary::Eventually => {
                    let now = self.expand(a, memory)?;
                    self.either(now, Steps::one(self.postponed(node, a)))?
                }
                Unary::Always => {
                    let now = self.expand(a, memory)?;
                    self.both(&now, &Steps::one(self.owed(node, false)))?
                }
                Unary::Previous => given(self.recalls(memory, node)),
                Unary::Once if self.recalls(memory, node) => always(),
                Unary::Historically if !self.recalls(memory, node) => Steps::default(),
                Unary::Once | Unary::Historically => self.expand(a, memory)?,
            },
            Term::Binary(_, operator, a, b) => {
                let (now_a, now_b) = (self.expand(a, memory)?, self.expand(b, memory)?);
                match operator {
                    Binary::Until => {
                        let later = self.both(&now_a, &Steps::one(self.postponed(node, b)))?;
                        self.either(now_b, later)?
                    }
                    Binary::Since if self.recalls(memory, node) => self.either(now_b, now_a)?,
                    Binary::Since => now_b,
                    Binary::Release => {
                        let later = self.either(now_a, Steps::one(self.owed(node, false)))?;
                        self.both(&now_b, &later)?
                    }
                    Binary::WeakUntil | Binary::StrongRelease => {
                        unreachable!("dissolved before expansion")
                    }
                }
            }
            Term::Iff(..) => unreachable!("dissolved before expansion"),
        })
    }

    fn expand_negated(&mut self, inner: Node, memory: Memory) -> Result<Steps, TranslationError> {
        let recalled = self.recalls(memory, inner);
        Ok(match self.pool.term(inner).clone() {
            Term::Atom(atom) => literal(0, 1 << atom.index()),
            Term::Unary(_, Unary::Previous, _) if recalled => Steps::default(),
            Term::Unary(_, Unary::Previous, _) => Steps::one(Step::NOTHING),
            Term::Unary(_, Unary::Next, a) => {
                let a = self.pool.negate(a);
                Steps::one(self.owed(a, false))
            }
            Term::Binary(_, Binary::Since, a, b) => {
                let (a, b) = (self.pool.negate(a), self.pool.negate(b));
                let now = self.expand(b, memory)?;
                if !recalled {
                    return Ok(now);
                }
                let and = self.expand(a, memory)?;
                self.both(&now, &and)?
            }
            _ => unreachable!("every other operator has a dual"),
        })
    }

    fn either(&mut self, mut steps: Steps, more: Steps) -> Result<Steps, TranslationError> {
        for step in more.0 {
            steps.insert(step, &mut self.effort)?;
        }
        Ok(steps)
    }

    fn both(&mut self, left: &Steps, right: &Steps) -> Result<Steps, TranslationError> {
        let mut product = Steps::default();
        for a in &left.0 {
            for mut step in right.0.iter().filter_map(|b| a.and(b)) {
                self.absorb(&mut step.next);
                product.insert(step, &mut self.effort)?;
            }
        }
        Ok(product)
    }

    /// Nothing now, a node from the next step on.
    fn owed(&self, node: Node, goes_on: bool) -> Step {
        let next = match self.pool.term(node) {
            Term::True => Vec::new(),
            Term::And(all) => all.clone(),
            _ => vec![node],
        };
        Step { next, goes_on, ..Step::NOTHING }
    }

    /// Nothing now, an eventuality from the next step on, with its promise kept open.
    fn postponed(&self, node: Node, promise: Node) -> Step {
        let postponed = self.promises.get(&promise).map_or(0, |&bit| 1 << bit);
        Step { postponed, ..self.owed(node, true) }
    }
}

fn literal(positive: Letter, negative: Letter) -> Steps {
    Steps::one(Step { label: Cube { positive, negative }, ..Step::NOTHING })
}

fn operands(term: &Term) -> Vec<Node> {
    match term {
        Term::True | Term::False | Term::Atom(_) => Vec::new(),
        Term::Not(a) | Term::Unary(_, _, a) => vec![*a],
        Term::And(all) | Term::Or(all) => all.clone(),
        Term::Iff(a, b) | Term::Binary(_, _, a, b) => vec![*a, *b],
    }
}
