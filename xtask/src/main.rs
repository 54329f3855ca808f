//! Chores of the workspace, run as `cargo xtask CHORE`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)] // a chore talks to people and the system

mod limits;

use std::process::ExitCode;

use quadrille_bench::{
    beyond, components, crates, engine, environments, kernels, modules, petri, programs, reach,
    relational, scale, specifications, stress,
};

const USAGE: &str = "\
usage: cargo xtask bench engine [--quick] [WORKLOAD]...
       cargo xtask bench beyond [--long]
       cargo xtask bench components [--quick]
       cargo xtask bench environments [--quick]
       cargo xtask bench modules [--quick]
       cargo xtask bench programs [--quick]
       cargo xtask bench relational [--quick] [PART]...
       cargo xtask bench scale [--quick] [PART | MODEL]...
       cargo xtask bench reach [--quick]
       cargo xtask bench petri [--reading | --quick | --seconds N] [NET]...
       cargo xtask kernels [CLASS [WORKERS]]
       cargo xtask wild [--quick]
       cargo xtask crates [CRATE]...
       cargo xtask stress [ACTIONS]
       cargo xtask limits
       cargo xtask proofs [FILE.als]...

bench engine    explore the workloads and print the engine's table, beside Spin where it is
                installed; WORKLOAD is a family (phil) or one size of it (phil-8)
bench beyond    searches in sorted runs, in memory, on disk and by processes, beside the table; --long
                adds spaces of 10^8 and 10^9 states
bench components
                check systems of components, whole and reduced, beside the definition and the
                published sizes
bench environments
                events per second of simulations, the figures of producer and consumer, and in how
                many seeds the planted errors of the water system show
bench modules   compare generated modules with channels written by hand, and over a network with a
                socket, and say which bars hold; to be run with --release, on a machine that does
                nothing else
bench programs  executions per second of the scheduler beside Shuttle and Loom, executions until all
                orders were tried, the cost of a switch; then `wild`
bench relational
                explore designs, whole, reduced and by sets of states, beside published figures;
                answer Alloy specifications, beside Alloy where ALLOY_JAR names its archive; PART
                is ring-4 to ring-12, commit, alike or alloy
bench scale     count large models by sets of states, beside the explicit engine where it can finish;
                then state by state with one worker and with two, with little memory, on fewer
                states, with what is chosen by default, and formulas
bench reach     estimates of how many states there are beside the truth; linear time by components
                and on two cores
bench petri     examine the nets of the Model Checking Contest beside the repository: shares of the
                agreed answers, 60 s per question (5 s, or N), of all nets or of those whose names
                begin so; --reading reads them all and prints seconds per megabyte
kernels         solve the kernels of examples/kernels over modules in both forms and compare the
                answers with the published ones; class W with 24 workers unless told otherwise
wild            find known bugs of published crates again by `cargo quadrille sim`, and not find
                them in the versions that mended them; needs the registry
crates          explore the own tests of well-known concurrent crates from the registry, a few
                executions each, and say which convert; needs the registry
stress          pass messages between eight threads that give way at random, 10 million actions
                unless told otherwise: nothing may be lost, doubled or reordered, nobody may hang
limits          run commands with time and memory bounds that end them in every phase, and say
                whether each ends within a second of its bound and holds no more than it may
proofs          answer Alloy commands, those of the bench and of further files, and derive every clause
                again that the solver learned where it says that there is nothing
  --quick       fewer runs

exit code: 0 all as known or as promised, 1 something differs, 2 cannot run";

fn main() -> ExitCode {
    // Cargo calls this binary instead of the compiler while `wild` builds crates.
    if quadrille_sim_cargo::is_wrapper() {
        return quadrille_sim_cargo::wrap(&std::env::args_os().collect::<Vec<_>>());
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match &words[..] {
        ["bench", "engine", rest @ ..] => bench_by_name(rest, engine::run),
        ["bench", "beyond"] => ended(beyond::run(false)),
        ["bench", "beyond", "--long"] => ended(beyond::run(true)),
        ["bench", "beyond", "--process", workload, process] => {
            match beyond::take_part(workload, process) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => cannot_run(&error.to_string()),
            }
        }
        ["bench", "components"] => ended(components::run(false)),
        ["bench", "components", "--quick"] => ended(components::run(true)),
        ["bench", "environments"] => ended(environments::run(false)),
        ["bench", "environments", "--quick"] => ended(environments::run(true)),
        ["bench", "modules"] => ended(modules::run(false)),
        ["bench", "modules", "--quick"] => ended(modules::run(true)),
        ["bench", "modules", "--pinned", name, rounds] => ended(modules::run_pinned(name, rounds)),
        ["bench", "programs"] => ended(programs::run(false)),
        ["bench", "programs", "--quick"] => ended(programs::run(true)),
        ["bench", "relational", "--alone", name, at] => ended(specifications::run_alone(name, at)),
        ["bench", "relational", "--quick", parts @ ..] => ended(relational::run(true, parts)),
        ["bench", "relational", parts @ ..] => ended(relational::run(false, parts)),
        ["bench", "scale", rest @ ..] => bench_by_name(rest, scale::run),
        ["bench", "petri", "--reading"] => ended(petri::run_reading()),
        ["bench", "petri", "--quick", names @ ..] => ended(petri::run(5, names)),
        ["bench", "petri", "--seconds", seconds, names @ ..] => match seconds.parse() {
            Ok(seconds) => ended(petri::run(seconds, names)),
            Err(_) => cannot_run(USAGE),
        },
        ["bench", "petri", names @ ..] if !names.iter().any(|name| name.starts_with('-')) => {
            ended(petri::run(60, names))
        }
        ["bench", "reach"] => ended(reach::run(false)),
        ["bench", "reach", "--quick"] => ended(reach::run(true)),
        ["kernels"] => ended(kernels::run("W", "24")),
        ["kernels", class @ ("S" | "W")] => ended(kernels::run(class, "24")),
        ["kernels", class @ ("S" | "W"), workers] => ended(kernels::run(class, workers)),
        ["wild"] => ended(programs::run_wild(false)),
        ["wild", "--quick"] => ended(programs::run_wild(true)),
        ["crates", names @ ..] => ended(crates::run(names)),
        ["limits"] => ended(limits::run()),
        ["proofs", paths @ ..] => ended(specifications::proofs::check(paths)),
        ["stress"] => ended(stress::run(10_000_000)),
        ["stress", actions] => match actions.parse() {
            Ok(actions) => ended(stress::run(actions)),
            Err(_) => cannot_run(USAGE),
        },
        _ => cannot_run(USAGE),
    }
}

fn bench_by_name(
    words: &[&str],
    run: impl Fn(&engine::Request) -> std::io::Result<bool>,
) -> ExitCode {
    let mut request = engine::Request::default();
    for &word in words {
        match word {
            "--quick" => request.quick = true,
            _ if word.starts_with('-') => return cannot_run(USAGE),
            _ => request.names.push(word.to_owned()),
        }
    }
    ended(run(&request))
}

/// The exit code of a bench that says whether everything was as known.
fn ended(was_known: std::io::Result<bool>) -> ExitCode {
    match was_known {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => cannot_run(&error.to_string()),
    }
}

fn cannot_run(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}
