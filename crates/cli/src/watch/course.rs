//! The course of a search: how fast it is, and when it may end, from how its levels grow. Reads no clock.

use quadrille_engine::{Progress, growth};

/// What was seen of a search.
#[derive(Clone, Default, Debug)]
pub(super) struct Course {
    /// The level that is expanded, and the states that were met when that began.
    at: Option<(u64, u64)>,
    /// States that were met before the first of the levels below.
    before: u64,
    /// Sizes of levels that follow each other; small ones go by unseen.
    levels: Vec<u64>,
}

impl Course {
    /// Looks at a search.
    pub(super) fn see(&mut self, progress: &Progress) {
        let Some(depth) = progress.depth else { return };
        match self.at {
            Some((known, _)) if depth == known => return,
            Some((known, met)) if depth == known + 1 => {
                self.levels.push(progress.states.saturating_sub(met));
            }
            _ => {
                self.levels.clear();
                self.before = progress.states;
            }
        }
        self.at = Some((depth, progress.states));
    }

    /// States that there may be in all; `None` where that cannot be said.
    pub(super) fn total(&self) -> Option<f64> {
        let known: u64 = self.levels.iter().sum();
        let likely = growth(&self.levels, known).likely?;
        Some(self.before as f64 + likely)
    }

    /// Seconds that it may still take.
    pub(super) fn left(&self, progress: &Progress, seconds: f64) -> Option<f64> {
        let done = progress.states.saturating_sub(progress.frontier) as f64;
        let rate = done / seconds.max(0.001);
        let left = (self.total()? - done).max(0.0) / rate.max(1e-9);
        (rate > 0.0 && left.is_finite()).then_some(left)
    }
}

/// A time as one tells it.
pub(super) fn about(seconds: f64) -> String {
    let (number, unit) = match seconds {
        ..90.0 => (seconds, "s"),
        ..5_400.0 => (seconds / 60.0, "min"),
        ..129_600.0 => (seconds / 3_600.0, "h"),
        _ => (seconds / 86_400.0, "days"),
    };
    format!("about {number:.0} {unit} left")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(levels: &[u64]) -> Course {
        let (mut course, mut states) = (Course::default(), 0);
        for (depth, size) in (0..).zip(levels) {
            states += size;
            course.see(&Progress { states, depth: Some(depth), ..Progress::default() });
        }
        course
    }

    #[test]
    fn levels_that_shrink_have_an_end() {
        let levels: Vec<u64> = (0..12).map(|level| (1 << 20) >> level).collect();
        let course = seen(&levels);
        let total = course.total().expect("an estimate");
        assert!((2.0e6..2.2e6).contains(&total), "{total}");
        let states = levels.iter().sum();
        let progress = Progress { states, frontier: 0, ..Progress::default() };
        let left = course.left(&progress, 10.0).expect("an estimate");
        assert!(left < 1.0, "{left}");
    }

    #[test]
    fn what_grows_ever_faster_has_none() {
        let levels: Vec<u64> = (0..12).map(|level| 1 << (level * level / 8)).collect();
        assert_eq!(seen(&levels).total(), None);
        assert_eq!(seen(&[]).total(), None);
    }

    #[test]
    fn levels_that_went_by_unseen_are_counted_with_what_was_before() {
        let mut course = seen(&[1, 2, 4]);
        course.see(&Progress { states: 1000, depth: Some(9), ..Progress::default() });
        assert_eq!((course.before, course.levels.len()), (1000, 0));
    }

    #[test]
    fn times_are_told_roundly() {
        assert_eq!(about(12.4), "about 12 s left");
        assert_eq!(about(600.0), "about 10 min left");
        assert_eq!(about(1e4), "about 3 h left");
        assert_eq!(about(1e6), "about 12 days left");
    }
}
