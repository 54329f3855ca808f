//! Where all threads are, as small numbers: the coordinates of the program in the grid of its consistent states.

use quadrille_sim::{Action, Place, task};
use rustc_hash::FxHashMap;

/// Numbers positions in the order in which they are met.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    numbers: FxHashMap<(&'static str, u32, u32, &'static str), u32>,
    met: Vec<Option<(Action, Place)>>,
    state: Vec<u32>,
}

/// The number of a thread that has ended.
const ENDED: u32 = 0;

impl Positions {
    /// The positions of all threads if no lock is held: then no thread is in the middle of changing what others see.
    pub(crate) fn consistent(&mut self) -> Option<&[u32]> {
        if task::n_held() > 0 {
            return None;
        }
        self.met.clear();
        task::positions(&mut self.met);
        self.state.clear();
        for position in &self.met {
            let number = match position {
                None => ENDED,
                Some((action, place)) => {
                    let next = self.numbers.len() as u32 + 1;
                    let key = (place.file(), place.line(), place.column(), action.word());
                    *self.numbers.entry(key).or_insert(next)
                }
            };
            self.state.push(number);
        }
        Some(&self.state)
    }
}
