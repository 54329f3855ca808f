//! Modules: protocol instances that have not been started. A module is turned into its [`Role`]s, or explored.

use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;

use crate::event::Event;
use crate::observe::Observe;
use crate::plan::{LabelId, Plan};
use crate::policy::Policy;
use crate::role::Role;
use crate::structure::Structure;
use crate::table::{PlanError, Table};
use crate::{liberal, strict};

/// The type of all messages of a module.
pub trait Payload: Sized + Send + 'static {
    /// The message as the protocol distinguishes messages; `None` for a content that the protocol does not have.
    fn label(&self) -> Option<LabelId>;

    /// A copy, for messages with several receivers; `None` if there can be none.
    fn duplicate(&self) -> Option<Self> {
        None
    }
}

/// Messages that explorations can send: an example for each label.
pub trait Sample: Payload + Clone {
    /// An example of a message with this label.
    fn sample(label: LabelId) -> Option<Self>;
}

/// How a module is executed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Form {
    /// One automaton for all roles, under a lock: exactly the protocol. Deadlocks are detected and reported.
    Strict,
    /// An automaton per role with queues between them: a role waits only for the messages it needs.
    Liberal,
}

/// A protocol instance that has not been started.
pub struct Module<P: Payload> {
    form: Form,
    config: ModuleConfig,
    payload: std::marker::PhantomData<fn(P)>,
}

/// What machines are built from.
#[derive(Clone)]
pub(crate) struct ModuleConfig {
    pub(crate) table: Arc<Table>,
    pub(crate) policy: Policy,
    pub(crate) seed: u64,
    pub(crate) observer: Option<Arc<dyn Observe>>,
    /// Whether some roles run in other processes.
    pub(crate) is_networked: bool,
    /// How long peers in other processes may be silent.
    #[cfg(feature = "tcp")]
    pub(crate) timeouts: crate::tcp::Timeouts,
    /// The fault that explorations inject.
    #[cfg(feature = "fault-injection")]
    pub(crate) injection: Option<crate::FaultInjection>,
}

impl ModuleConfig {
    /// The event of one role. Where roles outnumber processors, their threads share them.
    pub(crate) fn event(&self) -> Event {
        // Cached: the call costs more than many messages.
        static PROCESSORS: OnceLock<usize> = OnceLock::new();
        let processors = PROCESSORS.get_or_init(|| available_parallelism().map_or(1, usize::from));
        let event = Event::new();
        if self.table.n_roles() > *processors { event.crowded() } else { event }
    }
}

/// So that functions accept generated modules, whose roles have types, and plain ones.
impl<P: Payload> AsRef<Module<P>> for Module<P> {
    fn as_ref(&self) -> &Module<P> {
        self
    }
}

impl<P: Payload> Module<P> {
    /// A module that executes a plan.
    pub fn new(plan: &Plan, form: Form) -> Result<Self, PlanError> {
        Self::structured(&plan.clone().into(), form)
    }

    /// A module that executes a plan with forks.
    pub fn structured(structure: &Structure, form: Form) -> Result<Self, PlanError> {
        let table = Arc::new(Table::new(structure)?);
        match form {
            Form::Liberal if table.locals.is_empty() => return Err(PlanError::NoLiberalForm),
            Form::Strict if table.plan.strict.is_empty() => return Err(PlanError::NoStrictForm),
            Form::Strict | Form::Liberal => {}
        }
        let config = ModuleConfig {
            table,
            policy: Policy::default(),
            seed: 0,
            observer: None,
            is_networked: false,
            #[cfg(feature = "tcp")]
            timeouts: crate::tcp::Timeouts::default(),
            #[cfg(feature = "fault-injection")]
            injection: None,
        };
        Ok(Self { form, config, payload: std::marker::PhantomData })
    }

    /// Sets how choices are resolved that callers leave open.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.config.policy = policy;
        self
    }

    /// Sets the seed of random choices; with the same seed each role chooses the same again.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.config.seed = seed;
        self
    }

    /// Registers an observer.
    #[must_use]
    pub fn observe(mut self, observer: Arc<dyn Observe>) -> Self {
        self.config.observer = Some(observer);
        self
    }

    /// Sets how long peers in other processes may be silent.
    #[cfg(feature = "tcp")]
    #[must_use]
    pub fn timeouts(mut self, timeouts: crate::tcp::Timeouts) -> Self {
        self.config.timeouts = timeouts;
        self
    }

    /// Makes explorations of the module inject a fault, so that tests can show that it is found.
    #[cfg(feature = "fault-injection")]
    #[must_use]
    pub fn inject(mut self, injection: crate::FaultInjection) -> Self {
        self.config.injection = Some(injection);
        self
    }

    /// A second instance of the module, which shares nothing with the first but tables and the observer.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self { form: self.form, config: self.config.clone(), payload: std::marker::PhantomData }
    }

    /// Its form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The plan that it executes.
    pub fn plan(&self) -> &Plan {
        &self.config.table.plan
    }

    #[cfg(any(feature = "explore", feature = "tcp"))]
    pub(crate) fn config(&self) -> &ModuleConfig {
        &self.config
    }

    /// Starts the protocol: its roles, by [`RoleId`](crate::plan::RoleId), for one thread or task each.
    pub fn into_roles(self) -> Vec<Role<P>> {
        match self.form {
            Form::Liberal => {
                liberal::machines(&self.config).into_iter().map(Role::liberal).collect()
            }
            Form::Strict => strict::machines(&self.config).into_iter().map(Role::strict).collect(),
        }
    }
}
