//! Components read from texts, built and composed: what several tests do.

use std::collections::BTreeMap;

use quadrille_component::automata::{Alphabet, Construction, Throws, build};
use quadrille_component::composition::{Composition, CompositionErrors, Unit, Wiring, compose};
use quadrille_component::syntax::File;
use quadrille_engine::{Limits, unobserved};
use quadrille_query::composition_errors;

/// Built components.
#[derive(Default)]
pub struct World {
    pub alphabet: Alphabet,
    pub units: Vec<Unit>,
}

impl World {
    pub fn add(&mut self, file: &File, throws: Option<&Throws>, construction: Construction) {
        for component in &file.components {
            let dfa = build(&mut self.alphabet, &file.types, component, throws, construction)
                .expect("small");
            self.units.push(Unit { name: component.name.text.clone(), dfa });
        }
    }

    pub fn compose(&self, wiring: &Wiring) -> (Composition, CompositionErrors) {
        let composition = compose(&self.alphabet, &self.units, wiring).expect("composable");
        let errors = composition_errors(&composition, Limits::default(), &mut unobserved);
        let errors = errors.expect("no limit");
        (composition, errors)
    }
}

/// A row of a table, by column.
pub type Row = BTreeMap<String, String>;

/// Rows of a table with a header.
pub fn rows(text: &str) -> Vec<Row> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let row = |line: &str| {
        let fields = line.split('\t').map(str::to_owned);
        header.iter().map(|name| (*name).to_owned()).zip(fields).collect()
    };
    lines.map(row).collect()
}
