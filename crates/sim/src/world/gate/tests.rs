//! Gates say what guards say.

use super::Gate;
use crate::operation::{Guard, ObjectId};

#[test]
fn a_gate_admits_what_its_guard_admits() {
    let words = [i64::MIN, -(1 << 41), -2, -1, 0, 1, 2, 1 << 40, i64::MAX];
    let limits = words.map(Guard::Below);
    let others = [Guard::Always, Guard::Zero, Guard::NonZero, Guard::NotNegative, Guard::Never];
    for guard in others.into_iter().chain(limits) {
        let gate = Gate::new(guard, ObjectId::NONE);
        for word in words {
            assert_eq!(gate.admits(word), guard.admits(word), "{guard:?} and {word}");
        }
    }
}
