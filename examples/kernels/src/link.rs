//! The seam between a kernel and what carries its messages.
//!
//! A kernel is a master and one or more groups of workers. It is written against [`MasterLink`] and
//! [`WorkerLink`] and does not know what is behind them: hand-written channels (`channels.rs`), or a
//! module generated from a protocol. One link carries all groups of a master, because a generated
//! module gives the master one handle.
//!
//! The order of messages is the same in every kernel, and is all in [`call`], [`dismiss`] and [`serve`]:
//! any number of rounds in which the master sends work to each worker of a group and then takes the
//! reply of each; at the end an exit for each worker, which it acknowledges.

use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;

/// How many workers a group has.
pub type Workers = NonZeroUsize;

/// Which worker of its group, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worker(pub usize);

/// A kind of worker: what it is given and what it gives back.
pub trait Group {
    /// What one request carries. Bulk data moves with it.
    type Work: Send;
    /// What the reply carries.
    type Done: Send;
}

/// What a master sends to a worker of group `G`.
pub enum Request<G: Group> {
    /// Do this and reply.
    Work(G::Work),
    /// Reply for the last time and end.
    Exit,
}

/// What a worker of group `G` replies.
pub enum Reply<G: Group> {
    /// The work is done.
    Done(G::Done),
    /// The exit was understood.
    Exited,
}

/// The master's end of its links to the workers of group `G`.
pub trait MasterLink<G: Group> {
    /// Hands a request to a worker.
    ///
    /// # Errors
    /// When the worker is gone.
    fn send(&mut self, to: Worker, request: Request<G>) -> Result<(), Broken>;

    /// Waits for the reply of a worker.
    ///
    /// # Errors
    /// When the worker is gone.
    fn receive(&mut self, from: Worker) -> Result<Reply<G>, Broken>;
}

/// A worker's end of its link to the master.
pub trait WorkerLink<G: Group> {
    /// Waits for the next request.
    ///
    /// # Errors
    /// When the master is gone.
    fn receive(&mut self) -> Result<Request<G>, Broken>;

    /// Replies to the last request.
    ///
    /// # Errors
    /// When the master is gone.
    fn send(&mut self, reply: Reply<G>) -> Result<(), Broken>;
}

/// A link does not work any more: the other end is gone or broke the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

impl Broken {
    /// Modules are made for some numbers of workers only.
    pub fn no_module() -> Broken {
        Broken("there is no module for so many workers".into())
    }

    /// An error of what carries the messages.
    pub fn because(error: impl Error) -> Broken {
        Broken(error.to_string())
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Broken {}

/// How many workers there are.
///
/// # Errors
/// When there is none.
pub fn count<L>(links: &[L]) -> Result<Workers, Broken> {
    Workers::new(links.len()).ok_or_else(|| Broken("there are no workers".into()))
}

/// One round of the master: work for worker 0, 1, … of the group, then their replies in the same order.
///
/// # Errors
/// When a link is broken.
pub fn call<G: Group>(
    link: &mut impl MasterLink<G>,
    works: impl IntoIterator<Item = G::Work>,
) -> Result<Vec<G::Done>, Broken> {
    let mut sent = 0;
    for work in works {
        link.send(Worker(sent), Request::Work(work))?;
        sent += 1;
    }
    (0..sent)
        .map(|worker| match link.receive(Worker(worker))? {
            Reply::Done(done) => Ok(done),
            Reply::Exited => Err(Broken(format!("worker {worker} left in the middle of its work"))),
        })
        .collect()
}

/// The end of a group: an exit for each worker, which acknowledges it.
///
/// # Errors
/// When a link is broken.
pub fn dismiss<G: Group>(link: &mut impl MasterLink<G>, workers: Workers) -> Result<(), Broken> {
    for worker in 0..workers.get() {
        link.send(Worker(worker), Request::Exit)?;
        match link.receive(Worker(worker))? {
            Reply::Exited => {}
            Reply::Done(_) => {
                return Err(Broken(format!("worker {worker} worked on after its exit")));
            }
        }
    }
    Ok(())
}

/// The life of a worker: `work` for each request, until the exit.
///
/// What `work` was given is gone before the reply is sent, so that the master is again the only owner
/// of what it shared.
///
/// # Errors
/// When the link is broken.
pub fn serve<G: Group>(
    link: &mut impl WorkerLink<G>,
    mut work: impl FnMut(G::Work) -> G::Done,
) -> Result<(), Broken> {
    loop {
        match link.receive()? {
            Request::Work(request) => link.send(Reply::Done(work(request)))?,
            Request::Exit => return link.send(Reply::Exited),
        }
    }
}
