//! Initial states: rows that `init` gives a value outright get it, all others are tried out.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_diagnostic::Diagnostic;

use super::{Bindings, Evaluated, Evaluator, State, Tuple, Tuples, fits_row, subsets, with};
use crate::codes::INITIAL;
use crate::ground::members;
use crate::types::core::{Formula, RelationId, Set, SigId};
use crate::types::words::Mult;

/// Most initial states that are tried.
const MOST_TRIED: usize = 1_000_000;

/// Rows by relation and by the tuple of all columns but the last.
type Rows = BTreeMap<(RelationId, Tuple), Tuples>;

impl Evaluator<'_> {
    /// All states that satisfy the declarations, `init` and the facts.
    pub fn initial(&self) -> Evaluated<Vec<State>> {
        let mut good = Vec::new();
        for existing in self.existing() {
            good.extend(self.initial_with(&existing)?);
        }
        if good.is_empty() {
            let message = "there is no initial state";
            let help = "`init` and the facts contradict each other, or a multiplicity";
            let place = self.design.place;
            return Err(Box::new(Diagnostic::error(&INITIAL, message).at(place, "").help(help)));
        }
        Ok(good)
    }

    /// The ways in which signatures with a range of numbers of atoms can have theirs.
    fn existing(&self) -> Vec<Rows> {
        let mut ways = vec![Rows::new()];
        for number in (0..self.design.sigs.len()).filter(|it| self.design.sigs[*it].is_ranged) {
            let own = SigId(number);
            let is_leaf = self.design.extensions(own).next().is_none();
            let atoms: Tuples = members(self.world.sigs[number]).map(|atom| vec![atom]).collect();
            let fewest = self.world.fewest.get(&own).copied().unwrap_or(0);
            let mut more = Vec::new();
            for way in &ways {
                for n in if is_leaf { fewest..=atoms.len() } else { 0..=0 } {
                    let mut way = way.clone();
                    let first: Tuples = atoms.iter().take(n).cloned().collect();
                    for above in self.design.ancestors(own) {
                        let relation = self.design.sigs[above.0].relation;
                        let all = way.entry((relation, Tuple::new())).or_default();
                        all.extend(first.iter().cloned());
                    }
                    more.push(way);
                }
            }
            ways = more;
        }
        ways
    }

    fn initial_with(&self, existing: &Rows) -> Evaluated<Vec<State>> {
        let rows = self.determined(existing)?;
        let mut states = vec![State(vec![Tuples::new(); self.design.relations.len()])];
        for (number, def) in self.design.relations.iter().enumerate() {
            let fixed = self.fixed(RelationId(number));
            for (prefix, atoms) in &self.world.rows[number] {
                let choices: Vec<u64> = match rows.get(&(RelationId(number), prefix.clone())) {
                    Some(known) => {
                        let set = known.iter().fold(0, |set, tuple| set | 1 << tuple[0]);
                        let fits = set & !atoms == 0 && fits_row(def.mult, set);
                        Vec::from_iter(fits.then_some(set))
                    }
                    None if fixed => vec![*atoms],
                    None if atoms.count_ones() > 16 && def.mult == Mult::Set => {
                        return Err(self.too_many());
                    }
                    None => self.possible(def.mult, *atoms),
                };
                if states.len() * choices.len() > MOST_TRIED {
                    return Err(self.too_many());
                }
                let mut next = Vec::with_capacity(states.len() * choices.len());
                for state in &states {
                    for choice in &choices {
                        let mut state = state.clone();
                        let tuples = members(*choice).map(|atom| [&prefix[..], &[atom]].concat());
                        state.0[number].extend(tuples);
                        next.push(state);
                    }
                }
                states = next;
            }
        }
        let mut good = Vec::new();
        for state in states {
            let is_so = |formula: &Formula| self.holds(formula, &state, &Bindings::new());
            let mut holds = is_so(&self.design.init)? && self.misdeclared(&state)?.is_none();
            for exists in &self.world.existence {
                holds = holds && is_so(exists)?;
            }
            if holds && self.allowed(&state)? {
                good.push(state);
            }
        }
        Ok(good)
    }

    /// What a row may hold.
    fn possible(&self, mult: Mult, atoms: u64) -> Vec<u64> {
        match mult {
            Mult::One => members(atoms).map(|atom| 1 << atom).collect(),
            Mult::Lone => std::iter::once(0).chain(members(atoms).map(|atom| 1 << atom)).collect(),
            _ => subsets(atoms).filter(|set| fits_row(mult, *set)).collect(),
        }
    }

    fn too_many(&self) -> Box<Diagnostic> {
        let message = "`init` leaves more than a million states open";
        let help = "say what more of the fields hold at first, as in `all n : Node | no n.inbox`";
        Box::new(Diagnostic::error(&INITIAL, message).at(self.design.place, "").help(help))
    }

    /// The rows that equations of `init` give a value, one after the other.
    fn determined(&self, existing: &Rows) -> Evaluated<Rows> {
        let mut equations = Vec::new();
        self.flatten(&self.design.init, &Bindings::new(), existing, &mut equations)?;
        let mut rows = existing.clone();
        let mut known: BTreeSet<RelationId> = existing.keys().map(|(of, _)| *of).collect();
        // What an atom that does not exist holds is nothing.
        for (number, def) in self.design.relations.iter().enumerate() {
            let owner = def.owner.map(|owner| (self.design.sigs[owner.0].relation, Tuple::new()));
            let Some(atoms) = owner.and_then(|owner| existing.get(&owner)) else { continue };
            for row in self.world.rows[number].keys().filter(|row| !atoms.contains(&row[..1])) {
                rows.insert((RelationId(number), row.clone()), Tuples::new());
            }
        }
        loop {
            let before = rows.len();
            let state = self.partial(&rows);
            for (formula, bound) in &equations {
                let (target, value) = match formula {
                    Formula::Equal(a, b, _) if self.is_known(b, &known) => (a, Some(b)),
                    Formula::Equal(b, a, _) if self.is_known(b, &known) => (a, Some(b)),
                    Formula::Count(Mult::No, a, _) => (a, None),
                    _ => continue,
                };
                let Some((relation, prefix)) = self.place(target, &state, bound, &known)? else {
                    continue;
                };
                let value = value.map_or(Ok(Tuples::new()), |set| self.set(set, &state, bound))?;
                for (row, members) in self.rows(relation, &prefix, &value) {
                    rows.entry((relation, row)).or_insert(members);
                }
            }
            for number in 0..self.design.relations.len() {
                let relation = RelationId(number);
                let mut all = self.world.rows[number].keys();
                if all.all(|row| rows.contains_key(&(relation, row.clone()))) {
                    known.insert(relation);
                }
            }
            if rows.len() == before {
                return Ok(rows);
            }
        }
    }

    /// Conjuncts, with quantifiers over fixed signatures written out.
    fn flatten<'f>(
        &self,
        formula: &'f Formula,
        bound: &Bindings,
        existing: &Rows,
        out: &mut Vec<(&'f Formula, Bindings)>,
    ) -> Evaluated<()> {
        match formula {
            Formula::And(all) => {
                for part in all {
                    self.flatten(part, bound, existing, out)?;
                }
            }
            Formula::All(variable, set, body, _)
                if self.is_known(set, &existing.keys().map(|(of, _)| *of).collect()) =>
            {
                let state = self.partial(existing);
                for atom in self.atoms(set, &state, bound)? {
                    self.flatten(body, &with(bound, *variable, atom), existing, out)?;
                }
            }
            other => out.push((other, bound.clone())),
        }
        Ok(())
    }

    /// Whether a set speaks of fixed and of known relations only.
    fn is_known(&self, set: &Set, known: &BTreeSet<RelationId>) -> bool {
        let is_open = |set: &Set| match set {
            Set::Relation(relation, _) => !self.fixed(*relation) && !known.contains(relation),
            _ => false,
        };
        !set.any(&|_| false, &is_open)
    }

    /// The state as far as it is known.
    fn partial(&self, rows: &Rows) -> State {
        let mut state = State(vec![Tuples::new(); self.design.relations.len()]);
        for (number, tuples) in state.0.iter_mut().enumerate() {
            if self.fixed(RelationId(number)) {
                for (prefix, atoms) in &self.world.rows[number] {
                    tuples.extend(members(*atoms).map(|atom| [&prefix[..], &[atom]].concat()));
                }
            }
        }
        for ((relation, row), value) in rows {
            let tuples = value.iter().map(|tuple| [row.as_slice(), tuple].concat());
            state.0[relation.0].extend(tuples);
        }
        state
    }

    /// The place that a set names, if it names one: `s`, `n.f`.
    fn place(
        &self,
        set: &Set,
        state: &State,
        bound: &Bindings,
        known: &BTreeSet<RelationId>,
    ) -> Evaluated<Option<(RelationId, Tuple)>> {
        match set {
            Set::Relation(relation, _) if !self.fixed(*relation) => {
                Ok(Some((*relation, Tuple::new())))
            }
            Set::Join(atom, rest) if self.is_known(atom, known) => {
                let atoms = self.atoms(atom, state, bound)?;
                let ([atom], Some((relation, mut prefix))) =
                    (atoms.as_slice(), self.place(rest, state, bound, known)?)
                else {
                    return Ok(None);
                };
                prefix.push(*atom);
                Ok(Some((relation, prefix)))
            }
            _ => Ok(None),
        }
    }
}
