//! The grammar of what only designs have: events, `init`, `end`, and what is checked beside commands.
//! Their words are names everywhere else.

use crate::parser::{Parsed, Parser};
use crate::tree::{Behaviour, Deadlock, Event, Expr, Fair, Init};

impl Parser {
    /// A paragraph that Alloy has not; whether there was one.
    pub(super) fn design(&mut self, behaviour: &mut Behaviour) -> Parsed<bool> {
        let start = self.span();
        match (self.symbol_ahead(0), self.symbol_ahead(1)) {
            ("check", "fact") => {
                self.next();
                self.next();
                let name = if self.is_name() { Some(self.new_name("a name")?) } else { None };
                behaviour.checked.push((name, self.block()?));
                return Ok(true);
            }
            ("check", "no") if self.word_ahead(2) == "deadlock" => {
                for _ in 0..3 {
                    self.next();
                }
                let (scope, scope_span) = self.scope_with_place()?;
                let expect = self.expectation()?;
                let span = self.since(start);
                behaviour.deadlocks.push(Deadlock { scope, scope_span, expect, span });
                return Ok(true);
            }
            _ => {}
        }
        match self.word_ahead(0) {
            "event" | "fair" | "strong" => {
                let event = self.event()?;
                behaviour.events.push(event);
            }
            "init" => {
                self.next();
                let body = self.conditions()?;
                let (scope, scope_span) = self.scope_with_place()?;
                behaviour.inits.push(Init { body, scope, scope_span, span: start });
            }
            "end" => {
                self.next();
                let body = self.conditions()?;
                behaviour.ends.push(body);
            }
            "invariant" => {
                self.next();
                let name = self.new_name("a name")?;
                behaviour.invariants.push((name, self.block()?));
            }
            "overflow" => {
                self.next();
                if !self.takes_word("wraps") {
                    return Err(self.refuse("`wraps`: without this line, overflow is an error"));
                }
                behaviour.wraps = true;
            }
            // `assume fact` is a fact.
            "assume" if self.symbol_ahead(1) == "fact" => {
                self.next();
                return Ok(false);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn event(&mut self) -> Parsed<Event> {
        let fairness = match self.word_ahead(0) {
            "strong" => Some(Fair::Strong),
            "fair" => Some(Fair::Weak),
            _ => None,
        };
        self.takes_word("strong");
        self.takes_word("fair");
        if !self.takes_word("event") {
            return Err(self.refuse("`event`"));
        }
        let name = self.new_name("the name of the event")?;
        let parameters = self.parameters()?;
        Ok(Event { name, parameters, body: self.conditions()?, fairness })
    }

    /// A block about one state or one step. Nothing happens after it that a `;` could speak of, so it only
    /// separates: `{ guards; effects }`.
    fn conditions(&mut self) -> Parsed<Expr> {
        self.semicolon_separates = true;
        let body = self.block();
        self.semicolon_separates = false;
        body
    }
}
