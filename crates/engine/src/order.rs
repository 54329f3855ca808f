//! In which order the slots of a state lie best: slots that one group reads or writes together lie
//! close together. Reverse Cuthill–McKee on the graph of such slots (1969; George 1971), refined by FORCE
//! (Aloul, Markov & Sakallah 2003). Decides the size of diagrams and how well sorted states compress.

use std::collections::VecDeque;

use quadrille_model::{GroupId, Signature, SlotId};

/// Groups that touch more slots say nothing of who is whose neighbour.
const WIDEST: usize = 64;
/// FORCE converges in about as many rounds as the logarithm of the number of slots.
const ROUNDS: usize = 60;

/// All slots, in an order in which every group touches a short range of them.
pub fn slot_order(signature: &Signature) -> Vec<SlotId> {
    let groups: Vec<Vec<usize>> = (0..signature.groups.len())
        .map(|group| touched(signature, GroupId::from_usize(group)))
        .filter(|slots| slots.len() > 1)
        .collect();
    let given: Vec<usize> = (0..signature.n_slots()).collect();
    let starts = [reverse_cuthill_mckee(signature.n_slots(), &groups), given];
    let refined = starts.into_iter().map(|order| force(order, &groups));
    let best = refined.min_by_key(|order| span(order, &groups)).unwrap_or_default();
    best.into_iter().map(SlotId::from_usize).collect()
}

/// The slots that a group's steps depend on or change, ascending.
fn touched(signature: &Signature, group: GroupId) -> Vec<usize> {
    let deciding = signature.guard_reads(group);
    let group = &signature.groups[group.index()];
    let all = deciding.into_iter().chain(group.reads.iter().copied()).chain(group.may_write());
    let mut slots: Vec<usize> = all.map(SlotId::index).collect();
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// Per slot, whether the steps of some group depend on it or change it.
pub(crate) fn touched_by_any(signature: &Signature) -> Vec<bool> {
    let mut is_touched = vec![false; signature.n_slots()];
    for group in 0..signature.groups.len() {
        for slot in touched(signature, GroupId::from_usize(group)) {
            is_touched[slot] = true;
        }
    }
    is_touched
}

/// How far the slots of the groups lie apart, all groups together.
fn span(order: &[usize], groups: &[Vec<usize>]) -> usize {
    let position = inverse(order);
    let span = |group: &Vec<usize>| {
        let positions = || group.iter().map(|&slot| position[slot]);
        positions().max().unwrap_or(0) - positions().min().unwrap_or(0)
    };
    groups.iter().map(span).sum()
}

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut position = vec![0; order.len()];
    for (at, &slot) in order.iter().enumerate() {
        position[slot] = at;
    }
    position
}

fn reverse_cuthill_mckee(n_slots: usize, groups: &[Vec<usize>]) -> Vec<usize> {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); n_slots];
    for group in groups.iter().filter(|group| group.len() <= WIDEST) {
        for &slot in group {
            neighbours[slot].extend(group.iter().copied().filter(|&other| other != slot));
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    let degrees: Vec<usize> = neighbours.iter().map(Vec::len).collect();
    for list in &mut neighbours {
        list.sort_by_key(|&slot| (degrees[slot], slot));
    }
    let mut by_degree: Vec<usize> = (0..n_slots).collect();
    by_degree.sort_by_key(|&slot| (degrees[slot], slot));
    let mut order = Vec::with_capacity(n_slots);
    let mut done = vec![false; n_slots];
    for start in by_degree {
        if done[start] {
            continue;
        }
        let layers = breadth_first(far_end(start, &neighbours), &neighbours);
        for &slot in &layers {
            done[slot] = true;
        }
        order.extend(layers);
    }
    order.reverse();
    order
}

/// A slot at about the greatest distance from some other.
fn far_end(start: usize, neighbours: &[Vec<usize>]) -> usize {
    let once = breadth_first(start, neighbours).last().copied().unwrap_or(start);
    breadth_first(once, neighbours).last().copied().unwrap_or(once)
}

fn breadth_first(start: usize, neighbours: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; neighbours.len()];
    let mut order = Vec::new();
    let mut queue = VecDeque::from([start]);
    seen[start] = true;
    while let Some(slot) = queue.pop_front() {
        order.push(slot);
        for &next in &neighbours[slot] {
            if !std::mem::replace(&mut seen[next], true) {
                queue.push_back(next);
            }
        }
    }
    order
}

/// Moves every slot to the middle of its groups, as long as that makes the groups shorter.
fn force(mut order: Vec<usize>, groups: &[Vec<usize>]) -> Vec<usize> {
    let mut least = span(&order, groups);
    for _ in 0..ROUNDS {
        let position = inverse(&order);
        // Sums of centres in fixed point: the same on every machine.
        let mut sums = vec![(0u64, 0u64); order.len()];
        for group in groups {
            let total: u64 = group.iter().map(|&slot| position[slot] as u64).sum();
            let centre = (total << 16) / group.len() as u64;
            for &slot in group {
                sums[slot] = (sums[slot].0 + centre, sums[slot].1 + 1);
            }
        }
        let goal = |slot: usize| match sums[slot] {
            (_, 0) => (position[slot] as u64) << 16,
            (sum, n) => sum / n,
        };
        let mut next = order.clone();
        next.sort_by_key(|&slot| (goal(slot), position[slot]));
        let reached = span(&next, groups);
        if reached >= least {
            break;
        }
        (order, least) = (next, reached);
    }
    order
}

#[cfg(test)]
mod tests;
