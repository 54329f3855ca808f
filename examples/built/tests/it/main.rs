//! The auction in one process and in several.

mod auction;
mod network;
