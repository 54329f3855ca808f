//! Dining philosophers, written by hand: a model with many slots and local groups.

use quadrille_model::{
    Action, ActionId, Domain, Group, GroupId, Layout, Model, ParticipantId, PropositionId, Slot,
    SlotId, Successors, Value,
};

const HUNGRY: Value = 1;
const EATING: Value = 3;

/// `n` philosophers and `n` forks; each arrow of think → hungry → first fork → eat → first fork
/// down → think is a step.
pub(crate) struct Phil {
    n: usize,
    left_handed_last: bool,
    layout: Layout,
    groups: Vec<Group>,
    propositions: Vec<String>,
}

impl Phil {
    pub(crate) fn new(n: usize, left_handed_last: bool) -> Self {
        let slot = |name: String, size| Slot { name, domain: Domain::Size(size) };
        let philosophers = (0..n).map(|i| slot(format!("p{i}"), 5));
        let forks = (0..n).map(|i| slot(format!("f{i}"), 2));
        let group = |i: usize| {
            let mut slots = [i, n + i, n + (i + 1) % n].map(SlotId::from_usize).to_vec();
            slots.sort_unstable();
            Group { reads: slots.clone(), writes: slots, ..Group::default() }
        };
        Self {
            n,
            left_handed_last,
            layout: Layout::new(philosophers.chain(forks).collect()),
            groups: (0..n).map(group).collect(),
            propositions: (0..n).map(|i| format!("eats{i}")).collect(),
        }
    }
}

impl Model for Phil {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn initial(&self, sink: &mut dyn FnMut(&[Value])) {
        sink(&vec![0; 2 * self.n]);
    }

    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors) {
        self.step(group, &mut state.to_vec(), sink);
    }

    fn expand(&self, state: &[Value], sink: &mut dyn Successors) {
        let mut next = state.to_vec();
        for group in 0..self.n {
            self.step(GroupId::from_usize(group), &mut next, sink);
        }
    }

    fn action(&self, action: ActionId) -> Action {
        Action::anonymous(format!("step{}", action.number()))
    }

    fn n_actions(&self) -> usize {
        self.n
    }

    fn participant(&self, participant: ParticipantId) -> String {
        format!("p{}", participant.number())
    }

    fn propositions(&self) -> &[String] {
        &self.propositions
    }

    fn holds(&self, proposition: PropositionId, state: &[Value]) -> bool {
        state[proposition.index()] == EATING
    }

    fn may_end(&self, _: &[Value]) -> bool {
        false
    }
}

impl Phil {
    /// Reports the step of one philosopher; leaves `state` as it was.
    fn step(&self, group: GroupId, state: &mut [Value], sink: &mut dyn Successors) {
        let me = group.index();
        let mut forks = [self.n + me, self.n + (me + 1) % self.n];
        if self.left_handed_last && me == self.n - 1 {
            forks.reverse();
        }
        let at = state[me];
        let fork = match at {
            HUNGRY | EATING => Some(forks[0]),
            0 => None,
            _ => Some(forks[1]),
        };
        let takes = Value::from(at < EATING);
        if let Some(fork) = fork {
            if state[fork] == takes {
                return;
            }
            state[fork] = takes;
        }
        state[me] = (at + 1) % 5;
        sink.next(group, ActionId::new(group.number()), state);
        state[me] = at;
        if let Some(fork) = fork {
            state[fork] = 1 - takes;
        }
    }
}
