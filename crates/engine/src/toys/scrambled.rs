//! Random models: the next state is a hash of what a group reads.

use quadrille_model::{
    Action, ActionId, Domain, Explicit, ExplicitBuilder, Group, GroupId, Layout, Model,
    ParticipantId, PropositionId, Slot, SlotId, StateId, Successors, Value,
};

use crate::random::Random;

/// A random model of several slots, some of which use all 32 bits.
#[derive(Debug)]
pub(crate) struct Scrambled {
    seed: u64,
    layout: Layout,
    groups: Vec<Group>,
    propositions: Vec<String>,
}

/// Interned values lie far apart, so that all 32 bits are in use.
const SPREAD: Value = 0x1234_5677;

impl Scrambled {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let n_slots = 1 + random.below(6);
        let slots = (0..n_slots).map(|number| Slot {
            name: format!("s{number}"),
            domain: match random.below(3) {
                0 => Domain::Interned,
                1 => Domain::Size(1 << 20),
                _ => Domain::Size(1 + random.below(4)),
            },
        });
        let layout = Layout::new(slots.collect());
        let n_groups = 1 + random.below(6);
        let mut some_slots =
            || -> Vec<SlotId> { layout.slot_ids().filter(|_| random.below(2) == 0).collect() };
        let groups = (0..n_groups)
            .map(|_| Group { reads: some_slots(), writes: some_slots(), ..Group::default() })
            .collect();
        Self { seed, groups, layout, propositions: vec!["p".to_owned()] }
    }

    /// Random numbers that depend on these values only.
    fn dice(&self, salt: u64, values: impl Iterator<Item = Value>) -> Random {
        let mut hash = Random::new(self.seed ^ salt << 32).next();
        for value in values {
            hash = Random::new(hash ^ u64::from(value)).next();
        }
        Random::new(hash)
    }

    fn roll(&self, slot: SlotId, dice: &mut Random) -> Value {
        match self.layout.slot(slot).domain {
            Domain::Size(size) => dice.below(size.min(4)) * ((size - 1) / 4).max(1),
            Domain::Named(_) | Domain::Interned => dice.below(4) * SPREAD,
        }
    }
}

impl Model for Scrambled {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn initial(&self, sink: &mut dyn FnMut(&[Value])) {
        let mut dice = self.dice(1, std::iter::empty());
        for _ in 0..=dice.below(2) {
            let state: Vec<Value> =
                self.layout.slot_ids().map(|slot| self.roll(slot, &mut dice)).collect();
            sink(&state);
        }
    }

    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors) {
        let declared = &self.groups[group.index()];
        let read = declared.reads.iter().map(|slot| state[slot.index()]);
        let mut dice = self.dice(2 + u64::from(group.number()), read);
        for _ in 0..dice.below(3) {
            let mut next = state.to_vec();
            for &slot in &declared.writes {
                next[slot.index()] = self.roll(slot, &mut dice);
            }
            sink.next(group, ActionId::new(dice.below(8)), &next);
        }
    }

    fn action(&self, action: ActionId) -> Action {
        Action::anonymous(format!("a{}", action.number()))
    }

    fn n_actions(&self) -> usize {
        8
    }

    fn participant(&self, participant: ParticipantId) -> String {
        format!("{participant:?}")
    }

    fn propositions(&self) -> &[String] {
        &self.propositions
    }

    fn holds(&self, proposition: PropositionId, state: &[Value]) -> bool {
        self.dice(100 + u64::from(proposition.number()), state.iter().copied()).below(20) == 0
    }

    fn may_end(&self, state: &[Value]) -> bool {
        self.dice(99, state.iter().copied()).below(2) == 0
    }
}

/// A random table with sparse edges, one action in eight and one proposition.
pub(crate) fn scrambled_table(seed: u64) -> Explicit {
    let mut random = Random::new(seed);
    let mut table = ExplicitBuilder::default();
    let n_states = 1 + random.below(60);
    let actions: Vec<ActionId> = (0..8).map(|number| table.action(format!("a{number}"))).collect();
    let proposition = table.proposition("p");
    for _ in 0..random.below(3 * n_states) {
        let [from, to] = [(); 2].map(|()| StateId::new(random.below(n_states)));
        table.edge(from, actions[random.below(8) as usize], to);
    }
    for number in 0..n_states {
        let state = StateId::new(number);
        if random.below(20) == 0 {
            table.holds(state, proposition);
        }
        if random.below(2) == 0 {
            table.end(state);
        }
    }
    table.states(n_states).initial(StateId::new(random.below(n_states)));
    table.build()
}
