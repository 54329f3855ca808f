//! What the portfolio may use, and what it leaves out.

use quadrille_engine::Limits;
use quadrille_petri::{Equation, Net, Rule};

/// What the portfolio may use, and which of its parts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// Memory, as for every search.
    pub limits: Limits,
    /// Seconds per question, of which each part takes a share; the watcher ends what takes longer.
    pub seconds: Option<f64>,
    /// Invariants, bounds and the state equation.
    pub structural: bool,
    /// Traps, which refine the state equation.
    pub traps: bool,
    /// Random walks.
    pub random: bool,
    /// Steps of the walks that all questions share; one question by itself gets five times as many.
    pub steps: u64,
    /// Sets of markings.
    pub symbolic: bool,
    /// Rules that make nets smaller.
    pub rules: Rules,
    /// Markings one by one.
    pub explicit: bool,
    /// Whether runs are to be shown: then sets of markings are asked for one, too.
    pub runs: bool,
}

/// Which rules make nets smaller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules([bool; Rule::ALL.len()]);

impl Rules {
    /// All of them.
    pub const ALL: Self = Self([true; Rule::ALL.len()]);
    /// None.
    pub const NONE: Self = Self([false; Rule::ALL.len()]);

    /// One of them, by position.
    pub fn only(position: usize) -> Self {
        let mut rules = Self::NONE;
        rules.0[position] = true;
        rules
    }

    /// Those that are used, in order.
    pub fn list(self) -> Vec<Rule> {
        Rule::ALL.into_iter().zip(self.0).filter(|(_, used)| *used).map(|(rule, _)| rule).collect()
    }
}

impl Settings {
    /// The state equation of a net, if it is to be asked.
    pub(super) fn equation(&self, net: &Net) -> Option<Equation> {
        self.structural.then(|| Equation::new(net, self.traps))
    }

    /// Leaves out a part or a rule with this name; `false` where there is none.
    pub fn leave_out(&mut self, name: &str) -> bool {
        let part = match name {
            "structural" => &mut self.structural,
            "trap" => &mut self.traps,
            "random" => &mut self.random,
            "symbolic" => &mut self.symbolic,
            "explicit" => &mut self.explicit,
            _ => match Rule::ALL.iter().position(|rule| rule.word() == name) {
                Some(rule) => &mut self.rules.0[rule],
                None => return false,
            },
        };
        *part = false;
        true
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            seconds: None,
            structural: true,
            traps: true,
            random: true,
            steps: 400_000,
            symbolic: true,
            rules: Rules::ALL,
            explicit: true,
            runs: false,
        }
    }
}
