//! What the workbench of the liberal form knows of a module before anything happens: what roles may ask for, which
//! slots their steps touch, where the halves of queues are.

use super::QueueAt;
use crate::explore::content::Contents;
use crate::explore::layout::Layout;
use crate::plan::{Kind, RoleId};
use crate::request::Request;
use crate::table::{LocalStep, LocalTable, StepKind, Table};

/// What a role may ask for, by state.
pub(super) fn requests(local: &LocalTable) -> Vec<Vec<Request>> {
    let of_row = |&row| {
        let mut requests = Vec::new();
        for step in local.steps(row) {
            let request = match step.kind {
                StepKind::Enqueue { .. } | StepKind::RendezvousSend { .. } => {
                    Request::Send(step.label, None)
                }
                StepKind::Dequeue { .. } => Request::Receive(None),
                StepKind::Close { .. } => Request::Close(step.peer),
                StepKind::Local => Request::Local(step.label),
                // The role that passes something asks for it.
                StepKind::RendezvousReceive => continue,
            };
            if !requests.contains(&request) {
                requests.push(request);
            }
        }
        requests
    };
    local.rows.iter().map(of_row).collect()
}

/// The slots that the steps of a role look at and change, by state.
pub(super) fn slots(table: &Table, layout: &Layout, role: RoleId) -> Vec<Vec<usize>> {
    let local = &table.locals[role.index()];
    let of_row = |&row| {
        let mut slots: Vec<usize> = layout.of(role.index()).collect();
        for step in local.steps(row) {
            each_slot(table, layout, local, step, |slot| slots.push(slot));
        }
        slots.sort_unstable();
        slots.dedup();
        slots
    };
    let by_row: Vec<Vec<usize>> = local.rows.iter().map(of_row).collect();
    if local.forks.is_empty() {
        return by_row;
    }
    let mut all = by_row.concat();
    all.sort_unstable();
    all.dedup();
    vec![all; local.rows.len()]
}

/// The slots that a step looks at or changes, beside the state of its role.
fn each_slot(
    table: &Table,
    layout: &Layout,
    local: &LocalTable,
    step: &LocalStep,
    mut visit: impl FnMut(usize),
) {
    let n_control = layout.n_slots();
    match step.kind {
        StepKind::Enqueue { .. } => {
            for target in local.targets(step) {
                visit(n_control + local.outbound[target.outbound as usize].index());
            }
        }
        StepKind::Dequeue { inbound } => {
            visit(n_control + local.inbound[inbound as usize].queue.index());
        }
        StepKind::RendezvousSend { .. } => {
            let targets = local.targets(step).iter();
            targets.for_each(|target| layout.of(target.to.index()).for_each(&mut visit));
        }
        StepKind::Close { closing, .. } => {
            visit(n_control + table.plan.queues.len() + closing as usize);
        }
        StepKind::RendezvousReceive | StepKind::Local => {}
    }
}

pub(super) fn touches(
    table: &Table,
    layout: &Layout,
    local: &LocalTable,
    step: &LocalStep,
    slot: usize,
) -> bool {
    let mut touches = false;
    each_slot(table, layout, local, step, |other| touches |= other == slot);
    touches
}

/// What each queue can hold.
pub(in crate::explore) fn contents(table: &Table) -> Vec<Contents> {
    let contents = |queue: &crate::plan::Queue| {
        let sends = |packet: &crate::plan::Packet| {
            let act = table.act(packet.act);
            act.kind == Kind::Send
                && act.to.contains(&queue.to)
                && queue.from.is_none_or(|from| from == act.from)
        };
        let packets = table.plan.packets.iter().enumerate();
        let packets = packets.filter(|(_, packet)| sends(packet)).map(|(number, _)| number as u32);
        Contents::new(packets.collect(), Some(queue.capacity.max(1)))
    };
    table.plan.queues.iter().map(contents).collect()
}

/// All queues, empty.
pub(super) fn queues(table: &Table, contents: &[Contents]) -> Vec<QueueAt> {
    let queue = |(number, queue): (usize, &crate::plan::Queue)| {
        let sender = queue.from.map_or(0, RoleId::index);
        let outbound = table.locals[sender].outbound.iter().position(|it| it.index() == number);
        let receiver = queue.to.index();
        let mut inbound = table.locals[receiver].inbound.iter();
        let inbound = inbound.position(|it| it.queue.index() == number);
        QueueAt {
            contents: contents[number].clone(),
            sender: (sender, outbound.expect("the sender has this half")),
            receiver: (receiver, inbound.expect("the receiver has this half")),
        }
    };
    table.plan.queues.iter().enumerate().map(queue).collect()
}
