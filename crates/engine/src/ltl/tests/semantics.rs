//! Formulas on a model by the definition of the operators, without automata: at each step of a
//! run, guess the truth of every operator that looks forward, keep the guesses that fit together,
//! and see whether one that refutes the formula can be kept up for ever (after Lichtenstein and
//! Pnueli, POPL 1985).

use quadrille_logic::{Binary, Formula, Letter, Unary};
use quadrille_model::{Explicit, Model, Runs, StateId};

use super::super::Interpretation;

/// Truth of the subformulas at one step: bit `i` is subformula `i`.
type Truth = u64;

/// Whether some run of the model that counts violates a formula.
pub(super) fn some_run_violates(
    model: &Explicit,
    formula: &Formula,
    interpretation: &Interpretation,
    runs: Runs,
) -> bool {
    let rules = Rules::new(formula);
    let steps = steps(model, interpretation, runs);
    let pasts = Pasts::new(&rules, &steps);
    if runs == Runs::Finite {
        violated_by_an_end(&rules, &steps, &pasts)
    } else {
        violated_for_ever(&rules, &pasts)
    }
}

/// A step that a run may take; the silence after an end is a step, too.
struct Step {
    letter: Letter,
    first: bool,
    last: bool,
    next: Vec<usize>,
}

fn steps(model: &Explicit, interpretation: &Interpretation, runs: Runs) -> Vec<Step> {
    let is_first = |state: StateId| model.initial_states().contains(&state);
    let mut ends: Vec<(StateId, Option<StateId>)> = Vec::new();
    let mut steps = Vec::new();
    for state in model.states() {
        let here = interpretation.state_letter(&mut *model.explorer(), &[state.number()]);
        let here = here.expect("computable");
        let mut add = |letter, to: Option<StateId>| {
            ends.push((state, to));
            let last = to.is_none();
            steps.push(Step { letter, first: is_first(state), last, next: Vec::new() });
        };
        for &(action, to) in model.edges(state) {
            add(here | interpretation.action_letter(model, action), Some(to));
        }
        let is_stuck = runs == Runs::Maximal && model.edges(state).is_empty();
        if runs != Runs::Infinite && (model.is_end(state) || is_stuck) {
            add(here, None);
        }
    }
    for (step, (_, to)) in steps.iter_mut().zip(&ends) {
        let places = (0..ends.len()).filter(|&place| Some(ends[place].0) == *to);
        step.next = places.collect();
    }
    for (place, (_, to)) in ends.iter().enumerate() {
        if to.is_none() && runs == Runs::Maximal {
            steps[place].next.push(place);
        }
    }
    steps
}

/// A subformula; numbers are those of its operands, which come before it.
enum Rule {
    Constant(bool),
    Atom(usize),
    Not(usize),
    And(Vec<usize>),
    Or(Vec<usize>),
    Implies(usize, usize),
    Iff(usize, usize),
    Unary(Unary, usize),
    Binary(Binary, usize, usize),
}

impl Rule {
    /// The truth of a formula without temporal operator on top.
    fn joins(&self, now: Truth) -> bool {
        let is = |a: &usize| now >> a & 1 == 1;
        match self {
            Rule::Not(a) => !is(a),
            Rule::And(all) => all.iter().all(is),
            Rule::Or(all) => all.iter().any(is),
            Rule::Implies(a, b) => !is(a) || is(b),
            Rule::Iff(a, b) => is(a) == is(b),
            _ => unreachable!("not made of formulas at the same step"),
        }
    }
}

/// The subformulas of a formula, which is the last of them.
struct Rules {
    all: Vec<Rule>,
    /// Subformulas below which nothing looks forward.
    backward: Truth,
    /// Operators that look forward.
    forward: Truth,
}

impl Rules {
    fn new(formula: &Formula) -> Self {
        let mut rules = Self { all: Vec::new(), backward: 0, forward: 0 };
        rules.add(formula);
        assert!(rules.all.len() <= 64, "a truth has 64 bits");
        rules
    }

    fn add(&mut self, formula: &Formula) -> usize {
        let operands: Vec<usize> =
            formula.operands().into_iter().map(|operand| self.add(operand)).collect();
        let mut looks_forward = false;
        let rule = match (formula, &operands[..]) {
            (Formula::True, _) => Rule::Constant(true),
            (Formula::False, _) => Rule::Constant(false),
            (Formula::Atom(atom), _) => Rule::Atom(atom.index()),
            (Formula::Not(_), &[a]) => Rule::Not(a),
            (Formula::And(_), all) => Rule::And(all.to_vec()),
            (Formula::Or(_), all) => Rule::Or(all.to_vec()),
            (Formula::Implies(..), &[a, b]) => Rule::Implies(a, b),
            (Formula::Iff(..), &[a, b]) => Rule::Iff(a, b),
            (Formula::Unary(_, operator, _), &[a]) => {
                looks_forward = !operator.is_past();
                Rule::Unary(*operator, a)
            }
            (Formula::Binary(_, operator, ..), &[a, b]) => {
                looks_forward = !operator.is_past();
                Rule::Binary(*operator, a, b)
            }
            _ => unreachable!("operands as many as the operator has"),
        };
        let number = self.all.len();
        let below = operands.iter().all(|&operand| self.backward >> operand & 1 == 1);
        self.backward |= u64::from(below && !looks_forward) << number;
        self.forward |= u64::from(looks_forward) << number;
        self.all.push(rule);
        number
    }

    /// The truth at a step of everything that looks back, given that of the step before.
    fn past(&self, letter: Letter, before: Option<Truth>) -> Truth {
        let mut now: Truth = 0;
        for (number, rule) in self.all.iter().enumerate() {
            if self.backward >> number & 1 == 0 {
                continue;
            }
            let was = |a: usize| before.is_some_and(|truth| truth >> a & 1 == 1);
            let is = |a: usize| now >> a & 1 == 1;
            let holds = match rule {
                Rule::Constant(holds) => *holds,
                Rule::Atom(atom) => letter >> atom & 1 == 1,
                Rule::Unary(Unary::Previous, a) => was(*a),
                Rule::Unary(Unary::Once, a) => is(*a) || was(number),
                Rule::Unary(Unary::Historically, a) => is(*a) && (before.is_none() || was(number)),
                Rule::Binary(Binary::Since, a, b) => is(*b) || is(*a) && was(number),
                rule => rule.joins(now),
            };
            now |= Truth::from(holds) << number;
        }
        now
    }

    /// The whole truth at a step: what looks back is known, and a function tells what looks
    /// forward from what is known so far.
    fn complete(&self, past: Truth, forward: impl Fn(usize, Truth) -> bool) -> Truth {
        let mut now = past;
        for (number, rule) in self.all.iter().enumerate() {
            let bit = 1 << number;
            if self.forward & bit != 0 {
                now |= Truth::from(forward(number, now)) << number;
            } else if self.backward & bit == 0 {
                now |= Truth::from(rule.joins(now)) << number;
            }
        }
        now
    }

    /// The whole truth at a step, given that of the step after, if any.
    fn truth(&self, past: Truth, after: Option<Truth>) -> Truth {
        self.complete(past, |number, now| {
            let is = |a: usize| now >> a & 1 == 1;
            let will = |a: usize| after.is_some_and(|truth| truth >> a & 1 == 1);
            let ends_or_will = |a: usize| after.is_none() || will(a);
            match &self.all[number] {
                Rule::Unary(Unary::Next, a) => will(*a),
                Rule::Unary(Unary::Eventually, a) => is(*a) || will(number),
                Rule::Unary(Unary::Always, a) => is(*a) && ends_or_will(number),
                Rule::Binary(Binary::Until, a, b) => is(*b) || is(*a) && will(number),
                Rule::Binary(Binary::WeakUntil, a, b) => is(*b) || is(*a) && ends_or_will(number),
                Rule::Binary(Binary::Release, a, b) => is(*b) && (is(*a) || ends_or_will(number)),
                Rule::Binary(Binary::StrongRelease, a, b) => is(*b) && (is(*a) || will(number)),
                _ => unreachable!("all others do not look forward"),
            }
        })
    }

    /// Every truth at a step that some future may justify.
    fn guesses(&self, past: Truth) -> Vec<Truth> {
        let n_guesses = 1u64 << self.forward.count_ones();
        let guess = |guess: u64| {
            self.complete(past, |number, _| {
                let place = (self.forward & ((1 << number) - 1)).count_ones();
                guess >> place & 1 == 1
            })
        };
        (0..n_guesses).map(guess).collect()
    }

    /// The place of a truth among [`Rules::guesses`].
    fn guess(&self, truth: Truth) -> usize {
        let operators = (0..self.all.len()).filter(|number| self.forward >> number & 1 == 1);
        operators
            .enumerate()
            .fold(0, |guess, (place, number)| guess | ((truth >> number & 1) as usize) << place)
    }

    fn refutes(&self, truth: Truth) -> bool {
        truth >> (self.all.len() - 1) & 1 == 0
    }

    /// Whether what one operator promises for later is not open at a step: what is said to come
    /// has come or is not said to come; what is said to fail has failed or is not said to fail.
    fn is_settled(&self, operator: usize, truth: Truth) -> bool {
        let at = |a: &usize| truth >> a & 1 == 1;
        let says = at(&operator);
        match &self.all[operator] {
            Rule::Unary(Unary::Eventually, a) => !says || at(a),
            Rule::Unary(Unary::Always, a) => says || !at(a),
            Rule::Binary(Binary::Until, _, b) => !says || at(b),
            Rule::Binary(Binary::WeakUntil, a, b) => says || !at(a) && !at(b),
            Rule::Binary(Binary::Release, _, b) => says || !at(b),
            Rule::Binary(Binary::StrongRelease, a, b) => !says || at(a) && at(b),
            _ => true,
        }
    }
}

/// Steps with the truth of everything that looks back, as far as runs reach them.
struct Pasts {
    nodes: Vec<(usize, Truth)>,
    next: Vec<Vec<usize>>,
    n_first: usize,
}

impl Pasts {
    fn new(rules: &Rules, steps: &[Step]) -> Self {
        let past = |step: usize, before| (step, rules.past(steps[step].letter, before));
        let firsts = (0..steps.len()).filter(|&step| steps[step].first);
        let mut nodes: Vec<_> = firsts.map(|step| past(step, None)).collect();
        let n_first = nodes.len();
        // The first step of a run and a later one may be the same step; only the first may be
        // judged, so later ones are looked for behind the first ones.
        let mut next = Vec::new();
        while let Some(&(step, before)) = nodes.get(next.len()) {
            let mut targets = Vec::new();
            for &follower in &steps[step].next {
                let node = past(follower, Some(before));
                let known = nodes[n_first..].iter().position(|&other| other == node);
                targets.push(known.map_or(nodes.len(), |known| known + n_first));
                if known.is_none() {
                    nodes.push(node);
                }
            }
            next.push(targets);
        }
        Self { nodes, next, n_first }
    }
}

/// Backwards from every step that may be the last one.
fn violated_by_an_end(rules: &Rules, steps: &[Step], pasts: &Pasts) -> bool {
    let mut found: Vec<(usize, Truth)> = Vec::new();
    let lasts = (0..pasts.nodes.len()).filter(|&node| steps[pasts.nodes[node].0].last);
    found.extend(lasts.map(|node| (node, rules.truth(pasts.nodes[node].1, None))));
    let mut done = 0;
    while let Some(&(after, known)) = found.get(done) {
        done += 1;
        for node in 0..pasts.nodes.len() {
            let before = (node, rules.truth(pasts.nodes[node].1, Some(known)));
            if pasts.next[node].contains(&after) && !found.contains(&before) {
                found.push(before);
            }
        }
    }
    found.iter().any(|&(node, truth)| node < pasts.n_first && rules.refutes(truth))
}

/// The guesses that can be kept up for ever with nothing open for ever, by the nested fixed point
/// of Emerson and Lei (1987); a refutation in a first step among them is a violation.
fn violated_for_ever(rules: &Rules, pasts: &Pasts) -> bool {
    let mut nodes: Vec<(usize, Truth)> = Vec::new();
    for (node, &(_, past)) in pasts.nodes.iter().enumerate() {
        nodes.extend(rules.guesses(past).into_iter().map(|truth| (node, truth)));
    }
    let n_guesses = 1 << rules.forward.count_ones();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (node, &(_, past)) in pasts.nodes.iter().enumerate() {
        for &to in &pasts.next[node] {
            for after in to * n_guesses..(to + 1) * n_guesses {
                let truth = rules.truth(past, Some(nodes[after].1));
                before[after].push(node * n_guesses + rules.guess(truth));
            }
        }
    }
    let operators = (0..rules.all.len()).filter(|operator| rules.forward >> operator & 1 == 1);
    let operators: Vec<usize> = operators.collect();
    let mut kept = vec![true; nodes.len()];
    loop {
        let n_kept = kept.iter().filter(|&&kept| kept).count();
        // With no operator there is still a run to be kept up.
        for operator in operators.iter().map(Some).chain([None]) {
            let settled = |place: usize| {
                operator.is_none_or(|&operator| rules.is_settled(operator, nodes[place].1))
            };
            let goals: Vec<usize> =
                (0..nodes.len()).filter(|&place| kept[place] && settled(place)).collect();
            kept = reaching(&before, &kept, goals);
        }
        if kept.iter().filter(|&&kept| kept).count() == n_kept {
            break;
        }
    }
    let is_violation = |(place, &(node, truth)): (usize, &(usize, Truth))| {
        kept[place] && node < pasts.n_first && rules.refutes(truth)
    };
    nodes.iter().enumerate().any(is_violation)
}

/// The kept nodes from which one or more steps over kept nodes lead to a goal.
fn reaching(before: &[Vec<usize>], kept: &[bool], mut open: Vec<usize>) -> Vec<bool> {
    let mut found = vec![false; kept.len()];
    while let Some(after) = open.pop() {
        for &place in &before[after] {
            if kept[place] && !found[place] {
                found[place] = true;
                open.push(place);
            }
        }
    }
    found
}
