//! Properties: formulas over what roles do and what variables hold, ready for a checker.

use quadrille_diagnostic::{Diagnostic, Sources, Span};
use quadrille_logic::{
    AtomId, AtomSyntax, Cursor, Formula, Quantifier, Symbol, TokenKind, parse as parse_formula,
    unquote,
};
use quadrille_model::{Expected, PropositionId, Runs};

use super::codes;
use super::eval::Evaluator;
use super::expression::{Expressions, at, eat_word, expect, name, unexpected};
use super::pattern::{MessagePattern, Pattern, RolePattern, Verb};
use super::program::{Expr, Global, LocalId, PropertyDecl, Sought, Type, Value};
use super::scope::{Scope, wrong_number};
use super::setting::{Fuel, Setting};
use super::tree::{self, COMPARISON};
use quadrille_protocol::core::{ExprId, Terms};

/// What is said about a property in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PropertyOption {
    Runs(Runs),
    Violated(bool),
}

/// The option with a name.
pub(super) fn option(name: &str) -> Option<PropertyOption> {
    Some(match name {
        "holds" => PropertyOption::Violated(false),
        "violated" => PropertyOption::Violated(true),
        "maximal" => PropertyOption::Runs(Runs::Maximal),
        "infinite" => PropertyOption::Runs(Runs::Infinite),
        "finite" => PropertyOption::Runs(Runs::Finite),
        _ => return None,
    })
}

/// What an atom of a property means.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// The action fits.
    Action(Pattern),
    /// The action has this label, as traces show it.
    Label(String),
    /// A proposition of the model holds.
    Proposition(PropositionId),
}

/// A formula with its atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The formula.
    pub formula: Formula,
    /// What its atoms mean, by number.
    pub atoms: Vec<Atom>,
}

/// A property of a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Where the formula stands.
    pub formula: Span,
    /// Which runs count.
    pub runs: Runs,
    /// The verdict that the text expects.
    pub expected: Expected,
    /// What must hold, all of it: the parts of the formula's outermost conjunction, which are smaller
    /// to check one by one.
    pub claims: Vec<Claim>,
}

/// Conditions on variables that the properties of one model mention, with their texts.
pub(super) type Conditions = Vec<(String, ExprId)>;

/// Reads the formula of a property. Conditions are entered where they are new.
pub(super) fn read(
    sources: &Sources,
    setting: &Setting,
    terms: &Terms,
    decl: &PropertyDecl,
    conditions: &mut Conditions,
) -> Result<Property, Vec<Diagnostic>> {
    let mut syntax = QuadAtoms { setting, terms, bound: Vec::new(), fuel: Fuel::default() };
    let parsed = parse_formula(sources, decl.formula, &mut syntax);
    let Some(formula) = parsed.formula else { return Err(parsed.diagnostics) };
    let mut atoms = Vec::new();
    for (id, raw) in parsed.atoms.iter() {
        atoms.push(match raw {
            RawAtom::Action(pattern) => Atom::Action(pattern.clone()),
            RawAtom::Label(label) => Atom::Label(label.clone()),
            RawAtom::Condition(condition) => {
                let known = conditions.iter().position(|(_, known)| known == condition);
                let position = known.unwrap_or_else(|| {
                    let text = parsed.atoms.span(id).map_or("", |span| sources.slice(span));
                    conditions.push((text.to_owned(), *condition));
                    conditions.len() - 1
                });
                Atom::Proposition(PropositionId::from_usize(position))
            }
        });
    }
    let parts = match formula {
        Formula::And(parts) => parts,
        other => vec![other],
    };
    let expected = if decl.violated { Expected::Violated } else { Expected::Holds };
    Ok(Property {
        name: decl.name.text.clone(),
        span: decl.name.span,
        formula: decl.formula,
        runs: decl.runs,
        expected,
        claims: parts.iter().map(|part| claim(part, &atoms)).collect(),
    })
}

/// A part of a formula with the atoms it mentions, numbered anew.
fn claim(part: &Formula, atoms: &[Atom]) -> Claim {
    let mut numbers: Vec<AtomId> = Vec::new();
    let formula = renumbered(part, &mut numbers);
    Claim { formula, atoms: numbers.iter().map(|atom| atoms[atom.index()].clone()).collect() }
}

fn renumbered(formula: &Formula, numbers: &mut Vec<AtomId>) -> Formula {
    let mut boxed = |formula: &Formula| Box::new(renumbered(formula, numbers));
    match formula {
        Formula::True => Formula::True,
        Formula::False => Formula::False,
        Formula::Atom(atom) => {
            let known = numbers.iter().position(|known| known == atom);
            let position = known.unwrap_or_else(|| {
                numbers.push(*atom);
                numbers.len() - 1
            });
            Formula::Atom(AtomId::from_usize(position))
        }
        Formula::Not(a) => Formula::Not(boxed(a)),
        Formula::And(all) => Formula::And(all.iter().map(|a| renumbered(a, numbers)).collect()),
        Formula::Or(all) => Formula::Or(all.iter().map(|a| renumbered(a, numbers)).collect()),
        Formula::Implies(a, b) => Formula::Implies(boxed(a), boxed(b)),
        Formula::Iff(a, b) => Formula::Iff(boxed(a), boxed(b)),
        Formula::Unary(path, operator, a) => Formula::Unary(*path, *operator, boxed(a)),
        Formula::Binary(path, operator, a, b) => {
            Formula::Binary(*path, *operator, boxed(a), boxed(b))
        }
    }
}

/// An atom before propositions are numbered.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum RawAtom {
    Action(Pattern),
    Label(String),
    Condition(ExprId),
}

/// A name that a quantifier binds.
struct Bound {
    name: String,
    value_type: Type,
    values: Vec<Value>,
    position: usize,
}

/// The syntax of atoms.
struct QuadAtoms<'a> {
    setting: &'a Setting,
    terms: &'a Terms,
    bound: Vec<Bound>,
    fuel: Fuel,
}

/// Tokens looked at to find the verb behind a role.
const LOOKAHEAD: usize = 100;

impl QuadAtoms<'_> {
    /// The verb behind the role that the cursor stands before.
    fn verb(&self, cursor: &Cursor<'_>) -> Option<Verb> {
        let first = cursor.peek().kind;
        if !matches!(first, TokenKind::Word | TokenKind::Symbol(Symbol::Star)) {
            return None;
        }
        let (mut ahead, mut open) = (1, 0usize);
        while ahead < LOOKAHEAD {
            match cursor.peek_nth(ahead).kind {
                TokenKind::Symbol(Symbol::OpenBracket) => open += 1,
                TokenKind::Symbol(Symbol::CloseBracket) if open > 0 => open -= 1,
                TokenKind::End => return None,
                _ if open == 0 => break,
                _ => {}
            }
            ahead += 1;
        }
        Verb::of(cursor.nth_word(ahead)?)
    }

    /// Looks up an expression in the scope of the quantifiers, and evaluates it.
    fn resolve<T>(
        &self,
        look_up: impl FnOnce(&mut Scope<'_>) -> T,
        evaluate: impl FnOnce(&Evaluator<'_>, T) -> Result<RawAtom, Box<Diagnostic>>,
    ) -> Result<RawAtom, Diagnostic> {
        let value = self.looked_up(look_up)?;
        let locals = self.locals();
        let evaluator =
            Evaluator { setting: self.setting, locals: &locals, frozen: &[], fuel: &self.fuel };
        evaluate(&evaluator, value).map_err(|diagnostic| *diagnostic)
    }

    fn locals(&self) -> Vec<Value> {
        let value = |bound: &Bound| bound.values.get(bound.position).cloned();
        self.bound.iter().map(|bound| value(bound).unwrap_or(Value::Int(0))).collect()
    }

    fn looked_up<T>(&self, look_up: impl FnOnce(&mut Scope<'_>) -> T) -> Result<T, Diagnostic> {
        let mut scope = Scope::new(&self.setting.program);
        for (position, bound) in self.bound.iter().enumerate() {
            let local = LocalId(position);
            scope.locals.push((bound.name.clone(), bound.value_type.clone(), local));
        }
        let value = look_up(&mut scope);
        match scope.diagnostics.into_iter().next() {
            Some(diagnostic) => Err(diagnostic),
            None => Ok(value),
        }
    }

    fn constant(&self, expr: &tree::Expr, wanted: &Type, what: &str) -> Result<Value, Diagnostic> {
        let resolved = self.looked_up(|scope| scope.constant(expr, wanted, what))?;
        self.evaluated(&resolved)
    }

    fn evaluated(&self, expr: &Expr) -> Result<Value, Diagnostic> {
        let locals = self.locals();
        let evaluator =
            Evaluator { setting: self.setting, locals: &locals, frozen: &[], fuel: &self.fuel };
        evaluator.value(expr).map_err(|diagnostic| *diagnostic)
    }

    fn action(&self, cursor: &mut Cursor<'_>, verb: Verb) -> Result<RawAtom, Diagnostic> {
        let role = self.role(cursor)?;
        cursor.bump();
        let mut pattern =
            Pattern { role, verb, message: MessagePattern::Any, other: RolePattern::Any };
        match verb {
            Verb::Closes => pattern.other = self.role(cursor)?,
            Verb::Does => pattern.message = self.message(cursor, true)?,
            Verb::Sends | Verb::Passes | Verb::Receives => {
                pattern.message = self.message(cursor, false)?;
                let word = if verb == Verb::Receives { "from" } else { "to" };
                if eat_word(cursor, word) {
                    pattern.other = self.role(cursor)?;
                }
            }
        }
        Ok(RawAtom::Action(pattern))
    }

    fn role(&self, cursor: &mut Cursor<'_>) -> Result<RolePattern, Diagnostic> {
        if cursor.eat(Symbol::Star) {
            return Ok(RolePattern::Any);
        }
        let expr = Expressions { cursor, depth: 0 }.named()?;
        let tree::ExprKind::Name(name, indices) = &expr.kind else {
            return Err(
                Diagnostic::error(&codes::SYNTAX, "expected a role").at(expr.span, "not this")
            );
        };
        let program = &self.setting.program;
        let is_local = self.bound.iter().any(|bound| bound.name == *name);
        let family = match program.names.get(name) {
            Some(&Global::Role(family)) if !is_local => family,
            _ => {
                let resolved = self.looked_up(|scope| scope.role(&expr, "who acts", false))?;
                let value = self.evaluated(&resolved)?;
                let Value::Role(family, indices) = value else { return Ok(RolePattern::Any) };
                let name = program.families[family.0].name.text.clone();
                return Ok(RolePattern::Named(name, indices.into_iter().map(Some).collect()));
            }
        };
        let dimensions = self.setting.indices(family);
        self.looked_up(|scope| {
            scope.n_indices(name, indices.len(), dimensions.len(), expr.span);
        })?;
        let mut wanted = Vec::new();
        for (index, dimension) in indices.iter().zip(dimensions) {
            if index.kind == tree::ExprKind::Every {
                wanted.push(None);
                continue;
            }
            let value = self.constant(index, &Type::Int, "an index")?.number().unwrap_or(0);
            if dimension.binary_search(&value).is_err() {
                let message = format!("`{name}[{value}]` does not exist");
                return Err(Diagnostic::error(&codes::INDEX, message)
                    .at(expr.span, format!("the index is {value} here"))
                    .help("correct the index; `[*]` means any"));
            }
            wanted.push(Some(value));
        }
        Ok(RolePattern::Named(name.clone(), wanted))
    }

    fn message(&self, cursor: &mut Cursor<'_>, event: bool) -> Result<MessagePattern, Diagnostic> {
        if cursor.eat(Symbol::Star) {
            return Ok(MessagePattern::Any);
        }
        let what =
            if event { "the name of an event or `*`" } else { "the name of a message or `*`" };
        let name = name(cursor, what)?;
        let kind = if event { Sought::Event } else { Sought::Message };
        let global = self.looked_up(|scope| scope.global(&name.text, name.span, kind))?;
        let message = match global {
            Some(Global::Message(id)) if !event => &self.setting.program.messages[id.0],
            Some(Global::Event(_)) if event => {
                return Ok(MessagePattern::Named(name.text, Vec::new()));
            }
            other => {
                let wanted = if event { "an event" } else { "a message" };
                let global = other.unwrap_or(Global::Message(super::program::MessageId(0)));
                self.looked_up(|scope| scope.wrong_kind(&name.text, name.span, wanted, global))?;
                return Ok(MessagePattern::Any);
            }
        };
        let mut fields = Vec::new();
        if at(cursor, Symbol::Open) {
            cursor.bump();
            while !cursor.eat(Symbol::Close) {
                if cursor.eat(Symbol::Star) {
                    fields.push(None);
                } else {
                    let expr = Expressions { cursor, depth: 0 }.whole()?;
                    let wanted = message.fields.get(fields.len());
                    let wanted = wanted.map_or(Type::Unknown, |(_, domain)| domain.value_type());
                    let value = self.constant(&expr, &wanted, "this field")?;
                    fields.push(Some(self.setting.program.show(&value)));
                }
                if !cursor.eat(Symbol::Comma) && !at(cursor, Symbol::Close) {
                    return Err(unexpected(cursor, "`,` or `)`"));
                }
            }
            if fields.len() != message.fields.len() {
                let wanted = message.fields.len();
                return Err(wrong_number(&name.text, name.span, wanted, fields.len()));
            }
        }
        Ok(MessagePattern::Named(name.text, fields))
    }

    fn head(&mut self, cursor: &mut Cursor<'_>) -> Result<Quantifier, Diagnostic> {
        cursor.bump();
        let every = cursor.bump();
        let every = cursor.text(every) == "every";
        let name = name(cursor, "the name of an index")?;
        if !eat_word(cursor, "in") {
            return Err(unexpected(cursor, "`in` and a set, such as `0..k`"));
        }
        let set = Expressions { cursor, depth: 0 }.whole()?;
        let any_set = Type::set_of(Type::Unknown);
        let (resolved, found) = self.looked_up(|scope| {
            let (resolved, found) = scope.expr(&set);
            scope.must_fit(&found, &any_set, "what an index ranges over", set.span);
            (resolved, found)
        })?;
        let values = match self.evaluated(&resolved)? {
            Value::Set(values) => values,
            single => vec![single],
        };
        let value_type = if let Type::Set(element) = found { *element } else { Type::Unknown };
        self.bound.push(Bound { name: name.text, value_type, values, position: 0 });
        let filtered = self.filter(cursor);
        if let Err(diagnostic) = filtered {
            self.bound.pop();
            return Err(diagnostic);
        }
        let n_values = self.bound.last().map_or(0, |bound| bound.values.len());
        Ok(Quantifier { every, n_values })
    }

    /// `where …` and `:` behind a set: keeps the values that satisfy the condition.
    fn filter(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Diagnostic> {
        if eat_word(cursor, "where") {
            let filter = Expressions { cursor, depth: 0 }.whole()?;
            let innermost = self.bound.len() - 1;
            let mut kept = Vec::new();
            for position in 0..self.bound[innermost].values.len() {
                self.bound[innermost].position = position;
                if self.constant(&filter, &Type::Bool, "a filter")? == Value::Bool(true) {
                    kept.push(self.bound[innermost].values[position].clone());
                }
            }
            self.bound[innermost].values = kept;
        }
        expect(cursor, Symbol::Colon, "`where`, or `:` and a formula").map(drop)
    }
}

impl AtomSyntax for QuadAtoms<'_> {
    type Atom = RawAtom;

    fn expected(&self) -> &'static str {
        "an action such as `White sends Move to Black`, a condition, `(` or `not`"
    }

    fn claims(&self, cursor: &Cursor<'_>) -> bool {
        self.verb(cursor).is_some()
    }

    fn quantifier(&mut self, cursor: &mut Cursor<'_>) -> Option<Result<Quantifier, Diagnostic>> {
        let is_head =
            cursor.word() == Some("for") && matches!(cursor.nth_word(1), Some("every" | "some"));
        is_head.then(|| self.head(cursor))
    }

    fn bind(&mut self, position: usize) {
        if let Some(bound) = self.bound.last_mut() {
            bound.position = position;
        }
    }

    fn unbind(&mut self) {
        self.bound.pop();
    }

    fn atom(&mut self, cursor: &mut Cursor<'_>) -> Option<Result<RawAtom, Diagnostic>> {
        if let Some(verb) = self.verb(cursor) {
            return Some(self.action(cursor, verb));
        }
        if cursor.peek().kind == TokenKind::Text {
            let token = cursor.bump();
            return Some(Ok(RawAtom::Label(unquote(cursor.text(token)))));
        }
        let starts = match cursor.peek().kind {
            TokenKind::Word | TokenKind::Number => true,
            TokenKind::Symbol(symbol) => matches!(symbol, Symbol::Minus),
            _ => false,
        };
        starts.then(|| {
            let expr = Expressions { cursor, depth: 0 }.binary(COMPARISON)?;
            self.resolve(
                |scope| scope.typed(&expr, &Type::Bool, "a condition"),
                |evaluator, resolved| {
                    evaluator.condition(self.terms, &resolved).map(RawAtom::Condition)
                },
            )
        })
    }
}
