//! From a file and questions to answers.
//!
//! [`load`] makes a [`Subject`] of a file in any language: a model, the vocabulary of formulas about it, and
//! how its runs are shown. Formulas are read after loading ([`Subject::formula`]). [`Subject::ask`] answers
//! any number of [`Question`]s; every [`Answer`] has a verdict, counts, evidence, and what was assumed.
//!
//! Components are checked by a library call:
//!
//! ```
//! use std::path::Path;
//! use quadrille_diagnostic::Sources;
//! use quadrille_model::Verdict;
//! use quadrille_query::{
//!     Config, Memory, Question, Selection, Subject, Unwatched, load, load_all,
//! };
//!
//! let files = Memory::new([
//!     ("shop.bp", "Client !Desk.ask ; !Desk.ask\nClerk ?Desk.ask"),
//!     ("office.arch", "interface Desk { ask }
//!         component Client { requires Desk protocol { !Desk.ask } }
//!         component Clerk { provides Desk protocol { ?Desk.ask* } }
//!         component Office {
//!             contains client : Client
//!             contains clerk : Clerk
//!             bind client.Desk to clerk.Desk
//!         }"),
//! ]);
//! let (mut sources, selection) = (Sources::default(), Selection::default());
//! let ask = |subject: &Subject<'_>| {
//!     let question = Question::FitsTogether { reduced: false };
//!     let mut answers = subject.ask(&[question], &Config::default(), &mut Unwatched);
//!     answers.remove(0).expect("it can be asked about components")
//! };
//!
//! let (shop, _) = load(&files, &mut sources, Path::new("shop.bp"), &selection);
//! let shop = shop.expect("no mistakes");
//! let answer = ask(&shop);
//! let found = answer.composition().expect("what was found about components");
//! assert_eq!(found.word(), "bad activity");
//! let (composed, error) = (shop.components().unwrap(), found.paths().next().unwrap());
//! assert_eq!(composed.event(error).as_deref(), Some("Desk.ask^"));
//! assert_eq!(composed.culprits(error), ["Client"]);
//!
//! // An architecture has one subject per composite and compliance.
//! let (office, _) = load_all(&files, &mut sources, Path::new("office.arch"), &selection);
//! assert_eq!(office.len(), 1);
//! assert!(office.iter().all(|subject| ask(subject).verdict == Verdict::Holds));
//! ```
#![forbid(unsafe_code)]

mod allow;
mod answer;
mod ask;
mod claim;
pub mod codes;
mod events;
mod files;
mod invariant;
mod language;
mod languages;
mod levels;
pub mod manifest;
pub mod petri;
pub mod protocol;
mod question;
mod selection;
mod subject;
mod vocabulary;
mod walk;

pub use allow::Allows;
pub use answer::{Answer, Assumptions, CompositionReport, Evidence, Finding, Unused, UnusedValue};
pub use ask::{
    Answered, Asked, Config, Conformance, Cost, Elsewhere, Engine, Estimate, FEW_STATES,
    ImplementedQueue, Known, Reduction, Refused, SYMBOLIC, Unwatched, WALKS, Walked, Watcher,
    composition_errors, counts_of, unshared, unusable,
};
pub use claim::{ActionAtom, Aim, Atom, Claim, Property, Statement};
pub use files::{Files, Memory, files_below, has_extension, read_text};
pub use language::{LANGUAGES, Language, language_in, language_of, load, load_all, load_text};
pub use languages::architectures::{find_component, read_system};
pub use languages::components::{Composed, assemble, read_components, subject};
pub use languages::protocols::Protocol;
pub use levels::{Group, Level, Levels, RULES, Rule, UnknownRule, rules_named};
pub use quadrille_engine::disk::{Folder, Identity, RunStore, Trouble, fingerprint_of};
pub use quadrille_engine::{Growth, Lossy, Simulation};
pub use quadrille_symbolic::{Natural, Size};
pub use question::{About, Question, QuestionInfo};
pub use selection::{
    ComponentSelection, CompositeSelection, DesignSelection, Form, Selection, SessionSelection,
};
pub use subject::Subject;
pub use vocabulary::{FormulaText, HoaText, Names, Syntax, Vocabulary, paragraphs};
pub use walk::{Next, Walk};
