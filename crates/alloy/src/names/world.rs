//! Everything that is declared: signatures, fields, functions, facts, commands of all modules.

use std::rc::Rc;

use quadrille_diagnostic::{Diagnostic, Span};

use super::modules::Modules;
use super::typed::Typed;
use super::types::Type;
use crate::syntax::tree::{self, Mult};

/// A signature.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SigId(pub(crate) u32);

impl SigId {
    pub(crate) const UNIV: SigId = SigId(0);
    pub(crate) const INT: SigId = SigId(1);
    pub(crate) const SEQ: SigId = SigId(2);
    pub(crate) const STRING: SigId = SigId(3);
    pub(crate) const NONE: SigId = SigId(4);
    /// Signatures from here on are declared in texts.
    pub(crate) const FIRST: usize = 5;

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn is_built_in(self) -> bool {
        self.index() < Self::FIRST
    }
}

/// A field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FieldId(pub(crate) u32);

/// A predicate or function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionId(pub(crate) u32);

/// A variable that a quantifier, `let`, function or signature binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub(crate) u32);

/// What a signature belongs to.
#[derive(Clone, Debug)]
pub(crate) enum Belongs {
    /// Below one signature.
    Prim(SigId),
    /// A part of the union of these, or all of it.
    Subset(Vec<SigId>, bool),
}

/// A signature.
#[derive(Clone, Debug)]
pub struct Sig {
    /// As it is shown: `A`, or `module/A`.
    pub name: String,
    pub(crate) belongs: Belongs,
    pub(crate) children: Vec<SigId>,
    pub(crate) is_abstract: bool,
    /// Whether the set changes.
    pub is_var: bool,
    pub(crate) is_private: bool,
    pub(crate) is_enum: bool,
    pub(crate) mult: Option<Mult>,
    pub(crate) ty: Type,
    pub(crate) decls: Vec<FieldDecl>,
    pub(crate) fact: Option<Typed>,
    pub(crate) this: VarId,
    pub(crate) span: Option<Span>,
    /// Whether it is one that modules share, and not a copy that was merged away.
    pub(crate) is_used: bool,
}

/// Fields that are declared together.
#[derive(Clone, Debug)]
pub(crate) struct FieldDecl {
    pub(crate) fields: Vec<FieldId>,
    pub(crate) bound: Typed,
    pub(crate) disj: bool,
    pub(crate) disj_range: bool,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The signature that has it.
    pub sig: SigId,
    /// Whether it changes.
    pub is_var: bool,
    pub(crate) ty: Type,
    pub(crate) is_private: bool,
    pub(crate) span: Span,
}

/// Variables of a quantifier or function.
#[derive(Clone, Debug)]
pub(crate) struct TypedDecl {
    pub(crate) vars: Vec<VarId>,
    pub(crate) bound: Typed,
    pub(crate) disj: bool,
}

/// A predicate or function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) is_pred: bool,
    pub(crate) is_private: bool,
    pub(crate) decls: Vec<TypedDecl>,
    pub(crate) parameters: Vec<VarId>,
    pub(crate) result: Option<Typed>,
    pub(crate) body: Option<Typed>,
    pub(crate) span: Span,
    pub(crate) tree: Rc<tree::Function>,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) ty: Type,
}

/// A fact, where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) formula: Typed,
}

/// A command.
#[derive(Clone, Debug)]
pub struct Command {
    /// Its label, or the name of what it is about.
    pub name: String,
    /// Whether a counterexample is looked for.
    pub is_check: bool,
    /// What is looked for: of a `check` the assertion is denied.
    pub(crate) formula: Typed,
    pub(crate) scope: Scope,
    /// Where the scope is written, with its `for`.
    pub scope_span: Option<Span>,
    /// What `expect` says.
    pub expect: Option<i64>,
    /// Where it stands.
    pub span: Span,
}

/// How many atoms there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) overall: Option<i64>,
    pub(crate) sigs: Vec<SigScope>,
    pub(crate) bitwidth: Option<i64>,
    pub(crate) seq: Option<i64>,
    pub(crate) steps: Option<(i64, Option<i64>)>,
}

/// Of one signature.
#[derive(Clone, Debug)]
pub(crate) struct SigScope {
    pub(crate) sig: SigId,
    pub(crate) is_exact: bool,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) increment: i64,
    pub(crate) span: Span,
}

/// All that modules declare, with names resolved.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Signatures, the built-in ones first.
    pub sigs: Vec<Sig>,
    /// Fields.
    pub fields: Vec<Field>,
    pub(crate) functions: Vec<Function>,
    pub(crate) vars: Vec<Variable>,
    pub(crate) facts: Vec<Fact>,
    /// Signatures in the order in which modules are reached.
    pub(crate) order: Vec<SigId>,
    /// Signatures that have exactly as many atoms as their scope says.
    pub(crate) exact: Vec<SigId>,
    /// Commands of the first module.
    pub commands: Vec<Command>,
    /// What is probably a mistake.
    pub warnings: Vec<Diagnostic>,
    /// What can be named, for expressions that are read later.
    pub(super) modules: Rc<Modules>,
}

impl World {
    pub(crate) fn sig(&self, id: SigId) -> &Sig {
        &self.sigs[id.index()]
    }

    pub(crate) fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.0 as usize]
    }

    pub(crate) fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    pub(crate) fn var(&self, id: VarId) -> &Variable {
        &self.vars[id.0 as usize]
    }

    pub(crate) fn new_var(&mut self, name: &str, ty: Type) -> VarId {
        self.vars.push(Variable { name: name.to_owned(), ty });
        VarId(self.vars.len() as u32 - 1)
    }

    /// Whether a signature is at the top.
    pub(crate) fn is_top(&self, id: SigId) -> bool {
        !id.is_built_in()
            && matches!(self.sig(id).belongs, Belongs::Prim(parent) if parent == SigId::UNIV)
    }

    /// The predicates of the first module, in the order in which they are written.
    pub(crate) fn predicates(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let own = self.modules.all.first().into_iter().flat_map(|module| &module.functions);
        own.map(|(_, id)| *id).filter(|id| self.function(*id).is_pred)
    }

    /// Signatures of all modules that are declared, each once.
    pub(crate) fn declared(&self) -> impl Iterator<Item = SigId> + '_ {
        self.order.iter().copied()
    }

    /// The relation a field is in full, from the signature on, has so many columns.
    pub(crate) fn field_arity(&self, id: FieldId) -> usize {
        self.field(id).ty.arity().unwrap_or(0)
    }
}
