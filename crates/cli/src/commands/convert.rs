//! `quadrille convert` and `quadrille minimise`: a model in another notation, or the smallest one that is
//! equivalent; a formula as an automaton.

use std::fmt::{self, Write as _};
use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Sources, Span};
use quadrille_engine::equivalence::{Bisimulation, minimal_automaton, quotient};
use quadrille_engine::{Space, Watch};
use quadrille_formats::{promela_of_steps, write_aut_to, write_promela_to};
use quadrille_logic::{PlainAtom, PlainAtoms, parse, quote, translate, write_hoa};
use quadrille_model::{Bound, Explicit, Model, StateId};
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::petri::as_pnml;
use quadrille_query::{Subject, Watcher as _, has_extension};
use quadrille_report::Graph;

use super::compare::view;
use super::deliver::deliver;
use crate::arguments::{ConvertArguments, MinimiseArguments, OutArguments, RelationArgument};
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop, codes, model};

pub(crate) fn convert(arguments: &ConvertArguments, world: &World, sources: &mut Sources) -> Ended {
    let out = Some(arguments.out.as_path());
    let text = match (&arguments.file, &arguments.formula) {
        (None, Some(formula)) => {
            if !has_extension(&arguments.out, "hoa") {
                return Err(unknown_format(&arguments.out, "end the name in .hoa").into());
            }
            automaton(formula, sources)?
        }
        (Some(file), None) if has_extension(&arguments.out, "pnml") => {
            let (text, warnings) = as_pnml(world, sources, file)?;
            crate::report(world, sources, &warnings);
            text
        }
        (Some(file), None) => {
            let mut watcher = Watcher::new(world, &arguments.limits);
            let subject = model::one(file, &arguments.model.selection(), &mut watcher, sources)?;
            let is_promela = ["pml", "promela"].iter().any(|it| has_extension(&arguments.out, it));
            match is_promela.then(|| promela_of_steps(subject.model())).flatten() {
                Some(text) => text,
                None => {
                    let table = table(&subject, &mut watcher)?;
                    written(&table, out, &file.display().to_string(), &mut watcher)?
                }
            }
        }
        _ => {
            let message = "give a file, or --formula";
            return Err(Diagnostic::error(&CONTRADICTION, message).into());
        }
    };
    let out = OutArguments { out: Some(arguments.out.clone()), check: false };
    deliver(&text, &out, world, sources)
}

pub(crate) fn minimise(
    arguments: &MinimiseArguments,
    world: &World,
    sources: &mut Sources,
) -> Ended {
    let mut watcher = Watcher::new(world, &arguments.limits);
    let selection = arguments.model.selection();
    let subject = model::one(&arguments.file, &selection, &mut watcher, sources)?;
    let limits = watcher.limits();
    watcher.begin("minimising");
    let table = Space::new(subject.model()).tabulate(limits, &mut |it| watcher.look(it));
    let (table, view) = (table?, view(&arguments.internal, arguments.divergence));
    let kind = match arguments.relation {
        RelationArgument::Strong => Some(Bisimulation::Strong),
        RelationArgument::Branching => Some(Bisimulation::Branching),
        RelationArgument::Weak => Some(Bisimulation::Weak),
        RelationArgument::Traces => None,
        RelationArgument::Inclusion => {
            let message = "inclusion is no equivalence";
            let help = "minimise modulo strong, branching, weak or traces";
            return Err(Diagnostic::error(&CONTRADICTION, message).help(help).into());
        }
    };
    let mut look = |progress: &_| watcher.look(progress);
    let minimal = match kind {
        Some(kind) => quotient(&table, kind, &view, limits, &mut look)?,
        None => minimal_automaton(&table, &view, limits, &mut look)?,
    };
    watcher.end();
    world.remark(&format!("{} states of {}\n", minimal.n_states(), table.n_states()));
    let title = arguments.file.display().to_string();
    drop(table);
    let text = written(&minimal, arguments.out.as_deref(), &title, &mut watcher)?;
    deliver(&text, &OutArguments { out: arguments.out.clone(), check: false }, world, sources)
}

/// Everything that is reachable in a model.
fn table(subject: &Subject<'_>, watcher: &mut Watcher<'_>) -> Result<Explicit, Stop> {
    watcher.begin("converting");
    let limits = watcher.limits();
    let table = Space::new(subject.model()).tabulate(limits, &mut |it| watcher.look(it));
    watcher.end();
    Ok(table?)
}

/// A table in the notation that the name of a file asks for; Aldebaran without a name.
fn written(
    table: &Explicit,
    out: Option<&Path>,
    title: &str,
    watcher: &mut Watcher<'_>,
) -> Result<String, Stop> {
    let limits = watcher.limits();
    let mut look = |progress: &_| watcher.look(progress);
    let mut watch = Watch::new(limits, &mut look);
    watch.hold(table.table_bytes());
    let mut paper = Paper { text: String::new(), watch, bound: None };
    let ending = out.map_or("aut".into(), |path| {
        path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
    });
    match ending.as_str() {
        "aut" => write_aut_to(&mut paper, table).map_err(|error| paper.stop(&error.to_string()))?,
        "net" => {
            let [initial] = table.initial_states() else {
                return Err(paper.stop("a network has one initial state"));
            };
            net(&mut paper, table, *initial).map_err(|error| paper.stop(&error.to_string()))?;
        }
        "pml" | "promela" => {
            write_promela_to(&mut paper, table).map_err(|error| paper.stop(&error.to_string()))?;
        }
        "dot" | "gv" => {
            let bytes = DOT_BYTES * (table.n_states() + table.n_edges());
            paper.watch.allocated(bytes)?;
            return Ok(Graph::of(title, table, |_| Vec::new()).dot());
        }
        _ => {
            let out = out.unwrap_or(Path::new(""));
            return Err(
                unknown_format(out, "end the name in .aut, .net, .pnml, .pml or .dot").into()
            );
        }
    }
    Ok(paper.text)
}

/// Bytes that a state or an edge takes as a picture and as text, about.
const DOT_BYTES: usize = 200;

/// A text that grows within the limits.
struct Paper<'w> {
    text: String,
    watch: Watch<'w>,
    /// What keeps it from growing further.
    bound: Option<Bound>,
}

impl Paper<'_> {
    /// Why it is not written to its end: a bound, or something about the table.
    fn stop(&self, message: &str) -> Stop {
        match self.bound {
            Some(bound) => Stop::Bound(bound),
            None => Diagnostic::error(&codes::UNKNOWN_FORMAT, message).into(),
        }
    }
}

impl fmt::Write for Paper<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.text.push_str(piece);
        let text = &self.text;
        self.watch.work(piece.len(), || text.capacity()).map_err(|bound| {
            self.bound = Some(bound);
            fmt::Error
        })
    }
}

fn unknown_format(out: &Path, help: &str) -> Diagnostic {
    let message = format!("cannot infer the format from `{}`", out.display());
    Diagnostic::error(&codes::UNKNOWN_FORMAT, message).help(help)
}

/// A table as a network of one participant.
fn net(text: &mut Paper<'_>, table: &Explicit, initial: StateId) -> fmt::Result {
    write!(text, "participant System starts s{}:", initial.number())?;
    for state in table.states() {
        let end = if table.is_end(state) { "*" } else { "" };
        write!(text, " s{}{end}", state.number())?;
    }
    writeln!(text)?;
    for state in table.states() {
        for (action, to) in table.edges(state) {
            let label = quote(&table.labels()[action.index()], '"');
            let (from, to) = (state.number(), to.number());
            writeln!(text, "{label}: System s{from} -> s{to}")?;
        }
    }
    for (number, proposition) in table.signature().propositions.iter().enumerate() {
        let name = &proposition.name;
        let mut is_held = false;
        let holds = table.states().filter(|&state| {
            table.holding(state).iter().any(|proposition| proposition.index() == number)
        });
        for (position, state) in holds.enumerate() {
            match position {
                0 => write!(text, "prop {} = System in {{", quote(name, '"'))?,
                _ => write!(text, ", ")?,
            }
            write!(text, "s{}", state.number())?;
            is_held = true;
        }
        if is_held {
            writeln!(text, "}}")?;
        }
    }
    Ok(())
}

/// A linear formula as an automaton in the Hanoi format.
fn automaton(formula: &str, sources: &mut Sources) -> Result<String, Vec<Diagnostic>> {
    let source = sources.add("formula", formula);
    let span = Span::new(source, 0..formula.len());
    let parsed = parse(sources, span, &mut PlainAtoms);
    let Some(formula) = parsed.formula else { return Err(parsed.diagnostics) };
    let automaton = translate(&formula).map_err(|error| vec![error.diagnostic(span)])?;
    let atoms: Vec<String> = parsed
        .atoms
        .iter()
        .map(|(_, atom)| match atom {
            PlainAtom::Action(label) => label.clone(),
            PlainAtom::Proposition(name) => name.clone(),
        })
        .collect();
    Ok(write_hoa(&automaton, &atoms))
}
