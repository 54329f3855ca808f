//! Rows of relations as slots: one per variable signature, and one per field and atom. A row of one
//! atom is a number, a row of several is bits. What never changes and is always the same has no slot.

use quadrille_diagnostic::Diagnostic;
use quadrille_model::{Domain, Slot, SlotKind, Value};

use crate::codes::LARGE;
use crate::eval::{Evaluator, State, Tuple, Tuples};
use crate::ground::{Atom, World, members};
use crate::syntax::tree::Mult;
use crate::types::Design;
use crate::types::core::RelationId;

/// Most members of a row.
const WIDEST: usize = 31;

/// A row that has a slot.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) relation: RelationId,
    prefix: Tuple,
    /// The atoms it can hold, in order.
    atoms: Vec<Atom>,
    mult: Mult,
}

/// The slots of a design, and what is always the same.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) rows: Vec<Row>,
    constant: State,
}

impl Layout {
    pub(super) fn new(
        evaluator: &Evaluator<'_>,
        (design, world): (&Design, &World),
        initial: &[State],
    ) -> Result<Self, Box<Diagnostic>> {
        let mut rows = Vec::new();
        let mut constant = State(vec![Tuples::new(); design.relations.len()]);
        for (number, def) in design.relations.iter().enumerate() {
            let relation = RelationId(number);
            let first = initial.first().map(|state| state.0[number].clone()).unwrap_or_default();
            let is_same = !def.is_var && initial.iter().all(|state| state.0[number] == first);
            if evaluator.fixed(relation) || is_same {
                constant.0[number] = first;
                continue;
            }
            for (prefix, atoms) in &world.rows[number] {
                let atoms: Vec<Atom> = members(*atoms).collect();
                let is_bits = !matches!(def.mult, Mult::One | Mult::Lone);
                if is_bits && atoms.len() > WIDEST {
                    let message =
                        format!("a row of `{}` can hold more than {WIDEST} atoms", def.name);
                    let help = "use a smaller scope, or declare what it holds more narrowly";
                    let diagnostic = Diagnostic::error(&LARGE, message).at(def.span, "");
                    return Err(Box::new(diagnostic.help(help)));
                }
                rows.push(Row { relation, prefix: prefix.clone(), atoms, mult: def.mult });
            }
        }
        Ok(Self { rows, constant })
    }

    /// The slots for the signature of the model.
    pub(super) fn slots(&self, design: &Design, world: &World) -> Vec<Slot> {
        let slot = |row: &Row| {
            let names = row.prefix.iter().map(|atom| world.names[*atom as usize].as_str());
            let field = design.relations[row.relation.0].name.as_str();
            let name: Vec<&str> = names.chain([field]).collect();
            let atoms = row.atoms.iter().map(|atom| world.names[*atom as usize].clone());
            let domain = match row.mult {
                Mult::One => Domain::Named(atoms.collect()),
                Mult::Lone => {
                    Domain::Named(std::iter::once("none".to_owned()).chain(atoms).collect())
                }
                _ => Domain::Size(1 << row.atoms.len()),
            };
            Slot::new(name.join("."), domain).of_kind(SlotKind::Data)
        };
        self.rows.iter().map(slot).collect()
    }

    /// A state as a vector.
    pub(super) fn encode(&self, state: &State, out: &mut Vec<Value>) {
        out.clear();
        for row in &self.rows {
            let tuples = &state.0[row.relation.0];
            let holds = |atom: &Atom| tuples.contains(&[&row.prefix[..], &[*atom]].concat());
            let position = || row.atoms.iter().position(holds);
            out.push(match row.mult {
                Mult::One => position().unwrap_or(0) as Value,
                Mult::Lone => position().map_or(0, |at| at as Value + 1),
                _ => {
                    let bit = |(at, atom)| Value::from(holds(atom)) << at;
                    row.atoms.iter().enumerate().map(bit).sum()
                }
            });
        }
    }

    /// The state that a vector stands for.
    pub(super) fn decode(&self, vector: &[Value]) -> State {
        let mut state = self.constant.clone();
        for (row, &value) in self.rows.iter().zip(vector) {
            for atom in row.members(value) {
                state.0[row.relation.0].insert([&row.prefix[..], &[atom]].concat());
            }
        }
        state
    }
}

impl Row {
    /// The atoms that a value stands for.
    pub(super) fn members(&self, value: Value) -> Vec<Atom> {
        match self.mult {
            Mult::One => self.atoms.get(value as usize).copied().into_iter().collect(),
            Mult::Lone => {
                let at = (value as usize).checked_sub(1);
                at.and_then(|at| self.atoms.get(at)).copied().into_iter().collect()
            }
            _ => {
                let bits = self.atoms.iter().enumerate();
                bits.filter(|(at, _)| value >> at & 1 == 1).map(|(_, atom)| *atom).collect()
            }
        }
    }

    /// Whether its value is shown as a set.
    pub(super) fn is_set(&self) -> bool {
        !matches!(self.mult, Mult::One | Mult::Lone)
    }
}
