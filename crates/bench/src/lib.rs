//! Named workloads whose counts are known, and comparisons with the peers found on the machine.
//!
//! [`workloads`] are the models of the engine's table, each with the same model in Promela;
//! [`engine::run`] measures them and prints the table, [`scale::run`] large ones by sets of states and on several cores,
//! [`reach::run`] estimates and linear time; [`components::run`] does so for components,
//! [`modules::run`] for generated modules, which [`stress::run`] also tires and [`kernels::run`] puts to work, [`environments::run`] for simulation,
//! [`programs::run`] for real threads, [`crates::run`] for the tests of published crates, [`relational::run`] for designs. This crate reads clocks and starts processes; nothing else of Quadrille depends on it but the chores.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)] // it measures, and says so

pub mod beyond;
mod chosen;
pub mod components;
mod cpu;
pub mod crates;
pub mod engine;
pub mod environments;
mod fewer;
pub mod generated;
pub mod kernels;
mod line;
pub mod models;
pub mod modules;
pub mod petri;
pub mod programs;
pub mod reach;
pub mod relational;
pub mod scale;
pub mod specifications;
mod spin;
pub mod stress;
mod table;
mod workers;
mod workload;

pub use workload::{Known, Liveness, Promela, Promise, Workload, workloads};
