//! The command as a user meets it: run in a fresh folder, everything it prints compared.
#![allow(clippy::disallowed_methods)] // runs the command on test data

mod architectures;
mod bad_input;
mod checking;
mod components;
mod conformance;
mod engines;
mod folder;
mod frames;
mod generation;
mod lint;
mod mended;
mod mended_answers;
mod mended_places;
mod models;
mod outputs;
mod pages;
mod pictures;
mod promises;
mod protocols;
mod reduction;
mod roles;
mod streams;
mod suites;
mod tools;
