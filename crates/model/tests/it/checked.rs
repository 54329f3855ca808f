//! `Checked` is silent about honest models and catches each kind of lie.

use expect_test::{Expect, expect};
use quadrille_model::{
    Action, ActionId, Change, Checked, Domain, Effect, Explorer, Family, Flow, Group, GroupId,
    Guard, GuardId, Model, Problem, Proposition, PropositionId, Signature, Slot, SlotId, SlotKind,
    Successors, Value, ValueSet,
};
use quadrille_workshop::networks::network;
use quadrille_workshop::tables::{Shape, table};

#[test]
fn random_networks_are_honest() {
    quadrille_workshop::check(150, |choices| {
        let violations = Checked::new(&network(choices)).walk(60);
        assert!(violations.is_empty(), "{violations:?}");
    });
}

#[test]
fn tables_are_honest() {
    quadrille_workshop::check(20, |choices| {
        let shape =
            Shape { max_states: 20, propositions: &["p"], max_initial: 3, ..Shape::default() };
        assert_eq!(Checked::new(&table(choices, &shape)).walk(100), []);
    });
}

/// How an edge of a [`Liar`] comes to be.
type Step = fn(&[Value]) -> Vec<Vec<Value>>;

/// Two slots of three values, an interned one, and groups with the given behaviour.
struct Liar {
    signature: Signature,
    steps: Vec<Step>,
    expand: Option<Step>,
    action: ActionId,
    /// What the opaque guard, the proposition and the end ask.
    asks: fn(&[Value]) -> bool,
    forgets: bool,
}

fn slots(list: &[u32]) -> Vec<SlotId> {
    list.iter().map(|&slot| SlotId::new(slot)).collect()
}

fn effects(list: &[u32]) -> Vec<Effect> {
    list.iter().map(|&slot| Effect::any(SlotId::new(slot))).collect()
}

impl Liar {
    fn new(reads: &[u32], writes: &[u32], step: Step) -> Self {
        let domains = [Domain::Size(3), Domain::Size(3), Domain::Interned];
        let mut signature = Signature::new(domains.map(|domain| Slot::new("s", domain)).to_vec());
        signature.tasks.push("t".to_owned());
        signature.actions.push(Action::anonymous("a"));
        let liar = Self {
            signature,
            steps: Vec::new(),
            expand: None,
            action: ActionId::new(0),
            asks: |_| true,
            forgets: false,
        };
        liar.and(reads, writes, step)
    }

    /// One more group.
    fn and(mut self, reads: &[u32], writes: &[u32], step: Step) -> Self {
        let group = Group { reads: slots(reads), effects: effects(writes), ..Group::default() };
        self.signature.groups.push(group);
        self.steps.push(step);
        self
    }

    /// A guard for the last group.
    fn guard(self, slot: u32, allowed: &[Value]) -> Self {
        self.guarded(Guard::In(SlotId::new(slot), allowed.iter().copied().collect()))
    }

    fn guarded(mut self, guard: Guard) -> Self {
        let id = GuardId::from_usize(self.signature.guards.len());
        self.signature.guards.push(guard);
        self.last().guards.push(id);
        self
    }

    fn change(mut self, change: Change) -> Self {
        self.last().effects[0].change = change;
        self
    }

    fn complete(mut self) -> Self {
        self.last().guards_complete = true;
        self
    }

    fn last(&mut self) -> &mut Group {
        self.signature.groups.last_mut().expect("a group")
    }
}

impl Model for Liar {
    fn signature(&self) -> &Signature {
        &self.signature
    }
    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(self)
    }
    fn value(&self, _: SlotId, content: &[u8]) -> Option<Value> {
        let value = Value::from_le_bytes(content.try_into().ok()?);
        (!self.forgets || value < 10).then_some(value)
    }
}

impl Explorer for &Liar {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        sink(&[0, 0, 10])?;
        sink(&[1, 2, 20])
    }
    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let steps = self.steps[group.index()](state);
        steps.iter().try_for_each(|next| sink.next(group, self.action, next))
    }
    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        for (group, step) in self.steps.iter().enumerate() {
            for next in self.expand.unwrap_or(*step)(state) {
                sink.next(GroupId::from_usize(group), self.action, &next)?;
            }
        }
        Flow::Continue(())
    }
    fn guard(&mut self, _: GuardId, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok((self.asks)(state))
    }
    fn holds(&mut self, _: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok((self.asks)(state))
    }
    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok((self.asks)(state))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
fn check(liar: Liar, expected: &Expect) {
    let violations = Checked::new(&liar).walk(50);
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
        &expect![[r#"
            MayWrite broken by group 0 for number 1 in [0, 0, 10]
        "#]],
    );
}

#[test]
fn undeclared_reads_are_caught_in_conditions_and_results() {
    let condition = |s: &[Value]| if s[1] == 0 { vec![vec![1, s[1], s[2]]] } else { vec![] };
    check(
        Liar::new(&[], &[0], condition),
        &expect![[r#"
            GuardReads broken by group 0 for number 1 in [0, 0, 10]
        "#]],
    );
    let copies = |s: &[Value]| vec![vec![s[1], s[1], s[2]]];
    check(
        Liar::new(&[], &[0], copies),
        &expect![[r#"
            Reads broken by group 0 for number 1 in [0, 0, 10]
        "#]],
    );
    let counts = |s: &[Value]| vec![vec![(s[0] + 1) % 3, s[1], s[2]]];
    check(
        Liar::new(&[], &[0], counts),
        &expect![[r#"
            Reads broken by group 0 for number 0 in [0, 0, 10]
        "#]],
    );
    let interned = |s: &[Value]| vec![vec![u32::from(s[2] == 10), s[1], s[2]]];
    check(
        Liar::new(&[], &[0], interned),
        &expect![[r#"
            Reads broken by group 0 for number 2 in [0, 0, 10]
        "#]],
    );
}

#[test]
fn guards_that_are_not_necessary_or_not_complete_are_caught() {
    let step = |s: &[Value]| vec![s.to_vec()];
    check(
        Liar::new(&[0], &[], step).guard(0, &[1]),
        &expect![[r#"
        GuardsNecessary broken by group 0 for number 0 in [0, 0, 10]
    "#]],
    );
    let sometimes = |s: &[Value]| if s[1] == 0 { vec![s.to_vec()] } else { vec![] };
    check(
        Liar::new(&[], &[], sometimes).guard(0, &[0, 1, 2]).complete(),
        &expect![[r#"
        GuardsComplete broken by group 0 in [0, 1, 10]
        GuardReads broken by group 0 for number 1 in [0, 0, 10]
    "#]],
    );
}

#[test]
fn opaque_guards_propositions_and_ends_depend_on_what_they_say() {
    let step = |s: &[Value]| vec![s.to_vec()];
    let mut liar = Liar::new(&[0, 1, 2], &[], step)
        .guarded(Guard::Opaque { reads: slots(&[0]), text: String::new() });
    liar.signature.propositions.push(Proposition { name: "p".to_owned(), support: slots(&[2]) });
    liar.signature.ends = slots(&[0, 2]);
    check(
        Liar { asks: |s| s[1] == 0, ..liar },
        &expect![[r#"
        OpaqueReads broken for number 0 in [0, 0, 10]
        Support broken for number 0 in [0, 0, 10]
        Ends broken in [0, 0, 10]
        GuardsNecessary broken by group 0 for number 0 in [1, 2, 20]
    "#]],
    );
}

#[test]
fn effects_are_what_happens() {
    let set = |s: &[Value]| vec![vec![2, s[1], s[2]]];
    check(Liar::new(&[], &[0], set).change(Change::Assign(ValueSet::one(2))), &expect![[r""]]);
    check(
        Liar::new(&[], &[0], set).change(Change::Assign(ValueSet::one(1))),
        &expect![[r#"
        Effect broken by group 0 for number 0 in [0, 0, 10]
    "#]],
    );
    let maybe = |s: &[Value]| vec![vec![if s[1] == 0 { s[0] } else { 1 }, s[1], s[2]]];
    check(
        Liar::new(&[1], &[0], maybe).change(Change::Set),
        &expect![[r#"
        MustWrite broken by group 0 for number 0 in [0, 0, 10]
    "#]],
    );
    let mut queue = Liar::new(&[2], &[2], |s| vec![vec![s[0], s[1], s[2] + 1]])
        .change(Change::Push(ValueSet::all(30)));
    queue.signature.slots[2].kind = SlotKind::Queue;
    check(
        queue,
        &expect![[r#"
        Effect broken by group 0 for number 2 in [0, 0, 10]
    "#]],
    );
}

#[test]
fn groups_that_accord_or_exclude_each_other_do() {
    // The second reads, without a word, what the first writes.
    let one = |s: &[Value]| vec![vec![1, s[1], s[2]]];
    let other = |s: &[Value]| vec![vec![s[0], s[0], s[2]]];
    check(
        Liar::new(&[], &[0], one).and(&[], &[1], other),
        &expect![[r#"
        Reads broken by group 1 for number 0 in [0, 0, 10]
        Diamond broken by group 0 for number 1 in [0, 0, 10]
    "#]],
    );
    let stay = |s: &[Value]| vec![s.to_vec()];
    let apart = Liar::new(&[0], &[], stay).guard(0, &[1]).and(&[0], &[], stay).guard(0, &[2]);
    check(
        apart,
        &expect![[r#"
        GuardsNecessary broken by group 0 for number 0 in [0, 0, 10]
        GuardsNecessary broken by group 1 for number 1 in [0, 0, 10]
        Coenabled broken by group 0 for number 1 in [0, 0, 10]
    "#]],
    );
}

#[test]
fn guards_become_true_by_those_who_write_them() {
    let sets = |s: &[Value]| vec![vec![1, s[1], s[2]]];
    let waits = |s: &[Value]| if s[0] == 1 { vec![s.to_vec()] } else { vec![] };
    let liar = Liar::new(&[], &[0], sets)
        .change(Change::Assign(ValueSet::one(2)))
        .and(&[], &[], waits)
        .guard(0, &[1])
        .complete();
    check(
        liar,
        &expect![[r#"
        Effect broken by group 0 for number 0 in [0, 0, 10]
        Enables broken by group 0 for number 0 in [0, 0, 10]
    "#]],
    );
}

#[test]
fn members_of_a_family_are_alike_and_contents_are_found_again() {
    let step = |s: &[Value]| if s[0] == 1 { vec![vec![2, s[1], s[2]]] } else { vec![] };
    let mut liar = Liar::new(&[0], &[0], step);
    liar.signature.families.push(Family::of(vec![slots(&[0]), slots(&[1])]));
    check(
        liar,
        &expect![[r#"
        Symmetry broken in [1, 2, 20]
    "#]],
    );
    let stay = |s: &[Value]| vec![s.to_vec()];
    check(
        Liar { forgets: true, ..Liar::new(&[], &[], stay) },
        &expect![[r#"
        Content broken for number 2 in [0, 0, 10]
    "#]],
    );
}

#[test]
fn values_outside_the_domain_and_wrong_lengths_are_caught() {
    let beyond = |s: &[Value]| vec![vec![3, s[1], s[2]]];
    check(
        Liar::new(&[], &[0], beyond),
        &expect![[r#"
            InDomain broken by group 0 for number 0 in [3, 0, 10]
        "#]],
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
        &expect![[r#"
            Actions broken by group 0 in [0, 0, 10]
        "#]],
    );
}
