//! Samples by round and contender, and what is made of them. Measures nothing.

use std::fmt;

/// A row of samples per round, a column per contender.
#[derive(PartialEq, Debug)]
pub(super) struct Rounds {
    n_contenders: usize,
    rows: Vec<Vec<f64>>,
}

/// A median and the 95 % interval in which it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Spread {
    pub(super) lower: f64,
    pub(super) median: f64,
    pub(super) upper: f64,
}

/// Whether a bar holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holds {
    /// The whole interval is on its good side.
    Yes,
    /// The whole interval is on its bad side.
    No,
    /// The interval is on both sides: measured too little, or on a machine that does something else.
    Unclear,
}

impl fmt::Display for Holds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Holds::Yes => "yes",
            Holds::No => "NO",
            Holds::Unclear => "unclear",
        })
    }
}

impl Spread {
    fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_unstable_by(f64::total_cmp);
        let (middle, last) = (samples.len() / 2, samples.len() - 1);
        // How many samples lie below the median is binomial; 1.96 standard deviations of it.
        let reach = (0.98 * (samples.len() as f64).sqrt()).ceil() as usize;
        Self {
            lower: samples[middle.saturating_sub(reach)],
            median: samples[middle],
            upper: samples[(middle + reach).min(last)],
        }
    }

    /// Whether it is at least so much.
    pub(super) fn reaches(self, bar: f64) -> Holds {
        match (self.lower >= bar, self.upper < bar) {
            (true, _) => Holds::Yes,
            (false, true) => Holds::No,
            (false, false) => Holds::Unclear,
        }
    }

    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            lower: self.lower * factor,
            median: self.median * factor,
            upper: self.upper * factor,
        }
    }
}

impl Rounds {
    pub(super) fn new(n_contenders: usize) -> Self {
        Self { n_contenders, rows: Vec::new() }
    }

    pub(super) fn push(&mut self, samples: Vec<f64>) {
        assert_eq!(samples.len(), self.n_contenders, "a sample of each contender");
        self.rows.push(samples);
    }

    /// How fast a contender is.
    pub(super) fn rate(&self, contender: usize) -> Spread {
        Spread::of(self.rows.iter().map(|row| row[contender]).collect())
    }

    /// How much faster one contender is than another, in the same round.
    pub(super) fn ratio(&self, one: usize, other: usize) -> Spread {
        Spread::of(self.rows.iter().map(|row| row[one] / row[other]).collect())
    }

    /// Reads what [`fmt::Display`] writes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let rows = text
            .lines()
            .map(|line| line.split_ascii_whitespace().map(|sample| sample.parse().ok()).collect());
        let rows: Vec<Vec<f64>> = rows.collect::<Option<_>>()?;
        let n_contenders = rows.first()?.len();
        rows.iter().all(|row| row.len() == n_contenders).then_some(Self { n_contenders, rows })
    }
}

impl fmt::Display for Rounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            for (number, sample) in row.iter().enumerate() {
                write!(f, "{}{sample}", if number == 0 { "" } else { " " })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
