//! What `simulate` and `estimate` print as JSON, and what an estimate says about time and memory.

use quadrille_query::{Cost, Estimate, Growth, Known, Simulation, Walked};
use serde::Serialize;

use crate::Outcome;
use crate::json::{BoundRecord, FindingRecord, SCHEMA, Whole, pretty};

/// What `simulate --format json` prints.
#[derive(Serialize)]
pub struct SimulateDocument<'a> {
    schema: &'static str,
    file: String,
    verdict: &'static str,
    seed: u64,
    depth: u64,
    walks: u64,
    ended: u64,
    steps: u64,
    longest: u64,
    states: u64,
    actions: usize,
    never_taken: &'a [String],
    bound: Option<BoundRecord>,
    /// Which walk came upon the violation.
    found: Option<FoundRecord>,
    findings: Vec<FindingRecord>,
}

#[derive(Serialize)]
struct FoundRecord {
    walk: u64,
    steps: u64,
    shortened: usize,
    shortest: bool,
}

impl<'a> SimulateDocument<'a> {
    /// The document for a file; `verdict` is that of the whole.
    pub fn new(
        file: &str,
        verdict: &'static str,
        config: &Simulation,
        walked: &'a Walked,
        outcomes: &[Outcome],
    ) -> Self {
        let Walked { simulated, never_taken, n_labels, .. } = walked;
        Self {
            schema: SCHEMA,
            file: file.to_owned(),
            verdict,
            seed: config.seed,
            depth: config.depth,
            walks: simulated.walks,
            ended: simulated.ended,
            steps: simulated.steps,
            longest: simulated.longest,
            states: simulated.states,
            actions: *n_labels,
            never_taken,
            bound: simulated.bound.map(BoundRecord::new),
            found: simulated.found.as_ref().map(|found| FoundRecord {
                walk: found.walk,
                steps: found.steps,
                shortened: found.trace.steps.len(),
                shortest: found.is_shortest,
            }),
            findings: outcomes.iter().map(FindingRecord::new).collect(),
        }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// What exploring a model state by state takes: what is likely, the least, the most.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// Bytes.
    pub bytes: (Option<f64>, f64, Option<f64>),
    /// Seconds.
    pub seconds: (Option<f64>, f64, Option<f64>),
}

impl Forecast {
    /// What follows from an estimate. Tables are between three fifths and nine tenths full, which is a
    /// fifth more or less than on average; and where a processor's caches no longer hold them, which
    /// comes bit by bit, a state takes up to three times as long.
    pub fn of(estimate: &Estimate) -> Self {
        let explored = estimate.explored.states.max(1) as f64;
        let whole = |states: f64| (Some(states), states, Some(states));
        let states = match &estimate.known {
            Known::Exactly => whole(explored),
            Known::BySets(size) => whole(size.states.to_string().parse().unwrap_or(f64::MAX)),
            Known::Range(Growth { least, most, likely }, _) => (*likely, *least, *most),
            Known::AtLeast(_) => (None, explored, None),
        };
        let (likely_states, least, most) = states;
        let Cost { states: n_measured, bytes, seconds } = estimate.cost;
        let measured = n_measured.max(1) as f64;
        let (bytes, seconds) = (bytes as f64 / measured, seconds / measured);
        if let Known::Exactly = estimate.known {
            let exact = |number: f64| (Some(number), number, Some(number));
            return Self { bytes: exact(bytes * explored), seconds: exact(seconds * explored) };
        }
        let slower = |states: f64| {
            let doublings = (states / measured).log2().max(0.0);
            (1.0 + SLOWER_PER_DOUBLING * doublings).min(SLOWEST)
        };
        let span = |likely: &dyn Fn(f64) -> f64, least: f64, most_each: f64| {
            (likely_states.map(likely), least, most.map(|most| most * most_each))
        };
        let of_bytes = |states: f64| states * bytes;
        let of_seconds = |states: f64| states * seconds * slower(states);
        Self {
            bytes: span(&of_bytes, least * bytes * (1.0 - SLACK), bytes * (1.0 + SLACK)),
            seconds: span(&of_seconds, least * seconds, seconds * SLOWEST),
        }
    }
}

/// By how much of the average a table may be smaller or larger.
const SLACK: f64 = 0.2;
/// How much longer a state takes each time that there are twice as many; measured on philosophers.
const SLOWER_PER_DOUBLING: f64 = 0.15;
/// How many times as long a state takes at most.
const SLOWEST: f64 = 3.0;

/// What `estimate --format json` prints.
#[derive(Serialize)]
pub struct EstimateDocument {
    schema: &'static str,
    file: String,
    /// How it was found: `explored`, `sets`, `levels`, or `bound`.
    by: &'static str,
    exact: bool,
    states: Option<Whole>,
    likely: Option<f64>,
    least: f64,
    most: Option<f64>,
    bytes: Span,
    seconds: Span,
    explored: u64,
    bound: Option<BoundRecord>,
}

#[derive(Serialize)]
struct Span {
    likely: Option<f64>,
    least: f64,
    most: Option<f64>,
}

impl From<(Option<f64>, f64, Option<f64>)> for Span {
    fn from((likely, least, most): (Option<f64>, f64, Option<f64>)) -> Self {
        Self { likely, least, most }
    }
}

impl EstimateDocument {
    /// The document for a file.
    pub fn new(file: &str, estimate: &Estimate) -> Self {
        let explored = estimate.explored.states;
        let Forecast { bytes, seconds } = Forecast::of(estimate);
        let exact = |number: u64| (Some(number as f64), number as f64, Some(number as f64));
        let (by, states, (likely, least, most), bound) = match &estimate.known {
            Known::Exactly => ("explored", Some(Whole::new(explored, None)), exact(explored), None),
            Known::BySets(size) => {
                let states = size.states.to_u64().unwrap_or(u64::MAX);
                let about: f64 = size.states.to_string().parse().unwrap_or(f64::MAX);
                let whole = Whole::new(states, Some(&size.states));
                ("sets", Some(whole), (Some(about), about, Some(about)), None)
            }
            Known::Range(Growth { least, most, likely }, _) => {
                ("levels", None, (*likely, *least, *most), None)
            }
            Known::AtLeast(bound) => ("bound", None, (None, explored as f64, None), Some(*bound)),
        };
        Self {
            schema: SCHEMA,
            file: file.to_owned(),
            by,
            exact: states.is_some(),
            states,
            likely,
            least,
            most,
            bytes: bytes.into(),
            seconds: seconds.into(),
            explored,
            bound: bound.map(BoundRecord::new),
        }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}
