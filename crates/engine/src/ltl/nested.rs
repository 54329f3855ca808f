//! Emptiness of the product by nested depth-first search: an outer search that looks for marked
//! moves and an inner one that tries to close a cycle through each. Needs one acceptance set.
//!
//! Courcoubetis, Vardi, Wolper and Yannakakis (1992) in the form of Schwoon and Esparza, "A note on
//! on-the-fly verification algorithms" (TACAS 2005): colours, cycles closed on the path of the
//! outer search are found by the outer search, the inner search stops at any node of that path.
//! From Gaiser and Schwoon (MEMICS 2009): a node whose successors are all red is red at once.
//! Marks are on moves here: read a marked move as passing through an accepting node of its own.
//! Searches inside a component of the automaton never leave it, see [`Buchi`].
//!
//! Edges are not kept. A node's moves are looked at once, when it is entered; those that may have to be
//! taken later wait on a stack, so that the model is not asked again when a search comes back.

use std::ops::ControlFlow;

use quadrille_logic::Location;
use quadrille_model::StateId;

use super::Witness;
use super::buchi::{ACCEPTING, Buchi};
use super::node::{Node, NodeTable};
use super::product::Product;
use crate::Stopped;

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Colour {
    /// Not met.
    #[default]
    White,
    /// On the path of the outer search.
    Cyan,
    /// Finished by the outer search.
    Blue,
    /// Finished by both searches: on no accepting cycle.
    Red,
}

/// A node on the path of a search.
struct Frame {
    node: Node,
    /// How many of the last pending moves are its own.
    n_pending: u32,
    /// Whether the move that led here is marked.
    marked: bool,
    /// Whether all successors seen so far in the same component of the automaton are red.
    all_red: bool,
}

/// A move to a node that a search may have to enter.
#[derive(Clone, Copy)]
struct Pending {
    state: StateId,
    /// The location, shifted by one, and in the lowest bit whether the move is marked.
    location: u32,
}

impl Pending {
    fn new(to: Node, marked: bool) -> Self {
        Self { state: to.state, location: to.location.0 << 1 | u32::from(marked) }
    }

    fn to(self) -> Node {
        Node { state: self.state, location: Location(self.location >> 1) }
    }

    fn marked(self) -> bool {
        self.location & 1 == 1
    }
}

/// A nested depth-first search.
pub(super) struct Nested<'b> {
    buchi: &'b Buchi,
    colours: NodeTable<Colour>,
    path: Vec<Frame>,
    inner: Vec<Frame>,
    /// Moves of the nodes on both paths that were not taken yet, the next one last.
    pending: Vec<Pending>,
    /// Scratch: where marked moves of a node lead that was met before.
    met: Vec<Node>,
}

impl<'b> Nested<'b> {
    pub fn new(buchi: &'b Buchi) -> Self {
        let colours = NodeTable::new(buchi.automaton.n_locations());
        let (path, inner, pending, met) = Default::default();
        Self { buchi, colours, path, inner, pending, met }
    }

    /// Whether a node was met.
    pub fn met(&self, node: Node) -> bool {
        self.colours.get(node) != Colour::White
    }

    /// Looks for an accepted run; the product must be with the automaton of the [`Buchi`].
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
        let mut found = self.push(product, start, false)?;
        while found.is_none()
            && let Some(source) = self.path.last().map(|top| top.node)
        {
            found = match next(&mut self.path, &mut self.pending) {
                None => self.pop(product)?.map(Witness::Cycle),
                Some(step) if !self.met(step.to()) => {
                    self.push(product, step.to(), step.marked())?
                }
                Some(step) => self.meet(product, source, step)?,
            };
        }
        Ok(found)
    }

    /// Enters a node and looks at its moves: those to nodes that were not met wait.
    fn push(
        &mut self,
        product: &mut Product,
        node: Node,
        marked: bool,
    ) -> Result<Option<Witness>, Stopped> {
        self.colours.set(node, Colour::Cyan);
        let bytes = self.bytes();
        product.enter(node, || bytes)?;
        if product.accepts_end(node) {
            return Ok(Some(Witness::End));
        }
        product.load(node)?;
        let n_before = self.pending.len();
        let (mut n_moves, mut all_red) = (0, true);
        let Self { buchi, colours, path, pending, met, .. } = self;
        let each = product.scan::<()>(&mut product.frame(node), |step| {
            n_moves += 1;
            let marked = step.marks == ACCEPTING;
            match colours.get(step.to) {
                Colour::White => pending.push(Pending::new(step.to, marked)),
                Colour::Cyan | Colour::Blue if marked => met.push(step.to),
                Colour::Cyan | Colour::Blue => all_red &= !buchi.same_component(node, step.to),
                Colour::Red => {}
            }
            ControlFlow::Continue(())
        });
        debug_assert!(each.is_none(), "all moves are looked at");
        product.n_moves += n_moves;
        pending[n_before..].reverse();
        let n_pending = (pending.len() - n_before) as u32;
        path.push(Frame { node, n_pending, marked, all_red });
        while let Some(to) = self.met.pop() {
            let found = self.meet(product, node, Pending::new(to, true))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Takes a move of the last node of the path to a node that was met.
    fn meet(
        &mut self,
        product: &mut Product,
        source: Node,
        step: Pending,
    ) -> Result<Option<Witness>, Stopped> {
        let (to, buchi) = (step.to(), self.buchi);
        match self.colours.get(to) {
            Colour::Cyan if step.marked() => Ok(Some(Witness::Cycle(self.path_from(to)))),
            Colour::Blue if step.marked() => match buchi.is_mixed(source) {
                true => Ok(self.close(product, to)?.map(Witness::Cycle)),
                false => Ok(None),
            },
            Colour::Cyan | Colour::Blue => {
                if let Some(top) = self.path.last_mut() {
                    top.all_red &= !buchi.same_component(source, to);
                }
                Ok(None)
            }
            Colour::Red | Colour::White => Ok(None),
        }
    }

    /// Leaves the last node of the path. The nodes of an accepting cycle, if its last chance to
    /// be found is now.
    fn pop(&mut self, product: &mut Product) -> Result<Option<Vec<Node>>, Stopped> {
        let Some(Frame { node, marked, all_red, .. }) = self.path.pop() else { return Ok(None) };
        let colour = if all_red { Colour::Red } else { Colour::Blue };
        self.colours.set(node, colour);
        let Some(&Frame { node: parent, .. }) = self.path.last() else { return Ok(None) };
        if marked
            && self.buchi.is_mixed(parent)
            && !all_red
            && let Some(cycle) = self.close(product, node)?
        {
            return Ok(Some(cycle));
        }
        let is_red = self.colours.get(node) == Colour::Red;
        if let Some(top) = self.path.last_mut() {
            top.all_red &= is_red || !self.buchi.same_component(parent, node);
        }
        Ok(None)
    }

    /// The inner search: from a blue node back to the path. Everything it meets becomes red.
    fn close(&mut self, product: &mut Product, start: Node) -> Result<Option<Vec<Node>>, Stopped> {
        let mut entered = Some(start);
        loop {
            if let Some(node) = entered {
                self.colours.set(node, Colour::Red);
                product.load(node)?;
                let bytes = self.bytes();
                product.work(1, || bytes)?;
                let n_before = self.pending.len();
                let Self { buchi, colours, inner, pending, .. } = self;
                let cyan = product.scan(&mut product.frame(node), |step| {
                    match colours.get(step.to) {
                        Colour::Cyan if buchi.same_component(node, step.to) => {
                            return ControlFlow::Break(step.to);
                        }
                        Colour::Blue if buchi.same_component(node, step.to) => {
                            pending.push(Pending::new(step.to, false));
                        }
                        _ => {}
                    }
                    ControlFlow::Continue(())
                });
                let n_pending = (pending.len() - n_before) as u32;
                inner.push(Frame { node, n_pending, marked: false, all_red: false });
                if let Some(cyan) = cyan {
                    let mut cycle = self.path_from(cyan);
                    cycle.extend(self.inner.drain(..).map(|frame| frame.node));
                    return Ok(Some(cycle));
                }
            }
            let step = next(&mut self.inner, &mut self.pending);
            if step.is_none() {
                self.inner.pop();
                if self.inner.is_empty() {
                    return Ok(None);
                }
            }
            let open = step.map(Pending::to).filter(|&to| self.colours.get(to) == Colour::Blue);
            entered = open;
        }
    }

    fn bytes(&self) -> usize {
        let frames = self.path.capacity() + self.inner.capacity();
        let pending = self.pending.capacity() * size_of::<Pending>();
        self.colours.bytes() + frames * size_of::<Frame>() + pending
    }

    /// The path of the outer search from one of its nodes on.
    fn path_from(&self, node: Node) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        for outer in self.path.iter().rev() {
            nodes.push(outer.node);
            if outer.node == node {
                break;
            }
        }
        nodes
    }
}

/// The next pending move of the last node of a path.
fn next(path: &mut [Frame], pending: &mut Vec<Pending>) -> Option<Pending> {
    let top = path.last_mut()?;
    top.n_pending = top.n_pending.checked_sub(1)?;
    pending.pop()
}

impl Buchi {
    fn is_mixed(&self, node: Node) -> bool {
        self.mixed[node.location.index()]
    }

    fn same_component(&self, from: Node, to: Node) -> bool {
        self.component[from.location.index()] == self.component[to.location.index()]
    }
}
