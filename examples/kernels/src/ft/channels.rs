//! FT over channels written by hand: the master has a pair of them for each worker of both groups.

use super::parallel::{self, Evolve, Fft};
use super::{Answer, Problem};
use crate::channels::{self, MasterChannels};
use crate::link::{Broken, MasterLink, Reply, Request, Worker, Workers};

/// The master's ends.
struct Channels {
    evolve: MasterChannels<Evolve>,
    fft: MasterChannels<Fft>,
}

/// Solves the problem over channels.
pub(super) fn solve(problem: Problem, workers: Workers) -> Result<Answer, Broken> {
    let (to_evolve, evolve) = channels::connect(workers);
    let (to_fft, fft) = channels::connect(workers);
    parallel::solve(problem, Channels { evolve: to_evolve, fft: to_fft }, evolve, fft)
}

impl MasterLink<Evolve> for Channels {
    fn send(&mut self, to: Worker, request: Request<Evolve>) -> Result<(), Broken> {
        self.evolve.send(to, request)
    }

    fn receive(&mut self, from: Worker) -> Result<Reply<Evolve>, Broken> {
        self.evolve.receive(from)
    }
}

impl MasterLink<Fft> for Channels {
    fn send(&mut self, to: Worker, request: Request<Fft>) -> Result<(), Broken> {
        self.fft.send(to, request)
    }

    fn receive(&mut self, from: Worker) -> Result<Reply<Fft>, Broken> {
        self.fft.receive(from)
    }
}
