//! What the names in a file stand for: reference nodes, the ends of arcs, places and parts of units. Knows
//! no XML.

use quadrille_diagnostic::similar;
use rustc_hash::FxHashMap;

use super::{Arc, Reading, Reference};
use crate::codes::{IDENTIFIER, UNKNOWN};
use crate::coloured::WrittenArc;
use crate::net::{Unit, add};
use crate::xml::Node;

impl Reading<'_> {
    /// Gives places and transitions the names by which reference nodes call them.
    pub(super) fn refer(&mut self) {
        let mut open = std::mem::take(&mut self.references);
        loop {
            let n_open = open.len();
            // A node may refer to another one.
            open.retain(|reference| {
                let Reference { id, of, element } = reference;
                if self.places.contains_key(id) || self.transitions.contains_key(id) {
                    return true;
                }
                let (place, transition) = (self.places.get(of), self.transitions.get(of));
                match (place.copied(), transition.copied()) {
                    (Some(place), _) if element.name == "referencePlace" => {
                        self.places.insert(id.clone(), place);
                    }
                    (None, Some(transition)) if element.name == "referenceTransition" => {
                        self.transitions.insert(id.clone(), transition);
                    }
                    _ => return true,
                }
                false
            });
            if open.len() == n_open {
                break;
            }
        }
        for Reference { id, of, element } in open {
            let problem = if self.places.contains_key(&id) || self.transitions.contains_key(&id) {
                self.problem(&IDENTIFIER, format!("`{id}` is declared twice"), &element.place, "")
            } else {
                let kind = match element.name {
                    "referencePlace" => "place",
                    _ => "transition",
                };
                let message = format!("the net has no {kind} `{of}`");
                self.problem(&UNKNOWN, message, &element.place, "this refers to it")
            };
            self.problems.push(*problem);
        }
    }

    /// Ties arcs to what they connect.
    pub(super) fn connect(&mut self) {
        for arc in std::mem::take(&mut self.arcs) {
            let (from, to) = (arc.source.as_str(), arc.target.as_str());
            let taken = self.places.get(from).zip(self.transitions.get(to));
            let put = self.places.get(to).zip(self.transitions.get(from));
            let Some((&place, &transition)) = taken.or(put) else {
                self.loose(&arc);
                continue;
            };
            let is_taken = taken.is_some();
            if let Some(written) = &mut self.symmetric {
                let transition = &mut written.transitions[transition.index()];
                let bag = if is_taken { &mut transition.take } else { &mut transition.put };
                let element = Node { element: arc.element, parts: Vec::new() };
                bag.push(WrittenArc { of: place.index(), moved: arc.moved, element });
                continue;
            }
            let transition = &mut self.net.transitions[transition.index()];
            let bag = if is_taken { &mut transition.take } else { &mut transition.put };
            add(bag, place, arc.weight);
        }
    }

    fn loose(&mut self, arc: &Arc<'_>) {
        let knows =
            |name: &str| self.places.contains_key(name) || self.transitions.contains_key(name);
        let unknown = [&arc.source, &arc.target].into_iter().find(|name| !knows(name));
        let message = match unknown {
            Some(name) => format!("the net has no place or transition `{name}`"),
            None => "an arc connects two places, or two transitions".to_owned(),
        };
        let mut problem = *self.problem(&UNKNOWN, message, &arc.element.place, "this arc");
        if let Some(name) = unknown {
            let mut known: Vec<&str> =
                self.places.keys().chain(self.transitions.keys()).map(String::as_str).collect();
            known.sort_unstable();
            if let Some(near) = similar(name, known.iter().copied()).first() {
                problem = problem.help(format!("did you mean `{near}`?"));
            }
        }
        self.problems.push(problem);
    }

    pub(super) fn name_units(&mut self) {
        let units = std::mem::take(&mut self.units);
        let numbers: FxHashMap<&str, usize> =
            units.iter().enumerate().map(|(number, unit)| (unit.id.as_str(), number)).collect();
        let mut owner: Vec<Option<usize>> = vec![None; self.net.places.len()];
        for (number, raw) in units.iter().enumerate() {
            let mut unit = Unit { id: raw.id.clone(), ..Unit::default() };
            for name in &raw.places {
                match self.places.get(name) {
                    Some(&place) if owner[place.index()].is_none() => {
                        owner[place.index()] = Some(number);
                        unit.places.push(place);
                    }
                    found => {
                        let message = match found {
                            Some(_) => format!("place `{name}` is in two units"),
                            None => format!("the net has no place `{name}`"),
                        };
                        let problem = self.problem(&UNKNOWN, message, &raw.place, "in this unit");
                        self.problems.push(*problem);
                    }
                }
            }
            for name in &raw.parts {
                match numbers.get(name.as_str()) {
                    Some(&part) => unit.parts.push(part),
                    None => {
                        let message = format!("the net has no unit `{name}`");
                        let problem = self.problem(&UNKNOWN, message, &raw.place, "in this unit");
                        self.problems.push(*problem);
                    }
                }
            }
            self.net.units.push(unit);
        }
    }
}
