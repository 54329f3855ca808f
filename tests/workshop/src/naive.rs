//! The plainest way to every answer: states as vectors in a map, formulas by all valuations of their
//! temporal parts (Lichtenstein & Pnueli, POPL 1985). It shares no code with the engines that it is
//! compared with, and is made for small models.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quadrille_logic::{Binary, Formula, Letter, Unary};
use quadrille_model::{ActionId, Model, Value};

/// Temporal operators of a formula; the number of valuations is two to the power of this.
const MAX_TEMPORAL: usize = 4;

/// All states and steps of a model.
pub struct Naive {
    /// The states in the order in which they were met.
    pub states: Vec<Vec<Value>>,
    /// How many states are initial.
    pub n_initial: usize,
    /// For each state its steps, and where they lead.
    pub edges: Vec<Vec<(ActionId, usize)>>,
    /// For each state whether the system may end there.
    pub may_end: Vec<bool>,
    /// How many steps away each state is.
    pub depths: Vec<usize>,
}

impl Naive {
    /// Explores a model; `None` if it has more states than this.
    ///
    /// # Panics
    /// If something cannot be computed.
    pub fn explore(model: &dyn Model, most: usize) -> Option<Self> {
        let mut explorer = model.explorer();
        let (mut states, mut numbers) = (Vec::new(), BTreeMap::new());
        let initial = explorer.each_initial(|state| {
            if numbers.insert(state.to_vec(), states.len()).is_none() {
                states.push(state.to_vec());
            }
        });
        initial.expect("it never fails");
        let n_initial = states.len();
        let mut depths = vec![0; n_initial];
        let (mut edges, mut may_end) = (Vec::new(), Vec::new());
        while edges.len() < states.len() {
            let number = edges.len();
            let (state, mut own) = (states[number].clone(), Vec::new());
            let flow = explorer.each_successor(&state, |_, action, next| {
                let target = *numbers.entry(next.to_vec()).or_insert_with(|| {
                    states.push(next.to_vec());
                    depths.push(depths[number] + 1);
                    states.len() - 1
                });
                own.push((action, target));
            });
            flow.expect("it never fails");
            edges.push(own);
            may_end.push(explorer.may_end(&state).expect("it never fails"));
            if states.len() > most {
                return None;
            }
        }
        Some(Self { states, n_initial, edges, may_end, depths })
    }

    /// How many steps it takes to a state without steps in which the system may not end.
    pub fn deadlock(&self) -> Option<usize> {
        let is_stuck = |&state: &usize| self.edges[state].is_empty() && !self.may_end[state];
        (0..self.states.len()).filter(is_stuck).map(|state| self.depths[state]).min()
    }

    /// Whether some run does not satisfy a formula of linear time that looks forward; `None` if it has
    /// many temporal operators. A run may end where the system may, and where it cannot go on; its last
    /// state is repeated then.
    ///
    /// `state` and `action` give the atoms that hold of each.
    pub fn breaks(
        &self,
        formula: &Formula,
        state: &mut dyn FnMut(&[Value]) -> Letter,
        action: &dyn Fn(ActionId) -> Letter,
    ) -> Option<bool> {
        let mut temporal = Vec::new();
        gather(formula, &mut temporal);
        if temporal.len() > MAX_TEMPORAL {
            return None;
        }
        let mut moves: Vec<(Letter, Option<usize>)> = Vec::new();
        let mut from = Vec::new();
        for number in 0..self.states.len() {
            let (here, start) = (state(&self.states[number]), moves.len());
            let steps = self.edges[number].iter();
            moves.extend(steps.map(|&(label, target)| (here | action(label), Some(target))));
            if self.may_end[number] || self.edges[number].is_empty() {
                moves.push((here, None));
            }
            from.push(start..moves.len());
        }
        let tableau = Tableau { temporal, moves, from };
        Some(tableau.has_run(formula, self.n_initial))
    }
}

/// The temporal parts of a formula, each before the parts of its own.
fn gather<'f>(formula: &'f Formula, temporal: &mut Vec<&'f Formula>) {
    if matches!(formula, Formula::Unary(..) | Formula::Binary(..)) && !temporal.contains(&formula) {
        temporal.push(formula);
    }
    formula.operands().into_iter().for_each(|operand| gather(operand, temporal));
}

/// Steps, each with what is to hold of the run from it on: a bit for each temporal part.
struct Tableau<'f> {
    temporal: Vec<&'f Formula>,
    /// The letter of each step, and the state behind it, if the run goes on.
    moves: Vec<(Letter, Option<usize>)>,
    /// The steps of each state.
    from: Vec<std::ops::Range<usize>>,
}

/// A step and a valuation.
type Node = (usize, usize);

impl Tableau<'_> {
    /// Whether a formula holds from a step on.
    fn holds(&self, formula: &Formula, node: Node) -> bool {
        let all = |formula: &Formula| self.holds(formula, node);
        match formula {
            Formula::True => true,
            Formula::False => false,
            Formula::Atom(atom) => self.moves[node.0].0 >> atom.index() & 1 == 1,
            Formula::Not(operand) => !all(operand),
            Formula::And(operands) => operands.iter().all(all),
            Formula::Or(operands) => operands.iter().any(all),
            Formula::Implies(left, right) => !all(left) || all(right),
            Formula::Iff(left, right) => all(left) == all(right),
            Formula::Unary(..) | Formula::Binary(..) => {
                let at = self.temporal.iter().position(|&part| part == formula);
                node.1 >> at.expect("a part of the formula") & 1 == 1
            }
        }
    }

    /// Whether a valuation fits what is to hold one step later.
    fn fits(&self, node: Node, next: Node) -> bool {
        self.temporal.iter().enumerate().all(|(number, part)| {
            let (now, then) = (node.1 >> number & 1 == 1, next.1 >> number & 1 == 1);
            let here = |formula: &Formula| self.holds(formula, node);
            now == match part {
                Formula::Unary(_, Unary::Next, a) => self.holds(a, next),
                Formula::Unary(_, Unary::Eventually, a) => here(a) || then,
                Formula::Unary(_, Unary::Always, a) => here(a) && then,
                Formula::Binary(_, Binary::Until | Binary::WeakUntil, a, b) => {
                    here(b) || here(a) && then
                }
                Formula::Binary(_, Binary::Release | Binary::StrongRelease, a, b) => {
                    here(b) && (here(a) || then)
                }
                _ => panic!("it looks forward"),
            }
        })
    }

    /// Whether nothing is put off that a part of the formula promises, or rules out.
    fn is_kept(&self, number: usize, node: Node) -> bool {
        let here = |formula: &Formula| self.holds(formula, node);
        let now = node.1 >> number & 1 == 1;
        match self.temporal[number] {
            Formula::Unary(_, Unary::Eventually, a) => !now || here(a),
            Formula::Unary(_, Unary::Always, a) => now || !here(a),
            Formula::Binary(_, Binary::Until, _, b) => !now || here(b),
            Formula::Binary(_, Binary::WeakUntil, a, b) => now || !here(a) && !here(b),
            Formula::Binary(_, Binary::Release, _, b) => now || !here(b),
            Formula::Binary(_, Binary::StrongRelease, a, b) => !now || here(a) && here(b),
            _ => true,
        }
    }

    /// Whether a run from one of the first states does not satisfy the formula: one that comes to a part
    /// of the graph from which every promise can be kept again and again.
    fn has_run(&self, formula: &Formula, n_initial: usize) -> bool {
        let valuations = 0..1 << self.temporal.len();
        let first = self.from[..n_initial].iter().cloned().flatten();
        let first = first.flat_map(|step| valuations.clone().map(move |value| (step, value)));
        let mut todo: VecDeque<Node> = first.filter(|&node| !self.holds(formula, node)).collect();
        let mut before: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        let mut alive: BTreeSet<Node> = todo.iter().copied().collect();
        while let Some(node) = todo.pop_front() {
            let steps = match self.moves[node.0].1 {
                Some(state) => self.from[state].clone(),
                None => node.0..node.0 + 1,
            };
            for step in steps {
                for next in valuations.clone().map(|value| (step, value)) {
                    if self.fits(node, next) {
                        before.entry(next).or_default().push(node);
                        if alive.insert(next) {
                            todo.push_back(next);
                        }
                    }
                }
            }
        }
        // Emerson & Lei 1986: what is left can come to each promise kept, in one step or more.
        loop {
            let n_before = alive.len();
            for number in 0..=self.temporal.len() {
                let is_goal =
                    |node: Node| number == self.temporal.len() || self.is_kept(number, node);
                let mut todo: Vec<Node> =
                    alive.iter().copied().filter(|&node| is_goal(node)).collect();
                let mut comes = BTreeSet::new();
                while let Some(node) = todo.pop() {
                    for &earlier in before.get(&node).into_iter().flatten() {
                        if alive.contains(&earlier) && comes.insert(earlier) {
                            todo.push(earlier);
                        }
                    }
                }
                alive = comes;
            }
            if alive.len() == n_before {
                return !alive.is_empty();
            }
        }
    }
}
