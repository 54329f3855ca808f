//! From linear formulas to automata: a tableau in which a location is a set of obligations and an
//! edge a way to meet them in one step, with acceptance on edges (Couvreur, FM 1999). Operators that
//! look back become deterministic memory beside the obligations. Making the result small is
//! `reduce`'s business.

use quadrille_diagnostic::{Diagnostic, Span};
use std::fmt;

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Edge, Location, MAX_ATOMS, Marks, all_marks};
use crate::codes;
use crate::expand::{Expander, Memory, Step};
use crate::finite::FiniteAutomaton;
use crate::formula::{Formula, Kind, Objection, Path, Unary};
use crate::pool::{Node, Pool, Words};
use crate::reduce;

/// How large an automaton may get before reduction, and how much work may go into it.
#[derive(Clone, Copy)]
struct Budget {
    locations: usize,
    edges: usize,
    /// Comparisons of steps.
    comparisons: usize,
}

/// What a formula is given that is translated as a whole.
const FULL: Budget = Budget { locations: 10_000, edges: 200_000, comparisons: 20_000_000 };

/// What it is given where there is another way.
const QUICK: Budget = Budget { locations: 1_000, edges: 4_000, comparisons: 500_000 };

/// Most edges of an automaton with one set that is built only to see whether it is smaller.
const MAX_TRIED_EDGES: usize = 500;

/// Why a formula has no automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TranslationError {
    /// It is a formula of branching time.
    Branching,
    /// No checker accepts it.
    Objection(Objection),
    /// It has this many atoms, more than [`MAX_ATOMS`].
    TooManyAtoms(usize),
    /// It needs this many acceptance sets, more than 32.
    TooManySets(usize),
    /// The automaton would exceed the limits that keep the translation quick.
    TooLarge,
}

impl fmt::Display for TranslationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branching => f.write_str("a formula of branching time has no automaton"),
            Self::Objection(Objection::Mixed) => {
                f.write_str("linear and branching time in one formula")
            }
            Self::Objection(Objection::FutureUnderPast) => {
                f.write_str("an operator that looks forward below one that looks back")
            }
            Self::TooManyAtoms(n_atoms) => {
                write!(f, "{n_atoms} atoms in one formula; at most {MAX_ATOMS} are possible")
            }
            Self::TooManySets(n_sets) => {
                write!(f, "the formula asks for {n_sets} acceptance sets; at most 32 are possible")
            }
            Self::TooLarge => f.write_str("the automaton of the formula would be too large"),
        }
    }
}

impl std::error::Error for TranslationError {}

/// The automaton of a linear formula over infinite words. Bit `i` of a letter is atom `i`.
///
/// To search for a violation, translate the negation.
pub fn translate(formula: &Formula) -> Result<Automaton, TranslationError> {
    check(formula)?;
    translate_simplified(&formula.simplified(), FULL)
}

/// Like [`translate`], for callers that have another way where the automaton gets large: gives up
/// soon.
pub fn translate_quickly(formula: &Formula) -> Result<Automaton, TranslationError> {
    check(formula)?;
    translate_simplified(&formula.simplified(), QUICK)
}

/// A conjunction, part by part.
#[derive(Clone, Debug)]
pub struct Parts {
    /// A word satisfies it if all of these accept.
    pub automata: Vec<Automaton>,
    /// Those of the parts that are no responses; none where no part is one.
    pub others: Vec<Automaton>,
    /// The parts that are responses, at most 64.
    pub responses: Vec<Response>,
}

/// The formula `G (trigger -> F answer)` with operands that speak of one step.
#[derive(Clone, Debug)]
pub struct Response {
    /// What asks for an answer.
    pub trigger: Formula,
    /// What answers.
    pub answer: Formula,
}

impl Parts {
    /// The conjunction of these formulas.
    pub fn of(members: &[Formula]) -> Result<Self, TranslationError> {
        let mut parts = Parts { automata: Vec::new(), others: Vec::new(), responses: Vec::new() };
        for member in members {
            let member = member.simplified();
            let automaton = translate(&member)?;
            parts.automata.push(automaton.clone());
            match response(&member) {
                Some(response) if parts.responses.len() < 64 => parts.responses.push(response),
                _ => parts.others.push(automaton),
            }
        }
        match parts.automata.iter().map(|part| part.n_sets).sum::<u32>() {
            n_sets if n_sets > Marks::BITS => Err(TranslationError::TooManySets(n_sets as usize)),
            _ => Ok(parts),
        }
    }
}

impl From<Automaton> for Parts {
    fn from(automaton: Automaton) -> Self {
        Self { automata: vec![automaton], others: Vec::new(), responses: Vec::new() }
    }
}

/// Automata of a linear formula: it holds on a word that satisfies one of these.
///
/// Mostly one automaton. Where that would be large, as with assumptions of several parts
/// (`(G F a & G F b & …) -> G F c`, negated), the members of a conjunction are translated one by
/// one, and so are those of a disjunction.
pub fn translate_in_parts(formula: &Formula) -> Result<Vec<Parts>, TranslationError> {
    check(formula)?;
    let formula = formula.simplified();
    if let Ok(automaton) = translate_simplified(&formula, QUICK) {
        return Ok(vec![Parts::from(automaton)]);
    }
    let alternatives = disjuncts(&formula);
    if alternatives.len() > 1 {
        let parts = alternatives.iter().map(translate_in_parts);
        return Ok(parts.collect::<Result<Vec<_>, _>>()?.concat());
    }
    let members = conjuncts(&formula);
    if members.len() == 1 {
        return Ok(vec![Parts::from(translate_simplified(&formula, FULL)?)]);
    }
    Ok(vec![Parts::of(&members)?])
}

/// The response that a formula is, if it is one.
fn response(formula: &Formula) -> Option<Response> {
    let Formula::Unary(Path::This, Unary::Always, body) = formula else { return None };
    let members = match &**body {
        Formula::Or(all) => &all[..],
        other => std::slice::from_ref(other),
    };
    let (mut answers, mut excuses) = (Vec::new(), Vec::new());
    for member in members {
        match member {
            Formula::Unary(Path::This, Unary::Eventually, answer) if is_timeless(answer) => {
                answers.push((**answer).clone());
            }
            other if is_timeless(other) => excuses.push(other.clone()),
            _ => return None,
        }
    }
    let answer = Formula::or(answers);
    (answer != Formula::False).then(|| Response { trigger: !Formula::or(excuses), answer })
}

fn is_timeless(formula: &Formula) -> bool {
    !matches!(formula, Formula::Unary(..) | Formula::Binary(..))
        && formula.operands().into_iter().all(is_timeless)
}

/// Formulas that all hold where this one does.
fn conjuncts(formula: &Formula) -> Vec<Formula> {
    let always = |a: &Formula| Formula::unary(Unary::Always, a.clone());
    match formula {
        Formula::And(all) => all.iter().flat_map(conjuncts).collect(),
        Formula::Unary(Path::This, Unary::Always, a) => match &**a {
            Formula::And(all) => all.iter().flat_map(|a| conjuncts(&always(a))).collect(),
            _ => vec![formula.clone()],
        },
        _ => vec![formula.clone()],
    }
}

/// Formulas one of which holds where this one does.
fn disjuncts(formula: &Formula) -> Vec<Formula> {
    let eventually = |a: &Formula| Formula::unary(Unary::Eventually, a.clone());
    match formula {
        Formula::Or(all) => all.iter().flat_map(disjuncts).collect(),
        Formula::Unary(Path::This, Unary::Eventually, a) => match &**a {
            Formula::Or(all) => all.iter().flat_map(|a| disjuncts(&eventually(a))).collect(),
            _ => vec![formula.clone()],
        },
        _ => vec![formula.clone()],
    }
}

fn translate_simplified(formula: &Formula, budget: Budget) -> Result<Automaton, TranslationError> {
    let mut pool = Pool::new(Words::Infinite);
    let root = pool.add(formula, true);
    let tableau = Tableau::build(pool, root, false, budget)?;
    let mut automaton =
        Automaton { initial: vec![Location(0)], edges: tableau.edges, n_sets: tableau.n_sets };
    reduce::reduce(&mut automaton);
    let few = automaton.n_edges() * (automaton.n_sets as usize) < MAX_TRIED_EDGES;
    if automaton.n_sets > 1 && few {
        // One set is worth having where it costs nothing.
        let single = automaton.degeneralise();
        let size = |automaton: &Automaton| (automaton.n_locations(), automaton.n_edges());
        if size(&single) <= size(&automaton) {
            return Ok(single);
        }
    }
    Ok(automaton)
}

/// The automaton of a linear formula over finite words, with a strong next: `X a` is false in the
/// last step. The empty word has no step, so there atoms, `X`, `F`, `U` and `M` are false and
/// `G`, `W`, `R` are true.
///
/// To search for a violation, translate the negation and look for a run that ends where the system
/// may end while the automaton is in a final location.
pub fn translate_finite(formula: &Formula) -> Result<FiniteAutomaton, TranslationError> {
    check(formula)?;
    let mut pool = Pool::new(Words::Finite);
    let root = pool.add(formula, true);
    let tableau = Tableau::build(pool, root, formula.holds_on_word(&[]), FULL)?;
    let mut automaton = FiniteAutomaton {
        initial: vec![Location(0)],
        edges: tableau.edges,
        is_final: tableau.is_final,
    };
    reduce::reduce_finite(&mut automaton);
    Ok(automaton)
}

fn check(formula: &Formula) -> Result<(), TranslationError> {
    match formula.kind() {
        Ok(Kind::Linear) => {}
        Ok(Kind::Branching) => return Err(TranslationError::Branching),
        Err(objection) => return Err(TranslationError::Objection(objection)),
    }
    let n_atoms = formula.n_atoms();
    if n_atoms > MAX_ATOMS { Err(TranslationError::TooManyAtoms(n_atoms)) } else { Ok(()) }
}

/// What a run has still to do: obligations, what it remembers, and whether the word may end here.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Situation {
    obligations: Vec<Node>,
    memory: Memory,
    is_final: bool,
}

/// An edge before locations are numbered.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Move {
    step: Step,
    memory: Memory,
}

struct Tableau {
    edges: Vec<Vec<Edge>>,
    is_final: Vec<bool>,
    n_sets: u32,
}

impl Tableau {
    fn build(
        pool: Pool,
        root: Node,
        accepts_empty: bool,
        budget: Budget,
    ) -> Result<Self, TranslationError> {
        let words = pool.words;
        let (mut expander, root) = Expander::new(pool, root, budget.comparisons)?;
        let n_sets = expander.n_sets();
        let start = Situation { obligations: vec![root], memory: 0, is_final: accepts_empty };
        let mut locations = Locations::default();
        locations.of(&mut expander, &start)?;
        let mut tableau = Tableau { edges: Vec::new(), is_final: Vec::new(), n_sets };
        let mut n_edges = 0;
        while let Some((moves, is_final)) = locations.moves.get(tableau.edges.len()).cloned() {
            let mut edges = Vec::with_capacity(moves.len());
            for Move { mut step, memory } in moves {
                expander.absorb(&mut step.next);
                let situation = Situation {
                    obligations: step.next,
                    memory,
                    is_final: words == Words::Finite && !step.goes_on,
                };
                edges.push(Edge {
                    label: step.label,
                    marks: all_marks(n_sets) & !step.postponed,
                    to: locations.of(&mut expander, &situation)?,
                });
            }
            n_edges += edges.len();
            if n_edges > budget.edges || locations.moves.len() > budget.locations {
                return Err(TranslationError::TooLarge);
            }
            tableau.edges.push(edges);
            tableau.is_final.push(is_final);
        }
        Ok(tableau)
    }
}

/// Situations with the same moves are one location.
#[derive(Default)]
struct Locations {
    by_situation: FxHashMap<Situation, Location>,
    by_moves: FxHashMap<(Vec<Move>, bool), Location>,
    moves: Vec<(Vec<Move>, bool)>,
}

impl Locations {
    fn of(
        &mut self,
        expander: &mut Expander,
        situation: &Situation,
    ) -> Result<Location, TranslationError> {
        if let Some(&known) = self.by_situation.get(situation) {
            return Ok(known);
        }
        let mut moves = Vec::new();
        for step in expander.steps(&situation.obligations, situation.memory)? {
            for (label, memory) in expander.remember(step.label, &step.next, situation.memory)? {
                moves.push(Move { step: Step { label, ..step.clone() }, memory });
            }
        }
        moves.sort_unstable();
        moves.dedup();
        let new =
            Location(u32::try_from(self.moves.len()).map_err(|_| TranslationError::TooLarge)?);
        let key = (moves, situation.is_final);
        let location = *self.by_moves.entry(key.clone()).or_insert(new);
        if location == new {
            self.moves.push(key);
        }
        self.by_situation.insert(situation.clone(), location);
        Ok(location)
    }
}

impl TranslationError {
    /// What to tell the user who wrote the formula at a place.
    pub fn diagnostic(self, span: Span) -> Diagnostic {
        let split = "check the parts of a conjunction one by one";
        let (code, place, help) = match self {
            Self::Branching => (
                &codes::MIXED_TIME,
                "checked on states, not on runs",
                "write `G` for `AG`, `F` for `AF` and so on where each run is meant",
            ),
            Self::Objection(Objection::Mixed) => (
                &codes::MIXED_TIME,
                "has operators of both",
                "put `A` or `E` before every temporal operator or before none",
            ),
            Self::Objection(Objection::FutureUnderPast) => (
                &codes::FUTURE_UNDER_PAST,
                "has such an operator",
                "move the part that looks forward out of it, or check two formulas",
            ),
            Self::TooManyAtoms(_) => (&codes::TOO_MANY_ATOMS, "too many different atoms", split),
            Self::TooManySets(_) => {
                (&codes::AUTOMATON_TOO_LARGE, "too many operators like `F` and `U`", split)
            }
            Self::TooLarge => (&codes::AUTOMATON_TOO_LARGE, "too many alternatives", split),
        };
        Diagnostic::error(code, self.to_string()).at(span, place).help(help)
    }
}
