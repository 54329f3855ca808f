//! IS with a master and workers: the keys travel to the workers, who count them, and back.
//!
//! Moving a part moves two pointers. The master owns all keys between two rounds, changes two of them
//! and adds up the counts.

use std::mem;
use std::thread;

use super::{Answer, Part, Problem, ranking};
use crate::link::{Broken, Group, MasterLink, WorkerLink, Workers, call, count, dismiss, serve};
use crate::partition::deal;

/// The workers of IS.
pub enum Counting {}

impl Group for Counting {
    type Work = Part;
    type Done = Part;
}

/// Solves the problem with a worker per link.
///
/// # Errors
/// When a link is broken.
pub fn solve<L>(
    problem: Problem,
    mut link: impl MasterLink<Counting>,
    links: Vec<L>,
) -> Result<Answer, Broken>
where
    L: WorkerLink<Counting> + Send,
{
    let workers = count(&links)?;
    thread::scope(|scope| {
        for mut link in links {
            scope.spawn(move || worker(&mut link));
        }
        master(&mut link, workers, problem)
    })
}

/// The master's part.
///
/// # Errors
/// When a link is broken.
pub fn master(
    link: &mut impl MasterLink<Counting>,
    workers: Workers,
    problem: Problem,
) -> Result<Answer, Broken> {
    let Problem { keys, key_bound, probes } = problem;
    let parts = deal(keys, workers).map(|keys| Part::new(keys, key_bound)).collect();
    let answer = ranking::solve(parts, key_bound, &probes, |parts| {
        *parts = call(link, mem::take(parts))?;
        Ok(())
    })?;
    dismiss(link, workers)?;
    Ok(answer)
}

/// A worker's part.
///
/// # Errors
/// When the link is broken.
pub fn worker(link: &mut impl WorkerLink<Counting>) -> Result<(), Broken> {
    serve(link, |mut part| {
        part.count();
        part
    })
}
