//! `Checked` is silent about honest models and catches each kind of lie.

use expect_test::{Expect, expect};
use quadrille_model::{
    Action, ActionId, Checked, Domain, Explicit, ExplicitBuilder, Group, GroupId, Guard, Layout,
    Model, ParticipantId, Slot, SlotId, StateId, Successors, Test, Value, ValueSet,
};

use crate::random::{Random, network};

#[test]
fn random_networks_are_honest() {
    for seed in 0..150 {
        let violations = Checked::new(network(&mut Random::new(seed))).walk(60);
        assert!(violations.is_empty(), "seed {seed}: {violations:?}");
    }
}

#[test]
fn tables_are_honest() {
    let mut builder = ExplicitBuilder::default();
    let actions = [builder.action("a"), builder.action("b")];
    let mut random = Random::new(1);
    builder.initial(StateId::new(0));
    for _ in 0..40 {
        let [from, to] = [0, 0].map(|_| StateId::from_usize(random.below(20)));
        builder.edge(from, actions[random.below(2)], to);
    }
    let model: Explicit = builder.build();
    assert_eq!(Checked::new(model).walk(100), []);
}

/// How an edge of a [`Liar`] comes to be.
type Step = fn(&[Value]) -> Vec<Vec<Value>>;

/// Two slots of three values, an interned one, and one group with the given behaviour.
struct Liar {
    layout: Layout,
    groups: Vec<Group>,
    step: Step,
    expand: Option<Step>,
    action: ActionId,
}

fn slots(list: &[u32]) -> Vec<SlotId> {
    list.iter().map(|&slot| SlotId::new(slot)).collect()
}

impl Liar {
    fn new(reads: &[u32], writes: &[u32], step: Step) -> Self {
        let domains = [Domain::Size(3), Domain::Size(3), Domain::Interned];
        let slots_of = domains.map(|domain| Slot { name: "s".to_owned(), domain });
        let group = Group { reads: slots(reads), writes: slots(writes), ..Group::default() };
        Self {
            layout: Layout::new(slots_of.to_vec()),
            groups: vec![group],
            step,
            expand: None,
            action: ActionId::new(0),
        }
    }

    fn guard(mut self, slot: u32, allowed: &[Value]) -> Self {
        let test = Test::In(allowed.iter().copied().collect::<ValueSet>());
        self.groups[0].guards.push(Guard { slot: SlotId::new(slot), test });
        self
    }
}

impl Model for Liar {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn groups(&self) -> &[Group] {
        &self.groups
    }
    fn initial(&self, sink: &mut dyn FnMut(&[Value])) {
        sink(&[0, 0, 10]);
        sink(&[1, 2, 20]);
    }
    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors) {
        for next in (self.step)(state) {
            sink.next(group, self.action, &next);
        }
    }
    fn expand(&self, state: &[Value], sink: &mut dyn Successors) {
        for next in self.expand.unwrap_or(self.step)(state) {
            sink.next(GroupId::new(0), self.action, &next);
        }
    }
    fn action(&self, _: ActionId) -> Action {
        Action::anonymous("a")
    }
    fn n_actions(&self) -> usize {
        1
    }
    fn participant(&self, _: ParticipantId) -> String {
        String::new()
    }
    fn may_end(&self, _: &[Value]) -> bool {
        true
    }
}

fn check(liar: Liar, expected: &Expect) {
    let violations = Checked::new(liar).walk(50);
    let lines: Vec<String> = violations.iter().map(|one| format!("{one}\n")).collect();
    expected.assert_eq(&lines.concat());
}

#[test]
fn honest_steps_pass() {
    let set = |s: &[Value]| vec![vec![2, s[1], s[2]]];
    check(Liar::new(&[], &[0], set), &expect![""]);
    let count = |s: &[Value]| vec![vec![(s[0] + 1) % 3, s[1], s[2]]];
    check(Liar::new(&[0], &[0], count), &expect![""]);
    let maybe = |s: &[Value]| vec![vec![1, s[1], s[2]], s.to_vec()];
    check(Liar::new(&[], &[0], maybe), &expect![""]);
}

#[test]
fn undeclared_writes_are_caught() {
    let step = |s: &[Value]| vec![vec![s[0], 1, s[2]]];
    check(
        Liar::new(&[], &[0], step),
        &expect![[r"
        Writes broken by group 0 for slot 1 in [0, 0, 10]
    "]],
    );
}

#[test]
fn undeclared_reads_are_caught_in_conditions_and_results() {
    let condition = |s: &[Value]| if s[1] == 0 { vec![vec![1, s[1], s[2]]] } else { vec![] };
    check(
        Liar::new(&[], &[0], condition),
        &expect![[r"
        Reads broken by group 0 for slot 1 in [0, 0, 10]
    "]],
    );
    let copies = |s: &[Value]| vec![vec![s[1], s[1], s[2]]];
    check(
        Liar::new(&[], &[0], copies),
        &expect![[r"
        Reads broken by group 0 for slot 1 in [0, 0, 10]
    "]],
    );
    let counts = |s: &[Value]| vec![vec![(s[0] + 1) % 3, s[1], s[2]]];
    check(
        Liar::new(&[], &[0], counts),
        &expect![[r"
        Reads broken by group 0 for slot 0 in [0, 0, 10]
    "]],
    );
    let interned = |s: &[Value]| vec![vec![u32::from(s[2] == 10), s[1], s[2]]];
    check(
        Liar::new(&[], &[0], interned),
        &expect![[r"
        Reads broken by group 0 for slot 2 in [0, 0, 10]
    "]],
    );
}

#[test]
fn guards_that_are_not_necessary_or_not_read_are_caught() {
    let step = |s: &[Value]| vec![s.to_vec()];
    check(
        Liar::new(&[0], &[], step).guard(0, &[1]),
        &expect![[r"
        GuardsNecessary broken by group 0 for slot 0 in [0, 0, 10]
    "]],
    );
    let never = |_: &[Value]| vec![];
    check(
        Liar::new(&[0], &[], never).guard(1, &[1]),
        &expect![[r"
        GuardsRead broken by group 0 for slot 1 in []
    "]],
    );
}

#[test]
fn values_outside_the_domain_and_wrong_lengths_are_caught() {
    let beyond = |s: &[Value]| vec![vec![3, s[1], s[2]]];
    check(
        Liar::new(&[], &[0], beyond),
        &expect![[r"
        InDomain broken by group 0 for slot 0 in [3, 0, 10]
    "]],
    );
    let short = |_: &[Value]| vec![vec![0]];
    check(
        Liar::new(&[], &[0], short),
        &expect![[r"
        Length broken by group 0 in [0]
    "]],
    );
}

#[test]
fn an_expand_of_its_own_is_compared() {
    let step = |s: &[Value]| vec![s.to_vec()];
    let liar = Liar { expand: Some(|_| vec![]), ..Liar::new(&[], &[], step) };
    check(
        liar,
        &expect![[r"
        Expand broken in [0, 0, 10]
    "]],
    );
}

#[test]
fn unordered_lists_and_unknown_actions_are_caught() {
    let step = |s: &[Value]| vec![s.to_vec()];
    check(
        Liar::new(&[1, 0], &[7], step),
        &expect![[r"
        Listed broken by group 0 in []
    "]],
    );
    let liar = Liar { action: ActionId::new(1), ..Liar::new(&[], &[], step) };
    check(
        liar,
        &expect![[r"
        Ids broken by group 0 in [0, 0, 10]
    "]],
    );
}
