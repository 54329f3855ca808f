//! What an exploration promises of itself, from the tables of the plan: slots, tasks, and a group for each act with
//! its guards and effects. Runs nothing.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_model::{
    Action, ActionId, Change, Domain, Effect, Group, Guard, GuardId, Interaction, Participant,
    ParticipantId, Signature, Slot, SlotId, SlotKind, TaskId, Value, ValueSet,
};

use super::content::Contents;
use super::layout::Layout;
use super::symmetry::families;
use crate::plan::{Act, GlobalId, Kind, RoleId};
use crate::table::{LocalStep, StepKind, Table, initiator};

/// What an opaque guard asks of the queue in its slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum QueueTest {
    /// This element is at the front.
    Front(u32),
    /// This element is somewhere in it.
    Holds(u32),
    /// It holds less than this.
    Room(u32),
}

impl QueueTest {
    pub(super) fn holds(self, elements: &[u32]) -> bool {
        match self {
            QueueTest::Front(element) => elements.first() == Some(&element),
            QueueTest::Holds(element) => elements.contains(&element),
            QueueTest::Room(capacity) => elements.len() < capacity as usize,
        }
    }
}

/// What an act looks at and changes.
#[derive(Default)]
struct Touched {
    /// The slots whose values must be among some.
    sources: BTreeMap<SlotId, ValueSet>,
    /// What its steps, each from other states, need of queues.
    needs: BTreeSet<Vec<(SlotId, QueueTest)>>,
    /// The packets that are handed over.
    handed: BTreeSet<u32>,
    changes: BTreeMap<SlotId, Change>,
    /// Whether its role has parallel parts.
    in_parts: bool,
}

impl Touched {
    fn source(&mut self, slot: SlotId, value: Value) {
        self.sources.entry(slot).or_default().insert(value);
    }

    /// Adds one more way in which a slot may change. States of roles are set to what running the
    /// module leads to: were values declared, a search could do without running it.
    fn change(&mut self, slot: SlotId, change: Change) {
        use Change::{Any, Insert, Pop, Push, Remove, Set};
        let known = self.changes.entry(slot).or_insert_with(|| change.clone());
        match (&mut *known, change) {
            (Set, Set) => {}
            (Push(known), Push(more))
            | (Pop(known), Pop(more))
            | (Insert(known), Insert(more))
            | (Remove(known), Remove(more)) => more.iter().for_each(|value| known.insert(value)),
            _ => *known = Any,
        }
    }
}

/// A signature, and what its opaque guards ask, by guard.
pub(super) type Declared = (Signature, Vec<Option<QueueTest>>);

/// The signature of the liberal form: a slot for each role, then one for each queue, then one for each closing.
pub(super) fn liberal(table: &Table, layout: &Layout, contents: &[Contents]) -> Declared {
    let roles = layout.slots();
    let queues = table.plan.queues.iter().zip(contents).map(|(queue, contents)| {
        let from = queue.from.map_or("", |from| table.role(from));
        let slot = Slot::new(format!("{from}->{}", table.role(queue.to)), contents.domain());
        slot.owned_by(Some(participant(queue.to))).of_kind(SlotKind::Queue)
    });
    let closings = table.closings.iter().map(|&(from, to)| {
        let name = format!("{}->{} closed", table.role(from), table.role(to));
        Slot::new(name, Domain::Size(2)).owned_by(Some(participant(from))).of_kind(SlotKind::Data)
    });
    let slots = roles.chain(queues).chain(closings).collect();
    let mut touched = touched_by_acts(table);
    for (role, local) in table.locals.iter().enumerate() {
        for (state, &row) in local.rows.iter().enumerate() {
            for step in
                local.steps(row).iter().filter(|step| step.kind != StepKind::RendezvousReceive)
            {
                let act = &mut touched[step.act.index()];
                control(layout, role, local.forks.is_empty(), state, act);
                let needs = touch(table, layout, role, step, act);
                act.needs.insert(needs);
            }
        }
    }
    let (mut signature, tests) = signature(table, slots, touched);
    signature.families = families(table, layout, contents);
    (signature, tests)
}

/// What a step does beside changing the state of its role; what it needs of queues.
fn touch(
    table: &Table,
    layout: &Layout,
    role: usize,
    step: &LocalStep,
    act: &mut Touched,
) -> Vec<(SlotId, QueueTest)> {
    let (n_control, local) = (layout.n_slots(), &table.locals[role]);
    let mut needs = Vec::new();
    let packet = || ValueSet::one(step.packet.0);
    match step.kind {
        StepKind::Enqueue { .. } => {
            for out in local.targets(step) {
                let queue = local.outbound[out.outbound as usize].index();
                let slot = SlotId::from_usize(n_control + queue);
                needs.push((slot, QueueTest::Room(table.plan.queues[queue].capacity.max(1))));
                act.change(slot, Change::Push(packet()));
            }
        }
        StepKind::Dequeue { inbound } => {
            let queue = local.inbound[inbound as usize].queue.index();
            let slot = SlotId::from_usize(n_control + queue);
            needs.push((slot, QueueTest::Front(step.packet.0)));
            act.change(slot, Change::Pop(packet()));
        }
        StepKind::RendezvousSend { .. } => {
            act.handed.insert(step.packet.0);
            for out in local.targets(step) {
                let peer = &table.locals[out.to.index()];
                let slot = SlotId::from_usize(layout.of(out.to.index()).start);
                for (state, &row) in peer.rows.iter().enumerate() {
                    let is_met = |met: &&LocalStep| {
                        met.kind == StepKind::RendezvousReceive && met.act == step.act
                    };
                    for met in peer.steps(row).iter().filter(is_met) {
                        act.handed.insert(met.packet.0);
                        act.source(slot, state as Value);
                        act.change(slot, Change::Set);
                    }
                }
            }
        }
        StepKind::Close { closing, .. } => {
            let slot = n_control + table.plan.queues.len() + closing as usize;
            act.change(SlotId::from_usize(slot), Change::Any);
        }
        StepKind::RendezvousReceive | StepKind::Local => {}
    }
    needs
}

/// The signature of the strict form: a slot for the machine, then one for each pair of sender and receiver.
pub(super) fn strict(table: &Table, layout: &Layout, contents: &[Contents]) -> Declared {
    let states = table.plan.strict.len() as u32;
    let pairs = table.global.pairs.iter().zip(contents).map(|(&(from, to), contents)| {
        let name = format!("{}->{}", table.role(from), table.role(to));
        let slot = Slot::new(name, contents.domain());
        slot.owned_by(Some(participant(to))).of_kind(SlotKind::Queue)
    });
    let slots = layout.slots().chain(pairs).collect();
    let is_single = table.global.forks.is_empty();
    let mut touched = touched_by_acts(table);
    for state in 0..states {
        for step in table.global.steps(GlobalId(state)) {
            let touched = &mut touched[step.act.index()];
            control(layout, 0, is_single, state as usize, touched);
            let act = table.act(step.act);
            let label = act.label.map(|label| ValueSet::one(label.0)).unwrap_or_default();
            let mut needs = Vec::new();
            for &pair in table.global.pairs_of(step.act) {
                let slot = SlotId::from_usize(layout.n_slots() + pair as usize);
                match act.kind {
                    Kind::Send => touched.change(slot, Change::Insert(label.clone())),
                    Kind::Receive => {
                        needs.extend(act.label.map(|label| (slot, QueueTest::Holds(label.0))));
                        touched.change(slot, Change::Remove(label.clone()));
                    }
                    Kind::Exchange | Kind::Close | Kind::Local => {}
                }
            }
            touched.needs.insert(needs);
        }
    }
    signature(table, slots, touched)
}

/// What a step from a state says of the slots of its machine. Where there are parallel parts, a step may begin and end
/// others, and nothing is said of where it leads from.
fn control(layout: &Layout, machine: usize, is_single: bool, state: usize, act: &mut Touched) {
    let slots = layout.of(machine);
    if is_single {
        let own = SlotId::from_usize(slots.start);
        act.source(own, state as Value);
        act.change(own, Change::Set);
        return;
    }
    act.in_parts = true;
    for slot in slots {
        act.change(SlotId::from_usize(slot), Change::Any);
    }
}

fn touched_by_acts(table: &Table) -> Vec<Touched> {
    table.plan.acts.iter().map(|_| Touched::default()).collect()
}

/// A task for each role, a group and an action for each act.
fn signature(table: &Table, slots: Vec<Slot>, touched: Vec<Touched>) -> Declared {
    let (mut signature, mut tests) = (Signature::new(slots), Vec::new());
    signature.tasks = table.plan.roles.iter().map(ToString::to_string).collect();
    signature.participants =
        table.plan.roles.iter().map(|name| Participant::new(&**name)).collect();
    signature.actions = table.plan.acts.iter().map(|act| action(table, act)).collect();
    for (number, (act, touched)) in table.plan.acts.iter().zip(touched).enumerate() {
        let mut group = Group {
            task: TaskId::from_usize(initiator(act).index()),
            participants: vec![participant(initiator(act))],
            // Where steps differ in what they need, guards on one slot each are not enough.
            guards_complete: touched.needs.len() <= 1
                && touched.handed.len() <= 1
                && !touched.in_parts,
            reads: touched.sources.keys().chain(touched.changes.keys()).copied().collect(),
            actions: Some(vec![ActionId::from_usize(number)]),
            ..Group::default()
        };
        group.reads.sort_unstable();
        group.reads.dedup();
        let mut guard = |guard: Guard, test: Option<QueueTest>| {
            group.guards.push(GuardId::from_usize(signature.guards.len()));
            signature.guards.push(guard);
            tests.push(test);
        };
        for (slot, values) in touched.sources {
            guard(Guard::In(slot, values), None);
        }
        let common = touched.needs.into_iter().filter(|_| group.guards_complete);
        for (slot, test) in common.flatten() {
            let name = &signature.slots[slot.index()].name;
            let text = match test {
                QueueTest::Front(element) => format!("the front of {name} is {element}"),
                QueueTest::Holds(element) => format!("{name} holds {element}"),
                QueueTest::Room(_) => format!("{name} has room"),
            };
            guard(Guard::Opaque { reads: vec![slot], text }, Some(test));
        }
        let effect = |(slot, change)| Effect { slot, change };
        group.effects = touched.changes.into_iter().map(effect).collect();
        signature.groups.push(group);
    }
    (signature, tests)
}

pub(super) fn participant(role: RoleId) -> ParticipantId {
    ParticipantId::new(u32::from(role.0))
}

fn action(table: &Table, act: &Act) -> Action {
    let from = participant(act.from);
    let to: Vec<ParticipantId> = act.to.iter().map(|&to| participant(to)).collect();
    let message = act.label.map(|label| table.label(label).to_owned()).unwrap_or_default();
    let interaction = Interaction::of(act.kind, from, to, message);
    Action { label: act.text.to_string(), events: Vec::new(), interaction }
}
