//! Independent handshakes: all interleaving, no conflict.

use quadrille_model::{Automaton, Network, Template};

use super::{Parts, local};

/// `n` callers, each with a callee of its own: a call is a request and a response, both taken by
/// the two in one step; then they rest. 3ⁿ states.
pub fn pairs(n: usize) -> Network {
    let mut parts = Parts::default();
    for i in 0..n {
        let mut side = |name: &str| {
            let stages = ["idle", "called", "answered"];
            parts.participant(Automaton::new(format!("{name} {i}"), stages).ends([local(2)]))
        };
        let (caller, callee) = (side("caller"), side("callee"));
        for (stage, label) in ["request", "response"].into_iter().enumerate() {
            let (from, to) = (local(stage), local(stage + 1));
            let template = Template::new(format!("{label} {i}"));
            parts.template(template.step(caller, from, to).step(callee, from, to));
        }
    }
    parts.build()
}
