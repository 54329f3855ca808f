//! Sets as matrices of conditions, operator by operator.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::circuit::{Bit, FALSE, TRUE};
use super::ground::{Failure, Grounder};
use super::matrix::{Key, MOST_COLUMNS, Matrix, first, key, last};
use crate::ground::{Atom, members};
use crate::types::INDEX;
use crate::types::core::{Formula, Set, VariableId, When};

impl Grounder<'_> {
    /// The tuples that a set can have.
    pub(super) fn set(&mut self, set: &Set, path: Bit) -> Rc<Matrix> {
        let n_atoms = self.world.names.len() as u64;
        Rc::new(match set {
            Set::Relation(relation, When::Now) => return Rc::clone(&self.now[relation.0]),
            Set::Relation(relation, When::Next) => return Rc::clone(&self.next[relation.0]),
            Set::Variable(variable) => {
                Matrix::of(1, self.bound.get(variable).map(|atom| Key::from(*atom)))
            }
            Set::Atom(sig, number, _) => {
                Matrix::of(1, self.world.atom(*sig, *number).map(Key::from))
            }
            Set::None(arity) => Matrix::new(*arity),
            Set::Univ => Matrix::of(1, 0..n_atoms),
            Set::Iden => Matrix::of(2, (0..n_atoms).map(|atom| atom << 8 | atom)),
            Set::Join(a, b) => {
                let (a, b) = (self.set(a, path), self.set(b, path));
                self.join(&a, &b)
            }
            Set::Product(a, b) => {
                let (a, b) = (self.set(a, path), self.set(b, path));
                let mut product = Matrix::new(a.arity + b.arity);
                if product.arity > MOST_COLUMNS {
                    self.is_too_wide = true;
                    return Rc::new(product);
                }
                for (one, when) in &a.cells {
                    for (two, and) in &b.cells {
                        let both = self.circuit.and([*when, *and]);
                        product.put(one << (8 * b.arity) | two, both);
                    }
                }
                product
            }
            Set::Union(a, b) => {
                let (a, b) = (self.set(a, path), self.set(b, path));
                self.union(&a, &b)
            }
            Set::Difference(a, b) => {
                let (a, b) = (self.set(a, path), self.set(b, path));
                self.kept(&a, |this, key| this.circuit.not(b.get(key)))
            }
            Set::Intersection(a, b) => {
                let (a, b) = (self.set(a, path), self.set(b, path));
                self.kept(&a, |_, key| b.get(key))
            }
            Set::Override(a, b) => {
                let (a, b) = (self.set(a, path), self.set(b, path));
                let kept = self.kept(&a, |this, key| {
                    let same = b.beginning(first(key, a.arity)).map(|(_, bit)| bit);
                    let some = this.circuit.or(same);
                    this.circuit.not(some)
                });
                self.union(&kept, &b)
            }
            Set::Domain(a, b) => {
                let (a, b) = (self.set(a, path), self.set(b, path));
                self.kept(&b, |_, key| a.get(Key::from(first(key, b.arity))))
            }
            Set::Range(a, b) => {
                let (a, b) = (self.set(a, path), self.set(b, path));
                self.kept(&a, |_, key| b.get(Key::from(last(key))))
            }
            Set::Transpose(a) => {
                let a = self.set(a, path);
                let turned = a.cells.iter().map(|(key, bit)| ((key & 0xff) << 8 | key >> 8, *bit));
                Matrix { arity: 2, cells: turned.collect() }
            }
            Set::Closure(a) => {
                let a = self.set(a, path);
                self.closure(&a)
            }
            Set::Reflexive(a) => {
                let a = self.set(a, path);
                let closure = self.closure(&a);
                let iden = self.set(&Set::Iden, path);
                self.union(&closure, &iden)
            }
            Set::Comprehension(decls, body) => {
                let mut found = Matrix::new(decls.len());
                if found.arity > MOST_COLUMNS {
                    self.is_too_wide = true;
                    return Rc::new(found);
                }
                self.comprehend(decls, body, (0, TRUE), path, &mut found);
                found
            }
            Set::If(c, a, b) => {
                let c = self.holds(c, path);
                let not = self.circuit.not(c);
                let (then, otherwise) = (self.further(path, c), self.further(path, not));
                match c {
                    TRUE => return self.set(a, then),
                    FALSE => return self.set(b, otherwise),
                    _ => {}
                }
                let (a, b) = (self.set(a, then), self.set(b, otherwise));
                let (a, b) = (self.kept(&a, |_, _| c), self.kept(&b, |_, _| not));
                self.union(&a, &b)
            }
            Set::Number(number, span) => {
                let mut atoms = Matrix::new(1);
                for (value, when) in self.number(number, path) {
                    match self.world.atom_of(value) {
                        Some(atom) => atoms.put(Key::from(atom), when),
                        None => {
                            let when = self.further(path, when);
                            self.fail(when, Failure::OutOfRange(value, *span));
                        }
                    }
                }
                atoms
            }
            Set::NextIndex => {
                let indices: Vec<Atom> = members(self.world.sigs[INDEX.0]).collect();
                Matrix::of(2, indices.windows(2).map(key))
            }
        })
    }

    fn join(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        let mut ways: BTreeMap<Key, Vec<Bit>> = BTreeMap::new();
        let shift = 8 * (b.arity - 1);
        for (one, when) in &a.cells {
            for (two, and) in b.beginning(last(*one)) {
                let both = self.circuit.and([*when, and]);
                let rest = two & ((1u128 << shift) - 1) as Key;
                ways.entry(one >> 8 << shift | rest).or_default().push(both);
            }
        }
        let mut joined = Matrix::new(a.arity + b.arity - 2);
        for (key, ways) in ways {
            let bit = self.circuit.or(ways);
            joined.put(key, bit);
        }
        joined
    }

    fn union(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        let mut all = a.clone();
        for (key, bit) in &b.cells {
            let either = self.circuit.or([all.get(*key), *bit]);
            all.put(*key, either);
        }
        all
    }

    /// The tuples of a set that satisfy a condition as well.
    fn kept(&mut self, a: &Matrix, mut also: impl FnMut(&mut Self, Key) -> Bit) -> Matrix {
        let mut kept = Matrix::new(a.arity);
        for (key, bit) in &a.cells {
            let also = also(self, *key);
            let both = self.circuit.and([*bit, also]);
            kept.put(*key, both);
        }
        kept
    }

    fn closure(&mut self, a: &Matrix) -> Matrix {
        let mut all = a.clone();
        // Paths of up to as many steps as there are atoms.
        let mut length = 1;
        while length < self.world.names.len() {
            let longer = self.join(&all, &all);
            let more = self.union(&all, &longer);
            if more == all {
                break;
            }
            (all, length) = (more, length * 2);
        }
        all
    }

    fn comprehend(
        &mut self,
        decls: &[(VariableId, Set)],
        body: &Formula,
        (tuple, when): (Key, Bit),
        path: Bit,
        found: &mut Matrix,
    ) {
        let Some(((variable, set), rest)) = decls.split_first() else {
            let body = self.holds(body, path);
            let bit = self.circuit.and([when, body]);
            return found.put(tuple, bit);
        };
        for (atom, member) in self.set(set, path).atoms() {
            let (when, path) = (self.circuit.and([when, member]), self.further(path, member));
            let tuple = tuple << 8 | Key::from(atom);
            self.with(*variable, atom, |this| {
                this.comprehend(rest, body, (tuple, when), path, found);
            });
        }
    }
}
