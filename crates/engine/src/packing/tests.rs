//! Packing and unpacking random states.

use quadrille_model::{Domain, Effect, Group, Slot, SlotId};
use quadrille_workshop::{Choices, check};

use super::*;

fn signature(domains: Vec<Domain>) -> Signature {
    Signature::new(domains.into_iter().map(|domain| Slot::new("s", domain)).collect())
}

fn random_value(choices: &mut Choices, domain: &Domain) -> Value {
    match domain {
        Domain::Size(size) => choices.below_u32(*size),
        Domain::Named(_) | Domain::Interned => choices.bits() as Value,
    }
}

fn random_domain(choices: &mut Choices) -> Domain {
    match choices.below_u32(6) {
        0 => Domain::Interned,
        1 => Domain::Size(1),
        bits => Domain::Size(1 + choices.below_u32(1 << (bits * 4))),
    }
}

/// Packs choices states and choices successors and unpacks them again.
fn round_trip(domains: Vec<Domain>, choices: &mut Choices) {
    let mut signature = signature(domains);
    let slots = signature.slots.clone();
    let random_state = |choices: &mut Choices| -> Vec<Value> {
        slots.iter().map(|slot| random_value(choices, &slot.domain)).collect()
    };
    let writes: Vec<SlotId> = signature.slot_ids().filter(|_| choices.below_u32(3) == 0).collect();
    let effects = writes.iter().copied().map(Effect::any).collect();
    signature.groups.push(Group { effects, ..Group::default() });
    let packing = Packing::new(&signature);
    assert_eq!(packing.n_words() as u32, signature.packed_bits().div_ceil(32).max(1));
    let (source, other) = (random_state(choices), random_state(choices));
    let mut next = source.clone();
    for slot in &writes {
        next[slot.index()] = other[slot.index()];
    }
    let (mut words, mut whole) = (Vec::new(), Vec::new());
    packing.pack(&source, &mut words);
    let mut successor = words.clone();
    packing.pack_successor(&words, GroupId::new(0), &next, &mut successor);
    packing.pack(&next, &mut whole);
    assert_eq!(successor[packing.n_words()..], whole);
    let mut unpacked = vec![77; source.len()];
    packing.unpack(&words, &mut unpacked);
    assert_eq!(unpacked, source);
    packing.unpack(&whole, &mut unpacked);
    assert_eq!(unpacked, next);
}

#[test]
fn states_survive_packing() {
    check(2000, |choices| {
        let n_slots = choices.below_u32(20);
        let domains = (0..n_slots).map(|_| random_domain(choices)).collect();
        round_trip(domains, choices);
    });
}

#[test]
fn slots_straddle_only_where_that_saves_a_word() {
    let n_parts = |sizes: &[u32]| {
        let domains = sizes.iter().map(|&size| Domain::Size(size)).collect();
        Packing::new(&signature(domains)).parts.len()
    };
    assert_eq!(n_parts(&[1 << 20, 1 << 20, 1 << 12, 1 << 12]), 4);
    assert_eq!(n_parts(&[1 << 20, 1 << 20, 1 << 20]), 4);
    assert_eq!(n_parts(&[1 << 16, 1, 1 << 16, 1]), 4);
}

#[test]
#[should_panic(expected = "outside its slot's domain")]
fn a_value_outside_its_domain_is_noticed() {
    Packing::new(&signature(vec![Domain::Size(4)])).pack(&[4], &mut Vec::new());
}
