//! `quadrille eval`: an expression on the first instance of a command.

use quadrille_alloy::{Found, Search, expression};
use quadrille_diagnostic::{Diagnostic, Sources};

use super::{chosen, load, question};
use crate::Ended;
use crate::arguments::EvalArguments;
use crate::codes::NO_INSTANCE;
use crate::exit::Exit;
use crate::world::World;

pub(crate) fn run(arguments: &EvalArguments, world: &World, sources: &mut Sources) -> Ended {
    let mut specification = load(&arguments.file, world, sources)?;
    let command = match &arguments.command {
        Some(name) => chosen(&specification, Some(name))?[0].clone(),
        None => specification.commands[0].clone(),
    };
    let source = sources.add("the expression", arguments.expression.as_str());
    let expression = expression(&mut specification, source, &arguments.expression)?;
    let options = question(None, &arguments.limits, world).options;
    let mut search = Search::new(&specification, &command, options, 0)?;
    match search.find()? {
        Found::Instance(instance) => {
            let value = search.evaluate(&expression, &instance, arguments.state)?;
            world.print(&format!("{value}\n"));
            Ok(Exit::Holds)
        }
        Found::None(_) => {
            let message = format!("`{}` has no instance to evaluate on", command.name);
            let help = "name another command with --command";
            Err(Diagnostic::error(&NO_INSTANCE, message).help(help).into())
        }
        Found::Stopped => Ok(Exit::Unknown),
    }
}
