//! Expressions: what each name means, arity, kind and type. Overloaded fields are told apart by what
//! they are joined with; a name that no type explains is the union of its fields.

use std::collections::BTreeMap;

use quadrille_diagnostic::{Diagnostic, Span, similar};
use quadrille_grammar::tree::{Binary, Expr, Function, Kind, ListOp, Module, Unary};
use rustc_hash::FxHashMap;

use super::core::{
    EventId, Formula, Number, RelationId, Set, SigId, Temporal, TemporalPair, VariableId, When,
};
use super::words::{Comparison, Mult};
use super::{Design, INT, Type, UNIV, builtin, columns};
use crate::codes::{ARITY, EFFECT, KIND, UNKNOWN, UNSUPPORTED};

/// A mistake was reported.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Checked<T> = Result<T, Failed>;

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Formula(Formula),
    Set(Set, Type),
    Number(Number),
}

pub(super) struct Checker<'t> {
    pub(super) design: Design,
    pub(super) callables: BTreeMap<String, &'t Function>,
    pub(super) locals: Vec<(String, Value)>,
    /// What the parameters of events are declared as; of a wrong declaration, nothing.
    pub(super) event_types: Vec<Vec<Type>>,
    /// The atom whose fields need no dot, and its signature.
    pub(super) this: Option<(VariableId, SigId)>,
    /// Whether a prime stands behind what is read.
    pub(super) when: When,
    /// Names of predicates that are being replaced by their bodies.
    pub(super) calling: Vec<String>,
    /// The types of the parts of what is read, by where they are kept.
    pub(super) typed: FxHashMap<*const Expr, Type>,
    /// Whether mistakes are kept silent, as they were reported before.
    pub(super) quiet: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'t> Checker<'t> {
    pub(super) fn new(module: &'t Module) -> Self {
        Self {
            design: super::declare::empty(module),
            callables: BTreeMap::new(),
            locals: Vec::new(),
            event_types: Vec::new(),
            this: None,
            when: When::Now,
            calling: Vec::new(),
            typed: FxHashMap::default(),
            quiet: 0,
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.quiet == 0 {
            self.diagnostics.push(diagnostic);
        }
    }

    pub(super) fn fail<T>(&mut self, diagnostic: Diagnostic) -> Checked<T> {
        self.report(diagnostic);
        Err(Failed)
    }

    pub(super) fn fresh(&mut self, name: &str) -> VariableId {
        self.design.variables.push(name.to_owned());
        VariableId(self.design.variables.len() - 1)
    }

    pub(super) fn formula(&mut self, expr: &Expr) -> Checked<Formula> {
        match self.value(expr)? {
            Value::Formula(formula) => Ok(formula),
            Value::Set(..) => self.fail(
                Diagnostic::error(&KIND, "a formula is wanted, this is a set")
                    .at(expr.span, "neither true nor false")
                    .help("write `some …`, `no …`, or compare it with another set"),
            ),
            Value::Number(_) => self.fail(
                Diagnostic::error(&KIND, "a formula is wanted, this is a number")
                    .at(expr.span, "neither true nor false")
                    .help("compare it with another number"),
            ),
        }
    }

    pub(super) fn set(&mut self, expr: &Expr) -> Checked<(Set, Type)> {
        let value = self.value(expr)?;
        self.as_set(value, expr)
    }

    pub(super) fn as_set(&mut self, value: Value, expr: &Expr) -> Checked<(Set, Type)> {
        match value {
            Value::Set(set, ty) => Ok((set, ty)),
            Value::Number(number) => {
                self.design.uses_numbers = true;
                Ok((Set::Number(Box::new(number), expr.span), Type::of(INT)))
            }
            Value::Formula(_) => {
                let mut diagnostic = Diagnostic::error(&KIND, "a set is wanted, this is a formula")
                    .at(expr.span, "true or false, nothing else");
                if let Kind::Name(name) = &expr.kind {
                    let what = if self.event(name).is_some() { "an event" } else { "a predicate" };
                    diagnostic.message = format!("a set is wanted, `{name}` is {what}");
                    let sigs = self.design.sigs.iter().map(|sig| sig.name.as_str());
                    if let Some(near) = similar(name, sigs).first() {
                        diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                    }
                }
                self.fail(diagnostic)
            }
        }
    }

    pub(super) fn number(&mut self, expr: &Expr) -> Checked<Number> {
        let value = self.value(expr)?;
        self.as_number(value, expr)
    }

    pub(super) fn as_number(&mut self, value: Value, expr: &Expr) -> Checked<Number> {
        match value {
            Value::Number(number) => Ok(number),
            Value::Set(set, ty) if columns(&ty) == 1 && ty.meets(&Type::of(INT), &self.design) => {
                self.design.uses_numbers = true;
                Ok(Number::Value(Box::new(set)))
            }
            _ => self.fail(
                Diagnostic::error(&KIND, "a number is wanted")
                    .at(expr.span, "is none")
                    .help("count a set with `#`, or use a field that holds an `Int`"),
            ),
        }
    }

    /// What an expression is and means.
    pub(super) fn value(&mut self, expr: &Expr) -> Checked<Value> {
        let value = self.meaning(expr)?;
        match &value {
            Value::Set(_, ty) => self.note(expr, ty),
            Value::Number(_) => self.note(expr, &Type::of(INT)),
            Value::Formula(_) => {}
        }
        Ok(value)
    }

    fn meaning(&mut self, expr: &Expr) -> Checked<Value> {
        match &expr.kind {
            Kind::Name(name) => self.name(name, expr.span),
            Kind::Number(number) => Ok(Value::Number(Number::Literal(*number))),
            Kind::Text(_) => self.unsupported("strings", expr.span),
            Kind::Builtin(_) => self.unsupported("functions of Alloy's own modules", expr.span),
            Kind::Unary(operator, of) => self.unary(*operator, of, expr.span),
            Kind::Binary(operator, a, b) => self.binary(*operator, a, b, expr.span),
            Kind::Else(condition, then, otherwise) => self.otherwise(condition, then, otherwise),
            Kind::List(ListOp::Disj, sets) => self.disjoint(sets, expr.span),
            Kind::List(ListOp::TotalOrder, _) => self.unsupported("total orders", expr.span),
            Kind::Quantified(quantifier, decls, body) => {
                self.quantified(*quantifier, decls, body, expr.span)
            }
            Kind::Let(name, bound, body) => {
                let value = self.value(bound)?;
                self.locals.push((name.text.clone(), value));
                let value = self.value(body);
                self.locals.pop();
                value
            }
            Kind::Block(formulas) => {
                let (mut all, mut failed) = (Vec::new(), false);
                for formula in formulas {
                    match self.formula(formula) {
                        Ok(formula) => all.push(formula),
                        Err(Failed) => failed = true,
                    }
                }
                if failed { Err(Failed) } else { Ok(Value::Formula(Formula::and(all))) }
            }
        }
    }

    fn unsupported<T>(&mut self, what: &str, span: Span) -> Checked<T> {
        let message = format!("{what} are not supported in designs");
        self.fail(
            Diagnostic::error(&UNSUPPORTED, message)
                .at(span, "")
                .help("say it by signatures, fields and their atoms"),
        )
    }

    /// `disj[a, b, c]`: no two of them have a member in common.
    fn disjoint(&mut self, sets: &[Expr], span: Span) -> Checked<Value> {
        let sets = sets.iter().map(|set| self.set(set)).collect::<Checked<Vec<_>>>()?;
        let mut parts = Vec::new();
        for (number, (set, ty)) in sets.iter().enumerate() {
            for (other, also) in &sets[..number] {
                self.same_arity(ty, also, span)?;
                let both = Set::Intersection(Box::new(other.clone()), Box::new(set.clone()));
                parts.push(Formula::Count(Mult::No, Box::new(both), span));
            }
        }
        Ok(Value::Formula(Formula::and(parts)))
    }

    fn otherwise(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Checked<Value> {
        let condition = self.formula(condition)?;
        let (a, b) = (self.value(then)?, self.value(otherwise)?);
        Ok(match (a, b) {
            (Value::Formula(a), Value::Formula(b)) => {
                Value::Formula(Formula::If(Box::new(condition), Box::new(a), Box::new(b)))
            }
            (Value::Number(a), Value::Number(b)) => {
                Value::Number(Number::If(Box::new(condition), Box::new(a), Box::new(b)))
            }
            (a, b) => {
                let ((a, left), (b, right)) = (self.as_set(a, then)?, self.as_set(b, otherwise)?);
                self.same_arity(&left, &right, then.span.to(otherwise.span))?;
                let ty = left.union(&right, &self.design);
                Value::Set(Set::If(Box::new(condition), Box::new(a), Box::new(b)), ty)
            }
        })
    }

    fn unary(&mut self, operator: Unary, of: &Expr, span: Span) -> Checked<Value> {
        let temporal =
            |temporal, formula| Ok(Value::Formula(Formula::Unary(temporal, Box::new(formula))));
        match operator {
            Unary::Not => Ok(Value::Formula(self.formula(of)?.negated())),
            Unary::Always => temporal(Temporal::Always, self.formula(of)?),
            Unary::Eventually => temporal(Temporal::Eventually, self.formula(of)?),
            Unary::After => temporal(Temporal::After, self.formula(of)?),
            Unary::Before => temporal(Temporal::Before, self.formula(of)?),
            Unary::Historically => temporal(Temporal::Historically, self.formula(of)?),
            Unary::Once => temporal(Temporal::Once, self.formula(of)?),
            Unary::SetOf | Unary::LoneOf | Unary::OneOf | Unary::SomeOf | Unary::ExactlyOf => {
                self.misplaced(span)
            }
            Unary::No | Unary::Some | Unary::Lone | Unary::One => {
                let (set, _) = self.set(of)?;
                let mult = match operator {
                    Unary::No => Mult::No,
                    Unary::Some => Mult::Some,
                    Unary::Lone => Mult::Lone,
                    _ => Mult::One,
                };
                Ok(Value::Formula(Formula::Count(mult, Box::new(set), span)))
            }
            Unary::ToSet | Unary::Group => self.value(of),
            Unary::ToInt => self.fail(
                Diagnostic::error(&UNSUPPORTED, "`sum` of a set is not supported in designs")
                    .at(span, "")
                    .help("write `sum x : S | x`"),
            ),
            Unary::Cardinality => Ok(Value::Number(Number::Card(Box::new(self.set(of)?.0)))),
            Unary::Prime => {
                if self.when == When::Next {
                    return self.fail(
                        Diagnostic::error(&EFFECT, "a prime stands under a prime")
                            .at(span, "")
                            .help("leave one out: only the next state can be spoken of"),
                    );
                }
                self.when = When::Next;
                let value = self.value(of);
                self.when = When::Now;
                let (set, ty) = self.as_set(value?, of)?;
                if !set.is_primed() {
                    let diagnostic = Diagnostic::error(&EFFECT, "this never changes")
                        .at(span, "a prime means nothing here")
                        .help("declare the field or the signature with `var`");
                    return self.fail(diagnostic);
                }
                Ok(Value::Set(set, ty))
            }
            Unary::Transpose | Unary::Closure | Unary::ReflexiveClosure => {
                let (set, ty) = self.set(of)?;
                if columns(&ty) != 2 {
                    let message =
                        format!("a relation of two columns is wanted, this has {}", columns(&ty));
                    return self.fail(
                        Diagnostic::error(&ARITY, message)
                            .at(of.span, "")
                            .help("`~`, `^` and `*` are for binary relations"),
                    );
                }
                let set = Box::new(set);
                Ok(match operator {
                    Unary::Transpose => Value::Set(Set::Transpose(set), ty.transpose()),
                    Unary::Closure => Value::Set(Set::Closure(set), ty.closure(&self.design)),
                    _ => {
                        let all = Type::product_of(vec![UNIV, UNIV]);
                        let set = match self.identity() {
                            Set::Iden => Set::Reflexive(set),
                            own => Set::Union(Box::new(Set::Closure(set)), Box::new(own)),
                        };
                        Value::Set(set, all)
                    }
                })
            }
        }
    }

    fn misplaced<T>(&mut self, span: Span) -> Checked<T> {
        self.fail(
            Diagnostic::error(&KIND, "multiplicities and `seq` stand in declarations only")
                .at(span, "")
                .help("leave the word out"),
        )
    }

    fn binary(&mut self, operator: Binary, a: &Expr, b: &Expr, span: Span) -> Checked<Value> {
        let pair = |pair, a, b| Ok(Value::Formula(Formula::Binary(pair, Box::new(a), Box::new(b))));
        match operator {
            Binary::Or => {
                let mut all = Vec::new();
                for part in [self.formula(a), self.formula(b)] {
                    match part? {
                        Formula::Or(inner) => all.extend(inner),
                        other => all.push(other),
                    }
                }
                Ok(Value::Formula(Formula::Or(all)))
            }
            Binary::And => {
                let (a, b) = (self.formula(a), self.formula(b));
                Ok(Value::Formula(Formula::and([a?, b?])))
            }
            Binary::Iff => {
                let (a, b) = (self.formula(a)?, self.formula(b)?);
                Ok(Value::Formula(Formula::Iff(Box::new(a), Box::new(b))))
            }
            Binary::Until => pair(TemporalPair::Until, self.formula(a)?, self.formula(b)?),
            Binary::Releases => pair(TemporalPair::Releases, self.formula(a)?, self.formula(b)?),
            Binary::Since => pair(TemporalPair::Since, self.formula(a)?, self.formula(b)?),
            Binary::Triggered => pair(TemporalPair::Triggered, self.formula(a)?, self.formula(b)?),
            Binary::Implies => {
                let condition = self.formula(a)?;
                Ok(Value::Formula(Formula::implies(condition, self.formula(b)?)))
            }
            Binary::Join => self.join(a, b, span),
            Binary::In => self.compared(Comparison::In, true, a, b, span),
            Binary::NotIn => self.compared(Comparison::In, false, a, b, span),
            Binary::Equals => self.compared(Comparison::Equal, true, a, b, span),
            Binary::NotEquals => self.compared(Comparison::Equal, false, a, b, span),
            Binary::Less => self.compared(Comparison::Less, true, a, b, span),
            Binary::NotLess => self.compared(Comparison::Less, false, a, b, span),
            Binary::LessEqual => self.compared(Comparison::LessEqual, true, a, b, span),
            Binary::NotLessEqual => self.compared(Comparison::LessEqual, false, a, b, span),
            Binary::Greater => self.compared(Comparison::Greater, true, a, b, span),
            Binary::NotGreater => self.compared(Comparison::Greater, false, a, b, span),
            Binary::GreaterEqual => self.compared(Comparison::GreaterEqual, true, a, b, span),
            Binary::NotGreaterEqual => self.compared(Comparison::GreaterEqual, false, a, b, span),
            Binary::Arrow(..) => {
                let ((a, left), (b, right)) = (self.set(a)?, self.set(b)?);
                let ty = left.product(&right, &self.design);
                Ok(Value::Set(Set::Product(Box::new(a), Box::new(b)), ty))
            }
            Binary::SeqArrow => self.misplaced(span),
            Binary::IntPlus | Binary::IntMinus | Binary::Mul | Binary::Div | Binary::Rem => {
                self.unsupported("functions of Alloy's own modules", span)
            }
            Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightUnsigned => {
                self.unsupported("shifts", span)
            }
            Binary::Union | Binary::Difference | Binary::Intersect | Binary::Override => {
                let ((left, one), (right, two)) = (self.set(a)?, self.set(b)?);
                self.same_arity(&one, &two, span)?;
                let (left, right) = (Box::new(left), Box::new(right));
                let set = match operator {
                    Binary::Union => Set::Union(left, right),
                    Binary::Override => Set::Override(left, right),
                    Binary::Difference => Set::Difference(left, right),
                    _ => Set::Intersection(left, right),
                };
                Ok(Value::Set(set, self.result_of(operator, &one, &two)))
            }
            Binary::Domain | Binary::Range => {
                let ((left, one), (right, two)) = (self.set(a)?, self.set(b)?);
                let set = if operator == Binary::Domain { &one } else { &two };
                if columns(set) != 1 {
                    let message = format!("a set of arity 1 is wanted, this has {}", columns(set));
                    return self.fail(Diagnostic::error(&ARITY, message).at(span, ""));
                }
                let ty = self.result_of(operator, &one, &two);
                let (left, right) = (Box::new(left), Box::new(right));
                Ok(Value::Set(
                    match operator {
                        Binary::Domain => Set::Domain(left, right),
                        _ => Set::Range(left, right),
                    },
                    ty,
                ))
            }
        }
    }

    /// The type of what an operator on sets gives.
    fn result_of(&self, operator: Binary, left: &Type, right: &Type) -> Type {
        left.of_operator(operator, right, &self.design).unwrap_or_default()
    }

    fn compared(
        &mut self,
        comparison: Comparison,
        holds: bool,
        a: &Expr,
        b: &Expr,
        span: Span,
    ) -> Checked<Value> {
        let formula = self.comparison(comparison, a, b, span)?;
        Ok(Value::Formula(if holds { formula } else { formula.negated() }))
    }

    fn comparison(
        &mut self,
        comparison: Comparison,
        a: &Expr,
        b: &Expr,
        span: Span,
    ) -> Checked<Formula> {
        let (left, right) = (self.value(a), self.value(b));
        let (left, right) = (left?, right?);
        let is_order = !matches!(comparison, Comparison::In | Comparison::Equal);
        let are_numbers = matches!((&left, &right), (Value::Number(_), Value::Number(_)));
        if is_order || are_numbers && comparison == Comparison::Equal {
            let (left, right) = (self.as_number(left, a)?, self.as_number(right, b)?);
            return Ok(Formula::Compare(comparison, Box::new(left), Box::new(right)));
        }
        if let (Value::Formula(_), Value::Formula(_)) = (&left, &right) {
            return self.fail(
                Diagnostic::error(&KIND, "formulas are compared with `iff`")
                    .at(span, "")
                    .help("write `iff` for `=`"),
            );
        }
        let ((left, one), (right, two)) = (self.as_set(left, a)?, self.as_set(right, b)?);
        self.same_arity(&one, &two, span)?;
        let (left, right) = (Box::new(left), Box::new(right));
        Ok(match comparison {
            Comparison::In => Formula::In(left, right, span),
            _ => Formula::Equal(left, right, span),
        })
    }

    pub(super) fn event(&self, name: &str) -> Option<EventId> {
        self.design.events.iter().position(|event| event.name == name).map(EventId)
    }

    /// The fields with a name.
    pub(super) fn fields(&self, name: &str) -> Vec<RelationId> {
        let all = self.design.relations.iter().enumerate();
        all.filter(|(_, relation)| relation.owner.is_some() && relation.name == name)
            .map(|(number, _)| RelationId(number))
            .collect()
    }

    pub(super) fn relation(&self, id: RelationId) -> (Set, Type) {
        let def = &self.design.relations[id.0];
        let when = if def.is_var { self.when } else { When::Now };
        (Set::Relation(id, when), def.ty.clone())
    }

    pub(super) fn unknown<T>(&mut self, name: &str, span: Span) -> Checked<T> {
        let message = format!("the name `{name}` is not declared");
        let mut diagnostic = Diagnostic::error(&UNKNOWN, message).at(span, "unknown");
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[letters.len()..];
        let is_sig = |word: &str| self.design.sigs.iter().any(|sig| sig.name == word);
        let sigs = self.design.sigs.iter().map(|sig| sig.name.as_str());
        let relations = self.design.relations.iter().map(|relation| relation.name.as_str());
        let callables = self.callables.keys().map(String::as_str);
        let locals = self.locals.iter().map(|(name, _)| name.as_str());
        let known = locals.chain(relations).chain(sigs).chain(callables);
        let near = similar(name, known.chain(builtin::OF_NUMBERS));
        diagnostic = if !digits.is_empty() && is_sig(letters) {
            diagnostic.help(format!("atoms are written with `$`: `{letters}${digits}`"))
        } else if let Some(near) = near.first() {
            diagnostic.help(format!("did you mean `{near}`?"))
        } else {
            diagnostic.help("declare it, or correct the name")
        };
        self.fail(diagnostic)
    }
}
