//! What may be asked of a module. Answers nothing.

use quadrille_model::Expected;
use quadrille_model::Runs;

use crate::reading::Asked;
use crate::report::{Answer, Finding};

/// One question, and what is expected.
#[derive(Clone)]
pub(crate) struct Demand {
    pub(crate) what: What,
    /// Which runs count, where that is not said for all questions together.
    pub(crate) runs: Option<Runs>,
    pub(crate) expected: Expected,
}

/// A question.
#[derive(Clone)]
pub(crate) enum What {
    Formula(Asked),
    NoDeadlock,
    AtMost(u32),
    Bounded,
    Conforms,
    Properties,
    /// A property of the protocol's file, which can be answered.
    Property(String),
    /// A property of the protocol's file, or nothing if it speaks about variables.
    Listed(String),
}

impl Demand {
    /// What the question is called.
    pub(crate) fn name(&self) -> String {
        match &self.what {
            What::Formula(asked) => asked.text.split_whitespace().collect::<Vec<_>>().join(" "),
            What::NoDeadlock => "no deadlock".to_owned(),
            What::AtMost(1) => "at most 1 message under way between two roles".to_owned(),
            What::AtMost(n) => format!("at most {n} messages under way between two roles"),
            What::Bounded => "no sender waits for room in a queue".to_owned(),
            What::Conforms => "conforms to its protocol".to_owned(),
            What::Properties => "the properties of the protocol".to_owned(),
            What::Property(name) | What::Listed(name) => name.clone(),
        }
    }

    /// What to say where there is no answer.
    pub(crate) fn unanswered(&self, why: &str) -> Finding {
        Finding {
            property: self.name(),
            runs: None,
            expected: self.expected,
            answer: Answer::Impossible(why.to_owned()),
            story: None,
        }
    }
}
