//! From designs to bits: what an event does becomes circuits over slots ([`ground`], [`events`]),
//! and these become pieces that test single slots and write constants wherever that takes few of them
//! ([`split`]). Values that are never reached are dropped, and with them what depends on them
//! ([`reach`]).
//!
//! Knows designs, worlds and layouts; knows no signature of a model.

mod circuit;
mod code;
mod events;
mod ground;
mod initial;
mod matrix;
mod reach;
mod sets;
mod split;

use std::rc::Rc;

use quadrille_diagnostic::Diagnostic;
use quadrille_model::Value;

pub(crate) use circuit::{Bit, Circuit, FALSE, TRUE, Values, values};
pub(crate) use code::{Code, Results, Wire};
pub(crate) use ground::Failure;
pub(crate) use initial::initial;
pub(crate) use split::Piece;
pub use split::Splitting;

use crate::codes::LARGE;
use crate::eval::Bindings;
use crate::ground::{Atom, World};
use crate::system::layout::{Layout, Row};
use crate::types::Design;
use crate::types::core::Formula;
use crate::types::words::Mult;
use events::Way;
use ground::{Grounder, may_fail};
use matrix::{MOST_COLUMNS, Matrix, key};

/// Most gates of a design.
const MOST_GATES: usize = 1 << 22;

/// Where something cannot be computed, and what.
pub(crate) type Failures = Vec<(Bit, Failure)>;

/// An instance of an event.
pub(crate) struct Instance {
    pub(crate) event: usize,
    pub(crate) arguments: Vec<Atom>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) failures: Failures,
}

/// A design as pieces over the slots of a layout.
pub(crate) struct Lowered {
    pub(crate) circuit: Circuit,
    pub(crate) instances: Vec<Instance>,
    /// Where each of the formulas holds, and where that cannot be computed.
    pub(crate) formulas: Vec<(Bit, Failures)>,
}

/// What is lowered.
pub(crate) struct Source<'d> {
    pub(crate) design: &'d Design,
    pub(crate) world: &'d World,
    /// The events with their arguments.
    pub(crate) instances: &'d [(usize, Vec<Atom>)],
    /// Formulas about states.
    pub(crate) formulas: &'d [(Formula, Bindings)],
    /// Formulas about a state and the next.
    pub(crate) across: &'d [(Formula, Bindings)],
    pub(crate) splitting: Splitting,
}

/// Lowers a design to the slots of a layout.
pub(crate) fn lower(source: &Source<'_>, layout: &Layout) -> Result<Lowered, Box<Diagnostic>> {
    let Source { design, world, splitting, .. } = *source;
    let wide = design.relations.iter().find(|relation| relation.arity() > MOST_COLUMNS);
    if let Some(relation) = wide {
        return Err(too_large("a relation has too many columns", relation.span));
    }
    let mut circuit = Circuit::new(layout.values());
    let now = matrices(design, layout, &mut circuit);
    let next = now.clone();
    let mut grounder = Grounder {
        design,
        world,
        circuit,
        now,
        next,
        bound: Bindings::new(),
        failures: Vec::new(),
        is_too_wide: false,
    };
    let mut instances = Vec::new();
    for (number, arguments) in source.instances {
        let event = &design.events[*number];
        let ways = grounder.ways(event, arguments)?;
        let mut effects: Vec<(Bit, Vec<split::Becomes>)> = Vec::new();
        for way in &ways {
            let becomes = grounder.becomes(layout, way);
            effects.push((way.when, becomes));
        }
        grounder.differ(&mut effects);
        let mut found = Vec::new();
        for (way, (when, becomes)) in ways.iter().zip(effects) {
            for (when, held) in grounder.told_apart(way, when, source.across) {
                let pieces = split::pieces(&mut grounder.circuit, when, becomes.clone(), splitting);
                found.extend(pieces.into_iter().map(|it| Piece { held: held.clone(), ..it }));
            }
        }
        let failures = possible(std::mem::take(&mut grounder.failures), &mut grounder.circuit);
        if grounder.circuit.len() > MOST_GATES || grounder.is_too_wide {
            return Err(too_large("the conditions of an event are too large", event.span));
        }
        let (event, arguments) = (*number, arguments.clone());
        instances.push(Instance { event, arguments, pieces: found, failures });
    }
    let mut formulas = Vec::new();
    for (formula, bound) in source.formulas {
        grounder.bound.clone_from(bound);
        let path = if may_fail(formula) { TRUE } else { FALSE };
        let holds = grounder.holds(formula, path);
        let failures = possible(std::mem::take(&mut grounder.failures), &mut grounder.circuit);
        formulas.push((holds, failures));
        if grounder.circuit.len() > MOST_GATES || grounder.is_too_wide {
            return Err(too_large("a formula is too large", design.place));
        }
    }
    Ok(Lowered { circuit: grounder.circuit, instances, formulas })
}

fn too_large(message: &str, span: quadrille_diagnostic::Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&LARGE, message).at(span, "").help("use a smaller scope"))
}

/// The failures that are possible at all, as far as a few cases tell.
fn possible(failures: Failures, circuit: &mut Circuit) -> Failures {
    let is_possible = |circuit: &mut Circuit, when: Bit| {
        !split::pieces(circuit, when, Vec::new(), Splitting::default()).is_empty()
    };
    failures.into_iter().filter(|(when, _)| is_possible(circuit, *when)).collect()
}

/// What each relation holds, by the slots of a layout.
fn matrices(design: &Design, layout: &Layout, circuit: &mut Circuit) -> Vec<Rc<Matrix>> {
    let mut matrices: Vec<Matrix> =
        design.relations.iter().map(|relation| Matrix::new(relation.arity())).collect();
    for (matrix, tuples) in matrices.iter_mut().zip(&layout.constant.0) {
        tuples.iter().for_each(|tuple| matrix.put(key(tuple), TRUE));
    }
    for row in &layout.rows {
        for (position, atom) in row.atoms.iter().enumerate() {
            let (slot, value) = row.place(position);
            let bit = circuit.test(slot, 1 << value);
            matrices[row.relation.0].put(key(&row.prefix) << 8 | u64::from(*atom), bit);
        }
    }
    matrices.into_iter().map(Rc::new).collect()
}

impl Grounder<'_> {
    /// What the slots become on a way, as far as they may change.
    fn becomes(&mut self, layout: &Layout, way: &Way) -> Vec<split::Becomes> {
        let mut becomes = Vec::new();
        for row in &layout.rows {
            let Some(written) = way.rows.get(&(row.relation, row.prefix.clone())) else { continue };
            let mut cells = Vec::new();
            for (position, atom) in row.atoms.iter().enumerate() {
                let (slot, value) = row.place(position);
                let old = self.circuit.test(slot, 1 << value);
                let new = written.cells.get(atom).copied().unwrap_or(FALSE);
                cells.push(self.circuit.choose(written.when, new, old));
            }
            match row.mult {
                Mult::One => becomes.push((row.first, cells)),
                Mult::Lone => {
                    let some = self.circuit.or(cells.iter().copied());
                    cells.insert(0, self.circuit.not(some));
                    becomes.push((row.first, cells));
                }
                _ => {
                    for (position, cell) in cells.into_iter().enumerate() {
                        let not = self.circuit.not(cell);
                        becomes.push((row.first + position, vec![not, cell]));
                    }
                }
            }
        }
        becomes
    }

    /// Takes from each way where an earlier one leads to the same state: a step is one step.
    fn differ(&mut self, ways: &mut [(Bit, Vec<split::Becomes>)]) {
        for later in 1..ways.len() {
            for earlier in 0..later {
                let same = self.same_results(&ways[earlier].1, &ways[later].1);
                let twice = self.circuit.and([ways[earlier].0, same]);
                let once = self.circuit.not(twice);
                ways[later].0 = self.circuit.and([ways[later].0, once]);
            }
        }
    }

    fn same_results(&mut self, one: &[split::Becomes], other: &[split::Becomes]) -> Bit {
        let find = |of: &[split::Becomes], slot: usize| {
            of.iter().find(|(at, _)| *at == slot).map(|(_, bits)| bits.clone())
        };
        let mut parts = Vec::new();
        let mut slots: Vec<usize> = one.iter().chain(other).map(|(slot, _)| *slot).collect();
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            let stays: Vec<Bit> = values(self.circuit.all()[slot])
                .map(|value| self.circuit.test(slot, 1 << value))
                .collect();
            let a = find(one, slot).unwrap_or_else(|| stays.clone());
            let b = find(other, slot).unwrap_or(stays);
            let both: Vec<Bit> =
                a.iter().zip(&b).map(|(a, b)| self.circuit.and([*a, *b])).collect();
            let same = self.circuit.or(both);
            if same == FALSE {
                return FALSE;
            }
            parts.push(same);
        }
        self.circuit.and(parts)
    }
}

/// The values that slots can have, as [`reach::reach`] has them.
pub(crate) fn reached(lowered: &Lowered, initial: &[Vec<Value>]) -> Vec<Values> {
    let pieces: Vec<&Piece> = lowered.instances.iter().flat_map(|it| &it.pieces).collect();
    reach::reach(lowered.circuit.all().len(), initial, &pieces)
}

/// Drops the pieces that are never possible.
pub(crate) fn drop_impossible(lowered: &mut Lowered, reached: &[Values]) {
    for instance in &mut lowered.instances {
        instance.pieces.retain(|piece| reach::is_possible(piece, reached));
    }
}

impl Row {
    /// The slot and the value that stand for one of its atoms.
    pub(crate) fn place(&self, position: usize) -> (usize, Value) {
        match self.mult {
            Mult::One => (self.first, position as Value),
            Mult::Lone => (self.first, position as Value + 1),
            _ => (self.first + position, 1),
        }
    }
}
