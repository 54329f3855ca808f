//! From tree to automaton: expands abbreviations, resolves exceptions into jumps and variables into
//! silent edges, and gives every branch of a `|` an automaton of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::alphabet::{Alphabet, EventKind, Role};
use super::determinise::{Context, determinise};
use super::distribute::distribute;
use super::forked_dfa::{ExitId, ForkedDfa};
use super::nfa::{Edge, EventPattern, Goal, Nfa, NfaFork, Node, Valuation, Variable, VariableId};
use crate::syntax::{Component, Direction, EnumType, Kind, Protocol, Token};

/// How automata are made of automata.
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

/// The automata of a component would exceed the size limit.
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
) -> Result<ForkedDfa, TooLarge> {
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
    let dfa = determinise(&mut context, &nfa, valuation)?;
    if dfa.is_affordable() { Ok(dfa) } else { Err(TooLarge) }
}

/// A node of a frame: where a jump leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct JumpTarget {
    pub(super) depth: usize,
    pub(super) node: Node,
}

/// One automaton being built: the component's, or that of a branch.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) nfa: Nfa,
    /// What may happen in every node that is made now: exceptions of calls that wait.
    pub(super) interrupts: Vec<(Vec<EventPattern>, JumpTarget)>,
}

/// What encloses the place being lowered.
pub(super) enum Scope {
    /// The braces of an acceptance: where `throw` leads, and the interface it speaks on.
    Acceptance { interface: String, end: JumpTarget },
    /// A `try`: where each exception leads.
    Try { catches: Vec<(String, JumpTarget)> },
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
    pub(super) exits: Vec<Vec<JumpTarget>>,
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

    pub(super) fn place(&self, node: Node) -> JumpTarget {
        JumpTarget { depth: self.frames.len(), node }
    }

    /// How a place is reached from the current frame.
    pub(super) fn goal(&mut self, place: JumpTarget) -> Goal {
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
                let mention = EventPattern {
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
                let (operands, others) = written_out_or_parallel(parts);
                if !operands.is_empty() {
                    let end = self.fork(entry, &operands, true);
                    self.silent(end, exit);
                }
                for part in others {
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
            Kind::OrParallel(parts) => self.fork(entry, &parts.iter().collect::<Vec<_>>(), true),
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
        let mention = |token: &Token| EventPattern {
            role: token.direction.into(),
            path: token.path.text.clone(),
            arguments: Vec::new(),
            kind: token.phase.into(),
        };
        self.mentioned(entry, tokens.iter().map(mention).collect())
    }

    /// A step to a new node; nothing, if all of it is filtered out.
    pub(super) fn mentioned(&mut self, entry: Node, mentions: Vec<EventPattern>) -> Node {
        let exit = self.fresh();
        self.jump(entry, mentions, self.place(exit));
        exit
    }

    /// A step to a given place.
    pub(super) fn jump(&mut self, entry: Node, mentions: Vec<EventPattern>, place: JumpTarget) {
        let mentions = self.seen(mentions);
        match self.goal(place) {
            Goal::Node(node) if mentions.is_empty() => self.silent(entry, node),
            goal => self.edge(entry, Edge::Step(mentions, goal)),
        }
    }

    /// What restrictions leave of a step, with its directions as inversions make them.
    pub(super) fn seen(&self, mut mentions: Vec<EventPattern>) -> Vec<EventPattern> {
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

    /// Branches side by side; of optional ones at least one takes part.
    fn fork(&mut self, entry: Node, parts: &[&Protocol], optional: bool) -> Node {
        let (branches, exits) = self.branches(parts);
        let fork = self.frame().nfa.forks.len();
        self.frame().nfa.forks.push(NfaFork { branches, optional });
        let exit = self.fresh();
        self.edge(entry, Edge::Join(fork, exit));
        for (position, place) in exits.into_iter().enumerate() {
            let goal = self.goal(place);
            self.edge(entry, Edge::Abort(fork, ExitId(position as u32), goal));
        }
        exit
    }

    /// The automata of branches, and the places outside that they leave to.
    pub(super) fn branches(&mut self, parts: &[&Protocol]) -> (Vec<Nfa>, Vec<JumpTarget>) {
        // One branch is enough to notice what may happen all the time.
        let mut interrupts = self.frame().interrupts.clone();
        self.exits.push(Vec::new());
        let mut branches = Vec::new();
        for part in parts {
            let interrupts = std::mem::take(&mut interrupts);
            self.frames.push(Frame { interrupts, ..Frame::default() });
            let start = self.fresh();
            let end = self.lower(part, start);
            let mut nfa = self.frames.pop().unwrap_or_default().nfa;
            nfa.end = Some(end);
            branches.push(nfa);
        }
        (branches, self.exits.pop().unwrap_or_default())
    }
}

/// Finds `A + B + (A | B)` among alternatives, in any order and for up to four operands: the operands,
/// and the alternatives that are left. It is lowered like `A || B`, since an automaton for each of the
/// three would commit itself to one of them with the first event.
fn written_out_or_parallel(parts: &[Protocol]) -> (Vec<&Protocol>, Vec<&Protocol>) {
    let texts = |operands: &[Protocol]| -> BTreeSet<String> {
        operands.iter().map(Protocol::to_string).collect()
    };
    // The operands that an alternative may stand for: itself alone, or the branches of a `|`.
    let readings: Vec<Vec<BTreeSet<String>>> = parts
        .iter()
        .map(|part| {
            let branches = match &part.kind {
                Kind::Parallel(operands) => Some(texts(operands)),
                _ => None,
            };
            std::iter::once(texts(std::slice::from_ref(part))).chain(branches).collect()
        })
        .collect();
    for part in parts {
        let Kind::Parallel(operands) = &part.kind else { continue };
        let whole = texts(operands);
        if operands.len() != whole.len() || operands.len() > 4 {
            continue;
        }
        let is_inside = |sets: &Vec<BTreeSet<String>>| sets.iter().any(|set| set.is_subset(&whole));
        let subsets: BTreeSet<&BTreeSet<String>> =
            readings.iter().flatten().filter(|set| set.is_subset(&whole)).collect();
        if subsets.len() == (1 << operands.len()) - 1 {
            let others = parts.iter().zip(&readings).filter(|(_, sets)| !is_inside(sets));
            return (operands.iter().collect(), others.map(|(part, _)| part).collect());
        }
    }
    (Vec::new(), parts.iter().collect())
}

/// Whether an event is on an interface, or is of a method.
pub fn is_on(path: &str, name: &str) -> bool {
    path == name
        || path
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('.') && !rest[1..].contains('.'))
}
