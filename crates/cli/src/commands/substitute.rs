//! `quadrille substitute` on protocols: may what a role does in one take the place of what it does in another?

use std::fmt::Write as _;
use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Sources, similar};
use quadrille_protocol::core::RoleId;
use quadrille_protocol::project::Projection;
use quadrille_protocol::project::substitution::{
    Fault, MOST_AHEAD, Misfit, Substitution, substitution,
};
use quadrille_query::protocol::{Explored, projected};
use quadrille_query::{Selection, Watcher as _};
use quadrille_report::{FaultRecord, SubstitutionDocument};

use super::component;
use crate::arguments::{Format, SubstituteArguments};
use crate::exit::{Exit, coloured};
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop, codes, model};

pub(crate) fn run(arguments: &SubstituteArguments, world: &World, sources: &mut Sources) -> Ended {
    let selection = arguments.protocol.selection();
    let language = model::language(&arguments.file, world)?;
    selection.refuse(&arguments.file, language)?;
    if language.ending == "arch" {
        return component::substitute::run(arguments, world, sources);
    }
    if !language.has_protocols() {
        let message =
            format!("`{}` is neither an architecture nor a protocol", arguments.file.display());
        let help = "name an .arch, .quad or .dcj file";
        return Err(Diagnostic::error(&codes::NO_PROTOCOL, message).help(help).into());
    }
    let role = &arguments.component;
    let mut watcher = Watcher::new(world, &arguments.limits);
    let old = projection(&arguments.file, &selection, &mut watcher, sources)?;
    let new = projection(&arguments.replacement, &selection, &mut watcher, sources)?;
    let old_role = role_of(&old, role, &arguments.file)?;
    let new_role = role_of(&new, role, &arguments.replacement)?;
    let found = substitution((&old, old_role), (&new, new_role));
    if let Substitution::Ambiguous(step) = &found {
        let message = format!("`{step}` leads to different states of `{role}`");
        let help = "give messages that say something different different names";
        let diagnostic = Diagnostic::error(&codes::NOT_COMPARABLE, message);
        return Err(diagnostic.help(help).into());
    }
    watcher.end();
    let exit = match &found {
        Substitution::Fits | Substitution::FitsEarlier(_) => Exit::Holds,
        Substitution::Misfits(_) => Exit::Violated,
        Substitution::Unknown { .. } | Substitution::Ambiguous(_) => Exit::Unknown,
    };
    world.print(&match arguments.output.format {
        Format::Json => document(arguments, &found, exit).to_json(),
        Format::Text => text(arguments, &found, &coloured(exit.word(), exit, world.output_style())),
    });
    Ok(exit)
}

/// The automata of the roles of a file's protocol.
fn projection(
    path: &Path,
    selection: &Selection,
    watcher: &mut Watcher<'_>,
    sources: &mut Sources,
) -> Result<Projection, Stop> {
    if !model::language(path, watcher.world())?.has_protocols() {
        return Err(model::no_protocol(path).into());
    }
    let subject = model::one(path, selection, watcher, sources)?;
    let protocol = model::protocol(&subject, path)?;
    let limits = watcher.limits();
    watcher.begin("the protocol");
    let mut observer = |progress: &_| watcher.look(progress);
    let explored = Explored::new(&protocol.model, limits, &mut observer)?;
    Ok(projected(explored.global(), limits, &mut observer)?)
}

fn role_of(projection: &Projection, name: &str, path: &Path) -> Result<RoleId, Diagnostic> {
    let names: Vec<(RoleId, &str)> =
        projection.locals().iter().map(|it| (it.role, projection.role(it.role))).collect();
    if let Some(&(role, _)) = names.iter().find(|(_, known)| *known == name) {
        return Ok(role);
    }
    let message = format!("the protocol in `{}` has no role `{name}`", path.display());
    let known: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
    let help = match similar(name, known.iter().copied()).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("its roles are {}", known.join(", ")),
    };
    Err(Diagnostic::error(&codes::UNKNOWN_ROLE, message).help(help))
}

fn text(arguments: &SubstituteArguments, found: &Substitution, verdict: &str) -> String {
    let role = &arguments.component;
    let (old, new) = (arguments.file.display(), arguments.replacement.display());
    let mut text = format!("{verdict}: ");
    let _ = match found {
        Substitution::Fits => {
            writeln!(text, "`{role}` of `{new}` may replace `{role}` of `{old}`")
        }
        Substitution::FitsEarlier(step) => writeln!(
            text,
            "`{role}` of `{new}` may replace `{role}` of `{old}` where messages wait in queues\n  \
             it does this before its turn: {step}\n  \
             queues may have to hold more: generate the module again"
        ),
        Substitution::Misfits(misfit) => {
            let _ = writeln!(text, "`{role}` of `{new}` may not replace `{role}` of `{old}`");
            write_steps(&mut text, &misfit.run);
            writeln!(text, "  {}", sentence(&misfit.fault))
        }
        Substitution::Unknown { run } => {
            let _ = writeln!(text, "`{role}` of `{new}` gets far ahead of `{role}` of `{old}`");
            write_steps(&mut text, run);
            writeln!(
                text,
                "  it is followed for {MOST_AHEAD} steps: let it wait for the others now and then"
            )
        }
        Substitution::Ambiguous(_) => Ok(()),
    };
    text
}

fn write_steps(text: &mut String, steps: &[String]) {
    for (number, step) in (1..).zip(steps) {
        let _ = writeln!(text, "  {number:>3}  {step}");
    }
}

/// What is wrong, in one sentence.
fn sentence(fault: &Fault) -> String {
    let one_of = |steps: &[String]| match steps {
        [] => "nothing".to_owned(),
        [only] => format!("`{only}`"),
        _ => format!("one of `{}`", steps.join("`, `")),
    };
    match fault {
        Fault::Does(step, expected) => {
            format!("then it does `{step}`; what comes next is {}", one_of(expected))
        }
        Fault::Misses(step, taken) => {
            format!("then `{step}` may come next, and it waits for {}", one_of(taken))
        }
        Fault::TakesEarly(step) => {
            format!("then it may take for now what is meant for later: `{step}`")
        }
        Fault::Waits(expected) => {
            format!("then it only waits, and the others wait for {}", one_of(expected))
        }
        Fault::Stops(expected) => {
            format!("then it may stop, and what comes next is {}", one_of(expected))
        }
        Fault::GoesOn => "then the others may have stopped, and it waits for them".to_owned(),
        Fault::Owes { cycle, steps } => format!(
            "then it may go round for ever by `{}` and never do {}",
            cycle.join("`, `"),
            one_of(steps)
        ),
    }
}

fn document<'a>(
    arguments: &'a SubstituteArguments,
    found: &'a Substitution,
    exit: Exit,
) -> SubstitutionDocument<'a> {
    let files = [&arguments.file, &arguments.replacement];
    let files = files.map(|path| path.display().to_string());
    let mut document = SubstitutionDocument::new(files, &arguments.component, exit.word());
    match found {
        Substitution::FitsEarlier(step) => document.earlier = Some(step),
        Substitution::Misfits(Misfit { run, fault }) => {
            document.run = run;
            document.fault = Some(record(fault));
        }
        Substitution::Unknown { run } => document.run = run,
        Substitution::Fits | Substitution::Ambiguous(_) => {}
    }
    document
}

fn record(fault: &Fault) -> FaultRecord<'_> {
    let none: &[String] = &[];
    let (kind, step, expected, cycle) = match fault {
        Fault::Does(step, expected) => ("does", Some(&**step), &**expected, none),
        Fault::Misses(step, taken) => ("misses", Some(&**step), &**taken, none),
        Fault::TakesEarly(step) => ("takes early", Some(&**step), none, none),
        Fault::Waits(expected) => ("waits", None, &**expected, none),
        Fault::Stops(expected) => ("stops", None, &**expected, none),
        Fault::GoesOn => ("goes on", None, none, none),
        Fault::Owes { cycle, steps } => ("owes", None, &**steps, &**cycle),
    };
    FaultRecord { kind, message: sentence(fault), step, expected, cycle }
}
