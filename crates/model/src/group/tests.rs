//! Masked guards.

use super::*;

#[test]
fn masked_guards_look_at_their_bits_only() {
    let slot = SlotId::new(0);
    let guard = Guard::Masked { slot, mask: 0b1100, equals: 0b0100 };
    assert_eq!([0b0111, 0b1111].map(|value| guard.holds(&[value])), [Some(true), Some(false)]);
    let other = Guard::Masked { slot, mask: 0b0110, equals: 0b0010 };
    assert!(!guard.agrees_with(&other) && guard.agrees_with(&guard));
    assert!(guard.may_become_true(&Change::Assign(ValueSet::one(0b0101))));
    assert!(!guard.may_become_true(&Change::Assign(ValueSet::one(0b1101))));
}
