//! The search against all values of all relations, tried one after the other and evaluated plainly:
//! whether there is an instance, how long the shortest is, how many there are. Random static and
//! temporal texts; `QUADRILLE_ROUNDS=100` tries thousands.

use std::collections::BTreeSet;

use quadrille_diagnostic::{Sources, Style, render};
use quadrille_solve::columns;
use quadrille_workshop::{check, specifications};

use super::{Everywhere, Found, Options, Search};
use crate::evaluate::{Evaluator, Tuples, Values};
use crate::lower::lower;
use crate::names::{Alone, World, read};
use crate::scope::Bounds;

fn world(text: &str) -> World {
    let mut sources = Sources::default();
    let source = sources.add("random.als", text);
    let found = read(&mut Alone(&mut sources), "random.als", source, text);
    found.unwrap_or_else(|errors| {
        let shown: String = errors.iter().map(|it| render(it, &sources, Style::Plain)).collect();
        panic!("{text}\n{shown}")
    })
}

/// All instances up to a length, found by trying.
struct Naive {
    shortest: Option<usize>,
    instances: BTreeSet<Values>,
}

fn naive(world: &World, longest: usize, only_shortest: bool) -> Option<Naive> {
    let command = &world.commands[0];
    let mut bounds = Bounds::new(world, command, &[], 0).ok()?;
    let lowered = lower(world, command, &mut bounds).ok()?;
    let mut found = Naive { shortest: None, instances: BTreeSet::new() };
    for length in 1..=longest {
        // Every place that is open: relation, state, tuple.
        let mut places = Vec::new();
        let mut relations = Vec::new();
        for (number, relation) in bounds.relations.iter().enumerate() {
            let n_states = if relation.is_var { length } else { 1 };
            let tuple = |tuple: &u128| columns(*tuple, relation.arity);
            let certain: Tuples = relation.lower.iter().map(tuple).collect();
            relations.push(vec![certain; n_states]);
            for state in 0..n_states {
                let open = relation.upper.iter().filter(|tuple| !relation.lower.contains(tuple));
                places.extend(open.map(|it| (number, state, tuple(it))));
            }
        }
        if places.len() > 12 {
            return None;
        }
        for back_to in 0..length {
            for mask in 0..1u32 << places.len() {
                let mut values = Values { relations: relations.clone(), length, back_to };
                for (at, (number, state, tuple)) in places.iter().enumerate() {
                    if mask >> at & 1 == 1 {
                        values.relations[*number][*state].insert(tuple.clone());
                    }
                }
                let mut evaluator = Evaluator::new(&bounds, &values);
                let mut claims = lowered.facts.iter().chain(&lowered.goal);
                if claims.all(|claim| evaluator.holds(claim.formula, 0)) {
                    found.shortest = found.shortest.or(Some(length));
                    if only_shortest {
                        return Some(found);
                    }
                    found.instances.insert(values);
                }
            }
        }
    }
    Some(found)
}

fn shortest(world: &World, symmetry: bool) -> Option<usize> {
    let options = Options { symmetry, checks_proofs: true, ..Options::default() };
    let mut search = Search::new(world, &world.commands[0], options, 0).expect("a scope");
    match search.find().expect("an answer") {
        Found::Instance(instance) => Some(instance.length()),
        Found::None(_) => None,
        Found::Stopped => panic!("nothing stops it"),
    }
}

#[test]
fn static_texts_have_the_instances_that_trying_finds() {
    check(25, |choices| {
        let text = specifications::fixed(choices);
        let world = world(&text);
        let Some(naive) = naive(&world, 1, false) else { return };
        for symmetry in [true, false] {
            assert_eq!(shortest(&world, symmetry).is_some(), naive.shortest.is_some(), "{text}");
        }
        let options = Options { symmetry: false, ..Options::default() };
        let mut search = Search::new(&world, &world.commands[0], options, 0).expect("a scope");
        let mut n = 0;
        while let Found::Instance(_) = search.find().expect("an answer") {
            n += 1;
        }
        assert_eq!(n, naive.instances.len(), "{text}");
    });
}

#[test]
fn enumeration_tells_each_instance_once_whatever_its_atoms_are_called() {
    check(8, |choices| {
        let text = specifications::fixed(choices);
        let world = world(&text);
        let Some(naive) = naive(&world, 1, false) else { return };
        let mut search =
            Search::new(&world, &world.commands[0], Options::default(), 0).expect("a scope");
        let classes = search.classes.clone();
        let least = |values: &Values| super::forms::least_form(values, &classes);
        let expected: BTreeSet<Values> = naive.instances.iter().map(least).collect();
        let mut n = 0;
        while let Found::Instance(_) = search.find().expect("an answer") {
            n += 1;
        }
        assert_eq!(n, expected.len(), "{text}");
    });
}

#[test]
fn shortest_traces_are_those_that_trying_finds() {
    check(15, |choices| {
        let text = specifications::changing(choices);
        let world = world(&text);
        let Some(naive) = naive(&world, 3, true) else { return };
        for symmetry in [true, false] {
            assert_eq!(shortest(&world, symmetry), naive.shortest, "{symmetry} {text}");
        }
    });
}

#[test]
fn all_states_and_the_solver_find_the_same() {
    let (mut found, mut certain, mut none) = (0, 0, 0);
    check(25, |choices| {
        let text = specifications::events(choices);
        let search = |text: &str| {
            let world = world(text);
            let command = &world.commands[0];
            let mut search = Search::new(&world, command, Options::default(), 0).expect("a scope");
            let everywhere = search.explore(10_000);
            let length = match search.find().expect("an answer") {
                Found::Instance(instance) => Some(instance.length()),
                Found::None(_) => None,
                Found::Stopped => panic!("nothing stops it"),
            };
            (everywhere, length)
        };
        let (everywhere, length) = search(&format!("{text}, 1..7 steps"));
        match everywhere {
            Everywhere::None { .. } => {
                none += 1;
                assert_eq!(length, None, "{text}");
            }
            Everywhere::Found { instance, is_shortest } => {
                found += 1;
                certain += usize::from(is_shortest);
                // It was evaluated, so the solver finds it or a shorter one.
                let n = instance.length();
                let (_, shortest) = search(&format!("{text}, 1..{n} steps"));
                let is_as_told = |shortest| if is_shortest { shortest == n } else { shortest <= n };
                assert!(shortest.is_some_and(is_as_told), "{n} {shortest:?} {text}");
            }
            Everywhere::Unknown => {}
            other => panic!("{other:?} of {text}"),
        }
    });
    assert!(found > 3 && certain > 3 && none > 3, "{found} found, {certain} certain, {none} not");
}
