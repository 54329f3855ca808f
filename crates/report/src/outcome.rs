//! A checked property as every format tells it, and the words all of them use.

use quadrille_model::{Bound, Expected, Finding, Runs};

use crate::Story;

/// A finding with its story and the time it took.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// What was found.
    pub finding: Finding,
    /// The trace of a violation, told.
    pub story: Option<Story>,
    /// How long it took.
    pub seconds: f64,
}

/// A checked property and what was expected of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    /// What was found.
    pub outcome: Outcome,
    /// What should have been found.
    pub expected: Expected,
}

impl Test {
    /// Whether it came out as expected. An unknown verdict never does.
    pub fn passed(&self) -> bool {
        self.expected.is_met_by(&self.outcome.finding.verdict)
    }
}

/// Tests of one model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Suite {
    /// The file of the model.
    pub file: String,
    /// The protocol of the file, where it was named.
    pub protocol: Option<String>,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The form of it, where it is not the protocol itself.
    pub variant: Option<&'static str>,
    /// The tests.
    pub tests: Vec<Test>,
    /// How the model gets stuck, if it does. That is told beside the tests and fails none of them.
    pub deadlock: Option<Story>,
}

impl Suite {
    /// The suite of a check, in which everything should hold.
    pub fn of_check(file: &str, outcomes: &[Outcome]) -> Suite {
        let test = |outcome: &Outcome| Test { outcome: outcome.clone(), expected: Expected::Holds };
        Suite {
            file: file.to_owned(),
            tests: outcomes.iter().map(test).collect(),
            ..Suite::default()
        }
    }

    /// What the suite is called: `ring.dcj ring(4, 0), liberal`.
    pub fn name(&self) -> String {
        let mut name = self.file.clone();
        if let Some(protocol) = &self.protocol {
            name = format!("{name} {protocol}");
        }
        if !self.arguments.is_empty() {
            name = format!("{name}({})", self.arguments.join(", "));
        }
        match self.variant {
            Some(variant) => format!("{name}, {variant}"),
            None => name,
        }
    }
}

/// The one word for a run mode.
pub fn runs_word(runs: Runs) -> &'static str {
    match runs {
        Runs::Maximal => "maximal",
        Runs::Infinite => "infinite",
        Runs::Finite => "finite",
    }
}

/// Why a check ended early, in a few words.
pub fn bound_phrase(bound: Bound) -> String {
    match bound {
        Bound::States(states) => format!("the bound of {states} states was reached"),
        Bound::Memory(bytes) => format!("the memory bound of {bytes} bytes was reached"),
        Bound::Time(milliseconds) => {
            format!("the time bound of {} s was reached", milliseconds as f64 / 1000.0)
        }
        Bound::Interrupted => "it was interrupted".to_owned(),
    }
}

/// What to do about a bound.
pub fn bound_advice(bound: Bound) -> &'static str {
    match bound {
        Bound::States(_) => "raise --max-states, or check a smaller instance",
        Bound::Memory(_) => "raise --max-memory, or check a smaller instance",
        Bound::Time(_) => "raise --timeout, or check a smaller instance",
        Bound::Interrupted => "run it again and let it finish",
    }
}
