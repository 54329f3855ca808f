//! Looks at a counterexample a second time, from scratch, before anybody sees it: the automaton
//! accepts the letters of its steps, and its loop is fair. Shares nothing with the searches.

use quadrille_logic::{Automaton, Letter, Location};
use quadrille_model::{ActionId, Ending, GroupId, Model, Runs, Trace, Value};
use rustc_hash::FxHashMap;

use super::atoms::Interpretation;
use super::fairness::FairGroups;
use super::scc::components;

/// Why a run that the model performs is no counterexample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// Runs that end this way do not count.
    WrongEnding,
    /// It satisfies the formula.
    NotAccepted,
    /// It is not fair to this group.
    Unfair(GroupId),
}

/// Whether a run of a model is accepted and fair.
pub(super) fn examine(
    trace: &Trace,
    model: &dyn Model,
    automaton: &Automaton,
    interpretation: &Interpretation,
    runs: Runs,
    fair: &FairGroups,
) -> Result<(), Flaw> {
    let word = word(trace, model, interpretation, runs).ok_or(Flaw::WrongEnding)?;
    if !accepts(automaton, &word) {
        return Err(Flaw::NotAccepted);
    }
    match trace.ending {
        Ending::Loop { from } => fair_loop(trace, from, model, fair),
        Ending::Prefix | Ending::Stuck | Ending::Finished => Ok(()),
    }
}

/// An infinite word: its letters, of which the ones from `back` on repeat for ever.
pub(super) struct Word {
    pub letters: Vec<Letter>,
    pub back: usize,
}

/// The word of a run; `None` if runs that end this way do not count.
fn word(
    trace: &Trace,
    model: &dyn Model,
    interpretation: &Interpretation,
    runs: Runs,
) -> Option<Word> {
    let alive = if runs == Runs::Finite { interpretation.alive() } else { 0 };
    let state_letter = |state: &[Value]| interpretation.state_letter(model, state) | alive;
    let mut letters: Vec<Letter> = Vec::new();
    for (position, step) in trace.steps.iter().enumerate() {
        let action = interpretation.action_letter(model, step.action);
        letters.push(state_letter(trace.state(position)) | action);
    }
    let back = match (runs, trace.ending) {
        (Runs::Maximal | Runs::Infinite, Ending::Loop { from }) => from,
        (Runs::Maximal, Ending::Stuck | Ending::Finished) => {
            letters.push(state_letter(trace.last()));
            trace.steps.len()
        }
        (Runs::Finite, Ending::Finished) => {
            letters.extend([state_letter(trace.last()), 0]);
            trace.steps.len() + 1
        }
        _ => return None,
    };
    Some(Word { letters, back })
}

/// Whether an automaton accepts a word.
pub(super) fn accepts(automaton: &Automaton, word: &Word) -> bool {
    let mut places: FxHashMap<(usize, Location), usize> = FxHashMap::default();
    let mut nodes: Vec<(usize, Location)> = Vec::new();
    let mut number = |nodes: &mut Vec<(usize, Location)>, node| {
        *places.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() - 1
        })
    };
    for &location in &automaton.initial {
        number(&mut nodes, (0, location));
    }
    let (mut graph, mut marks) = (Vec::new(), Vec::new());
    while let Some(&(position, location)) = nodes.get(graph.len()) {
        let next = if position + 1 == word.letters.len() { word.back } else { position + 1 };
        let edges = automaton.edges[location.index()].iter();
        let open = edges.filter(|edge| edge.label.accepts(word.letters[position]));
        let (targets, labels): (Vec<usize>, Vec<_>) =
            open.map(|edge| (number(&mut nodes, (next, edge.to)), edge.marks)).unzip();
        graph.push(targets);
        marks.push(labels);
    }
    let component = components(&graph);
    let mut inside = vec![None; graph.len()];
    for (node, targets) in graph.iter().enumerate() {
        for (&target, marks) in targets.iter().zip(&marks[node]) {
            if component[target] == component[node] {
                *inside[component[node]].get_or_insert(0) |= marks;
            }
        }
    }
    inside.contains(&Some(automaton.all_marks()))
}

fn fair_loop(trace: &Trace, from: usize, model: &dyn Model, fair: &FairGroups) -> Result<(), Flaw> {
    let positions = from..trace.steps.len();
    let is_taken = |group| trace.steps[from..].iter().any(|step| step.group == group);
    let is_enabled = |group, position| {
        let mut found = false;
        let mut look = |_: GroupId, _: ActionId, _: &[Value]| found = true;
        model.successors(group, trace.state(position), &mut look);
        found
    };
    for &group in fair.weak() {
        if !is_taken(group) && positions.clone().all(|position| is_enabled(group, position)) {
            return Err(Flaw::Unfair(group));
        }
    }
    for &group in fair.strong() {
        if !is_taken(group) && positions.clone().any(|position| is_enabled(group, position)) {
            return Err(Flaw::Unfair(group));
        }
    }
    Ok(())
}
