//! Machines and roles, on plans made of protocols. One binary, a file per topic.
#![allow(clippy::disallowed_methods)] // watchdogs need a clock

mod asynchronous;
mod explore;
mod failures;
mod giving_up;
mod naive;
mod network;
mod plans;
mod queue;
mod serving;
mod structures;
mod support;
mod talk;
mod tcp;
mod threads;
