//! What a signature says about pairs of groups, and about groups and guards, as sets: computed once
//! for a model, never for a state. Which of the sets apply in a state is looked up by the values of
//! its slots.

use quadrille_model::{Change, Group, GroupId, Guard, GuardId, Signature, SlotId, SlotKind, Value};

use crate::groups::Groups;

/// Most values of a slot that are looked up.
const MAX_VALUES: u32 = 256;

/// Most words of tables that are looked up by values.
const MAX_WORDS: usize = 1 << 21;

/// The tables of a model.
pub(crate) struct Tables {
    pub(crate) n_groups: usize,
    /// Per group, the groups that it need not commute with where both are enabled.
    pub(crate) discord: Vec<Groups>,
    /// Per guard, the groups that may make it true.
    pub(crate) enablers: Vec<Groups>,
    /// Per slot and value, the groups that may change the slot while it has the value; nothing for a
    /// slot with many values.
    pub(crate) leavers: Vec<Vec<Groups>>,
    /// Per slot that holds a queue, the groups that may do more to it than push.
    pub(crate) takers: Vec<Option<Groups>>,
    /// Per group whose guards are not complete, the groups that write what decides.
    pub(crate) deciders: Vec<Option<Groups>>,
    /// Per slot and value, the groups that have a guard which fails then.
    pub(crate) blocked: Vec<Vec<Groups>>,
    /// The guards that have to be asked, with the groups that have them.
    pub(crate) asked: Vec<(GuardId, Groups)>,
    /// The groups whose guards are not complete.
    pub(crate) incomplete: Groups,
    /// All groups.
    pub(crate) all: Groups,
}

impl Tables {
    pub(crate) fn new(signature: &Signature) -> Self {
        let n_groups = signature.groups.len();
        let has = |group: GroupId, guard: GuardId| {
            signature.groups[group.index()].guards.contains(&guard)
        };
        let ids = || (0..n_groups).map(GroupId::from_usize);
        let guards = || (0..signature.guards.len()).map(GuardId::from_usize);
        let writers = writers(signature);
        let decided = |group: GroupId| {
            let mut deciders = Groups::none(n_groups);
            for slot in signature.guard_reads(group) {
                deciders.add_all(&writers[slot.index()]);
            }
            deciders
        };
        let is_complete = |group: GroupId| signature.groups[group.index()].guards_complete;
        let mut tables = Self {
            n_groups,
            discord: discord(signature, &writers),
            enablers: guards().map(|guard| enablers(signature, guard, &writers)).collect(),
            leavers: vec![Vec::new(); signature.n_slots()],
            takers: signature.slot_ids().map(|slot| takers(signature, slot, &writers)).collect(),
            deciders: ids().map(|group| (!is_complete(group)).then(|| decided(group))).collect(),
            blocked: vec![Vec::new(); signature.n_slots()],
            asked: Vec::new(),
            incomplete: Groups::filter(n_groups, |group| !is_complete(group)),
            all: Groups::filter(n_groups, |_| true),
        };
        let mut room = MAX_WORDS;
        let mut on_slot: Vec<Vec<GuardId>> = vec![Vec::new(); signature.n_slots()];
        let mut asked = Vec::new();
        for guard in guards() {
            match signature.guard(guard) {
                Guard::In(slot, _) | Guard::Masked { slot, .. } => {
                    on_slot[slot.index()].push(guard);
                }
                Guard::Opaque { .. } => asked.push(guard),
            }
        }
        for (number, guards) in on_slot.iter().enumerate() {
            let slot = SlotId::from_usize(number);
            let size = signature.slot(slot).domain.size().filter(|&size| size <= MAX_VALUES);
            let needed = size.map(|size| 2 * size as usize * n_groups.div_ceil(64));
            let Some(size) = size.filter(|_| needed.is_some_and(|needed| needed <= room)) else {
                asked.extend(guards);
                continue;
            };
            room -= needed.unwrap_or_default();
            let holds = |guard: GuardId, value| test(signature.guard(guard), value);
            tables.blocked[number] = (0..size)
                .map(|value| {
                    let failing: Vec<_> =
                        guards.iter().filter(|&&guard| !holds(guard, value)).collect();
                    Groups::filter(n_groups, |group| failing.iter().any(|&&g| has(group, g)))
                })
                .collect();
            tables.leavers[number] = (0..size)
                .map(|value| {
                    let mut leavers = writers[number].clone();
                    leavers.remove_all(&tables.blocked[number][value as usize]);
                    leavers
                })
                .collect();
        }
        asked.sort_unstable();
        let with = |guard| (guard, Groups::filter(n_groups, |group| has(group, guard)));
        tables.asked = asked.into_iter().map(with).collect();
        tables
    }

    /// Sets of groups of which one, each by itself, must take a step before a guard that fails in a
    /// state becomes true (necessary enabling sets).
    pub(crate) fn openers<'t>(
        &'t self,
        signature: &Signature,
        guard: GuardId,
        state: &[Value],
    ) -> [Option<&'t Groups>; 2] {
        let second = match signature.guard(guard) {
            // Until the slot changes, the guard fails.
            Guard::In(slot, _) => {
                let value = state[slot.index()] as usize;
                self.leavers[slot.index()].get(value)
            }
            // A cell that is not empty stays what it is while elements are added.
            Guard::Masked { slot, mask, .. } if state[slot.index()] & mask != 0 => {
                self.takers[slot.index()].as_ref()
            }
            Guard::Masked { .. } | Guard::Opaque { .. } => None,
        };
        [Some(&self.enablers[guard.index()]), second]
    }
}

/// Whether a guard on one slot holds for a value of it.
fn test(guard: &Guard, value: Value) -> bool {
    match guard {
        Guard::In(_, set) => set.contains(value),
        Guard::Masked { mask, equals, .. } => value & mask == *equals,
        Guard::Opaque { .. } => true,
    }
}

/// Per slot, the groups that may change it.
fn writers(signature: &Signature) -> Vec<Groups> {
    let n_groups = signature.groups.len();
    let mut writers = vec![Groups::none(n_groups); signature.n_slots()];
    for (number, group) in signature.groups.iter().enumerate() {
        for slot in group.may_write() {
            writers[slot.index()].insert(GroupId::from_usize(number));
        }
    }
    writers
}

/// Pairs of groups that do not accord and are not known to exclude each other. Only pairs of which
/// one writes what the other uses come into question.
fn discord(signature: &Signature, writers: &[Groups]) -> Vec<Groups> {
    let n_groups = signature.groups.len();
    let mut discord = vec![Groups::none(n_groups); n_groups];
    for number in 0..n_groups {
        let one = GroupId::from_usize(number);
        let mut near = Groups::none(n_groups);
        let group = &signature.groups[number];
        for slot in signature.guard_reads(one).iter().chain(&group.reads) {
            near.add_all(&writers[slot.index()]);
        }
        for slot in group.may_write() {
            near.add_all(&writers[slot.index()]);
        }
        for other in near.iter().filter(|&other| other != one) {
            if signature.may_be_coenabled(one, other) && !signature.accord(one, other) {
                discord[number].insert(other);
                discord[other.index()].insert(one);
            }
        }
    }
    discord
}

fn enablers(signature: &Signature, guard: GuardId, writers: &[Groups]) -> Groups {
    let mut enablers = Groups::none(signature.groups.len());
    for slot in signature.guard(guard).reads() {
        for group in writers[slot.index()].iter() {
            if signature.may_enable(group, guard) {
                enablers.insert(group);
            }
        }
    }
    enablers
}

fn takers(signature: &Signature, slot: SlotId, writers: &[Groups]) -> Option<Groups> {
    let pushes = |group: &Group| matches!(group.change(slot), Some(Change::Push(_)));
    let is_queue = signature.slot(slot).kind == SlotKind::Queue;
    is_queue.then(|| {
        let mut takers = writers[slot.index()].clone();
        let pushing = Groups::filter(signature.groups.len(), |group| {
            pushes(&signature.groups[group.index()])
        });
        takers.remove_all(&pushing);
        takers
    })
}
