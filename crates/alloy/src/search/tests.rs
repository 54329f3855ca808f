//! The search against all values of all relations, tried one after the other and evaluated plainly:
//! whether there is an instance, how long the shortest is, how many there are. Random static and
//! temporal texts; `QUADRILLE_ROUNDS=100` tries thousands.

use std::collections::BTreeSet;
use std::fmt::Write;

use quadrille_diagnostic::{Sources, Style, render};
use quadrille_solve::columns;
use quadrille_workshop::{Choices, check};

use super::{Found, Options, Search};
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

/// What formulas are made of.
struct Words {
    sets: Vec<String>,
    relations: Vec<String>,
    is_temporal: bool,
    n_vars: usize,
}

impl Words {
    fn set(&mut self, choices: &mut Choices, depth: usize) -> String {
        let n = if depth == 0 { 2 } else { 9 };
        match choices.below(n) {
            0 | 1 => {
                let at = choices.below(self.sets.len());
                self.sets[at].clone()
            }
            2 => format!("({} + {})", self.set(choices, depth - 1), self.set(choices, depth - 1)),
            3 => format!("({} - {})", self.set(choices, depth - 1), self.set(choices, depth - 1)),
            4 => format!("({} & {})", self.set(choices, depth - 1), self.set(choices, depth - 1)),
            5 => format!(
                "({}.({}))",
                self.set(choices, depth - 1),
                self.relation(choices, depth - 1)
            ),
            6 => format!(
                "(({}).{})",
                self.relation(choices, depth - 1),
                self.set(choices, depth - 1)
            ),
            7 if self.is_temporal => format!("({})'", self.set(choices, depth - 1)),
            _ => {
                let (bound, var) = (self.set(choices, depth - 1), self.var());
                self.sets.push(var.clone());
                let body = self.formula(choices, depth - 1);
                self.sets.pop();
                format!("{{ {var} : {bound} | {body} }}")
            }
        }
    }

    fn var(&mut self) -> String {
        self.n_vars += 1;
        format!("x{}", self.n_vars)
    }

    fn relation(&mut self, choices: &mut Choices, depth: usize) -> String {
        let n = if depth == 0 { 2 } else { 10 };
        match choices.below(n) {
            0 | 1 => {
                let at = choices.below(self.relations.len());
                self.relations[at].clone()
            }
            2 => format!("~({})", self.relation(choices, depth - 1)),
            3 => format!("^({})", self.relation(choices, depth - 1)),
            4 => format!("*({})", self.relation(choices, depth - 1)),
            5 => format!("({} -> {})", self.set(choices, depth - 1), self.set(choices, depth - 1)),
            6 => format!(
                "({} <: ({}))",
                self.set(choices, depth - 1),
                self.relation(choices, depth - 1)
            ),
            7 => format!(
                "(({}) :> {})",
                self.relation(choices, depth - 1),
                self.set(choices, depth - 1)
            ),
            8 if self.is_temporal => format!("({})'", self.relation(choices, depth - 1)),
            _ => format!("(({}) ++ ({}))", self.relation(choices, depth - 1), {
                self.relation(choices, depth - 1)
            }),
        }
    }

    fn formula(&mut self, choices: &mut Choices, depth: usize) -> String {
        if depth == 0 || choices.below(4) == 0 {
            let word = choices.pick(&["some", "no", "lone", "one"]);
            return match choices.below(5) {
                0 | 1 => format!("{word} {}", self.set(choices, depth.min(1))),
                2 => format!(
                    "{} in {}",
                    self.set(choices, depth.min(1)),
                    self.set(choices, depth.min(1))
                ),
                3 => format!("({}) = ({})", self.relation(choices, depth.min(1)), {
                    self.relation(choices, depth.min(1))
                }),
                _ => format!("#{} {} {}", self.set(choices, 0), choices.pick(&["<", "=", ">="]), {
                    choices.below(4)
                }),
            };
        }
        let d = depth - 1;
        match choices.below(if self.is_temporal { 16 } else { 6 }) {
            0 => format!("not ({})", self.formula(choices, d)),
            1 => format!("({}) and ({})", self.formula(choices, d), self.formula(choices, d)),
            2 => format!("({}) or ({})", self.formula(choices, d), self.formula(choices, d)),
            3 => format!("({}) iff ({})", self.formula(choices, d), self.formula(choices, d)),
            4 | 5 => {
                let word = choices.pick(&["all", "some", "no", "lone", "one"]);
                let (bound, var) = (self.set(choices, d.min(1)), self.var());
                self.sets.push(var.clone());
                let body = self.formula(choices, d);
                self.sets.pop();
                format!("({word} {var} : {bound} | {body})")
            }
            6 => format!("always ({})", self.formula(choices, d)),
            7 => format!("eventually ({})", self.formula(choices, d)),
            8 => format!("after ({})", self.formula(choices, d)),
            9 => format!("before ({})", self.formula(choices, d)),
            10 => format!("once ({})", self.formula(choices, d)),
            11 => format!("historically ({})", self.formula(choices, d)),
            12 => format!("({}) until ({})", self.formula(choices, d), self.formula(choices, d)),
            13 => format!("({}) since ({})", self.formula(choices, d), self.formula(choices, d)),
            14 => format!("({}) releases ({})", self.formula(choices, d), self.formula(choices, d)),
            _ => format!("({}) triggered ({})", self.formula(choices, d), self.formula(choices, d)),
        }
    }
}

fn static_text(choices: &mut Choices) -> String {
    let mult = choices.pick(&["set", "lone", "one", "some"]);
    let mut text = format!("sig A {{ f : {mult} A }}\n");
    let mut sets = vec!["A".to_owned(), "(univ & A)".to_owned()];
    if choices.coin() {
        text.push_str("sig B extends A {}\n");
        sets.push("B".to_owned());
    } else {
        text.push_str("one sig O extends A {}\n");
        sets.push("O".to_owned());
    }
    if choices.coin() {
        text.push_str("lone sig C in A {}\n");
        sets.push("C".to_owned());
    }
    let relations = vec!["f".to_owned(), "(iden & A->A)".to_owned(), "(A <: f)".to_owned()];
    let mut words = Words { sets, relations, is_temporal: false, n_vars: 0 };
    let fact = words.formula(choices, 1);
    let goal = words.formula(choices, 3);
    let scope = choices.pick(&["2", "2 but exactly 2 A", "2"]);
    let _ = write!(text, "fact {{ {fact} }}\nrun {{ {goal} }} for {scope} but 3 Int");
    text.replace("2 but exactly 2 A but 3 Int", "2 but exactly 2 A, 3 Int")
}

fn temporal_text(choices: &mut Choices) -> String {
    let mut text = String::from("sig A {}\nvar sig P in A {}\n");
    let mut sets = vec!["A".to_owned(), "P".to_owned()];
    let relations = if choices.coin() {
        text.push_str("one sig O { var f : lone A }\n");
        sets.push("O.f".to_owned());
        vec!["(A -> O.f)".to_owned(), "(O.f -> P)".to_owned()]
    } else {
        text.push_str("var sig Q in A {}\n");
        sets.push("Q".to_owned());
        vec!["(P -> Q)".to_owned(), "(Q -> A)".to_owned()]
    };
    let mut words = Words { sets, relations, is_temporal: true, n_vars: 0 };
    let fact = words.formula(choices, 2);
    let goal = words.formula(choices, 4);
    let _ = write!(text, "fact {{ {fact} }}\nrun {{ {goal} }} for exactly 2 A, 3 Int, 1..3 steps");
    text
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
    let options = Options { symmetry, ..Options::default() };
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
        let text = static_text(choices);
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
        let text = static_text(choices);
        let world = world(&text);
        let Some(naive) = naive(&world, 1, false) else { return };
        let mut search =
            Search::new(&world, &world.commands[0], Options::default(), 0).expect("a scope");
        let classes = search.classes.clone();
        let least = |values: &Values| super::least_form(values, &classes);
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
        let text = temporal_text(choices);
        let world = world(&text);
        let Some(naive) = naive(&world, 3, true) else { return };
        for symmetry in [true, false] {
            assert_eq!(shortest(&world, symmetry), naive.shortest, "{symmetry} {text}");
        }
    });
}
