//! A term as a [`Model`]: one slot for the control, or one per part of an outermost parallel
//! composition, and one per variable. Knows no language: definitions come as a trait object.

use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError, RwLock};

use quadrille_diagnostic::codes;
use quadrille_model::{
    Action, ActionId, Domain, Explorer, Flow, GroupId, GuardId, Halt, Model, Participant,
    ParticipantId, Problem, Proposition, PropositionId, Signature, Slot, SlotId, SlotKind,
    Successors, Value, settled,
};

use rustc_hash::FxHashMap;

use super::action::{Act, ActId, RoleId};
use super::data::{Data, ExprId, UpdateId, VariableId};
use super::declare::{self, Groups};
use super::instance::Renaming;
use super::place::Places;
use super::step::{Definitions, Edge, Walk};
use super::term::{Identity, Term, TermId, Terms};

codes! {
    ALL:

    /// A definition calls itself without an action in between.
    ///
    /// Calls were unfolded within each other, each with new arguments, and no action came in sight.
    /// Where a definition calls itself with the *same* arguments before any action, the inner call
    /// simply does nothing; with ever new arguments there is no such answer.
    ///
    /// ```text
    /// (s/defsession ::count [n] (::count (inc n)))
    /// ```
    ///
    /// Put an action before the call, or give the recursion an end.
    P001 = UNGUARDED;

    /// A protocol has grown too deep.
    ///
    /// The process that describes a reachable state is nested so deeply that its steps cannot be found.
    /// That happens when calls stand inside sequences or parallel compositions inside calls, many
    /// hundred times, before any action.
    ///
    /// Put an action before the call, or write the repetition as a loop.
    P002 = TOO_DEEP;

    /// An expression over the variables of a protocol went wrong in a reachable state.
    ///
    /// A division by zero, a number beyond 64 bits, or an assignment of a value outside the domain of its
    /// variable. No verdict is given about a protocol with such a step.
    ///
    /// Guard the step, or widen the domain of the variable.
    P003 = DATA_ERROR;
}

/// A protocol as a model.
///
/// Terms are explored on the fly; the tables grow as they are. What goes wrong on the way (a
/// definition that cannot be unfolded, a division by zero) is a [`Problem`] of the step in
/// question, whose source is a [`Diagnostic`](quadrille_diagnostic::Diagnostic).
pub struct ProtocolModel {
    terms: Terms,
    pub(super) definitions: Arc<dyn Definitions>,
    /// What it starts as, before that is split into parts.
    pub(super) whole: TermId,
    start: Vec<TermId>,
    /// By part, how the roles of its term are renamed.
    pub(super) renamings: Vec<Renaming>,
    propositions: Vec<ExprId>,
    signature: Signature,
    groups: Groups,
    /// Terms as bytes, as far as they were asked for.
    contents: RwLock<FxHashMap<TermId, Box<[u8]>>>,
}

impl ProtocolModel {
    /// The protocol that starts as this term.
    pub fn new(terms: Terms, start: TermId, definitions: Box<dyn Definitions>) -> Self {
        Self::sharing(terms, start, definitions.into())
    }

    fn sharing(terms: Terms, start: TermId, definitions: Arc<dyn Definitions>) -> Self {
        let mut model = Self {
            terms,
            definitions,
            whole: start,
            start: vec![start],
            renamings: vec![Renaming::default()],
            propositions: Vec::new(),
            signature: Signature::default(),
            groups: Groups::default(),
            contents: RwLock::default(),
        };
        model.split();
        model.declare();
        model
    }

    /// The same protocol, without propositions, in which equal actions that are written in different
    /// places differ: [`Terms::place_of`] is exact, runs have the same labels, and there may be more
    /// states. `None` for one that does not start with a definition.
    pub fn by_place(&self) -> Option<Self> {
        self.again(Places::Apart, false)
    }

    /// The same protocol with other tables.
    pub(super) fn again(&self, places: Places, names_states: bool) -> Option<Self> {
        let Term::Call(definition, arguments) = self.terms.term(self.whole) else { return None };
        let variables = self.terms.variables().to_vec();
        let terms = Terms::with_places(self.terms.identity(), variables, places, names_states);
        let start = terms.call(definition, arguments);
        Some(Self::sharing(terms, start, Arc::clone(&self.definitions)))
    }

    /// Adds a named condition on the variables, as a proposition of the model.
    pub fn add_proposition(&mut self, name: impl Into<String>, condition: ExprId) {
        self.propositions.push(condition);
        let support = self.variable_slots(condition);
        self.signature.propositions.push(Proposition { name: name.into(), support });
    }

    /// The conditions that are propositions, with their names.
    pub fn conditions(&self) -> Vec<(String, ExprId)> {
        let names = self.signature.propositions.iter().map(|known| known.name.clone());
        names.zip(self.propositions.iter().copied()).collect()
    }

    /// The tables of the protocol.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// How many slots hold the control; the others hold variables.
    pub(super) fn n_parts(&self) -> usize {
        self.start.len()
    }

    /// What an action id that this model reported stands for.
    pub fn act(&self, action: ActionId) -> &Act {
        self.terms.act_of(ActId(action.number()))
    }

    /// Makes the parts of an outermost parallel composition slots of their own, with
    /// [`Identity::Normal`].
    fn split(&mut self) {
        let start = self.start[0];
        let mut term = start;
        if let Term::Call(definition, arguments) = self.terms.term(start) {
            let body = self
                .terms
                .body(start, || self.definitions.unfold(&self.terms, definition, arguments));
            // What goes wrong here goes wrong again when the protocol is explored.
            let Ok(body) = body else { return };
            term = body;
        }
        if matches!(self.terms.term(term), Term::Par(..))
            && self.terms.identity() == Identity::Normal
        {
            (self.start, self.renamings) = self.terms.instances(&self.terms.parts(term));
        }
    }

    /// Declares slots and groups.
    fn declare(&mut self) {
        let n_control = self.start.len();
        let mut slots: Vec<Slot> = (0..n_control)
            .map(|part| {
                let name = if n_control == 1 { "protocol".into() } else { format!("part {part}") };
                Slot::new(name, Domain::Interned).hidden()
            })
            .collect();
        slots.extend(self.terms.variables().iter().map(|variable| {
            Slot::new(&variable.name, variable.data_type.domain()).of_kind(SlotKind::Data)
        }));
        let mut signature = Signature::new(slots);
        signature.tasks = signature.slots.iter().take(n_control).map(|s| s.name.clone()).collect();
        let parts: Vec<_> = self.start.iter().copied().zip(&self.renamings).collect();
        self.groups = declare::declare(&self.terms, &*self.definitions, &parts, &mut signature);
        self.signature = signature;
    }

    /// The slots of the variables that an expression reads, ascending.
    fn variable_slots(&self, expression: ExprId) -> Vec<SlotId> {
        let mut variables = Vec::new();
        self.terms.variables_of(expression, &mut variables);
        let slots = variables.iter().map(|variable| self.start.len() + variable.0 as usize);
        let mut slots: Vec<SlotId> = slots.map(SlotId::from_usize).collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// Calls `visit` with the steps of a term.
    fn with_edges(&self, term: TermId, visit: impl FnOnce(&[Edge]) -> Flow) -> Flow {
        if let Some(known) = self.terms.known_edges(term) {
            return visit(known);
        }
        let mut walk = Walk::new(&self.terms, &*self.definitions);
        let mut edges = Vec::new();
        walk.edges(term, &mut edges);
        match walk.troubles.into_iter().next() {
            Some(trouble) => ControlFlow::Break(Halt::Problem(self.trouble(trouble))),
            None => visit(&edges),
        }
    }

    pub(super) fn ends(&self, term: TermId) -> Result<ExprId, Box<Problem>> {
        if let Some(known) = self.terms.known_end(term) {
            return Ok(known);
        }
        let mut walk = Walk::new(&self.terms, &*self.definitions);
        let ends = walk.ends(term);
        let trouble = walk.troubles.into_iter().next();
        trouble.map_or(Ok(ends), |trouble| Err(self.trouble(trouble)))
    }

    /// Whether a condition holds, of a step where one is given.
    pub(super) fn condition(
        &self,
        condition: ExprId,
        store: &[Value],
        step: Option<ActId>,
    ) -> Result<bool, Box<Problem>> {
        if condition == ExprId::TRUE {
            return Ok(true);
        }
        let value = self.terms.evaluate(condition, store);
        value
            .map(|value| value != 0)
            .map_err(|error| self.data_error(error, step.map(|step| (step, store))))
    }

    /// The steps of one part, or those of one of its groups: what goes wrong in others is no matter.
    /// `next` holds `state` and is given back holding it, unless the sink has seen enough.
    fn part_successors(
        &self,
        (part, only): (usize, Option<GroupId>),
        state: &[Value],
        next: &mut [Value],
        cache: &mut GroupCache,
        sink: &mut dyn Successors,
    ) -> Flow {
        let (n_control, store) = (self.start.len(), &state[self.start.len()..]);
        self.with_edges(TermId(state[part]), |edges| {
            for edge in edges {
                let (group, act) = self.group(cache, part, edge.act);
                if only.is_some_and(|only| only != group) {
                    continue;
                }
                match self.condition(edge.guard, store, Some(act)) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(problem) => return ControlFlow::Break(problem.into()),
                }
                if edge.update != UpdateId::NONE {
                    let assignments = self.terms.update_of(edge.update);
                    let after = &mut next[n_control..];
                    if let Err(error) = self.terms.assign(assignments, store, after) {
                        let problem = self.data_error(error, Some((act, store)));
                        return ControlFlow::Break(problem.into());
                    }
                }
                next[part] = edge.to.0;
                sink.next(group, ActionId::new(act.0), next)?;
                if edge.update != UpdateId::NONE {
                    next[n_control..].copy_from_slice(store);
                }
            }
            ControlFlow::Continue(())
        })?;
        next[part] = state[part];
        ControlFlow::Continue(())
    }

    /// The group of an action of a part's term, and the action of the part.
    #[inline]
    fn group(&self, cache: &mut GroupCache, part: usize, act: ActId) -> (GroupId, ActId) {
        match cache.get(part).and_then(|known| known.get(act.0 as usize)) {
            Some(Some(known)) => *known,
            // There may be thousands of these parts: they are not remembered.
            _ if self.groups.is_one(part) && self.renamings[part].is_empty() => {
                (self.groups.group(&self.terms, part, act), act)
            }
            _ => {
                let renamed = self.terms.renamed(act, &self.renamings[part]);
                let found = (self.groups.group(&self.terms, part, renamed), renamed);
                cache.resize(self.start.len(), Vec::new());
                let known = &mut cache[part];
                known.resize(known.len().max(act.0 as usize + 1), None);
                known[act.0 as usize] = Some(found);
                found
            }
        }
    }

    pub(super) fn role(&self, role: RoleId) -> String {
        self.terms.role_of(role).to_string()
    }
}

impl Model for ProtocolModel {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(ProtocolExplorer { model: self, next: Vec::new(), cache: Vec::new() })
    }

    fn action(&self, action: ActionId) -> Action {
        self.act(action).action(|role| self.role(role))
    }

    fn n_actions(&self) -> usize {
        self.terms.n_acts()
    }

    fn bytes(&self) -> usize {
        self.terms.bytes()
    }

    fn content(&self, slot: SlotId, value: Value, out: &mut Vec<u8>) {
        if slot.index() >= self.start.len() {
            return out.extend_from_slice(&value.to_le_bytes());
        }
        let term = TermId(value);
        let known = self.contents.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = known.get(&term) {
            return out.extend_from_slice(bytes);
        }
        drop(known);
        let bytes = self.terms.write(term, &*self.definitions);
        out.extend_from_slice(&bytes);
        self.contents.write().unwrap_or_else(PoisonError::into_inner).insert(term, bytes.into());
    }

    fn value(&self, slot: SlotId, content: &[u8]) -> Option<Value> {
        if slot.index() < self.start.len() {
            return self.terms.read(content, &*self.definitions).map(TermId::number);
        }
        let value = Value::from_le_bytes(content.try_into().ok()?);
        let size = self.signature.slot(slot).domain.size();
        size.is_none_or(|size| value < size).then_some(value)
    }

    fn participant(&self, participant: ParticipantId) -> Participant {
        self.terms.role_of(RoleId::from(participant)).clone()
    }

    fn show(&self, slot: SlotId, value: Value) -> String {
        match slot.index().checked_sub(self.start.len()) {
            None => {
                let mut shown = String::new();
                self.show_term(slot.index(), TermId(value), &mut shown);
                shown
            }
            Some(variable) => {
                let data_type = &self.terms.variables()[variable].data_type;
                data_type.show(data_type.bounds().0 + i64::from(value))
            }
        }
    }
}

/// By part and action of its term, the group and the action of the part, where a worker met them.
type GroupCache = Vec<Vec<Option<(GroupId, ActId)>>>;

/// The next-state function of a protocol, for one worker.
struct ProtocolExplorer<'p> {
    model: &'p ProtocolModel,
    /// The state being expanded, with what one step changes.
    next: Vec<Value>,
    /// The groups of actions that were met.
    cache: GroupCache,
}

impl ProtocolExplorer<'_> {
    fn copy(&mut self, state: &[Value]) {
        self.next.clear();
        self.next.extend_from_slice(state);
    }
}

impl Explorer for ProtocolExplorer<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        let model = self.model;
        let mut state: Vec<Value> = model.start.iter().map(|term| term.0).collect();
        for (position, variable) in model.terms.variables().iter().enumerate() {
            match model.terms.stored(VariableId(position as u32), variable.initial) {
                Ok(value) => state.push(value),
                Err(error) => return ControlFlow::Break(model.data_error(error, None).into()),
            }
        }
        sink(&state)
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.copy(state);
        let part = self.model.groups.parts[group.index()];
        let Self { model, next, cache } = self;
        model.part_successors((part, Some(group)), state, next, cache, sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.copy(state);
        let Self { model, next, cache } = self;
        let mut parts = 0..model.start.len();
        parts.try_for_each(|part| model.part_successors((part, None), state, next, cache, sink))
    }

    fn guard(&mut self, guard: GuardId, state: &[Value]) -> Result<bool, Box<Problem>> {
        let Self { model, cache, .. } = self;
        let (group, has_condition) = model.groups.guarded[guard.index()];
        let part = model.groups.parts[group.index()];
        let store = &state[model.start.len()..];
        let (mut holds, mut problem) = (false, None);
        let found = model.with_edges(TermId(state[part]), |edges| {
            for edge in edges {
                let (by, act) = model.group(cache, part, edge.act);
                if holds || by != group {
                    continue;
                }
                if !has_condition {
                    holds = true;
                    continue;
                }
                match model.condition(edge.guard, store, Some(act)) {
                    Ok(possible) => holds |= possible,
                    Err(found) => problem = Some(found),
                }
            }
            ControlFlow::Continue(())
        });
        settled(found)?;
        problem.map_or(Ok(holds), Err)
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        let condition = self.model.propositions[proposition.index()];
        self.model.condition(condition, &state[self.model.start.len()..], None)
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        let (control, store) = state.split_at(self.model.start.len());
        for &part in control {
            if !self.model.condition(self.model.ends(TermId(part))?, store, None)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
