//! Natural numbers of any size, as far as counting needs them: sums, and all digits in print.

use std::fmt;

/// A natural number. The number of states of a hundred philosophers has 63 digits.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Natural {
    /// Digits to the base of a thousand million, the lowest first; the last is not zero.
    digits: Vec<u32>,
}

const BASE: u64 = 1_000_000_000;

impl Natural {
    /// Adds another number.
    pub fn add(&mut self, other: &Natural) {
        if self.digits.len() < other.digits.len() {
            self.digits.resize(other.digits.len(), 0);
        }
        let mut carry = 0;
        for (position, digit) in self.digits.iter_mut().enumerate() {
            let sum = u64::from(*digit)
                + u64::from(other.digits.get(position).copied().unwrap_or(0))
                + carry;
            *digit = (sum % BASE) as u32;
            carry = sum / BASE;
        }
        if carry > 0 {
            self.digits.push(carry as u32);
        }
    }

    /// The number, where it has 64 bits at most.
    pub fn to_u64(&self) -> Option<u64> {
        self.digits
            .iter()
            .rev()
            .try_fold(0u64, |sum, &digit| sum.checked_mul(BASE)?.checked_add(u64::from(digit)))
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }
}

impl From<u64> for Natural {
    fn from(mut number: u64) -> Self {
        let mut digits = Vec::new();
        while number > 0 {
            digits.push((number % BASE) as u32);
            number /= BASE;
        }
        Self { digits }
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = self.digits.iter().rev();
        write!(f, "{}", digits.next().copied().unwrap_or(0))?;
        digits.try_for_each(|digit| write!(f, "{digit:09}"))
    }
}
