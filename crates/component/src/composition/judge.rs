//! The verdict on a composition: bad activity, no activity and infinite activity, each with a shortest
//! way there. Of everything reachable only what the verdict needs is kept: where steps lead, and
//! which configurations need not or cannot go on.

use std::fmt;

use quadrille_model::{
    ActionId, Ending, GroupId, Model, PropositionId, StateId, Step, Trace, Value,
};

use rustc_hash::FxHashMap;

use super::compose::Composition;

/// The four words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The components fit together.
    NoError,
    /// An event is emitted and nobody can accept it.
    BadActivity,
    /// Nobody can continue, and somebody has not finished.
    NoActivity,
    /// The components run for ever and can never finish.
    InfiniteActivity,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::NoError => "no error",
            Verdict::BadActivity => "bad activity",
            Verdict::NoActivity => "no activity",
            Verdict::InfiniteActivity => "infinite activity",
        })
    }
}

/// What is wrong at the end of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// This bad activity.
    Bad(PropositionId),
    /// No activity.
    Stuck,
    /// Infinite activity: the steps of the path from `from` on are repeated.
    Endless {
        /// Length of the shortest way to infinite activity.
        enters: usize,
        /// Position of the first repeated step.
        from: usize,
    },
}

/// A way through the composition: which edge of each configuration is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// Positions among the edges, in the order of the model.
    pub edges: Vec<usize>,
    /// What is wrong there.
    pub fault: Fault,
}

/// All that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Errors {
    /// Number of configurations.
    pub configurations: usize,
    /// Number of distinct steps.
    pub steps: usize,
    /// A shortest way to each bad activity, shortest first.
    pub bad: Vec<Path>,
    /// A shortest way to no activity.
    pub stuck: Option<Path>,
    /// A shortest way to infinite activity, and a round of it.
    pub endless: Option<Path>,
}

impl Errors {
    /// The verdict: the first error in the order of the words.
    pub fn verdict(&self) -> Verdict {
        match self.first().map(|path| path.fault) {
            None => Verdict::NoError,
            Some(Fault::Bad(_)) => Verdict::BadActivity,
            Some(Fault::Stuck) => Verdict::NoActivity,
            Some(Fault::Endless { .. }) => Verdict::InfiniteActivity,
        }
    }

    /// The way to what the verdict says.
    pub fn first(&self) -> Option<&Path> {
        self.bad.first().or(self.stuck.as_ref()).or(self.endless.as_ref())
    }
}

impl Path {
    /// The labels on the way, and the error token: `τa^`, `ε!b^`.
    pub fn tokens(&self, composition: &Composition) -> Vec<String> {
        let (n_steps, error) = match self.fault {
            Fault::Bad(bad) => (self.edges.len(), composition.propositions()[bad.index()].clone()),
            Fault::Stuck => (self.edges.len(), "ε∅".to_owned()),
            Fault::Endless { enters, .. } => (enters, "ε∞".to_owned()),
        };
        let steps = self.trace(composition).steps.into_iter().take(n_steps);
        steps.map(|step| composition.action(step.action).label).chain([error]).collect()
    }

    /// The way as a run of the model.
    ///
    /// # Panics
    /// If the path is one of another composition.
    pub fn trace(&self, composition: &Composition) -> Trace {
        let mut initial: Vec<Value> = Vec::new();
        composition.initial(&mut |state| initial = state.to_vec());
        let mut steps: Vec<Step> = Vec::new();
        for &wanted in &self.edges {
            let from = steps.last().map_or_else(|| initial.clone(), |step| step.state.clone());
            let mut position = 0;
            let mut found = None;
            composition.expand(&from, &mut |group: GroupId, action: ActionId, state: &[Value]| {
                if position == wanted {
                    found = Some(Step { group, action, state: state.to_vec() });
                }
                position += 1;
            });
            steps.push(found.expect("the path is one of this composition"));
        }
        let ending = match self.fault {
            Fault::Bad(_) => Ending::Prefix,
            Fault::Stuck => Ending::Stuck,
            Fault::Endless { from, .. } => Ending::Loop { from },
        };
        Trace { initial, steps, ending }
    }
}

/// Judges a composition while it is explored.
///
/// Whoever explores it shows every configuration once, in order of discovery, breadth first.
#[derive(Clone, Debug)]
pub struct Judge<'c> {
    composition: &'c Composition,
    /// Where the steps of each configuration start in `targets`; one entry more than there are
    /// configurations.
    offsets: Vec<usize>,
    targets: Vec<StateId>,
    /// Per configuration, whether the components need not go on, cannot, or fail.
    settled: Vec<bool>,
    /// The first configuration of each bad activity.
    bad: Vec<(PropositionId, StateId)>,
    /// The first configuration without activity.
    stuck: Option<StateId>,
}

impl<'c> Judge<'c> {
    /// A judge who has seen nothing yet.
    pub fn new(composition: &'c Composition) -> Self {
        Self {
            composition,
            offsets: vec![0],
            targets: Vec::new(),
            settled: Vec::new(),
            bad: Vec::new(),
            stuck: None,
        }
    }

    /// Looks at the next configuration; the first one is the initial one. `targets` are the numbers
    /// of the configurations its steps lead to, in the order of the model.
    pub fn visit(&mut self, configuration: &[Value], targets: impl IntoIterator<Item = StateId>) {
        let state = StateId::from_usize(self.settled.len());
        let first = self.targets.len();
        self.targets.extend(targets);
        self.offsets.push(self.targets.len());
        let bad = self.composition.bad_at(configuration);
        let is_bad = !bad.is_empty();
        for event in bad {
            if self.bad.iter().all(|(known, _)| *known != event) {
                self.bad.push((event, state));
            }
        }
        let may_end = self.composition.may_end(configuration);
        let is_stuck = self.targets.len() == first && !may_end && !is_bad;
        if is_stuck && self.stuck.is_none() {
            self.stuck = Some(state);
        }
        self.settled.push(may_end || is_bad || is_stuck);
    }

    /// Bytes that it keeps.
    pub fn bytes(&self) -> usize {
        self.offsets.capacity() * size_of::<usize>()
            + self.targets.capacity() * size_of::<StateId>()
            + self.settled.capacity()
    }

    /// The judgement, after every reachable configuration was shown.
    pub fn finish(self) -> Errors {
        let hopeful = self.hopeful();
        let endless = hopeful.iter().position(|hopeful| !hopeful).map(StateId::from_usize);
        let mut errors = Errors {
            configurations: self.settled.len(),
            steps: self.targets.len(),
            bad: Vec::new(),
            stuck: None,
            endless: None,
        };
        if self.bad.is_empty() && self.stuck.is_none() && endless.is_none() {
            return errors;
        }
        let tree = Tree::new(&self);
        errors.bad = self.bad.iter().map(|&(event, at)| tree.path(at, Fault::Bad(event))).collect();
        errors.stuck = self.stuck.map(|at| tree.path(at, Fault::Stuck));
        errors.endless = endless.map(|at| tree.lasso(at));
        errors
    }

    fn n_states(&self) -> usize {
        self.settled.len()
    }

    fn targets(&self, state: usize) -> &[StateId] {
        &self.targets[self.offsets[state]..self.offsets[state + 1]]
    }

    /// Per configuration, whether a settled one can be reached.
    fn hopeful(&self) -> Vec<bool> {
        let mut hopeful = self.settled.clone();
        let sources = Sources::new(self);
        let mut open: Vec<usize> = (0..self.n_states()).filter(|&at| hopeful[at]).collect();
        while let Some(state) = open.pop() {
            for &source in sources.of(state) {
                if !std::mem::replace(&mut hopeful[source as usize], true) {
                    open.push(source as usize);
                }
            }
        }
        hopeful
    }
}

/// The steps backwards.
struct Sources {
    offsets: Vec<usize>,
    sources: Vec<u32>,
}

impl Sources {
    fn new(judge: &Judge<'_>) -> Self {
        let mut offsets = vec![0; judge.n_states() + 1];
        for to in &judge.targets {
            offsets[to.index() + 1] += 1;
        }
        for state in 0..judge.n_states() {
            offsets[state + 1] += offsets[state];
        }
        let mut place = offsets.clone();
        let mut sources = vec![0; judge.targets.len()];
        for state in 0..judge.n_states() {
            for to in judge.targets(state) {
                let at = &mut place[to.index()];
                sources[*at] = state as u32;
                *at += 1;
            }
        }
        Self { offsets, sources }
    }

    fn of(&self, state: usize) -> &[u32] {
        &self.sources[self.offsets[state]..self.offsets[state + 1]]
    }
}

/// How each configuration was discovered: by which step of which configuration.
struct Tree<'a> {
    judge: &'a Judge<'a>,
    parents: Vec<Option<(u32, u32)>>,
}

impl<'a> Tree<'a> {
    fn new(judge: &'a Judge<'a>) -> Self {
        let mut parents = vec![None; judge.n_states()];
        // In order of discovery, the initial configuration first: what has no parent yet is new.
        for state in 0..judge.n_states() {
            for (position, to) in judge.targets(state).iter().enumerate() {
                if to.index() > state && parents[to.index()].is_none() {
                    parents[to.index()] = Some((state as u32, position as u32));
                }
            }
        }
        Self { judge, parents }
    }

    fn edges_to(&self, state: StateId) -> Vec<usize> {
        let mut edges = Vec::new();
        let mut at = state.index();
        while let Some((parent, position)) = self.parents[at] {
            edges.push(position as usize);
            at = parent as usize;
        }
        edges.reverse();
        edges
    }

    fn path(&self, state: StateId, fault: Fault) -> Path {
        Path { edges: self.edges_to(state), fault }
    }

    /// From a state of infinite activity every way goes on for ever: the first one does.
    fn lasso(&self, state: StateId) -> Path {
        let mut edges = self.edges_to(state);
        let enters = edges.len();
        let mut met = FxHashMap::default();
        let mut at = state;
        loop {
            if let Some(from) = met.insert(at, edges.len()) {
                return Path { edges, fault: Fault::Endless { enters, from } };
            }
            edges.push(0);
            at = self.judge.targets(at.index())[0];
        }
    }
}
