//! Mutation proof: plans are spoilt in every place and way, and the checks must notice each mutant that does
//! something else. Those that do the same are proven to, by bisimulation with the module they were made of.
#![allow(clippy::print_stdout)] // shows what was noticed by what

use std::fmt::Write as _;

use quadrille::runtime::plan::{Act, ActId, GlobalId, Kind, LocalId, PacketId};
use quadrille::runtime::{Exploration, FaultInjection, InjectedFault, Module, Origin, Subject};
use quadrille::{Form, FormReport, Limits, Plan, Verify};
use quadrille_engine::equivalence::{Bisimulation, Comparison, Relation, View, compare};
use quadrille_engine::{Space, unobserved};
use quadrille_model::{ActionId, Explicit, StateId};

use crate::letter::{Letter, origin, plan};

/// A spoilt plan and what was done to it.
struct Mutant {
    form: Form,
    what: String,
    plan: Plan,
}

/// How a mutant fared.
enum Fate {
    /// No module can be made of it.
    Refused,
    /// It does what the module does that it was made of.
    Same,
    /// It does something else, and the test that fails first says so.
    Noticed(By),
    /// It does something else and no check says so.
    Missed,
}

enum By {
    Faults,
    Deadlock,
    Formulas,
    Conformance,
}

fn mutants(plan: &Plan) -> Vec<Mutant> {
    let mut all = Vec::new();
    strict_mutants(plan, &mut all);
    local_mutants(plan, &mut all);
    all
}

/// An act that could stand in place of another: of the same kind and by the same role.
fn other_act(acts: &[Act], act: ActId) -> Option<ActId> {
    let wanted = &acts[act.index()];
    let fits = |position: usize| {
        let other = &acts[position];
        position != act.index() && other.kind == wanted.kind && other.from == wanted.from
    };
    let after = (act.index() + 1..acts.len()).chain(0..act.index());
    after.into_iter().find(|&position| fits(position)).map(|position| ActId(position as u32))
}

fn strict_mutants(plan: &Plan, all: &mut Vec<Mutant>) {
    let n_states = plan.strict.len() as u32;
    let mut add = |what: String, spoil: &dyn Fn(&mut Plan)| {
        let mut plan = plan.clone();
        spoil(&mut plan);
        all.push(Mutant { form: Form::Strict, what, plan });
    };
    for (state, at) in plan.strict.iter().enumerate() {
        add(format!("state {state} ends the other way"), &|plan| {
            let state = &mut plan.strict.to_mut()[state];
            state.may_end = !state.may_end;
        });
        for (edge, &(act, to)) in at.edges.iter().enumerate() {
            let text = &plan.acts[act.index()].text;
            add(format!("state {state} without: {text}"), &|plan| {
                plan.strict.to_mut()[state].edges.to_mut().remove(edge);
            });
            if n_states > 1 {
                add(format!("state {state}: {text}, to another state"), &|plan| {
                    let edges = plan.strict.to_mut()[state].edges.to_mut();
                    edges[edge].1 = GlobalId((to.0 + 1) % n_states);
                });
            }
            if let Some(other) = other_act(&plan.acts, act) {
                let text = format!("{text} becomes {}", plan.acts[other.index()].text);
                add(format!("state {state}: {text}"), &|plan| {
                    plan.strict.to_mut()[state].edges.to_mut()[edge].0 = other;
                });
            }
            let next = at.edges.get(edge + 1);
            if next.is_some_and(|next| next.1 != to) {
                add(format!("state {state}: two steps have each other's targets"), &|plan| {
                    let edges = plan.strict.to_mut()[state].edges.to_mut();
                    (edges[edge].1, edges[edge + 1].1) = (edges[edge + 1].1, edges[edge].1);
                });
            }
        }
    }
}

fn local_mutants(plan: &Plan, all: &mut Vec<Mutant>) {
    let mut add = |what: String, spoil: &dyn Fn(&mut Plan)| {
        let mut plan = plan.clone();
        spoil(&mut plan);
        all.push(Mutant { form: Form::Liberal, what, plan });
    };
    for (role, local) in plan.locals.iter().enumerate() {
        let name = &plan.roles[role];
        let n_states = local.states.len() as u32;
        for (state, at) in local.states.iter().enumerate() {
            let place = format!("{name} in state {state}");
            add(format!("{place} ends the other way"), &|plan| {
                let state = &mut plan.locals.to_mut()[role].states.to_mut()[state];
                state.may_end = !state.may_end;
            });
            for (edge, step) in at.edges.iter().enumerate() {
                let text = &plan.acts[step.act.index()].text;
                add(format!("{place} without: {text}"), &|plan| {
                    let states = plan.locals.to_mut()[role].states.to_mut();
                    states[state].edges.to_mut().remove(edge);
                });
                if n_states > 1 {
                    add(format!("{place}: {text}, to another state"), &|plan| {
                        let states = plan.locals.to_mut()[role].states.to_mut();
                        let to = LocalId((step.to.0 + 1) % n_states);
                        states[state].edges.to_mut()[edge].to = to;
                    });
                }
                let next = at.edges.get(edge + 1);
                if next.is_some_and(|next| next.to != step.to) {
                    add(format!("{place}: two steps have each other's targets"), &|plan| {
                        let edges =
                            plan.locals.to_mut()[role].states.to_mut()[state].edges.to_mut();
                        (edges[edge].to, edges[edge + 1].to) = (edges[edge + 1].to, edges[edge].to);
                    });
                }
                if let Some(packet) = step.packet
                    && plan.packets.len() > 1
                {
                    add(format!("{place}: {text}, with another packet"), &|plan| {
                        let other = PacketId((packet.0 + 1) % plan.packets.len() as u32);
                        let states = plan.locals.to_mut()[role].states.to_mut();
                        states[state].edges.to_mut()[edge].packet = Some(other);
                    });
                }
                if let Some(other) = other_act(&plan.acts, step.act) {
                    add(format!("{place}: {text}, as another act"), &|plan| {
                        let states = plan.locals.to_mut()[role].states.to_mut();
                        states[state].edges.to_mut()[edge].act = other;
                    });
                }
            }
        }
    }
    for (queue, at) in plan.queues.iter().enumerate().filter(|(_, queue)| queue.capacity > 1) {
        add(format!("queue {queue} holds one message less than {}", at.capacity), &|plan| {
            plan.queues.to_mut()[queue].capacity -= 1;
        });
    }
}

/// Everything that a module can do, as a table; `None` where that has no end.
fn table(module: &Module<Letter>) -> Option<Explicit> {
    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
    let exploration = Exploration::new(module);
    Space::new(&exploration).tabulate(limits, &mut unobserved).ok()
}

fn same(left: &Explicit, right: &Explicit) -> bool {
    let relation = Relation::Bisimilar(Bisimulation::Strong);
    let view = View::default();
    compare(left, right, relation, &view, Limits::default(), &mut unobserved) == Comparison::Holds
}

/// Asks everything of a mutant.
fn fate(origin: Origin, mutant: &Mutant, original: &Explicit) -> Fate {
    let Ok(module) = Module::<Letter>::new(&mutant.plan, mutant.form) else {
        return Fate::Refused;
    };
    let is_same = table(&module).is_some_and(|table| same(&table, original));
    let subject = Subject { origin, modules: vec![(mutant.form, module)] };
    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
    let report = subject.limits(limits).no_deadlock().conforms().properties().report();
    let Some(FormReport { faults, findings, .. }) = report.forms.first() else {
        return Fate::Missed;
    };
    let failed = |name: &str| findings.iter().any(|one| one.property == name && !one.passed());
    let (deadlock, conforms) = (failed("no deadlock"), failed("conforms to its protocol"));
    let formulas = findings.iter().skip(2).any(|one| !one.passed());
    if is_same {
        // A false alarm is as bad as none.
        assert!(report.passed(), "{} does the same, and {report}", mutant.what);
        return Fate::Same;
    }
    if !faults.is_empty() {
        Fate::Noticed(By::Faults)
    } else if deadlock {
        Fate::Noticed(By::Deadlock)
    } else if formulas {
        Fate::Noticed(By::Formulas)
    } else if conforms {
        Fate::Noticed(By::Conformance)
    } else {
        Fate::Missed
    }
}

/// A mutant with more states than this differs from what it was made of.
const MOST_STATES: u64 = 1_000;

/// Of more mutants than this, every second, third … is tried.
const MOST: usize = 150;

macro_rules! example {
    ($file:literal, $session:literal, $arguments:expr) => {
        origin(
            $file,
            include_str!(concat!("../../../../examples/protocols/", $file)),
            $session,
            $arguments,
        )
    };
}

/// A queue that is never large enough: its sender waits for room.
const STREAM: &str = "message Item; role source, sink;
    protocol stream { repeat forever { Item from source to sink; } }";

fn origins() -> [Origin; 6] {
    [
        example!("chess.quad", "chess", &[]),
        example!("login.quad", "login", &[]),
        example!("two-phase-commit.quad", "two_phase_commit", &[]),
        example!("token-directed-ring.quad", "directed_ring", &[]),
        origin("door.dcj", include_str!("../formulas/door.dcj"), "door", &[]),
        origin("stream.quad", STREAM, "stream", &[]),
    ]
}

#[test]
fn every_mutant_that_differs_is_noticed() {
    let mut shown = format!(
        "{:<24} {:<8} {:>7} {:>7} {:>6} {:>7} {:>9} {:>9} {:>12} {:>6}\n",
        "protocol",
        "form",
        "mutants",
        "refused",
        "same",
        "faults",
        "deadlock",
        "formulas",
        "conformance",
        "missed"
    );
    let (mut missed, mut n_noticed) = (Vec::new(), 0);
    for origin in origins() {
        let plan = plan(&origin);
        let mutants = mutants(&plan);
        for form in [Form::Strict, Form::Liberal] {
            let module = Module::<Letter>::new(&plan, form).expect("a good plan");
            let original = table(&module).expect("small");
            let mut counts = [0; 7];
            let own: Vec<&Mutant> = mutants.iter().filter(|mutant| mutant.form == form).collect();
            let own = own.iter().step_by(own.len().div_ceil(MOST));
            let n_mutants = own.len();
            for mutant in own {
                let column = match fate(origin, mutant, &original) {
                    Fate::Refused => 0,
                    Fate::Same => 1,
                    Fate::Noticed(By::Faults) => 2,
                    Fate::Noticed(By::Deadlock) => 3,
                    Fate::Noticed(By::Formulas) => 4,
                    Fate::Noticed(By::Conformance) => 5,
                    Fate::Missed => {
                        missed.push(format!("{}: {}", origin.session, mutant.what));
                        6
                    }
                };
                counts[column] += 1;
            }
            let [refused, same, faults, deadlock, formulas, conformance, unseen] = counts;
            n_noticed += faults + deadlock + formulas + conformance;
            let _ = writeln!(
                shown,
                "{:<24} {:<8} {n_mutants:>7} {refused:>7} {same:>6} {faults:>7} {deadlock:>9} {formulas:>9} {conformance:>12} {unseen:>6}",
                origin.session,
                format!("{form:?}").to_lowercase(),
            );
        }
    }
    println!("{shown}");
    assert!(missed.is_empty(), "not noticed:\n{}", missed.join("\n"));
    assert!(n_noticed > 300, "{n_noticed} are too few to mean anything");
}

/// Whether another role can do something after an act that it could not do before: it may be waiting for that, so it
/// must be woken.
fn lets_others_go_on(plan: &Plan, module: &Explicit, act: ActId) -> bool {
    let who = |action: ActionId| {
        let act = &plan.acts[action.index()];
        if act.kind == Kind::Receive { act.to[0] } else { act.from }
    };
    let is_new = |from: StateId, action: ActionId| {
        module.edges(from).iter().all(|&(before, _)| before != action)
    };
    module.states().any(|from| {
        module.edges(from).iter().filter(|(action, _)| action.index() == act.index()).any(
            |&(action, to)| {
                let mut after = module.edges(to).iter();
                after.any(|&(next, _)| who(next) != who(action) && is_new(from, next))
            },
        )
    })
}

/// Machines that lose or double a message, or forget to wake a role, whenever a certain act happens.
#[test]
fn every_machine_that_does_harm_is_noticed() {
    let mut shown = format!(
        "{:<18} {:<8} {:<9} {:>9} {:>8} {:>8}\n",
        "protocol", "form", "fault", "machines", "noticed", "harmless"
    );
    for origin in origins() {
        let plan = plan(&origin);
        for form in [Form::Strict, Form::Liberal] {
            let module = || Module::<Letter>::new(&plan, form).expect("a good plan");
            let original = table(&module()).expect("small");
            for fault in [
                InjectedFault::LoseMessage,
                InjectedFault::DuplicateMessage,
                InjectedFault::SkipWakeUp,
            ] {
                let (mut n_machines, mut n_noticed) = (0, 0);
                for (number, act) in plan.acts.iter().enumerate() {
                    if act.kind != Kind::Send && fault != InjectedFault::SkipWakeUp {
                        continue;
                    }
                    let spoil =
                        || module().inject(FaultInjection { act: ActId(number as u32), fault });
                    let is_same = table(&spoil()).is_some_and(|table| same(&table, &original));
                    let subject = Subject { origin, modules: vec![(form, spoil())] };
                    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
                    let report = subject.limits(limits).conforms().report();
                    n_machines += 1;
                    n_noticed += usize::from(!report.passed());
                    let what = format!("{} {form:?} {fault:?} at {}", origin.session, act.text);
                    assert!(is_same || !report.passed(), "not noticed: {what}");
                    // A forgotten wake-up changes nothing that happens; but who waits for it waits for ever.
                    let act = ActId(number as u32);
                    let wakes = fault == InjectedFault::SkipWakeUp
                        && lets_others_go_on(&plan, &original, act);
                    assert!(!wakes || !report.passed(), "not noticed: {what}");
                }
                let n_harmless = n_machines - n_noticed;
                let _ = writeln!(
                    shown,
                    "{:<18} {:<8} {:<9} {n_machines:>9} {n_noticed:>8} {n_harmless:>8}",
                    origin.session,
                    format!("{form:?}").to_lowercase(),
                    format!("{fault:?}"),
                );
            }
        }
    }
    println!("{shown}");
}
