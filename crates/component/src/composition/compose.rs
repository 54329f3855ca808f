//! The consent composition of components as a network: a participant per automaton, a template per
//! joint step. States are the configurations, edges the distinct steps; an emission that no component
//! accepts is a proposition, not a step.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use quadrille_model::{
    Action, ActionId, Automaton, Explorer, Flow, GroupId, Interaction, LocalId, Model, Network,
    NetworkBuilder, NetworkError, ParticipantId, Problem, Proposition, PropositionId, Signature,
    SlotId, Successors, Template, Value,
};
use rustc_hash::FxHashMap;

use super::joint::{MoveRef, Moves};
use super::wiring::{UnitId, Wiring};
use crate::automata::{
    Alphabet, Event, ForkedDfa, Region, RegionIndex, RegionUnion, Role, SlotName, StepId, ends,
    slots,
};

/// The name of [`Composition::settled`].
const SETTLED: &str = "settled";

/// A component to compose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// Its name.
    pub name: String,
    /// Its automata.
    pub dfa: ForkedDfa,
}

/// Components put together. As a model, its states are the configurations; it may end where all
/// components may; its propositions are the bad activities, `ε!i.m^`.
#[derive(Clone, Debug)]
pub struct Composition {
    network: Network,
    /// That of the network, with other ends and propositions.
    signature: Signature,
    bad: Vec<Bad>,
    /// Finds all bad activities of a configuration at once.
    bad_index: RegionIndex<PropositionId>,
    /// Per component, where it may end.
    ends: Vec<RegionUnion>,
    /// Per component, what it can do where, if others go along.
    offers: Vec<Vec<(Region, StepId)>>,
    /// Per action, which components take which steps.
    taken: Vec<Vec<Vec<(UnitId, StepId)>>>,
}

/// An event that may be emitted without being accepted.
#[derive(Clone, Debug)]
struct Bad {
    event: Event,
    emitters: Vec<UnitId>,
    regions: RegionUnion,
}

/// Why components cannot be put together.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ComposeError {
    /// Too many joint steps or unaccepted emissions (limit `MAX_STEPS`).
    TooLarge,
    /// The network behind it cannot be built.
    Network(NetworkError),
}

impl fmt::Display for ComposeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "the components have too many joint steps"),
            Self::Network(error) => write!(f, "the components cannot be composed: {error}"),
        }
    }
}

impl std::error::Error for ComposeError {}

impl From<NetworkError> for ComposeError {
    fn from(error: NetworkError) -> Self {
        Self::Network(error)
    }
}

/// Composes components.
pub fn compose(
    alphabet: &Alphabet,
    units: &[Unit],
    wiring: &Wiring,
) -> Result<Composition, ComposeError> {
    let mut builder = NetworkBuilder::default();
    let mut sizes = Vec::new();
    let mut all_ends = Vec::new();
    let mut roots = Vec::new();
    for unit in units {
        let offset = sizes.len() as u32;
        roots.push(ParticipantId::new(offset));
        for slot in slots(&unit.dfa) {
            let states = (0..slot.n_states).map(|state| state.to_string());
            let all = (0..slot.n_states).map(LocalId::new);
            builder
                .participant(Automaton::new(slot_name(unit, &slot), states).ends(all).hidden())?;
            sizes.push(slot.n_states);
        }
        all_ends.push(ends(&unit.dfa).iter().map(|region| region.shifted(offset)).collect());
    }
    let moves = Moves::new(alphabet, units, wiring);
    let mut by_label: BTreeMap<String, Vec<Draft>> = BTreeMap::new();
    let mut taken: FxHashMap<Action, Vec<Vec<(UnitId, StepId)>>> = FxHashMap::default();
    for chosen in moves.steps()? {
        let Some(region) = moves.region(&chosen) else { continue };
        let (label, events) = label(alphabet, &moves, &chosen);
        let effects = chosen.iter().flat_map(|one| moves.of(*one).effects.iter().copied());
        let draft = Draft {
            region,
            effects: effects.collect(),
            events,
            interaction: interaction(alphabet, &moves, &chosen, &roots),
        };
        let action = Action {
            label: label.clone(),
            events: draft.events.clone(),
            interaction: draft.interaction.clone(),
        };
        let steps = chosen.iter().map(|one| (one.0, moves.of(*one).step)).collect();
        let known = taken.entry(action).or_default();
        if !known.contains(&steps) {
            known.push(steps);
        }
        by_label.entry(label).or_default().push(draft);
    }
    for (label, drafts) in by_label {
        for draft in without_repetition(drafts, &sizes) {
            builder.template(draft.template(&label))?;
        }
    }
    let mut unaccepted: BTreeMap<&Event, (Vec<UnitId>, Vec<Region>)> = BTreeMap::new();
    for one in moves.unaccepted(&sizes)? {
        let (emitters, regions) = unaccepted.entry(alphabet.event_of(one.event)).or_default();
        if !emitters.contains(&one.emitter) {
            emitters.push(one.emitter);
        }
        regions.push(one.region);
    }
    let to_bad = |(event, (emitters, regions)): (&Event, (Vec<UnitId>, Vec<Region>))| Bad {
        event: event.clone(),
        emitters,
        regions: regions.into_iter().collect(),
    };
    let bad: Vec<Bad> = unaccepted.into_iter().map(to_bad).collect();
    let by_place = bad.iter().enumerate().flat_map(|(position, bad)| {
        bad.regions.regions().into_iter().map(move |one| (one, PropositionId::from_usize(position)))
    });
    let bad_index = RegionIndex::new(by_place, &sizes);
    let offers = moves.offers();
    let network = builder.build()?;
    let mut signature = network.signature().clone();
    let members: Vec<Vec<ParticipantId>> = (0..units.len())
        .map(|unit| {
            let end = roots.get(unit + 1).map_or(sizes.len() as u32, |next| next.number());
            (roots[unit].number()..end).map(ParticipantId::new).collect()
        })
        .collect();
    let end_alike = |one: usize, other: usize| ends(&units[one].dfa) == ends(&units[other].dfa);
    signature.families = network.families(&members, &end_alike);
    let all_ends_regions: Vec<Region> = all_ends.iter().flat_map(RegionUnion::regions).collect();
    let all_bad: Vec<Region> = bad.iter().flat_map(|bad| bad.regions.regions()).collect();
    signature.ends = support(&all_ends_regions);
    signature.propositions = bad
        .iter()
        .map(|bad| Proposition {
            name: format!("ε!{}", bad.event),
            support: support(&bad.regions.regions()),
        })
        .collect();
    let settled = [all_ends_regions, all_bad].concat();
    signature
        .propositions
        .push(Proposition { name: SETTLED.to_owned(), support: support(&settled) });
    let actions = (0..network.n_actions()).map(ActionId::from_usize);
    let taken =
        actions.map(|action| taken.remove(&network.action(action)).unwrap_or_default()).collect();
    Ok(Composition { network, signature, bad, bad_index, ends: all_ends, offers, taken })
}

impl Composition {
    /// The configuration that everything starts in.
    pub fn start(&self) -> Vec<Value> {
        let mut start = Vec::new();
        let found = self.explorer().each_initial(|state| start = state.to_vec());
        found.expect("every step of a composition can be computed");
        start
    }

    /// Whether a proposition holds in a configuration.
    pub fn holds(&self, proposition: PropositionId, state: &[Value]) -> bool {
        match self.bad.get(proposition.index()) {
            Some(bad) => bad.regions.contains(state),
            None => self.may_end(state) || !self.bad_activities(state).is_empty(),
        }
    }

    /// Whether all components may end in a configuration.
    pub fn may_end(&self, state: &[Value]) -> bool {
        (0..self.ends.len() as u32).all(|unit| self.may_finish(UnitId(unit), state))
    }

    /// The network behind it: the same states and steps, without ends and propositions.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Which components take part in an action, ascending, and with which step each. There may be
    /// several ways where atomic actions look the same from outside.
    pub fn taken(&self, action: ActionId) -> &[Vec<(UnitId, StepId)>] {
        &self.taken[action.index()]
    }

    /// The event of a proposition, and the components that may emit it.
    pub fn bad_event(&self, proposition: PropositionId) -> (&Event, &[UnitId]) {
        let bad = &self.bad[proposition.index()];
        (&bad.event, &bad.emitters)
    }

    /// The bad activities of a configuration, ascending.
    pub fn bad_activities(&self, state: &[Value]) -> Vec<PropositionId> {
        let mut found = Vec::new();
        self.bad_index.for_each(state, |event| found.push(*event));
        found.dedup();
        found
    }

    /// The proposition of configurations in which the components may end or a bad activity holds.
    pub fn settled(&self) -> PropositionId {
        PropositionId::from_usize(self.bad.len())
    }

    /// Per bad activity its name, and where it is.
    pub(super) fn failures(&self) -> impl Iterator<Item = (&str, Vec<Region>)> {
        let regions = self.bad.iter().map(|bad| bad.regions.regions());
        let names = self.signature.propositions.iter();
        names.map(|proposition| proposition.name.as_str()).zip(regions)
    }

    /// Where all components may end.
    pub(super) fn all_ends(&self) -> Vec<Region> {
        let mut all = vec![Region::default()];
        for ends in &self.ends {
            let ends = ends.regions();
            let both = |one: &Region| -> Vec<Region> {
                ends.iter().filter_map(|other| one.intersect(other)).collect()
            };
            all = all.iter().flat_map(both).collect();
        }
        all
    }

    /// What a component could do in a configuration if others went along.
    pub fn offers(&self, unit: UnitId, state: &[Value]) -> Vec<StepId> {
        let here = self.offers[unit.index()].iter().filter(|(region, _)| region.contains(state));
        here.map(|(_, step)| *step).collect()
    }

    /// Whether a component may end in a configuration.
    pub fn may_finish(&self, unit: UnitId, state: &[Value]) -> bool {
        self.ends[unit.index()].contains(state)
    }
}

/// The slots that regions look at, ascending.
fn support(regions: &[Region]) -> Vec<SlotId> {
    let conditions = regions.iter().flat_map(Region::conditions);
    let slots: BTreeSet<SlotId> = conditions.map(|(slot, _)| SlotId::new(*slot)).collect();
    slots.into_iter().collect()
}

fn slot_name(unit: &Unit, slot: &SlotName) -> String {
    let branch = |(fork, branch): &(u32, u32)| format!("/{}.{}", fork + 1, branch + 1);
    format!("{}{}", unit.name, slot.way.iter().map(branch).collect::<String>())
}

/// What happens in a step: `τi.m^`, or what the environment sees; and its events, `i.m^`.
fn label(alphabet: &Alphabet, moves: &Moves<'_>, chosen: &[MoveRef]) -> (String, Vec<String>) {
    let (mut tokens, mut events) = (Vec::new(), Vec::new());
    for &one in chosen {
        for &part in moves.parts(one) {
            let sign = if moves.is_joint(one.0, part) { "τ" } else { part.role.sign() };
            let event = alphabet.event_of(part.event).to_string();
            let token = format!("{sign}{event}");
            if !tokens.contains(&token) {
                tokens.push(token);
                events.push(event);
            }
        }
    }
    let label =
        if tokens.len() == 1 { tokens.concat() } else { format!("[{}]", tokens.join(", ")) };
    (label, events)
}

fn interaction(
    alphabet: &Alphabet,
    moves: &Moves<'_>,
    chosen: &[MoveRef],
    roots: &[ParticipantId],
) -> Interaction<ParticipantId> {
    let root = |one: &MoveRef| roots[one.0.index()];
    if let [one, other] = chosen
        && let ([part], [_]) = (moves.parts(*one), moves.parts(*other))
        && part.role != Role::Meet
    {
        let (from, to) = if part.role == Role::Emit { (one, other) } else { (other, one) };
        let message = alphabet.event_of(part.event).to_string();
        return Interaction::Exchange { from: root(from), to: vec![root(to)], message };
    }
    Interaction::Joint { participants: chosen.iter().map(root).collect() }
}

/// A template under way.
#[derive(Clone)]
struct Draft {
    region: Region,
    effects: Vec<(u32, Value)>,
    events: Vec<String>,
    interaction: Interaction<ParticipantId>,
}

impl Draft {
    fn template(self, label: &str) -> Template {
        let mut template = Template::new(label).events(self.events).interaction(self.interaction);
        for (slot, set) in self.region.conditions() {
            template.conditions.push((ParticipantId::new(*slot), set.clone()));
        }
        for (slot, value) in self.effects {
            template = template.becomes(ParticipantId::new(slot), [LocalId::new(value)]);
        }
        template
    }

    /// Where another template leads to the same configuration as this one.
    fn repeats(&self, other: &Draft) -> Option<Region> {
        let mut region = self.region.intersect(&other.region)?;
        for (one, two) in [(self, other), (other, self)] {
            for &(slot, value) in &one.effects {
                match two.effects.iter().find(|(known, _)| *known == slot) {
                    Some((_, same)) if *same == value => {}
                    Some(_) => return None,
                    None => region = region.intersect(&Region::at(slot, value))?,
                }
            }
        }
        Some(region)
    }
}

/// The same steps, each made by one template only.
fn without_repetition(drafts: Vec<Draft>, sizes: &[u32]) -> Vec<Draft> {
    let mut all = Vec::new();
    // Drafts by their first condition, if it asks for one value: other values of that slot are apart.
    let mut buckets: BTreeMap<(u32, Option<Value>), Vec<Draft>> = BTreeMap::new();
    for draft in drafts {
        let first = draft.region.conditions().first();
        let key = first.map_or((0, None), |(slot, set)| {
            (*slot, if set.len() == 1 { set.iter().next() } else { None })
        });
        let apart = |other: &(u32, Option<Value>)| {
            other.0 == key.0 && other.1.is_some() && key.1.is_some() && other.1 != key.1
        };
        let mut regions = vec![draft.region.clone()];
        for (_, known) in buckets.iter().filter(|(other, _)| !apart(other)) {
            for repeated in known.iter().filter_map(|known| draft.repeats(known)) {
                let rest = regions.iter().flat_map(|region| region.subtract(&repeated, sizes));
                regions = rest.collect();
            }
        }
        let copy = |region| Draft { region, ..draft.clone() };
        all.extend(regions.into_iter().map(copy));
        buckets.entry(key).or_default().push(draft);
    }
    all
}

impl Model for Composition {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn never_fails(&self) -> bool {
        true
    }

    fn allows_workers(&self) -> bool {
        self.network.allows_workers()
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Configurations { composition: self, steps: self.network.explorer() })
    }

    fn show(&self, slot: SlotId, value: Value) -> String {
        self.network.show(slot, value)
    }
}

/// The next-state function of a composition: that of its network, with ends and propositions.
struct Configurations<'c> {
    composition: &'c Composition,
    steps: Box<dyn Explorer + 'c>,
}

impl Explorer for Configurations<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        self.steps.initial(sink)
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.steps.successors(group, state, sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.steps.expand(state, sink)
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(self.composition.holds(proposition, state))
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(self.composition.may_end(state))
    }
}
