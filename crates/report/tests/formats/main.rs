//! Every format on small stories, and all formats on random ones.

mod fixture;
mod graphs;
mod outlines;
mod random;
mod sequences;
mod stories;
mod verdicts;
