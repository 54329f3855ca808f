//! The product of a model's graph with an automaton, built as a search asks for it. Knows how a
//! run may end; knows no search order.

use std::ops::ControlFlow;

use quadrille_logic::{Automaton, Edge, Letter, MAX_ATOMS, Marks};
use quadrille_model::{Explorer, Runs, StateId, TaskId, Value};
use rustc_hash::FxHashMap;

use super::conjunction::Conjunction;
use super::node::Node;
use super::tail::{accepts_for_ever, accepts_last};
use crate::graph::{Graph, Keep, Kept, LabelId};
use crate::interpretation::Interpretation;
use crate::limits::Watch;
use crate::workers::Workers;
use crate::{ProductCounts, Progress, Stopped};

/// What is known of a state: the class of its propositions, shifted by one, and in the lowest bit
/// whether runs may end there.
const UNKNOWN: u32 = u32::MAX;

/// What a graph is multiplied with.
pub(super) enum Machine<'p> {
    /// An automaton.
    One(&'p Automaton),
    /// Several that must all accept.
    Several(Conjunction<'p>),
}

impl<'p> Machine<'p> {
    /// The automaton that accepts what all of these accept.
    pub fn of(parts: &'p [Automaton]) -> Self {
        match parts {
            [only] => Machine::One(only),
            parts => Machine::Several(Conjunction::new(parts)),
        }
    }
}

/// Locations of several automata together, of which only those met are numbered.
const MANY: usize = 1 << 30;

/// The product of a graph and an automaton, or several.
pub(super) struct Product<'p, 'm> {
    pub graph: &'p mut Graph<'m>,
    machine: Machine<'p>,
    pub interpretation: &'p Interpretation<'p>,
    pub runs: Runs,
    /// Where only finite runs count: the locations in which they are accepted.
    finals: Option<&'p [bool]>,
    keep: Keep,
    watch: Watch<'p>,
    /// Per label of the graph, the letter of its action.
    label_letters: Vec<Letter>,
    /// Per state, see [`UNKNOWN`].
    states: Vec<u32>,
    /// Per class of states, the letter of their propositions …
    classes: Vec<Letter>,
    class_numbers: FxHashMap<Letter, u32>,
    /// … and the locations in which a run that ends there is accepted.
    endings: Vec<Vec<bool>>,
    pub n_nodes: u64,
    pub n_moves: u64,
}

/// What several threads read of a product with one automaton, of whose graph every state is expanded.
pub(super) struct Reading<'r> {
    pub automaton: &'r Automaton,
    pub kept: Kept<'r>,
    pub label_letters: &'r [Letter],
    /// Per state, see [`UNKNOWN`].
    pub states: &'r [u32],
    /// Per class, its letter and the locations in which a run that ends is accepted.
    pub classes: &'r [Letter],
    pub endings: &'r [Vec<bool>],
    /// Bytes of all that.
    pub bytes: usize,
}

/// An edge of the product.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub label: LabelId,
    pub marks: Marks,
    pub to: Node,
}

/// A node and how many of its moves were tried: a frame of a depth-first search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub node: Node,
    /// Counts pairs of a step of the state and an edge of the location.
    cursor: u32,
    /// The class of the state, at hand when the search comes back to it.
    class: u32,
}

impl<'p, 'm> Product<'p, 'm> {
    pub fn new(
        graph: &'p mut Graph<'m>,
        machine: Machine<'p>,
        finals: Option<&'p [bool]>,
        interpretation: &'p Interpretation<'p>,
        runs: Runs,
        keep: Keep,
        watch: Watch<'p>,
    ) -> Self {
        Self {
            graph,
            machine,
            finals,
            interpretation,
            runs,
            keep,
            watch,
            label_letters: Vec::new(),
            states: Vec::new(),
            classes: Vec::new(),
            class_numbers: FxHashMap::default(),
            endings: Vec::new(),
            n_nodes: 0,
            n_moves: 0,
        }
    }

    /// Expands every state and works out its letter; then the product can be read by several threads.
    /// `None` if it is with several automata.
    pub fn read(
        &mut self,
        workers: Workers,
    ) -> Result<Option<(Reading<'_>, &mut Watch<'p>)>, Stopped> {
        let Machine::One(automaton) = self.machine else { return Ok(None) };
        self.graph.complete(workers, &mut self.watch)?;
        self.learn_labels();
        let n_states = self.graph.space().n_states();
        let (reads_states, runs) = (self.interpretation.reads_states(), self.runs);
        if reads_states || runs != Runs::Infinite {
            let mut propositions: Vec<_> = self.interpretation.propositions().collect();
            propositions.retain(|(atom, _)| atom.index() < MAX_ATOMS);
            self.watch.allocated(self.graph.bytes() + n_states * size_of::<u32>())?;
            let ask = |explorer: &mut dyn Explorer, values: &[Value]| {
                let mut letter: Letter = 0;
                for (atom, proposition) in &propositions {
                    letter |= Letter::from(explorer.holds(*proposition, values)?) << atom.index();
                }
                Ok((letter, runs != Runs::Infinite && explorer.may_end(values)?))
            };
            // Letters in the order in which they are met, and per state, the number of its own.
            let (mut letters, mut known) = (Vec::new(), Vec::with_capacity(n_states));
            let mut numbers: FxHashMap<Letter, u32> = FxHashMap::default();
            let note = |(letter, may_end)| {
                let class = *numbers.entry(letter).or_insert_with(|| {
                    letters.push(letter);
                    letters.len() as u32 - 1
                });
                known.push(class << 1 | u32::from(may_end));
            };
            self.graph.space().ask_all(workers, &mut self.watch, ask, note)?;
            let classes: Vec<u32> = letters.into_iter().map(|letter| self.class(letter)).collect();
            for (state, known) in known.iter_mut().enumerate() {
                let stuck = self.graph.steps(StateId::from_usize(state)).is_empty();
                let ends = *known & 1 == 1 || stuck && runs == Runs::Maximal;
                *known = classes[(*known >> 1) as usize] << 1 | u32::from(ends);
            }
            self.states = known;
        } else {
            let class = self.class(0);
            self.states = vec![class << 1; n_states];
        }
        let bytes = self.graph.bytes() + self.bytes();
        let reading = Reading {
            automaton,
            kept: self.graph.kept(),
            label_letters: &self.label_letters,
            states: &self.states,
            classes: &self.classes,
            endings: &self.endings,
            bytes,
        };
        Ok(Some((reading, &mut self.watch)))
    }

    /// The nodes in which runs start.
    pub fn initial(&mut self) -> Vec<Node> {
        let locations = match &mut self.machine {
            Machine::One(automaton) => automaton.initial.clone(),
            Machine::Several(conjunction) => conjunction.initial(),
        };
        let states = self.graph.space().initial().iter();
        let pairs = states
            .flat_map(|&state| locations.iter().map(move |&location| Node { state, location }));
        pairs.collect()
    }

    /// More than the number of any location.
    pub fn n_locations(&self) -> usize {
        match &self.machine {
            Machine::One(automaton) => automaton.n_locations(),
            Machine::Several(_) => MANY,
        }
    }

    /// The marks that a cycle must have to be accepting.
    #[inline]
    pub fn all_marks(&self) -> Marks {
        match &self.machine {
            Machine::One(automaton) => automaton.all_marks(),
            Machine::Several(conjunction) => conjunction.all_marks(),
        }
    }

    /// The propositions of a state that was entered, as a letter.
    pub fn state_letter(&self, state: StateId) -> Letter {
        self.classes[(self.states[state.index()] >> 1) as usize]
    }

    /// The letter of an action.
    pub fn label_letter(&self, label: LabelId) -> Letter {
        self.label_letters[label.index()]
    }

    /// Whether a run may end in a state that was entered.
    pub fn run_may_end(&self, state: StateId) -> bool {
        self.states[state.index()] & 1 == 1
    }

    /// Counts a node that is met for the first time and makes its moves known. The limits may
    /// forbid it; `own_bytes` is what the search itself uses.
    #[inline]
    pub fn enter(&mut self, node: Node, own_bytes: impl FnOnce() -> usize) -> Result<(), Stopped> {
        self.n_nodes += 1;
        if self.states.get(node.state.index()).is_none_or(|&known| known == UNKNOWN) {
            self.learn(node.state)?;
        }
        self.prepare(node)?;
        let n_states = self.n_nodes.max(self.graph.space().n_states() as u64);
        let own = self.bytes();
        let Self { watch, graph, n_nodes, n_moves, .. } = self;
        watch.check(n_states as usize, || Progress {
            states: *n_nodes,
            transitions: *n_moves,
            depth: None,
            frontier: 0,
            bytes: (graph.bytes() + own + own_bytes()) as u64,
        })?;
        Ok(())
    }

    /// Makes the moves of several automata known.
    #[inline]
    fn prepare(&mut self, node: Node) -> Result<(), Stopped> {
        if matches!(self.machine, Machine::One(_)) {
            return Ok(());
        }
        self.load(node)?;
        let (here, ends) = (self.state_letter(node.state), self.run_may_end(node.state));
        let Machine::Several(conjunction) = &mut self.machine else { return Ok(()) };
        for step in self.graph.steps(node.state) {
            conjunction.prepare(node.location, here | self.label_letters[step.label.index()]);
        }
        if ends {
            conjunction.prepare_ending(node.location, here);
        }
        Ok(())
    }

    /// Makes the moves of a node that was entered readable again.
    #[inline]
    pub fn load(&mut self, node: Node) -> Result<(), Stopped> {
        self.graph.load(node.state, self.keep, &mut self.watch)
    }

    /// Whether work after the search, or inside it, may go on.
    #[inline]
    pub fn work(
        &mut self,
        amount: usize,
        own_bytes: impl FnOnce() -> usize,
    ) -> Result<(), Stopped> {
        let own = self.bytes();
        let Self { watch, graph, .. } = self;
        Ok(watch.work(amount, || graph.bytes() + own + own_bytes())?)
    }

    /// What was explored.
    pub fn counts(&self) -> ProductCounts {
        let bytes = (self.graph.bytes() + self.bytes()) as u64;
        ProductCounts {
            nodes: self.n_nodes,
            moves: self.n_moves,
            bytes: bytes.max(self.watch.peak()),
        }
    }

    fn bytes(&self) -> usize {
        let machine = match &self.machine {
            Machine::One(_) => 0,
            Machine::Several(conjunction) => conjunction.bytes(),
        };
        self.states.capacity() * size_of::<u32>() + machine
    }

    /// Whether a run that ends in this node, which was entered, is accepted.
    #[inline]
    pub fn accepts_end(&self, node: Node) -> bool {
        let known = self.states[node.state.index()];
        let class = (known >> 1) as usize;
        known & 1 == 1
            && match &self.machine {
                Machine::One(_) => self.endings[class][node.location.index()],
                Machine::Several(conjunction) => {
                    conjunction.accepts_ending(node.location, self.classes[class])
                }
            }
    }

    /// A frame before the first move of a node that was entered.
    #[inline]
    pub fn frame(&self, node: Node) -> Frame {
        Frame { node, cursor: 0, class: self.states[node.state.index()] >> 1 }
    }

    /// Shows the remaining moves of a frame until one gives a result.
    ///
    /// A depth-first search passes over many moves between two that matter; seeing them in one
    /// go saves it from finding the frame's steps again for each.
    #[inline]
    pub fn scan<B>(
        &self,
        frame: &mut Frame,
        mut see: impl FnMut(Move) -> ControlFlow<B>,
    ) -> Option<B> {
        let Node { state, location } = frame.node;
        let automaton = match &self.machine {
            Machine::One(automaton) => automaton,
            Machine::Several(conjunction) => return self.scan_several(conjunction, frame, see),
        };
        let choices: &[Edge] = &automaton.edges[location.index()];
        let n_choices = choices.len() as u32;
        if n_choices == 0 {
            return None;
        }
        let here = self.classes[frame.class as usize];
        let mut choice = (frame.cursor % n_choices) as usize;
        for step in &self.graph.steps(state)[(frame.cursor / n_choices) as usize..] {
            let letter = here | self.label_letters[step.label.index()];
            for edge in &choices[choice..] {
                frame.cursor += 1;
                if edge.label.accepts(letter) {
                    let to = Node { state: step.to, location: edge.to };
                    let shown = see(Move { label: step.label, marks: edge.marks, to });
                    if let ControlFlow::Break(result) = shown {
                        return Some(result);
                    }
                }
            }
            choice = 0;
        }
        None
    }

    fn scan_several<B>(
        &self,
        conjunction: &Conjunction<'_>,
        frame: &mut Frame,
        mut see: impl FnMut(Move) -> ControlFlow<B>,
    ) -> Option<B> {
        let here = self.classes[frame.class as usize];
        let mut number = 0;
        for step in self.graph.steps(frame.node.state) {
            let letter = here | self.label_letters[step.label.index()];
            for &(marks, to) in conjunction.row(frame.node.location, letter) {
                number += 1;
                if number <= frame.cursor {
                    continue;
                }
                frame.cursor = number;
                let to = Node { state: step.to, location: to };
                if let ControlFlow::Break(result) = see(Move { label: step.label, marks, to }) {
                    return Some(result);
                }
            }
        }
        None
    }

    /// All moves of a node that was entered.
    pub fn moves(&self, node: Node) -> impl Iterator<Item = Move> {
        let mut frame = self.frame(node);
        std::iter::from_fn(move || self.scan(&mut frame, ControlFlow::Break))
    }

    /// The task that a move belongs to.
    pub fn task(&self, step: Move) -> TaskId {
        self.graph.task(step.label)
    }

    /// The tasks that have an edge out of a state, some of them several times.
    pub fn enabled(&self, state: StateId) -> impl Iterator<Item = TaskId> {
        self.graph.steps(state).iter().map(|step| self.graph.task(step.label))
    }

    /// Expands a state and works out its letter and whether runs may end there.
    fn learn(&mut self, state: StateId) -> Result<(), Stopped> {
        self.graph.load(state, self.keep, &mut self.watch)?;
        self.learn_labels();
        let stuck = self.graph.steps(state).is_empty();
        let reads_states = self.interpretation.reads_states();
        let (mut letter, mut ends) = (0, stuck && self.runs == Runs::Maximal);
        if reads_states || self.runs != Runs::Infinite {
            let (explorer, values) = self.graph.space_mut().ask(state);
            letter = self.interpretation.state_letter(explorer, values)?;
            ends |= self.runs != Runs::Infinite && explorer.may_end(values)?;
        }
        let class = self.class(letter);
        if self.states.len() < self.graph.space().n_states() {
            self.states.resize(self.graph.space().n_states(), UNKNOWN);
        }
        self.states[state.index()] = class << 1 | u32::from(ends);
        Ok(())
    }

    /// Works out the letters of labels that are new.
    fn learn_labels(&mut self) {
        let (model, labels) = (self.graph.space().model(), self.graph.labels());
        for (_, action) in &labels[self.label_letters.len()..] {
            self.label_letters.push(self.interpretation.action_letter(model, *action));
        }
    }

    fn class(&mut self, letter: Letter) -> u32 {
        if let Some(&class) = self.class_numbers.get(&letter) {
            return class;
        }
        let class = self.classes.len() as u32;
        self.classes.push(letter);
        self.class_numbers.insert(letter, class);
        self.endings.push(match (&self.machine, self.finals) {
            (Machine::One(automaton), Some(finals)) => accepts_last(automaton, finals, letter),
            (Machine::One(automaton), None) => accepts_for_ever(automaton, letter),
            (Machine::Several(_), _) => Vec::new(),
        });
        class
    }
}
