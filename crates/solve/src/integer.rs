//! Integers of a fixed width in two's complement, which wrap around.

use crate::circuit::{Circuit, Lit};

/// How many of the lowest bits of a number say by how much is shifted, as in Alloy: further bits count
/// for nothing.
pub fn shift_bits(width: usize) -> usize {
    (usize::BITS - width.saturating_sub(1).leading_zeros()) as usize
}

/// A number, lowest bit first; the last bit is the sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bits(pub Vec<Lit>);

impl Bits {
    /// A number, cut to its width.
    pub fn constant(value: i64, width: usize) -> Self {
        Self((0..width).map(|bit| Lit::from(value >> bit.min(63) & 1 == 1)).collect())
    }

    /// The same number with more bits.
    pub fn widened(&self, width: usize) -> Bits {
        Bits((0..width).map(|bit| self.0.get(bit).copied().unwrap_or(self.sign())).collect())
    }

    fn width(&self) -> usize {
        self.0.len()
    }

    fn sign(&self) -> Lit {
        self.0.last().copied().unwrap_or(Lit::FALSE)
    }

    fn not(&self) -> Bits {
        Bits(self.0.iter().map(|bit| !*bit).collect())
    }

    fn plus_carry(&self, other: &Bits, mut carry: Lit, circuit: &mut Circuit) -> (Bits, Lit) {
        let mut sum = Vec::with_capacity(self.width());
        for (&a, &b) in self.0.iter().zip(&other.0) {
            let half = circuit.xor(a, b);
            sum.push(circuit.xor(half, carry));
            let (both, through) = (circuit.and(a, b), circuit.and(half, carry));
            carry = circuit.or(both, through);
        }
        (Bits(sum), carry)
    }

    /// The sum.
    pub fn plus(&self, other: &Bits, circuit: &mut Circuit) -> Bits {
        self.plus_carry(other, Lit::FALSE, circuit).0
    }

    /// The difference.
    pub fn minus(&self, other: &Bits, circuit: &mut Circuit) -> Bits {
        self.plus_carry(&other.not(), Lit::TRUE, circuit).0
    }

    /// The first where a condition holds, else the second.
    pub fn choose(&self, condition: Lit, other: &Bits, circuit: &mut Circuit) -> Bits {
        let bits = self.0.iter().zip(&other.0);
        Bits(bits.map(|(&a, &b)| circuit.choose(condition, a, b)).collect())
    }

    fn negated_when(&self, condition: Lit, circuit: &mut Circuit) -> Bits {
        let zero = Bits::constant(0, self.width());
        let negative = zero.minus(self, circuit);
        negative.choose(condition, self, circuit)
    }

    fn when(&self, condition: Lit, circuit: &mut Circuit) -> Bits {
        Bits(self.0.iter().map(|&bit| circuit.and(bit, condition)).collect())
    }

    fn shifted(&self, by: usize, fill: Lit, is_left: bool) -> Bits {
        let n = self.width();
        let bit = |at: usize| match is_left {
            true => at.checked_sub(by).map_or(Lit::FALSE, |from| self.0[from]),
            false => self.0.get(at + by).copied().unwrap_or(fill),
        };
        Bits((0..n).map(bit).collect())
    }

    /// The product.
    pub fn times(&self, other: &Bits, circuit: &mut Circuit) -> Bits {
        let mut product = Bits::constant(0, self.width());
        for (at, &bit) in other.0.iter().enumerate() {
            let part = self.shifted(at, Lit::FALSE, true).when(bit, circuit);
            product = product.plus(&part, circuit);
        }
        product
    }

    /// Quotient and remainder, towards zero; of a division by zero, what long division gives.
    pub fn divided(&self, other: &Bits, circuit: &mut Circuit) -> (Bits, Bits) {
        let n = self.width();
        let (negative, below) = (self.sign(), other.sign());
        // One bit more, so that the least number has its amount.
        let widen = |bits: Bits, sign: Lit| Bits([bits.0, vec![sign]].concat());
        let dividend = widen(self.clone(), negative).negated_when(negative, circuit);
        let divisor = widen(other.clone(), below).negated_when(below, circuit);
        let mut rest = Bits::constant(0, n + 2);
        let divisor = widen(divisor, Lit::FALSE);
        let mut quotient = vec![Lit::FALSE; n + 1];
        for at in (0..=n).rev() {
            rest = rest.shifted(1, Lit::FALSE, true);
            rest.0[0] = dividend.0[at];
            let (less, fits) = rest.plus_carry(&divisor.not(), Lit::TRUE, circuit);
            quotient[at] = fits;
            rest = less.choose(fits, &rest, circuit);
        }
        let differs = circuit.xor(negative, below);
        let quotient = Bits(quotient).negated_when(differs, circuit);
        let rest = rest.negated_when(negative, circuit);
        let cut = |bits: Bits| Bits(bits.0[..n].to_vec());
        (cut(quotient), cut(rest))
    }

    /// Shifted by a number of bits that is computed.
    pub fn shift(&self, by: &Bits, is_left: bool, keeps_sign: bool, circuit: &mut Circuit) -> Bits {
        let fill = if keeps_sign { self.sign() } else { Lit::FALSE };
        let mut shifted = self.clone();
        for (at, &bit) in by.0.iter().take(shift_bits(self.width())).enumerate() {
            let distance = (1 << at).min(self.width());
            let moved = shifted.shifted(distance, fill, is_left);
            shifted = moved.choose(bit, &shifted, circuit);
        }
        shifted
    }

    /// Whether both are the same.
    pub fn equals(&self, other: &Bits, circuit: &mut Circuit) -> Lit {
        let same: Vec<Lit> =
            self.0.iter().zip(&other.0).map(|(&a, &b)| circuit.iff(a, b)).collect();
        circuit.all(same)
    }

    /// Whether the first is less.
    pub fn less(&self, other: &Bits, circuit: &mut Circuit) -> Lit {
        let mut less = Lit::FALSE;
        for (at, (&a, &b)) in self.0.iter().zip(&other.0).enumerate() {
            // The sign counts the other way round.
            let (a, b) = if at + 1 == self.width() { (b, a) } else { (a, b) };
            let (here, same) = (circuit.and(!a, b), circuit.iff(a, b));
            let below = circuit.and(same, less);
            less = circuit.or(here, below);
        }
        less
    }

    /// The sum of numbers.
    pub fn sum(mut numbers: Vec<Bits>, width: usize, circuit: &mut Circuit) -> Bits {
        while numbers.len() > 1 {
            let pairs = numbers.chunks(2).map(|pair| match pair {
                [a, b] => a.plus(b, circuit),
                _ => pair[0].clone(),
            });
            numbers = pairs.collect();
        }
        numbers.pop().unwrap_or_else(|| Bits::constant(0, width))
    }

    /// How many literals are true.
    pub fn count(
        literals: impl IntoIterator<Item = Lit>,
        width: usize,
        circuit: &mut Circuit,
    ) -> Bits {
        let one = |lit: Lit| {
            let mut bits = vec![Lit::FALSE; width];
            if let Some(lowest) = bits.first_mut() {
                *lowest = lit;
            }
            Bits(bits)
        };
        let numbers = literals.into_iter().map(one).collect();
        Self::sum(numbers, width, circuit)
    }
}
