//! Which families of a model can be exchanged without changing a question, and who stands where in
//! the representative of a state.
//!
//! A family whose members can be exchanged makes states alike that differ only in which member is
//! where. A question does not tell them apart if each condition on states that it is made up of, and
//! what it sees of actions, stays the same (Clarke, Enders, Filkorn & Jha 1996; Emerson & Sistla 1996).
//! That is decided on declarations: members are swapped in conditions and groups, and the result
//! compared. Members that a question tells apart make several families of one.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_model::{
    Action, Change, Condition, Domain, Effect, Family, Group, Guard, Model, Signature, SlotId,
    Swap, Value, ValueSet, Weight,
};

use crate::renaming::Renaming;
use crate::representative::{Exchange, between};

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

/// Families that are exchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    families: Vec<Family>,
    exchanges: Vec<Exchange>,
}

/// Why nothing is exchanged for a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asymmetry {
    /// The model declares no family.
    NoFamily,
    /// The question tells the members of each family apart.
    TellsApart,
}

impl Symmetry {
    /// The families of a model that can be exchanged without changing a question.
    pub fn of(model: &dyn Model, asked: &Asked<'_>) -> Result<Self, Asymmetry> {
        let signature = model.signature();
        if signature.families.is_empty() {
            return Err(Asymmetry::NoFamily);
        }
        let conditions: Vec<Condition> =
            asked.conditions.iter().map(|condition| normal(condition.clone())).collect();
        let stays = |swap: &Swap| {
            let same =
                |condition| renamed(condition, swap).is_some_and(|it| normal(it) == *condition);
            !swap.slots().any(|slot| asked.slots.contains(&slot))
                && conditions.iter().all(same)
                && asked.actions.as_ref().is_none_or(|seen| same_letters(model, swap, seen))
        };
        let good = signature.families.iter().filter(|family| is_good(signature, family));
        let mut families: Vec<Family> = Vec::new();
        for family in good.flat_map(|family| alike(signature.n_slots(), family, &stays)) {
            if families.iter().all(|other| commute(signature.n_slots(), &family, other)) {
                families.push(family);
            }
        }
        if families.is_empty() {
            return Err(Asymmetry::TellsApart);
        }
        let together = connected(&families).into_iter();
        let exchanges =
            together.map(|families| Exchange::of(signature.n_slots(), families)).collect();
        Ok(Self { families, exchanges })
    }

    /// The families.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// The slots in which an exchange may change something, ascending.
    pub(crate) fn slots(&self) -> Vec<SlotId> {
        let mut slots: Vec<SlotId> = self.exchanges.iter().flat_map(Exchange::slots).collect();
        slots.sort_unstable();
        slots
    }

    /// Whether values of interned slots are compared: their numbers depend on what was met before.
    pub(crate) fn compares_interned(&self, signature: &Signature) -> bool {
        self.slots().into_iter().any(|slot| signature.slot(slot).domain == Domain::Interned)
    }

    /// Makes a state its representative: the least of those that are like it, or one that is less than
    /// many of them.
    pub fn represent(&self, state: &mut [Value]) {
        self.exchanges.iter().for_each(|exchange| exchange.represent(state, None));
    }

    /// What has to be done to the representative of a state to have the state.
    pub(crate) fn renaming(&self, state: &[Value]) -> Renaming {
        let (mut state, mut made) = (state.to_vec(), Vec::new());
        for exchange in &self.exchanges {
            exchange.represent(&mut state, Some(&mut made));
        }
        Renaming::of(state.len(), made.iter().rev())
    }

    /// How many states have this representative, or fewer; at most so many that sums of it fit.
    pub(crate) fn n_alike(&self, representative: &[Value]) -> u64 {
        let alike = self.exchanges.iter().map(|exchange| exchange.n_alike(representative));
        alike.product::<f64>().min(1e9) as u64
    }
}

/// Members that a question does not tell apart, together; `stays` tells whether a swap changes it.
fn alike(n_slots: usize, family: &Family, stays: &dyn Fn(&Swap) -> bool) -> Vec<Family> {
    let neighbours: Vec<Swap> = family.swaps().collect();
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for member in 0..family.members.len() {
        let fits = |class: &&mut Vec<usize>| {
            between(n_slots, &neighbours[class[0]..member]).is_some_and(|swap| stays(&swap))
        };
        match classes.iter_mut().find(fits) {
            Some(class) => class.push(member),
            None => classes.push(vec![member]),
        }
    }
    let family = |class: Vec<usize>| -> Option<Family> {
        let own = |&member: &usize| family.members[member].clone();
        let members: Vec<Vec<SlotId>> = class.iter().map(own).collect();
        let is_own = |slot: &SlotId| members.iter().any(|member| member.contains(slot));
        let beside = |pair: &[usize]| {
            let mut swap = between(n_slots, &neighbours[pair[0]..pair[1]])?;
            swap.slots.retain(|(one, _)| !is_own(one));
            Some(swap)
        };
        let beside: Vec<Swap> = class.windows(2).map(beside).collect::<Option<_>>()?;
        let is_plain = beside.iter().all(|swap| *swap == Swap::default());
        Some(Family { members, beside: if is_plain { Vec::new() } else { beside } })
    };
    classes.into_iter().filter(|class| class.len() > 1).filter_map(family).collect()
}

/// Families that share slots, together, in the order of the first of them.
fn connected(families: &[Family]) -> Vec<Vec<Family>> {
    let mut together: Vec<(Vec<Family>, Vec<SlotId>)> = Vec::new();
    for family in families {
        let mut slots: Vec<SlotId> =
            family.swaps().flat_map(|swap| swap.slots().collect::<Vec<_>>()).collect();
        let shares = |(_, other): &(_, Vec<SlotId>)| slots.iter().any(|slot| other.contains(slot));
        let (joined, apart): (Vec<_>, Vec<_>) = together.into_iter().partition(shares);
        let mut all = Vec::new();
        for (others, other) in joined {
            all.extend(others);
            slots.extend(other);
        }
        all.push(family.clone());
        together = apart;
        together.push((all, slots));
    }
    together.into_iter().map(|(families, _)| families).collect()
}

/// Whether the exchanges of one family can be done before those of another or after them, all the same.
fn commute(n_slots: usize, one: &Family, other: &Family) -> bool {
    let slots: BTreeSet<SlotId> =
        one.swaps().flat_map(|it| it.slots().collect::<Vec<_>>()).collect();
    one.swaps().all(|first| {
        other
            .swaps()
            .filter(|it| it.slots().any(|slot| slots.contains(&slot)))
            .all(|second| Renaming::of(n_slots, [&first, &second, &first, &second]).is_none())
    })
}

/// Whether swapping neighbours makes up all exchanges of members and nothing else, within the domains of
/// the slots: swaps are their own inverses, those that share no member can be done in any order, and
/// three that overlap come to the same from both sides (Coxeter & Moser 1957).
fn is_good(signature: &Signature, family: &Family) -> bool {
    let swaps: Vec<Swap> = family.swaps().collect();
    if !swaps.iter().all(|swap| stays_in_domain(signature, swap)) {
        return false;
    }
    let comes_to_nothing =
        |swaps: &[&Swap]| Renaming::of(signature.n_slots(), swaps.iter().copied()).is_none();
    let have_one_length = family.members.windows(2).all(|two| two[0].len() == two[1].len());
    let is_sorted = |class: &[Vec<SlotId>]| {
        let mut slots = class.concat();
        let n_slots = slots.len();
        slots.sort_unstable();
        slots.dedup();
        slots.len() == n_slots
    };
    if !have_one_length || !is_sorted(&family.members) {
        return false;
    }
    if family.beside.is_empty() {
        return true;
    }
    swaps.iter().enumerate().all(|(position, one)| {
        let further = swaps.iter().enumerate().skip(position + 1);
        comes_to_nothing(&[one, one])
            && further.into_iter().all(|(behind, other)| match behind - position {
                1 => comes_to_nothing(&[one, other, one, other, one, other]),
                _ => comes_to_nothing(&[one, other, one, other]),
            })
    })
}

/// Whether slots that change places have the same domain, and values stay in it.
fn stays_in_domain(signature: &Signature, swap: &Swap) -> bool {
    let size = |slot: SlotId| signature.slot(slot).domain.size();
    let mut moved: Vec<SlotId> = swap.slots.iter().flat_map(|&(one, other)| [one, other]).collect();
    let n_moved = moved.len();
    moved.sort_unstable();
    moved.dedup();
    let same = |&(one, other): &(SlotId, SlotId)| size(one) == size(other);
    let fits = |(slot, values): &(SlotId, Vec<Value>)| {
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let is_permutation = (0..values.len() as Value).eq(sorted);
        is_permutation && size(*slot).is_some_and(|size| values.len() as u32 <= size)
    };
    moved.len() == n_moved && swap.slots.iter().all(same) && swap.values.iter().all(fits)
}

/// A guard after a swap, if it can be said.
fn renamed_guard(guard: &Guard, swap: &Swap) -> Option<Guard> {
    let values = |slot: SlotId| swap.values(swap.slot(slot));
    Some(match guard {
        Guard::In(slot, set) => Guard::In(swap.slot(*slot), renamed_set(set, values(*slot))),
        Guard::Masked { slot, mask, equals } if values(*slot).is_none() => {
            Guard::Masked { slot: swap.slot(*slot), mask: *mask, equals: *equals }
        }
        Guard::AtLeast(slot, least) if values(*slot).is_none() => {
            Guard::AtLeast(swap.slot(*slot), *least)
        }
        Guard::Opaque { reads, text } if reads.iter().all(|&slot| values(slot).is_none()) => {
            let mut reads: Vec<SlotId> = reads.iter().map(|&slot| swap.slot(slot)).collect();
            reads.sort_unstable();
            Guard::Opaque { reads, text: text.clone() }
        }
        Guard::Masked { .. } | Guard::AtLeast(..) | Guard::Opaque { .. } => return None,
    })
}

fn renamed_set(set: &ValueSet, values: Option<&[Value]>) -> ValueSet {
    match values {
        None => set.clone(),
        Some(values) => {
            let renamed = |value: Value| values.get(value as usize).copied().unwrap_or(value);
            set.iter().map(renamed).collect()
        }
    }
}

/// A condition after a swap, if it can be said.
fn renamed(condition: &Condition, swap: &Swap) -> Option<Condition> {
    let all = |parts: &[Condition]| -> Option<Vec<Condition>> {
        parts.iter().map(|part| renamed(part, swap)).collect()
    };
    Some(match condition {
        Condition::Guard(guard) => Condition::Guard(renamed_guard(guard, swap)?),
        Condition::Not(inner) => Condition::Not(Box::new(renamed(inner, swap)?)),
        Condition::All(parts) => Condition::All(all(parts)?),
        Condition::Any(parts) => Condition::Any(all(parts)?),
        Condition::AtMost(weights, most) => {
            let moved = |(slot, weight): &(SlotId, Weight)| {
                let to = swap.slot(*slot);
                swap.values(to).is_none().then(|| (to, weight.clone()))
            };
            let mut weights = weights.iter().map(moved).collect::<Option<Vec<_>>>()?;
            weights.sort_unstable();
            Condition::AtMost(weights, *most)
        }
    })
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
        Condition::Guard(_) | Condition::AtMost(..) => condition,
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
fn same_letters(model: &dyn Model, swap: &Swap, letters: &Letters<'_>) -> bool {
    let signature = model.signature();
    let changed: BTreeSet<SlotId> = swap.slots().collect();
    let touches = |group: &&Group| {
        let guards = group.guards.iter().flat_map(|&guard| signature.guard(guard).reads());
        let mut used = guards.chain(&group.reads).copied().chain(group.may_write());
        used.any(|slot| changed.contains(&slot))
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
    let shapes = |swap: &Swap| -> Option<BTreeMap<Shape, Vec<u64>>> {
        let mut shapes: BTreeMap<Shape, Vec<u64>> = BTreeMap::new();
        for (group, shown) in touching.iter().zip(&shown) {
            shapes.entry(shape(signature, group, swap)?).or_default().extend(shown);
        }
        shapes.values_mut().for_each(|letters| letters.sort_unstable());
        Some(shapes)
    };
    shapes(swap).is_some_and(|swapped| shapes(&Swap::default()) == Some(swapped))
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
        Change::Any | Change::Set | Change::Count { .. } => return None,
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

/// What a plain group declares, after a swap, if it can be said.
fn shape(signature: &Signature, group: &Group, swap: &Swap) -> Option<Shape> {
    let guards = group.guards.iter();
    let mut guards: Vec<Guard> =
        guards.map(|&guard| renamed_guard(signature.guard(guard), swap)).collect::<Option<_>>()?;
    let effect = |Effect { slot, change }: &Effect| {
        let (number, value) = kind(change)?;
        let (slot, is_assigned) = (swap.slot(*slot), matches!(change, Change::Assign(_)));
        let value = match swap.values(slot) {
            None => value,
            Some(values) if is_assigned => values.get(value as usize).copied().unwrap_or(value),
            Some(_) => return None,
        };
        Some((slot, (number, value)))
    };
    let mut effects: Vec<(SlotId, Kind)> =
        group.effects.iter().map(effect).collect::<Option<_>>()?;
    guards.sort_unstable();
    guards.dedup();
    effects.sort_unstable();
    Some((guards, effects))
}
