//! MG with a master and four groups of workers, one per operator.
//!
//! The planes to write travel to the workers and back; the grids to read are shared for one round. Every
//! grid is divided, also the coarse ones, where most workers get no plane and reply at once.

use std::mem;
use std::sync::Arc;
use std::thread;

use super::cycle::{self, Operators};
use super::{Answer, Grid, Plane, Problem, operators};
use crate::link::{Broken, Group, MasterLink, WorkerLink, Workers, call, count, dismiss, serve};
use crate::partition::{blocks, deal};

/// The workers that interpolate from a coarse to a fine grid.
pub enum Interp {}
/// The workers that smooth.
pub enum Psinv {}
/// The workers that restrict from a fine to a coarse grid.
pub enum Rprj {}
/// The workers that compute residuals.
pub enum Resid {}

/// What to read, and consecutive planes to write.
#[derive(Clone, Debug, Default)]
pub struct Work<Input> {
    input: Input,
    /// The index of the first of the planes in its grid.
    first: usize,
    planes: Vec<Plane>,
}

/// What a residual is made of.
#[derive(Clone, Debug, Default)]
pub struct Equation {
    u: Arc<Grid>,
    v: Option<Arc<Grid>>,
}

/// Work of those who read one grid.
pub type Reading = Work<Arc<Grid>>;
/// Work of those who compute residuals.
pub type Residual = Work<Equation>;
/// What workers have written.
pub type Planes = Vec<Plane>;

impl Group for Interp {
    type Work = Reading;
    type Done = Planes;
}

impl Group for Psinv {
    type Work = Reading;
    type Done = Planes;
}

impl Group for Rprj {
    type Work = Reading;
    type Done = Planes;
}

impl Group for Resid {
    type Work = Residual;
    type Done = Planes;
}

/// Links to all four groups.
pub trait Link:
    MasterLink<Interp> + MasterLink<Psinv> + MasterLink<Rprj> + MasterLink<Resid>
{
}

impl<L> Link for L where
    L: MasterLink<Interp> + MasterLink<Psinv> + MasterLink<Rprj> + MasterLink<Resid>
{
}

/// The links of the workers of all four groups.
pub struct Links<I, P, J, R> {
    /// Of the workers that interpolate.
    pub interp: Vec<I>,
    /// Of the workers that smooth.
    pub psinv: Vec<P>,
    /// Of the workers that restrict.
    pub rprj: Vec<J>,
    /// Of the workers that compute residuals.
    pub resid: Vec<R>,
}

/// Solves the problem with a worker per link.
///
/// # Errors
/// When a link is broken.
pub fn solve<I, P, J, R>(
    problem: Problem,
    mut link: impl Link,
    links: Links<I, P, J, R>,
) -> Result<Answer, Broken>
where
    I: WorkerLink<Interp> + Send,
    P: WorkerLink<Psinv> + Send,
    J: WorkerLink<Rprj> + Send,
    R: WorkerLink<Resid> + Send,
{
    let workers = count(&links.resid)?;
    thread::scope(|scope| {
        for mut link in links.interp {
            scope.spawn(move || interp_worker(&mut link));
        }
        for mut link in links.psinv {
            scope.spawn(move || psinv_worker(&mut link));
        }
        for mut link in links.rprj {
            scope.spawn(move || rprj_worker(&mut link));
        }
        for mut link in links.resid {
            scope.spawn(move || resid_worker(&mut link));
        }
        master(&mut link, workers, problem)
    })
}

/// The master's part.
///
/// # Errors
/// When a link is broken.
pub fn master<L: Link>(link: &mut L, workers: Workers, problem: Problem) -> Result<Answer, Broken> {
    let answer = cycle::solve(problem, &mut Master { link, workers })?;
    dismiss::<Interp>(link, workers)?;
    dismiss::<Psinv>(link, workers)?;
    dismiss::<Rprj>(link, workers)?;
    dismiss::<Resid>(link, workers)?;
    Ok(answer)
}

/// A worker that interpolates.
///
/// # Errors
/// When the link is broken.
pub fn interp_worker(link: &mut impl WorkerLink<Interp>) -> Result<(), Broken> {
    serve(link, |Work { input, first, mut planes }| {
        operators::interp(&input, first, &mut planes);
        planes
    })
}

/// A worker that smooths.
///
/// # Errors
/// When the link is broken.
pub fn psinv_worker(link: &mut impl WorkerLink<Psinv>) -> Result<(), Broken> {
    serve(link, |Work { input, first, mut planes }| {
        operators::psinv(&input, first, &mut planes);
        planes
    })
}

/// A worker that restricts.
///
/// # Errors
/// When the link is broken.
pub fn rprj_worker(link: &mut impl WorkerLink<Rprj>) -> Result<(), Broken> {
    serve(link, |Work { input, first, mut planes }| {
        operators::rprj(&input, first, &mut planes);
        planes
    })
}

/// A worker that computes residuals.
///
/// # Errors
/// When the link is broken.
pub fn resid_worker(link: &mut impl WorkerLink<Resid>) -> Result<(), Broken> {
    serve(link, |Work { input, first, mut planes }| {
        operators::resid(&input.u, input.v.as_deref(), first, &mut planes);
        planes
    })
}

/// Lets workers apply the operators.
struct Master<'a, L> {
    link: &'a mut L,
    workers: Workers,
}

impl<L> Master<'_, L> {
    /// One round of a group: all read `input`, each writes its planes of `output`.
    fn round<G, Input>(&mut self, input: &Input, output: &mut Grid) -> Result<(), Broken>
    where
        L: MasterLink<G>,
        G: Group<Work = Work<Input>, Done = Planes>,
        Input: Clone,
    {
        let starts = blocks(output.n(), self.workers).map(|planes| planes.start);
        let parts = deal(mem::take(&mut output.planes), self.workers);
        let works =
            starts.zip(parts).map(|(first, planes)| Work { input: input.clone(), first, planes });
        output.planes = call::<G>(self.link, works)?.into_iter().flatten().collect();
        Ok(())
    }
}

impl<L: Link> Operators for Master<'_, L> {
    type Error = Broken;

    fn resid(
        &mut self,
        u: &mut Grid,
        mut v: Option<&mut Grid>,
        r: &mut Grid,
    ) -> Result<(), Broken> {
        let shared_v = v.as_deref_mut().map(share);
        let equation = Equation { u: share(u), v: shared_v };
        self.round::<Resid, _>(&equation, r)?;
        *u = Arc::unwrap_or_clone(equation.u);
        if let (Some(v), Some(shared)) = (v, equation.v) {
            *v = Arc::unwrap_or_clone(shared);
        }
        Ok(())
    }

    fn psinv(&mut self, r: &mut Grid, u: &mut Grid) -> Result<(), Broken> {
        let shared = share(r);
        self.round::<Psinv, _>(&shared, u)?;
        *r = Arc::unwrap_or_clone(shared);
        Ok(())
    }

    fn rprj(&mut self, fine: &mut Grid, coarse: &mut Grid) -> Result<(), Broken> {
        let shared = share(fine);
        self.round::<Rprj, _>(&shared, coarse)?;
        *fine = Arc::unwrap_or_clone(shared);
        Ok(())
    }

    fn interp(&mut self, coarse: &mut Grid, fine: &mut Grid) -> Result<(), Broken> {
        let shared = share(coarse);
        self.round::<Interp, _>(&shared, fine)?;
        *coarse = Arc::unwrap_or_clone(shared);
        Ok(())
    }
}

/// Takes a grid, to be put back when nobody reads it any more.
fn share(grid: &mut Grid) -> Arc<Grid> {
    Arc::new(mem::take(grid))
}
