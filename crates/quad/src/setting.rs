//! A program with the values of its parameters: domains, dimensions, and the variables of the state.

use std::cell::Cell;
use std::sync::Arc;

use quadrille_diagnostic::{Diagnostic, Span};

use super::codes;
use super::eval::Evaluator;
use super::program::{ArrayId, Domain, Expr, FamilyId, MessageId, Program, Value};
use quadrille_protocol::core::{DataType, Variable, VariableId};

/// Most elements of one set.
pub(super) const MAX_SET: usize = 100_000;

/// How much may still be computed: a unit for each element of a set.
pub(super) struct Fuel(Cell<usize>);

impl Default for Fuel {
    fn default() -> Self {
        Self(Cell::new(10_000_000))
    }
}

impl Fuel {
    /// What a statement costs.
    pub(super) const STATEMENT: usize = 10;

    /// Takes so much, if there is so much left.
    pub(super) fn burn(&self, amount: usize, span: Span) -> Evaluated<()> {
        let left = self.0.get().checked_sub(amount);
        self.0.set(left.unwrap_or(0));
        left.map(drop).ok_or_else(|| too_large(span, "this becomes too large"))
    }
}

/// What is computed, or what is wrong.
pub(super) type Evaluated<T> = Result<T, Box<Diagnostic>>;

/// An array of variables of the state.
#[derive(Clone, Debug)]
struct Placed {
    /// The number of its first variable.
    first: u32,
    dimensions: Vec<Vec<i64>>,
}

/// A program with the values of its parameters, and all that follows from them.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) program: Arc<Program>,
    pub(super) parameters: Vec<Value>,
    families: Vec<Vec<Vec<i64>>>,
    arrays: Vec<Placed>,
    fields: Vec<Vec<DataType>>,
    pub(super) variables: Vec<Variable>,
}

impl Setting {
    /// Gives every parameter its value: the one named in `given`, else its usual one.
    pub(super) fn new(
        program: &Arc<Program>,
        given: &[(String, i64)],
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut setting = Self {
            program: Arc::clone(program),
            parameters: Vec::new(),
            families: Vec::new(),
            arrays: Vec::new(),
            fields: Vec::new(),
            variables: Vec::new(),
        };
        setting.fill(given).map_err(|diagnostic| vec![*diagnostic])?;
        Ok(setting)
    }

    fn fill(&mut self, given: &[(String, i64)]) -> Evaluated<()> {
        let program = Arc::clone(&self.program);
        for (name, default) in &program.parameters {
            let named = given.iter().rev().find(|(given, _)| *given == name.text);
            let value = match (named, default) {
                (Some((_, value)), _) => Value::Int(*value),
                (None, Some(default)) => self.constant(default)?,
                (None, None) => Value::Int(0),
            };
            self.parameters.push(value);
        }
        for family in &program.families {
            let dimensions = self.dimensions(&family.dimensions)?;
            self.families.push(dimensions);
        }
        for message in &program.messages {
            let fields = message.fields.iter();
            let fields =
                fields.map(|(_, domain)| self.data_type(domain)).collect::<Result<_, _>>()?;
            self.fields.push(fields);
        }
        for array in &program.arrays {
            let dimensions = self.dimensions(&array.dimensions)?;
            let data_type = self.data_type(&array.domain)?;
            let (min, max) = data_type.bounds();
            let initial = match &array.initial {
                None => min,
                Some(expr) => {
                    let value = self.constant(expr)?.number().unwrap_or(min);
                    if value < min || value > max {
                        let message = format!("`{}` cannot start as {value}", array.name.text);
                        return Err(Box::new(
                            Diagnostic::error(&codes::DOMAIN, message)
                                .at(expr.span, format!("its values are {min} to {max}"))
                                .help("widen the domain, or start with another value"),
                        ));
                    }
                    value
                }
            };
            let first = self.variables.len() as u32;
            for indices in product(&dimensions, array.name.span)? {
                let indices: String = indices.iter().map(|index| format!("[{index}]")).collect();
                self.variables.push(Variable {
                    name: format!("{}{indices}", array.name.text),
                    data_type: data_type.clone(),
                    initial,
                });
                if self.variables.len() > MAX_SET {
                    return Err(too_large(array.name.span, "too many variables"));
                }
            }
            self.arrays.push(Placed { first, dimensions });
        }
        Ok(())
    }

    fn dimensions(&self, dimensions: &[Expr]) -> Evaluated<Vec<Vec<i64>>> {
        let set = |expr| Ok(numbers(&self.constant(expr)?));
        dimensions.iter().map(set).collect()
    }

    fn data_type(&self, domain: &Domain) -> Evaluated<DataType> {
        Ok(match domain {
            Domain::Bool => DataType::Bool,
            Domain::Enum(id) => {
                let values = &self.program.enums[id.0].values;
                DataType::Enum(values.iter().map(|value| value.text.clone()).collect())
            }
            Domain::Range(expr) => {
                let values = numbers(&self.constant(expr)?);
                match (values.first(), values.last()) {
                    (Some(&min), Some(&max)) if (max - min) as usize == values.len() - 1 => {
                        DataType::Int { min, max }
                    }
                    (None, _) | (_, None) => {
                        return Err(Box::new(
                            Diagnostic::error(&codes::DOMAIN, "a domain without values")
                                .at(expr.span, "this is empty")
                                .help("`a..b` leaves out `b`; `a..=b` has it"),
                        ));
                    }
                    _ => {
                        return Err(Box::new(
                            Diagnostic::error(&codes::DOMAIN, "a domain with gaps")
                                .at(expr.span, "this is no range")
                                .help("write a range such as `0..=3`"),
                        ));
                    }
                }
            }
        })
    }

    /// The value of an expression in which no name is bound.
    pub(super) fn constant(&self, expr: &Expr) -> Evaluated<Value> {
        let fuel = Fuel::default();
        Evaluator { setting: self, locals: &[], frozen: &[], fuel: &fuel }.value(expr)
    }

    /// The values of the fields of a message.
    pub(super) fn fields(&self, message: MessageId) -> &[DataType] {
        &self.fields[message.0]
    }

    /// The values of a field as the language knows them.
    pub(super) fn field_values(&self, message: MessageId, field: usize) -> Vec<Value> {
        let (_, domain) = &self.program.messages[message.0].fields[field];
        let (min, max) = self.fields[message.0][field].bounds();
        (min..=max).map(|number| from_number(domain, number)).collect()
    }

    /// The values of a variable as numbers: least and greatest.
    pub(super) fn bounds(&self, variable: VariableId) -> (i64, i64) {
        self.variables[variable.0 as usize].data_type.bounds()
    }

    /// The indices of a family, one set per dimension.
    pub(super) fn indices(&self, family: FamilyId) -> &[Vec<i64>] {
        &self.families[family.0]
    }

    /// The variable of an array at these indices.
    pub(super) fn variable(
        &self,
        array: ArrayId,
        indices: &[i64],
        span: Span,
    ) -> Evaluated<VariableId> {
        let placed = &self.arrays[array.0];
        let mut position = 0;
        for (index, dimension) in indices.iter().zip(&placed.dimensions) {
            let Ok(at) = dimension.binary_search(index) else {
                let name = &self.program.arrays[array.0].name.text;
                return Err(out_of_range(name, *index, dimension, span));
            };
            position = position * dimension.len() + at;
        }
        Ok(VariableId(placed.first + position as u32))
    }
}

/// The value that a number of the core stands for.
pub(super) fn from_number(domain: &Domain, number: i64) -> Value {
    match domain {
        Domain::Bool => Value::Bool(number != 0),
        Domain::Enum(id) => Value::Enum(*id, number as u32),
        Domain::Range(_) => Value::Int(number),
    }
}

/// The numbers of a set.
pub(super) fn numbers(value: &Value) -> Vec<i64> {
    match value {
        Value::Set(values) => values.iter().filter_map(Value::number).collect(),
        single => single.number().into_iter().collect(),
    }
}

/// Every choice of one element from each set, in order.
pub(super) fn product(sets: &[Vec<i64>], span: Span) -> Evaluated<Vec<Vec<i64>>> {
    let size = sets.iter().try_fold(1usize, |size, set| size.checked_mul(set.len()));
    if size.is_none_or(|size| size > MAX_SET) {
        return Err(too_large(span, &format!("more than {MAX_SET} combinations of indices")));
    }
    let mut chosen = vec![Vec::new()];
    for set in sets {
        chosen = chosen
            .iter()
            .flat_map(|before| set.iter().map(move |&last| [&before[..], &[last]].concat()))
            .collect();
    }
    Ok(chosen)
}

pub(super) fn out_of_range(
    name: &str,
    index: i64,
    dimension: &[i64],
    span: Span,
) -> Box<Diagnostic> {
    let there_are = match dimension {
        [] => "there is none".to_owned(),
        [only] => format!("there is only {only}"),
        [first, .., last] => format!("there are {first} to {last}"),
    };
    Box::new(
        Diagnostic::error(&codes::INDEX, format!("`{name}[{index}]` does not exist"))
            .at(span, format!("the index is {index} here; {there_are}"))
            .help("correct the index, or declare more of them"),
    )
}

/// What to say about something without a reasonable end.
pub(super) fn too_large(span: Span, what: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::TOO_LARGE, what)
            .at(span, "grows beyond every reasonable size")
            .help("use smaller numbers or sets"),
    )
}
