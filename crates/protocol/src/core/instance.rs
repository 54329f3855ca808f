//! Parts of an outermost parallel composition that differ in the indices of roles only, as those of
//! `worker[0]` and `worker[1]`: they are kept as one term, with a renaming of roles for each part. So
//! their steps are computed once, and what two of them hold can be exchanged.

use rustc_hash::{FxHashMap, FxHashSet};

use super::action::{Act, ActId, RoleId};
use super::term::{Term, TermId, Terms};

/// The roles of a part, by those of the term that it is kept as; others stay as they are.
pub(super) type Renaming = FxHashMap<RoleId, RoleId>;

/// Kinds of parts that a part is compared with.
const MAX_KINDS: usize = 8;

impl Terms {
    /// The terms that parts are kept as, and how roles are renamed to get each part back.
    pub(super) fn instances(&self, parts: &[TermId]) -> (Vec<TermId>, Vec<Renaming>) {
        let mut kinds: Vec<TermId> = Vec::new();
        let instance = |&part: &TermId| {
            let mut known = kinds.iter().take(MAX_KINDS);
            let found = known.find_map(|&kind| Some((kind, self.renaming(kind, part)?)));
            found.unwrap_or_else(|| {
                kinds.push(part);
                (part, Renaming::default())
            })
        };
        parts.iter().map(instance).unzip()
    }

    /// How roles are renamed to get a part from a term that is the same but for indices of roles;
    /// different roles stay different. What calls unfold to is not looked into.
    fn renaming(&self, kind: TermId, part: TermId) -> Option<Renaming> {
        let (mut renaming, mut back) = (Renaming::default(), Renaming::default());
        let (mut open, mut seen) = (vec![(kind, part)], FxHashSet::default());
        while let Some((one, other)) = open.pop() {
            if !seen.insert((one, other)) {
                continue;
            }
            match (self.term(one), self.term(other)) {
                (Term::Stop, Term::Stop) | (Term::Skip, Term::Skip) => {}
                (Term::Act(one, update), Term::Act(other, same)) if update == same => {
                    let places = [one, other].map(|act| self.own_place(act));
                    let (one, other) = (self.act_of(one), self.act_of(other));
                    if (one.kind, one.to.len(), &one.message, places[0])
                        != (other.kind, other.to.len(), &other.message, places[1])
                    {
                        return None;
                    }
                    let roles = std::iter::once(&one.from).chain(&one.to);
                    for (&role, &renamed) in
                        roles.zip(std::iter::once(&other.from).chain(&other.to))
                    {
                        let fits = *renaming.entry(role).or_insert(renamed) == renamed
                            && *back.entry(renamed).or_insert(role) == role;
                        if !fits || self.role_of(role).name != self.role_of(renamed).name {
                            return None;
                        }
                    }
                }
                (Term::Seq(a, b), Term::Seq(c, d)) | (Term::Par(a, b), Term::Par(c, d)) => {
                    open.extend([(a, c), (b, d)]);
                }
                (Term::Choice(ones), Term::Choice(others)) if ones.len() == others.len() => {
                    open.extend(ones.iter().copied().zip(others.iter().copied()));
                }
                (Term::Nested(a), Term::Nested(b)) => open.push((a, b)),
                (Term::Guard(condition, a), Term::Guard(same, b)) if condition == same => {
                    open.push((a, b));
                }
                (Term::Repeat { body: a, may_end }, Term::Repeat { body: b, may_end: same })
                    if may_end == same =>
                {
                    open.push((a, b));
                }
                (Term::Call(..), Term::Call(..)) if kind == part => {}
                _ => return None,
            }
        }
        renaming.retain(|role, renamed| role != renamed);
        Some(renaming)
    }

    /// An action with other roles.
    pub(super) fn renamed(&self, act: ActId, renaming: &Renaming) -> ActId {
        if renaming.is_empty() {
            return act;
        }
        let Act { kind, from, to, message } = self.act_of(act);
        let role = |role: &RoleId| *renaming.get(role).unwrap_or(role);
        let to = to.iter().map(role).collect();
        let renamed = Act { kind: *kind, from: role(from), to, message: message.clone() };
        self.act_at(renamed, self.own_place(act))
    }
}
