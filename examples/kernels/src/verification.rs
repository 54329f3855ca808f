//! The comparison of an answer with the published one.

use std::fmt;

/// How far an answer is from the published values.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    summary: String,
    errors: Vec<f64>,
    tolerance: f64,
}

impl Verification {
    /// Compares relative errors of numbers, given as (computed, published), with a tolerance.
    #[must_use]
    pub fn relative(summary: String, values: &[(f64, f64)], tolerance: f64) -> Self {
        let errors = values
            .iter()
            .map(|(computed, published)| ((computed - published) / published).abs())
            .collect();
        Self { summary, errors, tolerance }
    }

    /// A verification that counts mistakes and tolerates none.
    #[must_use]
    pub fn exact(summary: String, mistakes: usize) -> Self {
        Self { summary, errors: vec![mistakes as f64], tolerance: 0.0 }
    }

    /// Whether the answer is right.
    #[must_use]
    pub fn holds(&self) -> bool {
        // Not a comparison with the largest error: a NaN must fail.
        self.errors.iter().all(|error| *error <= self.tolerance)
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.holds() { "verified" } else { "WRONG" };
        let worst = self.errors.iter().copied().fold(0.0, f64::max);
        write!(f, "{verdict}, {}, error {worst:.1e} of {:.0e}", self.summary, self.tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_within_the_tolerance_are_right() {
        let holds = |computed: f64| {
            Verification::relative(String::new(), &[(2.0, 2.0), (computed, 4.0)], 1e-3).holds()
        };
        assert!(holds(4.0) && holds(4.003));
        assert!(!holds(4.005) && !holds(-4.0) && !holds(f64::NAN));
        assert!(Verification::exact(String::new(), 0).holds());
        assert!(!Verification::exact(String::new(), 1).holds());
    }
}
