//! Shortest counterexamples of safety formulas: a run is one as soon as no run that begins like it
//! satisfies the formula (Kupferman and Vardi, "Model checking of safety properties", 2001).
//!
//! The automaton of the formula itself is determinised as a breadth-first search asks for it. Where
//! no location is left, the prefix is bad, whatever follows. Knows that every maximal run counts.

use std::rc::Rc;

use quadrille_logic::{Automaton, Letter, Location};
use quadrille_model::{Ending, StateId, Trace};
use rustc_hash::FxHashMap;

use super::node::Node;
use super::product::Product;
use crate::Stopped;
use crate::bits::Bits;
use crate::graph::LabelId;

/// Most sets of locations: with more, a longer counterexample is found sooner.
const MAX_SETS: usize = 1 << 14;

/// What the search found.
pub(super) enum Found {
    /// A shortest violation, if there is one.
    Violation(Option<Trace>),
    /// The automaton has too many sets of locations.
    TooManySets,
}

/// A set of locations that some prefix leads to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SetId(u32);

/// An entry of the queue, which keeps what it has served as the tree of shortest runs.
struct Entry {
    state: StateId,
    set: SetId,
    parent: u32,
    /// The step that led here; `None` at the start.
    label: Option<LabelId>,
}

/// Looks for a shortest run that violates the formula of the product's automaton.
pub(super) fn shortest_violation(
    product: &mut Product,
    automaton: &Automaton,
) -> Result<Found, Stopped> {
    let mut search = Search {
        atoms_of_states: product.interpretation.atoms_of_states(),
        sets: Sets::new(automaton),
        seen: Vec::new(),
        queue: Vec::new(),
    };
    let start = search.sets.intern(automaton.initial.clone());
    for state in product.graph.space().initial().to_vec() {
        if let Some(ending) = search.arrive(product, state, start, None)? {
            return Ok(Found::Violation(Some(search.trace(product, ending))));
        }
    }
    let (mut next, mut steps) = (0, Vec::new());
    while let Some(entry) = search.queue.get(next) {
        let (state, set) = (entry.state, entry.set);
        product.load(Node { state, location: Location(0) })?;
        let here = product.state_letter(state);
        // Arriving somewhere may make the graph forget the steps of this state.
        steps.clear();
        steps.extend_from_slice(product.graph.steps(state));
        for &step in &steps {
            let to = search.sets.after(set, here | product.label_letter(step.label));
            product.n_moves += 1;
            let arrived = search.arrive(product, step.to, to, Some((next as u32, step.label)))?;
            if let Some(ending) = arrived {
                return Ok(Found::Violation(Some(search.trace(product, ending))));
            }
            if search.sets.members.len() > MAX_SETS {
                return Ok(Found::TooManySets);
            }
        }
        next += 1;
    }
    Ok(Found::Violation(None))
}

struct Search<'a> {
    /// The atoms whose truth a state decides.
    atoms_of_states: Letter,
    sets: Sets<'a>,
    /// Per set, the states it was met with.
    seen: Vec<Bits>,
    queue: Vec<Entry>,
}

impl Search<'_> {
    /// Adds a state and a set to the queue, if they are new together. Tells how the run ends that
    /// leads there, if it is a violation.
    fn arrive(
        &mut self,
        product: &mut Product,
        state: StateId,
        set: SetId,
        by: Option<(u32, LabelId)>,
    ) -> Result<Option<Ending>, Stopped> {
        if self.seen.len() <= set.0 as usize {
            self.seen.resize(set.0 as usize + 1, Bits::default());
        }
        let n_states = product.graph.space().n_states();
        if !self.seen[set.0 as usize].insert_growing(state.index(), n_states) {
            return Ok(None);
        }
        let Self { seen, queue, sets, .. } = self;
        product.enter(Node { state, location: Location(set.0) }, || {
            seen.iter().map(Bits::bytes).sum::<usize>()
                + queue.capacity() * size_of::<Entry>()
                + sets.bytes()
        })?;
        let (parent, label) = by.map_or((0, None), |(parent, label)| (parent, Some(label)));
        self.queue.push(Entry { state, set, parent, label });
        // What the state alone forbids, no action can mend.
        let here = product.state_letter(state);
        if !self.sets.stays_open(set, here, self.atoms_of_states) {
            return Ok(Some(Ending::Prefix));
        }
        if product.run_may_end(state) && self.sets.silence_kills(set, here) {
            let finished = product.graph.space_mut().may_end(state)?;
            return Ok(Some(if finished { Ending::Finished } else { Ending::Stuck }));
        }
        Ok(None)
    }

    /// The run to the last entry of the queue.
    fn trace(&self, product: &Product, ending: Ending) -> Trace {
        let mut edges = Vec::new();
        let mut at = self.queue.len() - 1;
        while let Some(label) = self.queue[at].label {
            edges.push(product.graph.edge(label, self.queue[at].state));
            at = self.queue[at].parent as usize;
        }
        edges.reverse();
        product.graph.space().trace(self.queue[at].state, &edges, ending)
    }
}

/// The automaton made deterministic, as far as it was asked for.
pub(crate) struct Sets<'a> {
    automaton: &'a Automaton,
    numbers: FxHashMap<Rc<[Location]>, SetId>,
    members: Vec<Rc<[Location]>>,
    next: FxHashMap<(SetId, Letter), SetId>,
}

impl<'a> Sets<'a> {
    pub(crate) fn new(automaton: &'a Automaton) -> Self {
        let (numbers, next) = (FxHashMap::default(), FxHashMap::default());
        Self { automaton, numbers, members: Vec::new(), next }
    }

    /// The locations of a set.
    pub(crate) fn members(&self, set: SetId) -> &[Location] {
        &self.members[set.0 as usize]
    }

    /// Whether a state with this letter leaves a way to go on; `decided` are the atoms of states.
    pub(crate) fn stays_open(&self, set: SetId, here: Letter, decided: Letter) -> bool {
        self.members(set).iter().any(|location| {
            self.automaton.edges[location.index()].iter().any(|edge| {
                edge.label.positive & decided & !here == 0
                    && edge.label.negative & decided & here == 0
            })
        })
    }

    /// The number of a set.
    pub(crate) fn intern(&mut self, mut locations: Vec<Location>) -> SetId {
        locations.sort_unstable();
        locations.dedup();
        if let Some(&known) = self.numbers.get(&locations[..]) {
            return known;
        }
        let set = SetId(self.members.len() as u32);
        let locations: Rc<[Location]> = locations.into();
        self.members.push(locations.clone());
        self.numbers.insert(locations, set);
        set
    }

    /// The set after a letter.
    pub(crate) fn after(&mut self, set: SetId, letter: Letter) -> SetId {
        if let Some(&known) = self.next.get(&(set, letter)) {
            return known;
        }
        let edges = self.members[set.0 as usize]
            .iter()
            .flat_map(|location| &self.automaton.edges[location.index()]);
        let locations =
            edges.filter(|edge| edge.label.accepts(letter)).map(|edge| edge.to).collect();
        let to = self.intern(locations);
        self.next.insert((set, letter), to);
        to
    }

    /// Whether the same letter again and again leads to the empty set.
    pub(crate) fn silence_kills(&mut self, mut set: SetId, letter: Letter) -> bool {
        let mut passed = Vec::new();
        while !passed.contains(&set) {
            passed.push(set);
            set = self.after(set, letter);
        }
        self.members[set.0 as usize].is_empty()
    }

    /// Bytes allocated, about: a set takes two counted references and an entry of each table.
    fn bytes(&self) -> usize {
        self.members.len() * 96 + self.next.capacity() * 32
    }
}
