//! Which slot of a state vector holds the tokens of which place: places that share one token share a
//! slot, the others have one each.

use std::collections::BinaryHeap;

use crate::invariants::Semiflow;
use crate::net::{Net, PlaceId, Tokens};

/// What a slot holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Slot {
    /// The tokens of a place.
    Counter(PlaceId),
    /// Which of these places holds a token: 0 for none, else one more than its position.
    Machine(Vec<PlaceId>),
}

/// The slots of a net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slots {
    /// What each holds.
    pub slots: Vec<Slot>,
    /// Per place, its slot, and the value that means a token where the slot is shared.
    pub of_place: Vec<(usize, Option<Tokens>)>,
}

impl Slots {
    /// A slot per place.
    pub fn plain(net: &Net) -> Self {
        let slots = net.place_ids().map(Slot::Counter).collect();
        let of_place = (0..net.n_places()).map(|place| (place, None)).collect();
        Self { slots, of_place }
    }

    /// Slots shared by as many places as semiflows show to share a token, the largest first.
    pub fn shared(net: &Net, semiflows: &[Semiflow]) -> Self {
        let machines: Vec<&Semiflow> =
            semiflows.iter().filter(|flow| flow.is_state_machine()).collect();
        let mut is_free = vec![true; net.n_places()];
        let mut chosen: Vec<Vec<PlaceId>> = Vec::new();
        let free = |at: usize, is_free: &[bool]| {
            machines[at].weights.iter().filter(|(place, _)| is_free[place.index()]).count()
        };
        // Of equal gains, that of the smallest semiflow: its slot has a value in every marking.
        let rank = |at: usize, gain: usize| {
            (gain, usize::MAX - machines[at].weights.len(), usize::MAX - at, at)
        };
        let all = (0..machines.len()).map(|at| rank(at, free(at, &is_free)));
        let mut open: BinaryHeap<_> = all.collect();
        while let Some((gain, .., best)) = open.pop() {
            // Gains become smaller as places are taken by others.
            let now = free(best, &is_free);
            if now < gain {
                open.push(rank(best, now));
                continue;
            }
            if gain <= 1 {
                break;
            }
            let weights = machines[best].weights.iter().map(|&(place, _)| place);
            let places: Vec<PlaceId> = weights.filter(|place| is_free[place.index()]).collect();
            places.iter().for_each(|place| is_free[place.index()] = false);
            chosen.push(places);
        }
        let counters = net.place_ids().filter(|place| is_free[place.index()]).map(Slot::Counter);
        let mut slots: Vec<Slot> = chosen.into_iter().map(Slot::Machine).chain(counters).collect();
        slots.sort_by_key(|slot| match slot {
            Slot::Counter(place) => *place,
            Slot::Machine(places) => places[0],
        });
        let mut of_place = vec![(0, None); net.n_places()];
        for (number, slot) in slots.iter().enumerate() {
            match slot {
                Slot::Counter(place) => of_place[place.index()] = (number, None),
                Slot::Machine(places) => {
                    for (position, place) in places.iter().enumerate() {
                        of_place[place.index()] = (number, Some(position as Tokens + 1));
                    }
                }
            }
        }
        Self { slots, of_place }
    }

    /// The tokens of a place in a state.
    pub fn tokens(&self, place: PlaceId, state: &[u32]) -> Tokens {
        match self.of_place[place.index()] {
            (slot, None) => state[slot],
            (slot, Some(value)) => Tokens::from(state[slot] == value),
        }
    }

    /// A state as a marking.
    pub fn marking(&self, state: &[u32]) -> Vec<Tokens> {
        let places = (0..self.of_place.len()).map(PlaceId::from_usize);
        places.map(|place| self.tokens(place, state)).collect()
    }

    /// A marking as a state.
    pub fn state(&self, marking: &[Tokens]) -> Vec<u32> {
        let held = |slot: &Slot| match slot {
            Slot::Counter(place) => marking[place.index()],
            Slot::Machine(places) => {
                let marked = places.iter().position(|place| marking[place.index()] > 0);
                marked.map_or(0, |position| position as u32 + 1)
            }
        };
        self.slots.iter().map(held).collect()
    }
}
