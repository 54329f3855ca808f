//! Terms of symmetric nets: colours, multisets of colours, conditions; how they are read, and what they
//! are where variables have values.

use super::declare::Declarations;
use super::sorts::{Colour, Kind, SortId, Sorts};
use super::{mismatch, strange, unknown};
use crate::xml::{Node, Read};

/// A multiset of colours, or one colour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Expression {
    pub sort: SortId,
    shape: Shape,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Shape {
    Colour(Colour),
    Variable(usize),
    /// The next colour, or the one before, going round.
    Successor(Box<Expression>),
    Predecessor(Box<Expression>),
    Tuple(Vec<Expression>),
    /// Per colour of the sort that is divided, its part.
    PartOf(Vec<Option<Colour>>, Box<Expression>),
    /// Every colour once.
    All,
    /// Each of these once.
    Each(Vec<Colour>),
    Times(u32, Box<Expression>),
    Sum(Vec<Expression>),
    /// The first without the others.
    Difference(Vec<Expression>),
}

/// What must hold of a binding.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Constant(bool),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Compare(Comparison, Expression, Expression),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Comparison {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "equality" => Self::Equal,
            "inequality" => Self::Unequal,
            "lessthan" | "ltp" => Self::Less,
            "lessthanorequal" => Self::AtMost,
            "greaterthan" | "gtp" => Self::Greater,
            "greaterthanorequal" => Self::AtLeast,
            _ => return None,
        })
    }

    fn holds(self, one: i64, other: i64) -> bool {
        match self {
            Self::Equal => one == other,
            Self::Unequal => one != other,
            Self::Less => one < other,
            Self::AtMost => one <= other,
            Self::Greater => one > other,
            Self::AtLeast => one >= other,
        }
    }
}

impl Expression {
    /// One dot.
    pub(super) fn dot(sort: SortId) -> Self {
        Self { sort, shape: Shape::Colour(0) }
    }

    /// Whether it is one colour, whatever values variables have.
    fn is_single(&self) -> bool {
        match &self.shape {
            Shape::Colour(_) | Shape::Variable(_) => true,
            Shape::Successor(inner) | Shape::Predecessor(inner) | Shape::PartOf(_, inner) => {
                inner.is_single()
            }
            Shape::Tuple(parts) => parts.iter().all(Self::is_single),
            _ => false,
        }
    }

    /// Its parts.
    fn parts(&self) -> &[Expression] {
        match &self.shape {
            Shape::Colour(_) | Shape::Variable(_) | Shape::All | Shape::Each(_) => &[],
            Shape::Successor(inner)
            | Shape::Predecessor(inner)
            | Shape::PartOf(_, inner)
            | Shape::Times(_, inner) => std::slice::from_ref(inner),
            Shape::Tuple(parts) | Shape::Sum(parts) | Shape::Difference(parts) => parts,
        }
    }

    /// Marks the variables it speaks about.
    pub(super) fn mark(&self, used: &mut [bool]) {
        if let Shape::Variable(variable) = self.shape {
            used[variable] = true;
        }
        self.parts().iter().for_each(|part| part.mark(used));
    }

    /// The variable that it is.
    pub(super) fn variable(&self) -> Option<usize> {
        match self.shape {
            Shape::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    /// Its colour, where it is one and has no variable.
    pub(super) fn constant(&self, sorts: &Sorts) -> Option<Colour> {
        match &self.shape {
            Shape::Tuple(parts) => {
                let parts = parts.iter().map(|part| part.constant(sorts));
                Some(sorts.tuple(self.sort, parts.collect::<Option<Vec<_>>>()?))
            }
            Shape::Colour(colour) => Some(*colour),
            _ => None,
        }
    }

    /// Its colour, where it is one.
    pub(super) fn colour(&self, sorts: &Sorts, binding: &[Colour]) -> Option<Colour> {
        let n = || sorts.n_colours(self.sort);
        match &self.shape {
            Shape::Colour(colour) => Some(*colour),
            Shape::Variable(variable) => Some(binding[*variable]),
            Shape::Successor(inner) => Some((inner.colour(sorts, binding)? + 1) % n()),
            Shape::Predecessor(inner) => {
                let colour = inner.colour(sorts, binding)?;
                Some(colour.checked_sub(1).unwrap_or(n() - 1))
            }
            Shape::Tuple(parts) => {
                let mut colours = Vec::with_capacity(parts.len());
                for part in parts {
                    colours.push(part.colour(sorts, binding)?);
                }
                Some(sorts.tuple(self.sort, colours))
            }
            Shape::PartOf(part_of, inner) => part_of[inner.colour(sorts, binding)? as usize],
            _ => None,
        }
    }

    /// Its colours with how often it has each; a number may be negative, or come in several pieces.
    pub(super) fn bag(&self, sorts: &Sorts, binding: &[Colour]) -> Vec<(Colour, i64)> {
        if let Some(colour) = self.colour(sorts, binding) {
            return vec![(colour, 1)];
        }
        let n = sorts.n_colours(self.sort);
        let turned = |inner: &Expression, by: u32| {
            let bag = inner.bag(sorts, binding).into_iter();
            bag.map(|(colour, count)| ((colour + by) % n, count)).collect()
        };
        match &self.shape {
            Shape::All => (0..n).map(|colour| (colour, 1)).collect(),
            Shape::Each(colours) => colours.iter().map(|&colour| (colour, 1)).collect(),
            Shape::Times(times, inner) => {
                let bag = inner.bag(sorts, binding).into_iter();
                bag.map(|(colour, count)| (colour, count * i64::from(*times))).collect()
            }
            Shape::Sum(parts) => parts.iter().flat_map(|part| part.bag(sorts, binding)).collect(),
            Shape::Difference(parts) => {
                let signed = |(number, part): (usize, &Expression)| {
                    let sign = if number == 0 { 1 } else { -1 };
                    let bag = part.bag(sorts, binding).into_iter();
                    bag.map(move |(colour, count)| (colour, sign * count))
                };
                parts.iter().enumerate().flat_map(signed).collect()
            }
            Shape::Tuple(parts) => {
                // Every combination of what the parts hold.
                let mut all = vec![(Vec::new(), 1)];
                for part in parts {
                    let bag = part.bag(sorts, binding);
                    let mut longer = Vec::with_capacity(all.len() * bag.len());
                    for (colours, count) in &all {
                        for &(colour, more) in &bag {
                            let mut colours = colours.clone();
                            colours.push(colour);
                            longer.push((colours, count * more));
                        }
                    }
                    all = longer;
                }
                let joined = |(colours, count)| (sorts.tuple(self.sort, colours), count);
                all.into_iter().map(joined).collect()
            }
            Shape::Successor(inner) => turned(inner, 1),
            Shape::Predecessor(inner) => turned(inner, n - 1),
            // A colour that is in no part has none.
            Shape::PartOf(..) | Shape::Colour(_) | Shape::Variable(_) => Vec::new(),
        }
    }

    /// How many entries its bag has at most, as far as that is seen without variables.
    pub(super) fn size(&self, sorts: &Sorts) -> u64 {
        let parts = self.parts().iter().map(|part| part.size(sorts));
        match &self.shape {
            Shape::All => u64::from(sorts.n_colours(self.sort)),
            Shape::Each(colours) => colours.len() as u64,
            Shape::Tuple(_) => parts.fold(1, u64::saturating_mul),
            Shape::Sum(_) | Shape::Difference(_) => parts.fold(0, u64::saturating_add),
            _ => parts.max().unwrap_or(1),
        }
    }
}

impl Condition {
    pub(super) fn holds(&self, sorts: &Sorts, binding: &[Colour]) -> bool {
        match self {
            Condition::Constant(value) => *value,
            Condition::Not(inner) => !inner.holds(sorts, binding),
            Condition::All(parts) => parts.iter().all(|part| part.holds(sorts, binding)),
            Condition::Any(parts) => parts.iter().any(|part| part.holds(sorts, binding)),
            Condition::Compare(comparison, one, other) => {
                let rank =
                    |side: &Expression| Some(sorts.rank(side.sort, side.colour(sorts, binding)?));
                match (rank(one), rank(other)) {
                    (Some(one), Some(other)) => comparison.holds(one, other),
                    _ => false,
                }
            }
        }
    }

    pub(super) fn mark(&self, used: &mut [bool]) {
        match self {
            Condition::Constant(_) => {}
            Condition::Not(inner) => inner.mark(used),
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().for_each(|part| part.mark(used));
            }
            Condition::Compare(_, one, other) => {
                one.mark(used);
                other.mark(used);
            }
        }
    }
}

impl Declarations {
    /// Reads a term that is a colour or a multiset of colours.
    pub(super) fn expression(&mut self, node: &Node<'_>) -> Read<Expression> {
        let declared = node.element.attribute("declaration").unwrap_or("");
        let made = |sort, shape| Ok(Expression { sort, shape });
        match node.element.name {
            "subterm" | "structure" => {
                let only = self.only(node, "a term")?;
                self.expression(only)
            }
            "dotconstant" => made(self.dot, Shape::Colour(0)),
            "variable" => {
                let name = node.element.attribute("refvariable").unwrap_or("");
                match self.variable_ids.get(name) {
                    Some(&variable) => {
                        made(self.variables[variable].sort, Shape::Variable(variable))
                    }
                    None => Err(unknown(self.source, node, "variable", name)),
                }
            }
            "useroperator" => match self.constants.get(declared) {
                Some(&(sort, colour)) => made(sort, Shape::Colour(colour)),
                None => Err(unknown(self.source, node, "constant", declared)),
            },
            "booleanconstant" => {
                let value = node.element.attribute("value") == Some("true");
                made(self.bool, Shape::Colour(Colour::from(value)))
            }
            "finiteintrangeconstant" => self.integer(node),
            "successor" => {
                let inner = self.argument(node)?;
                made(inner.sort, Shape::Successor(Box::new(inner)))
            }
            "predecessor" => {
                let inner = self.argument(node)?;
                made(inner.sort, Shape::Predecessor(Box::new(inner)))
            }
            "partitionelementof" => self.part_of(node),
            "tuple" => {
                let parts = self.arguments(node)?;
                let sorts = parts.iter().map(|part| part.sort).collect();
                match self.sorts.product(sorts) {
                    Some(sort) => made(sort, Shape::Tuple(parts)),
                    None => Err(mismatch(self.source, node, "the tuple has too many colours")),
                }
            }
            "all" | "empty" => self.all(node),
            "numberof" | "scalarproduct" => self.times(node),
            "add" => self.joined(node, Shape::Sum),
            "subtract" => self.joined(node, Shape::Difference),
            _ => Err(strange(self.source, node, "a term of symmetric nets")),
        }
    }

    fn arguments(&mut self, node: &Node<'_>) -> Read<Vec<Expression>> {
        node.parts.iter().map(|part| self.expression(part)).collect()
    }

    fn argument(&mut self, node: &Node<'_>) -> Read<Expression> {
        let only = self.only(node, "a term")?;
        self.expression(only)
    }

    fn integer(&mut self, node: &Node<'_>) -> Read<Expression> {
        let sort = self.only(node, "its range")?;
        let sort = self.sort(sort)?;
        let value = node.element.attribute("value").and_then(|it| it.trim().parse::<i64>().ok());
        if let (Kind::Range(start), Some(value)) = (self.sorts.kind(sort), value) {
            let colour = value.checked_sub(*start).and_then(|it| Colour::try_from(it).ok());
            if let Some(colour) = colour.filter(|&colour| colour < self.sorts.n_colours(sort)) {
                return Ok(Expression { sort, shape: Shape::Colour(colour) });
            }
        }
        Err(mismatch(self.source, node, "the constant is not in its range"))
    }

    fn part_of(&mut self, node: &Node<'_>) -> Read<Expression> {
        let name = node.element.attribute("refpartition").unwrap_or("");
        let inner = self.argument(node)?;
        let Some(partition) = self.partitions.get(name) else {
            return Err(unknown(self.source, node, "partition", name));
        };
        if partition.of != inner.sort {
            return Err(mismatch(self.source, node, "the partition is of another sort"));
        }
        let shape = Shape::PartOf(partition.part_of.clone(), Box::new(inner));
        Ok(Expression { sort: partition.parts, shape })
    }

    fn all(&mut self, node: &Node<'_>) -> Read<Expression> {
        let named = self.only(node, "a sort")?;
        let name = named.element.attribute("declaration").unwrap_or("");
        if let Some((sort, colours)) = self.subsets.get(name) {
            return Ok(Expression { sort: *sort, shape: Shape::Each(colours.clone()) });
        }
        let sort = self.sort(named)?;
        let shape = if node.element.name == "all" { Shape::All } else { Shape::Each(Vec::new()) };
        Ok(Expression { sort, shape })
    }

    fn times(&mut self, node: &Node<'_>) -> Read<Expression> {
        let [number, term] = &node.parts[..] else {
            let message = format!("`{}` has a number and a term", node.element.name);
            return Err(mismatch(self.source, node, message));
        };
        let mut constant = number;
        while constant.element.name == "subterm" {
            constant = self.only(constant, "a number")?;
        }
        let value = constant.element.attribute("value").and_then(|it| it.trim().parse().ok());
        let times =
            value.filter(|&n: &u32| n < 1 << 31 && constant.element.name == "numberconstant");
        let Some(times) = times else {
            let message = "expected `<numberconstant value=\"…\">` with 0, 1, 2, …";
            return Err(mismatch(self.source, constant, message));
        };
        let inner = self.expression(term)?;
        Ok(Expression { sort: inner.sort, shape: Shape::Times(times, Box::new(inner)) })
    }

    fn joined(&mut self, node: &Node<'_>, shape: fn(Vec<Expression>) -> Shape) -> Read<Expression> {
        let parts = self.arguments(node)?;
        let Some(sort) = parts.first().map(|part| part.sort) else {
            let message = format!("`{}` has no operand", node.element.name);
            return Err(mismatch(self.source, node, message));
        };
        for (part, written) in parts.iter().zip(&node.parts) {
            self.fits(part, sort, written)?;
        }
        Ok(Expression { sort, shape: shape(parts) })
    }

    /// Whether a term is of a sort.
    pub(super) fn fits(&self, term: &Expression, sort: SortId, node: &Node<'_>) -> Read<()> {
        if term.sort == sort {
            return Ok(());
        }
        let (found, expected) = (self.sorts.describe(term.sort), self.sorts.describe(sort));
        let message = format!("the term is of the sort {found} and not of {expected}");
        Err(mismatch(self.source, node, message))
    }

    /// Reads the condition of a transition.
    pub(super) fn condition(&mut self, node: &Node<'_>) -> Read<Condition> {
        let parts = |declarations: &mut Self| -> Read<Vec<Condition>> {
            node.parts.iter().map(|part| declarations.condition(part)).collect()
        };
        if let Some(comparison) = Comparison::of(node.element.name) {
            return self.comparison(node, comparison);
        }
        Ok(match node.element.name {
            "subterm" | "structure" => {
                let only = self.only(node, "a condition")?;
                self.condition(only)?
            }
            "booleanconstant" => {
                Condition::Constant(node.element.attribute("value") == Some("true"))
            }
            "and" => Condition::All(parts(self)?),
            "or" => Condition::Any(parts(self)?),
            "not" => {
                let only = self.only(node, "a condition")?;
                Condition::Not(Box::new(self.condition(only)?))
            }
            "imply" => {
                let Ok([one, other]) = <[Condition; 2]>::try_from(parts(self)?) else {
                    return Err(mismatch(self.source, node, "`imply` has two operands"));
                };
                Condition::Any(vec![Condition::Not(Box::new(one)), other])
            }
            _ => return Err(strange(self.source, node, "a condition")),
        })
    }

    fn comparison(&mut self, node: &Node<'_>, comparison: Comparison) -> Read<Condition> {
        let Ok([one, other]) = <[Expression; 2]>::try_from(self.arguments(node)?) else {
            let message = format!("`{}` compares two terms", node.element.name);
            return Err(mismatch(self.source, node, message));
        };
        if !one.is_single() || !other.is_single() {
            return Err(mismatch(self.source, node, "multisets are not compared"));
        }
        if !self.sorts.are_comparable(one.sort, other.sort) {
            self.fits(&other, one.sort, &node.parts[1])?;
        }
        Ok(Condition::Compare(comparison, one, other))
    }
}
