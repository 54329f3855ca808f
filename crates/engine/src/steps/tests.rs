//! Steps on packed states against the explorer of the model.

use quadrille_model::{
    Automaton, Channel, ChannelId, LocalId, MessageId, Model, Network, NetworkBuilder,
    ParticipantId, Template, Value,
};

use quadrille_workshop::{Choices, check};

use super::{PackedSteps, pairs};
use crate::packing::Packing;

/// Participants with many local states, so that slots straddle words, and conditions of several
/// values.
fn wide_network(choices: &mut Choices) -> Network {
    let mut builder = NetworkBuilder::default();
    let sizes: Vec<u32> =
        (0..4 + choices.below_u32(20)).map(|_| 1 + choices.below_u32(70)).collect();
    for (number, &n_states) in sizes.iter().enumerate() {
        let states = (0..n_states).map(|state| format!("s{state}"));
        builder.participant(Automaton::new(format!("P{number}"), states)).expect("an automaton");
    }
    for label in 0..1 + choices.below_u32(12) {
        let mut template = Template::new(label.to_string());
        for (number, &n_states) in sizes.iter().enumerate() {
            let participant = ParticipantId::from_usize(number);
            let mut some = |most: u32| -> Vec<LocalId> {
                let n_values = 1 + choices.below_u32(most);
                (0..n_values).map(|_| LocalId::new(choices.below_u32(n_states))).collect()
            };
            let (from, to) = (some(n_states), some(1));
            match choices.below_u32(6) {
                0 => template = template.when(participant, from),
                1 => template = template.when(participant, from).becomes(participant, to),
                _ => {}
            }
        }
        builder.template(template).expect("a template");
    }
    builder.build().expect("a network")
}

#[test]
fn packed_steps_are_those_of_the_explorer() {
    let (mut n_compiled, mut n_edges) = (0, 0);
    check(400, |choices| {
        let network = wide_network(choices);
        let signature = network.signature();
        let packing = Packing::new(signature);
        let Some(steps) = PackedSteps::new(signature, &packing) else { return };
        n_compiled += 1;
        let mut explorer = network.explorer();
        for _ in 0..20 {
            let sizes = signature.slots.iter().map(|slot| slot.domain.size().unwrap_or(1));
            let state: Vec<Value> = sizes.map(|size| choices.below_u32(size)).collect();
            let (mut source, mut expected, mut labels) = (Vec::new(), Vec::new(), Vec::new());
            packing.pack(&state, &mut source);
            let each = explorer.each_successor(&state, |group, action, next| {
                labels.push((group, action));
                packing.pack(next, &mut expected);
            });
            each.expect("a network has no problems");
            let (mut batch, mut found) = (Vec::new(), Vec::new());
            steps.each(&pairs(&source).collect::<Vec<_>>(), |step| {
                steps.append_target(step, &source, &mut batch);
                found.push((step.group, step.action));
            });
            n_edges += found.len();
            assert_eq!((found, batch), (labels, expected));
        }
    });
    assert!(n_compiled > 300 && n_edges > 2_000, "{n_compiled} networks, {n_edges} edges");
}

#[test]
fn queues_and_choices_are_left_to_the_explorer() {
    let packed = |template: Template| {
        let mut builder = NetworkBuilder::default();
        builder.participant(Automaton::new("P", ["a", "b"])).expect("an automaton");
        builder.channel(Channel::new("c", 2, ["m"])).expect("a channel");
        builder.template(template).expect("a template");
        let network = builder.build().expect("a network");
        PackedSteps::new(network.signature(), &Packing::new(network.signature())).is_some()
    };
    let [a, b] = [0, 1].map(LocalId::new);
    let participant = ParticipantId::new(0);
    assert!(packed(Template::new("t").step(participant, a, b)));
    assert!(!packed(Template::new("t").becomes(participant, [a, b])));
    assert!(!packed(Template::new("t").send(ChannelId::new(0), MessageId::new(0),)));
}
