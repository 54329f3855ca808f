//! Linear time where states lie in sorted runs: the product with an automaton for the negated formula is
//! searched like any model, level by level, with manifests from which it goes on; then [`shrink`] takes
//! away what lies on no accepted cycle, and the way to one that is left, and round it, is the
//! counterexample. Fairness is not part of it.

mod product;
mod round;
mod sets;
mod shrink;
#[cfg(test)]
mod tests;

use std::cell::RefCell;

use quadrille_logic::{Automaton, Edge, Formula, Location, Marks, Parts};
use quadrille_model::{Counts, Ending, Model, Runs, Trace, Verdict};

use super::checkpoint::{Disk, fingerprint_of};
use super::folder::Folder;
use super::key::{Fixed, Key, Wide};
use super::manifest::delete;
use super::states::States;
use super::{Identity, RunStore, answers, bound_of, check_watched, open};
use crate::evidence::replayed;
use crate::explore::Config;
use crate::interpretation::Interpretation;
use crate::limits::{Observer, Watch};
use crate::ltl::{Flaw, LtlOptions, Violations, folded, is_accepted, look_again};
use crate::safety::Property;
use crate::{Error, ProductCounts, Report, Stopped};
use product::{Product, Refused};
use round::Round;
use sets::Place;
use shrink::Shrink;

/// Automata with more acceptance sets are given one: which of them a cycle passed is part of a state when
/// the cycle is looked for.
const MOST_SETS: u32 = 8;
/// The folder, inside that of a search, of the search for a cycle.
const ROUND: &str = "round";

/// What checking a formula in sorted runs gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearOutcome {
    /// The verdict, and the size of the product.
    pub report: Report,
    /// States of the model that were met, in one location or several.
    pub states: u64,
}

/// Checks a formula of linear time like [`check_ltl`](crate::check_ltl), with the product in sorted runs.
/// The counterexample is the shortest way to some accepted cycle, and once round it.
pub fn check_ltl_runs(
    model: &dyn Model,
    formula: &Formula,
    (interpretation, runs): (&Interpretation<'_>, Runs),
    store: &RunStore,
    config: &Config,
    observer: &mut Observer<'_>,
) -> Result<LinearOutcome, Error> {
    interpretation.covers(formula, model)?;
    let Violations { alternatives, finals } =
        Violations::of(formula, runs).map_err(Error::Translation)?;
    let automaton = alternatives.iter().map(|Parts { automata, .. }| conjunction(automata));
    let automaton = union(automaton);
    let finals = finals.as_deref();
    let refused = Refused { automaton: &automaton, interpretation, runs, finals };
    let found = search(model, refused, store, config, observer)?;
    if let Verdict::Violated(Some(trace)) = &found.report.verdict {
        let options = LtlOptions { runs, ..LtlOptions::default() };
        look_again(trace, formula, model, interpretation, &options)?;
    }
    Ok(found)
}

/// Checks like [`check_never`](crate::check_never) that no run is accepted, with the product in sorted
/// runs.
pub fn check_never_runs(
    model: &dyn Model,
    automaton: &Automaton,
    (interpretation, runs): (&Interpretation<'_>, Runs),
    store: &RunStore,
    config: &Config,
    observer: &mut Observer<'_>,
) -> Result<LinearOutcome, Error> {
    let few = union([automaton.clone()].into_iter());
    let refused = Refused { automaton: &few, interpretation, runs, finals: None };
    let found = search(model, refused, store, config, observer)?;
    match &found.report.verdict {
        Verdict::Violated(Some(trace))
            if !is_accepted(trace, automaton, model, interpretation, runs)? =>
        {
            Err(Error::Flawed(Flaw::Satisfied))
        }
        _ => Ok(found),
    }
}

/// The automaton that accepts what all accept.
fn conjunction(automata: &[Automaton]) -> Automaton {
    let all = automata.iter().cloned().reduce(|all, other| all.and(&other));
    all.unwrap_or_else(Automaton::anything)
}

/// The automaton that accepts what one of these accepts.
fn union(automata: impl Iterator<Item = Automaton>) -> Automaton {
    let few = |it: Automaton| if it.n_sets > MOST_SETS { it.degeneralise() } else { it };
    let automata: Vec<Automaton> = automata.map(few).collect();
    let n_sets = automata.iter().map(|it| it.n_sets).max().unwrap_or(0);
    let mut all = Automaton { initial: Vec::new(), edges: Vec::new(), n_sets };
    for automaton in automata {
        let shift = all.edges.len() as u32;
        // It has fewer sets: every move is in the others.
        let more = all.all_marks() & !automaton.all_marks();
        let moved = |it: Location| Location(it.0 + shift);
        let edge = |it: Edge| Edge { to: moved(it.to), marks: it.marks | more as Marks, ..it };
        all.initial.extend(automaton.initial.into_iter().map(moved));
        let edges = automaton.edges.into_iter();
        all.edges.extend(edges.map(|edges| edges.into_iter().map(edge).collect()));
    }
    all.initial.sort_unstable();
    all.initial.dedup();
    all
}

fn search(
    model: &dyn Model,
    refused: Refused<'_>,
    store: &RunStore,
    config: &Config,
    observer: &mut Observer<'_>,
) -> Result<LinearOutcome, Error> {
    let store = match store {
        RunStore::Memory => RunStore::Memory,
        RunStore::Disk { folder, resume, identity } => {
            let automaton =
                format!("{:?}{:?}{:?}", refused.automaton, refused.finals, refused.runs);
            let questions = [&identity.questions.to_le_bytes()[..], automaton.as_bytes()];
            let identity = Identity { questions: fingerprint_of(&questions), ..identity.clone() };
            RunStore::Disk { folder: folder.clone(), resume: *resume, identity }
        }
    };
    let (finite, infinite) = (refused.finals.is_some(), refused.runs);
    let product = &Product::new(model, refused);
    let watch = &mut Watch::new(config.limits, observer);
    let asked = Asked {
        product,
        asks_ends: infinite != Runs::Infinite,
        asks_cycles: !finite && product.homes.some(),
        store: &store,
        config,
    };
    match States::n_limbs_of(product) {
        1 => asked.answer::<u64>(watch),
        2 => asked.answer::<u128>(watch),
        3..=4 => asked.answer::<Fixed<4>>(watch),
        5..=8 => asked.answer::<Fixed<8>>(watch),
        _ => asked.answer::<Wide>(watch),
    }
}

/// What is asked of a product.
struct Asked<'a> {
    product: &'a Product<'a>,
    /// Whether a run that ends may be accepted, or one that does not.
    asks_ends: bool,
    asks_cycles: bool,
    store: &'a RunStore,
    config: &'a Config,
}

impl Asked<'_> {
    fn answer<K: Key>(&self, watch: &mut Watch<'_>) -> Result<LinearOutcome, Error> {
        let (product, model) = (self.product, self.product.model);
        let mut search = open::<K>(product, self.store, self.config)?;
        let walker = RefCell::new(product.walker());
        let goes_on = |state: &[_]| Ok(!walker.borrow_mut().accepts_end(state)?);
        let ends = [Property::Always(Box::new(goes_on))];
        let asked = if self.asks_ends { &ends[..] } else { &[] };
        let bound = bound_of(search.run(asked, watch))?;
        let outcome = answers(&search, asked, bound, watch)?;
        let ended = outcome.verdicts.into_iter().next().unwrap_or(match bound {
            None => Verdict::Holds,
            Some(bound) => Verdict::Unknown(bound),
        });
        let place = Place::new(search.disk.as_ref().map(|disk: &Disk| disk.folder.clone()));
        let mut shrink = Shrink::new(&search, product, watch, &place);
        let verdict = match ended {
            Verdict::Violated(Some(run)) => {
                let run = product.without_locations(run);
                let finished = model.explorer().may_end(run.last())?;
                let ending = if finished { Ending::Finished } else { Ending::Stuck };
                Ok(Verdict::Violated(Some(Trace { ending, ..run })))
            }
            Verdict::Holds if self.asks_cycles => self.cycle(&mut shrink),
            other => Ok(other),
        };
        let verdict = verdict.or_else(Stopped::verdict)?;
        let states = match &verdict {
            // Where there was no time for more, there is none to count.
            Verdict::Unknown(_) => search.counts.states,
            _ => shrink.n_states().or_else(|stopped| match stopped {
                Stopped::Bound(_) => Ok(search.counts.states),
                Stopped::Failed(error) => Err(error),
            })?,
        };
        let Counts { states: nodes, transitions: moves, .. } = search.counts;
        let bytes = (search.visited.memory() as u64).max(watch.peak());
        let verdict = match verdict {
            Verdict::Violated(Some(run)) => Verdict::Violated(Some(replayed(model, run)?)),
            other => other,
        };
        let report = Report { verdict, product: ProductCounts { nodes, moves, bytes } };
        Ok(LinearOutcome { report, states })
    }

    /// A run that goes round an accepted cycle, if there is one.
    fn cycle<K: Key>(&self, shrink: &mut Shrink<'_, '_, '_, '_, K>) -> Result<Verdict, Stopped> {
        let whole = shrink.whole()?;
        let left = shrink.shrunk(whole)?;
        if left.n == 0 {
            return Ok(Verdict::Holds);
        }
        let (search, product) = (shrink.search, self.product);
        let (depth, key) = shrink.accepted(left)?;
        let stem = search.run_to(&key, depth, None, Ending::Prefix, shrink.watch)?;
        let round = Round::new(product, stem.last().to_vec());
        let is_open = |state: &[_]| Ok(!round.is_complete(state));
        let asked = [Property::Always(Box::new(is_open))];
        let around = self.around(&round, &asked, shrink.watch)?;
        let around = match around {
            Verdict::Violated(Some(around)) => around,
            Verdict::Unknown(bound) => return Err(bound.into()),
            _ => return Err(Error::Flawed(Flaw::Lost).into()),
        };
        let mut run = product.without_locations(stem);
        let from = run.steps.len();
        // What was passed, and the location: the last two slots.
        run.steps.extend(around.steps.into_iter().map(|mut step| {
            step.state.truncate(run.initial.len());
            step
        }));
        run.ending = Ending::Loop { from };
        Ok(Verdict::Violated(Some(folded(run))))
    }

    /// Searches for the way round, beside the search for its beginning.
    fn around(
        &self,
        round: &Round<'_>,
        asked: &[Property<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Verdict, Stopped> {
        let mut config = *self.config;
        config.limits.states = None;
        let folder = match self.store {
            RunStore::Memory => None,
            RunStore::Disk { folder, .. } => Some(Folder::new(folder.path().join(ROUND))),
        };
        let store = match &folder {
            None => RunStore::Memory,
            Some(folder) => {
                folder.make()?;
                // One that was killed may have left it behind.
                delete(folder)?;
                let identity = Identity::default();
                RunStore::Disk { folder: folder.clone(), resume: false, identity }
            }
        };
        let found = check_watched(round, asked, &store, &config, watch);
        if let Some(folder) = &folder {
            delete(folder)?;
        }
        let mut verdicts = found?.outcome.verdicts.into_iter();
        Ok(verdicts.next().unwrap_or(Verdict::Holds))
    }
}
