//! Conditions on states as circuits: tests of single slots, put together by `and` and `or`. Equal
//! conditions are equal numbers where that is easy to see: gates are flat, sorted and shared, tests
//! of one slot are merged into one. There is no gate for `not`: the negation of a test is a test.
//!
//! Knows slots by number and how many values they have; knows no relation and no event.

use std::collections::BTreeSet;

use quadrille_model::Value;
use rustc_hash::FxHashMap;

use super::code::{Code, Wire};

/// A condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Bit(u32);

/// Holds nowhere.
pub(crate) const FALSE: Bit = Bit(0);
/// Holds everywhere.
pub(crate) const TRUE: Bit = Bit(1);

/// A set of values of a slot, which has at most 128.
pub(crate) type Values = u128;

/// The members of a set of values.
pub(crate) fn values(mut set: Values) -> impl Iterator<Item = Value> {
    std::iter::from_fn(move || {
        let value = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(value)
    })
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Gate {
    Constant(bool),
    /// The value of the slot is one of these.
    Test(u32, Values),
    And(Box<[Bit]>),
    Or(Box<[Bit]>),
}

/// Gates that are built; a gate comes behind those it looks at.
pub(crate) struct Circuit {
    gates: Vec<Gate>,
    numbers: FxHashMap<Gate, Bit>,
    negations: FxHashMap<Bit, Bit>,
    /// Per slot, all its values.
    all: Vec<Values>,
}

impl Circuit {
    /// No gates over slots that have these values.
    pub(crate) fn new(all: Vec<Values>) -> Self {
        let mut circuit = Self {
            gates: Vec::new(),
            numbers: FxHashMap::default(),
            negations: FxHashMap::default(),
            all,
        };
        circuit.gate(Gate::Constant(false));
        circuit.gate(Gate::Constant(true));
        circuit.negations.extend([(FALSE, TRUE), (TRUE, FALSE)]);
        circuit
    }

    /// Per slot, all its values.
    pub(crate) fn all(&self) -> &[Values] {
        &self.all
    }

    /// How many gates there are.
    pub(crate) fn len(&self) -> usize {
        self.gates.len()
    }

    fn gate(&mut self, gate: Gate) -> Bit {
        if let Some(known) = self.numbers.get(&gate) {
            return *known;
        }
        let number = Bit(self.gates.len() as u32);
        self.gates.push(gate.clone());
        self.numbers.insert(gate, number);
        number
    }

    /// The slot has one of these values.
    pub(crate) fn test(&mut self, slot: usize, values: Values) -> Bit {
        match values & self.all[slot] {
            0 => FALSE,
            values if values == self.all[slot] => TRUE,
            values => self.gate(Gate::Test(slot as u32, values)),
        }
    }

    /// All of them.
    pub(crate) fn and(&mut self, parts: impl IntoIterator<Item = Bit>) -> Bit {
        self.join(parts, true)
    }

    /// One of them.
    pub(crate) fn or(&mut self, parts: impl IntoIterator<Item = Bit>) -> Bit {
        self.join(parts, false)
    }

    fn join(&mut self, parts: impl IntoIterator<Item = Bit>, is_and: bool) -> Bit {
        let (end, neutral) = if is_and { (FALSE, TRUE) } else { (TRUE, FALSE) };
        let mut todo: Vec<Bit> = parts.into_iter().collect();
        let mut tests: Vec<(u32, Values)> = Vec::new();
        let mut rest: Vec<Bit> = Vec::new();
        while let Some(bit) = todo.pop() {
            match &self.gates[bit.0 as usize] {
                Gate::Constant(_) if bit == end => return end,
                Gate::Constant(_) => {}
                Gate::Test(slot, values) => match tests.iter_mut().find(|(of, _)| of == slot) {
                    Some((_, known)) if is_and => *known &= values,
                    Some((_, known)) => *known |= values,
                    None => tests.push((*slot, *values)),
                },
                Gate::And(inner) if is_and => todo.extend(inner),
                Gate::Or(inner) if !is_and => todo.extend(inner),
                Gate::And(_) | Gate::Or(_) => rest.push(bit),
            }
        }
        for (slot, values) in tests {
            let test = self.test(slot as usize, values);
            if test == end {
                return end;
            }
            rest.push(test);
        }
        rest.sort_unstable();
        rest.dedup();
        let has = |bit: &Bit| rest.binary_search(bit).is_ok();
        if rest.iter().any(|bit| self.negations.get(bit).is_some_and(has)) {
            return end;
        }
        // `a and (a or b)` is `a`.
        let is_absorbed = |bit: &Bit| match &self.gates[bit.0 as usize] {
            Gate::And(inner) | Gate::Or(inner) => inner.iter().any(has),
            _ => false,
        };
        let rest: Vec<Bit> = rest.iter().copied().filter(|bit| !is_absorbed(bit)).collect();
        match rest.as_slice() {
            [] => neutral,
            [one] => *one,
            _ if is_and => self.gate(Gate::And(rest.into())),
            _ => self.gate(Gate::Or(rest.into())),
        }
    }

    /// The other way round.
    pub(crate) fn not(&mut self, bit: Bit) -> Bit {
        if let Some(known) = self.negations.get(&bit) {
            return *known;
        }
        let negated = match self.gates[bit.0 as usize].clone() {
            Gate::Constant(value) => {
                if value {
                    FALSE
                } else {
                    TRUE
                }
            }
            Gate::Test(slot, values) => {
                let all = self.all[slot as usize];
                self.test(slot as usize, all & !values)
            }
            Gate::And(parts) => {
                let parts: Vec<Bit> = parts.iter().map(|part| self.not(*part)).collect();
                self.or(parts)
            }
            Gate::Or(parts) => {
                let parts: Vec<Bit> = parts.iter().map(|part| self.not(*part)).collect();
                self.and(parts)
            }
        };
        self.negations.insert(bit, negated);
        self.negations.insert(negated, bit);
        negated
    }

    /// The second where the first holds, else the third.
    pub(crate) fn choose(&mut self, condition: Bit, then: Bit, otherwise: Bit) -> Bit {
        if then == otherwise {
            return then;
        }
        let not = self.not(condition);
        let (then, otherwise) = (self.and([condition, then]), self.and([not, otherwise]));
        self.or([then, otherwise])
    }

    /// Both or neither.
    pub(crate) fn same(&mut self, one: Bit, other: Bit) -> Bit {
        let not = self.not(other);
        self.choose(one, other, not)
    }

    /// A condition where every slot is known to have one of some values: equal to it there, and
    /// simpler.
    pub(crate) fn under(
        &mut self,
        bit: Bit,
        known: &[Values],
        memo: &mut FxHashMap<Bit, Bit>,
    ) -> Bit {
        if let Some(found) = memo.get(&bit) {
            return *found;
        }
        let found = match &self.gates[bit.0 as usize] {
            Gate::Constant(_) => bit,
            Gate::Test(slot, values) => {
                let slot = *slot as usize;
                match values & known[slot] {
                    0 => FALSE,
                    left if left == known[slot] => TRUE,
                    left => self.test(slot, left),
                }
            }
            Gate::And(parts) => {
                let parts = parts.clone();
                let parts: Vec<Bit> = parts.iter().map(|it| self.under(*it, known, memo)).collect();
                self.and(parts)
            }
            Gate::Or(parts) => {
                let parts = parts.clone();
                let parts: Vec<Bit> = parts.iter().map(|it| self.under(*it, known, memo)).collect();
                self.or(parts)
            }
        };
        memo.insert(bit, found);
        found
    }

    /// The conjuncts of a condition.
    pub(crate) fn conjuncts(&self, bit: Bit) -> Vec<Bit> {
        match &self.gates[bit.0 as usize] {
            Gate::Constant(true) => Vec::new(),
            Gate::And(parts) => parts.to_vec(),
            _ => vec![bit],
        }
    }

    /// The slot and the values of a test.
    pub(crate) fn as_test(&self, bit: Bit) -> Option<(usize, Values)> {
        match &self.gates[bit.0 as usize] {
            Gate::Test(slot, values) => Some((*slot as usize, *values)),
            _ => None,
        }
    }

    /// The slots that conditions depend on.
    pub(crate) fn support(&self, bits: impl IntoIterator<Item = Bit>) -> BTreeSet<usize> {
        let mut slots = BTreeSet::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut todo: Vec<Bit> = bits.into_iter().collect();
        while let Some(bit) = todo.pop() {
            if !seen.insert(bit) {
                continue;
            }
            match &self.gates[bit.0 as usize] {
                Gate::Constant(_) => {}
                Gate::Test(slot, _) => {
                    slots.insert(*slot as usize);
                }
                Gate::And(parts) | Gate::Or(parts) => todo.extend(parts),
            }
        }
        slots
    }

    /// A condition as a tree, if that has at most so many leaves.
    pub(crate) fn condition(
        &self,
        bit: Bit,
        room: &mut usize,
    ) -> Option<quadrille_model::Condition> {
        use quadrille_model::{Condition, Guard, SlotId};
        *room = room.checked_sub(1)?;
        let mut all = |parts: &[Bit]| -> Option<Vec<Condition>> {
            parts.iter().map(|part| self.condition(*part, room)).collect()
        };
        Some(match &self.gates[bit.0 as usize] {
            Gate::Constant(true) => Condition::All(Vec::new()),
            Gate::Constant(false) => Condition::Any(Vec::new()),
            Gate::Test(slot, set) => {
                let slot = SlotId::from_usize(*slot as usize);
                Condition::Guard(Guard::In(slot, values(*set).collect()))
            }
            Gate::And(parts) => Condition::All(all(parts)?),
            Gate::Or(parts) => Condition::Any(all(parts)?),
        })
    }

    /// The gates that some conditions need, ready to be evaluated, and where their results are.
    pub(crate) fn code(&self, wanted: &[Bit]) -> (Code, Vec<Wire>) {
        let mut needed = vec![false; self.gates.len()];
        wanted.iter().for_each(|bit| needed[bit.0 as usize] = true);
        for number in (0..self.gates.len()).rev() {
            if let (true, Gate::And(parts) | Gate::Or(parts)) =
                (needed[number], &self.gates[number])
            {
                parts.iter().for_each(|part| needed[part.0 as usize] = true);
            }
        }
        let mut code = Code::default();
        let mut wires = vec![None; self.gates.len()];
        for (number, gate) in self.gates.iter().enumerate().filter(|(number, _)| needed[*number]) {
            let inner = |parts: &[Bit]| -> Vec<Wire> {
                parts.iter().filter_map(|part| wires[part.0 as usize]).collect()
            };
            wires[number] = Some(match gate {
                Gate::Constant(value) => code.constant(*value),
                Gate::Test(slot, values) => code.test(*slot, *values),
                Gate::And(parts) => code.gate(true, &inner(parts)),
                Gate::Or(parts) => code.gate(false, &inner(parts)),
            });
        }
        let wires = wanted.iter().filter_map(|bit| wires[bit.0 as usize]).collect();
        (code, wires)
    }
}
