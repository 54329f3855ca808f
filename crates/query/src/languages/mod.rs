//! One module per family of languages: each makes [`Subject`](crate::Subject)s of its files. They know
//! nothing of questions.

pub(crate) mod architectures;
pub mod components;
pub(crate) mod data;
pub(crate) mod designs;
pub(crate) mod nets;
pub mod protocols;
pub(crate) mod specifications;
