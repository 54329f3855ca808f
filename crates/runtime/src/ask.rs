//! What a role asks of its machine, and what comes of it: the vocabulary between roles and machines. Both
//! forms, blocking calls, futures and explorations speak it.

use crate::error::{Cause, Error, Report};
use crate::plan::{ActId, Kind, LabelId, RoleId};
use crate::role::Received;
use crate::table::Table;

/// What a role asks for. What it gives is kept beside it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Ask {
    /// To send or pass a message, to anybody or to this role.
    Give(LabelId, Option<RoleId>),
    /// To receive a message, from anybody or from this role.
    Take(Option<RoleId>),
    /// To close to a role.
    Close(RoleId),
    /// To do something alone.
    Act(LabelId),
}

/// Something that a role asked for and that happened.
#[derive(Debug)]
pub(crate) struct Done<P> {
    pub(crate) act: ActId,
    /// What it took.
    pub(crate) received: Option<Received<P>>,
}

impl<P> Done<P> {
    pub(crate) fn given(act: ActId) -> Self {
        Self { act, received: None }
    }
}

/// Why something that a role asked for has not happened.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// It may happen later.
    Wait,
    /// It will not happen.
    Never(Box<Cause>),
}

impl Obstacle {
    pub(crate) fn never(cause: Cause) -> Self {
        Self::Never(Box::new(cause))
    }
}

/// What came of asking once.
pub(crate) type Attempt<P> = Result<Done<P>, Obstacle>;

/// What came of asking, where it is settled.
pub(crate) fn settled<P>(attempt: Attempt<P>) -> Option<Result<Done<P>, Box<Cause>>> {
    match attempt {
        Err(Obstacle::Wait) => None,
        Err(Obstacle::Never(cause)) => Some(Err(cause)),
        Ok(done) => Some(Ok(done)),
    }
}

impl Ask {
    /// What is tried, after `does not allow to`.
    pub(crate) fn attempted(self, table: &Table) -> String {
        match self {
            Ask::Give(label, None) => format!("send {} here", table.label(label)),
            Ask::Give(label, Some(to)) => {
                format!("send {} to {} here", table.label(label), name(table, to))
            }
            Ask::Take(None) => "receive here".to_owned(),
            Ask::Take(Some(from)) => format!("receive from {} here", name(table, from)),
            Ask::Close(to) => format!("close to {} here", name(table, to)),
            Ask::Act(label) => format!("do {} here", table.label(label)),
        }
    }

    /// What the role does while it cannot go on; `acts` is what it may receive.
    pub(crate) fn awaited(self, table: &Table, acts: &[ActId]) -> String {
        match self {
            Ask::Give(label, to) => {
                let to = to.map_or_else(|| receivers(table, acts), |to| name(table, to).to_owned());
                format!(
                    "sending {}{}{to}",
                    table.label(label),
                    if to.is_empty() { "" } else { " to " }
                )
            }
            Ask::Take(from) => {
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
            Ask::Close(to) => format!("closing to {}", name(table, to)),
            Ask::Act(label) => format!("doing {}", table.label(label)),
        }
    }

    /// Whether an act is what this role asks for.
    pub(crate) fn is_for(self, table: &Table, role: RoleId, act: ActId) -> bool {
        let act = table.act(act);
        match self {
            Ask::Give(label, to) => {
                matches!(act.kind, Kind::Send | Kind::Exchange)
                    && act.from == role
                    && act.label == Some(label)
                    && to.is_none_or(|to| act.to.contains(&to))
            }
            Ask::Take(from) => {
                let takes = match act.kind {
                    Kind::Receive => true,
                    Kind::Exchange => act.from != role,
                    Kind::Send | Kind::Close | Kind::Alone => false,
                };
                takes && act.to.contains(&role) && from.is_none_or(|from| act.from == from)
            }
            Ask::Close(to) => act.kind == Kind::Close && act.from == role && act.to.contains(&to),
            Ask::Act(label) => {
                act.kind == Kind::Alone && act.from == role && act.label == Some(label)
            }
        }
    }
}

/// Roles come from callers: one may be unknown.
fn name(table: &Table, role: RoleId) -> &str {
    table.plan.roles.get(role.index()).map_or("somebody unknown", |name| name)
}

/// Who the only act of a list goes to.
fn receivers(table: &Table, acts: &[ActId]) -> String {
    match acts {
        &[act] => {
            let names = table.act(act).to.iter().map(|&to| table.role(to));
            names.collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// The error for a role that asked in this state.
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

/// What acts are called, each once.
pub(crate) fn texts(table: &Table, acts: impl IntoIterator<Item = ActId>) -> Vec<String> {
    let mut texts: Vec<String> =
        acts.into_iter().map(|act| table.act(act).text.to_string()).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}
