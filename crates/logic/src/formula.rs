//! The formula tree: linear and branching time, future and past, over numbered atoms; and which
//! formulas the checkers accept. What an atom means is the front end's business.

use std::ops::Not;

use quadrille_diagnostic::Span;
use rustc_hash::FxHashMap;

/// An atom of a formula: a position in the [`Atoms`] beside it, and a bit of a
/// [`Letter`](crate::Letter).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(u32);

impl AtomId {
    /// The atom at a position; tables longer than `u32::MAX` are a bug.
    pub const fn from_usize(position: usize) -> Self {
        assert!(position <= u32::MAX as usize, "more atoms than 32 bits can number");
        Self(position as u32)
    }

    /// The position in the table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The atoms of one or several formulas, without repetition.
#[derive(Clone, Debug)]
pub struct Atoms<A> {
    entries: Vec<(A, Option<Span>)>,
    index: FxHashMap<A, AtomId>,
}

impl<A> Default for Atoms<A> {
    fn default() -> Self {
        Self { entries: Vec::new(), index: FxHashMap::default() }
    }
}

impl<A: Clone + Eq + std::hash::Hash> Atoms<A> {
    /// The number of an atom, new or known; `span` is kept where the atom is new.
    pub fn intern(&mut self, atom: A, span: Option<Span>) -> AtomId {
        if let Some(&known) = self.index.get(&atom) {
            return known;
        }
        let id = AtomId::from_usize(self.entries.len());
        self.entries.push((atom.clone(), span));
        self.index.insert(atom, id);
        id
    }
}

impl<A> Atoms<A> {
    /// The atom with a number.
    pub fn get(&self, atom: AtomId) -> &A {
        &self.entries[atom.index()].0
    }

    /// Where the atom was first written, if a user wrote it.
    pub fn span(&self, atom: AtomId) -> Option<Span> {
        self.entries[atom.index()].1
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = (AtomId, &A)> {
        self.entries.iter().enumerate().map(|(at, (atom, _))| (AtomId::from_usize(at), atom))
    }
}

/// Which runs a temporal operator speaks about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Path {
    /// The run the formula is evaluated on: linear time.
    This,
    /// Every run through the present state: `A` of branching time.
    All,
    /// Some run through the present state: `E` of branching time.
    Some,
}

/// Temporal operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unary {
    /// `X`: in the next step, which exists.
    Next,
    /// `F`: now or later.
    Eventually,
    /// `G`: now and always later.
    Always,
    /// `Y`: in the previous step, which exists.
    Previous,
    /// `O` (`P` in branching time): now or earlier.
    Once,
    /// `H`: now and always earlier.
    Historically,
}

/// Temporal operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Binary {
    /// `a U b`: `b` comes, and until then `a`.
    Until,
    /// `a W b`: `a` until `b`, or `a` for ever.
    WeakUntil,
    /// `a R b`: `b` up to and including the first `a`, or for ever.
    Release,
    /// `a M b`: `b` up to and including the first `a`, which comes.
    StrongRelease,
    /// `a S b`: `b` was, and since then `a`.
    Since,
}

impl Unary {
    /// Whether the operator looks back.
    pub const fn is_past(self) -> bool {
        matches!(self, Unary::Previous | Unary::Once | Unary::Historically)
    }
}

impl Binary {
    /// Whether the operator looks back.
    pub const fn is_past(self) -> bool {
        matches!(self, Binary::Since)
    }
}

/// A temporal formula. Build conjunctions and disjunctions with [`Formula::and`] and
/// [`Formula::or`], which keep them flat.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formula {
    /// Holds everywhere.
    True,
    /// Holds nowhere.
    False,
    /// Holds where the front end says.
    Atom(AtomId),
    /// Negation.
    Not(Box<Formula>),
    /// Conjunction of two or more, none of them a conjunction.
    And(Vec<Formula>),
    /// Disjunction of two or more, none of them a disjunction.
    Or(Vec<Formula>),
    /// Implication.
    Implies(Box<Formula>, Box<Formula>),
    /// Equivalence.
    Iff(Box<Formula>, Box<Formula>),
    /// A temporal operator with one operand.
    Unary(Path, Unary, Box<Formula>),
    /// A temporal operator with two operands.
    Binary(Path, Binary, Box<Formula>, Box<Formula>),
}

/// What kind of checking a formula asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Linear time: checked on each run. Formulas without temporal operators count here.
    Linear,
    /// Branching time: checked on states.
    Branching,
}

/// Why no checker accepts a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Objection {
    /// Operators of linear and of branching time in one formula (CTL*).
    Mixed,
    /// A linear operator that looks forward below one that looks back.
    FutureUnderPast,
}

impl Formula {
    /// An atom.
    pub const fn atom(atom: AtomId) -> Self {
        Formula::Atom(atom)
    }

    /// The conjunction of all; of none: true.
    pub fn and(operands: impl IntoIterator<Item = Formula>) -> Self {
        let mut flat = Vec::new();
        for operand in operands {
            match operand {
                Formula::And(inner) if flat.is_empty() => flat = inner,
                Formula::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() < 2 { flat.pop().unwrap_or(Formula::True) } else { Formula::And(flat) }
    }

    /// The disjunction of all; of none: false.
    pub fn or(operands: impl IntoIterator<Item = Formula>) -> Self {
        let mut flat = Vec::new();
        for operand in operands {
            match operand {
                Formula::Or(inner) if flat.is_empty() => flat = inner,
                Formula::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() < 2 { flat.pop().unwrap_or(Formula::False) } else { Formula::Or(flat) }
    }

    /// Implication.
    pub fn implies(self, other: Formula) -> Self {
        Formula::Implies(Box::new(self), Box::new(other))
    }

    /// Equivalence.
    pub fn iff(self, other: Formula) -> Self {
        Formula::Iff(Box::new(self), Box::new(other))
    }

    /// A linear operator with one operand.
    pub fn unary(operator: Unary, operand: Formula) -> Self {
        Formula::Unary(Path::This, operator, Box::new(operand))
    }

    /// A linear operator with two operands.
    pub fn binary(operator: Binary, left: Formula, right: Formula) -> Self {
        Formula::Binary(Path::This, operator, Box::new(left), Box::new(right))
    }

    /// The direct subformulas.
    pub fn operands(&self) -> Vec<&Formula> {
        match self {
            Formula::True | Formula::False | Formula::Atom(_) => Vec::new(),
            Formula::Not(a) | Formula::Unary(_, _, a) => vec![a],
            Formula::And(all) | Formula::Or(all) => all.iter().collect(),
            Formula::Implies(a, b) | Formula::Iff(a, b) | Formula::Binary(_, _, a, b) => {
                vec![a, b]
            }
        }
    }

    /// Number of operators and atoms.
    pub fn size(&self) -> usize {
        1 + self.operands().into_iter().map(Formula::size).sum::<usize>()
    }

    /// Which checker the formula is for, or why there is none.
    pub fn kind(&self) -> Result<Kind, Objection> {
        self.contents()?.kind()
    }

    /// The atom with the highest number, plus one.
    pub fn n_atoms(&self) -> usize {
        match self {
            Formula::Atom(atom) => atom.index() + 1,
            _ => self.operands().into_iter().map(Formula::n_atoms).max().unwrap_or(0),
        }
    }

    /// Whether it is a safety formula by its syntax (Sistla 1994): in negation normal form, nothing
    /// has to come. Where it fails, a finite prefix of the run shows it.
    pub fn is_safety(&self) -> bool {
        self.is_safe(true)
    }

    fn is_safe(&self, positive: bool) -> bool {
        let all = |operands: Vec<&Formula>| operands.into_iter().all(|a| a.is_safe(positive));
        match self {
            Formula::Not(a) => a.is_safe(!positive),
            Formula::Implies(a, b) => a.is_safe(!positive) && b.is_safe(positive),
            Formula::Iff(a, b) => [a, b].into_iter().all(|a| a.is_safe(true) && a.is_safe(false)),
            Formula::Unary(Path::All | Path::Some, ..)
            | Formula::Binary(Path::All | Path::Some, ..) => false,
            Formula::And(_) | Formula::Or(_) | Formula::Unary(_, Unary::Next, _) => {
                all(self.operands())
            }
            Formula::Unary(_, Unary::Always, _)
            | Formula::Binary(_, Binary::WeakUntil | Binary::Release, ..) => {
                positive && all(self.operands())
            }
            Formula::Unary(_, Unary::Eventually, _)
            | Formula::Binary(_, Binary::Until | Binary::StrongRelease, ..) => {
                !positive && all(self.operands())
            }
            // Below operators that look back, nothing looks forward.
            Formula::True
            | Formula::False
            | Formula::Atom(_)
            | Formula::Unary(..)
            | Formula::Binary(..) => true,
        }
    }

    fn contents(&self) -> Result<Contents, Objection> {
        let mut contents = Contents::default();
        for operand in self.operands() {
            contents = contents.with(operand.contents()?);
        }
        match self {
            Formula::Unary(path, operator, _) => contents.under(*path, operator.is_past()),
            Formula::Binary(path, operator, _, _) => contents.under(*path, operator.is_past()),
            _ => Ok(contents),
        }
    }
}

impl Not for Formula {
    type Output = Formula;

    fn not(self) -> Formula {
        Formula::Not(Box::new(self))
    }
}

/// Which sorts of temporal operators occur in a formula.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Contents {
    linear: bool,
    linear_future: bool,
    branching: bool,
}

impl Contents {
    /// What occurs in either.
    pub(crate) fn with(self, other: Contents) -> Contents {
        Contents {
            linear: self.linear || other.linear,
            linear_future: self.linear_future || other.linear_future,
            branching: self.branching || other.branching,
        }
    }

    /// What occurs once an operator stands above.
    pub(crate) fn under(self, path: Path, is_past: bool) -> Result<Contents, Objection> {
        if path != Path::This {
            return Ok(Contents { branching: true, ..self });
        }
        if is_past && self.linear_future {
            return Err(Objection::FutureUnderPast);
        }
        Ok(Contents { linear: true, linear_future: self.linear_future || !is_past, ..self })
    }

    /// Whether there is no temporal operator.
    pub(crate) fn is_timeless(self) -> bool {
        !self.linear && !self.branching
    }

    /// Which checker is right for this mixture.
    pub(crate) fn kind(self) -> Result<Kind, Objection> {
        match (self.linear, self.branching) {
            (true, true) => Err(Objection::Mixed),
            (false, true) => Ok(Kind::Branching),
            (_, false) => Ok(Kind::Linear),
        }
    }
}

#[cfg(test)]
mod tests;
