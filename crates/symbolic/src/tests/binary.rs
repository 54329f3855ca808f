//! Another library of decision diagrams as oracle: every slot in binary, a relation for every group, and
//! images until nothing is new. It shares nothing with ours but the model.

use std::ops::ControlFlow;

use biodivine_lib_bdd::{Bdd, BddPartialValuation, BddVariable, BddVariableSet};
use quadrille_model::{
    ActionId, Automaton, GroupId, LocalId, Model, Network, NetworkBuilder, SlotId, SlotKind,
    Template, Value,
};
use quadrille_workshop::networks;

use crate::tests::with;
use crate::{Budget, Symbolic};

/// Values of the slots that a group looks at, all together, that are tried for it.
const MOST_TRIED: usize = 4_000;

/// The bits of a slot before a step and after it.
struct Slot {
    size: u32,
    before: Vec<BddVariable>,
    after: Vec<BddVariable>,
}

/// A model in binary.
struct Binary<'m> {
    model: &'m dyn Model,
    variables: BddVariableSet,
    slots: Vec<Slot>,
    /// Per group the slots that it looks at or changes, and its steps.
    steps: Vec<(Vec<usize>, Bdd)>,
}

impl<'m> Binary<'m> {
    /// `None` where there are queues, of which some values stand for nothing, or too many values.
    fn new(model: &'m dyn Model) -> Option<Self> {
        let signature = model.signature();
        if signature.slots.iter().any(|slot| slot.kind == SlotKind::Queue) {
            return None;
        }
        let sizes: Option<Vec<u32>> =
            signature.slots.iter().map(|slot| slot.domain.size()).collect();
        let bits = |size: u32| u32::BITS - size.saturating_sub(1).leading_zeros();
        let sizes = sizes?;
        let n_bits: u32 = sizes.iter().map(|&size| bits(size)).sum();
        let variables = BddVariableSet::new_anonymous(u16::try_from(2 * n_bits).ok()?);
        let mut all = variables.variables().into_iter();
        let mut slots = Vec::new();
        for size in sizes {
            let mut slot = Slot { size, before: Vec::new(), after: Vec::new() };
            for _ in 0..bits(size) {
                slot.before.extend(all.next());
                slot.after.extend(all.next());
            }
            slots.push(slot);
        }
        let mut binary = Self { model, variables, slots, steps: Vec::new() };
        for group in (0..signature.groups.len()).map(GroupId::from_usize) {
            let steps = binary.steps_of(group)?;
            binary.steps.push(steps);
        }
        Some(binary)
    }

    /// The bits of a value in a slot, before a step or after it.
    fn put(&self, slot: usize, value: Value, is_after: bool, clause: &mut BddPartialValuation) {
        let Slot { before, after, .. } = &self.slots[slot];
        for (bit, &variable) in if is_after { after } else { before }.iter().enumerate() {
            clause.set_value(variable, value >> bit & 1 == 1);
        }
    }

    fn initial_states(&self) -> Vec<Vec<Value>> {
        let mut states = Vec::new();
        let told = self.model.explorer().each_initial(|state| states.push(state.to_vec()));
        told.expect("it never fails");
        states
    }

    /// All steps of a group, by trying all values of the slots that it says it uses.
    fn steps_of(&self, group: GroupId) -> Option<(Vec<usize>, Bdd)> {
        let signature = self.model.signature();
        let own = &signature.groups[group.index()];
        let mut used: Vec<SlotId> = signature.guard_reads(group);
        used.extend(own.reads.iter().copied().chain(own.may_write()));
        let mut used: Vec<usize> = used.into_iter().map(SlotId::index).collect();
        used.sort_unstable();
        used.dedup();
        let n_tried = used.iter().try_fold(1_usize, |all, &slot| {
            all.checked_mul(self.slots[slot].size as usize).filter(|&all| all <= MOST_TRIED)
        })?;
        let (mut state, mut clauses) = (self.initial_states().first()?.clone(), Vec::new());
        let mut explorer = self.model.explorer();
        for number in 0..n_tried {
            let mut rest = number;
            for &slot in &used {
                let size = self.slots[slot].size as usize;
                (state[slot], rest) = ((rest % size) as Value, rest / size);
            }
            let flow = explorer.successors(
                group,
                &state,
                &mut |_: GroupId, _: ActionId, next: &[Value]| {
                    let mut clause = BddPartialValuation::empty();
                    for &slot in &used {
                        self.put(slot, state[slot], false, &mut clause);
                        self.put(slot, next[slot], true, &mut clause);
                    }
                    clauses.push(clause);
                    ControlFlow::Continue(())
                },
            );
            assert!(flow.is_continue(), "it never fails");
        }
        Some((used, self.variables.mk_dnf(&clauses)))
    }

    /// Where the steps of a group lead from a set of states.
    fn image(&self, states: &Bdd, (used, steps): &(Vec<usize>, Bdd)) -> Bdd {
        let before: Vec<BddVariable> =
            used.iter().flat_map(|&slot| self.slots[slot].before.clone()).collect();
        let mut image = states.and(steps).exists(&before);
        for &slot in used {
            for (&before, &after) in self.slots[slot].before.iter().zip(&self.slots[slot].after) {
                image = image.substitute(after, &self.variables.mk_var(before));
            }
        }
        image
    }

    fn reachable(&self) -> Bdd {
        let mut states = self.variables.mk_false();
        for initial in self.initial_states() {
            let mut clause = BddPartialValuation::empty();
            for (slot, &value) in initial.iter().enumerate() {
                self.put(slot, value, false, &mut clause);
            }
            states = states.or(&self.variables.mk_conjunctive_clause(&clause));
        }
        loop {
            let before = states.clone();
            for steps in &self.steps {
                states = states.or(&self.image(&states, steps));
            }
            if states == before {
                return states;
            }
        }
    }

    /// How many states a set has, of which nothing is said after a step.
    fn count(&self, states: &Bdd) -> f64 {
        let n_bits: usize = self.slots.iter().map(|slot| slot.after.len()).sum();
        states.cardinality() / (n_bits as f64).exp2()
    }

    /// How many states of a set have no step, and may not be the last.
    fn deadlocks(&self, states: &Bdd) -> u64 {
        let mut dead = states.clone();
        for (used, steps) in &self.steps {
            let after: Vec<BddVariable> =
                used.iter().flat_map(|&slot| self.slots[slot].after.clone()).collect();
            dead = dead.and_not(&steps.exists(&after));
        }
        let mut explorer = self.model.explorer();
        // One clause for each state: nothing is said of what is after a step.
        let after: Vec<BddVariable> =
            self.slots.iter().flat_map(|slot| slot.after.clone()).collect();
        let each: Vec<(BddVariable, bool)> = after.iter().map(|&bit| (bit, false)).collect();
        let found = dead.select(&each);
        let mut stuck = 0;
        for valuation in found.sat_valuations() {
            let value = |slot: &Slot| {
                let bits = slot.before.iter().enumerate();
                bits.fold(0, |value, (bit, &at)| value | Value::from(valuation.value(at)) << bit)
            };
            let state: Vec<Value> = self.slots.iter().map(value).collect();
            stuck += u64::from(!explorer.may_end(&state).expect("it never fails"));
        }
        stuck
    }
}

/// Counts by both; whether the oracle could.
fn agree(model: &dyn Model) -> bool {
    let Some(binary) = Binary::new(model) else { return false };
    let states = binary.reachable();
    let size = with(model, Budget::default(), Symbolic::size);
    let size = size.expect("no limit");
    assert_eq!(size.states.to_u64().map(|states| states as f64), Some(binary.count(&states)));
    assert_eq!(size.deadlocks.to_u64(), Some(binary.deadlocks(&states)));
    true
}

#[test]
fn another_library_finds_as_many_states_and_deadlocks() {
    let mut compared = 0;
    quadrille_workshop::check(600, |choices| {
        let network = match choices.coin() {
            true => networks::network(choices),
            false => networks::loose_network(choices),
        };
        compared += usize::from(agree(&network));
    });
    assert!(compared > 150, "{compared}");
}

/// Who thinks, takes one fork, then the other, and puts both down.
fn philosophers(n: usize) -> Network {
    let mut builder = NetworkBuilder::default();
    let mut some = |name: &str, states: &[&str]| {
        let each = |number| Automaton::new(format!("{name}{number}"), states.iter().copied());
        let add = |number| builder.participant(each(number)).expect("a participant");
        (0..n).map(add).collect::<Vec<_>>()
    };
    let (all, forks) = (some("p", &["thinks", "one", "two"]), some("f", &["free", "taken"]));
    let [zero, one, two] = [0, 1, 2].map(LocalId::new);
    for number in 0..n {
        let (own, next) = (forks[number], forks[(number + 1) % n]);
        let step = |name: &str, from, to| {
            Template::new(format!("{name}{number}")).step(all[number], from, to)
        };
        builder.template(step("left", zero, one).step(own, zero, one)).expect("a template");
        builder.template(step("right", one, two).step(next, zero, one)).expect("a template");
        let down = step("down", two, zero).step(own, one, zero).step(next, one, zero);
        builder.template(down).expect("a template");
    }
    builder.build().expect("a network")
}

#[test]
fn another_library_finds_as_many_philosophers() {
    for n in [2, 5, 8] {
        assert!(agree(&philosophers(n)));
    }
}
