//! CG with a master and workers: each worker keeps a block of rows and multiplies it with vectors it is sent.
//!
//! A vector is shared while it is multiplied; the blocks of the product travel to the workers and back.

use std::mem;
use std::sync::Arc;
use std::thread;

use super::{Answer, Matrix, Problem, iteration};
use crate::link::{Broken, Group, MasterLink, WorkerLink, Workers, call, count, dismiss, serve};
use crate::partition::blocks;

/// The workers of CG.
pub enum Multiplication {}

/// A worker's block of a product.
pub type Product = Vec<f64>;

/// A vector to multiply, and where to put the worker's block of the product.
#[derive(Clone, Debug, Default)]
pub struct Work {
    vector: Arc<Vec<f64>>,
    product: Product,
}

impl Group for Multiplication {
    type Work = Work;
    type Done = Product;
}

/// Solves the problem with a worker per link.
///
/// # Errors
/// When a link is broken.
pub fn solve<L>(
    problem: Problem,
    mut link: impl MasterLink<Multiplication>,
    links: Vec<L>,
) -> Result<Answer, Broken>
where
    L: WorkerLink<Multiplication> + Send,
{
    let Problem { matrix, iterations, shift } = problem;
    let workers = count(&links)?;
    thread::scope(|scope| {
        for (mut link, rows) in links.into_iter().zip(blocks(matrix.height(), workers)) {
            let block = matrix.rows(rows);
            scope.spawn(move || worker(&mut link, &block));
        }
        master(&mut link, workers, matrix.height(), iterations, shift)
    })
}

/// The master's part, for a matrix of order `n`.
///
/// # Errors
/// When a link is broken.
pub fn master(
    link: &mut impl MasterLink<Multiplication>,
    workers: Workers,
    n: usize,
    iterations: usize,
    shift: f64,
) -> Result<Answer, Broken> {
    let product = blocks(n, workers).map(|rows| vec![0.0; rows.len()]).collect();
    let answer = iteration::solve(n, iterations, shift, product, |vector, product| {
        let shared = Arc::new(mem::take(vector));
        let works = product.drain(..).map(|product| Work { vector: Arc::clone(&shared), product });
        *product = call(link, works.collect::<Vec<_>>())?;
        *vector = Arc::unwrap_or_clone(shared);
        Ok(())
    })?;
    dismiss(link, workers)?;
    Ok(answer)
}

/// A worker's part.
///
/// # Errors
/// When the link is broken.
pub fn worker(link: &mut impl WorkerLink<Multiplication>, block: &Matrix) -> Result<(), Broken> {
    serve(link, |Work { vector, mut product }| {
        block.multiply(&vector, &mut product);
        product
    })
}
