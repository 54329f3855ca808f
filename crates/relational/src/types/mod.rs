//! From the tree to a [`Design`]: names resolved, arities and types checked, events split from what
//! is said about them. Knows no scope and no atom.

mod builtin;
mod calls;
mod check;
pub mod core;
mod declare;
pub(crate) mod effects;
mod paragraphs;
mod quantified;
mod relevance;
mod sequences;
pub mod words;

use quadrille_diagnostic::{Diagnostic, Span};

use quadrille_grammar::tree::Module;
use quadrille_grammar::types::{Hierarchy, RelationType, Signature};

use core::{EventDef, Formula, RelationId, Set, SigId};
use words::{CommandKind, Mult, Scope};

/// All atoms.
pub(crate) const UNIV: SigId = SigId(0);
/// The numbers.
pub(crate) const INT: SigId = SigId(1);
/// The numbers that are indices of sequences.
pub(crate) const INDEX: SigId = SigId(2);

/// What an expression can hold, for which nothing is said but by its columns: Alloy has the same.
pub(crate) type Type = RelationType<SigId>;

/// The number of columns; one of what was refused.
pub(crate) fn columns(ty: &Type) -> usize {
    ty.arity().unwrap_or(1)
}

/// A text whose names are resolved.
#[derive(Clone, Debug)]
pub struct Design {
    /// The signatures; the first are built in.
    pub sigs: Vec<SigDef>,
    /// The relations: one per signature, then the fields.
    pub relations: Vec<RelationDef>,
    /// The events.
    pub events: Vec<EventDef>,
    /// What holds in initial states.
    pub init: Formula,
    /// What is assumed of every state.
    pub invariants: Vec<Formula>,
    /// What declarations say of every state beside types and the number of atoms in rows, and of
    /// which relation: an event that breaks it is an error.
    pub declared: Vec<(Formula, RelationId)>,
    /// What is assumed of every run beside that.
    pub assumptions: Vec<Formula>,
    /// Where the system may stop.
    pub end: Option<Formula>,
    /// What is asked.
    pub commands: Vec<CommandDef>,
    /// Where a deadlock is asked for by `check no deadlock`.
    pub deadlocks: Vec<DeadlockDef>,
    /// The scope of `init`.
    pub scope: Option<Scope>,
    /// Whether results are counted round within the range of numbers.
    pub wraps: bool,
    /// Whether numbers are values.
    pub(crate) uses_numbers: bool,
    /// Whether there are sequences.
    pub(crate) uses_sequences: bool,
    /// Atoms that are written, with their places.
    pub(crate) atoms: Vec<(SigId, i64, Span)>,
    /// The names of the variables, by their numbers.
    pub(crate) variables: Vec<String>,
    /// The whole text, roughly: where `init` stands.
    pub(crate) place: Span,
}

/// A signature.
#[derive(Clone, Debug)]
pub struct SigDef {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// What it extends.
    pub parent: Option<SigId>,
    /// What it is a subset of.
    pub subset_of: Vec<SigId>,
    /// Whether it changes.
    pub is_var: bool,
    /// Whether all its atoms belong to extensions.
    pub is_abstract: bool,
    /// How many atoms it has.
    pub mult: Option<Mult>,
    /// Whether a scope gives it, or an extension of it, a range of numbers of atoms.
    pub is_ranged: bool,
    /// Whether it is a literal of an enumeration.
    pub is_literal: bool,
    /// The set of its atoms.
    pub relation: RelationId,
}

/// A signature as a set, or a field.
#[derive(Clone, Debug)]
pub struct RelationDef {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Whether it changes.
    pub is_var: bool,
    /// Whose field it is.
    pub owner: Option<SigId>,
    /// How many members each row has: the atoms behind all columns but the last.
    pub mult: Mult,
    pub(crate) ty: Type,
}

impl RelationDef {
    /// How many columns it has.
    pub fn arity(&self) -> usize {
        columns(&self.ty)
    }
}

/// Something that is asked.
#[derive(Clone, Debug)]
pub struct CommandDef {
    /// Its name.
    pub name: String,
    /// Whether something is checked or looked for.
    pub kind: CommandKind,
    /// The formula.
    pub formula: Formula,
    /// Its own scope.
    pub scope: Option<Scope>,
    /// `expect`.
    pub expect: Option<bool>,
    /// Where.
    pub span: Span,
    /// Where the formula stands.
    pub body: Span,
}

/// `check no deadlock`.
#[derive(Clone, Debug)]
pub struct DeadlockDef {
    /// Its own scope.
    pub scope: Option<Scope>,
    /// Whether a deadlock is expected.
    pub is_expected: bool,
    /// Where.
    pub span: Span,
}

/// Resolves the names of a tree; a design exactly if no diagnostic is an error.
pub fn resolve(module: &Module) -> (Option<Design>, Vec<Diagnostic>) {
    let mut checker = check::Checker::new(module);
    checker.module(module);
    let diagnostics = checker.diagnostics;
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    ((!failed).then_some(checker.design), diagnostics)
}

impl Design {
    /// The signature and those that it extends.
    pub(crate) fn ancestors(&self, sig: SigId) -> impl Iterator<Item = SigId> + '_ {
        std::iter::successors(Some(sig), |sig| self.sigs[sig.0].parent)
    }

    /// The signatures that extend one.
    pub(crate) fn extensions(&self, sig: SigId) -> impl Iterator<Item = SigId> + '_ {
        let all = (0..self.sigs.len()).map(SigId);
        all.filter(move |child| self.sigs[child.0].parent == Some(sig))
    }

    /// Whether the atoms of a signature follow from the scope.
    pub(crate) fn is_fixed(&self, sig: SigId) -> bool {
        let def = &self.sigs[sig.0];
        !def.is_var && def.subset_of.is_empty() && !def.is_ranged
    }

    /// The atoms that a signature can have at all, as a type.
    pub(crate) fn type_of(&self, sig: SigId) -> Type {
        let def = &self.sigs[sig.0];
        if def.subset_of.is_empty() {
            return Type::of(sig);
        }
        let parts = def.subset_of.iter().map(|of| self.type_of(*of));
        parts.fold(Type::NOTHING, |a, b| a.union(&b, self))
    }

    /// What the members of a signature can be: of one that changes and belongs to no other, whatever
    /// events put into it, unless its scope gives it atoms of its own.
    pub(crate) fn members_of(&self, sig: SigId) -> Type {
        let def = &self.sigs[sig.0];
        let is_apart = def.parent.is_none() && def.subset_of.is_empty();
        if def.is_var && is_apart && self.extensions(sig).next().is_none() {
            return Type::of(UNIV);
        }
        self.type_of(sig)
    }

    /// Formulas that are assumed or asked, and events, all of them.
    pub(crate) fn set_of(&self, sig: SigId) -> Set {
        Set::Relation(self.sigs[sig.0].relation, core::When::Now)
    }
}

impl Signature for SigId {
    const NONE: Self = SigId(usize::MAX);
}

impl Hierarchy for Design {
    type Sig = SigId;

    fn is_below(&self, a: SigId, b: SigId) -> bool {
        b == UNIV || self.ancestors(a).any(|of| of == b)
    }

    fn name(&self, sig: SigId) -> &str {
        &self.sigs[sig.0].name
    }
}
