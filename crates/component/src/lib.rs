//! Behavior protocols: which calls each component makes and accepts, and whether components are
//! compatible.
//!
//! A text becomes a tree ([`syntax`]), is linted ([`lint`]), becomes automata ([`automata`]) and a
//! model of all components together ([`composition`]). This crate knows no engine and reads no file:
//! it states the errors of a composition as questions about the model, and `quadrille-query` asks them.
//!
//! ```
//! use quadrille_query::composition_errors;
//! use quadrille_component::automata::{Alphabet, Construction, build};
//! use quadrille_component::composition::{Unit, Wiring, compose};
//! use quadrille_engine::{Limits, unobserved};
//!
//! let text = "Clerk  ?Desk.ask ; ?Desk.leave\nClient  !Desk.ask ; !Desk.ask";
//! let mut sources = quadrille_diagnostic::Sources::default();
//! let (file, diagnostics) = quadrille_component::parse(sources.add("desk.bp", text), text);
//! assert!(diagnostics.is_empty());
//!
//! let mut alphabet = Alphabet::default();
//! let mut units = Vec::new();
//! for component in &file.components {
//!     let dfa = build(&mut alphabet, &file.types, component, None, Construction::Minimal)?;
//!     units.push(Unit { name: component.name.text.clone(), dfa });
//! }
//! let composition = compose(&alphabet, &units, &Wiring::shared(&alphabet, &units))?;
//! let errors = composition_errors(&composition, Limits::default(), &mut unobserved).unwrap();
//! let run = errors.first().expect("the clerk accepts no second question");
//! assert_eq!(run.tokens(&composition), ["τDesk.ask^", "τDesk.ask$", "ε!Desk.ask^"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod architecture;
pub mod assembly;
pub mod automata;
pub mod codes;
pub mod composition;
pub mod intrinsic;
pub mod lint;
pub mod reduction;
pub mod regular;
pub mod syntax;

pub use syntax::parse;
