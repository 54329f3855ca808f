//! How choices are resolved that the caller leaves open. Knows candidates by a number and by the load of their receivers
//! only.

/// Resolves choices that the caller leaves open: the receiver of a message, or one of several branches that begin with
/// the same action. Messages of several senders are taken in turn, or at random with `Random`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Pseudo-random, by the seed of the module.
    #[default]
    Random,
    /// In turn.
    RoundRobin,
    /// The receiver with the shortest queue; the first of those.
    LeastLoaded,
    /// The first in the order of the protocol.
    First,
}

/// Resolves the choices of one role: the candidate with the least rank is taken.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    policy: Policy,
    /// Splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
    random: u64,
    /// The last choice, by kind of decision.
    last: [u32; 2],
    #[cfg(any(feature = "explore", test))]
    forced: Option<Forced>,
}

/// A choice that an exploration forces.
#[cfg(any(feature = "explore", test))]
#[derive(Clone, Copy, Debug)]
struct Forced {
    wanted: u32,
    seen: u32,
}

/// A kind of choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Decision {
    /// Which step to take.
    Step,
    /// Which message to take; fair to all senders.
    Source,
}

impl Chooser {
    pub(crate) fn new(policy: Policy, seed: u64, role: u16) -> Self {
        let random = seed ^ u64::from(role).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self {
            policy,
            random,
            last: [u32::MAX; 2],
            #[cfg(any(feature = "explore", test))]
            forced: None,
        }
    }

    /// From now on, chooses the candidate at this position, whatever the policy.
    #[cfg(any(feature = "explore", test))]
    pub(crate) fn force(&mut self, wanted: u32) {
        self.forced = Some(Forced { wanted, seen: 0 });
    }

    /// The number of candidates since [`Chooser::force`].
    #[cfg(any(feature = "explore", test))]
    pub(crate) fn seen(&self) -> u32 {
        self.forced.map_or(0, |forced| forced.seen)
    }

    /// The rank of a candidate with this number and load. Call it once for each, in order.
    #[inline]
    pub(crate) fn rank(
        &mut self,
        decision: Decision,
        number: u32,
        load: impl FnOnce() -> usize,
    ) -> u64 {
        #[cfg(any(feature = "explore", test))]
        if let Some(forced) = &mut self.forced {
            let is_wanted = forced.seen == forced.wanted;
            forced.seen += 1;
            return u64::from(!is_wanted);
        }
        match (self.policy, decision) {
            (Policy::Random, _) => self.next(),
            (Policy::RoundRobin, _) | (_, Decision::Source) => {
                u64::from(number.wrapping_sub(self.last[decision as usize]).wrapping_sub(1))
            }
            (Policy::LeastLoaded, Decision::Step) => load() as u64,
            (Policy::First, Decision::Step) => 0,
        }
    }

    /// Records the choice.
    #[inline]
    pub(crate) fn took(&mut self, decision: Decision, number: u32) {
        self.last[decision as usize] = number;
    }

    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ self.random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

#[cfg(test)]
mod tests;
