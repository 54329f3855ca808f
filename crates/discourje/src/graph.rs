//! `s/graph`: transition systems that are written out, with actions as labels.
//!
//! A label `?(p,q)` does not say what is received: it is what was sent. Where the graph sends several types from `p` to
//! `q`, a state is a vertex together with what of that is under way.

use super::form::{Form, FormKind};
use super::lower::{Lowering, bad_form, definition_id};
use super::trap::Result;
use super::value::Value;
use quadrille_interaction::InteractionKind;
use quadrille_protocol::core::{Act, Message, Role, RoleId, TermId, Word};

/// `(from "label" to)`
struct Edge<'f> {
    from: &'f Form,
    label: Label,
    to: &'f Form,
    form: &'f Form,
}

/// An action; a receive may leave open of what.
#[derive(Clone)]
struct Label {
    kind: InteractionKind,
    message: Option<Message>,
    from: RoleId,
    to: RoleId,
}

impl Label {
    fn is_on_channel_of(&self, other: &Label) -> bool {
        (self.from, self.to) == (other.from, other.to)
    }
}

impl Lowering<'_> {
    /// A vertex of a graph: its edges, or the end where it has none. The arguments are the vertex and the edges whose
    /// messages are under way, by number, as far as that makes a difference.
    pub(crate) fn vertex(
        &mut self,
        definition: usize,
        parts: &[Form],
        arguments: &[Word],
    ) -> Result<TermId> {
        let vertex = self.words.get(arguments[0]).clone();
        let edges = parts.iter().skip(3).map(|form| self.edge(form)).collect::<Result<Vec<_>>>()?;
        let mut choices = Vec::new();
        for (number, edge) in edges.iter().enumerate() {
            if self.program().quoted(edge.from) != vertex {
                continue;
            }
            let mut under_way: Vec<usize> =
                arguments[1..].iter().map(|&word| self.number(word)).collect();
            let label = taken(&edges, number, &mut under_way);
            let Label { kind, message, from, to } = label;
            let act = self.terms.act(Act { kind, from, to: vec![to], message });
            let action = self.terms.written_at(self.terms.action(act), edge.form.span);
            let mut next = vec![self.words.intern(self.program().quoted(edge.to))];
            let numbers = under_way.into_iter().map(|number| Value::Int(number as i64));
            next.extend(numbers.map(|number| self.words.intern(number)));
            let next = self.terms.call(definition_id(definition), &next);
            choices.push(self.terms.seq(action, next));
        }
        Ok(if choices.is_empty() { TermId::SKIP } else { self.terms.choice(&choices) })
    }

    fn number(&self, word: Word) -> usize {
        match self.words.get(word) {
            Value::Int(number) => *number as usize,
            _ => unreachable!("messages under way are numbers of edges"),
        }
    }

    fn edge<'f>(&self, form: &'f Form) -> Result<Edge<'f>> {
        let Some([from, Form { kind: FormKind::Text(label), .. }, to]) = form.list() else {
            return Err(bad_form(form, "expected `(from \"action\" to)`"));
        };
        let label = self.label(label).ok_or_else(|| {
            bad_form(form, "expected `!(T,p,q)`, `?(p,q)`, `‽(T,p,q)` or `C(p,q)`")
        })?;
        Ok(Edge { from, label, to, form })
    }

    /// The action that a label such as `!(Long,a,b[0])` stands for.
    fn label(&self, text: &str) -> Option<Label> {
        let mut rest = text.chars();
        let kind = match rest.next()? {
            '‽' => InteractionKind::Exchange,
            '!' => InteractionKind::Send,
            '?' => InteractionKind::Receive,
            'C' => InteractionKind::Close,
            _ => return None,
        };
        let inner = rest.as_str().strip_prefix('(')?.strip_suffix(')')?;
        let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
        let (message, roles) = match (kind, &parts[..]) {
            (InteractionKind::Receive | InteractionKind::Close, roles) if roles.len() == 2 => {
                (None, roles)
            }
            (_, [message, roles @ ..]) if roles.len() == 2 => (Some(Message::new(*message)), roles),
            _ => return None,
        };
        let from = self.terms.role(parsed_role(roles[0])?);
        let to = self.terms.role(parsed_role(roles[1])?);
        Some(Label { kind, message: message.filter(|_| kind != InteractionKind::Close), from, to })
    }
}

/// What an edge does, given what is under way, which it changes.
fn taken(edges: &[Edge<'_>], number: usize, under_way: &mut Vec<usize>) -> Label {
    let label = &edges[number].label;
    let mut sent: Vec<&Message> = edges
        .iter()
        .filter(|edge| {
            edge.label.kind == InteractionKind::Send && edge.label.is_on_channel_of(label)
        })
        .filter_map(|edge| edge.label.message.as_ref())
        .collect();
    sent.sort_unstable();
    sent.dedup();
    let mut label = label.clone();
    match (label.kind, &sent[..]) {
        (InteractionKind::Send, [_, _, ..]) => under_way.push(number),
        (InteractionKind::Receive, [_, _, ..]) => {
            let is_taken = |&number: &usize| {
                let first = &edges[number].label;
                first.is_on_channel_of(&label)
                    && (label.message.is_none() || label.message == first.message)
            };
            if let Some(place) = under_way.iter().position(is_taken) {
                label.message = edges[under_way.remove(place)].label.message.clone();
            }
        }
        (InteractionKind::Receive, [only]) if label.message.is_none() => {
            label.message = Some((*only).clone());
        }
        _ => {}
    }
    if label.kind == InteractionKind::Receive {
        label.message.get_or_insert_with(|| Message::new("Object"));
    }
    label
}

/// `worker[0][1]` as a role.
fn parsed_role(text: &str) -> Option<Role> {
    let (name, indices) = text.split_once('[').unwrap_or((text, ""));
    if name.is_empty() {
        return None;
    }
    if indices.is_empty() {
        return Some(Role::new(name));
    }
    let indices = indices.strip_suffix(']')?.split("][");
    let indices = indices.map(|index| index.parse().ok()).collect::<Option<Vec<i64>>>()?;
    Some(Role::indexed(name, indices))
}
