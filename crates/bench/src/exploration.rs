//! How fast modules are explored by running them: a fork/join, written down as the plan that a generated module
//! would hold.

use std::borrow::Cow;
use std::io;

use quadrille_engine::{Config, check, unobserved};
use quadrille_runtime::plan::{
    Act, ActId, Edge, Kind, LabelId, Local, LocalId, LocalState, Packet, PacketId, Plan, Queue,
    RoleId,
};
use quadrille_runtime::{Exploration, Form, Module, Payload, Sample};

use crate::cpu::{Whose, measure};

/// A message that is only a label.
#[derive(Clone, Copy, Debug)]
pub struct Bare(LabelId);

impl Payload for Bare {
    fn label(&self) -> Option<LabelId> {
        Some(self.0)
    }
}

impl Sample for Bare {
    fn sample(label: LabelId) -> Option<Self> {
        Some(Self(label))
    }
}

/// What an exploration took.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figures {
    /// States met.
    pub states: u64,
    /// Steps tried that went through.
    pub transitions: u64,
    /// CPU time.
    pub seconds: f64,
}

/// Explores the liberal form of a fork/join with `n` workers by running it, several times.
///
/// # Panics
/// If the module misbehaves.
pub fn explore_fork_join(n: u32, n_runs: usize) -> io::Result<Figures> {
    let module = Module::<Bare>::new(&fork_join(n), Form::Liberal).expect("a good plan");
    let (seconds, counts) = measure(Whose::Own, n_runs, || {
        let exploration = Exploration::new(&module);
        let found = check(&exploration, &[], Config::default(), &mut unobserved);
        assert_eq!(exploration.faults(), []);
        Ok(found.map_err(io::Error::other)?.counts)
    })?;
    assert_eq!(counts.states, 5u64.pow(n), "each worker is in one of five stages");
    Ok(Figures { states: counts.states, transitions: counts.transitions, seconds })
}

/// A master gives a task to each of `n` workers and takes an answer from each, in any order; the liberal form
/// alone. A worker's part has five stages, so there are 5ⁿ states.
pub fn fork_join(n: u32) -> Plan {
    let master = RoleId(0);
    let worker = |number: u32| RoleId(number as u16 + 1);
    let (task, answer) = (LabelId(0), LabelId(1));
    let mut acts = Vec::new();
    for number in 0..n {
        let name = |verb: &str| format!("{verb} worker[{number}]");
        let parts = [
            (Kind::Send, master, worker(number), task, format!("master sends {}", name("Task to"))),
            (Kind::Receive, master, worker(number), task, name("Task is received by")),
            (Kind::Send, worker(number), master, answer, name("Answer is sent by")),
            (Kind::Receive, worker(number), master, answer, name("master receives Answer from")),
        ];
        acts.extend(parts.map(|(kind, from, to, label, text)| Act {
            kind,
            from,
            to: vec![to].into(),
            label: Some(label),
            text: Cow::Owned(text),
        }));
    }
    let edge = |act: u32, packet: u32, to: u32| Edge {
        act: ActId(act),
        packet: Some(PacketId(packet)),
        to: LocalId(to),
    };
    // A digit to the base of three says how far the master is with a worker.
    let master_state = |state: u32| {
        let edges = (0..n).filter_map(|number| {
            let digit = 3u32.pow(number);
            match state / digit % 3 {
                0 => Some(edge(4 * number, 2 * number, state + digit)),
                1 => Some(edge(4 * number + 3, 2 * number + 1, state + digit)),
                _ => None,
            }
        });
        LocalState { edges: edges.collect(), may_end: state + 1 == 3u32.pow(n) }
    };
    let worker_states = |number: u32| {
        let step = |act, packet, to| LocalState {
            edges: vec![edge(4 * number + act, 2 * number + packet, to)].into(),
            may_end: false,
        };
        let end = LocalState { edges: Cow::Borrowed(&[]), may_end: true };
        Local { states: vec![step(1, 0, 1), step(2, 1, 2), end].into() }
    };
    let master_states = Local { states: (0..3u32.pow(n)).map(master_state).collect() };
    let queue = |from, to| Queue { from: Some(from), to, capacity: 1, suffices: true };
    let workers = (0..n).map(|number| Cow::Owned(format!("worker[{number}]")));
    Plan {
        protocol: Cow::Owned(format!("fork_join({n})")),
        roles: std::iter::once(Cow::Borrowed("master")).chain(workers).collect(),
        labels: vec![Cow::Borrowed("Task"), Cow::Borrowed("Answer")].into(),
        acts: acts.into(),
        strict: Cow::Borrowed(&[]),
        locals: std::iter::once(master_states).chain((0..n).map(worker_states)).collect(),
        packets: (0..n)
            .flat_map(|number| [4 * number, 4 * number + 2])
            .map(|act| Packet { act: ActId(act), variant: 0 })
            .collect(),
        queues: (0..n)
            .flat_map(|number| [queue(master, worker(number)), queue(worker(number), master)])
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_fork_join_has_all_its_states() {
        let figures = explore_fork_join(4, 1).expect("a clock");
        let Figures { states, transitions, .. } = figures;
        assert_eq!((states, transitions), (625, 4 * 4 * 125));
    }
}
