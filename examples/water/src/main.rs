//! Runs the station: `water MODEL-SECONDS [MODE] [VARIANT] [SEED]` with the model, `water --device FOLDER` with the device.
//!
//! Modes: 0 prints what each invariant did and how the tank is; 1 prints program and environment when an invariant is violated, and goes on; 2 stops there.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)] // it talks to people

use std::process::ExitCode;
use std::sync::Arc;

use quadrille_example_water::{
    Variant, control, device::Device, interface::ControlInterface, run, run_until_violated, table,
};

const USAGE: &str = "usage: water MODEL-SECONDS [MODE 0|1|2] [VARIANT] [SEED]\n       water --device FOLDER\n       water --table SEEDS FIRST-SEED [VARIANT]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [option, folder] = &words[..]
        && option == "--device"
    {
        // The one line that differs in production: which interface is constructed.
        let interface: Arc<dyn ControlInterface> = Arc::new(Device::new(folder.into(), 4, 2));
        control::start(&interface, Variant::Correct);
        loop {
            std::thread::park();
        }
    }
    if let [option, n_seeds, first, rest @ ..] = &words[..]
        && option == "--table"
        && let (Ok(n_seeds), Ok(first)) = (n_seeds.parse::<u64>(), first.parse::<u64>())
    {
        let is_wanted = |variant: &Variant| rest.is_empty() || rest[0] == variant.name();
        for variant in Variant::ALL.into_iter().filter(is_wanted) {
            let tally = table::tally(first..first + n_seeds, variant, 20_000);
            println!("{}: {tally:?}", variant.name());
        }
        return ExitCode::SUCCESS;
    }
    let word = |position: usize| words.get(position).map(String::as_str);
    let variant = |name| Variant::ALL.into_iter().find(|variant| variant.name() == name);
    let (Some(Ok(seconds)), Ok(mode @ 0..=2), Some(variant), Ok(seed)) = (
        word(0).map(str::parse),
        word(1).unwrap_or("0").parse::<u8>(),
        variant(word(2).unwrap_or("correct")),
        word(3).unwrap_or("1").parse(),
    ) else {
        let names: Vec<&str> = Variant::ALL.iter().map(|variant| variant.name()).collect();
        eprintln!("{USAGE}\nvariants: {}", names.join(", "));
        return ExitCode::from(2);
    };
    let report = if mode == 2 {
        run_until_violated(seed, variant, seconds)
    } else {
        run(seed, variant, seconds)
    };
    for record in &report.found.invariants {
        println!("{record}");
    }
    if mode > 0 {
        for (name, snapshot) in &report.found.violations {
            println!("\nwhen `{name}` was violated first:\n{snapshot}");
        }
    }
    let [events, wake_ups, runs] = report.n_steps;
    println!("{events} steps of the environment, {wake_ups} wake-ups, {runs} runs of threads");
    if let Some(failure) = &report.failure {
        println!("{failure}");
    }
    let is_clean = report.failure.is_none() && report.found.violations.is_empty();
    ExitCode::from(u8::from(!is_clean))
}
