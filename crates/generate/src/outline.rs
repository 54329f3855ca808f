//! The tree of a protocol as a [`Scheme`], in which the number of members of families stays open.
//!
//! What a scheme cannot say has none: messages with content, rendezvous, variables, conditions on anything but numbers,
//! sets of receivers, families with several indices, protocols that call themselves. Those are explored as they are.

mod numbers;

use std::borrow::Cow;
use std::collections::BTreeMap;

use quadrille_quad::tree::{
    Block, Branch, Expr, ExprKind, File, Indexing, Item, Operator, ProtocolItem, Statement,
    StatementKind,
};
use quadrille_runtime::scheme::{FamilyScheme, How, Index, Node, NodeId, Place, Scheme};

use self::numbers::{Number, bounds, variables};
use crate::source::Session;

/// Most calls of protocols inside each other.
const MAX_DEPTH: usize = 16;

/// Most nodes of a scheme.
const MAX_NODES: usize = 2_000;

/// A scheme, and what stands for its numbers in the text.
pub(crate) struct Outline {
    pub(crate) scheme: Scheme,
    /// By label: whether it is a message, not a local step.
    pub(crate) is_message: Vec<bool>,
}

/// The scheme of a session, whose parameter `open` has no value yet.
pub(crate) fn outline(file: &File, session: &Session, open: Option<&str>) -> Option<Outline> {
    let mut lowering = Lowering::new(file, session, open)?;
    let protocols = file.items.iter().filter_map(|item| match item {
        Item::Protocol(protocol) => Some(protocol),
        _ => None,
    });
    lowering.protocols = protocols.collect();
    let named = |protocol: &&&ProtocolItem| {
        session.protocol.as_ref().is_none_or(|name| protocol.name.text == *name)
    };
    let whole = *lowering.protocols.iter().find(named)?;
    if !whole.parameters.is_empty() || !session.arguments.is_empty() {
        return None;
    }
    lowering.block(&whole.body.statements)?;
    lowering.finish(&whole.name.text, open)
}

/// What a name stands for.
#[derive(Clone)]
enum Value {
    Number(Number),
    Role(Place),
    /// Some members of families, in the order of families and indices.
    Roles(Vec<Members>),
}

/// A role, or members of a family.
#[derive(Clone)]
struct Members {
    family: u16,
    /// The first index, and the one after the last; a single role has none.
    range: Option<(Number, Number)>,
}

struct Lowering<'f> {
    protocols: Vec<&'f ProtocolItem>,
    families: Vec<FamilyScheme>,
    is_used: Vec<bool>,
    globals: BTreeMap<&'f str, Value>,
    locals: Vec<(&'f str, Value)>,
    labels: Vec<(&'f str, bool)>,
    nodes: Vec<Node>,
    /// How many indices are bound.
    n_bound: u8,
    depth: usize,
}

impl<'f> Lowering<'f> {
    fn new(file: &'f File, session: &Session, open: Option<&str>) -> Option<Self> {
        let mut lowering = Self {
            protocols: Vec::new(),
            families: Vec::new(),
            is_used: Vec::new(),
            globals: BTreeMap::new(),
            locals: Vec::new(),
            labels: Vec::new(),
            nodes: Vec::new(),
            n_bound: 0,
            depth: 0,
        };
        for item in &file.items {
            match item {
                Item::Parameter(name, default) => {
                    let mut given = session.parameters.iter().rev();
                    let given = given.find(|(given, _)| *given == name.text);
                    let value = match given {
                        _ if open == Some(name.text.as_str()) => Number::parameter(),
                        Some((_, text)) => Number::constant(text.trim().parse().ok()?),
                        None => lowering.number(default)?,
                    };
                    lowering.globals.insert(&name.text, Value::Number(value));
                }
                Item::Role(name, dimensions) => lowering.family(&name.text, dimensions)?,
                Item::Variable(_) => return None,
                // A message with content is refused where it is sent.
                Item::Message(message) if !message.fields.is_empty() => return None,
                Item::Enum(..)
                | Item::Message(_)
                | Item::Event(_)
                | Item::Protocol(_)
                | Item::Property(_) => {}
            }
        }
        Some(lowering)
    }

    fn family(&mut self, name: &'f str, dimensions: &'f [Expr]) -> Option<()> {
        let number = self.families.len() as u16;
        let (members, value) = match dimensions {
            [] => (None, Value::Role(Place::role(number))),
            [only] => {
                let (from, until) = self.range(only)?;
                let members = Some((from.index()?, until.index()?));
                let range = Some((from, until));
                (members, Value::Roles(vec![Members { family: number, range }]))
            }
            _ => return None,
        };
        self.families.push(FamilyScheme { name: Cow::Owned(name.to_owned()), members });
        self.is_used.push(false);
        self.globals.insert(name, value);
        Some(())
    }

    fn range(&self, expr: &Expr) -> Option<(Number, Number)> {
        let (left, right, inclusive) = bounds(expr)?;
        let (from, until) = (self.number(left)?, self.number(right)?);
        Some((from, if inclusive { until.plus(&Number::constant(1))? } else { until }))
    }

    fn node(&mut self, node: Node) -> Option<NodeId> {
        if self.nodes.len() >= MAX_NODES {
            return None;
        }
        self.nodes.push(node);
        Some(NodeId(self.nodes.len() as u16 - 1))
    }

    /// Statements in order; names that are bound are known to the rest of the block.
    fn block(&mut self, statements: &'f [Statement]) -> Option<NodeId> {
        let n_locals = self.locals.len();
        let mut parts = Vec::new();
        for statement in statements {
            match &statement.kind {
                StatementKind::Let(name, value) => {
                    let value = self.value(value)?;
                    self.locals.push((&name.text, value));
                }
                // Nothing happens there.
                StatementKind::State(..) => {}
                _ => parts.push(self.statement(statement)?),
            }
        }
        self.locals.truncate(n_locals);
        match parts[..] {
            [only] => Some(only),
            _ => self.node(Node::Sequence(parts.into())),
        }
    }

    fn branch(&mut self, branch: &'f Branch) -> Option<NodeId> {
        if branch.when.is_some() {
            return None;
        }
        self.block(&branch.body.statements)
    }

    fn nothing(&mut self) -> Option<NodeId> {
        self.node(Node::Sequence(Cow::Borrowed(&[])))
    }

    fn statement(&mut self, statement: &'f Statement) -> Option<NodeId> {
        match &statement.kind {
            StatementKind::Message { message, content, from, to, sync, with } => {
                if !content.is_empty() || *sync || !with.is_empty() {
                    return None;
                }
                let label = self.label(&message.text, true)?;
                let from = self.role(from)?;
                let to: Option<Vec<Place>> = to.iter().map(|to| self.role(to)).collect();
                self.node(Node::Message { label, from, to: to?.into() })
            }
            StatementKind::Close { from, to } => {
                let (from, to) = (self.role(from)?, self.role(to)?);
                self.node(Node::Close { from, to })
            }
            StatementKind::Does { by, event, with } => {
                if !with.is_empty() {
                    return None;
                }
                let label = self.label(&event.text, false)?;
                let by = self.role(by)?;
                self.node(Node::Local { label, by })
            }
            StatementKind::Call(name, arguments) => self.call(&name.text, arguments),
            StatementKind::Either(branches) => {
                let parts = branches.iter().map(|branch| self.branch(branch));
                let parts: Option<Vec<NodeId>> = parts.collect();
                self.node(Node::Choice(parts?.into()))
            }
            StatementKind::Par(blocks) => {
                let parts: Option<Vec<NodeId>> =
                    blocks.iter().map(|block| self.block(&block.statements)).collect();
                self.node(Node::Parallel(parts?.into()))
            }
            StatementKind::Loop(branch) => {
                let body = self.branch(branch)?;
                self.node(Node::Loop { body, may_end: true })
            }
            StatementKind::Opt(branch) => {
                let parts = vec![self.branch(branch)?, self.nothing()?];
                self.node(Node::Choice(parts.into()))
            }
            StatementKind::Forever(block) => {
                let body = self.block(&block.statements)?;
                self.node(Node::Loop { body, may_end: false })
            }
            StatementKind::When(..) | StatementKind::Let(..) | StatementKind::State(..) => None,
            StatementKind::Indexed { indexing, bindings, filter, branch } => {
                // Where nothing counts, a choice would have nothing to choose.
                if filter.is_some() && *indexing == Indexing::Choose {
                    return None;
                }
                let bindings: Vec<(&str, &Expr)> =
                    bindings.iter().map(|(name, set)| (name.text.as_str(), set)).collect();
                self.indexed(*indexing, &bindings, filter.as_ref(), branch)
            }
            StatementKind::If(condition, then, other) => {
                let then = self.block(&then.statements)?;
                let other = match other {
                    Some(Block { statements, .. }) => self.block(statements)?,
                    None => self.nothing()?,
                };
                self.condition(condition, then, other)
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &'f [Expr]) -> Option<NodeId> {
        let protocol = *self.protocols.iter().find(|protocol| protocol.name.text == name)?;
        if self.depth >= MAX_DEPTH {
            return None;
        }
        let mut locals = Vec::new();
        for (position, parameter) in protocol.parameters.iter().enumerate() {
            let argument = arguments.get(position).or(parameter.default.as_ref())?;
            locals.push((parameter.name.text.as_str(), self.value(argument)?));
        }
        let outer = std::mem::replace(&mut self.locals, locals);
        self.depth += 1;
        let body = self.block(&protocol.body.statements);
        self.depth -= 1;
        self.locals = outer;
        body
    }

    fn indexed(
        &mut self,
        indexing: Indexing,
        bindings: &[(&'f str, &'f Expr)],
        filter: Option<&'f Expr>,
        branch: &'f Branch,
    ) -> Option<NodeId> {
        let Some(((name, set), rest)) = bindings.split_first() else {
            let body = self.branch(branch)?;
            let Some(filter) = filter else { return Some(body) };
            let nothing = self.nothing()?;
            return self.condition(filter, body, nothing);
        };
        let (name, set, rest) = (*name, *set, rest.to_vec());
        let how = match indexing {
            Indexing::For => How::InOrder,
            Indexing::Choose => How::OneOf,
            Indexing::Par => How::AtOnce,
        };
        let sets = match self.range(set) {
            Some(range) => vec![(None, Some(range))],
            None => match self.value(set)? {
                Value::Roles(several) => {
                    several.into_iter().map(|one| (Some(one.family), one.range)).collect()
                }
                Value::Number(_) | Value::Role(_) => return None,
            },
        };
        let mut parts = Vec::new();
        for (family, range) in sets {
            let variable = self.n_bound;
            let bound = match (family, &range) {
                (None, _) => Value::Number(Number::variable(variable)),
                (Some(family), None) => Value::Role(Place::role(family)),
                (Some(family), Some(_)) => {
                    Value::Role(Place::member(family, Number::variable(variable).index()?))
                }
            };
            self.n_bound = self.n_bound.checked_add(1)?;
            self.locals.push((name, bound));
            let body = self.indexed(indexing, &rest, filter, branch);
            self.locals.pop();
            self.n_bound -= 1;
            let body = body?;
            parts.push(match range {
                None => body,
                Some((from, until)) => {
                    let (from, until) = (from.index()?, until.index()?);
                    self.node(Node::Each { how, variable, from, until, body })?
                }
            });
        }
        match parts[..] {
            [only] => Some(only),
            _ => self.node(match how {
                How::InOrder => Node::Sequence(parts.into()),
                How::OneOf => Node::Choice(parts.into()),
                How::AtOnce => Node::Parallel(parts.into()),
            }),
        }
    }

    /// One node or the other.
    fn condition(&mut self, expr: &Expr, then: NodeId, other: NodeId) -> Option<NodeId> {
        match &expr.kind {
            ExprKind::Bool(value) => Some(if *value { then } else { other }),
            ExprKind::Not(inner) => self.condition(inner, other, then),
            ExprKind::Binary(Operator::And, left, right) => {
                let right = self.condition(right, then, other)?;
                self.condition(left, right, other)
            }
            ExprKind::Binary(Operator::Or, left, right) => {
                let right = self.condition(right, then, other)?;
                self.condition(left, then, right)
            }
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                let test = left.compared(*operator, &right)?;
                self.node(Node::If { test, then, other })
            }
            _ => None,
        }
    }

    fn label(&mut self, name: &'f str, is_message: bool) -> Option<u16> {
        let position = self.labels.iter().position(|label| *label == (name, is_message));
        let position = position.unwrap_or_else(|| {
            self.labels.push((name, is_message));
            self.labels.len() - 1
        });
        u16::try_from(position).ok()
    }

    fn role(&mut self, expr: &Expr) -> Option<Place> {
        let Value::Role(place) = self.value(expr)? else { return None };
        self.is_used[usize::from(place.family)] = true;
        Some(place)
    }

    fn number(&self, expr: &Expr) -> Option<Number> {
        match self.value(expr)? {
            Value::Number(number) => Some(number),
            Value::Role(_) | Value::Roles(_) => None,
        }
    }

    fn value(&self, expr: &Expr) -> Option<Value> {
        Some(match &expr.kind {
            ExprKind::Number(number) => Value::Number(Number::constant(*number)),
            ExprKind::Negate(inner) => {
                Value::Number(Number::constant(0).minus(&self.number(inner)?)?)
            }
            ExprKind::Name(name, indices) => self.named(name, indices)?,
            ExprKind::Binary(operator, left, right) => {
                match (self.value(left)?, self.value(right)?) {
                    (Value::Number(left), Value::Number(right)) => {
                        Value::Number(left.combined(*operator, &right)?)
                    }
                    (Value::Roles(left), Value::Roles(right)) if *operator == Operator::Add => {
                        union(left, right)?
                    }
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    fn named(&self, name: &str, indices: &[Expr]) -> Option<Value> {
        let mut locals = self.locals.iter().rev();
        let local = locals.find(|(local, _)| *local == name).map(|(_, value)| value);
        let value = local.or_else(|| self.globals.get(name))?;
        match (value, indices) {
            (Value::Roles(several), [index]) => {
                let [Members { family, .. }] = several[..] else { return None };
                if index.kind == ExprKind::Every {
                    return Some(value.clone());
                }
                if let Some(range) = self.range(index) {
                    return Some(Value::Roles(vec![Members { family, range: Some(range) }]));
                }
                Some(Value::Role(Place::member(family, self.number(index)?.index()?)))
            }
            (_, []) => Some(value.clone()),
            _ => None,
        }
    }

    fn finish(self, name: &str, open: Option<&str>) -> Option<Outline> {
        // Roles that take part in nothing are left out.
        let mut numbers = Vec::new();
        let mut families = Vec::new();
        for (family, is_used) in self.families.into_iter().zip(&self.is_used) {
            numbers.push(families.len() as u16);
            if *is_used {
                families.push(family);
            }
        }
        let renumber = |place: Place| Place { family: numbers[usize::from(place.family)], ..place };
        let nodes = self.nodes.into_iter().map(|node| match node {
            Node::Message { label, from, to } => Node::Message {
                label,
                from: renumber(from),
                to: to.iter().copied().map(renumber).collect(),
            },
            Node::Close { from, to } => Node::Close { from: renumber(from), to: renumber(to) },
            Node::Local { label, by } => Node::Local { label, by: renumber(by) },
            other => other,
        });
        let labels = self.labels.iter().map(|(name, _)| Cow::Owned((*name).to_owned()));
        let scheme = Scheme {
            protocol: Cow::Owned(name.to_owned()),
            parameter: open.map(|open| Cow::Owned(open.to_owned())),
            families: families.into(),
            labels: labels.collect(),
            nodes: nodes.collect(),
        };
        let same_sizes = |scheme: &Scheme| {
            let mut sizes =
                scheme.families.iter().filter_map(|family| Some(size(family.members.as_ref()?)));
            let first = sizes.next();
            sizes.all(|size| size.is_some() && Some(size) == first) && first != Some(None)
        };
        let is_message = self.labels.iter().map(|&(_, is_message)| is_message).collect();
        same_sizes(&scheme).then_some(Outline { scheme, is_message })
    }
}

/// The number of members, by constant and parameter; `None` where their numbers would depend on the parameter.
fn size((from, until): &(Index, Index)) -> Option<(i64, i64)> {
    let is_plain = |index: &Index| index.modulo.is_none() && variables(&index.sum).is_empty();
    let is_fixed = from.sum.parameter == 0 && from.sum.constant >= 0;
    (is_fixed && is_plain(from) && is_plain(until))
        .then(|| (until.sum.constant - from.sum.constant, until.sum.parameter))
}

/// Members of both, in order; `None` if that depends on indices.
fn union(mut left: Vec<Members>, right: Vec<Members>) -> Option<Value> {
    left.extend(right);
    left.sort_by_key(|members| members.family);
    let is_twice = left.windows(2).any(|two| two[0].family == two[1].family);
    (!is_twice).then_some(Value::Roles(left))
}
