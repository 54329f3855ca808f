//! What branching time is checked on: nodes, each a state with what the formula sees of the action
//! that led there, or with that action itself where operators look back. The successors of a node depend on its state only, and all edges into a node look
//! the same to the formula; therefore forward edges are those of the graph, and only the way back
//! takes memory: four bytes per edge and per node.

use quadrille_logic::Formula;
use quadrille_model::{ActionId, Bound, StateId};
use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::graph::{Graph, Step};
use crate::interpretation::Interpretation;
use crate::limits::Watch;

/// A state together with the class of the action that led there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct NodeId(u32);

impl NodeId {
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    fn from_usize(position: usize) -> Self {
        NodeId(u32::try_from(position).expect("no more nodes than edges and states"))
    }
}

/// The class of initial nodes, to which no action leads.
const INITIAL: usize = 0;

/// The nodes of a complete graph and how they follow one another.
pub(super) struct Nodes<'g, 'm> {
    pub graph: &'g Graph<'m>,
    /// Per class of actions, the atoms that they satisfy; the first is that of initial nodes.
    letters: Vec<Bits>,
    /// Per label of the graph, its class.
    classes: Vec<u32>,
    /// Which pairs of a state and a class are nodes; a node's number is its rank.
    present: Ranked,
    /// By node: the states it follows on, once per edge.
    offsets: Vec<u32>,
    sources: Vec<StateId>,
    /// States in which a run may end: those without edges, and those in which the system may stop.
    ends: Bits,
}

impl<'g, 'm> Nodes<'g, 'm> {
    pub fn new(
        graph: &'g Graph<'m>,
        formula: &Formula,
        interpretation: &Interpretation<'_>,
        ends: Bits,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Bound> {
        let model = graph.space().model();
        let n_atoms = formula.n_atoms();
        let looks_back = looks_back(formula);
        let mut letters = vec![Bits::none(n_atoms)];
        let mut numbers: FxHashMap<(Option<ActionId>, Bits), u32> = FxHashMap::default();
        let classes = graph.labels().iter().map(|&(_, action)| {
            let satisfied = interpretation.satisfied(n_atoms, &model.action(action));
            // Histories of a node are those of its action: only futures are the same.
            let key = (looks_back.then_some(action), satisfied);
            *numbers.entry(key).or_insert_with_key(|(_, satisfied)| {
                letters.push(satisfied.clone());
                letters.len() as u32 - 1
            })
        });
        let classes: Vec<u32> = classes.collect();
        let (n_states, n_classes) = (graph.space().n_states(), letters.len());
        watch.allocated(graph.bytes() + n_states * n_classes / 8)?;
        let mut present = Bits::none(n_states * n_classes);
        let mut nodes = Nodes {
            graph,
            letters,
            classes,
            present: Ranked::default(),
            offsets: Vec::new(),
            sources: Vec::new(),
            ends,
        };
        for state in graph.space().initial() {
            present.insert(state.index() * n_classes + INITIAL);
        }
        let mut n_edges = 0;
        for state in nodes.states() {
            let steps = graph.steps(state);
            n_edges += steps.len();
            for &step in steps {
                present.insert(nodes.pair(step));
            }
            watch.work(steps.len(), || nodes.bytes() + present.bytes())?;
        }
        nodes.present = Ranked::new(present);
        watch.allocated(nodes.bytes() + 4 * (n_edges + nodes.n_nodes()))?;
        // Counting sort: how many edges lead to each node, where each list ends, and then the edges
        // themselves, from the end of each list to its start.
        nodes.offsets = vec![0; nodes.n_nodes() + 1];
        nodes.each_edge(watch, |_, node, offsets, _| offsets[node.index()] += 1)?;
        let mut end = 0;
        for offset in &mut nodes.offsets {
            end += *offset;
            *offset = end;
        }
        nodes.sources = vec![StateId::new(0); n_edges];
        nodes.each_edge(watch, |source, node, offsets, sources| {
            let offset = &mut offsets[node.index()];
            *offset -= 1;
            sources[*offset as usize] = source;
        })?;
        Ok(nodes)
    }

    /// Shows every edge to a function that fills the lists of sources.
    fn each_edge(
        &mut self,
        watch: &mut Watch<'_>,
        mut fill: impl FnMut(StateId, NodeId, &mut [u32], &mut [StateId]),
    ) -> Result<(), Bound> {
        let mut offsets = std::mem::take(&mut self.offsets);
        let mut sources = std::mem::take(&mut self.sources);
        for state in self.states() {
            for node in self.after(state) {
                fill(state, node, &mut offsets, &mut sources);
            }
            let own = 4 * (offsets.capacity() + sources.capacity());
            watch.work(self.graph.steps(state).len(), || self.bytes() + own)?;
        }
        (self.offsets, self.sources) = (offsets, sources);
        Ok(())
    }

    pub fn n_nodes(&self) -> usize {
        self.present.n_members
    }

    pub fn n_states(&self) -> usize {
        self.graph.space().n_states()
    }

    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.n_states()).map(StateId::from_usize)
    }

    /// Bytes of the graph and of what was added to it here.
    pub fn bytes(&self) -> usize {
        let lists = 4 * (self.offsets.capacity() + self.sources.capacity());
        self.graph.bytes() + self.present.bytes() + lists + self.ends.bytes()
    }

    /// The initial nodes.
    pub fn initial(&self) -> impl Iterator<Item = NodeId> {
        let states = self.graph.space().initial().iter();
        states.map(|state| self.node(state.index() * self.letters.len() + INITIAL))
    }

    pub fn state(&self, node: NodeId) -> StateId {
        StateId::from_usize(self.present.select(node.index()) / self.letters.len())
    }

    /// Whether no action led to a node.
    pub fn is_initial(&self, node: NodeId) -> bool {
        self.present.select(node.index()) % self.letters.len() == INITIAL
    }

    /// All nodes of a state.
    #[inline]
    pub fn of_state(&self, state: StateId) -> impl Iterator<Item = NodeId> + use<> {
        let first = state.index() * self.letters.len();
        let (start, end) =
            (self.present.rank(first), self.present.rank(first + self.letters.len()));
        (start..end).map(NodeId)
    }

    /// The nodes that follow on a state, once per edge.
    #[inline]
    pub fn after(&self, state: StateId) -> impl Iterator<Item = NodeId> {
        self.graph.steps(state).iter().map(|&step| self.node(self.pair(step)))
    }

    /// The node that a step leads to.
    #[inline]
    pub fn target(&self, step: Step) -> NodeId {
        self.node(self.pair(step))
    }

    /// The states that a node follows on, once per edge.
    #[inline]
    pub fn sources(&self, node: NodeId) -> &[StateId] {
        let (from, to) = (self.offsets[node.index()], self.offsets[node.index() + 1]);
        &self.sources[from as usize..to as usize]
    }

    /// Whether a run may end in a state.
    pub fn may_end(&self, state: StateId) -> bool {
        self.ends.contains(state.index())
    }

    /// The nodes that pass a test of their state and of the atoms that the action which led there
    /// satisfies.
    pub fn filter(&self, test: impl Fn(StateId, &Bits) -> bool) -> Bits {
        let mut found = Bits::none(self.n_nodes());
        for (node, pair) in self.present.bits.iter().enumerate() {
            let state = StateId::from_usize(pair / self.letters.len());
            if test(state, &self.letters[pair % self.letters.len()]) {
                found.insert(node);
            }
        }
        found
    }

    /// All nodes of a set.
    pub fn members<'a>(&self, set: &'a Bits) -> impl Iterator<Item = NodeId> + use<'a> {
        set.iter().map(NodeId::from_usize)
    }

    #[inline]
    fn pair(&self, step: Step) -> usize {
        step.to.index() * self.letters.len() + self.classes[step.label.index()] as usize
    }

    #[inline]
    fn node(&self, pair: usize) -> NodeId {
        NodeId(self.present.rank(pair))
    }
}

fn looks_back(formula: &Formula) -> bool {
    let here = match formula {
        Formula::Unary(_, operator, _) => operator.is_past(),
        Formula::Binary(_, operator, ..) => operator.is_past(),
        _ => false,
    };
    here || formula.operands().into_iter().any(looks_back)
}

/// A set whose members are numbered in ascending order.
#[derive(Default)]
struct Ranked {
    bits: Bits,
    /// Per word of the set, how many members there are before it.
    before: Vec<u32>,
    n_members: usize,
}

impl Ranked {
    fn new(bits: Bits) -> Self {
        let mut n_members = 0;
        let before = bits.words().iter().map(|word| {
            let before = NodeId::from_usize(n_members).0;
            n_members += word.count_ones() as usize;
            before
        });
        let before = before.collect();
        Self { bits, before, n_members }
    }

    fn bytes(&self) -> usize {
        self.bits.bytes() + self.before.capacity() * size_of::<u32>()
    }

    /// How many members are below a number.
    #[inline]
    fn rank(&self, number: usize) -> u32 {
        let Some(word) = self.bits.words().get(number / 64) else { return self.n_members as u32 };
        self.before[number / 64] + (word & ((1 << (number % 64)) - 1)).count_ones()
    }

    /// The member that has this many below it.
    fn select(&self, rank: usize) -> usize {
        let word = self.before.partition_point(|&before| before as usize <= rank) - 1;
        let mut rest = self.bits.words()[word];
        for _ in self.before[word] as usize..rank {
            rest &= rest - 1;
        }
        word * 64 + rest.trailing_zeros() as usize
    }
}
