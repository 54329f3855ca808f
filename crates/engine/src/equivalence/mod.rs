//! Comparing and minimising transition systems given as tables: bisimulations (strong, branching,
//! weak) and traces. What differs is explained: by a shortest trace where traces differ, by a
//! formula otherwise.
//!
//! Two systems are *bisimilar* when each initial state of either has an equivalent one in the
//! other. Labels are matched by text. A [`View`] says which are internal, whether ends count, and
//! whether an internal loop counts. Ends are treated like an action: a state matches one that may
//! end if it may end too, in branching and weak bisimulation after internal steps. Unreachable
//! states and propositions are not looked at.
//!
//! | question | answer | where |
//! |---|---|---|
//! | are they bisimilar? | signature refinement | `classes.rs` |
//! | why not? | formula read off the rounds of the refinement | `formula.rs` |
//! | has one traces that the other has not? | sets of states, antichains | `traces.rs` |
//! | which run shows it? | search for the word in the table | `word.rs` |

mod classes;
mod formula;
mod system;
#[cfg(test)]
mod tests;
mod traces;
mod word;

use std::collections::BTreeSet;
use std::fmt;

use quadrille_model::{Bound, Explicit, StateId, Trace};

use crate::limits::{Limits, Observer, Watch};

pub use formula::Formula;
pub use quadrille_graph::Bisimulation;

use classes::{Classified, Quotient, classify};
use system::{Joined, Names, join, to_table};
use traces::{determinise, missing_trace};

/// What is asked of two systems.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// They are bisimilar.
    Bisimilar(Bisimulation),
    /// Every trace of the left is one of the right.
    TracesIncluded,
    /// They have the same traces.
    SameTraces,
}

/// What is seen of a system from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Labels that are not seen. With none, traces are complete and the bisimulations coincide.
    pub internal: BTreeSet<String>,
    /// Whether it is seen that a system may end.
    pub endings: bool,
    /// Whether branching and weak bisimulation see that a system may make internal steps for ever.
    pub divergence: bool,
}

impl Default for View {
    fn default() -> Self {
        View { internal: BTreeSet::new(), endings: true, divergence: false }
    }
}

/// What a comparison found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// The relation holds.
    Holds,
    /// It does not.
    Differs(Difference),
    /// A bound was reached first.
    Unknown(Bound),
}

/// Why two systems differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// A trace that only one of them has; no shorter one is of this kind.
    Word(Word),
    /// They have the same traces, but one has an initial state of which all these formulas are
    /// true, and the other has none.
    Formulas {
        /// The one that has.
        side: Side,
        /// What is true there.
        formulas: Vec<Formula>,
    },
    /// They differ after this many moves of the bisimulation game; a formula would be too long.
    Moves(u32),
}

/// A trace that one system has and the other has not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// The one that has it.
    pub side: Side,
    /// What is seen, in order; the other can go along until the last.
    pub observations: Vec<Observation>,
    /// A run of this side that shows it.
    pub run: Trace,
}

/// One of two systems.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

/// Something seen of a system.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Observation {
    /// An internal step; in formulas only.
    Internal,
    /// An action with this label.
    Action(String),
    /// It ends.
    End,
    /// It makes internal steps for ever.
    Divergence,
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Observation::Internal => f.write_str("step internally"),
            Observation::Action(label) => write!(f, "do \"{label}\""),
            Observation::End => f.write_str("end"),
            Observation::Divergence => f.write_str("step internally for ever"),
        }
    }
}

/// Pairs of a state and a set that the search for an explaining trace may keep: bisimulation is
/// decided without it, so it should not take much longer.
const MAX_EXPLANATION: u64 = 200_000;

/// Compares two systems. Where the limits or the observer end it, the answer is unknown. Comparing
/// traces can take exponentially many pairs of a state and a set of states; they count as the states
/// of `limits`.
pub fn compare(
    left: &Explicit,
    right: &Explicit,
    relation: Relation,
    view: &View,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Comparison {
    let mut watch = Watch::new(limits, observer);
    watch.hold(left.table_bytes() + right.table_bytes());
    compare_within(left, right, relation, view, &mut watch)
}

/// [`compare`] as one of several phases: the watch holds the tables, and sees what they are made of.
pub fn compare_within(
    left: &Explicit,
    right: &Explicit,
    relation: Relation,
    view: &View,
    watch: &mut Watch<'_>,
) -> Comparison {
    let comparison = match relation {
        Relation::Bisimilar(kind) => {
            let given = watch.limit_states(Some(MAX_EXPLANATION));
            let difference = bisimilar(left, right, kind, view, watch);
            watch.limit_states(given);
            difference.map(|found| found.map_or(Comparison::Holds, Comparison::Differs))
        }
        Relation::TracesIncluded => {
            Traces::new(left, right, view, watch).map(|traces| traces.included(Side::Left, watch))
        }
        Relation::SameTraces => {
            Traces::new(left, right, view, watch).map(|traces| traces.same(watch))
        }
    };
    let comparison = comparison.unwrap_or_else(Comparison::Unknown);
    if let Comparison::Differs(Difference::Word(word)) = &comparison {
        let table = word.side.of(left, right);
        assert_eq!(word.run.replay(table), Ok(()), "the run that shows a difference is a run");
    }
    comparison
}

/// The smallest table that is bisimilar to the given one (fewest states), without propositions.
/// Internal labels become one, the first of them. States are numbered breadth-first. With
/// [`View::divergence`], a state that may step internally for ever keeps an internal loop.
pub fn quotient(
    table: &Explicit,
    kind: Bisimulation,
    view: &View,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Explicit, Bound> {
    let view = narrow(kind, view);
    let mut watch = Watch::new(limits, observer);
    watch.hold(table.table_bytes());
    let Joined { system, names, initial } = join(&[table], &view, &mut watch)?;
    let classified = classify(system, kind, view.divergence, &mut watch)?;
    let quotient = classified.quotient(kind != Bisimulation::Strong, &mut watch)?;
    drop(classified);
    let Quotient { system, class_of } = quotient;
    // The table is made of the quotient, with the order of its states beside.
    let n_states = system.n_states();
    watch.allocated(3 * system.image_bytes() + 32 * n_states)?;
    Ok(to_table(&system, &classes(&class_of, &initial[0]), &names))
}

/// The smallest deterministic table with the same traces, ends included if the view shows them,
/// without internal steps and propositions. Where every state can reach an end, it is the minimal
/// automaton of the language of complete traces. Before minimisation it may be exponentially larger
/// than the given table; limits and the observer can end that.
pub fn minimal_automaton(
    table: &Explicit,
    view: &View,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Explicit, Bound> {
    let view = View { divergence: false, ..view.clone() };
    let mut watch = Watch::new(limits, observer);
    watch.hold(table.table_bytes());
    let Joined { system, names, initial } = join(&[table], &view, &mut watch)?;
    let Quotient { system, class_of } =
        classify(system, Bisimulation::Branching, false, &mut watch)?.quotient(true, &mut watch)?;
    watch.hold(system.bytes() + size_of_val::<[StateId]>(&class_of));
    let (system, start) = determinise(&system, &classes(&class_of, &initial[0]), &mut watch)?;
    let minimal = classify(system, Bisimulation::Strong, false, &mut watch)?;
    let minimal = minimal.quotient(false, &mut watch)?;
    let start: Vec<StateId> = start.into_iter().collect();
    Ok(to_table(&minimal.system, &classes(&minimal.class_of, &start), &names))
}

impl Side {
    /// The other one.
    pub fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }

    fn of<T>(self, left: T, right: T) -> T {
        match self {
            Side::Left => left,
            Side::Right => right,
        }
    }
}

impl Difference {
    /// The same difference in words that are easier to read: "right can", not "left cannot". Only
    /// where a side has no other initial state.
    fn affirmative(self) -> Difference {
        let Difference::Formulas { side, mut formulas } = self else {
            return self;
        };
        if formulas.len() == 1
            && let Some(Formula::Not(inner)) = formulas.pop_if(|f| matches!(f, Formula::Not(_)))
        {
            return Difference::Formulas { side: side.other(), formulas: vec![*inner] };
        }
        Difference::Formulas { side, formulas }
    }
}

/// What of a view matters: strong bisimulation knows no internal labels.
fn narrow(kind: Bisimulation, view: &View) -> View {
    match kind {
        Bisimulation::Strong => {
            View { internal: BTreeSet::new(), divergence: false, ..view.clone() }
        }
        Bisimulation::Branching | Bisimulation::Weak => view.clone(),
    }
}

fn classes(class_of: &[StateId], states: &[StateId]) -> Vec<StateId> {
    let mut classes: Vec<StateId> = Vec::new();
    for state in states {
        let class = class_of[state.index()];
        if !classes.contains(&class) {
            classes.push(class);
        }
    }
    classes
}

fn bisimilar(
    left: &Explicit,
    right: &Explicit,
    kind: Bisimulation,
    view: &View,
    watch: &mut Watch<'_>,
) -> Result<Option<Difference>, Bound> {
    let view = narrow(kind, view);
    let Joined { system, names, initial } = join(&[left, right], &view, watch)?;
    let classified = classify(system, kind, view.divergence, watch)?;
    let quotient = classified.quotient(kind != Bisimulation::Strong, watch)?;
    watch.hold(classified.bytes() + quotient.bytes());
    let starts = [0, 1].map(|side: usize| classes(&quotient.class_of, &initial[side]));
    let lonely = |side: Side| {
        let (own, other) = side.of((0, 1), (1, 0));
        let position =
            |state: &&StateId| !starts[other].contains(&quotient.class_of[state.index()]);
        initial[own].iter().find(position).map(|state| (side, *state))
    };
    let Some((side, state)) = lonely(Side::Left).or_else(|| lonely(Side::Right)) else {
        return Ok(None);
    };
    let traces = Traces { left, right, view: &view, names, quotient, starts };
    match traces.same(watch) {
        Comparison::Differs(word) => return Ok(Some(word)),
        Comparison::Unknown(Bound::States(_)) | Comparison::Holds => {}
        // That they differ is known; how it shows is not worth more than is left.
        Comparison::Unknown(_) => {
            return Ok(Some(Difference::Moves(classified.refinement.n_rounds())));
        }
    }
    let place = |state: &StateId| classified.place[state.index()];
    let others: Vec<StateId> = initial[side.of(1, 0)].iter().map(place).collect();
    let difference = explain(&classified, kind, &traces.names, side, place(&state), &others);
    let is_only = initial[side.of(0, 1)].len() == 1;
    Ok(Some(if is_only { difference.affirmative() } else { difference }))
}

fn explain(
    classified: &Classified,
    kind: Bisimulation,
    names: &Names,
    side: Side,
    state: StateId,
    others: &[StateId],
) -> Difference {
    match formula::distinguish(classified, kind, names, state, others) {
        Some(formulas) => Difference::Formulas { side, formulas },
        None => {
            let separated =
                |other: &StateId| classified.refinement.separated(state.index(), other.index());
            let rounds = others.iter().filter_map(separated);
            Difference::Moves(rounds.max().unwrap_or(0))
        }
    }
}

/// Two systems side by side, ready for the comparison of their traces.
struct Traces<'a> {
    left: &'a Explicit,
    right: &'a Explicit,
    view: &'a View,
    names: Names,
    /// Both together, modulo an equivalence that keeps traces.
    quotient: Quotient,
    starts: [Vec<StateId>; 2],
}

impl<'a> Traces<'a> {
    fn new(
        left: &'a Explicit,
        right: &'a Explicit,
        view: &'a View,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Bound> {
        let Joined { system, names, initial } = join(&[left, right], view, watch)?;
        let classified = classify(system, Bisimulation::Branching, false, watch)?;
        let quotient = classified.quotient(true, watch)?;
        watch.hold(quotient.bytes());
        let starts = [0, 1].map(|side: usize| classes(&quotient.class_of, &initial[side]));
        Ok(Traces { left, right, view, names, quotient, starts })
    }

    /// Whether all traces of one side are traces of the other.
    fn included(&self, side: Side, watch: &mut Watch<'_>) -> Comparison {
        let [left, right] = &self.starts;
        let (own, other) = side.of((left, right), (right, left));
        match missing_trace(&self.quotient.system, own, other, watch) {
            Err(bound) => Comparison::Unknown(bound),
            Ok(None) => Comparison::Holds,
            Ok(Some(labels)) => {
                let observations: Vec<Observation> =
                    labels.iter().map(|&label| self.names.observation(label)).collect();
                let table = side.of(self.left, self.right);
                let run = word::find_run(table, self.view, &observations);
                Comparison::Differs(Difference::Word(Word { side, observations, run }))
            }
        }
    }

    /// Whether both sides have the same traces; a difference is shown by a shortest trace.
    fn same(&self, watch: &mut Watch<'_>) -> Comparison {
        let length = |comparison: &Comparison| match comparison {
            Comparison::Differs(Difference::Word(word)) => Some(word.observations.len()),
            _ => None,
        };
        let [left, right] = [Side::Left, Side::Right].map(|side| self.included(side, watch));
        match (length(&left), length(&right)) {
            (Some(of_left), Some(of_right)) if of_right < of_left => right,
            (None, Some(_)) => right,
            (None, None) if left == Comparison::Holds => right,
            (Some(_), _) | (None, None) => left,
        }
    }
}
