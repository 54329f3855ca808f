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
//! use quadrille_query::{Config, Memory, Question, Selection, Unwatched, load, load_all};
//!
//! let files = Memory::new([
//!     ("shop.bp", "Client !Desk.ask ; !Desk.pay\nClerk ?Desk.ask*"),
//!     ("office.arch", "interface Desk { ask }\n
//!         component Client { requires desk: Desk; protocol !desk.ask }
//!         component Clerk { provides desk: Desk; protocol ?desk.ask* }
//!         composite Office {
//!             part client: Client; part clerk: Clerk;
//!             bind client.desk -> clerk.desk;
//!         }"),
//! ]);
//! let mut sources = Sources::default();
//! let (shop, _) = load(&files, &mut sources, Path::new("shop.bp"), &Selection::default());
//! let shop = shop.expect("no mistakes");
//! let question = Question::FitsTogether { reduced: false };
//! let answers = shop.ask(&[question], &Config::default(), &mut Unwatched);
//! let answer = answers[0].as_ref().expect("it can be asked");
//! let found = answer.composition().expect("it is about components");
//! assert_eq!(found.word(), "bad activity");
//! let (composed, error) = (shop.components().unwrap(), found.paths().next().unwrap());
//! assert_eq!(composed.event(error).as_deref(), Some("Desk.pay^"));
//! ```
#![forbid(unsafe_code)]

mod answer;
mod ask;
mod claim;
pub mod codes;
mod events;
mod files;
mod invariant;
mod language;
mod languages;
pub mod manifest;
pub mod protocol;
mod question;
mod selection;
mod subject;
mod vocabulary;

pub use answer::{Answer, Assumptions, Composition, Evidence, Finding};
pub use ask::{Answered, Config, Refused, Unwatched, Watcher, error_kind, errors_of};
pub use claim::{ActionAtom, Atom, Claim, Property};
pub use files::{Files, Memory, files_below, has_extension, read_text};
pub use language::{LANGUAGES, Language, language_in, language_of, load, load_all, load_text};
pub use languages::architectures::{find_component, read_system};
pub use languages::components::{Composed, assemble, read_components, subject};
pub use languages::protocols::Protocol;
pub use question::{About, Question, QuestionInfo};
pub use selection::{ComponentSelection, CompositeSelection, Form, Selection, SessionSelection};
pub use subject::Subject;
pub use vocabulary::{FormulaText, Names, Syntax, Vocabulary, paragraphs};
