//! What terms do: their steps and whether they may end. Calls are unfolded here and nowhere else.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use quadrille_diagnostic::{Diagnostic, Span};

use super::action::ActId;
use super::content::{Reader, Writer};
use super::data::{ExprId, Operator, UpdateId};
use super::term::{DefinitionId, Identity, Term, TermId, Terms, Word};

/// The named, parameterised processes of a protocol, as its language knows them.
pub trait Definitions: Send + Sync {
    /// The body of a definition for these arguments, as a closed term. Pure: the same arguments give
    /// the same term.
    fn unfold(
        &self,
        terms: &Terms,
        definition: DefinitionId,
        arguments: &[Word],
    ) -> Result<TermId, Box<Diagnostic>>;

    /// Adds an argument as bytes that are the same in every process: what the word stands for,
    /// where that is something else than its number.
    fn write_word(&self, word: Word, out: &mut Writer) {
        out.number(u64::from(word));
    }

    /// The argument that was written as these bytes; `None` if they are none.
    fn read_word(&self, bytes: &[u8]) -> Option<Word> {
        Word::try_from(Reader::new(bytes).number()?).ok()
    }

    /// How a call is shown, and where its definition stands.
    fn named(&self, definition: DefinitionId, arguments: &[Word]) -> Named;

    /// Whether bodies name states of roles, in terms that ask for it ([`Terms::names_states`]).
    fn name_states(&self) -> bool {
        false
    }

    /// The outermost statements of a definition, and of those it calls, in which nothing happens, if
    /// these are all places where something does; in the order of the text.
    fn idle(&self, definition: DefinitionId, happened: &BTreeSet<Span>) -> Vec<Span> {
        let _ = (definition, happened);
        Vec::new()
    }
}

/// A definition as people know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// Its name with the arguments, such as `ring(4, 0)`.
    pub text: String,
    /// Where it is defined.
    pub span: Span,
}

/// A step of a term: where `guard` holds, `act` happens, `update` is carried out, and the term
/// goes on as `to`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// When it is possible.
    pub guard: ExprId,
    /// What happens.
    pub act: ActId,
    /// What is assigned.
    pub update: UpdateId,
    /// What comes after.
    pub to: TermId,
}

/// What can go wrong while unfolding.
pub(crate) enum Trouble {
    /// The language could not give a body.
    Body(Box<Diagnostic>),
    /// So many calls were unfolded within each other that no action is in sight.
    Unguarded(TermId),
    /// Terms are nested too deeply.
    Deep,
}

/// Most calls that may be unfolded within each other before an action shows up.
const MAX_UNFOLDINGS: usize = 1_000;

/// Most calls that may be unfolded to find the steps of one term.
const MAX_TOTAL_UNFOLDINGS: usize = 100_000;

/// Deepest nesting of terms that a step is looked for in.
const MAX_DEPTH: usize = 4_000;

/// Looks for the steps and ends of terms.
pub(crate) struct Walk<'a> {
    terms: &'a Terms,
    definitions: &'a dyn Definitions,
    /// Calls whose steps are being looked for, outermost first.
    moving: Vec<TermId>,
    /// Whether a call was met again inside itself since the mark was reset. What was found around
    /// it depends on where the walk began, so it is not kept.
    recursive: bool,
    /// Calls that were met inside themselves, each once.
    pub(crate) empty: Vec<TermId>,
    /// Calls whose end is being looked for, outermost first.
    ending: Vec<TermId>,
    /// The outermost call of `ending` that was met again since the mark was reset: what was found
    /// below it took that call not to end, and is kept only once this is known for good.
    assumed: usize,
    /// Whether to keep the steps of terms in which a parallel composition acts first.
    keep_wide: bool,
    depth: usize,
    n_unfoldings: usize,
    /// What went wrong: what was found is not everything there is, and is not kept.
    pub(crate) troubles: Vec<Trouble>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(terms: &'a Terms, definitions: &'a dyn Definitions) -> Self {
        Self {
            terms,
            definitions,
            moving: Vec::new(),
            recursive: false,
            empty: Vec::new(),
            ending: Vec::new(),
            assumed: usize::MAX,
            keep_wide: false,
            depth: 0,
            n_unfoldings: 0,
            troubles: Vec::new(),
        }
    }

    /// Appends the steps of a term; no step twice.
    pub(crate) fn edges(&mut self, term: TermId, out: &mut Vec<Edge>) {
        if let Some(known) = self.terms.known_edges(term) {
            out.extend_from_slice(known);
            return;
        }
        if !self.enter() {
            return;
        }
        let outer = std::mem::replace(&mut self.recursive, false);
        let start = out.len();
        match self.terms.term(term) {
            Term::Stop | Term::Skip => {}
            Term::Act(act, update) => {
                out.push(Edge { guard: ExprId::TRUE, act, update, to: TermId::SKIP });
            }
            Term::Seq(first, then) => self.seq_edges(first, then, out),
            Term::Choice(parts) => parts.iter().for_each(|&part| self.edges(part, out)),
            Term::Par(left, right) => self.par_edges(term, left, right, out),
            Term::Nested(inner) => self.edges(inner, out),
            Term::Guard(condition, inner) => {
                self.edges(inner, out);
                self.restrict(condition, &mut out[start..]);
            }
            Term::Repeat { body, .. } => {
                self.edges(body, out);
                self.terms.seq_steps(&mut out[start..], term);
            }
            Term::Call(definition, arguments) => {
                if self.moving.contains(&term) {
                    self.recursive = true;
                    if !self.empty.contains(&term) {
                        self.empty.push(term);
                    }
                } else if let Some(body) = self.unfold(term, definition, arguments) {
                    self.moving.push(term);
                    self.edges(body, out);
                    self.moving.pop();
                }
            }
        }
        if !matches!(self.terms.term(term), Term::Par(..) | Term::Act(..)) {
            deduplicate(out, start);
        }
        let is_certain = self.troubles.is_empty() && !self.recursive;
        if is_certain && (self.keep_wide || !self.terms.is_wide(term)) {
            self.terms.learn_edges(term, &out[start..]);
        }
        self.recursive |= outer;
        self.depth -= 1;
    }

    /// When a term may end: the least solution of the rules, so a call that is met inside itself
    /// is taken not to end.
    pub(crate) fn ends(&mut self, term: TermId) -> ExprId {
        if let Some(known) = self.terms.known_end(term) {
            return known;
        }
        if !self.enter() {
            return ExprId::FALSE;
        }
        let outer = std::mem::replace(&mut self.assumed, usize::MAX);
        let ends = match self.terms.term(term) {
            Term::Stop | Term::Act(..) | Term::Repeat { may_end: false, .. } => ExprId::FALSE,
            Term::Skip | Term::Repeat { may_end: true, .. } => ExprId::TRUE,
            Term::Seq(first, then) => self.seq_ends(first, then),
            Term::Choice(parts) => parts.iter().fold(ExprId::FALSE, |any, &part| {
                if any == ExprId::TRUE { any } else { self.either(any, part) }
            }),
            Term::Par(left, right) => self.seq_ends(left, right),
            Term::Nested(inner) => self.ends(inner),
            Term::Guard(condition, inner) => self.both(condition, inner),
            Term::Call(definition, arguments) => self.call_ends(term, definition, arguments),
        };
        let settled = self.assumed >= self.ending.len() || ends == ExprId::TRUE;
        if settled {
            if self.troubles.is_empty() {
                self.terms.learn_end(term, ends);
            }
            self.assumed = outer;
        } else {
            self.assumed = self.assumed.min(outer);
        }
        self.depth -= 1;
        ends
    }

    fn call_ends(&mut self, call: TermId, definition: DefinitionId, arguments: &[Word]) -> ExprId {
        if let Some(position) = self.ending.iter().position(|&open| open == call) {
            self.assumed = self.assumed.min(position);
            return ExprId::FALSE;
        }
        let Some(body) = self.unfold(call, definition, arguments) else { return ExprId::FALSE };
        self.ending.push(call);
        let ends = self.ends(body);
        self.ending.pop();
        ends
    }

    /// `P·Q`; long sequences of parts that may all end are walked, not recursed into.
    fn seq_edges(&mut self, first: TermId, then: TermId, out: &mut Vec<Edge>) {
        let (mut first, mut then) = (first, then);
        let mut condition = ExprId::TRUE;
        loop {
            let start = out.len();
            self.edges(first, out);
            self.terms.seq_steps(&mut out[start..], then);
            self.restrict(condition, &mut out[start..]);
            condition = self.both(condition, first);
            if condition == ExprId::FALSE {
                return;
            }
            match self.terms.term(then) {
                Term::Seq(next, rest) if self.terms.known_edges(then).is_none() => {
                    (first, then) = (next, rest);
                }
                _ => break,
            }
        }
        let start = out.len();
        self.edges(then, out);
        self.restrict(condition, &mut out[start..]);
    }

    fn seq_ends(&mut self, first: TermId, then: TermId) -> ExprId {
        let (mut condition, mut then) = (self.ends(first), then);
        while condition != ExprId::FALSE {
            match self.terms.term(then) {
                Term::Seq(next, rest) if self.terms.known_end(then).is_none() => {
                    condition = self.both(condition, next);
                    then = rest;
                }
                _ => return self.both(condition, then),
            }
        }
        condition
    }

    /// `P|Q`: one moves, the other stays. With [`Identity::Written`], parts that have ended for
    /// good are dropped first.
    fn par_edges(&mut self, term: TermId, left: TermId, right: TermId, out: &mut Vec<Edge>) {
        if self.terms.identity() == Identity::Written && self.has_ended_part(term) {
            let mut parts = self.terms.parts(term);
            parts.retain(|&part| !self.has_ended_part(part));
            let rest = match (self.terms.balance(&parts), &parts[..]) {
                (only, [_]) => self.terms.unnested(only),
                (rest, _) => rest,
            };
            return self.edges(rest, out);
        }
        let start = out.len();
        self.part_edges(left, out);
        let middle = out.len();
        self.part_edges(right, out);
        // Two parts that are alike leave the same behind when either is over.
        let alike = out[start..].iter().filter(|edge| edge.to == TermId::SKIP).count() > 1;
        self.terms.par_steps(&mut out[start..middle], right, true);
        self.terms.par_steps(&mut out[middle..], left, false);
        if alike {
            deduplicate(out, start);
        }
    }

    /// The steps of one side of a parallel composition; they are kept, since the side will be met
    /// again beside many others.
    fn part_edges(&mut self, part: TermId, out: &mut Vec<Edge>) {
        let start = out.len();
        let kept = std::mem::replace(&mut self.keep_wide, true);
        self.edges(part, out);
        self.keep_wide = kept;
        if !matches!(self.terms.term(part), Term::Par(..)) {
            for edge in &mut out[start..] {
                edge.to = self.terms.nested(edge.to);
            }
        }
    }

    /// Whether some part has ended and can do nothing more.
    fn has_ended_part(&mut self, term: TermId) -> bool {
        match self.terms.term(term) {
            Term::Skip => true,
            Term::Par(left, right) => match self.terms.known_ended_part(term) {
                Some(known) => known,
                None => {
                    let found = self.has_ended_part(left) || self.has_ended_part(right);
                    if !self.recursive {
                        self.terms.learn_ended_part(term, found);
                    }
                    found
                }
            },
            _ => {
                self.ends(term) == ExprId::TRUE && {
                    let mut edges = Vec::new();
                    self.part_edges(term, &mut edges);
                    edges.is_empty()
                }
            }
        }
    }

    fn restrict(&self, condition: ExprId, edges: &mut [Edge]) {
        if condition != ExprId::TRUE {
            for edge in edges {
                edge.guard = self.terms.binary(Operator::And, condition, edge.guard);
            }
        }
    }

    fn both(&mut self, condition: ExprId, term: TermId) -> ExprId {
        let ends = self.ends(term);
        self.terms.binary(Operator::And, condition, ends)
    }

    fn either(&mut self, condition: ExprId, term: TermId) -> ExprId {
        let ends = self.ends(term);
        self.terms.binary(Operator::Or, condition, ends)
    }

    /// Starts on a term, unless it is too deep.
    fn enter(&mut self) -> bool {
        let fits = self.depth < MAX_DEPTH;
        if fits {
            self.depth += 1;
        } else {
            self.troubles.push(Trouble::Deep);
        }
        fits
    }

    /// The body of a call; `None` where it cannot be found.
    fn unfold(
        &mut self,
        call: TermId,
        definition: DefinitionId,
        arguments: &[Word],
    ) -> Option<TermId> {
        self.n_unfoldings += 1;
        let n_open = self.moving.len() + self.ending.len();
        if n_open >= MAX_UNFOLDINGS || self.n_unfoldings > MAX_TOTAL_UNFOLDINGS {
            self.troubles.push(Trouble::Unguarded(call));
            return None;
        }
        let body =
            self.terms.body(call, || self.definitions.unfold(self.terms, definition, arguments));
        body.map_err(|diagnostic| self.troubles.push(Trouble::Body(diagnostic))).ok()
    }
}

/// Removes steps that occurred before, from `start` on.
fn deduplicate(edges: &mut Vec<Edge>, start: usize) {
    let n_edges = edges.len() - start;
    if n_edges < 2 {
        return;
    }
    let mut kept = start;
    if n_edges <= 16 {
        for position in start..edges.len() {
            let edge = edges[position];
            if !edges[start..kept].contains(&edge) {
                edges[kept] = edge;
                kept += 1;
            }
        }
    } else {
        let mut seen = FxHashSet::default();
        for position in start..edges.len() {
            let edge = edges[position];
            if seen.insert(edge) {
                edges[kept] = edge;
                kept += 1;
            }
        }
    }
    edges.truncate(kept);
}
