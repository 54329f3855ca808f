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
    what: site::Local,
    /// What the component did before.
    history: Vec<site::Local>,
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
        let mut known: Vec<Span> = Vec::new();
        for doing in self.round(composition, &trace) {
            if known.len() >= MOST_PLACES {
                break;
            }
            let Doing { step, unit, what: (role, event), .. } = &doing;
            let verb = if *role == Role::Emit { "emits" } else { "accepts" };
            let text = format!("step {step}, for ever: `{}` {verb} `{event}`", self.name(*unit));
            for span in self.places(&doing) {
                if !known.contains(&span) {
                    known.push(span);
                    diagnostic = diagnostic.at(span, text.clone());
                }
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
        let n_before = trace.steps.len();
        let mut round = Vec::new();
        for unit in self.units() {
            let doings = site::doings(composition, self.name(unit), &steps).unwrap_or_default();
            for (again, what) in doings.iter().enumerate().skip(n_before) {
                if let Some(what) = what.clone() {
                    let history = doings[..again].iter().flatten().cloned().collect();
                    let step = again + from - n_before + 1;
                    round.push(Doing { step, unit, what, history });
                }
            }
        }
        round.sort_by_key(|doing| (doing.step, doing.unit));
        round
    }

    /// Where it may be written what a component does.
    fn places(&self, doing: &Doing) -> Vec<Span> {
        let Doing { unit, what, history, .. } = doing;
        let member = &self.members[unit.index()];
        let mut places = uses(&member.component.protocol);
        places.retain(|one| is(one, what));
        if places.len() > 1 {
            places.retain(|one| site::is_possible(member, history, what, one.span));
        }
        places.into_iter().map(|one| one.span).collect()
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
fn is(one: &Use, (role, event): &site::Local) -> bool {
    let mark = match one.kind {
        EventKind::Request => '^',
        EventKind::Response => '$',
        EventKind::Meeting => return false,
    };
    let Some(name) = event.strip_suffix(mark) else { return false };
    let path = name.split_once('(').map_or(name, |(path, _)| path);
    one.role == *role && one.path == path
}
