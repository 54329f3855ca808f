//! Runs of a graph that keep all promises: the product of states with promises and memories, step by
//! step; a component in which every promise is kept again and again has one.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::graph::Graph;
use super::skeleton::Skeleton;

/// How many pairs of a state and promises there may be.
const MOST: usize = 3_000_000;

pub(super) enum Looked {
    /// The states of a run, the one behind the last, and whether no run is shorter.
    Found(Vec<usize>, usize, bool),
    None,
    TooMuch,
    Stopped,
}

/// What is left behind by a step: where it leads, what is promised and remembered there, and which
/// promises are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Node {
    pub(super) to: usize,
    pub(super) promised: u32,
    pub(super) remembered: u32,
    pub(super) kept: u32,
}

/// One way to go on from a position.
#[derive(Clone, Copy, Debug)]
struct Move {
    /// What had to be promised before for this.
    keeps: u32,
    promised: u32,
    remembered: u32,
    kept: u32,
    is_whole: bool,
}

/// The ways to go on, by what was promised.
type Moves = Rc<FxHashMap<u32, Vec<Move>>>;

pub(super) struct Product<'p> {
    graph: &'p Graph,
    pub(super) skeleton: &'p Skeleton,
    moves: FxHashMap<(Box<[bool]>, u32), Moves>,
    pub(super) nodes: Vec<Node>,
    known: FxHashMap<Node, usize>,
    /// The node before each, or the initial state before the first.
    pub(super) before: Vec<Result<usize, usize>>,
    pub(super) next: Vec<Vec<usize>>,
    /// Initial states with what their first step keeps, and the node it leads to.
    pub(super) starts: Vec<(usize, u32, usize)>,
}

pub(super) fn find(graph: &Graph, skeleton: &Skeleton, stop: &dyn Fn() -> bool) -> Looked {
    let mut product = Product {
        graph,
        skeleton,
        moves: FxHashMap::default(),
        nodes: Vec::new(),
        known: FxHashMap::default(),
        before: Vec::new(),
        next: Vec::new(),
        starts: Vec::new(),
    };
    for state in 0..graph.n_initial {
        for (to, step) in product.steps(state, None, 0) {
            let node = product.add(to, step, Err(state));
            product.starts.push((state, step.keeps, node));
        }
    }
    let mut at = 0;
    while at < product.nodes.len() {
        let Node { to, promised, remembered, .. } = product.nodes[at];
        let mut next = Vec::new();
        for (to, step) in product.steps(to, Some(promised), remembered) {
            next.push(product.add(to, step, Ok(at)));
        }
        next.sort_unstable();
        next.dedup();
        product.next.push(next);
        at += 1;
        if product.nodes.len() > MOST {
            return Looked::TooMuch;
        }
        if at.is_multiple_of(1024) && stop() {
            return Looked::Stopped;
        }
    }
    let components = product.fair_components();
    let Some(first) = components.first() else { return Looked::None };
    let Some(run) = product.shortest(&components) else { return product.run(first) };
    let last = run.round.len() - 1;
    let nodes = run.before.iter().chain(&run.round[..last]).map(|node| product.nodes[*node].to);
    let start = match run.before.first().map(|node| product.before[*node]) {
        Some(Err(state)) => state,
        _ => run.start,
    };
    // With memories, a shorter loop may lead back to a state in which other things are remembered.
    let is_shortest = skeleton.memories.is_empty();
    Looked::Found([start].into_iter().chain(nodes).collect(), run.before.len(), is_shortest)
}

impl Product<'_> {
    fn moves(&mut self, atoms: &[bool], remembered: u32) -> Moves {
        if let Some(known) = self.moves.get(&(atoms.into(), remembered)) {
            return known.clone();
        }
        let mut moves: FxHashMap<u32, Vec<Move>> = FxHashMap::default();
        let skeleton = self.skeleton;
        let bits = |all: &mut dyn Iterator<Item = bool>| {
            all.enumerate().fold(0, |bits, (at, is_set)| bits | u32::from(is_set) << at)
        };
        for promised in 0..1u32 << skeleton.promises.len() {
            let worth = skeleton.worth(atoms, promised, remembered);
            let keeps = bits(&mut skeleton.promises.iter().map(|part| worth[*part]));
            let remembered = bits(&mut skeleton.memories.iter().map(|part| worth[*part]));
            let kept = bits(&mut skeleton.fair.iter().map(|(of, end)| !worth[*of] || worth[*end]));
            let is_whole = worth[skeleton.root];
            moves.entry(keeps).or_default().push(Move {
                keeps,
                promised,
                remembered,
                kept,
                is_whole,
            });
        }
        let moves = Rc::new(moves);
        self.moves.insert((atoms.into(), remembered), moves.clone());
        moves
    }

    /// The steps from a state that keep what was promised there; without promises, those on which all
    /// of the formula holds.
    fn steps(
        &mut self,
        state: usize,
        promised: Option<u32>,
        remembered: u32,
    ) -> Vec<(usize, Move)> {
        let graph = self.graph;
        let mut steps = Vec::new();
        for edge in &graph.edges[state] {
            let moves = self.moves(&edge.atoms, remembered);
            let all: Vec<Move> = match promised {
                Some(promised) => moves.get(&promised).cloned().unwrap_or_default(),
                None => {
                    let mut all: Vec<Move> =
                        moves.values().flatten().filter(|it| it.is_whole).copied().collect();
                    all.sort_unstable_by_key(|it| it.promised);
                    all
                }
            };
            steps.extend(all.into_iter().map(|step| (edge.to, step)));
        }
        steps
    }

    fn add(&mut self, to: usize, step: Move, before: Result<usize, usize>) -> usize {
        let Move { promised, remembered, kept, .. } = step;
        let node = Node { to, promised, remembered, kept };
        let n = self.nodes.len();
        let at = *self.known.entry(node).or_insert(n);
        if at == n {
            self.nodes.push(node);
            self.before.push(before);
        }
        at
    }

    /// The components in which every promise is kept, as they are met (Tarjan 1972).
    fn fair_components(&self) -> Vec<Vec<usize>> {
        let all = (1u32 << self.skeleton.fair.len()) - 1;
        let n = self.nodes.len();
        let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
        let (mut is_open, mut stack, mut count) = (vec![false; n], Vec::new(), 0);
        let mut found: Vec<Vec<usize>> = Vec::new();
        for root in 0..n {
            if index[root] != usize::MAX {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some((at, child)) = path.pop() {
                if child == 0 {
                    (index[at], low[at]) = (count, count);
                    count += 1;
                    stack.push(at);
                    is_open[at] = true;
                }
                if let Some(&next) = self.next[at].get(child) {
                    path.push((at, child + 1));
                    if index[next] == usize::MAX {
                        path.push((next, 0));
                    } else if is_open[next] {
                        low[at] = low[at].min(index[next]);
                    }
                    continue;
                }
                if let Some((parent, _)) = path.last() {
                    low[*parent] = low[*parent].min(low[at]);
                }
                if low[at] != index[at] {
                    continue;
                }
                let from = stack.iter().position(|it| *it == at).unwrap_or(0);
                let mut component = stack.split_off(from);
                component.iter().for_each(|it| is_open[*it] = false);
                component.sort_unstable();
                let is_cycle = component.len() > 1 || self.next[at].contains(&at);
                let kept = component.iter().fold(0, |kept, it| kept | self.nodes[*it].kept);
                if is_cycle && kept == all {
                    found.push(component);
                }
            }
        }
        found.sort_unstable_by_key(|component| component[0]);
        found
    }

    /// The shortest way inside a component from a node to one that is wanted, without the first.
    fn way(&self, component: &[usize], from: usize, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut before: FxHashMap<usize, usize> = FxHashMap::default();
        let mut todo = VecDeque::from([from]);
        while let Some(at) = todo.pop_front() {
            for &next in &self.next[at] {
                if component.binary_search(&next).is_err() || before.contains_key(&next) {
                    continue;
                }
                before.insert(next, at);
                if wanted(next) {
                    let mut way = vec![next];
                    let mut at = at;
                    while at != from {
                        way.push(at);
                        at = before[&at];
                    }
                    way.reverse();
                    return way;
                }
                todo.push_back(next);
            }
        }
        Vec::new()
    }

    /// A run into a component and round through what keeps every promise.
    fn run(&self, component: &[usize]) -> Looked {
        let entry = component[0];
        let mut way = vec![entry];
        let mut start = loop {
            match self.before[way[way.len() - 1]] {
                Ok(before) => way.push(before),
                Err(state) => break vec![state],
            }
        };
        way.reverse();
        let n_before = way.len();
        let all = (1u32 << self.skeleton.fair.len()) - 1;
        let (mut at, mut kept) = (entry, 0);
        while kept != all {
            let wanted = |node: usize| self.nodes[node].kept & !kept != 0;
            let on = self.way(component, at, wanted);
            kept |= on.iter().fold(0, |kept, node| kept | self.nodes[*node].kept);
            at = on.last().copied().unwrap_or(at);
            way.extend(on);
        }
        if at != entry || way.len() == n_before {
            way.extend(self.way(component, at, |node| node == entry));
        }
        // The last node is the entry again: its step leads where the step into the loop leads.
        start.extend(way[..way.len() - 1].iter().map(|node| self.nodes[*node].to));
        Looked::Found(start, n_before, false)
    }
}
