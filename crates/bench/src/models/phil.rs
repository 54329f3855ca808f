//! Dining philosophers with one who takes his forks in the other order.

use quadrille_model::{Automaton, Network, Predicate, Template};

use super::{Parts, local};

const EATING: usize = 3;

/// `n` philosophers and `n` forks. Five steps bring a philosopher round: get hungry, take the
/// first fork, take the second and eat, put down the first, put down the second. The last
/// philosopher takes them in the other order, so none gets stuck. L(3n) states, where L are the
/// Lucas numbers. Proposition `eats`: a philosopher does.
pub fn phil(n: usize) -> Network {
    let mut parts = Parts::default();
    let positions = ["thinks", "hungry", "one fork", "eats", "one fork down"];
    let philosophers: Vec<_> =
        (0..n).map(|i| parts.participant(Automaton::new(format!("p{i}"), positions))).collect();
    let forks: Vec<_> = (0..n)
        .map(|i| parts.participant(Automaton::new(format!("f{i}"), ["free", "taken"])))
        .collect();
    let [free, taken] = [0, 1].map(local);
    for (i, &philosopher) in philosophers.iter().enumerate() {
        let (first, second) = if i + 1 < n { (i, i + 1) } else { (0, i) };
        let step = |label: &str, from: usize| {
            let label = format!("p{i} {label}");
            Template::new(label).step(philosopher, local(from), local((from + 1) % positions.len()))
        };
        parts.template(step("gets hungry", 0));
        parts.template(step("takes first", 1).step(forks[first], free, taken));
        parts.template(step("takes second", 2).step(forks[second], free, taken));
        parts.template(step("puts down first", EATING).step(forks[first], taken, free));
        parts.template(step("puts down second", 4).step(forks[second], taken, free));
    }
    let eats = |&philosopher| Predicate::In(philosopher, [EATING as u32].into_iter().collect());
    parts.proposition("eats", Predicate::Any(philosophers.iter().map(eats).collect()));
    parts.build()
}
