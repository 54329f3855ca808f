//! Strings: `str`, parsing of numbers, and the methods of Java's `String` that specifications use.

use std::ops::Range;
use std::sync::Arc;

use super::builtin::Builtin;
use super::eval::Interp;
use super::numbers::{integer, one, two, wrong_count};
use super::pattern::Pattern;
use super::trap::{Result, Trap};
use super::value::{Extent, MAX_SIZE, Value};

/// Computes a function of this module; `None` where it belongs to another.
pub(crate) fn call(builtin: Builtin, arguments: &[Value]) -> Option<Result<Value>> {
    let text_to_text =
        |change: fn(&str) -> String| one(builtin, arguments, |x| Ok(Value::text(change(text(x)?))));
    let test = |holds: fn(&str, &str) -> bool| {
        two(builtin, arguments, |x, y| Ok(Value::Bool(holds(text(x)?, text(y)?))))
    };
    Some(match builtin {
        Builtin::Str => Extent::of(arguments)
            .check()
            .map(|()| Value::text(arguments.iter().map(Value::display).collect::<String>())),
        Builtin::PrStr => {
            let shown: Vec<String> = arguments.iter().map(Value::print).collect();
            Ok(Value::text(shown.join(" ")))
        }
        Builtin::ToText => {
            Ok(Value::text(arguments.first().map(Value::display).unwrap_or_default()))
        }
        Builtin::ParseLong => parse_long(arguments),
        Builtin::ParseLongOrNil => Ok(parse_long(arguments).unwrap_or(Value::Nil)),
        Builtin::ParseDouble => one(builtin, arguments, |x| {
            let number = text(x)?.trim().parse().map(Value::Float);
            number.map_err(|_| Trap::number_format(format!("{} is no number", x.print())))
        }),
        Builtin::ParseBoolean => one(builtin, arguments, |x| {
            Ok(Value::Bool(matches!(x, Value::Text(text) if text.eq_ignore_ascii_case("true"))))
        }),
        Builtin::ToBinary => {
            one(builtin, arguments, |x| Ok(Value::text(format!("{:b}", integer(x)?))))
        }
        Builtin::ToHex => {
            one(builtin, arguments, |x| Ok(Value::text(format!("{:x}", integer(x)?))))
        }
        Builtin::ToOctal => {
            one(builtin, arguments, |x| Ok(Value::text(format!("{:o}", integer(x)?))))
        }
        Builtin::Subs => substring(arguments),
        Builtin::NameOf => one(builtin, arguments, |x| match x {
            Value::Keyword(name, _) | Value::Symbol(name) | Value::Text(name) => {
                Ok(Value::Text(Arc::clone(name)))
            }
            other => Err(Trap::class_cast(format!("{} has no name", other.kind()))),
        }),
        Builtin::Keyword => one(builtin, arguments, |x| Ok(Value::Keyword(text(x)?.into(), false))),
        Builtin::Symbol => one(builtin, arguments, |x| Ok(Value::Symbol(text(x)?.into()))),
        Builtin::UpperCase => text_to_text(str::to_uppercase),
        Builtin::LowerCase => text_to_text(str::to_lowercase),
        Builtin::Trim => text_to_text(|text| text.trim().to_owned()),
        Builtin::StartsWith => test(|x, y| x.starts_with(y)),
        Builtin::EndsWith => test(|x, y| x.ends_with(y)),
        Builtin::Includes => test(|x, y| x.contains(y)),
        Builtin::IsBlank => one(builtin, arguments, |x| {
            Ok(Value::Bool(matches!(x, Value::Nil) || text(x)?.trim().is_empty()))
        }),
        Builtin::Replace => replace(arguments, true),
        Builtin::ReplaceFirst => replace(arguments, false),
        Builtin::Split => split(arguments),
        Builtin::ReMatches => two(builtin, arguments, |pattern, x| {
            let whole = compiled(pattern)?.matches_whole(text(x)?)?;
            Ok(if whole { x.clone() } else { Value::Nil })
        }),
        Builtin::ReFind => two(builtin, arguments, |pattern, x| {
            let found = compiled(pattern)?.find(text(x)?, 1)?.pop();
            Ok(found.map_or(Value::Nil, |range| Value::text(&text(x).unwrap_or("")[range])))
        }),
        Builtin::Char => one(builtin, arguments, |x| {
            let code = u32::try_from(integer(x)?).ok().and_then(char::from_u32);
            code.map(Value::Char).ok_or_else(|| Trap::argument("no such character"))
        }),
        Builtin::ExInfo | Builtin::ExMessage => {
            Ok(arguments.first().cloned().unwrap_or(Value::Nil))
        }
        Builtin::Format => Err(Trap::unsupported("`format` is not supported; use `str`")),
        _ => return None,
    })
}

impl Interp<'_> {
    /// A method of Java called with a dot; the first argument is the object.
    pub(crate) fn method(&mut self, name: &str, arguments: &[Value]) -> Result<Value> {
        let builtin = match name {
            "replaceFirst" => return replace(arguments, false),
            "replaceAll" => return replace(arguments, true),
            "replace" => return replace_plain(arguments),
            "substring" => return substring(arguments),
            "length" | "size" => Builtin::Count,
            "startsWith" => Builtin::StartsWith,
            "endsWith" => Builtin::EndsWith,
            "contains" => match arguments.first() {
                Some(Value::Text(_)) => Builtin::Includes,
                _ => Builtin::Contains,
            },
            "equals" => Builtin::Equal,
            "toUpperCase" => Builtin::UpperCase,
            "toLowerCase" => Builtin::LowerCase,
            "trim" => Builtin::Trim,
            "isEmpty" => Builtin::IsEmpty,
            "concat" | "toString" | "getMessage" => Builtin::Str,
            "charAt" | "get" | "nth" => Builtin::Nth,
            "intValue" | "longValue" => Builtin::ToLong,
            "doubleValue" => Builtin::ToDouble,
            _ => return Err(Trap::unsupported(format!("the method `.{name}` is not supported"))),
        };
        self.call_builtin(builtin, arguments.to_vec())
    }
}

fn text(value: &Value) -> Result<&str> {
    match value {
        Value::Text(text) | Value::Symbol(text) => Ok(text),
        other => Err(Trap::class_cast(format!("{} is no string", other.print()))),
    }
}

/// A pattern, or a string that Java would take for one.
fn compiled(value: &Value) -> Result<Pattern> {
    match value {
        Value::Regex(pattern) | Value::Text(pattern) => Pattern::new(pattern),
        other => Err(Trap::class_cast(format!("{} is no pattern", other.kind()))),
    }
}

fn parse_long(arguments: &[Value]) -> Result<Value> {
    let (number, radix) = match arguments {
        [number @ Value::Int(_)] => return Ok(number.clone()),
        [number] => (number, 10),
        [number, radix] => (number, integer(radix)?),
        _ => return Err(wrong_count(Builtin::ParseLong, arguments)),
    };
    let radix = u32::try_from(radix).ok().filter(|radix| (2..=36).contains(radix));
    let radix = radix.ok_or_else(|| Trap::number_format("the radix is not between 2 and 36"))?;
    i64::from_str_radix(text(number)?, radix)
        .map(Value::Int)
        .map_err(|_| Trap::number_format(format!("{} is no number", number.print())))
}

fn substring(arguments: &[Value]) -> Result<Value> {
    let (whole, from, to) = match arguments {
        [whole, from] => (whole, from, None),
        [whole, from, to] => (whole, from, Some(to)),
        _ => return Err(wrong_count(Builtin::Subs, arguments)),
    };
    let characters: Vec<char> = text(whole)?.chars().collect();
    let position = |value: &Value| {
        usize::try_from(integer(value)?).map_err(|_| Trap::bounds("a negative position"))
    };
    let to = to.map_or(Ok(characters.len()), position)?;
    let part = characters.get(position(from)?..to);
    let part = part.ok_or_else(|| Trap::bounds("a position outside the string"))?;
    Ok(Value::text(part.iter().collect::<String>()))
}

/// Replaces matches of a pattern; a string stands for a pattern as in Java's `replaceAll`.
fn replace(arguments: &[Value], all: bool) -> Result<Value> {
    let [whole, pattern, by] = arguments else {
        return Err(wrong_count(Builtin::Replace, arguments));
    };
    let by = match by {
        Value::Char(character) => character.to_string(),
        _ => text(by)?.to_owned(),
    };
    let whole = text(whole)?;
    let found = match pattern {
        Value::Char(character) => occurrences(whole, &character.to_string()),
        _ => compiled(pattern)?.find(whole, if all { usize::MAX } else { 1 })?,
    };
    replaced(whole, &found, &by)
}

fn replace_plain(arguments: &[Value]) -> Result<Value> {
    let [whole, from, to] = arguments else {
        return Err(wrong_count(Builtin::Replace, arguments));
    };
    let whole = text(whole)?;
    replaced(whole, &occurrences(whole, &from.display()), &to.display())
}

fn occurrences(whole: &str, part: &str) -> Vec<Range<usize>> {
    whole.match_indices(part).map(|(at, found)| at..at + found.len()).collect()
}

/// A text with other words in these places.
fn replaced(whole: &str, places: &[Range<usize>], by: &str) -> Result<Value> {
    if (places.len() as u64).saturating_mul(by.len() as u64) > MAX_SIZE {
        return Err(Trap::endless("a string is too long"));
    }
    let (mut result, mut at) = (String::new(), 0);
    for place in places {
        result.push_str(&whole[at..place.start]);
        result.push_str(by);
        at = place.end;
    }
    result.push_str(&whole[at..]);
    Ok(Value::text(result))
}

fn split(arguments: &[Value]) -> Result<Value> {
    let [whole, pattern] = arguments else {
        return Err(wrong_count(Builtin::Split, arguments));
    };
    let whole = text(whole)?;
    let (mut parts, mut at) = (Vec::new(), 0);
    for found in compiled(pattern)?.find(whole, usize::MAX)? {
        if found.is_empty() {
            break;
        }
        parts.push(Value::text(&whole[at..found.start]));
        at = found.end;
    }
    if at < whole.len() {
        parts.push(Value::text(&whole[at..]));
    }
    Ok(Value::vector(parts))
}
