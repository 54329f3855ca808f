//! Emptiness of the product by shrinking a set of nodes until only what lies on, or behind, accepting
//! cycles is left: one way, catch them young.
//!
//! Fisler, Fraer, Kamhi, Vardi and Yang (TACAS 2001); Černá and Pelánek, "Distributed explicit fair
//! cycle detection" (SPIN 2003); Barnat, Brim and Ročkai (2009). From all nodes that are met, those are
//! kept that can be reached, inside the set, from a move with each mark; then those go that nothing in
//! the set leads to; again, until nothing changes. A set that is left has a part that nothing else leads
//! to, in which every node lies on a cycle and every mark occurs: an accepting cycle. Nothing depends on
//! an order, so workers share every pass and what comes out is the same for any number of them.
//!
//! A cycle stays inside one component of the automaton: only moves inside components that have all
//! marks are looked at, and where every move of a component has them, none has to be looked for. Then
//! taking away once is enough: what is left has a cycle. Every pass over the moves does what it can for
//! the next one: where to start is noted while nodes are met, and moves are counted while nodes are
//! reached.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use quadrille_graph::Components;
use quadrille_logic::{Automaton, Letter, Location, Marks};
use quadrille_model::{Bound, StateId};

use super::node::Node;
use super::product::Reading;
use crate::graph::LabelId;
use crate::limits::{Progress, Watch};
use crate::workers::Workers;

/// Nodes that a worker takes at a time.
const SLICE: usize = 1 << 10;
/// Words of a set that a worker takes at a time.
const WORDS: usize = 1 << 8;

/// What is left of the product.
pub(super) struct Left {
    /// Nodes that can be reached, and moves out of them.
    pub n_nodes: u64,
    pub n_moves: u64,
    /// Whether some run is accepted.
    pub accepts: bool,
}

/// Whether the product has few enough places for every pair of a state and a location.
pub(super) fn suits(n_states: usize, n_locations: usize) -> bool {
    n_locations <= 32 && n_states.saturating_mul(n_locations) < u32::MAX as usize
}

/// Looks for an accepted run of a graph whose states are all expanded and read.
pub(super) fn shrink(
    reading: &Reading<'_>,
    starts: &[Node],
    workers: Workers,
    watch: &mut Watch<'_>,
) -> Result<Left, Bound> {
    let automaton = reading.automaton;
    let n_places = reading.states.len() * automaton.n_locations();
    let bytes = 2 * n_places.div_ceil(64) * size_of::<u64>() + n_places * size_of::<u32>();
    watch.allocated(reading.bytes + bytes)?;
    let homes = Homes::new(automaton);
    let workers = if workers.suit(reading.states.len()) { workers } else { Workers::default() };
    let mut owcty = Owcty {
        reading,
        homes: &homes,
        workers,
        watch,
        bytes: reading.bytes + bytes,
        n_nodes: 0,
        n_moves: 0,
    };
    let is_alone = workers.number() == 1;
    let met = Set::new(n_places, is_alone);
    let mut counts = Counts::new(n_places, is_alone);
    let starts = starts.iter().map(|&node| reading.place(node)).collect();
    let mut left = Left { n_nodes: 0, n_moves: 0, accepts: false };
    let seeds = Set::new(n_places, is_alone);
    left.accepts = owcty.meet_all(&met, starts, &seeds, &counts)?;
    (left.n_nodes, left.n_moves) = (owcty.n_nodes, owcty.n_moves);
    if !left.accepts {
        left.accepts = owcty.shrink(met, seeds, &mut counts)?;
    }
    Ok(left)
}

/// The components of the automaton in which cycles can be accepted.
pub(crate) struct Homes {
    /// Per location, its component where that has all marks.
    of: Vec<Option<u32>>,
    /// The marks to look for: none where every move of such a component has all of them.
    wanted: Marks,
}

impl Homes {
    pub fn new(automaton: &Automaton) -> Self {
        let all = automaton.all_marks();
        let Components { of, count } = automaton.components_where(|_, _| true);
        let (mut some, mut every) = (vec![None; count], vec![all; count]);
        for (location, edges) in automaton.edges.iter().enumerate() {
            let home = of[location] as usize;
            for edge in edges.iter().filter(|edge| of[edge.to.index()] == of[location]) {
                *some[home].get_or_insert(0) |= edge.marks;
                every[home] &= edge.marks;
            }
        }
        let accepting = |home: u32| some[home as usize] == Some(all);
        let wanted = (0..count as u32)
            .filter(|&home| accepting(home))
            .fold(0, |wanted, home| wanted | (all & !every[home as usize]));
        Self { of: of.into_iter().map(|home| accepting(home).then_some(home)).collect(), wanted }
    }

    /// Whether there is any.
    pub fn some(&self) -> bool {
        self.of.iter().any(Option::is_some)
    }

    /// Whether a location is in one.
    pub fn has(&self, location: Location) -> bool {
        self.of[location.index()].is_some()
    }

    /// The marks to look for, one by one.
    pub fn marks(&self) -> impl Iterator<Item = Marks> + use<> {
        let wanted = self.wanted;
        (0..Marks::BITS).map(|bit| 1 << bit).filter(move |mark| wanted & mark != 0)
    }

    /// Whether a move between these locations can lie on an accepted cycle.
    #[inline]
    pub fn inside(&self, from: Location, to: Location) -> bool {
        let home = self.of[from.index()];
        home.is_some() && home == self.of[to.index()]
    }
}

/// A set of places that several threads change at the same time.
struct Set {
    words: Vec<AtomicU64>,
    /// One thread need not pay for changes that no other can come between.
    is_alone: bool,
}

impl Set {
    fn new(length: usize, is_alone: bool) -> Self {
        let words = (0..length.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { words, is_alone }
    }

    #[inline]
    fn has(&self, place: u32) -> bool {
        self.words[place as usize / 64].load(Relaxed) >> (place % 64) & 1 == 1
    }

    /// Adds a place and says whether it is new.
    #[inline]
    fn insert(&self, place: u32) -> bool {
        let (word, bit) = (&self.words[place as usize / 64], 1 << (place % 64));
        let before = word.load(Relaxed);
        if before & bit != 0 {
            return false;
        }
        if self.is_alone {
            word.store(before | bit, Relaxed);
            return true;
        }
        word.fetch_or(bit, Relaxed) & bit == 0
    }

    #[inline]
    fn remove(&self, place: u32) {
        let (word, bit) = (&self.words[place as usize / 64], 1 << (place % 64));
        if self.is_alone {
            word.store(word.load(Relaxed) & !bit, Relaxed);
        } else {
            word.fetch_and(!bit, Relaxed);
        }
    }

    fn len(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.load(Relaxed).count_ones())).sum()
    }

    /// Shows the members in a range of words.
    fn each(&self, words: std::ops::Range<usize>, mut see: impl FnMut(u32)) {
        for number in words {
            let mut word = self.words[number].load(Relaxed);
            while word != 0 {
                see(number as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
    }

    /// Ranges of words that workers take.
    fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> + Send + use<> {
        let length = self.words.len();
        (0..length).step_by(WORDS).map(move |start| start..length.min(start + WORDS))
    }
}

/// How many moves lead to each place, counted by several threads.
struct Counts {
    of: Vec<AtomicU32>,
    is_alone: bool,
}

impl Counts {
    fn new(length: usize, is_alone: bool) -> Self {
        Self { of: (0..length).map(|_| AtomicU32::new(0)).collect(), is_alone }
    }

    #[inline]
    fn add(&self, place: u32) {
        let count = &self.of[place as usize];
        if self.is_alone {
            count.store(count.load(Relaxed) + 1, Relaxed);
        } else {
            count.fetch_add(1, Relaxed);
        }
    }

    /// Whether none is left after this one.
    #[inline]
    fn take(&self, place: u32) -> bool {
        let count = &self.of[place as usize];
        if self.is_alone {
            let left = count.load(Relaxed) - 1;
            count.store(left, Relaxed);
            return left == 0;
        }
        count.fetch_sub(1, Relaxed) == 1
    }

    fn is_zero(&self, place: u32) -> bool {
        self.of[place as usize].load(Relaxed) == 0
    }

    fn clear(&mut self) {
        self.of.iter_mut().for_each(|count| *count.get_mut() = 0);
    }
}

/// The lowest of some marks.
fn first_of(marks: Marks) -> Marks {
    marks & marks.wrapping_neg()
}

struct Owcty<'a, 'r, 'w> {
    reading: &'a Reading<'r>,
    homes: &'a Homes,
    workers: Workers,
    watch: &'a mut Watch<'w>,
    bytes: usize,
    n_nodes: u64,
    n_moves: u64,
}

/// What a worker found out about a slice.
#[derive(Default)]
struct Slice {
    fresh: Vec<u32>,
    n_moves: u64,
    accepts: bool,
}

impl Owcty<'_, '_, '_> {
    /// Meets everything that can be reached; says whether a run that ends is accepted. Notes where moves
    /// with the first mark lead that has to be looked for; without any, counts moves.
    fn meet_all(
        &mut self,
        met: &Set,
        starts: Vec<u32>,
        seeds: &Set,
        counts: &Counts,
    ) -> Result<bool, Bound> {
        let (homes, first) = (self.homes, first_of(self.homes.wanted));
        let mut frontier: Vec<u32> =
            starts.into_iter().filter(|&place| met.insert(place)).collect();
        while !frontier.is_empty() {
            self.n_nodes += frontier.len() as u64;
            let reading = self.reading;
            let (next, found) = self.spread(&frontier, |slice, place| {
                slice.accepts |= reading.accepts_end(place);
                let from = reading.location(place);
                reading.moves(place, |marks, to| {
                    slice.n_moves += 1;
                    if homes.inside(from, reading.location(to)) {
                        if homes.wanted == 0 {
                            counts.add(to);
                        } else if marks & first != 0 {
                            seeds.insert(to);
                        }
                    }
                    if met.insert(to) {
                        slice.fresh.push(to);
                    }
                });
            })?;
            if found {
                return Ok(true);
            }
            frontier = next;
        }
        Ok(false)
    }

    /// Takes away what lies on no accepted cycle; says whether anything is left.
    fn shrink(&mut self, set: Set, seeds: Set, counts: &mut Counts) -> Result<bool, Bound> {
        let (reading, homes) = (self.reading, self.homes);
        self.over(&set, |place| {
            if homes.of[reading.location(place).index()].is_none() {
                set.remove(place);
            }
        })?;
        if homes.wanted == 0 {
            self.eliminate(&set, counts)?;
            return Ok(set.len() > 0);
        }
        let (mut set, mut other, mut is_seeded) = (set, seeds, true);
        let mut n_left = set.len();
        while n_left > 0 {
            let before = n_left;
            let mut marks = self.homes.wanted;
            while marks != 0 {
                if !std::mem::take(&mut is_seeded) {
                    self.seed(&set, &other, first_of(marks))?;
                }
                marks &= marks - 1;
                counts.clear();
                self.reach(&set, &other, counts)?;
                std::mem::swap(&mut set, &mut other);
                other.words.iter_mut().for_each(|word| *word.get_mut() = 0);
            }
            self.eliminate(&set, counts)?;
            n_left = set.len();
            if n_left == before {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds where moves with a mark lead inside a set.
    fn seed(&mut self, set: &Set, seeds: &Set, mark: Marks) -> Result<(), Bound> {
        let (reading, homes) = (self.reading, self.homes);
        self.over(set, |place| {
            reading.inner_moves(homes, place, |marks, to| {
                if marks & mark != 0 && set.has(to) {
                    seeds.insert(to);
                }
            });
        })
    }

    /// Adds everything that can be reached inside a set, and counts the moves between what is reached.
    fn reach(&mut self, set: &Set, reached: &Set, counts: &Counts) -> Result<(), Bound> {
        let (reading, homes) = (self.reading, self.homes);
        let mut frontier = Vec::new();
        reached.each(0..reached.words.len(), |place| frontier.push(place));
        while !frontier.is_empty() {
            (frontier, _) = self.spread(&frontier, |slice, place| {
                reading.inner_moves(homes, place, |_, to| {
                    if set.has(to) {
                        counts.add(to);
                        if reached.insert(to) {
                            slice.fresh.push(to);
                        }
                    }
                });
            })?;
        }
        Ok(())
    }

    /// Takes away what nothing in the set leads to, given how many moves lead to each place.
    fn eliminate(&mut self, set: &Set, counts: &Counts) -> Result<(), Bound> {
        let (reading, homes) = (self.reading, self.homes);
        let mut frontier = Vec::new();
        set.each(0..set.words.len(), |place| {
            if counts.is_zero(place) {
                frontier.push(place);
            }
        });
        while !frontier.is_empty() {
            frontier.iter().for_each(|&place| set.remove(place));
            (frontier, _) = self.spread(&frontier, |slice, place| {
                reading.inner_moves(homes, place, |_, to| {
                    if set.has(to) && counts.take(to) {
                        slice.fresh.push(to);
                    }
                });
            })?;
        }
        Ok(())
    }

    /// Looks at all places of a set.
    fn over(&mut self, set: &Set, see: impl Fn(u32) + Sync) -> Result<(), Bound> {
        let mut bound = None;
        let watch = &mut *self.watch;
        self.workers.share(
            set.ranges(),
            || (),
            |(), range| set.each(range, &see),
            || {
                bound = watch.wait().err();
                bound.is_none()
            },
        );
        bound.map_or(Ok(()), Err)
    }

    /// Looks at a frontier, and gives the next one and whether something was accepted. The order in
    /// which places come does not matter.
    fn spread(
        &mut self,
        frontier: &[u32],
        see: impl Fn(&mut Slice, u32) + Sync,
    ) -> Result<(Vec<u32>, bool), Bound> {
        let mut slices: Vec<Slice> = Vec::new();
        slices.resize_with(frontier.len().div_ceil(SLICE), Slice::default);
        let workers =
            if self.workers.suit(frontier.len()) { self.workers } else { Workers::default() };
        let (mut bound, watch) = (None, &mut *self.watch);
        workers.share(
            slices.iter_mut().zip(frontier.chunks(SLICE)),
            || (),
            |(), (slice, places)| places.iter().for_each(|&place| see(slice, place)),
            || {
                bound = watch.wait().err();
                bound.is_none()
            },
        );
        if let Some(bound) = bound {
            return Err(bound);
        }
        self.n_moves += slices.iter().map(|slice| slice.n_moves).sum::<u64>();
        let mut next = Vec::with_capacity(slices.iter().map(|slice| slice.fresh.len()).sum());
        slices.iter().for_each(|slice| next.extend_from_slice(&slice.fresh));
        let queues = (2 * next.capacity() + frontier.len()) * size_of::<u32>();
        let (states, transitions) = (self.n_nodes, self.n_moves);
        let progress = || Progress {
            states,
            transitions,
            depth: None,
            frontier: next.len() as u64,
            bytes: (self.bytes + queues) as u64,
        };
        let n_states = (self.n_nodes as usize).max(self.reading.states.len());
        self.watch.check_after(frontier.len(), n_states, progress)?;
        Ok((next, slices.iter().any(|slice| slice.accepts)))
    }
}

impl Reading<'_> {
    fn n_locations(&self) -> usize {
        self.automaton.n_locations()
    }

    fn place(&self, node: Node) -> u32 {
        (node.state.index() * self.n_locations() + node.location.index()) as u32
    }

    #[inline]
    fn location(&self, place: u32) -> Location {
        Location(place % self.n_locations() as u32)
    }

    #[inline]
    fn state(&self, place: u32) -> StateId {
        StateId::new(place / self.n_locations() as u32)
    }

    /// Whether a run that ends here is accepted.
    fn accepts_end(&self, place: u32) -> bool {
        let known = self.states[self.state(place).index()];
        known & 1 == 1 && self.endings[(known >> 1) as usize][self.location(place).index()]
    }

    #[inline]
    fn letter(&self, here: Letter, label: LabelId) -> Letter {
        here | self.label_letters[label.index()]
    }

    /// Shows all moves out of a place.
    #[inline]
    fn moves(&self, place: u32, mut see: impl FnMut(Marks, u32)) {
        let (state, location) = (self.state(place), self.location(place));
        let here = self.classes[(self.states[state.index()] >> 1) as usize];
        let choices = &self.automaton.edges[location.index()];
        for step in self.kept.steps(state) {
            let letter = self.letter(here, step.label);
            let first = step.to.number() * self.n_locations() as u32;
            for edge in choices.iter().filter(|edge| edge.label.accepts(letter)) {
                see(edge.marks, first + edge.to.0);
            }
        }
    }

    /// Shows the moves out of a place that can lie on an accepted cycle.
    #[inline]
    fn inner_moves(&self, homes: &Homes, place: u32, mut see: impl FnMut(Marks, u32)) {
        let from = self.location(place);
        self.moves(place, |marks, to| {
            if homes.inside(from, self.location(to)) {
                see(marks, to);
            }
        });
    }
}
