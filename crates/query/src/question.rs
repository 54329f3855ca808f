//! The table of questions. A new question is one row here, one arm in [`Subject::ask`], and a module that
//! answers it.

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::equivalence::{Relation, View};
use quadrille_protocol::project::Queues;

use crate::ask::ImplementedQueue;
use crate::claim::Property;
use crate::codes::CONTRADICTION;
use crate::subject::{Matter, Subject};

/// Something to ask about a subject.
pub enum Question<'q> {
    /// Whether the system gets stuck: can it reach a state without successor in which it may not end?
    Deadlock,
    /// Whether a property of the file, or a formula from elsewhere, holds.
    Property(Property),
    /// Whether components fit together: no bad activity, no deadlock, no activity without end.
    FitsTogether {
        /// Whether everything is left out first that cannot make a difference.
        reduced: bool,
    },
    /// Whether the liberal form of a protocol does what the protocol says, with what its queues hold.
    Faithful {
        /// How messages wait for their receivers.
        queues: Queues,
    },
    /// Whether all queues are bounded: the liberal form of a protocol, with a queue for each sender and
    /// receiver.
    Bounded,
    /// Whether two systems behave alike.
    Compare {
        /// The other one.
        other: &'q Subject<'q>,
        /// What is asked of the two.
        relation: Relation,
        /// What is seen of them from outside.
        view: View,
    },
    /// Whether an implementation does what a protocol says, step by step.
    Conforms {
        /// The protocol.
        protocol: &'q Subject<'q>,
        /// The queues between the roles of the implementation, if it has any: then it may also do what the
        /// projection of the protocol does.
        queues: Option<Vec<ImplementedQueue>>,
    },
    /// What never happens, also atoms of the properties that are asked together with this.
    Unused,
    /// What is probably a mistake, also in these properties.
    Lint {
        /// Properties that are looked at beside the subject.
        properties: Vec<Property>,
    },
}

/// What there is to know about a question before it is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuestionInfo {
    /// The one word for it.
    pub word: &'static str,
    /// What it can be asked about.
    pub about: About,
}

/// What a question can be asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// Every subject.
    Everything,
    /// Protocols.
    Protocols,
    /// Liberal forms of protocols.
    LiberalForms,
    /// Components, also those of an architecture.
    Components,
    /// What has a text that people write: protocols and components.
    Texts,
}

impl Question<'_> {
    /// The row of the table.
    pub fn info(&self) -> QuestionInfo {
        let (word, about) = match self {
            Question::Deadlock => ("deadlock", About::Everything),
            Question::Property(_) => ("property", About::Everything),
            Question::FitsTogether { .. } => ("fits-together", About::Components),
            Question::Faithful { .. } => ("faithful", About::Protocols),
            Question::Bounded => ("bounded", About::LiberalForms),
            Question::Compare { .. } => ("compare", About::Everything),
            Question::Conforms { .. } => ("conforms", About::Everything),
            Question::Unused => ("unused", About::Everything),
            Question::Lint { .. } => ("lint", About::Texts),
        };
        QuestionInfo { word, about }
    }

    /// What the question is called in reports and progress.
    pub fn name(&self) -> String {
        match self {
            Question::Deadlock => "no deadlock".to_owned(),
            Question::Property(property) => property.name.clone(),
            Question::FitsTogether { .. } => "components fit together".to_owned(),
            Question::Faithful { .. } => "the liberal form does what the protocol says".to_owned(),
            Question::Bounded => "all queues are bounded".to_owned(),
            Question::Compare { .. } => "the systems behave alike".to_owned(),
            Question::Conforms { .. } => "conforms to its protocol".to_owned(),
            Question::Unused => "what never happens".to_owned(),
            Question::Lint { .. } => "lint".to_owned(),
        }
    }

    /// Refuses a question that cannot be asked about a subject.
    pub(crate) fn applies(&self, subject: &Subject<'_>) -> Result<(), Vec<Diagnostic>> {
        let QuestionInfo { word, about } = self.info();
        let fits = match (about, &subject.matter) {
            (About::Everything, _)
            | (About::Protocols | About::Texts, Matter::Protocol(_))
            | (About::Components | About::Texts, Matter::Components(_)) => true,
            (About::LiberalForms, Matter::Protocol(protocol)) => protocol.liberal().is_some(),
            (_, _) => false,
        };
        if fits {
            return Ok(());
        }
        let message = format!("the question `{word}` cannot be asked about this kind of model");
        let help = match about {
            About::Protocols => "ask it about a .quad or .dcj file",
            About::LiberalForms => "ask it about the liberal form of a protocol: --form liberal",
            About::Components => "ask it about .bp files or an .arch file",
            About::Everything | About::Texts => "ask it about a protocol or about components",
        };
        Err(vec![Diagnostic::error(&CONTRADICTION, message).help(help)])
    }
}
