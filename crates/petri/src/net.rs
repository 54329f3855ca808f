//! Place/transition nets with weights, and what firing means. Knows no file and no model.

use rustc_hash::FxHashMap;

macro_rules! index {
    ($($(#[$meta:meta])* $name:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The index of a position in a table.
            pub const fn from_usize(position: usize) -> Self {
                Self(position as u32)
            }

            /// The position in its table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index! {
    /// A place of a net.
    PlaceId;
    /// A transition of a net.
    TransitionId;
}

/// Tokens in a place.
pub type Tokens = u32;

/// Places with how many tokens, ascending, none with zero.
pub type Bag = Vec<(PlaceId, Tokens)>;

/// A transition.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transition {
    /// Its identifier.
    pub id: String,
    /// What it takes.
    pub take: Bag,
    /// What it puts.
    pub put: Bag,
}

/// A unit of a nested-unit net (Garavel 2019): places of which at most one holds a token, and units
/// that are part of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unit {
    /// Its identifier.
    pub id: String,
    /// Its own places.
    pub places: Vec<PlaceId>,
    /// Positions of its parts.
    pub parts: Vec<usize>,
}

/// A place or a transition of a symmetric net, with what it was unfolded to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family<T> {
    /// Its identifier.
    pub id: String,
    /// What it was unfolded to; nothing where it never has a token, or never fires.
    pub members: Vec<T>,
}

/// A net with its initial marking.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Net {
    /// Its identifier.
    pub id: String,
    /// Identifiers of places.
    pub places: Vec<String>,
    /// The transitions.
    pub transitions: Vec<Transition>,
    /// Tokens per place at the start.
    pub initial: Vec<Tokens>,
    /// Its units, if the file has some.
    pub units: Vec<Unit>,
    /// Whether the file says that no place ever holds two tokens, and no unit two places with a token.
    pub says_safe: bool,
    /// The places of the symmetric net that it was unfolded from, if it was.
    pub coloured_places: Vec<Family<PlaceId>>,
    /// The transitions of the symmetric net that it was unfolded from, if it was.
    pub coloured_transitions: Vec<Family<TransitionId>>,
}

impl Net {
    /// How many places there are.
    pub fn n_places(&self) -> usize {
        self.places.len()
    }

    /// All places.
    pub fn place_ids(&self) -> impl Iterator<Item = PlaceId> + use<> {
        (0..self.places.len()).map(PlaceId::from_usize)
    }

    /// All transitions.
    pub fn transition_ids(&self) -> impl Iterator<Item = TransitionId> + use<> {
        (0..self.transitions.len()).map(TransitionId::from_usize)
    }

    /// A transition.
    pub fn transition(&self, transition: TransitionId) -> &Transition {
        &self.transitions[transition.index()]
    }

    /// Whether a transition is enabled.
    pub fn is_enabled(&self, transition: TransitionId, marking: &[Tokens]) -> bool {
        let take = &self.transitions[transition.index()].take;
        take.iter().all(|&(place, weight)| marking[place.index()] >= weight)
    }

    /// Fires an enabled transition; `false`, and nothing happens, where a place would hold more
    /// tokens than 32 bits count.
    #[must_use]
    pub fn fire(&self, transition: TransitionId, marking: &mut [Tokens]) -> bool {
        let Transition { take, put, .. } = &self.transitions[transition.index()];
        for &(place, weight) in take {
            marking[place.index()] -= weight;
        }
        for (position, &(place, weight)) in put.iter().enumerate() {
            match marking[place.index()].checked_add(weight) {
                Some(sum) => marking[place.index()] = sum,
                None => {
                    for &(place, weight) in &put[..position] {
                        marking[place.index()] -= weight;
                    }
                    for &(place, weight) in take {
                        marking[place.index()] += weight;
                    }
                    return false;
                }
            }
        }
        true
    }

    /// How a transition changes places, ascending, without those that keep what they hold.
    pub fn change(&self, transition: TransitionId) -> Vec<(PlaceId, i64)> {
        let Transition { take, put, .. } = &self.transitions[transition.index()];
        let mut change: Vec<(PlaceId, i64)> = Vec::with_capacity(take.len() + put.len());
        change.extend(take.iter().map(|&(place, weight)| (place, -i64::from(weight))));
        change.extend(put.iter().map(|&(place, weight)| (place, i64::from(weight))));
        change.sort_unstable();
        change.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        change.retain(|&(_, sum)| sum != 0);
        change
    }

    /// Whether it was unfolded from a symmetric net.
    pub fn is_unfolded(&self) -> bool {
        !self.coloured_places.is_empty() || !self.coloured_transitions.is_empty()
    }

    /// The places as the file has them: those that one was unfolded to belong together.
    pub fn written_places(&self) -> Vec<(&str, Vec<PlaceId>)> {
        if self.is_unfolded() {
            return families(&self.coloured_places);
        }
        let pairs = self.places.iter().zip(self.place_ids());
        pairs.map(|(id, place)| (id.as_str(), vec![place])).collect()
    }

    /// The transitions as the file has them: those that one was unfolded to belong together.
    pub fn written_transitions(&self) -> Vec<(&str, Vec<TransitionId>)> {
        if self.is_unfolded() {
            return families(&self.coloured_transitions);
        }
        let pairs = self.transitions.iter().zip(self.transition_ids());
        pairs.map(|(transition, id)| (transition.id.as_str(), vec![id])).collect()
    }

    /// Places by what formulas call them: a name of the file, or of one place of the unfolded net.
    pub fn places_by_name(&self) -> FxHashMap<&str, Vec<PlaceId>> {
        let pairs = self.places.iter().zip(self.place_ids());
        let all = pairs.map(|(id, place)| (id.as_str(), vec![place]));
        // What the file has comes last: it counts.
        all.chain(self.written_places()).collect()
    }

    /// Transitions by what formulas call them: a name of the file, or of one of the unfolded net.
    pub fn transitions_by_name(&self) -> FxHashMap<&str, Vec<TransitionId>> {
        let pairs = self.transitions.iter().zip(self.transition_ids());
        let all = pairs.map(|(transition, id)| (transition.id.as_str(), vec![id]));
        all.chain(self.written_transitions()).collect()
    }

    /// Per place, the transitions that take from it and those that put into it.
    pub fn neighbours(&self) -> (Vec<Vec<TransitionId>>, Vec<Vec<TransitionId>>) {
        let mut takers = vec![Vec::new(); self.n_places()];
        let mut givers = vec![Vec::new(); self.n_places()];
        for (id, transition) in self.transition_ids().zip(&self.transitions) {
            for (place, _) in &transition.take {
                takers[place.index()].push(id);
            }
            for (place, _) in &transition.put {
                givers[place.index()].push(id);
            }
        }
        (takers, givers)
    }
}

fn families<T: Copy>(families: &[Family<T>]) -> Vec<(&str, Vec<T>)> {
    families.iter().map(|family| (family.id.as_str(), family.members.clone())).collect()
}

/// How many tokens of a place a bag has.
pub fn weight(bag: &Bag, place: PlaceId) -> Tokens {
    bag.binary_search_by_key(&place, |entry| entry.0).map_or(0, |at| bag[at].1)
}

/// Adds tokens of a place to a bag.
pub(crate) fn add(bag: &mut Bag, place: PlaceId, tokens: Tokens) {
    match bag.binary_search_by_key(&place, |entry| entry.0) {
        Ok(at) => bag[at].1 = bag[at].1.saturating_add(tokens),
        Err(at) => bag.insert(at, (place, tokens)),
    }
}
