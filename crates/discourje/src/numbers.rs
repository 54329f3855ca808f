//! Arithmetic, comparison and tests of kind: integers of 64 bits, ratios, floating-point numbers.

use std::cmp::Ordering;
use std::sync::Arc;

use super::builtin::Builtin;
use super::trap::{Result, Trap};
use super::value::{Value, ratio};

/// Computes a function of this module; `None` where it belongs to another.
pub(crate) fn call(builtin: Builtin, arguments: &[Value]) -> Option<Result<Value>> {
    Some(match builtin {
        Builtin::Add => fold(arguments, Value::Int(0), add),
        Builtin::Mul => fold(arguments, Value::Int(1), multiply),
        Builtin::Sub => inverse(arguments, &Value::Int(0), subtract),
        Builtin::Div => inverse(arguments, &Value::Int(1), divide),
        Builtin::Inc => one(builtin, arguments, |x| add(x, &Value::Int(1))),
        Builtin::Dec => one(builtin, arguments, |x| subtract(x, &Value::Int(1))),
        Builtin::Mod | Builtin::FloorMod => two(builtin, arguments, modulo),
        Builtin::FloorDiv => {
            two(builtin, arguments, |x, y| divide(&subtract(x, &modulo(x, y)?)?, y))
        }
        Builtin::Quot => two(builtin, arguments, quotient),
        Builtin::Rem => two(builtin, arguments, remainder),
        Builtin::Max | Builtin::JavaMax => extreme(arguments, Ordering::Greater),
        Builtin::Min | Builtin::JavaMin => extreme(arguments, Ordering::Less),
        Builtin::Abs => one(builtin, arguments, |x| {
            if compare(x, &Value::Int(0))? == Ordering::Less {
                subtract(&Value::Int(0), x)
            } else {
                Ok(x.clone())
            }
        }),
        Builtin::Equal => chain(arguments, |x, y| Ok(x == y)),
        Builtin::NotEqual => {
            chain(arguments, |x, y| Ok(x == y)).map(|same| Value::Bool(!same.is_true()))
        }
        Builtin::NumberEqual => chain(arguments, |x, y| Ok(compare(x, y)?.is_eq())),
        Builtin::Less => chain(arguments, |x, y| Ok(compare(x, y)?.is_lt())),
        Builtin::LessEqual => chain(arguments, |x, y| Ok(compare(x, y)?.is_le())),
        Builtin::Greater => chain(arguments, |x, y| Ok(compare(x, y)?.is_gt())),
        Builtin::GreaterEqual => chain(arguments, |x, y| Ok(compare(x, y)?.is_ge())),
        Builtin::Compare => two(builtin, arguments, |x, y| Ok(Value::Int(x.cmp(y) as i64))),
        Builtin::Not => one(builtin, arguments, |x| Ok(Value::Bool(!x.is_true()))),
        Builtin::Boolean => one(builtin, arguments, |x| Ok(Value::Bool(x.is_true()))),
        Builtin::Identity => one(builtin, arguments, |x| Ok(x.clone())),
        Builtin::BitNot => one(builtin, arguments, |x| Ok(Value::Int(!integer(x)?))),
        Builtin::BitAnd
        | Builtin::BitOr
        | Builtin::BitXor
        | Builtin::BitTest
        | Builtin::ShiftLeft
        | Builtin::ShiftRight => {
            two(builtin, arguments, |x, y| bits(builtin, integer(x)?, integer(y)?))
        }
        Builtin::Zero => sign(builtin, arguments, Ordering::is_eq),
        Builtin::Positive => sign(builtin, arguments, Ordering::is_gt),
        Builtin::Negative => sign(builtin, arguments, Ordering::is_lt),
        Builtin::Even => one(builtin, arguments, |x| Ok(Value::Bool(integer(x)? % 2 == 0))),
        Builtin::Odd => one(builtin, arguments, |x| Ok(Value::Bool(integer(x)? % 2 != 0))),
        Builtin::ToLong => one(builtin, arguments, to_long),
        Builtin::ToDouble => one(builtin, arguments, |x| Ok(Value::Float(float(x)?))),
        Builtin::Num => one(builtin, arguments, |x| Ok(x.clone())),
        Builtin::Ceil => real(builtin, arguments, f64::ceil),
        Builtin::Floor => real(builtin, arguments, f64::floor),
        Builtin::Sqrt => real(builtin, arguments, f64::sqrt),
        Builtin::Cbrt => real(builtin, arguments, f64::cbrt),
        Builtin::Log => real(builtin, arguments, f64::ln),
        Builtin::Log10 => real(builtin, arguments, f64::log10),
        Builtin::Exp => real(builtin, arguments, f64::exp),
        Builtin::Round => {
            one(builtin, arguments, |x| to_long(&Value::Float((float(x)? + 0.5).floor())))
        }
        Builtin::Pow => two(builtin, arguments, |x, y| Ok(Value::Float(float(x)?.powf(float(y)?)))),
        Builtin::BitCount => {
            one(builtin, arguments, |x| Ok(Value::Int(i64::from(integer(x)?.count_ones()))))
        }
        Builtin::TrailingZeros => {
            one(builtin, arguments, |x| Ok(Value::Int(i64::from(integer(x)?.trailing_zeros()))))
        }
        Builtin::HighestBit => one(builtin, arguments, |x| {
            let bit = integer(x)?.cast_unsigned().checked_ilog2();
            Ok(Value::Int(bit.map_or(0, |bit| 1i64.wrapping_shl(bit))))
        }),
        Builtin::IsNaturalInt => kind(builtin, arguments, |x| matches!(x, Value::Int(0..))),
        Builtin::IsPositiveInt => kind(builtin, arguments, |x| matches!(x, Value::Int(1..))),
        Builtin::IsNegativeInt => kind(builtin, arguments, |x| matches!(x, Value::Int(..=-1))),
        Builtin::IsNumber => kind(builtin, arguments, Value::is_number),
        Builtin::IsInteger => kind(builtin, arguments, |x| matches!(x, Value::Int(_))),
        Builtin::IsRatio => kind(builtin, arguments, |x| matches!(x, Value::Ratio(..))),
        Builtin::IsRational => {
            kind(builtin, arguments, |x| matches!(x, Value::Int(_) | Value::Ratio(..)))
        }
        Builtin::IsFloat => kind(builtin, arguments, |x| matches!(x, Value::Float(_))),
        Builtin::IsNil => kind(builtin, arguments, |x| matches!(x, Value::Nil)),
        Builtin::IsSome => kind(builtin, arguments, |x| !matches!(x, Value::Nil)),
        Builtin::IsTrue => kind(builtin, arguments, |x| matches!(x, Value::Bool(true))),
        Builtin::IsFalse => kind(builtin, arguments, |x| matches!(x, Value::Bool(false))),
        Builtin::IsBoolean => kind(builtin, arguments, |x| matches!(x, Value::Bool(_))),
        Builtin::IsString => kind(builtin, arguments, |x| matches!(x, Value::Text(_))),
        Builtin::IsKeyword => kind(builtin, arguments, |x| matches!(x, Value::Keyword(..))),
        Builtin::IsSymbol => kind(builtin, arguments, |x| matches!(x, Value::Symbol(_))),
        Builtin::IsChar => kind(builtin, arguments, |x| matches!(x, Value::Char(_))),
        Builtin::IsFn => kind(builtin, arguments, Value::is_function),
        Builtin::IsList => kind(builtin, arguments, |x| matches!(x, Value::List(_))),
        Builtin::IsVector => kind(builtin, arguments, |x| matches!(x, Value::Vector(_))),
        Builtin::IsSet => kind(builtin, arguments, |x| matches!(x, Value::Set(_))),
        Builtin::IsMap => kind(builtin, arguments, |x| matches!(x, Value::Map(_))),
        Builtin::IsSequential => {
            kind(builtin, arguments, |x| matches!(x, Value::List(_) | Value::Vector(_)))
        }
        Builtin::IsColl => kind(builtin, arguments, |x| {
            matches!(x, Value::List(_) | Value::Vector(_) | Value::Set(_) | Value::Map(_))
        }),
        Builtin::Type => one(builtin, arguments, |x| Ok(class_of(x))),
        _ => return None,
    })
}

pub(crate) fn wrong_count(builtin: Builtin, arguments: &[Value]) -> Box<Trap> {
    Trap::arity(format!("`{}` does not take {} arguments", builtin.name(), arguments.len()))
}

pub(crate) fn one(
    builtin: Builtin,
    arguments: &[Value],
    compute: impl FnOnce(&Value) -> Result<Value>,
) -> Result<Value> {
    match arguments {
        [x] => compute(x),
        _ => Err(wrong_count(builtin, arguments)),
    }
}

pub(crate) fn two(
    builtin: Builtin,
    arguments: &[Value],
    compute: impl FnOnce(&Value, &Value) -> Result<Value>,
) -> Result<Value> {
    match arguments {
        [x, y] => compute(x, y),
        _ => Err(wrong_count(builtin, arguments)),
    }
}

fn kind(builtin: Builtin, arguments: &[Value], test: impl FnOnce(&Value) -> bool) -> Result<Value> {
    one(builtin, arguments, |x| Ok(Value::Bool(test(x))))
}

fn real(builtin: Builtin, arguments: &[Value], compute: fn(f64) -> f64) -> Result<Value> {
    one(builtin, arguments, |x| Ok(Value::Float(compute(float(x)?))))
}

fn sign(builtin: Builtin, arguments: &[Value], test: fn(Ordering) -> bool) -> Result<Value> {
    one(builtin, arguments, |x| Ok(Value::Bool(test(compare(x, &Value::Int(0))?))))
}

fn fold(
    arguments: &[Value],
    unit: Value,
    combine: fn(&Value, &Value) -> Result<Value>,
) -> Result<Value> {
    arguments.iter().try_fold(unit, |sum, x| combine(&sum, x))
}

/// `-` and `/`: with one argument, from the unit.
fn inverse(
    arguments: &[Value],
    unit: &Value,
    combine: fn(&Value, &Value) -> Result<Value>,
) -> Result<Value> {
    match arguments {
        [] => Err(Trap::arity("this function needs an argument")),
        [x] => combine(unit, x),
        [first, rest @ ..] => rest.iter().try_fold(first.clone(), |sum, x| combine(&sum, x)),
    }
}

fn chain(arguments: &[Value], test: impl Fn(&Value, &Value) -> Result<bool>) -> Result<Value> {
    if arguments.is_empty() {
        return Err(Trap::arity("a comparison needs an argument"));
    }
    for pair in arguments.windows(2) {
        if !test(&pair[0], &pair[1])? {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn extreme(arguments: &[Value], wanted: Ordering) -> Result<Value> {
    let Some((first, rest)) = arguments.split_first() else {
        return Err(Trap::arity("`max` and `min` need an argument"));
    };
    compare(first, first)?;
    rest.iter().try_fold(first.clone(), |best, x| {
        Ok(if compare(x, &best)? == wanted { x.clone() } else { best })
    })
}

/// A number as an integer.
pub(crate) fn integer(value: &Value) -> Result<i64> {
    match value {
        Value::Int(value) => Ok(*value),
        Value::Float(value) if value.fract() == 0.0 => match to_long(&Value::Float(*value))? {
            Value::Int(value) => Ok(value),
            _ => Err(overflow()),
        },
        other => Err(Trap::argument(format!("{} is no integer", other.print()))),
    }
}

fn float(value: &Value) -> Result<f64> {
    match value {
        Value::Int(value) => Ok(*value as f64),
        Value::Ratio(upper, lower) => Ok(*upper as f64 / *lower as f64),
        Value::Float(value) => Ok(*value),
        other => Err(not_a_number(other)),
    }
}

fn not_a_number(value: &Value) -> Box<Trap> {
    Trap::class_cast(format!("{} is no number", value.print()))
}

fn overflow() -> Box<Trap> {
    Trap::arithmetic("a number grows beyond 64 bits")
}

/// A number as an exact fraction.
fn fraction(value: &Value) -> Option<(i128, i128)> {
    match value {
        Value::Int(value) => Some((i128::from(*value), 1)),
        Value::Ratio(upper, lower) => Some((i128::from(*upper), i128::from(*lower))),
        _ => None,
    }
}

/// Exact where both are, else in floating point.
fn arithmetic(
    x: &Value,
    y: &Value,
    exact: impl FnOnce((i128, i128), (i128, i128)) -> Option<(i128, i128)>,
    approximate: impl FnOnce(f64, f64) -> f64,
) -> Result<Value> {
    match (fraction(x), fraction(y)) {
        (Some(a), Some(b)) => {
            exact(a, b).and_then(|(upper, lower)| ratio(upper, lower)).ok_or_else(overflow)
        }
        _ => Ok(Value::Float(approximate(float(x)?, float(y)?))),
    }
}

fn add(x: &Value, y: &Value) -> Result<Value> {
    if let (Value::Int(x), Value::Int(y)) = (x, y) {
        return x.checked_add(*y).map(Value::Int).ok_or_else(overflow);
    }
    arithmetic(
        x,
        y,
        |(a, b), (c, d)| a.checked_mul(d)?.checked_add(c.checked_mul(b)?).zip(b.checked_mul(d)),
        |a, b| a + b,
    )
}

fn subtract(x: &Value, y: &Value) -> Result<Value> {
    if let (Value::Int(x), Value::Int(y)) = (x, y) {
        return x.checked_sub(*y).map(Value::Int).ok_or_else(overflow);
    }
    arithmetic(
        x,
        y,
        |(a, b), (c, d)| a.checked_mul(d)?.checked_sub(c.checked_mul(b)?).zip(b.checked_mul(d)),
        |a, b| a - b,
    )
}

fn multiply(x: &Value, y: &Value) -> Result<Value> {
    arithmetic(x, y, |(a, b), (c, d)| a.checked_mul(c).zip(b.checked_mul(d)), |a, b| a * b)
}

fn divide(x: &Value, y: &Value) -> Result<Value> {
    if fraction(x).is_some() && matches!(y, Value::Int(0)) {
        return Err(Trap::arithmetic("division by zero"));
    }
    arithmetic(x, y, |(a, b), (c, d)| a.checked_mul(d).zip(b.checked_mul(c)), |a, b| a / b)
}

/// Integer division towards zero, of any numbers.
fn quotient(x: &Value, y: &Value) -> Result<Value> {
    match (fraction(x), fraction(y)) {
        (_, Some((0, _))) => Err(Trap::arithmetic("division by zero")),
        (Some((a, b)), Some((c, d))) => {
            let whole = a.checked_mul(d).zip(b.checked_mul(c)).map(|(upper, lower)| upper / lower);
            whole.and_then(|whole| ratio(whole, 1)).ok_or_else(overflow)
        }
        _ => Ok(Value::Float((float(x)? / float(y)?).trunc())),
    }
}

fn remainder(x: &Value, y: &Value) -> Result<Value> {
    subtract(x, &multiply(&quotient(x, y)?, y)?)
}

fn modulo(x: &Value, y: &Value) -> Result<Value> {
    let rest = remainder(x, y)?;
    let zero = Value::Int(0);
    let apart =
        compare(&rest, &zero)? != Ordering::Equal && compare(&rest, &zero)? != compare(y, &zero)?;
    if apart { add(&rest, y) } else { Ok(rest) }
}

/// Compares numbers by value.
pub(crate) fn compare(x: &Value, y: &Value) -> Result<Ordering> {
    match (fraction(x), fraction(y)) {
        (Some((a, b)), Some((c, d))) => Ok((a * d).cmp(&(c * b))),
        _ => {
            let (a, b) = (float(x)?, float(y)?);
            a.partial_cmp(&b).ok_or_else(|| Trap::arithmetic("NaN cannot be compared"))
        }
    }
}

fn bits(builtin: Builtin, x: i64, y: i64) -> Result<Value> {
    let by = (y & 63) as u32;
    Ok(match builtin {
        Builtin::BitAnd => Value::Int(x & y),
        Builtin::BitOr => Value::Int(x | y),
        Builtin::BitXor => Value::Int(x ^ y),
        Builtin::ShiftLeft => Value::Int(x.wrapping_shl(by)),
        Builtin::ShiftRight => Value::Int(x.wrapping_shr(by)),
        _ => Value::Bool(x.wrapping_shr(by) & 1 == 1),
    })
}

fn to_long(value: &Value) -> Result<Value> {
    match value {
        Value::Int(_) => Ok(value.clone()),
        Value::Ratio(upper, lower) => Ok(Value::Int(upper / lower)),
        Value::Char(character) => Ok(Value::Int(i64::from(u32::from(*character)))),
        Value::Float(number) => {
            let whole = number.trunc();
            if whole.abs() < 9.2e18 { Ok(Value::Int(whole as i64)) } else { Err(overflow()) }
        }
        other => Err(not_a_number(other)),
    }
}

fn class_of(value: &Value) -> Value {
    let name = match value {
        Value::Nil => return Value::Nil,
        Value::Bool(_) => "Boolean",
        Value::Int(_) => "Long",
        Value::Ratio(..) => "Ratio",
        Value::Float(_) => "Double",
        Value::Char(_) => "Character",
        Value::Text(_) => "String",
        Value::Keyword(..) => "Keyword",
        _ => "Object",
    };
    Value::Symbol(Arc::from(name))
}
