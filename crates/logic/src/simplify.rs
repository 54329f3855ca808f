//! Sound rewriting towards smaller formulas. Each rule is stated once, for one of two dual
//! operators; the other operator is rewritten through its negation. Rules follow Somenzi and Bloem
//! (CAV 2000) and Etessami and Holzmann (CONCUR 2000).

use crate::formula::{Binary, Formula, Path, Unary};
use crate::pool::{Node, Pool, Term, Words};

/// Longest conjunction whose members are compared pair by pair.
const MAX_COMPARED: usize = 32;

/// Most passes over one formula.
const MAX_PASSES: usize = 8;

use Path::This;

impl Formula {
    /// An equivalent formula in negation normal form, usually smaller. Equivalent on infinite words;
    /// on finite ones as well where there is no `X`.
    #[must_use]
    pub fn simplified(&self) -> Formula {
        let mut formula = self.clone();
        for _ in 0..MAX_PASSES {
            let mut pool = Pool::new(Words::Infinite);
            let node = pool.add(&formula, true);
            let next = pool.formula(node);
            if next == formula {
                break;
            }
            formula = next;
        }
        formula
    }
}

impl Pool {
    /// Brings a formula, or its negation, into the pool and simplifies it on the way.
    pub(crate) fn add(&mut self, formula: &Formula, positive: bool) -> Node {
        let node = match formula {
            Formula::True => Node::TRUE,
            Formula::False => Node::FALSE,
            Formula::Atom(atom) => self.intern(Term::Atom(*atom)),
            Formula::Not(a) => return self.add(a, !positive),
            Formula::And(all) => {
                let all = all.iter().map(|a| self.add(a, true)).collect();
                self.and(all)
            }
            Formula::Or(all) => {
                let all = all.iter().map(|a| self.add(a, true)).collect();
                self.or(all)
            }
            Formula::Implies(a, b) => {
                let both = vec![self.add(a, false), self.add(b, true)];
                self.or(both)
            }
            Formula::Iff(a, b) => {
                let (a, b) = (self.add(a, true), self.add(b, true));
                self.iff(a, b)
            }
            Formula::Unary(path, operator, a) => {
                let a = self.add(a, true);
                self.unary(*path, *operator, a)
            }
            Formula::Binary(path, operator, a, b) => {
                let (a, b) = (self.add(a, true), self.add(b, true));
                self.binary(*path, *operator, a, b)
            }
        };
        if positive { node } else { self.negate(node) }
    }

    pub(crate) fn and(&mut self, operands: Vec<Node>) -> Node {
        let joined = self.plain_and(operands);
        let Term::And(all) = self.term(joined) else { return joined };
        if all.len() > MAX_COMPARED {
            return joined;
        }
        let all = all.clone();
        for (at, &a) in all.iter().enumerate() {
            for &b in &all[at + 1..] {
                if let Some(merged) = self.merge(a, b).or_else(|| self.merge(b, a)) {
                    let mut rest: Vec<Node> =
                        all.iter().copied().filter(|&other| other != a && other != b).collect();
                    rest.push(merged);
                    return self.and(rest);
                }
            }
        }
        joined
    }

    pub(crate) fn or(&mut self, operands: Vec<Node>) -> Node {
        let negated = operands.into_iter().map(|operand| self.negate(operand)).collect();
        let conjunction = self.and(negated);
        self.negate(conjunction)
    }

    /// What two members of a conjunction become together, if they become something simpler.
    fn merge(&mut self, a: Node, b: Node) -> Option<Node> {
        use {Binary as B, Unary as U};
        if self.implies(a, b) {
            return Some(a);
        }
        let not_b = self.negate(b);
        if self.implies(a, not_b) {
            return Some(Node::FALSE);
        }
        match (self.term(a).clone(), self.term(b).clone()) {
            (Term::Unary(This, f, x), Term::Unary(This, g, y)) if f == g => {
                let distributes = matches!(f, U::Next | U::Always | U::Historically | U::Previous);
                if !distributes {
                    return None;
                }
                let both = self.and(vec![x, y]);
                Some(self.unary(This, f, both))
            }
            (Term::Binary(This, f, x, y), Term::Binary(This, g, z, w)) if f == g => match f {
                B::Until | B::WeakUntil | B::Since if y == w => {
                    let both = self.and(vec![x, z]);
                    Some(self.binary(This, f, both, y))
                }
                B::Release | B::StrongRelease if x == z => {
                    let both = self.and(vec![y, w]);
                    Some(self.binary(This, f, x, both))
                }
                _ => None,
            },
            (Term::Binary(This, f, x, y), Term::Unary(This, U::Eventually, z)) => match f {
                B::WeakUntil if y == z => Some(self.binary(This, B::Until, x, y)),
                B::Release if x == z => Some(self.binary(This, B::StrongRelease, x, y)),
                _ => None,
            },
            (Term::Unary(This, U::Always, x), Term::Binary(This, B::Until, y, z))
                if self.implies(x, y) =>
            {
                let eventually = self.unary(This, U::Eventually, z);
                Some(self.and(vec![a, eventually]))
            }
            _ => None,
        }
    }

    fn iff(&mut self, a: Node, b: Node) -> Node {
        let not_a = self.negate(a);
        match (a, b) {
            _ if a == b => Node::TRUE,
            _ if not_a == b => Node::FALSE,
            (Node::TRUE, other) | (other, Node::TRUE) => other,
            (Node::FALSE, other) | (other, Node::FALSE) => self.negate(other),
            _ => self.intern(Term::Iff(a.min(b), a.max(b))),
        }
    }

    pub(crate) fn unary(&mut self, path: Path, operator: Unary, a: Node) -> Node {
        let keep = Term::Unary(path, operator, a);
        if path != This {
            return self.intern(keep);
        }
        match operator {
            Unary::Next => self.next(a),
            Unary::Eventually => self.eventually(a),
            Unary::Once => match self.term(a) {
                Term::True | Term::False | Term::Unary(This, Unary::Once, _) => a,
                _ => self.intern(keep),
            },
            Unary::Previous => {
                if a == Node::FALSE {
                    a
                } else {
                    self.intern(keep)
                }
            }
            Unary::Always => self.through_dual(a, Self::eventually),
            Unary::Historically => {
                self.through_dual(a, |pool, dual| pool.unary(This, Unary::Once, dual))
            }
        }
    }

    pub(crate) fn binary(&mut self, path: Path, operator: Binary, a: Node, b: Node) -> Node {
        if path != This {
            return self.intern(Term::Binary(path, operator, a, b));
        }
        match operator {
            Binary::Until => self.until(a, b),
            Binary::StrongRelease => self.strong_release(a, b),
            Binary::Since => self.since(a, b),
            Binary::Release => {
                let (a, b) = (self.negate(a), self.negate(b));
                let dual = self.until(a, b);
                self.negate(dual)
            }
            Binary::WeakUntil => {
                let (a, b) = (self.negate(a), self.negate(b));
                let dual = self.strong_release(a, b);
                self.negate(dual)
            }
        }
    }

    fn through_dual(&mut self, a: Node, rule: impl FnOnce(&mut Self, Node) -> Node) -> Node {
        let dual = self.negate(a);
        let result = rule(self, dual);
        self.negate(result)
    }

    fn next(&mut self, a: Node) -> Node {
        let keep = Term::Unary(This, Unary::Next, a);
        if self.words == Words::Finite {
            return if a == Node::FALSE { a } else { self.intern(keep) };
        }
        if self.is_suspendable(a) {
            return a;
        }
        match self.term(a).clone() {
            Term::And(all) => match self.split(&all, Self::is_suspendable) {
                Some((suspended, rest)) => {
                    let rest = self.and(rest);
                    let rest = self.next(rest);
                    self.and_with(suspended, rest)
                }
                None => self.intern(keep),
            },
            Term::Or(all) if all.iter().any(|&part| self.is_suspendable(part)) => {
                self.through_dual(a, Self::next)
            }
            _ => self.intern(keep),
        }
    }

    fn eventually(&mut self, a: Node) -> Node {
        if self.drift(a).eventual {
            return a;
        }
        match self.term(a).clone() {
            Term::Binary(This, Binary::Until, _, b) => self.eventually(b),
            Term::Binary(This, Binary::StrongRelease, b, c) => {
                let both = self.and(vec![b, c]);
                self.eventually(both)
            }
            Term::Unary(This, Unary::Next, b) if self.words == Words::Infinite => {
                let inner = self.eventually(b);
                self.next(inner)
            }
            Term::And(all) => match self.split(&all, Self::is_suspendable) {
                Some((suspended, rest)) => {
                    let rest = self.and(rest);
                    let rest = self.eventually(rest);
                    self.and_with(suspended, rest)
                }
                None => self.intern(Term::Unary(This, Unary::Eventually, a)),
            },
            Term::Or(all) => match self.split(&all, |pool, part| pool.drift(part).eventual) {
                Some((mut eventual, rest)) => {
                    let rest = self.or(rest);
                    eventual.push(self.eventually(rest));
                    self.or(eventual)
                }
                None => self.intern(Term::Unary(This, Unary::Eventually, a)),
            },
            _ => self.intern(Term::Unary(This, Unary::Eventually, a)),
        }
    }

    fn until(&mut self, a: Node, b: Node) -> Node {
        if a == Node::TRUE {
            return self.eventually(b);
        }
        if self.drift(b).eventual || self.implies(a, b) {
            return b;
        }
        let not_b = self.negate(b);
        if self.implies(not_b, a) {
            return self.eventually(b);
        }
        match (self.term(a).clone(), self.term(b).clone()) {
            (_, Term::Binary(This, Binary::Until, c, _)) if self.implies(a, c) => return b,
            (Term::Binary(This, Binary::Until, _, d), _) if d == b => return a,
            (Term::Unary(This, Unary::Next, c), Term::Unary(This, Unary::Next, d))
                if self.words == Words::Infinite =>
            {
                let inner = self.until(c, d);
                return self.next(inner);
            }
            (_, Term::And(all)) => {
                if let Some((suspended, rest)) = self.split(&all, Self::is_suspendable) {
                    let rest = self.and(rest);
                    let rest = self.until(a, rest);
                    return self.and_with(suspended, rest);
                }
            }
            _ => {}
        }
        self.intern(Term::Binary(This, Binary::Until, a, b))
    }

    fn strong_release(&mut self, a: Node, b: Node) -> Node {
        if b == Node::TRUE {
            return self.eventually(a);
        }
        if a == Node::FALSE || b == Node::FALSE {
            return Node::FALSE;
        }
        if self.implies(b, a) {
            return b;
        }
        if self.implies(a, b) {
            return self.until(b, a);
        }
        self.intern(Term::Binary(This, Binary::StrongRelease, a, b))
    }

    fn since(&mut self, a: Node, b: Node) -> Node {
        if a == Node::TRUE {
            return self.unary(This, Unary::Once, b);
        }
        if matches!(b, Node::TRUE | Node::FALSE) || self.implies(a, b) {
            return b;
        }
        self.intern(Term::Binary(This, Binary::Since, a, b))
    }

    /// Those with a property and those without; `None` where none has it.
    fn split(
        &self,
        all: &[Node],
        has: impl Fn(&Self, Node) -> bool,
    ) -> Option<(Vec<Node>, Vec<Node>)> {
        let (with, without): (Vec<Node>, Vec<Node>) =
            all.iter().partition(|&&part| has(self, part));
        (!with.is_empty()).then_some((with, without))
    }

    fn and_with(&mut self, mut all: Vec<Node>, last: Node) -> Node {
        all.push(last);
        self.and(all)
    }
}
