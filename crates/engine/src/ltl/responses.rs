//! Runs that keep up many responses, `G (trigger -> F answer)`, and that an automaton accepts. To
//! remember in each node which of them are due takes exponentially many nodes; but in the end a run
//! stays in a strongly connected set in which each answer occurs or its trigger does not (a Streett
//! condition; Emerson and Lei, "Modalities for model checking", 1987). Such sets are found first;
//! only on the way to one it is remembered what is due of the responses that the set does not answer.

use quadrille_graph::{Csr, components};
use quadrille_logic::{Letter, Marks, Response};
use quadrille_model::{Ending, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

use super::lasso::folded;
use super::node::{Node, NodeTable};
use super::product::Product;
use crate::Stopped;
use crate::graph::LabelId;

/// A set of responses, as bits.
type Responses = u64;

/// The triggers and answers that occur somewhere.
#[derive(Clone, Copy, Default)]
struct Occurring {
    triggers: Responses,
    answers: Responses,
}

/// A move between nodes that are numbered.
#[derive(Clone, Copy)]
struct Arc {
    to: u32,
    marks: Marks,
    label: LabelId,
    letter: u32,
}

/// Where a run may stay in the end: a strongly connected set, or a node in which it ends.
struct Refuge {
    members: Vec<u32>,
    ends: bool,
    /// Triggers that must not occur inside.
    banned: Responses,
    /// Responses that are not answered inside: they must not be due when it is entered.
    unanswered: Responses,
}

/// A path: where it starts, and its moves.
type Path = (u32, Vec<Arc>);

/// A run that is accepted and keeps up the responses.
pub(super) fn run_that_keeps_up(
    product: &mut Product,
    responses: &[Response],
) -> Result<Option<Trace>, Stopped> {
    let mut table = Table::build(product, responses)?;
    let mut refuges = table.refuges(product)?;
    refuges.sort_by_key(|refuge| refuge.unanswered);
    for group in refuges.chunk_by(|one, other| one.unanswered == other.unanswered) {
        let unanswered = group[0].unanswered;
        let goals: FxHashMap<u32, usize> = group
            .iter()
            .enumerate()
            .flat_map(|(place, refuge)| refuge.members.iter().map(move |&node| (node, place)))
            .collect();
        let starts: Vec<u32> = (0..table.n_initial).collect();
        let enters = |node, _: Option<&Arc>, due| due == 0 && goals.contains_key(&node);
        let stem = table.shortest(product, &starts, unanswered, |_| true, enters)?;
        let Some((start, mut moves)) = stem else { continue };
        let entry = moves.last().map_or(start, |arc| arc.to);
        let refuge = &group[goals[&entry]];
        let ending = if refuge.ends {
            let state = table.nodes[entry as usize].state;
            let finished = product.graph.space_mut().may_end(state)?;
            if finished { Ending::Finished } else { Ending::Stuck }
        } else {
            let from = moves.len();
            moves.extend(table.cycle(product, entry, refuge)?);
            Ending::Loop { from }
        };
        let state = |node: u32| table.nodes[node as usize].state;
        let edge = |arc: &Arc| product.graph.edge(arc.label, state(arc.to));
        let edges: Vec<_> = moves.iter().map(edge).collect();
        return Ok(Some(folded(product.graph.space().trace(state(start), &edges, ending))));
    }
    Ok(None)
}

/// The whole product, and what its letters say.
struct Table<'a> {
    responses: &'a [Response],
    nodes: Vec<Node>,
    n_initial: u32,
    /// By node.
    arcs: Csr<Arc>,
    letters: FxHashMap<Letter, u32>,
    occurring: Vec<Occurring>,
}

impl<'a> Table<'a> {
    fn build(product: &mut Product, responses: &'a [Response]) -> Result<Self, Stopped> {
        let nodes = product.initial();
        let mut table = Self {
            responses,
            n_initial: nodes.len() as u32,
            nodes,
            arcs: Csr::default(),
            letters: FxHashMap::default(),
            occurring: Vec::new(),
        };
        let mut numbers: NodeTable<u32> = NodeTable::new(product.n_locations());
        for (position, &node) in table.nodes.iter().enumerate() {
            numbers.set(node, position as u32 + 1);
        }
        let mut row = Vec::new();
        while let Some(&node) = table.nodes.get(table.arcs.n_rows()) {
            product.enter(node, || table.bytes() + numbers.bytes())?;
            product.load(node)?;
            let here = product.state_letter(node.state);
            for step in product.moves(node) {
                let mut number = numbers.get(step.to);
                if number == 0 {
                    table.nodes.push(step.to);
                    number = table.nodes.len() as u32;
                    numbers.set(step.to, number);
                }
                let letter = table.letter(here | product.label_letter(step.label));
                row.push(Arc { to: number - 1, marks: step.marks, label: step.label, letter });
            }
            product.n_moves += row.len() as u64;
            table.arcs.push_row(row.drain(..));
        }
        Ok(table)
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.arcs.bytes()
    }

    /// The number of a letter.
    fn letter(&mut self, letter: Letter) -> u32 {
        if let Some(&known) = self.letters.get(&letter) {
            return known;
        }
        let mut occurring = Occurring::default();
        for (position, Response { trigger, answer }) in self.responses.iter().enumerate() {
            occurring.triggers |= u64::from(trigger.holds_on_word(&[letter])) << position;
            occurring.answers |= u64::from(answer.holds_on_word(&[letter])) << position;
        }
        let number = self.occurring.len() as u32;
        self.occurring.push(occurring);
        self.letters.insert(letter, number);
        number
    }

    fn all(&self) -> Responses {
        Responses::MAX >> (Responses::BITS as usize - self.responses.len())
    }

    fn allows(&self, banned: Responses, arc: &Arc) -> bool {
        self.occurring[arc.letter as usize].triggers & banned == 0
    }

    /// Everywhere that a run may stay.
    fn refuges(&mut self, product: &mut Product) -> Result<Vec<Refuge>, Stopped> {
        let mut refuges = Vec::new();
        for number in 0..self.nodes.len() as u32 {
            let node = self.nodes[number as usize];
            if product.accepts_end(node) {
                let letter = self.letter(product.state_letter(node.state));
                let Occurring { triggers, answers } = self.occurring[letter as usize];
                if triggers & !answers == 0 {
                    let unanswered = self.all() & !answers;
                    let members = vec![number];
                    refuges.push(Refuge { members, ends: true, banned: 0, unanswered });
                }
            }
        }
        let everything: Vec<u32> = (0..self.nodes.len() as u32).collect();
        let mut candidates = vec![(everything, 0)];
        let mut place = vec![u32::MAX; self.nodes.len()];
        while let Some((members, banned)) = candidates.pop() {
            product.work(8 * members.len(), || self.bytes() + 32 * self.nodes.len())?;
            self.split(product.all_marks(), &members, banned, &mut place, |refuge| {
                let unanswerable = refuge.unanswered & self.inside(&refuge).triggers;
                if unanswerable == 0 {
                    refuges.push(refuge);
                } else {
                    candidates.push((refuge.members, banned | unanswerable));
                }
            });
        }
        Ok(refuges)
    }

    /// What occurs on moves inside a set.
    fn inside(&self, refuge: &Refuge) -> Occurring {
        let members: FxHashSet<u32> = refuge.members.iter().copied().collect();
        let mut found = Occurring::default();
        for &node in &refuge.members {
            for arc in self.arcs.row(node as usize) {
                if members.contains(&arc.to) && self.allows(refuge.banned, arc) {
                    found.triggers |= self.occurring[arc.letter as usize].triggers;
                    found.answers |= self.occurring[arc.letter as usize].answers;
                }
            }
        }
        found
    }

    /// The accepting components of some nodes without the moves that are banned. `place` is scratch,
    /// with no number in it.
    fn split(
        &self,
        all_marks: Marks,
        members: &[u32],
        banned: Responses,
        place: &mut [u32],
        mut found: impl FnMut(Refuge),
    ) {
        for (position, &node) in members.iter().enumerate() {
            place[node as usize] = position as u32;
        }
        let is_inside = |arc: &&Arc| self.allows(banned, arc) && place[arc.to as usize] != u32::MAX;
        let inside = |node: u32| self.arcs.row(node as usize).iter().filter(is_inside);
        let components = components(members.len(), |position| {
            inside(members[position]).map(|arc| place[arc.to as usize] as usize)
        });
        let mut parts: Vec<(Vec<u32>, Option<Marks>, Responses)> =
            vec![(Vec::new(), None, 0); components.count];
        for (position, &node) in members.iter().enumerate() {
            let home = components.of[position];
            let (members, marks, answers) = &mut parts[home as usize];
            members.push(node);
            let stays = |arc: &&Arc| components.of[place[arc.to as usize] as usize] == home;
            for arc in inside(node).filter(stays) {
                *marks.get_or_insert(0) |= arc.marks;
                *answers |= self.occurring[arc.letter as usize].answers;
            }
        }
        for &node in members {
            place[node as usize] = u32::MAX;
        }
        for (members, marks, answers) in parts {
            if marks == Some(all_marks) {
                let unanswered = self.all() & !answers;
                found(Refuge { members, ends: false, banned, unanswered });
            }
        }
    }

    /// A shortest path over allowed moves to a goal, which sees the node, the move that led there and
    /// which responses of those to be remembered are due.
    fn shortest(
        &self,
        product: &mut Product,
        starts: &[u32],
        remembered: Responses,
        is_allowed: impl Fn(&Arc) -> bool,
        is_goal: impl Fn(u32, Option<&Arc>, Responses) -> bool,
    ) -> Result<Option<Path>, Stopped> {
        let mut seen: FxHashSet<(u32, Responses)> = FxHashSet::default();
        // Node, what is due there, the entry before it, and the move between.
        let mut queue: Vec<(u32, Responses, usize, Option<Arc>)> = Vec::new();
        for &start in starts {
            if is_goal(start, None, 0) {
                return Ok(Some((start, Vec::new())));
            }
            seen.insert((start, 0));
            queue.push((start, 0, 0, None));
        }
        let mut next = 0;
        while let Some(&(node, due, _, _)) = queue.get(next) {
            for arc in self.arcs.row(node as usize).iter().filter(|arc| is_allowed(arc)) {
                let Occurring { triggers, answers } = self.occurring[arc.letter as usize];
                let due = (due | triggers) & !answers & remembered;
                if is_goal(arc.to, Some(arc), due) {
                    let mut moves = vec![*arc];
                    let mut at = next;
                    while let (_, _, before, Some(arc)) = queue[at] {
                        moves.push(arc);
                        at = before;
                    }
                    moves.reverse();
                    return Ok(Some((queue[at].0, moves)));
                }
                if seen.insert((arc.to, due)) {
                    queue.push((arc.to, due, next, Some(*arc)));
                }
            }
            let own =
                self.bytes() + 32 * seen.capacity() + queue.capacity() * size_of_val(&queue[0]);
            product.work(8, || own)?;
            next += 1;
        }
        Ok(None)
    }

    /// A cycle through a node of a strongly connected set that has every mark and every answer.
    fn cycle(
        &self,
        product: &mut Product,
        entry: u32,
        refuge: &Refuge,
    ) -> Result<Vec<Arc>, Stopped> {
        let members: FxHashSet<u32> = refuge.members.iter().copied().collect();
        let is_allowed = |arc: &Arc| members.contains(&arc.to) && self.allows(refuge.banned, arc);
        let mut marks = product.all_marks();
        let mut answers = self.all() & !refuge.unanswered;
        let (mut at, mut cycle) = (entry, Vec::new());
        let serves = |marks: Marks, answers: Responses, arc: Option<&Arc>| {
            arc.is_some_and(|arc| {
                arc.marks & marks != 0 || self.occurring[arc.letter as usize].answers & answers != 0
            })
        };
        while marks != 0 || answers != 0 {
            let is_goal = |_, arc: Option<&Arc>, _| serves(marks, answers, arc);
            let part = self.shortest(product, &[at], 0, is_allowed, is_goal)?;
            let (_, moves) = part.expect("a fair set offers everything that is asked for");
            for arc in &moves {
                marks &= !arc.marks;
                answers &= !self.occurring[arc.letter as usize].answers;
                at = arc.to;
            }
            cycle.extend(moves);
        }
        if at != entry || cycle.is_empty() {
            let closes = |node, arc: Option<&Arc>, _| node == entry && arc.is_some();
            let back = self.shortest(product, &[at], 0, is_allowed, closes)?;
            cycle.extend(back.expect("a strongly connected set has a way back").1);
        }
        Ok(cycle)
    }
}
