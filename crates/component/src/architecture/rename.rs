//! Calls interfaces of a protocol by other names; places in the text stay.

use std::collections::BTreeMap;

use crate::syntax::{Kind, Path, Protocol};

/// New names of interfaces, by their old names.
pub(super) type Names = BTreeMap<String, String>;

/// Renames the interfaces of all events. A list of names in a restriction or an adjustment may name
/// interfaces and methods.
pub(super) fn rename(protocol: &mut Protocol, names: &Names) {
    match &mut protocol.kind {
        Kind::Event(token) => event(&mut token.path, names),
        Kind::Atomic(tokens) => tokens.iter_mut().for_each(|token| event(&mut token.path, names)),
        Kind::Call { path, body, .. } => {
            event(path, names);
            body.iter_mut().for_each(|body| rename(body, names));
        }
        Kind::Sequence(parts)
        | Kind::Alternative(parts)
        | Kind::Parallel(parts)
        | Kind::OrParallel(parts) => parts.iter_mut().for_each(|part| rename(part, names)),
        Kind::Repeat(inner) | Kind::Invert(inner) | Kind::While { body: inner, .. } => {
            rename(inner, names);
        }
        Kind::Restrict(inner, list) => {
            list.iter_mut().for_each(|path| listed(path, names));
            rename(inner, names);
        }
        Kind::Adjust(left, list, right) => {
            list.iter_mut().for_each(|path| listed(path, names));
            rename(left, names);
            rename(right, names);
        }
        Kind::Try { body, catches } => {
            rename(body, names);
            for catch in catches {
                catch.exceptions.iter_mut().for_each(|path| event(path, names));
                rename(&mut catch.handler, names);
            }
        }
        Kind::Switch { cases, default, .. } => {
            cases.iter_mut().for_each(|case| rename(&mut case.protocol, names));
            default.iter_mut().for_each(|default| rename(default, names));
        }
        Kind::Null | Kind::Meet(_) | Kind::Throw(_) | Kind::Assign { .. } => {}
    }
}

fn event(path: &mut Path, names: &Names) {
    if let Some(name) = names.get(path.interface()) {
        path.text = format!("{name}.{}", path.method());
    }
}

fn listed(path: &mut Path, names: &Names) {
    match names.get(&path.text) {
        Some(name) => path.text.clone_from(name),
        None => event(path, names),
    }
}
