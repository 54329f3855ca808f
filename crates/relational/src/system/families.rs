//! Atoms that can be exchanged for each other, as families of the model. Where no text names an atom,
//! events and formulas treat the atoms of a signature alike; so two of them change places wherever
//! initial states, and what is the same in all states, stay what they are.

use std::collections::BTreeSet;

use quadrille_model::{Family, SlotId, Swap, Value};

use super::layout::{Layout, Row};
use crate::World;
use crate::eval::Tuple;
use crate::ground::{Atom, members};
use crate::types::core::SigId;
use crate::types::{Design, INDEX};

/// The families of a lowered design: one for each signature with alike atoms.
pub(super) fn families(
    (design, world): (&Design, &World),
    layout: &Layout,
    initial: &[Vec<Value>],
) -> Vec<Family> {
    let named: u64 = design
        .atoms
        .iter()
        .filter_map(|(sig, number, _)| world.atom(*sig, *number))
        .fold(0, |named, atom| named | 1 << atom);
    let exchange = Exchange { layout, initial: initial.iter().collect() };
    let mut families = Vec::new();
    for number in INDEX.0 + 1..design.sigs.len() {
        let sig = SigId(number);
        let extensions = design.extensions(sig).fold(0, |all, of| all | world.sigs[of.0]);
        // Numbers are in order, and which atoms of a range there are as well.
        if !design.is_fixed(sig) {
            continue;
        }
        let own: Vec<Atom> = members(world.sigs[number] & !extensions & !named).collect();
        // Atoms that are alike follow from each other: they are compared with the first of a class.
        let mut classes: Vec<Vec<Atom>> = Vec::new();
        for atom in own {
            match classes.iter_mut().find(|class| exchange.stays(class[0], atom)) {
                Some(class) => class.push(atom),
                None => classes.push(vec![atom]),
            }
        }
        families
            .extend(classes.iter().filter(|it| it.len() > 1).filter_map(|it| exchange.family(it)));
    }
    families
}

struct Exchange<'l> {
    layout: &'l Layout,
    initial: BTreeSet<&'l Vec<Value>>,
}

/// Two atoms that change places.
fn exchanged(atom: Atom, (one, other): (Atom, Atom)) -> Atom {
    match atom {
        _ if atom == one => other,
        _ if atom == other => one,
        _ => atom,
    }
}

fn exchanged_all(tuple: &[Atom], pair: (Atom, Atom)) -> Tuple {
    tuple.iter().map(|atom| exchanged(*atom, pair)).collect()
}

impl Exchange<'_> {
    /// Whether two atoms can change places: what is always the same and the initial states stay.
    fn stays(&self, one: Atom, other: Atom) -> bool {
        let pair = (one, other);
        let is_kept =
            self.layout.constant.0.iter().all(|tuples| {
                tuples.iter().all(|tuple| tuples.contains(&exchanged_all(tuple, pair)))
            });
        let swapped = |state: &Vec<Value>, swap: &Swap| {
            let mut state = state.clone();
            swap.apply(&mut state);
            state
        };
        is_kept
            && self.swap(pair).is_some_and(|swap| {
                self.initial.iter().all(|state| self.initial.contains(&swapped(state, &swap)))
            })
    }

    fn row(&self, row: &Row, pair: (Atom, Atom)) -> Option<&Row> {
        let prefix = exchanged_all(&row.prefix, pair);
        let is_it = |it: &&Row| it.relation == row.relation && it.prefix == prefix;
        self.layout.rows.iter().find(is_it)
    }

    /// What changes places when two atoms do; `None` if they hold different slots or values.
    fn swap(&self, pair: (Atom, Atom)) -> Option<Swap> {
        let mut swap = Swap::default();
        for row in &self.layout.rows {
            let to = self.row(row, pair)?;
            if row.atoms.len() != to.atoms.len() {
                return None;
            }
            // Where each atom that the row can hold is in the other row.
            let places: Vec<usize> = row
                .atoms
                .iter()
                .map(|atom| to.atoms.iter().position(|it| *it == exchanged(*atom, pair)))
                .collect::<Option<_>>()?;
            let slot = SlotId::from_usize;
            if row.is_single() {
                if row.first < to.first {
                    swap.slots.push((slot(row.first), slot(to.first)));
                }
                // By value: that of the first atom is 0, or 1 where none is 0.
                let offset = row.place(0).1;
                let of_atoms = places.iter().map(|place| *place as Value + offset);
                let values: Vec<Value> = (0..offset).chain(of_atoms).collect();
                if values.iter().enumerate().any(|(old, new)| old != *new as usize) {
                    swap.values.push((slot(to.first), values));
                }
                continue;
            }
            for (position, place) in places.iter().enumerate() {
                let (from, to) = (row.first + position, to.first + place);
                if from < to {
                    swap.slots.push((slot(from), slot(to)));
                }
            }
        }
        Some(swap)
    }

    /// The family of atoms that are alike.
    fn family(&self, class: &[Atom]) -> Option<Family> {
        let mine: BTreeSet<Atom> = class.iter().copied().collect();
        let mut first = Vec::new();
        for row in &self.layout.rows {
            let holds = row.atoms.iter().any(|atom| mine.contains(atom));
            let of_prefix: Vec<&Atom> = row.prefix.iter().filter(|it| mine.contains(it)).collect();
            // The slots about the first atom and no other.
            for position in 0..if row.is_single() { 1 } else { row.atoms.len() } {
                let element = (!row.is_single()).then(|| &row.atoms[position]);
                let about = of_prefix.iter().copied().chain(element.filter(|it| mine.contains(it)));
                if row.is_single() && holds {
                    continue;
                }
                if about.collect::<Vec<_>>() == [&class[0]] {
                    first.push(SlotId::from_usize(row.first + position));
                }
            }
        }
        let mut members = vec![first];
        for atom in &class[1..] {
            let swap = self.swap((class[0], *atom))?;
            let own = members[0].iter().map(|slot| swap.slot(*slot)).collect();
            members.push(own);
        }
        let mut beside = Vec::new();
        for (position, pair) in class.windows(2).enumerate() {
            let mut swap = self.swap((pair[0], pair[1]))?;
            let own = |slot: &SlotId| {
                members[position].contains(slot) || members[position + 1].contains(slot)
            };
            swap.slots.retain(|(one, _)| !own(one));
            beside.push(swap);
        }
        if beside.iter().all(|swap| *swap == Swap::default()) {
            beside.clear();
        }
        let has_slots = !members[0].is_empty() || !beside.is_empty();
        has_slots.then_some(Family { members, beside })
    }
}
