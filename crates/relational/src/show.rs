//! Formulas, sets and numbers as text, in the language they were written in: variables that are bound
//! are shown as the atoms they stand for. Predicates were replaced by their bodies before.

use crate::eval::Bindings;
use crate::ground::World;
use crate::types::core::{
    Arithmetic, Formula, Number, Set, Temporal, TemporalPair, VariableId, When,
};
use crate::types::words::{Comparison, Mult};
use crate::types::{Design, INT};

/// Shows what a design says, in a world.
pub(crate) struct Shower<'d> {
    pub(crate) design: &'d Design,
    pub(crate) world: &'d World,
    pub(crate) bound: &'d Bindings,
}

/// How tightly formulas bind, loosest first: quantifiers, `or`, `iff`, `implies`, `and`, the binary
/// temporal operators, prefixes.
const OR: u8 = 1;
const IFF: u8 = 2;
const IMPLIES: u8 = 3;
const AND: u8 = 4;
const PAIR: u8 = 5;
const PREFIX: u8 = 6;
/// How tightly sets bind.
const UNION: u8 = 1;
const OVERRIDE: u8 = 2;
const INTERSECTION: u8 = 3;
const PRODUCT: u8 = 4;
const DOMAIN: u8 = 5;
const RANGE: u8 = 6;
const JOIN: u8 = 7;
const TIGHT: u8 = 8;

fn enclosed(text: String, needed: bool) -> String {
    if needed { format!("({text})") } else { text }
}

fn mult(mult: Mult) -> &'static str {
    match mult {
        Mult::One => "one",
        Mult::Lone => "lone",
        Mult::Some => "some",
        Mult::Set => "set",
        Mult::No => "no",
    }
}

impl Shower<'_> {
    /// A formula by itself.
    pub(crate) fn formula(&self, formula: &Formula) -> String {
        self.within(formula, 0)
    }

    /// A formula that stands where what binds more loosely than `level` needs parentheses.
    fn within(&self, formula: &Formula, level: u8) -> String {
        let (text, own) = match formula {
            Formula::Constant(true) => return "no none".to_owned(),
            Formula::Constant(false) => return "some none".to_owned(),
            Formula::Not(inner) => match &**inner {
                Formula::Equal(a, b, _) => {
                    return format!("{} != {}", self.set(a, UNION), self.set(b, UNION));
                }
                Formula::In(a, b, _) => {
                    return format!("{} not in {}", self.set(a, UNION), self.set(b, UNION));
                }
                other => (format!("not {}", self.within(other, PREFIX)), PREFIX),
            },
            Formula::And(all) => (self.list(all, AND, " and "), AND),
            Formula::Or(all) => (self.list(all, OR, " or "), OR),
            Formula::Iff(a, b) => {
                let (a, b) = (self.within(a, IFF + 1), self.within(b, IFF + 1));
                (format!("{a} iff {b}"), IFF)
            }
            Formula::If(c, a, b) => {
                let (c, then) = (self.within(c, AND), self.within(a, IMPLIES + 1));
                let text = match **b {
                    Formula::Constant(true) => format!("{c} implies {then}"),
                    _ => format!("{c} implies {then} else {}", self.within(b, IMPLIES + 1)),
                };
                (text, IMPLIES)
            }
            Formula::In(a, b, _) => {
                return format!("{} in {}", self.set(a, UNION), self.set(b, UNION));
            }
            Formula::Equal(a, b, _) => {
                return format!("{} = {}", self.set(a, UNION), self.set(b, UNION));
            }
            Formula::Compare(comparison, a, b) => {
                let sign = match comparison {
                    Comparison::In => "in",
                    Comparison::Equal => "=",
                    Comparison::Less => "<",
                    Comparison::Greater => ">",
                    Comparison::LessEqual => "=<",
                    Comparison::GreaterEqual => ">=",
                };
                return format!("{} {sign} {}", self.number(a), self.number(b));
            }
            Formula::Count(count, a, _) => {
                return format!("{} {}", mult(*count), self.set(a, UNION));
            }
            Formula::All(variable, set, body, _) => {
                (format!("all {} | {}", self.decl(*variable, set), self.within(body, 0)), 0)
            }
            Formula::Some(variable, set, body, _) => {
                (format!("some {} | {}", self.decl(*variable, set), self.within(body, 0)), 0)
            }
            Formula::Happens(event, arguments, _) => {
                let name = &self.design.events[event.0].name;
                let shown: Vec<String> = arguments.iter().map(|it| self.set(it, 0)).collect();
                let is_bare = shown.is_empty();
                return if is_bare {
                    name.clone()
                } else {
                    format!("{name}[{}]", shown.join(", "))
                };
            }
            Formula::Unary(operator, a) => {
                let word = match operator {
                    Temporal::Always => "always",
                    Temporal::Eventually => "eventually",
                    Temporal::After => "after",
                    Temporal::Before => "before",
                    Temporal::Historically => "historically",
                    Temporal::Once => "once",
                };
                (format!("{word} {}", self.within(a, PREFIX)), PREFIX)
            }
            Formula::Binary(operator, a, b) => {
                let word = match operator {
                    TemporalPair::Until => "until",
                    TemporalPair::Releases => "releases",
                    TemporalPair::Since => "since",
                    TemporalPair::Triggered => "triggered",
                };
                let (a, b) = (self.within(a, PAIR + 1), self.within(b, PAIR + 1));
                (format!("{a} {word} {b}"), PAIR)
            }
        };
        enclosed(text, own < level || (own == 0 && level > 0))
    }

    fn list(&self, all: &[Formula], level: u8, between: &str) -> String {
        let parts: Vec<String> = all.iter().map(|part| self.within(part, level + 1)).collect();
        parts.join(between)
    }

    fn decl(&self, variable: VariableId, set: &Set) -> String {
        format!("{} : {}", self.variable(variable), self.set(set, 0))
    }

    fn variable(&self, variable: VariableId) -> String {
        match self.bound.get(&variable) {
            Some(atom) => self.world.names[*atom as usize].clone(),
            None => self.design.variables[variable.0].clone(),
        }
    }

    fn set(&self, set: &Set, level: u8) -> String {
        let pair = |a: &Set, sign: &str, b: &Set, own: u8| {
            let text = format!("{}{sign}{}", self.set(a, own), self.set(b, own + 1));
            enclosed(text, own < level)
        };
        match set {
            Set::Relation(relation, when) => {
                let name = &self.design.relations[relation.0].name;
                let prime = if *when == When::Next { "'" } else { "" };
                format!("{name}{prime}")
            }
            Set::Variable(variable) => self.variable(*variable),
            Set::Atom(sig, number, _) if *sig == INT => number.to_string(),
            Set::Atom(sig, number, _) => match self.world.atom(*sig, *number) {
                Some(atom) => self.world.names[atom as usize].clone(),
                None => format!("{}${number}", self.design.sigs[sig.0].name),
            },
            Set::None(_) => "none".to_owned(),
            Set::Univ => "univ".to_owned(),
            Set::Iden => "iden".to_owned(),
            Set::NextIndex => "next".to_owned(),
            Set::Join(a, b) => pair(a, ".", b, JOIN),
            Set::Product(a, b) => pair(a, " -> ", b, PRODUCT),
            Set::Union(a, b) => pair(a, " + ", b, UNION),
            Set::Difference(a, b) => pair(a, " - ", b, UNION),
            Set::Intersection(a, b) => pair(a, " & ", b, INTERSECTION),
            Set::Override(a, b) => pair(a, " ++ ", b, OVERRIDE),
            Set::Domain(a, b) => pair(a, " <: ", b, DOMAIN),
            Set::Range(a, b) => pair(a, " :> ", b, RANGE),
            Set::Transpose(a) => format!("~{}", self.set(a, TIGHT)),
            Set::Closure(a) => format!("^{}", self.set(a, TIGHT)),
            Set::Reflexive(a) => format!("*{}", self.set(a, TIGHT)),
            Set::Comprehension(decls, body) => {
                let decls: Vec<String> =
                    decls.iter().map(|(variable, set)| self.decl(*variable, set)).collect();
                format!("{{ {} | {} }}", decls.join(", "), self.within(body, 0))
            }
            Set::If(c, a, b) => {
                let c = self.within(c, AND);
                format!("({c} implies {} else {})", self.set(a, UNION), self.set(b, UNION))
            }
            Set::Number(number, _) => self.number(number),
        }
    }

    fn number(&self, number: &Number) -> String {
        match number {
            Number::Literal(value) => value.to_string(),
            Number::Card(set) => format!("#{}", self.set(set, OVERRIDE)),
            Number::Value(set) => self.set(set, UNION),
            Number::Arithmetic(operator, a, b) => {
                let name = match operator {
                    Arithmetic::Plus => "plus",
                    Arithmetic::Minus => "minus",
                    Arithmetic::Times => "mul",
                    Arithmetic::Div => "div",
                    Arithmetic::Rem => "rem",
                };
                format!("{name}[{}, {}]", self.number(a), self.number(b))
            }
            Number::Sum(variable, set, body) => {
                format!("(sum {} | {})", self.decl(*variable, set), self.number(body))
            }
            Number::If(c, a, b) => {
                let c = self.within(c, AND);
                format!("({c} implies {} else {})", self.number(a), self.number(b))
            }
        }
    }
}
