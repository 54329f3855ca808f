//! States of a protocol as people read them.

use super::model::ProtocolModel;
use super::term::{Term, TermId};

impl ProtocolModel {
    /// Adds the term that a part has come to, as far as there is room.
    pub(super) fn show_term(&self, part: usize, term: TermId, out: &mut String) {
        let list = |parts: &[TermId], between: &str, out: &mut String| {
            out.push('(');
            for (position, &term) in parts.iter().enumerate() {
                if position > 0 {
                    out.push_str(between);
                }
                self.show_term(part, term, out);
            }
            out.push(')');
        };
        if out.len() > 400 {
            if !out.ends_with('…') {
                out.push('…');
            }
            return;
        }
        match self.terms().term(term) {
            Term::Stop => out.push_str("stuck"),
            Term::Skip => out.push_str("end"),
            Term::Act(act, _) => {
                let act = self.terms().renamed(act, &self.renamings[part]);
                out.push_str(&self.terms().act_of(act).action(|role| self.role(role)).label);
            }
            Term::Seq(first, then) => {
                self.show_term(part, first, out);
                out.push_str("; ");
                self.show_term(part, then, out);
            }
            Term::Choice(parts) => list(parts, " or ", out),
            Term::Par(..) => list(&self.terms().parts(term), " and ", out),
            Term::Nested(inner) => self.show_term(part, inner, out),
            Term::Guard(_, inner) => {
                out.push_str("if … ");
                self.show_term(part, inner, out);
            }
            Term::Repeat { body, may_end } => {
                out.push_str(if may_end { "loop " } else { "for ever " });
                list(&[body], "", out);
            }
            Term::Call(definition, arguments) => {
                out.push_str(&self.definitions.named(definition, arguments).text);
            }
        }
    }
}
