//! Packing and unpacking random states.

use super::*;
use crate::random::Random;
use quadrille_model::{Domain, Effect, Group, Slot, SlotId};

fn signature(domains: Vec<Domain>) -> Signature {
    Signature::new(domains.into_iter().map(|domain| Slot::new("s", domain)).collect())
}

fn random_value(random: &mut Random, domain: &Domain) -> Value {
    match domain {
        Domain::Size(size) => random.below(*size),
        Domain::Named(_) | Domain::Interned => random.next() as Value,
    }
}

fn random_domain(random: &mut Random) -> Domain {
    match random.below(6) {
        0 => Domain::Interned,
        1 => Domain::Size(1),
        bits => Domain::Size(1 + random.below(1 << (bits * 4))),
    }
}

/// Packs random states and random successors and unpacks them again.
fn round_trip(domains: Vec<Domain>, random: &mut Random) {
    let mut signature = signature(domains);
    let slots = signature.slots.clone();
    let random_state = |random: &mut Random| -> Vec<Value> {
        slots.iter().map(|slot| random_value(random, &slot.domain)).collect()
    };
    let writes: Vec<SlotId> = signature.slot_ids().filter(|_| random.below(3) == 0).collect();
    let effects = writes.iter().copied().map(Effect::any).collect();
    signature.groups.push(Group { effects, ..Group::default() });
    let packing = Packing::new(&signature);
    assert_eq!(packing.n_words() as u32, signature.packed_bits().div_ceil(32).max(1));
    let (source, other) = (random_state(random), random_state(random));
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
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let n_slots = random.below(20);
        let domains = (0..n_slots).map(|_| random_domain(&mut random)).collect();
        round_trip(domains, &mut random);
    }
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
