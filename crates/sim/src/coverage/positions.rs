//! Where all tasks are, as small numbers: the coordinates of the program in the grid of its
//! consistent states.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::operation::{Action, Place};

/// Numbers positions. The same position has the same number everywhere in the process.
#[derive(Debug, Default)]
pub struct Positions {
    /// By where its place and its word lie in memory.
    known: FxHashMap<(usize, usize), u32>,
    state: Vec<u32>,
}

/// The number of a task that has ended.
const ENDED: u32 = 0;

/// By file, line, column and what is done there.
type Numbers = BTreeMap<(&'static str, u32, u32, &'static str), u32>;

static NUMBERS: Mutex<Numbers> = Mutex::new(Numbers::new());

/// Asked for once per position and worker.
fn number(action: Action, place: Place) -> u32 {
    let mut numbers = NUMBERS.lock().unwrap_or_else(PoisonError::into_inner);
    let next = numbers.len() as u32 + 1;
    *numbers.entry((place.file(), place.line(), place.column(), action.word())).or_insert(next)
}

impl Positions {
    /// The state whose tasks are at these positions; nothing where one has ended.
    pub fn state(
        &mut self,
        positions: impl IntoIterator<Item = Option<(Action, Place)>>,
    ) -> &[u32] {
        self.state.clear();
        for position in positions {
            self.state.push(position.map_or(ENDED, |(action, place)| {
                let key = (std::ptr::from_ref(place) as usize, action.word().as_ptr() as usize);
                *self.known.entry(key).or_insert_with(|| number(action, place))
            }));
        }
        &self.state
    }
}
