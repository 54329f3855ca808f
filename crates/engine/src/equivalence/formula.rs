//! Formulas that tell states apart which have the same traces, read off a refinement's rounds.
//!
//! For strong and weak bisimulation they are formulas of Hennessy & Milner (1985), constructed as
//! by Cleaveland (1990) but with the least number of nested moves; for branching bisimulation the
//! step may say what holds on the way, as in the until of De Nicola & Vaandrager (1995).

use std::collections::VecDeque;
use std::fmt;

use quadrille_model::StateId;
use rustc_hash::FxHashSet;

use super::classes::Classified;
use super::system::{Label, Names, System};
use super::{Bisimulation, Observation};

/// Something true of one state and not of another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// The state can make a step: for strong bisimulation just this one, for branching
    /// bisimulation with internal steps before, for weak bisimulation also with some after.
    Can {
        /// What all states have in common that internal steps pass before the observation.
        through: Vec<Formula>,
        /// What is observed.
        what: Observation,
        /// What all holds afterwards.
        then: Vec<Formula>,
    },
    /// The formula does not hold.
    Not(Box<Formula>),
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, can) = match self {
            Formula::Can { .. } => ("can", self),
            Formula::Not(inner) if matches!(**inner, Formula::Can { .. }) => ("cannot", &**inner),
            Formula::Not(inner) => return write!(f, "not ({inner})"),
        };
        let Formula::Can { through, what, then } = can else {
            return Ok(());
        };
        f.write_str(verb)?;
        if !through.is_empty() {
            write!(f, ", while it {},", Conjunction(through))?;
        }
        write!(f, " {what}")?;
        if !then.is_empty() {
            write!(f, " then ({})", Conjunction(then))?;
        }
        Ok(())
    }
}

struct Conjunction<'a>(&'a [Formula]);

impl fmt::Display for Conjunction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, formula) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str(" and ")?;
            }
            write!(f, "{formula}")?;
        }
        Ok(())
    }
}

/// Longer ones are not readable; without an end, formulas can grow exponentially.
const MAX_STEPS: usize = 200;

/// A formula true of `left` and of none of `others`, none of which is equivalent to it; nothing if
/// it would be too long to read.
pub(super) fn distinguish(
    classified: &Classified,
    kind: Bisimulation,
    names: &Names,
    left: StateId,
    others: &[StateId],
) -> Option<Vec<Formula>> {
    let mut writer = Writer { classified, kind, names, n_steps: 0 };
    writer.against_all(left, others.iter().copied())
}

struct Writer<'a> {
    classified: &'a Classified,
    kind: Bisimulation,
    names: &'a Names,
    n_steps: usize,
}

/// What a state can do in one step of the relation, for one observation.
struct Moves {
    /// Where it may be afterwards.
    targets: Vec<(Label, StateId)>,
    /// Branching only: states behind the first internal step that leaves the block.
    exits: Vec<StateId>,
}

impl Writer<'_> {
    /// Formulas that together are true of `left` and of none of `others`.
    fn against_all(
        &mut self,
        left: StateId,
        others: impl Iterator<Item = StateId>,
    ) -> Option<Vec<Formula>> {
        let mut formulas = Vec::new();
        let mut done: FxHashSet<(u32, u32)> = FxHashSet::default();
        for other in others {
            let refinement = &self.classified.refinement;
            let round =
                refinement.separated(left.index(), other.index()).expect("they are not equivalent");
            // The formula is false in every state that the round does not tell from `other`.
            if done.insert((round, refinement.block_after(round, other.index()))) {
                let formula = self.against(left, other, round)?;
                if !formulas.contains(&formula) {
                    formulas.push(formula);
                }
            }
        }
        Some(formulas)
    }

    /// A formula true of `left` and not of `right`, which `round` separates first. It cannot tell
    /// states apart that the round does not.
    fn against(&mut self, left: StateId, right: StateId, round: u32) -> Option<Formula> {
        self.n_steps += 1;
        if self.n_steps > MAX_STEPS {
            return None;
        }
        let (of_left, of_right) = (self.moves(left, round - 1), self.moves(right, round - 1));
        if let Some(step) = self.unmatched(&of_left, &of_right, round - 1) {
            return self.step((left, step), (right, &of_right));
        }
        let step = self.unmatched(&of_right, &of_left, round - 1);
        let step = step.expect("a round separates states with different signatures");
        let formula = self.step((right, step), (left, &of_left))?;
        Some(Formula::Not(Box::new(formula)))
    }

    /// "Can make this step", true of the first state and false of the second with its moves.
    fn step(
        &mut self,
        (from, (label, target)): (StateId, (Label, StateId)),
        (other, moves): (StateId, &Moves),
    ) -> Option<Formula> {
        let through = self.against_all(from, moves.exits.iter().copied())?;
        let mut avoid: Vec<StateId> = Vec::new();
        if self.kind == Bisimulation::Branching && label == Label::INTERNAL {
            // Inert steps are internal steps too; they stay where the round tells nothing apart.
            avoid.push(other);
        }
        avoid.extend(moves.targets.iter().filter(|step| step.0 == label).map(|step| step.1));
        let then = self.against_all(target, avoid.into_iter())?;
        Some(Formula::Can { through, what: self.names.observation(label), then })
    }

    /// A move whose label and target block the other has not: preferably a label it has not at all.
    fn unmatched(&self, own: &Moves, other: &Moves, round: u32) -> Option<(Label, StateId)> {
        let block = |state: StateId| self.classified.refinement.block_after(round, state.index());
        let labels: FxHashSet<Label> = other.targets.iter().map(|step| step.0).collect();
        let pairs: FxHashSet<(Label, u32)> =
            other.targets.iter().map(|&(label, to)| (label, block(to))).collect();
        let mut candidates =
            own.targets.iter().filter(|&&(label, to)| !pairs.contains(&(label, block(to))));
        let first = candidates.next()?;
        let new_label = std::iter::once(first).chain(candidates).find(|s| !labels.contains(&s.0));
        Some(*new_label.unwrap_or(first))
    }

    fn moves(&self, state: StateId, round: u32) -> Moves {
        let system = &self.classified.system;
        match self.kind {
            Bisimulation::Strong => {
                Moves { targets: system.edges(state).to_vec(), exits: Vec::new() }
            }
            Bisimulation::Branching => self.branching_moves(state, round),
            Bisimulation::Weak => Moves { targets: weak_moves(system, state), exits: Vec::new() },
        }
    }

    fn branching_moves(&self, state: StateId, round: u32) -> Moves {
        let system = &self.classified.system;
        let block = |state: StateId| self.classified.refinement.block_after(round, state.index());
        let mut moves = Moves { targets: Vec::new(), exits: Vec::new() };
        let mut seen = FxHashSet::from_iter([state]);
        let mut queue = VecDeque::from([state]);
        while let Some(inner) = queue.pop_front() {
            for &(label, to) in system.edges(inner) {
                if label != Label::INTERNAL || block(to) != block(state) {
                    moves.targets.push((label, to));
                    if label == Label::INTERNAL {
                        moves.exits.push(to);
                    }
                } else if seen.insert(to) {
                    queue.push_back(to);
                }
            }
        }
        moves.targets.sort_unstable();
        moves.targets.dedup();
        moves.exits.sort_unstable();
        moves.exits.dedup();
        moves
    }
}

fn weak_moves(system: &System, state: StateId) -> Vec<(Label, StateId)> {
    let before = system.closure(vec![state]);
    let mut direct: Vec<(Label, StateId)> =
        before.iter().flat_map(|&inner| system.visible(inner).iter().copied()).collect();
    direct.sort_unstable();
    direct.dedup();
    let mut moves: Vec<_> = before.into_iter().map(|to| (Label::INTERNAL, to)).collect();
    for group in direct.chunk_by(|left, right| left.0 == right.0) {
        let after = system.closure(group.iter().map(|step| step.1).collect());
        moves.extend(after.into_iter().map(|to| (group[0].0, to)));
    }
    moves
}
