//! From protocols to Rust modules: the plan that their machines execute ([`plan_of`]), and the text that gives it types
//! ([`generate`]). Reads and writes no file.
#![forbid(unsafe_code)]

pub mod codes;
mod counts;
mod growth;
mod interface;
mod names;
mod outline;
mod plan;
mod rust_types;
mod scope;
mod source;
mod state_names;
mod structured;
mod text;
mod typestate;
mod written;

use quadrille_diagnostic::{Diagnostic, SourceId, Sources};
use quadrille_engine::{Limits, Observer};
use quadrille_model::Bound;
use quadrille_protocol::core::RoleId;
use quadrille_quad::MessageInfo;
use quadrille_query::protocol::{Explored, Stopped, stuck};
use quadrille_runtime::Plan;

pub use plan::{Planned, Variants, Wanted, plan_of};
pub use source::{Session, read};
pub use structured::scheme_of;

use codes::{BAD_TYPE, BOUND_REACHED, LONG, NOTHING_HAPPENS, ONE_PLACE, TOO_LARGE};
use counts::{Count, Part};
use growth::Explained;
use interface::{Declared, Interface};
use scope::{Places, Sort};
use source::Started;
use structured::Structured;
use text::{Context, Look, Provenance};
use written::WrittenNames;

/// The default bound of each search: unbounded growth of queues is not always recognised.
const MAX_STATES: u64 = 5_000_000;

/// The default memory bound of each search: a state of many roles is large.
const MAX_MEMORY: u64 = 2 << 30;

/// Role numbers have 16 bits.
const MAX_ROLES: usize = u16::MAX as usize;

/// A strict variant with more states takes minutes to compile.
const MANY_STATES: usize = 20_000;

/// The most steps of a variant that are generated.
const MAX_STEPS: usize = 1 << 18;

/// Most roles of a module that is made of a scheme and has typed states.
const MOST_TYPED_ROLES: usize = 64;

/// What to generate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Which protocol of the text.
    pub session: Session,
    /// Its variants and queues.
    pub wanted: Wanted,
    /// Rust types for messages, by the name of the message.
    pub types: Vec<(String, String)>,
    /// Additional traits that message types derive, as paths: `serde::Serialize`.
    pub derives: Vec<String>,
    /// Whether roles can run in different processes: messages derive the traits of `serde`, and handles have `connect`.
    /// Needs the crate `serde`, and the feature `tcp` of the runtime.
    pub tcp: bool,
    /// Whether there are examples of messages, which tests need: existing types must be `Clone`, `Debug` and `Default`
    /// then.
    pub samples: bool,
    /// Whether roles have a type for each state, unless there are too many.
    pub typed: bool,
    /// Whether the module has a conformance test; needs the crate `quadrille` with the feature `check`.
    pub test: bool,
    /// The path of the runtime in the crate.
    pub runtime: String,
    /// The limits of each search.
    pub limits: Limits,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            session: Session::default(),
            wanted: Wanted::default(),
            types: Vec::new(),
            derives: Vec::new(),
            tcp: false,
            samples: true,
            typed: true,
            test: true,
            runtime: "quadrille_runtime".to_owned(),
            limits: Limits { states: Some(MAX_STATES), memory: Some(MAX_MEMORY) },
        }
    }
}

impl Request {
    /// The paths that occur in the module.
    fn paths(&self, messages: &[MessageInfo]) -> Vec<String> {
        let types = self.types.iter().map(|(_, path)| path);
        let declared = messages.iter().filter_map(|message| message.rust_type.as_ref());
        let mut paths: Vec<String> = types.chain(declared).cloned().collect();
        paths.extend(self.derives());
        paths.push(self.runtime.clone());
        paths
    }

    /// The traits that messages derive.
    fn derives(&self) -> Vec<String> {
        let serde = ["serde::Serialize", "serde::Deserialize"].map(str::to_owned);
        let serde = serde.into_iter().filter(|path| self.tcp && !self.derives.contains(path));
        serde.chain(self.derives.iter().cloned()).collect()
    }
}

/// A generated module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// Its name, as Rust writes it.
    pub name: String,
    /// Its text: items of Rust.
    pub text: String,
    /// What the page of the module says, where the module is a file of its own.
    pub page: Vec<String>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

impl Generated {
    /// The module as a file, which `rustfmt` leaves as it is.
    pub fn file(&self) -> String {
        let (header, items) = self.text.split_once('\n').unwrap_or_default();
        let page: String = self.page.iter().map(|line| format!("//!{line}\n")).collect();
        // The stable way to skip a whole file.
        format!("{header}\n\n{page}#![cfg_attr(rustfmt, rustfmt_skip)]\n{items}")
    }
}

/// Generates the module of a protocol, in a source whose name ends in `.quad` or `.dcj`.
pub fn generate(
    sources: &mut Sources,
    source: SourceId,
    request: &Request,
    observer: &mut Observer<'_>,
) -> Result<Generated, Vec<Diagnostic>> {
    if request.tcp && !request.wanted.variants.has_liberal() {
        let message = "roles of the strict variant cannot run in different processes";
        let help = "generate the liberal variant, too, or leave out `tcp`";
        return Err(vec![Diagnostic::error(&ONE_PLACE, message).help(help)]);
    }
    let is_dcj = !sources.name(source).ends_with(".quad");
    let count = Count::of(&request.session, is_dcj)?;
    let structured = structured::structured(sources, source, request, count.as_ref())?;
    let structured_module = |sources: &mut Sources, structured: &Structured| {
        generate_structured(sources, source, request, count.as_ref(), structured)
    };
    if let Some(structured) = structured.as_ref().filter(|structured| structured.is_preferred) {
        return structured_module(sources, structured);
    }
    let values: Vec<Option<u32>> = match &count {
        Some(count) => count.values.iter().copied().map(Some).collect(),
        None => vec![None],
    };
    let mut parts = Vec::new();
    let mut warnings = Vec::new();
    let mut first = None;
    for value in &values {
        let session = match (&count, value) {
            (Some(count), Some(value)) => count.session(&request.session, *value),
            _ => request.session.clone(),
        };
        let started = source::start(sources, source, &session)?;
        let (part, found) = match (part(&started, &session, request, observer), &structured) {
            (Ok((part, _)), Some(structured))
                if part.plan.locals.is_empty() && request.wanted.variants.has_liberal() =>
            {
                return structured_module(sources, structured);
            }
            (Err(_), Some(structured)) => return structured_module(sources, structured),
            (found, _) => found?,
        };
        parts.push(part);
        for warning in found {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        first.get_or_insert(started);
    }
    let (Some(started), Some(last)) = (first, parts.last()) else { return Err(Vec::new()) };
    let (roles, messages) = match &count {
        Some(count) => counts::unite(count, &mut parts)?,
        None => (last.roles.clone(), last.messages.clone()),
    };
    if parts.iter().any(|part| part.plan.locals.is_empty()) {
        // What is generated for all values of a count has the same variants for all of them.
        for Plan { locals, packets, queues, .. } in parts.iter_mut().map(|part| &mut part.plan) {
            (*locals, *packets, *queues) = Default::default();
        }
    }
    let whole = whole(&parts);
    let is_typed = request.typed && count.is_none();
    let written = match is_typed {
        true => WrittenNames::of_plan(&started.protocol.model, &whole),
        false => WrittenNames::default(),
    };
    let places = parts.iter().flat_map(|part| part.places.clone()).collect();
    let families: Vec<String> =
        started.protocol.roles.iter().map(|(name, _)| name.clone()).collect();
    let interface = Interface::new(
        &whole,
        &Declared {
            roles: &roles,
            families: &families,
            messages: &messages,
            message_infos: &started.protocol.messages,
            enumeration_infos: &started.protocol.enumerations,
            types: &request.types,
            places: &places,
            paths: &request.paths(&started.protocol.messages),
        },
    )?;
    let (derives, runtime) = (paths(&request.derives())?, path(&request.runtime)?);
    let file = sources.name(source);
    let plans: Vec<&Plan> = parts.iter().map(|part| &part.plan).collect();
    let context = Context {
        plan: &whole,
        plans: &plans,
        count: count.as_ref(),
        structured: None,
        capacity: request.wanted.capacity,
        interface: &interface,
        written: &written,
        provenance: Provenance {
            file: file.rsplit(['/', '\\']).next().unwrap_or(file),
            text: sources.text(source),
            name: &started.protocol.name,
            session: &request.session,
        },
        look: Look {
            samples: request.samples,
            typed: is_typed,
            test: request.test,
            derives: &derives,
            tcp: request.tcp,
            runtime: &runtime,
        },
    };
    warnings.extend(context.unused_names());
    Ok(Generated {
        name: names::field_name(&started.protocol.name),
        text: context.text(),
        page: context.page(),
        warnings,
    })
}

/// Generates a module whose automata are made when it is.
fn generate_structured(
    sources: &mut Sources,
    source: SourceId,
    request: &Request,
    count: Option<&Count>,
    structured: &Structured,
) -> Result<Generated, Vec<Diagnostic>> {
    let session = match count {
        Some(count) => count.session(&request.session, structured.example_value),
        None => request.session.clone(),
    };
    let started = source::start(sources, source, &session)?;
    let families: Vec<String> =
        started.protocol.roles.iter().map(|(name, _)| name.clone()).collect();
    let plan = &structured.example.plan;
    let interface = Interface::new(
        plan,
        &Declared {
            roles: &structured.roles,
            families: &families,
            messages: &structured.messages,
            message_infos: &started.protocol.messages,
            enumeration_infos: &started.protocol.enumerations,
            types: &request.types,
            places: &Places::new(),
            paths: &request.paths(&started.protocol.messages),
        },
    )?;
    let (derives, runtime) = (paths(&request.derives())?, path(&request.runtime)?);
    let file = sources.name(source);
    // Above that, text would grow with the number of members.
    let is_typed = request.typed && count.is_none() && plan.roles.len() <= MOST_TYPED_ROLES;
    let written = match is_typed {
        true => WrittenNames::of_plan(&started.protocol.model, plan),
        false => WrittenNames::default(),
    };
    let context = Context {
        plan,
        plans: &[plan],
        count,
        structured: Some(structured),
        capacity: request.wanted.capacity.max(1),
        interface: &interface,
        written: &written,
        provenance: Provenance {
            file: file.rsplit(['/', '\\']).next().unwrap_or(file),
            text: sources.text(source),
            name: &started.protocol.name,
            session: &request.session,
        },
        look: Look {
            samples: request.samples,
            typed: is_typed,
            test: request.test,
            derives: &derives,
            tcp: request.tcp,
            runtime: &runtime,
        },
    };
    let mut warnings = started.warnings.clone();
    if !plan.locals.is_empty() {
        warnings.push(structured::reordered(&started));
    }
    warnings.extend(context.unused_names());
    Ok(Generated {
        name: names::field_name(&started.protocol.name),
        text: context.text(),
        page: context.page(),
        warnings,
    })
}

/// Explores a session and plans its module.
fn part(
    started: &Started,
    session: &Session,
    request: &Request,
    observer: &mut Observer<'_>,
) -> Result<(Part, Vec<Diagnostic>), Vec<Diagnostic>> {
    let title = title(&started.protocol.name, &session.arguments);
    let explored = explored(started, &title, request.limits, observer);
    let explored = explored.map_err(|refused| vec![refused])?;
    let n_roles = explored.global().role_ids().count();
    if n_roles == 0 {
        let message = format!("`{title}` has no actions");
        let diagnostic = Diagnostic::error(&NOTHING_HAPPENS, message);
        return Err(vec![
            diagnostic
                .at(started.protocol.place, "no role performs any action")
                .help("generate for other arguments"),
        ]);
    }
    if n_roles > MAX_ROLES {
        let message = format!("cannot generate a module: there are {n_roles} roles in `{title}`");
        let help = format!("generate for smaller arguments: a module has at most {MAX_ROLES}");
        return Err(vec![
            Diagnostic::error(&TOO_LARGE, message).at(started.protocol.place, "here").help(help),
        ]);
    }
    let global = explored.global();
    if request.wanted.variants.has_strict() {
        let steps = global.states().map(|state| global.edges(state).len()).sum();
        let help = "generate the liberal variant alone, with `--variant liberal`, or for smaller arguments";
        short_enough("strict", global.n_states(), steps, help)?;
    }
    let mut wanted = request.wanted.clone();
    if request.tcp && wanted.variants == Variants::WhereFaithful {
        wanted.variants = Variants::Both;
    }
    let planned = plan_of(&title, &explored, &wanted, request.limits, observer)?;
    let states = || planned.plan.locals.iter().flat_map(|local| local.states.iter());
    let steps = states().map(|state| state.edges.len()).sum();
    short_enough("liberal", states().count(), steps, "generate for smaller arguments")?;
    let terms = started.protocol.model.terms();
    let roles = explored.global().role_ids().map(|role: RoleId| terms.role_of(role).clone());
    let mut warnings = started.warnings.clone();
    warnings.extend(stuck(&explored));
    warnings.extend(planned.warnings);
    let n_states = planned.plan.strict.len();
    if n_states > MANY_STATES {
        let message = format!("the strict variant of `{title}` has {n_states} states");
        warnings.push(
            Diagnostic::warning(&LONG, message)
                .at(started.protocol.place, "the compiler will take long for its tables")
                .help("generate the liberal variant alone, or for smaller arguments"),
        );
    }
    let places = places(&explored);
    let part =
        Part { plan: planned.plan, roles: roles.collect(), messages: planned.messages, places };
    Ok((part, warnings))
}

/// Where roles and messages occur first in the text.
fn places(explored: &Explored<'_>) -> Places {
    let (global, terms) = (explored.global(), explored.model().terms());
    let mut places = Places::new();
    for id in global.act_ids() {
        let (act, Some(place)) = (global.act(id), terms.place_of(id)) else { continue };
        let roles = std::iter::once(act.from).chain(act.to.iter().copied());
        let names = roles.map(|role| (Sort::Role, terms.role_of(role).name.clone()));
        let message = act.message.as_ref().map(|message| (Sort::Message, message.name.clone()));
        for name in names.chain(message) {
            places.entry(name).or_insert(place);
        }
    }
    places
}

/// Explores a protocol, unless it is infinite.
fn explored<'m>(
    started: &'m Started,
    title: &str,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Explored<'m>, Diagnostic> {
    let most = limits.states.unwrap_or(u64::MAX);
    if let Some(wide) = growth::too_wide(started, most) {
        return Err(wide);
    }
    let few = Limits { states: Some(most.min(growth::FEW_STATES)), ..limits };
    let stopped = match Explored::new(&started.protocol.model, few, observer) {
        Ok(explored) => return Ok(explored),
        Err(stopped) => stopped,
    };
    if !matches!(stopped, Stopped::Bound(Bound::States(_))) {
        return Err(too_large(&stopped));
    }
    let (notes, place) = match growth::explain(title, &started.protocol.model) {
        Explained::Endless(diagnostic) => return Err(*diagnostic),
        Explained::Far { notes, place } => (notes, place),
    };
    Explored::new(&started.protocol.model, limits, observer).map_err(|stopped| {
        let told = notes.into_iter().fold(too_large(&stopped), Diagnostic::note);
        match place {
            Some(place) => told.at(place, "and so on"),
            None => told,
        }
    })
}

/// Refuses a variant that is too large to be generated.
fn short_enough(
    form: &str,
    states: usize,
    steps: usize,
    help: &str,
) -> Result<(), Vec<Diagnostic>> {
    if steps <= MAX_STEPS {
        return Ok(());
    }
    let message = format!(
        "cannot generate a module: the {form} variant has {states} states with {steps} steps, and at most \
         {MAX_STEPS} steps are written as Rust"
    );
    Err(vec![Diagnostic::error(&TOO_LARGE, message).help(help)])
}

/// The last plan, with the acts of all of them.
fn whole(parts: &[Part]) -> Plan {
    let mut whole = parts.last().map(|part| part.plan.clone()).expect("there is a part");
    let acts = parts.iter().flat_map(|part| part.plan.acts.iter().cloned());
    whole.acts = acts.collect();
    whole
}

fn title(name: &str, arguments: &[String]) -> String {
    if arguments.is_empty() { name.to_owned() } else { format!("{name}({})", arguments.join(", ")) }
}

fn too_large(stopped: &Stopped) -> Diagnostic {
    if let Stopped::Problems(problems) = stopped
        && let [problem, ..] = &problems[..]
    {
        return problem.clone();
    }
    let (code, why) = match stopped {
        Stopped::Bound(bound) => (&BOUND_REACHED, reached(*bound)),
        Stopped::TooLarge(error) => (&BOUND_REACHED, error.to_string()),
        other => (&TOO_LARGE, other.to_string()),
    };
    Diagnostic::error(code, format!("cannot generate a module: {why}"))
        .help("generate for smaller arguments, or raise the bound")
}

/// The bound that ended a search.
fn reached(bound: Bound) -> String {
    match bound {
        Bound::States(most) => format!("there are more than {most} states"),
        Bound::Memory(bytes) => format!("it takes more than {} MB", bytes >> 20),
        Bound::Time(milliseconds) => format!("it takes more than {milliseconds} ms"),
        Bound::Interrupted => "interrupted".to_owned(),
        Bound::Walks(_) | Bound::Endless | Bound::Infinite | Bound::Omission(_) => {
            "not explored".to_owned()
        }
    }
}

fn paths(texts: &[String]) -> Result<Vec<syn::Path>, Vec<Diagnostic>> {
    texts.iter().map(|text| path(text)).collect()
}

fn path(text: &str) -> Result<syn::Path, Vec<Diagnostic>> {
    syn::parse_str(text).map_err(|error| {
        let message = format!("`{text}` is not a path of Rust");
        vec![Diagnostic::error(&BAD_TYPE, message).note(error.to_string())]
    })
}
