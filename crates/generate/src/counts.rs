//! Parameters that are chosen at run time: a plan for each value, with the same numbers for roles and labels in all of
//! them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use quadrille_diagnostic::Diagnostic;
use quadrille_protocol::core::{Message, Role};
use quadrille_runtime::Plan;
use quadrille_runtime::plan::{LabelId, RoleId};

use crate::codes::NOT_UNIFORM;
use crate::scope::Places;
use crate::source::Session;

/// Most values of a count.
const MAX_VALUES: u32 = 64;

/// How many values of an open range are looked at.
const N_OPEN: u32 = 4;

/// A parameter whose value is chosen at run time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Count {
    /// Its name in the protocol.
    pub(crate) name: String,
    /// The values that have a plan; of an open range the first few.
    pub(crate) values: Vec<u32>,
    /// Whether all larger values have one, too.
    pub(crate) is_open: bool,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Parameter(usize),
    Argument(usize),
}

impl Count {
    /// The count of a session, if it has one: a parameter that is given as a range, `k=1..=8`. Arguments of `.quad` texts
    /// have no ranges.
    pub(crate) fn of(session: &Session, is_dcj: bool) -> Result<Option<Self>, Vec<Diagnostic>> {
        let parameters = session.parameters.iter().enumerate();
        let parameters =
            parameters.map(|(n, (name, text))| (Place::Parameter(n), name.as_str(), text));
        let arguments = session.arguments.iter().enumerate().filter(|_| is_dcj);
        let arguments = arguments.map(|(n, text)| (Place::Argument(n), "k", text));
        let mut found: Option<Self> = None;
        for (place, name, text) in parameters.chain(arguments) {
            let open = open_range(text);
            let closed = || Some((range(text)?, false));
            let Some((values, is_open)) = open.or_else(closed) else { continue };
            if values.is_empty() || values.len() > MAX_VALUES as usize {
                let message = format!("`{text}` is not a range of 1 to {MAX_VALUES} values");
                let help = format!("write a range of 1 to {MAX_VALUES} values: `{name}=1..=8`");
                return Err(vec![Diagnostic::error(&NOT_UNIFORM, message).help(help)]);
            }
            if found.is_some() {
                let message = "only one parameter can be chosen at run time";
                let help = "give a value for the others";
                return Err(vec![Diagnostic::error(&NOT_UNIFORM, message).help(help)]);
            }
            found = Some(Self { name: name.to_owned(), values, is_open, place });
        }
        Ok(found)
    }

    /// The session with one of the values.
    pub(crate) fn session(&self, session: &Session, value: u32) -> Session {
        let mut session = session.clone();
        match self.place {
            Place::Parameter(position) => session.parameters[position].1 = value.to_string(),
            Place::Argument(position) => session.arguments[position] = value.to_string(),
        }
        session
    }
}

/// The first numbers of a range without end, `2..`.
fn open_range(text: &str) -> Option<(Vec<u32>, bool)> {
    let first: u32 = text.strip_suffix("..")?.trim().parse().ok()?;
    let values = (first..=first.checked_add(N_OPEN - 1)?).collect();
    Some((values, true))
}

/// The numbers of a range, `1..4` or `1..=3`.
fn range(text: &str) -> Option<Vec<u32>> {
    let (first, last) = text.split_once("..")?;
    let (last, is_inclusive) = match last.strip_prefix('=') {
        Some(last) => (last, true),
        None => (last, false),
    };
    let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    let end = if is_inclusive { last.checked_add(1)? } else { last };
    Some((first..end).take(MAX_VALUES as usize + 1).collect())
}

/// A plan with the roles and messages of its numbers.
pub(crate) struct Part {
    pub(crate) plan: Plan,
    pub(crate) roles: Vec<Role>,
    pub(crate) messages: Vec<Message>,
    pub(crate) places: Places,
}

/// Gives the plans the same numbers for roles and labels, and returns those.
///
/// Roles are numbered by when they appear first, so that the roles of a smaller count are the first of those of a
/// larger one. Where a role goes away as the count grows there is no such order.
pub(crate) fn unite(
    count: &Count,
    parts: &mut [Part],
) -> Result<(Vec<Role>, Vec<Message>), Vec<Diagnostic>> {
    let mut roles: Vec<Role> = Vec::new();
    let mut messages: Vec<Message> = Vec::new();
    for (part, value) in parts.iter().zip(&count.values) {
        if let Some(gone) = roles.iter().find(|role| !part.roles.contains(role)) {
            let message =
                format!("there is a role `{gone}` for smaller {}, but not for {value}", count.name);
            let diagnostic = Diagnostic::error(&NOT_UNIFORM, message);
            return Err(vec![diagnostic.help("generate a module for each value")]);
        }
        let mut new: Vec<Role> =
            part.roles.iter().filter(|role| !roles.contains(role)).cloned().collect();
        new.sort();
        roles.extend(new);
        let new = part.messages.iter().filter(|message| !messages.contains(message));
        let new: Vec<Message> = new.cloned().collect();
        messages.extend(new);
    }
    let families = |roles: &[Role]| {
        let mut families: Vec<(String, usize)> =
            roles.iter().map(|role| (role.name.clone(), role.indices.len())).collect();
        families.sort();
        families.dedup();
        families
    };
    if let Some((part, value)) =
        parts.iter().zip(&count.values).find(|(part, _)| families(&part.roles) != families(&roles))
    {
        let known = families(&part.roles);
        let missing = families(&roles).into_iter().find(|family| !known.contains(family));
        let name = missing.map(|(name, _)| name).unwrap_or_default();
        let message = format!("there is no role `{name}` with {} = {value}", count.name);
        let diagnostic = Diagnostic::error(&NOT_UNIFORM, message);
        return Err(vec![
            diagnostic.help("leave that value out, or generate a module for each value"),
        ]);
    }
    for part in parts {
        renumber(part, &roles, &messages);
    }
    Ok((roles, messages))
}

/// Renumbers a plan by these roles and messages.
fn renumber(part: &mut Part, roles: &[Role], messages: &[Message]) {
    let places: BTreeMap<&Role, usize> =
        roles.iter().enumerate().map(|(place, role)| (role, place)).collect();
    let new: Vec<usize> = part.roles.iter().map(|role| places[role]).collect();
    let role = |old: RoleId| RoleId(new[old.index()] as u16);
    let label = |old: LabelId| {
        let place = messages.iter().position(|message| *message == part.messages[old.index()]);
        LabelId(place.unwrap_or(old.index()) as u32)
    };
    let plan = &mut part.plan;
    plan.roles = in_order(&plan.roles, &new);
    if !plan.locals.is_empty() {
        plan.locals = in_order(&plan.locals, &new);
    }
    for act in plan.acts.to_mut() {
        act.from = role(act.from);
        act.to = act.to.iter().copied().map(role).collect();
        act.label = act.label.map(label);
    }
    for queue in plan.queues.to_mut() {
        queue.from = queue.from.map(role);
        queue.to = role(queue.to);
    }
    plan.labels = messages.iter().map(|message| Cow::Owned(message.to_string())).collect();
    part.roles = roles[..part.roles.len()].to_vec();
}

fn in_order<T: Clone>(old: &[T], new: &[usize]) -> Cow<'static, [T]> {
    let mut placed: Vec<(usize, &T)> = new.iter().copied().zip(old).collect();
    placed.sort_unstable_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, value)| value.clone()).collect()
}

#[cfg(test)]
mod tests;
