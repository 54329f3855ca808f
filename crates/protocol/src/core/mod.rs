//! The core calculus that every protocol language is lowered into.
//!
//! A *term* is a closed process: stop (`0`), skip (`1`), an action, sequence, choice, interleaving,
//! repetition, a guard over data, or a call of a named definition. Terms are hash-consed in
//! [`Terms`]: equal terms have equal ids, so a term id *is* a state. Calls are unfolded only when
//! the steps of a term are asked for, through [`Definitions`], which a language implements: it is
//! given a definition and argument values and returns the body as a closed term. Nothing has an
//! environment, and nothing is expanded before it is reached.
//!
//! Data lives beside the control: variables with finite domains occupy slots of their own in the
//! state vector. Guards and updates are [`Expr`]essions over them, attached to the steps of terms;
//! the steps themselves are computed once per term, whatever the variables hold. A message whose
//! content is the value of an expression `e` is a choice: for each value `v`, guarded by `e = v`, the
//! message with content `v`; its receive can then assign the constant `v`.
//!
//! The rules are those of the usual structural operational semantics:
//!
//! ```text
//! α →α 1        1↓        P+Q moves and ends as P or as Q        P·Q ends when both do
//! P·Q → P'·Q    P·Q → Q' if P↓        P|Q → P'|Q, P|Q'; ends when both do
//! P* → P'·P*    P*↓       Pω → P'·Pω, never ends      [g]P moves and ends as P where g holds
//! ```
//!
//! and a call moves and ends as its body. Unfolding a call inside its own unfolding, with no action
//! in between, contributes nothing: no step, no end.

mod action;
mod communication;
mod content;
mod data;
mod declare;
mod expression;
mod growth;
mod instance;
pub mod intern;
mod model;
mod node;
mod place;
#[cfg(test)]
mod random_tests;
mod show;
mod state_names;
mod step;
mod term;
#[cfg(test)]
mod tests;
mod threads;
mod trouble;

pub use action::{Act, ActId, Message, RoleId};
pub use content::{Reader, Writer};
pub use data::{
    Assignment, DataError, DataType, Expr, ExprId, Operator, UpdateId, Variable, VariableId, apply,
};
pub use model::{ALL as CODES, ProtocolModel};
pub use model::{DATA_ERROR, TOO_DEEP, UNGUARDED};
pub use quadrille_model::Participant as Role;
pub use state_names::{NamedStates, NotNamed, StateName};
pub use step::{Definitions, Edge, Named};
pub use term::{DefinitionId, Identity, Term, TermId, Terms, Word};
pub use threads::{Thread, ThreadState, ThreadStep};
pub use trouble::diagnosed;
