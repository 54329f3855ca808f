//! `quadrille draw`: a small model as a graph, or a trace as a sequence diagram.

mod net;
mod outline;
mod views;
mod wiring;

use quadrille_engine::Stopped;
use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_engine::{Limits, Space};
use quadrille_model::{Model, Reading};
use quadrille_protocol::project::Projection;
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::protocol::projected;
use quadrille_query::{Selection, Subject, Watcher as _, has_extension, read_system, read_text};
use quadrille_report::{Graph, SlotText, Story, retrace, sequence_mermaid, sequence_svg, story_of};

use crate::arguments::{DrawArguments, DrawingFormat, LimitArguments, View};
use crate::exit::Exit;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop, codes, model};

/// What a drawing is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Svg,
    Mermaid,
    Dot,
}

impl From<DrawingFormat> for Language {
    fn from(format: DrawingFormat) -> Self {
        match format {
            DrawingFormat::Svg => Self::Svg,
            DrawingFormat::Mermaid => Self::Mermaid,
            DrawingFormat::Dot => Self::Dot,
        }
    }
}

pub(crate) fn run(arguments: &DrawArguments, world: &World, sources: &mut Sources) -> Ended {
    let language = match arguments.to {
        Some(format) => format.into(),
        None => language(arguments.out.as_deref()).map_err(|unknown| vec![unknown])?,
    };
    let mut watcher = Watcher::new(world, &LimitArguments::default());
    let is_architecture = has_extension(&arguments.file, "arch");
    let whole = arguments.trace.is_none() && arguments.model.composite.compliance.is_none();
    match arguments.view {
        View::Protocol if is_architecture && whole => {
            return draw_wiring(arguments, language, world, sources);
        }
        View::Wiring if is_architecture => return draw_wiring(arguments, language, world, sources),
        View::Wiring => {
            let message = format!("`{}` is no architecture", arguments.file.display());
            let help = "only .arch files have parts that are wired";
            return Err(Diagnostic::error(&CONTRADICTION, message).help(help).into());
        }
        _ => {}
    }
    let mut selection = arguments.model.selection();
    let mut story = None;
    if let Some(path) = &arguments.trace {
        let (recorded, of_trace) = model::recorded(path, world, sources)?;
        if selection == Selection::default() {
            selection = of_trace;
        }
        story = Some(recorded);
    }
    let subject = model::one(&arguments.file, &selection, &mut watcher, sources)?;
    let drawing = match (&story, &arguments.view) {
        (Some(story), _) => draw_story(story, subject.model(), language),
        (None, View::Protocol) if subject.net().is_some() => {
            draw_net(arguments, &subject, language)
        }
        (None, View::Protocol | View::States | View::Wiring) => {
            draw_states(arguments, &subject, language)
        }
        (None, View::Sequence) => model::protocol(&subject, &arguments.file)
            .and_then(|_| draw_tour(arguments, &subject, language)),
        (None, View::Outline) => draw_outline(arguments, language, world, sources),
        (None, View::Role(role)) => {
            let projection = projection(&subject, arguments, &mut watcher)?;
            let title = arguments.file.display().to_string();
            let model = &model::protocol(&subject, &arguments.file)?.model;
            views::role(&projection, role, &title, model).map(|graph| written(&graph, language))
        }
    };
    deliver(arguments, &drawing.map_err(|refusal| vec![refusal])?, world)
}

fn deliver(arguments: &DrawArguments, drawing: &str, world: &World) -> Ended {
    match &arguments.out {
        Some(path) => world.write(path, drawing).map_err(|unwritable| vec![unwritable])?,
        None => world.print(drawing),
    }
    Ok(Exit::Holds)
}

fn draw_wiring(
    arguments: &DrawArguments,
    language: Language,
    world: &World,
    sources: &mut Sources,
) -> Ended {
    let (system, warnings) = read_system(world, sources, &arguments.file)?;
    crate::report(world, sources, &warnings);
    let composite = &arguments.model.composite.composite;
    let title = arguments.file.display().to_string();
    let graph = wiring::wiring(&system, composite.as_deref(), &title);
    let graph = graph.map_err(|unknown| vec![unknown])?;
    deliver(arguments, &written(&graph, language), world)
}

fn projection(
    subject: &Subject<'_>,
    arguments: &DrawArguments,
    watcher: &mut Watcher<'_>,
) -> Result<Projection, Stop> {
    let protocol = model::protocol(subject, &arguments.file)?;
    let limits = watcher.limits();
    let global = protocol.global(limits, &mut |progress| watcher.look(progress))?;
    Ok(projected(&global, limits, &mut |progress| watcher.look(progress))?)
}

fn draw_outline(
    arguments: &DrawArguments,
    language: Language,
    world: &World,
    sources: &mut Sources,
) -> Result<String, Diagnostic> {
    let source = read_text(world, &arguments.file, sources)?;
    let (file, _) = quadrille_quad::parse(sources, source);
    let name = arguments.model.selection().session.protocol;
    let title = arguments.file.display().to_string();
    let outline = outline::outline(&file, name.as_deref(), &title, sources).ok_or_else(|| {
        let message = format!("`{title}` has no outline");
        Diagnostic::error(&codes::NO_PROTOCOL, message).help("name a .quad file")
    })?;
    match language {
        Language::Svg => Ok(outline.svg()),
        Language::Mermaid => Ok(outline.mermaid()),
        Language::Dot => {
            Err(Diagnostic::error(&codes::UNKNOWN_FORMAT, "an outline cannot be drawn in DOT")
                .help("end the name in .svg or .mmd"))
        }
    }
}

fn language(out: Option<&Path>) -> Result<Language, Diagnostic> {
    let Some(path) = out else { return Ok(Language::Svg) };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(Language::Svg),
        Some("mmd") => Ok(Language::Mermaid),
        Some("dot" | "gv") => Ok(Language::Dot),
        _ => {
            let message =
                format!("cannot infer the format of the drawing from `{}`", path.display());
            Err(Diagnostic::error(&codes::UNKNOWN_FORMAT, message)
                .help("end the name in .svg, .mmd or .dot"))
        }
    }
}

fn draw_story(story: &Story, model: &dyn Model, language: Language) -> Result<String, Diagnostic> {
    if let Err(misfit) = retrace(story, model) {
        let message = format!("the trace does not fit the model: {}", misfit.describe(story));
        return Err(Diagnostic::error(&codes::DOES_NOT_FIT, message)
            .help("check again to get a trace of the model as it is now"));
    }
    sequence(story, language)
}

fn sequence(story: &Story, language: Language) -> Result<String, Diagnostic> {
    match language {
        Language::Svg => Ok(sequence_svg(story)),
        Language::Mermaid => Ok(sequence_mermaid(story)),
        Language::Dot => {
            Err(Diagnostic::error(&codes::UNKNOWN_FORMAT, "a trace cannot be drawn in DOT")
                .help("end the name in .svg or .mmd"))
        }
    }
}

/// Most states that are looked at for a run that shows as much as possible.
const MAX_TOURED: u64 = 100_000;

fn draw_tour(
    arguments: &DrawArguments,
    subject: &Subject<'_>,
    language: Language,
) -> Result<String, Diagnostic> {
    let limit = arguments.max_states.unwrap_or(MAX_TOURED);
    let limits = Limits { states: Some(limit), memory: None };
    let model = subject.model();
    let mut space = Space::new(model);
    let table = space.tabulate(limits, &mut quadrille_engine::unobserved);
    let table = table.map_err(|stopped| undrawn(stopped, limit))?;
    let tour = views::tour(&space, &table);
    let title = arguments.file.display().to_string();
    match tour {
        Some(trace) => sequence(&story_of(subject, &title, &trace), language),
        None => Err(Graph::too_large(limit)),
    }
}

fn draw_net(
    arguments: &DrawArguments,
    subject: &Subject<'_>,
    language: Language,
) -> Result<String, Diagnostic> {
    let limit = arguments.max_states.unwrap_or(match language {
        Language::Svg | Language::Mermaid => net::MOST,
        Language::Dot => 10_000,
    });
    let title = arguments.file.display().to_string();
    let Some(net) = subject.net() else { return Err(Graph::too_large(limit)) };
    net::net(net, &title, limit).map(|graph| written(&graph, language))
}

fn draw_states(
    arguments: &DrawArguments,
    subject: &Subject<'_>,
    language: Language,
) -> Result<String, Diagnostic> {
    let model = subject.model();
    let limit = arguments.max_states.unwrap_or(match language {
        Language::Svg | Language::Mermaid => 60,
        Language::Dot => 10_000,
    });
    let limits = Limits { states: Some(limit), memory: None };
    let mut space = Space::new(model);
    let table = space.tabulate(limits, &mut quadrille_engine::unobserved);
    let table = table.map_err(|stopped| undrawn(stopped, limit))?;
    let title = arguments.file.display().to_string();
    let readings = model.signature().readings();
    let mut graph = Graph::of(&title, &table, |state| {
        let values = space.state(state);
        let text = |reading: &Reading| SlotText {
            name: reading.name.clone(),
            value: reading.show(model, &values),
            hidden: reading.hidden,
        };
        readings.iter().map(text).collect()
    });
    if let Some(net) = subject.net() {
        // What the first step to a state changed says little about a marking.
        for (state, node) in table.states().zip(&mut graph.nodes) {
            if let Some(marking) = subject.marking(&space.state(state)) {
                node.label = net::marking(net, &marking);
            }
        }
    }
    Ok(written(&graph, language))
}

/// Why there is nothing to draw.
fn undrawn(stopped: Stopped, limit: u64) -> Diagnostic {
    match Stop::from(stopped) {
        Stop::Bad(diagnostics) => diagnostics.into_iter().next(),
        Stop::Bound(_) | Stop::TooLarge(_) => None,
    }
    .unwrap_or_else(|| Graph::too_large(limit))
}

fn written(graph: &Graph, language: Language) -> String {
    match language {
        Language::Svg => graph.svg(),
        Language::Mermaid => graph.mermaid(),
        Language::Dot => graph.dot(),
    }
}
