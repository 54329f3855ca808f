//! Where a text that a command makes goes: to stdout, to a file, or beside a file to see whether it is
//! still the same.

use quadrille_diagnostic::Sources;

use crate::Ended;
use crate::arguments::OutArguments;
use crate::exit::Exit;
use crate::world::World;

/// Prints, writes or compares a text. A file that has it already is left alone.
pub(super) fn deliver(
    text: &str,
    arguments: &OutArguments,
    world: &World,
    sources: &mut Sources,
) -> Ended {
    let Some(path) = &arguments.out else {
        world.print(text);
        return Ok(Exit::Holds);
    };
    let present = world.read(path, sources).map(|source| sources.text(source).to_owned());
    match present {
        Ok(present) if present == text => {
            if arguments.check {
                world.print(&format!("`{}` is up to date\n", path.display()));
            }
            Ok(Exit::Holds)
        }
        Ok(present) if arguments.check => {
            let same = present.lines().zip(text.lines()).take_while(|(one, other)| one == other);
            let line = same.count() + 1;
            let name = path.display();
            world.print(&format!(
                "`{name}` is not up to date, from line {line} on; the same command without --check writes it\n"
            ));
            Ok(Exit::Violated)
        }
        Err(unreadable) if arguments.check => Err(vec![unreadable].into()),
        _ => {
            world.write(path, text).map_err(|unwritable| vec![unwritable])?;
            Ok(Exit::Holds)
        }
    }
}
