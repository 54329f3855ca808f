//! Reduction keeps what matters: on random systems, on small ones with a known answer, and on the
//! published ones.

mod small;

use std::fmt::Write;

use expect_test::expect;
use quadrille_component::automata::{Construction, build, flatten};
use quadrille_component::composition::{
    Binding, Compatibility, Composition, CompositionErrors, ErrorKind, Wiring, compose,
};
use quadrille_component::reduction::{ComponentSystem, Reduction, Rule, reduce};
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_model::{Model, Value};
use quadrille_query::composition_errors;
use quadrille_workshop::shared::{Row, rows as table, text as read_text};
use quadrille_workshop::{Choices, check, conformance};
use rustc_hash::FxHashSet;

use crate::conformance::{files, folder, reservation_system};
use crate::world::World;

/// Interfaces of random systems, each with a method `m` and an exception `oops`: joining components 0–1, 0–2, 1–2, or outside.
const SHARED: [(&str, u32, u32); 6] =
    [("a", 0, 1), ("b", 1, 0), ("c", 0, 2), ("d", 2, 0), ("e", 1, 2), ("f", 2, 1)];

/// Makes texts of systems whose components mostly agree: all are cut from one text, and then perhaps
/// changed.
struct Planner<'c> {
    choices: &'c mut Choices,
    n_units: u32,
}

/// What happens in a system, seen from above.
enum Plan {
    Nothing,
    /// A method by the position of its interface, what follows the request, and what happens inside.
    Call(usize, Answer, Box<Plan>),
    /// An event of the surroundings: of which component, and how it is written.
    Outside(u32, &'static str),
    Joined(&'static str, Vec<Plan>),
    Repeat(Box<Plan>),
}

#[derive(Clone, Copy)]
enum Answer {
    Nothing,
    Response,
    /// A response or an exception.
    Either,
}

impl Planner<'_> {
    fn plan(&mut self, depth: u32) -> Plan {
        let kind = self.choices.below_u32(if depth == 0 { 5 } else { 12 });
        match kind {
            0 => Plan::Nothing,
            1 | 2 | 5 | 6 => {
                let fits = |(_, one, other): &(&str, u32, u32)| {
                    *one < self.n_units && *other < self.n_units
                };
                let known: Vec<usize> = (0..6).filter(|m| fits(&SHARED[*m])).collect();
                let method = self.choices.pick(&known);
                let answer = match self.choices.below_u32(8) {
                    0 | 1 => Answer::Nothing,
                    2 => Answer::Either,
                    _ => Answer::Response,
                };
                let has_body = depth > 0 && self.choices.below_u32(3) == 0;
                let body = if has_body { self.plan(depth - 1) } else { Plan::Nothing };
                Plan::Call(method, answer, Box::new(body))
            }
            3 | 4 => {
                let unit = self.choices.below_u32(self.n_units);
                let texts = ["!x^", "?x^", "?y", "!y$", "!y"];
                Plan::Outside(unit, self.choices.pick(&texts))
            }
            7 | 8 => self.joined(" ; ", depth),
            9 => self.joined(" + ", depth),
            10 => self.joined(" | ", depth),
            _ => Plan::Repeat(Box::new(self.plan(depth - 1))),
        }
    }

    fn joined(&mut self, operator: &'static str, depth: u32) -> Plan {
        let length = 2 + self.choices.below_u32(2);
        Plan::Joined(operator, (0..length).map(|_| self.plan(depth - 1)).collect())
    }

    /// What one component sees. Now and then it does not look carefully.
    fn cut(&mut self, plan: &Plan, unit: u32, slips: u32) -> String {
        if slips > 0 && self.choices.below_u32(12) == 0 {
            return match self.choices.below_u32(3) {
                0 => "NULL".to_owned(),
                1 => "?z".to_owned(),
                _ => format!("({} + NULL)", self.cut(plan, unit, 0)),
            };
        }
        match plan {
            Plan::Call(method, answer, body) => {
                let (name, caller, callee) = SHARED[*method];
                let inner = self.cut(body, unit, slips);
                let (sign, response) = match unit {
                    _ if unit == caller => ("!", "?"),
                    _ if unit == callee => ("?", "!"),
                    _ => return format!("({inner})"),
                };
                let is_atomic = self.choices.below_u32(12) == 0;
                let request = match is_atomic {
                    true => format!("[{sign}{name}.m^, !x^]"),
                    false => format!("{sign}{name}.m^"),
                };
                match answer {
                    Answer::Nothing => format!("({request} ; ({inner}))"),
                    Answer::Response => format!("({request} ; ({inner}) ; {response}{name}.m$)"),
                    Answer::Either if unit == caller => {
                        format!("try {{ !{name}.m {{ {inner} }} }} catch {{ ?{name}.oops : NULL }}")
                    }
                    Answer::Either => format!("?{name}.m {{ {inner} + throw !oops }}"),
                }
            }
            Plan::Outside(of, text) if *of == unit => (*text).to_owned(),
            Plan::Nothing | Plan::Outside(..) => "NULL".to_owned(),
            Plan::Joined(operator, parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.cut(p, unit, slips)).collect();
                format!("({})", parts.join(operator))
            }
            Plan::Repeat(inner) => format!("({})*", self.cut(inner, unit, slips)),
        }
    }

    fn system(choices: &mut Choices) -> String {
        let n_units = 2 + choices.below_u32(2);
        let slips = choices.below_u32(2);
        let depth = 2 + choices.below_u32(3);
        let mut planner = Planner { choices, n_units };
        let plan = planner.plan(depth);
        let mut text = String::new();
        for unit in 0..n_units {
            let protocol = planner.cut(&plan, unit, slips);
            writeln!(text, "U{unit}\n{protocol}").expect("a string");
        }
        text
    }
}

/// All rules, or some.
fn some_rules(choices: &mut Choices) -> Vec<Rule> {
    if choices.below(3) == 0 {
        return Rule::ALL.to_vec();
    }
    Rule::ALL.into_iter().filter(|_| choices.coin()).collect()
}

/// The system of a text; the methods of [`SHARED`] are bound, `z` is bound to nobody.
fn system(text: &str) -> ComponentSystem {
    let mut world = World::default();
    world.add(&crate::read(text), None, Construction::Minimal);
    let names = SHARED.iter().map(|(name, ..)| *name).chain(["z"]);
    let bind = |name: &str| Binding { name: name.to_owned(), between: None };
    let wiring = Wiring { bindings: names.map(bind).collect(), ..Wiring::default() };
    ComponentSystem { alphabet: world.alphabet, units: world.units, wiring }
}

/// A system explored.
struct Explored {
    composition: Composition,
    errors: CompositionErrors,
}

/// Explores a system, if it is not too large.
fn explore(system: &ComponentSystem) -> Option<Explored> {
    let ComponentSystem { alphabet, units, wiring } = system;
    let composition = compose(alphabet, units, wiring).expect("composable");
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    let errors = composition_errors(&composition, limits, &mut unobserved).ok()?;
    Some(Explored { composition, errors })
}

/// The verdict as far as reductions keep it.
fn class(errors: &CompositionErrors) -> &'static str {
    match errors.verdict() {
        Compatibility::NoError => "no error",
        Compatibility::BadActivity => "bad activity",
        Compatibility::NoActivity | Compatibility::InfiniteActivity => "never ends",
    }
}

/// Whether an end can be reached from a state.
fn may_still_end(explored: &Explored, state: &[Value]) -> bool {
    let Explored { composition, .. } = explored;
    let mut seen = FxHashSet::from_iter([state.to_vec()]);
    let mut open = vec![state.to_vec()];
    while let Some(state) = open.pop() {
        if composition.may_end(&state) {
            return true;
        }
        let expanded = composition.explorer().each_successor(&state, |_, _, next| {
            if seen.insert(next.to_vec()) {
                open.push(next.to_vec());
            }
        });
        assert_eq!(expanded, Ok(()));
    }
    false
}

/// Why a reduction is wrong, if it is. Systems that are too large to be explored are passed over.
fn complaint(original: ComponentSystem, rules: &[Rule]) -> Option<String> {
    let before = explore(&original)?;
    let reduction = reduce(original, rules);
    let Some(after) = explore(&reduction.system) else {
        return Some("the reduced system is larger".to_owned());
    };
    if class(&before.errors) != class(&after.errors) {
        let words = [&before, &after].map(|one| one.errors.verdict().to_string());
        return Some(format!("{} became {}", words[0], words[1]));
    }
    complaint_about_paths(&reduction, &before, &after)
}

fn complaint_about_paths(
    reduction: &Reduction,
    before: &Explored,
    after: &Explored,
) -> Option<String> {
    let has_bad = !after.errors.bad.is_empty();
    let n_bad = after.errors.bad.len();
    let n_looked_at = if has_bad { n_bad } else { usize::MAX };
    for path in after.errors.all().take(n_looked_at) {
        let tokens = path.tokens(&after.composition).join(" ; ");
        let back = reduction.lift(&before.composition, &after.composition, path);
        let Some(back) = back else { return Some(format!("no way back for {tokens}")) };
        let trace = &back.trace;
        if let Err(error) = trace.replay(&before.composition) {
            return Some(format!("{tokens} does not replay: {error:?}"));
        }
        let is_right = match (path.kind, back.kind) {
            (ErrorKind::BadActivity(_), ErrorKind::BadActivity(event)) => {
                before.composition.holds(event, trace.last())
            }
            (ErrorKind::BadActivity(_), _) | (_, ErrorKind::BadActivity(_)) => false,
            _ => !may_still_end(before, trace.last()),
        };
        if !is_right {
            return Some(format!("{tokens} is not an error of the original"));
        }
    }
    None
}

/// What was done, a line per application.
fn log(reduction: &Reduction) -> String {
    let mut text = String::new();
    for entry in &reduction.log {
        let show = |event| reduction.system.alphabet.event_of(event).to_string();
        let events: Vec<String> = entry.events.iter().copied().map(show).collect();
        let what = [entry.rule.to_string(), events.join(" "), entry.components.join(", ")];
        writeln!(text, "{}", what.join(" | ")).expect("a string");
    }
    text
}

#[test]
fn random_systems_keep_their_errors() {
    let (mut n_smaller, mut n_nothing, mut n_wrong) = (0, 0, 0);
    check(5000, |choices| {
        let text = Planner::system(choices);
        let rules = some_rules(choices);
        if let Some(complaint) = complaint(system(&text), &rules) {
            let log = log(&reduce(system(&text), &rules));
            panic!("{rules:?}: {complaint}\n{text}\n{log}");
        }
        let original = system(&text);
        let size = original.size();
        let reduction = reduce(original, &Rule::ALL);
        n_smaller += u32::from(reduction.system.size() < size);
        n_nothing += u32::from(reduction.is_nothing());
        let after = explore(&reduction.system);
        n_wrong += u32::from(after.is_some_and(|after| after.errors.first().is_some()));
    });
    // The systems are not all alike, or there would be nothing to learn from them.
    println!("{n_smaller} smaller, {n_nothing} nothing, {n_wrong} with errors");
    assert!(n_smaller > 3000 && n_nothing > 1000 && n_wrong > 1000);
}

#[test]
fn texts_of_reduced_systems_mean_the_same() {
    let mut n_texts = 0;
    check(1000, |choices| {
        let mut reduced = reduce(system(&Planner::system(choices)), &some_rules(choices)).system;
        let Some(text) = reduced.text() else { return };
        n_texts += 1;
        let file = crate::read(&text);
        assert_eq!(file.components.len(), reduced.units.len(), "{text}");
        for (component, unit) in file.components.iter().zip(&reduced.units) {
            let minimal = Construction::Minimal;
            let again = build(&mut reduced.alphabet, &[], component, None, minimal).expect("small");
            assert_eq!(flatten(&again), flatten(&unit.dfa), "{text}");
        }
    });
    assert!(n_texts > 500);
}

#[test]
fn the_examples_keep_their_errors() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/components");
    for file in files(std::path::Path::new(folder)) {
        let mut world = World::default();
        world.add(&file, None, Construction::Minimal);
        let wiring = Wiring::shared(&world.alphabet, &world.units);
        let system = ComponentSystem { alphabet: world.alphabet, units: world.units, wiring };
        let name = system.units[0].name.clone();
        assert_eq!(complaint(system, &Rule::ALL), None, "with {name}");
    }
}

#[conformance]
fn the_conformance_folder_keeps_its_errors() {
    for name in ["micro", "models"] {
        let folder = folder(name);
        for row in table(&folder.join("expected.tsv")) {
            let mut world = World::default();
            world.add(
                &crate::read(&read_text(&folder.join(&row["file"]))),
                None,
                Construction::Minimal,
            );
            let wiring = match name {
                "micro" => Wiring::all(&world.alphabet),
                _ => Wiring::shared(&world.alphabet, &world.units),
            };
            let system = ComponentSystem { alphabet: world.alphabet, units: world.units, wiring };
            assert_eq!(complaint(system, &Rule::ALL), None, "{row:?}");
        }
    }
    let folder = folder("reservation");
    for row in table(&folder.join("expected.tsv")) {
        let vertical = row["check"] == "vertical";
        let (world, wiring) = reservation_system(&folder.join(&row["folder"]), vertical);
        let system = ComponentSystem { alphabet: world.alphabet, units: world.units, wiring };
        assert_eq!(complaint(system, &Rule::ALL), None, "{row:?}");
    }
}

/// A step of a reduction: what was done, how large the automata are, and how many configurations the
/// composition has with minimal automata and as published.
fn airport_table(reduction: &Reduction, methods: &[Binding]) -> String {
    let mut table = String::new();
    for step in &reduction.steps {
        let system = reduction.system_after(step);
        let minimal = explore(&system).expect("small").errors;
        // The published sizes leave the firewall out, whose events are then free.
        let mut world = World::default();
        let mut file = crate::read(&system.text().expect("no exceptions here"));
        file.components.retain(|component| !component.name.text.starts_with("Firewall"));
        world.add(&file, None, Construction::Published);
        let is_bound = |binding: &&Binding| {
            !binding.name.starts_with("IFirewall.")
                && !system.wiring.external.contains(&binding.name)
        };
        let bindings = methods.iter().filter(is_bound).cloned().collect();
        let wiring = Wiring { bindings, ..Wiring::default() };
        let composition = compose(&world.alphabet, &world.units, &wiring);
        let published = composition.map_or(1, |composition| {
            let table = Space::new(&composition).tabulate(Limits::default(), &mut unobserved);
            table.expect("no limit").n_states()
        });
        let (n_units, sizes) = (system.units.len(), system.size());
        writeln!(
            table,
            "{} {}x: {n_units} components, {} states, {} transitions; {} ({published}) configurations",
            step.rule, step.applications, sizes.0, sizes.1, minimal.configurations
        )
        .expect("a string");
    }
    table
}

#[conformance]
fn airport_reduces_to_nothing() {
    let folder = folder("airport");
    let mut world = World::default();
    for file in files(&folder.join("step-0")) {
        world.add(&file, None, Construction::Minimal);
    }
    let bind = |row: &Row| Binding { name: row["method"].clone(), between: None };
    let methods: Vec<Binding> = table(&folder.join("bindings.tsv")).iter().map(bind).collect();
    let wiring = Wiring { bindings: methods.clone(), ..Wiring::default() };
    let system = ComponentSystem { alphabet: world.alphabet, units: world.units, wiring };
    let reduction = reduce(system, &Rule::ALL);
    assert!(reduction.is_nothing());
    expect![[r#"
        external event 26x: 5 components, 63 states, 63 transitions; 868 (36369) configurations
        simple method call 9x: 5 components, 45 states, 45 transitions; 145 (9506) configurations
        initial state transition 1x: 5 components, 43 states, 43 transitions; 144 (9504) configurations
        redundant state 4x: 17 components, 35 states, 39 transitions; 144 (9504) configurations
        simple cycle 8x: 17 components, 29 states, 20 transitions; 32 (108) configurations
        simple method call 3x: 17 components, 23 states, 14 transitions; 9 (50) configurations
        simple cycle 3x: 17 components, 21 states, 8 transitions; 4 (9) configurations
        simple method call 2x: 17 components, 17 states, 4 transitions; 1 (4) configurations
        simple cycle 2x: 17 components, 17 states, 0 transitions; 1 (1) configurations
        redundant state 16x: 1 components, 1 states, 0 transitions; 1 (1) configurations
    "#]]
    .assert_eq(&airport_table(&reduction, &methods));
}
