//! What the declarations of a design are good for, rule by rule: a model that declares less is reduced
//! less, and answers the same.

use quadrille_engine::{Config, Property, check, unobserved};
use quadrille_model::{
    Action, ActionId, Change, Explorer, Flow, GroupId, Guard, GuardId, Model, Problem,
    PropositionId, Signature, Successors, Value,
};
use quadrille_reduction::{Reduced, Seen};
use quadrille_relational::{Splitting, System};

use crate::design;

/// A design that declares less than it could.
struct Weaker {
    system: System,
    signature: Signature,
}

impl Weaker {
    fn new(system: System, weaken: impl FnOnce(&mut Signature)) -> Self {
        let mut signature = system.signature().clone();
        weaken(&mut signature);
        Self { system, signature }
    }
}

impl Model for Weaker {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Asked { inner: self.system.explorer(), system: &self.system })
    }

    fn action(&self, action: ActionId) -> Action {
        self.system.action(action)
    }

    fn never_fails(&self) -> bool {
        self.system.never_fails()
    }
}

/// The explorer of a weaker declaration: guards may have become opaque.
struct Asked<'s> {
    inner: Box<dyn Explorer + 's>,
    system: &'s System,
}

impl Explorer for Asked<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        self.inner.initial(sink)
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.inner.successors(group, state, sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.inner.expand(state, sink)
    }

    fn guard(&mut self, guard: GuardId, state: &[Value]) -> Result<bool, Box<Problem>> {
        match self.system.signature().guard(guard).holds(state) {
            Some(holds) => Ok(holds),
            None => self.inner.guard(guard, state),
        }
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.inner.holds(proposition, state)
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.inner.may_end(state)
    }
}

/// States with reduction, and whether there is a deadlock.
fn reduced(model: &dyn Model) -> (u64, bool) {
    let reduced = Reduced::new(model, &Seen::default()).expect("reducible");
    let asked = vec![Property::DeadlockFree];
    let found = check(&reduced, asked, &Config::default(), &mut unobserved).expect("an answer");
    (found.counts.states, found.verdicts[0] != quadrille_model::Verdict::Holds)
}

/// How many words of sets are looked at to choose the steps.
fn effort(model: &dyn Model) -> u64 {
    let reduced = Reduced::new(model, &Seen::default()).expect("reducible");
    let asked = vec![Property::DeadlockFree];
    check(&reduced, asked, &Config::default(), &mut unobserved).expect("an answer");
    reduced.savings().effort
}

fn system(text: &str, splitting: Splitting) -> System {
    System::split(&design(text), None, splitting).expect("a system")
}

/// No value that is written is known.
fn without_values(signature: &mut Signature) {
    for effect in signature.groups.iter_mut().flat_map(|group| &mut group.effects) {
        effect.change = Change::Set;
    }
}

/// No guard is known to exclude another, or to need a certain value.
fn without_guards(signature: &mut Signature) {
    for guard in &mut signature.guards {
        let (reads, text) = (guard.reads().to_vec(), "something".to_owned());
        *guard = Guard::Opaque { reads, text };
    }
}

/// The number of states with a rule, and without; the answer stays.
fn with_and_without(text: &str, weaken: impl FnOnce(&mut Signature)) -> (u64, u64) {
    let strong = reduced(&system(text, Splitting::default()));
    let weak = reduced(&Weaker::new(system(text, Splitting::default()), weaken));
    assert_eq!(strong.1, weak.1);
    (strong.0, weak.0)
}

/// The ring of the examples with four nodes.
fn ring() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/designs/ring.qev");
    let text = std::fs::read_to_string(folder).expect("the ring");
    let text = text.replace("Node$3.next = Node$1", "Node$3.next = Node$4  Node$4.next = Node$1");
    let text = text.replace("Node$3.greatest = 3", "Node$3.greatest = 3  Node$4.greatest = 4");
    text.replace("for 3 Node, 1..3 Int", "for 4 Node, 1..4 Int")
}

#[test]
fn events_that_are_cut_by_what_they_write_are_reduced_more() {
    let whole = Splitting { effects: false, guards: false, most: 0 };
    let (cut, uncut) = (system(&ring(), Splitting::default()), system(&ring(), whole));
    assert_eq!((reduced(&cut), reduced(&uncut)), ((90, false), (97, false)));
}

#[test]
fn values_that_are_written_tell_what_enables_what() {
    // The lamp is dimmed again and again, which makes no step urgent; the step that would is never ready.
    let text = "enum Light { Red, Yellow, Green }  enum Answer { Yes, No }
        one sig Lamp { var shows : one Light }
        one sig Boss { var came, left, right : one Answer }
        sig Worker { var worked, dimmed : one Answer }
        event left { Boss.came = No  Boss.came' = Yes  Boss.left' = Yes }
        event right { Boss.came = No  Boss.came' = Yes  Boss.right' = Yes }
        event light { Boss.left = Yes  Boss.right = Yes  Lamp.shows' = Green }
        event work[w : Worker] { w.worked = No  w.worked' = Yes }
        event hurry[w : Worker] { Lamp.shows = Green  w.worked = No  w.worked' = Yes }
        event dim[w : Worker] { w.dimmed = No  w.dimmed' = Yes  Lamp.shows' = Yellow }
        init { Lamp.shows = Red  Worker.worked = No  Worker.dimmed = No
               Boss.came = No  Boss.left = No  Boss.right = No } for 3 Worker";
    assert_eq!(with_and_without(text, without_values), (15, 23));
}

#[test]
fn guards_that_contradict_each_other_tell_what_excludes_what() {
    let signature = system(&ring(), Splitting::default()).signature().clone();
    let named = |name: &str| {
        let task = signature.tasks.iter().position(|task| task == name).expect("a task");
        let is_own = |number: &usize| signature.groups[*number].task.index() == task;
        (0..signature.groups.len()).filter(is_own).map(GroupId::from_usize).collect::<Vec<_>>()
    };
    for (send, drop) in named("send[Node$1]").iter().zip(named("adopt[Node$1, 4]")) {
        assert!(!signature.may_be_coenabled(*send, drop));
    }
    let groups = || (0..signature.groups.len()).map(GroupId::from_usize);
    let pairs = groups().flat_map(|one| groups().map(move |other| (one, other)));
    let apart = |(one, other): &(GroupId, GroupId)| one < other && !signature.accord(*one, *other);
    let both = |(one, other): &(GroupId, GroupId)| signature.may_be_coenabled(*one, *other);
    let apart: Vec<(GroupId, GroupId)> = pairs.filter(apart).collect();
    // Of the pairs that do not commute, these are left to be looked at.
    assert_eq!((apart.len(), apart.iter().filter(|pair| both(pair)).count()), (34, 15));
    // No fewer steps are taken: what can enable the one must disable the other, and is in the set anyway.
    // But sets have fewer members, and are found by looking at less.
    assert_eq!(with_and_without(&ring(), without_guards), (90, 90));
    let strong = effort(&system(&ring(), Splitting::default()));
    let weak = Weaker::new(system(&ring(), Splitting::default()), without_guards);
    assert_eq!((strong, effort(&weak)), (1_410, 2_363));
}

#[test]
fn insertions_of_one_member_commute() {
    // All workers raise the same flag.
    let text = "var sig raised in Flag {}  one sig Flag {}
        sig Worker { var done : set Worker }
        event raise[w : Worker] { no w.done  w.done' = w  raised' = Flag }
        init { no raised  no done } for 6 Worker";
    assert_eq!(with_and_without(text, without_values), (7, 64));
}

#[test]
fn a_value_that_a_guard_accepts_disturbs_nothing() {
    // The light may turn from red to yellow under the eyes of those who wait for it not to be green.
    let text = "enum Light { Red, Yellow, Green }
        one sig Lamp { var shows : one Light }
        sig Walker { var gone : set Walker }
        event warn { Lamp.shows = Red  Lamp.shows' = Yellow }
        event walk[w : Walker] { Lamp.shows != Green  no w.gone  w.gone' = w }
        event free { Lamp.shows = Yellow  no Walker - Walker.gone  Lamp.shows' = Green }
        init { Lamp.shows = Red  no gone } for 5 Walker";
    assert_eq!(with_and_without(text, without_values), (8, 65));
    assert_eq!(with_and_without(text, without_guards), (8, 65));
}
