//! Modules explored by running them: verdicts, failure messages, conformance, replays.

mod asking;
mod letter;
mod mutants;
mod random;
