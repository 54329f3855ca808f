//! Which of several possibilities is taken, where the caller left it open. Knows nothing of what they are
//! beyond a number that tells them apart and how busy their receivers are.

/// Which receiver, or which of several branches that begin alike, is taken where the caller left it
/// open. Where several messages can be received they have their turn one after the other, or at random.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Any, by numbers that the seed of the module decides.
    #[default]
    Random,
    /// One after the other.
    RoundRobin,
    /// The one with the fewest messages waiting; the first of those.
    LeastLoaded,
    /// The first, as the protocol lists them.
    First,
}

/// Takes decisions for one role. The possibility with the least rank is taken.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    policy: Policy,
    /// Splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
    random: u64,
    /// What was chosen last, by kind of decision.
    last: [u32; 2],
    forced: Option<Forced>,
}

/// A decision that an exploration takes.
#[derive(Clone, Copy, Debug)]
struct Forced {
    wanted: u32,
    seen: u32,
}

/// What is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Decision {
    /// Which step a role takes.
    Step,
    /// Which message it takes: nobody is passed over for ever.
    Source,
}

impl Chooser {
    pub(crate) fn new(policy: Policy, seed: u64, role: u16) -> Self {
        let random = seed ^ u64::from(role).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self { policy, random, last: [u32::MAX; 2], forced: None }
    }

    /// From now on, takes the possibility at this position whatever the policy.
    pub(crate) fn force(&mut self, wanted: u32) {
        self.forced = Some(Forced { wanted, seen: 0 });
    }

    /// How many possibilities there were since [`Chooser::force`].
    pub(crate) fn seen(&self) -> u32 {
        self.forced.map_or(0, |forced| forced.seen)
    }

    /// The rank of a possibility with this number and load. To be asked once for each, in order.
    #[inline]
    pub(crate) fn rank(
        &mut self,
        decision: Decision,
        number: u32,
        load: impl FnOnce() -> usize,
    ) -> u64 {
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

    /// Remembers what was taken.
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
mod tests {
    use super::*;

    /// What a chooser takes of the possibilities with these loads, several times.
    fn choices(chooser: &mut Chooser, loads: &[usize], times: usize) -> Vec<usize> {
        let one = |_| {
            let ranks = loads.iter().enumerate().map(|(number, &load)| {
                (chooser.rank(Decision::Step, number as u32, || load), number)
            });
            let (_, chosen) = ranks.min().expect("there are some");
            chooser.took(Decision::Step, chosen as u32);
            chosen
        };
        (0..times).map(one).collect()
    }

    #[test]
    fn each_policy_does_what_it_says() {
        let choose = |policy| choices(&mut Chooser::new(policy, 7, 0), &[2, 0, 1], 7);
        assert_eq!(choose(Policy::First), [0; 7]);
        assert_eq!(choose(Policy::LeastLoaded), [1; 7]);
        assert_eq!(choose(Policy::RoundRobin), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(choose(Policy::Random), choose(Policy::Random));
    }

    #[test]
    fn random_choices_are_even_and_depend_on_seed_and_role() {
        let choose =
            |seed, role| choices(&mut Chooser::new(Policy::Random, seed, role), &[0; 4], 4_000);
        let chosen = choose(1, 0);
        for number in 0..4 {
            let count = chosen.iter().filter(|&&one| one == number).count();
            assert!((850..1150).contains(&count), "{number} was chosen {count} times");
        }
        assert_ne!(choose(1, 0), choose(2, 0));
        assert_ne!(choose(1, 0), choose(1, 1));
    }

    #[test]
    fn a_forced_choice_counts_what_there_is() {
        let mut chooser = Chooser::new(Policy::First, 0, 0);
        chooser.force(2);
        assert_eq!(choices(&mut chooser, &[0; 5], 1), [2]);
        assert_eq!(chooser.seen(), 5);
    }
}
