//! Emptiness of the product by strongly connected components, found on the fly: any number of
//! acceptance sets at once, and fairness.
//!
//! Couvreur, "On-the-fly verification of linear temporal logic" (FM 1999), and Couvreur,
//! Duret-Lutz and Poitrenaud, "On-the-fly emptiness checks for generalized Büchi automata"
//! (SPIN 2005): the depth-first search keeps a stack of the roots of components that may still
//! grow, each with the marks met inside; a component that has all of them ends the search at once.
//! Weak fairness of a task is one more mark, "taken or disabled". Strong fairness asks a finished
//! component for a part that is fair, see [`fair_part`].

use std::ops::ControlFlow;

use quadrille_logic::Marks;
use quadrille_model::{Bound, TaskId};

use super::Witness;
use super::fairness::{FairTasks, fair_part};
use super::node::{Node, NodeTable};
use super::product::{Frame, Move, Product};
use crate::Stopped;

/// The number of a node whose component is finished.
const DEAD: u32 = u32::MAX;

/// The first node of a component that may still grow.
struct Root {
    /// Its number.
    number: u32,
    /// Marks of the moves inside the component.
    marks: Marks,
    /// Marks of the move that led here.
    incoming: Marks,
    /// Who made that move.
    task: Option<TaskId>,
}

/// A search for components.
pub(super) struct Components<'f> {
    fair: &'f FairTasks,
    /// 0 for a node not met, [`DEAD`], or one plus the position in `live`.
    numbers: NodeTable<u32>,
    path: Vec<Frame>,
    /// Nodes of components that may still grow, in order of discovery.
    live: Vec<Node>,
    roots: Vec<Root>,
    /// Per root, the weakly fair tasks taken or disabled inside, as bits.
    weak: Vec<u64>,
}

impl<'f> Components<'f> {
    pub fn new(n_locations: usize, fair: &'f FairTasks) -> Self {
        Self {
            fair,
            numbers: NodeTable::new(n_locations),
            path: Vec::new(),
            live: Vec::new(),
            roots: Vec::new(),
            weak: Vec::new(),
        }
    }

    /// Whether a node was met.
    pub fn met(&self, node: Node) -> bool {
        self.numbers.get(node) != 0
    }

    /// Looks for an accepted run that is fair.
    pub fn search(&mut self, product: &mut Product) -> Result<Option<Witness>, Stopped> {
        for start in product.initial() {
            if !self.met(start)
                && let Some(witness) = self.search_from(product, start)?
            {
                return Ok(Some(witness));
            }
        }
        Ok(None)
    }

    fn search_from(
        &mut self,
        product: &mut Product,
        start: Node,
    ) -> Result<Option<Witness>, Stopped> {
        if self.push(product, start, None)? {
            return Ok(Some(Witness::End));
        }
        let all = product.all_marks();
        while let Some(top) = self.path.last_mut() {
            product.load(top.node)?;
            let numbers = &self.numbers;
            // A move inside the last component that brings no new mark changes nothing.
            let (inside, known) = match self.roots.last() {
                Some(root) if self.fair.n_weak() == 0 && root.marks != all => {
                    (root.number, root.marks)
                }
                _ => (DEAD, 0),
            };
            let mut n_moves = 0;
            let found = product.scan(top, |step| {
                n_moves += 1;
                match numbers.get(step.to) {
                    DEAD => ControlFlow::Continue(()),
                    number if number >= inside && step.marks & !known == 0 => {
                        ControlFlow::Continue(())
                    }
                    number => ControlFlow::Break((step, number)),
                }
            });
            product.n_moves += n_moves;
            match found {
                None => {
                    if let Some(members) = self.pop(product)? {
                        return Ok(Some(Witness::Cycle(members)));
                    }
                }
                Some((step, 0)) => {
                    if self.push(product, step.to, Some(step))? {
                        return Ok(Some(Witness::End));
                    }
                }
                Some((step, number)) => {
                    if self.merge(product, number, step) {
                        let first = self.root_number() as usize - 1;
                        return Ok(Some(Witness::Cycle(self.live[first..].to_vec())));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Enters a node as a component of its own; says whether a run that ends there is accepted.
    fn push(
        &mut self,
        product: &mut Product,
        node: Node,
        step: Option<Move>,
    ) -> Result<bool, Stopped> {
        self.live.push(node);
        let number = u32::try_from(self.live.len()).ok().filter(|&number| number < DEAD);
        let number = number.ok_or(Bound::States(u64::from(DEAD)))?;
        self.numbers.set(node, number);
        let Self { numbers, path, live, roots, weak, .. } = self;
        product.enter(node, || {
            let stacks = live.capacity() * size_of::<Node>() + path.capacity() * size_of::<Frame>();
            let roots = roots.capacity() * size_of::<Root>() + weak.capacity() * size_of::<u64>();
            numbers.bytes() + stacks + roots
        })?;
        self.path.push(product.frame(node));
        let fair = self.fair;
        let task = step.filter(|_| fair.n_weak() > 0).map(|step| product.task(step));
        let incoming = step.map_or(0, |step| step.marks);
        self.roots.push(Root { number, marks: 0, incoming, task });
        if fair.n_weak() > 0 {
            fair.push_disabled(product.enabled(node.state), &mut self.weak);
        }
        Ok(product.accepts_end(node))
    }

    /// A move back to a live node joins everything since then into one component; says whether
    /// the search is over.
    fn merge(&mut self, product: &Product, number: u32, step: Move) -> bool {
        let n_words = self.fair.n_words();
        let mut marks = step.marks;
        let mut taken = vec![0; n_words];
        if n_words > 0 {
            self.fair.take(product.task(step), &mut taken);
        }
        while self.root_number() > number
            && let Some(root) = self.roots.pop()
        {
            marks |= root.marks | root.incoming;
            let rest = self.weak.len() - n_words;
            for (word, inside) in taken.iter_mut().zip(self.weak.drain(rest..)) {
                *word |= inside;
            }
            if let Some(task) = root.task {
                self.fair.take(task, &mut taken);
            }
        }
        let rest = self.weak.len() - n_words;
        let inside = &mut self.weak[rest..];
        for (word, more) in inside.iter_mut().zip(taken) {
            *word |= more;
        }
        let weakly_fair = self.fair.all_weak(inside);
        let Some(root) = self.roots.last_mut() else { return false };
        root.marks |= marks;
        root.marks == product.all_marks() && weakly_fair && self.fair.strong().is_empty()
    }

    /// Leaves the last node of the path. If that finishes a component: the nodes of a fair part
    /// of it, where strong fairness had to wait for this moment.
    fn pop(&mut self, product: &mut Product) -> Result<Option<Vec<Node>>, Stopped> {
        let Some(Frame { node, .. }) = self.path.pop() else { return Ok(None) };
        if self.numbers.get(node) != self.root_number() {
            return Ok(None);
        }
        let Some(root) = self.roots.pop() else { return Ok(None) };
        let weak = self.weak.split_off(self.weak.len() - self.fair.n_words());
        let members = &self.live[root.number as usize - 1..];
        let candidate = !self.fair.strong().is_empty()
            && root.marks == product.all_marks()
            && self.fair.all_weak(&weak);
        if candidate && let Some(part) = fair_part(product, members, self.fair)? {
            return Ok(Some(part));
        }
        for &member in members {
            self.numbers.set(member, DEAD);
        }
        self.live.truncate(root.number as usize - 1);
        Ok(None)
    }

    fn root_number(&self) -> u32 {
        self.roots.last().map_or(0, |root| root.number)
    }
}
