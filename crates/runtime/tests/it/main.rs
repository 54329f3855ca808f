//! Machines and roles, on plans made of protocols. One binary, a file per topic.
#![allow(clippy::disallowed_methods)] // watchdogs need a clock

mod failures;
mod support;
mod talk;
