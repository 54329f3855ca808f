//! Every schedule, depth first, without any reduction: the oracle of the others. If asked to, only
//! those with few preemptions (Musuvathi & Qadeer, PLDI 2007).

use super::{PartId, Point, Strategy};
use crate::operation::TaskId;

/// Tries every enabled task at every operation.
#[derive(Clone, Debug, Default)]
pub struct Naive {
    /// The decisions of the current execution.
    path: Vec<Choice>,
    /// How many of them are the same in every execution: others are explored elsewhere.
    n_fixed: usize,
    /// Parts at the end that others explore.
    n_lent: u32,
    depth: usize,
    has_begun: bool,
    /// How many preemptions an execution may have; any number if there is none.
    max_preemptions: Option<u32>,
    n_preemptions: u32,
    /// Some schedule was left out.
    has_cut: bool,
}

/// A decision.
#[derive(Clone, Copy, Debug)]
struct Choice {
    taken: u32,
    /// Those from here on are lent, or there are none.
    end: u32,
    /// How many there are.
    of: u32,
}

impl Naive {
    /// Begins with the first enabled task everywhere.
    #[must_use]
    pub fn new() -> Naive {
        Naive::default()
    }

    /// Only schedules in which a task that could go on has to stop at most so often.
    #[must_use]
    pub fn with_preemptions(max_preemptions: u32) -> Naive {
        Naive { max_preemptions: Some(max_preemptions), ..Naive::default() }
    }

    fn take(&mut self, choices: u32) -> u32 {
        if self.depth == self.path.len() {
            self.path.push(Choice { taken: 0, end: choices, of: choices });
        }
        let Choice { taken, of, .. } = self.path[self.depth];
        assert_eq!(of, choices, "the program did something else after the same decisions");
        self.depth += 1;
        taken
    }
}

impl Strategy for Naive {
    fn begin(&mut self) -> bool {
        (self.depth, self.n_preemptions) = (0, 0);
        if !std::mem::replace(&mut self.has_begun, true) {
            return true;
        }
        while self.path.len() > self.n_fixed
            && let Some(choice) = self.path.pop()
        {
            if choice.taken + 1 < choice.end {
                self.path.push(Choice { taken: choice.taken + 1, ..choice });
                return true;
            }
        }
        false
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        let goes_on = point.enabled.contains(&point.current);
        if goes_on && self.max_preemptions == Some(self.n_preemptions) {
            self.has_cut |= point.enabled.len() > 1;
            return Some(point.current);
        }
        let chosen = point.enabled[self.take(point.enabled.len() as u32) as usize];
        self.n_preemptions += u32::from(goes_on && chosen != point.current);
        Some(chosen)
    }

    fn draw(&mut self, bound: u32) -> u32 {
        self.take(bound)
    }

    fn yields(&self) -> bool {
        false
    }

    fn is_exhaustive(&self) -> bool {
        !self.has_cut
    }

    fn lend(&mut self) -> Option<(PartId, Box<dyn Strategy>)> {
        let open = |choice: &Choice| choice.taken + 1 < choice.end;
        let at = self.n_fixed + self.path[self.n_fixed..].iter().position(open)?;
        let mut path = self.path[..=at].to_vec();
        path[at].taken += 1;
        self.path[at].end = self.path[at].taken + 1;
        self.n_lent += 1;
        let max_preemptions = self.max_preemptions;
        let part = Naive { path, n_fixed: at, max_preemptions, ..Naive::default() };
        Some((PartId(self.n_lent), Box::new(part)))
    }

    fn awaited(&self) -> Option<PartId> {
        (self.n_lent > 0).then_some(PartId(self.n_lent))
    }

    fn take_back(&mut self, part: Box<dyn Strategy>) -> bool {
        self.n_lent -= 1;
        let part: Box<dyn std::any::Any> = part;
        self.has_cut |= part.downcast::<Naive>().is_ok_and(|part| part.has_cut);
        true
    }

    fn bound(&self) -> Option<String> {
        let bound = self.max_preemptions.filter(|_| self.has_cut)?;
        Some(format!("at most {bound} preemptions"))
    }
}
