//! From tree to automaton: expands abbreviations, resolves exceptions into jumps and variables into
//! silent edges, and gives every branch of a `|` an automaton of its own.

use std::collections::BTreeMap;
use std::fmt;

use super::alphabet::{Alphabet, EventKind, Role};
use super::determinise::{Context, determinise};
use super::distribute::distribute;
use super::nfa::{Edge, Goal, Mention, Nfa, Node, Valuation, Variable, VariableId};
use super::piece::{ExitId, Piece};
use crate::syntax::{Component, Direction, EnumType, Kind, Protocol, Token};

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

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the automata of the component have too many states")
    }
}

impl std::error::Error for TooLarge {}

/// Most nodes and members of sets while a component is built.
pub(super) const BUDGET: usize = 1 << 21;

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
    let piece = determinise(&mut context, &nfa, valuation)?;
    if piece.is_affordable() { Ok(piece) } else { Err(TooLarge) }
}

/// A node of a frame: where a jump leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) depth: usize,
    pub(super) node: Node,
}

/// One automaton being built: the component's, or that of a branch.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) nfa: Nfa,
    /// What may happen in every node that is made now: exceptions of calls that wait.
    pub(super) interrupts: Vec<(Vec<Mention>, Place)>,
}

/// What encloses the place being lowered.
pub(super) enum Scope {
    /// The braces of an acceptance: where `throw` leads, and the interface it speaks on.
    Acceptance { interface: String, end: Place },
    /// A `try`: where each exception leads.
    Try { catches: Vec<(String, Place)> },
}

pub(super) struct Builder<'a> {
    pub(super) alphabet: &'a mut Alphabet,
    pub(super) types: &'a [EnumType],
    pub(super) throws: Option<&'a Throws>,
    pub(super) variables: Vec<Variable>,
    /// The variables in scope, innermost last.
    pub(super) names: Vec<(String, VariableId)>,
    /// The automata being built, innermost last.
    pub(super) frames: Vec<Frame>,
    /// Per frame but the first, the places outside that its fork is left to.
    pub(super) exits: Vec<Vec<Place>>,
    pub(super) scopes: Vec<Scope>,
    pub(super) filters: Vec<Vec<String>>,
    pub(super) inverted: bool,
    pub(super) n_nodes: usize,
    pub(super) too_large: bool,
}

impl Builder<'_> {
    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("there is always a frame")
    }

    pub(super) fn fresh(&mut self) -> Node {
        self.n_nodes += 1;
        self.too_large |= self.n_nodes > BUDGET;
        let node = self.frame().nfa.fresh();
        for (mentions, place) in self.frame().interrupts.clone() {
            let goal = self.goal(place);
            self.edge(node, Edge::Step(mentions, goal));
        }
        node
    }

    pub(super) fn edge(&mut self, from: Node, edge: Edge) {
        self.frame().nfa.edge(from, edge);
    }

    pub(super) fn silent(&mut self, from: Node, to: Node) {
        self.edge(from, Edge::Silent(to));
    }

    pub(super) fn place(&self, node: Node) -> Place {
        Place { depth: self.frames.len(), node }
    }

    /// How a place is reached from the current frame.
    pub(super) fn goal(&mut self, place: Place) -> Goal {
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

    pub(super) fn lower(&mut self, protocol: &Protocol, entry: Node) -> Node {
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
                self.switch(entry, variable, cases, default.as_deref())
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
    pub(super) fn mentioned(&mut self, entry: Node, mentions: Vec<Mention>) -> Node {
        let exit = self.fresh();
        self.jump(entry, mentions, self.place(exit));
        exit
    }

    /// A step to a given place.
    pub(super) fn jump(&mut self, entry: Node, mentions: Vec<Mention>, place: Place) {
        let mentions = self.seen(mentions);
        match self.goal(place) {
            Goal::Node(node) if mentions.is_empty() => self.silent(entry, node),
            goal => self.edge(entry, Edge::Step(mentions, goal)),
        }
    }

    /// What restrictions leave of a step, with its directions as inversions make them.
    pub(super) fn seen(&self, mut mentions: Vec<Mention>) -> Vec<Mention> {
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
    pub(super) fn branches(
        &mut self,
        parts: &[&Protocol],
        optional: bool,
    ) -> (Vec<Nfa>, Vec<Place>) {
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
}

/// Whether an event is on an interface, or is of a method.
pub fn is_on(path: &str, name: &str) -> bool {
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
