//! The bodies that all generated modules share: the module with typed roles, and macros for the types that a module
//! declares. Generated text only lists names and tables; what its calls do is here.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::module::{Form, Module, Payload};
use crate::observe::Observe;
use crate::plan::{Plan, RoleId};
use crate::policy::Policy;
use crate::role::Role;
use crate::scheme::Scheme;

/// The typed roles of a generated module.
pub trait RoleSet: Sized {
    /// The messages of the module.
    type Payload: Payload;

    /// Gives the roles their types.
    fn assign(roles: Unassigned<Self::Payload>) -> Self;
}

/// A message that a role sends: one of those in `S`, or `S` itself. Generated modules implement it.
#[diagnostic::on_unimplemented(
    message = "the protocol lets this role send no message `{Self}`",
    label = "not one of the messages in `{S}`",
    note = "the role sends the messages that `{S}` lists; where two have the same type, name the one: `{S}::…(message)`"
)]
pub trait SentAs<S> {
    /// The message among all that the role sends.
    fn into_sent(self) -> S;
}

/// Roles that have no type yet, by [`RoleId`].
pub struct Unassigned<P: Payload>(Vec<Option<Role<P>>>);

impl<P: Payload> Unassigned<P> {
    /// Takes a role that every instance of the module has.
    ///
    /// # Panics
    /// If it was taken before or the module does not have it, which generated modules rule out.
    pub fn take(&mut self, role: RoleId) -> Role<P> {
        self.take_member(role).expect("generated modules have every role")
    }

    /// Takes a member of a family, if this instance of the module has it.
    pub fn take_member(&mut self, role: RoleId) -> Option<Role<P>> {
        self.0.get_mut(role.index())?.take()
    }

    /// Takes all members of a family: from the first on, each of them `step` further.
    pub fn take_family(&mut self, first: RoleId, step: u16) -> impl Iterator<Item = Role<P>> + '_ {
        let members = self.0.iter_mut().skip(first.index()).step_by(usize::from(step));
        members.filter_map(Option::take)
    }
}

/// A protocol instance that has not been started, whose roles have the types `R`.
pub struct TypedModule<R: RoleSet> {
    module: Module<R::Payload>,
    roles: PhantomData<fn() -> R>,
}

impl<R: RoleSet> TypedModule<R> {
    /// A module that carries out a generated plan.
    ///
    /// # Panics
    /// If the plan is inconsistent, which generated plans are not.
    #[must_use]
    pub fn new(plan: &Plan, form: Form) -> Self {
        let module = Module::new(plan, form).expect("generated plans are consistent");
        Self { module, roles: PhantomData }
    }

    /// A module that carries out a generated scheme with this value of its parameter; `None` if the scheme has no such
    /// form for it. Queues without a bound hold `capacity` messages.
    #[must_use]
    pub fn of_scheme(scheme: &Scheme, value: usize, capacity: u32, form: Form) -> Option<Self> {
        let structure = scheme.made(value, capacity, form)?;
        Module::structured(&structure, form).ok().map(|module| Self { module, roles: PhantomData })
    }

    /// The same for a scheme without a parameter.
    ///
    /// # Panics
    /// If there is no such form, which is found out when the module is generated.
    #[must_use]
    pub fn of_fixed(scheme: &Scheme, capacity: u32, form: Form) -> Self {
        Self::of_scheme(scheme, 0, capacity, form).expect("generated schemes have their forms")
    }

    fn map(self, change: impl FnOnce(Module<R::Payload>) -> Module<R::Payload>) -> Self {
        Self { module: change(self.module), roles: PhantomData }
    }

    /// Sets which receiver gets a message where neither the protocol nor the sender decides.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        self.map(|module| module.policy(policy))
    }

    /// Sets the seed of random choices.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        self.map(|module| module.seed(seed))
    }

    /// Registers an observer.
    #[must_use]
    pub fn observe(self, observer: Arc<dyn Observe>) -> Self {
        self.map(|module| module.observe(observer))
    }

    /// Sets the time-outs of connections to other processes.
    #[cfg(feature = "tcp")]
    #[must_use]
    pub fn timeouts(self, timeouts: crate::tcp::Timeouts) -> Self {
        self.map(|module| module.timeouts(timeouts))
    }

    /// Starts the protocol: its roles, for a thread or task each.
    #[must_use]
    pub fn into_roles(self) -> R {
        R::assign(Unassigned(self.module.into_roles().into_iter().map(Some).collect()))
    }

    /// The module without the types of its roles.
    #[must_use]
    pub fn into_untyped(self) -> Module<R::Payload> {
        self.module
    }
}

impl<R: RoleSet> AsRef<Module<R::Payload>> for TypedModule<R> {
    fn as_ref(&self) -> &Module<R::Payload> {
        &self.module
    }
}

/// A handle has a role that is not a member of its family, which no module creates.
///
/// # Panics
/// Always.
#[cold]
#[doc(hidden)]
pub fn unexpected_member() -> ! {
    unreachable!("the handle has a member of its family")
}

/// A role received a message that its plan does not have for it, which no machine delivers.
///
/// # Panics
/// Always.
#[cold]
#[doc(hidden)]
pub fn unexpected_message() -> ! {
    unreachable!("the plan does not deliver this message to this role")
}
