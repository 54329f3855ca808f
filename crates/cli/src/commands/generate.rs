//! `quadrille generate`: a Rust module that does what a protocol says.

use std::path::{Path, PathBuf};

use quadrille_diagnostic::Sources;
use quadrille_generate::codes::BOUND_REACHED;
use quadrille_generate::{Request, Variants, Wanted, generate};
use quadrille_query::{Watcher as _, has_extension, read_text};

use super::deliver::deliver;
use crate::arguments::{GenerateArguments, GenerateVariant, LimitArguments, OutArguments};
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop};

pub(crate) fn run(arguments: &GenerateArguments, world: &World, sources: &mut Sources) -> Ended {
    let usual = Request::default().limits;
    let limits = LimitArguments {
        max_states: arguments.limits.max_states.or(usual.states),
        max_memory: arguments.limits.max_memory.or(usual.memory),
        ..arguments.limits.clone()
    };
    let mut watcher = Watcher::new(world, &limits);
    let source = read_text(world, &arguments.file, sources)?;
    watcher.begin("the protocol");
    let request = Request { limits: watcher.limits(), ..request(arguments) };
    let made = generate(sources, source, &request, &mut |progress| watcher.look(progress));
    watcher.end();
    let made = made.map_err(|refused| {
        let is_unknown = refused.iter().any(|each| each.code == &BOUND_REACHED);
        if is_unknown { Stop::TooLarge(refused) } else { Stop::Bad(refused) }
    })?;
    crate::report(world, sources, &made.warnings);
    if let Some(folder) = arguments.out.as_ref().filter(|out| !has_extension(out, "rs"))
        && !arguments.check
    {
        world.make_folder(folder)?;
    }
    let out = OutArguments {
        out: arguments.out.as_ref().map(|out| file(out, &made.name)),
        check: arguments.check,
    };
    deliver(&made.file(), &out, world, sources)
}

/// The file to write: the given one, or a file of the module's name in the given folder.
fn file(out: &Path, module: &str) -> PathBuf {
    if has_extension(out, "rs") { out.to_owned() } else { out.join(format!("{module}.rs")) }
}

fn request(arguments: &GenerateArguments) -> Request {
    Request {
        session: arguments.protocol.session(),
        wanted: Wanted {
            variants: match arguments.variant {
                None => Variants::WhereFaithful,
                Some(GenerateVariant::Strict) => Variants::Strict,
                Some(GenerateVariant::Liberal) => Variants::Liberal,
                Some(GenerateVariant::Both) => Variants::Both,
            },
            capacity: arguments.capacity,
            accept_differences: arguments.accept_differences,
        },
        types: arguments.types.clone(),
        derives: arguments.derive.clone(),
        tcp: arguments.tcp,
        samples: !arguments.no_samples,
        typed: !arguments.no_typed,
        test: !arguments.no_tests,
        runtime: arguments.runtime.clone(),
        ..Request::default()
    }
}
