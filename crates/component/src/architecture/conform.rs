//! Whether the automata of an architecture agree: protocols with the interfaces of their components,
//! connections with each other.

use std::collections::BTreeMap;

use quadrille_diagnostic::Diagnostic;

use super::codes;
use super::resolve::advise;
use super::system::{Architecture, Component, Connection, End, Frame, PartId, Port, PortId};
use super::tree::{Interface, Side};
use crate::automata::{EventKind, Role};
use crate::lint::{self, EventUse, uses};
use crate::syntax;

/// Reports everything that does not agree. What is missing is reported only if nothing was wrong
/// before: it may have been left out for that.
pub(super) fn check(system: &Architecture, diagnostics: &mut Vec<Diagnostic>) {
    let is_sound = !diagnostics.iter().any(Diagnostic::is_error);
    for component in &system.components {
        if let Some(frame) = &component.frame {
            check_frame(system, component, frame, diagnostics);
        }
        if component.is_composite() {
            providers(system, component, diagnostics);
            fits(system, component, diagnostics);
            if is_sound {
                loose_ends(system, component, diagnostics);
            }
        }
    }
}

/// Compares a protocol with the interfaces of a component.
pub(super) fn check_frame(
    system: &Architecture,
    component: &Component,
    frame: &Frame,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut mistakes: Vec<Diagnostic> = Vec::new();
    for one in uses(&frame.component.protocol).iter().filter(|one| one.role != Role::Meet) {
        // A call is two events and one mistake.
        mistakes.extend(mistake(system, component, one).filter(|new| !mistakes.contains(new)));
    }
    mistakes.sort_by_key(|one| one.labels.first().map(|label| label.span));
    if mistakes.is_empty() {
        let components = vec![frame.component.clone()];
        let file = syntax::File { types: frame.types.clone(), components };
        mistakes = lint::check(&file, Some(&system.throws(component)));
    }
    diagnostics.append(&mut mistakes);
}

/// What is wrong with an event, if anything.
fn mistake(system: &Architecture, component: &Component, one: &EventUse) -> Option<Diagnostic> {
    let who = &component.name.text;
    let name = one.path.rsplit_once('.').map_or(&one.path[..], |(_, name)| name);
    let Some(port) = component.find_port(one.interface()) else {
        let interface = one.interface();
        let message = match interface {
            "" => format!("`{name}` is on no interface"),
            _ => format!("`{who}` has no interface `{interface}`"),
        };
        let diagnostic = Diagnostic::error(&codes::UNKNOWN_INTERFACE, message).at(one.span, "");
        let known = component.ports.iter().map(|port| &port.name.text[..]);
        return Some(advise(diagnostic, interface, known));
    };
    let port = component.port(port);
    let interface = system.interface(port.interface);
    let is_method = !one.is_exception && has_method(interface, name);
    if !is_method && !has_exception(interface, name) {
        return Some(undeclared(interface, one, name));
    }
    let is_request = one.kind == EventKind::Request;
    let side = if is_request == (one.role == Role::Emit) { Side::Required } else { Side::Provided };
    if side == port.side {
        return None;
    }
    let message = match port.side {
        Side::Provided => format!("`{who}` provides `{}` and calls it", port.name.text),
        Side::Required => format!("`{who}` requires `{}` and accepts calls on it", port.name.text),
    };
    let help = "calls go out on required interfaces and come in on provided ones";
    let diagnostic = Diagnostic::error(&codes::WRONG_SIDE, message).at(one.span, "");
    Some(diagnostic.at(port.name.span, "declared here").help(help))
}

fn has_method(interface: &Interface, name: &str) -> bool {
    interface.methods.iter().any(|method| method.name.text == name)
}

fn exceptions(interface: &Interface) -> impl Iterator<Item = &str> {
    interface.methods.iter().flat_map(|method| &method.throws).map(|name| &name.text[..])
}

fn has_exception(interface: &Interface, name: &str) -> bool {
    exceptions(interface).any(|known| known == name)
}

fn undeclared(interface: &Interface, one: &EventUse, name: &str) -> Diagnostic {
    let of = &interface.name;
    let (code, what, known): (_, _, Vec<&str>) = if one.is_exception {
        (&codes::UNDECLARED_EXCEPTION, "exception", exceptions(interface).collect())
    } else {
        let names = interface.methods.iter().map(|method| &method.name.text[..]);
        (&codes::UNDECLARED_METHOD, "method", names.collect())
    };
    let message = format!("`{}` declares no {what} `{name}`", of.text);
    let diagnostic = Diagnostic::error(code, message).at(one.span, "").at(of.span, "declared here");
    advise(diagnostic, name, known)
}

/// An end as the user writes it.
fn shown(composite: &Component, system: &Architecture, end: End) -> String {
    let port = system.port(composite, end);
    match end {
        End::Own(_) => port.name.text,
        End::Part(part, _) => format!("{}.{}", composite.part(part).name.text, port.name.text),
    }
}

/// No caller has two providers.
fn providers(system: &Architecture, composite: &Component, diagnostics: &mut Vec<Diagnostic>) {
    let mut known: BTreeMap<End, &Connection> = BTreeMap::new();
    for connection in &composite.connections {
        let Some(first) = known.insert(connection.client, connection) else { continue };
        let client = shown(composite, system, connection.client);
        let one = shown(composite, system, first.server);
        let other = shown(composite, system, connection.server);
        let message = format!("`{client}` would have two providers: `{one}` and `{other}`");
        let diagnostic = Diagnostic::error(&codes::TWO_PROVIDERS, message);
        diagnostics.push(
            diagnostic
                .at(connection.span, "")
                .at(first.span, "first here")
                .help("leave one of them out"),
        );
    }
}

/// Every call has somewhere to go.
fn loose_ends(system: &Architecture, composite: &Component, diagnostics: &mut Vec<Diagnostic>) {
    let is_joined = |end: End| composite.connections.iter().any(|one| one.client == end);
    for (position, port) in composite.ports.iter().enumerate() {
        if port.side == Side::Provided && !is_joined(End::Own(PortId(position as u32))) {
            let message = format!(
                "`{}` provides `{}`, and none of its parts does",
                composite.name.text, port.name.text
            );
            let diagnostic = Diagnostic::error(&codes::NO_PROVIDER, message);
            let help = format!("write `delegate {} to PART.INTERFACE`", port.name.text);
            diagnostics.push(diagnostic.at(port.name.span, "").help(help));
        }
    }
    for (position, part) in composite.parts.iter().enumerate() {
        let inner = system.component(part.of);
        let Some(frame) = &inner.frame else {
            if inner.is_composite() {
                let message = format!("`{}` has no frame protocol", inner.name.text);
                let diagnostic = Diagnostic::error(&codes::NO_PROTOCOL, message);
                let needed = format!("needed here, inside `{}`", composite.name.text);
                let help = "write `protocol { … }` or `protocol in \"FILE.bp\"`";
                diagnostics
                    .push(diagnostic.at(inner.name.span, "").at(part.name.span, needed).help(help));
            }
            continue;
        };
        let used = uses(&frame.component.protocol);
        for (port_position, port) in inner.ports.iter().enumerate() {
            let (part_id, port_id) = (PartId(position as u32), PortId(port_position as u32));
            let is_external = composite.external.contains(&(part_id, port_id));
            if port.side == Side::Provided || is_external || is_joined(End::Part(part_id, port_id))
            {
                continue;
            }
            let name = format!("{}.{}", part.name.text, port.name.text);
            diagnostics.extend(unbound(&name, port, &used).map(|found| {
                found.at(part.name.span, format!("in `{}` it is not bound", composite.name.text))
            }));
        }
    }
}

fn unbound(name: &str, port: &Port, used: &[EventUse]) -> Option<Diagnostic> {
    let call =
        used.iter().find(|one| one.role == Role::Emit && one.interface() == port.name.text)?;
    let message = format!("`{name}` is called but not bound");
    let help = format!("bind it, `subsume` it, or write `external {name}`");
    Some(Diagnostic::warning(&codes::UNBOUND, message).at(call.span, "").help(help))
}

/// Providers have what callers want.
fn fits(system: &Architecture, composite: &Component, diagnostics: &mut Vec<Diagnostic>) {
    for connection in &composite.connections {
        let [client, server] = [connection.client, connection.server]
            .map(|end| system.interface(system.port(composite, end).interface));
        let mut misfit = |message: String| {
            let diagnostic = Diagnostic::error(&codes::MISFIT, message).at(connection.span, "");
            diagnostics.push(diagnostic.help("let both be of one interface"));
        };
        let missing = client.methods.iter().filter(|one| !has_method(server, &one.name.text));
        let missing: Vec<&str> = missing.map(|method| &method.name.text[..]).collect();
        if !missing.is_empty() {
            let (of, names) = (&server.name.text, missing.join("`, `"));
            misfit(format!("`{of}` does not have `{names}`"));
        }
        for method in &server.methods {
            let Some(wanted) = client.methods.iter().find(|one| one.name.text == method.name.text)
            else {
                continue;
            };
            let is_known = |name: &str| wanted.throws.iter().any(|known| known.text == name);
            for exception in method.throws.iter().filter(|name| !is_known(&name.text)) {
                let (of, name) = (&server.name.text, &method.name.text);
                let (want, thrown) = (&client.name.text, &exception.text);
                misfit(format!("`{of}.{name}` throws `{thrown}`, which `{want}` does not declare"));
            }
        }
    }
}
