//! Joint steps of several components, and where an emission is not accepted. A component takes part in
//! a step with one move.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::compose::{ComposeError, Unit};
use super::wiring::{Linkage, UnitId, Wiring, mentioned};
use crate::automata::{Alphabet, EventId, Move, Region, Role, StepEvent, StepId, moves, slots};

/// Most steps, and most regions in which one emission is unaccepted.
const MAX_STEPS: usize = 1 << 17;

/// A move of a component: a position in the list of its moves.
pub(super) type MoveRef = (UnitId, usize);

/// The moves of all components, with the slots of all components numbered through.
pub(super) struct Moves<'a> {
    alphabet: &'a Alphabet,
    moves: Vec<Vec<Move>>,
    linkages: FxHashMap<(UnitId, EventId), Linkage>,
    by_part: FxHashMap<(UnitId, StepEvent), Vec<usize>>,
    /// Per joint event, the components that mention it.
    meetings: BTreeMap<EventId, Vec<UnitId>>,
}

/// An event that can be emitted where no component accepts it.
pub(super) struct Unaccepted {
    pub(super) event: EventId,
    pub(super) emitter: UnitId,
    pub(super) region: Region,
}

impl<'a> Moves<'a> {
    pub(super) fn new(alphabet: &'a Alphabet, units: &[Unit], wiring: &Wiring) -> Self {
        let mut all = Self {
            alphabet,
            moves: Vec::new(),
            linkages: FxHashMap::default(),
            by_part: FxHashMap::default(),
            meetings: BTreeMap::new(),
        };
        let mut offset = 0;
        for (position, unit) in units.iter().enumerate() {
            let id = UnitId(position as u32);
            for event in mentioned(alphabet, &unit.dfa) {
                let linkage = wiring.linkage(alphabet.event_of(event), id, units.len());
                all.linkages.insert((id, event), linkage);
            }
            let shift = |one: Move| Move {
                region: one.region.shifted(offset),
                effects: one.effects.iter().map(|(slot, value)| (slot + offset, *value)).collect(),
                ..one
            };
            all.moves.push(moves(&unit.dfa).into_iter().map(shift).collect());
            all.index(id);
            offset += slots(&unit.dfa).len() as u32;
        }
        all
    }

    /// Notes which moves have which parts; those that can never happen are left out.
    fn index(&mut self, unit: UnitId) {
        for position in 0..self.moves[unit.index()].len() {
            let parts = self.parts((unit, position));
            for part in parts {
                if part.role == Role::Meet {
                    let members = self.meetings.entry(part.event).or_default();
                    if members.last() != Some(&unit) {
                        members.push(unit);
                    }
                }
                if parts.iter().all(|part| *self.linkage(unit, *part) != Linkage::Unbound) {
                    self.by_part.entry((unit, *part)).or_default().push(position);
                }
            }
        }
    }

    /// Per component, what it can do where, as far as it is concerned itself.
    pub(super) fn offers(&self) -> Vec<Vec<(Region, StepId)>> {
        let offer = |one: &Move| (one.region.clone(), one.step);
        self.moves.iter().map(|moves| moves.iter().map(offer).collect()).collect()
    }

    pub(super) fn of(&self, (unit, position): MoveRef) -> &Move {
        &self.moves[unit.index()][position]
    }

    pub(super) fn parts(&self, chosen: MoveRef) -> &'a [StepEvent] {
        self.alphabet.step_events(self.of(chosen).step)
    }

    fn linkage(&self, unit: UnitId, part: StepEvent) -> &Linkage {
        match part.role {
            Role::Meet => &Linkage::External,
            Role::Emit | Role::Accept => &self.linkages[&(unit, part.event)],
        }
    }

    /// Whether others must take part in a part of a move.
    pub(super) fn is_joint(&self, unit: UnitId, part: StepEvent) -> bool {
        part.role == Role::Meet || matches!(self.linkage(unit, part), Linkage::BoundTo(_))
    }

    fn all(&self) -> impl Iterator<Item = MoveRef> + '_ {
        self.moves.iter().enumerate().flat_map(|(unit, moves)| {
            (0..moves.len()).map(move |position| (UnitId(unit as u32), position))
        })
    }

    /// Every set of moves that make a step together.
    pub(super) fn steps(&self) -> Result<BTreeSet<Vec<MoveRef>>, ComposeError> {
        let mut steps = BTreeSet::new();
        for chosen in self.all() {
            let parts = self.parts(chosen);
            if parts.iter().all(|part| *self.linkage(chosen.0, *part) != Linkage::Unbound) {
                self.complete(vec![chosen], self.open(chosen, None), &mut steps);
            }
            if steps.len() > MAX_STEPS {
                return Err(ComposeError::TooLarge);
            }
        }
        Ok(steps)
    }

    /// The parts of a move that others must take part in, but for one.
    fn open(&self, chosen: MoveRef, but: Option<StepEvent>) -> Vec<(UnitId, StepEvent)> {
        let parts = self.parts(chosen).iter().copied();
        let joint = parts.filter(|part| Some(*part) != but && self.is_joint(chosen.0, *part));
        joint.map(|part| (chosen.0, part)).collect()
    }

    /// Adds moves of other components until every event has its partner; gives up when there are too many.
    fn complete(
        &self,
        chosen: Vec<MoveRef>,
        mut open: Vec<(UnitId, StepEvent)>,
        steps: &mut BTreeSet<Vec<MoveRef>>,
    ) {
        if steps.len() > MAX_STEPS {
            return;
        }
        let Some((unit, part)) = open.pop() else {
            let mut chosen = chosen;
            chosen.sort_unstable();
            steps.insert(chosen);
            return;
        };
        if part.role == Role::Meet {
            return self.meet(chosen, open, part, steps);
        }
        let Linkage::BoundTo(partners) = self.linkage(unit, part) else { return };
        let wanted = StepEvent { role: part.role.inverse(), ..part };
        for &partner in partners {
            if chosen.iter().any(|(known, _)| *known == partner) {
                if let Some(found) = open.iter().position(|other| *other == (partner, wanted)) {
                    let mut open = open.clone();
                    open.remove(found);
                    self.complete(chosen.clone(), open, steps);
                }
                continue;
            }
            for &position in self.by_part.get(&(partner, wanted)).into_iter().flatten() {
                let mut open = open.clone();
                open.extend(self.open((partner, position), Some(wanted)));
                let mut chosen = chosen.clone();
                chosen.push((partner, position));
                self.complete(chosen, open, steps);
            }
        }
    }

    /// Adds a move of every component that takes part in a joint event.
    fn meet(
        &self,
        chosen: Vec<MoveRef>,
        mut open: Vec<(UnitId, StepEvent)>,
        part: StepEvent,
        steps: &mut BTreeSet<Vec<MoveRef>>,
    ) {
        if steps.len() > MAX_STEPS {
            return;
        }
        let is_chosen = |unit: &UnitId| chosen.iter().any(|(known, _)| known == unit);
        let members = &self.meetings[&part.event];
        let Some(&missing) = members.iter().find(|unit| !is_chosen(unit)) else {
            let takes_part =
                |one: &MoveRef| !members.contains(&one.0) || self.parts(*one).contains(&part);
            if chosen.iter().all(takes_part) {
                open.retain(|(_, other)| *other != part);
                self.complete(chosen, open, steps);
            }
            return;
        };
        for &position in self.by_part.get(&(missing, part)).into_iter().flatten() {
            let mut open = open.clone();
            open.extend(self.open((missing, position), Some(part)));
            let mut chosen = chosen.clone();
            chosen.push((missing, position));
            self.meet(chosen, open, part, steps);
        }
    }

    /// Where all of some moves can be taken.
    pub(super) fn region(&self, chosen: &[MoveRef]) -> Option<Region> {
        let start = Some(Region::default());
        chosen.iter().fold(start, |region, one| region?.intersect(&self.of(*one).region))
    }

    /// Where emissions are not accepted, although everything else that an atomic action
    /// needs is there.
    pub(super) fn unaccepted(&self, sizes: &[u32]) -> Result<Vec<Unaccepted>, ComposeError> {
        let mut all = Vec::new();
        for chosen in self.all() {
            for &part in self.parts(chosen) {
                if part.role != Role::Emit || *self.linkage(chosen.0, part) == Linkage::External {
                    continue;
                }
                let accepting = self.accepting(chosen.0, part);
                for region in self.regions_but(chosen, part) {
                    let mut rest = vec![region];
                    for heard in &accepting {
                        rest = rest.iter().flat_map(|one| one.subtract(heard, sizes)).collect();
                        if rest.len() > MAX_STEPS {
                            return Err(ComposeError::TooLarge);
                        }
                    }
                    all.extend(rest.into_iter().map(|region| Unaccepted {
                        event: part.event,
                        emitter: chosen.0,
                        region,
                    }));
                }
            }
        }
        Ok(all)
    }

    /// Where another component accepts an event that a component emits.
    fn accepting(&self, emitter: UnitId, part: StepEvent) -> Vec<Region> {
        let Linkage::BoundTo(partners) = self.linkage(emitter, part) else { return Vec::new() };
        let wanted = StepEvent { role: Role::Accept, ..part };
        let mut regions = Vec::new();
        for &partner in partners {
            for &position in self.by_part.get(&(partner, wanted)).into_iter().flatten() {
                regions.extend(self.regions_but((partner, position), wanted));
            }
        }
        regions
    }

    /// Where a move can be taken as far as all its parts but one are concerned.
    fn regions_but(&self, chosen: MoveRef, but: StepEvent) -> Vec<Region> {
        let parts = self.parts(chosen);
        let is_possible =
            |part: &StepEvent| *part == but || *self.linkage(chosen.0, *part) != Linkage::Unbound;
        if !parts.iter().all(is_possible) {
            return Vec::new();
        }
        let mut steps = BTreeSet::new();
        self.complete(vec![chosen], self.open(chosen, Some(but)), &mut steps);
        steps.iter().filter_map(|chosen| self.region(chosen)).collect()
    }
}
