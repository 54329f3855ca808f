//! What the command asked for, by the environment of a test binary.

use ::std::time::Duration;

use quadrille_sim::strategy::{Dpor, Naive, Pct, Pos, Reduction, Replay, Twice, Uniform, Walk};
use quadrille_sim::{Config, Ends, Memory, Panics, Schedule, Strategy, Threads, Timeouts};

use super::answer::Verdict;
use super::attempt::Attempt;

/// What the command asked for, by the environment.
pub(super) struct Settings {
    pub(super) names: Vec<String>,
    pub(super) is_exact: bool,
    pub(super) lists: bool,
    pub(super) strategies: Vec<String>,
    pub(super) executions: u64,
    pub(super) seed: u64,
    /// Processor time after which no further round begins; one round if there is no limit.
    pub(super) seconds: Option<u64>,
    pub(super) replay: Option<String>,
    pub(super) memory: Memory,
    pub(super) max_steps: usize,
    pub(super) workers: usize,
    /// The test to begin with, and the worst verdict before it: another process was given up there.
    pub(super) from: usize,
    pub(super) worst: Verdict,
    pub(super) patience: u64,
    pub(super) leaks: bool,
    pub(super) cells: bool,
    pub(super) threads: Threads,
    pub(super) covers: bool,
    pub(super) saturation: Option<u64>,
    timeouts: Timeouts,
    /// How many waits may end in an execution that nothing notified.
    spurious_wakeups: u32,
    /// Everything is shown after each step of a replay.
    pub(super) shows_steps: bool,
    /// How the names of pictures begin, if pictures are to be written.
    pub(super) pictures: Option<String>,
    /// What was typed, as far as a replay needs it.
    pub(super) command: String,
    pub(super) is_json: bool,
}

/// A strategy and what it is called.
type Named = (String, Box<dyn Strategy>);

impl Settings {
    pub(super) fn read() -> Settings {
        let number = |name: &str, default: u64| {
            ::std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
        };
        let words: Vec<String> = ::std::env::args().skip(1).collect();
        let strategies = ::std::env::var("QUADRILLE_SIM_STRATEGIES");
        let strategies =
            strategies.unwrap_or_else(|_| "exhaustive=400,random,pct,pos,urw,surw".to_owned());
        let replay = ::std::env::var("QUADRILLE_SIM_REPLAY").ok();
        let recorded = replay.as_ref().and_then(|text| text.parse::<Schedule>().ok());
        let asked = ::std::env::var("QUADRILLE_SIM_MEMORY").ok().and_then(|m| m.parse().ok());
        Settings {
            names: words.iter().filter(|word| !word.starts_with('-')).cloned().collect(),
            is_exact: words.iter().any(|word| word == "--exact"),
            lists: words.iter().any(|word| word == "--list"),
            strategies: strategies.split(',').map(str::to_owned).collect(),
            executions: number("QUADRILLE_SIM_EXECUTIONS", 400),
            seed: number("QUADRILLE_SIM_SEED", 1),
            seconds: ::std::env::var("QUADRILLE_SIM_SECONDS").ok().and_then(|s| s.parse().ok()),
            replay,
            // A schedule belongs to the memory model that it was recorded with.
            memory: recorded.map(|schedule| schedule.memory()).or(asked).unwrap_or_default(),
            max_steps: number("QUADRILLE_SIM_MAX_STEPS", 100_000) as usize,
            workers: number("QUADRILLE_SIM_WORKERS", 1).max(1) as usize,
            from: number(crate::crash::FROM, 0) as usize,
            worst: Verdict::of(number(crate::crash::WORST, 0)),
            patience: number("QUADRILLE_SIM_PATIENCE", 10),
            leaks: ::std::env::var("QUADRILLE_SIM_LEAKS").is_ok(),
            cells: ::std::env::var("QUADRILLE_SIM_CELLS").is_ok(),
            threads: match ::std::env::var("QUADRILLE_SIM_THREADS").as_deref() {
                Ok("system") => Threads::System,
                _ => Threads::Coroutines,
            },
            covers: ::std::env::var("QUADRILLE_SIM_COVERAGE").is_ok(),
            saturation: ::std::env::var("QUADRILLE_SIM_SATURATION")
                .ok()
                .and_then(|s| s.parse().ok()),
            timeouts: match ::std::env::var("QUADRILLE_SIM_TIMEOUTS").as_deref() {
                Ok("any") => Timeouts::Any,
                _ => Timeouts::InTime,
            },
            spurious_wakeups: number("QUADRILLE_SIM_SPURIOUS", 0) as u32,
            shows_steps: ::std::env::var("QUADRILLE_SIM_SNAPSHOTS").is_ok(),
            pictures: ::std::env::var("QUADRILLE_SIM_PICTURES").ok(),
            command: ::std::env::var("QUADRILLE_SIM_COMMAND")
                .unwrap_or_else(|_| "cargo quadrille sim".to_owned()),
            is_json: ::std::env::var("QUADRILLE_SIM_FORMAT").is_ok_and(|format| format == "json"),
        }
    }

    pub(super) fn config(&self) -> Config {
        Config {
            memory: self.memory,
            panics: Panics::OfBody,
            ends: Ends::WithBody,
            // As the real harness gives to tests; untouched pages cost nothing.
            stack_size: 2 << 20,
            max_steps: self.max_steps,
            watches_cells: self.cells,
            threads: self.threads,
            covers: self.covers || self.saturation.is_some(),
            saturation: self.saturation,
            timeouts: self.timeouts,
            spurious_wakeups: self.spurious_wakeups,
            patience: Some(Duration::from_secs(self.patience)),
            ..Config::default()
        }
    }

    pub(super) fn selects(&self, name: &str) -> bool {
        let fits = |word: &String| if self.is_exact { name == word } else { name.contains(word) };
        self.names.is_empty() || self.names.iter().any(fits)
    }

    /// The strategies of a round, each with seeds that no other round has.
    pub(super) fn strategies(&self, round: u64) -> Result<Vec<Named>, String> {
        if let Some(text) = &self.replay {
            let schedule: Schedule = text.parse().map_err(|error| format!("{error}"))?;
            return Ok(vec![("replay".to_owned(), Box::new(Replay::new(schedule)))]);
        }
        let executions = self.executions;
        let seed = self.seed.wrapping_add(round.wrapping_mul(executions));
        let strategy = |name: &String| -> Result<Named, String> {
            Ok((
                name.clone(),
                match name.as_str() {
                    "random" => Box::new(Uniform::new(seed, executions)),
                    "pct" => Box::new(Pct::new(seed, executions, 3)),
                    "pos" => Box::new(Pos::new(seed, executions)),
                    "urw" => Box::new(Walk::uniform(seed, executions)),
                    "surw" => Box::new(Walk::selective(seed, executions)),
                    "twice" => Box::new(Twice::new(Uniform::new(seed, executions))),
                    "exhaustive" => Box::new(Dpor::new(Reduction::Optimal)),
                    other => bounded(other).ok_or_else(|| unknown_strategy(name))?,
                },
            ))
        };
        // What every order was tried for in vain need not be tried again.
        let is_new = |name: &&String| round == 0 || !name.starts_with(ATTEMPT);
        self.strategies.iter().filter(is_new).map(strategy).collect()
    }
}

/// How the name of an attempt at every order begins.
pub(super) const ATTEMPT: &str = "exhaustive=";

/// A strategy whose name has a bound in it.
fn bounded(name: &str) -> Option<Box<dyn Strategy>> {
    if let Some(most) = name.strip_prefix(ATTEMPT) {
        return Some(Box::new(Attempt::new(most.parse().ok()?)));
    }
    let bound = name.strip_prefix("preemptions=")?.parse().ok()?;
    Some(Box::new(Naive::with_preemptions(bound)))
}

fn unknown_strategy(name: &str) -> String {
    format!(
        "no strategy is called `{name}`: there are random, pct, pos, urw, surw, exhaustive, \
         exhaustive=N, preemptions=N and twice"
    )
}
