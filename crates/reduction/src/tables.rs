//! What a signature says about pairs of groups, and about groups and guards, as sets: computed once
//! for a model, never for a state. Which of the sets apply in a state is looked up by the values of
//! its slots.

use quadrille_model::{Change, Group, GroupId, Guard, GuardId, Signature, SlotId, SlotKind, Value};

use crate::groups::{Groups, Pool, Pooled};

/// Most values of a slot that are looked up.
const MAX_VALUES: u32 = 256;

/// Most sets that are looked up by values.
const MAX_LOOKED_UP: usize = 1 << 16;

/// The tables of a model.
pub(crate) struct Tables {
    pub(crate) n_groups: usize,
    pub(crate) pool: Pool,
    /// Per group, the groups that it need not commute with where both are enabled.
    pub(crate) discord: Vec<Pooled>,
    /// Per group, how many those are.
    pub(crate) n_discordant: Vec<u32>,
    /// Per guard, the groups that may make it true.
    pub(crate) enablers: Vec<Pooled>,
    /// Per slot and value, the groups that may change the slot while it has the value; nothing for a
    /// slot with many values.
    leavers: Vec<Vec<Pooled>>,
    /// Per slot that holds a queue, the groups that may do more to it than push.
    takers: Vec<Option<Pooled>>,
    /// Per group whose guards are not complete, the groups that write what decides.
    pub(crate) deciders: Vec<Option<Pooled>>,
    /// Per slot and value, the groups that have a guard which fails then.
    pub(crate) blocked: Vec<Vec<Pooled>>,
    /// The guards that have to be asked, with the groups that have them.
    pub(crate) asked: Vec<(GuardId, Pooled)>,
    /// The groups whose guards are not complete.
    pub(crate) incomplete: Groups,
    /// Per guard, the groups that have it.
    users: Vec<Pooled>,
    /// The guards of all groups, and where those of each start.
    guards: Vec<GuardId>,
    starts: Vec<u32>,
    /// All groups, and none.
    pub(crate) all: Pooled,
    pub(crate) none: Pooled,
}

/// What a guard that fails in a state needs (a necessary enabling set).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Openers {
    /// Groups of which one must take a step before the guard becomes true.
    pub(crate) groups: Pooled,
    /// Groups that have a guard for which this is true, and are therefore not enabled.
    pub(crate) settled: Pooled,
}

impl Tables {
    pub(crate) fn new(signature: &Signature) -> Self {
        let n_groups = signature.groups.len();
        let ids = || (0..n_groups).map(GroupId::from_usize);
        let guards = || (0..signature.guards.len()).map(GuardId::from_usize);
        let writers = writers(signature);
        let users = users(signature);
        let mut pool = Pool::default();
        let discord = discord(signature, &writers);
        let n_discordant = discord.iter().map(|groups| groups.len() as u32).collect();
        let discord: Vec<Pooled> = discord.iter().map(|groups| pool.add(groups)).collect();
        let enablers =
            guards().map(|guard| pool.add(&enablers(signature, guard, &writers))).collect();
        let takers = signature
            .slot_ids()
            .map(|slot| takers(signature, slot, &writers).map(|takers| pool.add(&takers)))
            .collect();
        let is_complete = |group: GroupId| signature.groups[group.index()].guards_complete;
        let deciders = ids()
            .map(|group| {
                (!is_complete(group)).then(|| {
                    let mut deciders = Groups::none(n_groups);
                    for slot in signature.guard_reads(group) {
                        deciders.add_all(&writers[slot.index()]);
                    }
                    pool.add(&deciders)
                })
            })
            .collect();
        let mut on_slot: Vec<Vec<GuardId>> = vec![Vec::new(); signature.n_slots()];
        let mut asked = Vec::new();
        for guard in guards() {
            match signature.guard(guard) {
                Guard::In(slot, _) | Guard::Masked { slot, .. } | Guard::AtLeast(slot, _) => {
                    on_slot[slot.index()].push(guard);
                }
                Guard::Opaque { .. } => asked.push(guard),
            }
        }
        let mut room = MAX_LOOKED_UP;
        let (mut blocked, mut leavers) = (Vec::new(), Vec::new());
        for (slot, guards) in signature.slot_ids().zip(&on_slot) {
            let size = signature.slot(slot).domain.size();
            let size = size.filter(|&size| size <= MAX_VALUES && size as usize <= room);
            blocked.push(Vec::new());
            leavers.push(Vec::new());
            let Some(size) = size else {
                asked.extend(guards);
                continue;
            };
            room -= size as usize;
            for value in 0..size {
                let mut failing = Groups::none(n_groups);
                for &guard in guards.iter().filter(|&&guard| !test(signature.guard(guard), value)) {
                    failing.add_all(&users[guard.index()]);
                }
                blocked[slot.index()].push(pool.add(&failing));
                let mut leaving = writers[slot.index()].clone();
                leaving.remove_all(&failing);
                leavers[slot.index()].push(pool.add(&leaving));
            }
        }
        asked.sort_unstable();
        let with = |guard: GuardId| (guard, pool.add(&users[guard.index()]));
        let asked = asked.into_iter().map(with).collect();
        let all = pool.add(&Groups::filter(n_groups, |_| true));
        let none = pool.add(&Groups::none(n_groups));
        let users = users.iter().map(|groups| pool.add(groups)).collect();
        pool.finish();
        let (mut all_guards, mut starts) = (Vec::new(), vec![0]);
        for group in &signature.groups {
            all_guards.extend(&group.guards);
            starts.push(all_guards.len() as u32);
        }
        Self {
            n_groups,
            pool,
            discord,
            n_discordant,
            enablers,
            leavers,
            takers,
            deciders,
            blocked,
            asked,
            incomplete: Groups::filter(n_groups, |group| !is_complete(group)),
            users,
            guards: all_guards,
            starts,
            all,
            none,
        }
    }

    /// The guards of a group.
    #[inline]
    pub(crate) fn guards(&self, group: usize) -> &[GuardId] {
        &self.guards[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// What a guard that fails in a state needs, each by itself.
    #[inline]
    pub(crate) fn openers(
        &self,
        signature: &Signature,
        guard: GuardId,
        state: &[Value],
    ) -> [Option<Openers>; 2] {
        let settled = self.users[guard.index()];
        let second = match signature.guard(guard) {
            // Until the slot changes, every guard on it that fails goes on failing.
            Guard::In(slot, _) | Guard::AtLeast(slot, _) => {
                let (slot, value) = (slot.index(), state[slot.index()] as usize);
                let leavers = self.leavers[slot].get(value).copied();
                leavers.map(|groups| Openers { groups, settled: self.blocked[slot][value] })
            }
            // A cell that is not empty stays what it is while elements are added.
            Guard::Masked { slot, mask, .. } if state[slot.index()] & mask != 0 => {
                self.takers[slot.index()].map(|groups| Openers { groups, settled })
            }
            Guard::Masked { .. } | Guard::Opaque { .. } => None,
        };
        [Some(Openers { groups: self.enablers[guard.index()], settled }), second]
    }
}

/// Whether a guard on one slot holds for a value of it.
fn test(guard: &Guard, value: Value) -> bool {
    guard.allows(value).unwrap_or(true)
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

/// Per guard, the groups that have it.
fn users(signature: &Signature) -> Vec<Groups> {
    let n_groups = signature.groups.len();
    let mut users = vec![Groups::none(n_groups); signature.guards.len()];
    for (number, group) in signature.groups.iter().enumerate() {
        for guard in &group.guards {
            users[guard.index()].insert(GroupId::from_usize(number));
        }
    }
    users
}

/// Pairs of groups that do not accord and are not known to exclude each other. Only pairs of which
/// one writes what the other uses come into question.
fn discord(signature: &Signature, writers: &[Groups]) -> Vec<Groups> {
    let n_groups = signature.groups.len();
    let mut discord = vec![Groups::none(n_groups); n_groups];
    let mut nears: Vec<Groups> = Vec::with_capacity(n_groups);
    for (number, group) in signature.groups.iter().enumerate() {
        let one = GroupId::from_usize(number);
        let mut near = Groups::none(n_groups);
        let guards = group.guards.iter().flat_map(|&guard| signature.guard(guard).reads());
        for slot in guards.chain(&group.reads).copied().chain(group.may_write()) {
            near.add_all(&writers[slot.index()]);
        }
        // Neither question depends on which of the two is named first.
        let is_known = |other: GroupId| {
            let other = other.index();
            other == number || other < number && nears[other].contains(number)
        };
        for other in near.iter().filter(|&other| !is_known(other)) {
            if signature.may_be_coenabled(one, other) && !signature.accord(one, other) {
                discord[number].insert(other);
                discord[other.index()].insert(one);
            }
        }
        nears.push(near);
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
