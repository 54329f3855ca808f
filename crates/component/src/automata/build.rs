//! From tree to automaton: expands abbreviations, resolves exceptions into jumps and variables into
//! silent edges, and gives every branch of a `|` an automaton of its own.

use std::collections::BTreeMap;

use super::alphabet::{Alphabet, EventKind, Role};
use super::determinise::{Context, determinise};
use super::distribute::distribute;
use super::flatten::flatten;
use super::nfa::{
    Constant, Edge, Goal, Mention, Nfa, Node, Valuation, Value, Variable, VariableId,
};
use super::piece::{ExitId, Letter, Piece, Target};
use crate::syntax::{
    Catch, Component, Direction, EnumType, Kind, Parameter, Path, Protocol, Test, Token,
};

/// How automata are made of pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Construction {
    /// Minimal deterministic automata.
    #[default]
    Minimal,
    /// As for the sizes published for the airport system: alternatives distributed to the right,
    /// position automaton, subset construction, no minimisation.
    Published,
}

/// Which exceptions each method may throw: `Card.lookUp` → `NetworkException`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Throws {
    /// Per method, the names of its exceptions without the interface.
    pub methods: BTreeMap<String, Vec<String>>,
}

impl Throws {
    /// The exceptions of a method.
    pub fn of(&self, method: &str) -> &[String] {
        self.methods.get(method).map_or(&[], Vec::as_slice)
    }
}

/// The automata of a component would have more states than can be meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// Most nodes and members of sets while a component is built.
const BUDGET: usize = 1 << 21;

/// The automata of a component. Without `throws`, every method may throw what is caught on its
/// interface. Names that are not declared are passed over.
pub fn build(
    alphabet: &mut Alphabet,
    types: &[EnumType],
    component: &Component,
    throws: Option<&Throws>,
    construction: Construction,
) -> Result<Piece, TooLarge> {
    let distributed = match construction {
        Construction::Minimal => None,
        Construction::Published => Some(distribute(&component.protocol).ok_or(TooLarge)?),
    };
    let protocol = distributed.as_ref().unwrap_or(&component.protocol);
    let mut builder = Builder {
        alphabet,
        types,
        throws,
        variables: Vec::new(),
        names: Vec::new(),
        frames: vec![Frame::default()],
        exits: Vec::new(),
        scopes: Vec::new(),
        filters: Vec::new(),
        inverted: false,
        n_nodes: 0,
        too_large: false,
    };
    for variable in &component.variables {
        builder.declare(&variable.of.text, &variable.name.text, &variable.initial.text);
    }
    let start = builder.fresh();
    let end = builder.lower(protocol, start);
    let Builder { mut frames, variables, too_large, .. } = builder;
    let mut nfa = frames.pop().unwrap_or_default().nfa;
    nfa.end = Some(end);
    if too_large {
        return Err(TooLarge);
    }
    let valuation: Valuation = variables.iter().map(|variable| variable.initial).collect();
    let mut context = Context { alphabet, variables: &variables, construction, budget: BUDGET };
    determinise(&mut context, &nfa, valuation)
}

/// A node of a frame: where a jump leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    depth: usize,
    node: Node,
}

/// One automaton being built: the component's, or that of a branch.
#[derive(Default)]
struct Frame {
    nfa: Nfa,
    /// What may happen in every node that is made now: exceptions of calls that wait.
    interrupts: Vec<(Vec<Mention>, Place)>,
}

/// What encloses the place being lowered.
enum Scope {
    /// The braces of an acceptance: where `throw` leads, and the interface it speaks on.
    Acceptance { interface: String, end: Place },
    /// A `try`: where each exception leads.
    Try { catches: Vec<(String, Place)> },
}

struct Builder<'a> {
    alphabet: &'a mut Alphabet,
    types: &'a [EnumType],
    throws: Option<&'a Throws>,
    variables: Vec<Variable>,
    /// The variables in scope, innermost last.
    names: Vec<(String, VariableId)>,
    /// The automata being built, innermost last.
    frames: Vec<Frame>,
    /// Per frame but the first, the places outside that its fork is left to.
    exits: Vec<Vec<Place>>,
    scopes: Vec<Scope>,
    filters: Vec<Vec<String>>,
    inverted: bool,
    n_nodes: usize,
    too_large: bool,
}

impl Builder<'_> {
    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("there is always a frame")
    }

    fn fresh(&mut self) -> Node {
        self.n_nodes += 1;
        self.too_large |= self.n_nodes > BUDGET;
        let node = self.frame().nfa.fresh();
        for (mentions, place) in self.frame().interrupts.clone() {
            let goal = self.goal(place);
            self.edge(node, Edge::Step(mentions, goal));
        }
        node
    }

    fn edge(&mut self, from: Node, edge: Edge) {
        self.frame().nfa.edge(from, edge);
    }

    fn silent(&mut self, from: Node, to: Node) {
        self.edge(from, Edge::Silent(to));
    }

    fn place(&self, node: Node) -> Place {
        Place { depth: self.frames.len(), node }
    }

    /// How a place is reached from the current frame.
    fn goal(&mut self, place: Place) -> Goal {
        if place.depth == self.frames.len() {
            return Goal::Node(place.node);
        }
        let exits = self.exits.last_mut().expect("a place further out is left to by a branch");
        let known = exits.iter().position(|known| *known == place);
        let position = known.unwrap_or_else(|| {
            exits.push(place);
            exits.len() - 1
        });
        Goal::Leave(ExitId(position as u32))
    }

    fn lower(&mut self, protocol: &Protocol, entry: Node) -> Node {
        if self.too_large {
            return entry;
        }
        match &protocol.kind {
            Kind::Null => entry,
            Kind::Event(token) => self.step(entry, std::slice::from_ref(token)),
            Kind::Atomic(tokens) => self.step(entry, tokens),
            Kind::Meet(path) => {
                let mention = Mention {
                    role: Role::Meet,
                    path: path.text.clone(),
                    arguments: Vec::new(),
                    kind: EventKind::Meeting,
                };
                self.mentioned(entry, vec![mention])
            }
            Kind::Call { direction: Direction::Emit, path, arguments, body, .. } => {
                let arguments = arguments.iter().map(|name| self.value(&name.text)).collect();
                self.emission(entry, path, arguments, body.as_deref())
            }
            Kind::Call { direction: Direction::Accept, path, parameters, body, .. } => {
                self.acceptance(entry, path, parameters, body.as_deref())
            }
            Kind::Sequence(parts) => parts.iter().fold(entry, |at, part| self.lower(part, at)),
            Kind::Alternative(parts) => {
                let exit = self.fresh();
                for part in parts {
                    let end = self.lower(part, entry);
                    self.silent(end, exit);
                }
                exit
            }
            Kind::Repeat(inner) => {
                let (turn, exit) = (self.fresh(), self.fresh());
                self.silent(entry, turn);
                let end = self.lower(inner, turn);
                self.silent(end, turn);
                self.silent(turn, exit);
                exit
            }
            Kind::Parallel(parts) => self.fork(entry, &parts.iter().collect::<Vec<_>>(), false),
            Kind::OrParallel(parts) => self.or_parallel(entry, parts),
            Kind::Restrict(inner, names) => {
                self.filters.push(names.iter().map(|name| name.text.clone()).collect());
                let exit = self.lower(inner, entry);
                self.filters.pop();
                exit
            }
            Kind::Adjust(left, names, right) => self.adjust(entry, left, names, right),
            Kind::Invert(inner) => {
                self.inverted = !self.inverted;
                let exit = self.lower(inner, entry);
                self.inverted = !self.inverted;
                exit
            }
            Kind::Throw(exception) => self.throw(entry, &exception.text),
            Kind::Try { body, catches } => self.try_catch(entry, body, catches),
            Kind::Assign { variable, value } => {
                self.assign(entry, &variable.text, &value.text).unwrap_or(entry)
            }
            Kind::While { test, body } => self.while_loop(entry, test, body),
            Kind::Switch { variable, cases, default } => {
                let Some(variable) = self.variable(&variable.text) else { return entry };
                let exit = self.fresh();
                let mut rest = self.constants(variable);
                for case in cases {
                    let Some(constant) = self.constant(variable, &case.value.text) else {
                        continue;
                    };
                    rest.retain(|other| *other != constant);
                    let start = self.when(entry, variable, vec![constant]);
                    let end = self.lower(&case.protocol, start);
                    self.silent(end, exit);
                }
                let start = self.when(entry, variable, rest);
                let end = match default {
                    Some(default) => self.lower(default, start),
                    None => start,
                };
                self.silent(end, exit);
                exit
            }
        }
    }

    fn step(&mut self, entry: Node, tokens: &[Token]) -> Node {
        let mention = |token: &Token| Mention {
            role: token.direction.into(),
            path: token.path.text.clone(),
            arguments: Vec::new(),
            kind: token.phase.into(),
        };
        self.mentioned(entry, tokens.iter().map(mention).collect())
    }

    /// A step to a new node; nothing, if all of it is filtered out.
    fn mentioned(&mut self, entry: Node, mentions: Vec<Mention>) -> Node {
        let exit = self.fresh();
        self.jump(entry, mentions, self.place(exit));
        exit
    }

    /// A step to a given place.
    fn jump(&mut self, entry: Node, mentions: Vec<Mention>, place: Place) {
        let mentions = self.seen(mentions);
        match self.goal(place) {
            Goal::Node(node) if mentions.is_empty() => self.silent(entry, node),
            goal => self.edge(entry, Edge::Step(mentions, goal)),
        }
    }

    /// What restrictions leave of a step, with its directions as inversions make them.
    fn seen(&self, mut mentions: Vec<Mention>) -> Vec<Mention> {
        mentions.retain(|mention| {
            self.filters.iter().all(|names| names.iter().any(|name| is_on(&mention.path, name)))
        });
        if self.inverted {
            for mention in &mut mentions {
                mention.role = mention.role.inverse();
            }
        }
        mentions
    }

    /// `!i.m { body }`: while it waits, exceptions that an enclosing `try` catches may arrive.
    fn emission(
        &mut self,
        entry: Node,
        path: &Path,
        arguments: Vec<Value>,
        body: Option<&Protocol>,
    ) -> Node {
        let n_before = self.frame().interrupts.len();
        let half =
            |role, kind, arguments| Mention { role, path: path.text.clone(), arguments, kind };
        for (exception, place) in self.caught(path) {
            let mention = Mention {
                role: Role::Accept,
                path: exception,
                arguments: Vec::new(),
                kind: EventKind::Response,
            };
            let mentions = self.seen(vec![mention]);
            if !mentions.is_empty() {
                self.frame().interrupts.push((mentions, place));
            }
        }
        let request = half(Role::Emit, EventKind::Request, arguments);
        let mut at = self.mentioned(entry, vec![request]);
        if let Some(body) = body {
            at = self.lower(body, at);
        }
        self.frame().interrupts.truncate(n_before);
        self.mentioned(at, vec![half(Role::Accept, EventKind::Response, Vec::new())])
    }

    /// The exceptions that a call may bring and that an enclosing `try` catches, and where they lead.
    fn caught(&self, method: &Path) -> Vec<(String, Place)> {
        let interface = method.interface();
        let mut found: Vec<(String, Place)> = Vec::new();
        for scope in self.scopes.iter().rev() {
            let Scope::Try { catches } = scope else { continue };
            for (exception, place) in catches {
                let (on, name) = exception.rsplit_once('.').unwrap_or(("", exception));
                let thrown = on == interface
                    && self.throws.is_none_or(|throws| {
                        throws.of(&method.text).iter().any(|thrown| thrown == name)
                    });
                if thrown && found.iter().all(|(known, _)| known != exception) {
                    found.push((exception.clone(), *place));
                }
            }
        }
        found
    }

    /// `?i.m(T x) { body }`
    fn acceptance(
        &mut self,
        entry: Node,
        path: &Path,
        parameters: &[Parameter],
        body: Option<&Protocol>,
    ) -> Node {
        let exit = self.fresh();
        let n_names = self.names.len();
        let mut ids = Vec::new();
        for parameter in parameters {
            ids.push(self.declare(&parameter.of.text, &parameter.name.text, ""));
        }
        let start = self.fresh();
        for constants in self.combinations(&ids) {
            let text = |(id, constant): (&VariableId, &Constant)| {
                Value::Constant(self.variables[id.0 as usize].values[*constant as usize].clone())
            };
            let arguments = ids.iter().zip(&constants).map(text).collect();
            let request = Mention {
                role: Role::Accept,
                path: path.text.clone(),
                arguments,
                kind: EventKind::Request,
            };
            let mut at = self.mentioned(entry, vec![request]);
            for (id, constant) in ids.iter().zip(constants) {
                let next = self.fresh();
                self.edge(at, Edge::Set(*id, constant, next));
                at = next;
            }
            self.silent(at, start);
        }
        let end = self.place(exit);
        self.scopes.push(Scope::Acceptance { interface: path.interface().to_owned(), end });
        let mut at = start;
        if let Some(body) = body {
            at = self.lower(body, at);
        }
        self.scopes.pop();
        self.names.truncate(n_names);
        let response = Mention {
            role: Role::Emit,
            path: path.text.clone(),
            arguments: Vec::new(),
            kind: EventKind::Response,
        };
        let mut after = self.mentioned(at, vec![response]);
        // The values are forgotten, so that they do not tell states apart.
        for id in ids {
            let next = self.fresh();
            self.edge(after, Edge::Set(id, 0, next));
            after = next;
        }
        self.silent(after, exit);
        exit
    }

    /// All values that some variables can have together.
    fn combinations(&self, ids: &[VariableId]) -> Vec<Vec<Constant>> {
        let mut all = vec![Vec::new()];
        for id in ids {
            let values = self.constants(*id);
            let extended = all.iter().flat_map(|before: &Vec<Constant>| {
                values.iter().map(|value| [before.as_slice(), &[*value]].concat())
            });
            all = extended.collect();
        }
        all
    }

    fn throw(&mut self, entry: Node, exception: &str) -> Node {
        let acceptance = self.scopes.iter().rev().find_map(|scope| match scope {
            Scope::Acceptance { interface, end } => Some((interface.clone(), *end)),
            Scope::Try { .. } => None,
        });
        let dead = self.fresh();
        if let Some((interface, end)) = acceptance {
            let path = match &interface[..] {
                "" => exception.to_owned(),
                _ => format!("{interface}.{exception}"),
            };
            let kind = EventKind::Response;
            let mention = Mention { role: Role::Emit, path, arguments: Vec::new(), kind };
            if end.depth == self.frames.len() {
                let thrown = self.mentioned(entry, vec![mention]);
                self.silent(thrown, end.node);
            } else {
                self.jump(entry, vec![mention], end);
            }
        }
        dead
    }

    fn try_catch(&mut self, entry: Node, body: &Protocol, catches: &[Catch]) -> Node {
        let exit = self.fresh();
        let mut places = Vec::new();
        let mut handlers = Vec::new();
        for catch in catches {
            let handler = self.fresh();
            handlers.push(handler);
            for exception in &catch.exceptions {
                let arrived = self.fresh();
                self.silent(arrived, handler);
                places.push((exception.text.clone(), self.place(arrived)));
            }
        }
        self.scopes.push(Scope::Try { catches: places });
        let end = self.lower(body, entry);
        self.scopes.pop();
        self.silent(end, exit);
        for (catch, handler) in catches.iter().zip(handlers) {
            let end = self.lower(&catch.handler, handler);
            self.silent(end, exit);
        }
        exit
    }

    /// Branches side by side; optional ones may also do nothing.
    fn fork(&mut self, entry: Node, parts: &[&Protocol], optional: bool) -> Node {
        let (branches, exits) = self.branches(parts, optional);
        let fork = self.frame().nfa.forks.len();
        self.frame().nfa.forks.push(branches);
        let exit = self.fresh();
        self.edge(entry, Edge::Join(fork, exit));
        for (position, place) in exits.into_iter().enumerate() {
            let goal = self.goal(place);
            self.edge(entry, Edge::Abort(fork, ExitId(position as u32), goal));
        }
        exit
    }

    /// The automata of branches, and the places outside that they leave to.
    fn branches(&mut self, parts: &[&Protocol], optional: bool) -> (Vec<Nfa>, Vec<Place>) {
        // One branch is enough to notice what may happen all the time.
        let mut interrupts = self.frame().interrupts.clone();
        self.exits.push(Vec::new());
        let mut branches = Vec::new();
        for part in parts {
            let interrupts = std::mem::take(&mut interrupts);
            self.frames.push(Frame { interrupts, ..Frame::default() });
            let start = self.fresh();
            let end = self.lower(part, start);
            if optional {
                self.silent(start, end);
            }
            let mut nfa = self.frames.pop().unwrap_or_default().nfa;
            nfa.end = Some(end);
            branches.push(nfa);
        }
        (branches, self.exits.pop().unwrap_or_default())
    }

    /// `A || B` is `A + B + (A | B)`. If an operand may do nothing, that is the same as both side by
    /// side, each or not.
    fn or_parallel(&mut self, entry: Node, parts: &[Protocol]) -> Node {
        let all: Vec<&Protocol> = parts.iter().collect();
        if parts.iter().any(is_nullable) {
            return self.fork(entry, &all, true);
        }
        if parts.len() >= 16 {
            self.too_large = true;
            return entry;
        }
        let exit = self.fresh();
        for chosen in 1u32..1 << parts.len() {
            let is_chosen = |position: &usize| chosen >> position & 1 == 1;
            let some: Vec<&Protocol> =
                (0..all.len()).filter(is_chosen).map(|position| all[position]).collect();
            let end = match some[..] {
                [only] => self.lower(only, entry),
                _ => self.fork(entry, &some, false),
            };
            self.silent(end, exit);
        }
        exit
    }

    /// Both sides, flattened, in step on what the names say. Variables keep their first values there.
    fn adjust(&mut self, entry: Node, left: &Protocol, names: &[Path], right: &Protocol) -> Node {
        let (branches, exits) = self.branches(&[left, right], false);
        let valuation: Valuation = self.variables.iter().map(|variable| variable.initial).collect();
        let mut flat = Vec::new();
        for branch in &branches {
            let mut context = Context {
                alphabet: self.alphabet,
                variables: &self.variables,
                construction: Construction::Minimal,
                budget: BUDGET,
            };
            let piece = determinise(&mut context, branch, valuation.clone());
            let Ok(piece) = piece.and_then(|piece| flatten(&piece)) else {
                self.too_large = true;
                return entry;
            };
            flat.push(piece);
        }
        self.in_step(entry, [&flat[0], &flat[1]], names, &exits)
    }

    /// The product of two flat pieces that take shared letters together.
    fn in_step(
        &mut self,
        entry: Node,
        pieces: [&Piece; 2],
        names: &[Path],
        exits: &[Place],
    ) -> Node {
        let exit = self.fresh();
        let start = self.fresh();
        self.silent(entry, start);
        let mut nodes = BTreeMap::from([((0, 0), start)]);
        let mut open = vec![(0usize, 0usize)];
        while let Some(pair) = open.pop() {
            let from = nodes[&pair];
            let states = [&pieces[0].states[pair.0], &pieces[1].states[pair.1]];
            if states.iter().all(|state| state.accepting) {
                self.silent(from, exit);
            }
            for side in 0..2 {
                for &(letter, target) in &states[side].edges {
                    let Letter::Step(step) = letter else { continue };
                    let mentions = self.mentions(step);
                    let shared = mentions
                        .iter()
                        .all(|mention| names.iter().any(|name| is_on(&mention.path, &name.text)));
                    let partners: Vec<Option<Target>> = if shared {
                        let other = states[1 - side].edges.iter();
                        other.filter(|edge| edge.0 == letter).map(|edge| Some(edge.1)).collect()
                    } else {
                        vec![None]
                    };
                    for partner in partners {
                        let mut next = [pair.0, pair.1];
                        let mut leave = None;
                        for (which, target) in [(side, Some(target)), (1 - side, partner)] {
                            match target {
                                Some(Target::State(to)) => next[which] = to.index(),
                                Some(Target::Leave(left)) => leave = Some(left),
                                None => {}
                            }
                        }
                        let goal = match leave {
                            Some(left) => self.goal(exits[left.0 as usize]),
                            None => {
                                Goal::Node(*nodes.entry((next[0], next[1])).or_insert_with(|| {
                                    open.push((next[0], next[1]));
                                    self.frames.last_mut().expect("a frame").nfa.fresh()
                                }))
                            }
                        };
                        self.edge(from, Edge::Step(mentions.clone(), goal));
                    }
                }
            }
            self.too_large |= nodes.len() > BUDGET;
            if self.too_large {
                break;
            }
        }
        exit
    }

    /// A step of the alphabet as it was mentioned; inversions and filters have been applied.
    fn mentions(&self, step: super::StepId) -> Vec<Mention> {
        let mention = |part: &super::Part| {
            let event = self.alphabet.event_of(part.event);
            Mention {
                role: part.role,
                path: event.path.clone(),
                arguments: event.arguments.iter().cloned().map(Value::Constant).collect(),
                kind: event.kind,
            }
        };
        self.alphabet.parts(step).iter().map(mention).collect()
    }

    fn declare(&mut self, of: &str, name: &str, initial: &str) -> VariableId {
        let declared = self.types.iter().find(|known| known.name.text == of);
        let mut values: Vec<String> = declared
            .map(|known| known.values.iter().map(|value| value.text.clone()).collect())
            .unwrap_or_default();
        values.truncate(Constant::MAX as usize);
        if values.is_empty() {
            values.push(String::new());
        }
        let initial = values.iter().position(|value| value == initial).unwrap_or(0) as Constant;
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(Variable { values, initial });
        self.names.push((name.to_owned(), id));
        id
    }

    fn variable(&self, name: &str) -> Option<VariableId> {
        self.names.iter().rev().find(|(known, _)| known == name).map(|(_, id)| *id)
    }

    fn value(&self, name: &str) -> Value {
        let variable = self.variable(name);
        variable.map_or_else(|| Value::Constant(name.to_owned()), Value::Variable)
    }

    fn constants(&self, variable: VariableId) -> Vec<Constant> {
        (0..self.variables[variable.0 as usize].values.len() as Constant).collect()
    }

    fn constant(&self, variable: VariableId, name: &str) -> Option<Constant> {
        let values = &self.variables[variable.0 as usize].values;
        values.iter().position(|value| value == name).map(|position| position as Constant)
    }

    fn when(&mut self, entry: Node, variable: VariableId, constants: Vec<Constant>) -> Node {
        let next = self.fresh();
        self.edge(entry, Edge::When(variable, constants, next));
        next
    }

    fn assign(&mut self, entry: Node, variable: &str, value: &str) -> Option<Node> {
        let variable = self.variable(variable)?;
        let next = self.fresh();
        let edge = match self.variable(value) {
            Some(from) => Edge::Copy(variable, from, next),
            None => Edge::Set(variable, self.constant(variable, value)?, next),
        };
        self.edge(entry, edge);
        Some(next)
    }

    fn while_loop(&mut self, entry: Node, test: &Test, body: &Protocol) -> Node {
        let wanted = self
            .variable(&test.variable.text)
            .and_then(|variable| Some((variable, self.constant(variable, &test.value.text)?)));
        let Some((variable, value)) = wanted else { return entry };
        let turn = self.fresh();
        self.silent(entry, turn);
        let others = self.constants(variable).into_iter().filter(|other| *other != value).collect();
        let (go_on, stop) = if test.equal { (vec![value], others) } else { (others, vec![value]) };
        let start = self.when(turn, variable, go_on);
        let end = self.lower(body, start);
        self.silent(end, turn);
        self.when(turn, variable, stop)
    }
}

/// Whether an event is on an interface, or is of a method.
pub(crate) fn is_on(path: &str, name: &str) -> bool {
    path == name
        || path
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('.') && !rest[1..].contains('.'))
}

/// Whether a protocol may do nothing, as far as its text shows.
fn is_nullable(protocol: &Protocol) -> bool {
    match &protocol.kind {
        Kind::Null | Kind::Repeat(_) => true,
        Kind::Sequence(parts) | Kind::Parallel(parts) => parts.iter().all(is_nullable),
        Kind::Alternative(parts) | Kind::OrParallel(parts) => parts.iter().any(is_nullable),
        Kind::Invert(inner) => is_nullable(inner),
        Kind::Try { body, .. } => is_nullable(body),
        Kind::Adjust(left, _, right) => is_nullable(left) && is_nullable(right),
        _ => false,
    }
}
