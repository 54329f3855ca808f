//! A term as a [`Model`]: one slot for the control, or one per part of an outermost parallel
//! composition, and one per variable. Knows no language: definitions come as a trait object.

use std::ops::ControlFlow;
use std::sync::Arc;

use quadrille_diagnostic::{Diagnostic, codes};
use quadrille_model::{
    Action, ActionId, Domain, Effect, Explorer, Flow, Group, GroupId, Halt, Model, Participant,
    ParticipantId, Place, Problem, Proposition, PropositionId, Signature, Slot, SlotId, SlotKind,
    Successors, TaskId, Value,
};

use super::action::{Act, ActId, RoleId};
use super::data::{Data, DataError, ExprId, UpdateId, VariableId};
use super::place::Places;
use super::step::{Definitions, Edge, Named, Trouble, Walk};
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
/// question, whose source is a [`Diagnostic`].
pub struct ProtocolModel {
    terms: Terms,
    definitions: Arc<dyn Definitions>,
    /// What it starts as, before that is split into parts.
    whole: TermId,
    start: Vec<TermId>,
    propositions: Vec<ExprId>,
    signature: Signature,
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
            propositions: Vec::new(),
            signature: Signature::default(),
        };
        if model.terms.identity() == Identity::Normal {
            model.split();
        }
        model.declare();
        model
    }

    /// The same protocol, without propositions, in which equal actions that are written in different
    /// places differ: [`Terms::place_of`] is exact, runs have the same labels, and there may be more
    /// states. `None` for one that does not start with a definition.
    pub fn by_place(&self) -> Option<Self> {
        let Term::Call(definition, arguments) = self.terms.term(self.whole) else { return None };
        let variables = self.terms.variables().to_vec();
        let terms = Terms::with_places(self.terms.identity(), variables, Places::Apart);
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

    /// Makes the parts of an outermost parallel composition slots of their own.
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
        self.start = match self.terms.term(term) {
            Term::Par(..) => self.terms.parts(term),
            _ => return,
        };
    }

    /// Declares slots and groups. Which variables a part uses is not known before it is explored,
    /// so every group declares them all.
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
        let data = n_control..slots.len();
        let group = |part: usize| {
            let touched = std::iter::once(part).chain(data.clone()).map(SlotId::from_usize);
            Group {
                task: TaskId::from_usize(part),
                reads: touched.clone().collect(),
                effects: touched.map(Effect::any).collect(),
                ..Group::default()
            }
        };
        let mut signature = Signature::new(slots);
        signature.tasks = signature.slots.iter().take(n_control).map(|s| s.name.clone()).collect();
        signature.groups = (0..n_control).map(group).collect();
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

    fn trouble(&self, trouble: Trouble) -> Box<Problem> {
        let diagnostic = match trouble {
            Trouble::Body(diagnostic) => *diagnostic,
            Trouble::Unguarded(call) => {
                let Term::Call(definition, arguments) = self.terms.term(call) else {
                    unreachable!("only calls are unfolded")
                };
                let Named { text, span } = self.definitions.named(definition, arguments);
                Diagnostic::error(&UNGUARDED, format!("no action comes before `{text}`"))
                    .at(span, "unfolded again and again without an action")
                    .help("put an action before the recursive call, or give the recursion an end")
            }
            Trouble::Deep => Diagnostic::error(&TOO_DEEP, "the protocol is nested too deeply")
                .help("put an action before the recursive call, or write it as a loop"),
        };
        problem(diagnostic)
    }

    /// A step, or a condition, that cannot be computed.
    fn data_error(&self, error: DataError, step: Option<ActId>) -> Box<Problem> {
        let message = match error {
            DataError::OutOfRange(variable, value) => {
                let variable = self.terms.variable(variable);
                let (min, max) = variable.data_type.bounds();
                format!("`{}` cannot hold {value}: its values are {min} to {max}", variable.name)
            }
            DataError::DivisionByZero | DataError::Overflow => error.to_string(),
        };
        let diagnostic = Diagnostic::error(&DATA_ERROR, message);
        problem(match step.and_then(|step| self.terms.place_of(step)) {
            Some(place) => diagnostic.at(place, "in this step"),
            None => diagnostic,
        })
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

    /// The calls in a state that stand inside their own unfolding, before any action, and so contribute
    /// nothing: why a protocol is stuck that seems to go on.
    pub fn empty_calls(&self, state: &[Value]) -> Vec<Diagnostic> {
        let mut walk = Walk::new(&self.terms, &*self.definitions);
        for &part in &state[..self.start.len()] {
            walk.edges(TermId(part), &mut Vec::new());
        }
        let name = |call: &TermId| match self.terms.term(*call) {
            Term::Call(definition, arguments) => self.definitions.named(definition, arguments),
            _ => unreachable!("only calls are unfolded"),
        };
        let told = walk.empty.iter().map(name).map(|Named { text, span }| {
            let message =
                format!("`{text}` calls itself before any action, and does nothing there");
            let diagnostic =
                Diagnostic::warning(&UNGUARDED, message).at(span, "has no first action");
            diagnostic.help("put an action before the recursive call, or give it another branch")
        });
        told.collect()
    }

    fn ends(&self, term: TermId) -> Result<ExprId, Box<Problem>> {
        if let Some(known) = self.terms.known_end(term) {
            return Ok(known);
        }
        let mut walk = Walk::new(&self.terms, &*self.definitions);
        let ends = walk.ends(term);
        let trouble = walk.troubles.into_iter().next();
        trouble.map_or(Ok(ends), |trouble| Err(self.trouble(trouble)))
    }

    /// Whether a condition holds, of a step where one is given.
    fn condition(
        &self,
        condition: ExprId,
        store: &[Value],
        step: Option<ActId>,
    ) -> Result<bool, Box<Problem>> {
        if condition == ExprId::TRUE {
            return Ok(true);
        }
        let value = self.terms.evaluate(condition, store);
        value.map(|value| value != 0).map_err(|error| self.data_error(error, step))
    }

    /// The steps of one part. `next` holds `state` and is given back holding it, unless the sink
    /// has seen enough.
    fn part_successors(
        &self,
        part: usize,
        state: &[Value],
        next: &mut [Value],
        sink: &mut dyn Successors,
    ) -> Flow {
        let group = GroupId::from_usize(part);
        let (n_control, store) = (self.start.len(), &state[self.start.len()..]);
        self.with_edges(TermId(state[part]), |edges| {
            for edge in edges {
                match self.condition(edge.guard, store, Some(edge.act)) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(problem) => return ControlFlow::Break(problem.into()),
                }
                if edge.update != UpdateId::NONE {
                    let assignments = self.terms.update_of(edge.update);
                    let after = &mut next[n_control..];
                    if let Err(error) = self.terms.assign(assignments, store, after) {
                        let problem = self.data_error(error, Some(edge.act));
                        return ControlFlow::Break(problem.into());
                    }
                }
                next[part] = edge.to.0;
                sink.next(group, ActionId::new(edge.act.0), next)?;
                if edge.update != UpdateId::NONE {
                    next[n_control..].copy_from_slice(store);
                }
            }
            ControlFlow::Continue(())
        })?;
        next[part] = state[part];
        ControlFlow::Continue(())
    }

    fn show_term(&self, term: TermId, out: &mut String) {
        let list = |parts: &[TermId], between: &str, out: &mut String| {
            out.push('(');
            for (position, &part) in parts.iter().enumerate() {
                if position > 0 {
                    out.push_str(between);
                }
                self.show_term(part, out);
            }
            out.push(')');
        };
        if out.len() > 400 {
            if !out.ends_with('…') {
                out.push('…');
            }
            return;
        }
        match self.terms.term(term) {
            Term::Stop => out.push_str("stuck"),
            Term::Skip => out.push_str("end"),
            Term::Act(act, _) => {
                out.push_str(&self.terms.act_of(act).action(|role| self.role(role)).label);
            }
            Term::Seq(first, then) => {
                self.show_term(first, out);
                out.push_str("; ");
                self.show_term(then, out);
            }
            Term::Choice(parts) => list(parts, " or ", out),
            Term::Par(..) => list(&self.terms.parts(term), " and ", out),
            Term::Nested(inner) => self.show_term(inner, out),
            Term::Guard(_, inner) => {
                out.push_str("if … ");
                self.show_term(inner, out);
            }
            Term::Repeat { body, may_end } => {
                out.push_str(if may_end { "loop " } else { "for ever " });
                list(&[body], "", out);
            }
            Term::Call(definition, arguments) => {
                out.push_str(&self.definitions.named(definition, arguments).text);
            }
        }
    }

    fn role(&self, role: RoleId) -> String {
        self.terms.role_of(role).to_string()
    }
}

/// What a protocol has to say about one of its problems.
pub fn diagnosed(problem: &Problem) -> Diagnostic {
    let generic = || Diagnostic::error(&DATA_ERROR, problem.message.clone());
    Diagnostic::behind(problem).cloned().unwrap_or_else(generic)
}

/// A diagnostic as a problem of the model.
fn problem(diagnostic: Diagnostic) -> Box<Problem> {
    let place = diagnostic.labels.first().map(|label| Place {
        text: label.span.source.number(),
        start: label.span.start,
        end: label.span.end,
    });
    Box::new(Problem::new(&diagnostic.message).at(place).because(diagnostic))
}

impl Model for ProtocolModel {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(ProtocolExplorer { model: self, next: Vec::new() })
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

    fn participant(&self, participant: ParticipantId) -> Participant {
        self.terms.role_of(RoleId::from(participant)).clone()
    }

    fn show(&self, slot: SlotId, value: Value) -> String {
        match slot.index().checked_sub(self.start.len()) {
            None => {
                let mut shown = String::new();
                self.show_term(TermId(value), &mut shown);
                shown
            }
            Some(variable) => {
                let data_type = &self.terms.variables()[variable].data_type;
                data_type.show(data_type.bounds().0 + i64::from(value))
            }
        }
    }
}

/// The next-state function of a protocol, for one worker.
struct ProtocolExplorer<'p> {
    model: &'p ProtocolModel,
    /// The state being expanded, with what one step changes.
    next: Vec<Value>,
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
        self.model.part_successors(group.index(), state, &mut self.next, sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.copy(state);
        let mut parts = 0..self.model.start.len();
        parts.try_for_each(|part| self.model.part_successors(part, state, &mut self.next, sink))
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
