//! Numbers that do not fit, as Alloy's application treats them: a comparison of which a number does not
//! fit says nothing. It is false where something is looked for, and true where something must hold for
//! every such integer (Milicevic and Jackson, *Preventing arithmetic overflows in Alloy*, 2014).
//! Knows the core only: what does not fit becomes a formula like any other.

use rustc_hash::FxHashMap;

use super::Lowered;
use crate::core::{Core, NodeId, Op, map};
use crate::names::world::{SigId, VarId};
use crate::scope::Bounds;

/// Leaves out what exists only because a number does not fit.
pub(crate) fn exclude(bounds: &mut Bounds, lowered: &mut Lowered) {
    let integers = bounds.sigs[SigId::INT.index()];
    let core = &mut bounds.core;
    let mut guard = Guard { core, integers, env: Vec::new(), known: FxHashMap::default() };
    for claim in lowered.facts.iter_mut().chain(&mut lowered.goal) {
        claim.formula = guard.formula(claim.formula, false);
    }
}

/// The variables that range over all integers, and whether something must hold for each of them.
type Integers = Vec<(VarId, bool)>;

struct Guard<'a> {
    core: &'a mut Core,
    /// The set of all integers.
    integers: NodeId,
    env: Integers,
    known: FxHashMap<(NodeId, bool, Integers), NodeId>,
}

impl Guard<'_> {
    /// A formula below an even or odd number of denials.
    fn formula(&mut self, node: NodeId, is_denied: bool) -> NodeId {
        let key = (node, is_denied, self.env.clone());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let op = self.core.op(node).clone();
        let guarded = match op {
            Op::Not(of) => {
                let of = self.formula(of, !is_denied);
                self.core.not(of)
            }
            Op::And(parts) => {
                let parts: Vec<NodeId> =
                    parts.iter().map(|part| self.formula(*part, is_denied)).collect();
                self.core.and(parts)
            }
            Op::All(var, set, body) => {
                let bound = self.relation(set, is_denied);
                let body = self.below(&[(var, set)], !is_denied, |it| it.formula(body, is_denied));
                self.core.node(Op::All(var, bound, body))
            }
            Op::AllSets(var, set, is_lone, body) => {
                let set = self.relation(set, is_denied);
                let body = self.formula(body, is_denied);
                self.core.node(Op::AllSets(var, set, is_lone, body))
            }
            Op::Iff(..)
            | Op::After(_)
            | Op::Always(_)
            | Op::Until(..)
            | Op::Before(_)
            | Op::Once(_)
            | Op::Since(..) => {
                let op = map(op, &mut |part| self.formula(part, is_denied));
                self.core.node(op)
            }
            _ => self.comparison(op, is_denied),
        };
        self.known.insert(key, guarded);
        guarded
    }

    /// Runs below variables, as far as they range over all integers.
    fn below<T>(
        &mut self,
        vars: &[(VarId, NodeId)],
        is_each: bool,
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let n = self.env.len();
        let integers = vars.iter().filter(|(_, set)| *set == self.integers);
        self.env.extend(integers.map(|(var, _)| (*var, is_each)));
        let found = f(self);
        self.env.truncate(n);
        found
    }

    /// A comparison of sets or numbers.
    fn comparison(&mut self, op: Op, is_denied: bool) -> NodeId {
        let (mut each, mut some) = (Vec::new(), Vec::new());
        for side in crate::core::children(&op) {
            let (mut exceeding, mut vars) = (Vec::new(), Vec::new());
            self.exceeding(side, &mut exceeding, &mut vars);
            let innermost = self.env.iter().rev().find(|(var, _)| vars.contains(var));
            let is_each = innermost.is_some_and(|(_, is_each)| *is_each);
            if is_each { each.extend(exceeding) } else { some.extend(exceeding) }
        }
        let op = map(op, &mut |side| self.relation(side, is_denied));
        let plain = self.core.node(op);
        let (excluded, ignored) = if is_denied { (each, some) } else { (some, each) };
        // What is excluded makes it false, what is ignored true; below a denial what is excluded for
        // each integer comes last, as what is ignored does elsewhere.
        let exclude = |core: &mut Core, formula: NodeId| {
            let fits: Vec<NodeId> = excluded.iter().map(|it| core.not(*it)).collect();
            core.and([formula].into_iter().chain(fits))
        };
        let ignore = |core: &mut Core, formula: NodeId| match ignored.is_empty() {
            true => formula,
            false => core.or([formula].into_iter().chain(ignored.iter().copied())),
        };
        if is_denied {
            let formula = ignore(self.core, plain);
            exclude(self.core, formula)
        } else {
            let formula = exclude(self.core, plain);
            ignore(self.core, formula)
        }
    }

    /// A set or number, with the formulas inside it.
    fn relation(&mut self, node: NodeId, is_denied: bool) -> NodeId {
        let op = self.core.op(node).clone();
        let op = match op {
            Op::Comprehension(vars, body) => {
                let body = self.below(&vars, false, |it| it.formula(body, is_denied));
                let bounds = vars.iter().map(|(var, set)| (*var, self.relation(*set, is_denied)));
                Op::Comprehension(bounds.collect(), body)
            }
            Op::SumOver(var, set, number) => {
                let bound = self.relation(set, is_denied);
                let number = self.below(&[(var, set)], false, |it| it.relation(number, is_denied));
                Op::SumOver(var, bound, number)
            }
            Op::Choose(c, a, b) => {
                let c = self.formula(c, is_denied);
                Op::Choose(c, self.relation(a, is_denied), self.relation(b, is_denied))
            }
            Op::ChooseInt(c, a, b) => {
                let c = self.formula(c, is_denied);
                Op::ChooseInt(c, self.relation(a, is_denied), self.relation(b, is_denied))
            }
            op => map(op, &mut |part| self.relation(part, is_denied)),
        };
        self.core.node(op)
    }

    /// The numbers in a set or number that do not fit, as formulas, and the variables they mention.
    fn exceeding(&mut self, node: NodeId, found: &mut Vec<NodeId>, vars: &mut Vec<VarId>) {
        let op = self.core.op(node).clone();
        match op {
            Op::Count(of) | Op::SumOf(of) => {
                vars.extend(self.core.facts(of).free.iter());
                // One atom is one integer, which fits.
                if !matches!(self.core.op(of), Op::Var(_)) {
                    found.push(self.core.node(Op::Exceeds(node)));
                }
                self.exceeding(of, found, vars);
            }
            Op::Number(_) => found.push(self.core.node(Op::Exceeds(node))),
            Op::Arithmetic(_, a, b) => {
                found.push(self.core.node(Op::Exceeds(node)));
                self.exceeding(a, found, vars);
                self.exceeding(b, found, vars);
            }
            Op::SumOver(var, set, number) => {
                vars.extend(self.core.facts(node).free.iter());
                found.push(self.core.node(Op::Exceeds(node)));
                let mut parts = Vec::new();
                self.exceeding(number, &mut parts, &mut Vec::new());
                let any = self.core.or(parts);
                found.push(self.core.exists(var, set, any));
            }
            Op::Choose(c, a, b) | Op::ChooseInt(c, a, b) => {
                let denied = self.core.not(c);
                for (condition, branch) in [(c, a), (denied, b)] {
                    let mut parts = Vec::new();
                    self.exceeding(branch, &mut parts, vars);
                    let any = self.core.or(parts);
                    found.push(self.core.and([condition, any]));
                }
            }
            Op::Prime(of) => {
                let mut parts = Vec::new();
                self.exceeding(of, &mut parts, vars);
                if !parts.is_empty() {
                    let any = self.core.or(parts);
                    found.push(self.core.node(Op::After(any)));
                }
            }
            // The formula inside was guarded by itself.
            Op::Comprehension(..) => {}
            op => {
                for part in crate::core::children(&op) {
                    self.exceeding(part, found, vars);
                }
            }
        }
    }
}
