//! Machines and roles, on plans made of protocols. One binary, a file per topic.
#![allow(clippy::disallowed_methods)] // watchdogs need a clock

mod event;
mod failures;
mod queue;
mod support;
mod talk;
