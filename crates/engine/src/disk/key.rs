//! A packed state as one large number, so that states can be sorted and their differences written down.
//! Knows nothing of models.

/// A number of as many 64-bit limbs as a packed state has pairs of words, the lowest first.
pub trait Key: Ord + Clone + Default + Send + Sync + 'static {
    /// The number with these limbs.
    fn of_limbs(limbs: &[u64]) -> Self;

    /// Writes the limbs.
    fn limbs(&self, out: &mut [u64]);

    /// `self - before - 1`, where `before` is smaller.
    fn gap(&self, before: &Self) -> Self;

    /// `self + gap + 1`.
    fn after(&self, gap: &Self) -> Self;

    /// Adds a number of one limb.
    fn add(&mut self, amount: u64);

    /// A key of as many limbs, without any bit.
    fn zero_like(&self) -> Self;

    /// `self + 2^bit`, unless that is too large.
    fn plus_power(&self, bit: u32) -> Option<Self>;

    /// `self - 2^bit`, which is not negative.
    fn minus_power(&self, bit: u32) -> Self;

    /// How many bits it takes.
    fn length(&self) -> u32;

    /// At most 32 bits from a position on.
    fn bits(&self, from: u32, n_bits: u32) -> u64;

    /// Sets bits that are not set, from a position on.
    fn set_bits(&mut self, from: u32, bits: u64);

    /// A number whose highest bits are about random, at little cost.
    fn scattered(&self) -> u64;

    /// A number that depends on the bits from a position on, if there are at most two limbs; else on all.
    fn above(&self, bit: u32) -> u64;

    /// Sorts keys.
    fn sort(keys: &mut Vec<Self>, scratch: &mut Vec<Self>) {
        let _ = scratch;
        keys.sort();
    }

    /// The lowest limb.
    fn low(&self) -> u64;

    /// The number with one limb that is not zero.
    fn of_low(low: u64) -> Self;
}

macro_rules! number {
    ($number:ty, $is_limb:literal, $sort:expr) => {
        impl Key for $number {
            fn of_limbs(limbs: &[u64]) -> Self {
                limbs.iter().rev().fold(0, |all: $number, &limb| {
                    all.checked_shl(u64::BITS).unwrap_or(0) | <$number>::from(limb)
                })
            }

            fn limbs(&self, out: &mut [u64]) {
                let mut rest = *self;
                for limb in out {
                    *limb = rest as u64;
                    rest = rest.checked_shr(u64::BITS).unwrap_or(0);
                }
            }

            #[inline]
            fn gap(&self, before: &Self) -> Self {
                self - before - 1
            }

            #[inline]
            fn after(&self, gap: &Self) -> Self {
                self.wrapping_add(*gap).wrapping_add(1)
            }

            #[inline]
            fn add(&mut self, amount: u64) {
                *self = self.wrapping_add(<$number>::from(amount));
            }

            fn zero_like(&self) -> Self {
                0
            }

            #[inline]
            fn plus_power(&self, bit: u32) -> Option<Self> {
                self.checked_add((1 as $number).checked_shl(bit)?)
            }

            #[inline]
            fn minus_power(&self, bit: u32) -> Self {
                self.wrapping_sub((1 as $number).checked_shl(bit).unwrap_or(0))
            }

            #[inline]
            fn length(&self) -> u32 {
                <$number>::BITS - self.leading_zeros()
            }

            #[inline]
            fn bits(&self, from: u32, n_bits: u32) -> u64 {
                (self.checked_shr(from).unwrap_or(0) as u64) & ((1 << n_bits) - 1)
            }

            #[inline]
            fn set_bits(&mut self, from: u32, bits: u64) {
                *self |= <$number>::from(bits).checked_shl(from).unwrap_or(0);
            }

            #[inline]
            fn scattered(&self) -> u64 {
                let shift = <$number>::BITS / 2;
                let folded =
                    if $is_limb { *self as u64 } else { (*self as u64) ^ (*self >> shift) as u64 };
                folded.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            }

            #[inline]
            fn above(&self, bit: u32) -> u64 {
                match $is_limb {
                    true => (*self as u64).checked_shr(bit).unwrap_or(0),
                    false => (*self >> bit).scattered(),
                }
            }

            fn sort(keys: &mut Vec<Self>, scratch: &mut Vec<Self>) {
                $sort(keys, scratch);
            }

            #[inline]
            fn low(&self) -> u64 {
                *self as u64
            }

            #[inline]
            fn of_low(low: u64) -> Self {
                <$number>::from(low)
            }
        }
    };
}

number!(u64, true, super::sort::by_digits);
number!(u128, false, |keys: &mut Vec<u128>, _: &mut Vec<u128>| keys.sort());

/// A number of any length. All keys of a run have the same number of limbs, the highest first, so that
/// they compare as lists do.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Wide<L = Box<[u64]>>(L);

/// A number of at most so many limbs.
pub type Fixed<const N: usize> = Wide<[u64; N]>;

/// Where the limbs of a wide key lie, the highest first.
pub trait Limbs:
    Ord + Clone + Default + Send + Sync + AsRef<[u64]> + AsMut<[u64]> + 'static
{
    /// These limbs, the lowest first.
    fn of(limbs: &[u64]) -> Self;

    /// As many limbs as others, all zero.
    fn zero(like: &Self) -> Self;
}

impl Limbs for Box<[u64]> {
    fn of(limbs: &[u64]) -> Self {
        limbs.iter().rev().copied().collect()
    }

    fn zero(like: &Self) -> Self {
        vec![0; like.len()].into()
    }
}

macro_rules! fixed {
    ($($n:literal)*) => {$(
        impl Limbs for [u64; $n] {
            fn of(limbs: &[u64]) -> Self {
                let mut all = [0; $n];
                all.iter_mut().rev().zip(limbs).for_each(|(own, &limb)| *own = limb);
                all
            }

            fn zero(_: &Self) -> Self {
                [0; $n]
            }
        }
    )*};
}

fixed!(4 8);

impl<L: Limbs> Wide<L> {
    /// Position of the limb with a bit; `None` beyond the last.
    fn limb(&self, bit: u32) -> Option<usize> {
        self.0.as_ref().len().checked_sub((bit / u64::BITS) as usize + 1)
    }

    /// Adds a number of one limb at a limb; says whether it was too large.
    #[inline]
    fn add_at(&mut self, mut at: usize, amount: u64) -> bool {
        let limbs = self.0.as_mut();
        let (sum, mut carry) = limbs[at].overflowing_add(amount);
        limbs[at] = sum;
        while carry && at > 0 {
            at -= 1;
            (limbs[at], carry) = limbs[at].overflowing_add(1);
        }
        carry
    }

    fn subtract(&mut self, mut at: usize, amount: u64) {
        let limbs = self.0.as_mut();
        let (difference, mut borrow) = limbs[at].overflowing_sub(amount);
        limbs[at] = difference;
        while borrow && at > 0 {
            at -= 1;
            (limbs[at], borrow) = limbs[at].overflowing_sub(1);
        }
    }
}

impl<L: Limbs> Key for Wide<L> {
    fn of_limbs(limbs: &[u64]) -> Self {
        Self(L::of(limbs))
    }

    fn limbs(&self, out: &mut [u64]) {
        let limbs = self.0.as_ref().iter().rev().copied().chain(std::iter::repeat(0));
        out.iter_mut().zip(limbs).for_each(|(out, limb)| *out = limb);
    }

    fn gap(&self, before: &Self) -> Self {
        let mut gap = self.clone();
        let n_limbs = self.0.as_ref().len();
        for at in (0..n_limbs).rev() {
            gap.subtract(at, before.0.as_ref()[at]);
        }
        gap.subtract(n_limbs - 1, 1);
        gap
    }

    fn after(&self, gap: &Self) -> Self {
        let mut sum = self.clone();
        for (at, &limb) in gap.0.as_ref().iter().enumerate().rev() {
            sum.add_at(at, limb);
        }
        sum.add(1);
        sum
    }

    #[inline]
    fn add(&mut self, amount: u64) {
        self.add_at(self.0.as_ref().len() - 1, amount);
    }

    fn zero_like(&self) -> Self {
        Self(L::zero(&self.0))
    }

    fn plus_power(&self, bit: u32) -> Option<Self> {
        let (at, mut sum) = (self.limb(bit)?, self.clone());
        (!sum.add_at(at, 1 << (bit % u64::BITS))).then_some(sum)
    }

    fn minus_power(&self, bit: u32) -> Self {
        let mut difference = self.clone();
        if let Some(at) = self.limb(bit) {
            difference.subtract(at, 1 << (bit % u64::BITS));
        }
        difference
    }

    fn length(&self) -> u32 {
        let n_limbs = self.0.as_ref().len();
        let first = self.0.as_ref().iter().position(|&limb| limb != 0);
        first
            .map_or(0, |at| (n_limbs - at) as u32 * u64::BITS - self.0.as_ref()[at].leading_zeros())
    }

    fn bits(&self, from: u32, n_bits: u32) -> u64 {
        let limb = |bit| self.limb(bit).map_or(0, |at| self.0.as_ref()[at]);
        let shift = from % u64::BITS;
        let low = limb(from) >> shift;
        let high = limb(from + u64::BITS).checked_shl(u64::BITS - shift).unwrap_or(0);
        (low | high) & ((1 << n_bits) - 1)
    }

    fn set_bits(&mut self, from: u32, bits: u64) {
        let shift = from % u64::BITS;
        if let Some(at) = self.limb(from) {
            self.0.as_mut()[at] |= bits << shift;
        }
        if let Some(at) = self.limb(from + u64::BITS) {
            self.0.as_mut()[at] |= bits.checked_shr(u64::BITS - shift).unwrap_or(0);
        }
    }

    fn scattered(&self) -> u64 {
        let fold = |all: u64, &limb: &u64| {
            (all.rotate_left(23) ^ limb).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        self.0.as_ref().iter().fold(0, fold)
    }

    fn above(&self, _: u32) -> u64 {
        self.scattered()
    }

    fn low(&self) -> u64 {
        self.0.as_ref().last().copied().unwrap_or(0)
    }

    fn of_low(low: u64) -> Self {
        Self(L::of(&[low]))
    }
}
