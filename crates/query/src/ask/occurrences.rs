//! What never happened during a walk: a visitor beside those that look for violations, which does not keep
//! the walk going for its own sake.

use std::cell::Cell;
use std::ops::ControlFlow;

use quadrille_diagnostic::{SourceId, Span};
use quadrille_engine::{
    Expansion, Explored, Limits, Observer, Occurrences, Safety, Sift, Sight, Visitor,
};
use quadrille_model::{ActionId, Flow, Group, GroupId, Halt, Place, SlotId, StateId, Value};
use quadrille_protocol::core::ActId;

use crate::answer::{Unused, UnusedValue};
use crate::claim::{ActionAtom, Property};
use crate::protocol::idle_statements;
use crate::question::Question;
use crate::subject::{Matter, Subject};
use crate::vocabulary::Vocabulary;

/// A property that is searched for, counted while it is open.
pub(super) struct Counted<'a> {
    pub(super) safety: Safety<'a>,
    open: &'a Cell<usize>,
}

impl<'a> Counted<'a> {
    pub(super) fn new(safety: Safety<'a>, open: &'a Cell<usize>) -> Self {
        open.set(open.get() + 1);
        Self { safety, open }
    }

    fn close(&self, flow: Flow) -> Flow {
        if flow.is_break() {
            self.open.set(self.open.get() - 1);
        }
        flow
    }
}

impl Visitor for Counted<'_> {
    fn needs_states(&self) -> bool {
        self.safety.needs_states()
    }

    fn met(&mut self, walk: &Explored<'_>, state: StateId, values: &[Value]) -> Flow {
        let flow = self.safety.met(walk, state, values);
        self.close(flow)
    }

    fn expanded(&mut self, walk: &Explored<'_>, expansion: &Expansion<'_>) -> Flow {
        let flow = self.safety.expanded(walk, expansion);
        self.close(flow)
    }

    fn can_sweep(&self) -> bool {
        self.safety.can_sweep()
    }

    fn sift(&self) -> Option<&dyn Sift> {
        self.safety.sift()
    }

    fn swept(&mut self, sight: Sight<'_>) -> Flow {
        self.safety.swept(sight)
    }
}

/// Notes what occurs as long as something else is searched for, or formulas need every state.
pub(super) struct Beside<'a> {
    occurrences: Occurrences<'a>,
    open: &'a Cell<usize>,
    keeps_going: bool,
}

impl<'a> Beside<'a> {
    pub(super) fn new(
        subject: &'a Subject<'_>,
        questions: &[Question<'_>],
        formulas: bool,
        open: &'a Cell<usize>,
    ) -> Self {
        // Atoms about actions that are found during the walk are told if nothing matches them.
        let finds_actions = matches!(subject.vocabulary, Vocabulary::Actions | Vocabulary::Quad(_));
        let has_atoms = properties(questions).flat_map(Property::actions).next().is_some();
        let occurrences = Occurrences::new(subject.model());
        Self { occurrences, open, keeps_going: formulas || finds_actions && has_atoms }
    }

    fn flow(&self) -> Flow {
        match self.keeps_going || self.open.get() > 0 {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Halt::Enough),
        }
    }

    /// What never occurred in a walk that was complete.
    pub(super) fn unused(
        self,
        subject: &Subject<'_>,
        questions: &[Question<'_>],
        limits: Limits,
        observer: &mut Observer<'_>,
    ) -> Unused {
        let occurred = Occurred {
            actions: self.occurrences.actions().collect(),
            groups_missing: self.occurrences.groups_missing().collect(),
            values_missing: self.occurrences.values_missing().collect(),
        };
        occurred.unused(subject, questions, limits, observer)
    }
}

/// What occurred in a model that was explored completely, and what did not.
pub(super) struct Occurred {
    pub(super) actions: Vec<ActionId>,
    pub(super) groups_missing: Vec<GroupId>,
    pub(super) values_missing: Vec<(SlotId, Value)>,
}

impl Occurred {
    /// What of it is worth telling.
    pub(super) fn unused(
        self,
        subject: &Subject<'_>,
        questions: &[Question<'_>],
        limits: Limits,
        observer: &mut Observer<'_>,
    ) -> Unused {
        let (model, terms) = (subject.model(), subject.terms());
        let mut unused = Unused::default();
        let occurred: Vec<_> = self.actions.iter().map(|&id| model.action(id)).collect();
        let is_idle = |atom: &&ActionAtom| !occurred.iter().any(|it| atom.matches(terms, it));
        if terms.is_some() {
            for atom in properties(questions).flat_map(Property::actions).filter(is_idle) {
                let same = |known: &ActionAtom| known.text == atom.text && known.span == atom.span;
                if !unused.atoms.iter().any(same) {
                    unused.atoms.push(atom.clone());
                }
            }
        }
        match &subject.matter {
            Matter::Protocol(protocol) if protocol.form.is_none() => {
                let acts = self.actions.iter().copied().map(ActId::from);
                unused.statements = idle_statements(&protocol.model, acts, limits, observer);
            }
            Matter::Protocol(_) => {}
            Matter::Components(composed) => {
                unused.statements = composed.assembly.idle(&composed.composition, &self.actions);
            }
            Matter::Model(_) | Matter::Net(_) => {
                let signature = model.signature();
                // A task may have several groups, of which one is enough.
                let mut is_taken = vec![false; signature.tasks.len()];
                for (number, group) in signature.groups.iter().enumerate() {
                    let is_missing = self.groups_missing.contains(&GroupId::from_usize(number));
                    is_taken[group.task.index()] |= !is_missing;
                }
                let groups = self.groups_missing.iter().map(|id| &signature.groups[id.index()]);
                let step = |group: &Group| {
                    (signature.tasks[group.task.index()].clone(), group.origin.0.map(span))
                };
                let is_idle = |group: &&Group| !is_taken[group.task.index()];
                unused.steps = groups.filter(is_idle).map(step).collect();
                unused.steps.dedup();
                let unused_value = |(slot, value)| UnusedValue {
                    slot: signature.slot(slot).name.clone(),
                    value: model.show(slot, value),
                    place: model.place(slot, value).map(span),
                };
                // That a member never leaves a set, or never comes, is rarely worth telling; nor which
                // numbers of tokens a place never holds, or that places that share one always have it.
                let is_told = |&(slot, value): &(SlotId, Value)| {
                    signature.slot(slot).element.is_none()
                        && subject.net_model().is_none_or(|net| net.marked(slot, value).is_some())
                };
                let values = self.values_missing.into_iter().filter(is_told);
                unused.values = values.map(unused_value).collect();
            }
        }
        unused
    }
}

/// A place of a model as one of a text.
fn span(place: Place) -> Span {
    Span { source: SourceId::new(place.text), start: place.start, end: place.end }
}

fn properties<'q>(questions: &'q [Question<'_>]) -> impl Iterator<Item = &'q Property> {
    questions.iter().filter_map(|question| match question {
        Question::Property(property) => Some(property),
        _ => None,
    })
}

impl Visitor for Beside<'_> {
    fn needs_states(&self) -> bool {
        self.occurrences.needs_states()
    }

    fn met(&mut self, walk: &Explored<'_>, state: StateId, values: &[Value]) -> Flow {
        self.occurrences.met(walk, state, values)?;
        self.flow()
    }

    fn expanded(&mut self, walk: &Explored<'_>, expansion: &Expansion<'_>) -> Flow {
        self.occurrences.expanded(walk, expansion)?;
        self.flow()
    }

    fn can_sweep(&self) -> bool {
        self.flow().is_continue()
    }

    fn sift(&self) -> Option<&dyn Sift> {
        self.occurrences.sift()
    }

    fn swept(&mut self, sight: Sight<'_>) -> Flow {
        self.occurrences.swept(sight)
    }

    fn bytes(&self) -> usize {
        self.occurrences.bytes()
    }
}
