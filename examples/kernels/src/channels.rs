//! Links written by hand: a pair of bounded channels between the master and each worker.
//!
//! Nothing here enforces the order of messages; that the kernels keep it is up to them.

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

/// The ends of a group: the master's, and one per worker.
pub fn connect<G: Group>(workers: Workers) -> (MasterChannels<G>, Vec<WorkerChannel<G>>) {
    let mut master = MasterChannels { requests: Vec::new(), replies: Vec::new() };
    let workers = (0..workers.get()).map(|_| {
        let (request_sender, requests) = bounded(1);
        let (replies, reply_receiver) = bounded(1);
        master.requests.push(request_sender);
        master.replies.push(reply_receiver);
        WorkerChannel { requests, replies }
    });
    let workers = workers.collect();
    (master, workers)
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
            let (mut link, links) = connect::<Doubling>(workers);
            for mut link in links {
                let stays = stay.next() == Some(true);
                scope.spawn(move || if stays { serve(&mut link, |n| 2 * n) } else { Ok(()) });
            }
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
