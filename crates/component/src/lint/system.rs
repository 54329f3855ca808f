//! Lint across components: calls that no component accepts, handlers that never run, names that differ
//! by one letter.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_diagnostic::Diagnostic;

use super::{EventUse, advice, first_place, uses};
use crate::automata::{EventKind, Role, is_on};
use crate::codes;
use crate::syntax::Component;

/// What is known about interfaces beside the protocols; from an architecture, or from tables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KnownBindings {
    /// Per component, the interfaces it has; unknown components are not looked at.
    pub interfaces: BTreeMap<String, BTreeSet<String>>,
    /// What is bound to whom. Without any, components that share an interface are bound by it.
    pub links: Vec<InterfaceLink>,
    /// Whether an interface without a link is unbound; otherwise it is bound to the environment.
    pub closed: bool,
    /// What the environment does, where a frame says so: the frame with emitting and accepting
    /// exchanged.
    pub environment: Option<Component>,
}

/// An interface, or a method, and the two it joins; an unknown name stands for a component that
/// is not described.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InterfaceLink {
    /// `Card` or `Card.lookUp`.
    pub name: String,
    /// The components.
    pub between: [String; 2],
}

/// Looks at components together.
pub fn check_system(components: &[&Component], known_bindings: &KnownBindings) -> Vec<Diagnostic> {
    let party = |component| Party::new(component);
    let system = System {
        parties: components.iter().copied().map(party).collect(),
        environment: known_bindings.environment.as_ref().map(party),
        known_bindings,
    };
    let mut diagnostics = Vec::new();
    for party in &system.parties {
        system.undeclared(party, &mut diagnostics);
        system.never_accepted(party, &mut diagnostics);
        system.unbound(party, &mut diagnostics);
        system.never_thrown(party, &mut diagnostics);
        system.misplaced(party, &mut diagnostics);
    }
    system.near_misses(&mut diagnostics);
    diagnostics.sort_by_key(first_place);
    diagnostics
}

struct Party<'a> {
    name: &'a str,
    uses: Vec<EventUse>,
}

impl<'a> Party<'a> {
    fn new(component: &'a Component) -> Self {
        Self { name: &component.name.text, uses: uses(&component.protocol) }
    }

    /// Whether it calls this method, and always as a whole: the response is written with the request.
    fn calls(&self, method: &str) -> bool {
        let all = || self.uses.iter().filter(|one| one.path == method && one.role != Role::Meet);
        let is_answered = |one: &EventUse| {
            all().any(|other| other.span == one.span && other.kind == EventKind::Response)
        };
        let mut requests = all().filter(|one| is_request(one, Role::Emit)).peekable();
        requests.peek().is_some() && requests.all(is_answered)
    }
}

struct System<'a> {
    parties: Vec<Party<'a>>,
    environment: Option<Party<'a>>,
    known_bindings: &'a KnownBindings,
}

/// What is bound to the other end of an interface.
enum Others<'a> {
    /// These components.
    Parties(Vec<&'a Party<'a>>),
    /// The environment, or it is not known.
    Outside,
    /// It is bound, but not to this component.
    Unbound,
}

impl<'a> System<'a> {
    fn others(&'a self, party: &Party<'_>, path: &str) -> Others<'a> {
        let links = &self.known_bindings.links;
        if links.is_empty() {
            return self.sharing(party, path);
        }
        let path = &self.as_linked(path);
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
            let mut known = self.parties.iter().chain(&self.environment);
            match known.find(|known| known.name == far) {
                Some(far) => found.push(far),
                None => reaches_outside = true,
            }
        }
        match found.is_empty() {
            _ if reaches_outside => Others::Outside,
            false => Others::Parties(found),
            true if is_bound || self.known_bindings.closed => Others::Unbound,
            true => Others::Outside,
        }
    }

    /// A path with its interface spelled as the links do, where only capital letters differ: that is
    /// reported by itself, and should not hide what else is wrong.
    fn as_linked(&self, path: &str) -> String {
        let links = &self.known_bindings.links;
        let Some((interface, method)) = path.rsplit_once('.') else { return path.to_owned() };
        let is_known = links.iter().any(|link| is_on(path, &link.name));
        let near = links.iter().find(|link| link.name.eq_ignore_ascii_case(interface));
        match near {
            Some(link) if !is_known => format!("{}.{method}", link.name),
            _ => path.to_owned(),
        }
    }

    /// Without links: the components that mention the interface, or the method if it has none.
    fn sharing(&'a self, party: &Party<'_>, path: &str) -> Others<'a> {
        let interface = path.rsplit_once('.').map(|(interface, _)| interface);
        let mentions = |other: &&Party<'_>| {
            let same = |one: &EventUse| match interface {
                Some(interface) => one.interface() == interface,
                None => one.path == path,
            };
            other.name != party.name && other.uses.iter().any(same)
        };
        let found: Vec<&Party<'_>> = self.parties.iter().filter(mentions).collect();
        if found.is_empty() { Others::Outside } else { Others::Parties(found) }
    }

    fn undeclared(&self, party: &Party<'_>, diagnostics: &mut Vec<Diagnostic>) {
        let Some(declared) = self.known_bindings.interfaces.get(party.name) else { return };
        let mut known = BTreeSet::new();
        for one in &party.uses {
            let interface = one.interface();
            if declared.contains(interface) || !known.insert(interface) {
                continue;
            }
            let message = format!("{} has no interface `{interface}`", party.name);
            let known = declared.iter().map(String::as_str);
            let help = advice(interface, known, "declare it, or correct the name");
            let diagnostic = Diagnostic::warning(&codes::UNDECLARED, message).at(one.span, "");
            diagnostics.push(diagnostic.help(help));
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
            if accepted.contains(&&self.as_linked(&one.path)[..]) || !known.insert(&one.path) {
                continue;
            }
            let names: Vec<&str> = others.iter().map(|other| other.name).collect();
            let message =
                format!("{} is called and never accepted by {}", one.path, names.join(", "));
            let help = advice(&one.path, accepted, "accept it there, or leave out the call");
            let diagnostic = Diagnostic::warning(&codes::NEVER_ACCEPTED, message).at(one.span, "");
            diagnostics.push(diagnostic.help(help));
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
            let message = format!("exception {} is caught but never thrown", one.path);
            let help = advice(
                &one.path,
                thrown,
                "throw it where the call is accepted, or do not catch it",
            );
            let diagnostic = Diagnostic::warning(&codes::NEVER_THROWN, message).at(one.span, "");
            diagnostics.push(diagnostic.help(help));
        }
    }

    /// Callbacks to a component that waits for the response to a call but accepts callbacks only during
    /// other calls.
    fn misplaced(&self, party: &Party<'_>, diagnostics: &mut Vec<Diagnostic>) {
        let mut known = BTreeSet::new();
        for one in party.uses.iter().filter(|one| is_request(one, Role::Emit)) {
            let Others::Parties(others) = self.others(party, &one.path) else { continue };
            let [other] = others[..] else { continue };
            let expected: Vec<&EventUse> = other
                .uses
                .iter()
                .filter(|use_| is_request(use_, Role::Accept) && use_.path == one.path)
                .collect();
            let during: BTreeSet<&str> =
                expected.iter().flat_map(|use_| &use_.within).map(String::as_str).collect();
            let is_anytime = expected.iter().any(|use_| use_.within.is_empty());
            if expected.is_empty() || is_anytime {
                continue;
            }
            let is_waiting = |method: &&String| {
                let Others::Parties(callers) = self.others(party, method) else { return false };
                callers.iter().any(|caller| caller.name == other.name) && other.calls(method)
            };
            let answered: Vec<&String> = one.within.iter().filter(is_waiting).collect();
            let is_expected = one.within.iter().any(|method| during.contains(&method[..]));
            let Some(method) = answered.last() else { continue };
            if is_expected || !known.insert((&one.path, *method)) {
                continue;
            }
            let (name, other, path) = (party.name, other.name, &one.path);
            let during: Vec<&str> = during.into_iter().collect();
            let message = format!("{name} calls {path} while it answers {method}");
            let label = format!("{other} expects it during {} only", during.join(", "));
            let diagnostic = Diagnostic::warning(&codes::MISPLACED, message).at(one.span, label);
            diagnostics.push(diagnostic.help("let both say the same about the method"));
        }
    }

    /// Interfaces and methods whose names differ in capital letters only. The rarer one is shown.
    fn near_misses(&self, diagnostics: &mut Vec<Diagnostic>) {
        let mut spellings: BTreeMap<String, BTreeMap<&str, Vec<&EventUse>>> = BTreeMap::new();
        let all = self.parties.iter().chain(&self.environment);
        for one in all.flat_map(|party| &party.uses) {
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

fn is_request(one: &EventUse, role: Role) -> bool {
    one.role == role && one.kind == EventKind::Request
}
