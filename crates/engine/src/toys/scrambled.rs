//! Choices models: the next state is a hash of what a group reads.

use quadrille_model::{
    Action, ActionId, Change, Domain, Effect, Explicit, ExplicitBuilder, Explorer, Flow, Group,
    GroupId, Model, Problem, Proposition, PropositionId, Signature, Slot, SlotId, StateId,
    Successors, TaskId, Value,
};
use quadrille_workshop::Choices;

/// A choices model of several slots, some of which use all 32 bits.
#[derive(Debug)]
pub(crate) struct Scrambled {
    seed: u64,
    signature: Signature,
}

/// Interned values lie far apart, so that all 32 bits are in use.
const SPREAD: Value = 0x1234_5677;

impl Scrambled {
    pub(crate) fn new(choices: &mut Choices) -> Self {
        let seed = choices.bits();
        let n_slots = 1 + choices.below_u32(6);
        let slots = (0..n_slots).map(|number| {
            let domain = match choices.below_u32(3) {
                0 => Domain::Interned,
                1 => Domain::Size(1 << 20),
                _ => Domain::Size(1 + choices.below_u32(4)),
            };
            Slot::new(format!("s{number}"), domain)
        });
        let mut signature = Signature::new(slots.collect());
        let n_groups = 1 + choices.below_u32(6);
        let mut some_slots =
            || -> Vec<SlotId> { signature.slot_ids().filter(|_| choices.coin()).collect() };
        let group = |number| Group {
            task: TaskId::new(number),
            reads: some_slots(),
            effects: some_slots()
                .into_iter()
                .map(|slot| Effect { slot, change: Change::Set })
                .collect(),
            ..Group::default()
        };
        signature.groups = (0..n_groups).map(group).collect();
        signature.tasks = (0..n_groups).map(|number| number.to_string()).collect();
        signature.actions = (0..8).map(|number| Action::anonymous(format!("a{number}"))).collect();
        let support = signature.slot_ids().collect();
        signature.propositions.push(Proposition { name: "p".to_owned(), support });
        Self { seed, signature }
    }

    /// Choices numbers that depend on these values only.
    fn dice(&self, salt: u64, values: impl Iterator<Item = Value>) -> Choices {
        let mut hash = Choices::seeded(self.seed ^ salt << 32).bits();
        for value in values {
            hash = Choices::seeded(hash ^ u64::from(value)).bits();
        }
        Choices::seeded(hash)
    }

    fn roll(&self, slot: SlotId, dice: &mut Choices) -> Value {
        match self.signature.slot(slot).domain {
            Domain::Size(size) => dice.below_u32(size.min(4)) * ((size - 1) / 4).max(1),
            Domain::Named(_) | Domain::Interned => dice.below_u32(4) * SPREAD,
        }
    }
}

impl Model for Scrambled {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn allows_workers(&self) -> bool {
        true
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(self)
    }
}

impl Explorer for &Scrambled {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        let mut dice = self.dice(1, std::iter::empty());
        (0..=dice.below_u32(2)).try_for_each(|_| {
            let slots = self.signature.slot_ids();
            sink(&slots.map(|slot| self.roll(slot, &mut dice)).collect::<Vec<_>>())
        })
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let declared = &self.signature.groups[group.index()];
        let read = declared.reads.iter().map(|slot| state[slot.index()]);
        let mut dice = self.dice(2 + u64::from(group.number()), read);
        (0..dice.below_u32(3)).try_for_each(|_| {
            let mut next = state.to_vec();
            for slot in declared.may_write() {
                next[slot.index()] = self.roll(slot, &mut dice);
            }
            sink.next(group, ActionId::new(dice.below_u32(8)), &next)
        })
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let mut groups = (0..self.signature.groups.len()).map(GroupId::from_usize);
        groups.try_for_each(|group| self.successors(group, state, sink))
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        let salt = 100 + u64::from(proposition.number());
        Ok(self.dice(salt, state.iter().copied()).below(20) == 0)
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(self.dice(99, state.iter().copied()).below(2) == 0)
    }
}

/// A choices table with sparse edges, one action in eight and one proposition.
pub(crate) fn scrambled_table(choices: &mut Choices) -> Explicit {
    let mut table = ExplicitBuilder::default();
    let n_states = 1 + choices.below_u32(60);
    let actions: Vec<ActionId> = (0..8).map(|number| table.action(format!("a{number}"))).collect();
    let proposition = table.proposition("p");
    for _ in 0..choices.below_u32(3 * n_states) {
        let [from, to] = [(); 2].map(|()| StateId::new(choices.below_u32(n_states)));
        table.edge(from, choices.pick(&actions), to);
    }
    for number in 0..n_states {
        let state = StateId::new(number);
        if choices.below_u32(20) == 0 {
            table.holds(state, proposition);
        }
        if choices.coin() {
            table.end(state);
        }
    }
    table.states(n_states).initial(StateId::new(choices.below_u32(n_states)));
    table.build()
}
