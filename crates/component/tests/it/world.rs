//! Components read from texts, built and composed: what several tests do.

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
