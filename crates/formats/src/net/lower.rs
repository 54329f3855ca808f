//! From the tree to the network: resolves names and reports each that does not fit. Participants
//! are declared first, then channels, then templates and propositions, wherever they stand.

use quadrille_diagnostic::{Code, Diagnostic, SourceId, Span};
use quadrille_model::{
    Automaton, Channel, ChannelId, Counter, CounterId, LocalId, MessageId, Network, NetworkBuilder,
    NetworkError, Origin, ParticipantId, Place, Places, Predicate, Template, Value, ValueSet,
};
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::symbols::Scope;
use super::tree::{
    Clause, ClauseKind, Comparison, Fields, Formula, Name, Starred, Statement, StatementKind,
    States, Term,
};
use crate::codes::{
    NET_CAPACITY, NET_EMPTY_SET, NET_FIELDS, NET_NOBODY, NET_REPEATED, NET_SYNTAX, NET_TOO_LARGE,
    NET_TWICE, NET_UNKNOWN,
};
use crate::report::Report;

/// Most local states of all participants together: a short text can announce very many.
const MOST_STATES: usize = 1 << 20;

pub(super) fn lower(
    source: SourceId,
    statements: Vec<Statement<'_>>,
    report: &mut Report,
) -> Option<Network> {
    let mut lowering = Lowering {
        report,
        builder: NetworkBuilder::default(),
        things: Scope::default(),
        symbols: Vec::new(),
        states: Vec::new(),
        messages: Vec::new(),
        bounds: Vec::new(),
        propositions: FxHashMap::default(),
        n_states: 0,
    };
    for statement in &statements {
        lowering.participants(statement);
    }
    for statement in &statements {
        lowering.counters(statement);
    }
    let is_empty = lowering.states.is_empty() && lowering.bounds.is_empty();
    if is_empty && lowering.report.is_silent() {
        let diagnostic = Diagnostic::error(&NET_NOBODY, "a network without participants");
        let diagnostic = diagnostic.at(Span::new(source, 0..0), "");
        lowering.report.add(diagnostic.help("declare one: `participant Name: first second`"));
    }
    for statement in &statements {
        lowering.channel(statement);
    }
    for statement in statements {
        // What was lowered is given back: there may be very many templates.
        lowering.rest(&statement);
    }
    if lowering.report.is_silent() { lowering.builder.build().ok() } else { None }
}

struct Lowering<'r> {
    report: &'r mut Report,
    builder: NetworkBuilder,
    /// Participants and channels.
    things: Scope,
    symbols: Vec<(Symbol, Span)>,
    /// Per participant.
    states: Vec<Scope>,
    /// Per channel.
    messages: Vec<Scope>,
    /// Per counter, the most it can be.
    bounds: Vec<Value>,
    propositions: FxHashMap<String, Span>,
    n_states: usize,
}

#[derive(Clone, Copy)]
enum Symbol {
    Participant(ParticipantId),
    Channel(ChannelId),
    Counter(CounterId),
}

impl Lowering<'_> {
    fn error(&mut self, code: &'static Code, span: Span, message: String, help: impl Into<String>) {
        self.report.add(Diagnostic::error(code, message).at(span, "").help(help));
    }

    fn twice(&mut self, name: &Name<'_>, before: Span) {
        let message = format!("`{}` is declared twice", name.text);
        let diagnostic = Diagnostic::error(&NET_TWICE, message).at(name.span, "again here");
        self.report.add(diagnostic.at(before, "first here").help("rename one of them"));
    }

    /// Reports what only the builder notices.
    fn built<T>(&mut self, result: Result<T, NetworkError>, span: Span) -> Option<T> {
        match result {
            Ok(built) => Some(built),
            Err(error) => {
                self.error(&NET_TOO_LARGE, span, error.to_string(), "make it smaller");
                None
            }
        }
    }

    /// A scope of names that are all different; reports the others.
    fn scope<'n, 'a: 'n>(&mut self, names: impl Iterator<Item = &'n Name<'a>>) -> Scope {
        let mut scope = Scope::default();
        let mut spans = Vec::new();
        for name in names {
            match scope.declare(&name.text) {
                Ok(_) => spans.push(name.span),
                Err(before) => self.twice(name, spans[before as usize]),
            }
        }
        scope
    }

    /// Declares a participant or channel; false if the name is taken.
    fn declare_thing(&mut self, name: &Name<'_>, symbol: Symbol) -> bool {
        match self.things.declare(&name.text) {
            Ok(_) => {
                self.symbols.push((symbol, name.span));
                true
            }
            Err(before) => {
                self.twice(name, self.symbols[before as usize].1);
                false
            }
        }
    }

    fn participants(&mut self, statement: &Statement<'_>) {
        match &statement.kind {
            StatementKind::Participants { names, starts, states } => {
                let scope = self.scope(states.iter().map(|state| &state.name));
                let starts = starts.as_ref().and_then(|name| self.find_in(&scope, name, "state"));
                let initial = LocalId::new(starts.unwrap_or(0));
                let starred = states.iter().filter(|state| state.star);
                let ends = starred.filter_map(|state| scope.find(&state.name.text));
                let ends: Vec<LocalId> = ends.map(LocalId::new).collect();
                let places = states.iter().map(|state| place(state.name.span));
                let places = Places(places.collect());
                for name in names {
                    self.participant(name, scope.clone(), initial, &ends, &places);
                }
            }
            StatementKind::Positions(list) => {
                for (name, size) in list {
                    let Some(n_states) = self.number(size, "a number of states") else { continue };
                    if self.n_states + n_states as usize > MOST_STATES {
                        self.too_many_states(size.span);
                        continue;
                    }
                    let mut scope = Scope::default();
                    for state in 0..n_states {
                        let _ = scope.declare(&state.to_string());
                    }
                    if n_states == 0 {
                        let message = format!("participant `{}` has no state", name.text);
                        self.error(&NET_EMPTY_SET, size.span, message, "give it at least one");
                        continue;
                    }
                    let places = Places([place(name.span)].into());
                    self.participant(name, scope, LocalId::new(0), &[], &places);
                }
            }
            _ => {}
        }
    }

    fn participant(
        &mut self,
        name: &Name<'_>,
        scope: Scope,
        initial: LocalId,
        ends: &[LocalId],
        places: &Places,
    ) {
        if self.n_states + scope.names().len() > MOST_STATES {
            return self.too_many_states(name.span);
        }
        self.n_states += scope.names().len();
        let symbol = Symbol::Participant(ParticipantId::from_usize(self.states.len()));
        if !self.declare_thing(name, symbol) {
            return;
        }
        let participant = Automaton::new(name.text.as_ref(), scope.names())
            .initial(initial)
            .ends(ends.iter().copied())
            .written_at(places);
        let built = self.builder.participant(participant);
        self.built(built, name.span);
        self.states.push(scope);
    }

    fn too_many_states(&mut self, span: Span) {
        let message = format!("more than {MOST_STATES} local states altogether");
        self.error(&NET_TOO_LARGE, span, message, "split it into participants with fewer states");
    }

    fn counters(&mut self, statement: &Statement<'_>) {
        let StatementKind::Counters { names, most, starts } = &statement.kind else { return };
        let Some(bound) = self.number(most, "the most it can be") else { return };
        if bound > NetworkBuilder::MAX_COUNT {
            let message = format!("`{}` is no bound of a counter", most.text);
            let help = format!("a number from 0 to {}", NetworkBuilder::MAX_COUNT);
            return self.error(&NET_CAPACITY, most.span, message, help);
        }
        let initial = match starts {
            None => Some(0),
            Some(name) => self.number(name, "the number it starts with"),
        };
        let Some(initial) = initial else { return };
        if let Some(name) = starts.as_ref().filter(|_| initial > bound) {
            let message = format!("`{}` is more than the counter can be", name.text);
            return self.error(&NET_CAPACITY, name.span, message, format!("at most {bound}"));
        }
        for name in names {
            let symbol = Symbol::Counter(CounterId::from_usize(self.bounds.len()));
            if self.declare_thing(name, symbol) {
                let counter = Counter::new(name.text.as_ref(), bound).initial(initial);
                let built = self.builder.counter(counter);
                self.built(built, name.span);
                self.bounds.push(bound);
            }
        }
    }

    fn channel(&mut self, statement: &Statement<'_>) {
        let StatementKind::Channel { name, ends, capacity, messages } = &statement.kind else {
            return;
        };
        let Starred { name, star } = name;
        let scope = self.scope(messages.iter());
        let ends = ends.as_ref().and_then(|(from, to)| {
            let [from, to] = [from, to].map(|end| self.find_participant(end));
            Some((from?, to?))
        });
        let size = capacity.text.parse().unwrap_or(0);
        if !(1..=NetworkBuilder::MAX_CAPACITY).contains(&size) {
            let message = format!("`{}` is no capacity", capacity.text);
            let help = format!("a number from 1 to {}", NetworkBuilder::MAX_CAPACITY);
            self.error(&NET_CAPACITY, capacity.span, message, help);
        }
        // Templates are checked against the channel even if its capacity is wrong.
        let size = size.clamp(1, NetworkBuilder::MAX_CAPACITY);
        let symbol = Symbol::Channel(ChannelId::from_usize(self.messages.len()));
        if !self.declare_thing(name, symbol) {
            return;
        }
        let mut channel = Channel::new(name.text.as_ref(), size, scope.names());
        channel.ends = ends;
        channel.may_keep = *star;
        let built = self.builder.channel(channel);
        self.built(built, statement.span);
        self.messages.push(scope);
    }

    fn rest(&mut self, statement: &Statement<'_>) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Template { label, clauses } => {
                if let Some(mut template) = self.template(label, clauses) {
                    template.origin = Origin(Some(place(span)));
                    let built = self.builder.template(template);
                    self.built(built, span);
                }
            }
            StatementKind::Positional { label, condition, result } => {
                if let Some(mut template) = self.positional(label, condition, result) {
                    template.origin = Origin(Some(place(span)));
                    let built = self.builder.template(template);
                    self.built(built, span);
                }
            }
            StatementKind::Proposition { name, formula } => {
                if let Some(before) = self.propositions.insert(name.text.to_string(), name.span) {
                    self.twice(name, before);
                } else if let Some(predicate) = self.predicate(formula) {
                    let built = self.builder.proposition(name.text.as_ref(), predicate);
                    self.built(built, span);
                }
            }
            StatementKind::Participants { .. }
            | StatementKind::Positions(_)
            | StatementKind::Counters { .. }
            | StatementKind::Channel { .. } => {}
        }
    }

    /// The template, if all of it fits; every part that does not is reported.
    fn template(&mut self, label: &Name<'_>, clauses: &[Clause<'_>]) -> Option<Template> {
        let mut template = Template::new(label.text.as_ref());
        let mut used = FxHashMap::default();
        let mut good = true;
        for clause in clauses {
            let Some(role) = self.clause(clause, &mut template) else {
                good = false;
                continue;
            };
            // A number may be asked for its least and for its most.
            if role == Role::Test {
                continue;
            }
            if let Some(before) = used.insert((role, clause.subject.text.as_ref()), clause.span) {
                let message = format!("`{}` is used twice in one template", clause.subject.text);
                let diagnostic = Diagnostic::error(&NET_REPEATED, message);
                let diagnostic = diagnostic.at(clause.span, "again here").at(before, "first here");
                let help = "one clause per participant; one receive and one send per channel";
                self.report.add(diagnostic.help(help));
                good = false;
            }
        }
        good.then_some(template)
    }

    fn clause(&mut self, clause: &Clause<'_>, template: &mut Template) -> Option<Role> {
        let subject = &clause.subject;
        match &clause.kind {
            ClauseKind::Test(comparison, number) => {
                let counter = self.find_counter(subject)?;
                let number = self.number(number, "a number")?;
                let bound = self.bounds[counter.index()];
                let set: ValueSet = match comparison {
                    Comparison::AtMost => (0..=number.min(bound)).collect(),
                    Comparison::Less => (0..number.min(bound + 1)).collect(),
                    Comparison::AtLeast => (number..=bound).collect(),
                    Comparison::Greater => (number.saturating_add(1)..=bound).collect(),
                    Comparison::Equal => (number..=number.min(bound)).collect(),
                    Comparison::Unequal => (0..=bound).filter(|value| *value != number).collect(),
                };
                if set.is_empty() {
                    let message = format!("`{}` is never that: it is 0 to {bound}", subject.text);
                    self.error(&NET_EMPTY_SET, clause.span, message, "ask for less");
                    return None;
                }
                template.tests.push((counter, set));
                Some(Role::Test)
            }
            ClauseKind::Count { take, put } => {
                let counter = self.find_counter(subject)?;
                let mut number = |name: &Option<Name<'_>>| match name {
                    Some(name) => self.number(name, "a number"),
                    None => Some(0),
                };
                let (take, put) = (number(take)?, number(put)?);
                let bound = self.bounds[counter.index()];
                if take > bound || put > bound {
                    let message = format!("`{}` never has that: it is 0 to {bound}", subject.text);
                    self.error(&NET_EMPTY_SET, clause.span, message, "take or add less");
                    return None;
                }
                template.counts.push((counter, take, put));
                Some(Role::Count)
            }
            ClauseKind::Receive(message) => {
                let channel = self.find_channel(subject)?;
                let message = self.find_message(channel, message)?;
                template.receives.push((channel, message));
                Some(Role::Receive)
            }
            ClauseKind::Move { when, becomes } => match self.find_thing(subject)? {
                Symbol::Participant(participant) => {
                    let when = when.as_ref().map(|states| self.set(participant, states));
                    let becomes = becomes.as_ref().map(|states| self.set(participant, states));
                    if let Some(set) = when {
                        template.conditions.push((participant, set?));
                    }
                    if let Some(set) = becomes {
                        template.results.push((participant, set?));
                    }
                    Some(Role::Move)
                }
                Symbol::Counter(_) => {
                    let message = format!("`{}` is a counter", subject.text);
                    let help = format!("write `{0} >= 1`, `{0} - 1` or `{0} + 1`", subject.text);
                    self.error(&NET_SYNTAX, clause.span, message, help);
                    None
                }
                Symbol::Channel(channel) => {
                    let (Some(States { negated: true, names, .. }), None) = (when, becomes) else {
                        return self.not_a_channel_clause(clause);
                    };
                    let [message] = &names[..] else { return self.not_a_channel_clause(clause) };
                    let message = self.find_message(channel, message)?;
                    template.sends.push((channel, message));
                    Some(Role::Send)
                }
            },
        }
    }

    fn not_a_channel_clause<T>(&mut self, clause: &Clause<'_>) -> Option<T> {
        let name = &clause.subject.text;
        let message = format!("`{name}` is a channel: expected `!` or `?` and one message");
        let help = format!("write `{name} ! message` to send, `{name} ? message` to receive");
        self.error(&NET_SYNTAX, clause.span, message, help);
        None
    }

    fn positional(
        &mut self,
        label: &Name<'_>,
        condition: &Fields<'_>,
        result: &Fields<'_>,
    ) -> Option<Template> {
        let mut template = Template::new(label.text.as_ref());
        let (conditions, becomes) = (self.fields(condition), self.fields(result));
        template.conditions = conditions?;
        template.results = becomes?;
        Some(template)
    }

    /// One set per field that says something. One empty field too many is a trailing comma.
    fn fields(&mut self, list: &Fields<'_>) -> Option<Vec<(ParticipantId, ValueSet)>> {
        let n_participants = self.states.len();
        let fields = match &list.fields[..] {
            [fields @ .., None] if fields.len() == n_participants => fields,
            fields => fields,
        };
        if fields.len() != n_participants {
            let found = fields.len();
            let message = format!("expected {n_participants} fields, found {found}");
            let help = "one field per participant, `_` where nothing is said";
            self.error(&NET_FIELDS, list.span, message, help);
            return None;
        }
        let mut sets = Some(Vec::new());
        for (number, states) in fields.iter().enumerate() {
            let Some(states) = states else { continue };
            let participant = ParticipantId::from_usize(number);
            match (self.set(participant, states), &mut sets) {
                (Some(set), Some(sets)) => sets.push((participant, set)),
                _ => sets = None,
            }
        }
        sets
    }

    fn predicate(&mut self, formula: &Formula<'_>) -> Option<Predicate> {
        Some(match formula {
            Formula::In(name, states) => {
                let participant = self.find_participant(name)?;
                Predicate::In(participant, self.set(participant, states)?)
            }
            Formula::Empty(name) => Predicate::Empty(self.find_channel(name)?),
            Formula::Full(name) => Predicate::Full(self.find_channel(name)?),
            Formula::Contains(name, message) => {
                let channel = self.find_channel(name)?;
                Predicate::Contains(channel, self.find_message(channel, message)?)
            }
            Formula::Head(name, message) => {
                let channel = self.find_channel(name)?;
                Predicate::Head(channel, self.find_message(channel, message)?)
            }
            Formula::Compare(left, comparison, right) => self.compared(left, *comparison, right)?,
            Formula::Constant(true) => Predicate::All(Vec::new()),
            Formula::Constant(false) => Predicate::Any(Vec::new()),
            Formula::Not(inner) => Predicate::Not(Box::new(self.predicate(inner)?)),
            Formula::All(parts) => Predicate::All(self.predicates(parts)?),
            Formula::Any(parts) => Predicate::Any(self.predicates(parts)?),
        })
    }

    /// A comparison of sums as sums that are at most a number.
    fn compared(
        &mut self,
        left: &[Term<'_>],
        comparison: Comparison,
        right: &[Term<'_>],
    ) -> Option<Predicate> {
        // left − right compared with 0.
        let mut sum: BTreeMap<CounterId, i64> = BTreeMap::new();
        let mut constant = 0i64;
        for (side, terms) in [(1, left), (-1, right)] {
            for term in terms {
                let factor = match &term.factor {
                    Some(factor) => i64::from(self.number(factor, "a number")?),
                    None => 1,
                };
                let signed = if term.minus { -side * factor } else { side * factor };
                match &term.counter {
                    Some(name) => *sum.entry(self.find_counter(name)?).or_default() += signed,
                    None => constant += signed,
                }
            }
        }
        sum.retain(|_, factor| *factor != 0);
        let at_most = |sign: i64, most: i64| -> Predicate {
            let sum: Vec<_> =
                sum.iter().map(|(&counter, factor)| (counter, sign * factor)).collect();
            match (sum.is_empty(), 0 <= most) {
                (true, true) => Predicate::All(Vec::new()),
                (true, false) => Predicate::Any(Vec::new()),
                _ => Predicate::AtMost(sum, most),
            }
        };
        let both = || Predicate::All(vec![at_most(1, -constant), at_most(-1, constant)]);
        Some(match comparison {
            Comparison::AtMost => at_most(1, -constant),
            Comparison::Less => at_most(1, -constant - 1),
            Comparison::AtLeast => at_most(-1, constant),
            Comparison::Greater => at_most(-1, constant - 1),
            Comparison::Equal => both(),
            Comparison::Unequal => Predicate::Not(Box::new(both())),
        })
    }

    /// All parts, each of them looked at even if one does not fit.
    fn predicates(&mut self, parts: &[Formula<'_>]) -> Option<Vec<Predicate>> {
        let all: Vec<_> = parts.iter().map(|part| self.predicate(part)).collect();
        all.into_iter().collect()
    }

    fn set(&mut self, participant: ParticipantId, states: &States<'_>) -> Option<ValueSet> {
        let scope = std::mem::take(&mut self.states[participant.index()]);
        let named: Vec<_> =
            states.names.iter().map(|name| self.find_in(&scope, name, "state")).collect();
        let n_states = scope.names().len() as u32;
        self.states[participant.index()] = scope;
        let named: ValueSet = named.into_iter().collect::<Option<_>>()?;
        let set = if states.negated {
            (0..n_states).filter(|state| !named.contains(*state)).collect()
        } else {
            named
        };
        if set.is_empty() {
            let help = "name at least one state, or leave it out";
            self.error(&NET_EMPTY_SET, states.span, "this set has no state".to_owned(), help);
            return None;
        }
        Some(set)
    }

    fn number(&mut self, name: &Name<'_>, what: &str) -> Option<u32> {
        if name.quoted || !name.text.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("expected {what}");
            self.error(&NET_SYNTAX, name.span, message, "write a number");
            return None;
        }
        // Digits that do not fit are too many.
        Some(name.text.parse().unwrap_or(u32::MAX))
    }

    fn find_in(&mut self, scope: &Scope, name: &Name<'_>, kind: &str) -> Option<u32> {
        let found = scope.find(&name.text);
        if found.is_none() {
            let message = format!("there is no {kind} `{}`", name.text);
            let help = scope.advice(&name.text, kind);
            self.error(&NET_UNKNOWN, name.span, message, help);
        }
        found
    }

    fn find_message(&mut self, channel: ChannelId, name: &Name<'_>) -> Option<MessageId> {
        let scope = std::mem::take(&mut self.messages[channel.index()]);
        let found = self.find_in(&scope, name, "message");
        self.messages[channel.index()] = scope;
        found.map(MessageId::new)
    }

    fn find_thing(&mut self, name: &Name<'_>) -> Option<Symbol> {
        let things = std::mem::take(&mut self.things);
        let found = self.find_in(&things, name, "participant, channel or counter");
        self.things = things;
        found.map(|position| self.symbols[position as usize].0)
    }

    fn find_participant(&mut self, name: &Name<'_>) -> Option<ParticipantId> {
        match self.find_thing(name)? {
            Symbol::Participant(participant) => Some(participant),
            Symbol::Counter(_) => self.is_counter(name, "a participant"),
            Symbol::Channel(_) => {
                let message = format!("`{}` is a channel, not a participant", name.text);
                self.error(&NET_UNKNOWN, name.span, message, "name a participant");
                None
            }
        }
    }

    fn is_counter<T>(&mut self, name: &Name<'_>, wanted: &str) -> Option<T> {
        let message = format!("`{}` is a counter, not {wanted}", name.text);
        self.error(&NET_UNKNOWN, name.span, message, format!("name {wanted}"));
        None
    }

    fn find_counter(&mut self, name: &Name<'_>) -> Option<CounterId> {
        match self.find_thing(name)? {
            Symbol::Counter(counter) => Some(counter),
            Symbol::Participant(_) | Symbol::Channel(_) => {
                let message = format!("`{}` is no counter", name.text);
                let help = format!("declare it: `counter {} [5]`", name.text);
                self.error(&NET_UNKNOWN, name.span, message, help);
                None
            }
        }
    }

    fn find_channel(&mut self, name: &Name<'_>) -> Option<ChannelId> {
        match self.find_thing(name)? {
            Symbol::Channel(channel) => Some(channel),
            Symbol::Counter(_) => self.is_counter(name, "a channel"),
            Symbol::Participant(_) => {
                let message = format!("`{}` is a participant, not a channel", name.text);
                self.error(&NET_UNKNOWN, name.span, message, "name a channel");
                None
            }
        }
    }
}

/// A span as a place of a model.
fn place(span: Span) -> Place {
    Place { text: span.source.number(), start: span.start, end: span.end }
}

/// How a template uses a thing; each at most once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Role {
    Move,
    Send,
    Receive,
    Count,
    Test,
}
