//! Signatures and fields: the tables that names are looked up in.

use quadrille_diagnostic::{Diagnostic, SourceId, Span, similar};
use quadrille_grammar::tree::{Binary, Decl, Expr, Kind, Module, Name, Parent, Sig, Unary};

use super::check::{Checked, Checker, Failed};
use super::core::{Formula, RelationId, Set, SigId, VariableId};
use super::words::{Mult, Scope};
use super::{Design, INDEX, INT, RelationDef, SigDef, Type, UNIV, columns};
use crate::codes::{SCOPE, TWICE, UNKNOWN, UNSUPPORTED};

/// A design with what is built in.
pub(super) fn empty(module: &Module) -> Design {
    let nowhere = Span::new(SourceId::new(0), 0..0);
    let behaviour = &module.behaviour;
    let places = behaviour.inits.iter().map(|init| init.span);
    let places = places.chain(behaviour.events.iter().map(|event| event.name.span));
    let places = places.chain(module.sigs.iter().map(|sig| sig.name.span));
    let place = places.min_by_key(|span| span.start);
    let mut design = Design {
        sigs: Vec::new(),
        relations: Vec::new(),
        events: Vec::new(),
        init: Formula::Constant(true),
        invariants: Vec::new(),
        declared: Vec::new(),
        wraps: false,
        assumptions: Vec::new(),
        end: None,
        commands: Vec::new(),
        deadlocks: Vec::new(),
        scope: None,
        uses_numbers: false,
        uses_sequences: false,
        atoms: Vec::new(),
        variables: Vec::new(),
        place: place.unwrap_or(nowhere),
    };
    for (name, parent) in [("univ", None), ("Int", None), ("seq/Int", Some(INT))] {
        add_sig(&mut design, name, nowhere, parent);
    }
    design
}

fn add_sig(design: &mut Design, name: &str, span: Span, parent: Option<SigId>) -> SigId {
    let (id, relation) = (SigId(design.sigs.len()), RelationId(design.relations.len()));
    design.sigs.push(SigDef {
        name: name.to_owned(),
        span,
        parent,
        subset_of: Vec::new(),
        is_var: false,
        is_abstract: false,
        mult: None,
        is_ranged: false,
        is_literal: false,
        relation,
    });
    design.relations.push(RelationDef {
        name: name.to_owned(),
        span,
        is_var: false,
        owner: None,
        mult: Mult::Set,
        ty: Type::of(id),
    });
    id
}

impl Checker<'_> {
    /// Enters all signatures, then what they are part of.
    pub(super) fn signatures(&mut self, module: &Module) {
        let enums = module.sigs.iter().filter(|sig| sig.is_enum);
        let enums: Vec<&str> = enums.map(|sig| sig.name.text.as_str()).collect();
        for sig in &module.sigs {
            let Some(id) = self.enter(&sig.name) else { continue };
            let def = &mut self.design.sigs[id.0];
            (def.is_var, def.is_abstract) = (sig.is_var, sig.is_abstract);
            def.mult = sig.mult.map(Mult::from);
            def.is_literal |= matches!(&sig.parent, Parent::Extends(of)
                if enums.contains(&of.text.as_str()));
            let relation = def.relation;
            self.design.relations[relation.0].is_var = sig.is_var;
        }
        for sig in &module.sigs {
            self.parents(sig);
        }
        self.acyclic();
        self.ranges(module);
        for number in 0..self.design.sigs.len() {
            let (sig, relation) = (SigId(number), self.design.sigs[number].relation);
            self.design.relations[relation.0].ty = self.design.type_of(sig);
        }
    }

    /// Signatures of which a scope does not say exactly how many atoms they have.
    fn ranges(&mut self, module: &Module) {
        let behaviour = &module.behaviour;
        let scopes = behaviour.inits.iter().map(|init| (&init.scope, init.scope_span));
        let of_deadlocks = behaviour.deadlocks.iter().map(|it| (&it.scope, it.scope_span));
        let of_commands = module.commands.iter().map(|it| (&it.scope, it.scope_span));
        let scopes = scopes.chain(of_deadlocks).chain(of_commands);
        let scopes = scopes.filter_map(|(scope, place)| Scope::of(scope, place));
        let items = scopes.flat_map(|scope| scope.items);
        let ranged = items.filter(|item| item.high.is_some_and(|high| high != item.low));
        let mut found: Vec<SigId> = ranged.filter_map(|item| self.sig(&item.sig.text)).collect();
        let is_lone = |sig: &SigDef| {
            let is_own = sig.parent.is_none() && sig.subset_of.is_empty() && !sig.is_var;
            sig.mult == Some(Mult::Lone) && is_own
        };
        let all = self.design.sigs.iter().enumerate();
        found.extend(all.filter(|(_, sig)| is_lone(sig)).map(|(number, _)| SigId(number)));
        found.retain(|sig| sig.0 > INDEX.0);
        for sig in found {
            for above in self.design.ancestors(sig).collect::<Vec<_>>() {
                self.design.sigs[above.0].is_ranged = true;
            }
        }
    }

    /// What declarations of signatures say of every state: how many members sets have, and what they
    /// are part of.
    pub(super) fn constrain_sigs(&mut self) {
        for number in INDEX.0 + 1..self.design.sigs.len() {
            let (sig, def) = (SigId(number), self.design.sigs[number].clone());
            if self.design.is_fixed(sig) {
                continue;
            }
            let set = Box::new(self.design.set_of(sig));
            let mut parts = Vec::new();
            if let Some(mult) = def.mult.filter(|_| !def.is_ranged) {
                self.design.relations[def.relation.0].mult = mult;
            }
            if def.subset_of.iter().any(|of| !self.design.is_fixed(*of)) {
                let of = def.subset_of.iter().map(|of| self.design.set_of(*of));
                let all = of.reduce(|a, b| Set::Union(Box::new(a), Box::new(b)));
                let all = Box::new(all.unwrap_or(Set::None(1)));
                parts.push(Formula::In(set, all, def.span));
            }
            self.design.declared.extend(parts.into_iter().map(|part| (part, def.relation)));
        }
    }

    fn enter(&mut self, name: &Name) -> Option<SigId> {
        if name.text == "Int" {
            // `sig Int {}` gives the numbers from 1 on, as many as the scope says.
            self.design.sigs[INT.0].span = name.span;
            self.design.sigs[INT.0].is_literal = true;
            return Some(INT);
        }
        if let Some(other) = self.sig(&name.text) {
            let first = self.design.sigs[other.0].span;
            self.twice(name, first);
            return None;
        }
        Some(add_sig(&mut self.design, &name.text, name.span, None))
    }

    pub(super) fn twice(&mut self, name: &Name, first: Span) {
        let message = format!("`{}` is declared twice", name.text);
        let mut diagnostic = Diagnostic::error(&TWICE, message).at(name.span, "again here");
        if first.end > 0 {
            diagnostic = diagnostic.at(first, "first here");
        }
        self.report(diagnostic.help("rename one of them"));
    }

    fn parents(&mut self, sig: &Sig) {
        let Some(id) = self.sig(&sig.name.text) else { return };
        match &sig.parent {
            Parent::None => {}
            Parent::Extends(parent) => {
                if let Ok(of) = self.signature(parent) {
                    self.design.sigs[id.0].parent = Some(of);
                }
            }
            Parent::In(of) => {
                for parent in of {
                    if let Ok(of) = self.signature(parent) {
                        self.design.uses_numbers |= of == INT;
                        self.design.sigs[id.0].subset_of.push(of);
                    }
                }
            }
            Parent::Equals(_) => {
                let message = "a signature that is exactly a union is not supported";
                let help = "declare it with `in`, and say by a `fact` what it holds";
                let diagnostic = Diagnostic::error(&UNSUPPORTED, message).at(sig.name.span, "");
                self.report(diagnostic.help(help));
            }
        }
    }

    fn acyclic(&mut self) {
        for number in 0..self.design.sigs.len() {
            let mut todo = vec![SigId(number)];
            let mut seen = Vec::new();
            while let Some(sig) = todo.pop() {
                let def = &self.design.sigs[sig.0];
                for above in def.parent.iter().chain(&def.subset_of).copied().collect::<Vec<_>>() {
                    if above == SigId(number) {
                        let def = &mut self.design.sigs[number];
                        (def.parent, def.subset_of) = (None, Vec::new());
                        let (name, span) = (def.name.clone(), def.span);
                        let message = format!("`{name}` contains itself");
                        let help = "let the outermost signature extend nothing";
                        self.report(Diagnostic::error(&SCOPE, message).at(span, "").help(help));
                        return;
                    }
                    if !seen.contains(&above) {
                        seen.push(above);
                        todo.push(above);
                    }
                }
            }
        }
    }

    pub(super) fn signature(&mut self, name: &Name) -> Checked<SigId> {
        match self.sig(&name.text) {
            Some(sig) => Ok(sig),
            None => {
                let message = format!("the signature `{}` is not declared", name.text);
                let diagnostic = Diagnostic::error(&UNKNOWN, message).at(name.span, "unknown");
                let known = self.design.sigs.iter().map(|sig| sig.name.as_str());
                let help = match similar(&name.text, known).first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("declare it: `sig {} {{}}`", name.text),
                };
                self.fail(diagnostic.help(help))
            }
        }
    }

    /// Enters the fields of all signatures, then checks what they are in.
    pub(super) fn all_fields(&mut self, module: &Module) {
        for sig in &module.sigs {
            let Some(owner) = self.sig(&sig.name.text) else { continue };
            for decl in &sig.fields {
                self.field(owner, decl);
            }
        }
    }

    fn field(&mut self, owner: SigId, decl: &Decl) {
        if decl.disj || decl.disj_range || decl.is_defined {
            let message = "a field with `disj`, or given by `=`, is not supported";
            let help = "declare it without, and say the rest by a `fact`";
            let span = decl.names[0].span;
            self.report(Diagnostic::error(&UNSUPPORTED, message).at(span, "").help(help));
        }
        let this = self.fresh("this");
        self.this = Some((this, owner));
        let bound = self.field_bound(&decl.bound);
        self.doubts(&decl.bound);
        self.this = None;
        let Ok((ty, mult, parts)) = bound else { return };
        for name in &decl.names {
            let clash = self.fields(&name.text).into_iter().find(|id| {
                let other = self.design.relations[id.0].owner;
                other.is_some_and(|other| other == owner)
            });
            if let Some(first) = clash {
                let first = self.design.relations[first.0].span;
                self.twice(name, first);
                continue;
            }
            if let Some(sig) = self.sig(&name.text) {
                let first = self.design.sigs[sig.0].span;
                self.twice(name, first);
                continue;
            }
            let id = RelationId(self.design.relations.len());
            let ty = self.design.type_of(owner).product(&ty, &self.design);
            self.design.relations.push(RelationDef {
                name: name.text.clone(),
                span: name.span,
                is_var: decl.is_var,
                owner: Some(owner),
                mult,
                ty,
            });
            self.constrain(id, owner, this, &parts);
            if matches!(decl.bound.kind, Kind::Binary(Binary::SeqArrow, ..)) {
                self.without_gaps(id, owner, this);
            }
        }
    }

    /// The columns behind the first, the multiplicity of rows, and the columns one by one.
    fn field_bound(&mut self, bound: &Expr) -> Checked<(Type, Mult, Columns)> {
        let mult = match &bound.kind {
            Kind::Unary(Unary::OneOf, _) => Some(Mult::One),
            Kind::Unary(Unary::LoneOf, _) => Some(Mult::Lone),
            Kind::Unary(Unary::SomeOf, _) => Some(Mult::Some),
            Kind::Unary(Unary::SetOf, _) => Some(Mult::Set),
            _ => None,
        };
        let inner = without_multiplicity(bound);
        if let Kind::Binary(Binary::SeqArrow, _, elements) = &bound.kind {
            // That there are no gaps is said where the field is entered.
            (self.design.uses_sequences, self.design.uses_numbers) = (true, true);
            let (set, ty) = self.set(elements)?;
            let index = self.design.set_of(INDEX);
            let parts = vec![(index, Mult::Set, Mult::Set), (set, Mult::Set, Mult::Lone)];
            let ty = Type::of(INDEX).product(&ty, &self.design);
            return Ok((ty, Mult::Lone, parts));
        }
        let mut columns = Vec::new();
        self.columns(inner, (Mult::Set, mult.unwrap_or(Mult::Set)), &mut columns)?;
        let ty = self.set(inner)?.1;
        self.design.uses_numbers |= ty.products().flatten().any(|sig| *sig == INT);
        let of_rows = match columns.as_slice() {
            [(_, _, _)] => mult.unwrap_or(Mult::One),
            _ => columns.last().map_or(Mult::Set, |(_, _, mult)| *mult),
        };
        Ok((ty, of_rows, columns))
    }

    fn columns(&mut self, e: &Expr, mults: (Mult, Mult), out: &mut Columns) -> Checked<()> {
        if let Kind::Binary(Binary::Arrow(left, right), a, b) = &e.kind {
            if mults.1 != Mult::Set {
                self.unsupported_multiplicity(e.span);
            }
            let (left, right) = (Mult::from(*left), Mult::from(*right));
            self.columns(a, (mults.0, left), out)?;
            return self.columns(b, (left, right), out);
        }
        let (set, ty) = self.set(e)?;
        if columns(&ty) != 1 {
            let message = "a column of a field is a set of atoms";
            self.report(
                Diagnostic::error(&crate::codes::ARITY, message)
                    .at(e.span, "this is a relation")
                    .help("write the columns with arrows: `A -> B`"),
            );
            return Err(Failed);
        }
        out.push((set, mults.0, mults.1));
        Ok(())
    }

    fn unsupported_multiplicity(&mut self, span: Span) {
        let message = "a multiplicity beside a relation of several columns is not supported";
        let help = "in a field of more than two columns, write it behind the last arrow only; say \
                    the rest by a `fact`";
        self.report(Diagnostic::error(&UNSUPPORTED, message).at(span, "").help(help));
    }

    /// The indices of a sequence go from 0 on: those that follow one are no more than follow a used one.
    fn without_gaps(&mut self, id: RelationId, owner: SigId, this: VariableId) {
        let (set, _) = self.relation(id);
        let span = self.design.relations[id.0].span;
        let of_this = Set::Join(Box::new(Set::Variable(this)), Box::new(set));
        let used = || Box::new(Set::Join(Box::new(of_this.clone()), Box::new(Set::Univ)));
        let index = || Box::new(self.design.set_of(INDEX));
        let later = || Box::new(Set::Join(index(), Box::new(Set::NextIndex)));
        let follow = Box::new(Set::Join(used(), Box::new(Set::NextIndex)));
        // A later index that is used follows a used one.
        let used_later = Box::new(Set::Intersection(used(), later()));
        let body = Box::new(Formula::In(used_later, follow, span));
        let owner = Box::new(self.design.set_of(owner));
        self.design.declared.push((Formula::All(this, owner, body, span), id));
    }

    /// What the declaration says beyond the type and the rows: assumed of every state.
    fn constrain(&mut self, id: RelationId, owner: SigId, this: VariableId, columns: &Columns) {
        let def = self.design.relations[id.0].clone();
        let is_sig = |set: &Set| match set {
            Set::Relation(relation, _) => {
                let sig = self.design.sigs.iter().position(|sig| sig.relation == *relation);
                sig.is_some_and(|sig| self.design.is_fixed(SigId(sig)) || SigId(sig) == UNIV)
            }
            _ => false,
        };
        let prefix_fixed = self.design.is_fixed(owner)
            && columns[..columns.len() - 1].iter().all(|(set, _, _)| is_sig(set));
        let all_fixed = prefix_fixed && columns.iter().all(|(set, _, _)| is_sig(set));
        if let [inner @ .., (_, before_last, _)] = &columns[..]
            && inner.len() > 1
            && (*before_last != Mult::Set
                || inner.iter().any(|(_, a, b)| (*a, *b) != (Mult::Set, Mult::Set))
                || !prefix_fixed && def.mult != Mult::Set)
        {
            self.unsupported_multiplicity(def.span);
        }
        let (set, _) = self.relation(id);
        let of_this = Set::Join(Box::new(Set::Variable(this)), Box::new(set));
        let mut parts = Vec::new();
        if !all_fixed {
            let product = columns.iter().map(|(set, _, _)| set.clone());
            let product = product.reduce(|a, b| Set::Product(Box::new(a), Box::new(b)));
            let product = product.unwrap_or(Set::None(1));
            parts.push(Formula::In(Box::new(of_this.clone()), Box::new(product), def.span));
        }
        if columns.len() == 1 && !prefix_fixed && def.mult != Mult::Set {
            parts.push(Formula::Count(def.mult, Box::new(of_this.clone()), def.span));
        }
        if columns.len() == 2 {
            let [(a, _, left), (b, _, right)] = [&columns[0], &columns[1]];
            if !prefix_fixed && *right != Mult::Set {
                let x = self.fresh("x");
                let row = Set::Join(Box::new(Set::Variable(x)), Box::new(of_this.clone()));
                let count = Formula::Count(*right, Box::new(row), def.span);
                parts.push(Formula::All(x, Box::new(a.clone()), Box::new(count), def.span));
            }
            if *left != Mult::Set {
                let y = self.fresh("y");
                let row = Set::Join(Box::new(of_this.clone()), Box::new(Set::Variable(y)));
                let count = Formula::Count(*left, Box::new(row), def.span);
                parts.push(Formula::All(y, Box::new(b.clone()), Box::new(count), def.span));
            }
        }
        if !self.design.is_fixed(owner) {
            // Only atoms of the signature have the field.
            let outside = Set::Difference(Box::new(Set::Univ), Box::new(self.design.set_of(owner)));
            let rows = Set::Join(Box::new(outside), Box::new(self.relation(id).0));
            let none = Formula::Count(Mult::No, Box::new(rows), def.span);
            self.design.declared.push((none, id));
        }
        if !parts.is_empty() {
            let owner = Box::new(self.design.set_of(owner));
            let all = Formula::All(this, owner, Box::new(Formula::and(parts)), def.span);
            self.design.declared.push((all, id));
        }
        if !prefix_fixed && def.mult != Mult::Set {
            let domain =
                if matches!(def.mult, Mult::One | Mult::Lone) { Mult::Lone } else { Mult::Set };
            self.design.relations[id.0].mult = domain;
        }
    }
}

/// What is declared, without how many of it there are.
pub(super) fn without_multiplicity(bound: &Expr) -> &Expr {
    match &bound.kind {
        Kind::Unary(Unary::OneOf | Unary::LoneOf | Unary::SomeOf | Unary::SetOf, inner) => inner,
        _ => bound,
    }
}

/// What each column behind the first is in, with the multiplicities before and behind it.
type Columns = Vec<(Set, Mult, Mult)>;
