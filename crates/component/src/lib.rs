//! Behavior protocols: what each component calls and accepts, and whether the parts fit together.
//!
//! A text becomes a tree ([`syntax`]), is looked over ([`lint`]), becomes automata ([`automata`]) and a
//! model of all components together ([`composition`]). This crate knows no engine and reads no file:
//! whoever has an engine explores the model and shows what it meets to a judge.
//!
//! ```
//! use quadrille_component::automata::{Alphabet, Construction, build};
//! use quadrille_component::composition::{Judge, Unit, Wiring, compose};
//! use quadrille_engine::{Limits, Space, unobserved};
//!
//! let text = "Clerk  ?Desk.ask ; ?Desk.leave\nClient  !Desk.ask ; !Desk.ask";
//! let mut sources = quadrille_diagnostic::Sources::default();
//! let (file, diagnostics) = quadrille_component::parse(sources.add("desk.bp", text), text);
//! assert!(diagnostics.is_empty());
//!
//! let mut alphabet = Alphabet::default();
//! let mut units = Vec::new();
//! for component in &file.components {
//!     let piece = build(&mut alphabet, &file.types, component, None, Construction::Minimal)?;
//!     units.push(Unit { name: component.name.text.clone(), piece });
//! }
//! let composition = compose(&alphabet, &units, &Wiring::shared(&alphabet, &units))?;
//! let mut judge = Judge::new(&composition);
//! let explored = Space::new(&composition).walk(Limits::default(), &mut unobserved, |_, here, edges| {
//!     judge.visit(here, edges.iter().map(|edge| edge.to));
//!     judge.bytes()
//! });
//! explored.expect("no limit was set");
//! let errors = judge.finish();
//! let path = errors.first().expect("the clerk expects no second question");
//! assert_eq!(path.tokens(&composition), ["τDesk.ask^", "τDesk.ask$", "ε!Desk.ask^"]);
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
