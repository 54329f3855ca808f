//! One question on a net of its own, as small as it can be: sets of markings, walks, markings one by one.

use quadrille_engine::{
    Config, Explored, Graph, LtlOptions, Property, Safety, Visitor, check_ctl, check_ltl, explore,
};
use quadrille_model::{Flow, Model, StateId, Value, Verdict};
use quadrille_petri::{
    Equation, Facts, Formula, Goals, Keep, Net, NetModel, PlaceId, Semiflow, Slot, Slots, Smaller,
    Sum, Tokens, TransitionId, bounds, replay, semiflows_while, smaller_while, walk,
};
use quadrille_reduction::{Reduced, Seen};
use quadrille_symbolic::{Budget, Meter, Symbolic};

use super::Found;
use super::formulas::Prepared;
use super::local::Local;
use super::question::Means;
use super::solve::{checked, look_until, run_to, shared};
use crate::ask::Watcher;

/// The means by which one question is answered.
pub(super) struct Alone<'n, 'w> {
    pub means: Means<'n>,
    pub watcher: &'w mut dyn Watcher,
    /// Seconds of the question's clock in which to answer: from, until.
    pub window: (f64, f64),
    /// What answered.
    pub by: Vec<&'static str>,
    /// A run to the marking that is looked for, where one was met.
    pub run: Option<Vec<TransitionId>>,
}

impl<'n, 'w> Alone<'n, 'w> {
    pub(super) fn new(means: Means<'n>, watcher: &'w mut dyn Watcher, window: (f64, f64)) -> Self {
        Self { means, watcher, window, by: Vec::new(), run: None }
    }

    /// A share of the window as a share of the time of the question.
    fn share(&self, share: f64) -> f64 {
        let (from, until) = self.window;
        let all = self.means.settings.seconds.unwrap_or(until).max(1e-9);
        (from + share * (until - from)) / all
    }

    /// A net that gives the same answer, with its semiflows; `None` where the time is over.
    fn smaller(&mut self, kept: &[bool], keep: Keep) -> Option<(Smaller, Vec<Semiflow>)> {
        let rules = &self.means.settings.rules.list();
        let share = self.share(0.3);
        let mut go_on = shared(&mut *self.watcher, self.means.settings, share);
        let small = smaller_while(self.means.net, kept, keep, rules, &mut go_on);
        let flows = semiflows_while(&small.net, &mut go_on);
        drop(go_on);
        let share = self.share(1.0);
        let is_over = !shared(&mut *self.watcher, self.means.settings, share)();
        (!is_over).then_some((small, flows))
    }

    /// The most tokens that places of a smaller net hold: what is reachable there is reachable in the whole
    /// net, as far as it is there.
    fn known(&self, small: &Smaller, flows: &[Semiflow]) -> Vec<Option<Tokens>> {
        let mut known = bounds(&small.net, flows);
        for (place, whole) in small.places.iter().zip(self.means.known) {
            if let (Some(place), Some(most)) = (place, whole) {
                let bound = &mut known[place.index()];
                *bound = Some(bound.map_or(*most, |bound| bound.min(*most)));
            }
        }
        known
    }

    /// Whether a marking is reachable.
    pub(super) fn reachable(&mut self, goal: &Formula) -> Option<bool> {
        let mut kept = vec![false; self.means.net.n_places()];
        goal.mark_places(&mut kept);
        let keep = match goal {
            Formula::Dead => Keep::Deadlock,
            _ if goal.has_dead() => Keep::Everything,
            _ => Keep::Reachability,
        };
        let (small, flows) = self.smaller(&kept, keep)?;
        let known = self.known(&small, &flows);
        let goal_there = goal.renamed(&small.places)?;
        if self.means.settings.structural {
            let equation = self.means.settings.equation(&small.net);
            let facts = Facts::new(&small.net, known.clone(), equation);
            let asked = Formula::Some(Box::new(Formula::Finally(Box::new(goal_there.clone()))));
            let share = self.share(0.2);
            let mut go_on = shared(&mut *self.watcher, self.means.settings, share);
            if let Formula::Constant(value) = facts.simplified(&asked, &mut go_on) {
                self.by = vec!["STRUCTURAL_REDUCTION", "STATE_EQUATION"];
                return Some(value);
            }
        }
        if self.means.settings.random {
            let mut goals = Goals::new([&goal_there]);
            let share = self.share(0.4);
            let mut go_on = shared(&mut *self.watcher, self.means.settings, share);
            walk(&small.net, &mut goals, 11, 5 * self.means.settings.steps, &mut go_on);
            drop(go_on);
            let met = goals.run(0).map(|run| small.unreduced(run));
            self.run = met.and_then(|run| leading(self.means.net, run, goal));
            if self.run.is_some() {
                self.by = vec!["STRUCTURAL_REDUCTION", "RANDOM_WALK"];
                return Some(true);
            }
        }
        let slots = Slots::shared(&small.net, &flows);
        let mut model = NetModel::new(small.net.clone(), slots, &known, true);
        let proposition = model.proposition("goal", &goal_there);
        if self.means.settings.symbolic && !self.means.is_unbounded {
            let share = self.share(0.75);
            let mut look = look_until(&mut *self.watcher, self.means.settings, share);
            let mut meter = Meter::new(self.means.settings.limits, Budget::default(), &mut look);
            let meaning = model.meaning_of(&goal_there);
            let wants_run = self.means.settings.runs;
            let explored = Symbolic::explore(&model, Budget::default(), &mut meter);
            let found = explored.and_then(|mut symbolic| {
                let meets = symbolic.meets(&meaning, &mut meter)?;
                let wanted = (meets && wants_run).then_some(());
                let run = wanted.and_then(|()| run_to(&model, &mut symbolic, &meaning, &mut meter));
                Ok((meets, run))
            });
            if let Ok((meets, run)) = found {
                self.run = run.and_then(|run| leading(self.means.net, small.unreduced(&run), goal));
                self.by = vec!["STRUCTURAL_REDUCTION", "DECISION_DIAGRAMS"];
                return Some(meets);
            }
        }
        if !self.means.settings.explicit {
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
        let config = Config { limits: self.means.settings.limits, ..Config::default() };
        let share = self.share(1.0);
        let mut look = look_until(&mut *self.watcher, self.means.settings, share);
        let mut visitors: [&mut dyn Visitor; 1] = [&mut safety];
        let walked = explore(searched, &config, &mut visitors, &mut look);
        let found = match safety.verdict(&walked) {
            Ok(Verdict::Holds) => Some(false),
            Ok(Verdict::Violated(run)) => {
                let steps = run.iter().flat_map(|run| &run.steps);
                let steps: Vec<_> = steps.map(|step| model.transition(step.group)).collect();
                self.run = leading(self.means.net, small.unreduced(&steps), goal);
                Some(true)
            }
            _ => None,
        };
        self.by = vec!["STRUCTURAL_REDUCTION", "EXPLICIT", "STUBBORN_SETS"];
        found
    }

    /// How many markings and firings there are, marking by marking.
    pub(super) fn size(&mut self) -> Option<Found> {
        if !self.means.settings.explicit || self.means.is_unbounded {
            return None;
        }
        let share = self.share(0.5);
        let mut go_on = shared(&mut *self.watcher, self.means.settings, share);
        let flows = semiflows_while(self.means.net, &mut go_on);
        drop(go_on);
        let slots = Slots::shared(self.means.net, &flows);
        let model = NetModel::new(self.means.net.clone(), slots, self.means.known, true);
        let mut most = Most { model: &model, place: 0, marking: 0 };
        let config = Config { limits: self.means.settings.limits, ..Config::default() };
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

    /// The most tokens that places hold together, which are no more than `most`.
    pub(super) fn most(&mut self, places: &[PlaceId], most: Option<i64>) -> Option<Found> {
        let mut kept = vec![false; self.means.net.n_places()];
        places.iter().for_each(|place| kept[place.index()] = true);
        let (small, flows) = self.smaller(&kept, Keep::Reachability)?;
        let there: Vec<PlaceId> =
            places.iter().map(|place| small.places[place.index()]).collect::<Option<_>>()?;
        let number = |most: i64| Some(Found::Number(most.max(0).unsigned_abs()));
        let sum: Sum = there.iter().map(|&place| (place, 1)).collect();
        let bound = match self.means.settings.structural {
            true => Equation::new(&small.net, false).bound(&sum),
            false => None,
        };
        // What the whole net does not show, the smaller one may.
        if let Some(bound) = bound.filter(|bound| most.is_none_or(|most| *bound < most)) {
            let goal: Sum = places.iter().map(|&place| (place, -1)).collect();
            let until = self.window.1;
            let now = self.watcher.seconds();
            self.window = (now, now + (until - now) / 2.0);
            let found = self.reachable(&Formula::at_most(goal, -bound));
            self.window = (self.watcher.seconds(), until);
            if found == Some(true) {
                return number(bound);
            }
        }
        let known = self.known(&small, &flows);
        let slots = Slots::shared(&small.net, &flows);
        let model = NetModel::new(small.net.clone(), slots, &known, true);
        if self.means.settings.symbolic && !self.means.is_unbounded {
            let share = self.share(0.6);
            let mut look = look_until(&mut *self.watcher, self.means.settings, share);
            let mut meter = Meter::new(self.means.settings.limits, Budget::default(), &mut look);
            let explored = Symbolic::explore(&model, Budget::default(), &mut meter);
            let found = explored
                .and_then(|mut symbolic| symbolic.heaviest(&model.weights(&sum), &mut meter));
            if let Ok(most) = found {
                self.by = vec!["STRUCTURAL_REDUCTION", "DECISION_DIAGRAMS"];
                return number(most);
            }
        }
        if !self.means.settings.explicit || self.means.is_unbounded {
            return None;
        }
        let mut heaviest = Heaviest { model: &model, places: &there, most: 0 };
        let config = Config { limits: self.means.settings.limits, ..Config::default() };
        let share = self.share(1.0);
        let mut look = look_until(&mut *self.watcher, self.means.settings, share);
        let mut visitors: [&mut dyn Visitor; 1] = [&mut heaviest];
        let walked = explore(&model, &config, &mut visitors, &mut look);
        let is_complete = walked.stopped().is_none();
        self.by = vec!["STRUCTURAL_REDUCTION", "EXPLICIT"];
        is_complete.then_some(Found::Number(heaviest.most))
    }

    /// Whether a formula of linear or branching time holds.
    pub(super) fn formula(&mut self, formula: &Formula) -> Option<bool> {
        let mut kept = vec![false; self.means.net.n_places()];
        formula.mark_places(&mut kept);
        let (small, flows) = self.smaller(&kept, Keep::Everything)?;
        let there = formula.renamed(&small.places)?;
        let known = self.known(&small, &flows);
        let slots = Slots::shared(&small.net, &flows);
        let mut model = NetModel::new(small.net.clone(), slots, &known, true);
        let prepared = Prepared::new(&mut model, &there);
        let is_smaller = small.net.n_places() < self.means.net.n_places();
        let mut local = None;
        if self.means.settings.explicit && !prepared.is_linear {
            local = Local::new(&model, &there, self.means.settings.limits);
        }
        if let Some(found) = self.locally(local.as_mut(), 0.3) {
            return Some(found);
        }
        if self.means.settings.symbolic
            && !self.means.is_unbounded
            && !self.means.is_explored
            && is_smaller
        {
            let share = self.share(0.6);
            let mut look = look_until(&mut *self.watcher, self.means.settings, share);
            let mut meter = Meter::new(self.means.settings.limits, Budget::default(), &mut look);
            let explored = Symbolic::explore(&model, Budget::default(), &mut meter);
            let found =
                explored.and_then(|mut symbolic| checked(&mut symbolic, &prepared, &mut meter));
            if let Ok(holds) = found {
                self.by = vec!["STRUCTURAL_REDUCTION", "DECISION_DIAGRAMS"];
                return Some(holds);
            }
        }
        if !self.means.settings.explicit {
            return None;
        }
        if local.is_some() {
            return self.locally(local.as_mut(), 1.0);
        }
        let interpretation = prepared.interpretation();
        let limits = self.means.settings.limits;
        let share = self.share(1.0);
        let mut look = look_until(&mut *self.watcher, self.means.settings, share);
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

impl Alone<'_, '_> {
    /// Decides a formula on the fly, within a share of the time.
    fn locally(&mut self, local: Option<&mut Local<'_>>, share: f64) -> Option<bool> {
        let share = self.share(share);
        let mut go_on = shared(&mut *self.watcher, self.means.settings, share);
        let found = local?.decide(&mut go_on)?;
        self.by = vec!["STRUCTURAL_REDUCTION", "EXPLICIT", "ON_THE_FLY"];
        Some(found)
    }
}

/// The most tokens that places were met with together.
struct Heaviest<'m> {
    model: &'m NetModel,
    places: &'m [PlaceId],
    most: u64,
}

impl Visitor for Heaviest<'_> {
    fn needs_states(&self) -> bool {
        true
    }

    fn met(&mut self, _: &Explored<'_>, _: StateId, values: &[Value]) -> Flow {
        let held = self.places.iter().map(|&place| self.model.slots().tokens(place, values));
        self.most = self.most.max(held.map(u64::from).sum());
        Flow::Continue(())
    }
}

/// A run of a net, if it leads to a goal.
fn leading(net: &Net, run: Vec<TransitionId>, goal: &Formula) -> Option<Vec<TransitionId>> {
    let end = replay(net, &run)?;
    goal.holds(net, &end).then_some(run)
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
