//! Explains infinite activity: which component does what in the steps that repeat, where that is
//! written, and which component could finish at which step.

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_model::{Ending, Trace};

use super::{Assembly, site};
use crate::architecture::codes;
use crate::automata::{EventKind, Role};
use crate::composition::{Composition, ErrorRun, UnitId};
use crate::lint::{EventUse, uses};

/// Most places that are shown.
const MOST_PLACES: usize = 12;

/// What a component does in a step of the loop.
struct LoopStep {
    /// The number of the step, from one.
    step: usize,
    unit: UnitId,
    what: site::Occurrence,
    /// What the component did before.
    history: Vec<site::Occurrence>,
}

impl Assembly {
    /// The components that take part in the repeated steps of a run.
    pub fn components_in_loop(&self, composition: &Composition, run: &ErrorRun) -> Vec<UnitId> {
        let mut units: Vec<UnitId> =
            self.loop_steps(composition, &run.trace).iter().map(|one| one.unit).collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    pub(super) fn infinite_activity(
        &self,
        composition: &Composition,
        run: &ErrorRun,
    ) -> Diagnostic {
        let message = "the components run for ever and can never finish";
        let mut diagnostic = Diagnostic::error(&codes::INFINITE_ACTIVITY, message);
        let trace = &run.trace;
        let mut known: Vec<Span> = Vec::new();
        for doing in self.loop_steps(composition, trace) {
            if known.len() >= MOST_PLACES {
                break;
            }
            let LoopStep { step, unit, what: (role, event), .. } = &doing;
            let verb = if *role == Role::Emit { "emits" } else { "accepts" };
            let text = format!("step {step}, for ever: `{}` {verb} `{event}`", self.name(*unit));
            for span in self.places(&doing) {
                if !known.contains(&span) {
                    known.push(span);
                    diagnostic = diagnostic.at(span, text.clone());
                }
            }
        }
        for note in self.ends(composition, trace) {
            diagnostic = diagnostic.note(note);
        }
        diagnostic.help("let one of them leave the loop together with the others")
    }

    /// What happens in the steps of the loop.
    fn loop_steps(&self, composition: &Composition, trace: &Trace) -> Vec<LoopStep> {
        let Ending::Loop { from } = trace.ending else { return Vec::new() };
        // The second round: the first may take the components through places that they leave for good.
        let mut steps = trace.steps.clone();
        steps.extend_from_slice(&trace.steps[from..]);
        let n_before = trace.steps.len();
        let mut round = Vec::new();
        for unit in self.units() {
            let doings = site::events_of(composition, self.name(unit), &steps).unwrap_or_default();
            for (again, what) in doings.iter().enumerate().skip(n_before) {
                if let Some(what) = what.clone() {
                    let history = doings[..again].iter().flatten().cloned().collect();
                    let step = again + from - n_before + 1;
                    round.push(LoopStep { step, unit, what, history });
                }
            }
        }
        round.sort_by_key(|doing| (doing.step, doing.unit));
        round
    }

    /// Where it may be written what a component does.
    fn places(&self, doing: &LoopStep) -> Vec<Span> {
        let LoopStep { unit, what, history, .. } = doing;
        let member = &self.members[unit.index()];
        let mut places = uses(&member.component.protocol);
        places.retain(|one| is(one, what));
        if places.len() > 1 {
            places.retain(|one| site::is_possible(member, history, what, one.span));
        }
        places.into_iter().map(|one| one.span).collect()
    }

    /// Which components may finish in the loop, and before which step.
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

/// Whether a mention of an event is of this one, regardless of the values it carries.
fn is(one: &EventUse, (role, event): &site::Occurrence) -> bool {
    let mark = match one.kind {
        EventKind::Request => '^',
        EventKind::Response => '$',
        EventKind::Meeting => return false,
    };
    let Some(name) = event.strip_suffix(mark) else { return false };
    let path = name.split_once('(').map_or(name, |(path, _)| path);
    one.role == *role && one.path == path
}
