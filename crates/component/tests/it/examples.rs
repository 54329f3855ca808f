//! The systems under `examples/components`: free of errors, and as large as their README says.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect;
use quadrille_component::architecture::{assemble, compliances, load};
use quadrille_component::automata::{Construction, flatten};
use quadrille_component::composition::{Binding, Compatibility, Wiring};
use quadrille_component::syntax::File;
use quadrille_diagnostic::{Diagnostic, Sources};

use crate::architecture::judged;
use crate::oracle::shared_interfaces;
use crate::world::World;

pub const SYSTEMS: [&str; 6] =
    ["airport", "tickets", "philosophers", "chain", "handshakes", "payment"];

fn text(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/components");
    let path = Path::new(folder).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The tree of a system.
pub fn system(name: &str) -> File {
    crate::read(&text(&format!("{name}.bp")))
}

/// All components of a system, built.
pub fn built(file: &File) -> World {
    let mut world = World::default();
    world.add(file, None, Construction::Minimal);
    world
}

/// These interfaces are bound, to all components that mention them.
pub fn wiring(interfaces: &BTreeSet<String>) -> Wiring {
    let bind = |name: &String| Binding { name: name.clone(), between: None };
    Wiring { bindings: interfaces.iter().map(bind).collect(), ..Wiring::default() }
}

/// `1234567` as `1,234,567`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut all = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            all.push(',');
        }
        all.push(digit);
    }
    all
}

#[test]
fn examples_have_no_error_and_the_sizes_of_their_table() {
    let readme = text("README.md");
    let mut missing = String::new();
    for name in SYSTEMS {
        let world = built(&system(name));
        let (composition, errors) = world.compose(&wiring(&shared_interfaces(&world)));
        let tokens = errors.first().map(|path| path.tokens(&composition));
        assert_eq!(errors.verdict(), Compatibility::NoError, "{name}: {tokens:?}");
        let n_states: usize = world.units.iter().map(|unit| unit.dfa.n_states()).sum();
        let flat = |dfa| flatten(dfa).expect("small").states.len();
        let n_flat: usize = world.units.iter().map(|unit| flat(&unit.dfa)).sum();
        let sizes = [world.units.len(), n_states, n_flat, errors.configurations, errors.steps];
        let row = format!("| `{name}.bp` | {} |", sizes.map(grouped).join(" | "));
        if !readme.contains(&row) {
            missing += &format!("{row}\n");
        }
    }
    assert!(missing.is_empty(), "rows that the README should have:\n{missing}");
}

#[test]
fn the_token_of_the_airport_keeps_its_promise() {
    let mut sources = Sources::default();
    let arch = text("airport.arch");
    let id = sources.add("airport.arch", &*arch);
    let mut read = |path: &str| {
        let text = text(path);
        Ok((sources.add(path, &*text), text))
    };
    let (system, diagnostics) = load(id, &arch, &mut read);
    assert!(
        !diagnostics.iter().any(Diagnostic::is_error),
        "{}",
        crate::rendered(&sources, &diagnostics)
    );
    let mut told = String::new();
    for (composite, compliance) in compliances(&system) {
        let assembly = assemble(&system, composite, compliance).expect("small");
        let (_, errors) = judged(&assembly);
        let name = &system.component(composite).name.text;
        let _ = writeln!(
            told,
            "{name} {compliance}: {}, {} configurations",
            errors.verdict(),
            errors.configurations
        );
    }
    expect![[r#"
        TokenService horizontal: no error, 12811 configurations
        TokenService vertical: no error, 17436 configurations
        Airport horizontal: no error, 49140 configurations
    "#]]
    .assert_eq(&told);
}
