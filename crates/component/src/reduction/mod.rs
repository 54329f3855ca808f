//! Reduction of a system of components with respect to its composition: what cannot make a difference
//! to whether the parts fit together is left out before anything is explored (V. Holub's thesis, Charles
//! University, 2010, chapter 6). Knows automata and wiring; explores nothing.
//!
//! What is kept: whether there is an error; whether there is a bad activity; and, if there is none,
//! whether there is a run that can no longer end. Being stuck and running for ever may change places, as
//! steps that were left out may go on for ever. Published conditions that do not guarantee this are
//! strengthened; each rule's file says how.

mod automaton;
mod cycle;
mod facts;
mod initial;
mod lift;
mod log;
mod redundant;
mod serial;
mod silent;
mod system;
mod text;
mod unbound;

use std::collections::BTreeSet;
use std::fmt::Write;

pub use log::{Entry, Rule, Transition};
pub use system::ComponentSystem;
pub use text::protocol;

use crate::composition::{Unit, Wiring};

/// What became of a system.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The reduced system.
    pub system: ComponentSystem,
    /// The rules in the order in which they were applied, each until it fitted no more.
    pub steps: Vec<StepRecord>,
    /// Every application of a rule.
    pub log: Vec<Entry>,
}

/// One rule, applied wherever it fits.
#[derive(Clone, Debug)]
pub struct StepRecord {
    /// The rule.
    pub rule: Rule,
    /// How often it was applied; for external events, how many events were concerned.
    pub applications: usize,
    /// The components afterwards; the reduction's alphabet says what their letters mean.
    pub units: Vec<Unit>,
    /// The bindings afterwards.
    pub wiring: Wiring,
}

/// Reduces a system by some rules, until none of them fits.
///
/// The order is that of the published case study: what depends on the environment first; then, again and
/// again, calls and serial invocations, initial transitions, redundant states and simple cycles. States
/// that can no longer be reached are dropped after each change. The automata should be minimal.
pub fn reduce(system: ComponentSystem, rules: &[Rule]) -> Reduction {
    let mut reduction =
        Reduction { system: system.spelled_out(), steps: Vec::new(), log: Vec::new() };
    for rule in [Rule::Unbound, Rule::External] {
        reduction.pass(rule, rules);
    }
    loop {
        let n_before = reduction.log.len();
        for rule in [Rule::Call, Rule::Serial, Rule::Initial, Rule::Redundant, Rule::Cycle] {
            reduction.pass(rule, rules);
        }
        if reduction.log.len() == n_before {
            break;
        }
    }
    if rules.contains(&Rule::Redundant) {
        let Reduction { system, log, .. } = &mut reduction;
        let n_before = log.len();
        redundant::drop_idle(system, log);
        reduction.record(Rule::Redundant, reduction.log.len() - n_before);
    }
    reduction
}

impl Reduction {
    /// Applies a rule wherever it fits, and what it makes possible for external events.
    fn pass(&mut self, rule: Rule, wanted: &[Rule]) {
        if !wanted.contains(&rule) {
            return;
        }
        let n_before = self.log.len();
        let Self { system, log, .. } = self;
        match rule {
            Rule::Unbound => unbound::apply(system, log),
            Rule::External => silent::strip(system, log),
            Rule::Call | Rule::Serial => while serial::apply(system, &[rule], log) {},
            Rule::Initial => while initial::apply(system, log) {},
            Rule::Redundant => redundant::apply(system, log),
            Rule::Cycle => while cycle::apply(system, log) {},
        }
        let n_applied = self.log.len();
        if wanted.contains(&Rule::External) && (rule == Rule::External || n_applied > n_before) {
            silent::eliminate(&mut self.system, &mut self.log);
        }
        let applied = self.log[n_before..].iter();
        let applications = match rule {
            Rule::External => {
                applied.flat_map(|entry| &entry.events).collect::<BTreeSet<_>>().len()
            }
            _ => n_applied - n_before,
        };
        self.record(rule, applications);
    }

    fn record(&mut self, rule: Rule, applications: usize) {
        if applications > 0 {
            let ComponentSystem { units, wiring, .. } = self.system.clone();
            self.steps.push(StepRecord { rule, applications, units, wiring });
        }
    }

    /// The system as it was after a step.
    #[must_use]
    pub fn system_after(&self, step: &StepRecord) -> ComponentSystem {
        let (units, wiring) = (step.units.clone(), step.wiring.clone());
        ComponentSystem { alphabet: self.system.alphabet.clone(), units, wiring }
    }

    /// Whether nothing is left: there is no error then.
    pub fn is_nothing(&self) -> bool {
        self.system.units.iter().all(|unit| redundant::does_nothing(&unit.dfa))
    }
}

impl ComponentSystem {
    /// The components as a `.bp` text, if all of them have a textual form.
    pub fn text(&self) -> Option<String> {
        let mut text = String::new();
        for unit in &self.units {
            let protocol = protocol(&self.alphabet, &unit.dfa)?;
            writeln!(text, "{}\n{protocol}", unit.name).ok()?;
        }
        Some(text)
    }
}
