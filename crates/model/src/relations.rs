//! What the declarations of groups say about pairs of them, for reductions: which steps commute,
//! which can make a guard true, which exclude each other. Never of a state: all of this is static
//! (Laarman, Pater, van de Pol & Weber, STTT 2014).

use crate::{Change, GroupId, GuardId, Signature, SlotId};

impl Signature {
    /// The slots that decide whether a group has a successor, ascending.
    pub fn guard_reads(&self, group: GroupId) -> Vec<SlotId> {
        let group = &self.groups[group.index()];
        let guards = group.guards.iter().flat_map(|&guard| self.guard(guard).reads());
        let others = group.reads.iter().filter(|_| !group.guards_complete);
        let mut slots: Vec<SlotId> = guards.chain(others).copied().collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// Whether a step of a group may make a guard true that was false.
    pub fn may_enable(&self, group: GroupId, guard: GuardId) -> bool {
        let (group, guard) = (&self.groups[group.index()], self.guard(guard));
        let changes = guard.reads().iter().filter_map(|&slot| group.change(slot));
        changes.into_iter().any(|change| guard.may_become_true(change))
    }

    /// Whether steps of two different groups that are both possible can be taken in either order
    /// with the same result.
    pub fn accord(&self, one: GroupId, other: GroupId) -> bool {
        one != other && self.undisturbed(one, other) && self.undisturbed(other, one)
    }

    /// Whether nothing that `by` writes matters to `group` where both are possible: the slot is not
    /// looked at, or only by guards that hold after the change as well; and if `group` writes it too,
    /// both do to it what commutes, count, or write the same constant.
    fn undisturbed(&self, group: GroupId, by: GroupId) -> bool {
        let (group, by) = (&self.groups[group.index()], &self.groups[by.index()]);
        by.effects.iter().all(|effect| {
            let change = group.change(effect.slot);
            if change.is_some_and(|change| change.commutes_with(&effect.change)) {
                return true;
            }
            let guards = group.guards.iter().map(|&guard| self.guard(guard));
            let mut asking = guards.filter(|guard| guard.reads().contains(&effect.slot));
            // Sums do not depend on the order, as long as nothing else depends on the number.
            let are_sums = matches!(
                (change, &effect.change),
                (Some(Change::Count { .. }), Change::Count { .. })
            );
            let is_unread = || {
                change.is_none_or(|change| change.is_same_constant(&effect.change))
                    && group.reads.binary_search(&effect.slot).is_err()
            };
            (are_sums && group.is_separable() || is_unread())
                && asking.all(|guard| guard.must_hold_after(&effect.change))
        })
    }

    /// Whether two groups may both have successors in one state.
    pub fn may_be_coenabled(&self, one: GroupId, other: GroupId) -> bool {
        let guards = |group: GroupId| self.groups[group.index()].guards.iter();
        let agree =
            |one: &GuardId, other: &GuardId| self.guard(*one).agrees_with(self.guard(*other));
        guards(one).all(|one| guards(other).all(|other| agree(one, other)))
    }
}
