//! The grammar of scopes: `for 3 but exactly 2 Client, 1..4 Int`. Alloy gives bits of integers, longest
//! sequences and steps apart; designs name `Int` and `seq` like signatures, and ranges of numbers.

use quadrille_diagnostic::{Diagnostic, Span};

use crate::parser::{Parsed, Parser};
use crate::tree::{Name, Scope, SigScope};

/// A number of atoms, or how it grows.
struct Counted {
    start: i64,
    /// No end is `3..`.
    end: Option<i64>,
    increment: i64,
    is_exact: bool,
    is_range: bool,
}

impl Parser {
    /// A scope, and where it is written if it is.
    pub(super) fn scope_with_place(&mut self) -> Parsed<(Scope, Option<Span>)> {
        let (begin, has_scope) = (self.span(), self.sees("for"));
        let scope = self.scope()?;
        Ok((scope, has_scope.then(|| self.since(begin))))
    }

    fn scope(&mut self) -> Parsed<Scope> {
        let mut scope = Scope::default();
        if !self.takes("for") {
            return Ok(scope);
        }
        let is_overall = self.number_ahead().is_some() && {
            let mark = self.mark();
            self.next();
            let next = self.symbol_ahead(0);
            let is_item = self.is_name() && !self.opens_paragraph()
                || matches!(next, "." | ":" | "Int" | "int" | "seq" | "String" | "steps")
                || matches!(next, "univ" | "none");
            self.back(mark);
            !is_item
        };
        if is_overall {
            let span = self.span();
            let number = self.number("a number")?;
            if number < 0 && !self.dialect.has_events {
                self.useless(span, "a scope is 0 or more", "write `for 3`")?;
            }
            scope.overall = Some(number);
            if !self.takes("but") {
                return Ok(scope);
            }
        }
        loop {
            self.scope_item(&mut scope)?;
            if !self.takes(",") {
                return Ok(scope);
            }
        }
    }

    fn scope_item(&mut self, scope: &mut Scope) -> Parsed<()> {
        let span = self.span();
        let exactly = self.takes("exactly");
        let start = self.number("the number of atoms")?;
        let (mut end, mut increment, mut is_range) = (Some(start), 1, false);
        if self.sees(".") && self.symbol_ahead(1) == "." {
            self.next();
            self.next();
            is_range = true;
            end = self.number_ahead();
            if end.is_some() {
                self.next();
            } else if self.dialect.has_events {
                return Err(self.refuse("the greatest number of the range"));
            }
        }
        if self.sees(":") && self.dialect.has_events {
            return Err(self.refuse("a signature behind the number of its atoms"));
        }
        if self.takes(":") {
            end = if is_range { end } else { None };
            increment = self.number("by how much the scope grows")?;
            is_range = true;
        }
        if (start < 0 || end.is_some_and(|end| end < start)) && !self.dialect.has_events {
            let help = "write `3` or `LEAST..MOST`";
            return self.useless(span, "a scope goes up, from 0 or more", help);
        }
        let is_exact = exactly || (is_range && end == Some(start));
        let counted = Counted { start, end, increment, is_exact, is_range };
        let what = self.symbol_ahead(0);
        match what {
            "Int" | "seq" if self.dialect.has_events => {
                let place = self.span();
                self.next();
                self.of_sig(scope, Name { text: what.to_owned(), span: place }, &counted);
            }
            "Int" | "int" | "seq" => {
                self.next();
                if is_range || exactly {
                    return self.useless(
                        span,
                        "this scope is one number",
                        "write `4 Int` or `4 seq`",
                    );
                }
                let place = if what == "seq" { &mut scope.seq } else { &mut scope.bitwidth };
                if place.replace(start).is_some() {
                    return self.useless(span, "this scope is given twice", "remove one of them");
                }
            }
            "steps" => self.steps(scope, span, &counted)?,
            "univ" | "none" => {
                let message = format!("`{what}` has no scope");
                return self.useless(span, &message, "name a signature");
            }
            _ => {
                let sig = match what {
                    "String" => self.sig_ref()?,
                    _ => self.new_name("a signature behind the number of its atoms")?,
                };
                self.of_sig(scope, sig, &counted);
            }
        }
        Ok(())
    }

    fn of_sig(&self, scope: &mut Scope, sig: Name, counted: &Counted) {
        let Counted { start, end, increment, is_exact, is_range } = *counted;
        let end = end.unwrap_or(i64::from(i32::MAX));
        scope.sigs.push(SigScope { sig, is_exact, is_range, start, end, increment });
    }

    fn steps(&mut self, scope: &mut Scope, span: Span, counted: &Counted) -> Parsed<()> {
        let Counted { start, end, increment, is_exact, is_range } = *counted;
        self.next();
        let message = match () {
            () if start < 1 => "a trace has at least one step",
            () if end.is_none() && start != 1 => "steps without bound begin at 1",
            () if increment != 1 => "steps grow by one",
            () if scope.steps.is_some() => "steps are given twice",
            () => "",
        };
        if !message.is_empty() {
            return self.useless(span, message, "write `10 steps` or `1..10 steps`");
        }
        let least = if is_exact || is_range { start } else { 1 };
        scope.steps = Some((least, end));
        Ok(())
    }

    fn useless(&self, span: Span, message: &str, help: &str) -> Parsed<()> {
        let place = self.since(span);
        Err(Diagnostic::error(self.dialect.scope, message).at(place, "").help(help))
    }
}
