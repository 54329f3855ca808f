//! From protocols to Rust: what a generated module must know of its protocol ([`plan_of`]), and the
//! text that wraps it in types ([`generate`]). Reads and writes no file.
#![forbid(unsafe_code)]

pub mod codes;
mod interface;
mod names;
mod plan;
mod source;
mod text;
mod typestate;

use quadrille_check::{Explored, Stopped};
use quadrille_diagnostic::{Diagnostic, SourceId, Sources};
use quadrille_engine::{Limits, Observer};
use quadrille_model::Bound;
use quadrille_protocol::core::{Role, RoleId};

pub use plan::{Forms, Planned, Wanted, plan_of};
pub use source::Session;

use codes::{BAD_TYPE, TOO_LARGE};
use interface::{Declared, Interface};
use text::{Context, Look, Provenance};

/// Most states of a search where no bound is given: queues may grow for ever in ways that are not
/// recognised.
const MAX_STATES: u64 = 5_000_000;

/// What is to be generated, and how it is to look.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Which protocol of the text.
    pub session: Session,
    /// Its forms and queues.
    pub wanted: Wanted,
    /// Rust types for messages, by the name of the message.
    pub types: Vec<(String, String)>,
    /// What the generated types of messages derive besides the usual, as paths: `serde::Serialize`.
    pub derives: Vec<String>,
    /// Whether examples of messages can be made, which tests need: types from elsewhere must be `Clone`,
    /// `Debug` and `Default` then.
    pub samples: bool,
    /// Whether roles have a type for each of their states, where those are not too many.
    pub typed: bool,
    /// Whether the module has a test that it does what the protocol says; needs the crate `quadrille`.
    pub test: bool,
    /// What the crate calls the runtime.
    pub runtime: String,
    /// For each search.
    pub limits: Limits,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            session: Session::default(),
            wanted: Wanted::default(),
            types: Vec::new(),
            derives: Vec::new(),
            samples: true,
            typed: true,
            test: true,
            runtime: "quadrille_runtime".to_owned(),
            limits: Limits { states: Some(MAX_STATES), memory: None },
        }
    }
}

/// A module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// Its name, as Rust writes it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What its user should know.
    pub warnings: Vec<Diagnostic>,
}

/// Generates the module of a protocol. The source's name ends in `.quad` or `.dcj`.
pub fn generate(
    sources: &mut Sources,
    source: SourceId,
    request: &Request,
    observer: &mut Observer<'_>,
) -> Result<Generated, Vec<Diagnostic>> {
    let started = source::start(sources, source, &request.session)?;
    let explored = Explored::new(&started.model, request.limits, observer);
    let problems = started.model.problems();
    if !problems.is_empty() {
        return Err(problems);
    }
    let explored = explored.map_err(|stopped| vec![too_large(&stopped)])?;
    let title = title(&started.name, &request.session.arguments);
    let planned = plan_of(&title, &explored, &request.wanted, request.limits, observer)?;
    let terms = started.model.terms();
    let roles: Vec<Role> =
        explored.global().role_ids().map(|role: RoleId| terms.role_of(role).clone()).collect();
    let interface = Interface::new(
        &planned.plan,
        &Declared {
            roles: &roles,
            families: &started.roles,
            messages: &planned.messages,
            message_infos: &started.messages,
            enumeration_infos: &started.enumerations,
            types: &request.types,
        },
    )?;
    let (derives, runtime) = (paths(&request.derives)?, path(&request.runtime)?);
    let file = sources.name(source);
    let context = Context {
        plan: &planned.plan,
        interface: &interface,
        provenance: Provenance {
            file: file.rsplit(['/', '\\']).next().unwrap_or(file),
            text: sources.text(source),
            session: &started.name,
            arguments: &request.session.arguments,
            parameters: &request.session.parameters,
        },
        look: Look {
            forms: request.wanted.forms,
            samples: request.samples,
            typed: request.typed,
            test: request.test,
            derives: &derives,
            runtime: &runtime,
        },
    };
    let mut warnings = started.warnings;
    warnings.extend(planned.warnings);
    Ok(Generated { name: names::field_name(&started.name), text: context.text(), warnings })
}

fn title(name: &str, arguments: &[String]) -> String {
    if arguments.is_empty() { name.to_owned() } else { format!("{name}({})", arguments.join(", ")) }
}

fn too_large(stopped: &Stopped) -> Diagnostic {
    let why = match stopped {
        Stopped::Bound(bound) => reached(*bound),
        other => other.to_string(),
    };
    Diagnostic::error(&TOO_LARGE, format!("no module can be made: {why}"))
        .help("generate for smaller arguments, or raise the bound")
}

/// The bound that ended a search, as people say it.
fn reached(bound: Bound) -> String {
    match bound {
        Bound::States(most) => format!("there are more than {most} states"),
        Bound::Memory(bytes) => format!("it takes more than {} MB", bytes >> 20),
        Bound::Time(milliseconds) => format!("it takes more than {milliseconds} ms"),
        Bound::Interrupted => "interrupted".to_owned(),
    }
}

fn paths(texts: &[String]) -> Result<Vec<syn::Path>, Vec<Diagnostic>> {
    texts.iter().map(|text| path(text)).collect()
}

fn path(text: &str) -> Result<syn::Path, Vec<Diagnostic>> {
    syn::parse_str(text).map_err(|error| {
        let message = format!("`{text}` is no path of Rust");
        vec![Diagnostic::error(&BAD_TYPE, message).note(error.to_string())]
    })
}
