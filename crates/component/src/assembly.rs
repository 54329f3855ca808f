//! A composition together with the texts of its components: composes them and explains errors by places
//! in the texts. Knows no engine; the errors come from the caller.

mod endless;
mod idle;
mod site;

use std::collections::BTreeSet;

use quadrille_diagnostic::{Diagnostic, SourceId, Span};
use quadrille_graph::{Partition, components};
use quadrille_model::Value;

use crate::architecture::codes;
use crate::automata::{
    Alphabet, Construction, Event, EventId, EventKind, Role, StepEvent, Throws, TooLarge, build,
    is_on,
};
use crate::composition::{
    Binding, ComposeError, Composition, ErrorKind, ErrorRun, Unit, UnitId, Wiring, compose,
    mentioned,
};
use crate::lint::{EventUse, InterfaceLink, KnownBindings, check_choices, uses};
use crate::reduction::ComponentSystem;
use crate::syntax::{Component, EnumType};

/// A component to put together with others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The types of its variables.
    pub types: Vec<EnumType>,
    /// Its name and its protocol.
    pub component: Component,
    /// What methods may throw; without it, every exception that is caught.
    pub throws: Option<Throws>,
}

/// Components to be composed, and their bindings.
#[derive(Clone, Debug)]
pub struct Assembly {
    members: Vec<Member>,
    alphabet: Alphabet,
    units: Vec<Unit>,
    wiring: Wiring,
}

/// What connects components.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Connection {
    /// A binding, by its position.
    Bound(usize),
    /// A joint event.
    Joint(EventId),
    /// A file.
    File(SourceId),
}

/// Places shown per component.
const MOST_PLACES: usize = 3;

impl Assembly {
    /// Builds the automata of all members; `wiring` makes the bindings.
    pub fn new(
        members: Vec<Member>,
        construction: Construction,
        wiring: impl FnOnce(&Alphabet, &[Unit]) -> Wiring,
    ) -> Result<Self, Diagnostic> {
        let mut alphabet = Alphabet::default();
        let mut units = Vec::new();
        for Member { types, component, throws } in &members {
            let name = component.name.text.clone();
            let dfa = build(&mut alphabet, types, component, throws.as_ref(), construction);
            let dfa = dfa.map_err(|TooLarge| {
                let message = format!("the automaton of `{name}` would be too large");
                Diagnostic::error(&codes::TOO_LARGE, message).at(component.name.span, "")
            })?;
            units.push(Unit { name, dfa });
        }
        let wiring = wiring(&alphabet, &units);
        Ok(Self { members, alphabet, units, wiring })
    }

    /// The systems that the components form. Components of one file belong to one system; so do
    /// components that a binding or a joint event connects, directly or through others. Components of
    /// different systems never take a step together. In the order of their first components.
    pub fn systems(&self) -> Vec<Assembly> {
        let users = self.units().map(|unit| self.connections(unit)).collect::<Vec<_>>();
        let meets = |one: usize| {
            let users = &users;
            (0..users.len()).filter(move |&other| !users[one].is_disjoint(&users[other]))
        };
        let parts = components(users.len(), meets);
        let numbers = Partition::by_key(parts.of);
        let system = |number: u32| {
            let inside: Vec<UnitId> =
                self.units().filter(|unit| numbers.class(unit.index()) == number).collect();
            let place = |unit: UnitId| inside.iter().position(|known| *known == unit);
            let rebound = |binding: &Binding| {
                let between = match binding.between {
                    None => None,
                    Some([one, other]) => {
                        Some([place(one)?, place(other)?].map(|position| UnitId(position as u32)))
                    }
                };
                Some(Binding { name: binding.name.clone(), between })
            };
            let bindings = self.wiring.bindings.iter().filter_map(rebound).collect();
            Assembly {
                members: inside.iter().map(|unit| self.members[unit.index()].clone()).collect(),
                alphabet: self.alphabet.clone(),
                units: inside.iter().map(|unit| self.units[unit.index()].clone()).collect(),
                wiring: Wiring { bindings, ..self.wiring.clone() },
            }
        };
        (0..numbers.n_classes() as u32).map(system).collect()
    }

    /// What may connect a component to others.
    fn connections(&self, unit: UnitId) -> BTreeSet<Connection> {
        let source = self.members[unit.index()].component.name.span.source;
        let mut all = BTreeSet::from([Connection::File(source)]);
        for event in mentioned(&self.alphabet, &self.units[unit.index()].dfa) {
            let Event { path, kind, .. } = self.alphabet.event_of(event);
            if *kind == EventKind::Meeting {
                all.insert(Connection::Joint(event));
            }
            for (position, Binding { name, between }) in self.wiring.bindings.iter().enumerate() {
                if is_on(path, name) && between.is_none_or(|pair| pair.contains(&unit)) {
                    all.insert(Connection::Bound(position));
                }
            }
        }
        all
    }

    /// The model of all members together.
    pub fn compose(&self) -> Result<Composition, Diagnostic> {
        let told = |error: ComposeError| Diagnostic::error(&codes::TOO_LARGE, error.to_string());
        compose(&self.alphabet, &self.units, &self.wiring).map_err(told)
    }

    /// The members.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// What happens in these components.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// The members and their wiring, to be reduced.
    pub fn system(&self) -> ComponentSystem {
        let (alphabet, units) = (self.alphabet.clone(), self.units.clone());
        ComponentSystem { alphabet, units, wiring: self.wiring.clone() }
    }

    /// What the wiring says about interfaces.
    pub(crate) fn known_bindings(&self) -> KnownBindings {
        let name = |unit: UnitId| self.name(unit).to_owned();
        let bindings = self.wiring.bindings.iter().filter_map(|binding| {
            let between = binding.between?.map(name);
            Some(InterfaceLink { name: binding.name.clone(), between })
        });
        let outside = |(external, unit): (&String, UnitId)| InterfaceLink {
            name: external.clone(),
            between: [name(unit), String::new()],
        };
        let external = self.wiring.external.iter();
        let external = external.flat_map(|name| self.units().map(move |unit| (name, unit)));
        let links = bindings.chain(external.map(outside)).collect();
        KnownBindings { links, closed: self.wiring.closed, ..KnownBindings::default() }
    }

    /// Events that several branches of a member can accept at once.
    pub fn open_choices(&self) -> Vec<Diagnostic> {
        let members = self.members.iter().zip(&self.units);
        members
            .flat_map(|(member, unit)| check_choices(&member.component, &self.alphabet, &unit.dfa))
            .collect()
    }

    fn name(&self, unit: UnitId) -> &str {
        &self.units[unit.index()].name
    }

    fn units(&self) -> impl Iterator<Item = UnitId> + use<> {
        (0..self.units.len() as u32).map(UnitId)
    }

    /// What a component does in an event, and where that is written.
    fn uses(&self, unit: UnitId, role: Role, event: &Event) -> Vec<EventUse> {
        let mut found = uses(&self.members[unit.index()].component.protocol);
        found.retain(|one| one.role == role && one.path == event.path && one.kind == event.kind);
        found
    }

    /// The same at the end of a run, without the places that the component cannot be at then.
    fn uses_after(
        &self,
        composition: &Composition,
        run: &ErrorRun,
        unit: UnitId,
        (role, event): (Role, &Event),
    ) -> Vec<EventUse> {
        let mut found = self.uses(unit, role, event);
        let trace = &run.trace;
        let doings = site::events_of(composition, self.name(unit), &trace.steps);
        let (Some(doings), 2..) = (doings, found.len()) else { return found };
        let history: Vec<site::Occurrence> = doings.into_iter().flatten().collect();
        let (member, next) = (&self.members[unit.index()], (role, event.to_string()));
        let is_there = |one: &EventUse| site::is_possible(member, &history, &next, one.span);
        if found.iter().any(is_there) {
            found.retain(is_there);
        }
        found
    }

    /// What each component that has not finished could do in a configuration if others went along.
    pub fn unfinished(
        &self,
        composition: &Composition,
        state: &[Value],
    ) -> Vec<(UnitId, Vec<String>)> {
        let open = self.units().filter(|unit| !composition.may_finish(*unit, state));
        open.map(|unit| (unit, self.offered(composition, unit, state))).collect()
    }

    fn offered(&self, composition: &Composition, unit: UnitId, state: &[Value]) -> Vec<String> {
        let mut offers: Vec<String> = composition
            .offers(unit, state)
            .into_iter()
            .map(|step| self.alphabet.show(step))
            .collect();
        offers.sort();
        offers.dedup();
        offers
    }

    /// The components that emit an unaccepted event at the end of a run, and the event.
    pub fn emitters(&self, composition: &Composition, run: &ErrorRun) -> Vec<(UnitId, Event)> {
        let state = run.trace.last().to_vec();
        match run.kind {
            ErrorKind::BadActivity(bad) => {
                let (event, emitters) = composition.bad_event(bad);
                let emits =
                    |unit: &&UnitId| self.can(composition, **unit, &state, Role::Emit, event);
                emitters.iter().filter(emits).map(|unit| (*unit, event.clone())).collect()
            }
            ErrorKind::NoActivity | ErrorKind::InfiniteActivity { .. } => Vec::new(),
        }
    }

    fn can(
        &self,
        composition: &Composition,
        unit: UnitId,
        state: &[Value],
        role: Role,
        event: &Event,
    ) -> bool {
        let wanted =
            |part: &StepEvent| part.role == role && self.alphabet.event_of(part.event) == event;
        let offers = composition.offers(unit, state);
        offers.into_iter().any(|step| self.alphabet.step_events(step).iter().any(wanted))
    }

    /// Explains an error: the component, the event, and the places in the texts.
    pub fn explain(&self, composition: &Composition, run: &ErrorRun) -> Diagnostic {
        match run.kind {
            ErrorKind::BadActivity(_) => self.bad_activity(composition, run),
            ErrorKind::NoActivity => self.no_activity(composition, run),
            ErrorKind::InfiniteActivity { .. } => self.infinite_activity(composition, run),
        }
    }

    fn bad_activity(&self, composition: &Composition, run: &ErrorRun) -> Diagnostic {
        let state = run.trace.last().to_vec();
        let emitters = self.emitters(composition, run);
        let Some((emitter, event)) = emitters.first() else {
            return Diagnostic::error(&codes::BAD_ACTIVITY, "an event is emitted and not accepted");
        };
        let sites = self.uses_after(composition, run, *emitter, (Role::Emit, event));
        let who = self.name(*emitter);
        let is_thrown = sites.iter().any(|one| one.is_exception);
        let what = match event.kind {
            EventKind::Response if is_thrown => "throws",
            EventKind::Response => "answers",
            EventKind::Request | EventKind::Meeting => "calls",
        };
        let message = format!("`{who}` {what} `{}`, and no component accepts it", event.path);
        let mut diagnostic = Diagnostic::error(&codes::BAD_ACTIVITY, message);
        for one in sites.iter().take(MOST_PLACES) {
            diagnostic = diagnostic.at(one.span, format!("`{who}` {what} it here"));
        }
        let mut is_accepted = false;
        for other in self.units().filter(|other| other != emitter) {
            let places = self.uses(other, Role::Accept, event);
            let name = self.name(other);
            for one in places.iter().take(MOST_PLACES) {
                is_accepted = true;
                let text = format!("`{name}` accepts it here, but not at this moment");
                diagnostic = diagnostic.at(one.span, text);
            }
            if !places.is_empty() {
                let offers = self.offered(composition, other, &state);
                diagnostic = diagnostic.note(format!("`{name}` {}", doing(&offers)));
            }
        }
        if is_accepted {
            diagnostic
        } else {
            diagnostic.note("no other component accepts it at all")
        }
    }

    fn no_activity(&self, composition: &Composition, run: &ErrorRun) -> Diagnostic {
        let state = run.trace.last().to_vec();
        let unfinished = self.unfinished(composition, &state);
        let names: Vec<String> =
            unfinished.iter().map(|(unit, _)| format!("`{}`", self.name(*unit))).collect();
        let verb = if names.len() == 1 { "has" } else { "have" };
        let message =
            format!("no component can continue, and {} {verb} not finished", names.join(", "));
        let mut diagnostic = Diagnostic::error(&codes::NO_ACTIVITY, message);
        for (unit, offers) in &unfinished {
            for (span, event) in self.awaited(composition, run, *unit).into_iter().take(MOST_PLACES)
            {
                let text = format!("`{}` waits for `{event}`", self.name(*unit));
                diagnostic = diagnostic.at(span, text);
            }
            diagnostic = diagnostic.note(format!("`{}` {}", self.name(*unit), doing(offers)));
        }
        diagnostic
    }

    /// Where the events are written that a component could accept in a configuration.
    fn awaited(
        &self,
        composition: &Composition,
        run: &ErrorRun,
        unit: UnitId,
    ) -> Vec<(Span, Event)> {
        let state = run.trace.last().to_vec();
        let mut places = Vec::new();
        for step in composition.offers(unit, &state) {
            for part in
                self.alphabet.step_events(step).iter().filter(|part| part.role != Role::Emit)
            {
                let event = self.alphabet.event_of(part.event);
                for one in self.uses_after(composition, run, unit, (part.role, event)) {
                    places.push((one.span, event.clone()));
                }
            }
        }
        places.sort();
        places.dedup();
        places
    }
}

fn doing(offers: &[String]) -> String {
    match offers {
        [] => "can do nothing more".to_owned(),
        offers => format!("is ready for {}", offers.join(", ")),
    }
}
