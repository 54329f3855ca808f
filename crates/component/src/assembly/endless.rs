//! Why components run for ever: who does what in the steps that repeat, where that is written, and who
//! could finish when.

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_model::{Ending, Trace};

use super::{Assembly, site};
use crate::architecture::codes;
use crate::automata::{EventKind, Role};
use crate::composition::{Composition, Path, UnitId};
use crate::lint::{Use, uses};

/// Most places that are shown.
const MOST_PLACES: usize = 12;

/// What a component does in a step that repeats.
struct Doing {
    /// The number of the step, from one.
    step: usize,
    unit: UnitId,
    role: Role,
    event: String,
    /// Where that may be written.
    places: Vec<Span>,
}

impl Assembly {
    /// Who takes part in the steps that repeat at the end of a path.
    pub fn runners(&self, composition: &Composition, path: &Path) -> Vec<UnitId> {
        let mut units: Vec<UnitId> =
            self.round(composition, &path.trace(composition)).iter().map(|one| one.unit).collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    pub(super) fn endless(&self, composition: &Composition, path: &Path) -> Diagnostic {
        let message = "the components run for ever and can never finish";
        let mut diagnostic = Diagnostic::error(&codes::INFINITE_ACTIVITY, message);
        let trace = path.trace(composition);
        let mut known: Vec<(UnitId, Span)> = Vec::new();
        for Doing { step, unit, role, event, places } in self.round(composition, &trace) {
            let name = self.name(unit);
            let verb = if role == Role::Emit { "emits" } else { "accepts" };
            for span in places {
                if known.contains(&(unit, span)) || known.len() == MOST_PLACES {
                    continue;
                }
                known.push((unit, span));
                let text = format!("step {step}, for ever: `{name}` {verb} `{event}`");
                diagnostic = diagnostic.at(span, text);
            }
        }
        for note in self.ends(composition, &trace) {
            diagnostic = diagnostic.note(note);
        }
        diagnostic.help("let one of them leave the loop together with the others")
    }

    /// What happens in the steps that repeat.
    fn round(&self, composition: &Composition, trace: &Trace) -> Vec<Doing> {
        let Ending::Loop { from } = trace.ending else { return Vec::new() };
        // The second round: the first may take the components through places that they leave for good.
        let mut steps = trace.steps.clone();
        steps.extend_from_slice(&trace.steps[from..]);
        let until = |n_steps: usize| Trace {
            initial: trace.initial.clone(),
            steps: steps[..n_steps].to_vec(),
            ending: Ending::Prefix,
        };
        let mut round = Vec::new();
        for position in from..trace.steps.len() {
            let again = position + trace.steps.len() - from;
            let (before, after) = (until(again), until(again + 1));
            for unit in self.units() {
                let history = |trace| site::history(composition, self.name(unit), trace);
                let (Some(before), Some(after)) = (history(&before), history(&after)) else {
                    continue;
                };
                let [(role, event)] = &after[before.len()..] else { continue };
                let member = &self.members[unit.index()];
                let mut places = uses(&member.component.protocol);
                places.retain(|one| is(one, *role, event));
                if places.len() > 1 {
                    let next = (*role, event.clone());
                    let is_there = |one: &Use| site::is_possible(member, &before, &next, one.span);
                    places.retain(is_there);
                }
                let places = places.into_iter().map(|one| one.span).collect();
                let (step, role, event) = (position + 1, *role, event.clone());
                round.push(Doing { step, unit, role, event, places });
            }
        }
        round
    }

    /// Who could finish, and when.
    fn ends(&self, composition: &Composition, trace: &Trace) -> Vec<String> {
        let Ending::Loop { from } = trace.ending else { return Vec::new() };
        let steps = from..trace.steps.len();
        let ends = |unit: UnitId| -> Vec<String> {
            let may_end = |step: &usize| composition.may_finish(unit, trace.state(*step));
            steps.clone().filter(may_end).map(|step| (step + 1).to_string()).collect()
        };
        let all: Vec<(&str, Vec<String>)> =
            self.units().map(|unit| (self.name(unit), ends(unit))).collect();
        let never: Vec<String> = all
            .iter()
            .filter(|(_, ends)| ends.is_empty())
            .map(|(name, _)| format!("`{name}` may not finish anywhere in the loop"))
            .collect();
        if !never.is_empty() {
            return never;
        }
        let sometimes = all.iter().filter(|(_, ends)| ends.len() < steps.len());
        sometimes
            .map(|(name, ends)| format!("`{name}` may finish before step {} only", ends.join(", ")))
            .collect()
    }
}

/// Whether a mention of an event is of this one, whatever values it carries.
fn is(one: &Use, role: Role, event: &str) -> bool {
    let mark = match one.kind {
        EventKind::Request => '^',
        EventKind::Response => '$',
        EventKind::Meeting => return false,
    };
    let Some(name) = event.strip_suffix(mark) else { return false };
    let path = name.split_once('(').map_or(name, |(path, _)| path);
    one.role == role && one.path == path
}
