//! Smaller nets that answer the same question. Every rule is by itself, and says what it keeps; a run of
//! the smaller net is told as a run of the net itself, since each of its transitions stands for some of
//! them, in order.
//!
//! Places that the question speaks about are never touched. The rules are those of Berthelot (1987), and
//! of Thierry-Mieg (Petri Nets 2020) where only reachability counts.

mod redundant;

use rustc_hash::FxHashMap;

use crate::net::{Bag, Net, PlaceId, Tokens, Transition, TransitionId, add, weight};

/// What must stay the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Which values the places of the question reach.
    Reachability,
    /// Whether a dead marking is reachable.
    Deadlock,
    /// Everything that formulas can say about the places of the question.
    Everything,
}

/// The rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// Transitions that do the same as another one. Keeps everything but numbers of firings.
    Parallel,
    /// Transitions that need more than their places ever hold by a constant. Keeps everything.
    Dead,
    /// Transitions that take from places which stay empty together. Keeps everything.
    Siphon,
    /// Transitions that do the same as one that needs less. Keeps everything.
    Dominated,
    /// Places that hold the same for ever, and enough. Keeps everything.
    Constant,
    /// Places that nothing is taken from. Keeps everything.
    Sink,
    /// Places that always hold at least as much as another with the same arcs. Keeps everything.
    Equal,
    /// A place from which transitions take that need nothing else: they follow at once. Keeps
    /// reachability and dead markings.
    After,
    /// A place into which transitions put that do nothing else: they wait until they are needed.
    /// Keeps reachability.
    Before,
    /// Transitions that change nothing the question sees, and give nothing. Keeps reachability.
    Loss,
    /// Transitions and places that have no influence on the question. Keeps reachability.
    Slice,
    /// Transitions that two others stand for, one after the other. Keeps reachability and dead
    /// markings.
    Composed,
    /// Places that hold enough wherever all else that a transition needs is there. Keeps everything.
    Implicit,
}

impl Rule {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Rule; 13] = [
        Rule::Parallel,
        Rule::Dead,
        Rule::Siphon,
        Rule::Dominated,
        Rule::Constant,
        Rule::Sink,
        Rule::Equal,
        Rule::Loss,
        Rule::Slice,
        Rule::Composed,
        Rule::After,
        Rule::Before,
        Rule::Implicit,
    ];

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Rule::Parallel => "parallel",
            Rule::Dead => "dead",
            Rule::Siphon => "siphon",
            Rule::Dominated => "dominated",
            Rule::Composed => "composed",
            Rule::Implicit => "implicit",
            Rule::Constant => "constant",
            Rule::Sink => "sink",
            Rule::Equal => "equal",
            Rule::After => "after",
            Rule::Before => "before",
            Rule::Loss => "loss",
            Rule::Slice => "slice",
        }
    }

    /// Whether it may be used.
    pub fn keeps(self, keep: Keep) -> bool {
        match self {
            Rule::Parallel
            | Rule::Dead
            | Rule::Siphon
            | Rule::Dominated
            | Rule::Constant
            | Rule::Sink
            | Rule::Equal
            | Rule::Implicit => true,
            Rule::After | Rule::Composed => keep != Keep::Everything,
            Rule::Before | Rule::Loss | Rule::Slice => keep == Keep::Reachability,
        }
    }
}

/// A smaller net.
pub struct Smaller {
    /// The net.
    pub net: Net,
    /// Per place of the whole net, its place in the smaller one.
    pub places: Vec<Option<PlaceId>>,
    /// Per transition of the smaller net, what it stands for.
    pub stands_for: Vec<Vec<TransitionId>>,
    /// Rules that were used.
    pub used: Vec<Rule>,
}

impl Smaller {
    /// A run of the smaller net as one of the whole net.
    pub fn unreduced(&self, run: &[TransitionId]) -> Vec<TransitionId> {
        run.iter().flat_map(|id| self.stands_for[id.index()].iter().copied()).collect()
    }
}

/// A net that is being made smaller.
struct Work<'k> {
    kept: &'k [bool],
    keep: Keep,
    /// Whether there is time left: a rule that is cut short does nothing more.
    go_on: &'k mut dyn FnMut() -> bool,
    initial: Vec<Tokens>,
    is_place: Vec<bool>,
    transitions: Vec<(Transition, Vec<TransitionId>)>,
}

/// Transitions that one agglomeration may add, beyond those it takes away.
const MOST_ADDED: usize = 6;
/// Transitions that one transition may stand for.
const LONGEST: usize = 200;
/// Rounds over all rules.
const MOST_ROUNDS: usize = 60;

/// Makes a net smaller by these rules, as far as they keep what must stay the same. `kept` are the places
/// that the question speaks about.
pub fn smaller(net: &Net, kept: &[bool], keep: Keep, rules: &[Rule]) -> Smaller {
    smaller_while(net, kept, keep, rules, &mut || true)
}

/// The same, as far as it comes while `go_on` says so.
pub fn smaller_while(
    net: &Net,
    kept: &[bool],
    keep: Keep,
    rules: &[Rule],
    go_on: &mut dyn FnMut() -> bool,
) -> Smaller {
    let mut work = Work {
        kept,
        keep,
        go_on,
        initial: net.initial.clone(),
        is_place: vec![true; net.n_places()],
        transitions: net
            .transition_ids()
            .map(|id| (net.transition(id).clone(), vec![id]))
            .collect(),
    };
    let mut used = Vec::new();
    for _ in 0..MOST_ROUNDS {
        let mut is_changed = false;
        for &rule in rules.iter().filter(|rule| rule.keeps(keep)) {
            // The dearest one last, when no other does anything.
            let is_its_turn = rule != Rule::Implicit || !is_changed;
            if is_its_turn && (work.go_on)() && work.apply(rule) {
                is_changed = true;
                if !used.contains(&rule) {
                    used.push(rule);
                }
            }
        }
        if !is_changed {
            break;
        }
    }
    work.finish(net, used)
}

impl Work<'_> {
    fn apply(&mut self, rule: Rule) -> bool {
        match rule {
            Rule::Parallel => self.parallel(),
            Rule::Dead => self.dead(),
            Rule::Siphon => self.siphon(),
            Rule::Dominated => self.dominated(),
            Rule::Composed => self.composed(),
            Rule::Implicit => self.implicit(),
            Rule::Constant => self.constant(),
            Rule::Sink => self.sink(),
            Rule::Equal => self.equal(),
            Rule::Loss => self.loss(),
            Rule::Slice => self.slice(),
            Rule::After => self.after(),
            Rule::Before => self.before(),
        }
    }

    fn finish(self, net: &Net, mut used: Vec<Rule>) -> Smaller {
        used.sort_unstable();
        let mut places = vec![None; net.n_places()];
        let mut small = Net { id: net.id.clone(), ..Net::default() };
        for place in net.place_ids().filter(|place| self.is_place[place.index()]) {
            places[place.index()] = Some(PlaceId::from_usize(small.places.len()));
            small.places.push(net.places[place.index()].clone());
            small.initial.push(self.initial[place.index()]);
        }
        let renamed = |bag: &Bag| -> Bag {
            let entry = |&(place, tokens): &(PlaceId, Tokens)| {
                places[place.index()].map(|place| (place, tokens))
            };
            bag.iter().filter_map(entry).collect()
        };
        let mut stands_for = Vec::new();
        for (transition, all) in self.transitions {
            let (take, put) = (renamed(&transition.take), renamed(&transition.put));
            small.transitions.push(Transition { id: transition.id, take, put });
            stands_for.push(all);
        }
        Smaller { net: small, places, stands_for, used }
    }

    fn is_open(&self, place: usize) -> bool {
        self.is_place[place] && !self.kept[place]
    }

    /// Removes places with their arcs; whether there are some.
    fn drop_places(&mut self, places: &[usize]) -> bool {
        if places.is_empty() {
            return false;
        }
        places.iter().for_each(|&place| self.is_place[place] = false);
        for (transition, _) in &mut self.transitions {
            transition.take.retain(|(place, _)| self.is_place[place.index()]);
            transition.put.retain(|(place, _)| self.is_place[place.index()]);
        }
        true
    }

    /// Per place, positions of the transitions that take from it and of those that put into it.
    fn neighbours(&self) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let n = self.initial.len();
        let (mut takers, mut givers) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for (position, (transition, _)) in self.transitions.iter().enumerate() {
            transition.take.iter().for_each(|(place, _)| takers[place.index()].push(position));
            transition.put.iter().for_each(|(place, _)| givers[place.index()].push(position));
        }
        (takers, givers)
    }

    fn parallel(&mut self) -> bool {
        let n = self.transitions.len();
        let mut shortest: FxHashMap<(Bag, Bag), usize> = FxHashMap::default();
        let mut keep = vec![true; n];
        for position in 0..n {
            let (transition, run) = &self.transitions[position];
            let key = (transition.take.clone(), transition.put.clone());
            match shortest.get(&key).copied() {
                Some(known) if self.transitions[known].1.len() <= run.len() => {
                    keep[position] = false;
                }
                Some(known) => {
                    keep[known] = false;
                    shortest.insert(key, position);
                }
                None => {
                    shortest.insert(key, position);
                }
            }
        }
        self.retain(&keep)
    }

    fn retain(&mut self, keep: &[bool]) -> bool {
        let before = self.transitions.len();
        let mut at = 0;
        self.transitions.retain(|_| {
            at += 1;
            keep[at - 1]
        });
        self.transitions.len() < before
    }

    /// Per place, whether some transition makes it larger, and whether one makes it smaller.
    fn moves(&self) -> (Vec<bool>, Vec<bool>) {
        let n = self.initial.len();
        let (mut grows, mut shrinks) = (vec![false; n], vec![false; n]);
        for (transition, _) in &self.transitions {
            for &(place, put) in &transition.put {
                grows[place.index()] |= put > weight(&transition.take, place);
            }
            for &(place, take) in &transition.take {
                shrinks[place.index()] |= take > weight(&transition.put, place);
            }
        }
        (grows, shrinks)
    }

    fn dead(&mut self) -> bool {
        let (grows, _) = self.moves();
        let is_dead = |transition: &Transition| {
            transition
                .take
                .iter()
                .any(|&(place, take)| !grows[place.index()] && self.initial[place.index()] < take)
        };
        let keep: Vec<bool> = self.transitions.iter().map(|(it, _)| !is_dead(it)).collect();
        self.retain(&keep)
    }

    fn constant(&mut self) -> bool {
        let (_, shrinks) = self.moves();
        let most_taken = self.most_taken();
        let is_needless = |place: &usize| {
            self.is_open(*place) && !shrinks[*place] && self.initial[*place] >= most_taken[*place]
        };
        let needless: Vec<usize> = (0..self.initial.len()).filter(is_needless).collect();
        self.drop_places(&needless)
    }

    fn most_taken(&self) -> Vec<Tokens> {
        let mut most = vec![0; self.initial.len()];
        for &(place, take) in self.transitions.iter().flat_map(|(transition, _)| &transition.take) {
            most[place.index()] = take.max(most[place.index()]);
        }
        most
    }

    fn sink(&mut self) -> bool {
        let most_taken = self.most_taken();
        let sinks: Vec<usize> =
            (0..self.initial.len()).filter(|&at| self.is_open(at) && most_taken[at] == 0).collect();
        self.drop_places(&sinks)
    }

    fn equal(&mut self) -> bool {
        type Arcs = Vec<(usize, Tokens, Tokens)>;
        let mut arcs: Vec<Arcs> = vec![Vec::new(); self.initial.len()];
        for (position, (transition, _)) in self.transitions.iter().enumerate() {
            let mut touched: Vec<PlaceId> =
                transition.take.iter().chain(&transition.put).map(|entry| entry.0).collect();
            touched.sort_unstable();
            touched.dedup();
            for place in touched {
                let (take, put) = (weight(&transition.take, place), weight(&transition.put, place));
                arcs[place.index()].push((position, take, put));
            }
        }
        let mut smallest: FxHashMap<&Arcs, usize> = FxHashMap::default();
        for place in (0..self.initial.len()).filter(|&place| self.is_place[place]) {
            let known = smallest.entry(&arcs[place]).or_insert(place);
            let rank = |at: usize| (self.initial[at], !self.kept[at]);
            if rank(place) < rank(*known) {
                *known = place;
            }
        }
        let is_needless = |place: &usize| {
            self.is_open(*place) && smallest.get(&arcs[*place]).is_some_and(|least| least != place)
        };
        let needless: Vec<usize> = (0..self.initial.len()).filter(is_needless).collect();
        self.drop_places(&needless)
    }

    /// Whether a transition changes a place of the question.
    fn is_seen(&self, transition: &Transition) -> bool {
        let changes = |&(place, _): &(PlaceId, Tokens)| {
            self.kept[place.index()]
                && weight(&transition.take, place) != weight(&transition.put, place)
        };
        transition.take.iter().chain(&transition.put).any(changes)
    }

    fn loss(&mut self) -> bool {
        // Without it there are as many tokens, or more.
        let gives = |transition: &Transition| {
            transition.put.iter().any(|&(place, put)| put > weight(&transition.take, place))
        };
        let keep: Vec<bool> =
            self.transitions.iter().map(|(it, _)| gives(it) || self.is_seen(it)).collect();
        self.retain(&keep)
    }

    fn slice(&mut self) -> bool {
        let mut matters: Vec<bool> = self.kept.to_vec();
        let mut keep = vec![false; self.transitions.len()];
        loop {
            if !(self.go_on)() {
                return false;
            }
            let mut is_changed = false;
            for (position, (transition, _)) in self.transitions.iter().enumerate() {
                let gives = || {
                    transition.put.iter().any(|&(place, put)| {
                        matters[place.index()] && put > weight(&transition.take, place)
                    })
                };
                if !keep[position] && (self.is_seen(transition) || gives()) {
                    (keep[position], is_changed) = (true, true);
                    transition.take.iter().for_each(|(place, _)| matters[place.index()] = true);
                }
            }
            if !is_changed {
                break;
            }
        }
        let needless: Vec<usize> =
            (0..self.initial.len()).filter(|&at| self.is_place[at] && !matters[at]).collect();
        let is_smaller = self.retain(&keep);
        self.drop_places(&needless) || is_smaller
    }

    /// Whether transitions can be joined at a place: all arcs weigh 1, none is on both sides, the place is
    /// empty at the start, and joining them does not make many more.
    fn joins_at(&self, place: usize, givers: &[usize], takers: &[usize]) -> bool {
        let (h, f) = (givers.len(), takers.len());
        if !self.is_open(place) || self.initial[place] > 0 || h == 0 || f == 0 {
            return false;
        }
        let id = PlaceId::from_usize(place);
        let fits =
            h * f <= h + f + MOST_ADDED && givers.iter().all(|giver| !takers.contains(giver));
        let put = |&at: &usize| weight(&self.transitions[at].0.put, id) == 1;
        let take = |&at: &usize| weight(&self.transitions[at].0.take, id) == 1;
        let runs = |all: &[usize]| all.iter().map(|&at| self.transitions[at].1.len()).max();
        fits && givers.iter().all(put)
            && takers.iter().all(take)
            && runs(givers).unwrap_or(0) + runs(takers).unwrap_or(0) <= LONGEST
    }

    /// Joins transitions at all places where those on one side are as they must be.
    fn join_all(&mut self, is_fit: impl Fn(&Self, &[usize], &[usize]) -> bool) -> bool {
        let (mut takers, mut givers) = self.neighbours();
        let mut is_changed = false;
        for place in 0..self.initial.len() {
            let (before, after) = (&givers[place], &takers[place]);
            if !self.joins_at(place, before, after) || !is_fit(self, before, after) {
                continue;
            }
            if !(self.go_on)() {
                break;
            }
            self.join(place, before, after);
            is_changed = true;
            (takers, givers) = self.neighbours();
        }
        is_changed
    }

    fn after(&mut self) -> bool {
        self.join_all(|work, _, takers| {
            let follows = |&at: &usize| {
                let transition = &work.transitions[at].0;
                transition.take.len() == 1
                    && (work.keep == Keep::Deadlock || !work.is_seen(transition))
            };
            takers.iter().all(follows)
        })
    }

    fn before(&mut self) -> bool {
        self.join_all(|work, givers, _| {
            let waits = |&at: &usize| {
                let transition = &work.transitions[at].0;
                transition.put.len() == 1 && !work.is_seen(transition)
            };
            givers.iter().all(waits)
        })
    }

    /// Replaces the transitions around a place by all that put into it followed by one that takes.
    fn join(&mut self, place: usize, givers: &[usize], takers: &[usize]) {
        let id = PlaceId::from_usize(place);
        let without =
            |bag: &Bag| -> Bag { bag.iter().copied().filter(|(known, _)| *known != id).collect() };
        let mut made = Vec::new();
        for &giver in givers {
            for &taker in takers {
                let ((first, head), (second, tail)) =
                    (&self.transitions[giver], &self.transitions[taker]);
                // What the first puts, the second may take; the rest must be there before.
                let (mut take, mut put) = (first.take.clone(), without(&second.put));
                for &(at, tokens) in &without(&second.take) {
                    let given = weight(&first.put, at);
                    if tokens > given {
                        add(&mut take, at, tokens - given);
                    }
                }
                for &(at, tokens) in &without(&first.put) {
                    let used = weight(&second.take, at);
                    if tokens > used {
                        add(&mut put, at, tokens - used);
                    }
                }
                let transition =
                    Transition { id: format!("{}.{}", first.id, second.id), take, put };
                made.push((transition, head.iter().chain(tail).copied().collect()));
            }
        }
        let keep: Vec<bool> = (0..self.transitions.len())
            .map(|at| !givers.contains(&at) && !takers.contains(&at))
            .collect();
        self.retain(&keep);
        self.transitions.extend(made);
        self.is_place[place] = false;
    }
}
