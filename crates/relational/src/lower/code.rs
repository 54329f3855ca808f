//! Conditions as a program over state vectors: an operation comes behind those it looks at, and is
//! computed once for a state, if at all.

use quadrille_model::Value;

use super::circuit::Values;

/// Operations.
#[derive(Default)]
pub(crate) struct Code {
    ops: Vec<Op>,
    parts: Vec<Wire>,
}

/// Where the result of an operation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wire(u32);

#[derive(Clone, Copy)]
enum Op {
    Constant(bool),
    Test(u32, Values),
    And(u32, u32),
    Or(u32, u32),
}

/// The results for one state, as far as they are known.
#[derive(Default)]
pub(crate) struct Results {
    /// Twice the number of the state for which a result is known, and one more if it is true.
    known: Vec<u32>,
    now: u32,
}

impl Results {
    /// From now on another state is looked at.
    pub(crate) fn forget(&mut self) {
        self.now += 2;
        if self.now >= u32::MAX - 2 {
            self.known.fill(0);
            self.now = 2;
        }
    }
}

impl Code {
    pub(super) fn constant(&mut self, value: bool) -> Wire {
        self.add(Op::Constant(value))
    }

    pub(super) fn test(&mut self, slot: u32, values: Values) -> Wire {
        self.add(Op::Test(slot, values))
    }

    pub(super) fn gate(&mut self, is_and: bool, parts: &[Wire]) -> Wire {
        let start = self.parts.len() as u32;
        self.parts.extend_from_slice(parts);
        let end = self.parts.len() as u32;
        self.add(if is_and { Op::And(start, end) } else { Op::Or(start, end) })
    }

    fn add(&mut self, op: Op) -> Wire {
        self.ops.push(op);
        Wire(self.ops.len() as u32 - 1)
    }

    /// Whether a condition holds in the state that is looked at.
    pub(crate) fn holds(&self, wire: Wire, state: &[Value], results: &mut Results) -> bool {
        let place = wire.0 as usize;
        let (start, end, is_and) = match self.ops[place] {
            Op::Constant(value) => return value,
            Op::Test(slot, values) => return values >> state[slot as usize] & 1 == 1,
            Op::And(start, end) => (start, end, true),
            Op::Or(start, end) => (start, end, false),
        };
        if results.known.len() <= place {
            results.known.resize(self.ops.len(), 0);
        }
        let known = results.known[place];
        if known & !1 == results.now && results.now > 0 {
            return known & 1 == 1;
        }
        let parts = &self.parts[start as usize..end as usize];
        let found = match is_and {
            true => parts.iter().all(|part| self.holds(*part, state, results)),
            false => parts.iter().any(|part| self.holds(*part, state, results)),
        };
        results.known[place] = results.now | u32::from(found);
        found
    }
}
