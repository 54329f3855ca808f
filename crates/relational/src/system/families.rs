//! Atoms that can be exchanged for each other, as families of the model. Where no event, fact or end
//! names an atom, they treat the atoms of a signature alike; so two of them change places wherever the
//! initial states, and what is the same in all states, stay what they are. Atoms that are in no slot,
//! such as quorums, may change places with them.

use std::cell::Cell;
use std::collections::BTreeSet;

use quadrille_model::{Family, SlotId, Swap, Value};

use super::layout::{Layout, Row};
use crate::World;
use crate::eval::{Tuple, Tuples};
use crate::ground::{Atom, members};
use crate::types::core::{Set, SigId};
use crate::types::{Design, INDEX};

/// The families of a lowered design: one for each signature with alike atoms.
pub(super) fn families(
    (design, world): (&Design, &World),
    layout: &Layout,
    initial: &[Vec<Value>],
) -> Vec<Family> {
    let named = named(design, world);
    let in_slots = layout.rows.iter().flat_map(|row| row.prefix.iter().chain(&row.atoms));
    let in_slots = in_slots.fold(0u64, |all, atom| all | 1 << atom);
    let free = members(world.univ() & !in_slots & !named).collect();
    let exchange = Exchange { layout, initial: initial.iter().collect(), free };
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

/// The atoms that events, facts and the end name; what commands name is a matter of each.
fn named(design: &Design, world: &World) -> u64 {
    let named = Cell::new(0u64);
    let note = |set: &Set| {
        if let Set::Atom(sig, number, _) = set {
            let atom = world.atom(*sig, *number).map_or(0, |atom| 1 << atom);
            named.set(named.get() | atom);
        }
        false
    };
    let declared = design.declared.iter().map(|(formula, _)| formula);
    let bodies = design.events.iter().map(|event| &event.body);
    let formulas = design.invariants.iter().chain(&design.assumptions).chain(&design.end);
    for formula in formulas.chain(declared).chain(bodies) {
        formula.any(&|_| false, &note);
    }
    for (_, _, set) in design.events.iter().flat_map(|event| &event.parameters) {
        set.any(&|_| false, &note);
    }
    named.get()
}

struct Exchange<'l> {
    layout: &'l Layout,
    initial: BTreeSet<&'l Vec<Value>>,
    /// Atoms that are in no slot and have no name.
    free: Vec<Atom>,
}

/// Most ways in which the places of free atoms are tried.
const MOST_TRIED: usize = 10_000;

/// Two atoms that change places.
fn exchanged(atom: Atom, (one, other): (Atom, Atom)) -> Atom {
    match atom {
        _ if atom == one => other,
        _ if atom == other => one,
        _ => atom,
    }
}

/// Whether a tuple is a member in its new place, as far as the places are known.
fn is_kept(tuple: &Tuple, tuples: &Tuples, places: &[Option<Atom>]) -> bool {
    let moved: Option<Tuple> = tuple.iter().map(|atom| places[usize::from(*atom)]).collect();
    moved.is_none_or(|moved| tuples.contains(&moved))
}

fn exchanged_all(tuple: &[Atom], pair: (Atom, Atom)) -> Tuple {
    tuple.iter().map(|atom| exchanged(*atom, pair)).collect()
}

impl Exchange<'_> {
    /// Whether two atoms can change places: what is always the same and the initial states stay.
    fn stays(&self, one: Atom, other: Atom) -> bool {
        let pair = (one, other);
        let swapped = |state: &Vec<Value>, swap: &Swap| {
            let mut state = state.clone();
            swap.apply(&mut state);
            state
        };
        self.keeps_constants(pair)
            && self.swap(pair).is_some_and(|swap| {
                self.initial.iter().all(|state| self.initial.contains(&swapped(state, &swap)))
            })
    }

    /// Whether what is always the same stays, with free atoms that change places as well.
    fn keeps_constants(&self, pair: (Atom, Atom)) -> bool {
        let mut places: Vec<Option<Atom>> = (0..=u8::MAX)
            .map(|atom| (!self.free.contains(&atom)).then(|| exchanged(atom, pair)))
            .collect();
        let constants = &self.layout.constant.0;
        let is_kept = constants
            .iter()
            .all(|tuples| tuples.iter().all(|tuple| is_kept(tuple, tuples, &places)));
        let mut room = MOST_TRIED;
        is_kept && self.place(&self.free, &mut places, &mut room)
    }

    /// Finds places for the free atoms that are left.
    fn place(&self, left: &[Atom], places: &mut [Option<Atom>], room: &mut usize) -> bool {
        let Some((atom, left)) = left.split_first() else { return true };
        for place in &self.free {
            if places.contains(&Some(*place)) || *room == 0 {
                continue;
            }
            *room -= 1;
            places[usize::from(*atom)] = Some(*place);
            let is_kept = self.layout.constant.0.iter().all(|tuples| {
                let mut own = tuples.iter().filter(|tuple| tuple.contains(atom));
                own.all(|tuple| is_kept(tuple, tuples, places))
            });
            if is_kept && self.place(left, places, room) {
                return true;
            }
            places[usize::from(*atom)] = None;
        }
        false
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
