//! Processes, what connects them, and queueing systems whose figures are known.

mod connections;
mod processes;
mod scenario;
mod theory;
