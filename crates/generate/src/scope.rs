//! Name resolution: which names are taken, which give way, which are refused.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Ident;
use quadrille_diagnostic::{Diagnostic, Span};

use crate::codes::SAME_NAME;
use crate::names::{allowed, constant_name, ident, type_name};

/// Names that are taken in one place. What comes later gives way.
#[derive(Default)]
pub(crate) struct Scope(BTreeSet<String>);

impl Scope {
    pub(crate) fn new<'a>(taken: impl IntoIterator<Item = &'a str>) -> Self {
        Self(taken.into_iter().map(str::to_owned).collect())
    }

    /// A name, with as many underscores as it takes to be free.
    pub(crate) fn take(&mut self, name: &str) -> Ident {
        let mut made = allowed(name);
        while !self.0.insert(made.clone()) {
            made.push('_');
        }
        ident(&made)
    }

    /// A name, with a number if it is taken.
    pub(crate) fn take_numbered(&mut self, name: &str) -> Ident {
        let mut made = name.to_owned();
        let mut number = 2;
        while !self.0.insert(made.clone()) {
            made = format!("{name}{number}");
            number += 1;
        }
        ident(&made)
    }

    /// A name for a call that blocks, with a number where it or the name of the future beside it is taken.
    pub(crate) fn take_call(&mut self, name: &str) -> Ident {
        let mut made = allowed(name);
        let mut number = 2;
        while self.0.contains(&made) || self.0.contains(&format!("{made}_async")) {
            made = format!("{name}_{number}");
            number += 1;
        }
        self.0.extend([made.clone(), format!("{made}_async")]);
        ident(&made)
    }
}

/// Names for constants, told apart by numbers where they would be equal.
pub(crate) fn constants<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Ident> {
    let mut taken = BTreeSet::new();
    names
        .map(|name| {
            let plain = constant_name(name);
            let mut made = plain.clone();
            let mut number = 2;
            while !taken.insert(made.clone()) {
                made = format!("{plain}_{number}");
                number += 1;
            }
            ident(&made)
        })
        .collect()
}

/// What has a name of its own in a protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Sort {
    Enumeration,
    Message,
    Role,
}

impl Sort {
    fn word(self) -> &'static str {
        match self {
            Sort::Enumeration => "enumeration",
            Sort::Message => "message",
            Sort::Role => "role",
        }
    }
}

/// Where the protocol uses a name first.
pub(crate) type Places = BTreeMap<(Sort, String), Span>;

/// The types that a module declares, by name, with what the protocol calls each.
pub(crate) struct Types<'a> {
    places: &'a Places,
    taken: BTreeMap<String, (Sort, String)>,
    /// Messages whose types have no name here.
    variants: BTreeMap<String, String>,
}

impl<'a> Types<'a> {
    pub(crate) fn new(places: &'a Places) -> Self {
        Self { places, taken: BTreeMap::new(), variants: BTreeMap::new() }
    }

    /// A name for the type of something in the protocol. A role that is called like something else gives way.
    pub(crate) fn take(&mut self, name: &str, sort: Sort, problems: &mut Vec<Diagnostic>) -> Ident {
        let mut made = type_name(name);
        if sort == Sort::Role && self.taken.get(&made).is_some_and(|(other, _)| *other != sort) {
            made = made.trim_end_matches('_').to_owned() + "Role";
        }
        if sort == Sort::Message
            && let Some(other) = self.variants.get(&made)
        {
            problems.push(self.same(&made, (sort, name), (sort, other)));
        }
        if let Some((other_sort, other)) = self.taken.insert(made.clone(), (sort, name.to_owned()))
        {
            problems.push(self.same(&made, (sort, name), (other_sort, &other)));
        }
        ident(&made)
    }

    /// A name for a variant of the payload whose type has no name here; so one from the prelude is no obstacle.
    pub(crate) fn variant(
        &mut self,
        short: &str,
        name: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Ident {
        let made = allowed(type_name(short).trim_end_matches('_'));
        let message = self.taken.get(&made).filter(|(sort, _)| *sort == Sort::Message);
        let other = message.map(|(_, other)| other.clone());
        if let Some(other) = self.variants.insert(made.clone(), name.to_owned()).or(other) {
            problems.push(self.same(&made, (Sort::Message, name), (Sort::Message, &other)));
        }
        ident(&made)
    }

    fn same(
        &self,
        made: &str,
        (sort, name): (Sort, &str),
        (other_sort, other): (Sort, &str),
    ) -> Diagnostic {
        let message = if sort == other_sort {
            format!("{}s `{name}` and `{other}` would both be `{made}` in Rust", sort.word())
        } else {
            let (sort, other_sort) = (sort.word(), other_sort.word());
            format!("{sort} `{name}` and {other_sort} `{other}` would both be `{made}` in Rust")
        };
        let mut diagnostic = Diagnostic::error(&SAME_NAME, message).help("rename one of them");
        let place = |sort, name: &str| self.places.get(&(sort, name.to_owned())).copied();
        match (place(sort, name), place(other_sort, other)) {
            (Some(one), Some(two)) if one == two => diagnostic.at(one, "both are here"),
            (one, two) => {
                for (place, name) in [(one, name), (two, other)] {
                    if let Some(place) = place {
                        diagnostic = diagnostic.at(place, format!("`{name}` is here"));
                    }
                }
                diagnostic
            }
        }
    }

    /// The scope for derived types.
    pub(crate) fn into_scope(self) -> Scope {
        Scope(self.taken.into_keys().collect())
    }
}

#[cfg(test)]
mod tests;
