//! Sequences and the functions that take functions. All sequences are finite and computed at once:
//! what Clojure would leave endless is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::builtin::Builtin;
use super::eval::Interp;
use super::numbers::{compare, integer, one, two, wrong_count};
use super::strings;
use super::trap::{Result, Trap};
use super::value::{Extent, Value, nest};

/// Computes a function that no other module does.
pub(crate) fn call(
    interp: &mut Interp<'_>,
    builtin: Builtin,
    arguments: Vec<Value>,
) -> Result<Value> {
    match builtin {
        Builtin::Range => range(interp, &arguments),
        Builtin::Concat | Builtin::Interleave => {
            let lists = all_items(interp, &arguments)?;
            if builtin == Builtin::Concat {
                return Ok(Value::list(lists.concat()));
            }
            let shortest = lists.iter().map(Vec::len).min().unwrap_or(0);
            let items = (0..shortest).flat_map(|at| lists.iter().map(move |list| list[at].clone()));
            Ok(Value::list(items.collect()))
        }
        Builtin::Map | Builtin::Mapcat => map(interp, builtin, &arguments).map(Value::list),
        Builtin::Mapv => map(interp, builtin, &arguments).map(Value::vector),
        Builtin::Filter | Builtin::Filterv | Builtin::Remove | Builtin::Keep => {
            filter(interp, builtin, &arguments)
        }
        Builtin::MapIndexed | Builtin::KeepIndexed => {
            let (function, items) = function_and_items(interp, builtin, &arguments)?;
            let mut mapped = Vec::with_capacity(items.len());
            for (index, item) in items.into_iter().enumerate() {
                let value = interp.apply(&function, vec![Value::Int(index as i64), item])?;
                if builtin == Builtin::MapIndexed || !matches!(value, Value::Nil) {
                    mapped.push(value);
                }
            }
            Ok(Value::list(mapped))
        }
        Builtin::Reduce | Builtin::Reductions => reduce(interp, builtin, &arguments),
        Builtin::Apply => {
            let [function, given @ .., last] = &arguments[..] else {
                return Err(wrong_count(builtin, &arguments));
            };
            let rest = interp.items(last)?;
            interp.apply(function, given.iter().cloned().chain(rest).collect())
        }
        Builtin::Partial => {
            let mut arguments = arguments;
            if arguments.is_empty() {
                return Err(wrong_count(builtin, &arguments));
            }
            let function = arguments.remove(0);
            Ok(Value::Partial(Arc::new((function, arguments))))
        }
        Builtin::Comp => Ok(Value::Composed(Arc::new(nest(arguments)))),
        Builtin::Constantly => {
            one(builtin, &arguments, |x| Ok(Value::Constantly(Arc::new(x.clone()))))
        }
        Builtin::Complement => {
            one(builtin, &arguments, |x| Ok(Value::Complement(Arc::new(x.clone()))))
        }
        Builtin::Every | Builtin::NotEvery | Builtin::Some | Builtin::NotAny => {
            quantify(interp, builtin, &arguments)
        }
        Builtin::Take
        | Builtin::Drop
        | Builtin::TakeLast
        | Builtin::DropLast
        | Builtin::TakeNth
        | Builtin::SplitAt => cut(interp, builtin, &arguments),
        Builtin::TakeWhile | Builtin::DropWhile | Builtin::SplitWith => {
            let (function, items) = function_and_items(interp, builtin, &arguments)?;
            let mut n_taken = 0;
            while n_taken < items.len()
                && interp.apply(&function, vec![items[n_taken].clone()])?.is_true()
            {
                n_taken += 1;
            }
            let (taken, left) = items.split_at(n_taken);
            Ok(match builtin {
                Builtin::TakeWhile => Value::list(taken.to_vec()),
                Builtin::DropWhile => Value::list(left.to_vec()),
                _ => Value::vector(vec![Value::list(taken.to_vec()), Value::list(left.to_vec())]),
            })
        }
        Builtin::Partition | Builtin::PartitionAll => partition(interp, builtin, &arguments),
        Builtin::Interpose | Builtin::Join => interpose(interp, builtin, &arguments),
        Builtin::Repeat | Builtin::Repeatedly => two(builtin, &arguments, |n, x| {
            let n = usize::try_from(integer(n)?).unwrap_or(0);
            interp.spend(n as u64)?;
            if builtin == Builtin::Repeat {
                return Ok(Value::list(vec![x.clone(); n]));
            }
            (0..n).map(|_| interp.apply(x, Vec::new())).collect::<Result<_>>().map(Value::list)
        })
        .map_err(|trap| if arguments.len() < 2 { endless(builtin) } else { trap }),
        Builtin::Iterate | Builtin::Cycle => Err(endless(builtin)),
        Builtin::Sort | Builtin::SortBy => sort(interp, builtin, &arguments),
        Builtin::GroupBy => {
            let (function, items) = function_and_items(interp, builtin, &arguments)?;
            let mut groups: BTreeMap<Value, Vec<Value>> = BTreeMap::new();
            for item in items {
                let key = interp.apply(&function, vec![item.clone()])?;
                groups.entry(key).or_default().push(item);
            }
            let groups = groups.into_iter().map(|(key, items)| (key, Value::vector(items)));
            Ok(Value::map(groups.collect()))
        }
        Builtin::Update => {
            let [collection, key, function, more @ ..] = &arguments[..] else {
                return Err(wrong_count(builtin, &arguments));
            };
            let old = super::eval::look_up(collection, std::slice::from_ref(key))?;
            let given = std::iter::once(old).chain(more.iter().cloned()).collect();
            let new = interp.apply(function, given)?;
            interp.call_builtin(Builtin::Assoc, vec![collection.clone(), key.clone(), new])
        }
        Builtin::MaxKey | Builtin::MinKey => {
            let Some((function, items)) = arguments.split_first() else {
                return Err(wrong_count(builtin, &arguments));
            };
            let mut best: Option<(Value, Value)> = None;
            for item in items {
                let key = interp.apply(function, vec![item.clone()])?;
                let better = match &best {
                    None => true,
                    Some((old, _)) if builtin == Builtin::MaxKey => compare(&key, old)?.is_ge(),
                    Some((old, _)) => compare(&key, old)?.is_le(),
                };
                if better {
                    best = Some((key, item.clone()));
                }
            }
            best.map(|(_, item)| item).ok_or_else(|| wrong_count(builtin, &arguments))
        }
        other => Err(Trap::unsupported(format!("`{}` is not supported", other.name()))),
    }
}

fn endless(builtin: Builtin) -> Box<Trap> {
    Trap::unsupported(format!("`{}` without an end is not supported", builtin.name()))
}

fn all_items(interp: &mut Interp<'_>, values: &[Value]) -> Result<Vec<Vec<Value>>> {
    values.iter().map(|value| interp.items(value)).collect()
}

/// A function and the items of one collection.
fn function_and_items(
    interp: &mut Interp<'_>,
    builtin: Builtin,
    arguments: &[Value],
) -> Result<(Value, Vec<Value>)> {
    match arguments {
        [function, items] => Ok((function.clone(), interp.items(items)?)),
        _ => Err(wrong_count(builtin, arguments)),
    }
}

fn range(interp: &mut Interp<'_>, arguments: &[Value]) -> Result<Value> {
    let (from, to, step) = match arguments {
        [] => return Err(endless(Builtin::Range)),
        [to] => (0, integer_up(to)?, 1),
        [from, to] => (integer(from)?, integer_up(to)?, 1),
        [from, to, step] => (integer(from)?, integer_up(to)?, integer(step)?),
        _ => return Err(wrong_count(Builtin::Range, arguments)),
    };
    let distance = i128::from(to) - i128::from(from);
    let length = match step {
        0 => return Err(Trap::argument("the step of `range` is zero")),
        _ => (distance + i128::from(step) - i128::from(step.signum())) / i128::from(step),
    };
    let length = u64::try_from(length).unwrap_or(0);
    interp.spend(length)?;
    let items = (0..length as i64).map(|position| Value::Int(from + position * step));
    Ok(Value::list(items.collect()))
}

/// The end of a range: fractions count as the next integer.
fn integer_up(value: &Value) -> Result<i64> {
    match value {
        Value::Ratio(upper, lower) => Ok(upper.div_euclid(*lower) + 1),
        Value::Float(number) => integer(&Value::Float(number.ceil())),
        _ => integer(value),
    }
}

fn map(interp: &mut Interp<'_>, builtin: Builtin, arguments: &[Value]) -> Result<Vec<Value>> {
    let Some((function, collections)) =
        arguments.split_first().filter(|(_, rest)| !rest.is_empty())
    else {
        return Err(wrong_count(builtin, arguments));
    };
    let lists = all_items(interp, collections)?;
    let shortest = lists.iter().map(Vec::len).min().unwrap_or(0);
    let mut mapped = Vec::with_capacity(shortest);
    for at in 0..shortest {
        let given = lists.iter().map(|list| list[at].clone()).collect();
        let value = interp.apply(function, given)?;
        interp.spend(1)?;
        if builtin == Builtin::Mapcat {
            mapped.extend(interp.items(&value)?);
        } else {
            mapped.push(value);
        }
    }
    Ok(mapped)
}

fn filter(interp: &mut Interp<'_>, builtin: Builtin, arguments: &[Value]) -> Result<Value> {
    let (function, items) = function_and_items(interp, builtin, arguments)?;
    let mut kept = Vec::new();
    for item in items {
        interp.spend(1)?;
        let value = interp.apply(&function, vec![item.clone()])?;
        match builtin {
            Builtin::Keep if !matches!(value, Value::Nil) => kept.push(value),
            Builtin::Filter | Builtin::Filterv if value.is_true() => kept.push(item),
            Builtin::Remove if !value.is_true() => kept.push(item),
            _ => {}
        }
    }
    Ok(if builtin == Builtin::Filterv { Value::vector(kept) } else { Value::list(kept) })
}

fn reduce(interp: &mut Interp<'_>, builtin: Builtin, arguments: &[Value]) -> Result<Value> {
    let (function, start, items) = match arguments {
        [function, items] => (function, None, items),
        [function, start, items] => (function, Some(start.clone()), items),
        _ => return Err(wrong_count(builtin, arguments)),
    };
    let mut items = interp.items(items)?.into_iter();
    let Some(start) = start.or_else(|| items.next()) else {
        return interp.apply(function, Vec::new());
    };
    let (mut sum, mut sums) = (start.clone(), vec![start]);
    for item in items {
        interp.spend(1)?;
        sum = interp.apply(function, vec![sum, item])?;
        if builtin == Builtin::Reductions {
            sums.push(sum.clone());
        }
    }
    Ok(if builtin == Builtin::Reductions { Value::list(sums) } else { sum })
}

fn quantify(interp: &mut Interp<'_>, builtin: Builtin, arguments: &[Value]) -> Result<Value> {
    let (function, items) = function_and_items(interp, builtin, arguments)?;
    let looks_for = matches!(builtin, Builtin::Some | Builtin::NotAny);
    for item in items {
        interp.spend(1)?;
        let value = interp.apply(&function, vec![item])?;
        if value.is_true() == looks_for {
            return Ok(match builtin {
                Builtin::Some => value,
                _ => Value::Bool(builtin == Builtin::NotEvery),
            });
        }
    }
    Ok(match builtin {
        Builtin::Some => Value::Nil,
        _ => Value::Bool(matches!(builtin, Builtin::Every | Builtin::NotAny)),
    })
}

fn cut(interp: &mut Interp<'_>, builtin: Builtin, arguments: &[Value]) -> Result<Value> {
    let (n, items) = match arguments {
        [items] if builtin == Builtin::DropLast => (1, interp.items(items)?),
        [n, items] => (usize::try_from(integer(n)?).unwrap_or(0), interp.items(items)?),
        _ => return Err(wrong_count(builtin, arguments)),
    };
    let from_start = n.min(items.len());
    let from_end = items.len() - from_start;
    Ok(match builtin {
        Builtin::Take => Value::list(items[..from_start].to_vec()),
        Builtin::Drop => Value::list(items[from_start..].to_vec()),
        Builtin::TakeLast => Value::list(items[from_end..].to_vec()),
        Builtin::DropLast => Value::list(items[..from_end].to_vec()),
        Builtin::TakeNth => Value::list(items.into_iter().step_by(n.max(1)).collect()),
        _ => Value::vector(vec![
            Value::list(items[..from_start].to_vec()),
            Value::list(items[from_start..].to_vec()),
        ]),
    })
}

fn partition(interp: &mut Interp<'_>, builtin: Builtin, arguments: &[Value]) -> Result<Value> {
    let (size, step, items) = match arguments {
        [size, items] => (integer(size)?, integer(size)?, items),
        [size, step, items] => (integer(size)?, integer(step)?, items),
        _ => return Err(wrong_count(builtin, arguments)),
    };
    let (Ok(size @ 1..), Ok(step @ 1..)) = (usize::try_from(size), usize::try_from(step)) else {
        return Err(Trap::argument("parts have at least one item"));
    };
    let items = interp.items(items)?;
    interp.spend((items.len() / step * size) as u64)?;
    let parts = (0..items.len()).step_by(step).filter_map(|start| {
        let part = &items[start..(start + size).min(items.len())];
        let whole = part.len() == size || builtin == Builtin::PartitionAll;
        whole.then(|| Value::list(part.to_vec()))
    });
    Ok(Value::list(parts.collect()))
}

fn interpose(interp: &mut Interp<'_>, builtin: Builtin, arguments: &[Value]) -> Result<Value> {
    let (between, items) = match arguments {
        [items] if builtin == Builtin::Join => (Value::text(""), interp.items(items)?),
        [between, items] => (between.clone(), interp.items(items)?),
        _ => return Err(wrong_count(builtin, arguments)),
    };
    let mut all = Vec::with_capacity(items.len() * 2);
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            all.push(between.clone());
        }
        all.push(item);
    }
    if builtin == Builtin::Join {
        Extent::of(&all).check()?;
        return strings::call(Builtin::Str, &all).unwrap_or(Ok(Value::Nil));
    }
    Ok(Value::list(all))
}

/// `sort` with a comparison, `sort-by` with a key.
fn sort(interp: &mut Interp<'_>, builtin: Builtin, arguments: &[Value]) -> Result<Value> {
    let (function, items) = function_and_items(interp, builtin, arguments)?;
    if builtin == Builtin::SortBy {
        let mut keyed = Vec::with_capacity(items.len());
        for item in items {
            keyed.push((interp.apply(&function, vec![item.clone()])?, item));
        }
        keyed.sort_by(|a, b| a.0.cmp(&b.0));
        return Ok(Value::list(keyed.into_iter().map(|(_, item)| item).collect()));
    }
    // Insertion keeps to the comparison given, whatever it says.
    let mut sorted: Vec<Value> = Vec::with_capacity(items.len());
    for item in items {
        let mut at = sorted.len();
        while at > 0 {
            let before = interp.apply(&function, vec![item.clone(), sorted[at - 1].clone()])?;
            let is_before = match before {
                Value::Int(order) => order < 0,
                other => other.is_true(),
            };
            if !is_before {
                break;
            }
            at -= 1;
        }
        sorted.insert(at, item);
    }
    Ok(Value::list(sorted))
}
