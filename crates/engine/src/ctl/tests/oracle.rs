//! Branching time by its fixpoints, iterated on plain sets of (state, action) pairs; every operator
//! by its own equation. And a second look at runs that are given as evidence.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_logic::{Binary, Formula, Path, Unary};
use quadrille_model::{ActionId, Ending, Explicit, PropositionId, StateId, Trace};

/// A state and the action that led there.
type Node = (StateId, Option<ActionId>);
type Set = BTreeSet<Node>;

/// What an atom of the tests means.
#[derive(Clone, Copy)]
pub(super) enum Atom {
    Proposition(PropositionId),
    Action(ActionId),
}

pub(super) struct Oracle<'a> {
    table: &'a Explicit,
    atoms: &'a [Atom],
    successors: BTreeMap<Node, Set>,
    predecessors: BTreeMap<Node, Set>,
}

impl<'a> Oracle<'a> {
    pub(super) fn new(table: &'a Explicit, atoms: &'a [Atom]) -> Self {
        let mut open: Vec<Node> =
            table.initial_states().iter().map(|&state| (state, None)).collect();
        let mut successors: BTreeMap<Node, Set> = BTreeMap::new();
        let mut predecessors: BTreeMap<Node, Set> = BTreeMap::new();
        while let Some(node) = open.pop() {
            if successors.contains_key(&node) {
                continue;
            }
            predecessors.entry(node).or_default();
            let edges = table.edges(node.0).iter();
            let next: Set = edges.map(|&(action, to)| (to, Some(action))).collect();
            for &to in &next {
                predecessors.entry(to).or_default().insert(node);
                open.push(to);
            }
            successors.insert(node, next);
        }
        Oracle { table, atoms, successors, predecessors }
    }

    pub(super) fn is_true(&self, formula: &Formula) -> bool {
        let set = self.set(formula);
        self.table.initial_states().iter().all(|&state| set.contains(&(state, None)))
    }

    fn ends(&self, node: &Node) -> bool {
        self.table.is_end(node.0) || self.table.edges(node.0).is_empty()
    }

    fn atom(&self, atom: usize, node: &Node) -> bool {
        match self.atoms[atom] {
            Atom::Proposition(proposition) => self.table.holding(node.0).contains(&proposition),
            Atom::Action(action) => node.1 == Some(action),
        }
    }

    fn filter(&self, test: impl Fn(&Node) -> bool) -> Set {
        self.successors.keys().copied().filter(|node| test(node)).collect()
    }

    fn fixpoint(&self, start: bool, step: impl Fn(&Node, &Set) -> bool) -> Set {
        let mut set = self.filter(|_| start);
        loop {
            let next = self.filter(|node| step(node, &set));
            if next == set {
                return set;
            }
            set = next;
        }
    }

    fn set(&self, formula: &Formula) -> Set {
        match formula {
            Formula::True => self.filter(|_| true),
            Formula::False => Set::new(),
            Formula::Atom(atom) => self.filter(|node| self.atom(atom.index(), node)),
            Formula::Not(a) => {
                let a = self.set(a);
                self.filter(|node| !a.contains(node))
            }
            Formula::And(all) => {
                let sets: Vec<Set> = all.iter().map(|operand| self.set(operand)).collect();
                self.filter(|node| sets.iter().all(|set| set.contains(node)))
            }
            Formula::Or(all) => {
                let sets: Vec<Set> = all.iter().map(|operand| self.set(operand)).collect();
                self.filter(|node| sets.iter().any(|set| set.contains(node)))
            }
            Formula::Implies(a, b) => {
                let (a, b) = (self.set(a), self.set(b));
                self.filter(|node| !a.contains(node) || b.contains(node))
            }
            Formula::Iff(a, b) => {
                let (a, b) = (self.set(a), self.set(b));
                self.filter(|node| a.contains(node) == b.contains(node))
            }
            Formula::Unary(path, operator, a) => self.unary(*path, *operator, &self.set(a)),
            Formula::Binary(path, operator, a, b) => {
                self.binary(*path, *operator, &self.set(a), &self.set(b))
            }
        }
    }

    fn unary(&self, path: Path, operator: Unary, a: &Set) -> Set {
        let some = |node: &Node, set: &Set| self.successors[node].iter().any(|n| set.contains(n));
        let all = |node: &Node, set: &Set| self.successors[node].iter().all(|n| set.contains(n));
        let some_before =
            |node: &Node, set: &Set| self.predecessors[node].iter().any(|n| set.contains(n));
        let all_before =
            |node: &Node, set: &Set| self.predecessors[node].iter().all(|n| set.contains(n));
        let is_initial = |node: &Node| node.1.is_none();
        let has = |node: &Node| a.contains(node);
        match (path, operator) {
            (Path::Some, Unary::Next) => self.filter(|n| some(n, a)),
            (Path::All, Unary::Next) => self.filter(|n| all(n, a)),
            (Path::Some, Unary::Eventually) => self.fixpoint(false, |n, z| has(n) || some(n, z)),
            (Path::All, Unary::Eventually) => {
                self.fixpoint(false, |n, z| has(n) || !self.ends(n) && all(n, z))
            }
            (Path::Some, Unary::Always) => {
                self.fixpoint(true, |n, z| has(n) && (self.ends(n) || some(n, z)))
            }
            (Path::All, Unary::Always) => self.fixpoint(true, |n, z| has(n) && all(n, z)),
            (Path::Some, Unary::Previous) => self.filter(|n| some_before(n, a)),
            (Path::All, Unary::Previous) => self.filter(|n| all_before(n, a)),
            (Path::Some, Unary::Once) => self.fixpoint(false, |n, z| has(n) || some_before(n, z)),
            // Histories are finite: going round for ever is none, hence the greatest fixpoint.
            (Path::All, Unary::Once) => {
                self.fixpoint(true, |n, z| has(n) || !is_initial(n) && all_before(n, z))
            }
            (Path::Some, Unary::Historically) => {
                self.fixpoint(false, |n, z| has(n) && (is_initial(n) || some_before(n, z)))
            }
            (Path::All, Unary::Historically) => {
                self.fixpoint(true, |n, z| has(n) && all_before(n, z))
            }
            (Path::This, _) => panic!("not an operator of branching time"),
        }
    }

    fn binary(&self, path: Path, operator: Binary, a: &Set, b: &Set) -> Set {
        let some = |node: &Node, set: &Set| self.successors[node].iter().any(|n| set.contains(n));
        let all = |node: &Node, set: &Set| self.successors[node].iter().all(|n| set.contains(n));
        let before = &self.predecessors;
        let (a, b) = (|n: &Node| a.contains(n), |n: &Node| b.contains(n));
        let e = |n: &Node| self.ends(n);
        match (path, operator) {
            (Path::Some, Binary::Until) => self.fixpoint(false, |n, z| b(n) || a(n) && some(n, z)),
            (Path::All, Binary::Until) => {
                self.fixpoint(false, |n, z| b(n) || a(n) && !e(n) && all(n, z))
            }
            (Path::Some, Binary::WeakUntil) => {
                self.fixpoint(true, |n, z| b(n) || a(n) && (e(n) || some(n, z)))
            }
            (Path::All, Binary::WeakUntil) => self.fixpoint(true, |n, z| b(n) || a(n) && all(n, z)),
            (Path::Some, Binary::Release) => {
                self.fixpoint(true, |n, z| b(n) && (a(n) || e(n) || some(n, z)))
            }
            (Path::All, Binary::Release) => self.fixpoint(true, |n, z| b(n) && (a(n) || all(n, z))),
            (Path::Some, Binary::StrongRelease) => {
                self.fixpoint(false, |n, z| b(n) && (a(n) || some(n, z)))
            }
            (Path::All, Binary::StrongRelease) => {
                self.fixpoint(false, |n, z| b(n) && (a(n) || !e(n) && all(n, z)))
            }
            (Path::Some, Binary::Since) => {
                self.fixpoint(false, |n, z| b(n) || a(n) && before[n].iter().any(|n| z.contains(n)))
            }
            (Path::All, Binary::Since) => self.fixpoint(true, |n, z| {
                b(n) || a(n) && n.1.is_some() && before[n].iter().all(|n| z.contains(n))
            }),
            (Path::This, _) => panic!("not an operator of branching time"),
        }
    }

    /// Whether a run alone refutes a formula of universal operators whose `AF` and `AU` have
    /// operands without temporal operators.
    pub(super) fn refutes(&self, trace: &Trace, formula: &Formula) -> bool {
        let states = std::iter::once(&trace.initial).chain(trace.steps.iter().map(|s| &s.state));
        let actions = std::iter::once(None).chain(trace.steps.iter().map(|s| Some(s.action)));
        let nodes: Vec<Node> =
            states.zip(actions).map(|(state, action)| (StateId::new(state[0]), action)).collect();
        self.fails(&nodes, trace.ending, 0, formula)
    }

    fn fails(&self, nodes: &[Node], ending: Ending, at: usize, formula: &Formula) -> bool {
        let fails = |at, formula: &Formula| self.fails(nodes, ending, at, formula);
        // A loop's last node is the first one of the loop again.
        let (end, back) = match ending {
            Ending::Loop { from } => (nodes.len() - 1, from),
            _ => (nodes.len(), nodes.len()),
        };
        let later: Vec<usize> = (at..end).chain(back..at.min(end).max(back)).collect();
        let is_whole = ending != Ending::Prefix;
        match formula {
            Formula::And(all) => all.iter().any(|operand| fails(at, operand)),
            Formula::Or(all) => all.iter().all(|operand| fails(at, operand)),
            Formula::Implies(a, b) => !fails(at, a) && fails(at, b),
            Formula::Unary(Path::All, Unary::Next, a) => match (at + 1 < end, ending) {
                (true, _) => fails(at + 1, a),
                (false, Ending::Loop { from }) => fails(from, a),
                (false, _) => false,
            },
            Formula::Unary(Path::All, Unary::Always, a) => later.iter().any(|&at| fails(at, a)),
            Formula::Unary(Path::All, Unary::Eventually, a) => {
                is_whole && later.iter().all(|&at| fails(at, a))
            }
            Formula::Binary(Path::All, Binary::Until, a, b) => {
                let until_b = || later.iter().take_while(|&&at| fails(at, b));
                until_b().any(|&at| fails(at, a)) || is_whole && until_b().count() == later.len()
            }
            Formula::Not(_) | Formula::Atom(_) | Formula::True | Formula::False => {
                !self.set(formula).contains(&nodes[at])
            }
            _ => panic!("not of this kind: {formula:?}"),
        }
    }
}
