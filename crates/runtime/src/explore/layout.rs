//! Where the control states of machines are in the state of an exploration: a slot for each automaton of each machine.
//! The machine of a role, or that of all of them, has one automaton, and one for each of its parallel parts.

use quadrille_model::{Domain, Slot, Value};

use super::declare::participant;
use crate::module::Form;
use crate::plan::RoleId;
use crate::table::{ForkTable, IDLE, Table};

/// The slots of control, before those of queues.
pub(super) struct Layout {
    /// The first slot of each machine, and the end of the last.
    offsets: Vec<usize>,
    /// By slot: the value in which nothing is under way, if there is one.
    idle: Vec<Option<Value>>,
    /// By slot: its name and how many values there are.
    slots: Vec<Slot>,
}

impl Layout {
    pub(super) fn new(table: &Table, form: Form) -> Self {
        let mut layout = Self { offsets: vec![0], idle: Vec::new(), slots: Vec::new() };
        match form {
            Form::Strict => {
                layout.add("protocol", None, table.plan.strict.len(), &table.global.forks);
            }
            Form::Liberal => {
                for (number, local) in table.locals.iter().enumerate() {
                    let role = RoleId(number as u16);
                    let n_states = table.plan.locals[number].states.len();
                    layout.add(table.role(role), Some(role), n_states, &local.forks);
                }
            }
        }
        layout
    }

    fn add(&mut self, name: &str, role: Option<RoleId>, n_states: usize, forks: &ForkTable) {
        let owner = role.map(participant);
        if forks.is_empty() {
            let slot = Slot::new(name, Domain::Size(n_states as u32));
            self.slots.push(slot.owned_by(owner));
            self.idle.push(None);
        } else {
            let idle = forks.n_values();
            for part in 0..forks.n_slots() {
                let name = if part == 0 { name.to_owned() } else { format!("{name} part {part}") };
                self.slots.push(Slot::new(name, Domain::Size(idle + 1)).owned_by(owner));
                self.idle.push(Some(idle));
            }
        }
        self.offsets.push(self.slots.len());
    }

    /// How many slots of control there are.
    pub(super) fn n_slots(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.slots.iter().cloned()
    }

    /// The slots of a machine.
    pub(super) fn of(&self, machine: usize) -> std::ops::Range<usize> {
        self.offsets[machine]..self.offsets[machine + 1]
    }

    /// The machine of a slot.
    pub(super) fn machine(&self, slot: usize) -> usize {
        self.offsets.partition_point(|&offset| offset <= slot) - 1
    }

    /// The first slot of each machine.
    pub(super) fn firsts(&self) -> impl Iterator<Item = usize> + '_ {
        self.offsets[..self.offsets.len() - 1].iter().copied()
    }

    /// All machines at their start.
    pub(super) fn start(&self, state: &mut [Value]) {
        for (slot, idle) in self.idle.iter().enumerate() {
            let is_first = self.offsets.binary_search(&slot).is_ok();
            state[slot] = idle.filter(|_| !is_first).unwrap_or(0);
        }
    }

    /// A value of a slot as machines have it.
    pub(super) fn decode(&self, slot: usize, value: Value) -> u32 {
        if self.idle[slot] == Some(value) { IDLE } else { value }
    }

    /// What a machine has in a slot as a value.
    pub(super) fn encode(&self, slot: usize, value: u32) -> Value {
        if value == IDLE { self.idle[slot].unwrap_or(0) } else { value }
    }
}
