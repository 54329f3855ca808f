//! The grammar of expressions: formulas, sets and numbers alike, with the precedence of Alloy 6.

use super::parser::{Parsed, Parser};
use super::tree::{Binary, Comparison, Decl, Expr, ExprKind, Mult, Quantifier, Unary};

impl Parser {
    /// A formula or an expression, as far as it goes.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let start = parser.span();
            let left = parser.or()?;
            if !parser.symbol(";") {
                return Ok(left);
            }
            let right = parser.expr()?;
            Ok(parser.binary(Binary::Sequence, left, right, start))
        })
    }

    /// What a variable or a field is in: with a multiplicity.
    pub(super) fn bound(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let operator = match self.word_ahead(0) {
            Some("seq") => Some(Unary::Seq),
            _ => self.mult_ahead().map(Unary::Mult),
        };
        let Some(operator) = operator else { return self.union() };
        self.next();
        let of = self.union()?;
        let kind = ExprKind::Unary(operator, Box::new(of));
        Ok(Expr { kind, span: self.since(start) })
    }

    fn binary(
        &self,
        operator: Binary,
        left: Expr,
        right: Expr,
        start: quadrille_diagnostic::Span,
    ) -> Expr {
        let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
        Expr { kind, span: self.since(start) }
    }

    fn or(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.iff()?;
        let mut length = 0;
        while self.word("or") || self.symbol("||") {
            self.link(&mut length)?;
            let right = self.iff()?;
            left = self.binary(Binary::Or, left, right, start);
        }
        Ok(left)
    }

    fn iff(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.implies()?;
        let mut length = 0;
        while self.word("iff") || self.symbol("<=>") {
            self.link(&mut length)?;
            let right = self.implies()?;
            left = self.binary(Binary::Iff, left, right, start);
        }
        Ok(left)
    }

    fn implies(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let left = self.and()?;
        if !(self.word("implies") || self.symbol("=>")) {
            return Ok(left);
        }
        self.deeper(|parser| {
            let then = parser.implies()?;
            let otherwise =
                if parser.word("else") { Some(Box::new(parser.implies()?)) } else { None };
            let kind = ExprKind::Implies(Box::new(left), Box::new(then), otherwise);
            Ok(Expr { kind, span: parser.since(start) })
        })
    }

    fn and(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.temporal()?;
        let mut length = 0;
        while self.word("and") || self.symbol("&&") {
            self.link(&mut length)?;
            let right = self.temporal()?;
            left = self.binary(Binary::And, left, right, start);
        }
        Ok(left)
    }

    fn temporal(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let left = self.negation()?;
        let operator = match self.word_ahead(0) {
            Some("until") => Binary::Until,
            Some("releases") => Binary::Releases,
            Some("since") => Binary::Since,
            Some("triggered") => Binary::Triggered,
            _ => return Ok(left),
        };
        self.next();
        let right = self.deeper(Self::temporal)?;
        Ok(self.binary(operator, left, right, start))
    }

    fn negation(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let operator = match (self.word_ahead(0), self.symbol_ahead(0)) {
            (Some("not"), _) | (_, Some("!")) => Unary::Not,
            (Some("always"), _) => Unary::Always,
            (Some("eventually"), _) => Unary::Eventually,
            (Some("after"), _) => Unary::After,
            (Some("before"), _) => Unary::Before,
            (Some("historically"), _) => Unary::Historically,
            (Some("once"), _) => Unary::Once,
            _ => return self.comparison(),
        };
        self.next();
        let of = self.deeper(Self::negation)?;
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(of)), span: self.since(start) })
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.multiplicity()?;
        let mut length = 0;
        loop {
            self.link(&mut length)?;
            let is_not = self.word_ahead(0) == Some("not") || self.symbol_ahead(0) == Some("!");
            let ahead = usize::from(is_not);
            let (comparison, denied) = match (self.word_ahead(ahead), self.symbol_ahead(ahead)) {
                (Some("in"), _) => (Comparison::In, false),
                (_, Some("!in")) => (Comparison::In, true),
                (_, Some("=")) => (Comparison::Equal, false),
                (_, Some("!=")) => (Comparison::Equal, true),
                (_, Some("<")) => (Comparison::Less, false),
                (_, Some("!<")) => (Comparison::Less, true),
                (_, Some(">")) => (Comparison::Greater, false),
                (_, Some("!>")) => (Comparison::Greater, true),
                (_, Some("=<")) => (Comparison::LessEqual, false),
                (_, Some(">=")) => (Comparison::GreaterEqual, false),
                _ => return Ok(left),
            };
            for _ in 0..=ahead {
                self.next();
            }
            let right = self.multiplicity()?;
            left = self.binary(Binary::Compare(comparison, denied ^ is_not), left, right, start);
        }
    }

    fn mult_ahead(&self) -> Option<Mult> {
        Some(match self.word_ahead(0)? {
            "no" => Mult::No,
            "some" => Mult::Some,
            "one" => Mult::One,
            "lone" => Mult::Lone,
            "set" => Mult::Set,
            _ => return None,
        })
    }

    /// Whether variables are declared behind the next `skip` tokens.
    fn declares(&self, skip: usize) -> bool {
        let mut at = skip + usize::from(self.word_ahead(skip) == Some("disj"));
        while self.is_name(at) {
            match self.symbol_ahead(at + 1) {
                Some(":") => return true,
                Some(",") => at += 2,
                _ => return false,
            }
        }
        false
    }

    /// A multiplicity test, a quantified formula, a `let`, or a union.
    fn multiplicity(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let quantifier = match self.word_ahead(0) {
            Some("all") => Some(Quantifier::All),
            Some("sum") if self.declares(1) => Some(Quantifier::Sum),
            Some("let") => return self.bindings(),
            _ => self.mult_ahead().map(Quantifier::Mult),
        };
        let Some(quantifier) = quantifier else { return self.union() };
        if self.declares(1) {
            self.next();
            let decls = self.decls()?;
            let body = self.body()?;
            let kind = ExprKind::Quantified(quantifier, decls, Box::new(body));
            return Ok(Expr { kind, span: self.since(start) });
        }
        self.next();
        let Quantifier::Mult(mult) = quantifier else {
            return Err(self.refuse("variables, as in `all x : S | …`"));
        };
        let of = self.deeper(Self::union)?;
        Ok(Expr { kind: ExprKind::Unary(Unary::Mult(mult), Box::new(of)), span: self.since(start) })
    }

    fn decls(&mut self) -> Parsed<Vec<Decl>> {
        let mut decls = vec![self.decl()?];
        while self.symbol(",") {
            decls.push(self.decl()?);
        }
        Ok(decls)
    }

    /// `| F` or `{ F }`.
    fn body(&mut self) -> Parsed<Expr> {
        if self.symbol("|") {
            return self.expr();
        }
        if self.symbol_ahead(0) == Some("{") {
            return self.deeper(Self::block);
        }
        Err(self.refuse("`|` or `{` before the formula"))
    }

    fn bindings(&mut self) -> Parsed<Expr> {
        let start = self.span();
        self.next();
        let mut bindings = Vec::new();
        loop {
            let name = self.name("a variable")?;
            self.expect("=", "and what it stands for")?;
            bindings.push((name, self.deeper(Self::multiplicity)?));
            if !self.symbol(",") {
                break;
            }
        }
        let body = self.body()?;
        Ok(Expr { kind: ExprKind::Let(bindings, Box::new(body)), span: self.since(start) })
    }

    fn union(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.cardinality()?;
        let mut length = 0;
        loop {
            self.link(&mut length)?;
            let operator = match self.symbol_ahead(0) {
                Some("+") => Binary::Union,
                Some("-") => Binary::Difference,
                _ => return Ok(left),
            };
            self.next();
            let right = self.cardinality()?;
            left = self.binary(operator, left, right, start);
        }
    }

    fn cardinality(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if !self.symbol("#") {
            return self.overriding();
        }
        let of = self.deeper(Self::cardinality)?;
        Ok(Expr { kind: ExprKind::Unary(Unary::Card, Box::new(of)), span: self.since(start) })
    }

    fn overriding(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.intersection()?;
        let mut length = 0;
        while self.symbol("++") {
            self.link(&mut length)?;
            let right = self.intersection()?;
            left = self.binary(Binary::Override, left, right, start);
        }
        Ok(left)
    }

    fn intersection(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.arrow()?;
        let mut length = 0;
        while self.symbol("&") {
            self.link(&mut length)?;
            let right = self.arrow()?;
            left = self.binary(Binary::Intersection, left, right, start);
        }
        Ok(left)
    }

    fn arrow(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let left = self.restriction()?;
        let before = self.mult_ahead().filter(|_| {
            // `m ->`: else the word begins the next formula of a block.
            self.symbol_ahead(1) == Some("->")
        });
        if before.is_some() {
            self.next();
        }
        if !self.symbol("->") {
            return Ok(left);
        }
        let behind = self.mult_ahead();
        if behind.is_some() {
            self.next();
        }
        let right = self.deeper(Self::arrow)?;
        let (before, behind) = (before.unwrap_or(Mult::Set), behind.unwrap_or(Mult::Set));
        let kind = ExprKind::Arrow(before, behind, Box::new(left), Box::new(right));
        Ok(Expr { kind, span: self.since(start) })
    }

    fn restriction(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.join()?;
        let mut length = 0;
        loop {
            self.link(&mut length)?;
            let operator = match self.symbol_ahead(0) {
                Some("<:") => Binary::Domain,
                Some(":>") => Binary::Range,
                _ => return Ok(left),
            };
            self.next();
            let right = self.join()?;
            left = self.binary(operator, left, right, start);
        }
    }

    /// Joins by dots and brackets, from left to right.
    fn join(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.prefix()?;
        let mut length = 0;
        loop {
            self.link(&mut length)?;
            if self.symbol(".") {
                let right = self.prefix()?;
                left = self.binary(Binary::Join, left, right, start);
            } else if self.symbol("[") {
                let mut arguments = Vec::new();
                while self.symbol_ahead(0) != Some("]") {
                    arguments.push(self.expr()?);
                    if !self.symbol(",") {
                        break;
                    }
                }
                self.expect("]", "behind the arguments")?;
                let kind = ExprKind::Call(Box::new(left), arguments);
                left = Expr { kind, span: self.since(start) };
                left = self.primes(left, start);
            } else {
                return Ok(left);
            }
        }
    }

    fn primes(&mut self, mut of: Expr, start: quadrille_diagnostic::Span) -> Expr {
        while self.symbol("'") {
            let kind = ExprKind::Unary(Unary::Prime, Box::new(of));
            of = Expr { kind, span: self.since(start) };
        }
        of
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let operator = match self.symbol_ahead(0) {
            Some("~") => Unary::Transpose,
            Some("^") => Unary::Closure,
            Some("*") => Unary::Reflexive,
            _ => {
                let primary = self.primary()?;
                return Ok(self.primes(primary, start));
            }
        };
        self.next();
        let of = self.deeper(Self::prefix)?;
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(of)), span: self.since(start) })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if let Some(number) = self.number_ahead(0) {
            self.next();
            return Ok(Expr { kind: ExprKind::Int(number), span: start });
        }
        if self.symbol_ahead(0) == Some("-")
            && let Some(number) = self.number_ahead(1)
        {
            self.next();
            self.next();
            return Ok(Expr { kind: ExprKind::Int(-number), span: self.since(start) });
        }
        self.symbol("@");
        if let Some(word @ ("none" | "univ" | "iden")) = self.word_ahead(0) {
            let kind = ExprKind::Name(word.to_owned());
            self.next();
            return Ok(Expr { kind, span: start });
        }
        if self.symbol("(") {
            let mut inner = self.expr()?;
            self.expect(")", "behind the expression")?;
            inner.span = self.since(start);
            return Ok(inner);
        }
        if self.symbol_ahead(0) == Some("{") {
            if !self.declares(1) {
                return self.deeper(Self::block);
            }
            self.next();
            let decls = self.decls()?;
            let body = if self.symbol_ahead(0) == Some("}") {
                Expr { kind: ExprKind::Block(Vec::new()), span: start }
            } else {
                self.body()?
            };
            self.expect("}", "behind the comprehension")?;
            let kind = ExprKind::Quantified(Quantifier::Comprehension, decls, Box::new(body));
            return Ok(Expr { kind, span: self.since(start) });
        }
        let is_mult = matches!(self.word_ahead(0), Some("all" | "let" | "some" | "no" | "one"))
            || matches!(self.word_ahead(0), Some("lone" | "sum" | "set"));
        if is_mult {
            // A quantified formula as the right operand of a connective.
            return self.deeper(Self::multiplicity);
        }
        let name = self.name("an expression")?;
        Ok(Expr { kind: ExprKind::Name(name.text), span: name.span })
    }
}
