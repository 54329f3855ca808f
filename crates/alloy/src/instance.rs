//! An instance or trace: what each signature and field holds in each state, as text.

use std::fmt::Write;

use crate::evaluate::{Evaluator, Tuples, Values};
use crate::names::world::World;
use crate::scope::{Bounds, Role};

/// The tuples of one signature or field in one state, with names of atoms.
pub type Rows = Vec<Vec<String>>;

/// What one relation holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    /// `Node`, `Node<:next`, or `$name` of what was looked for.
    pub name: String,
    /// Whether it may differ between states.
    pub is_var: bool,
    /// Its tuples in each state; once, if it never changes.
    pub states: Vec<Rows>,
    /// How many columns it has.
    pub arity: usize,
}

/// An instance, or a trace that ends in a loop.
#[derive(Clone, Debug)]
pub struct Instance {
    pub(crate) values: Values,
    /// Signatures that are declared.
    pub sigs: Vec<Content>,
    /// Fields.
    pub fields: Vec<Content>,
    /// What quantifiers looked for.
    pub skolems: Vec<Content>,
    /// Of each state, what happens between it and the next one.
    pub events: Vec<Vec<String>>,
}

impl Instance {
    pub(crate) fn new(world: &World, bounds: &Bounds, values: Values) -> Self {
        let (mut sigs, mut fields, mut skolems) = (Vec::new(), Vec::new(), Vec::new());
        let mut evaluator = Evaluator::new(bounds, &values);
        let mut content = |name: String, node, is_var: bool, arity| {
            let n_states = if is_var { values.length } else { 1 };
            let rows = |tuples: Tuples| -> Rows {
                let atom = |atom: &u16| bounds.atoms[usize::from(*atom)].clone();
                tuples.iter().map(|tuple| tuple.iter().map(atom).collect()).collect()
            };
            let states = (0..n_states).map(|time| rows(evaluator.tuples(node, time))).collect();
            Content { name, is_var, states, arity }
        };
        for id in world.declared() {
            let sig = world.sig(id);
            let node = bounds.sigs[id.index()];
            let is_var = bounds.core.tense(node) != crate::core::Tense::Static;
            sigs.push(content(sig.name.clone(), node, is_var, 1));
            for &field in sig.decls.iter().flat_map(|decl| &decl.fields) {
                let data = world.field(field);
                let node = bounds.fields[field.0 as usize];
                let name = format!("{}<:{}", sig.name, data.name);
                let is_var = bounds.core.tense(node) != crate::core::Tense::Static;
                fields.push(content(name, node, is_var, world.field_arity(field)));
            }
        }
        for (number, relation) in bounds.relations.iter().enumerate() {
            if let Role::Skolem(name) = &relation.role {
                let rows = |tuples: &Tuples| -> Rows {
                    let atom = |atom: &u16| bounds.atoms[usize::from(*atom)].clone();
                    tuples.iter().map(|tuple| tuple.iter().map(atom).collect()).collect()
                };
                let states = values.relations[number].iter().map(rows).collect();
                let (name, arity) = (format!("${name}"), relation.arity);
                skolems.push(Content { name, is_var: false, states, arity });
            }
        }
        let events = crate::events::events(world, bounds, &values);
        Self { values, sigs, fields, skolems, events }
    }

    /// How many states there are.
    pub fn length(&self) -> usize {
        self.values.length
    }

    /// The state behind the last one.
    pub fn back_to(&self) -> usize {
        self.values.back_to
    }

    /// Whether nothing in it can change.
    pub fn is_static(&self) -> bool {
        !self.contents().any(|content| content.is_var)
    }

    /// Signatures, fields and what was looked for.
    pub fn contents(&self) -> impl Iterator<Item = &Content> {
        self.sigs.iter().chain(&self.fields).chain(&self.skolems)
    }

    /// As text: what never changes first, then every state; of later states, what changed.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let hidden =
            |content: &&Content| !content.name.contains("$") || content.name.starts_with('$');
        for content in self.contents().filter(|content| !content.is_var).filter(hidden) {
            let _ = writeln!(text, "{} = {}", content.name, shown(&content.states[0]));
        }
        if self.is_static() {
            return text;
        }
        for state in 0..self.length() {
            let _ = writeln!(text, "state {state}{}", happens(&self.events[state]));
            for content in self.contents().filter(|content| content.is_var) {
                let rows = &content.states[state];
                if state == 0 || *rows != content.states[state - 1] {
                    let _ = writeln!(text, "  {} = {}", content.name, shown(rows));
                }
            }
        }
        let _ = writeln!(text, "back to state {}", self.back_to());
        text
    }
}

/// What happens, behind the number of a state.
fn happens(events: &[String]) -> String {
    match events {
        [] => String::new(),
        _ => format!(": {}", events.join(", ")),
    }
}

/// Tuples as Alloy writes them.
pub(crate) fn shown(rows: &Rows) -> String {
    let tuples: Vec<String> = rows.iter().map(|row| row.join("->")).collect();
    match tuples.len() {
        0 => "none".to_owned(),
        _ => tuples.join(" + "),
    }
}

impl Content {
    /// Its tuples in a state.
    pub fn at(&self, state: usize) -> &Rows {
        &self.states[if self.is_var { state } else { 0 }]
    }
}
