//! Several automata that read the same letters, as one: their product, made location by location and
//! letter by letter as a search asks for it. A conjunction of many formulas has few locations that a
//! model reaches and few letters that it offers, where the automaton of the whole would have
//! exponentially many edges. Knows neither model nor formula.

use quadrille_logic::{Automaton, Cube, Edge, Letter, Location, Marks};
use rustc_hash::FxHashMap;

use super::tail::accepts_for_ever;

/// A move of all parts together.
pub(super) type Joint = (Marks, Location);

/// The product of several automata.
pub(super) struct Conjunction<'a> {
    parts: &'a [Automaton],
    n_sets: u32,
    /// The locations of the parts in each location.
    tuples: Vec<Box<[Location]>>,
    numbers: FxHashMap<Box<[Location]>, Location>,
    rows: FxHashMap<(Location, Letter), Box<[Joint]>>,
    /// Whether one letter for ever is accepted.
    endings: FxHashMap<(Location, Letter), bool>,
}

/// Bytes of an entry of the tables, about.
const ENTRY: usize = 64;

impl<'a> Conjunction<'a> {
    pub fn new(parts: &'a [Automaton]) -> Self {
        Self {
            parts,
            n_sets: parts.iter().map(|part| part.n_sets).sum(),
            tuples: Vec::new(),
            numbers: FxHashMap::default(),
            rows: FxHashMap::default(),
            endings: FxHashMap::default(),
        }
    }

    /// The marks that a cycle must have to be accepting.
    pub fn all_marks(&self) -> Marks {
        if self.n_sets == 0 { 0 } else { Marks::MAX >> (Marks::BITS - self.n_sets) }
    }

    /// Where runs start.
    pub fn initial(&mut self) -> Vec<Location> {
        let choices = self
            .parts
            .iter()
            .map(|part| part.initial.iter().map(|&location| (0, location)).collect::<Vec<Joint>>());
        let starts = combinations(&choices.collect::<Vec<_>>());
        starts.into_iter().map(|(_, tuple)| self.number(tuple)).collect()
    }

    /// Makes the moves of a location on a letter known.
    pub fn prepare(&mut self, location: Location, letter: Letter) {
        if self.rows.contains_key(&(location, letter)) {
            return;
        }
        let mut shift = 0;
        let mut choices: Vec<Vec<Joint>> = Vec::with_capacity(self.parts.len());
        for (part, own) in self.parts.iter().zip(&self.tuples[location.index()]) {
            let open = part.edges[own.index()].iter().filter(|edge| edge.label.accepts(letter));
            choices.push(open.map(|edge| (edge.marks << shift, edge.to)).collect());
            shift += part.n_sets;
        }
        let moves = combinations(&choices).into_iter();
        let mut row: Vec<Joint> = moves.map(|(marks, tuple)| (marks, self.number(tuple))).collect();
        row.sort_unstable_by_key(|&(marks, to)| (to, marks));
        row.dedup();
        self.rows.insert((location, letter), row.into());
    }

    /// The moves of a location on a letter that was prepared.
    #[inline]
    pub fn row(&self, location: Location, letter: Letter) -> &[Joint] {
        &self.rows[&(location, letter)]
    }

    /// Finds out whether one letter for ever is accepted from a location.
    pub fn prepare_ending(&mut self, location: Location, letter: Letter) {
        if self.endings.contains_key(&(location, letter)) {
            return;
        }
        let mut order = vec![location];
        let mut places: FxHashMap<Location, usize> = [(location, 0)].into_iter().collect();
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        while let Some(&from) = order.get(edges.len()) {
            self.prepare(from, letter);
            let mut own = Vec::new();
            for &(marks, to) in self.row(from, letter) {
                let place = *places.entry(to).or_insert_with(|| {
                    order.push(to);
                    order.len() - 1
                });
                own.push(Edge { label: Cube::TRUE, marks, to: Location(place as u32) });
            }
            edges.push(own);
        }
        let silent = Automaton { initial: vec![Location(0)], edges, n_sets: self.n_sets };
        for (place, accepted) in accepts_for_ever(&silent, 0).into_iter().enumerate() {
            self.endings.insert((order[place], letter), accepted);
        }
    }

    /// Whether one letter for ever is accepted from a location, which was prepared.
    pub fn accepts_ending(&self, location: Location, letter: Letter) -> bool {
        self.endings[&(location, letter)]
    }

    /// Bytes allocated, about.
    pub fn bytes(&self) -> usize {
        let tuple = self.parts.len() * size_of::<Location>();
        let rows = (self.rows.capacity() + self.endings.capacity()) * ENTRY;
        rows + self.tuples.capacity() * (2 * tuple + ENTRY)
    }

    fn number(&mut self, tuple: Vec<Location>) -> Location {
        let next = Location(self.tuples.len() as u32);
        let tuple: Box<[Location]> = tuple.into();
        let number = *self.numbers.entry(tuple.clone()).or_insert(next);
        if number == next {
            self.tuples.push(tuple);
        }
        number
    }
}

/// One choice of each list, with all marks together.
fn combinations(choices: &[Vec<Joint>]) -> Vec<(Marks, Vec<Location>)> {
    let mut all = vec![(0, Vec::with_capacity(choices.len()))];
    for own in choices {
        let mut longer = Vec::with_capacity(all.len() * own.len());
        for (marks, tuple) in &all {
            for (more, location) in own {
                let mut tuple = tuple.clone();
                tuple.push(*location);
                longer.push((marks | more, tuple));
            }
        }
        all = longer;
    }
    all
}
