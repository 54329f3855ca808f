//! Adjustment: two protocols that take some events together. Both sides are flattened for it.

use quadrille_graph::Tree;

use super::alphabet::{Part, StepId};
use super::build::{BUDGET, Builder, Construction, Place, is_on};
use super::determinise::{Context, determinise};
use super::flatten::flatten;
use super::nfa::{Edge, Goal, Mention, Node, Valuation, Value};
use super::piece::{Letter, Local, Piece, State, Target};
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
        let (branches, exits) = self.branches(&[left, right], false);
        let valuation: Valuation = self.variables.iter().map(|variable| variable.initial).collect();
        let mut flat = Vec::new();
        for branch in &branches {
            let mut context = Context {
                alphabet: self.alphabet,
                variables: &self.variables,
                construction: Construction::Minimal,
                budget: BUDGET,
            };
            let piece = determinise(&mut context, branch, valuation.clone());
            let Ok(piece) = piece.and_then(|piece| flatten(&piece)) else {
                self.too_large = true;
                return entry;
            };
            flat.push(piece);
        }
        let is_shared = |step| {
            let on_name =
                |mention: &Mention| names.iter().any(|name| is_on(&mention.path, &name.text));
            self.mentions(step).iter().all(on_name)
        };
        let Some(product) = in_step([&flat[0], &flat[1]], is_shared) else {
            self.too_large = true;
            return entry;
        };
        self.insert(entry, &product, &exits)
    }

    /// Puts a flat piece behind a node.
    fn insert(&mut self, entry: Node, piece: &Piece, exits: &[Place]) -> Node {
        let exit = self.fresh();
        // What may happen all the time is among the letters already.
        let nfa = &mut self.frame().nfa;
        let nodes: Vec<Node> = piece.states.iter().map(|_| nfa.fresh()).collect();
        self.silent(entry, nodes[0]);
        for (state, &from) in piece.states.iter().zip(&nodes) {
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
    fn mentions(&self, step: StepId) -> Vec<Mention> {
        let mention = |part: &Part| {
            let event = self.alphabet.event_of(part.event);
            Mention {
                role: part.role,
                path: event.path.clone(),
                arguments: event.arguments.iter().cloned().map(Value::Constant).collect(),
                kind: event.kind,
            }
        };
        self.alphabet.parts(step).iter().map(mention).collect()
    }
}

/// The product of two flat pieces that take shared steps together; leaving is never shared. Nothing
/// if it is too large.
fn in_step(pieces: [&Piece; 2], is_shared: impl Fn(StepId) -> bool) -> Option<Piece> {
    let mut tree = Tree::default();
    tree.root([Local::START; 2]);
    let mut states = Vec::new();
    while let Some(at) = tree.next() {
        let pair = *tree.node(at);
        let sides = [pieces[0].state(pair[0]), pieces[1].state(pair[1])];
        let mut edges = Vec::new();
        let mut add = |letter, next: [Local; 2]| {
            let number = tree.child(at, (), next);
            edges.push((letter, Target::State(Local(number as u32))));
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
                    for partner in pieces[1].follow(pair[1], letter) {
                        if let Target::State(partner) = partner {
                            add(letter, [to, partner]);
                        }
                    }
                }
            }
        }
        edges.extend(left);
        let accepting = sides.iter().all(|state| state.accepting);
        states.push(State { edges, accepting });
        if tree.nodes().len() > BUDGET {
            return None;
        }
    }
    Some(Piece { states, forks: Vec::new() })
}
