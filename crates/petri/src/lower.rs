//! A net as a [`Model`]: one group per transition, with exact guards and effects. Formulas about
//! markings are propositions that can be taken apart.

use std::ops::ControlFlow;

use quadrille_model::{
    Action, ActionId, Change, Condition, Domain, Effect, Explorer, Flow, Group, GroupId, Guard,
    GuardId, Halt, Interaction, Model, Origin, Participant, ParticipantId, Problem, Proposition,
    PropositionId, Signature, Slot as StateSlot, SlotId, SlotKind, Successors, TaskId, Value,
    ValueSet, Weight,
};
use rustc_hash::FxHashMap;

use crate::formula::Formula;
use crate::net::{Net, PlaceId, Tokens, TransitionId, weight};
use crate::slots::{Slot, Slots};

/// A net as a model. The first state is the initial marking.
pub struct NetModel {
    net: Net,
    slots: Slots,
    signature: Signature,
    /// Per group, its transition.
    transitions: Vec<TransitionId>,
    /// Per group, what happens.
    steps: Vec<Vec<Piece>>,
    propositions: Vec<(Formula, Condition)>,
    numbers: FxHashMap<Formula, PropositionId>,
    /// Per slot, one more than the most it may hold; 0 where that is not known.
    sizes: Vec<u32>,
    /// Whether all of that was proven, and not only said by the file.
    is_proven: bool,
    initial: Vec<Value>,
    /// A place that grows without end, where one is known.
    grows: Option<PlaceId>,
}

/// What a transition does to a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    slot: usize,
    kind: PieceKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PieceKind {
    Count { take: Tokens, put: Tokens },
    Move { from: Value, to: Value },
}

impl NetModel {
    /// Makes the model of a net. `bounds` are the most tokens that places hold, where that is known;
    /// `is_proven` says that they follow from the net and are not only promised.
    pub fn new(net: Net, slots: Slots, bounds: &[Option<Tokens>], is_proven: bool) -> Self {
        let size_of = |slot: &Slot| match slot {
            Slot::Machine(places) => places.len() as u32 + 1,
            Slot::Counter(place) => match bounds[place.index()] {
                Some(most) if most < u32::MAX => most.max(net.initial[place.index()]) + 1,
                _ => 0,
            },
        };
        let sizes: Vec<u32> = slots.slots.iter().map(size_of).collect();
        let initial = slots.state(&net.initial);
        let mut model = Self {
            signature: Signature::new(Vec::new()),
            transitions: Vec::new(),
            steps: Vec::new(),
            propositions: Vec::new(),
            numbers: FxHashMap::default(),
            sizes,
            is_proven,
            initial,
            grows: None,
            net,
            slots,
        };
        model.declare();
        model
    }

    /// The net.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// The place that grows without end, where one is known.
    pub fn grows(&self) -> Option<PlaceId> {
        self.grows
    }

    /// Notes that a place grows without end.
    pub fn set_grows(&mut self, place: PlaceId) {
        self.grows = Some(place);
    }

    /// Where the places are.
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// The transition that a group stands for.
    pub fn transition(&self, group: GroupId) -> TransitionId {
        self.transitions[group.index()]
    }

    /// What a sum of tokens weighs, by slots.
    pub fn weights(&self, sum: &[(PlaceId, i64)]) -> Vec<(SlotId, Weight)> {
        let mut by_slot: FxHashMap<usize, Weight> = FxHashMap::default();
        let mut order = Vec::new();
        for &(place, factor) in sum {
            let (slot, value) = self.slots.of_place[place.index()];
            let entry = by_slot.entry(slot).or_insert_with(|| {
                order.push(slot);
                Weight::Times(0)
            });
            match value {
                None => *entry = Weight::Times(factor),
                Some(value) => {
                    if let Weight::Times(_) = entry {
                        *entry = Weight::Table(vec![0; self.sizes[slot] as usize]);
                    }
                    if let Weight::Table(table) = entry {
                        table[value as usize] += factor;
                    }
                }
            }
        }
        order.sort_unstable();
        let of =
            |slot: usize| by_slot.remove(&slot).map(|weight| (SlotId::from_usize(slot), weight));
        order.into_iter().filter_map(of).collect()
    }

    /// The proposition that a formula about markings is, under this name.
    pub fn proposition(&mut self, name: &str, formula: &Formula) -> PropositionId {
        if let Some(&known) = self.numbers.get(formula) {
            return known;
        }
        let condition = self.condition(formula, false);
        let mut places = vec![false; self.net.n_places()];
        formula.mark_places(&mut places);
        if formula.has_dead() {
            let takes = self.net.transitions.iter().flat_map(|transition| &transition.take);
            takes.for_each(|(place, _)| places[place.index()] = true);
        }
        let places = self.net.place_ids().filter(|place| places[place.index()]);
        let mut support: Vec<SlotId> =
            places.map(|place| SlotId::from_usize(self.slots.of_place[place.index()].0)).collect();
        support.sort_unstable();
        support.dedup();
        self.signature.propositions.push(Proposition { name: name.to_owned(), support });
        self.propositions.push((formula.clone(), condition));
        let number = PropositionId::from_usize(self.propositions.len() - 1);
        self.numbers.insert(formula.clone(), number);
        number
    }

    /// The place whose token a value of a slot is, where places share one.
    pub fn marked(&self, slot: SlotId, value: Value) -> Option<PlaceId> {
        match &self.slots.slots[slot.index()] {
            Slot::Machine(places) => places.get((value as usize).checked_sub(1)?).copied(),
            Slot::Counter(_) => None,
        }
    }

    /// The formula that a proposition is.
    pub fn formula(&self, proposition: PropositionId) -> &Formula {
        &self.propositions[proposition.index()].0
    }

    /// What a formula about markings says about slots.
    pub fn meaning_of(&self, formula: &Formula) -> Condition {
        self.condition(formula, false)
    }

    /// A formula about markings as a condition on slots.
    fn condition(&self, formula: &Formula, negated: bool) -> Condition {
        let constant =
            |value: bool| if value { Condition::All(vec![]) } else { Condition::Any(vec![]) };
        match formula {
            Formula::Constant(value) => constant(*value != negated),
            Formula::Not(inner) => self.condition(inner, !negated),
            Formula::And(all) | Formula::Or(all) => {
                let parts = all.iter().map(|part| self.condition(part, negated)).collect();
                let is_all = matches!(formula, Formula::And(_)) != negated;
                if is_all { Condition::All(parts) } else { Condition::Any(parts) }
            }
            Formula::AtMost(sum, most) => self.comparison(sum, *most, negated),
            Formula::Dead => {
                let all: Vec<TransitionId> = self.net.transition_ids().collect();
                self.condition(&Formula::fireable(&self.net, &all), !negated)
            }
            _ => constant(negated),
        }
    }

    fn comparison(&self, sum: &[(PlaceId, i64)], most: i64, negated: bool) -> Condition {
        let weights = self.weights(sum);
        let condition = match &weights[..] {
            [(slot, Weight::Table(table))] => {
                let values = (0..).zip(table).filter(|(_, weight)| (**weight <= most) != negated);
                let set: ValueSet = values.map(|(value, _)| value).collect();
                return Condition::Guard(Guard::In(*slot, set));
            }
            [(slot, Weight::Times(factor))] if *factor > 0 && most >= 0 => {
                let least = most / factor + 1;
                match Value::try_from(least) {
                    Ok(least) => {
                        let guard = Condition::Guard(Guard::AtLeast(*slot, least));
                        return if negated { guard } else { Condition::Not(Box::new(guard)) };
                    }
                    Err(_) => Condition::All(vec![]),
                }
            }
            _ => Condition::AtMost(weights, most),
        };
        if negated { Condition::Not(Box::new(condition)) } else { condition }
    }

    fn declare(&mut self) {
        let owners = self.owners();
        let slots: Vec<StateSlot> =
            (0..self.slots.slots.len()).map(|slot| self.slot(slot, &owners)).collect();
        let mut signature = Signature::new(slots);
        signature.ends = Vec::new();
        let units = self.net.units.iter().filter(|unit| !unit.places.is_empty());
        signature.participants = units.map(|unit| Participant::new(&unit.id)).collect();
        let mut guards: FxHashMap<Guard, GuardId> = FxHashMap::default();
        let families = families(&self.net);
        for (id, transition) in self.net.transition_ids().zip(&self.net.transitions) {
            let Some(pieces) = pieces(&self.net, &self.slots, id) else { continue };
            let mut group = Group {
                task: TaskId::from_usize(signature.tasks.len()),
                guards_complete: true,
                actions: Some(vec![ActionId::from_usize(signature.actions.len())]),
                origin: Origin::default(),
                ..Group::default()
            };
            let mut participants = Vec::new();
            for piece in &pieces {
                participants.extend(owners[piece.slot]);
                let (guard, change) = declared(*piece);
                if let Some(guard) = guard {
                    let next = GuardId::from_usize(signature.guards.len());
                    let known = *guards.entry(guard.clone()).or_insert_with(|| {
                        signature.guards.push(guard);
                        next
                    });
                    group.guards.push(known);
                }
                let slot = SlotId::from_usize(piece.slot);
                if matches!(change, Some(Change::Count { .. })) {
                    group.reads.push(slot);
                }
                group.effects.extend(change.map(|change| Effect { slot, change }));
            }
            participants.sort_unstable();
            participants.dedup();
            group.participants.clone_from(&participants);
            signature.tasks.push(transition.id.clone());
            signature.actions.push(Action {
                label: transition.id.clone(),
                events: families[id.index()]
                    .map_or_else(Vec::new, |family| vec![transition.id.clone(), family.to_owned()]),
                interaction: Interaction::Joint { participants },
            });
            signature.groups.push(group);
            self.transitions.push(id);
            self.steps.push(pieces);
        }
        self.signature = signature;
    }

    /// Per slot, the unit it belongs to, as a participant.
    fn owners(&self) -> Vec<Option<ParticipantId>> {
        let mut of_place = vec![None; self.net.n_places()];
        let units = self.net.units.iter().filter(|unit| !unit.places.is_empty());
        for (number, unit) in units.enumerate() {
            for place in &unit.places {
                of_place[place.index()] = Some(ParticipantId::from_usize(number));
            }
        }
        let owner = |slot: &Slot| match slot {
            Slot::Counter(place) => of_place[place.index()],
            Slot::Machine(places) => {
                let first = of_place[places[0].index()];
                first.filter(|_| places.iter().all(|place| of_place[place.index()] == first))
            }
        };
        self.slots.slots.iter().map(owner).collect()
    }

    fn slot(&self, number: usize, owners: &[Option<ParticipantId>]) -> StateSlot {
        let places = &self.net.places;
        let (name, domain, kind) = match &self.slots.slots[number] {
            Slot::Counter(place) => {
                // What is only promised is watched step by step.
                let domain = match self.sizes[number] {
                    size if size > 0 && self.is_proven => Domain::Size(size),
                    _ => Domain::Interned,
                };
                (places[place.index()].clone(), domain, SlotKind::Data)
            }
            Slot::Machine(members) => {
                let names = members.iter().map(|place| places[place.index()].clone());
                let names: Vec<String> = std::iter::once("-".to_owned()).chain(names).collect();
                let name = match &names[..] {
                    [_, first, second] => format!("{first} or {second}"),
                    _ => format!("one of {} … {}", names[1], names[names.len() - 1]),
                };
                (name, Domain::Named(names), SlotKind::Control)
            }
        };
        StateSlot::new(name, domain).of_kind(kind).owned_by(owners[number])
    }
}

/// Per transition, what the file calls it where that is another name.
fn families(net: &Net) -> Vec<Option<&str>> {
    let mut names = vec![None; net.transitions.len()];
    for family in &net.coloured_transitions {
        for &id in &family.members {
            let is_other = net.transition(id).id != family.id;
            names[id.index()] = is_other.then_some(family.id.as_str());
        }
    }
    names
}

/// What a transition does to slots, ascending; `None` if it can never fire, because places that share
/// one token would all have to hold it.
fn pieces(net: &Net, slots: &Slots, transition: TransitionId) -> Option<Vec<Piece>> {
    let transition = net.transition(transition);
    let mut touched: Vec<PlaceId> =
        transition.take.iter().chain(&transition.put).map(|entry| entry.0).collect();
    touched.sort_unstable();
    touched.dedup();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut moves: FxHashMap<usize, (Vec<Value>, Vec<Value>)> = FxHashMap::default();
    for place in touched {
        let (take, put) = (weight(&transition.take, place), weight(&transition.put, place));
        match slots.of_place[place.index()] {
            (slot, None) => pieces.push(Piece { slot, kind: PieceKind::Count { take, put } }),
            (_, Some(_)) if take > 1 || put > 1 => return None,
            (slot, Some(value)) => {
                let (from, to) = moves.entry(slot).or_insert_with(|| {
                    pieces.push(Piece { slot, kind: PieceKind::Move { from: 0, to: 0 } });
                    (Vec::new(), Vec::new())
                });
                from.extend((take > 0).then_some(value));
                to.extend((put > 0).then_some(value));
            }
        }
    }
    for piece in &mut pieces {
        if let PieceKind::Move { from, to } = &mut piece.kind {
            let (sources, targets) = &moves[&piece.slot];
            if sources.len() > 1 || targets.len() > 1 {
                return None;
            }
            *from = sources.first().copied().unwrap_or(0);
            *to = targets.first().copied().unwrap_or(0);
        }
    }
    pieces.sort_unstable_by_key(|piece| piece.slot);
    Some(pieces)
}

/// What a group declares about a slot.
fn declared(piece: Piece) -> (Option<Guard>, Option<Change>) {
    let slot = SlotId::from_usize(piece.slot);
    match piece.kind {
        PieceKind::Count { take, put } => (
            (take > 0).then_some(Guard::AtLeast(slot, take)),
            (take != put).then_some(Change::Count { take, put }),
        ),
        PieceKind::Move { from, to } => (
            Some(Guard::In(slot, ValueSet::one(from))),
            (from != to).then(|| Change::Assign(ValueSet::one(to))),
        ),
    }
}

impl Model for NetModel {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Steps { model: self, next: Vec::new() })
    }

    fn meaning(&self, proposition: PropositionId) -> Option<Condition> {
        Some(self.propositions[proposition.index()].1.clone())
    }

    fn ending(&self) -> Option<Condition> {
        Some(Condition::Any(Vec::new()))
    }

    fn never_fails(&self) -> bool {
        self.is_proven && self.sizes.iter().all(|&size| size > 0)
    }

    fn allows_workers(&self) -> bool {
        true
    }
}

/// The next-state function.
struct Steps<'m> {
    model: &'m NetModel,
    next: Vec<Value>,
}

impl Steps<'_> {
    fn step(&mut self, group: usize, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let pieces = &self.model.steps[group];
        let is_enabled = pieces.iter().all(|piece| match piece.kind {
            PieceKind::Count { take, .. } => state[piece.slot] >= take,
            PieceKind::Move { from, .. } => state[piece.slot] == from,
        });
        if !is_enabled {
            return ControlFlow::Continue(());
        }
        self.next.clear();
        self.next.extend_from_slice(state);
        for piece in pieces {
            self.next[piece.slot] = match piece.kind {
                PieceKind::Move { to, .. } => to,
                PieceKind::Count { take, put } => {
                    let (left, size) = (state[piece.slot] - take, self.model.sizes[piece.slot]);
                    match left.checked_add(put) {
                        Some(sum) if size == 0 || sum < size || put <= take => sum,
                        _ => return ControlFlow::Break(self.overflow(piece.slot, state)),
                    }
                }
            };
        }
        sink.next(GroupId::from_usize(group), ActionId::from_usize(group), &self.next)
    }

    fn overflow(&self, slot: usize, state: &[Value]) -> Halt {
        let name = &self.model.signature.slots[slot].name;
        let message = match self.model.sizes[slot] {
            0 => format!("place `{name}` would hold more tokens than 32 bits count"),
            size => format!(
                "place `{name}` would hold more than {} tokens, though the file says that the net is safe",
                size - 1
            ),
        };
        Halt::Problem(Box::new(Problem::new(message).in_state(state)))
    }
}

impl Explorer for Steps<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        sink(&self.model.initial)
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.step(group.index(), state, sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        (0..self.model.steps.len()).try_for_each(|group| self.step(group, state, sink))
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        let condition = &self.model.propositions[proposition.index()].1;
        Ok(condition.holds(state).unwrap_or(false))
    }

    fn may_end(&mut self, _: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(false)
    }
}
