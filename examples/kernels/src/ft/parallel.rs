//! FT with a master and two groups of workers, one for time steps and one for transforms.
//!
//! Slabs travel to the workers and back. Between the halves of a transform everybody reads the slabs of
//! everybody, so the master shares them for one round.

use std::sync::Arc;
use std::thread;

use super::fft::{Buffers, Direction};
use super::{Answer, Equation, Problem, Slab};
use crate::link::{Broken, Group, MasterLink, WorkerLink, Workers, call, count, dismiss, serve};
use crate::partition::blocks;

/// The workers that make time steps.
pub enum Evolve {}

/// A slab in frequencies, and a slab that receives a copy of it one time step later.
#[derive(Clone, Debug, Default)]
pub struct Step {
    frequencies: Slab,
    copy: Slab,
}

impl Group for Evolve {
    type Work = Step;
    type Done = Step;
}

/// The workers that transform.
pub enum Fft {}

/// Half a transform of one slab.
#[derive(Clone, Debug)]
pub enum Half {
    /// Forward along x and y, in place.
    ForwardXy(Slab),
    /// Forward along z, from the field in space.
    ForwardZ(Arc<Vec<Slab>>, Slab),
    /// Back along z, in place.
    InverseZ(Slab),
    /// Back along x and y, from the field in frequencies.
    InverseXy(Arc<Vec<Slab>>, Slab),
}

impl Default for Half {
    fn default() -> Half {
        Half::ForwardXy(Slab::default())
    }
}

impl Group for Fft {
    type Work = Half;
    type Done = Slab;
}

/// Solves the problem with a worker per link.
///
/// # Errors
/// When a link is broken.
pub fn solve<M, E, F>(
    problem: Problem,
    mut link: M,
    evolve: Vec<E>,
    fft: Vec<F>,
) -> Result<Answer, Broken>
where
    M: MasterLink<Evolve> + MasterLink<Fft>,
    E: WorkerLink<Evolve> + Send,
    F: WorkerLink<Fft> + Send,
{
    let equation = Equation::new(problem.shape);
    let equation = &equation;
    let workers = count(&fft)?;
    thread::scope(|scope| {
        for mut link in evolve {
            scope.spawn(move || evolve_worker(&mut link, equation));
        }
        for mut link in fft {
            scope.spawn(move || fft_worker(&mut link, equation));
        }
        master(&mut link, workers, equation, problem)
    })
}

/// The master's part.
///
/// # Errors
/// When a link is broken.
pub fn master<L>(
    link: &mut L,
    workers: Workers,
    equation: &Equation,
    problem: Problem,
) -> Result<Answer, Broken>
where
    L: MasterLink<Evolve> + MasterLink<Fft>,
{
    let Problem { shape, field, steps } = problem;
    let zero = || blocks(shape.y, workers).map(|planes| Slab::zero(planes, shape.x * shape.z));
    let mut values = field.into_iter();
    let space: Vec<Slab> = blocks(shape.z, workers)
        .map(|planes| {
            let len = planes.len() * shape.x * shape.y;
            Slab::new(planes, values.by_ref().take(len).collect())
        })
        .collect();

    let space = call::<Fft>(link, space.into_iter().map(Half::ForwardXy))?;
    let (mut space, mut frequencies) = across(link, Half::ForwardZ, space, zero())?;

    let mut evolved: Vec<Slab> = zero().collect();
    let mut checksums = Vec::with_capacity(steps);
    for _ in 0..steps {
        let works = frequencies.into_iter().zip(evolved);
        let works = works.map(|(frequencies, copy)| Step { frequencies, copy });
        let done = call::<Evolve>(link, works)?;
        (frequencies, evolved) = done.into_iter().map(|step| (step.frequencies, step.copy)).unzip();

        evolved = call::<Fft>(link, evolved.into_iter().map(Half::InverseZ))?;
        (evolved, space) = across(link, Half::InverseXy, evolved, space)?;
        checksums.push(equation.checksum(&space));
    }

    dismiss::<Evolve>(link, workers)?;
    dismiss::<Fft>(link, workers)?;
    Ok(Answer { checksums })
}

/// The second half of a transform, from all slabs of one layout into those of the other. Gives both back.
fn across(
    link: &mut impl MasterLink<Fft>,
    half: fn(Arc<Vec<Slab>>, Slab) -> Half,
    from: Vec<Slab>,
    into: impl IntoIterator<Item = Slab>,
) -> Result<(Vec<Slab>, Vec<Slab>), Broken> {
    let shared = Arc::new(from);
    let into = call::<Fft>(link, into.into_iter().map(|slab| half(Arc::clone(&shared), slab)))?;
    Ok((Arc::unwrap_or_clone(shared), into))
}

/// A worker that makes time steps.
///
/// # Errors
/// When the link is broken.
pub fn evolve_worker(
    link: &mut impl WorkerLink<Evolve>,
    equation: &Equation,
) -> Result<(), Broken> {
    serve(link, |mut step| {
        equation.evolve(&mut step.frequencies, &mut step.copy);
        step
    })
}

/// A worker that transforms.
///
/// # Errors
/// When the link is broken.
pub fn fft_worker(link: &mut impl WorkerLink<Fft>, equation: &Equation) -> Result<(), Broken> {
    let mut buffers = Buffers::default();
    serve(link, |half| match half {
        Half::ForwardXy(mut slab) => {
            equation.transform_xy(Direction::Forward, &mut slab, &mut buffers);
            slab
        }
        Half::ForwardZ(space, mut slab) => {
            equation.finish_forward(&space, &mut slab, &mut buffers);
            slab
        }
        Half::InverseZ(mut slab) => {
            equation.transform_z(Direction::Inverse, &mut slab, &mut buffers);
            slab
        }
        Half::InverseXy(frequencies, mut slab) => {
            equation.finish_inverse(&frequencies, &mut slab, &mut buffers);
            slab
        }
    })
}
