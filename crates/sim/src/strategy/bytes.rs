//! Decisions from a string of bytes, so that a fuzzer can look for schedules: every string means an
//! execution, and small changes of it mean small changes of the schedule.

use super::{Point, Strategy};
use crate::operation::TaskId;

/// One execution, decided by bytes.
#[derive(Clone, Debug)]
pub struct Bytes {
    bytes: Vec<u8>,
    position: usize,
    has_begun: bool,
}

impl Bytes {
    /// A byte for each choice among several; when there are no more, the running task goes on.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Bytes {
        Bytes { bytes: bytes.into(), position: 0, has_begun: false }
    }

    fn next(&mut self, bound: usize) -> Option<usize> {
        let byte = *self.bytes.get(self.position)?;
        self.position += 1;
        Some(usize::from(byte) % bound)
    }
}

impl Strategy for Bytes {
    fn begin(&mut self) -> bool {
        self.position = 0;
        !std::mem::replace(&mut self.has_begun, true)
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        if let [only] = point.enabled {
            return Some(*only);
        }
        let goes_on = point.enabled.iter().position(|task| *task == point.current).unwrap_or(0);
        // Who only polls lets the next one go on instead.
        let goes_on = goes_on + usize::from(point.polls);
        // Zero lets the running task go on, so that a string of zeros means no preemption at all.
        let chosen = self.next(point.enabled.len()).unwrap_or(0);
        Some(point.enabled[(goes_on + chosen) % point.enabled.len()])
    }

    fn draw(&mut self, bound: u32) -> u32 {
        self.next(bound as usize).unwrap_or(0) as u32
    }
}
