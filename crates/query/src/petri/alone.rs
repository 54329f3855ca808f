//! One question on a net of its own, as small as it can be: sets of markings, walks, markings one by one.

use quadrille_engine::{
    Config, Explored, Graph, LtlOptions, Property, Safety, Visitor, check_ctl, check_ltl, explore,
};
use quadrille_model::{Flow, Model, StateId, Value, Verdict};
use quadrille_petri::{
    Facts, Formula, Goals, Keep, Net, NetModel, Rule, Slot, Slots, bounds, replay, semiflows,
    smaller, walk,
};
use quadrille_reduction::{Reduced, Seen};
use quadrille_symbolic::{Budget, Meter, Symbolic};

use super::Found;
use super::formulas::Prepared;
use super::settings::Settings;
use super::solve::{checked, look_until, shared};
use crate::ask::Watcher;

/// The means by which one question is answered.
pub(super) struct Alone<'n, 'w> {
    pub net: &'n Net,
    pub settings: &'n Settings,
    pub watcher: &'w mut dyn Watcher,
    /// Whether sets of markings of the whole net were found: then they had their chance.
    pub is_explored: bool,
    pub is_unbounded: bool,
    /// Whether semiflows bound every place.
    pub is_bounded: bool,
    /// What answered.
    pub by: Vec<&'static str>,
}

impl Alone<'_, '_> {
    /// Whether a marking is reachable.
    pub(super) fn reachable(&mut self, goal: &Formula) -> Option<bool> {
        let mut kept = vec![false; self.net.n_places()];
        goal.mark_places(&mut kept);
        let keep = match goal {
            Formula::Dead => Keep::Deadlock,
            _ if goal.has_dead() => Keep::Everything,
            _ => Keep::Reachability,
        };
        let rules = &self.settings.rules.list();
        let mut small = smaller(self.net, &kept, keep, rules);
        let mut flows = semiflows(&small.net);
        let mut known = bounds(&small.net, &flows);
        if known.contains(&None) && self.is_bounded {
            // Without what takes tokens away, places may grow for ever.
            let rules: Vec<Rule> = rules
                .iter()
                .copied()
                .filter(|rule| !matches!(rule, Rule::Loss | Rule::Slice))
                .collect();
            small = smaller(self.net, &kept, keep, &rules);
            flows = semiflows(&small.net);
            known = bounds(&small.net, &flows);
        }
        let goal_there = goal.renamed(&small.places)?;
        if self.settings.structural {
            let facts = Facts::new(&small.net, known.clone(), true);
            let asked = Formula::Some(Box::new(Formula::Finally(Box::new(goal_there.clone()))));
            let mut go_on = shared(&mut *self.watcher, self.settings, 0.2);
            if let Formula::Constant(value) = facts.simplified(&asked, &mut go_on) {
                self.by = vec!["STRUCTURAL_REDUCTION", "STATE_EQUATION"];
                return Some(value);
            }
        }
        if self.settings.random {
            let mut goals = Goals::new([&goal_there]);
            let mut go_on = shared(&mut *self.watcher, self.settings, 0.4);
            walk(&small.net, &mut goals, 11, 5 * self.settings.steps, &mut go_on);
            drop(go_on);
            let unreduced = goals.met[0].as_ref().map(|run| small.unreduced(run));
            let end = unreduced.and_then(|run| replay(self.net, &run));
            if end.is_some_and(|marking| goal.holds(self.net, &marking)) {
                self.by = vec!["STRUCTURAL_REDUCTION", "RANDOM_WALK"];
                return Some(true);
            }
        }
        let slots = Slots::shared(&small.net, &flows);
        let mut model = NetModel::new(small.net.clone(), slots, &known, true);
        let proposition = model.proposition("goal", &goal_there);
        if self.settings.symbolic && !self.is_unbounded {
            let mut look = look_until(&mut *self.watcher, self.settings, 0.75);
            let mut meter = Meter::new(self.settings.limits, Budget::default(), &mut look);
            let meaning = model.meaning_of(&goal_there);
            let explored = Symbolic::explore(&model, Budget::default(), &mut meter);
            let found = explored.and_then(|mut symbolic| symbolic.meets(&meaning, &mut meter));
            if let Ok(meets) = found {
                self.by = vec!["STRUCTURAL_REDUCTION", "DECISION_DIAGRAMS"];
                return Some(meets);
            }
        }
        if !self.settings.explicit {
            return None;
        }
        let seen = match goal {
            Formula::Dead => Seen::default(),
            _ => Seen { propositions: vec![proposition], ..Seen::default() },
        };
        let reduced = Reduced::new(&model, &seen).ok();
        let searched: &dyn Model = reduced.as_ref().map_or(&model, |reduced| reduced);
        let meaning = model.meaning_of(&goal_there);
        let property = match goal {
            Formula::Dead => Property::DeadlockFree,
            _ => Property::Always(Box::new(|state| Ok(meaning.holds(state) != Some(true)))),
        };
        let mut safety = Safety::new(property);
        let config = Config { limits: self.settings.limits, ..Config::default() };
        let watcher = &mut *self.watcher;
        let mut look = |progress: &_| watcher.look(progress);
        let mut visitors: [&mut dyn Visitor; 1] = [&mut safety];
        let walked = explore(searched, &config, &mut visitors, &mut look);
        let found = match safety.verdict(&walked) {
            Ok(Verdict::Holds) => Some(false),
            Ok(Verdict::Violated(_)) => Some(true),
            _ => None,
        };
        self.by = vec!["STRUCTURAL_REDUCTION", "EXPLICIT", "STUBBORN_SETS"];
        found
    }

    /// How many markings and firings there are, marking by marking.
    pub(super) fn size(&mut self) -> Option<Found> {
        if !self.settings.explicit || self.is_unbounded {
            return None;
        }
        let flows = semiflows(self.net);
        let slots = Slots::shared(self.net, &flows);
        let model = NetModel::new(self.net.clone(), slots, &bounds(self.net, &flows), true);
        let mut most = Most { model: &model, place: 0, marking: 0 };
        let config = Config { limits: self.settings.limits, ..Config::default() };
        let watcher = &mut *self.watcher;
        let mut look = |progress: &_| watcher.look(progress);
        let mut visitors: [&mut dyn Visitor; 1] = [&mut most];
        let walked = explore(&model, &config, &mut visitors, &mut look);
        if walked.stopped().is_some() {
            return None;
        }
        let counts = walked.counts();
        self.by = vec!["EXPLICIT"];
        let figures = [counts.states, counts.transitions, most.place, most.marking];
        Some(Found::Size(figures.map(|figure| figure.to_string())))
    }

    /// Whether a formula of linear or branching time holds.
    pub(super) fn formula(&mut self, formula: &Formula) -> Option<bool> {
        let mut kept = vec![false; self.net.n_places()];
        formula.mark_places(&mut kept);
        let rules = &self.settings.rules.list();
        let small = smaller(self.net, &kept, Keep::Everything, rules);
        let there = formula.renamed(&small.places)?;
        let flows = semiflows(&small.net);
        let known = bounds(&small.net, &flows);
        let slots = Slots::shared(&small.net, &flows);
        let mut model = NetModel::new(small.net.clone(), slots, &known, true);
        let prepared = Prepared::new(&mut model, &there);
        let is_smaller = small.net.n_places() < self.net.n_places();
        if self.settings.symbolic && !self.is_unbounded && !self.is_explored && is_smaller {
            let mut look = look_until(&mut *self.watcher, self.settings, 0.5);
            let mut meter = Meter::new(self.settings.limits, Budget::default(), &mut look);
            let explored = Symbolic::explore(&model, Budget::default(), &mut meter);
            let found =
                explored.and_then(|mut symbolic| checked(&mut symbolic, &prepared, &mut meter));
            if let Ok(holds) = found {
                self.by = vec!["STRUCTURAL_REDUCTION", "DECISION_DIAGRAMS"];
                return Some(holds);
            }
        }
        if !self.settings.explicit {
            return None;
        }
        let interpretation = prepared.interpretation();
        let limits = self.settings.limits;
        let watcher = &mut *self.watcher;
        let mut look = |progress: &_| watcher.look(progress);
        let report = if prepared.is_linear {
            let seen =
                Seen { propositions: prepared.propositions(), ends: true, ..Seen::default() };
            let is_blind = prepared.formula.ignores_unseen_steps(0).unwrap_or(false);
            let reduced = is_blind.then(|| Reduced::new(&model, &seen).ok()).flatten();
            let searched: &dyn Model = reduced.as_ref().map_or(&model, |reduced| reduced);
            let options = LtlOptions { limits, ..LtlOptions::default() };
            let graph = &mut Graph::new(searched);
            check_ltl(graph, &prepared.formula, &interpretation, &options, &mut look)
        } else {
            let graph = &mut Graph::new(&model);
            check_ctl(graph, &prepared.formula, &interpretation, limits, &mut look)
        };
        self.by = vec!["EXPLICIT", "STUBBORN_SETS"];
        match report.ok()?.verdict {
            Verdict::Holds => Some(!prepared.asks_some),
            Verdict::Violated(_) => Some(prepared.asks_some),
            Verdict::Unknown(_) => None,
        }
    }
}

/// The most tokens that were met.
struct Most<'m> {
    model: &'m NetModel,
    place: u64,
    marking: u64,
}

impl Visitor for Most<'_> {
    fn needs_states(&self) -> bool {
        true
    }

    fn met(&mut self, _: &Explored<'_>, _: StateId, values: &[Value]) -> Flow {
        let (mut place, mut marking) = (0u64, 0u64);
        for (slot, &value) in self.model.slots().slots.iter().zip(values) {
            let tokens = match slot {
                Slot::Counter(_) => u64::from(value),
                Slot::Machine(_) => u64::from(value > 0),
            };
            place = place.max(tokens);
            marking += tokens;
        }
        self.place = self.place.max(place);
        self.marking = self.marking.max(marking);
        Flow::Continue(())
    }
}
