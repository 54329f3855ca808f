//! Groups of which every cycle of a model takes a step. A reduction that postpones something for ever
//! goes round in a cycle; where such a group takes a step, nothing may be postponed any longer (the
//! idea is that of sticky transitions, Kurshan, Levin, Minea, Peled & Yenigün 1998). Decided on the
//! signature, so that the condition depends on no search.
//!
//! A cycle brings every slot back to the value it had. Give the values of a slot an order: a cycle
//! that changes the slot has a step that goes back in it. So the groups that may go back in the order
//! of a slot stand for all groups that certainly change it; and a few slots are chosen that leave
//! few groups.
//!
//! Where members of families are exchanged, a cycle brings back what the members hold, but not who
//! holds it. So the slots that take each other's place have one order, and count together: a step
//! that goes back in none of them and forward in one adds to the sum of their places in the order.

use std::collections::BTreeMap;

use quadrille_model::{Change, Family, Group, GroupId, Signature, SlotId, Value, ValueSet};

use crate::groups::Groups;

/// Slots with more values are not looked at.
const MAX_VALUES: u32 = 1024;

/// What slots that take each other's place, or one that none takes the place of, can do to keep cycles
/// apart.
struct Witness {
    /// The groups whose every step changes one of the slots.
    movers: Groups,
    /// The groups that may go back in the order of their values.
    back: Groups,
}

/// A set of groups that every cycle takes a step of, small if possible; also every cycle of states in
/// which members of these families are exchanged.
pub(crate) fn sticky(signature: &Signature, initial: &[Value], exchanged: &[Family]) -> Groups {
    let n_groups = signature.groups.len();
    let witnesses: Vec<Witness> = classes(signature, exchanged)
        .iter()
        .filter_map(|slots| witness(signature, slots, *initial.get(slots[0].index())?))
        .collect();
    let all = Groups::filter(n_groups, |_| true);
    let (mut movers, mut back) = (Groups::none(n_groups), Groups::none(n_groups));
    let mut unused: Vec<&Witness> = witnesses.iter().collect();
    let rest = |movers: &Groups, back: &Groups| {
        let mut rest = all.clone();
        rest.remove_all(movers);
        rest.add_all(back);
        rest
    };
    let mut best = all.clone();
    loop {
        let with = |witness: &Witness| {
            let (mut movers, mut back) = (movers.clone(), back.clone());
            movers.add_all(&witness.movers);
            back.add_all(&witness.back);
            rest(&movers, &back).len()
        };
        let Some(position) = (0..unused.len()).min_by_key(|&one| with(unused[one])) else { break };
        if with(unused[position]) >= best.len() {
            break;
        }
        let chosen = unused.swap_remove(position);
        movers.add_all(&chosen.movers);
        back.add_all(&chosen.back);
        best = rest(&movers, &back);
    }
    best
}

/// Slots that take each other's place, together; each slot is in one list, but for those in which
/// values are replaced by others.
fn classes(signature: &Signature, exchanged: &[Family]) -> Vec<Vec<SlotId>> {
    let mut class: Vec<usize> = (0..signature.n_slots()).collect();
    let mut is_renamed = vec![false; signature.n_slots()];
    for swap in exchanged.iter().flat_map(Family::swaps) {
        for (one, other) in swap.slots {
            let (kept, lost) = (class[one.index()], class[other.index()]);
            class.iter_mut().filter(|class| **class == lost).for_each(|class| *class = kept);
        }
        swap.values.iter().for_each(|(slot, _)| is_renamed[slot.index()] = true);
    }
    let mut classes: BTreeMap<usize, Vec<SlotId>> = BTreeMap::new();
    for slot in signature.slot_ids() {
        classes.entry(class[slot.index()]).or_default().push(slot);
    }
    let stays = |class: &Vec<SlotId>| class.iter().all(|slot| !is_renamed[slot.index()]);
    classes.into_values().filter(stays).collect()
}

/// What is taken from a number must be put back on a cycle, and the other way round.
fn counted(signature: &Signature, slots: &[SlotId]) -> Option<Witness> {
    let n_groups = signature.groups.len();
    let (mut movers, mut back) = (Groups::none(n_groups), Groups::none(n_groups));
    for (number, group) in signature.groups.iter().enumerate() {
        // What is exchanged may go on as another member's: all members must be counted alike.
        for change in slots.iter().filter_map(|&slot| group.change(slot)) {
            let Change::Count { take, put } = change else { return None };
            let group = GroupId::from_usize(number);
            if take != put {
                movers.insert(group);
            }
            if put < take {
                back.insert(group);
            }
        }
    }
    (!movers.is_empty()).then_some(Witness { movers, back })
}

fn witness(signature: &Signature, slots: &[SlotId], initial: Value) -> Option<Witness> {
    if let Some(counted) = counted(signature, slots) {
        return Some(counted);
    }
    let size_of = |slot: &SlotId| signature.slot(*slot).domain.size();
    let size = size_of(&slots[0]).filter(|&size| size <= MAX_VALUES)?;
    if !slots.iter().all(|slot| size_of(slot) == Some(size)) {
        return None;
    }
    let n_groups = signature.groups.len();
    let moves_of = |group: &Group| -> Vec<(ValueSet, ValueSet)> {
        slots.iter().filter_map(|&slot| change(signature, group, slot, size)).collect()
    };
    let moves: Vec<Vec<(ValueSet, ValueSet)>> = signature.groups.iter().map(moves_of).collect();
    let rank = ranks(size, initial, moves.iter().flatten());
    let falls = |(from, to): &(ValueSet, ValueSet)| {
        let ranks = |set: &ValueSet| set.iter().map(|value| rank[value as usize]).collect();
        let (from, to): (Vec<u32>, Vec<u32>) = (ranks(from), ranks(to));
        from.iter().max() > to.iter().min()
    };
    let leaves = |(from, to): &(ValueSet, ValueSet)| !from.intersects(to);
    let of = |group: GroupId| moves[group.index()].iter();
    Some(Witness {
        movers: Groups::filter(n_groups, |group| of(group).any(leaves)),
        back: Groups::filter(n_groups, |group| of(group).any(falls)),
    })
}

/// From which values to which a group may move a slot, if it may.
fn change(
    signature: &Signature,
    group: &Group,
    slot: SlotId,
    size: u32,
) -> Option<(ValueSet, ValueSet)> {
    let to = match group.change(slot)? {
        Change::Assign(values) => values.clone(),
        _ => ValueSet::all(size),
    };
    let allows = |value: Value| {
        let guards = group.guards.iter().map(|&guard| signature.guard(guard));
        let mut own = guards.filter(|guard| guard.reads() == [slot]);
        own.all(|guard| guard.allows(value).unwrap_or(true))
    };
    Some(((0..size).filter(|&value| allows(value)).collect(), to))
}

/// An order of values in which few moves go back: from the initial value on, a value comes before
/// those that are reached through it.
fn ranks<'a>(
    size: u32,
    initial: Value,
    moves: impl Iterator<Item = &'a (ValueSet, ValueSet)>,
) -> Vec<u32> {
    let mut next: Vec<ValueSet> = vec![ValueSet::default(); size as usize];
    for (from, to) in moves {
        // Moves from anywhere to anywhere say nothing about an order.
        if from.len() * to.len() < size as usize * size as usize {
            for value in from.iter() {
                to.iter().for_each(|other| next[value as usize].insert(other));
            }
        }
    }
    let mut finished = Vec::new();
    let mut is_met = vec![false; size as usize];
    for root in std::iter::once(initial).chain(0..size) {
        let mut stack = vec![(root, false)];
        while let Some((value, is_left)) = stack.pop() {
            if is_left {
                finished.push(value);
            } else if (value < size) && !std::mem::replace(&mut is_met[value as usize], true) {
                stack.push((value, true));
                let open = next[value as usize].iter().filter(|&other| !is_met[other as usize]);
                let mut open: Vec<_> = open.map(|other| (other, false)).collect();
                open.reverse();
                stack.append(&mut open);
            }
        }
    }
    let mut rank = vec![0; size as usize];
    for (position, value) in finished.into_iter().rev().enumerate() {
        rank[value as usize] = position as u32;
    }
    rank
}
