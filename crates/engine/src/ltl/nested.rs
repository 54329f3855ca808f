//! Emptiness of the product by nested depth-first search: an outer search that looks for marked
//! moves and an inner one that tries to close a cycle through each. Needs one acceptance set.
//!
//! Courcoubetis, Vardi, Wolper and Yannakakis (1992) in the form of Schwoon and Esparza, "A note on
//! on-the-fly verification algorithms" (TACAS 2005): colours, cycles closed on the path of the
//! outer search are found by the outer search, the inner search stops at any node of that path.
//! From Gaiser and Schwoon (MEMICS 2009): a node whose successors are all red is red at once.
//! Marks are on moves here: read a marked move as passing through an accepting node of its own.
//! Searches inside a component of the automaton never leave it, see [`Buchi`].

use std::ops::ControlFlow;

use super::Witness;
use super::buchi::{ACCEPTING, Buchi};
use super::node::{Node, NodeTable};
use super::product::{Frame, Product};
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

struct OuterFrame {
    frame: Frame,
    /// Whether the move that led here is marked.
    marked: bool,
    /// Whether all successors seen so far in the same component of the automaton are red.
    all_red: bool,
}

/// A nested depth-first search.
pub(super) struct Nested<'b> {
    buchi: &'b Buchi,
    colours: NodeTable<Colour>,
    path: Vec<OuterFrame>,
    inner: Vec<Frame>,
}

impl<'b> Nested<'b> {
    pub fn new(buchi: &'b Buchi) -> Self {
        let colours = NodeTable::new(buchi.automaton.n_locations());
        Self { buchi, colours, path: Vec::new(), inner: Vec::new() }
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
        if self.push(product, start, false)? {
            return Ok(Some(Witness::End));
        }
        while let Some(top) = self.path.last_mut() {
            let source = top.frame.node;
            product.load(source)?;
            let (colours, component) = (&self.colours, &self.buchi.component);
            let (mut n_moves, mut all_red) = (0, true);
            let found = product.scan(&mut top.frame, |step| {
                n_moves += 1;
                match colours.get(step.to) {
                    Colour::Red => ControlFlow::Continue(()),
                    Colour::White => ControlFlow::Break((step, Colour::White)),
                    colour if step.marks == ACCEPTING => ControlFlow::Break((step, colour)),
                    Colour::Cyan | Colour::Blue => {
                        all_red &= component[source.location.index()]
                            != component[step.to.location.index()];
                        ControlFlow::Continue(())
                    }
                }
            });
            top.all_red &= all_red;
            product.n_moves += n_moves;
            let Some((step, colour)) = found else {
                if let Some(cycle) = self.pop(product)? {
                    return Ok(Some(Witness::Cycle(cycle)));
                }
                continue;
            };
            let marked = step.marks == ACCEPTING;
            match colour {
                Colour::White => {
                    if self.push(product, step.to, marked)? {
                        return Ok(Some(Witness::End));
                    }
                }
                Colour::Cyan => {
                    return Ok(Some(Witness::Cycle(self.path_from(step.to))));
                }
                Colour::Blue if self.mixed(source) => {
                    if let Some(cycle) = self.close(product, step.to)? {
                        return Ok(Some(Witness::Cycle(cycle)));
                    }
                }
                Colour::Blue | Colour::Red => {}
            }
        }
        Ok(None)
    }

    /// Enters a node; says whether a run that ends there is accepted.
    fn push(&mut self, product: &mut Product, node: Node, marked: bool) -> Result<bool, Stopped> {
        self.colours.set(node, Colour::Cyan);
        let Self { colours, path, inner, .. } = self;
        product.enter(node, || {
            let inner = inner.capacity() * size_of::<Frame>();
            colours.bytes() + path.capacity() * size_of::<OuterFrame>() + inner
        })?;
        let frame = product.frame(node);
        self.path.push(OuterFrame { frame, marked, all_red: true });
        Ok(product.accepts_end(node))
    }

    /// Leaves the last node of the path. The nodes of an accepting cycle, if its last chance to
    /// be found is now.
    fn pop(&mut self, product: &mut Product) -> Result<Option<Vec<Node>>, Stopped> {
        let Some(OuterFrame { frame, marked, all_red }) = self.path.pop() else { return Ok(None) };
        let node = frame.node;
        let colour = if all_red { Colour::Red } else { Colour::Blue };
        self.colours.set(node, colour);
        let Some(&OuterFrame { frame: Frame { node: parent, .. }, .. }) = self.path.last() else {
            return Ok(None);
        };
        if marked
            && self.mixed(parent)
            && !all_red
            && let Some(cycle) = self.close(product, node)?
        {
            return Ok(Some(cycle));
        }
        let red = self.colours.get(node) == Colour::Red || !self.same_component(parent, node);
        if let Some(parent) = self.path.last_mut() {
            parent.all_red &= red;
        }
        Ok(None)
    }

    /// The inner search: from a blue node back to the path. Everything it meets becomes red.
    fn close(&mut self, product: &mut Product, start: Node) -> Result<Option<Vec<Node>>, Stopped> {
        self.colours.set(start, Colour::Red);
        self.inner.push(product.frame(start));
        while let Some(top) = self.inner.last_mut() {
            let source = top.node;
            product.load(source)?;
            product.work(1, || self.colours.bytes())?;
            let (colours, component) = (&self.colours, &self.buchi.component);
            let found = product.scan(top, |step| {
                let home = component[source.location.index()];
                match colours.get(step.to) {
                    Colour::Cyan | Colour::Blue if component[step.to.location.index()] == home => {
                        ControlFlow::Break(step.to)
                    }
                    _ => ControlFlow::Continue(()),
                }
            });
            let Some(next) = found else {
                self.inner.pop();
                continue;
            };
            if self.colours.get(next) == Colour::Cyan {
                let mut cycle = self.path_from(next);
                cycle.extend(self.inner.drain(..).map(|frame| frame.node));
                return Ok(Some(cycle));
            }
            self.colours.set(next, Colour::Red);
            self.inner.push(product.frame(next));
        }
        Ok(None)
    }

    /// The path of the outer search from one of its nodes on.
    fn path_from(&self, node: Node) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        for outer in self.path.iter().rev() {
            nodes.push(outer.frame.node);
            if outer.frame.node == node {
                break;
            }
        }
        nodes
    }

    fn mixed(&self, node: Node) -> bool {
        self.buchi.mixed[node.location.index()]
    }

    fn same_component(&self, from: Node, to: Node) -> bool {
        let component = &self.buchi.component;
        component[from.location.index()] == component[to.location.index()]
    }
}
