//! Steps on packed states against the explorer of the model.

use quadrille_model::{
    Automaton, Channel, ChannelId, LocalId, MessageId, Model, Network, NetworkBuilder,
    ParticipantId, Template, Value,
};

use quadrille_workshop::networks::counting_network;
use quadrille_workshop::{Choices, check};

use super::{PackedSteps, WordSteps, pairs, words};
use crate::packing::Packing;

/// Participants with many local states, so that slots straddle words, and conditions of several
/// values.
fn wide_network(choices: &mut Choices) -> Network {
    let mut builder = NetworkBuilder::default();
    let most = if choices.coin() { 20 } else { 4 };
    let sizes: Vec<u32> =
        (0..4 + choices.below_u32(most)).map(|_| 1 + choices.below_u32(70)).collect();
    for (number, &n_states) in sizes.iter().enumerate() {
        let states = (0..n_states).map(|state| format!("s{state}"));
        builder.participant(Automaton::new(format!("P{number}"), states)).expect("an automaton");
    }
    let capacities: Vec<u32> =
        (0..choices.below_u32(4)).map(|_| 1 + choices.below_u32(5)).collect();
    for (number, &capacity) in capacities.iter().enumerate() {
        let channel = Channel::new(format!("c{number}"), capacity, ["k", "l", "m"]);
        builder.channel(channel).expect("a channel");
    }
    for label in 0..1 + choices.below_u32(30) {
        let mut template = Template::new(label.to_string());
        for number in 0..capacities.len() {
            let (channel, message) =
                (ChannelId::from_usize(number), MessageId::new(choices.below_u32(3)));
            template = match choices.below_u32(6) {
                0 => template.send(channel, message),
                1 => template.receive(channel, message),
                _ => template,
            };
        }
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

/// Any local states, and queues of any length.
fn random_state(network: &Network, choices: &mut Choices) -> Vec<Value> {
    let n_participants = network.participants().len();
    let slots = network.signature().slot_ids();
    let value =
        slots.map(|slot| match network.channels().get(slot.index().wrapping_sub(n_participants)) {
            None => {
                let size = network.signature().slot(slot).domain.size();
                choices.below_u32(size.expect("a participant has local states"))
            }
            Some(channel) => {
                let n_messages = choices.below_u32(channel.capacity + 1);
                let content: Vec<u8> =
                    (0..n_messages).flat_map(|_| choices.below_u32(3).to_le_bytes()).collect();
                network.value(slot, &content).expect("a queue")
            }
        });
    value.collect()
}

#[test]
fn packed_steps_are_those_of_the_explorer() {
    let (mut n_compiled, mut n_edges, mut n_words) = (0, 0, 0);
    check(600, |choices| {
        let network = match choices.once_in(3) {
            true => counting_network(choices),
            false => wide_network(choices),
        };
        let signature = network.signature();
        let packing = Packing::new(signature);
        let Some(steps) = PackedSteps::new(signature, &packing) else { return };
        n_compiled += 1;
        let mut explorer = network.explorer();
        for _ in 0..20 {
            let state: Vec<Value> = random_state(&network, choices);
            let (mut source, mut expected, mut labels) = (Vec::new(), Vec::new(), Vec::new());
            packing.pack(&state, &mut source);
            let each = explorer.each_successor(&state, |group, action, next| {
                labels.push((group, action));
                packing.pack(next, &mut expected);
            });
            each.expect("a network has no problems");
            let (mut batch, mut found) = (Vec::new(), Vec::new());
            let source_pairs: Vec<u64> = pairs(&source).collect();
            steps.each(&source_pairs, |step| {
                let mut target = source_pairs.clone();
                steps.apply(step, &mut target, |_| ());
                batch.extend(words(&target).take(packing.n_words()));
                found.push((step.group, step.action));
            });
            if let Some(steps) = WordSteps::new(signature, &packing) {
                n_words += 1;
                let mut targets = vec![0; steps.most + 1];
                let n_targets = steps.expand(source_pairs[0], &mut targets);
                let states = targets[..n_targets].iter().flat_map(|target| {
                    words(&[*target]).take(packing.n_words()).collect::<Vec<_>>()
                });
                assert!(states.eq(batch.iter().copied()));
                let mut shown = Vec::new();
                steps.each(source_pairs[0], |group, action| shown.push((group, action)));
                assert_eq!(shown, found);
            }
            n_edges += found.len();
            assert_eq!((found, batch), (labels, expected));
        }
    });
    assert!(n_compiled > 300 && n_edges > 2_000, "{n_compiled} networks, {n_edges} edges");
    assert!(n_words > 1_000, "{n_words} states of one pair of words");
}

#[test]
fn choices_are_left_to_the_explorer() {
    let packed = |template: Template| {
        let mut builder = NetworkBuilder::default();
        builder.participant(Automaton::new("P", ["a", "b"])).expect("an automaton");
        builder.channel(Channel::new("c", 2, ["m"])).expect("a channel");
        builder.template(template).expect("a template");
        let network = builder.build().expect("a network");
        PackedSteps::new(network.signature(), &Packing::new(network.signature())).is_some()
    };
    let [a, b] = [0, 1].map(LocalId::new);
    let (participant, channel, message) =
        (ParticipantId::new(0), ChannelId::new(0), MessageId::new(0));
    assert!(packed(Template::new("t").step(participant, a, b)));
    assert!(packed(Template::new("t").send(channel, message)));
    assert!(packed(Template::new("t").receive(channel, message)));
    // Nothing in the signature says that each of the results is possible, or what becomes of a queue.
    assert!(!packed(Template::new("t").becomes(participant, [a, b])));
    assert!(!packed(Template::new("t").send(channel, message).receive(channel, message)));
}
