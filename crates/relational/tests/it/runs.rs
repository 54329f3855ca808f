//! Formulas about runs by their definitions, on the graph that the naive evaluator spans: the truth of
//! every temporal part is guessed at every step and the guesses are held to what the operators mean
//! (Lichtenstein & Pnueli 1985); a counterexample is a fair strongly connected component of them.

use quadrille_graph::components;
use quadrille_relational::Design;
use quadrille_relational::eval::{Bindings, Evaluator, State};
use quadrille_relational::types::CommandDef;
use quadrille_relational::types::core::{Formula, Set, Temporal, TemporalPair};
use quadrille_relational::types::words::{CommandKind, Fair};

/// Most pairs of a step and guesses, squared per guess; what is larger is not judged.
const MOST_PAIRS: usize = 60_000;

/// An event with its arguments, by number.
pub(crate) type Act = (usize, Vec<u8>);

/// A step between states by their positions. A run that ends stays where it is, and nothing happens.
#[derive(Clone)]
struct Step {
    from: usize,
    to: usize,
    act: Option<Act>,
}

/// The graph of a design, with what its runs are asked.
pub(crate) struct Runs<'d> {
    design: &'d Design,
    evaluator: &'d Evaluator<'d>,
    states: &'d [State],
    n_initial: usize,
    steps: Vec<Step>,
    /// Per state, the steps from it.
    from: Vec<Vec<usize>>,
}

/// A formula over steps, with places for what is guessed.
#[derive(Clone, PartialEq)]
enum Part {
    Known(Vec<bool>),
    Not(usize),
    And(Vec<usize>),
    Or(Vec<usize>),
    Next(usize),
    Before(usize),
    Until(usize, usize),
    Since(usize, usize),
}

/// Parts, those inside before those around them; and the number of the guess of each.
#[derive(Default)]
struct Parts {
    all: Vec<Part>,
    guess: Vec<usize>,
    n_guesses: usize,
}

impl Parts {
    fn put(&mut self, part: Part) -> usize {
        if let Some(known) = self.all.iter().position(|known| *known == part) {
            return known;
        }
        let is_guessed =
            matches!(part, Part::Next(_) | Part::Before(_) | Part::Until(..) | Part::Since(..));
        self.guess.push(self.n_guesses);
        self.n_guesses += usize::from(is_guessed);
        self.all.push(part);
        self.all.len() - 1
    }

    fn not(&mut self, a: usize) -> usize {
        self.put(Part::Not(a))
    }

    /// Whether a part holds at a step, if the guesses are right.
    fn holds(&self, part: usize, step: usize, guesses: usize) -> bool {
        match &self.all[part] {
            Part::Known(steps) => steps[step],
            Part::Not(a) => !self.holds(*a, step, guesses),
            Part::And(all) => all.iter().all(|a| self.holds(*a, step, guesses)),
            Part::Or(all) => all.iter().any(|a| self.holds(*a, step, guesses)),
            _ => guesses >> self.guess[part] & 1 == 1,
        }
    }

    /// Whether one step with its guesses may follow another.
    fn follow(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        let now = |part: usize| self.holds(part, one.0, one.1);
        let next = |part: usize| self.holds(part, other.0, other.1);
        self.all.iter().enumerate().all(|(number, part)| match part {
            Part::Next(a) => now(number) == next(*a),
            Part::Until(a, b) => now(number) == (now(*b) || now(*a) && next(number)),
            Part::Before(a) => next(number) == now(*a),
            Part::Since(a, b) => next(number) == (next(*b) || next(*a) && now(number)),
            _ => true,
        })
    }

    /// Whether a run may begin with a step and its guesses.
    fn begin(&self, step: usize, guesses: usize) -> bool {
        self.all.iter().enumerate().all(|(number, part)| match part {
            Part::Before(_) => !self.holds(number, step, guesses),
            Part::Since(_, b) => self.holds(number, step, guesses) == self.holds(*b, step, guesses),
            _ => true,
        })
    }
}

impl<'d> Runs<'d> {
    /// The graph: for each state its steps, and whether a run may end there.
    pub(crate) fn new(
        design: &'d Design,
        evaluator: &'d Evaluator<'d>,
        (states, n_initial): (&'d [State], usize),
        successors: &[Vec<(Act, usize)>],
        ends: &[bool],
    ) -> Self {
        let mut steps = Vec::new();
        for (from, next) in successors.iter().enumerate() {
            let taken = next.iter().map(|(act, to)| Step { from, to: *to, act: Some(act.clone()) });
            steps.extend(taken);
            if next.is_empty() || ends[from] {
                steps.push(Step { from, to: from, act: None });
            }
        }
        let mut from = vec![Vec::new(); states.len()];
        for (number, step) in steps.iter().enumerate() {
            from[step.from].push(number);
        }
        Self { design, evaluator, states, n_initial, steps, from }
    }

    /// Whether every fair run is as a command asks; `None` if it is too large, or cannot be computed.
    pub(crate) fn satisfy(&self, command: &CommandDef) -> Option<bool> {
        let mut parts = Parts::default();
        let formula = self.part(&command.formula, &Bindings::new(), &mut parts)?;
        let mut wrong = match command.kind {
            CommandKind::Check => vec![parts.not(formula)],
            CommandKind::Run => vec![formula],
        };
        for assumption in &self.design.assumptions {
            wrong.push(self.part(assumption, &Bindings::new(), &mut parts)?);
        }
        let wrong = parts.put(Part::And(wrong));
        let n_nodes = self.steps.len() << parts.n_guesses;
        if n_nodes << parts.n_guesses > MOST_PAIRS {
            return None;
        }
        Some(!self.has_fair_run(&parts, wrong))
    }

    /// The steps that may follow a step: nothing follows the end of a run but more of it.
    fn after(&self, step: usize) -> &[usize] {
        match &self.steps[step] {
            // The end of a run is the last step out of its state.
            Step { act: None, from, .. } => &self.from[*from][self.from[*from].len() - 1..],
            Step { to, .. } => &self.from[*to],
        }
    }

    fn has_fair_run(&self, parts: &Parts, wrong: usize) -> bool {
        let guesses = 0..1usize << parts.n_guesses;
        let begins = |step: &usize| self.steps[*step].from < self.n_initial;
        let mut todo: Vec<(usize, usize)> = (0..self.steps.len())
            .filter(begins)
            .flat_map(|step| guesses.clone().map(move |guess| (step, guess)))
            .filter(|(step, guess)| parts.begin(*step, *guess) && parts.holds(wrong, *step, *guess))
            .collect();
        let width = 1 << parts.n_guesses;
        let mut number = vec![usize::MAX; self.steps.len() * width];
        let (mut nodes, mut next): (Vec<(usize, usize)>, Vec<Vec<usize>>) = Default::default();
        for node in &todo {
            number[node.0 * width + node.1] = nodes.len();
            nodes.push(*node);
        }
        todo.clear();
        while next.len() < nodes.len() {
            let node = nodes[next.len()];
            let mut to = Vec::new();
            for step in self.after(node.0) {
                for guess in guesses.clone().filter(|guess| parts.follow(node, (*step, *guess))) {
                    let at = &mut number[step * width + guess];
                    if *at == usize::MAX {
                        *at = nodes.len();
                        nodes.push((*step, guess));
                    }
                    to.push(*at);
                }
            }
            next.push(to);
        }
        self.is_fair_within(parts, &nodes, &next, &(0..nodes.len()).collect::<Vec<_>>())
    }

    /// Whether some of the nodes are a component in which a run may stay.
    fn is_fair_within(
        &self,
        parts: &Parts,
        nodes: &[(usize, usize)],
        next: &[Vec<usize>],
        within: &[usize],
    ) -> bool {
        let mut place = vec![usize::MAX; nodes.len()];
        within.iter().enumerate().for_each(|(at, node)| place[*node] = at);
        let inner = |at: usize| {
            let to = next[within[at]].iter().map(|node| place[*node]);
            to.filter(|at| *at != usize::MAX)
        };
        let found = components(within.len(), inner);
        (0..found.count as u32).any(|component| {
            let own: Vec<usize> =
                (0..within.len()).filter(|at| found.of[*at] == component).collect();
            let stays = own.iter().any(|at| inner(*at).any(|to| found.of[to] == component));
            let members: Vec<usize> = own.iter().map(|at| within[*at]).collect();
            stays && self.is_fair(parts, nodes, next, &members)
        })
    }

    fn is_fair(
        &self,
        parts: &Parts,
        nodes: &[(usize, usize)],
        next: &[Vec<usize>],
        members: &[usize],
    ) -> bool {
        let fulfilled = parts.all.iter().enumerate().all(|(number, part)| match part {
            Part::Until(_, b) => members.iter().any(|member| {
                let (step, guess) = nodes[*member];
                !parts.holds(number, step, guess) || parts.holds(*b, step, guess)
            }),
            _ => true,
        });
        if !fulfilled {
            return false;
        }
        let step = |member: &usize| &self.steps[nodes[*member].0];
        if members.iter().all(|member| step(member).act.is_none()) {
            return true;
        }
        let enables = |member: &usize, act: &Act| {
            self.from[step(member).from].iter().any(|it| self.steps[*it].act.as_ref() == Some(act))
        };
        let fair = self.steps.iter().filter_map(|step| step.act.as_ref());
        for act in fair {
            let kind = self.design.events[act.0].fairness;
            if kind.is_none() || members.iter().any(|member| step(member).act.as_ref() == Some(act))
            {
                continue;
            }
            let n_enabled = members.iter().filter(|member| enables(member, act)).count();
            if n_enabled == members.len() {
                return false;
            }
            if kind == Some(Fair::Strong) && n_enabled > 0 {
                let rest = members.iter().copied().filter(|member| !enables(member, act));
                return self.is_fair_within(parts, nodes, next, &rest.collect::<Vec<_>>());
            }
        }
        true
    }

    /// A formula over steps.
    fn part(&self, formula: &Formula, bound: &Bindings, parts: &mut Parts) -> Option<usize> {
        if !formula.is_temporal() {
            return self.known(formula, bound, parts);
        }
        let each = |all: &[Formula], parts: &mut Parts| -> Option<Vec<usize>> {
            all.iter().map(|part| self.part(part, bound, parts)).collect()
        };
        Some(match formula {
            Formula::Not(a) => {
                let a = self.part(a, bound, parts)?;
                parts.not(a)
            }
            Formula::And(all) => {
                let all = each(all, parts)?;
                parts.put(Part::And(all))
            }
            Formula::Or(all) => {
                let all = each(all, parts)?;
                parts.put(Part::Or(all))
            }
            Formula::Iff(a, b) => {
                let (a, b) = (self.part(a, bound, parts)?, self.part(b, bound, parts)?);
                self.choose(parts, a, b, None)
            }
            Formula::If(c, a, b) => {
                let c = self.part(c, bound, parts)?;
                let (a, b) = (self.part(a, bound, parts)?, self.part(b, bound, parts)?);
                self.choose(parts, c, a, Some(b))
            }
            Formula::All(variable, set, body, span) | Formula::Some(variable, set, body, span) => {
                let is_all = matches!(formula, Formula::All(..));
                let mut instances = Vec::new();
                for atom in self.evaluator.set(&Set::Univ, &self.states[0], bound).ok()? {
                    let mut bound = bound.clone();
                    bound.insert(*variable, atom[0]);
                    let own = Set::Variable(*variable);
                    let member = Formula::In(Box::new(own), set.clone(), *span);
                    let member = self.known(&member, &bound, parts)?;
                    // Where it never is a member, the body need not make sense.
                    if matches!(&parts.all[member], Part::Known(all) if !all.contains(&true)) {
                        continue;
                    }
                    let body = self.part(body, &bound, parts)?;
                    instances.push(if is_all {
                        let not = parts.not(member);
                        parts.put(Part::Or(vec![not, body]))
                    } else {
                        parts.put(Part::And(vec![member, body]))
                    });
                }
                parts.put(if is_all { Part::And(instances) } else { Part::Or(instances) })
            }
            Formula::Happens(event, arguments, _) => {
                let mut happens = Vec::new();
                for step in &self.steps {
                    let mut is_so = step.act.as_ref().is_some_and(|(act, _)| *act == event.0);
                    if let (true, Some((_, taken))) = (is_so, &step.act) {
                        for (argument, atom) in arguments.iter().zip(taken) {
                            let set = self.evaluator.set(argument, &self.states[step.from], bound);
                            is_so &= set.ok()?.contains(&vec![*atom]);
                        }
                    }
                    happens.push(is_so);
                }
                parts.put(Part::Known(happens))
            }
            Formula::Unary(operator, a) => {
                let a = self.part(a, bound, parts)?;
                let truth = parts.put(Part::And(Vec::new()));
                let not = parts.not(a);
                match operator {
                    Temporal::Eventually => parts.put(Part::Until(truth, a)),
                    Temporal::Once => parts.put(Part::Since(truth, a)),
                    Temporal::After => parts.put(Part::Next(a)),
                    Temporal::Before => parts.put(Part::Before(a)),
                    Temporal::Always => {
                        let broken = parts.put(Part::Until(truth, not));
                        parts.not(broken)
                    }
                    Temporal::Historically => {
                        let broken = parts.put(Part::Since(truth, not));
                        parts.not(broken)
                    }
                }
            }
            Formula::Binary(operator, a, b) => {
                let (a, b) = (self.part(a, bound, parts)?, self.part(b, bound, parts)?);
                let (not_a, not_b) = (parts.not(a), parts.not(b));
                match operator {
                    TemporalPair::Until => parts.put(Part::Until(a, b)),
                    TemporalPair::Since => parts.put(Part::Since(a, b)),
                    TemporalPair::Releases => {
                        let broken = parts.put(Part::Until(not_a, not_b));
                        parts.not(broken)
                    }
                    TemporalPair::Triggered => {
                        let broken = parts.put(Part::Since(not_a, not_b));
                        parts.not(broken)
                    }
                }
            }
            _ => return None,
        })
    }

    /// The second where the first holds, else the third, or where there is none, the second denied.
    fn choose(&self, parts: &mut Parts, c: usize, a: usize, b: Option<usize>) -> usize {
        let (not_c, not_a) = (parts.not(c), parts.not(a));
        let b = b.unwrap_or(not_a);
        let (then, otherwise) =
            (parts.put(Part::And(vec![c, a])), parts.put(Part::And(vec![not_c, b])));
        parts.put(Part::Or(vec![then, otherwise]))
    }

    /// What holds of each step by the states it begins in and leads to.
    fn known(&self, formula: &Formula, bound: &Bindings, parts: &mut Parts) -> Option<usize> {
        let of = |step: &Step| {
            let states = (&self.states[step.from], &self.states[step.to]);
            if formula.is_primed() {
                self.evaluator.holds_across(formula, states, bound).ok()
            } else {
                self.evaluator.holds(formula, states.0, bound).ok()
            }
        };
        let all: Vec<bool> = self.steps.iter().map(of).collect::<Option<_>>()?;
        Some(parts.put(Part::Known(all)))
    }
}
