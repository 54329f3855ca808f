//! Dining philosophers, written by hand: a model with many slots and local groups.

use quadrille_model::{
    Action, ActionId, Domain, Effect, Explorer, Flow, Group, GroupId, Model, Problem, Proposition,
    PropositionId, Signature, Slot, SlotId, Successors, TaskId, Value,
};

const HUNGRY: Value = 1;
const EATING: Value = 3;

/// `n` philosophers and `n` forks; each arrow of think → hungry → first fork → eat → first fork
/// down → think is a step.
pub(crate) struct Phil {
    n: usize,
    left_handed_last: bool,
    signature: Signature,
}

impl Phil {
    pub(crate) fn new(n: usize, left_handed_last: bool) -> Self {
        let philosophers = (0..n).map(|i| Slot::new(format!("p{i}"), Domain::Size(5)));
        let forks = (0..n).map(|i| Slot::new(format!("f{i}"), Domain::Size(2)));
        let mut signature = Signature::new(philosophers.chain(forks).collect());
        let group = |i: usize| {
            let mut slots = [i, n + i, n + (i + 1) % n].map(SlotId::from_usize).to_vec();
            slots.sort_unstable();
            slots.dedup();
            Group {
                task: TaskId::from_usize(i),
                effects: slots.iter().copied().map(Effect::any).collect(),
                reads: slots,
                actions: Some(vec![ActionId::from_usize(i)]),
                ..Group::default()
            }
        };
        let proposition = |i: usize| Proposition {
            name: format!("eats{i}"),
            support: vec![SlotId::from_usize(i)],
        };
        signature.groups = (0..n).map(group).collect();
        signature.tasks = (0..n).map(|i| format!("step{i}")).collect();
        signature.actions = signature.tasks.iter().map(Action::anonymous).collect();
        signature.propositions = (0..n).map(proposition).collect();
        signature.ends.clear();
        Self { n, left_handed_last, signature }
    }
}

impl Model for Phil {
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

impl Explorer for &Phil {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        sink(&vec![0; 2 * self.n])
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.step(group, &mut state.to_vec(), sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let mut next = state.to_vec();
        (0..self.n).try_for_each(|group| self.step(GroupId::from_usize(group), &mut next, sink))
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(state[proposition.index()] == EATING)
    }

    fn may_end(&mut self, _: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(false)
    }
}

impl Phil {
    /// Reports the step of one philosopher; leaves `state` as it was.
    fn step(&self, group: GroupId, state: &mut [Value], sink: &mut dyn Successors) -> Flow {
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
                return Flow::Continue(());
            }
            state[fork] = takes;
        }
        state[me] = (at + 1) % 5;
        sink.next(group, ActionId::new(group.number()), state)?;
        state[me] = at;
        if let Some(fork) = fork {
            state[fork] = 1 - takes;
        }
        Flow::Continue(())
    }
}
