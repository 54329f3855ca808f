//! A term as a [`Model`]: one slot for the control, or one per part of an outermost parallel
//! composition, and one per variable. Knows no language: definitions come as a trait object.

use std::sync::{Mutex, PoisonError};

use quadrille_diagnostic::{Diagnostic, codes};
use quadrille_model::{
    Action, ActionId, Domain, Group, GroupId, Layout, Model, ParticipantId, PropositionId, Slot,
    SlotId, Successors, Value,
};

use super::action::{Act, ActId, RoleId};
use super::data::{Data, DataError, ExprId, UpdateId, VariableId};
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
    /// variable. The step it belongs to is left out of the protocol.
    ///
    /// Guard the step, or widen the domain of the variable.
    P003 = DATA_ERROR;
}

/// A protocol as a model.
///
/// Terms are explored on the fly; the tables grow as they are. What goes wrong on the way (a
/// definition that cannot be unfolded, a division by zero) leaves out the step in question and is
/// kept in [`ProtocolModel::problems`]: whoever explores must look there before trusting a verdict.
pub struct ProtocolModel {
    terms: Terms,
    definitions: Box<dyn Definitions>,
    start: Vec<TermId>,
    propositions: Vec<ExprId>,
    proposition_names: Vec<String>,
    layout: Layout,
    groups: Vec<Group>,
    problems: Mutex<Vec<Diagnostic>>,
}

impl ProtocolModel {
    /// The protocol that starts as this term.
    pub fn new(terms: Terms, start: TermId, definitions: Box<dyn Definitions>) -> Self {
        let mut model = Self {
            terms,
            definitions,
            start: vec![start],
            propositions: Vec::new(),
            proposition_names: Vec::new(),
            layout: Layout::default(),
            groups: Vec::new(),
            problems: Mutex::new(Vec::new()),
        };
        if model.terms.identity() == Identity::Normal {
            model.split();
        }
        model.declare();
        model
    }

    /// Adds a named condition on the variables, as a proposition of the model.
    pub fn add_proposition(&mut self, name: impl Into<String>, condition: ExprId) {
        self.propositions.push(condition);
        self.proposition_names.push(name.into());
    }

    /// The conditions that are propositions, with their names.
    pub fn conditions(&self) -> Vec<(String, ExprId)> {
        self.proposition_names.iter().cloned().zip(self.propositions.iter().copied()).collect()
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

    /// What went wrong in the states explored so far, in a fixed order, each thing once.
    pub fn problems(&self) -> Vec<Diagnostic> {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone();
        problems.sort_by(|a, b| {
            let key = |d: &Diagnostic| (d.labels.first().map(|label| label.span), d.code.id);
            key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
        });
        problems.dedup();
        problems
    }

    /// Makes the parts of an outermost parallel composition slots of their own.
    fn split(&mut self) {
        let start = self.start[0];
        let mut term = start;
        if let Term::Call(definition, arguments) = self.terms.term(start) {
            term = self.terms.body(start, || {
                let body = self.definitions.unfold(&self.terms, definition, arguments);
                body.unwrap_or_else(|diagnostic| {
                    self.report(Trouble::Body(diagnostic));
                    TermId::STOP
                })
            });
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
            .map(|part| Slot {
                name: if n_control == 1 { "protocol".to_owned() } else { format!("part {part}") },
                domain: Domain::Interned,
            })
            .collect();
        slots.extend(self.terms.variables().iter().map(|variable| Slot {
            name: variable.name.clone(),
            domain: variable.data_type.domain(),
        }));
        let data = n_control..slots.len();
        self.groups = (0..n_control)
            .map(|part| {
                let touched: Vec<SlotId> =
                    std::iter::once(part).chain(data.clone()).map(SlotId::from_usize).collect();
                Group {
                    name: slots[part].name.clone(),
                    reads: touched.clone(),
                    writes: touched,
                    ..Group::default()
                }
            })
            .collect();
        self.layout = Layout::new(slots);
    }

    fn report(&self, trouble: Trouble) {
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
        self.problem(diagnostic);
    }

    /// Reports a step that cannot be computed.
    fn data_error(&self, error: DataError, step: Option<ActId>) {
        let message = match error {
            DataError::OutOfRange(variable, value) => {
                let variable = self.terms.variable(variable);
                let (min, max) = variable.data_type.bounds();
                format!("`{}` cannot hold {value}: its values are {min} to {max}", variable.name)
            }
            DataError::DivisionByZero | DataError::Overflow => error.to_string(),
        };
        let diagnostic = Diagnostic::error(&DATA_ERROR, message);
        let place = step.and_then(|step| self.terms.place_of(step));
        self.problem(match place {
            Some(place) => diagnostic.at(place, "this step is left out"),
            None => diagnostic,
        });
    }

    fn problem(&self, diagnostic: Diagnostic) {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        if !problems.contains(&diagnostic) {
            problems.push(diagnostic);
        }
    }

    /// Calls `visit` with the steps of a term.
    fn with_edges(&self, term: TermId, visit: impl FnOnce(&[Edge])) {
        if let Some(known) = self.terms.known_edges(term) {
            return visit(known);
        }
        let mut walk = Walk::new(&self.terms, &*self.definitions);
        let mut edges = Vec::new();
        walk.edges(term, &mut edges);
        walk.troubles.into_iter().for_each(|trouble| self.report(trouble));
        visit(&edges);
    }

    fn ends(&self, term: TermId) -> ExprId {
        if let Some(known) = self.terms.known_end(term) {
            return known;
        }
        let mut walk = Walk::new(&self.terms, &*self.definitions);
        let ends = walk.ends(term);
        walk.troubles.into_iter().for_each(|trouble| self.report(trouble));
        ends
    }

    /// Whether a condition holds, of a step where one is given.
    fn condition(&self, condition: ExprId, store: &[Value], step: Option<ActId>) -> bool {
        condition == ExprId::TRUE
            || self.terms.evaluate(condition, store).unwrap_or_else(|error| {
                self.data_error(error, step);
                0
            }) != 0
    }

    /// The steps of one part. `next` holds `state` and is given back holding it.
    fn part_successors(
        &self,
        part: usize,
        state: &[Value],
        next: &mut [Value],
        sink: &mut dyn Successors,
    ) {
        let group = GroupId::from_usize(part);
        let (n_control, store) = (self.start.len(), &state[self.start.len()..]);
        self.with_edges(TermId(state[part]), |edges| {
            for edge in edges {
                if !self.condition(edge.guard, store, Some(edge.act)) {
                    continue;
                }
                if edge.update != UpdateId::NONE {
                    let assignments = self.terms.update_of(edge.update);
                    let after = &mut next[n_control..];
                    if let Err(error) = self.terms.assign(assignments, store, after) {
                        self.data_error(error, Some(edge.act));
                        next[n_control..].copy_from_slice(store);
                        continue;
                    }
                }
                next[part] = edge.to.0;
                sink.next(group, ActionId::new(edge.act.0), next);
                if edge.update != UpdateId::NONE {
                    next[n_control..].copy_from_slice(store);
                }
            }
        });
        next[part] = state[part];
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

impl Model for ProtocolModel {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn initial(&self, sink: &mut dyn FnMut(&[Value])) {
        let mut state: Vec<Value> = self.start.iter().map(|term| term.0).collect();
        for (position, variable) in self.terms.variables().iter().enumerate() {
            let id = VariableId(position as u32);
            match self.terms.stored(id, variable.initial) {
                Ok(value) => state.push(value),
                Err(error) => return self.data_error(error, None),
            }
        }
        sink(&state);
    }

    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors) {
        self.part_successors(group.index(), state, &mut state.to_vec(), sink);
    }

    fn expand(&self, state: &[Value], sink: &mut dyn Successors) {
        if let [only] = state {
            return self.part_successors(0, state, &mut [*only], sink);
        }
        let mut next = state.to_vec();
        for part in 0..self.start.len() {
            self.part_successors(part, state, &mut next, sink);
        }
    }

    fn action(&self, action: ActionId) -> Action {
        self.act(action).action(|role| self.role(role))
    }

    fn n_actions(&self) -> usize {
        self.terms.n_acts()
    }

    fn participant(&self, participant: ParticipantId) -> String {
        self.role(RoleId::from(participant))
    }

    fn propositions(&self) -> &[String] {
        &self.proposition_names
    }

    fn holds(&self, proposition: PropositionId, state: &[Value]) -> bool {
        self.condition(self.propositions[proposition.index()], &state[self.start.len()..], None)
    }

    fn may_end(&self, state: &[Value]) -> bool {
        let store = &state[self.start.len()..];
        state[..self.start.len()]
            .iter()
            .all(|&part| self.condition(self.ends(TermId(part)), store, None))
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
