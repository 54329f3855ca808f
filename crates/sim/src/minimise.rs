//! Making a failing schedule short: fewer switches first, then fewer steps. Every candidate is
//! executed, so that the result is a schedule that fails in the same way.

use crate::config::Config;
use crate::failure::Failure;
use crate::runner::{Body, Monitor, explore_with};
use crate::schedule::Schedule;
use crate::strategy::{Guided, Run};

/// Candidates that are tried at most.
const MAX_TRIES: usize = 2_000;

/// A failure of the same kind with as few switches between tasks as could be found.
#[must_use]
pub fn minimise(
    config: &Config,
    body: &Body,
    monitor: &dyn Fn() -> Box<dyn Monitor>,
    failure: &Failure,
) -> Failure {
    // A candidate may go round for ever where the original did not; nor is a much longer one simpler.
    let max_steps = config.max_steps.min(2 * failure.trace.len() + 64);
    let config = Config { max_failures: 1, max_steps, ..config.clone() };
    let mut best = failure.clone();
    let mut tries = 0;
    loop {
        let runs = runs(&best.schedule);
        let simpler = (0..runs.len()).flat_map(|at| candidates(&runs, at));
        let shorter = (0..runs.len()).flat_map(|at| shortened(&runs, at));
        let better = simpler.chain(shorter).find_map(|candidate| {
            tries += 1;
            if tries > MAX_TRIES {
                return None;
            }
            let strategy = Guided::new(candidate, best.schedule.draws.clone());
            let report = explore_with(config.clone(), Box::new(strategy), monitor(), body.clone());
            let found = report.failure?;
            let is_same = found.fault.word() == best.fault.word();
            (is_same && measure(&found.schedule) < measure(&best.schedule)).then_some(found)
        });
        match better {
            Some(found) => best = Failure { execution: failure.execution, ..found },
            None => return best,
        }
    }
}

fn measure(schedule: &Schedule) -> (usize, usize) {
    (schedule.switches(), schedule.len())
}

fn runs(schedule: &Schedule) -> Vec<Run> {
    schedule.tasks.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect()
}

/// Schedules in which a run ends earlier: what it did after that may be no part of what led to the failure.
fn shortened(runs: &[Run], at: usize) -> impl Iterator<Item = Vec<Run>> + use<'_> {
    let length = runs[at].1;
    let mut lengths = vec![length / 2, length - length / 4, length - 1];
    lengths.retain(|&shorter| 0 < shorter && shorter < length);
    lengths.dedup();
    lengths.into_iter().map(move |shorter| {
        let mut runs = runs.to_vec();
        runs[at].1 = shorter;
        runs
    })
}

/// Simpler schedules: without a run, or with one that goes on as long as it can.
fn candidates(runs: &[Run], at: usize) -> [Vec<Run>; 2] {
    let mut without = runs.to_vec();
    without.remove(at);
    let mut longer = runs.to_vec();
    longer[at].1 = usize::MAX;
    [longer, without]
}
