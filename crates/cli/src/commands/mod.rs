//! The commands, one file each.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod component;
mod deliver;
pub(crate) mod double;
pub(crate) mod draw;
pub(crate) mod explain;
pub(crate) mod frame;
pub(crate) mod generate;
pub(crate) mod lint;
pub(crate) mod monitor;
pub(crate) mod project;
pub(crate) mod replay;
pub(crate) mod states;
pub(crate) mod test;
