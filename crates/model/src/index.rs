//! Newtyped indices: a slot can never be mistaken for a group or an action.

/// Declares index types: copyable, ordered, 32 bits wide.
macro_rules! index {
    ($($(#[$meta:meta])* $name:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl $name {
            /// The index with this number.
            pub const fn new(number: u32) -> Self {
                Self(number)
            }

            /// The index of a position in a table; tables longer than `u32::MAX` are a bug.
            pub const fn from_usize(position: usize) -> Self {
                assert!(position <= u32::MAX as usize, "table longer than 32 bits");
                Self(position as u32)
            }

            /// The position in its table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The bare number, for packing and printing.
            pub const fn number(self) -> u32 {
                self.0
            }
        }
    )*};
}

index! {
    /// A place in the state vector.
    SlotId;
    /// A transition group: a piece of the next-state relation with declared dependencies.
    GroupId;
    /// A condition in the table that groups share.
    GuardId;
    /// What fairness counts as one: groups whose steps belong together.
    TaskId;
    /// What an edge is labelled with; equal ids mean equal labels.
    ActionId;
    /// A named property of states.
    PropositionId;
    /// A role, component, process or thread that takes part.
    ParticipantId;
    /// A state of a transition system that is held as a table.
    StateId;
    /// A local state of one participant of a network.
    LocalId;
    /// A channel of a network.
    ChannelId;
    /// A counter of a network.
    CounterId;
    /// A message of one channel.
    MessageId;
}
