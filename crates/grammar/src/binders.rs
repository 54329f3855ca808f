//! What binds variables, and blocks: quantifiers, comprehensions, `let`, declarations of variables and
//! fields.

use quadrille_diagnostic::Span;

use crate::parser::{Parsed, Parser};
use crate::tree::{Decl, Expr, Kind, Mult, Quantifier, Unary};

impl Parser {
    /// Whether a quantifier with variables, or `let`, is next.
    pub(super) fn binds(&self) -> bool {
        match self.symbol_ahead(0) {
            "let" => true,
            // `a : one S, b : …` declares two fields.
            _ if matches!(self.symbol_before(), ":" | "disj") => false,
            "all" | "no" | "some" | "lone" | "one" | "sum" => self.declares(1),
            _ => false,
        }
    }

    /// Whether variables are declared some tokens ahead.
    fn declares(&self, mut at: usize) -> bool {
        for word in ["var", "private", "disj"] {
            at += usize::from(self.symbol_ahead(at) == word);
        }
        while self.is_word(at) {
            match self.symbol_ahead(at + 1) {
                ":" => return true,
                "," => at += 2,
                _ => return false,
            }
        }
        false
    }

    pub(super) fn bind(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let start = parser.span();
            let quantifier = match parser.symbol_ahead(0) {
                "let" => {
                    parser.next();
                    return parser.bindings(start);
                }
                "all" => Quantifier::All,
                "no" => Quantifier::No,
                "some" => Quantifier::Some,
                "lone" => Quantifier::Lone,
                "one" => Quantifier::One,
                _ => Quantifier::Sum,
            };
            parser.next();
            let mut decls = vec![parser.decl(false)?];
            while parser.takes(",") {
                decls.push(parser.decl(false)?);
            }
            let body = parser.body()?;
            let kind = Kind::Quantified(quantifier, decls, Box::new(body));
            Ok(Expr { kind, span: parser.since(start) })
        })
    }

    /// `| F` or `{ F }`; a `;` ends F.
    fn body(&mut self) -> Parsed<Expr> {
        if self.sees("{") {
            return self.block();
        }
        self.expect("|", "or `{` before what is said of the variables")?;
        self.plain()
    }

    fn bindings(&mut self, start: Span) -> Parsed<Expr> {
        let name = self.new_name("a variable behind `let`")?;
        self.expect("=", "and what the variable stands for")?;
        let value = self.expr()?;
        let body = if self.takes(",") {
            let start = self.span();
            self.deeper(|parser| parser.bindings(start))?
        } else {
            self.body()?
        };
        let kind = Kind::Let(name, Box::new(value), Box::new(body));
        Ok(Expr { kind, span: self.since(start) })
    }

    /// `{ F G }`.
    pub(super) fn block(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let start = parser.span();
            parser.expect("{", "before a block")?;
            let mut formulas = Vec::new();
            while !parser.takes("}") {
                if parser.is_end() || parser.opens_paragraph() {
                    let place = quadrille_diagnostic::Span { end: start.start + 1, ..start };
                    return Err(parser.refuse("`}` to close the block").at(place, "begins here"));
                }
                formulas.push(parser.expr()?);
                while parser.semicolon_separates && parser.takes(";") {}
            }
            let span = parser.since(start);
            Ok(match formulas.len() {
                1 => {
                    let only = formulas.remove(0);
                    Expr { kind: Kind::Unary(Unary::Group, Box::new(only)), span }
                }
                _ => Expr { kind: Kind::Block(formulas), span },
            })
        })
    }

    /// A block or a comprehension.
    pub(super) fn braces(&mut self) -> Parsed<Expr> {
        if !self.declares(1) {
            return self.block();
        }
        self.deeper(|parser| {
            let start = parser.span();
            parser.next();
            let mut decls = vec![parser.decl(false)?];
            while parser.takes(",") {
                decls.push(parser.decl(false)?);
            }
            let body = match parser.sees("}") {
                true => Expr { kind: Kind::Block(Vec::new()), span: parser.span() },
                false => parser.body()?,
            };
            parser.expect("}", "to close the comprehension")?;
            let kind = Kind::Quantified(Quantifier::Comprehension, decls, Box::new(body));
            Ok(Expr { kind, span: parser.since(start) })
        })
    }

    /// Variables or fields with what they are in.
    pub(super) fn decl(&mut self, is_field: bool) -> Parsed<Decl> {
        let is_var = self.takes("var");
        let is_private = self.takes("private");
        let disj = self.takes("disj");
        let names = self.new_names("the name of a variable or field")?;
        let is_defined = is_field && self.takes("=");
        if !is_defined {
            self.expect(":", "and what it is in")?;
        }
        let disj_range = self.takes("disj");
        let bound = self.expr()?;
        let bound = if is_defined {
            let span = bound.span;
            Expr { kind: Kind::Unary(Unary::ExactlyOf, Box::new(bound)), span }
        } else {
            as_multiplicity(bound)
        };
        Ok(Decl { is_private, is_var, disj, disj_range, is_defined, names, bound })
    }
}

pub(super) fn mult(symbol: &str) -> Option<Mult> {
    Some(match symbol {
        "set" => Mult::Set,
        "lone" => Mult::Lone,
        "one" => Mult::One,
        "some" => Mult::Some,
        _ => return None,
    })
}

/// In a declaration `one e` says how many, and is no formula.
pub(super) fn as_multiplicity(expr: Expr) -> Expr {
    let Expr { kind, span } = expr;
    let kind = match kind {
        Kind::Unary(Unary::Some, of) => Kind::Unary(Unary::SomeOf, of),
        Kind::Unary(Unary::Lone, of) => Kind::Unary(Unary::LoneOf, of),
        Kind::Unary(Unary::One, of) => Kind::Unary(Unary::OneOf, of),
        other => other,
    };
    Expr { kind, span }
}
