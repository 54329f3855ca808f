//! Rows of relations as slots: a row that holds one atom at most is a number, in any other row each
//! atom that it can hold has a slot of its own, so that steps test and write single bits. What never
//! changes has no slot.

use quadrille_diagnostic::Diagnostic;
use quadrille_model::{Domain, Element, Slot, SlotKind, Value};

use crate::codes::LARGE;
use crate::eval::{Evaluator, State, Tuple, Tuples};
use crate::ground::{Atom, World, members};
use crate::lower::Values;
use crate::types::Design;
use crate::types::core::RelationId;
use crate::types::words::Mult;

/// Most slots.
const MOST_SLOTS: usize = 10_000;

/// A row that has slots.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row {
    pub(crate) relation: RelationId,
    pub(crate) prefix: Tuple,
    /// The atoms it can hold, in order.
    pub(crate) atoms: Vec<Atom>,
    pub(crate) mult: Mult,
    /// Its first slot.
    pub(crate) first: usize,
}

/// The slots of a design, and what is always the same.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Layout {
    pub(crate) rows: Vec<Row>,
    pub(crate) constant: State,
}

impl Layout {
    /// A layout of everything that does not follow from the scope.
    pub(super) fn whole(
        evaluator: &Evaluator<'_>,
        (design, world): (&Design, &World),
    ) -> Result<Self, Box<Diagnostic>> {
        let mut rows = Vec::new();
        let mut constant = State(vec![Tuples::new(); design.relations.len()]);
        for (number, def) in design.relations.iter().enumerate() {
            let relation = RelationId(number);
            for (prefix, atoms) in world.rows[number].iter().filter(|(_, atoms)| **atoms != 0) {
                if evaluator.fixed(relation) {
                    let tuples = members(*atoms).map(|atom| [&prefix[..], &[atom]].concat());
                    constant.0[number].extend(tuples);
                } else {
                    let (prefix, atoms) = (prefix.clone(), members(*atoms).collect());
                    rows.push(Row { relation, prefix, atoms, mult: def.mult, first: 0 });
                }
            }
        }
        let layout = Self { rows, constant }.numbered();
        if layout.n_slots() > MOST_SLOTS {
            let message = format!("states have more than {MOST_SLOTS} parts");
            let diagnostic = Diagnostic::error(&LARGE, message).at(design.place, "");
            return Err(Box::new(diagnostic.help("use a smaller scope")));
        }
        Ok(layout)
    }

    /// The layout without relations that never change and are the same in all initial states.
    pub(super) fn without_constants(mut self, design: &Design, initial: &[State]) -> Self {
        let fixed = design.relations.iter().enumerate().filter(|(_, def)| !def.is_var);
        for (number, _) in fixed {
            let first = initial.first().map(|state| state.0[number].clone()).unwrap_or_default();
            if initial.iter().all(|state| state.0[number] == first) {
                self.rows.retain(|row| row.relation != RelationId(number));
                self.constant.0[number] = first;
            }
        }
        self.numbered()
    }

    /// Gives the rows their slots.
    fn numbered(mut self) -> Self {
        let mut first = 0;
        for row in &mut self.rows {
            row.first = first;
            first += row.n_slots();
        }
        self
    }

    fn n_slots(&self) -> usize {
        self.rows.last().map_or(0, |row| row.first + row.n_slots())
    }

    /// The layout without values that are never reached. Members that never leave a set stay.
    pub(super) fn narrowed(&self, reached: &[Values]) -> Self {
        let mut constant = self.constant.clone();
        let mut rows = Vec::new();
        for row in &self.rows {
            let is_reached = |position: usize| {
                let (slot, value) = row.place(position);
                reached[slot] >> value & 1 == 1
            };
            let positions = (0..row.atoms.len()).filter(|position| is_reached(*position));
            let atoms: Vec<Atom> = positions.map(|position| row.atoms[position]).collect();
            match (row.mult, atoms.as_slice()) {
                (_, []) => {}
                (Mult::One, [only]) => {
                    let tuple = [&row.prefix[..], &[*only]].concat();
                    constant.0[row.relation.0].insert(tuple);
                }
                _ => rows.push(Row { atoms, ..row.clone() }),
            }
        }
        Self { rows, constant }.numbered()
    }

    /// Per slot, all its values.
    pub(crate) fn values(&self) -> Vec<Values> {
        let size = |row: &Row| match row.mult {
            Mult::One => row.atoms.len(),
            Mult::Lone => row.atoms.len() + 1,
            _ => 2,
        };
        let each = |row: &Row| std::iter::repeat_n((1 << size(row)) - 1, row.n_slots());
        self.rows.iter().flat_map(each).collect()
    }

    /// The slots for the signature of the model.
    pub(super) fn slots(&self, design: &Design, world: &World) -> Vec<Slot> {
        let mut slots = Vec::new();
        for row in &self.rows {
            let names = row.prefix.iter().map(|atom| world.names[*atom as usize].as_str());
            let field = design.relations[row.relation.0].name.as_str();
            let name = names.chain([field]).collect::<Vec<&str>>().join(".");
            let atoms = row.atoms.iter().map(|atom| world.names[*atom as usize].clone());
            let slot = |name: String, domain| Slot::new(name, domain).of_kind(SlotKind::Data);
            match row.mult {
                Mult::One => slots.push(slot(name, Domain::Named(atoms.collect()))),
                Mult::Lone => {
                    let none = std::iter::once("none".to_owned());
                    slots.push(slot(name, Domain::Named(none.chain(atoms).collect())));
                }
                _ => slots.extend(atoms.map(|atom| {
                    let domain = Domain::Named(vec!["no".to_owned(), "yes".to_owned()]);
                    let element = Element { set: name.clone(), name: atom.clone() };
                    slot(format!("{atom} in {name}"), domain).element(element)
                })),
            }
        }
        slots
    }

    /// A state as a vector.
    pub(super) fn encode(&self, state: &State, out: &mut Vec<Value>) {
        out.clear();
        for row in &self.rows {
            let tuples = &state.0[row.relation.0];
            let holds = |atom: &Atom| tuples.contains(&[&row.prefix[..], &[*atom]].concat());
            let position = || row.atoms.iter().position(holds);
            match row.mult {
                Mult::One => out.push(position().unwrap_or(0) as Value),
                Mult::Lone => out.push(position().map_or(0, |at| at as Value + 1)),
                _ => out.extend(row.atoms.iter().map(|atom| Value::from(holds(atom)))),
            }
        }
    }

    /// The state that a vector stands for.
    pub(crate) fn decode(&self, vector: &[Value]) -> State {
        let mut state = self.constant.clone();
        for row in &self.rows {
            for (position, atom) in row.atoms.iter().enumerate() {
                let (slot, value) = row.place(position);
                if vector[slot] == value {
                    state.0[row.relation.0].insert([&row.prefix[..], &[*atom]].concat());
                }
            }
        }
        state
    }
}

impl Row {
    /// Whether it is one slot, with a value for each atom.
    pub(super) fn is_single(&self) -> bool {
        matches!(self.mult, Mult::One | Mult::Lone)
    }

    /// How many slots it has.
    fn n_slots(&self) -> usize {
        if self.is_single() { 1 } else { self.atoms.len() }
    }
}
