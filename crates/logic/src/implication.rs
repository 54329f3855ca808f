//! A quick, sound and incomplete test whether one formula implies another, by their shape alone
//! (after Somenzi and Bloem, CAV 2000).

use crate::formula::{Binary, Path, Unary};
use crate::pool::{Node, Pool, Term, Words};

/// Most pairs looked at in one pool; beyond, the test says "not known to".
const MAX_PAIRS: usize = 200_000;

impl Pool {
    /// Whether `a` is known to imply `b`, at every place of every word.
    pub(crate) fn implies(&mut self, a: Node, b: Node) -> bool {
        if a == b || a == Node::FALSE || b == Node::TRUE {
            return true;
        }
        if a == Node::TRUE || b == Node::FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(a, b)) {
            return known;
        }
        if self.implications.len() >= MAX_PAIRS {
            return false;
        }
        let answer = self.implies_by_shape(a, b);
        self.implications.insert((a, b), answer);
        answer
    }

    fn implies_by_shape(&mut self, a: Node, b: Node) -> bool {
        let (left, right) = (self.term(a).clone(), self.term(b).clone());
        match (&left, &right) {
            (Term::Or(all), _) => return all.iter().all(|&part| self.implies(part, b)),
            (_, Term::And(all)) => return all.iter().all(|&part| self.implies(a, part)),
            _ => {}
        }
        if let Term::And(all) = &left
            && all.iter().any(|&part| self.implies(part, b))
        {
            return true;
        }
        if let Term::Or(all) = &right
            && all.iter().any(|&part| self.implies(a, part))
        {
            return true;
        }
        self.weaken_left(&left, b)
            || self.strengthen_right(a, &right)
            || self.compare(a, &left, b, &right)
    }

    /// What `a` says about the present step already implies `b`.
    fn weaken_left(&mut self, left: &Term, b: Node) -> bool {
        match *left {
            Term::Unary(Path::This, Unary::Always | Unary::Historically, x) => self.implies(x, b),
            Term::Binary(Path::This, Binary::Release | Binary::StrongRelease, _, y) => {
                self.implies(y, b)
            }
            Term::Binary(Path::This, Binary::Until | Binary::WeakUntil | Binary::Since, x, y) => {
                self.implies(x, b) && self.implies(y, b)
            }
            _ => false,
        }
    }

    /// `a` already implies what makes `b` true in the present step.
    fn strengthen_right(&mut self, a: Node, right: &Term) -> bool {
        match *right {
            Term::Unary(Path::This, Unary::Eventually | Unary::Once, y) => self.implies(a, y),
            Term::Binary(Path::This, Binary::Until | Binary::WeakUntil | Binary::Since, _, y) => {
                self.implies(a, y)
            }
            Term::Binary(Path::This, Binary::Release | Binary::StrongRelease, x, y) => {
                self.implies(a, x) && self.implies(a, y)
            }
            _ => false,
        }
    }

    /// Both have temporal operators, which are compared side by side.
    fn compare(&mut self, a: Node, left: &Term, b: Node, right: &Term) -> bool {
        use {Binary as B, Path::This, Unary as U};
        let infinite = self.words == Words::Infinite;
        match (left, right) {
            (Term::Unary(This, f, x), Term::Unary(This, g, y)) => match (f, g) {
                (U::Always, U::Next) => infinite && self.implies(a, *y),
                (U::Always, U::Always) => self.implies(*x, *y) || self.implies(a, *y),
                (U::Next | U::Eventually, U::Eventually) | (U::Previous | U::Once, U::Once) => {
                    self.implies(*x, b)
                }
                _ => f == g && self.implies(*x, *y),
            },
            (Term::Binary(This, f, x, y), Term::Unary(This, U::Eventually, _)) => match f {
                B::Until => self.implies(*y, b),
                B::StrongRelease => self.implies(*x, b) || self.implies(*y, b),
                _ => false,
            },
            (Term::Unary(This, U::Always, x), Term::Binary(This, g, y, z)) => match g {
                B::WeakUntil => self.implies(*x, *y),
                B::Release => self.implies(*x, *z),
                _ => false,
            },
            (Term::Binary(This, f, x, y), Term::Binary(This, g, z, w)) => match (f, g) {
                (B::Until, B::Until | B::WeakUntil)
                | (B::WeakUntil, B::WeakUntil)
                | (B::Since, B::Since) => self.implies(*x, *z) && self.implies(*y, b),
                (B::StrongRelease, B::StrongRelease | B::Release) | (B::Release, B::Release) => {
                    self.implies(*x, *z) && self.implies(*y, *w)
                }
                (B::StrongRelease, B::Until | B::WeakUntil) => {
                    self.implies(*y, *z) && self.implies(*x, *w)
                }
                _ => false,
            },
            _ => false,
        }
    }
}
