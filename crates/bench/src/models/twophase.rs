//! Two-phase commit, after Lamport's TwoPhase.

use quadrille_model::{Automaton, Network, Template};

use super::{Parts, local};

/// A transaction manager and `n` resource managers. Messages are never taken away: "prepared" of a
/// resource manager is a participant that goes from silent to said to heard, "commit" and "abort"
/// are the transaction manager's own state. As in the specification, a message can be received
/// again to no effect, and those steps count.
pub fn twophase(n: usize) -> Network {
    let mut parts = Parts::default();
    let manager = parts.participant(Automaton::new("manager", ["init", "committed", "aborted"]));
    let [init, commit, abort] = [0, 1, 2].map(local);
    let [working, prepared, committed, aborted] = [0, 1, 2, 3].map(local);
    let [silent, said, heard] = [0, 1, 2].map(local);
    let mut decide = Template::new("commit").step(manager, init, commit);
    for i in 0..n {
        let states = ["working", "prepared", "committed", "aborted"];
        let resource = parts.participant(Automaton::new(format!("resource {i}"), states));
        let message =
            parts.participant(Automaton::new(format!("prepared {i}"), ["silent", "said", "heard"]));
        let template = |label: &str| Template::new(format!("{label} {i}"));
        decide = decide.when(message, [heard]);
        parts.template(
            template("hear")
                .when(manager, [init])
                .when(message, [said, heard])
                .becomes(message, [heard]),
        );
        parts.template(
            template("prepare").step(resource, working, prepared).step(message, silent, said),
        );
        parts.template(template("choose to abort").step(resource, working, aborted));
        parts.template(
            template("obey commit").when(manager, [commit]).becomes(resource, [committed]),
        );
        parts.template(template("obey abort").when(manager, [abort]).becomes(resource, [aborted]));
    }
    parts.template(decide);
    parts.template(Template::new("abort").step(manager, init, abort));
    parts.build()
}
