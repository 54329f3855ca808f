//! Links written by hand: a pair of bounded channels between the master and each worker.
//!
//! Nothing here enforces the order of messages; that the kernels keep it is up to them.

use std::thread::Scope;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::link::{Broken, Group, MasterLink, Reply, Request, Worker, WorkerLink, Workers};

/// The master's channels to and from one group.
pub struct MasterChannels<G: Group> {
    requests: Vec<Sender<Request<G>>>,
    replies: Vec<Receiver<Reply<G>>>,
}

/// A worker's channels from and to the master.
pub struct WorkerChannel<G: Group> {
    requests: Receiver<Request<G>>,
    replies: Sender<Reply<G>>,
}

impl<G: Group> MasterLink<G> for MasterChannels<G> {
    fn send(&mut self, to: Worker, request: Request<G>) -> Result<(), Broken> {
        self.requests[to.0].send(request).map_err(|_| Broken(format!("worker {} is gone", to.0)))
    }

    fn receive(&mut self, from: Worker) -> Result<Reply<G>, Broken> {
        self.replies[from.0].recv().map_err(|_| Broken(format!("worker {} is gone", from.0)))
    }
}

impl<G: Group> WorkerLink<G> for WorkerChannel<G> {
    fn receive(&mut self) -> Result<Request<G>, Broken> {
        self.requests.recv().map_err(|_| Broken("the master is gone".into()))
    }

    fn send(&mut self, reply: Reply<G>) -> Result<(), Broken> {
        self.replies.send(reply).map_err(|_| Broken("the master is gone".into()))
    }
}

/// Starts a group: one thread per worker, each does what `worker` makes of its channels.
///
/// A worker whose link breaks just ends; the master meets the other end of the same break.
pub fn start<'scope, G, W>(
    scope: &'scope Scope<'scope, '_>,
    workers: Workers,
    mut worker: impl FnMut(WorkerChannel<G>) -> W,
) -> MasterChannels<G>
where
    G: Group,
    W: FnOnce() -> Result<(), Broken> + Send + 'scope,
{
    let (requests, replies) = (0..workers.get())
        .map(|_| {
            let (request_sender, requests) = bounded(1);
            let (replies, reply_receiver) = bounded(1);
            scope.spawn(worker(WorkerChannel { requests, replies }));
            (request_sender, reply_receiver)
        })
        .unzip();
    MasterChannels { requests, replies }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::link::{call, dismiss, serve};

    enum Doubling {}

    impl Group for Doubling {
        type Work = u32;
        type Done = u32;
    }

    /// What the master sees of one round and the dismissal of three workers, each of which stays or leaves at once.
    fn run(stay: [bool; 3]) -> Result<Vec<u32>, Broken> {
        let workers = Workers::new(3).expect("not zero");
        let mut stay = stay.into_iter();
        thread::scope(|scope| {
            let mut link = start::<Doubling, _>(scope, workers, |mut link| {
                let stays = stay.next() == Some(true);
                move || if stays { serve(&mut link, |number| 2 * number) } else { Ok(()) }
            });
            let doubled = call(&mut link, [1, 2, 3])?;
            dismiss(&mut link, workers)?;
            Ok(doubled)
        })
    }

    #[test]
    fn replies_come_in_the_order_of_the_workers() {
        assert_eq!(run([true; 3]), Ok(vec![2, 4, 6]));
    }

    #[test]
    fn a_worker_that_leaves_is_an_error_of_the_master_and_nobody_hangs() {
        assert_eq!(run([true, false, true]), Err(Broken("worker 1 is gone".into())));
    }
}
