//! The compiled model against the naive evaluator: the same states, the same steps, the same failures.

use std::collections::BTreeSet;

use quadrille_model::{Checked, Model, Value};
use quadrille_relational::eval::{Evaluator, State};
use quadrille_relational::types::words::Scope;
use quadrille_relational::{Design, Splitting, System, World};

use crate::design;

/// A step by what it is called and where it leads from and to.
type Edge = (State, String, State);

/// What there is to explore; of a design that fails somewhere, the message.
type Explored = Result<(BTreeSet<State>, Vec<Edge>), String>;

fn naively(design: &Design, scope: Option<&Scope>, most: usize) -> Explored {
    let world = World::new(design, scope).expect("a scope");
    let evaluator = Evaluator::new(design, &world);
    let mut todo = evaluator.initial().expect("initial states");
    let mut seen: BTreeSet<State> = todo.iter().cloned().collect();
    let mut edges = Vec::new();
    while let Some(state) = todo.pop() {
        assert!(seen.len() <= most, "a smaller design");
        for step in evaluator.steps(&state).map_err(|failure| failure.message.clone())? {
            let names: Vec<&str> =
                step.arguments.iter().map(|atom| world.names[*atom as usize].as_str()).collect();
            let event = &design.events[step.event].name;
            let label = match names.is_empty() {
                true => event.clone(),
                false => format!("{event}[{}]", names.join(", ")),
            };
            edges.push((state.clone(), label, step.next.clone()));
            if seen.insert(step.next.clone()) {
                todo.push(step.next);
            }
        }
    }
    edges.sort();
    Ok((seen, edges))
}

fn compiled(system: &System) -> Explored {
    let mut explorer = system.explorer();
    let mut todo: Vec<Vec<Value>> = Vec::new();
    explorer.each_initial(|state| todo.push(state.to_vec())).expect("initial states");
    let mut seen: BTreeSet<Vec<Value>> = todo.iter().cloned().collect();
    let mut edges = Vec::new();
    while let Some(state) = todo.pop() {
        let mut found = Vec::new();
        let all = explorer.each_successor(&state, |_, action, next| {
            found.push((action, next.to_vec()));
        });
        all.map_err(|problem| problem.message.clone())?;
        for (action, next) in found {
            edges.push((system.state(&state), system.action(action).label, system.state(&next)));
            if seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    edges.sort();
    Ok((seen.iter().map(|state| system.state(state)).collect(), edges))
}

/// Compares a design with itself, in all ways of cutting events into pieces.
pub(crate) fn compare(design: &Design, scope: Option<&Scope>, most: usize) {
    let expected = naively(design, scope, most);
    let splittings = [
        Splitting::default(),
        Splitting { most: 1, ..Splitting::default() },
        Splitting { effects: false, guards: false, most: 0 },
    ];
    for splitting in splittings {
        let system = System::split(design, scope, splitting).expect("a system");
        let found = compiled(&system);
        match (&expected, &found) {
            (Ok(expected), Ok(found)) => {
                assert_eq!(expected.0.len(), found.0.len(), "states, {splitting:?}");
                assert_eq!(expected.1.len(), found.1.len(), "steps, {splitting:?}");
                assert!(expected == found, "{splitting:?}");
                let violations = Checked::new(&system).walk(40);
                assert!(violations.is_empty(), "{splitting:?}: {violations:?}");
            }
            // Which of several failures is come upon first is a matter of order.
            (Err(_), Err(_)) => {}
            (expected, found) => {
                panic!("naively {:?}, compiled {:?}", expected.as_ref().err(), found.as_ref().err())
            }
        }
    }
}

const DESIGNS: [&str; 10] = [
    "sig Node { var next : lone Node, var mark : set Node }
     event point[a, b : Node] { a != b  a.next' = b }
     event spread[a : Node] { some a.next  a.next.mark' = a.next.mark + a }
     event reach[a : Node] { a in a.^next  no a.mark'  no a.next' }
     init { no next  no mark } for 3 Node",
    "enum Mode { Off, Low, High }
     sig Fan { var mode : one Mode }
     event turn { some f : Fan, m : Mode | f.mode != m and f.mode' = m }
     event stop { all f : Fan | f.mode = High implies f.mode' = Low else f.mode' = Off }
     event same { Fan$1.mode' = Fan$2.mode  Fan$2.mode' = Fan$1.mode }
     init { Fan.mode = Off } for 2 Fan",
    "one sig Count { var n : one Int, var seen : set Int }
     event up { Count.n < 5  Count.n' = plus[Count.n, 1]  Count.seen' = Count.seen + Count.n }
     event down { Count.n' = minus[Count.n, 1]  #Count.seen > 2 }
     init { Count.n = 0  no seen } for 0..5 Int",
    "one sig Count { var n : one Int }
     event up { Count.n < 5  Count.n' = plus[Count.n, 1] }
     event half { Count.n' = div[Count.n, 2]  rem[Count.n, 2] = 0 }
     init { Count.n = 3 } for 0..5 Int",
    "enum Word { A, B }
     one sig Line { var queue : seq Word }
     event put[w : Word] { #Line.queue < 2  Line.queue' = Line.queue.add[w] }
     event take { some Line.queue  Line.queue' = Line.queue.rest }
     init { no Line.queue } for 2 seq",
    "sig Lamp { var on : set Lamp }
     fact { always lone Lamp.on }
     event flip[l : Lamp] { no l.on  l.on' = l }
     event clear[l : Lamp] { some l.on  no l.on' }
     event any[l : Lamp] { l.on' in Lamp }
     init { no on } for 3 Lamp",
    "sig Node { var seen : Node -> lone Node, var top : set Node }
     event learn[a, b, c : Node] { no a.seen[b]  a.seen' = a.seen ++ b -> c }
     event forget { some seen  seen' = none -> none -> none }
     event turn { top' = ~(top) }
     init { no seen  some Node$1.top } for 2 Node",
    "var sig up in Node {}
     sig Node { var friends : some Node, var boss : one Node }
     event leave[n : Node] { n in up  up' = up - n  n.boss in up - n
       all m : Node | m.boss = n implies m.boss' = n.boss }
     event join[n : Node] { n not in up  up' = up + n  n.friends' = n.friends + up }
     event choose[n : up] { some m : up - n | n.boss' = m or n.friends' = n.friends - m }
     init { up = Node  all n : Node | n.friends = n and n.boss = n } for 2 Node",
    "sig Node { var v : one Int }
     event copy[a, b : Node] { a.v > b.v  b.v' = a.v }
     event total { (sum n : Node | n.v) = 4  all n : Node | n.v' = #{ m : Node | m.v =< n.v } }
     init { Node$1.v = 0  Node$2.v = 2  Node$3.v = 1 } for 3 Node, 0..3 Int",
    "one sig Box { var held : one Item }
     sig Item {}
     event bad[i : Item] { i != Box.held  Box.held' = Item - i }
     event good[i : Item] { Box.held' = i }
     init { Box.held = Item$1 } for 3 Item",
];

#[test]
fn compiled_designs_are_the_naive_ones() {
    for text in DESIGNS {
        compare(&design(text), None, 3_000);
    }
}

#[test]
fn compiled_examples_are_the_naive_ones() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/designs");
    let mut n_compared = 0;
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "qev") {
            continue;
        }
        let design = design(&std::fs::read_to_string(&path).expect("a text"));
        let mut scopes: Vec<Option<&Scope>> = Vec::new();
        for command in &design.commands {
            if !scopes.contains(&command.scope.as_ref()) {
                scopes.push(command.scope.as_ref());
            }
        }
        for scope in scopes {
            let n_states = {
                let system = System::new(&design, scope).expect("a system");
                compiled(&system).map_or(0, |(states, _)| states.len())
            };
            if n_states <= 400 {
                compare(&design, scope, 400);
                n_compared += 1;
            }
        }
    }
    assert!(n_compared > 3, "{n_compared}");
}
