//! Boolean circuits of and-gates and complemented edges; a gate with the same operands exists once.

use rustc_hash::FxHashMap;

/// A gate or its complement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(u32);

impl Lit {
    /// Always true.
    pub const TRUE: Lit = Lit(0);
    /// Never true.
    pub const FALSE: Lit = Lit(1);

    pub(crate) fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the complement of its gate.
    pub fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether it is true or false for ever.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl std::ops::BitXor<bool> for Lit {
    type Output = Lit;

    /// The complement, where that is said.
    fn bitxor(self, complemented: bool) -> Lit {
        Lit(self.0 ^ u32::from(complemented))
    }
}

impl From<bool> for Lit {
    fn from(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }
}

/// Circuits over inputs.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// The operands of each and-gate; inputs have none, and so has the constant, the first.
    gates: Vec<Box<[Lit]>>,
    known: FxHashMap<Box<[Lit]>, u32>,
    n_inputs: usize,
}

impl Default for Circuit {
    fn default() -> Self {
        Self { gates: vec![Box::default()], known: FxHashMap::default(), n_inputs: 0 }
    }
}

impl Circuit {
    /// A new input.
    pub fn input(&mut self) -> Lit {
        self.gates.push(Box::default());
        self.n_inputs += 1;
        Lit((self.gates.len() as u32 - 1) << 1)
    }

    /// How many gates there are, inputs included.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Whether there is nothing but the constant.
    pub fn is_empty(&self) -> bool {
        self.gates.len() == 1
    }

    /// How many inputs there are.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    pub(crate) fn operands(&self, gate: usize) -> &[Lit] {
        &self.gates[gate]
    }

    /// All of them.
    pub fn all(&mut self, operands: impl IntoIterator<Item = Lit>) -> Lit {
        let mut kept: Vec<Lit> = Vec::new();
        for operand in operands {
            match operand {
                Lit::FALSE => return Lit::FALSE,
                Lit::TRUE => {}
                operand => kept.push(operand),
            }
        }
        kept.sort_unstable();
        kept.dedup();
        // A gate and its complement are neighbours.
        if kept.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::FALSE;
        }
        if kept.len() == 2 {
            return self.and_two(kept[0], kept[1]);
        }
        self.gate(kept)
    }

    fn gate(&mut self, operands: Vec<Lit>) -> Lit {
        match operands[..] {
            [] => return Lit::TRUE,
            [only] => return only,
            _ => {}
        }
        let operands = operands.into_boxed_slice();
        if let Some(&gate) = self.known.get(&operands) {
            return Lit(gate << 1);
        }
        let gate = self.gates.len() as u32;
        self.gates.push(operands.clone());
        self.known.insert(operands, gate);
        Lit(gate << 1)
    }

    /// Two operands, with the rules that see one level further.
    fn and_two(&mut self, a: Lit, b: Lit) -> Lit {
        for (x, y) in [(a, b), (b, a)] {
            let inner = &self.gates[x.gate()];
            if inner.is_empty() {
                continue;
            }
            let (has, lacks) = (inner.contains(&y), inner.contains(&!y));
            match x.is_complement() {
                // (y & …) & y, (!y & …) & y.
                false if has => return x,
                false if lacks => return Lit::FALSE,
                // !(!y & …) & y.
                true if lacks => return y,
                // !(y & z) & y is y & !z.
                true if has && inner.len() == 2 => {
                    let rest = if inner[0] == y { inner[1] } else { inner[0] };
                    return self.all([y, !rest]);
                }
                _ => {}
            }
        }
        self.gate(if a < b { vec![a, b] } else { vec![b, a] })
    }

    /// Both.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.all([a, b])
    }

    /// One of them, or several.
    pub fn any(&mut self, operands: impl IntoIterator<Item = Lit>) -> Lit {
        !self.all(operands.into_iter().map(|operand| !operand))
    }

    /// One of two, or both.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.all([!a, !b])
    }

    /// The second wherever the first.
    pub fn implies(&mut self, a: Lit, b: Lit) -> Lit {
        !self.all([a, !b])
    }

    /// Exactly one of two.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (x, y) = (self.and(a, !b), self.and(!a, b));
        self.or(x, y)
    }

    /// Both or neither.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// The second where the first is true, else the third.
    pub fn choose(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if a == b {
            return a;
        }
        let (x, y) = (self.and(c, a), self.and(!c, b));
        self.or(x, y)
    }

    /// At most one.
    pub fn at_most_one(&mut self, operands: &[Lit]) -> Lit {
        let (mut seen, mut parts) = (Lit::FALSE, Vec::new());
        for &operand in operands {
            let again = self.and(seen, operand);
            parts.push(!again);
            seen = self.or(seen, operand);
        }
        self.all(parts)
    }

    /// At most so many, by a sequential counter (Sinz 2005).
    pub fn at_most(&mut self, operands: &[Lit], n: usize) -> Lit {
        if operands.len() <= n {
            return Lit::TRUE;
        }
        // At least j + 1 of those seen.
        let mut reached = vec![Lit::FALSE; n + 1];
        for &operand in operands {
            for j in (0..=n).rev() {
                let below = if j == 0 { Lit::TRUE } else { reached[j - 1] };
                let step = self.and(below, operand);
                reached[j] = self.or(reached[j], step);
            }
        }
        !reached[n]
    }

    /// At least so many.
    pub fn at_least(&mut self, operands: &[Lit], n: usize) -> Lit {
        match n {
            0 => Lit::TRUE,
            _ => !self.at_most(operands, n - 1),
        }
    }

    /// What gates are worth under values of inputs, in order of their making.
    pub fn evaluate(&self, input: impl Fn(Lit) -> bool) -> Vec<bool> {
        let mut values = vec![true; self.gates.len()];
        for gate in 1..self.gates.len() {
            values[gate] = match self.gates[gate][..] {
                [] => input(Lit((gate as u32) << 1)),
                ref operands => operands.iter().all(|lit| values[lit.gate()] ^ lit.is_complement()),
            };
        }
        values
    }
}

/// The worth of one gate among those of all.
pub(crate) fn worth(values: &[bool], lit: Lit) -> bool {
    values[lit.gate()] ^ lit.is_complement()
}

impl Lit {
    /// What it is worth, given the worth of all gates.
    pub fn worth(self, values: &[bool]) -> bool {
        worth(values, self)
    }
}
