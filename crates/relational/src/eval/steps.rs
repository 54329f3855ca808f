//! Steps, naively: every instance of every event is tried, its body read as a program that may
//! choose. What an event does not mention keeps its value.

use std::collections::BTreeMap;

use super::{Bindings, Evaluated, Evaluator, State, Tuple, Tuples, fits, with};
use crate::ground::{Atom, members};
use crate::types::core::{EventId, Formula, RelationId, Set};
use crate::types::effects::{Effect, Target, effect};
use crate::types::words::Mult;

/// A step: the event, its arguments, and where it leads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Step {
    /// The number of the event.
    pub event: usize,
    /// Its arguments.
    pub arguments: Vec<Atom>,
    /// The next state.
    pub next: State,
}

/// What rows become: the relation, the tuple of all columns but the last, the new members.
type Writes = BTreeMap<(RelationId, Tuple), Tuples>;

impl Evaluator<'_> {
    /// All steps out of a state, each once.
    pub fn steps(&self, state: &State) -> Evaluated<Vec<Step>> {
        let mut steps = Vec::new();
        for event in 0..self.design.events.len() {
            for arguments in self.instances(event) {
                for next in self.fire(event, &arguments, state)? {
                    steps.push(Step { event, arguments: arguments.clone(), next });
                }
            }
        }
        steps.sort();
        Ok(steps)
    }

    /// The arguments that an event can have at all.
    pub fn instances(&self, event: usize) -> Vec<Vec<Atom>> {
        let mut instances = vec![Vec::new()];
        for (_, _, set) in &self.design.events[event].parameters {
            let sig = self.design.sigs.iter().position(
                |sig| matches!(set, Set::Relation(relation, _) if sig.relation == *relation),
            );
            let atoms = sig.map_or(self.world.univ(), |sig| self.world.sigs[sig]);
            let longer = instances.iter().flat_map(|arguments: &Vec<Atom>| {
                members(atoms).map(move |atom| [&arguments[..], &[atom]].concat())
            });
            instances = longer.collect();
        }
        instances
    }

    /// Where an event with these arguments leads, each state once.
    pub fn fire(&self, event: usize, arguments: &[Atom], state: &State) -> Evaluated<Vec<State>> {
        let def = &self.design.events[event];
        let mut bound = Bindings::new();
        for ((variable, _, set), atom) in def.parameters.iter().zip(arguments) {
            if !self.set(set, state, &bound)?.contains(&vec![*atom]) {
                return Ok(Vec::new());
            }
            bound.insert(*variable, *atom);
        }
        let mut found = Vec::new();
        for writes in self.perform(&def.body, state, &bound, vec![Writes::new()])? {
            let next = self.written(state, &writes, EventId(event))?;
            if let Some(relation) = self.misdeclared(&next)? {
                return Err(self.misfit(relation, def.span));
            }
            if self.allowed(&next)? {
                found.push(next);
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// What can be written if a formula is made true as well; nothing where it cannot be.
    fn perform(
        &self,
        formula: &Formula,
        state: &State,
        bound: &Bindings,
        so_far: Vec<Writes>,
    ) -> Evaluated<Vec<Writes>> {
        if so_far.is_empty() {
            return Ok(so_far);
        }
        if !formula.is_primed() {
            return Ok(if self.holds(formula, state, bound)? { so_far } else { Vec::new() });
        }
        match formula {
            Formula::And(all) => {
                // Guards first: what they exclude need not be computable.
                let mut writes = so_far;
                let guards = all.iter().filter(|part| !part.is_primed());
                for part in guards.chain(all.iter().filter(|part| part.is_primed())) {
                    writes = self.perform(part, state, bound, writes)?;
                }
                Ok(writes)
            }
            Formula::Or(all) => {
                let mut writes = Vec::new();
                for part in all {
                    writes.extend(self.perform(part, state, bound, so_far.clone())?);
                }
                Ok(writes)
            }
            Formula::If(c, a, b) => {
                let chosen = if self.holds(c, state, bound)? { a } else { b };
                self.perform(chosen, state, bound, so_far)
            }
            Formula::All(variable, set, body, _) => {
                let mut writes = so_far;
                for atom in self.atoms(set, state, bound)? {
                    writes = self.perform(body, state, &with(bound, *variable, atom), writes)?;
                }
                Ok(writes)
            }
            Formula::Some(variable, set, body, _) => {
                let mut writes = Vec::new();
                for atom in self.atoms(set, state, bound)? {
                    let bound = with(bound, *variable, atom);
                    writes.extend(self.perform(body, state, &bound, so_far.clone())?);
                }
                Ok(writes)
            }
            other => self.effect(other, state, bound, so_far),
        }
    }

    fn effect(
        &self,
        formula: &Formula,
        state: &State,
        bound: &Bindings,
        so_far: Vec<Writes>,
    ) -> Evaluated<Vec<Writes>> {
        let (target, choices) = match effect(formula) {
            Some(Effect::Becomes(target, set)) => (target, vec![self.set(set, state, bound)?]),
            Some(Effect::Cleared(target)) => (target, vec![Tuples::new()]),
            Some(Effect::Within(target, set)) => {
                let all: Vec<Tuple> = self.set(set, state, bound)?.into_iter().collect();
                let mult = self.design.relations[target.relation.0].mult;
                let choices = parts(&all, mult, target.prefix.len(), &target, self);
                (target, choices)
            }
            None => return Ok(Vec::new()),
        };
        let mut prefix = Tuple::new();
        // The outermost join fixes the last of the columns that are fixed.
        for atom in &target.prefix {
            prefix.push(self.only(atom, target.relation, state, bound)?);
        }
        let mut performed = Vec::new();
        for writes in so_far {
            for choice in &choices {
                let rows = self.rows(target.relation, &prefix, choice);
                let mut writes = writes.clone();
                let agree = rows.into_iter().all(|(row, members)| {
                    let known = writes.entry((target.relation, row)).or_insert(members.clone());
                    *known == members
                });
                if agree {
                    performed.push(writes);
                }
            }
        }
        Ok(performed)
    }

    /// The one atom of a set that fixes a column.
    fn only(
        &self,
        set: &Set,
        relation: RelationId,
        state: &State,
        bound: &Bindings,
    ) -> Evaluated<Atom> {
        match self.atoms(set, state, bound)?.as_slice() {
            [atom] => Ok(*atom),
            _ => Err(self.misfit(relation, self.design.relations[relation.0].span)),
        }
    }

    /// A value of a target, row by row: also those that become empty.
    pub(super) fn rows(
        &self,
        relation: RelationId,
        prefix: &[Atom],
        value: &Tuples,
    ) -> Vec<(Tuple, Tuples)> {
        let all = self.world.rows[relation.0].keys().filter(|row| row.starts_with(prefix));
        let mut rows: BTreeMap<Tuple, Tuples> =
            all.map(|row| (row.clone(), Tuples::new())).collect();
        for tuple in value {
            let whole = [prefix, tuple].concat();
            let (last, row) = whole.split_last().unwrap_or((&0, &[]));
            rows.entry(row.to_vec()).or_default().insert(vec![*last]);
        }
        rows.into_iter().collect()
    }

    fn written(&self, state: &State, writes: &Writes, event: EventId) -> Evaluated<State> {
        let mut next = state.clone();
        for ((relation, row), value) in writes {
            let def = &self.design.relations[relation.0];
            let allowed = self.world.rows[relation.0].get(row).copied().unwrap_or(0);
            let inside = value.iter().all(|tuple| allowed >> tuple[0] & 1 == 1);
            if !inside || (allowed != 0 && !fits(def.mult, value.len())) {
                return Err(self.misfit(*relation, self.design.events[event.0].span));
            }
            next.0[relation.0].retain(|tuple| !tuple.starts_with(row));
            let tuples = value.iter().map(|tuple| [row.as_slice(), tuple].concat());
            next.0[relation.0].extend(tuples);
        }
        Ok(next)
    }
}

/// What a target may become if it is to lie within a set: of one atom each where its rows hold one.
fn parts(
    all: &[Tuple],
    mult: Mult,
    n_fixed: usize,
    target: &Target<'_>,
    evaluator: &Evaluator<'_>,
) -> Vec<Tuples> {
    let arity = evaluator.design.relations[target.relation.0].arity();
    let is_row = n_fixed + 1 == arity;
    if is_row && mult == Mult::One {
        return all.iter().map(|tuple| Tuples::from([tuple.clone()])).collect();
    }
    let mut choices = vec![Tuples::new()];
    for tuple in all {
        for position in 0..choices.len() {
            let mut more = choices[position].clone();
            more.insert(tuple.clone());
            choices.push(more);
        }
    }
    choices.retain(|choice| !is_row || fits(mult, choice.len()));
    choices
}
