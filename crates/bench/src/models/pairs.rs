//! Independent handshakes: all interleaving, no conflict.

use quadrille_model::{Automaton, Network, Template};

use super::{Parts, local};

/// `n` callers, each with a callee of its own: a call is a request and a response, both taken by
/// the two in one step; then they rest. 3ⁿ states.
pub fn pairs(n: usize) -> Network {
    handshakes(n, &["request", "response"], false)
}

/// The parallel test of the specification of components: the same with two messages more, for ever.
/// 4ⁿ states.
pub fn parallel(n: usize) -> Network {
    handshakes(n, &["request", "accepted", "response", "done"], true)
}

/// Pairs that go through some messages, and over again if they go round.
fn handshakes(n: usize, labels: &[&str], goes_round: bool) -> Network {
    let mut parts = Parts::default();
    let n_stages = labels.len() + usize::from(!goes_round);
    for i in 0..n {
        let mut side = |name: &str| {
            let stages = (0..n_stages).map(|stage| format!("stage {stage}"));
            let last = local(n_stages - 1);
            parts.participant(Automaton::new(format!("{name} {i}"), stages).ends([last]))
        };
        let (caller, callee) = (side("caller"), side("callee"));
        for (stage, label) in labels.iter().enumerate() {
            let (from, to) = (local(stage), local((stage + 1) % n_stages));
            let template = Template::new(format!("{label} {i}"));
            parts.template(template.step(caller, from, to).step(callee, from, to));
        }
    }
    parts.build()
}
