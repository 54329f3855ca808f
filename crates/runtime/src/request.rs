//! Requests of a role to its machine, and their outcomes: the interface between roles and machines, for both forms and for
//! blocking calls, futures and explorations alike.

use crate::error::{Cause, Error, Report};
use crate::plan::{ActId, Kind, LabelId, RoleId};
use crate::role::Received;
use crate::table::Table;

/// A request of a role. The payload of a send is kept beside it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Request {
    /// Send a message, to this role or to any that may receive it.
    Send(LabelId, Option<RoleId>),
    /// Receive a message, from this role or from any.
    Receive(Option<RoleId>),
    /// Close the channel to a role.
    Close(RoleId),
    /// Perform a local step.
    Local(LabelId),
}

/// A request that was carried out.
#[derive(Debug)]
pub(crate) struct Completed<P> {
    #[cfg_attr(not(feature = "explore"), expect(dead_code, reason = "explorations read it"))]
    pub(crate) act: ActId,
    /// The message, if it was a receive.
    pub(crate) received: Option<Received<P>>,
}

impl<P> Completed<P> {
    pub(crate) fn sent(act: ActId) -> Self {
        Self { act, received: None }
    }
}

/// Why a request was not carried out.
#[derive(Debug)]
pub(crate) enum Blocked {
    /// It may be possible later.
    Wait,
    /// It will never be possible.
    Never(Box<Cause>),
}

impl Blocked {
    pub(crate) fn never(cause: Cause) -> Self {
        Self::Never(Box::new(cause))
    }
}

/// The outcome of one attempt.
pub(crate) type Attempt<P> = Result<Completed<P>, Blocked>;

/// The outcome of an attempt, unless the role has to wait.
pub(crate) fn settled<P>(attempt: Attempt<P>) -> Option<Result<Completed<P>, Box<Cause>>> {
    match attempt {
        Err(Blocked::Wait) => None,
        Err(Blocked::Never(cause)) => Some(Err(cause)),
        Ok(done) => Some(Ok(done)),
    }
}

impl Request {
    /// The attempted action, as it follows "the protocol does not allow".
    pub(crate) fn attempted(self, table: &Table) -> String {
        match self {
            Request::Send(label, None) => format!("sending {} here", table.label(label)),
            Request::Send(label, Some(to)) => {
                format!("sending {} to {} here", table.label(label), name(table, to))
            }
            Request::Receive(None) => "receiving here".to_owned(),
            Request::Receive(Some(from)) => format!("receiving from {} here", name(table, from)),
            Request::Close(to) => format!("closing the channel to {} here", name(table, to)),
            Request::Local(label) => format!("the local step {} here", table.label(label)),
        }
    }

    /// What the role waits for; `acts` are the acts that would satisfy the request.
    pub(crate) fn awaited(self, table: &Table, acts: &[ActId]) -> String {
        match self {
            Request::Send(label, to) => {
                let to = to.map_or_else(|| receivers(table, acts), |to| name(table, to).to_owned());
                format!(
                    "sending {}{}{to}",
                    table.label(label),
                    if to.is_empty() { "" } else { " to " }
                )
            }
            Request::Receive(from) => {
                let mut messages: Vec<String> = acts
                    .iter()
                    .map(|&act| table.act(act))
                    .map(|act| {
                        let label = act.label.map_or("", |label| table.label(label));
                        format!("{label} from {}", table.role(act.from))
                    })
                    .collect();
                messages.dedup();
                match (messages.is_empty(), from) {
                    (false, _) => format!("waiting for {}", messages.join(" or ")),
                    (true, Some(from)) => {
                        format!("waiting for a message from {}", name(table, from))
                    }
                    (true, None) => "waiting for a message".to_owned(),
                }
            }
            Request::Close(to) => format!("closing the channel to {}", name(table, to)),
            Request::Local(label) => format!("performing {}", table.label(label)),
        }
    }

    /// Whether an act satisfies this request of a role.
    pub(crate) fn is_for(self, table: &Table, role: RoleId, act: ActId) -> bool {
        let act = table.act(act);
        match self {
            Request::Send(label, to) => {
                matches!(act.kind, Kind::Send | Kind::Exchange)
                    && act.from == role
                    && act.label == Some(label)
                    && to.is_none_or(|to| act.to.contains(&to))
            }
            Request::Receive(from) => {
                let takes = match act.kind {
                    Kind::Receive => true,
                    Kind::Exchange => act.from != role,
                    Kind::Send | Kind::Close | Kind::Local => false,
                };
                takes && act.to.contains(&role) && from.is_none_or(|from| act.from == from)
            }
            Request::Close(to) => {
                act.kind == Kind::Close && act.from == role && act.to.contains(&to)
            }
            Request::Local(label) => {
                act.kind == Kind::Local && act.from == role && act.label == Some(label)
            }
        }
    }
}

/// The name of a role that a caller gave, which may be unknown.
fn name(table: &Table, role: RoleId) -> &str {
    table.plan.roles.get(role.index()).map_or("an unknown role", |name| name)
}

/// The receivers of the only act of a list.
fn receivers(table: &Table, acts: &[ActId]) -> String {
    match acts {
        &[act] => {
            let names = table.act(act).to.iter().map(|&to| table.role(to));
            names.collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// The error for a request in this state.
pub(crate) fn error(
    table: &Table,
    role: RoleId,
    state: u32,
    awaited: String,
    cause: Cause,
) -> Error {
    let role = table.role(role).to_owned();
    Error::new(Report { role, state: state.to_string(), awaited, cause })
}

/// The texts of acts, sorted and without duplicates.
pub(crate) fn texts(table: &Table, acts: impl IntoIterator<Item = ActId>) -> Vec<String> {
    let mut texts: Vec<String> =
        acts.into_iter().map(|act| table.act(act).text.to_string()).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}
