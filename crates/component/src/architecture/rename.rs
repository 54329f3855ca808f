//! Calls interfaces of a protocol by other names; places in the text stay.

use std::collections::BTreeMap;

use crate::syntax::{Mention, Path, Protocol};

/// New names of interfaces, by their old names.
pub(super) type Names = BTreeMap<String, String>;

/// Renames the interfaces of all events. A list of names in a restriction or an adjustment may name
/// interfaces and methods.
pub(super) fn rename(protocol: &mut Protocol, names: &Names) {
    protocol.for_each_mention(&mut |mention| match mention {
        Mention::Event(path) => event(path, names),
        Mention::Listed(path) => match names.get(&path.text) {
            Some(name) => path.text.clone_from(name),
            None => event(path, names),
        },
        Mention::Thrown(_) => {}
    });
}

fn event(path: &mut Path, names: &Names) {
    if let Some(name) = names.get(path.interface()) {
        path.text = format!("{name}.{}", path.method());
    }
}
