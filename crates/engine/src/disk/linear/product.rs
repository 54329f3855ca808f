//! The product of a model and an automaton, as a model: its states have one slot more, for the location.
//! Knows which moves can lie on an accepted cycle, and when a run that ends is accepted; knows nothing of
//! how states are kept.

use std::ops::ControlFlow;
use std::sync::Arc;

use quadrille_logic::{Automaton, Edge, Letter, Location, Marks};
use quadrille_model::{
    Action, ActionId, Domain, Effect, Explorer, Flow, GroupId, Model, Participant, ParticipantId,
    Problem, PropositionId, Runs, Signature, Slot, SlotId, Step, Successors, Trace, Value,
};
use rustc_hash::FxHashMap;

use crate::interpretation::Interpretation;
use crate::ltl::{Homes, accepts_for_ever, accepts_last};

/// What runs are to be refused: those that an automaton accepts.
pub(super) struct Refused<'a> {
    pub automaton: &'a Automaton,
    pub interpretation: &'a Interpretation<'a>,
    /// Which runs count; and where only finite ones do, the locations in which they are accepted.
    pub runs: Runs,
    pub finals: Option<&'a [bool]>,
}

/// A model and an automaton that reads its runs.
pub(super) struct Product<'a> {
    pub model: &'a dyn Model,
    refused: Refused<'a>,
    pub homes: Homes,
    signature: Signature,
}

impl<'a> Product<'a> {
    pub fn new(model: &'a dyn Model, refused: Refused<'a>) -> Self {
        let own = model.signature();
        let mut signature = own.clone();
        let n_locations = u32::try_from(refused.automaton.n_locations()).unwrap_or(u32::MAX);
        signature.slots.push(Slot::new("location", Domain::Size(n_locations)));
        for (number, group) in signature.groups.iter_mut().enumerate() {
            // What guards and effects say holds for steps of the model, and not for moves. Which slots
            // belong together they still say; the location, which all share, is left out of that.
            let mut reads = own.guard_reads(GroupId::from_usize(number));
            reads.extend(&group.reads);
            reads.sort_unstable();
            reads.dedup();
            group.effects = group.may_write().map(Effect::any).collect();
            group.reads = reads;
            group.guards.clear();
            group.guards_complete = false;
        }
        signature.guards.clear();
        let homes = Homes::new(refused.automaton);
        Self { model, refused, homes, signature }
    }

    pub fn walker(&self) -> Walker<'_> {
        Walker {
            product: self,
            inner: self.model.explorer(),
            letters: Vec::new(),
            endings: FxHashMap::default(),
            next: Vec::new(),
        }
    }

    /// The slot of the location.
    pub fn slot(&self) -> SlotId {
        SlotId::from_usize(self.signature.n_slots() - 1)
    }

    /// A run of the model, of one of the product.
    pub fn without_locations(&self, trace: Trace) -> Trace {
        let short = |mut state: Vec<Value>| {
            state.truncate(self.signature.n_slots() - 1);
            state
        };
        let Trace { initial, steps, ending } = trace;
        let step = |step: Step| Step { state: short(step.state), ..step };
        Trace { initial: short(initial), steps: steps.into_iter().map(step).collect(), ending }
    }

    /// Whether the slot is one of the model's.
    fn is_inner(&self, slot: SlotId) -> bool {
        slot != self.slot()
    }
}

impl Model for Product<'_> {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(self.walker())
    }

    fn n_actions(&self) -> usize {
        self.model.n_actions()
    }

    fn action(&self, action: ActionId) -> Action {
        self.model.action(action)
    }

    fn participant(&self, participant: ParticipantId) -> Participant {
        self.model.participant(participant)
    }

    fn content(&self, slot: SlotId, value: Value, out: &mut Vec<u8>) {
        match self.is_inner(slot) {
            true => self.model.content(slot, value, out),
            false => out.extend_from_slice(&value.to_le_bytes()),
        }
    }

    fn value(&self, slot: SlotId, content: &[u8]) -> Option<Value> {
        if self.is_inner(slot) {
            return self.model.value(slot, content);
        }
        let value = Value::from_le_bytes(content.try_into().ok()?);
        (value < self.refused.automaton.n_locations() as Value).then_some(value)
    }

    fn allows_workers(&self) -> bool {
        self.model.allows_workers()
    }

    fn bytes(&self) -> usize {
        self.model.bytes()
    }
}

/// Moves, for one worker.
pub(super) struct Walker<'a> {
    product: &'a Product<'a>,
    inner: Box<dyn Explorer + 'a>,
    /// Per action that was met, its letter.
    letters: Vec<Option<Letter>>,
    /// Per letter of a state, the locations in which a run that ends there is accepted.
    endings: FxHashMap<Letter, Arc<[bool]>>,
    next: Vec<Value>,
}

impl Walker<'_> {
    fn parts<'s>(&self, state: &'s [Value]) -> (&'s [Value], usize) {
        let (location, values) = state.split_last().expect("a slot for the location");
        (values, *location as usize)
    }

    /// Shows the moves out of a state: those of one group, or of all.
    pub fn moves(
        &mut self,
        group: Option<GroupId>,
        state: &[Value],
        mut see: impl FnMut(GroupId, ActionId, Marks, &[Value]) -> Flow,
    ) -> Flow {
        let (values, location) = self.parts(state);
        let Product { model, refused, .. } = self.product;
        let choices: &[Edge] = &refused.automaton.edges[location];
        if choices.is_empty() {
            return ControlFlow::Continue(());
        }
        let here = refused.interpretation.state_letter(&mut *self.inner, values);
        let here = match here {
            Ok(here) => here,
            Err(problem) => return ControlFlow::Break(problem.into()),
        };
        let Self { inner, letters, next, .. } = self;
        let mut take = |group: GroupId, action: ActionId, values: &[Value]| {
            if action.index() >= letters.len() {
                letters.resize(action.index() + 1, None);
            }
            let of_action = || refused.interpretation.action_letter(*model, action);
            let letter = here | *letters[action.index()].get_or_insert_with(of_action);
            next.clear();
            next.extend_from_slice(values);
            next.push(0);
            for edge in choices.iter().filter(|edge| edge.label.accepts(letter)) {
                next[values.len()] = edge.to.0;
                see(group, action, edge.marks, next)?;
            }
            ControlFlow::Continue(())
        };
        match group {
            Some(group) => inner.successors(group, values, &mut take),
            None => inner.expand(values, &mut take),
        }
    }

    /// Whether a run that ends here is accepted.
    pub fn accepts_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        let (values, location) = self.parts(state);
        let Refused { automaton, interpretation, runs, finals } = &self.product.refused;
        if *runs == Runs::Infinite {
            return Ok(false);
        }
        let letter = interpretation.state_letter(&mut *self.inner, values)?;
        let known = self.endings.entry(letter).or_insert_with(|| match finals {
            Some(finals) => accepts_last(automaton, finals, letter).into(),
            None => accepts_for_ever(automaton, letter).into(),
        });
        if !known[location] {
            return Ok(false);
        }
        if self.inner.may_end(values)? || *runs == Runs::Finite {
            return self.inner.may_end(values);
        }
        let mut is_stuck = true;
        self.inner.each_successor(values, |_, _, _| is_stuck = false)?;
        Ok(is_stuck)
    }

    /// Shows the moves that can lie on an accepted cycle.
    pub fn inner_moves(
        &mut self,
        group: Option<GroupId>,
        state: &[Value],
        mut see: impl FnMut(GroupId, ActionId, Marks, &[Value]) -> Flow,
    ) -> Flow {
        let from = Location(self.parts(state).1 as u32);
        let homes = &self.product.homes;
        self.moves(group, state, |group, action, marks, next| {
            match homes.inside(from, Location(next[next.len() - 1])) {
                true => see(group, action, marks, next),
                false => ControlFlow::Continue(()),
            }
        })
    }
}

impl Explorer for Walker<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        let locations = &self.product.refused.automaton.initial;
        self.inner.initial(&mut |values| {
            let mut state = [values, &[0][..]].concat();
            for location in locations {
                state[values.len()] = location.0;
                sink(&state)?;
            }
            ControlFlow::Continue(())
        })
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.moves(Some(group), state, |group, action, _, next| sink.next(group, action, next))
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.moves(None, state, |group, action, _, next| sink.next(group, action, next))
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        let values = self.parts(state).0;
        self.inner.holds(proposition, values)
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        let values = self.parts(state).0;
        self.inner.may_end(values)
    }
}
