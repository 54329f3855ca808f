//! What components say to each other: calls that nobody accepts, handlers that never run, names that
//! miss each other by a letter.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_diagnostic::Diagnostic;

use super::{Use, first_place, suggestion, uses};
use crate::automata::{EventKind, Role, is_on};
use crate::codes;
use crate::syntax::Component;

/// What is known about interfaces beside the protocols; from an architecture, or from tables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Knowledge {
    /// Per component, the interfaces it has; unknown components are not looked at.
    pub interfaces: BTreeMap<String, BTreeSet<String>>,
    /// What is bound to whom. Without any, components that share an interface are bound by it.
    pub links: Vec<Link>,
}

/// An interface, or a method, and the two it joins; a name that is no component stands for the
/// surroundings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// `Card` or `Card.lookUp`.
    pub name: String,
    /// The components.
    pub between: [String; 2],
}

/// Looks at components together.
pub fn check_system(components: &[&Component], knowledge: &Knowledge) -> Vec<Diagnostic> {
    let parties = components
        .iter()
        .map(|component| Party { name: &component.name.text, uses: uses(&component.protocol) });
    let system = System { parties: parties.collect(), knowledge };
    let mut diagnostics = Vec::new();
    for party in &system.parties {
        system.undeclared(party, &mut diagnostics);
        system.never_accepted(party, &mut diagnostics);
        system.unbound(party, &mut diagnostics);
        system.never_thrown(party, &mut diagnostics);
    }
    system.near_misses(&mut diagnostics);
    diagnostics.sort_by_key(first_place);
    diagnostics
}

struct Party<'a> {
    name: &'a str,
    uses: Vec<Use>,
}

struct System<'a> {
    parties: Vec<Party<'a>>,
    knowledge: &'a Knowledge,
}

/// Who is at the other end of an interface.
enum Others<'a> {
    /// These components.
    Parties(Vec<&'a Party<'a>>),
    /// The surroundings, or nobody knows.
    Outside,
    /// It is bound, but not to this component.
    Unbound,
}

impl<'a> System<'a> {
    fn others(&'a self, party: &Party<'_>, path: &str) -> Others<'a> {
        let links = &self.knowledge.links;
        if links.is_empty() {
            return self.sharing(party, path);
        }
        let mut found: Vec<&Party<'_>> = Vec::new();
        let mut is_bound = false;
        let mut reaches_outside = false;
        for link in links.iter().filter(|link| is_on(path, &link.name)) {
            is_bound = true;
            let [one, other] = &link.between;
            let far = match () {
                () if one == party.name => other,
                () if other == party.name => one,
                () => continue,
            };
            match self.parties.iter().find(|known| known.name == far) {
                Some(far) => found.push(far),
                None => reaches_outside = true,
            }
        }
        match (is_bound, found.is_empty()) {
            _ if reaches_outside => Others::Outside,
            (true, true) => Others::Unbound,
            (false, true) => Others::Outside,
            (_, false) => Others::Parties(found),
        }
    }

    /// Without links: whoever mentions the interface, or the method if it has none.
    fn sharing(&'a self, party: &Party<'_>, path: &str) -> Others<'a> {
        let interface = path.rsplit_once('.').map(|(interface, _)| interface);
        let mentions = |other: &&Party<'_>| {
            let same = |one: &Use| match interface {
                Some(interface) => one.interface() == interface,
                None => one.path == path,
            };
            other.name != party.name && other.uses.iter().any(same)
        };
        let found: Vec<&Party<'_>> = self.parties.iter().filter(mentions).collect();
        if found.is_empty() { Others::Outside } else { Others::Parties(found) }
    }

    fn undeclared(&self, party: &Party<'_>, diagnostics: &mut Vec<Diagnostic>) {
        let Some(declared) = self.knowledge.interfaces.get(party.name) else { return };
        let mut known = BTreeSet::new();
        for one in &party.uses {
            let interface = one.interface();
            if declared.contains(interface) || !known.insert(interface) {
                continue;
            }
            let message = format!("{} has no interface `{interface}`", party.name);
            let mut diagnostic = Diagnostic::warning(&codes::UNDECLARED, message).at(one.span, "");
            diagnostic.help = suggestion(interface, declared.iter().map(String::as_str));
            diagnostics.push(diagnostic);
        }
    }

    fn never_accepted(&self, party: &Party<'_>, diagnostics: &mut Vec<Diagnostic>) {
        let mut known = BTreeSet::new();
        for one in party.uses.iter().filter(|one| is_request(one, Role::Emit)) {
            let Others::Parties(others) = self.others(party, &one.path) else { continue };
            let accepted: Vec<&str> = others
                .iter()
                .flat_map(|other| &other.uses)
                .filter(|other| is_request(other, Role::Accept))
                .map(|other| &other.path[..])
                .collect();
            if accepted.contains(&&one.path[..]) || !known.insert(&one.path) {
                continue;
            }
            let names: Vec<&str> = others.iter().map(|other| other.name).collect();
            let message =
                format!("{} is called and never accepted by {}", one.path, names.join(", "));
            let mut diagnostic =
                Diagnostic::warning(&codes::NEVER_ACCEPTED, message).at(one.span, "");
            diagnostic.help = suggestion(&one.path, accepted);
            diagnostics.push(diagnostic);
        }
    }

    fn unbound(&self, party: &Party<'_>, diagnostics: &mut Vec<Diagnostic>) {
        for one in party.uses.iter().filter(|one| is_request(one, Role::Accept)) {
            if matches!(self.others(party, &one.path), Others::Unbound) {
                let name = party.name;
                let message = format!(
                    "{} is accepted on an interface that is not bound to {name}; it never happens",
                    one.path
                );
                let diagnostic = Diagnostic::warning(&codes::UNBOUND_ACCEPTANCE, message);
                diagnostics.push(diagnostic.at(one.span, ""));
            }
        }
    }

    fn never_thrown(&self, party: &Party<'_>, diagnostics: &mut Vec<Diagnostic>) {
        for one in &party.uses {
            if !one.is_exception || one.role != Role::Accept {
                continue;
            }
            let Others::Parties(others) = self.others(party, &one.path) else { continue };
            let thrown: Vec<&str> = others
                .iter()
                .flat_map(|other| &other.uses)
                .filter(|other| other.role == Role::Emit && other.kind == EventKind::Response)
                .map(|other| &other.path[..])
                .collect();
            if thrown.contains(&&one.path[..]) {
                continue;
            }
            let message = format!("exception {} is caught and thrown by nobody", one.path);
            let mut diagnostic =
                Diagnostic::warning(&codes::NEVER_THROWN, message).at(one.span, "");
            diagnostic.help = suggestion(&one.path, thrown);
            diagnostics.push(diagnostic);
        }
    }

    /// Interfaces and methods whose names differ in capital letters only. The rarer one is shown.
    fn near_misses(&self, diagnostics: &mut Vec<Diagnostic>) {
        let mut spellings: BTreeMap<String, BTreeMap<&str, Vec<&Use>>> = BTreeMap::new();
        for one in self.parties.iter().flat_map(|party| &party.uses) {
            for name in [&one.path[..], one.interface()] {
                let alike = spellings.entry(name.to_lowercase()).or_default();
                alike.entry(name).or_default().push(one);
            }
        }
        for alike in spellings.values().filter(|alike| alike.len() > 1) {
            let Some((usual, _)) = alike.iter().max_by_key(|(_, uses)| uses.len()) else {
                continue;
            };
            for (name, uses) in alike.iter().filter(|(name, _)| name != &usual) {
                let message = format!("`{name}` is not `{usual}`: names are case-sensitive");
                let diagnostic = Diagnostic::warning(&codes::NEAR_MISS, message);
                diagnostics.push(diagnostic.at(uses[0].span, "").help("spell both alike"));
            }
        }
    }
}

fn is_request(one: &Use, role: Role) -> bool {
    one.role == role && one.kind == EventKind::Request
}
