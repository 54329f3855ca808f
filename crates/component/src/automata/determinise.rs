//! The subset construction (Rabin & Scott 1959), with the values of variables as part of the
//! members. A set is known by the nodes that steps led to, as in the position automaton (Glushkov
//! 1961), so that without minimisation the sizes are those of that construction.

use std::collections::BTreeMap;

use super::alphabet::{Alphabet, Event, StepEvent, StepId};
use super::build::{Construction, TooLarge};
use super::forked_dfa::{DfaState, DfaStateId, ExitId, Fork, ForkId, ForkedDfa, Letter, Target};
use super::minimise::minimise;
use super::nfa::{Argument, Edge, EventPattern, Goal, Nfa, NfaFork, Node, Valuation, Variable};

/// What all automata of a component share.
pub(super) struct Context<'a> {
    pub(super) alphabet: &'a mut Alphabet,
    pub(super) variables: &'a [Variable],
    pub(super) construction: Construction,
    /// How many states may still be made.
    pub(super) budget: usize,
}

/// A node and the values of the variables there.
type Member = (Node, Valuation);

/// Makes an automaton of an automaton under construction.
pub(super) fn determinise(
    context: &mut Context<'_>,
    nfa: &Nfa,
    valuation: Valuation,
) -> Result<ForkedDfa, TooLarge> {
    let mut expansion = Expansion { context, nfa, forks: Vec::new(), fork_ids: BTreeMap::new() };
    let states = quadrille_graph::determinise(vec![(Nfa::START, valuation)], |set, edges| {
        expansion.expand(set, edges)
    })?;
    let mut dfa =
        ForkedDfa { states: states.into_iter().map(state).collect(), forks: expansion.forks };
    if context.construction == Construction::Minimal {
        dfa = minimise(&dfa);
    }
    dfa.separate_forks();
    Ok(dfa)
}

/// What a set of members has beside its edges to other sets.
#[derive(Default)]
pub(super) struct Rest {
    pub(super) accepting: bool,
    pub(super) leaves: Vec<(Letter, ExitId)>,
}

/// A state of an automaton, from its edges to other states and the rest.
pub(super) fn state((edges, rest): (Vec<(Letter, usize)>, Rest)) -> DfaState {
    let edges =
        edges.into_iter().map(|(letter, to)| (letter, Target::State(DfaStateId(to as u32))));
    let leaves = rest.leaves.into_iter().map(|(letter, exit)| (letter, Target::Leave(exit)));
    let mut edges: Vec<(Letter, Target)> = edges.chain(leaves).collect();
    edges.sort_unstable();
    edges.dedup();
    DfaState { edges, accepting: rest.accepting }
}

struct Expansion<'a, 'c> {
    context: &'a mut Context<'c>,
    nfa: &'a Nfa,
    forks: Vec<Fork>,
    /// The fork that a fork under construction becomes for given values of the variables.
    fork_ids: BTreeMap<(usize, Valuation), ForkId>,
}

impl Expansion<'_, '_> {
    fn expand(
        &mut self,
        kernel: &[Member],
        edges: &mut Vec<(Letter, Member)>,
    ) -> Result<Rest, TooLarge> {
        self.context.budget = self.context.budget.checked_sub(kernel.len()).ok_or(TooLarge)?;
        let mut rest = Rest::default();
        for (node, valuation) in self.closure(kernel.to_vec()) {
            rest.accepting |= self.nfa.end == Some(node);
            for edge in &self.nfa.edges[node.0 as usize] {
                let (letter, goal) = match edge {
                    Edge::Silent(_) | Edge::Set(..) | Edge::Copy(..) | Edge::When(..) => continue,
                    Edge::Step(mentions, goal) => {
                        (Letter::Step(self.step(mentions, &valuation)), *goal)
                    }
                    Edge::Join(fork, to) => {
                        (Letter::Join(self.fork(*fork, &valuation)?), Goal::Node(*to))
                    }
                    Edge::Abort(fork, exit, goal) => {
                        (Letter::Abort(self.fork(*fork, &valuation)?, *exit), *goal)
                    }
                };
                match goal {
                    Goal::Node(to) => edges.push((letter, (to, valuation.clone()))),
                    Goal::Leave(exit) => rest.leaves.push((letter, exit)),
                }
            }
        }
        Ok(rest)
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

    fn step(&mut self, mentions: &[EventPattern], valuation: &Valuation) -> StepId {
        let variables = self.context.variables;
        let text = |value: &Argument| match value {
            Argument::Constant(text) => text.clone(),
            Argument::Variable(variable) => {
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
            parts.push(StepEvent { role: mention.role, event });
        }
        self.context.alphabet.step(parts)
    }

    fn fork(&mut self, fork: usize, valuation: &Valuation) -> Result<ForkId, TooLarge> {
        let key = (fork, valuation.clone());
        if let Some(&known) = self.fork_ids.get(&key) {
            return Ok(known);
        }
        let NfaFork { branches, optional } = &self.nfa.forks[fork];
        let mut fork = Fork { branches: Vec::new(), needs_start: *optional };
        for branch in branches {
            let mut dfa = determinise(self.context, branch, valuation.clone())?;
            if *optional {
                fork.needs_start &= !dfa.is_nullable();
                let mut skippable = branch.clone();
                if let Some(end) = branch.end {
                    skippable.edge(Nfa::START, Edge::Silent(end));
                }
                dfa = determinise(self.context, &skippable, valuation.clone())?;
            }
            fork.branches.push(dfa);
        }
        let position = self.forks.iter().position(|known| *known == fork).unwrap_or_else(|| {
            self.forks.push(fork);
            self.forks.len() - 1
        });
        let id = ForkId(position as u32);
        self.fork_ids.insert(key, id);
        Ok(id)
    }
}
