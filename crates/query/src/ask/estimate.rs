//! How large a model is, where counting it may take too long: exactly if that is possible within a
//! budget, else a range.

use std::ops::ControlFlow;

use quadrille_engine::{
    Config as SearchConfig, Growth, Limits, Progress, Stopped, explore, growth,
};
use quadrille_model::{Bound, Counts, StateId};
use quadrille_symbolic::Size;

use super::{Config, Refused, Watcher, unrepeatable};
use crate::subject::Subject;

/// Seconds that counting may have taken for its states to be explored again without numbers, as most
/// questions do, to see what that costs.
const WORTH_REPEATING: f64 = 5.0;

/// How large a model is.
pub struct Estimate {
    /// What is known.
    pub known: Known,
    /// What was explored state by state, within the budget.
    pub explored: Counts,
    /// What exploring costs.
    pub cost: Cost,
}

/// What exploring some states took, in the way in which a question would be answered.
#[derive(Clone, Copy)]
pub struct Cost {
    /// How many states.
    pub states: u64,
    /// Bytes allocated.
    pub bytes: u64,
    /// Seconds.
    pub seconds: f64,
}

/// What is known about the size of a model.
pub enum Known {
    /// Everything was explored.
    Exactly,
    /// Everything was counted by sets of states.
    BySets(Box<Size>),
    /// A range, from how the levels of the search grew, of which this many were complete.
    Range(Growth, usize),
    /// Nothing but that there are more states than were explored: a bound of the user came first.
    AtLeast(Bound),
}

impl Subject<'_> {
    /// Estimates how many states there are; `budget` states are explored for that.
    pub fn estimate(
        &self,
        budget: u64,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Result<Estimate, Refused> {
        watcher.begin("how many states there are");
        let most = config.limits.states.map_or(budget, |most| most.min(budget));
        let limits = Limits { states: Some(most), ..config.limits };
        let search = SearchConfig { limits, workers: config.workers, ..SearchConfig::default() };
        let mut look = |progress: &_| watcher.look(progress);
        let explored = explore(self.model(), &search, &mut [], &mut look);
        let mut counts = explored.counts();
        counts.states = counts.states.min(most);
        let bound = match explored.stopped() {
            None => None,
            Some(Stopped::Bound(bound)) => Some(*bound),
            Some(Stopped::Failed(error)) => return Err(unrepeatable(error.clone())),
        };
        let mut cost =
            Cost { states: counts.states, bytes: counts.bytes, seconds: watcher.seconds() };
        let known = match bound {
            None => Known::Exactly,
            Some(bound @ (Bound::Time(_) | Bound::Interrupted)) => Known::AtLeast(bound),
            Some(_) => {
                // Only levels whose states were all met: what the search expanded last lies in the
                // last of them.
                let mut depths: Vec<u32> = Vec::new();
                let mut levels: Vec<u64> = Vec::new();
                for state in (0..explored.space().n_states()).map(StateId::from_usize) {
                    let depth =
                        explored.parent(state).map_or(0, |parent| depths[parent.index()] + 1);
                    depths.push(depth);
                    if levels.len() <= depth as usize {
                        levels.push(0);
                    }
                    levels[depth as usize] += 1;
                }
                levels.truncate(counts.depth.unwrap_or(0) as usize + 1);
                drop(explored);
                if cost.seconds < WORTH_REPEATING {
                    cost = self.cost(counts.states, config, watcher).unwrap_or(cost);
                }
                match self.try_count_sets(config.limits, watcher) {
                    Some(size) => Known::BySets(Box::new(size)),
                    None => Known::Range(growth(&levels, counts.states), levels.len()),
                }
            }
        };
        Ok(Estimate { known, explored: counts, cost })
    }

    /// What exploring so many states takes where they need not be numbered, if that can be done.
    fn cost(&self, most: u64, config: &Config, watcher: &mut dyn Watcher) -> Option<Cost> {
        let limits = Limits { states: None, ..config.limits };
        let search = SearchConfig { limits, workers: config.workers, ..SearchConfig::default() };
        let before = watcher.seconds();
        let mut look = |progress: &Progress| match progress.states < most {
            true => watcher.look(progress),
            false => ControlFlow::Break(Bound::States(most)),
        };
        let counts = explore(self.model(), &search, &mut [], &mut look).counts();
        let seconds = watcher.seconds() - before;
        let Counts { states, bytes, .. } = counts;
        (states >= most).then_some(Cost { states, bytes, seconds })
    }
}
