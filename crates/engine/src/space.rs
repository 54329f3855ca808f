//! A model together with the states of it that were met: the one place where successors are
//! computed, packed and numbered. Every algorithm of the engine walks a [`Space`]. Knows nothing
//! of search order or properties.

mod round;

use std::ops::ControlFlow;

use quadrille_model::{
    ActionId, Bound, Ending, Explicit, ExplicitBuilder, Explorer, GroupId, Halt, Misfit, Model,
    Problem, PropositionId, StateId, Step, Trace, Value,
};

pub(crate) use round::Round;

use crate::limits::{Limits, Observer, Progress, Watch, unobserved};
use crate::packing::Packing;
use crate::steps::{PackedSteps, pairs, words};
use crate::store::{MAX_STATES, Store};
use crate::workers::Workers;
use crate::{Error, Stopped};

/// The states of a model that were met so far, numbered in order of discovery.
pub struct Space<'m> {
    model: &'m dyn Model,
    explorer: Box<dyn Explorer + 'm>,
    /// Why there is no initial state, if they could not be computed.
    no_start: Option<Box<Problem>>,
    packing: Packing,
    /// The next-state function on packed states, where there is one.
    steps: Option<PackedSteps>,
    store: Store,
    initial: Vec<StateId>,
    /// Scratch: the state being expanded, plain and packed, and its packed successors.
    source: Vec<Value>,
    source_words: Vec<u32>,
    source_pairs: Vec<u64>,
    target_pairs: Vec<u64>,
    batch: Vec<u32>,
    edges: Vec<Edge>,
}

/// An edge out of a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// The group that makes the step.
    pub group: GroupId,
    /// Its label.
    pub action: ActionId,
    /// Where it leads.
    pub to: StateId,
}

/// Successors that are numbered at once: enough for their cache misses to overlap, few enough for
/// the limits to act inside the expansion of a state with millions of edges.
const PIECE: usize = 4096;

/// Words of packed states that are numbered at once, however few states that are.
const PIECE_WORDS: usize = 1 << 18;

/// Numbers the targets of edges, whose packed states are the batch, which is left empty.
#[inline]
fn number(
    store: &mut Store,
    batch: &mut Vec<u32>,
    edges: &mut [Edge],
    most_states: u64,
) -> Result<(), Bound> {
    let mut numbered = edges.iter_mut();
    let all = store.intern(batch, most_states, |to| {
        if let Some(edge) = numbered.next() {
            edge.to = to;
        }
    });
    batch.clear();
    if all { Ok(()) } else { Err(Bound::States(most_states)) }
}

/// Whether a model's own successors of a state are these.
fn agree(
    explorer: &mut dyn Explorer,
    source: &[Value],
    packing: &Packing,
    edges: &[Edge],
    batch: &[u32],
) -> bool {
    let mut expected = edges.iter().zip(batch.chunks_exact(packing.n_words()));
    let mut same = true;
    let settled = explorer.each_successor(source, |group, action, next| {
        let found = expected.next();
        same &= found.is_some_and(|(edge, words)| {
            (edge.group, edge.action) == (group, action) && packing.holds(words, next)
        });
    });
    settled.is_ok() && same && expected.next().is_none()
}

impl<'m> Space<'m> {
    /// A space that holds the initial states of a model. Where they cannot be computed, it holds a
    /// state that cannot be expanded, so that every search comes upon the problem.
    pub fn new(model: &'m dyn Model) -> Self {
        let packing = Packing::new(model.signature());
        let mut explorer = model.explorer();
        let mut batch = Vec::new();
        let no_start = explorer.each_initial(|state| packing.pack(state, &mut batch)).err();
        if no_start.is_some() {
            batch.clear();
            batch.resize(packing.n_words(), 0);
        }
        let mut store = Store::new(packing.n_words());
        let mut initial = Vec::new();
        store.intern(&batch, MAX_STATES, |state| {
            // A model may report an initial state twice; new states have ascending numbers.
            if initial.last().is_none_or(|&last| last < state) {
                initial.push(state);
            }
        });
        Self {
            model,
            explorer,
            no_start,
            steps: PackedSteps::new(model.signature(), &packing),
            source: vec![0; packing.n_slots()],
            source_words: vec![0; packing.n_words()],
            source_pairs: Vec::new(),
            target_pairs: Vec::new(),
            packing,
            store,
            initial,
            batch,
            edges: Vec::new(),
        }
    }

    /// The model explored.
    pub fn model(&self) -> &'m dyn Model {
        self.model
    }

    /// The initial states, each once.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// Number of states met so far; they are numbered from 0.
    pub fn n_states(&self) -> usize {
        self.store.len()
    }

    /// The edges out of a state, in the order the model reports them. Their targets are met by
    /// this: those not met before get the next numbers.
    pub fn expand(&mut self, state: StateId) -> Result<&[Edge], Stopped> {
        let mut observer = unobserved;
        let mut unlimited = Watch::new(Limits::default(), &mut observer);
        self.expand_within(state, &mut unlimited)?;
        Ok(&self.edges)
    }

    /// Expands a state; the limits act after every few thousand successors. Where they end it, the
    /// edges are not complete.
    #[inline]
    pub(crate) fn expand_within(
        &mut self,
        state: StateId,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        self.load(state);
        if let Some(problem) = &self.no_start {
            return Err(problem.clone().into());
        }
        let Self { explorer, packing, steps, store, source, .. } = self;
        let Self { source_words, source_pairs, target_pairs, batch, edges, .. } = self;
        batch.clear();
        edges.clear();
        let most_states = watch.most_states();
        if let Some(steps) = steps {
            source_pairs.clear();
            source_pairs.extend(pairs(source_words));
            steps.each(source_pairs, |step| {
                target_pairs.clone_from(source_pairs);
                steps.apply(step, target_pairs, |_| ());
                batch.extend(words(target_pairs).take(source_words.len()));
                edges.push(Edge { group: step.group, action: step.action, to: StateId::new(0) });
            });
            debug_assert!(
                agree(&mut **explorer, source, packing, edges, batch),
                "a bug in the model: what it declares of its groups is not what they do",
            );
            return Ok(number(store, batch, edges, most_states)?);
        }
        let (mut n_numbered, mut bound) = (0, None);
        let (piece, model) = ((PIECE_WORDS / packing.n_words()).clamp(1, PIECE), self.model);
        let flow = explorer.expand(source, &mut |group: GroupId, action: ActionId, next: &[Value]| {
            if edges.len() - n_numbered == piece {
                let own = edges.capacity() * size_of::<Edge>();
                let within = number(store, batch, &mut edges[n_numbered..], most_states)
                    .and_then(|()| watch.work(PIECE * 8, || store.bytes() + own + model.bytes()));
                n_numbered = edges.len();
                if let Err(reached) = within {
                    bound = Some(reached);
                    return ControlFlow::Break(Halt::Enough);
                }
            }
            packing.pack_successor(source_words, group, next, batch);
            debug_assert!(
                packing.holds(&batch[batch.len() - packing.n_words()..], next),
                "a bug in the model: {group:?} changes a slot that it does not declare as written",
            );
            edges.push(Edge { group, action, to: StateId::new(0) });
            ControlFlow::Continue(())
        });
        if let ControlFlow::Break(halt) = flow {
            return Err(self.halted(halt, bound));
        }
        number(store, batch, &mut edges[n_numbered..], most_states)?;
        Ok(())
    }

    /// Why an expansion ended early.
    #[cold]
    fn halted(&self, halt: Halt, bound: Option<Bound>) -> Stopped {
        match (halt, bound) {
            (Halt::Problem(problem), _) => self.placed(problem).into(),
            (Halt::Enough, Some(bound)) => bound.into(),
            (Halt::Enough, None) => unreachable!("only a bound ends an expansion"),
        }
    }

    /// A problem of the state in `source`.
    #[cold]
    fn placed(&self, mut problem: Box<Problem>) -> Box<Problem> {
        problem.state.clone_from(&self.source);
        problem
    }

    /// The edges out of the state that was expanded last.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The first edge between each two of these states that follow each other, found by asking the
    /// model again.
    pub fn edges_along(&self, states: &[StateId]) -> Result<Vec<Edge>, Error> {
        let mut explorer = self.model.explorer();
        let mut edges = Vec::with_capacity(states.len().saturating_sub(1));
        for (position, step) in states.windows(2).enumerate() {
            let (source, target, to) = (self.state(step[0]), self.state(step[1]), step[1]);
            let mut found = None;
            explorer.each_successor(&source, |group, action, next| {
                if found.is_none() && next == target {
                    found = Some(Edge { group, action, to });
                }
            })?;
            edges.push(found.ok_or(Error::Unrepeatable(Misfit::Step(position)))?);
        }
        Ok(edges)
    }

    /// The state vector of a state.
    pub fn state(&self, state: StateId) -> Vec<Value> {
        let mut values = vec![0; self.packing.n_slots()];
        self.packing.unpack(self.store.get(state), &mut values);
        values
    }

    /// The state vector of a state, in a buffer that the next call overwrites.
    pub fn view(&mut self, state: StateId) -> &[Value] {
        self.load(state);
        &self.source
    }

    /// The number of a state vector, if it was met.
    pub fn find(&self, state: &[Value]) -> Option<StateId> {
        let mut words = Vec::new();
        self.packing.pack(state, &mut words);
        self.store.find(&words)
    }

    /// Whether a proposition holds in a state.
    pub fn holds(&mut self, proposition: PropositionId, state: StateId) -> Result<bool, Stopped> {
        self.load(state);
        let answer = self.explorer.holds(proposition, &self.source);
        answer.map_err(|problem| self.placed(problem).into())
    }

    /// Whether the system may stop in a state.
    pub fn may_end(&mut self, state: StateId) -> Result<bool, Stopped> {
        self.load(state);
        let answer = self.explorer.may_end(&self.source);
        answer.map_err(|problem| self.placed(problem).into())
    }

    /// The explorer of the model, and the state vector of a state to ask it about.
    pub(crate) fn ask(&mut self, state: StateId) -> (&mut (dyn Explorer + 'm), &[Value]) {
        self.load(state);
        (&mut *self.explorer, &self.source)
    }

    /// Asks the model something about every state, on several threads, and shows the answers in the
    /// order of the states.
    pub(crate) fn ask_all<T: Send>(
        &self,
        workers: Workers,
        watch: &mut Watch<'_>,
        ask: impl Fn(&mut dyn Explorer, &[Value]) -> Result<T, Box<Problem>> + Sync,
        mut see: impl FnMut(T),
    ) -> Result<(), Stopped> {
        let workers = if self.model.allows_workers() { workers } else { Workers::default() };
        let (model, packing, store) = (self.model, &self.packing, &self.store);
        for first in (0..self.n_states()).step_by(PIECE * 16) {
            let last = self.n_states().min(first + PIECE * 16);
            let starts = (first..last).step_by(PIECE / 4);
            let mut slices: Vec<_> = starts.map(|start| (start, Ok(Vec::new()))).collect();
            let mut bound = None;
            workers.share(
                slices.iter_mut(),
                || (model.explorer(), vec![0; packing.n_slots()]),
                |(explorer, values), (start, answers)| {
                    let states = *start..last.min(*start + PIECE / 4);
                    *answers = states
                        .map(|state| {
                            packing.unpack(store.get(StateId::from_usize(state)), values);
                            ask(&mut **explorer, values)
                        })
                        .collect();
                },
                || {
                    bound = watch.wait().err();
                    bound.is_none()
                },
            );
            if let Some(bound) = bound {
                return Err(bound.into());
            }
            for (_, answers) in slices {
                let answers: Result<Vec<T>, Box<Problem>> = answers;
                answers?.into_iter().for_each(&mut see);
            }
        }
        Ok(())
    }

    /// Bytes allocated for states, the table that finds them, the edges of one state, and tables of the
    /// model that grow with them.
    pub fn bytes(&self) -> usize {
        self.store.bytes() + self.edges.capacity() * size_of::<Edge>() + self.model.bytes()
    }

    /// The state that was expanded or viewed last.
    pub(crate) fn source(&self) -> &[Value] {
        &self.source
    }

    /// Writes the state vector of a state into a buffer.
    pub(crate) fn unpack(&self, state: StateId, values: &mut Vec<Value>) {
        values.resize(self.packing.n_slots(), 0);
        self.packing.unpack(self.store.get(state), values);
    }

    /// The run that starts in `initial` and takes these edges.
    pub fn trace(&self, initial: StateId, edges: &[Edge], ending: Ending) -> Trace {
        let steps = edges.iter().map(|edge| Step {
            group: edge.group,
            action: edge.action,
            state: self.state(edge.to),
        });
        Trace { initial: self.state(initial), steps: steps.collect(), ending }
    }

    /// A run of the table that [`Space::tabulate`] gave, as a run of the model: each step is asked for
    /// again. `None` if the model does not repeat a step.
    pub fn retold(&self, run: &Trace) -> Option<Trace> {
        let state = |values: &[Value]| self.state(StateId::new(values[0]));
        let mut explorer = self.model.explorer();
        let mut steps = Vec::with_capacity(run.steps.len());
        for (position, step) in run.steps.iter().enumerate() {
            let target = state(&step.state);
            let mut group = None;
            let look = |found: GroupId, action: ActionId, next: &[Value]| {
                if group.is_none() && action == step.action && next == target {
                    group = Some(found);
                }
            };
            explorer.each_successor(&state(run.state(position)), look).ok()?;
            steps.push(Step { group: group?, action: step.action, state: target });
        }
        Some(Trace { initial: state(&run.initial), steps, ending: run.ending })
    }

    /// Explores everything in order of discovery and shows every state once, with its edges. `visit`
    /// says how many bytes it keeps, which count as memory of the search.
    pub fn walk(
        &mut self,
        limits: Limits,
        observer: &mut Observer<'_>,
        visit: impl FnMut(StateId, &[Value], &[Edge]) -> usize,
    ) -> Result<(), Stopped> {
        self.walk_within(&mut Watch::new(limits, observer), visit)
    }

    fn walk_within(
        &mut self,
        watch: &mut Watch<'_>,
        mut visit: impl FnMut(StateId, &[Value], &[Edge]) -> usize,
    ) -> Result<(), Stopped> {
        let (mut next, mut n_edges) = (0, 0);
        while next < self.n_states() {
            let state = StateId::from_usize(next);
            next += 1;
            self.expand_within(state, watch)?;
            n_edges += self.edges.len();
            // Expanding left the state itself in `source`.
            let kept = visit(state, &self.source, &self.edges);
            watch.check(self.n_states(), || Progress {
                states: self.n_states() as u64,
                transitions: n_edges as u64,
                depth: None,
                frontier: (self.n_states() - next) as u64,
                bytes: (self.bytes() + kept) as u64,
            })?;
        }
        Ok(())
    }

    /// Explores everything and gives it as a table; states and actions keep their numbers.
    pub fn tabulate(
        &mut self,
        limits: Limits,
        observer: &mut Observer<'_>,
    ) -> Result<Explicit, Stopped> {
        self.tabulate_within(&mut Watch::new(limits, observer))
    }

    /// [`Space::tabulate`] as one of several phases: the watch sees all of them.
    pub fn tabulate_within(&mut self, watch: &mut Watch<'_>) -> Result<Explicit, Stopped> {
        let model = self.model;
        let mut explorer = model.explorer();
        let mut table = ExplicitBuilder::default();
        let names = model.signature().propositions.iter();
        let propositions: Vec<PropositionId> =
            names.map(|proposition| table.proposition(&proposition.name)).collect();
        for &state in &self.initial {
            table.initial(state);
        }
        let (mut n_actions, mut problem) = (0, None);
        self.walk_within(watch, |state, values, edges| {
            while n_actions < model.n_actions() {
                table.action(model.action(ActionId::from_usize(n_actions)).label);
                n_actions += 1;
            }
            for edge in edges {
                table.edge(state, edge.action, edge.to);
            }
            let mut ask = |answer: Result<bool, Box<Problem>>| {
                answer.unwrap_or_else(|found| {
                    problem.get_or_insert(found);
                    false
                })
            };
            for &proposition in &propositions {
                if ask(explorer.holds(proposition, values)) {
                    table.holds(state, proposition);
                }
            }
            if ask(explorer.may_end(values)) {
                table.end(state);
            }
            table.table_bytes()
        })?;
        match problem {
            Some(problem) => Err(problem.into()),
            None => Ok(table.build()),
        }
    }

    fn load(&mut self, state: StateId) {
        self.source_words.copy_from_slice(self.store.get(state));
        self.packing.unpack(&self.source_words, &mut self.source);
    }
}

#[cfg(test)]
mod tests;
