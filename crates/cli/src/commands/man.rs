//! `quadrille man`: manual pages, from the same arguments as the help and the completions.

use clap::CommandFactory as _;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::Ended;
use crate::arguments::{Arguments, ManArguments};
use crate::exit::Exit;
use crate::world::World;

pub(crate) fn run(arguments: &ManArguments, world: &World) -> Ended {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &arguments.folder else {
        world.print(&page(&command));
        return Ok(Exit::Holds);
    };
    world.make_folder(folder)?;
    for command in std::iter::once(&command).chain(command.get_subcommands()) {
        let file = Man::new(command.clone()).get_filename();
        world.write(&folder.join(file), &page(command))?;
    }
    Ok(Exit::Holds)
}

/// The page of a command.
fn page(command: &clap::Command) -> String {
    let man = Man::new(command.clone()).manual("Quadrille");
    let mut text = Vec::new();
    let sections = [
        Man::render_title,
        Man::render_name_section,
        Man::render_synopsis_section,
        Man::render_description_section,
        Man::render_options_section,
    ];
    for section in sections {
        section(&man, &mut text).expect("a vector takes everything");
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text).expect("a vector takes everything");
    }
    let mut text = String::from_utf8_lossy(&text).into_owned();
    // Each section begins with these definitions; once is enough.
    let definitions = Roff::new().render();
    text = definitions.clone() + &text.replace(&definitions, "");
    if let Some(after) = command.get_after_help() {
        text += &examples(&after.to_string()).replace(&definitions, "");
    }
    text
}

/// What the help ends in, line by line.
fn examples(after: &str) -> String {
    let mut roff = Roff::new();
    let (heading, lines) = match after.strip_prefix("Example:\n") {
        Some(lines) => ("EXAMPLES", lines),
        None => ("EXIT STATUS", after),
    };
    roff.control("SH", [heading]);
    roff.control("nf", []);
    for line in lines.lines() {
        roff.text([roman(line.trim_start())]);
    }
    roff.control("fi", []);
    roff.render()
}
