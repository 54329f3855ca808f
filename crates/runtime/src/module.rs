//! Modules: a protocol about to be run, in one of two forms. A module becomes one [`Role`] per role, or is
//! explored as it is.

use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;

use crate::event::Event;
use crate::observe::Observe;
use crate::plan::{LabelId, Plan};
use crate::policy::Policy;
use crate::role::Role;
use crate::table::{PlanError, Table};
use crate::{liberal, strict};

/// All messages of one module: the type that generated code makes for it.
pub trait Payload: Sized + Send + 'static {
    /// The message as the protocol tells messages apart; `None` for a content that the protocol does not
    /// know.
    fn label(&self) -> Option<LabelId>;

    /// Another one of the same; needed for messages that go to several receivers.
    fn duplicate(&self) -> Option<Self> {
        None
    }
}

/// Messages of which there are examples: what explorations send.
pub trait Sample: Payload + Clone {
    /// A message that the protocol calls so.
    fn sample(label: LabelId) -> Option<Self>;
}

/// How a module is run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Form {
    /// One machine for everybody, under a lock: exactly the protocol, and deadlocks are reported.
    Strict,
    /// A machine for each role and queues between them: nobody waits for more than the messages it needs.
    Liberal,
}

/// A protocol of which nothing has happened yet.
pub struct Module<P: Payload> {
    form: Form,
    setting: Setting,
    payload: std::marker::PhantomData<fn(P)>,
}

/// All that machines are made of.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) table: Arc<Table>,
    pub(crate) policy: Policy,
    pub(crate) seed: u64,
    pub(crate) observer: Option<Arc<dyn Observe>>,
    /// Whether some roles run elsewhere, where nobody knows what they do.
    pub(crate) is_networked: bool,
}

impl Setting {
    /// What one of its roles waits for. Are there more roles than processors, their threads have to share them.
    pub(crate) fn event(&self) -> Event {
        // Asked once: the answer costs more than many messages.
        static PROCESSORS: OnceLock<usize> = OnceLock::new();
        let processors = PROCESSORS.get_or_init(|| available_parallelism().map_or(1, usize::from));
        let event = Event::new();
        if self.table.n_roles() > *processors { event.crowded() } else { event }
    }
}

/// Generated modules are one too, with types for their roles.
impl<P: Payload> AsRef<Module<P>> for Module<P> {
    fn as_ref(&self) -> &Module<P> {
        self
    }
}

impl<P: Payload> Module<P> {
    /// A module that carries out a plan.
    pub fn new(plan: &Plan, form: Form) -> Result<Self, PlanError> {
        let table = Arc::new(Table::new(plan)?);
        match form {
            Form::Liberal if table.locals.is_empty() => return Err(PlanError::NoLiberalForm),
            Form::Strict if plan.strict.is_empty() => return Err(PlanError::NoStrictForm),
            Form::Strict | Form::Liberal => {}
        }
        let setting = Setting {
            table,
            policy: Policy::default(),
            seed: 0,
            observer: None,
            is_networked: false,
        };
        Ok(Self { form, setting, payload: std::marker::PhantomData })
    }

    /// Sets how choices are taken that callers leave open.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.setting.policy = policy;
        self
    }

    /// Sets where random choices begin; with the same seed each role chooses the same again.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.setting.seed = seed;
        self
    }

    /// Lets somebody look on.
    #[must_use]
    pub fn observe(mut self, observer: Arc<dyn Observe>) -> Self {
        self.setting.observer = Some(observer);
        self
    }

    /// Lets something go wrong on purpose, so that tests can see who notices.
    #[cfg(feature = "sabotage")]
    #[must_use]
    pub fn sabotage(mut self, sabotage: crate::sabotage::Sabotage) -> Self {
        let mut table = Table::new(self.plan()).expect("the plan was compiled before");
        table.sabotage = Some(sabotage);
        self.setting.table = Arc::new(table);
        self
    }

    /// The same module once more; nothing is shared but tables and the observer.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self { form: self.form, setting: self.setting.clone(), payload: std::marker::PhantomData }
    }

    /// Its form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// What it carries out.
    pub fn plan(&self) -> &Plan {
        &self.setting.table.plan
    }

    pub(crate) fn setting(&self) -> &Setting {
        &self.setting
    }

    /// The roles, by [`RoleId`](crate::plan::RoleId). Each is to be used by one thread or task.
    pub fn into_roles(self) -> Vec<Role<P>> {
        match self.form {
            Form::Liberal => liberal::seats(&self.setting).into_iter().map(Role::liberal).collect(),
            Form::Strict => strict::seats(&self.setting).into_iter().map(Role::strict).collect(),
        }
    }
}
