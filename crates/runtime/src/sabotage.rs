//! Machines spoilt on purpose, so that tests can show that explorations notice. Without the feature `sabotage`, which
//! only tests turn on, nothing is ever spoilt and asking costs nothing.

use crate::plan::ActId;
use crate::table::Table;

/// What goes wrong, always when the same thing happens.
#[cfg(feature = "sabotage")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sabotage {
    /// What happens.
    pub act: ActId,
    /// What goes wrong then.
    pub harm: Harm,
}

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harm {
    /// The message that is sent is not put into its queue.
    Lose,
    /// It is put there twice, if there is room.
    Double,
    /// Nobody is woken.
    LetSleep,
}

impl Table {
    /// Whether this goes wrong.
    #[inline(always)]
    pub(crate) fn spoils(&self, act: ActId, harm: Harm) -> bool {
        #[cfg(feature = "sabotage")]
        {
            self.sabotage == Some(Sabotage { act, harm })
        }
        #[cfg(not(feature = "sabotage"))]
        {
            let _ = (act, harm);
            false
        }
    }
}
