//! What an instance of an event does, as circuits: the ways in which it can go, each with the
//! condition that it can and with what rows of relations become. Follows the naive evaluator.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use quadrille_diagnostic::Diagnostic;

use super::circuit::{Bit, FALSE, TRUE};
use super::ground::{Failure, Grounder, may_fail};
use super::matrix::{Matrix, key};
use crate::codes::LARGE;
use crate::eval::{Bindings, Tuple, fits};
use crate::ground::{Atom, members};
use crate::types::core::{EventDef, Formula, RelationId, Set};
use crate::types::effects::{Effect, Target, effect};
use crate::types::words::Mult;

/// Most ways in which an instance of an event can go.
const MOST_WAYS: usize = 1 << 12;

/// Most tuples of which a part is chosen.
const MOST_CHOSEN: usize = 12;

/// What a row becomes, where it is written at all.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Written {
    pub(super) when: Bit,
    pub(super) cells: BTreeMap<Atom, Bit>,
}

/// Rows by relation and by the tuple of all columns but the last.
pub(super) type Rows = BTreeMap<(RelationId, Tuple), Written>;

/// A way in which an event can go.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Way {
    pub(super) when: Bit,
    pub(super) rows: Rows,
}

type Ways = Result<Vec<Way>, Box<Diagnostic>>;

impl Grounder<'_> {
    /// The ways in which an event with these arguments can go.
    pub(super) fn ways(&mut self, event: &EventDef, arguments: &[Atom]) -> Ways {
        self.bound.clear();
        let mut parameters = TRUE;
        for ((variable, _, set), atom) in event.parameters.iter().zip(arguments) {
            let fails = set.any(&|_| false, &|set| matches!(set, Set::Number(..)));
            let path = if fails { parameters } else { FALSE };
            let member = self.set(set, path).cells.get(&key(&[*atom])).copied();
            parameters = self.circuit.and([parameters, member.unwrap_or(FALSE)]);
            if parameters == FALSE {
                return Ok(Vec::new());
            }
            self.bound.insert(*variable, *atom);
        }
        let start = Way { when: parameters, rows: Rows::new() };
        let mut ways = self.perform(&event.body, event, vec![start])?;
        for way in &mut ways {
            self.fit(way, event);
            self.assume(way, event);
        }
        ways.retain(|way| way.when != FALSE);
        self.bound.clear();
        Ok(ways)
    }

    /// Where one of the ways can be gone.
    fn path(&mut self, ways: &[Way]) -> Bit {
        self.circuit.or(ways.iter().map(|way| way.when))
    }

    /// The ways on which a condition holds as well.
    fn narrowed(&mut self, mut ways: Vec<Way>, condition: Bit) -> Vec<Way> {
        for way in &mut ways {
            way.when = self.circuit.and([way.when, condition]);
        }
        ways.retain(|way| way.when != FALSE);
        ways
    }

    fn perform(&mut self, formula: &Formula, event: &EventDef, ways: Vec<Way>) -> Ways {
        if ways.is_empty() {
            return Ok(ways);
        }
        if ways.len() > MOST_WAYS || self.is_too_wide {
            let message = format!("`{}` can go in too many ways", event.name);
            let help = "use a smaller scope, or choose less at once";
            return Err(Box::new(Diagnostic::error(&LARGE, message).at(event.span, "").help(help)));
        }
        let path = if may_fail(formula) { self.path(&ways) } else { FALSE };
        if !formula.is_primed() {
            let condition = self.holds(formula, path);
            return Ok(self.narrowed(ways, condition));
        }
        match formula {
            Formula::And(all) => {
                let mut ways = ways;
                let guards = all.iter().filter(|part| !part.is_primed());
                for part in guards.chain(all.iter().filter(|part| part.is_primed())) {
                    ways = self.perform(part, event, ways)?;
                }
                Ok(ways)
            }
            Formula::Or(all) => {
                let mut found = Vec::new();
                for part in all {
                    found.extend(self.perform(part, event, ways.clone())?);
                }
                Ok(found)
            }
            Formula::If(c, a, b) => {
                let c = self.holds(c, path);
                self.either(c, ways, |this, ways, holds| {
                    this.perform(if holds { a } else { b }, event, ways)
                })
            }
            Formula::All(variable, set, body, _) => {
                let mut ways = ways;
                for (atom, member) in self.set(set, path).atoms() {
                    ways = self.either(member, ways, |this, ways, holds| match holds {
                        true => this.with(*variable, atom, |this| this.perform(body, event, ways)),
                        false => Ok(ways),
                    })?;
                }
                Ok(ways)
            }
            Formula::Some(variable, set, body, _) => {
                let mut found = Vec::new();
                for (atom, member) in self.set(set, path).atoms() {
                    let ways = self.narrowed(ways.clone(), member);
                    let more = self.with(*variable, atom, |this| this.perform(body, event, ways));
                    found.extend(more?);
                }
                Ok(found)
            }
            other => self.effect(other, event, ways, path),
        }
    }

    /// Goes on in one way where a condition holds, in another where it does not; together in one,
    /// where neither chooses.
    fn either(
        &mut self,
        condition: Bit,
        ways: Vec<Way>,
        mut go: impl FnMut(&mut Self, Vec<Way>, bool) -> Ways,
    ) -> Ways {
        match condition {
            TRUE => return go(self, ways, true),
            FALSE => return go(self, ways, false),
            _ => {}
        }
        let not = self.circuit.not(condition);
        let mut found = Vec::new();
        for way in ways {
            let then = self.narrowed(vec![way.clone()], condition);
            let then = go(self, then, true)?;
            let otherwise = self.narrowed(vec![way], not);
            let otherwise = go(self, otherwise, false)?;
            match (then.as_slice(), otherwise.as_slice()) {
                ([one], [other]) => found.push(self.merged(condition, one, other)),
                _ => found.extend(then.into_iter().chain(otherwise)),
            }
        }
        Ok(found)
    }

    fn merged(&mut self, condition: Bit, one: &Way, other: &Way) -> Way {
        let nothing = Written { when: FALSE, cells: BTreeMap::new() };
        let mut rows = Rows::new();
        for row in one.rows.keys().chain(other.rows.keys()) {
            let (a, b) = (one.rows.get(row), other.rows.get(row));
            let (a, b) = (a.unwrap_or(&nothing), b.unwrap_or(&nothing));
            let written = if a == b {
                a.clone()
            } else {
                let when = self.circuit.choose(condition, a.when, b.when);
                let cells = match (a.when, b.when) {
                    (FALSE, _) => b.cells.clone(),
                    (_, FALSE) => a.cells.clone(),
                    _ => self.chosen(condition, &a.cells, &b.cells),
                };
                Written { when, cells }
            };
            rows.insert(row.clone(), written);
        }
        Way { when: self.circuit.or([one.when, other.when]), rows }
    }

    fn chosen(
        &mut self,
        condition: Bit,
        a: &BTreeMap<Atom, Bit>,
        b: &BTreeMap<Atom, Bit>,
    ) -> BTreeMap<Atom, Bit> {
        let mut chosen = BTreeMap::new();
        for atom in a.keys().chain(b.keys()) {
            let bit = |of: &BTreeMap<Atom, Bit>| of.get(atom).copied().unwrap_or(FALSE);
            chosen.insert(*atom, self.circuit.choose(condition, bit(a), bit(b)));
        }
        chosen.retain(|_, bit| *bit != FALSE);
        chosen
    }

    fn effect(&mut self, formula: &Formula, event: &EventDef, ways: Vec<Way>, path: Bit) -> Ways {
        let (target, choices) = match effect(formula) {
            Some(Effect::Becomes(target, set)) => (target, vec![(TRUE, self.set(set, path))]),
            Some(Effect::Cleared(target)) => {
                let arity = self.design.relations[target.relation.0].arity();
                let empty = Matrix::new(arity - target.prefix.len());
                (target, vec![(TRUE, Rc::new(empty))])
            }
            Some(Effect::Within(target, set)) => {
                let set = self.set(set, path);
                let choices = self.parts(&target, &set, event)?;
                (target, choices)
            }
            None => return Ok(Vec::new()),
        };
        let here = self.path(&ways);
        let prefixes = self.prefixes(&target, path, here);
        let mut found = Vec::new();
        for way in ways {
            for (when, value) in &choices {
                let mut way = way.clone();
                way.when = self.circuit.and([way.when, *when]);
                for (when, prefix) in &prefixes {
                    for (row, cells) in self.rows(target.relation, prefix, value) {
                        self.write(
                            &mut way,
                            (target.relation, row),
                            Written { when: *when, cells },
                        );
                    }
                }
                if way.when != FALSE {
                    found.push(way);
                }
            }
        }
        Ok(found)
    }

    /// The atoms that the columns of a target can be fixed to, each with its condition.
    fn prefixes(&mut self, target: &Target<'_>, path: Bit, here: Bit) -> Vec<(Bit, Tuple)> {
        let mut prefixes = vec![(TRUE, Tuple::new())];
        for set in &target.prefix {
            let atoms = self.set(set, path).atoms();
            let mut only = Vec::new();
            for (atom, bit) in &atoms {
                let others = atoms.iter().filter(|(other, _)| other != atom);
                let some = self.circuit.or(others.map(|(_, bit)| *bit));
                let none = self.circuit.not(some);
                let bit = self.circuit.and([*bit, none]);
                only.push((*atom, bit));
            }
            let found = self.circuit.or(only.iter().map(|(_, bit)| *bit));
            let missing = self.circuit.not(found);
            let missing = self.circuit.and([here, missing]);
            let span = self.design.relations[target.relation.0].span;
            self.fail(missing, Failure::Misfit(target.relation, span));
            let before = std::mem::take(&mut prefixes);
            for (when, prefix) in before {
                for (atom, bit) in &only {
                    let both = self.circuit.and([when, *bit]);
                    if both != FALSE {
                        prefixes.push((both, [&prefix[..], &[*atom]].concat()));
                    }
                }
            }
        }
        prefixes
    }

    /// Writes a row as well; where it is written already, both must say the same.
    fn write(&mut self, way: &mut Way, row: (RelationId, Tuple), new: Written) {
        let Some(old) = way.rows.get(&row).cloned() else {
            way.rows.insert(row, new);
            return;
        };
        let agree = self.equal(&old.cells, &new.cells);
        let (not_old, not_new) = (self.circuit.not(old.when), self.circuit.not(new.when));
        let agree = self.circuit.or([not_old, not_new, agree]);
        way.when = self.circuit.and([way.when, agree]);
        let cells = match old.when {
            TRUE => old.cells,
            when => self.chosen(when, &old.cells, &new.cells),
        };
        let when = self.circuit.or([old.when, new.when]);
        way.rows.insert(row, Written { when, cells });
    }

    /// A value of a target, row by row: also those that become empty.
    fn rows(
        &mut self,
        relation: RelationId,
        prefix: &[Atom],
        value: &Matrix,
    ) -> Vec<(Tuple, BTreeMap<Atom, Bit>)> {
        let all = self.world.rows[relation.0].keys().filter(|row| row.starts_with(prefix));
        let mut rows: BTreeMap<Tuple, BTreeMap<Atom, Bit>> =
            all.map(|row| (row.clone(), BTreeMap::new())).collect();
        for (key, bit) in &value.cells {
            let tuple = (0..value.arity).rev().map(|column| (key >> (8 * column) & 0xff) as Atom);
            let whole: Tuple = prefix.iter().copied().chain(tuple).collect();
            let (last, row) = whole.split_last().unwrap_or((&0, &[]));
            rows.entry(row.to_vec()).or_default().insert(*last, *bit);
        }
        rows.into_iter().collect()
    }

    /// What a target may become if it is to lie within a set.
    fn parts(
        &mut self,
        target: &Target<'_>,
        set: &Matrix,
        event: &EventDef,
    ) -> Result<Vec<(Bit, Rc<Matrix>)>, Box<Diagnostic>> {
        let def = &self.design.relations[target.relation.0];
        let is_row = target.prefix.len() + 1 == def.arity();
        let part = |keys: &[u64]| {
            let cells = keys.iter().map(|key| (*key, TRUE)).collect();
            Rc::new(Matrix { arity: set.arity, cells })
        };
        if is_row && def.mult == Mult::One {
            return Ok(set.cells.iter().map(|(key, bit)| (*bit, part(&[*key]))).collect());
        }
        if set.cells.len() > MOST_CHOSEN {
            let message = format!("`{}` chooses among too many parts of a set", event.name);
            let help = "use a smaller scope, or choose a member with `some`";
            return Err(Box::new(Diagnostic::error(&LARGE, message).at(event.span, "").help(help)));
        }
        let cells: Vec<(u64, Bit)> = set.cells.iter().map(|(key, bit)| (*key, *bit)).collect();
        let mut choices = Vec::new();
        for subset in 0..1u64 << cells.len() {
            if is_row && !fits(def.mult, subset.count_ones() as usize) {
                continue;
            }
            let chosen: Vec<(u64, Bit)> =
                members(subset).map(|position| cells[position as usize]).collect();
            let when = self.circuit.and(chosen.iter().map(|(_, bit)| *bit));
            let keys: Vec<u64> = chosen.iter().map(|(key, _)| *key).collect();
            choices.push((when, part(&keys)));
        }
        Ok(choices)
    }

    /// Where a row would get what its declaration forbids, the event fails.
    fn fit(&mut self, way: &mut Way, event: &EventDef) {
        for ((relation, row), written) in &way.rows {
            let def = &self.design.relations[relation.0];
            let allowed = self.world.rows[relation.0].get(row).copied().unwrap_or(0);
            let outside = written.cells.iter().filter(|(atom, _)| allowed >> **atom & 1 == 0);
            let outside = self.circuit.or(outside.map(|(_, bit)| *bit));
            let mut wrong = outside;
            if allowed != 0 {
                let bits: Vec<Bit> = written.cells.values().copied().collect();
                let misfit = self.misfits(def.mult, &bits);
                wrong = self.circuit.or([outside, misfit]);
            }
            let wrong = self.circuit.and([way.when, written.when, wrong]);
            if wrong != FALSE {
                self.fail(wrong, Failure::Misfit(*relation, event.span));
                let right = self.circuit.not(wrong);
                way.when = self.circuit.and([way.when, right]);
            }
        }
    }

    /// Leaves out what leads to states that break a fact; what leads to states that break a
    /// declaration fails.
    fn assume(&mut self, way: &mut Way, event: &EventDef) {
        if self.design.invariants.is_empty() && self.design.declared.is_empty() {
            return;
        }
        let next = self.after(way);
        let before = std::mem::replace(&mut self.now, next);
        let invariants: &[Formula] = &self.design.invariants;
        let bound = std::mem::take(&mut self.bound);
        // What is about nothing that is written holds as before.
        let written: BTreeSet<RelationId> =
            way.rows.keys().map(|(relation, _)| *relation).collect();
        let is_written = |set: &Set| matches!(set, Set::Relation(id, _) if written.contains(id));
        let concerned = |formula: &Formula| formula.any(&|_| false, &is_written);
        let declared: &[(Formula, RelationId)] = &self.design.declared;
        for (formula, relation) in declared.iter().filter(|(formula, _)| concerned(formula)) {
            let path = if may_fail(formula) { way.when } else { FALSE };
            let holds = self.holds(formula, path);
            let not = self.circuit.not(holds);
            let wrong = self.circuit.and([way.when, not]);
            self.fail(wrong, Failure::Misfit(*relation, event.span));
            way.when = self.circuit.and([way.when, holds]);
        }
        for invariant in invariants.iter().filter(|formula| concerned(formula)) {
            let path = if may_fail(invariant) { way.when } else { FALSE };
            let holds = self.holds(invariant, path);
            way.when = self.circuit.and([way.when, holds]);
        }
        self.bound = bound;
        self.now = before;
    }

    /// What the relations hold behind a way.
    fn after(&mut self, way: &Way) -> Vec<Rc<Matrix>> {
        let mut next = self.now.clone();
        for ((relation, row), written) in &way.rows {
            let mut matrix = (*next[relation.0]).clone();
            let allowed = self.world.rows[relation.0].get(row).copied().unwrap_or(0);
            for atom in members(allowed) {
                let key = key(row) << 8 | u64::from(atom);
                let old = matrix.cells.get(&key).copied().unwrap_or(FALSE);
                let new = written.cells.get(&atom).copied().unwrap_or(FALSE);
                let bit = self.circuit.choose(written.when, new, old);
                matrix.put(key, bit);
            }
            next[relation.0] = Rc::new(matrix);
        }
        next
    }

    /// Cuts a way, as far as `when` is left of it, by which of the formulas about a state and the
    /// next hold of its step.
    pub(super) fn told_apart(
        &mut self,
        way: &Way,
        when: Bit,
        formulas: &[(Formula, Bindings)],
    ) -> Vec<(Bit, Vec<usize>)> {
        let mut cut = vec![(when, Vec::new())];
        if formulas.is_empty() {
            return cut;
        }
        let next = self.after(way);
        let before = std::mem::replace(&mut self.next, next);
        for (number, (formula, bound)) in formulas.iter().enumerate() {
            self.bound.clone_from(bound);
            let path = if may_fail(formula) { when } else { FALSE };
            let holds = self.holds(formula, path);
            let not = self.circuit.not(holds);
            for (when, held) in std::mem::take(&mut cut) {
                let with = [&held[..], &[number]].concat();
                for (bit, held) in [(holds, with), (not, held)] {
                    let when = self.circuit.and([when, bit]);
                    if when != FALSE {
                        cut.push((when, held));
                    }
                }
            }
        }
        self.next = before;
        self.bound.clear();
        cut
    }
}
