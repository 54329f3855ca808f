//! Formulas with shared subformulas, each kept once, in negation normal form: what simplification
//! rewrites and translation expands. Sharing keeps nested equivalences from doubling at each level.

use rustc_hash::FxHashMap;

use crate::formula::{AtomId, Binary, Formula, Path, Unary};
use crate::normal::{dual_binary, dual_unary};

/// A formula of a [`Pool`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Node(u32);

impl Node {
    pub(crate) const TRUE: Node = Node(0);
    pub(crate) const FALSE: Node = Node(1);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The outermost operator of a node. `Not` stands only over what has no dual: atoms, `Y`, `S`,
/// operators of branching time, and on finite words `X`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Term {
    True,
    False,
    Atom(AtomId),
    Not(Node),
    And(Vec<Node>),
    Or(Vec<Node>),
    Iff(Node, Node),
    Unary(Path, Unary, Node),
    Binary(Path, Binary, Node, Node),
}

/// What kind of words formulas are read on: some equivalences need a next step to exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Words {
    Infinite,
    Finite,
}

/// How a formula's truth moves along a word (Etessami and Holzmann, CONCUR 2000).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Drift {
    /// Where it holds, it held everywhere before: `f` is equivalent to `F f`.
    pub(crate) eventual: bool,
    /// Where it holds, it holds everywhere after: `f` is equivalent to `G f`.
    pub(crate) universal: bool,
}

pub(crate) struct Pool {
    pub(crate) words: Words,
    terms: Vec<Term>,
    drifts: Vec<Drift>,
    index: FxHashMap<Term, Node>,
    negations: FxHashMap<Node, Node>,
    /// Answers of the implication test.
    pub(crate) implications: FxHashMap<(Node, Node), bool>,
}

impl Pool {
    pub(crate) fn new(words: Words) -> Self {
        let mut pool = Self {
            words,
            terms: Vec::new(),
            drifts: Vec::new(),
            index: FxHashMap::default(),
            negations: FxHashMap::default(),
            implications: FxHashMap::default(),
        };
        pool.intern(Term::True);
        pool.intern(Term::False);
        pool
    }

    pub(crate) fn term(&self, node: Node) -> &Term {
        &self.terms[node.index()]
    }

    pub(crate) fn drift(&self, node: Node) -> Drift {
        self.drifts[node.index()]
    }

    /// Whether truth never changes along a word.
    pub(crate) fn is_suspendable(&self, node: Node) -> bool {
        let drift = self.drift(node);
        drift.eventual && drift.universal
    }

    /// The node of a term, new or known. Lists are sorted here; nothing else is rewritten.
    pub(crate) fn intern(&mut self, mut term: Term) -> Node {
        if let Term::And(all) | Term::Or(all) = &mut term {
            all.sort_unstable();
            all.dedup();
            debug_assert!(all.len() > 1);
        }
        if let Some(&known) = self.index.get(&term) {
            return known;
        }
        let node = Node(u32::try_from(self.terms.len()).expect("fewer than 2^32 subformulas"));
        self.drifts.push(self.drift_of(&term));
        self.terms.push(term.clone());
        self.index.insert(term, node);
        node
    }

    fn drift_of(&self, term: &Term) -> Drift {
        let none = Drift { eventual: false, universal: false };
        let both = |a: Node, b: Node| {
            let (a, b) = (self.drift(a), self.drift(b));
            Drift { eventual: a.eventual && b.eventual, universal: a.universal && b.universal }
        };
        match term {
            Term::True | Term::False => Drift { eventual: true, universal: true },
            Term::And(all) | Term::Or(all) => Drift {
                eventual: all.iter().all(|&node| self.drift(node).eventual),
                universal: all.iter().all(|&node| self.drift(node).universal),
            },
            Term::Unary(Path::This, Unary::Next, a) if self.words == Words::Infinite => {
                self.drift(*a)
            }
            Term::Unary(Path::This, Unary::Eventually, a) => {
                Drift { eventual: true, ..self.drift(*a) }
            }
            Term::Unary(Path::This, Unary::Always, a) => {
                Drift { universal: true, ..self.drift(*a) }
            }
            Term::Binary(Path::This, Binary::Until, a, b) => {
                Drift { eventual: self.drift(*b).eventual, ..both(*a, *b) }
            }
            Term::Binary(Path::This, Binary::Release, a, b) => {
                Drift { universal: self.drift(*b).universal, ..both(*a, *b) }
            }
            Term::Binary(Path::This, Binary::WeakUntil | Binary::StrongRelease, a, b) => {
                both(*a, *b)
            }
            _ => none,
        }
    }

    /// The negation: the dual operator over negated operands. Twice gives the node back.
    pub(crate) fn negate(&mut self, node: Node) -> Node {
        if let Some(&known) = self.negations.get(&node) {
            return known;
        }
        let dual = match self.term(node).clone() {
            Term::True => Node::FALSE,
            Term::False => Node::TRUE,
            Term::Not(a) => a,
            Term::And(all) => {
                let all = all.into_iter().map(|a| self.negate(a)).collect();
                self.intern(Term::Or(all))
            }
            Term::Or(all) => {
                let all = all.into_iter().map(|a| self.negate(a)).collect();
                self.intern(Term::And(all))
            }
            Term::Iff(a, b) => {
                let a = self.negate(a);
                self.intern(Term::Iff(a, b))
            }
            Term::Unary(Path::This, operator, a) => {
                let next_exists = operator != Unary::Next || self.words == Words::Infinite;
                match dual_unary(Path::This, operator).filter(|_| next_exists) {
                    Some((_, dual)) => {
                        let a = self.negate(a);
                        self.intern(Term::Unary(Path::This, dual, a))
                    }
                    None => self.intern(Term::Not(node)),
                }
            }
            Term::Binary(Path::This, operator, a, b) => match dual_binary(operator) {
                Some(dual) => {
                    let (a, b) = (self.negate(a), self.negate(b));
                    self.intern(Term::Binary(Path::This, dual, a, b))
                }
                None => self.intern(Term::Not(node)),
            },
            Term::Atom(_) | Term::Unary(..) | Term::Binary(..) => self.intern(Term::Not(node)),
        };
        self.negations.insert(node, dual);
        self.negations.insert(dual, node);
        dual
    }

    /// The conjunction, with constants and repetitions removed and nothing else rewritten.
    pub(crate) fn plain_and(&mut self, operands: impl IntoIterator<Item = Node>) -> Node {
        let mut flat = Vec::new();
        for operand in operands {
            match self.term(operand) {
                Term::True => {}
                Term::False => return Node::FALSE,
                Term::And(inner) => flat.extend_from_slice(inner),
                _ => flat.push(operand),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat[..] {
            [] => Node::TRUE,
            [only] => only,
            _ => self.intern(Term::And(flat)),
        }
    }

    /// The disjunction, likewise.
    pub(crate) fn plain_or(&mut self, operands: impl IntoIterator<Item = Node>) -> Node {
        let mut negated = Vec::new();
        for operand in operands {
            negated.push(self.negate(operand));
        }
        let conjunction = self.plain_and(negated);
        self.negate(conjunction)
    }

    /// The node as a tree, with members of conjunctions and the like in the order of formulas.
    pub(crate) fn formula(&self, node: Node) -> Formula {
        match self.term(node) {
            Term::True => Formula::True,
            Term::False => Formula::False,
            Term::Atom(atom) => Formula::Atom(*atom),
            Term::Not(a) => !self.formula(*a),
            Term::And(all) => Formula::and(self.sorted(all)),
            Term::Or(all) => Formula::or(self.sorted(all)),
            Term::Iff(a, b) => {
                let (a, b) = (self.formula(*a), self.formula(*b));
                if a < b { a.iff(b) } else { b.iff(a) }
            }
            Term::Unary(path, operator, a) => {
                Formula::Unary(*path, *operator, Box::new(self.formula(*a)))
            }
            Term::Binary(path, operator, a, b) => Formula::Binary(
                *path,
                *operator,
                Box::new(self.formula(*a)),
                Box::new(self.formula(*b)),
            ),
        }
    }

    fn sorted(&self, all: &[Node]) -> Vec<Formula> {
        let mut formulas: Vec<Formula> = all.iter().map(|&node| self.formula(node)).collect();
        formulas.sort_unstable();
        formulas
    }
}
