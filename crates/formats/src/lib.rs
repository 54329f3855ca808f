//! Text forms of the two families of models that come as data: Aldebaran tables (`.aut`) for
//! [`Explicit`](quadrille_model::Explicit), and our own small language (`.net`, with the positional
//! form `.ia`) for [`Network`](quadrille_model::Network); and models and tables as Promela, for Spin. Knows no
//! engine and reads no file.
#![forbid(unsafe_code)]

mod aut;
pub mod codes;
mod net;
mod promela;
mod report;

pub use aut::{AutError, read_aut, write_aut, write_aut_to};
pub use net::{read_net, write_net};
pub use promela::{promela_of_steps, write_promela_to};
