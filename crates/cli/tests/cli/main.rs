//! The command as a user meets it: run in a fresh folder, everything it prints compared.
#![allow(clippy::disallowed_methods)] // runs the command on test data

mod alloy;
mod architectures;
mod bad_input;
mod beyond;
mod bounded;
mod checking;
mod cluster;
mod components;
mod conformance;
mod designs;
mod engines;
mod folder;
mod frames;
mod generation;
mod lint;
mod mended;
mod mended_answers;
mod mended_places;
mod models;
mod nets;
mod outputs;
mod pages;
mod pictures;
mod promela;
mod promises;
mod protocols;
mod reach;
mod reduction;
mod roles;
mod stepping;
mod streams;
mod suites;
mod tools;
