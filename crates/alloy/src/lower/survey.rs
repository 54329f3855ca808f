//! What a command mentions, before anything is brought down: operators of time, calls, strings. Knows
//! typed expressions only.

use std::rc::Rc;

use crate::names::typed::{NodeKind, Typed, children};
use crate::names::world::{Command, FunctionId, World};
use crate::syntax::tree::{Binary, Unary};

/// Whether operators of time are written anywhere that a command depends on, be it about what never
/// changes.
pub(crate) fn speaks_of_time(world: &World, command: &Command) -> bool {
    fn visit(world: &World, node: &Typed, seen: &mut Vec<FunctionId>) -> bool {
        let is_operator = match &node.kind {
            NodeKind::Unary(operator, _) => matches!(
                operator,
                Unary::After
                    | Unary::Always
                    | Unary::Eventually
                    | Unary::Before
                    | Unary::Historically
                    | Unary::Once
                    | Unary::Prime
            ),
            NodeKind::Binary(operator, ..) => matches!(
                operator,
                Binary::Until | Binary::Releases | Binary::Since | Binary::Triggered
            ),
            NodeKind::Call(id, ..) if !seen.contains(id) => {
                seen.push(*id);
                let body = world.function(*id).body.as_ref();
                body.is_some_and(|body| visit(world, body, seen))
            }
            _ => false,
        };
        is_operator || children(node).into_iter().any(|child| visit(world, child, seen))
    }
    let facts = world.facts.iter().map(|fact| &fact.formula);
    let of_sigs = world.declared().filter_map(|id| world.sig(id).fact.as_ref());
    let mut all = facts.chain(of_sigs).chain([&command.formula]);
    let mut seen = Vec::new();
    all.any(|node| visit(world, node, &mut seen))
}

/// The predicates and functions that one calls itself.
pub(crate) fn called(world: &World, id: FunctionId) -> Vec<FunctionId> {
    fn visit(node: &Typed, found: &mut Vec<FunctionId>) {
        if let NodeKind::Call(id, ..) = &node.kind {
            found.push(*id);
        }
        children(node).into_iter().for_each(|child| visit(child, found));
    }
    let mut found = Vec::new();
    world.function(id).body.iter().for_each(|body| visit(body, &mut found));
    found
}

/// Strings that a command needs, in the order in which they are met.
pub(crate) fn strings(world: &World, command: &Command) -> Vec<String> {
    let mut found = Vec::new();
    let mut called = Vec::new();
    let mut todo: Vec<Typed> = vec![command.formula.clone()];
    todo.extend(world.facts.iter().map(|fact| fact.formula.clone()));
    for sig in world.declared() {
        todo.extend(world.sig(sig).fact.clone());
        todo.extend(world.sig(sig).decls.iter().map(|decl| Rc::clone(&decl.bound)));
    }
    while let Some(node) = todo.pop() {
        match &node.kind {
            NodeKind::Text(text) if !found.contains(text) => found.push(text.clone()),
            NodeKind::Unary(_, of) => todo.push(of.clone()),
            NodeKind::Binary(_, a, b) | NodeKind::Let(_, a, b) => {
                todo.extend([a.clone(), b.clone()]);
            }
            NodeKind::Else(a, b, c) => todo.extend([a.clone(), b.clone(), c.clone()]),
            NodeKind::List(_, all) | NodeKind::Block(all) => todo.extend(all.iter().cloned()),
            NodeKind::Quantified(_, decls, body) => {
                todo.extend(decls.iter().map(|decl| decl.bound.clone()));
                todo.push(body.clone());
            }
            NodeKind::Call(function, arguments, _) => {
                todo.extend(arguments.iter().cloned());
                if !called.contains(function) {
                    called.push(*function);
                    todo.extend(world.function(*function).body.clone());
                }
            }
            _ => {}
        }
    }
    found.sort();
    found
}
