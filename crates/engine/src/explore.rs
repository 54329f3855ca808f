//! The one walk over a model: which state is expanded next, where each state was met from, and what
//! is counted. [`Visitor`]s look on; nothing here knows a property.

use std::ops::{ControlFlow, Range};

use quadrille_model::{Counts, Ending, Flow, Halt, Model, StateId, Trace, Value};

use crate::arena::Arena;
use crate::evidence::replayed;
use crate::graph::{Graph, Keep};
use crate::limits::{Limits, Observer, Progress, Watch};
use crate::space::{Edge, Round};
use crate::sweep::{Sift, Sight, Swept, sweep};
use crate::workers::Workers;
use crate::{Error, Space, Stopped};

/// Which state is expanded next. Counts of a complete walk do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The one met first: traces are as short as possible.
    #[default]
    Breadth,
    /// The one met last: deep violations are often found sooner, with longer traces.
    Depth,
}

/// How to explore.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// Which state is expanded next.
    pub order: Order,
    /// When to give up.
    pub limits: Limits,
    /// Whether states and edges (eight bytes each) are kept for formulas that are checked on the
    /// graph afterwards. Where they are not, such formulas explore the model again.
    pub edges: bool,
    /// How many threads expand states, breadth first, where the model
    /// [allows](Model::allows_workers) it. Nothing that is reported depends on it.
    pub workers: Workers,
}

/// Looks at what a walk meets. One walk serves many visitors.
///
/// [`Halt::Enough`] as an answer means that this visitor has seen enough; it is not called again,
/// and the walk ends when every visitor has said so. A problem ends the walk without a verdict.
pub trait Visitor {
    /// Whether [`Visitor::met`] is to be called, which costs unpacking each state.
    fn needs_states(&self) -> bool {
        false
    }

    /// A state that was met for the first time. The walk knows the way to it.
    fn met(&mut self, walk: &Explored<'_>, state: StateId, values: &[Value]) -> Flow {
        let _ = (walk, state, values);
        ControlFlow::Continue(())
    }

    /// A state that was expanded, before [`Visitor::met`] sees the new states it leads to.
    fn expanded(&mut self, walk: &Explored<'_>, expansion: &Expansion<'_>) -> Flow {
        let _ = (walk, expansion);
        ControlFlow::Continue(())
    }

    /// Whether [`Visitor::swept`] is enough as long as there is nothing to find. A walk whose
    /// visitors all say so, and that keeps no edges, takes less time and memory.
    fn can_sweep(&self) -> bool {
        false
    }

    /// Whether [`Visitor::swept`] is to see the steps of groups that had none before.
    fn needs_steps(&self) -> bool {
        true
    }

    /// What there is to see of a walk that keeps nothing. `Break` means that there is something to
    /// find: the walk is made again, with [`Visitor::met`] and [`Visitor::expanded`].
    fn swept(&mut self, sight: Sight<'_>) -> Flow {
        let _ = sight;
        ControlFlow::Break(Halt::Enough)
    }

    /// Tells which states [`Visitor::swept`] has to see, on several threads; else it sees all of them,
    /// on one.
    fn sift(&self) -> Option<&dyn Sift> {
        None
    }

    /// Bytes that it keeps and that grow with the model.
    fn bytes(&self) -> usize {
        0
    }
}

/// A state and what follows on it.
#[derive(Clone, Copy, Debug)]
pub struct Expansion<'a> {
    /// The state.
    pub state: StateId,
    /// Its vector.
    pub values: &'a [Value],
    /// Its edges, in the order the model reports them.
    pub edges: &'a [Edge],
    /// Whether there is no edge and the system may not end here.
    pub deadlock: bool,
}

/// Explores a model and shows it to visitors. The walk ends when everything is explored, when all
/// visitors have seen enough (without any, it never does), or when it is stopped.
///
/// Deadlock, invariants, forbidden actions and what never occurs are visitors
/// ([`Safety`](crate::Safety), [`Occurrences`](crate::Occurrences)); an analysis of a front end is a
/// [`Visitor`] of its own. Formulas are checked on the graph that the walk leaves, with
/// [`check_ltl`](crate::check_ltl) and [`check_ctl`](crate::check_ctl); with [`Config::edges`] the
/// model is then not asked again:
///
/// ```
/// use quadrille_engine::{
///     Config, Interpretation, Limits, LtlOptions, Meaning, Occurrences, Property, Safety,
///     check_ctl, check_ltl, explore, unobserved,
/// };
/// use quadrille_logic::{AtomId, Formula, Path, Unary};
/// use quadrille_model::{ExplicitBuilder, StateId, Verdict};
///
/// let mut table = ExplicitBuilder::default();
/// let [rise, fall, rest] = ["rise", "fall", "rest"].map(|label| table.action(label));
/// table.initial(StateId::new(0));
/// table.edge(StateId::new(0), rise, StateId::new(1)).edge(StateId::new(1), fall, StateId::new(0));
/// let model = table.build();
///
/// // One walk, three questions.
/// let mut no_deadlock = Safety::new(Property::DeadlockFree);
/// let mut never_falls = Safety::new(Property::Never(Box::new(|action| action == fall)));
/// let mut occurred = Occurrences::new(&model);
/// let config = Config { edges: true, ..Config::default() };
/// let mut explored = explore(
///     &model,
///     &config,
///     &mut [&mut no_deadlock, &mut never_falls, &mut occurred],
///     &mut unobserved,
/// );
/// assert!(explored.is_complete());
/// assert_eq!((explored.counts().states, explored.counts().transitions), (2, 2));
/// assert_eq!(no_deadlock.verdict(&explored)?, Verdict::Holds);
/// let Verdict::Violated(Some(run)) = never_falls.verdict(&explored)? else { panic!("it falls") };
/// assert_eq!(run.steps.len(), 2);
/// assert!(occurred.actions_missing(&model).eq([rest]));
///
/// // Formulas on the graph that the walk left; the model is not expanded again.
/// let atoms = Interpretation::new(vec![Meaning::Action(Box::new(|a| a.label == "fall"))]);
/// let falls = || Formula::atom(AtomId::from_usize(0));
/// let again = Formula::unary(Unary::Always, Formula::unary(Unary::Eventually, falls()));
/// let options = LtlOptions::default();
/// let report = check_ltl(&mut explored.graph, &again, &atoms, &options, &mut unobserved)?;
/// assert_eq!((report.verdict, report.product.nodes), (Verdict::Holds, 3));
/// let possible = Formula::Unary(Path::Some, Unary::Eventually, Box::new(falls()));
/// let limits = Limits::default();
/// let report = check_ctl(&mut explored.graph, &possible, &atoms, limits, &mut unobserved)?;
/// assert_eq!(report.verdict, Verdict::Holds);
/// # Ok::<(), quadrille_engine::Error>(())
/// ```
pub fn explore<'m>(
    model: &'m dyn Model,
    config: &Config,
    visitors: &mut [&mut dyn Visitor],
    observer: &mut Observer<'_>,
) -> Explored<'m> {
    let alone = config.order == Order::Depth || !model.allows_workers();
    let workers = if alone { Workers::default() } else { config.workers };
    let mut walk = Explored::new(model, config.order);
    // With a limit of states, counts are those of the order in which states are numbered.
    if config.order == Order::Breadth && !config.edges && config.limits.states.is_none() {
        let mut watch = Watch::new(config.limits, &mut *observer);
        let swept = sweep(model, visitors, workers, &mut watch);
        if let Some(Swept { counts, bound }) = swept {
            walk.stopped = bound.map(Stopped::from);
            walk.swept = Some(counts);
            return walk;
        }
    }
    let keep = if config.edges { Keep::Edges } else { Keep::Nothing };
    let mut audience = Audience {
        has_rounds: config.order == Order::Breadth && model.allows_workers(),
        open: vec![true; visitors.len()],
        needs_states: visitors.iter().any(|visitor| visitor.needs_states()),
        ends: !visitors.is_empty(),
        visitors,
        values: Vec::new(),
        round: Round::default(),
        workers,
    };
    let mut watch = Watch::new(config.limits, observer);
    walk.stopped = audience.attend(&mut walk, keep, &mut watch).err();
    walk.graph.settle(&mut audience.round, workers);
    walk
}

/// A model that was explored, in whole or in part, and how each state was met.
pub struct Explored<'m> {
    /// Its states and, if they are kept, its edges.
    pub graph: Graph<'m>,
    /// Per state, the number of the state it was met from; [`NONE`] for initial states.
    parents: Arena,
    frontier: Frontier,
    /// The counts of a walk that kept nothing.
    swept: Option<Counts>,
    stopped: Option<Stopped>,
}

const NONE: u32 = u32::MAX;

/// States met but not expanded yet.
enum Frontier {
    /// States are numbered in order of discovery, so that the queue is the store itself, from
    /// `next` on. The states of the current depth end at `level_end`.
    Queue {
        next: u32,
        level_end: u32,
        depth: u64,
    },
    Stack(Vec<u32>),
}

impl<'m> Explored<'m> {
    /// A walk that has met the initial states.
    fn new(model: &'m dyn Model, order: Order) -> Self {
        let graph = Graph::new(model);
        let n_initial = graph.space().n_states() as u32;
        let frontier = match order {
            Order::Breadth => Frontier::Queue { next: 0, level_end: n_initial, depth: 0 },
            Order::Depth => Frontier::Stack((0..n_initial).rev().collect()),
        };
        let mut parents = Arena::new(1);
        for _ in 0..n_initial {
            parents.push(&[NONE]);
        }
        Self { graph, parents, frontier, swept: None, stopped: None }
    }

    /// The states met.
    pub fn space(&self) -> &Space<'m> {
        self.graph.space()
    }

    /// What stopped the walk before it was complete, if something did. Visitors that had seen
    /// enough end it too, but do not stop it.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.stopped.as_ref()
    }

    /// Whether every reachable state was expanded.
    pub fn is_complete(&self) -> bool {
        match self.swept {
            Some(_) => self.stopped.is_none(),
            None => self.graph.is_complete(),
        }
    }

    /// What was counted.
    pub fn counts(&self) -> Counts {
        self.swept.unwrap_or_else(|| Counts {
            depth: match self.frontier {
                Frontier::Queue { depth, .. } => Some(depth),
                Frontier::Stack(_) => None,
            },
            bytes: (self.graph.bytes() + self.parents.bytes()) as u64,
            ..self.graph.counts()
        })
    }

    /// The state that a state was first met from; none for initial states.
    pub fn parent(&self, state: StateId) -> Option<StateId> {
        let parent = self.parents.get(state.index())[0];
        (parent != NONE).then_some(StateId::new(parent))
    }

    /// The run along which the walk met a state, and one step more if given, replayed. As short as
    /// possible if the walk was breadth-first.
    pub fn trace(
        &self,
        state: StateId,
        last: Option<Edge>,
        ending: Ending,
    ) -> Result<Trace, Error> {
        let mut states: Vec<StateId> =
            std::iter::successors(Some(state), |&state| self.parent(state)).collect();
        states.reverse();
        // Only the states on the way are remembered: the model is asked for the edges again.
        let mut edges = self.space().edges_along(&states)?;
        edges.extend(last);
        let trace = self.space().trace(states[0], &edges, ending);
        replayed(self.space().model(), trace)
    }

    fn progress(&self) -> Progress {
        let counts = self.counts();
        Progress {
            states: counts.states,
            transitions: counts.transitions,
            depth: counts.depth,
            frontier: counts.states - self.graph.n_expanded(),
            bytes: counts.bytes + self.frontier.bytes(),
        }
    }

    /// Expands the next state, in a round if there is one.
    #[inline]
    fn step(
        &mut self,
        keep: Keep,
        round: Option<&mut Round>,
        workers: Workers,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Stepped>, Stopped> {
        let first_fresh = self.space().n_states() as u32;
        let Some(number) = self.frontier.take(first_fresh) else { return Ok(None) };
        let state = StateId::new(number);
        let mut adopted = None;
        if let Some(round) = round {
            if !round.holds(number) {
                self.graph.settle(round, workers);
                if workers.suit((first_fresh - number) as usize) {
                    self.graph.prepare(number, round, workers, watch)?;
                }
            }
            adopted = Some(round).filter(|round| round.holds(number));
        }
        let is_adopted = adopted.is_some();
        let expanded = match adopted {
            Some(round) => self.graph.adopt(state, keep, round, watch),
            None => self.graph.expand(state, keep, watch),
        };
        let fresh = first_fresh..self.space().n_states() as u32;
        for _ in fresh.clone() {
            self.parents.push(&[number]);
        }
        let deadlock = expanded?;
        if let Frontier::Stack(stack) = &mut self.frontier {
            stack.extend(fresh.clone().rev());
        }
        Ok(Some(Stepped { state, deadlock, fresh, is_adopted }))
    }
}

/// A state that was expanded.
struct Stepped {
    state: StateId,
    deadlock: bool,
    /// The numbers of the states met for the first time.
    fresh: Range<u32>,
    /// Whether that was done in a round: the state is not the one viewed last.
    is_adopted: bool,
}

impl Frontier {
    /// Takes the next state out, of `n_states` met so far.
    #[inline]
    fn take(&mut self, n_states: u32) -> Option<u32> {
        match self {
            Frontier::Stack(stack) => stack.pop(),
            Frontier::Queue { next, level_end, depth } => {
                if *next == n_states {
                    return None;
                }
                if *next == *level_end {
                    *level_end = n_states;
                    *depth += 1;
                }
                *next += 1;
                Some(*next - 1)
            }
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Frontier::Queue { .. } => 0,
            Frontier::Stack(stack) => (stack.capacity() * size_of::<u32>()) as u64,
        }
    }
}

/// The visitors of a walk.
struct Audience<'a, 'v> {
    visitors: &'a mut [&'v mut dyn Visitor],
    /// Which visitors have not seen enough.
    open: Vec<bool>,
    needs_states: bool,
    /// Whether the walk ends when all visitors have seen enough.
    ends: bool,
    /// Scratch.
    values: Vec<Value>,
    /// Expansions that were computed beforehand: also on one thread, as what lies in one part of the
    /// store's table is looked up together then. Only where states are taken in order.
    round: Round,
    has_rounds: bool,
    workers: Workers,
}

impl Audience<'_, '_> {
    fn attend(
        &mut self,
        walk: &mut Explored<'_>,
        keep: Keep,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        self.meet(walk, 0..walk.space().n_states() as u32)?;
        while !self.ends || self.open.contains(&true) {
            let round = Some(&mut self.round).filter(|_| self.has_rounds);
            let Some(stepped) = walk.step(keep, round, self.workers, watch)? else {
                return Ok(());
            };
            let Stepped { state, deadlock, fresh, is_adopted } = stepped;
            if self.ends {
                if is_adopted {
                    walk.graph.view(state);
                }
                let space = walk.space();
                let (values, edges) = (space.source(), space.edges());
                let expansion = Expansion { state, values, edges, deadlock };
                self.show(|visitor| visitor.expanded(walk, &expansion))?;
                self.meet(walk, fresh)?;
            }
            watch.check(walk.space().n_states(), || {
                let own: usize = self.visitors.iter().map(|visitor| visitor.bytes()).sum();
                let mut progress = walk.progress();
                progress.bytes += own as u64;
                progress
            })?;
        }
        Ok(())
    }

    fn meet(&mut self, walk: &Explored<'_>, fresh: Range<u32>) -> Result<(), Stopped> {
        if !self.needs_states {
            return Ok(());
        }
        let mut values = std::mem::take(&mut self.values);
        for state in fresh.map(StateId::new) {
            walk.space().unpack(state, &mut values);
            self.show(|visitor| visitor.met(walk, state, &values))?;
        }
        self.values = values;
        Ok(())
    }

    #[inline]
    fn show(&mut self, mut show: impl FnMut(&mut dyn Visitor) -> Flow) -> Result<(), Stopped> {
        for (visitor, open) in self.visitors.iter_mut().zip(&mut self.open) {
            if *open && let ControlFlow::Break(halt) = show(&mut **visitor) {
                match halt {
                    Halt::Enough => *open = false,
                    Halt::Problem(problem) => return Err(problem.into()),
                }
            }
        }
        Ok(())
    }
}
