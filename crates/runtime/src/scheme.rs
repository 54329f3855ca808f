//! Protocols with any number of roles as data: the tree of a protocol in which members of families are named by index,
//! and the number of members is open. Its size does not depend on that number.
//!
//! [`Scheme::structure`] chooses the number and makes the automata of it: of all roles together (`build.rs`) and, if
//! the protocol can be projected, of each role (`project.rs`), with queues of proven capacity (`capacity.rs`). Parallel
//! parts become forks, so that all of this is linear in the number of members.

mod build;
mod capacity;
mod instance;
mod project;

use std::borrow::Cow;
use std::fmt;

use crate::plan::{List, Plan, RoleId};
use crate::structure::Structure;

/// A protocol for any number of members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scheme {
    /// Its name.
    pub protocol: Cow<'static, str>,
    /// The name of what is chosen, if anything is.
    pub parameter: Option<Cow<'static, str>>,
    /// Roles and families. All families have the same number of members.
    pub families: List<FamilyScheme>,
    /// Messages and local steps.
    pub labels: List<Cow<'static, str>>,
    /// The tree: children before their parents, the whole last.
    pub nodes: List<Node>,
}

/// A role or a family.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FamilyScheme {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The first index, and the one after the last; `None` for a single role.
    pub members: Option<(Index, Index)>,
}

/// A position in [`Scheme::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeId(pub u16);

/// A bound name: each [`Node::Each`] around a node binds one.
pub type Variable = u8;

/// A part of a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// A message, sent and then received by all receivers.
    Message {
        /// A position in [`Scheme::labels`].
        label: u16,
        /// The sender.
        from: Place,
        /// The receivers.
        to: List<Place>,
    },
    /// A role closes its channel to another.
    Close {
        /// The role that closes.
        from: Place,
        /// The other.
        to: Place,
    },
    /// A step of one role.
    Local {
        /// A position in [`Scheme::labels`].
        label: u16,
        /// The role.
        by: Place,
    },
    /// One after the other.
    Sequence(List<NodeId>),
    /// One of them.
    Choice(List<NodeId>),
    /// All of them, interleaved.
    Parallel(List<NodeId>),
    /// Again and again.
    Loop {
        /// What is repeated.
        body: NodeId,
        /// Whether it may end between rounds.
        may_end: bool,
    },
    /// An instance for each index of a range.
    Each {
        /// How the instances are put together.
        how: How,
        /// The name of the index.
        variable: Variable,
        /// The first index.
        from: Index,
        /// The one after the last.
        until: Index,
        /// The instance.
        body: NodeId,
    },
    /// One or the other.
    If {
        /// What decides.
        test: Test,
        /// If it holds.
        then: NodeId,
        /// If it does not.
        other: NodeId,
    },
}

/// How instances are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// `for`
    InOrder,
    /// `choose`
    OneOf,
    /// `par for`
    AtOnce,
}

/// A role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// A position in [`Scheme::families`].
    pub family: u16,
    /// Which member; `None` for a single role.
    pub index: Option<Index>,
}

/// A number that depends on the parameter and on bound names: a sum, and the remainder of a division of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Index {
    /// What is added.
    pub sum: Sum,
    /// What it is divided by, if only the remainder counts.
    pub modulo: Option<Sum>,
}

/// A constant, and multiples of the parameter and of a few bound names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sum {
    /// The constant.
    pub constant: i64,
    /// How often the parameter is added.
    pub parameter: i64,
    /// How often bound names are added; 0 times where there are fewer.
    pub variables: [(Variable, i64); Sum::MOST_VARIABLES],
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Test {
    /// On its left.
    pub left: Index,
    /// How they are compared.
    pub is: Comparison,
    /// On its right.
    pub right: Index,
}

/// How two numbers are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
}

/// Why there is no structure for a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// An index that its family does not have, a division by zero, families of different sizes.
    Index(String),
    /// There are more than [`Scheme::MAX_STATES`] states.
    TooLarge,
    /// A part of a parallel composition may end or go on, so that it cannot be joined.
    OpenEnd,
    /// Nothing happens.
    Empty,
    /// In some state nothing more can happen, and the protocol may not end.
    Stuck,
    /// Roles cannot follow the protocol by what they see; the liberal form is missing. With the role and why.
    Projection {
        /// The role.
        role: String,
        /// Why.
        why: String,
    },
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Index(why) => f.write_str(why),
            Unfit::TooLarge => write!(f, "there are more than {} states", Scheme::MAX_STATES),
            Unfit::OpenEnd => f.write_str("a parallel part may end or go on"),
            Unfit::Empty => f.write_str("nothing happens"),
            Unfit::Stuck => f.write_str("it gets stuck"),
            Unfit::Projection { role, why } => write!(f, "`{role}` cannot know what to do: {why}"),
        }
    }
}

impl std::error::Error for Unfit {}

impl Scheme {
    /// Most states of all roles together, and of each role.
    pub const MAX_STATES: usize = 1 << 20;

    /// The automata of all roles together, for a value of the parameter (any, if there is none); and those of each role,
    /// unless the protocol cannot be projected: then the second part says why. Queues that cannot be bounded hold
    /// `capacity` messages.
    pub fn structure(
        &self,
        value: u32,
        capacity: u32,
    ) -> Result<(Structure, Option<Unfit>), Unfit> {
        let instance = instance::Instance::new(self, value)?;
        let automaton = build::build(&instance)?;
        let plan = Plan {
            protocol: self.protocol.clone(),
            roles: instance.roles.iter().map(|name| Cow::Owned(name.clone())).collect(),
            labels: self.labels.clone(),
            acts: automaton.acts.clone().into(),
            strict: automaton.states().into(),
            locals: Cow::Borrowed(&[]),
            packets: Cow::Borrowed(&[]),
            queues: Cow::Borrowed(&[]),
        };
        let mut made = Structure { plan, strict: automaton.forks.clone(), locals: Vec::new() };
        let layout = project::Layout::new(&automaton);
        match project::project(&layout, &instance.roles) {
            Err(unfit) => Ok((made, Some(unfit))),
            Ok(locals) => {
                made.plan.packets = automaton.packets().into();
                made.plan.queues = capacity::queues(&layout, capacity).into();
                let (states, forks) = locals.into_iter().unzip();
                let states: Vec<crate::plan::LocalAutomaton> = states;
                made.plan.locals = states.into();
                made.locals = forks;
                Ok((made, None))
            }
        }
    }

    /// By family: the number of its first member, the step to the next, and the first index. They are the same for all
    /// values of the parameter.
    #[must_use]
    pub fn numbers(&self) -> Vec<(u16, u16, usize)> {
        let is_family = |family: &&FamilyScheme| family.members.is_some();
        let n_families = self.families.iter().filter(is_family).count() as u16;
        let (mut single, mut several) = (0, self.families.len() as u16 - n_families);
        let number = |family: &FamilyScheme| {
            let (next, step) = match family.members {
                None => (&mut single, 0),
                Some(_) => (&mut several, n_families),
            };
            *next += 1;
            let lowest = family.members.as_ref().map_or(0, |(from, _)| from.sum.constant.max(0));
            (*next - 1, step, lowest as usize)
        };
        self.families.iter().map(number).collect()
    }

    /// The structure that a generated module executes in one of its forms; `None` if there is none for this value.
    #[must_use]
    pub fn made(&self, value: usize, capacity: u32, form: crate::Form) -> Option<Structure> {
        let (structure, missing) = self.structure(u32::try_from(value).ok()?, capacity).ok()?;
        (form == crate::Form::Strict || missing.is_none()).then_some(structure)
    }
}

/// Constructors for static schemes.
impl Sum {
    /// Most bound names in a sum.
    pub const MOST_VARIABLES: usize = 3;

    /// A sum.
    ///
    /// # Panics
    /// If it has more bound names than sums can have.
    pub const fn of(constant: i64, parameter: i64, variables: &[(Variable, i64)]) -> Self {
        let mut made = Self { constant, parameter, variables: [(0, 0); Self::MOST_VARIABLES] };
        let mut position = 0;
        while position < variables.len() {
            made.variables[position] = variables[position];
            position += 1;
        }
        made
    }
}

impl Index {
    /// A sum as an index.
    pub const fn of(constant: i64, parameter: i64, variables: &[(Variable, i64)]) -> Self {
        Self { sum: Sum::of(constant, parameter, variables), modulo: None }
    }
}

impl Place {
    /// A single role.
    pub const fn role(family: u16) -> Self {
        Self { family, index: None }
    }

    /// A member of a family.
    pub const fn member(family: u16, index: Index) -> Self {
        Self { family, index: Some(index) }
    }
}

impl FamilyScheme {
    /// A single role.
    pub const fn role(name: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), members: None }
    }

    /// A family.
    pub const fn of(name: &'static str, from: Index, until: Index) -> Self {
        Self { name: Cow::Borrowed(name), members: Some((from, until)) }
    }
}

impl Node {
    /// A message.
    pub const fn message(label: u16, from: Place, to: &'static [Place]) -> Self {
        Self::Message { label, from, to: Cow::Borrowed(to) }
    }

    /// One after the other.
    pub const fn sequence(parts: &'static [NodeId]) -> Self {
        Self::Sequence(Cow::Borrowed(parts))
    }

    /// One of them.
    pub const fn choice(parts: &'static [NodeId]) -> Self {
        Self::Choice(Cow::Borrowed(parts))
    }

    /// All of them.
    pub const fn parallel(parts: &'static [NodeId]) -> Self {
        Self::Parallel(Cow::Borrowed(parts))
    }

    /// An instance for each index.
    pub const fn each(
        how: How,
        variable: Variable,
        from: Index,
        until: Index,
        body: NodeId,
    ) -> Self {
        Self::Each { how, variable, from, until, body }
    }
}

/// The number of a member of a family whose first member, with the index `lowest`, has the number `first`; the next one
/// has a number that is larger by `step`. For members that no module has, a number that no role has.
#[doc(hidden)]
#[must_use]
pub const fn member_id(index: usize, lowest: usize, first: u16, step: u16) -> RoleId {
    let most = ((u16::MAX - 1 - first) / step) as usize;
    if index < lowest || index - lowest > most {
        return RoleId(u16::MAX);
    }
    RoleId(first + (index - lowest) as u16 * step)
}

/// The index of the member with a number, if it is one of this family.
#[doc(hidden)]
#[must_use]
pub const fn member_index(id: RoleId, lowest: usize, first: u16, step: u16) -> Option<usize> {
    if id.0 < first || !(id.0 - first).is_multiple_of(step) {
        return None;
    }
    Some(lowest + ((id.0 - first) / step) as usize)
}
