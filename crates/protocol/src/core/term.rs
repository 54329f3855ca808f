//! Terms: closed processes, hash-consed. Constructors put them into the normal form of their
//! [`Identity`]; what they do is in `step`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use super::Role;
use quadrille_diagnostic::Span;

use super::action::{Act, ActId, RoleId};
use super::data::{Assignment, Expr, ExprId, UpdateId, Variable};
use super::intern::{Interner, PairTable};
use super::node::Node;
use super::place::Places;
use super::step::Edge;

/// A term in the table of its [`Terms`]: equal terms have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub(crate) u32);

impl TermId {
    /// `0`: does nothing and has not ended.
    pub const STOP: TermId = TermId(0);
    /// `1`: has ended.
    pub const SKIP: TermId = TermId(1);

    /// The bare number, as it stands in a state vector.
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// A definition that calls name; the language numbers them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DefinitionId(pub u32);

/// One argument of a call. Only the language that made the call knows what it stands for; equal
/// words must mean equal values.
pub type Word = u32;

/// Which terms count as one state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Identity {
    /// Terms that the unit and associativity laws make equal are one: `1·P` is `P`, `P·(Q·R)` is
    /// `(P·Q)·R`, a choice is a set. Fewest states; the parts of an outermost parallel composition
    /// are slots of their own.
    Normal,
    /// As the rules write them, and as Discourje's interpreter does: `1·P` and `P` are two
    /// states, and a part of a parallel composition that has ended is dropped when another moves.
    Written,
}

/// A term as a reader sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term<'a> {
    /// `0`.
    Stop,
    /// `1`.
    Skip,
    /// An action, and what it assigns.
    Act(ActId, UpdateId),
    /// First one, then the other.
    Seq(TermId, TermId),
    /// One of these.
    Choice(&'a [TermId]),
    /// Both, interleaved. A composition of many is a balanced tree, so that a step of one makes
    /// few new terms; [`Terms::parts`] lists them.
    Par(TermId, TermId),
    /// A composition that is one part of another (only with [`Identity::Written`]).
    Nested(TermId),
    /// The term where the condition holds when it starts.
    Guard(ExprId, TermId),
    /// The term again and again; it may end after each round, or never.
    Repeat {
        /// What is repeated.
        body: TermId,
        /// Whether it may end between rounds.
        may_end: bool,
    },
    /// A definition with arguments.
    Call(DefinitionId, &'a [Word]),
}

/// A term and what is known about it so far.
struct Entry {
    node: Node,
    /// Whether a parallel composition acts first here. The steps of such terms are put together
    /// from their parts each time: there are too many of them to keep, and each is met once.
    wide: bool,
    /// Whether a part of a parallel composition has ended for good: [`UNKNOWN`], [`NO`] or [`YES`].
    ended_part: AtomicU8,
    edges: OnceLock<Box<[Edge]>>,
    ends: OnceLock<ExprId>,
}

const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

/// The tables of one protocol: roles, actions, data, terms. Grows as terms are made, from any thread.
pub struct Terms {
    identity: Identity,
    pub(super) variables: Vec<Variable>,
    roles: Interner<Role>,
    /// With the place that tells an action from equal ones, where places do.
    acts: Interner<(Act, Option<Span>)>,
    pub(super) exprs: Interner<Expr>,
    pub(super) updates: Interner<Box<[Assignment]>>,
    entries: Interner<Entry>,
    /// Sequences and parallel compositions, which are by far the most terms.
    seqs: PairTable,
    pars: PairTable,
    pub(super) places: Places,
    pub(super) names_states: bool,
    /// Bytes that entries own.
    owned: AtomicUsize,
}

impl Terms {
    /// Empty tables. The variables are numbered in order.
    pub fn new(identity: Identity, variables: Vec<Variable>) -> Self {
        Self::with_places(identity, variables, Places::default(), false)
    }

    pub(super) fn with_places(
        identity: Identity,
        variables: Vec<Variable>,
        places: Places,
        names_states: bool,
    ) -> Self {
        let terms = Self {
            identity,
            variables,
            roles: Interner::default(),
            acts: Interner::default(),
            exprs: Interner::default(),
            updates: Interner::default(),
            entries: Interner::default(),
            seqs: PairTable::default(),
            pars: PairTable::default(),
            places,
            names_states,
            owned: AtomicUsize::new(0),
        };
        assert_eq!(terms.intern(Term::Stop), TermId::STOP);
        assert_eq!(terms.intern(Term::Skip), TermId::SKIP);
        assert_eq!(terms.constant(0), ExprId::FALSE);
        assert_eq!(terms.constant(1), ExprId::TRUE);
        assert_eq!(terms.update(Vec::new()), UpdateId::NONE);
        terms
    }

    /// Which terms count as one state.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// The variables in order.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The role with this name and these indices.
    pub fn role(&self, role: Role) -> RoleId {
        RoleId(self.roles.intern(role))
    }

    /// A role by id.
    pub fn role_of(&self, id: RoleId) -> &Role {
        self.roles.get(id.0)
    }

    /// How many roles there are so far.
    pub fn n_roles(&self) -> usize {
        self.roles.len()
    }

    /// An action.
    pub fn act(&self, act: Act) -> ActId {
        self.act_at(act, None)
    }

    /// An action that differs from equal ones in another place.
    pub(super) fn act_at(&self, act: Act, place: Option<Span>) -> ActId {
        ActId(self.acts.intern((act, place)))
    }

    /// An action by id.
    pub fn act_of(&self, id: ActId) -> &Act {
        &self.acts.get(id.0).0
    }

    /// The place that tells an action from equal ones.
    pub(super) fn own_place(&self, id: ActId) -> Option<Span> {
        self.acts.get(id.0).1
    }

    /// How many actions there are so far.
    pub fn n_acts(&self) -> usize {
        self.acts.len()
    }

    /// How many terms there are so far.
    pub fn n_terms(&self) -> usize {
        self.entries.len()
    }

    /// A term by id.
    pub fn term(&self, id: TermId) -> Term<'_> {
        self.entries.get(id.0).node.view()
    }

    /// One action.
    pub fn action(&self, act: ActId) -> TermId {
        self.action_with(act, UpdateId::NONE)
    }

    /// One action that assigns to variables as it happens.
    pub fn action_with(&self, act: ActId, update: UpdateId) -> TermId {
        self.intern(Term::Act(act, update))
    }

    /// First one, then the other.
    pub fn seq(&self, first: TermId, then: TermId) -> TermId {
        if self.identity == Identity::Written {
            return self.intern(Term::Seq(first, then));
        }
        match self.term(first) {
            Term::Skip => then,
            Term::Stop => TermId::STOP,
            _ if then == TermId::SKIP => first,
            Term::Seq(head, tail) => self.intern(Term::Seq(head, self.seq(tail, then))),
            _ => self.intern(Term::Seq(first, then)),
        }
    }

    /// All of these in order; none is `1`.
    pub fn sequence(&self, parts: &[TermId]) -> TermId {
        let Some((&last, before)) = parts.split_last() else { return TermId::SKIP };
        before.iter().rev().fold(last, |then, &first| self.seq(first, then))
    }

    /// One of these; none is `0`.
    pub fn choice(&self, parts: &[TermId]) -> TermId {
        match (self.identity, parts) {
            (_, []) => TermId::STOP,
            (_, [only]) => *only,
            (Identity::Written, _) => self.intern(Term::Choice(parts)),
            (Identity::Normal, _) => {
                let mut flat = Vec::with_capacity(parts.len());
                for &part in parts {
                    match self.term(part) {
                        Term::Choice(inner) => flat.extend_from_slice(inner),
                        Term::Stop => {}
                        _ => flat.push(part),
                    }
                }
                let mut seen = rustc_hash::FxHashSet::default();
                flat.retain(|&part| seen.insert(part));
                match flat[..] {
                    [] => TermId::STOP,
                    [only] => only,
                    _ => self.intern(Term::Choice(&flat)),
                }
            }
        }
    }

    /// All of these interleaved; none is `1`.
    pub fn par(&self, parts: &[TermId]) -> TermId {
        if self.identity == Identity::Written {
            return match parts {
                [only] => *only,
                _ => self.balance(&parts.iter().map(|&part| self.nested(part)).collect::<Vec<_>>()),
            };
        }
        let mut flat = Vec::with_capacity(parts.len());
        parts.iter().for_each(|&part| self.collect_parts(part, &mut flat));
        flat.retain(|&part| part != TermId::SKIP);
        self.balance(&flat)
    }

    /// The parts of a parallel composition from left to right; any other term is its only part.
    pub fn parts(&self, term: TermId) -> Vec<TermId> {
        let mut parts = Vec::new();
        self.collect_parts(term, &mut parts);
        parts
    }

    fn collect_parts(&self, term: TermId, parts: &mut Vec<TermId>) {
        match self.term(term) {
            Term::Par(left, right) => {
                self.collect_parts(left, parts);
                self.collect_parts(right, parts);
            }
            _ => parts.push(term),
        }
    }

    /// A balanced tree of parts.
    pub(crate) fn balance(&self, parts: &[TermId]) -> TermId {
        match *parts {
            [] => TermId::SKIP,
            [only] => only,
            _ => {
                let (left, right) = parts.split_at(parts.len().div_ceil(2));
                self.intern(Term::Par(self.balance(left), self.balance(right)))
            }
        }
    }

    /// Puts what comes after beside each step: where it leads, then `then`.
    pub(crate) fn seq_steps(&self, edges: &mut [Edge], then: TermId) {
        if self.identity == Identity::Normal {
            edges.iter_mut().for_each(|edge| edge.to = self.seq(edge.to, then));
        } else {
            self.pair_steps(&self.seqs, edges, |to| (to, then), Term::Seq);
        }
    }

    /// Puts a part that stays beside each step of another: to its right, or to its left.
    pub(crate) fn par_steps(&self, edges: &mut [Edge], stays: TermId, right: bool) {
        let ended = |edge: &Edge| edge.to == TermId::SKIP;
        let collapses = stays == TermId::SKIP || edges.iter().any(ended);
        let pair = |to| if right { (to, stays) } else { (stays, to) };
        if self.identity == Identity::Normal && collapses {
            for edge in edges {
                let (left, right) = pair(edge.to);
                edge.to = match (left, right) {
                    (TermId::SKIP, other) | (other, TermId::SKIP) => other,
                    _ => self.intern(Term::Par(left, right)),
                };
            }
        } else {
            self.pair_steps(&self.pars, edges, pair, Term::Par);
        }
    }

    fn pair_steps(
        &self,
        table: &PairTable,
        edges: &mut [Edge],
        pair: impl Fn(TermId) -> (TermId, TermId),
        term: fn(TermId, TermId) -> Term<'static>,
    ) {
        table.resolve(
            edges,
            |edge| {
                let (first, second) = pair(edge.to);
                (first.0, second.0)
            },
            |edge, id| edge.to = TermId(id),
            |first, second| self.entries.push(self.entry(term(TermId(first), TermId(second)))),
        );
    }

    /// What [`Terms::nested`] was made of.
    pub(crate) fn unnested(&self, term: TermId) -> TermId {
        match self.term(term) {
            Term::Nested(inner) => inner,
            _ => term,
        }
    }

    /// A term as one part of a parallel composition, whatever it is.
    pub(crate) fn nested(&self, term: TermId) -> TermId {
        match (self.identity, self.term(term)) {
            (Identity::Written, Term::Par(..)) => self.intern(Term::Nested(term)),
            _ => term,
        }
    }

    /// The term where the condition holds when it starts.
    pub fn guard(&self, condition: ExprId, term: TermId) -> TermId {
        match condition {
            ExprId::TRUE => term,
            ExprId::FALSE => TermId::STOP,
            _ => self.intern(Term::Guard(condition, term)),
        }
    }

    /// The term any number of times.
    pub fn star(&self, body: TermId) -> TermId {
        self.intern(Term::Repeat { body, may_end: true })
    }

    /// The term for ever.
    pub fn forever(&self, body: TermId) -> TermId {
        self.intern(Term::Repeat { body, may_end: false })
    }

    /// The term, or nothing.
    pub fn optional(&self, body: TermId) -> TermId {
        self.choice(&[body, TermId::SKIP])
    }

    /// A definition with arguments.
    pub fn call(&self, definition: DefinitionId, arguments: &[Word]) -> TermId {
        self.intern(Term::Call(definition, arguments))
    }

    /// A term that is in normal form already.
    pub(super) fn intern(&self, term: Term<'_>) -> TermId {
        let (table, first, second) = match term {
            Term::Seq(first, second) => (&self.seqs, first, second),
            Term::Par(first, second) => (&self.pars, first, second),
            _ => {
                let same = |entry: &Entry| entry.node.view() == term;
                return TermId(self.entries.intern_by(&term, same, || self.entry(term)));
            }
        };
        let mut found = [0];
        table.resolve(
            &mut found,
            |_| (first.0, second.0),
            |found, id| *found = id,
            |_, _| self.entries.push(self.entry(term)),
        );
        TermId(found[0])
    }

    /// Bytes of the tables that grow as terms are made.
    pub(super) fn bytes(&self) -> usize {
        let tables = [self.roles.bytes(), self.acts.bytes(), self.exprs.bytes()];
        let terms = [self.entries.bytes(), self.seqs.bytes(), self.pars.bytes()];
        let owned = self.owned.load(Ordering::Relaxed);
        tables.iter().chain(&terms).sum::<usize>() + self.updates.bytes() + owned
    }

    fn entry(&self, term: Term<'_>) -> Entry {
        let owned = match term {
            Term::Choice(parts) => size_of_val(parts),
            Term::Call(_, arguments) => size_of_val(arguments),
            _ => 0,
        };
        self.owned.fetch_add(owned, Ordering::Relaxed);
        Entry {
            wide: match term {
                Term::Par(..) => true,
                Term::Seq(first, _) => self.is_wide(first),
                Term::Guard(_, inner) => self.is_wide(inner),
                _ => false,
            },
            node: Node::new(term),
            ended_part: AtomicU8::new(UNKNOWN),
            edges: OnceLock::new(),
            ends: OnceLock::new(),
        }
    }

    pub(crate) fn is_wide(&self, id: TermId) -> bool {
        self.entries.get(id.0).wide
    }

    pub(crate) fn known_edges(&self, id: TermId) -> Option<&[Edge]> {
        self.entries.get(id.0).edges.get().map(|edges| &**edges)
    }

    pub(crate) fn learn_edges(&self, id: TermId, edges: &[Edge]) {
        // Another thread may have been faster; it found the same.
        if self.entries.get(id.0).edges.set(edges.into()).is_ok() {
            self.owned.fetch_add(size_of_val(edges), Ordering::Relaxed);
        }
    }

    pub(crate) fn known_end(&self, id: TermId) -> Option<ExprId> {
        self.entries.get(id.0).ends.get().copied()
    }

    pub(crate) fn learn_end(&self, id: TermId, ends: ExprId) {
        let _ = self.entries.get(id.0).ends.set(ends);
    }

    pub(crate) fn known_ended_part(&self, id: TermId) -> Option<bool> {
        match self.entries.get(id.0).ended_part.load(Ordering::Relaxed) {
            UNKNOWN => None,
            known => Some(known == YES),
        }
    }

    pub(crate) fn learn_ended_part(&self, id: TermId, found: bool) {
        let found = if found { YES } else { NO };
        self.entries.get(id.0).ended_part.store(found, Ordering::Relaxed);
    }

    /// The body of a call, found by `unfold` the first time.
    pub(crate) fn body<E>(
        &self,
        id: TermId,
        unfold: impl FnOnce() -> Result<TermId, E>,
    ) -> Result<TermId, E> {
        let Node::Call { body, .. } = &self.entries.get(id.0).node else {
            unreachable!("only calls have a body")
        };
        match body.get() {
            Some(known) => Ok(*known),
            None => unfold().map(|found| *body.get_or_init(|| found)),
        }
    }
}
