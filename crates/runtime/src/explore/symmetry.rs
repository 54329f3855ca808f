//! Roles of a liberal form that can be exchanged for each other, from the tables of the plan alone:
//! another name for a role maps acts, packets, queues and automata to such. Runs nothing.
//!
//! A strict form has no families: its machine is one automaton, whose state is one value in which no role has a part of its
//! own that could change places. Exchanging two roles would be a permutation of all its states, so as large as the form
//! itself; who wants fewer states explores the protocol, whose families its text shows. Forms with parallel parts have none
//! either: a member has parts in the machines of other roles, too, and all those slots would have to change places at once.

use std::collections::BTreeMap;

use quadrille_model::{Family, SlotId, Swap, Value};

use super::content::Contents;
use super::layout::Layout;
use crate::plan::{Act, ActId, LocalId, PacketId, Plan, RoleId};
use crate::table::Table;

/// There are no families among more roles than this.
const MAX_ROLES: usize = 64;

/// Most contents of all queues that are renamed by a table.
const MAX_CONTENTS: usize = 1 << 16;

/// The families of roles; none where a machine has parallel parts.
pub(super) fn families(table: &Table, layout: &Layout, contents: &[Contents]) -> Vec<Family> {
    let n_roles = table.plan.locals.len();
    let has_parts = table.locals.iter().any(|local| !local.forks.is_empty());
    let n_contents: Option<usize> = contents.iter().map(Contents::size).sum();
    if n_roles > MAX_ROLES || has_parts || n_contents.is_none_or(|number| number > MAX_CONTENTS) {
        return Vec::new();
    }
    let mut classes: Vec<(Vec<RoleId>, Vec<Swap>)> = Vec::new();
    for number in 0..n_roles {
        let role = RoleId(number as u16);
        let joined = classes.iter_mut().any(|(members, swaps)| {
            let Some(swap) = swap(table, layout, contents, members[members.len() - 1], role) else {
                return false;
            };
            members.push(role);
            swaps.push(swap);
            true
        });
        if !joined {
            classes.push((vec![role], Vec::new()));
        }
    }
    let families = classes.into_iter().filter(|(members, _)| members.len() > 1);
    let own = |role: &RoleId| vec![control(layout, *role)];
    families
        .map(|(roles, beside)| Family { members: roles.iter().map(own).collect(), beside })
        .collect()
}

fn control(layout: &Layout, role: RoleId) -> SlotId {
    SlotId::from_usize(layout.of(role.index()).start)
}

/// What else changes places when two roles do.
fn swap(
    table: &Table,
    layout: &Layout,
    contents: &[Contents],
    one: RoleId,
    other: RoleId,
) -> Option<Swap> {
    let plan = &table.plan;
    let renamed = Renaming::new(plan, one, other)?;
    let mut swap = Swap::default();
    for (number, states) in renamed.states.iter().enumerate() {
        // Its slot holds what the slot of the other held.
        let role = renamed.role(RoleId(number as u16));
        let values: Vec<Value> = states.iter().map(|state| Value::from(state.0)).collect();
        swap.rename(control(layout, role), values);
    }
    let queue = |number: usize| SlotId::from_usize(layout.n_slots() + number);
    for (number, from) in plan.queues.iter().enumerate() {
        let is_same = |to: &crate::plan::Queue| {
            let role = |role| renamed.role(role);
            (to.from, to.to) == (from.from.map(role), role(from.to))
                && (to.capacity, to.suffices) == (from.capacity, from.suffices)
        };
        let to = plan.queues.iter().position(is_same)?;
        if number < to {
            swap.slots.push((queue(number), queue(to)));
        }
        let letter = |letter: u32| renamed.packets[letter as usize].0;
        swap.rename(queue(to), contents[to].of(&contents[number], letter)?);
    }
    let closing = |number: usize| queue(plan.queues.len() + number);
    for (number, &(from, to)) in table.closings.iter().enumerate() {
        let wanted = (renamed.role(from), renamed.role(to));
        let to = table.closings.iter().position(|&pair| pair == wanted)?;
        if number < to {
            swap.slots.push((closing(number), closing(to)));
        }
    }
    Some(swap)
}

/// Another name for every role, act, packet and local state, which twice is the first.
struct Renaming {
    roles: (RoleId, RoleId),
    packets: Vec<PacketId>,
    /// By role, what each of its states is called in the automaton of the role's new name.
    states: Vec<Vec<LocalId>>,
}

impl Renaming {
    fn new(plan: &Plan, one: RoleId, other: RoleId) -> Option<Self> {
        let mut renamed = Self { roles: (one, other), packets: Vec::new(), states: Vec::new() };
        let key = |act: &Act, role: &dyn Fn(RoleId) -> RoleId| {
            let mut to: Vec<RoleId> = act.to.iter().map(|&to| role(to)).collect();
            to.sort_unstable();
            (act.kind, role(act.from), to, act.label)
        };
        let numbered = plan.acts.iter().zip(0..);
        let known: BTreeMap<_, ActId> =
            numbered.map(|(act, number)| (key(act, &|role| role), ActId(number))).collect();
        if known.len() < plan.acts.len() {
            return None;
        }
        let acts: Option<Vec<ActId>> = plan
            .acts
            .iter()
            .map(|act| known.get(&key(act, &|role| renamed.role(role))).copied())
            .collect();
        let acts = acts?;
        for packet in plan.packets.iter() {
            let wanted = (acts[packet.act.index()], packet.variant);
            let found = plan.packets.iter().position(|to| (to.act, to.variant) == wanted)?;
            renamed.packets.push(PacketId(found as u32));
        }
        for number in 0..plan.locals.len() {
            let role = RoleId(number as u16);
            let states = renamed.states(plan, &acts, role)?;
            renamed.states.push(states);
        }
        let is_twice_the_first = renamed.states.iter().enumerate().all(|(number, states)| {
            let back = &renamed.states[renamed.role(RoleId(number as u16)).index()];
            states.iter().zip(0..).all(|(state, first)| back[state.index()] == LocalId(first))
        });
        is_twice_the_first.then_some(renamed)
    }

    fn role(&self, role: RoleId) -> RoleId {
        match self.roles {
            (one, other) if role == one => other,
            (one, other) if role == other => one,
            _ => role,
        }
    }

    /// What the states of a role are called, by following both automata from their starts; `None` if one can do
    /// what the other cannot.
    fn states(&self, plan: &Plan, acts: &[ActId], role: RoleId) -> Option<Vec<LocalId>> {
        let from = &plan.locals[role.index()].states;
        let to = &plan.locals[self.role(role).index()].states;
        if from.len() != to.len() || from.is_empty() {
            return None;
        }
        let mut names: Vec<Option<LocalId>> = vec![None; from.len()];
        names[0] = Some(LocalId(0));
        let mut open = vec![(0, 0)];
        while let Some((state, name)) = open.pop() {
            let (one, other): (&crate::plan::LocalState, &crate::plan::LocalState) =
                (&from[state], &to[name]);
            if one.may_end != other.may_end || one.edges.len() != other.edges.len() {
                return None;
            }
            for edge in one.edges.iter() {
                let packet = edge.packet.map(|packet| self.packets[packet.index()]);
                let wanted = (acts[edge.act.index()], packet);
                let mut same =
                    other.edges.iter().filter(|other| (other.act, other.packet) == wanted);
                let (Some(same), None) = (same.next(), same.next()) else { return None };
                match names[edge.to.index()] {
                    Some(known) if known != same.to => return None,
                    Some(_) => {}
                    None => {
                        names[edge.to.index()] = Some(same.to);
                        open.push((edge.to.index(), same.to.index()));
                    }
                }
            }
        }
        names.into_iter().collect()
    }
}
