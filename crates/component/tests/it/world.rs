//! Components read from texts, built and composed: what several tests do.

use std::collections::BTreeMap;

use quadrille_component::automata::{Alphabet, Construction, Throws, build};
use quadrille_component::composition::{Composition, Errors, Judge, Unit, Wiring, compose};
use quadrille_component::syntax::File;
use quadrille_engine::{Limits, Space, unobserved};

/// Built components.
#[derive(Default)]
pub struct World {
    pub alphabet: Alphabet,
    pub units: Vec<Unit>,
}

impl World {
    pub fn add(&mut self, file: &File, throws: Option<&Throws>, construction: Construction) {
        for component in &file.components {
            let piece = build(&mut self.alphabet, &file.types, component, throws, construction)
                .expect("small");
            self.units.push(Unit { name: component.name.text.clone(), piece });
        }
    }

    pub fn compose(&self, wiring: &Wiring) -> (Composition, Errors) {
        let composition = compose(&self.alphabet, &self.units, wiring).expect("composable");
        let errors = judged(&composition, Limits::default()).expect("no limit");
        (composition, errors)
    }
}

/// Explores a composition and judges it.
pub fn judged(composition: &Composition, limits: Limits) -> Option<Errors> {
    let mut judge = Judge::new(composition);
    let explored = Space::new(composition).walk(limits, &mut unobserved, |_, here, edges| {
        judge.visit(here, edges.iter().map(|edge| edge.to));
        judge.bytes()
    });
    explored.ok().map(|()| judge.finish())
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
