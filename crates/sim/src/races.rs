//! Data races on tracked cells: two accesses of different tasks, one of them a write, that no
//! synchronisation orders. A missing release or acquire is found although the execution is
//! sequentially consistent. What synchronises, `knowledge.rs` says; where it does not know an object's
//! exact rule, a race may be missed, none is invented.

use rustc_hash::FxHashSet;

use crate::knowledge::{Common, DataRace};
use crate::operation::{Action, Kind, ObjectId, Operation};

pub(crate) const fn is_tracked(action: Action) -> bool {
    matches!(action, Action::ReadCell | Action::WriteCell)
}

/// The first data race of an execution in which every load read the last store.
pub(crate) fn find(trace: &[Operation], kind: impl Fn(ObjectId) -> Kind) -> Option<DataRace> {
    if !trace.iter().any(|operation| is_tracked(operation.action)) {
        return None;
    }
    let causes: FxHashSet<u32> = trace.iter().map(|operation| operation.cause).collect();
    let mut common = Common::default();
    for (index, operation) in trace.iter().enumerate() {
        common.begin(operation);
        if is_tracked(operation.action) {
            common.access(index, operation);
        } else {
            common.synchronise(operation, kind(operation.object));
        }
        let number = index as u32 + 1;
        if causes.contains(&number) {
            common.note_cause(number, operation.task.index());
        }
    }
    common.race
}
