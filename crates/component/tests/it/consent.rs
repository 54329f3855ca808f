//! Compositions against the definition of consent: configurations explored one by one, every pair of
//! components tried, nothing indexed.

use std::collections::{BTreeMap, BTreeSet};

use expect_test::{Expect, expect};
use quadrille_component::automata::{Construction, Move, Role, ends, moves, slots};
use quadrille_component::composition::{Errors, Unit, Wiring};
use quadrille_model::{Checked, Value};

use crate::random::Random;
use crate::world::World;

type Configuration = Vec<Vec<Value>>;

/// What the definition says: counts, the length of the shortest way to each error.
#[derive(PartialEq, Eq, Debug, Default)]
struct Naive {
    configurations: usize,
    steps: usize,
    bad: BTreeMap<String, usize>,
    stuck: Option<usize>,
    endless: Option<usize>,
}

struct Explorer<'a> {
    world: &'a World,
    moves: Vec<Vec<Move>>,
}

impl Explorer<'_> {
    fn enabled<'m>(&'m self, unit: usize, c: &'m Configuration) -> impl Iterator<Item = &'m Move> {
        self.moves[unit].iter().filter(move |one| one.region.contains(&c[unit]))
    }

    fn apply(c: &mut Configuration, unit: usize, one: &Move) {
        for &(slot, value) in &one.effects {
            c[unit][slot as usize] = value;
        }
    }

    /// All events are bound. Steps with their labels, and emissions that nobody accepts.
    fn step(&self, c: &Configuration) -> (BTreeSet<(String, Configuration)>, BTreeSet<String>) {
        let alphabet = &self.world.alphabet;
        let (mut steps, mut bad) = (BTreeSet::new(), BTreeSet::new());
        for emitter in 0..c.len() {
            for emission in self.enabled(emitter, c) {
                let part = alphabet.parts(emission.step)[0];
                if part.role != Role::Emit {
                    continue;
                }
                let mut heard = false;
                for acceptor in (0..c.len()).filter(|unit| *unit != emitter) {
                    for acceptance in self.enabled(acceptor, c) {
                        let other = alphabet.parts(acceptance.step)[0];
                        if other.role == Role::Accept && other.event == part.event {
                            heard = true;
                            let mut next = c.clone();
                            Self::apply(&mut next, emitter, emission);
                            Self::apply(&mut next, acceptor, acceptance);
                            steps.insert((format!("τ{}", alphabet.event_of(part.event)), next));
                        }
                    }
                }
                if !heard {
                    bad.insert(format!("ε!{}", alphabet.event_of(part.event)));
                }
            }
        }
        (steps, bad)
    }

    fn may_end(&self, c: &Configuration) -> bool {
        self.world
            .units
            .iter()
            .zip(c)
            .all(|(unit, own)| ends(&unit.piece).iter().any(|region| region.contains(own)))
    }
}

fn naive(world: &World) -> Naive {
    let all = world.units.iter().map(|unit| moves(&unit.piece)).collect();
    let explorer = Explorer { world, moves: all };
    let start: Configuration =
        world.units.iter().map(|unit: &Unit| vec![0; slots(&unit.piece).len()]).collect();
    let mut depths = BTreeMap::from([(start.clone(), 0usize)]);
    let mut order = vec![start];
    let mut edges: Vec<(usize, Configuration)> = Vec::new();
    let mut resolved = BTreeSet::new();
    let mut result = Naive::default();
    let mut done = 0;
    while done < order.len() {
        let c = order[done].clone();
        let depth = depths[&c];
        let (steps, bad) = explorer.step(&c);
        result.steps += steps.len();
        let is_stuck = steps.is_empty() && bad.is_empty() && !explorer.may_end(&c);
        if is_stuck && result.stuck.is_none() {
            result.stuck = Some(depth);
        }
        if is_stuck || !bad.is_empty() || explorer.may_end(&c) {
            resolved.insert(c.clone());
        }
        for event in bad {
            result.bad.entry(event).or_insert(depth);
        }
        for (_, next) in steps {
            edges.push((done, next.clone()));
            if !depths.contains_key(&next) {
                depths.insert(next.clone(), depth + 1);
                order.push(next);
            }
        }
        done += 1;
    }
    result.configurations = order.len();
    loop {
        let before = resolved.len();
        for (from, to) in &edges {
            if resolved.contains(to) {
                resolved.insert(order[*from].clone());
            }
        }
        if resolved.len() == before {
            break;
        }
    }
    result.endless = order.iter().find(|c| !resolved.contains(*c)).map(|c| depths[c]);
    result
}

fn found(world: &World) -> (Naive, Errors) {
    let (composition, errors) = world.compose(&Wiring::all(&world.alphabet));
    let mut bad = BTreeMap::new();
    for path in &errors.bad {
        let mut tokens = path.tokens(&composition);
        let event = tokens.pop().expect("an error token");
        bad.insert(event, tokens.len());
    }
    let length =
        |path: &quadrille_component::composition::Path| path.tokens(&composition).len() - 1;
    let result = Naive {
        configurations: errors.configurations,
        steps: errors.steps,
        bad,
        stuck: errors.stuck.as_ref().map(length),
        endless: errors.endless.as_ref().map(length),
    };
    for path in errors.bad.iter().chain(&errors.stuck).chain(&errors.endless) {
        assert_eq!(path.trace(&composition).replay(&composition), Ok(()));
    }
    (result, errors)
}

/// A small protocol over events that all components share, as text.
fn protocol(random: &mut Random, depth: u32) -> String {
    const EVENTS: [&str; 12] =
        ["!a^", "?a^", "!b^", "?b^", "!c", "?c", "!c^", "?c^", "!b", "?b", "?a^", "NULL"];
    if depth == 0 {
        return EVENTS[random.below(12) as usize].to_owned();
    }
    let (one, two) = (protocol(random, depth - 1), protocol(random, depth - 1));
    match random.below(8) {
        0 => format!("({one} + {two})"),
        1 | 2 => format!("({one} | {two})"),
        3 => format!("({one})*"),
        4 => format!("?c {{ {one} }}"),
        _ => format!("({one} ; {two})"),
    }
}

#[test]
fn compositions_do_what_consent_says() {
    let mut verdicts = BTreeSet::new();
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let n_units = 2 + random.below(2);
        let text: String =
            (0..n_units).map(|unit| format!("X{unit}\n{}\n", protocol(&mut random, 3))).collect();
        let mut world = World::default();
        world.add(&crate::read(&text), None, Construction::Minimal);
        let (found, errors) = found(&world);
        assert_eq!(found, naive(&world), "seed {seed}:\n{text}");
        verdicts.insert(errors.verdict().to_string());
    }
    assert_eq!(verdicts.len(), 4, "{verdicts:?}");
}

/// Verdict, trace and counts of the components of a text, with shared events bound.
fn outcome(text: &str) -> String {
    let mut world = World::default();
    world.add(&crate::read(text), None, Construction::Minimal);
    let wiring = Wiring::shared(&world.alphabet, &world.units);
    let (composition, errors) = world.compose(&wiring);
    let show = |path: &quadrille_component::composition::Path| {
        format!(": {}", path.tokens(&composition).join(" ; "))
    };
    let trace = errors.first().map_or(String::new(), show);
    let counts = format!("{} configurations, {} steps", errors.configurations, errors.steps);
    format!("{}{trace}\n{counts}\n", errors.verdict())
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&outcome(text));
}

#[test]
fn the_manual_says_the_truth() {
    let manual = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/components.md");
    let text = std::fs::read_to_string(manual).expect("a manual");
    let mut blocks = text.split("```").skip(1).step_by(2);
    let mut n_examples = 0;
    while let Some(example) = blocks.next() {
        let example = example.strip_prefix("bp\n").expect("an example");
        let expected = blocks.next().and_then(|block| block.strip_prefix("text\n"));
        assert_eq!(Some(&outcome(example)[..]), expected, "{example}");
        n_examples += 1;
    }
    assert!(n_examples >= 8, "only {n_examples} examples");
}

#[test]
fn forks_with_something_beside_them_start_only_once() {
    check(
        "A ?go ; (!a^* | !b^*) + ?stop\nB !go ; (?a^ + ?b^)*",
        &expect![[r#"
        bad activity: ?stop^ ; ε!go^
        5 configurations, 6 steps
    "#]],
    );
    check(
        "A ((!a^* | !b^*) + !d^)\nB ?a^ ; ?d^ + ?b^* + ?d^",
        &expect![[r#"
        bad activity: τa^ ; ε!a^
        4 configurations, 4 steps
    "#]],
    );
}

#[test]
fn atomic_actions_happen_at_once() {
    check(
        "A ?s^ ; [!t^, ?u^]\nB !s^ ; !u^\nC ?t^",
        &expect![[r#"
            no error
            3 configurations, 2 steps
        "#]],
    );
    check(
        "A [!t^, ?u^]\nB !u^\nC NULL ; ?v^ + ?w^ ; ?t^\nD !w^",
        &expect![[r#"
        bad activity: ε!t^
        4 configurations, 3 steps
    "#]],
    );
}

#[test]
fn meetings_need_everybody() {
    check(
        "A &go ; !a^\nB &go ; ?a^\nC !x ; &go",
        &expect![[r#"
            no error
            5 configurations, 4 steps
        "#]],
    );
    check(
        "A &go\nB ?a^ ; &go",
        &expect![[r#"
            no error
            3 configurations, 2 steps
        "#]],
    );
}

#[test]
fn variables_are_part_of_the_configuration() {
    let types = "types { Mode = { OFF, ON } }\n";
    let lamp = "Lamp vars { Mode m = OFF }\n( ?l.set(Mode x) { m <- x ; !n.tell(m) } )* ;\n\
                switch (m) { ON: { !n.bye } }\n";
    let hand = "Hand !l.set(ON) { ?n.tell(Mode y) { NULL } } ; !l.set(OFF) { ?n.tell(Mode y) }\n";
    check(
        &format!("{types}{lamp}{hand}"),
        &expect![[r#"
        bad activity: τl.set(ON)^ ; τn.tell(ON)^ ; τn.tell$ ; τl.set$ ; !n.bye^ ; ε!l.set(OFF)^
        11 configurations, 10 steps
    "#]],
    );
    let lazy = "Hand !l.set(ON) { ?n.tell(Mode y) }\n";
    check(
        &format!("{types}{lamp}{lazy}"),
        &expect![[r#"
            no error
            7 configurations, 6 steps
        "#]],
    );
    let looping = "A vars { Mode m = OFF } while (m == OFF) { !a^ ; (m <- ON + NULL) } ; !b^\n";
    check(
        &format!("{types}{looping}B ?a^* ; ?b^"),
        &expect![[r#"
            no error
            3 configurations, 3 steps
        "#]],
    );
}

#[test]
fn compositions_keep_the_promises_of_models() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let text: String =
            (0..3).map(|unit| format!("X{unit}\n{}\n", protocol(&mut random, 3))).collect();
        let mut world = World::default();
        world.add(&crate::read(&text), None, Construction::Minimal);
        let (composition, _) = world.compose(&Wiring::all(&world.alphabet));
        let violations = Checked::new(composition).walk(10_000);
        assert_eq!(violations, [], "seed {seed}:\n{text}");
    }
}
