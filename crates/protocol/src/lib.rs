//! Protocols: who may send what to whom, in which order. One small calculus ([`core`]) gives every
//! protocol language its meaning as a [`Model`](quadrille_model::Model).
//! This crate knows no engine and reads no file.
#![forbid(unsafe_code)]

pub mod core;
pub mod monitor;
pub mod owl;
pub mod project;
