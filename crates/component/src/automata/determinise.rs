//! The subset construction (Rabin & Scott 1959), with the values of variables as part of the
//! members. A set is known by the nodes that steps led to, as in the position automaton (Glushkov
//! 1961), so that without minimisation the sizes are those of that construction.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::alphabet::{Alphabet, Event, Part, StepId};
use super::build::{Construction, TooLarge};
use super::minimise::minimise;
use super::nfa::{Edge, Goal, Mention, Nfa, Node, Valuation, Value, Variable};
use super::piece::{ExitId, Fork, ForkId, Letter, Local, Piece, State, Target};

/// What all pieces of a component share.
pub(super) struct Context<'a> {
    pub(super) alphabet: &'a mut Alphabet,
    pub(super) variables: &'a [Variable],
    pub(super) construction: Construction,
    /// How many states may still be made.
    pub(super) budget: usize,
}

/// A node and the values of the variables there.
type Member = (Node, Valuation);

/// Makes a piece of an automaton under construction.
pub(super) fn determinise(
    context: &mut Context<'_>,
    nfa: &Nfa,
    valuation: Valuation,
) -> Result<Piece, TooLarge> {
    let mut subsets = Subsets {
        context,
        nfa,
        numbers: FxHashMap::default(),
        kernels: Vec::new(),
        forks: Vec::new(),
        fork_ids: BTreeMap::new(),
    };
    subsets.number(vec![(Nfa::START, valuation)])?;
    let mut states = Vec::new();
    while states.len() < subsets.kernels.len() {
        let kernel = subsets.kernels[states.len()].clone();
        states.push(subsets.expand(kernel)?);
    }
    let mut piece = Piece { states, forks: subsets.forks };
    if context.construction == Construction::Minimal {
        piece = minimise(&piece);
    }
    piece.separate_forks();
    Ok(piece)
}

struct Subsets<'a, 'c> {
    context: &'a mut Context<'c>,
    nfa: &'a Nfa,
    numbers: FxHashMap<Vec<Member>, Local>,
    kernels: Vec<Vec<Member>>,
    forks: Vec<Fork>,
    /// The fork that a fork under construction becomes for given values of the variables.
    fork_ids: BTreeMap<(usize, Valuation), ForkId>,
}

impl Subsets<'_, '_> {
    fn number(&mut self, mut kernel: Vec<Member>) -> Result<Local, TooLarge> {
        kernel.sort_unstable();
        kernel.dedup();
        if let Some(&known) = self.numbers.get(&kernel) {
            return Ok(known);
        }
        self.context.budget = self.context.budget.checked_sub(kernel.len()).ok_or(TooLarge)?;
        let number = Local(self.kernels.len() as u32);
        self.kernels.push(kernel.clone());
        self.numbers.insert(kernel, number);
        Ok(number)
    }

    fn expand(&mut self, kernel: Vec<Member>) -> Result<State, TooLarge> {
        let members = self.closure(kernel);
        let mut goals: BTreeMap<Letter, (Vec<Member>, BTreeSet<ExitId>)> = BTreeMap::new();
        let mut accepting = false;
        for (node, valuation) in &members {
            accepting |= self.nfa.end == Some(*node);
            for edge in &self.nfa.edges[node.0 as usize] {
                let (letter, goal) = match edge {
                    Edge::Silent(_) | Edge::Set(..) | Edge::Copy(..) | Edge::When(..) => continue,
                    Edge::Step(mentions, goal) => {
                        (Letter::Step(self.step(mentions, valuation)), *goal)
                    }
                    Edge::Join(fork, to) => {
                        (Letter::Join(self.fork(*fork, valuation)?), Goal::Node(*to))
                    }
                    Edge::Abort(fork, exit, goal) => {
                        (Letter::Abort(self.fork(*fork, valuation)?, *exit), *goal)
                    }
                };
                let reached = goals.entry(letter).or_default();
                match goal {
                    Goal::Node(to) => reached.0.push((to, valuation.clone())),
                    Goal::Leave(exit) => {
                        reached.1.insert(exit);
                    }
                }
            }
        }
        let mut edges = Vec::with_capacity(goals.len());
        for (letter, (kernel, exits)) in goals {
            if !kernel.is_empty() {
                edges.push((letter, Target::State(self.number(kernel)?)));
            }
            edges.extend(exits.into_iter().map(|exit| (letter, Target::Leave(exit))));
        }
        Ok(State { edges, accepting })
    }

    /// Everything that silent edges lead to.
    fn closure(&self, kernel: Vec<Member>) -> Vec<Member> {
        let mut seen: rustc_hash::FxHashSet<Member> = kernel.iter().cloned().collect();
        let mut members = kernel;
        let mut done = 0;
        while done < members.len() {
            let (node, valuation) = members[done].clone();
            done += 1;
            for edge in &self.nfa.edges[node.0 as usize] {
                let mut after = valuation.clone();
                let to = match edge {
                    Edge::Silent(to) => *to,
                    Edge::Set(variable, constant, to) => {
                        after[variable.0 as usize] = *constant;
                        *to
                    }
                    Edge::Copy(variable, from, to) => {
                        after[variable.0 as usize] = valuation[from.0 as usize];
                        *to
                    }
                    Edge::When(variable, constants, to) => {
                        if !constants.contains(&valuation[variable.0 as usize]) {
                            continue;
                        }
                        *to
                    }
                    Edge::Step(..) | Edge::Join(..) | Edge::Abort(..) => continue,
                };
                let member = (to, after);
                if seen.insert(member.clone()) {
                    members.push(member);
                }
            }
        }
        members
    }

    fn step(&mut self, mentions: &[Mention], valuation: &Valuation) -> StepId {
        let variables = self.context.variables;
        let text = |value: &Value| match value {
            Value::Constant(text) => text.clone(),
            Value::Variable(variable) => {
                let constant = valuation[variable.0 as usize];
                variables[variable.0 as usize].values[constant as usize].clone()
            }
        };
        let mut parts = Vec::with_capacity(mentions.len());
        for mention in mentions {
            let event = self.context.alphabet.event(Event {
                path: mention.path.clone(),
                arguments: mention.arguments.iter().map(text).collect(),
                kind: mention.kind,
            });
            parts.push(Part { role: mention.role, event });
        }
        self.context.alphabet.step(parts)
    }

    fn fork(&mut self, fork: usize, valuation: &Valuation) -> Result<ForkId, TooLarge> {
        let key = (fork, valuation.clone());
        if let Some(&known) = self.fork_ids.get(&key) {
            return Ok(known);
        }
        let mut branches = Vec::new();
        for branch in &self.nfa.forks[fork] {
            branches.push(determinise(self.context, branch, valuation.clone())?);
        }
        let fork = Fork { branches };
        let position = self.forks.iter().position(|known| *known == fork).unwrap_or_else(|| {
            self.forks.push(fork);
            self.forks.len() - 1
        });
        let id = ForkId(position as u32);
        self.fork_ids.insert(key, id);
        Ok(id)
    }
}
