//! Modules whose text does not depend on the number of members: a scheme, of which automata are made when a module is.
//!
//! Chosen where the number is a range, where the tables would be long, and where exploring gives no liberal variant; if the
//! protocol has a scheme, and if its roles can follow it by what they see, which is decided on the tree. Else the protocol
//! is explored.

use quadrille_diagnostic::{Diagnostic, SourceId, Sources};
use quadrille_protocol::core::{Message, Role};
use quadrille_query::protocol::codes::REORDERED;
use quadrille_runtime::scheme::{Scheme, Unfit};
use quadrille_runtime::{Plan, Structure};

use crate::Request;
use crate::codes::NOT_UNIFORM;
use crate::counts::Count;
use crate::outline::{Outline, outline};
use crate::plan::Variants;
use crate::source::{Session, Started};

/// Above this many acts, tables are longer than schemes.
const MANY_ACTS: usize = 64;

/// A scheme that can be executed.
pub(crate) struct Structured {
    pub(crate) scheme: Scheme,
    /// What is made of it for a small number of members, as an example.
    pub(crate) example: Structure,
    /// The number in the example.
    pub(crate) example_value: u32,
    pub(crate) roles: Vec<Role>,
    pub(crate) messages: Vec<Message>,
    /// Whether it is taken even where the protocol can be explored.
    pub(crate) is_preferred: bool,
}

/// How the members of a family are numbered.
pub(crate) struct FamilyNumbers {
    pub(crate) name: String,
    /// The number of the role, or of the first member.
    pub(crate) first: u16,
    /// From one member to the next.
    pub(crate) step: u16,
    /// The first index.
    pub(crate) lowest: usize,
}

impl Structured {
    /// The numbers of roles and families.
    pub(crate) fn numbers(&self) -> Vec<FamilyNumbers> {
        let numbers = self.scheme.numbers().into_iter().zip(self.scheme.families.iter());
        let numbers = numbers.map(|((first, step, lowest), family)| FamilyNumbers {
            name: family.name.to_string(),
            first,
            step,
            lowest,
        });
        numbers.collect()
    }
}

/// The scheme of a protocol, if it has one and that is to be preferred. With an open range there is no alternative.
pub(crate) fn structured(
    sources: &Sources,
    source: SourceId,
    request: &Request,
    count: Option<&Count>,
) -> Result<Option<Structured>, Vec<Diagnostic>> {
    match attempt(sources, source, request, count) {
        Ok(structured) => Ok(Some(structured)),
        Err(why) => match count {
            Some(count) if count.is_open => Err(vec![refused(count, why.as_ref())]),
            _ => Ok(None),
        },
    }
}

fn attempt(
    sources: &Sources,
    source: SourceId,
    request: &Request,
    count: Option<&Count>,
) -> Result<Structured, Option<Unfit>> {
    if !sources.name(source).ends_with(".quad") {
        return Err(None);
    }
    let (program, _) = quadrille_quad::load(sources, source);
    if program.is_none() {
        return Err(None);
    }
    let (file, _) = quadrille_quad::parse(sources, source);
    let open = count.map(|count| count.name.as_str());
    let Outline { scheme, is_message } = outline(&file, &request.session, open).ok_or(None)?;
    let values = count.map_or(vec![0], |count| count.values.clone());
    let checked = values.iter().take(3).chain(values.last());
    let mut example = None;
    for &value in checked {
        let (structure, missing) =
            scheme.structure(value, request.wanted.capacity).map_err(Some)?;
        let wants_liberal = request.wanted.variants != Variants::Strict;
        if let Some(missing) = missing.filter(|_| wants_liberal) {
            return Err(Some(missing));
        }
        // A family of one would not show how its members differ.
        if example.is_none() || value == values[1.min(values.len() - 1)] {
            example = Some((value, structure));
        }
    }
    let Some((example_value, mut example)) = example else { return Err(None) };
    let is_preferred = count.is_some() || example.plan.acts.len() > MANY_ACTS;
    match request.wanted.variants {
        Variants::Strict => keep_strict(&mut example.plan),
        Variants::Liberal => example.plan.strict = Vec::new().into(),
        Variants::WhereFaithful | Variants::Both => {}
    }
    let roles = example.plan.roles.iter().map(|name| role(name)).collect();
    let messages = scheme.labels.iter().zip(is_message);
    let messages = messages.map(|(label, _)| Message::new(&**label)).collect();
    Ok(Structured { scheme, example, example_value, roles, messages, is_preferred })
}

/// The scheme of a session of a `.quad` text, if it has one.
pub fn scheme_of(sources: &Sources, source: SourceId, session: &Session) -> Option<Scheme> {
    let (file, diagnostics) = quadrille_quad::parse(sources, source);
    if !diagnostics.is_empty() {
        return None;
    }
    Some(outline(&file, session, None)?.scheme)
}

fn keep_strict(plan: &mut Plan) {
    (plan.locals, plan.packets, plan.queues) = Default::default();
}

/// A role by its name.
fn role(name: &str) -> Role {
    let Some((family, index)) = name.split_once('[') else {
        return Role::indexed(name, []);
    };
    let index = index.trim_end_matches(']').parse().unwrap_or(0);
    Role::indexed(family, [index])
}

/// Why there is no module for any number.
fn refused(count: &Count, why: Option<&Unfit>) -> Diagnostic {
    let message = format!(
        "the protocol cannot be generated for every {} from {} on",
        count.name, count.values[0]
    );
    let why = why.map_or_else(
        || {
            "that needs a .quad protocol of messages without content, whose indices are sums of the parameter and of \
             bound names, and whose families have the same size"
                .to_owned()
        },
        Unfit::to_string,
    );
    Diagnostic::error(&NOT_UNIFORM, message)
        .note(why)
        .help(format!("give a range with an end: `{}=1..=8`", count.name))
}

/// What to know of the liberal variant.
pub(crate) fn reordered(started: &Started) -> Diagnostic {
    let name = &started.protocol.name;
    let message =
        format!("the liberal form of `{name}` is the same as the protocol up to reordering");
    let mut diagnostic = Diagnostic::warning(&REORDERED, message)
        .at(started.protocol.place, "steps of different roles may happen in another order")
        .note(
            "each role keeps its own order, every message is received where the protocol has it, and no role gets stuck",
        );
    diagnostic.severity = quadrille_diagnostic::Severity::Note;
    diagnostic
}
