//! A question under way: what is left of its formula, the markings that it looks for, and how it is
//! answered on a net of its own.

use quadrille_engine::Progress;
use quadrille_petri::{Formula, Net, Tokens, TransitionId};

use super::alone::Alone;
use super::goals::{is_decided_by_goals, settled};
use super::settings::Settings;
use super::{Found, TaskKind};
use crate::ask::Watcher;

/// A question as far as it is answered.
#[derive(Clone)]
pub(super) struct Question {
    pub ask: TaskKind,
    /// What is left of its formula.
    pub formula: Option<Formula>,
    /// The most that is not excluded, where a number is asked for.
    pub most: Option<i64>,
    /// The markings that it looks for.
    pub parts: Vec<Part>,
    /// Seconds that it took so far.
    pub spent: f64,
}

/// A marking that is looked for.
#[derive(Clone)]
pub(super) struct Part {
    pub goal: Formula,
    /// Whether it is reachable, when that is known.
    pub reached: Option<bool>,
    /// A run to it, where one was met.
    pub run: Option<Vec<TransitionId>>,
}

/// What was found, what found it, and a run to the marking that decides.
pub(super) struct Answer {
    pub found: Found,
    pub by: Vec<&'static str>,
    pub run: Option<Vec<TransitionId>>,
}

/// What is known of a net when questions are answered one by one.
#[derive(Clone, Copy)]
pub(super) struct Means<'n> {
    pub net: &'n Net,
    pub settings: &'n Settings,
    /// The most tokens that places hold, as far as that is known.
    pub known: &'n [Option<Tokens>],
    /// Whether sets of markings of the whole net were found: then they had their chance.
    pub is_explored: bool,
    pub is_unbounded: bool,
}

impl Question {
    pub(super) fn new(ask: TaskKind) -> Self {
        Self { ask, formula: None, most: None, parts: Vec::new(), spent: 0.0 }
    }

    /// The answer, where its parts say enough.
    pub(super) fn conclusion(&mut self, net: &Net) -> Option<Found> {
        let any = |wanted: bool| self.parts.iter().any(|part| part.reached == Some(wanted));
        let all = |wanted: bool| self.parts.iter().all(|part| part.reached == Some(wanted));
        match &self.ask {
            TaskKind::Formula(_) => {
                let reached = |goal: &Formula| {
                    self.parts.iter().find(|part| part.goal == *goal).and_then(|part| part.reached)
                };
                self.formula = self.formula.as_ref().map(|formula| settled(formula, &reached));
                // What is left may speak about the initial marking only.
                let left = self.formula.as_ref().filter(|formula| formula.is_state());
                left.map(|formula| Found::Truth(formula.holds(net, &net.initial)))
            }
            TaskKind::QuasiLive if any(false) => Some(Found::Truth(false)),
            TaskKind::QuasiLive if all(true) => Some(Found::Truth(true)),
            TaskKind::Stable if any(false) => Some(Found::Truth(true)),
            TaskKind::Stable if all(true) => Some(Found::Truth(false)),
            TaskKind::Live => {
                // A dead marking, or a transition that never fires.
                let is_not = |part: &Part| part.reached == Some(part.goal == Formula::Dead);
                self.parts.iter().any(is_not).then_some(Found::Truth(false))
            }
            TaskKind::Bound(_) => {
                let most = self.most.map(|most| Found::Number(most.max(0).unsigned_abs()));
                most.filter(|_| any(true))
            }
            TaskKind::StateSpace | TaskKind::QuasiLive | TaskKind::Stable => None,
        }
    }

    /// The run to the only marking that it looks for.
    pub(super) fn run(&self) -> Option<Vec<TransitionId>> {
        match &self.parts[..] {
            [only] if only.reached == Some(true) => only.run.clone(),
            _ => None,
        }
    }

    /// Whether the reachable markings that are looked for decide it.
    pub(super) fn is_reachability(&self) -> bool {
        match &self.ask {
            TaskKind::Formula(_) => self.formula.as_ref().is_some_and(is_decided_by_goals),
            TaskKind::QuasiLive | TaskKind::Stable | TaskKind::Bound(_) => true,
            TaskKind::StateSpace | TaskKind::Live => false,
        }
    }

    /// Answers it on nets of its own, within so many seconds of the watcher's clock: first the markings
    /// that it looks for, then what they leave open. With the answer, what found it.
    pub(super) fn alone(
        &mut self,
        means: Means<'_>,
        seconds: f64,
        watcher: &mut dyn Watcher,
    ) -> Option<Answer> {
        let open = |part: &usize| self.parts[*part].reached.is_none();
        let open: Vec<usize> = (0..self.parts.len()).filter(open).collect();
        let is_bound = matches!(self.ask, TaskKind::Bound(_));
        let n_after = usize::from(is_bound || !self.is_reachability());
        for (number, &part) in open.iter().enumerate() {
            // What is left of the time is shared by what is left to do.
            let now = watcher.seconds();
            if now >= seconds || watcher.look(&Progress::default()).is_break() {
                return None;
            }
            let n_left = (open.len() - number + n_after) as f64;
            let window = (now, now + (seconds - now).max(0.0) / n_left);
            let mut alone = Alone::new(means, &mut *watcher, window);
            self.parts[part].reached = alone.reachable(&self.parts[part].goal);
            let (by, run) = (alone.by, alone.run);
            self.parts[part].run = run;
            if let Some(found) = self.conclusion(means.net) {
                return Some(Answer { found, by, run: self.run() });
            }
        }
        let window = (watcher.seconds(), seconds);
        let mut alone = Alone::new(means, watcher, window);
        let found = match (&self.ask, &self.formula) {
            (TaskKind::StateSpace, _) => alone.size(),
            (TaskKind::Bound(places), _) => alone.most(places, self.most),
            (TaskKind::Formula(_), Some(formula)) if n_after > 0 => {
                alone.formula(formula).map(Found::Truth)
            }
            _ => None,
        };
        found.map(|found| Answer { found, by: alone.by, run: None })
    }
}
