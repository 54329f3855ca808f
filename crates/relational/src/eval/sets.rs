//! The tuples of a set, operator by operator.

use super::{Bindings, Evaluated, Evaluator, State, Tuple, Tuples, with};
use crate::types::INDEX;
use crate::types::core::{Formula, Set, VariableId, When};

impl Evaluator<'_> {
    /// The tuples of a set, whose relations are looked up in a state.
    pub fn set(&self, set: &Set, state: &State, bound: &Bindings) -> Evaluated<Tuples> {
        let world = self.world;
        let of = |set: &Set| self.set(set, state, bound);
        Ok(match set {
            Set::Relation(relation, When::Now) => state.0[relation.0].clone(),
            // The next state stands behind this one; elsewhere it is this one.
            Set::Relation(relation, When::Next) => {
                let next = state.0.get(relation.0 + self.design.relations.len());
                next.unwrap_or(&state.0[relation.0]).clone()
            }
            Set::Variable(variable) => {
                bound.get(variable).map(|atom| vec![*atom]).into_iter().collect()
            }
            Set::Atom(sig, number, _) => {
                world.atom(*sig, *number).map(|atom| vec![atom]).into_iter().collect()
            }
            Set::None(_) => Tuples::new(),
            Set::Univ => (0..world.names.len()).map(|atom| vec![atom as u8]).collect(),
            Set::Iden => (0..world.names.len()).map(|atom| vec![atom as u8; 2]).collect(),
            Set::Join(a, b) => join(&of(a)?, &of(b)?),
            Set::Product(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let pairs = a.iter().flat_map(|one| b.iter().map(move |two| (one, two)));
                pairs.map(|(one, two)| [one.as_slice(), two].concat()).collect()
            }
            Set::Union(a, b) => of(a)?.union(&of(b)?).cloned().collect(),
            Set::Difference(a, b) => of(a)?.difference(&of(b)?).cloned().collect(),
            Set::Intersection(a, b) => of(a)?.intersection(&of(b)?).cloned().collect(),
            Set::Override(a, b) => {
                let (a, mut b) = (of(a)?, of(b)?);
                let is_kept = |one: &&Tuple| !b.iter().any(|two| two[0] == one[0]);
                let kept: Tuples = a.iter().filter(is_kept).cloned().collect();
                b.extend(kept);
                b
            }
            Set::Domain(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                b.into_iter().filter(|tuple| a.contains(&tuple[..1])).collect()
            }
            Set::Range(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                a.into_iter().filter(|tuple| b.contains(&tuple[tuple.len() - 1..])).collect()
            }
            Set::Transpose(a) => of(a)?.into_iter().map(|pair| vec![pair[1], pair[0]]).collect(),
            Set::Closure(a) => closure(of(a)?),
            Set::Reflexive(a) => {
                let mut all = closure(of(a)?);
                all.extend(of(&Set::Iden)?);
                all
            }
            Set::Comprehension(decls, body) => {
                let mut found = Tuples::new();
                self.comprehend(decls, body, state, bound, &mut Vec::new(), &mut found)?;
                found
            }
            Set::If(c, a, b) => of(if self.holds(c, state, bound)? { a } else { b })?,
            Set::Number(number, span) => {
                let value = self.number(number, state, bound)?;
                let atom = world.atom_of(value).ok_or_else(|| self.out_of_range(value, *span))?;
                Tuples::from([vec![atom]])
            }
            Set::NextIndex => {
                let indices: Vec<u8> = crate::ground::members(world.sigs[INDEX.0]).collect();
                indices.windows(2).map(<[u8]>::to_vec).collect()
            }
        })
    }

    fn comprehend(
        &self,
        decls: &[(VariableId, Set)],
        body: &Formula,
        state: &State,
        bound: &Bindings,
        tuple: &mut Tuple,
        found: &mut Tuples,
    ) -> Evaluated<()> {
        let Some(((variable, set), rest)) = decls.split_first() else {
            if self.holds(body, state, bound)? {
                found.insert(tuple.clone());
            }
            return Ok(());
        };
        for atom in self.atoms(set, state, bound)? {
            tuple.push(atom);
            self.comprehend(rest, body, state, &with(bound, *variable, atom), tuple, found)?;
            tuple.pop();
        }
        Ok(())
    }
}

/// The join of two sets of tuples.
pub(crate) fn join(a: &Tuples, b: &Tuples) -> Tuples {
    let mut joined = Tuples::new();
    for one in a {
        for two in b.iter().filter(|two| one.last() == two.first()) {
            joined.insert([&one[..one.len() - 1], &two[1..]].concat());
        }
    }
    joined
}

fn closure(mut all: Tuples) -> Tuples {
    loop {
        let more = join(&all, &all);
        let before = all.len();
        all.extend(more);
        if all.len() == before {
            return all;
        }
    }
}
