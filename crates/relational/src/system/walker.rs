//! The steps of a design on state vectors.

use std::ops::ControlFlow;

use quadrille_diagnostic::Diagnostic;
use quadrille_model::{
    Domain, Explorer, Flow, GroupId, GuardId, Halt, Place, Problem, PropositionId, Reading,
    Signature, Successors, Value,
};

use super::declare::{Computable, Declared, Failing};
use crate::lower::Results;

/// The next-state function, for one worker.
pub(super) struct Walker<'s> {
    declared: &'s Declared,
    initial: &'s [Vec<Value>],
    next: Vec<Value>,
    results: Results,
}

impl<'s> Walker<'s> {
    pub(super) fn new(declared: &'s Declared, initial: &'s [Vec<Value>]) -> Self {
        Self { declared, initial, next: Vec::new(), results: Results::default() }
    }

    fn fire(&mut self, group: usize, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let Declared { steps, code, .. } = self.declared;
        let step = &steps[group];
        if !step.tests.iter().all(|(slot, set)| set >> state[*slot] & 1 == 1) {
            return ControlFlow::Continue(());
        }
        if let Some(failing) = &step.failing {
            return self.failed(failing, state).map_or(ControlFlow::Continue(()), |problem| {
                ControlFlow::Break(Halt::from(problem))
            });
        }
        if !step.rest.iter().all(|wire| code.holds(*wire, state, &mut self.results)) {
            return ControlFlow::Continue(());
        }
        self.next.clear();
        self.next.extend_from_slice(state);
        for (slot, value) in &step.constants {
            self.next[*slot] = *value;
        }
        for (slot, wires) in &step.variables {
            let mut all = wires.iter();
            match all.position(|wire| code.holds(*wire, state, &mut self.results)) {
                Some(value) => self.next[*slot] = value as Value,
                // No reachable state has such a step.
                None => return ControlFlow::Continue(()),
            }
        }
        sink.next(GroupId::from_usize(group), step.action, &self.next)
    }

    /// Why something cannot be computed in a state, if it cannot.
    fn failed(&mut self, failing: &Failing, state: &[Value]) -> Option<Box<Problem>> {
        let code = &self.declared.code;
        let found = failing.iter().find(|(when, _)| code.holds(*when, state, &mut self.results));
        found.map(|(_, diagnostic)| problem(diagnostic, &self.declared.signature, state))
    }

    fn computed(&mut self, condition: &Computable, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.results.forget();
        match self.failed(&condition.failing, state) {
            Some(problem) => Err(problem),
            None => Ok(self.declared.code.holds(condition.holds, state, &mut self.results)),
        }
    }
}

/// Most entries of a state that are told with a problem.
const MOST_TOLD: usize = 24;

/// A state in one line.
fn told(signature: &Signature, state: &[Value]) -> String {
    let readings = signature.readings();
    let entry = |reading: &Reading| {
        let slots = reading.slots.clone();
        let value = match reading.only(signature) {
            None => {
                let members = slots.filter(|&slot| state[slot] == 1);
                let names = members.filter_map(|slot| signature.slots[slot].element.as_ref());
                let names: Vec<&str> = names.map(|element| element.name.as_str()).collect();
                format!("{{{}}}", names.join(", "))
            }
            Some(slot) => match &signature.slot(slot).domain {
                Domain::Named(names) => names[state[slot.index()] as usize].clone(),
                _ => state[slot.index()].to_string(),
            },
        };
        format!("{}: {value}", reading.name)
    };
    let mut entries: Vec<String> = readings.iter().take(MOST_TOLD).map(entry).collect();
    if readings.len() > MOST_TOLD {
        entries.push("…".to_owned());
    }
    entries.join("   ")
}

fn problem(diagnostic: &Diagnostic, signature: &Signature, state: &[Value]) -> Box<Problem> {
    let text = told(signature, state);
    let note = format!("in the state {}", if text.is_empty() { "of the start" } else { &text });
    let diagnostic = diagnostic.clone().note(note);
    let span = diagnostic.labels.first().map(|label| label.span);
    let place =
        span.map(|span| Place { text: span.source.number(), start: span.start, end: span.end });
    let problem = Problem::new(diagnostic.message.clone()).at(place).in_state(state);
    Box::new(problem.because(diagnostic))
}

impl Explorer for Walker<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        self.initial.iter().try_for_each(|state| sink(state))
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.results.forget();
        self.fire(group.index(), state, sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.results.forget();
        (0..self.declared.steps.len()).try_for_each(|group| self.fire(group, state, sink))
    }

    fn guard(&mut self, guard: GuardId, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.results.forget();
        let wire = self.declared.guards[guard.index()];
        Ok(wire.is_some_and(|wire| self.declared.code.holds(wire, state, &mut self.results)))
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        let declared = self.declared;
        self.computed(&declared.conditions[proposition.index()], state)
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        let declared = self.declared;
        declared.conditions.last().map_or(Ok(false), |end| self.computed(end, state))
    }
}
