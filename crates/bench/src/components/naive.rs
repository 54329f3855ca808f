//! Whether components fit together by the definition of consent: plain vectors in a plain hash map, one
//! configuration at a time, every edge kept. What the real composition is measured against. Knows no
//! meetings, and of an atomic action at most one event may be bound.

use std::rc::Rc;

use quadrille_component::automata::{
    Alphabet, EventId, ForkedDfa, Move, Region, Role, StepEvent, StepId, ends, is_on, moves, slots,
};
use quadrille_component::composition::{Unit, Wiring};
use quadrille_model::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub(super) configurations: usize,
    pub(super) steps: usize,
    pub(super) is_wrong: bool,
}

/// Explores everything.
pub(super) fn explore(alphabet: &Alphabet, units: &[Unit], wiring: &Wiring) -> Found {
    let is_bound = |path: &str| wiring.bindings.iter().any(|binding| is_on(path, &binding.name));
    let bound = alphabet.events().filter(|(_, event)| is_bound(&event.path)).map(|(id, _)| id);
    let mut system = System {
        alphabet,
        bound: bound.collect(),
        sides: units.iter().map(|unit| Side::new(&unit.dfa)).collect(),
    };
    let start = vec![0; units.len()];
    let mut numbers = FxHashMap::from_iter([(start.clone(), 0)]);
    let mut known = vec![start];
    let mut sources: Vec<Vec<u32>> = vec![Vec::new()];
    let mut settled = Vec::new();
    let (mut n_steps, mut is_wrong) = (0, false);
    while settled.len() < known.len() {
        let at = settled.len();
        let here = system.look(&known[at].clone());
        let may_end = system.may_end(&known[at]);
        is_wrong |= here.is_bad || here.steps.is_empty() && !may_end;
        settled.push(may_end || here.is_bad || here.steps.is_empty());
        n_steps += here.steps.len();
        for (_, next) in here.steps {
            let number = *numbers.entry(next).or_insert_with_key(|next| {
                known.push(next.clone());
                sources.push(Vec::new());
                known.len() as u32 - 1
            });
            sources[number as usize].push(at as u32);
        }
    }
    is_wrong |= !all_reach(settled, &sources);
    Found { configurations: known.len(), steps: n_steps, is_wrong }
}

/// Whether a configuration of some can be reached from all.
fn all_reach(mut reaches: Vec<bool>, sources: &[Vec<u32>]) -> bool {
    let mut open: Vec<usize> = (0..reaches.len()).filter(|&at| reaches[at]).collect();
    while let Some(at) = open.pop() {
        for &source in &sources[at] {
            if !std::mem::replace(&mut reaches[source as usize], true) {
                open.push(source as usize);
            }
        }
    }
    reaches.into_iter().all(|reaches| reaches)
}

/// What is seen of a step: events, with a role where the surroundings take part.
type Label = Vec<(EventId, Option<Role>)>;

/// What components can do in a configuration.
struct Here {
    steps: Vec<(Label, Vec<u32>)>,
    is_bad: bool,
}

struct System<'a> {
    alphabet: &'a Alphabet,
    bound: FxHashSet<EventId>,
    sides: Vec<Side>,
}

impl System<'_> {
    fn look(&mut self, configuration: &[u32]) -> Here {
        let offers: Vec<Offers> = self
            .sides
            .iter_mut()
            .zip(configuration)
            .map(|(side, &local)| side.offers(local))
            .collect();
        let mut here = Here { steps: Vec::new(), is_bad: false };
        for (unit, own) in offers.iter().enumerate() {
            for &(step, target) in own.iter() {
                let part = match self.bound_part(step) {
                    Some(part) if part.role == Role::Accept => continue,
                    part => part,
                };
                let mut next = configuration.to_vec();
                next[unit] = target;
                let Some(part) = part else {
                    here.steps.push((self.label(&[step]), next));
                    continue;
                };
                let wanted = Some(StepEvent { role: Role::Accept, ..part });
                let mut is_heard = false;
                for (other, theirs) in offers.iter().enumerate().filter(|(other, _)| *other != unit)
                {
                    for &(answer, to) in theirs.iter() {
                        if self.bound_part(answer) == wanted {
                            is_heard = true;
                            let mut next = next.clone();
                            next[other] = to;
                            here.steps.push((self.label(&[step, answer]), next));
                        }
                    }
                }
                here.is_bad |= !is_heard;
            }
        }
        here.steps.sort_unstable();
        here.steps.dedup();
        here
    }

    /// The event of a step that another component must take part in.
    fn bound_part(&self, step: StepId) -> Option<StepEvent> {
        let mut bound =
            self.alphabet.step_events(step).iter().filter(|part| self.bound.contains(&part.event));
        let first = bound.next().copied();
        assert!(bound.next().is_none(), "one bound event at most");
        first
    }

    fn label(&self, steps: &[StepId]) -> Label {
        let parts = steps.iter().flat_map(|step| self.alphabet.step_events(*step));
        let shown = |part: &StepEvent| {
            (part.event, (!self.bound.contains(&part.event)).then_some(part.role))
        };
        let mut label: Label = parts.map(shown).collect();
        label.sort_unstable();
        label.dedup();
        label
    }

    fn may_end(&self, configuration: &[u32]) -> bool {
        self.sides.iter().zip(configuration).all(|(side, &local)| side.may_end(local))
    }
}

/// What a component can do, and in which of its configurations it is then.
type Offers = Rc<[(StepId, u32)]>;

/// One component, its configurations numbered as they are met.
struct Side {
    moves: Vec<Move>,
    ends: Vec<Region>,
    known: Vec<Vec<Value>>,
    numbers: FxHashMap<Vec<Value>, u32>,
    offers: FxHashMap<u32, Offers>,
}

impl Side {
    fn new(dfa: &ForkedDfa) -> Self {
        let start = vec![0; slots(dfa).len()];
        Self {
            moves: moves(dfa),
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
        for one in self.moves.iter().filter(|one| one.region.contains(&from)) {
            let mut to = from.clone();
            for &(slot, value) in &one.effects {
                to[slot as usize] = value;
            }
            let number = *self.numbers.entry(to).or_insert_with_key(|to| {
                self.known.push(to.clone());
                self.known.len() as u32 - 1
            });
            offers.push((one.step, number));
        }
        let offers: Offers = offers.into();
        self.offers.insert(local, offers.clone());
        offers
    }

    fn may_end(&self, local: u32) -> bool {
        self.ends.iter().any(|end| end.contains(&self.known[local as usize]))
    }
}
