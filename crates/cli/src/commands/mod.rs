//! One module per command: arguments become questions, answers become text or JSON.

mod check;
mod cluster;
mod compare;
mod completions;
mod component;
mod convert;
mod deliver;
mod double;
mod draw;
mod estimate;
mod examine;
mod explain;
mod frame;
mod generate;
mod lint;
mod man;
mod monitor;
mod project;
mod replay;
mod runs;
pub(crate) mod sim;
mod simulate;
mod specification;
mod states;
mod step;
mod substitute;
mod test;

use quadrille_diagnostic::Sources;

use crate::Ended;
use crate::arguments::Command;
use crate::world::World;

/// Runs a command.
pub(crate) fn run(command: &Command, world: &World, sources: &mut Sources) -> Ended {
    match command {
        Command::Check(arguments) => check::run(arguments, world, sources),
        Command::Reduce(arguments) => component::reduce::run(arguments, world, sources),
        Command::Substitute(arguments) => substitute::run(arguments, world, sources),
        Command::Eval(arguments) => specification::eval::run(arguments, world, sources),
        Command::Test(arguments) => test::run(arguments, world, sources),
        Command::Lint(arguments) => lint::run(arguments, world, sources),
        Command::Project(arguments) => project::run(arguments, world, sources),
        Command::Generate(arguments) => generate::run(arguments, world, sources),
        Command::Monitor(arguments) => monitor::run(arguments, world, sources),
        Command::Frame(arguments) => frame::run(arguments, world, sources),
        Command::Double(arguments) => double::run(arguments, world, sources),
        Command::Simulate(arguments) => simulate::run(arguments, world, sources),
        Command::Estimate(arguments) => estimate::run(arguments, world, sources),
        Command::Examine(arguments) => examine::run(arguments, world, sources),
        Command::States(arguments) => states::run(arguments, world, sources),
        Command::Runs(arguments) => runs::run(arguments, world),
        Command::Cluster(arguments) => cluster::run(arguments, world, sources),
        Command::Step(arguments) => step::run(arguments, world, sources),
        Command::Draw(arguments) => draw::run(arguments, world, sources),
        Command::Replay(arguments) => replay::run(arguments, world, sources),
        Command::Compare(arguments) => compare::run(arguments, world, sources),
        Command::Convert(arguments) => convert::convert(arguments, world, sources),
        Command::Minimise(arguments) => convert::minimise(arguments, world, sources),
        Command::Explain(arguments) => explain::run(arguments, world),
        Command::Completions(arguments) => completions::run(arguments, world),
        Command::Man(arguments) => man::run(arguments, world),
        Command::Sim(arguments) => sim::run(arguments, world),
    }
}
