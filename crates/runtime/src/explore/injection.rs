//! Fault injection: explorations that spoil what a machine did, so that tests can show that the faults are found. The
//! machines themselves know nothing of it.

use crate::plan::ActId;

/// A fault that is injected each time an act is performed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FaultInjection {
    /// The act.
    pub act: ActId,
    /// The fault.
    pub fault: InjectedFault,
}

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InjectedFault {
    /// The message that was sent disappears from its queue.
    LoseMessage,
    /// It is in the queue twice, if there is room.
    DuplicateMessage,
    /// No role is woken.
    SkipWakeUp,
}
