//! Every format on small stories, and all formats on random ones.

mod fixture;
mod graphs;
mod random;
mod sequences;
mod stories;
mod verdicts;
