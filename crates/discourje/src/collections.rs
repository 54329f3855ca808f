//! Lists, vectors, sets and maps: making them, taking them apart, and the algebra of sets.

use std::collections::{BTreeMap, BTreeSet};

use super::builtin::Builtin;
use super::eval::{Interp, look_up, role};
use super::numbers::{integer, one, two, wrong_count};
use super::trap::{Result, Trap};
use super::value::Value;

/// Largest set that `power-set` takes.
const MAX_POWER_SET: usize = 16;

/// Computes a function of this module; `None` where it belongs to another.
pub(crate) fn call(
    interp: &mut Interp<'_>,
    builtin: Builtin,
    arguments: &[Value],
) -> Option<Result<Value>> {
    let mut list =
        |change: fn(Vec<Value>) -> Value| one(builtin, arguments, |x| Ok(change(interp.items(x)?)));
    Some(match builtin {
        Builtin::List => Ok(Value::list(arguments.to_vec())),
        Builtin::Vector => Ok(Value::vector(arguments.to_vec())),
        Builtin::HashSet => Ok(Value::set(arguments.iter().cloned().collect())),
        Builtin::EmptySet => Ok(Value::set(BTreeSet::new())),
        Builtin::HashMap => Ok(pairs(arguments)),
        Builtin::Vec => list(Value::vector),
        Builtin::Doall => list(Value::list),
        Builtin::Set => list(|items| Value::set(items.into_iter().collect())),
        Builtin::Seq => list(list_or_nil),
        Builtin::Count => list(|items| Value::Int(items.len() as i64)),
        Builtin::IsEmpty => list(|items| Value::Bool(items.is_empty())),
        Builtin::First => list(|items| items.into_iter().next().unwrap_or(Value::Nil)),
        Builtin::Second => list(|items| items.into_iter().nth(1).unwrap_or(Value::Nil)),
        Builtin::Last => list(|mut items| items.pop().unwrap_or(Value::Nil)),
        Builtin::Rest => list(|items| Value::list(items.into_iter().skip(1).collect())),
        Builtin::Next => list(|items| list_or_nil(items.into_iter().skip(1).collect())),
        Builtin::Reverse => list(|items| Value::list(items.into_iter().rev().collect())),
        Builtin::Butlast => list(|mut items| {
            items.pop();
            list_or_nil(items)
        }),
        Builtin::Distinct => list(|items| {
            let mut seen = BTreeSet::new();
            Value::list(items.into_iter().filter(|item| seen.insert(item.clone())).collect())
        }),
        Builtin::Sort if arguments.len() == 1 => list(|mut items| {
            items.sort();
            Value::list(items)
        }),
        Builtin::Frequencies => list(|items| {
            let mut counts: BTreeMap<Value, i64> = BTreeMap::new();
            items.into_iter().for_each(|item| *counts.entry(item).or_default() += 1);
            Value::map(counts.into_iter().map(|(item, n)| (item, Value::Int(n))).collect())
        }),
        Builtin::IsDistinct => {
            let distinct: BTreeSet<&Value> = arguments.iter().collect();
            Ok(Value::Bool(distinct.len() == arguments.len()))
        }
        Builtin::Ffirst => one(builtin, arguments, |x| {
            let first = interp.items(x)?.into_iter().next().unwrap_or(Value::Nil);
            Ok(interp.items(&first)?.into_iter().next().unwrap_or(Value::Nil))
        }),
        Builtin::NotEmpty => one(builtin, arguments, |x| {
            Ok(if interp.items(x)?.is_empty() { Value::Nil } else { x.clone() })
        }),
        Builtin::Role => match arguments {
            [Value::Keyword(name, _) | Value::Text(name), indices @ ..] if indices.len() < 2 => {
                interp
                    .items(indices.first().unwrap_or(&Value::Nil))
                    .and_then(|all| role(name, &all))
            }
            _ => Err(Trap::argument("`role` takes a name and a vector of indices")),
        },
        Builtin::Empty => one(builtin, arguments, |x| Ok(emptied(x))),
        Builtin::Nth => nth(interp, arguments),
        Builtin::Peek => one(builtin, arguments, |x| {
            let items = interp.items(x)?;
            let end = if matches!(x, Value::Vector(_)) { items.last() } else { items.first() };
            Ok(end.cloned().unwrap_or(Value::Nil))
        }),
        Builtin::Pop => one(builtin, arguments, |x| {
            let mut items = interp.items(x)?;
            if items.is_empty() {
                return Err(Trap::bounds("`pop` of an empty collection"));
            }
            if matches!(x, Value::Vector(_)) {
                items.pop();
                return Ok(Value::vector(items));
            }
            items.remove(0);
            Ok(Value::list(items))
        }),
        Builtin::Cons => two(builtin, arguments, |x, y| {
            let rest = interp.items(y)?;
            Ok(Value::list(std::iter::once(x.clone()).chain(rest).collect()))
        }),
        Builtin::Conj | Builtin::Into => {
            let added = match (builtin, arguments) {
                (_, []) => return Some(Ok(Value::vector(Vec::new()))),
                (Builtin::Into, [_, more]) => interp.items(more),
                (Builtin::Into, _) => Err(wrong_count(builtin, arguments)),
                (_, [_, more @ ..]) => Ok(more.to_vec()),
            };
            added.and_then(|added| conj(interp, &arguments[0], added))
        }
        Builtin::Disj | Builtin::Difference | Builtin::Intersection | Builtin::Union => {
            algebra(interp, builtin, arguments)
        }
        Builtin::Subset => two(builtin, arguments, |x, y| {
            let (x, y) = (interp.set_of(x)?, interp.set_of(y)?);
            Ok(Value::Bool(x.is_subset(&y)))
        }),
        Builtin::Superset => two(builtin, arguments, |x, y| {
            let (x, y) = (interp.set_of(x)?, interp.set_of(y)?);
            Ok(Value::Bool(y.is_subset(&x)))
        }),
        Builtin::PowerSet => one(builtin, arguments, |x| power_set(interp, x)),
        Builtin::Contains => two(builtin, arguments, |x, key| match x {
            Value::Set(set) => Ok(Value::Bool(set.items.contains(key))),
            Value::Map(map) => Ok(Value::Bool(map.items.contains_key(key))),
            Value::Vector(items) => Ok(Value::Bool(matches!(key, Value::Int(index)
                if usize::try_from(*index).is_ok_and(|index| index < items.items.len())))),
            Value::Nil => Ok(Value::Bool(false)),
            other => {
                Err(Trap::argument(format!("`contains?` does not look into {}", other.kind())))
            }
        }),
        Builtin::Get => match arguments {
            [x, keys @ ..] if matches!(keys.len(), 1 | 2) && !matches!(x, Value::Keyword(..)) => {
                look_up(x, keys)
            }
            _ => Err(wrong_count(builtin, arguments)),
        },
        Builtin::GetIn => two(builtin, arguments, |x, keys| {
            interp.items(keys)?.into_iter().try_fold(x.clone(), |x, key| look_up(&x, &[key]))
        }),
        Builtin::Assoc => assoc(arguments),
        Builtin::Dissoc | Builtin::SelectKeys => {
            let keys = match (builtin, arguments) {
                (Builtin::SelectKeys, [_, keys]) => interp.set_of(keys),
                (Builtin::Dissoc, [_, keys @ ..]) => Ok(keys.iter().cloned().collect()),
                _ => Err(wrong_count(builtin, arguments)),
            };
            keys.and_then(|keys| {
                let mut items = map_of(&arguments[0])?;
                items.retain(|key, _| keys.contains(key) == (builtin == Builtin::SelectKeys));
                Ok(Value::map(items))
            })
        }
        Builtin::Merge => {
            let mut merged = BTreeMap::new();
            for argument in arguments {
                match map_of(argument) {
                    Ok(items) => merged.extend(items),
                    Err(trap) => return Some(Err(trap)),
                }
            }
            Ok(Value::map(merged))
        }
        Builtin::Keys => {
            one(builtin, arguments, |x| Ok(list_or_nil(map_of(x)?.into_keys().collect())))
        }
        Builtin::Vals => {
            one(builtin, arguments, |x| Ok(list_or_nil(map_of(x)?.into_values().collect())))
        }
        Builtin::Key => one(builtin, arguments, |x| look_up(x, &[Value::Int(0)])),
        Builtin::ValOf => one(builtin, arguments, |x| look_up(x, &[Value::Int(1)])),
        Builtin::Zipmap => two(builtin, arguments, |x, y| {
            Ok(Value::map(interp.items(x)?.into_iter().zip(interp.items(y)?).collect()))
        }),
        Builtin::Subvec => subvec(arguments),
        Builtin::Flatten => one(builtin, arguments, |x| {
            let mut flat = Vec::new();
            flatten(x, &mut flat);
            Ok(Value::list(flat))
        }),
        _ => return None,
    })
}

impl Interp<'_> {
    /// The items of anything that is a sequence to Clojure. Costs fuel for each.
    pub(crate) fn items(&mut self, value: &Value) -> Result<Vec<Value>> {
        value.extent().check()?;
        let items: Vec<Value> = match value {
            Value::Nil => Vec::new(),
            Value::List(items) | Value::Vector(items) => items.items.clone(),
            Value::Set(items) => items.items.iter().cloned().collect(),
            Value::Map(items) => items
                .items
                .iter()
                .map(|(key, value)| Value::vector(vec![key.clone(), value.clone()]))
                .collect(),
            Value::Text(text) => text.chars().map(Value::Char).collect(),
            other => return Err(Trap::argument(format!("{} is no collection", other.print()))),
        };
        self.spend(items.len() as u64 / 8)?;
        Ok(items)
    }

    fn set_of(&mut self, value: &Value) -> Result<BTreeSet<Value>> {
        Ok(self.items(value)?.into_iter().collect())
    }
}

fn list_or_nil(items: Vec<Value>) -> Value {
    if items.is_empty() { Value::Nil } else { Value::list(items) }
}

fn pairs(items: &[Value]) -> Value {
    Value::map(items.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
}

fn map_of(value: &Value) -> Result<BTreeMap<Value, Value>> {
    match value {
        Value::Map(map) => Ok(map.items.clone()),
        Value::Nil => Ok(BTreeMap::new()),
        other => Err(Trap::class_cast(format!("{} is no map", other.kind()))),
    }
}

fn emptied(value: &Value) -> Value {
    match value {
        Value::Vector(_) => Value::vector(Vec::new()),
        Value::Set(_) => Value::set(BTreeSet::new()),
        Value::Map(_) => Value::map(BTreeMap::new()),
        Value::List(_) => Value::list(Vec::new()),
        _ => Value::Nil,
    }
}

fn nth(interp: &mut Interp<'_>, arguments: &[Value]) -> Result<Value> {
    let (items, index, default) = match arguments {
        [items, index] => (items, index, None),
        [items, index, default] => (items, index, Some(default)),
        _ => return Err(wrong_count(Builtin::Nth, arguments)),
    };
    let position = usize::try_from(integer(index)?).ok();
    let items = interp.items(items)?;
    match (position.and_then(|position| items.get(position)), default) {
        (Some(item), _) | (None, Some(item)) => Ok(item.clone()),
        (None, None) => {
            Err(Trap::bounds(format!("there is no item {} among {}", index.print(), items.len())))
        }
    }
}

pub(crate) fn conj(
    interp: &mut Interp<'_>,
    collection: &Value,
    added: Vec<Value>,
) -> Result<Value> {
    interp.spend(added.len() as u64)?;
    Ok(match collection {
        Value::Vector(items) => Value::vector(items.items.iter().cloned().chain(added).collect()),
        Value::Set(items) => Value::set(items.items.iter().cloned().chain(added).collect()),
        Value::List(_) | Value::Nil => {
            let items = interp.items(collection)?;
            Value::list(added.into_iter().rev().chain(items).collect())
        }
        Value::Map(map) => {
            let mut items = map.items.clone();
            for entry in added {
                match (&entry, &interp.items(&entry)?[..]) {
                    (Value::Map(more), _) => items.extend(more.items.clone()),
                    (_, [key, value]) => {
                        items.insert(key.clone(), value.clone());
                    }
                    _ => return Err(Trap::argument("a map takes pairs of a key and a value")),
                }
            }
            Value::map(items)
        }
        other => return Err(Trap::class_cast(format!("{} is no collection", other.kind()))),
    })
}

/// `union`, `difference`, `intersection`, `disj`.
fn algebra(interp: &mut Interp<'_>, builtin: Builtin, arguments: &[Value]) -> Result<Value> {
    let Some((first, rest)) = arguments.split_first() else {
        return Ok(Value::set(BTreeSet::new()));
    };
    if builtin == Builtin::Disj && !matches!(first, Value::Set(_) | Value::Nil) {
        return Err(Trap::class_cast(format!("`disj` takes a set, not {}", first.kind())));
    }
    let mut set = interp.set_of(first)?;
    if builtin == Builtin::Disj {
        rest.iter().for_each(|item| {
            set.remove(item);
        });
        return Ok(Value::set(set));
    }
    for other in rest {
        let other = interp.set_of(other)?;
        match builtin {
            Builtin::Union => set.extend(other),
            Builtin::Difference => set.retain(|item| !other.contains(item)),
            _ => set.retain(|item| other.contains(item)),
        }
    }
    Ok(Value::set(set))
}

fn power_set(interp: &mut Interp<'_>, value: &Value) -> Result<Value> {
    let items: Vec<Value> = interp.set_of(value)?.into_iter().collect();
    if items.len() > MAX_POWER_SET {
        return Err(Trap::endless(format!("the power set of {} items is too large", items.len())));
    }
    interp.spend(1 << items.len())?;
    let subset = |mask: u32| {
        let chosen = items.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
        Value::set(chosen.map(|(_, item)| item.clone()).collect())
    };
    Ok(Value::set((0..1u32 << items.len()).map(subset).collect()))
}

fn assoc(arguments: &[Value]) -> Result<Value> {
    let [collection, entries @ ..] = arguments else {
        return Err(wrong_count(Builtin::Assoc, arguments));
    };
    if entries.is_empty() || !entries.len().is_multiple_of(2) {
        return Err(wrong_count(Builtin::Assoc, arguments));
    }
    if let Value::Vector(items) = collection {
        let mut items = items.items.clone();
        for entry in entries.chunks_exact(2) {
            match usize::try_from(integer(&entry[0])?) {
                Ok(index) if index < items.len() => items[index] = entry[1].clone(),
                Ok(index) if index == items.len() => items.push(entry[1].clone()),
                _ => return Err(Trap::bounds("an index outside the vector")),
            }
        }
        return Ok(Value::vector(items));
    }
    let mut items = map_of(collection)?;
    for entry in entries.chunks_exact(2) {
        items.insert(entry[0].clone(), entry[1].clone());
    }
    Ok(Value::map(items))
}

fn subvec(arguments: &[Value]) -> Result<Value> {
    let (Some(Value::Vector(items)), Some(from)) = (arguments.first(), arguments.get(1)) else {
        return Err(Trap::class_cast("`subvec` takes a vector and positions"));
    };
    let position = |value: &Value| {
        usize::try_from(integer(value)?).map_err(|_| Trap::bounds("a negative position"))
    };
    let to = arguments.get(2).map_or(Ok(items.items.len()), position)?;
    let part = items.items.get(position(from)?..to);
    part.map(|part| Value::vector(part.to_vec()))
        .ok_or_else(|| Trap::bounds("a position outside the vector"))
}

fn flatten(value: &Value, flat: &mut Vec<Value>) {
    match value {
        Value::List(items) | Value::Vector(items) => {
            items.items.iter().for_each(|item| flatten(item, flat));
        }
        other => flat.push(other.clone()),
    }
}
