//! Names and types of expressions: from the tree to what can be evaluated. Knows the names in force,
//! not the statements around them.

use quadrille_diagnostic::{Diagnostic, Span, similar};
use rustc_hash::FxHashSet;

use super::codes;
use super::program::{
    EnumId, Expr, ExprKind, FamilyId, Function, Global, LocalId, ParameterId, Program, Sought,
    Type, Value,
};
use super::tree::{self, Operator};

/// The names in force at a place.
pub(super) struct Scope<'a> {
    pub(super) program: &'a Program,
    /// Names bound around the place, innermost last, with their places in the frame.
    pub(super) locals: Vec<(String, Type, LocalId)>,
    /// Parameters of the text that are declared before the place.
    pub(super) n_parameters: usize,
    pub(super) used: FxHashSet<Global>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        Self {
            program,
            locals: Vec::new(),
            n_parameters: program.parameters.len(),
            used: FxHashSet::default(),
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// An expression that must have this type. `what` says what it is for.
    pub(super) fn typed(&mut self, expr: &tree::Expr, wanted: &Type, what: &str) -> Expr {
        let (resolved, found) = self.expr(expr);
        self.must_fit(&found, wanted, what, expr.span);
        resolved
    }

    pub(super) fn must_fit(&mut self, found: &Type, wanted: &Type, what: &str, span: Span) {
        if !found.fits(wanted) {
            let (wanted, found) = (self.program.show_type(wanted), self.program.show_type(found));
            self.error(
                Diagnostic::error(&codes::TYPE, format!("{what} must be {wanted}"))
                    .at(span, format!("this is {found}")),
            );
        }
    }

    /// An expression that must have this type and not depend on variables.
    pub(super) fn constant(&mut self, expr: &tree::Expr, wanted: &Type, what: &str) -> Expr {
        let resolved = self.typed(expr, wanted, what);
        if resolved.dynamic {
            let message = format!("{what} must not depend on variables");
            self.error(
                Diagnostic::error(&codes::CHANGING, message)
                    .at(expr.span, "changes while the protocol runs")
                    .help("use parameters and numbers"),
            );
        }
        resolved
    }

    /// A role, or several where `many`. `what` says what it is for.
    pub(super) fn role(&mut self, expr: &tree::Expr, what: &str, many: bool) -> Expr {
        if let tree::ExprKind::Name(name, _) = &expr.kind
            && !self.locals.iter().any(|(local, ..)| local == name)
        {
            match self.global(name, expr.span, Sought::Role) {
                Some(Global::Role(_)) => {}
                other => {
                    if let Some(global) = other {
                        self.wrong_kind(name, expr.span, "a role", global);
                    }
                    let (kind, _) = unknown();
                    return Expr { kind, span: expr.span, dynamic: false };
                }
            }
        }
        let (resolved, found) = self.expr(expr);
        let several = Type::set_of(Type::Role);
        if !(many && found.fits(&several)) {
            self.must_fit(&found, &Type::Role, what, expr.span);
        }
        resolved
    }

    /// What a name stands for; reported where it is nothing.
    pub(super) fn global(&mut self, name: &str, span: Span, sought: Sought) -> Option<Global> {
        if let Some(&global) = self.program.names.get(name) {
            self.used.insert(global);
            return Some(global);
        }
        let locals = self.locals.iter().filter(|_| sought.may_be_local());
        let globals = self.program.names.iter().filter(|(_, global)| sought.is(**global));
        let mut known: Vec<&str> = locals
            .map(|(local, ..)| local.as_str())
            .chain(globals.map(|(name, _)| name.as_str()))
            .collect();
        known.sort_unstable();
        let near = similar(name, known);
        let help = match near.first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declare it, or correct the name".to_owned(),
        };
        let message = format!("there is no {} `{name}`", sought.noun());
        self.error(Diagnostic::error(&codes::UNKNOWN, message).at(span, "not declared").help(help));
        None
    }

    /// Says that a name stands for another kind of thing.
    pub(super) fn wrong_kind(&mut self, name: &str, span: Span, what: &str, global: Global) {
        let message = format!("`{name}` is {}, not {what}", global.kind());
        self.error(
            Diagnostic::error(&codes::UNKNOWN, message)
                .at(span, format!("expected {what}"))
                .help("use another name"),
        );
    }

    /// An expression with its type.
    pub(super) fn expr(&mut self, expr: &tree::Expr) -> (Expr, Type) {
        let span = expr.span;
        let (kind, found) = match &expr.kind {
            tree::ExprKind::Number(number) => constant(Value::Int(*number), Type::Int),
            tree::ExprKind::Bool(value) => constant(Value::Bool(*value), Type::Bool),
            tree::ExprKind::Name(name, indices) => self.name(name, indices, span),
            tree::ExprKind::Every => {
                self.error(
                    Diagnostic::error(&codes::TYPE, "`*` stands for every index of a role only")
                        .at(span, "no value")
                        .help("name the index"),
                );
                unknown()
            }
            tree::ExprKind::Set(parts) => self.set(parts),
            tree::ExprKind::Not(inner) => {
                let inner = self.typed(inner, &Type::Bool, "what is negated");
                (ExprKind::Not(inner.into()), Type::Bool)
            }
            tree::ExprKind::Negate(inner) => {
                let inner = self.typed(inner, &Type::Int, "what is negated");
                (ExprKind::Negate(inner.into()), Type::Int)
            }
            tree::ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right),
            tree::ExprKind::If(test, then, other) => {
                let test = self.typed(test, &Type::Bool, "a condition");
                let (then, found) = self.expr(then);
                let other = self.typed(other, &found, "the other value");
                (ExprKind::If(test.into(), then.into(), other.into()), found)
            }
            tree::ExprKind::Call(name, arguments) => self.call(name, arguments),
        };
        let dynamic = is_dynamic(&kind);
        (Expr { kind, span, dynamic }, found)
    }

    fn set(&mut self, parts: &[tree::Expr]) -> (ExprKind, Type) {
        let mut element = Type::Unknown;
        let mut resolved = Vec::new();
        for part in parts {
            let (part_expr, found) = self.expr(part);
            self.must_fit(&found, &element, "each part of a set", part.span);
            if element == Type::Unknown {
                element = found;
            }
            resolved.push(part_expr);
        }
        (ExprKind::Set(resolved), Type::set_of(element))
    }

    fn name(&mut self, name: &str, indices: &[tree::Expr], span: Span) -> (ExprKind, Type) {
        let local = self.locals.iter().rev().find(|(local, ..)| local == name);
        if let Some((_, found, id)) = local {
            let resolved = (ExprKind::Local(*id), found.clone());
            self.n_indices(name, indices.len(), 0, span);
            return resolved;
        }
        let Some(global) = self.global(name, span, Sought::Value) else { return unknown() };
        match global {
            Global::Role(id) => self.family(id, indices, span),
            Global::Variable(id) => {
                let array = &self.program.arrays[id.0];
                self.n_indices(name, indices.len(), array.dimensions.len(), span);
                let value_type = array.domain.value_type();
                let indices = indices.iter();
                let indices =
                    indices.map(|index| self.typed(index, &Type::Int, "an index")).collect();
                (ExprKind::Variable(id, indices), value_type)
            }
            Global::Parameter(ParameterId(position)) => {
                self.n_indices(name, indices.len(), 0, span);
                if position >= self.n_parameters {
                    let message = format!("`{name}` is used before it is declared");
                    self.error(
                        Diagnostic::error(&codes::UNKNOWN, message)
                            .at(span, "declared further down")
                            .help("declare it first"),
                    );
                }
                (ExprKind::Parameter(ParameterId(position)), Type::Int)
            }
            Global::Value(id, position) => {
                self.n_indices(name, indices.len(), 0, span);
                constant(Value::Enum(id, position), Type::Enum(id))
            }
            Global::Enum(id) => {
                self.n_indices(name, indices.len(), 0, span);
                constant(self.values_of(id), Type::set_of(Type::Enum(id)))
            }
            Global::Message(_) | Global::Event(_) | Global::Protocol(_) => {
                self.wrong_kind(name, span, "a value", global);
                unknown()
            }
        }
    }

    fn values_of(&self, id: EnumId) -> Value {
        let n_values = self.program.enums[id.0].values.len() as u32;
        Value::Set((0..n_values).map(|position| Value::Enum(id, position)).collect())
    }

    fn family(&mut self, id: FamilyId, indices: &[tree::Expr], span: Span) -> (ExprKind, Type) {
        let family = &self.program.families[id.0];
        self.n_indices(&family.name.text, indices.len(), family.dimensions.len(), span);
        let mut many = false;
        let mut resolved = Vec::new();
        for index in indices {
            if index.kind == tree::ExprKind::Every {
                many = true;
                resolved.push(None);
                continue;
            }
            let (index_expr, found) = self.expr(index);
            if found.fits(&Type::set_of(Type::Int)) && found != Type::Unknown {
                many = true;
            } else {
                self.must_fit(&found, &Type::Int, "an index", index.span);
            }
            resolved.push(Some(index_expr));
        }
        let found = if many { Type::set_of(Type::Role) } else { Type::Role };
        (ExprKind::Role(id, resolved), found)
    }

    pub(super) fn n_indices(&mut self, name: &str, found: usize, wanted: usize, span: Span) {
        if found != wanted {
            let message = match wanted {
                0 => format!("`{name}` has no indices"),
                1 => format!("`{name}` has one index"),
                _ => format!("`{name}` has {wanted} indices"),
            };
            let help = if wanted == 0 {
                format!("write `{name}`")
            } else {
                format!("write `{name}{}`", "[i]".repeat(wanted))
            };
            self.error(
                Diagnostic::error(&codes::ARITY, message)
                    .at(span, format!("here it has {found}"))
                    .help(help),
            );
        }
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: &tree::Expr,
        right: &tree::Expr,
    ) -> (ExprKind, Type) {
        let what = || format!("what stands beside `{}`", operator.text());
        let (left, right, found) = match operator {
            Operator::And | Operator::Or => {
                let left = self.typed(left, &Type::Bool, &what());
                (left, self.typed(right, &Type::Bool, &what()), Type::Bool)
            }
            Operator::Equal | Operator::NotEqual => {
                let (left, found) = self.expr(left);
                (left, self.typed(right, &found, &what()), Type::Bool)
            }
            Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast => {
                let left = self.typed(left, &Type::Int, &what());
                (left, self.typed(right, &Type::Int, &what()), Type::Bool)
            }
            Operator::In => {
                let (left, found) = self.expr(left);
                (left, self.typed(right, &Type::set_of(found), &what()), Type::Bool)
            }
            Operator::Range | Operator::RangeInclusive => {
                let left = self.typed(left, &Type::Int, "where a range starts");
                let right = self.typed(right, &Type::Int, "where a range ends");
                (left, right, Type::set_of(Type::Int))
            }
            Operator::Add | Operator::Subtract => {
                let (left_expr, found) = self.expr(left);
                let wanted = if matches!(found, Type::Set(_)) { found.clone() } else { Type::Int };
                self.must_fit(&found, &wanted, &what(), left.span);
                (left_expr, self.typed(right, &wanted, &what()), wanted)
            }
            Operator::Multiply | Operator::Divide | Operator::Remainder => {
                let left = self.typed(left, &Type::Int, &what());
                (left, self.typed(right, &Type::Int, &what()), Type::Int)
            }
        };
        (ExprKind::Binary(operator, left.into(), right.into()), found)
    }

    fn call(&mut self, name: &tree::Name, arguments: &[tree::Expr]) -> (ExprKind, Type) {
        let (function, wanted) = match name.text.as_str() {
            "min" => (Function::Min, 2),
            "max" => (Function::Max, 2),
            "size" => (Function::Size, 1),
            "subsets" => (Function::Subsets, 1),
            other => {
                let near = similar(other, ["min", "max", "size", "subsets"]);
                let message = format!("there is no function `{other}`");
                let help = near.first().map_or_else(
                    || "functions are `min`, `max`, `size` and `subsets`".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                let unknown_function = Diagnostic::error(&codes::UNKNOWN, message);
                self.error(unknown_function.at(name.span, "not known").help(help));
                return unknown();
            }
        };
        if arguments.len() != wanted {
            self.error(wrong_number(&name.text, name.span, wanted, arguments.len()));
            return unknown();
        }
        let any_set = Type::set_of(Type::Unknown);
        let mut resolved = Vec::new();
        let mut found = Type::Int;
        for argument in arguments {
            let (argument_expr, argument_type) = self.expr(argument);
            let wanted = if wanted == 2 { &Type::Int } else { &any_set };
            self.must_fit(&argument_type, wanted, "the argument", argument.span);
            if function == Function::Subsets {
                found = Type::set_of(argument_type);
            }
            resolved.push(argument_expr);
        }
        (ExprKind::Call(function, resolved), found)
    }
}

/// What to say about a wrong number of arguments.
pub(super) fn wrong_number(name: &str, span: Span, wanted: usize, found: usize) -> Diagnostic {
    let plural = if wanted == 1 { "argument" } else { "arguments" };
    Diagnostic::error(&codes::ARITY, format!("`{name}` takes {wanted} {plural}, not {found}"))
        .at(span, format!("{found} given"))
        .help("give it what it was declared with")
}

fn constant(value: Value, found: Type) -> (ExprKind, Type) {
    (ExprKind::Constant(value), found)
}

fn unknown() -> (ExprKind, Type) {
    constant(Value::Int(0), Type::Unknown)
}

fn is_dynamic(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Constant(_) | ExprKind::Local(_) | ExprKind::Parameter(_) => false,
        ExprKind::Variable(..) => true,
        ExprKind::Role(_, indices) => indices.iter().flatten().any(|index| index.dynamic),
        ExprKind::Set(parts) | ExprKind::Call(_, parts) => parts.iter().any(|part| part.dynamic),
        ExprKind::Not(inner) | ExprKind::Negate(inner) => inner.dynamic,
        ExprKind::Binary(_, left, right) => left.dynamic || right.dynamic,
        ExprKind::If(a, b, c) => a.dynamic || b.dynamic || c.dynamic,
    }
}
