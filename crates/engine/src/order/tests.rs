//! Orders of slots on a chain.

use quadrille_model::{Domain, Effect, Group, Slot};

use super::*;

#[test]
fn a_scattered_chain_is_put_in_a_row() {
    let n: usize = 41;
    let slots = (0..n).map(|slot| Slot::new(slot.to_string(), Domain::Size(2))).collect();
    let mut signature = Signature::new(slots);
    // Neighbours are 17 apart, modulo the number of slots.
    for step in 0..n - 1 {
        let mut pair = [step * 17 % n, (step + 1) * 17 % n].map(SlotId::from_usize);
        pair.sort_unstable();
        let effects = pair.map(Effect::any).to_vec();
        signature.groups.push(Group { reads: pair.to_vec(), effects, ..Group::default() });
    }
    let order = slot_order(&signature);
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, signature.slot_ids().collect::<Vec<_>>());
    let at = |number: usize| {
        order.iter().position(|slot| slot.index() == number * 17 % n).unwrap_or(usize::MAX)
    };
    assert!((1..n).all(|number| at(number).abs_diff(at(number - 1)) == 1), "{order:?}");
}
