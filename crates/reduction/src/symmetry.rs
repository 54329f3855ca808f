//! Which families of a model can be exchanged without changing a question, and who stands where in
//! the representative of a state.
//!
//! A family whose members can be exchanged makes states alike that differ only in which member is
//! where. A question does not tell them apart if each condition on states that it is made up of, and
//! what it sees of actions, stays the same (Clarke, Enders, Filkorn & Jha 1996; Emerson & Sistla 1996).
//! That is decided on declarations: neighbours are swapped in conditions and groups, and the result
//! compared. Members that a question tells apart make several families of one. Of families that share
//! slots, the first is taken.

use std::collections::BTreeMap;

use quadrille_model::{
    Action, Change, Condition, Domain, Effect, Family, Group, Guard, Model, Signature, SlotId,
    Value,
};

/// What a question asks of states and actions.
#[derive(Default)]
pub struct Asked<'a> {
    /// The conditions on states that it is made up of.
    pub conditions: Vec<Condition>,
    /// Slots on which other conditions depend that it is made up of.
    pub slots: Vec<SlotId>,
    /// What it sees of an action; `None` if it looks at none.
    pub actions: Option<Box<Letters<'a>>>,
}

/// What is seen of an action, as bits.
pub type Letters<'a> = dyn Fn(&Action) -> u64 + 'a;

/// Families that are exchanged. No slot is in two of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    families: Vec<Family>,
}

/// Why nothing is exchanged for a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asymmetry {
    /// The model declares no family.
    NoFamily,
    /// The question tells the members of each family apart.
    TellsApart,
}

/// Which member stands where, for each family: the member of a state that is at a position of its
/// representative.
pub(crate) type Order = Vec<Vec<usize>>;

impl Symmetry {
    /// The families of a model that can be exchanged without changing a question.
    pub fn of(model: &dyn Model, asked: &Asked<'_>) -> Result<Self, Asymmetry> {
        let signature = model.signature();
        if signature.families.is_empty() {
            return Err(Asymmetry::NoFamily);
        }
        let conditions: Vec<Condition> =
            asked.conditions.iter().map(|condition| normal(condition.clone())).collect();
        let stays = |one: &[SlotId], other: &[SlotId]| {
            let swap = |slot: SlotId| swapped(slot, one, other);
            conditions.iter().all(|condition| normal(renamed(condition, &swap)) == *condition)
                && asked.actions.as_ref().is_none_or(|seen| same_letters(model, one, other, seen))
        };
        let mut families: Vec<Family> = Vec::new();
        let mut taken = asked.slots.clone();
        for family in signature.families.iter().filter(|family| is_uniform(signature, family)) {
            let is_free = |member: &&Vec<SlotId>| member.iter().all(|slot| !taken.contains(slot));
            // Members that the question does not tell apart, together.
            let mut alike: Vec<Family> = Vec::new();
            for member in family.members.iter().filter(is_free) {
                match alike.iter_mut().find(|known| stays(&known.members[0], member)) {
                    Some(known) => known.members.push(member.clone()),
                    None => alike.push(Family { members: vec![member.clone()] }),
                }
            }
            alike.retain(|family| family.members.len() > 1);
            taken.extend(alike.iter().flat_map(|family| family.members.concat()));
            families.append(&mut alike);
        }
        if families.is_empty() { Err(Asymmetry::TellsApart) } else { Ok(Self { families }) }
    }

    /// The families.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// Whether values of interned slots are compared: their numbers depend on what was met before.
    pub(crate) fn compares_interned(&self, signature: &Signature) -> bool {
        let mut slots = self.families.iter().flat_map(|family| family.members.iter().flatten());
        slots.any(|&slot| signature.slot(slot).domain == Domain::Interned)
    }

    /// Makes a state its representative: the members of each family in the order of what they hold.
    pub fn represent(&self, state: &mut [Value]) {
        for Family { members } in &self.families {
            for end in 1..members.len() {
                let mut at = end;
                while at > 0 && is_before(state, &members[at], &members[at - 1]) {
                    for (one, other) in members[at].iter().zip(&members[at - 1]) {
                        state.swap(one.index(), other.index());
                    }
                    at -= 1;
                }
            }
        }
    }

    /// Who is where in the representative of a state.
    pub(crate) fn order(&self, state: &[Value]) -> Order {
        let order = |Family { members }: &Family| {
            let mut order: Vec<usize> = (0..members.len()).collect();
            order.sort_by_key(|&member| {
                members[member].iter().map(|slot| state[slot.index()]).collect::<Vec<_>>()
            });
            order
        };
        self.families.iter().map(order).collect()
    }

    /// The state in which what the member at a position holds is held by this member instead.
    pub(crate) fn placed(&self, state: &[Value], members: &Order) -> Vec<Value> {
        let mut placed = state.to_vec();
        for (family, order) in self.families.iter().zip(members) {
            for (position, &member) in order.iter().enumerate() {
                let slots = family.members[position].iter().zip(&family.members[member]);
                slots.for_each(|(from, to)| placed[to.index()] = state[from.index()]);
            }
        }
        placed
    }

    /// How many states have this representative; at most so many that sums of it fit.
    pub(crate) fn n_alike(&self, representative: &[Value]) -> u64 {
        let mut n_alike = 1.0_f64;
        for Family { members } in &self.families {
            let mut n_equal = 1.0;
            for position in 1..members.len() {
                let (last, own) = (&members[position - 1], &members[position]);
                let equal = !is_before(representative, last, own);
                n_equal = if equal { n_equal + 1.0 } else { 1.0 };
                n_alike *= (position + 1) as f64 / n_equal;
            }
        }
        n_alike.min(1e9) as u64
    }
}

/// Whether one member holds less than another.
#[inline]
fn is_before(state: &[Value], one: &[SlotId], other: &[SlotId]) -> bool {
    let of = |slots: &[SlotId], position: usize| state[slots[position].index()];
    let differs = (0..one.len()).find(|&position| of(one, position) != of(other, position));
    differs.is_some_and(|position| of(one, position) < of(other, position))
}

/// Whether all members are of the same shape, and none has a slot of another.
fn is_uniform(signature: &Signature, family: &Family) -> bool {
    let sizes = |member: &Vec<SlotId>| -> Vec<Option<u32>> {
        member.iter().map(|&slot| signature.slot(slot).domain.size()).collect()
    };
    let mut slots = family.members.concat();
    slots.sort_unstable();
    let n_slots = slots.len();
    slots.dedup();
    slots.len() == n_slots && family.members.windows(2).all(|two| sizes(&two[0]) == sizes(&two[1]))
}

/// The slot that takes a slot's place when two members are swapped.
fn swapped(slot: SlotId, one: &[SlotId], other: &[SlotId]) -> SlotId {
    let mut pairs = one.iter().zip(other);
    let found = pairs.find_map(|(&a, &b)| match slot {
        _ if slot == a => Some(b),
        _ if slot == b => Some(a),
        _ => None,
    });
    found.unwrap_or(slot)
}

fn renamed_guard(guard: &Guard, swap: &impl Fn(SlotId) -> SlotId) -> Guard {
    match guard {
        Guard::In(slot, set) => Guard::In(swap(*slot), set.clone()),
        Guard::Masked { slot, mask, equals } => {
            Guard::Masked { slot: swap(*slot), mask: *mask, equals: *equals }
        }
        Guard::Opaque { reads, text } => {
            let mut reads: Vec<SlotId> = reads.iter().map(|&slot| swap(slot)).collect();
            reads.sort_unstable();
            Guard::Opaque { reads, text: text.clone() }
        }
    }
}

/// A condition in which slots have taken the place of others.
fn renamed(condition: &Condition, swap: &impl Fn(SlotId) -> SlotId) -> Condition {
    let all = |parts: &[Condition]| parts.iter().map(|part| renamed(part, swap)).collect();
    match condition {
        Condition::Guard(guard) => Condition::Guard(renamed_guard(guard, swap)),
        Condition::Not(inner) => Condition::Not(Box::new(renamed(inner, swap))),
        Condition::All(parts) => Condition::All(all(parts)),
        Condition::Any(parts) => Condition::Any(all(parts)),
    }
}

/// A condition with its parts in order and each once, so that those which differ in that alone are the
/// same.
fn normal(condition: Condition) -> Condition {
    let all = |parts: Vec<Condition>, is_all: bool| {
        let mut flat = Vec::new();
        for part in parts.into_iter().map(normal) {
            match part {
                Condition::All(inner) if is_all => flat.extend(inner),
                Condition::Any(inner) if !is_all => flat.extend(inner),
                part => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        flat
    };
    match condition {
        Condition::Guard(_) => condition,
        Condition::Not(inner) => match normal(*inner) {
            Condition::Not(inner) => *inner,
            inner => Condition::Not(Box::new(inner)),
        },
        Condition::All(parts) => Condition::All(all(parts, true)),
        Condition::Any(parts) => Condition::Any(all(parts, false)),
    }
}

/// Whether steps show the same letters after two members are swapped.
///
/// A group that touches no slot of the two does the same in both. So it is enough if none of the
/// others shows a letter; or if all of them do nothing but what they declare, and those with the
/// declarations of each, swapped, show the same.
fn same_letters(
    model: &dyn Model,
    one: &[SlotId],
    other: &[SlotId],
    letters: &Letters<'_>,
) -> bool {
    let signature = model.signature();
    let touches = |group: &&Group| {
        let guards = group.guards.iter().flat_map(|&guard| signature.guard(guard).reads());
        let mut used = guards.chain(&group.reads).copied().chain(group.may_write());
        used.any(|slot| one.contains(&slot) || other.contains(&slot))
    };
    let touching: Vec<&Group> = signature.groups.iter().filter(touches).collect();
    let shows = |group: &Group| -> Option<Vec<u64>> {
        let shown = group.actions.as_ref()?.iter().map(|&action| letters(&model.action(action)));
        Some(shown.collect())
    };
    let Some(shown) = touching.iter().map(|group| shows(group)).collect::<Option<Vec<_>>>() else {
        return false;
    };
    if shown.iter().flatten().all(|&letter| letter == 0) {
        return true;
    }
    if !touching.iter().all(|group| is_plain(signature, group)) {
        return false;
    }
    let swap = |slot: SlotId| swapped(slot, one, other);
    let shapes = |swap: &dyn Fn(SlotId) -> SlotId| {
        let mut shapes: BTreeMap<Shape, Vec<u64>> = BTreeMap::new();
        for (group, shown) in touching.iter().zip(&shown) {
            shapes.entry(shape(signature, group, swap)).or_default().extend(shown);
        }
        shapes.values_mut().for_each(|letters| letters.sort_unstable());
        shapes
    };
    shapes(&|slot| slot) == shapes(&swap)
}

/// A change to a single value or by a single element.
type Kind = (u8, Value);

/// What a plain group tests and changes.
type Shape = (Vec<Guard>, Vec<(SlotId, Kind)>);

/// What a change does, if it says all of it.
fn kind(change: &Change) -> Option<Kind> {
    let (number, set) = match change {
        Change::Assign(set) => (0, set),
        Change::Push(set) => (1, set),
        Change::Pop(set) => (2, set),
        Change::Insert(set) => (3, set),
        Change::Remove(set) => (4, set),
        Change::Any | Change::Set => return None,
    };
    let mut values = set.iter();
    values.next().filter(|_| values.next().is_none()).map(|value| (number, value))
}

/// Whether a group does what it declares, and nothing is left open: it has one action, complete guards
/// that can be looked at, and changes slots in one way.
fn is_plain(signature: &Signature, group: &Group) -> bool {
    let is_open = |guard: &Guard| matches!(guard, Guard::Opaque { .. });
    group.guards_complete
        && group.actions.as_ref().is_some_and(|actions| actions.len() == 1)
        && !group.guards.iter().any(|&guard| is_open(signature.guard(guard)))
        && group.effects.iter().all(|effect| kind(&effect.change).is_some())
}

/// What a plain group declares, with slots in the place of others.
fn shape(signature: &Signature, group: &Group, swap: &dyn Fn(SlotId) -> SlotId) -> Shape {
    let swap = |slot| swap(slot);
    let guards = group.guards.iter();
    let mut guards: Vec<Guard> =
        guards.map(|&guard| renamed_guard(signature.guard(guard), &swap)).collect();
    let effect = |Effect { slot, change }: &Effect| kind(change).map(|kind| (swap(*slot), kind));
    let mut effects: Vec<(SlotId, Kind)> = group.effects.iter().filter_map(effect).collect();
    guards.sort_unstable();
    guards.dedup();
    effects.sort_unstable();
    (guards, effects)
}
