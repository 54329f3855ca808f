//! Automata with forks beside the products of today: the same protocols, explored in both ways.

use quadrille_diagnostic::Sources;
use quadrille_engine::equivalence::{Bisimulation, Comparison, Relation, View, compare};
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_generate::{Session, scheme_of};
use quadrille_model::{Checked, Explicit, Model};
use quadrille_protocol::core::ProtocolModel;
use quadrille_protocol::project::{Liberal, Queues};
use quadrille_query::protocol::{Explored, InFlight, Order, compare_order, in_flight, projected};
use quadrille_runtime::scheme::Unfit;
use quadrille_runtime::{Exploration, Form, Module, Structure};
use quadrille_workshop::protocols::{Language, Shape, file};
use quadrille_workshop::{Choices, check};

use crate::support::{Note, quad_protocol, try_plan};

const LIMITS: Limits = Limits { states: Some(20_000), memory: None };

fn table(model: &dyn Model) -> Option<Explicit> {
    Space::new(model).tabulate(LIMITS, &mut unobserved).ok()
}

fn explored(structure: &Structure, form: Form) -> Option<Explicit> {
    let module = Module::<Note>::structured(structure, form).expect("a consistent structure");
    table(&Exploration::new(&module))
}

#[track_caller]
fn assert_same(left: &Explicit, right: &Explicit, what: &str, text: &str) {
    let relation = Relation::Bisimilar(Bisimulation::Strong);
    let found = compare(left, right, relation, &View::default(), LIMITS, &mut unobserved);
    assert_eq!(found, Comparison::Holds, "{what} of {text}");
}

/// What is made of a protocol; `None` if it has no scheme or no structure.
fn structure(text: &str) -> Option<Result<(Structure, Option<Unfit>), Unfit>> {
    let mut sources = Sources::default();
    let source = sources.add("p.quad", text);
    Some(scheme_of(&sources, source, &Session::default())?.structure(0, 1))
}

/// What was compared.
#[derive(Default)]
struct Seen {
    strict: u32,
    forked: u32,
    liberal: u32,
    forked_liberal: u32,
    same: u32,
}

fn compare_both(text: &str, seen: &mut Seen) {
    let Some(Ok((structure, missing))) = structure(text) else { return };
    let protocol = quad_protocol(text);
    let Some(specified) = table(&protocol) else { return };
    let strict = explored(&structure, Form::Strict).expect("as small as the protocol");
    assert_same(&strict, &specified, "the strict form", text);
    seen.strict += 1;
    seen.forked += u32::from(!structure.strict.is_empty());
    if missing.is_some() {
        return;
    }
    assert_harmless(&protocol, text, seen);
    let Some(plan) = try_plan(&protocol, 20_000) else { return };
    if plan.locals.is_empty() {
        return;
    }
    let mut structure = structure;
    let name = |plan: &quadrille_runtime::Plan, role: quadrille_runtime::plan::RoleId| {
        plan.roles[role.index()].to_string()
    };
    let is_bounded = plan.queues.iter().all(|queue| queue.suffices);
    for position in 0..structure.plan.queues.len() {
        let queue = structure.plan.queues[position];
        let from = name(&structure.plan, queue.from.expect("pairs"));
        let to = name(&structure.plan, queue.to);
        let same = plan.queues.iter().find(|other| {
            other.from.is_none_or(|other| name(&plan, other) == from) && name(&plan, other.to) == to
        });
        let same = same.expect("a queue for the same pair");
        // What holds the sender up in parallel parts beside the one that sends is not looked at.
        let is_exact = structure.strict.is_empty();
        if same.from.is_some() && is_bounded && (queue.suffices || is_exact) {
            assert!(queue.suffices, "{from} -> {to} is bounded: {text}");
            assert_eq!(queue.capacity, same.capacity, "{from} -> {to} of {text}");
        } else {
            let own = &mut structure.plan.queues.to_mut()[position];
            (own.capacity, own.suffices) = (same.capacity, same.suffices);
        }
    }
    let today: Structure = plan.into();
    let (Some(mine), Some(theirs)) =
        (explored(&structure, Form::Liberal), explored(&today, Form::Liberal))
    else {
        return;
    };
    assert_same(&mine, &theirs, "the liberal form", text);
    seen.liberal += 1;
    seen.forked_liberal += u32::from(structure.locals.iter().any(|forks| !forks.is_empty()));
}

/// What is accepted on the tree is the same up to reordering where runs are looked at, too.
fn assert_harmless(protocol: &ProtocolModel, text: &str, seen: &mut Seen) {
    let Ok(explored) = Explored::new(protocol, LIMITS, &mut unobserved) else { return };
    let Ok(projection) = projected(explored.global(), LIMITS, &mut unobserved) else { return };
    let form = Liberal::new(projection, &Queues::PerPair);
    let Ok(InFlight::Bounded(_)) = in_flight(&form, LIMITS, &mut unobserved) else { return };
    let order = compare_order(&explored, &form, LIMITS, &mut unobserved);
    match order.expect("no problem") {
        Order::Same => seen.same += 1,
        Order::Unknown(_) => {}
        Order::Differs(deviation) => panic!("{:?}: {text}", deviation.observations),
    }
}

/// A protocol of a master, two others and a family, in which one role decides at each branch.
fn driven(choices: &mut Choices) -> String {
    let n = 2 + choices.below(2);
    let body = part(choices, &["a", "b", "w[0]", "w[1]"], 3);
    let body = match choices.below(4) {
        0 => format!("loop {{ {body} }} End from a to b;"),
        1 => format!("{body} {}", family(choices)),
        _ => body,
    };
    format!("message M, N, End; role a, b, w[0..{n}]; protocol p {{ {body} }}")
}

fn family(choices: &mut Choices) -> String {
    let how = choices.pick(&["for", "par for"]);
    let there = choices.pick(&["M from a to w[i];", "M from w[i] to a;", "M from b to w[i];"]);
    let back = choices.pick(&["", "N from w[i] to a;", "M from w[i] to b;"]);
    format!("{how} i in 0..2 {{ {there} {back} }}")
}

fn part(choices: &mut Choices, roles: &[&str], depth: usize) -> String {
    let one = |choices: &mut Choices, message: &str| {
        let from = choices.below(roles.len());
        let to = (from + 1 + choices.below(roles.len() - 1)) % roles.len();
        (from, format!("{message} from {} to {};", roles[from], roles[to]))
    };
    if depth == 0 {
        return one(choices, "M").1;
    }
    match choices.below(9) {
        0 | 1 => {
            let first = part(choices, roles, depth - 1);
            format!("{first} {}", part(choices, roles, depth - 1))
        }
        2 | 3 => {
            let (from, first) = one(choices, "M");
            let to = roles[(from + 1 + choices.below(roles.len() - 1)) % roles.len()];
            let from = roles[from];
            let (left, right) = (part(choices, roles, depth - 1), part(choices, roles, depth - 1));
            format!("either {{ {first} {left} }} or {{ N from {from} to {to}; {right} }}")
        }
        4 | 5 => {
            let left = part(choices, roles, depth - 1);
            format!("par {{ {left} }} and {{ {} }}", part(choices, roles, depth - 1))
        }
        6 => family(choices),
        7 => format!("loop {{ {} }}", part(choices, roles, depth - 1)),
        _ => one(choices, "N").1,
    }
}

#[test]
fn forks_do_what_products_do() {
    let mut seen = Seen::default();
    check(120, |choices| {
        let text = if choices.below(4) == 0 {
            let shape = Shape {
                language: Language::Quad,
                roles: &["a", "b", "c"],
                messages: &["M", "N"],
                is_rich: choices.below(2) == 0,
            };
            file(choices, &shape, 3)
        } else {
            driven(choices)
        };
        compare_both(&text, &mut seen);
    });
    assert!(seen.strict >= 50, "{}", seen.strict);
    assert!(seen.forked >= 20, "{}", seen.forked);
    assert!(seen.liberal >= 20, "{}", seen.liberal);
    assert!(seen.forked_liberal >= 4, "{}", seen.forked_liberal);
    assert!(seen.same >= 20, "{}", seen.same);
}

#[test]
fn structures_keep_their_promises() {
    for text in [
        "message M, N; role a, w[0..3]; protocol p { par for i in 0..3 { M from a to w[i]; N from w[i] to a; } }",
        "message M, N, E; role a, w[0..2];
         protocol p { loop { par for i in 0..2 { M from a to w[i]; N from w[i] to a; } } E from a to w[0]; E from a to w[1]; }",
    ] {
        let (structure, missing) = structure(text).expect("a scheme").expect("a structure");
        assert_eq!(missing, None, "{text}");
        for form in [Form::Strict, Form::Liberal] {
            let module = Module::<Note>::structured(&structure, form).expect("consistent");
            let exploration = Exploration::new(&module);
            assert_eq!(Checked::new(&exploration).walk(300), [], "{text}, {form:?}");
        }
    }
}

#[test]
fn what_has_no_structure() {
    let unfit = |text: &str| structure(text).expect("a scheme");
    let message = |text: &str| match unfit(text) {
        Err(unfit) | Ok((_, Some(unfit))) => unfit.to_string(),
        Ok((_, None)) => panic!("there is one for {text}"),
    };
    let of =
        |body: &str| message(&format!("message M, N; role a, b, c, d; protocol p {{ {body} }}"));
    assert_eq!(
        of("either { M from a to b; } or { M from c to d; }"),
        "`c` cannot know what to do: several roles decide how it goes on"
    );
    assert_eq!(
        of("either { M from a to b; M from c to d; } or { N from a to b; N from c to d; }"),
        "`c` cannot know what to do: whether `c sends M to d` comes next"
    );
    assert_eq!(
        of("either { M from a to b; M from b to c; } or { N from a to c; M from b to c; }"),
        "`b` cannot know what to do: whether `b sends M to c` comes next"
    );
    assert_eq!(
        of("par { M from a to b; } and { N from a to b; }"),
        "`a` cannot know what to do: parallel parts send over the same channel"
    );
    assert_eq!(
        of("par { opt { M from a to b; } } and { M from c to d; }"),
        "a parallel part may end or go on"
    );
    assert_eq!(of("loop { }"), "nothing happens");
    let text = "message M; role a, w[0..2]; protocol p { M from a to w[2]; }";
    assert_eq!(message(text), "`w[2]` does not exist");
}

#[test]
fn the_size_is_linear_in_the_number_of_members() {
    let text = |n: u32| {
        format!(
            "message M, N, E; role a, w[0..{n}]; protocol p {{
                loop {{ for i in 0..{n} {{ M from a to w[i]; }} par for i in 0..{n} {{ N from w[i] to a; }} }}
                for i in 0..{n} {{ E from a to w[i]; }}
            }}"
        )
    };
    let size = |n: u32| {
        let (structure, missing) = structure(&text(n)).expect("a scheme").expect("a structure");
        assert_eq!(missing, None);
        let locals = structure.plan.locals.iter().map(|local| local.states.len()).sum::<usize>();
        (structure.plan.strict.len(), locals)
    };
    let (ten, twenty, forty) = (size(10), size(20), size(40));
    assert_eq!(
        (forty.0 - twenty.0, forty.1 - twenty.1),
        (2 * (twenty.0 - ten.0), 2 * (twenty.1 - ten.1))
    );
}
