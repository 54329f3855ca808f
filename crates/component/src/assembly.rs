//! Components put together, with their texts kept: composes them, and says where in the texts an error
//! comes from. Knows no engine; whoever has one hands in what it found.

mod endless;
mod site;

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_model::Value;

use crate::architecture::codes;
use crate::automata::{
    Alphabet, Construction, Event, EventKind, Part, Role, Throws, TooLarge, build,
};
use crate::composition::{ComposeError, Composition, Fault, Path, Unit, UnitId, Wiring, compose};
use crate::lint::{Knowledge, Link, Use, check_choices, uses};
use crate::reduction::System;
use crate::syntax::{Component, EnumType};

/// A component to put together with others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The types of its variables.
    pub types: Vec<EnumType>,
    /// Its name and its protocol.
    pub component: Component,
    /// What methods may throw; without it, whatever is caught.
    pub throws: Option<Throws>,
}

/// Components put together, and who is bound to whom.
#[derive(Clone, Debug)]
pub struct Assembly {
    members: Vec<Member>,
    alphabet: Alphabet,
    units: Vec<Unit>,
    wiring: Wiring,
}

/// Places shown per component.
const MOST_PLACES: usize = 3;

impl Assembly {
    /// Builds the automata of all members; `wiring` says who is bound to whom.
    pub fn new(
        members: Vec<Member>,
        construction: Construction,
        wiring: impl FnOnce(&Alphabet, &[Unit]) -> Wiring,
    ) -> Result<Self, Diagnostic> {
        let mut alphabet = Alphabet::default();
        let mut units = Vec::new();
        for Member { types, component, throws } in &members {
            let name = component.name.text.clone();
            let piece = build(&mut alphabet, types, component, throws.as_ref(), construction);
            let piece = piece.map_err(|TooLarge| {
                let message = format!("the automaton of `{name}` would be too large");
                Diagnostic::error(&codes::TOO_LARGE, message).at(component.name.span, "")
            })?;
            units.push(Unit { name, piece });
        }
        let wiring = wiring(&alphabet, &units);
        Ok(Self { members, alphabet, units, wiring })
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
    pub fn system(&self) -> System {
        let (alphabet, units) = (self.alphabet.clone(), self.units.clone());
        System { alphabet, units, wiring: self.wiring.clone() }
    }

    /// What the wiring says about interfaces.
    pub(crate) fn knowledge(&self) -> Knowledge {
        let name = |unit: UnitId| self.name(unit).to_owned();
        let bindings = self.wiring.bindings.iter().filter_map(|binding| {
            let between = binding.between?.map(name);
            Some(Link { name: binding.name.clone(), between })
        });
        let outside = |(external, unit): (&String, UnitId)| Link {
            name: external.clone(),
            between: [name(unit), String::new()],
        };
        let external = self.wiring.external.iter();
        let external = external.flat_map(|name| self.units().map(move |unit| (name, unit)));
        let links = bindings.chain(external.map(outside)).collect();
        Knowledge { links, closed: self.wiring.closed, ..Knowledge::default() }
    }

    /// Events that several branches of a member can accept at once.
    pub fn open_choices(&self) -> Vec<Diagnostic> {
        let members = self.members.iter().zip(&self.units);
        members
            .flat_map(|(member, unit)| {
                check_choices(&member.component, &self.alphabet, &unit.piece)
            })
            .collect()
    }

    fn name(&self, unit: UnitId) -> &str {
        &self.units[unit.index()].name
    }

    fn units(&self) -> impl Iterator<Item = UnitId> + use<> {
        (0..self.units.len() as u32).map(UnitId)
    }

    /// What a component does in an event, and where that is written.
    fn uses(&self, unit: UnitId, role: Role, event: &Event) -> Vec<Use> {
        let mut found = uses(&self.members[unit.index()].component.protocol);
        found.retain(|one| one.role == role && one.path == event.path && one.kind == event.kind);
        found
    }

    /// The same at the end of a path, without the places that the component cannot be at then.
    fn uses_after(
        &self,
        composition: &Composition,
        path: &Path,
        unit: UnitId,
        (role, event): (Role, &Event),
    ) -> Vec<Use> {
        let mut found = self.uses(unit, role, event);
        let trace = path.trace(composition);
        let doings = site::doings(composition, self.name(unit), &trace.steps);
        let (Some(doings), 2..) = (doings, found.len()) else { return found };
        let history: Vec<site::Local> = doings.into_iter().flatten().collect();
        let (member, next) = (&self.members[unit.index()], (role, event.to_string()));
        let is_there = |one: &Use| site::is_possible(member, &history, &next, one.span);
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

    /// Who goes wrong at the end of a path, on which event; nobody in particular if nobody can go on.
    pub fn culprits(&self, composition: &Composition, path: &Path) -> Vec<(UnitId, Event)> {
        let state = path.trace(composition).last().to_vec();
        match path.fault {
            Fault::Bad(bad) => {
                let (event, emitters) = composition.bad_event(bad);
                let emits =
                    |unit: &&UnitId| self.can(composition, **unit, &state, Role::Emit, event);
                emitters.iter().filter(emits).map(|unit| (*unit, event.clone())).collect()
            }
            Fault::Stuck | Fault::Endless { .. } => Vec::new(),
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
        let wanted = |part: &Part| part.role == role && self.alphabet.event_of(part.event) == event;
        let offers = composition.offers(unit, state);
        offers.into_iter().any(|step| self.alphabet.parts(step).iter().any(wanted))
    }

    /// Says what is wrong at the end of a path: who, on which event, and where in the texts.
    pub fn explain(&self, composition: &Composition, path: &Path) -> Diagnostic {
        match path.fault {
            Fault::Bad(_) => self.bad(composition, path),
            Fault::Stuck => self.stuck(composition, path),
            Fault::Endless { .. } => self.endless(composition, path),
        }
    }

    fn bad(&self, composition: &Composition, path: &Path) -> Diagnostic {
        let state = path.trace(composition).last().to_vec();
        let culprits = self.culprits(composition, path);
        let Some((emitter, event)) = culprits.first() else {
            return Diagnostic::error(&codes::BAD_ACTIVITY, "an event is emitted and not accepted");
        };
        let sites = self.uses_after(composition, path, *emitter, (Role::Emit, event));
        let who = self.name(*emitter);
        let is_thrown = sites.iter().any(|one| one.is_exception);
        let what = match event.kind {
            EventKind::Response if is_thrown => "throws",
            EventKind::Response => "answers",
            EventKind::Request | EventKind::Meeting => "calls",
        };
        let message = format!("`{who}` {what} `{}`, and nobody accepts it", event.path);
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

    fn stuck(&self, composition: &Composition, path: &Path) -> Diagnostic {
        let state = path.trace(composition).last().to_vec();
        let unfinished = self.unfinished(composition, &state);
        let names: Vec<String> =
            unfinished.iter().map(|(unit, _)| format!("`{}`", self.name(*unit))).collect();
        let verb = if names.len() == 1 { "has" } else { "have" };
        let message = format!("nobody can go on, and {} {verb} not finished", names.join(", "));
        let mut diagnostic = Diagnostic::error(&codes::NO_ACTIVITY, message);
        for (unit, offers) in &unfinished {
            for (span, event) in
                self.awaited(composition, path, *unit).into_iter().take(MOST_PLACES)
            {
                let text = format!("`{}` waits for `{event}`", self.name(*unit));
                diagnostic = diagnostic.at(span, text);
            }
            diagnostic = diagnostic.note(format!("`{}` {}", self.name(*unit), doing(offers)));
        }
        diagnostic
    }

    /// Where the events are written that a component could accept in a configuration.
    fn awaited(&self, composition: &Composition, path: &Path, unit: UnitId) -> Vec<(Span, Event)> {
        let state = path.trace(composition).last().to_vec();
        let mut places = Vec::new();
        for step in composition.offers(unit, &state) {
            for part in self.alphabet.parts(step).iter().filter(|part| part.role != Role::Emit) {
                let event = self.alphabet.event_of(part.event);
                for one in self.uses_after(composition, path, unit, (part.role, event)) {
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
