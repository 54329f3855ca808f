//! Adjustment: two protocols that take some events together. Both sides are flattened for it.

use quadrille_graph::Tree;

use super::alphabet::{StepEvent, StepId};
use super::build::{BUDGET, Builder, Construction, JumpTarget, is_on};
use super::determinise::{Context, determinise};
use super::flatten::flatten;
use super::forked_dfa::{DfaState, DfaStateId, ForkedDfa, Letter, Target};
use super::nfa::{Argument, Edge, EventPattern, Goal, Node, Valuation};
use crate::syntax::{Path, Protocol};

impl Builder<'_> {
    /// Both sides, flattened, in step on what the names say. Variables keep their first values there.
    pub(super) fn adjust(
        &mut self,
        entry: Node,
        left: &Protocol,
        names: &[Path],
        right: &Protocol,
    ) -> Node {
        let (branches, exits) = self.branches(&[left, right]);
        let valuation: Valuation = self.variables.iter().map(|variable| variable.initial).collect();
        let mut flat = Vec::new();
        for branch in &branches {
            let mut context = Context {
                alphabet: self.alphabet,
                variables: &self.variables,
                construction: Construction::Minimal,
                budget: BUDGET,
            };
            let dfa = determinise(&mut context, branch, valuation.clone());
            let Ok(dfa) = dfa.and_then(|dfa| flatten(&dfa)) else {
                self.too_large = true;
                return entry;
            };
            flat.push(dfa);
        }
        let is_shared = |step| {
            let on_name =
                |mention: &EventPattern| names.iter().any(|name| is_on(&mention.path, &name.text));
            self.mentions(step).iter().all(on_name)
        };
        let Some(product) = in_step([&flat[0], &flat[1]], is_shared) else {
            self.too_large = true;
            return entry;
        };
        self.insert(entry, &product, &exits)
    }

    /// Puts a flat automaton behind a node.
    fn insert(&mut self, entry: Node, dfa: &ForkedDfa, exits: &[JumpTarget]) -> Node {
        let exit = self.fresh();
        // What may happen all the time is among the letters already.
        let nfa = &mut self.frame().nfa;
        let nodes: Vec<Node> = dfa.states.iter().map(|_| nfa.fresh()).collect();
        self.silent(entry, nodes[0]);
        for (state, &from) in dfa.states.iter().zip(&nodes) {
            if state.accepting {
                self.silent(from, exit);
            }
            for &(letter, target) in &state.edges {
                let Letter::Step(step) = letter else { continue };
                let goal = match target {
                    Target::State(to) => Goal::Node(nodes[to.index()]),
                    Target::Leave(left) => self.goal(exits[left.0 as usize]),
                };
                let mentions = self.mentions(step);
                self.edge(from, Edge::Step(mentions, goal));
            }
        }
        exit
    }

    /// A step of the alphabet as it was mentioned; inversions and filters have been applied.
    fn mentions(&self, step: StepId) -> Vec<EventPattern> {
        let mention = |part: &StepEvent| {
            let event = self.alphabet.event_of(part.event);
            EventPattern {
                role: part.role,
                path: event.path.clone(),
                arguments: event.arguments.iter().cloned().map(Argument::Constant).collect(),
                kind: event.kind,
            }
        };
        self.alphabet.step_events(step).iter().map(mention).collect()
    }
}

/// The product of two flat automata that take shared steps together; leaving is never shared. Nothing
/// if it is too large.
fn in_step(dfas: [&ForkedDfa; 2], is_shared: impl Fn(StepId) -> bool) -> Option<ForkedDfa> {
    let mut tree = Tree::default();
    tree.root([DfaStateId::START; 2]);
    let mut states = Vec::new();
    while let Some(at) = tree.next() {
        let pair = *tree.node(at);
        let sides = [dfas[0].state(pair[0]), dfas[1].state(pair[1])];
        let mut edges = Vec::new();
        let mut add = |letter, next: [DfaStateId; 2]| {
            let number = tree.child(at, (), next);
            edges.push((letter, Target::State(DfaStateId(number as u32))));
        };
        let mut left = Vec::new();
        for side in 0..2 {
            for &(letter, target) in &sides[side].edges {
                let Letter::Step(step) = letter else { continue };
                let Target::State(to) = target else {
                    left.push((letter, target));
                    continue;
                };
                if !is_shared(step) {
                    let mut next = pair;
                    next[side] = to;
                    add(letter, next);
                } else if side == 0 {
                    for partner in dfas[1].follow(pair[1], letter) {
                        if let Target::State(partner) = partner {
                            add(letter, [to, partner]);
                        }
                    }
                }
            }
        }
        edges.extend(left);
        let accepting = sides.iter().all(|state| state.accepting);
        states.push(DfaState { edges, accepting });
        if tree.nodes().len() > BUDGET {
            return None;
        }
    }
    Some(ForkedDfa { states, forks: Vec::new() })
}
