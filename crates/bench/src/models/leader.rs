//! Leader election in a unidirectional ring: Dolev, Klawe, Rodeh, "An O(n log n) unidirectional
//! distributed algorithm for extrema finding in a circle", J. Algorithms 3 (1982).

use std::collections::BTreeMap;
use std::fmt;

use quadrille_model::{Automaton, Channel, LocalId, MessageId, Network, Predicate, Template};

use super::{Parts, local};

/// How much a node does in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// A receive with all that follows from it locally is one step, a send another.
    Coarse,
    /// Every statement is a step: a receive, each test, each assignment, a send.
    Fine,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    One,
    Two,
    Winner,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Message {
    kind: Kind,
    number: u32,
}

/// What a node remembers. Variables that are not read again are left out: each node is
/// deterministic, so that they do not change the counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Memory {
    Active { maximum: u32, neighbour: Option<u32> },
    Passive,
    Leader,
    Rests { leads: bool },
}

/// Something a node does before it receives again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    /// A test or an assignment.
    Quiet,
    /// The assignment by which a node calls itself leader.
    Elect,
    Send(Message),
}

/// A local state: what it remembers, and what it does next, in order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    memory: Memory,
    ahead: Vec<Act>,
}

/// A ring of `n` nodes with queues of four messages and the numbers n, 1, n−1, 2, … in zig-zag
/// order. When a node has found that its number went all round, the winner's number is sent round
/// once more; a node that has passed it on rests, and so does the leader when it is back. (In the
/// coarse model the election itself is part of a receive.) Proposition `led`: there is a leader.
pub fn leader(n: usize, grain: Grain) -> Network {
    let mut parts = Parts::default();
    let messages = messages(n);
    let machines: Vec<Machine> = (0..n).map(|i| Machine::new(i, &messages, grain)).collect();
    let nodes: Vec<_> = machines
        .iter()
        .enumerate()
        .map(|(i, machine)| parts.participant(machine.participant(i)))
        .collect();
    let channels: Vec<_> = (0..n)
        .map(|i| {
            let names = messages.iter().map(ToString::to_string);
            let ends = (nodes[(i + n - 1) % n], nodes[i]);
            parts.channel(Channel::new(format!("into {i}"), 4, names).between(ends.0, ends.1))
        })
        .collect();
    for (i, machine) in machines.iter().enumerate() {
        for &(from, way, to) in &machine.ways {
            let step = |label: &str| Template::new(format!("{i} {label}")).step(nodes[i], from, to);
            let id = |message: Message| MessageId::from_usize(message.position(n));
            parts.template(match way {
                Way::Receive(message) => {
                    step(&format!("receives {message}")).receive(channels[i], id(message))
                }
                Way::Act(Act::Send(message)) => {
                    step(&format!("sends {message}")).send(channels[(i + 1) % n], id(message))
                }
                Way::Act(Act::Quiet) => step("computes"),
                Way::Act(Act::Elect) => step("is elected"),
            });
        }
    }
    let leads = machines.iter().zip(&nodes).map(|(machine, &node)| {
        let led = machine.nodes.iter().enumerate().filter(|(_, node)| node.leads());
        Predicate::In(node, led.map(|(position, _)| position as u32).collect())
    });
    parts.proposition("led", Predicate::Any(leads.collect()));
    parts.build()
}

/// All messages over the numbers 1 to `n`.
fn messages(n: usize) -> Vec<Message> {
    let of = |kind| (1..=n as u32).map(move |number| Message { kind, number });
    [Kind::One, Kind::Two, Kind::Winner].into_iter().flat_map(of).collect()
}

impl Message {
    /// Where it stands in the list of [`messages`].
    fn position(self, n: usize) -> usize {
        self.kind as usize * n + self.number as usize - 1
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::One => "one",
            Kind::Two => "two",
            Kind::Winner => "winner",
        };
        write!(f, "{kind}({})", self.number)
    }
}

impl Memory {
    /// What a node remembers after a message, and what it does about it; `None` where no message
    /// is waited for. The acts follow the statements of `promela/leader-fine.pml` one by one.
    fn receive(self, message: Message) -> Option<(Memory, Vec<Act>)> {
        use Act::{Elect, Quiet, Send};
        let Message { kind, number } = message;
        let send = |kind, number| Send(Message { kind, number });
        let with_send = |sent| vec![Quiet, Quiet, sent, Quiet];
        Some(match (self, kind) {
            (Memory::Rests { .. }, _) | (Memory::Leader, Kind::One | Kind::Two) => return None,
            (Memory::Leader, Kind::Winner) => (Memory::Rests { leads: true }, vec![Quiet; 3]),
            (Memory::Active { .. } | Memory::Passive, Kind::Winner) => {
                (Memory::Rests { leads: false }, vec![Quiet, Quiet, Quiet, Send(message), Quiet])
            }
            (Memory::Passive, Kind::One | Kind::Two) => (self, with_send(Send(message))),
            (Memory::Active { maximum, .. }, Kind::One) if number == maximum => {
                (Memory::Leader, vec![Quiet, Quiet, Elect, send(Kind::Winner, number), Quiet])
            }
            (Memory::Active { maximum, .. }, Kind::One) => (
                Memory::Active { maximum, neighbour: Some(number) },
                with_send(send(Kind::Two, number)),
            ),
            (Memory::Active { maximum, neighbour }, Kind::Two) => match neighbour {
                Some(neighbour) if neighbour > number && neighbour > maximum => (
                    Memory::Active { maximum: neighbour, neighbour: None },
                    with_send(send(Kind::One, neighbour)),
                ),
                _ => (Memory::Passive, vec![Quiet; 3]),
            },
        })
    }
}

impl Node {
    fn leads(&self) -> bool {
        matches!(self.memory, Memory::Leader | Memory::Rests { leads: true })
            && !self.ahead.contains(&Act::Elect)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.memory {
            Memory::Active { maximum, neighbour: None } => write!(f, "active {maximum}")?,
            Memory::Active { maximum, neighbour: Some(neighbour) } => {
                write!(f, "active {maximum} beside {neighbour}")?;
            }
            Memory::Passive => write!(f, "passive")?,
            Memory::Leader => write!(f, "leader")?,
            Memory::Rests { leads: true } => write!(f, "leader rests")?,
            Memory::Rests { leads: false } => write!(f, "rests")?,
        }
        for act in &self.ahead {
            match act {
                Act::Quiet => write!(f, "; computes")?,
                Act::Elect => write!(f, "; is elected")?,
                Act::Send(message) => write!(f, "; sends {message}")?,
            }
        }
        Ok(())
    }
}

/// A way from one local state to another.
#[derive(Clone, Copy)]
enum Way {
    Receive(Message),
    Act(Act),
}

/// The local states of a node that can be reached if any message may come at any time.
struct Machine {
    nodes: Vec<Node>,
    ways: Vec<(LocalId, Way, LocalId)>,
}

impl Machine {
    fn new(position: usize, messages: &[Message], grain: Grain) -> Self {
        let n = messages.len() / 3;
        let number =
            if position.is_multiple_of(2) { n - position / 2 } else { position.div_ceil(2) };
        let number = number as u32;
        let mut machine = Machine { nodes: Vec::new(), ways: Vec::new() };
        let mut known = BTreeMap::new();
        machine.meet(
            &mut known,
            Node {
                memory: Memory::Active { maximum: number, neighbour: None },
                ahead: vec![Act::Send(Message { kind: Kind::One, number })],
            },
        );
        let mut next = 0;
        while let Some(Node { memory, ahead }) = machine.nodes.get(next).cloned() {
            if let Some((&act, rest)) = ahead.split_first() {
                let to = machine.meet(&mut known, Node { memory, ahead: rest.to_vec() });
                machine.ways.push((local(next), Way::Act(act), to));
            } else {
                for &message in messages {
                    let Some((memory, mut ahead)) = memory.receive(message) else { continue };
                    if grain == Grain::Coarse {
                        ahead.retain(|act| matches!(act, Act::Send(_)));
                    }
                    let to = machine.meet(&mut known, Node { memory, ahead });
                    machine.ways.push((local(next), Way::Receive(message), to));
                }
            }
            next += 1;
        }
        machine
    }

    fn meet(&mut self, known: &mut BTreeMap<Node, LocalId>, node: Node) -> LocalId {
        *known.entry(node).or_insert_with_key(|node| {
            self.nodes.push(node.clone());
            local(self.nodes.len() - 1)
        })
    }

    fn participant(&self, position: usize) -> Automaton {
        let rests = |(_, node): &(usize, &Node)| {
            matches!(node.memory, Memory::Rests { .. }) && node.ahead.is_empty()
        };
        let ends = self.nodes.iter().enumerate().filter(rests).map(|(at, _)| local(at));
        let names = self.nodes.iter().map(ToString::to_string);
        Automaton::new(format!("node {position}"), names).ends(ends)
    }
}
