//! Names, joins and calls: fields chosen by what they are joined with, predicates and functions
//! replaced by what they stand for.

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_grammar::tree::{Binary, Expr, Kind, Unary};

use super::check::{Checked, Checker, Failed, Value};
use super::core::{EventId, Formula, RelationId, Set, SigId, When};
use super::{INT, Type, UNIV, columns};
use crate::codes::{ARITY, RECURSIVE, UNKNOWN};

impl Checker<'_> {
    pub(super) fn name(&mut self, name: &str, span: Span) -> Checked<Value> {
        let name = name.strip_prefix('@').unwrap_or(name);
        let local = self.locals.iter().rev().find(|(known, _)| known == name);
        if let Some((_, value)) = local {
            return Ok(value.clone());
        }
        match name {
            "none" => return Ok(Value::Set(Set::None(1), Type::none(1))),
            "univ" => return Ok(Value::Set(self.all_atoms(), Type::of(UNIV))),
            "iden" => return Ok(Value::Set(self.identity(), Type::product_of(vec![UNIV, UNIV]))),
            _ => {}
        }
        if let Some(fields) = self.own_fields(name) {
            return Ok(fields);
        }
        if let Some(sig) = self.sig(name) {
            self.design.uses_numbers |= sig == INT;
            let (set, _) = self.relation(self.design.sigs[sig.0].relation);
            return Ok(Value::Set(set, self.design.members_of(sig)));
        }
        let fields = self.fields(name);
        if !fields.is_empty() {
            return self.one_of(&fields, name, span);
        }
        if self.callables.contains_key(name) {
            return self.inline(name, Vec::new(), span);
        }
        if let Some(event) = self.event(name) {
            return self.happens(event, &[], span);
        }
        if let Some(atom) = self.atom(name, span) {
            return atom;
        }
        self.unknown(name, span)
    }

    pub(super) fn sig(&self, name: &str) -> Option<SigId> {
        self.design.sigs.iter().position(|sig| sig.name == name).map(SigId)
    }

    /// In what is said about each atom of a signature, its fields need no dot.
    fn own_fields(&mut self, name: &str) -> Option<Value> {
        let (this, sig) = self.this?;
        if name == "this" {
            return Some(Value::Set(Set::Variable(this), self.design.type_of(sig)));
        }
        let owners: Vec<SigId> = self.design.ancestors(sig).collect();
        let is_own = |id: &RelationId| {
            self.design.relations[id.0].owner.is_some_and(|owner| owners.contains(&owner))
        };
        let field = *self.fields(name).iter().find(|id| is_own(id))?;
        let (set, ty) = self.relation(field);
        let ty = self.design.type_of(sig).join(&ty, &self.design);
        Some(Value::Set(Set::Join(Box::new(Set::Variable(this)), Box::new(set)), ty))
    }

    /// `Node$3`.
    fn atom(&mut self, name: &str, span: Span) -> Option<Checked<Value>> {
        let (sig, number) = name.split_once('$')?;
        let number: i64 = number.parse().ok()?;
        let Some(id) = self.sig(sig) else { return Some(self.unknown(sig, span)) };
        self.design.atoms.push((id, number, span));
        Some(Ok(Value::Set(Set::Atom(id, number, span), Type::of(id))))
    }

    /// The union of fields with one name.
    fn one_of(&mut self, fields: &[RelationId], name: &str, span: Span) -> Checked<Value> {
        let (mut set, mut ty) = self.relation(fields[0]);
        for other in &fields[1..] {
            let (more, also) = self.relation(*other);
            if columns(&also) != columns(&ty) {
                let message = format!("the field `{name}` is ambiguous");
                return self.fail(
                    Diagnostic::error(&UNKNOWN, message)
                        .at(span, "fields of different arity have this name")
                        .help("join it with an atom whose type says which one is meant"),
                );
            }
            ty = ty.union(&also, &self.design);
            set = Set::Union(Box::new(set), Box::new(more));
        }
        Ok(Value::Set(set, ty))
    }

    /// A join, or a call: `f[x, y]` is `y.(x.f)`.
    pub(super) fn join(&mut self, a: &Expr, b: &Expr, span: Span) -> Checked<Value> {
        let (mut arguments, mut of) = (vec![a], b);
        while let Kind::Binary(Binary::Join, argument, inner) = &of.kind {
            arguments.push(argument);
            of = inner;
        }
        arguments.reverse();
        if let Kind::Name(name) = &of.kind
            && !self.is_local(name)
            && let Some(value) = self.call(name, &arguments, span)
        {
            return value;
        }
        let left = self.set(a)?;
        let right = match &b.kind {
            Kind::Name(name) if self.is_overloaded(name) => self.chosen(&left.1, name, b.span)?,
            Kind::Unary(Unary::Prime, field) => match &field.kind {
                Kind::Name(name) if self.is_overloaded(name) => {
                    self.when = When::Next;
                    let chosen = self.chosen(&left.1, name, b.span);
                    self.when = When::Now;
                    chosen?
                }
                _ => self.set(b)?,
            },
            _ => self.set(b)?,
        };
        self.note(b, &right.1);
        self.joined(left, right, span)
    }

    fn is_overloaded(&self, name: &str) -> bool {
        !self.is_local(name) && self.sig(name).is_none() && self.fields(name).len() > 1
    }

    pub(super) fn is_local(&self, name: &str) -> bool {
        self.locals.iter().any(|(known, _)| known == name)
    }

    /// Of the fields with a name, those that can be joined with a set.
    fn chosen(&mut self, left: &Type, name: &str, span: Span) -> Checked<(Set, Type)> {
        let fields = self.fields(name);
        let fits =
            |id: &&RelationId| left.join(&self.design.relations[id.0].ty, &self.design).has_tuple();
        let fitting: Vec<RelationId> = fields.iter().filter(fits).copied().collect();
        let fields = if fitting.is_empty() { fields } else { fitting };
        match self.one_of(&fields, name, span)? {
            Value::Set(set, ty) => Ok((set, ty)),
            _ => Err(Failed),
        }
    }

    pub(super) fn joined(
        &mut self,
        (a, left): (Set, Type),
        (b, right): (Set, Type),
        span: Span,
    ) -> Checked<Value> {
        if columns(&left) + columns(&right) < 3 {
            return self.fail(
                Diagnostic::error(&ARITY, "a join of two plain sets has no columns left")
                    .at(span, "neither side is a relation")
                    .help("join a set with a field: `node.next`"),
            );
        }
        let ty = left.join(&right, &self.design);
        Ok(Value::Set(Set::Join(Box::new(a), Box::new(b)), ty))
    }

    /// What a name says of arguments; `None` if it is a relation, or nothing at all.
    fn call(&mut self, name: &str, arguments: &[&Expr], span: Span) -> Option<Checked<Value>> {
        if self.callables.contains_key(name) {
            let mut values = Vec::new();
            for argument in arguments {
                match self.value(argument) {
                    Ok(value) => values.push((value, argument.span)),
                    Err(failed) => return Some(Err(failed)),
                }
            }
            return Some(self.inline(name, values, span));
        }
        if self.sig(name).is_some() || !self.fields(name).is_empty() {
            return None;
        }
        if let Some(event) = self.event(name) {
            return Some(self.happens(event, arguments, span));
        }
        self.built_in(name, arguments, span)
    }

    /// All atoms that there are: not those that a scope only allows.
    pub(super) fn all_atoms(&self) -> Set {
        if !self.design.sigs.iter().any(|sig| sig.is_ranged) {
            return Set::Univ;
        }
        let sigs = self.design.sigs.iter().enumerate().skip(1);
        let outermost = sigs.filter(|(_, sig)| sig.parent.is_none() && sig.subset_of.is_empty());
        let sets = outermost.map(|(number, _)| self.design.set_of(SigId(number)));
        let all = sets.reduce(|a, b| Set::Union(Box::new(a), Box::new(b)));
        all.unwrap_or(Set::Univ)
    }

    /// Each atom with itself.
    pub(super) fn identity(&self) -> Set {
        match self.all_atoms() {
            Set::Univ => Set::Iden,
            all => Set::Domain(Box::new(all), Box::new(Set::Iden)),
        }
    }

    /// That an event happens, with these arguments or with any.
    fn happens(&mut self, event: EventId, arguments: &[&Expr], span: Span) -> Checked<Value> {
        let def = &self.design.events[event.0];
        let (name, wanted) = (def.name.clone(), def.parameters.len());
        if !arguments.is_empty() && arguments.len() != wanted {
            return self.arguments(&name, wanted, arguments.len(), span);
        }
        let mut sets = Vec::new();
        for (number, argument) in arguments.iter().enumerate() {
            let (set, ty) = self.set(argument)?;
            let parameter = self.design.events[event.0].parameters[number].1.clone();
            if let Some(wanted) = self.event_types[event.0].get(number).cloned()
                && let Some(misfit) = self.unfit((&name, &parameter), &ty, &wanted, argument.span)
            {
                return self.fail(misfit);
            }
            sets.push(set);
        }
        Ok(Value::Formula(Formula::Happens(event, sets, span)))
    }

    pub(super) fn arguments<T>(
        &mut self,
        name: &str,
        wanted: usize,
        given: usize,
        span: Span,
    ) -> Checked<T> {
        let message = format!("`{name}` has {wanted} parameters, {given} arguments are given");
        self.fail(
            Diagnostic::error(&ARITY, message)
                .at(span, "")
                .help("give one argument for each parameter, in order"),
        )
    }

    /// What a predicate or function stands for with these arguments.
    fn inline(&mut self, name: &str, given: Vec<(Value, Span)>, span: Span) -> Checked<Value> {
        let callable = self.callables[name];
        if self.calling.iter().any(|caller| caller == name) {
            let message = format!("`{name}` uses itself");
            self.quiet_off(|checker| {
                checker.report(
                    Diagnostic::error(&RECURSIVE, message)
                        .at(span, "")
                        .help("use the closure `^` of a relation"),
                );
            });
            return Err(Failed);
        }
        let names = callable.parameters.iter().flat_map(|decl| &decl.names);
        let parameters: Vec<String> = names.map(|name| name.text.clone()).collect();
        if parameters.len() != given.len() {
            // `f[x][y]` and `x.(f[y])` are joins with the result.
            if parameters.len() < given.len() && callable.result.is_some() {
                let mut given = given;
                let more = given.split_off(parameters.len());
                let mut value = self.inline(name, given, span)?;
                for (argument, place) in more {
                    let place = Expr { kind: Kind::Block(Vec::new()), span: place };
                    let left = self.as_set(argument, &place)?;
                    let right = self.as_set(value, &place)?;
                    value = self.joined(left, right, span)?;
                }
                return Ok(value);
            }
            return self.arguments(name, parameters.len(), given.len(), span);
        }
        let places: Vec<Span> = given.iter().map(|(_, place)| *place).collect();
        let given: Vec<Value> = given.into_iter().map(|(value, _)| value).collect();
        let locals = parameters.into_iter().zip(given).collect();
        let outer = std::mem::replace(&mut self.locals, locals);
        let this = self.this.take();
        let when = self.when;
        let misfit = self.misfit(callable, &places);
        if let Some(misfit) = misfit {
            (self.locals, self.this, self.when) = (outer, this, when);
            return self.fail(misfit);
        }
        self.calling.push(name.to_owned());
        self.quiet += 1;
        let value = self.value(&callable.body);
        self.quiet -= 1;
        self.calling.pop();
        (self.locals, self.this, self.when) = (outer, this, when);
        if value.is_err() && self.quiet == 0 && !self.diagnostics.iter().any(Diagnostic::is_error) {
            let message = format!("`{name}` does not fit its arguments here");
            let help = "the arguments must be what the parameters are declared as";
            return self.fail(Diagnostic::error(&ARITY, message).at(span, "").help(help));
        }
        value
    }

    fn quiet_off(&mut self, report: impl FnOnce(&mut Self)) {
        let quiet = std::mem::take(&mut self.quiet);
        report(self);
        self.quiet = quiet;
    }
}
