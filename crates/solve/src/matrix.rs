//! Relations of which each tuple has a circuit that says whether it is in: sorted lists of the tuples
//! that may be. After Torlak and Jackson, *Kodkod: a relational model finder* (2007).

use rustc_hash::FxHashMap;

use crate::circuit::{Circuit, Lit};

/// A tuple of at most eight atoms, 16 bits each; the last column is lowest.
pub type Tuple = u128;

/// A tuple of atoms.
pub fn tuple(atoms: &[u16]) -> Tuple {
    atoms.iter().fold(0, |tuple, atom| tuple << 16 | Tuple::from(*atom))
}

/// The atoms of a tuple.
pub fn columns(tuple: Tuple, arity: usize) -> Vec<u16> {
    (0..arity).map(|at| column(tuple, arity, at)).collect()
}

/// One atom of a tuple.
pub fn column(tuple: Tuple, arity: usize, at: usize) -> u16 {
    (tuple >> (16 * (arity - 1 - at))) as u16
}

/// A relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matrix {
    arity: usize,
    cells: Vec<(Tuple, Lit)>,
}

impl Matrix {
    /// Nothing.
    pub fn empty(arity: usize) -> Self {
        Self { arity, cells: Vec::new() }
    }

    /// Tuples with their circuits, each tuple once.
    pub fn new(arity: usize, cells: impl IntoIterator<Item = (Tuple, Lit)>) -> Self {
        let mut cells: Vec<(Tuple, Lit)> =
            cells.into_iter().filter(|(_, lit)| *lit != Lit::FALSE).collect();
        cells.sort_unstable();
        Self { arity, cells }
    }

    /// Tuples that are in.
    pub fn constant(arity: usize, tuples: impl IntoIterator<Item = Tuple>) -> Self {
        Self::new(arity, tuples.into_iter().map(|tuple| (tuple, Lit::TRUE)))
    }

    /// Circuits that may hold of one tuple several times.
    fn gathered(
        circuit: &mut Circuit,
        arity: usize,
        cells: impl IntoIterator<Item = (Tuple, Lit)>,
    ) -> Self {
        let mut cells: Vec<(Tuple, Lit)> =
            cells.into_iter().filter(|(_, lit)| *lit != Lit::FALSE).collect();
        cells.sort_unstable();
        let mut merged: Vec<(Tuple, Lit)> = Vec::new();
        for same in cells.chunk_by(|a, b| a.0 == b.0) {
            let lit = match same {
                [only] => only.1,
                _ => circuit.any(same.iter().map(|cell| cell.1)),
            };
            merged.push((same[0].0, lit));
        }
        Self { arity, cells: merged }
    }

    /// How many columns there are.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The tuples that may be in, sorted.
    pub fn cells(&self) -> &[(Tuple, Lit)] {
        &self.cells
    }

    fn literals(&self) -> impl Iterator<Item = Lit> + '_ {
        self.cells.iter().map(|cell| cell.1)
    }

    /// Whether a tuple is in.
    pub fn get(&self, tuple: Tuple) -> Lit {
        match self.cells.binary_search_by_key(&tuple, |cell| cell.0) {
            Ok(at) => self.cells[at].1,
            Err(_) => Lit::FALSE,
        }
    }

    /// Tuple by tuple, for those that may be in one of them.
    fn zip(
        &self,
        other: &Matrix,
        circuit: &mut Circuit,
        mut both: impl FnMut(&mut Circuit, Lit, Lit) -> Lit,
    ) -> Matrix {
        let (a, b) = (&self.cells, &other.cells);
        let (mut i, mut j, mut cells) = (0, 0, Vec::with_capacity(a.len() + b.len()));
        while i < a.len() || j < b.len() {
            let next = match (a.get(i), b.get(j)) {
                (Some(x), Some(y)) => x.0.min(y.0),
                (Some(x), None) => x.0,
                (None, Some(y)) => y.0,
                (None, None) => break,
            };
            let (mut x, mut y) = (Lit::FALSE, Lit::FALSE);
            if i < a.len() && a[i].0 == next {
                x = a[i].1;
                i += 1;
            }
            if j < b.len() && b[j].0 == next {
                y = b[j].1;
                j += 1;
            }
            let lit = both(circuit, x, y);
            if lit != Lit::FALSE {
                cells.push((next, lit));
            }
        }
        Matrix { arity: self.arity, cells }
    }

    /// What is in one of them.
    pub fn union(&self, other: &Matrix, circuit: &mut Circuit) -> Matrix {
        self.zip(other, circuit, Circuit::or)
    }

    /// What is in both.
    pub fn intersect(&self, other: &Matrix, circuit: &mut Circuit) -> Matrix {
        self.zip(other, circuit, Circuit::and)
    }

    /// What is in the first alone.
    pub fn minus(&self, other: &Matrix, circuit: &mut Circuit) -> Matrix {
        self.zip(other, circuit, |circuit, a, b| circuit.and(a, !b))
    }

    /// The first where a condition holds, else the second.
    pub fn choose(&self, condition: Lit, other: &Matrix, circuit: &mut Circuit) -> Matrix {
        self.zip(other, circuit, |circuit, a, b| circuit.choose(condition, a, b))
    }

    /// All of it where a condition holds, else nothing.
    pub fn when(&self, condition: Lit, circuit: &mut Circuit) -> Matrix {
        let cells = self.cells.iter().map(|(tuple, lit)| (*tuple, circuit.and(*lit, condition)));
        let cells = cells.filter(|(_, lit)| *lit != Lit::FALSE).collect();
        Matrix { arity: self.arity, cells }
    }

    /// Every tuple of the first before every tuple of the second.
    pub fn product(&self, other: &Matrix, circuit: &mut Circuit) -> Matrix {
        let arity = self.arity + other.arity;
        let mut cells = Vec::with_capacity(self.cells.len() * other.cells.len());
        for (a, x) in &self.cells {
            for (b, y) in &other.cells {
                let lit = circuit.and(*x, *y);
                if lit != Lit::FALSE {
                    cells.push((a << (16 * other.arity) | b, lit));
                }
            }
        }
        Matrix { arity, cells }
    }

    /// Tuples that meet in the last column of one and the first of the other, without that column.
    pub fn join(&self, other: &Matrix, circuit: &mut Circuit) -> Matrix {
        let below = 16 * (other.arity - 1);
        let mut starts: FxHashMap<u16, (usize, usize)> = FxHashMap::default();
        for (at, (tuple, _)) in other.cells.iter().enumerate() {
            let start = starts.entry((tuple >> below) as u16).or_insert((at, at));
            start.1 = at + 1;
        }
        let mask = (1u128 << below) - 1;
        let mut cells = Vec::new();
        for (a, x) in &self.cells {
            let Some(&(from, to)) = starts.get(&(*a as u16)) else { continue };
            for (b, y) in &other.cells[from..to] {
                let lit = circuit.and(*x, *y);
                cells.push(((a >> 16) << below | (b & mask), lit));
            }
        }
        Self::gathered(circuit, self.arity + other.arity - 2, cells)
    }

    /// Pairs the other way round.
    pub fn transpose(&self) -> Matrix {
        let turn = |tuple: Tuple| (tuple & 0xffff) << 16 | tuple >> 16;
        Matrix::new(2, self.cells.iter().map(|(tuple, lit)| (turn(*tuple), *lit)))
    }

    /// Pairs with a path between them, by squaring.
    pub fn closure(&self, circuit: &mut Circuit) -> Matrix {
        let mut nodes: Vec<u16> = self
            .cells
            .iter()
            .flat_map(|(tuple, _)| [*tuple as u16, (tuple >> 16) as u16])
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        let (mut closure, mut length) = (self.clone(), 1);
        while length < nodes.len() {
            let longer = closure.join(&closure, circuit);
            let next = closure.union(&longer, circuit);
            if next == closure {
                break;
            }
            closure = next;
            length *= 2;
        }
        closure
    }

    /// The second, and of the first what begins with none of its first columns.
    pub fn overridden(&self, other: &Matrix, circuit: &mut Circuit) -> Matrix {
        let domain = other.first_column(circuit);
        let top = 16 * (self.arity - 1);
        let kept = self.cells.iter().map(|(tuple, lit)| {
            let replaced = domain.get((tuple >> top) & 0xffff);
            (*tuple, circuit.and(*lit, !replaced))
        });
        let kept = Matrix::new(self.arity, kept.collect::<Vec<_>>());
        kept.union(other, circuit)
    }

    /// The atoms that tuples begin with.
    pub fn first_column(&self, circuit: &mut Circuit) -> Matrix {
        let top = 16 * (self.arity - 1);
        let cells: Vec<_> = self.cells.iter().map(|(tuple, lit)| (tuple >> top, *lit)).collect();
        Self::gathered(circuit, 1, cells)
    }

    /// The tuples that have, in one column, an atom of a set.
    pub fn restricted(&self, at: usize, set: &Matrix, circuit: &mut Circuit) -> Matrix {
        let cells = self.cells.iter().map(|(tuple, lit)| {
            let atom = column(*tuple, self.arity, at);
            (*tuple, circuit.and(*lit, set.get(Tuple::from(atom))))
        });
        Matrix::new(self.arity, cells.collect::<Vec<_>>())
    }

    /// Whether all of it is in the other.
    pub fn is_in(&self, other: &Matrix, circuit: &mut Circuit) -> Lit {
        let parts: Vec<Lit> = self
            .cells
            .iter()
            .map(|(tuple, lit)| circuit.implies(*lit, other.get(*tuple)))
            .collect();
        circuit.all(parts)
    }

    /// Whether both have the same tuples.
    pub fn equals(&self, other: &Matrix, circuit: &mut Circuit) -> Lit {
        let differ = self.zip(other, circuit, Circuit::xor);
        let none = differ.some(circuit);
        !none
    }

    /// Whether there is a tuple.
    pub fn some(&self, circuit: &mut Circuit) -> Lit {
        circuit.any(self.literals())
    }

    /// Whether there is at most one.
    pub fn lone(&self, circuit: &mut Circuit) -> Lit {
        let literals: Vec<Lit> = self.literals().collect();
        circuit.at_most_one(&literals)
    }

    /// Whether there is exactly one.
    pub fn one(&self, circuit: &mut Circuit) -> Lit {
        let (some, lone) = (self.some(circuit), self.lone(circuit));
        circuit.and(some, lone)
    }
}
