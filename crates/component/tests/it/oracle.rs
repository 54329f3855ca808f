//! Consent composition by its definition, one configuration at a time. Shares the moves of a single
//! component with the real one and nothing else. Knows neither atomic actions nor meetings.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use quadrille_component::automata::{
    Alphabet, Event, EventId, ForkedDfa, Move, Region, Role, StepEvent, ends, moves, slots,
};
use quadrille_component::composition::{Composition, CompositionErrors, ErrorRun};
use quadrille_model::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::world::World;

/// What was found: how far errors are from the beginning and, where all was explored, the rest.
#[derive(PartialEq, Eq, Debug)]
struct Findings {
    bad: BTreeMap<String, usize>,
    stuck: Option<usize>,
    whole: Option<Whole>,
}

/// What only the whole composition tells: its size, and how far infinite activity is.
#[derive(PartialEq, Eq, Debug)]
struct Whole {
    configurations: usize,
    steps: usize,
    endless: Option<usize>,
}

impl Findings {
    /// The same of the real composition, as far as it is within so many steps.
    fn told(
        composition: &Composition,
        errors: &CompositionErrors,
        within: usize,
        is_whole: bool,
    ) -> Self {
        let length = |path: &ErrorRun| path.tokens(composition).len() - 1;
        let is_near = |length: &usize| *length <= within;
        let bad = errors.bad.iter().map(|path| {
            let error = path.tokens(composition).pop().expect("an error token");
            (error, length(path))
        });
        Self {
            bad: bad.filter(|(_, length)| is_near(length)).collect(),
            stuck: errors.no_activity.as_ref().map(length).filter(is_near),
            whole: is_whole.then(|| Whole {
                configurations: errors.configurations,
                steps: errors.steps,
                endless: errors.infinite_activity.as_ref().map(length),
            }),
        }
    }
}

/// Holds a composition against its definition, within so many steps; some events are bound, all
/// others are free.
#[track_caller]
pub fn compare(
    world: &World,
    is_bound: impl Fn(&Event) -> bool,
    (composition, errors): (&Composition, &CompositionErrors),
    within: usize,
    context: &str,
) {
    let found = explore(world, is_bound, within);
    let told = Findings::told(composition, errors, within, found.whole.is_some());
    assert_eq!(told, found, "{context}");
}

fn explore(world: &World, is_bound: impl Fn(&Event) -> bool, within: usize) -> Findings {
    let mut sides: Vec<Side> = world.units.iter().map(|unit| Side::new(world, &unit.dfa)).collect();
    let events = world.alphabet.events();
    let bound: FxHashSet<EventId> =
        events.filter(|(_, event)| is_bound(event)).map(|(id, _)| id).collect();
    let mut search = Search::default();
    search.meet(&vec![0; sides.len()], 0);
    while search.steps.len() < search.known.len() {
        let at = search.steps.len();
        if search.depth[at] > within {
            break;
        }
        let configuration = search.known[at].clone();
        let offers: Vec<Offers> =
            sides.iter_mut().zip(&configuration).map(|(side, &local)| side.offers(local)).collect();
        let mut next: Vec<(EventId, Option<Role>, [Change; 2])> = Vec::new();
        let mut is_bad = false;
        for (unit, own) in offers.iter().enumerate() {
            for &(part, target) in own.iter() {
                if !bound.contains(&part.event) {
                    next.push((part.event, Some(part.role), [(unit, target); 2]));
                    continue;
                }
                if part.role == Role::Accept {
                    continue;
                }
                let wanted = StepEvent { role: Role::Accept, ..part };
                let mut heard = false;
                for (other, theirs) in offers.iter().enumerate().filter(|(other, _)| *other != unit)
                {
                    for offer in theirs.iter().filter(|offer| offer.0 == wanted) {
                        heard = true;
                        next.push((part.event, None, [(unit, target), (other, offer.1)]));
                    }
                }
                if !heard {
                    is_bad = true;
                    let error = format!("ε!{}", world.alphabet.event_of(part.event));
                    search.bad_events.entry(error).or_insert(search.depth[at]);
                }
            }
        }
        // A step is what happens and where it leads: a change to what was there is none.
        for (.., changes) in &mut next {
            let [one, other] = changes.map(|change| (configuration[change.0] != change.1, change));
            *changes = match (one, other) {
                ((true, one), (true, other)) => [one.min(other), one.max(other)],
                ((true, one), (false, _)) | ((false, _), (true, one)) => [one; 2],
                ((false, _), (false, _)) => [(0, configuration[0]); 2],
            };
        }
        next.sort_unstable();
        next.dedup();
        let ends = sides.iter().zip(&configuration).all(|(side, &local)| side.may_end(local));
        search.bad.push(is_bad);
        search.stuck.push(!is_bad && next.is_empty() && !ends);
        search.ends.push(ends);
        let depth = search.depth[at] + 1;
        let mut targets = Vec::with_capacity(next.len());
        let mut after = configuration.clone();
        for (.., changes) in next {
            after.clone_from(&configuration);
            changes.into_iter().for_each(|(unit, target)| after[unit] = target);
            targets.push(search.meet(&after, depth));
        }
        search.steps.push(targets);
    }
    search.findings()
}

/// The interfaces that two components mention.
pub fn shared_interfaces(world: &World) -> BTreeSet<String> {
    let mut users: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (unit, of) in world.units.iter().enumerate() {
        for part in moves(&of.dfa).iter().flat_map(|one| world.alphabet.step_events(one.step)) {
            let interface = world.alphabet.event_of(part.event).interface().to_owned();
            users.entry(interface).or_default().insert(unit);
        }
    }
    users.into_iter().filter(|(_, users)| users.len() > 1).map(|(name, _)| name).collect()
}

/// What a component can do, and in which of its configurations it is then.
type Offers = Rc<[(StepEvent, u32)]>;

/// A component, and its configuration after a step.
type Change = (usize, u32);

/// One component, its configurations numbered as they are met.
struct Side {
    moves: Vec<(StepEvent, Move)>,
    ends: Vec<Region>,
    known: Vec<Vec<Value>>,
    numbers: FxHashMap<Vec<Value>, u32>,
    offers: FxHashMap<u32, Offers>,
}

impl Side {
    fn new(world: &World, dfa: &ForkedDfa) -> Self {
        let with_part = |one: Move| (single(&world.alphabet, &one), one);
        let start = vec![0; slots(dfa).len()];
        Self {
            moves: moves(dfa).into_iter().map(with_part).collect(),
            ends: ends(dfa),
            known: vec![start.clone()],
            numbers: FxHashMap::from_iter([(start, 0)]),
            offers: FxHashMap::default(),
        }
    }

    fn offers(&mut self, local: u32) -> Offers {
        if let Some(known) = self.offers.get(&local) {
            return known.clone();
        }
        let mut offers = Vec::new();
        let from = self.known[local as usize].clone();
        for (part, one) in self.moves.iter().filter(|(_, one)| one.region.contains(&from)) {
            let mut to = from.clone();
            for &(slot, value) in &one.effects {
                to[slot as usize] = value;
            }
            let number = *self.numbers.entry(to).or_insert_with_key(|to| {
                self.known.push(to.clone());
                self.known.len() as u32 - 1
            });
            offers.push((*part, number));
        }
        let offers: Offers = offers.into();
        self.offers.insert(local, offers.clone());
        offers
    }

    fn may_end(&self, local: u32) -> bool {
        self.ends.iter().any(|end| end.contains(&self.known[local as usize]))
    }
}

fn single(alphabet: &Alphabet, one: &Move) -> StepEvent {
    let [part] = alphabet.step_events(one.step) else { panic!("no atomic actions here") };
    assert_ne!(part.role, Role::Meet, "no meetings here");
    *part
}

#[derive(Default)]
struct Search {
    numbers: FxHashMap<Vec<u32>, usize>,
    known: Vec<Vec<u32>>,
    depth: Vec<usize>,
    bad_events: BTreeMap<String, usize>,
    steps: Vec<Vec<usize>>,
    bad: Vec<bool>,
    stuck: Vec<bool>,
    ends: Vec<bool>,
}

impl Search {
    fn meet(&mut self, configuration: &[u32], depth: usize) -> usize {
        if let Some(&known) = self.numbers.get(configuration) {
            return known;
        }
        self.numbers.insert(configuration.to_vec(), self.known.len());
        self.known.push(configuration.to_vec());
        self.depth.push(depth);
        self.known.len() - 1
    }

    /// Which configurations can still come to an end, good or bad: rounds until nothing changes.
    fn hopeful(&self) -> Vec<bool> {
        let resolved = |at: usize| self.bad[at] || self.stuck[at] || self.ends[at];
        let mut hopeful: Vec<bool> = (0..self.known.len()).map(resolved).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..hopeful.len()).rev() {
                if !hopeful[at] && self.steps[at].iter().any(|&to| hopeful[to]) {
                    hopeful[at] = true;
                    changed = true;
                }
            }
        }
        hopeful
    }

    fn findings(&self) -> Findings {
        let nearest = |wanted: &[bool]| {
            let all = wanted.iter().zip(&self.depth).filter(|(wanted, _)| **wanted);
            all.map(|(_, depth)| *depth).min()
        };
        let whole = (self.steps.len() == self.known.len()).then(|| {
            let hopeless: Vec<bool> = self.hopeful().iter().map(|hopeful| !hopeful).collect();
            Whole {
                configurations: self.known.len(),
                steps: self.steps.iter().map(Vec::len).sum(),
                endless: nearest(&hopeless),
            }
        });
        Findings { bad: self.bad_events.clone(), stuck: nearest(&self.stuck), whole }
    }
}
