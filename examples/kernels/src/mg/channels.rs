//! MG over channels written by hand: the master has a pair of them for each worker of all four groups.

use super::parallel::{self, Interp, Links, Psinv, Resid, Rprj};
use super::{Answer, Problem};
use crate::channels::{self, MasterChannels};
use crate::link::{Broken, MasterLink, Reply, Request, Worker, Workers};

/// The master's ends.
struct Channels {
    interp: MasterChannels<Interp>,
    psinv: MasterChannels<Psinv>,
    rprj: MasterChannels<Rprj>,
    resid: MasterChannels<Resid>,
}

/// Solves the problem over channels.
pub(super) fn solve(problem: Problem, workers: Workers) -> Result<Answer, Broken> {
    let (to_interp, interp) = channels::connect(workers);
    let (to_psinv, psinv) = channels::connect(workers);
    let (to_rprj, rprj) = channels::connect(workers);
    let (to_resid, resid) = channels::connect(workers);
    let link = Channels { interp: to_interp, psinv: to_psinv, rprj: to_rprj, resid: to_resid };
    parallel::solve(problem, link, Links { interp, psinv, rprj, resid })
}

impl MasterLink<Interp> for Channels {
    fn send(&mut self, to: Worker, request: Request<Interp>) -> Result<(), Broken> {
        self.interp.send(to, request)
    }

    fn receive(&mut self, from: Worker) -> Result<Reply<Interp>, Broken> {
        self.interp.receive(from)
    }
}

impl MasterLink<Psinv> for Channels {
    fn send(&mut self, to: Worker, request: Request<Psinv>) -> Result<(), Broken> {
        self.psinv.send(to, request)
    }

    fn receive(&mut self, from: Worker) -> Result<Reply<Psinv>, Broken> {
        self.psinv.receive(from)
    }
}

impl MasterLink<Rprj> for Channels {
    fn send(&mut self, to: Worker, request: Request<Rprj>) -> Result<(), Broken> {
        self.rprj.send(to, request)
    }

    fn receive(&mut self, from: Worker) -> Result<Reply<Rprj>, Broken> {
        self.rprj.receive(from)
    }
}

impl MasterLink<Resid> for Channels {
    fn send(&mut self, to: Worker, request: Request<Resid>) -> Result<(), Broken> {
        self.resid.send(to, request)
    }

    fn receive(&mut self, from: Worker) -> Result<Reply<Resid>, Broken> {
        self.resid.receive(from)
    }
}
