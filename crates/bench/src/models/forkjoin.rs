//! A master hands out work and collects the answers.

use quadrille_model::{Automaton, Channel, MessageId, Network, Predicate, Template};

use super::{Parts, local};

/// A master puts a task into each of `n` workers' one-place queues in index order; a worker takes
/// it, works, and answers into a one-place queue of its own, a step each; the master takes the
/// answers in index order and joins, for ever. The workers can be at most one round apart, which
/// gives (5·4ⁿ − 2) / 3 states. Proposition `joined`: all answers are in.
pub fn forkjoin(n: usize) -> Network {
    let mut parts = Parts::default();
    let steps = (0..n).map(|i| format!("gives {i}"));
    let steps = steps.chain((0..n).map(|i| format!("awaits {i}"))).chain(["joined".to_owned()]);
    let master = parts.participant(Automaton::new("master", steps));
    let message = MessageId::new(0);
    for i in 0..n {
        let stages = ["idle", "busy", "done"];
        let worker = parts.participant(Automaton::new(format!("worker {i}"), stages));
        let tasks = parts.channel(Channel::new(format!("task {i}"), 1, ["task"]));
        let answers = parts.channel(Channel::new(format!("answer {i}"), 1, ["answer"]));
        let template = |label: &str| Template::new(format!("{label} {i}"));
        parts.template(template("give").step(master, local(i), local(i + 1)).send(tasks, message));
        parts.template(template("take").step(worker, local(0), local(1)).receive(tasks, message));
        parts.template(template("work").step(worker, local(1), local(2)));
        parts.template(template("answer").step(worker, local(2), local(0)).send(answers, message));
        parts.template(
            template("collect")
                .step(master, local(n + i), local(n + i + 1))
                .receive(answers, message),
        );
    }
    parts.template(Template::new("join").step(master, local(2 * n), local(0)));
    parts.proposition("joined", Predicate::In(master, [2 * n as u32].into_iter().collect()));
    parts.build()
}
