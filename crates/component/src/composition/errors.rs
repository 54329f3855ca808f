//! The three errors of a composition, stated as questions about the model, and what the answers mean.
//!
//! | error | question |
//! |---|---|
//! | bad activity | is a configuration reachable in which one of [`Composition::bad_activities`] holds? |
//! | no activity | is a deadlock reachable in which none of them holds? |
//! | infinite activity | does `AG EF (settled \| deadlock)` fail, with the proposition [`Composition::settled`]? |
//!
//! Knows no engine: a search answers with runs of the model, which become [`ErrorRun`]s here.

use std::fmt;

use quadrille_model::{ActionId, Ending, Model, PropositionId, Step, Trace, Value};
use rustc_hash::FxHashMap;

use super::compose::Composition;

/// Whether components are compatible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compatibility {
    /// The composition has no error.
    NoError,
    /// An event is emitted and no component accepts it.
    BadActivity,
    /// Deadlock: no component can continue, and at least one has not finished.
    NoActivity,
    /// The components run for ever and can never finish.
    InfiniteActivity,
}

impl fmt::Display for Compatibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compatibility::NoError => "no error",
            Compatibility::BadActivity => "bad activity",
            Compatibility::NoActivity => "no activity",
            Compatibility::InfiniteActivity => "infinite activity",
        })
    }
}

/// Which error a run shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The bad activity with this proposition, at the end of the run.
    BadActivity(PropositionId),
    /// No activity at the end of the run.
    NoActivity,
    /// Infinite activity: the run is a lasso.
    InfiniteActivity {
        /// Number of steps after which no end can be reached.
        enters: usize,
    },
}

impl ErrorKind {
    /// The verdict that it makes.
    pub fn verdict(self) -> Compatibility {
        match self {
            ErrorKind::BadActivity(_) => Compatibility::BadActivity,
            ErrorKind::NoActivity => Compatibility::NoActivity,
            ErrorKind::InfiniteActivity { .. } => Compatibility::InfiniteActivity,
        }
    }
}

/// An error of a composition, and a run that leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorRun {
    /// The error.
    pub kind: ErrorKind,
    /// The run.
    pub trace: Trace,
}

impl ErrorRun {
    /// From a run to a configuration in which a bad activity holds.
    pub fn bad_activity(trace: Trace, bad: PropositionId) -> Self {
        Self { kind: ErrorKind::BadActivity(bad), trace: Trace { ending: Ending::Prefix, ..trace } }
    }

    /// From a run to a deadlock.
    pub fn no_activity(trace: Trace) -> Self {
        Self { kind: ErrorKind::NoActivity, trace: Trace { ending: Ending::Stuck, ..trace } }
    }

    /// From a run to a configuration from which neither an end nor a bad activity can be reached. The
    /// first step of each configuration is taken until one repeats, which is infinite activity, or
    /// until there is no step, which is no activity.
    pub fn without_end(composition: &Composition, mut trace: Trace) -> Self {
        let enters = trace.steps.len();
        let mut met: FxHashMap<Vec<Value>, usize> = FxHashMap::default();
        loop {
            let state = trace.last().to_vec();
            let Some(next) = composition.steps(&state).into_iter().next() else {
                return Self::no_activity(trace);
            };
            if let Some(from) = met.insert(state, trace.steps.len()) {
                trace.ending = Ending::Loop { from };
                return Self { kind: ErrorKind::InfiniteActivity { enters }, trace };
            }
            trace.steps.push(next);
        }
    }

    /// The labels of the run up to the error, and the error token: `τa^`, `ε!b^`.
    pub fn tokens(&self, composition: &Composition) -> Vec<String> {
        let (n_steps, error) = match self.kind {
            ErrorKind::BadActivity(bad) => (
                self.trace.steps.len(),
                composition.signature().propositions[bad.index()].name.clone(),
            ),
            ErrorKind::NoActivity => (self.trace.steps.len(), "ε∅".to_owned()),
            ErrorKind::InfiniteActivity { enters } => (enters, "ε∞".to_owned()),
        };
        let steps = self.trace.steps.iter().take(n_steps);
        steps.map(|step| composition.action(step.action).label).chain([error]).collect()
    }
}

/// All errors that a search found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompositionErrors {
    /// Number of configurations.
    pub configurations: usize,
    /// Number of distinct steps.
    pub steps: usize,
    /// The actions that occur, ascending.
    pub actions: Vec<ActionId>,
    /// A shortest run to each bad activity, shortest first.
    pub bad: Vec<ErrorRun>,
    /// A shortest run to no activity.
    pub no_activity: Option<ErrorRun>,
    /// A shortest run to infinite activity, and its loop.
    pub infinite_activity: Option<ErrorRun>,
}

impl CompositionErrors {
    /// The verdict: that of the first error.
    pub fn verdict(&self) -> Compatibility {
        self.first().map_or(Compatibility::NoError, |run| run.kind.verdict())
    }

    /// The error that makes the verdict: bad activity before no activity before infinite activity.
    pub fn first(&self) -> Option<&ErrorRun> {
        self.all().next()
    }

    /// All errors, the one that makes the verdict first.
    pub fn all(&self) -> impl Iterator<Item = &ErrorRun> {
        self.bad.iter().chain(&self.no_activity).chain(&self.infinite_activity)
    }

    /// The same counts with one error only.
    #[must_use]
    pub fn with_only(&self, run: ErrorRun) -> Self {
        let Self { configurations, steps, ref actions, .. } = *self;
        let actions = actions.clone();
        let mut errors = Self { configurations, steps, actions, ..Self::default() };
        match run.kind {
            ErrorKind::BadActivity(_) => errors.bad.push(run),
            ErrorKind::NoActivity => errors.no_activity = Some(run),
            ErrorKind::InfiniteActivity { .. } => errors.infinite_activity = Some(run),
        }
        errors
    }
}

impl Composition {
    /// The steps from a configuration, in the order of the model.
    pub(crate) fn steps(&self, configuration: &[Value]) -> Vec<Step> {
        let mut all = Vec::new();
        let found = self.explorer().each_successor(configuration, |group, action, state| {
            all.push(Step { group, action, state: state.to_vec() });
        });
        found.expect("every step of a composition can be computed");
        all
    }
}
