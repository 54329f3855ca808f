//! Whether one state of a protocol stands inside another: what led from the one to the other can then be done
//! again and again, and leaves more to do each time.

use quadrille_model::Value;

use super::model::ProtocolModel;
use super::term::{Term, TermId, Terms};

/// Most terms that are looked into.
const MOST: usize = 1000;

impl ProtocolModel {
    /// Whether the later state is the earlier one with more beside or after it, and the variables hold the same.
    pub fn has_grown(&self, earlier: &[Value], later: &[Value]) -> bool {
        let (before, data) = earlier.split_at(self.n_parts());
        let (after, later_data) = later.split_at(self.n_parts());
        let grown = |(&before, &after): (&Value, &Value)| {
            self.terms().stands_in(TermId(before), TermId(after))
        };
        data == later_data
            && before != after
            && before.iter().zip(after).all(|parts| parts.0 == parts.1 || grown(parts))
    }
}

impl Terms {
    /// Whether the larger term is the smaller one with something beside or after it.
    fn stands_in(&self, smaller: TermId, larger: TermId) -> bool {
        let mut open = vec![larger];
        for _ in 0..MOST {
            let Some(term) = open.pop() else { return false };
            match self.term(term) {
                Term::Seq(first, _) => {
                    if first == smaller || self.is_beginning(smaller, term) {
                        return true;
                    }
                    open.push(first);
                }
                Term::Par(..) => {
                    let parts: Vec<TermId> =
                        self.parts(term).into_iter().map(|part| self.unnested(part)).collect();
                    if parts.contains(&smaller) || self.is_some_of(smaller, &parts) {
                        return true;
                    }
                    open.extend(parts);
                }
                Term::Nested(inner) => open.push(inner),
                _ => {}
            }
        }
        false
    }

    /// Whether a sequence begins like another and is shorter.
    fn is_beginning(&self, mut shorter: TermId, mut longer: TermId) -> bool {
        for _ in 0..MOST {
            match (self.term(shorter), self.term(longer)) {
                (_, Term::Seq(first, _)) if first == shorter => return true,
                (Term::Seq(first, then), Term::Seq(other, rest)) if first == other => {
                    (shorter, longer) = (then, rest);
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether the parts of a composition are some of these, but not all.
    fn is_some_of(&self, term: TermId, all: &[TermId]) -> bool {
        let mut rest = all.to_vec();
        let parts = self.parts(term);
        parts.len() < all.len()
            && parts.into_iter().map(|part| self.unnested(part)).all(|part| {
                let found = rest.iter().position(|&other| other == part);
                found.map(|at| rest.swap_remove(at)).is_some()
            })
    }
}
