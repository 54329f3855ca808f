//! Clusters whose processes are threads with connections of their own, against searches of one process.
//! What only real processes can do (be killed, be stopped) is in the tests of the command.
#![allow(clippy::disallowed_methods)] // opens connections, spoils files

mod answers;
mod faults;
mod numbered;

use std::net::TcpListener;
use std::ops::ControlFlow;
use std::time::Duration;

use quadrille_cluster::{Hosts, Node, Secret, Told, Work};
use quadrille_engine::disk::{Identity, RunStore};
use quadrille_engine::{Error, Limits, Progress, Property};
use quadrille_model::{Bound, Model};

/// What all processes of a cluster have in common.
pub(crate) struct Plan<'a> {
    pub workers: usize,
    pub runs: &'a (dyn Fn(usize) -> RunStore + Sync),
    pub limits: Limits,
    pub patience: Duration,
    pub identity: &'a (dyn Fn(usize) -> Identity + Sync),
    pub secret: &'a (dyn Fn(usize) -> Vec<u8> + Sync),
    /// Is told that a worker of a process hangs.
    pub hangs: &'a (dyn Fn(usize) + Sync),
    pub observer: &'a (dyn Fn(usize, &Progress) -> ControlFlow<Bound> + Sync),
}

impl Default for Plan<'_> {
    fn default() -> Self {
        Self {
            workers: 1,
            runs: &|_| RunStore::Memory,
            limits: Limits::default(),
            patience: Duration::from_secs(10),
            identity: &|_| Identity::default(),
            secret: &|_| b"known to all of the cluster".to_vec(),
            hangs: &|_| (),
            observer: &|_, _| ControlFlow::Continue(()),
        }
    }
}

/// What processes with these models answer, each by itself.
pub(crate) fn together<M: Model>(
    models: &[&M],
    plan: &Plan<'_>,
    asked: &(dyn for<'m> Fn(&'m M) -> Vec<Property<'m>> + Sync),
) -> Vec<Result<Told, Error>> {
    let bind = |_| TcpListener::bind("127.0.0.1:0").expect("a port");
    let listeners: Vec<TcpListener> = (0..models.len()).map(bind).collect();
    let port = |listener: &TcpListener| listener.local_addr().expect("an address").port();
    let hosts = Hosts::local(&listeners.iter().map(port).collect::<Vec<u16>>());
    std::thread::scope(|scope| {
        let processes = models.iter().zip(listeners).enumerate();
        let processes = processes.map(|(process, (&model, listener))| {
            let hosts = hosts.clone();
            scope.spawn(move || {
                let secret = Secret::new((plan.secret)(process)).expect("long enough");
                let place = (hosts, process, plan.workers);
                let node = Node::listening(listener, place, secret, plan.patience);
                let (runs, identity) = ((plan.runs)(process), (plan.identity)(process));
                let properties = || asked(model);
                let work = Work {
                    model,
                    properties: &properties,
                    runs: &runs,
                    identity: &identity,
                    limits: plan.limits,
                    tell: &|_| (),
                    hangs: &|_| (plan.hangs)(process),
                };
                node.search(&work, &mut |progress| (plan.observer)(process, progress))
            })
        });
        let processes: Vec<_> = processes.collect();
        processes.into_iter().map(|it| it.join().expect("no panic")).collect()
    })
}
