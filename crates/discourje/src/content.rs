//! Arguments of sessions and loops as bytes that are the same in every process, and back.

use std::sync::Arc;

use quadrille_protocol::core::{Reader, Writer};

use crate::value::{Value, ratio};

/// Adds a value. Lists and vectors that are equal are written alike.
pub(crate) fn write(value: &Value, out: &mut Writer) {
    out.number(u64::from(value.rank()));
    match value {
        Value::Nil => {}
        Value::Bool(value) => out.number(u64::from(*value)),
        Value::Int(number) => out.signed(*number),
        Value::Ratio(upper, lower) => [*upper, *lower].iter().for_each(|&part| out.signed(part)),
        Value::Float(number) => out.number(number.to_bits()),
        Value::Char(char) => out.number(u64::from(u32::from(*char))),
        Value::Text(text) | Value::Symbol(text) | Value::Regex(text) => out.text(text),
        Value::Keyword(name, is_qualified) => {
            out.text(name);
            out.number(u64::from(*is_qualified));
        }
        Value::Role(role) => out.role(role),
        Value::List(items) | Value::Vector(items) | Value::Composed(items) => {
            out.list(items.items.iter(), |out, item| write(item, out));
        }
        Value::Set(items) => out.list(items.items.iter(), |out, item| write(item, out)),
        Value::Map(items) => out.list(items.items.iter(), |out, (key, value)| {
            write(key, out);
            write(value, out);
        }),
        Value::Function(closure) => {
            let place = closure.place();
            out.numbers(&[place.source.number(), place.start, place.end].map(u64::from));
            out.list(closure.env.bindings().into_iter(), |out, (name, value)| {
                out.number(u64::from(name.0));
                write(value, out);
            });
        }
        Value::Builtin(builtin) => out.number(*builtin as u64),
        Value::Partial(parts) => {
            write(&parts.0, out);
            out.list(parts.1.iter(), |out, item| write(item, out));
        }
        Value::Constantly(inner) | Value::Complement(inner) => write(inner, out),
    }
}

/// The value that was written; `None` for functions, which cannot be made of their places.
pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Value> {
    Some(match reader.number()? {
        0 => Value::Nil,
        1 => Value::Bool(reader.number()? != 0),
        2 => Value::Int(reader.signed()?),
        3 => ratio(reader.signed()?.into(), reader.signed()?.into())?,
        4 => Value::Float(f64::from_bits(reader.number()?)),
        5 => Value::Char(u32::try_from(reader.number()?).ok()?.try_into().ok()?),
        6 => Value::text(reader.text()?),
        7 => Value::Keyword(reader.text()?.into(), reader.number()? != 0),
        8 => Value::Symbol(reader.text()?.into()),
        9 => Value::Regex(reader.text()?.into()),
        10 => Value::Role(Arc::new(reader.role()?)),
        11 => Value::vector(reader.list(read)?),
        12 => Value::set(reader.list(read)?.into_iter().collect()),
        13 => {
            let pairs = reader.list(|reader| Some((read(reader)?, read(reader)?)))?;
            Value::map(pairs.into_iter().collect())
        }
        _ => return None,
    })
}
