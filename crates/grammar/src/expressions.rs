//! The grammar of expressions, with Alloy's precedence. What binds variables (`all`, `let`, …) may
//! stand as the last operand of anything and reaches as far as it can, though not beyond `;`.

use quadrille_diagnostic::Span;

use crate::binders::{as_multiplicity, mult};
use crate::parser::{Parsed, Parser};
use crate::tree::{Binary, Builtin, Expr, Kind, ListOp, Mult, Name, Unary};

/// Operators of one level, with what they are.
type Level = &'static [(&'static str, Binary)];

/// Levels between formulas and arrows that associate to the left, loosest first.
const SHIFTS: Level =
    &[("<<", Binary::ShiftLeft), (">>>", Binary::ShiftRightUnsigned), (">>", Binary::ShiftRight)];
const SUMS: Level = &[
    ("+", Binary::Union),
    ("-", Binary::Difference),
    ("fun/add", Binary::IntPlus),
    ("fun/sub", Binary::IntMinus),
];
const PRODUCTS: Level =
    &[("fun/mul", Binary::Mul), ("fun/div", Binary::Div), ("fun/rem", Binary::Rem)];
const COMPARISONS: Level = &[
    ("in", Binary::In),
    ("=", Binary::Equals),
    ("<", Binary::Less),
    (">", Binary::Greater),
    ("<=", Binary::LessEqual),
    (">=", Binary::GreaterEqual),
    ("!in", Binary::NotIn),
    ("!=", Binary::NotEquals),
    ("!<", Binary::NotLess),
    ("!>", Binary::NotGreater),
    ("!<=", Binary::NotLessEqual),
    ("!>=", Binary::NotGreaterEqual),
];
const TEMPORAL: Level = &[
    ("until", Binary::Until),
    ("since", Binary::Since),
    ("triggered", Binary::Triggered),
    ("releases", Binary::Releases),
];

/// An expression, and whether it ends in the body of a quantifier or `let`: no operator follows that.
type Operand = (Expr, bool);

type Rule = fn(&mut Parser) -> Parsed<Operand>;

impl Parser {
    /// An expression, as far as it goes.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let start = parser.span();
            let left = parser.plain()?;
            if parser.semicolon_separates || !parser.takes(";") {
                return Ok(left);
            }
            let right = parser.expr()?;
            Ok(parser.sequence(left, right, start))
        })
    }

    /// An expression with nothing behind it.
    pub(super) fn only_expr(mut self) -> Parsed<Expr> {
        let expr = self.expr()?;
        if self.is_end() { Ok(expr) } else { Err(self.refuse("the end of the expression")) }
    }

    /// `a ; b` is `a and after b`.
    fn sequence(&self, left: Expr, right: Expr, start: Span) -> Expr {
        let span = right.span;
        let after = Expr { kind: Kind::Unary(Unary::After, Box::new(right)), span };
        let kind = Kind::Binary(Binary::And, Box::new(left), Box::new(after));
        Expr { kind, span: self.since(start) }
    }

    /// Without `;`.
    pub(super) fn plain(&mut self) -> Parsed<Expr> {
        Ok(self.or()?.0)
    }

    fn binary(&self, operator: Binary, left: Expr, right: Expr, start: Span) -> Expr {
        let kind = Kind::Binary(operator, Box::new(left), Box::new(right));
        Expr { kind, span: self.since(start) }
    }

    fn unary(&self, operator: Unary, of: Expr, start: Span) -> Expr {
        Expr { kind: Kind::Unary(operator, Box::new(of)), span: self.since(start) }
    }

    fn level(&mut self, operators: Level, operand: Rule) -> Parsed<Operand> {
        let start = self.span();
        let (mut left, mut is_bind) = operand(self)?;
        let mut length = 0;
        while !is_bind {
            let symbol = self.symbol_ahead(0);
            let Some((_, operator)) = operators.iter().find(|(text, _)| *text == symbol) else {
                break;
            };
            self.next();
            self.link(&mut length)?;
            let right;
            (right, is_bind) = operand(self)?;
            let right = if matches!(operator, Binary::In | Binary::NotIn) {
                as_multiplicity(right)
            } else {
                right
            };
            left = self.binary(*operator, left, right, start);
        }
        Ok((left, is_bind))
    }

    fn or(&mut self) -> Parsed<Operand> {
        self.level(&[("||", Binary::Or)], Self::iff)
    }

    fn iff(&mut self) -> Parsed<Operand> {
        self.level(&[("<=>", Binary::Iff)], Self::implies)
    }

    fn implies(&mut self) -> Parsed<Operand> {
        let start = self.span();
        let (left, is_bind) = self.level(&[("&&", Binary::And)], Self::temporal)?;
        if is_bind || !self.takes("=>") {
            return Ok((left, is_bind));
        }
        self.deeper(|parser| {
            let (then, is_bind) = parser.implies()?;
            if is_bind || !parser.takes("else") {
                return Ok((parser.binary(Binary::Implies, left, then, start), is_bind));
            }
            let (otherwise, is_bind) = parser.implies()?;
            let kind = Kind::Else(Box::new(left), Box::new(then), Box::new(otherwise));
            Ok((Expr { kind, span: parser.since(start) }, is_bind))
        })
    }

    fn temporal(&mut self) -> Parsed<Operand> {
        self.level(TEMPORAL, Self::negation)
    }

    fn negation(&mut self) -> Parsed<Operand> {
        let operator = match self.symbol_ahead(0) {
            "!" => Unary::Not,
            "always" => Unary::Always,
            "eventually" => Unary::Eventually,
            "after" => Unary::After,
            "before" => Unary::Before,
            "historically" => Unary::Historically,
            "once" => Unary::Once,
            _ => return self.level(COMPARISONS, Self::multiplicity),
        };
        self.prefixed(operator, Self::negation)
    }

    fn prefixed(&mut self, operator: Unary, operand: Rule) -> Parsed<Operand> {
        let start = self.span();
        self.next();
        let (of, is_bind) = self.deeper(operand)?;
        Ok((self.unary(operator, of, start), is_bind))
    }

    /// A multiplicity and what it is of, or a shift.
    fn multiplicity(&mut self) -> Parsed<Operand> {
        if self.binds() {
            return Ok((self.bind()?, true));
        }
        let operator = match self.symbol_ahead(0) {
            "no" => Unary::No,
            "some" => Unary::Some,
            "lone" => Unary::Lone,
            "one" => Unary::One,
            "set" => Unary::SetOf,
            "seq" if self.symbol_ahead(1) != "/" => return self.sequence_of(),
            _ => return self.level(SHIFTS, Self::sum),
        };
        self.prefixed(operator, |parser| parser.level(SHIFTS, Self::sum))
    }

    fn sequence_of(&mut self) -> Parsed<Operand> {
        let start = self.span();
        self.has_seq = Some(start);
        self.next();
        let (of, is_bind) = self.deeper(|parser| parser.level(SHIFTS, Self::sum))?;
        let index = Expr { kind: Kind::Name("seq/Int".to_owned()), span: start };
        Ok((self.binary(Binary::SeqArrow, index, of, start), is_bind))
    }

    fn sum(&mut self) -> Parsed<Operand> {
        self.level(SUMS, |parser| parser.level(PRODUCTS, Self::numeric))
    }

    fn numeric(&mut self) -> Parsed<Operand> {
        let symbol = self.symbol_ahead(0);
        let is_bracketed = self.symbol_ahead(1) == "[";
        if self.binds() {
            return Ok((self.bind()?, true));
        }
        match symbol {
            "#" => self.prefixed(Unary::Cardinality, Self::numeric),
            "sum" | "int" if !is_bracketed => {
                let start = self.span();
                let (number, is_bind) = self.prefixed(Unary::ToInt, Self::numeric)?;
                Ok((self.unary(Unary::ToSet, number, start), is_bind))
            }
            _ => self.level(&[("++", Binary::Override)], |parser| {
                parser.level(&[("&", Binary::Intersect)], Self::arrow)
            }),
        }
    }

    fn arrow(&mut self) -> Parsed<Operand> {
        let start = self.span();
        let restricted: Rule = |parser| {
            parser.level(&[("<:", Binary::Domain)], |parser| {
                parser.level(&[(":>", Binary::Range)], Self::joined)
            })
        };
        let (left, is_bind) = restricted(self)?;
        if is_bind {
            return Ok((left, true));
        }
        let before = mult(self.symbol_ahead(0));
        let arrow_at = usize::from(before.is_some());
        if self.symbol_ahead(arrow_at) != "->" {
            return Ok((left, false));
        }
        for _ in 0..=arrow_at {
            self.next();
        }
        let after = mult(self.symbol_ahead(0));
        if after.is_some() {
            self.next();
        }
        let operator = Binary::Arrow(before.unwrap_or(Mult::Set), after.unwrap_or(Mult::Set));
        let (right, is_bind) = self.deeper(Self::arrow)?;
        Ok((self.binary(operator, left, right, start), is_bind))
    }

    /// Joins by dots and brackets.
    fn joined(&mut self) -> Parsed<Operand> {
        let start = self.span();
        let (mut left, is_bind) = match (self.symbol_ahead(0), self.symbol_ahead(1)) {
            (symbol @ ("disj" | "pred/totalOrder" | "int" | "sum"), "[") => {
                self.next();
                (self.called(symbol, start)?, false)
            }
            _ => self.relational()?,
        };
        if is_bind {
            return Ok((left, true));
        }
        let mut length = 0;
        loop {
            self.link(&mut length)?;
            if self.sees("[") {
                for argument in self.arguments()? {
                    self.link(&mut length)?;
                    left = self.applied(argument, left, start);
                }
            } else if self.takes(".") {
                left = match self.symbol_ahead(0) {
                    "disj" => {
                        self.next();
                        self.list(ListOp::Disj, vec![left], start)
                    }
                    "pred/totalOrder" => {
                        self.next();
                        self.list(ListOp::TotalOrder, vec![left], start)
                    }
                    "int" | "sum" => {
                        self.next();
                        let number = self.unary(Unary::ToInt, left, start);
                        self.unary(Unary::ToSet, number, start)
                    }
                    _ => {
                        let (right, is_bind) = self.relational()?;
                        let joined = self.applied(left, right, start);
                        if is_bind {
                            return Ok((joined, true));
                        }
                        joined
                    }
                };
            } else {
                return Ok((left, false));
            }
        }
    }

    fn list(&self, operator: ListOp, arguments: Vec<Expr>, start: Span) -> Expr {
        Expr { kind: Kind::List(operator, arguments), span: self.since(start) }
    }

    /// `argument . function`; a list takes one argument more.
    fn applied(&self, argument: Expr, mut function: Expr, start: Span) -> Expr {
        if let Kind::List(_, arguments) = &mut function.kind {
            arguments.push(argument);
            return function;
        }
        self.binary(Binary::Join, argument, function, start)
    }

    fn called(&mut self, symbol: &str, start: Span) -> Parsed<Expr> {
        let arguments = self.arguments()?;
        if matches!(symbol, "disj" | "pred/totalOrder") {
            let operator = if symbol == "disj" { ListOp::Disj } else { ListOp::TotalOrder };
            return Ok(self.list(operator, arguments, start));
        }
        let mut arguments = arguments.into_iter();
        let Some(first) = arguments.next() else {
            return Err(self.refuse("a set of integers in the brackets"));
        };
        let number = self.unary(Unary::ToInt, first, start);
        let mut of = number;
        for argument in arguments {
            of = self.applied(argument, of, start);
        }
        Ok(self.unary(Unary::ToSet, of, start))
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("[", "before arguments")?;
        let mut arguments = Vec::new();
        if self.takes("]") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expr()?);
            if !self.takes(",") {
                break;
            }
        }
        self.expect("]", "behind the arguments")?;
        Ok(arguments)
    }

    /// `~e`, `^e`, `*e`, and primes behind.
    fn relational(&mut self) -> Parsed<Operand> {
        let start = self.span();
        if self.binds() {
            return Ok((self.bind()?, true));
        }
        let operator = match self.symbol_ahead(0) {
            "~" => Unary::Transpose,
            "*" => Unary::ReflexiveClosure,
            "^" => Unary::Closure,
            _ => {
                let mut base = self.base()?;
                let mut length = 0;
                while self.takes("'") {
                    self.link(&mut length)?;
                    base = self.unary(Unary::Prime, base, start);
                }
                return Ok((base, false));
            }
        };
        self.prefixed(operator, Self::relational)
    }

    fn base(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let constant = |parser: &mut Self, kind: Kind| {
            parser.next();
            Ok(Expr { kind, span })
        };
        if let Some(number) = self.number_ahead() {
            return constant(self, Kind::Number(number));
        }
        if let Some(text) = self.text_ahead() {
            return constant(self, Kind::Text(text));
        }
        match self.symbol_ahead(0) {
            "fun/min" => return constant(self, Kind::Builtin(Builtin::Min)),
            "fun/max" => return constant(self, Kind::Builtin(Builtin::Max)),
            "fun/next" => return constant(self, Kind::Builtin(Builtin::Next)),
            "(" => {
                self.next();
                let inner = self.expr()?;
                self.expect(")", "to close `(`")?;
                return Ok(inner);
            }
            "{" => return self.braces(),
            "@" => {
                self.next();
                let name = self.new_name("the name of a field behind `@`")?;
                let kind = Kind::Name(format!("@{}", name.text));
                return Ok(Expr { kind, span: self.since(span) });
            }
            "this" if self.symbol_ahead(1) != "/" => {
                return constant(self, Kind::Name("this".to_owned()));
            }
            "iden" => return constant(self, Kind::Name("iden".to_owned())),
            _ => {}
        }
        match self.sig_ref() {
            Ok(name) => Ok(Expr { kind: Kind::Name(name.text), span: name.span }),
            Err(_) => Err(self.refuse("an expression")),
        }
    }

    /// A reference to a signature, built in or not.
    pub(super) fn sig_ref(&mut self) -> Parsed<Name> {
        let span = self.span();
        let text = match self.symbol_ahead(0) {
            "seq" if self.symbol_ahead(1) == "/" && self.symbol_ahead(2) == "Int" => {
                self.next();
                self.next();
                "seq/Int"
            }
            symbol @ ("univ" | "String" | "steps" | "Int" | "none") => symbol,
            _ => return self.name("the name of a signature"),
        };
        self.next();
        Ok(Name { text: text.to_owned(), span: self.since(span) })
    }
}
