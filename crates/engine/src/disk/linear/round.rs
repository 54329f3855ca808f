//! The shortest way from a node of a product back to itself that passes moves with all marks: a search of
//! its own, for nodes with what was passed so far.

use std::ops::ControlFlow;

use quadrille_logic::Marks;
use quadrille_model::{
    Action, ActionId, Domain, Explorer, Flow, GroupId, Model, Problem, Signature, Slot, SlotId,
    Successors, Value,
};

use super::product::{Product, Walker};

/// Walks through the moves of a product that can lie on accepted cycles, from one node.
pub(super) struct Round<'a> {
    product: &'a Product<'a>,
    start: Vec<Value>,
    /// The marks that have to be passed.
    marks: Vec<Marks>,
    signature: Signature,
}

impl<'a> Round<'a> {
    pub fn new(product: &'a Product<'a>, start: Vec<Value>) -> Self {
        let marks: Vec<Marks> = product.homes.marks().collect();
        let mut signature = product.signature().clone();
        signature.slots.push(Slot::new("passed", Domain::Size(1 << (marks.len() + 1))));
        Self { product, start, marks, signature }
    }

    /// Whether the way is back where it began, and has passed everything.
    pub fn is_complete(&self, state: &[Value]) -> bool {
        let all = (1 << (self.marks.len() + 1)) - 1;
        state.split_last().is_some_and(|(passed, node)| *passed == all && node == self.start)
    }

    /// What was passed after one move more: bit 0 says that there was one.
    fn passed(&self, before: Value, marks: Marks) -> Value {
        let bit = |(number, mark): (usize, &Marks)| Value::from(marks & mark != 0) << (number + 1);
        self.marks.iter().enumerate().map(bit).fold(before | 1, |all, bit| all | bit)
    }
}

impl Model for Round<'_> {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Goer { round: self, walker: self.product.walker(), next: Vec::new() })
    }

    fn n_actions(&self) -> usize {
        self.product.n_actions()
    }

    fn action(&self, action: ActionId) -> Action {
        self.product.action(action)
    }

    fn content(&self, slot: SlotId, value: Value, out: &mut Vec<u8>) {
        match slot.index() == self.start.len() {
            true => out.extend_from_slice(&value.to_le_bytes()),
            false => self.product.content(slot, value, out),
        }
    }

    fn value(&self, slot: SlotId, content: &[u8]) -> Option<Value> {
        match slot.index() == self.start.len() {
            true => Some(Value::from_le_bytes(content.try_into().ok()?)),
            false => self.product.value(slot, content),
        }
    }

    fn allows_workers(&self) -> bool {
        self.product.allows_workers()
    }

    fn bytes(&self) -> usize {
        self.product.bytes()
    }
}

struct Goer<'a> {
    round: &'a Round<'a>,
    walker: Walker<'a>,
    next: Vec<Value>,
}

impl Goer<'_> {
    fn moves(
        &mut self,
        group: Option<GroupId>,
        state: &[Value],
        sink: &mut dyn Successors,
    ) -> Flow {
        let Self { round, walker, next } = self;
        let Some((&before, node)) = state.split_last() else { return ControlFlow::Continue(()) };
        walker.inner_moves(group, node, |group, action, marks, node| {
            next.clear();
            next.extend_from_slice(node);
            next.push(round.passed(before, marks));
            sink.next(group, action, next)
        })
    }
}

impl Explorer for Goer<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        sink(&[&self.round.start[..], &[0][..]].concat())
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.moves(Some(group), state, sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.moves(None, state, sink)
    }

    fn may_end(&mut self, _: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(true)
    }
}
