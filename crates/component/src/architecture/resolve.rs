//! From tree to [`Architecture`]: finds what every name means, reads the protocols that are written
//! elsewhere, and checks that no component contains itself.

use std::collections::BTreeMap;

use quadrille_diagnostic::{Diagnostic, SourceId, Span, similar};

use super::system::{
    Architecture, Component, ComponentId, Connection, End, Frame, InterfaceId, Part, PartId, Port,
    PortId,
};
use super::tree::{self, ConnectionDeclaration, Side};
use super::{codes, conform, parse};
use crate::syntax::{self, Name, Path};

/// Gives the text of a file by its path, relative to the architecture file; or says why not.
pub type Reader<'a> = dyn FnMut(&str) -> Result<(SourceId, String), Diagnostic> + 'a;

/// Reads an architecture and the protocols it refers to. The result can be used if no diagnostic is
/// an error.
pub fn load(
    source: SourceId,
    text: &str,
    read: &mut Reader<'_>,
) -> (Architecture, Vec<Diagnostic>) {
    let (file, diagnostics) = parse::parse(source, text);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return (Architecture::default(), diagnostics);
    }
    let mut resolver =
        Resolver { system: Architecture::default(), diagnostics, read, files: BTreeMap::new() };
    resolver.interfaces(&file);
    resolver.components(&file);
    resolver.order();
    conform::check(&resolver.system, &mut resolver.diagnostics);
    (resolver.system, resolver.diagnostics)
}

struct Resolver<'a, 'r> {
    system: Architecture,
    diagnostics: Vec<Diagnostic>,
    read: &'a mut Reader<'r>,
    /// The files of protocols read so far; `None` for one that cannot be used.
    files: BTreeMap<String, Option<syntax::File>>,
}

/// Reports names that come twice.
fn clashes<'a>(
    what: &str,
    names: impl IntoIterator<Item = &'a Name>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut known: BTreeMap<&str, Span> = BTreeMap::new();
    for name in names {
        if let Some(first) = known.insert(&name.text, name.span) {
            let message = format!("two {what} are called `{}`", name.text);
            let diagnostic = Diagnostic::error(&codes::CLASH, message);
            diagnostics.push(
                diagnostic.at(name.span, "").at(first, "first here").help("rename one of them"),
            );
        }
    }
}

/// Suggests a known name that is similar to an unknown one, or lists the known names.
pub(super) fn advise<'a>(
    diagnostic: Diagnostic,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(near) = similar(name, known.iter().copied()).first() {
        return diagnostic.help(format!("did you mean `{near}`?"));
    }
    match &known[..] {
        [] => diagnostic,
        few if few.len() <= 8 => diagnostic.help(format!("there is `{}`", few.join("`, `"))),
        _ => diagnostic.help(format!("there are {} of them", known.len())),
    }
}

impl Resolver<'_, '_> {
    fn interfaces(&mut self, file: &tree::ArchitectureFile) {
        let names = file.interfaces.iter().map(|interface| &interface.name);
        clashes("interfaces", names, &mut self.diagnostics);
        for interface in &file.interfaces {
            let names = interface.methods.iter().map(|method| &method.name);
            clashes("methods", names, &mut self.diagnostics);
        }
        self.system.interfaces.clone_from(&file.interfaces);
    }

    fn components(&mut self, file: &tree::ArchitectureFile) {
        let names = file.components.iter().map(|component| &component.name);
        clashes("components", names, &mut self.diagnostics);
        for component in &file.components {
            let resolved = self.surface(file, component);
            self.system.components.push(resolved);
        }
        for (position, component) in file.components.iter().enumerate() {
            let parts = self.parts(component);
            self.system.components[position].parts = parts;
            let (connections, external) = self.links(position, component);
            self.system.components[position].connections = connections;
            self.system.components[position].external = external;
        }
    }

    /// A component as it is seen from outside.
    fn surface(
        &mut self,
        file: &tree::ArchitectureFile,
        component: &tree::ComponentDeclaration,
    ) -> Component {
        clashes("interfaces", component.ports.iter().map(|port| &port.name), &mut self.diagnostics);
        clashes("parts", component.parts.iter().map(|part| &part.name), &mut self.diagnostics);
        let mut ports = Vec::new();
        for port in &component.ports {
            let wanted = port.interface();
            let known = || self.system.interfaces.iter().map(|interface| &interface.name.text[..]);
            let Some(position) = known().position(|name| name == wanted.text) else {
                let message = format!("there is no interface `{}`", wanted.text);
                let diagnostic = Diagnostic::error(&codes::UNKNOWN_INTERFACE, message);
                let diagnostic = advise(diagnostic.at(wanted.span, ""), &wanted.text, known());
                self.diagnostics.push(diagnostic);
                continue;
            };
            let interface = InterfaceId(position as u32);
            ports.push(Port { side: port.side, name: port.name.clone(), interface });
        }
        if component.frame.is_none() && component.parts.is_empty() {
            let message = format!("`{}` has neither a protocol nor parts", component.name.text);
            let diagnostic = Diagnostic::error(&codes::NO_PROTOCOL, message);
            self.diagnostics.push(
                diagnostic
                    .at(component.name.span, "")
                    .help("write `protocol { … }` or `protocol in \"FILE.bp\"`"),
            );
        }
        Component {
            name: component.name.clone(),
            ports,
            parts: Vec::new(),
            connections: Vec::new(),
            external: Vec::new(),
            frame: component.frame.as_ref().and_then(|frame| self.frame(file, component, frame)),
        }
    }

    fn frame(
        &mut self,
        file: &tree::ArchitectureFile,
        component: &tree::ComponentDeclaration,
        frame: &tree::FrameSource,
    ) -> Option<Frame> {
        let name = component.name.clone();
        let (wanted, path) = match frame {
            tree::FrameSource::Here { variables, protocol } => {
                let (variables, protocol) = (variables.clone(), protocol.clone());
                let component = syntax::Component { name, variables, protocol };
                return Some(Frame { types: file.types.clone(), component });
            }
            tree::FrameSource::File { component, path } => {
                (component.as_ref().unwrap_or(&name), path)
            }
        };
        if !self.files.contains_key(&path.text) {
            let file = self.protocols(path);
            self.files.insert(path.text.clone(), file);
        }
        let file = self.files[&path.text].as_ref()?;
        let mut components = file.components.iter();
        let Some(found) = components.find(|component| component.name.text == wanted.text) else {
            let message = format!("`{}` has no component `{}`", path.text, wanted.text);
            let diagnostic = Diagnostic::error(&codes::UNKNOWN_COMPONENT, message);
            let known = file.components.iter().map(|component| &component.name.text[..]);
            let diagnostic = advise(diagnostic.at(path.span, ""), &wanted.text, known);
            self.diagnostics.push(diagnostic);
            return None;
        };
        let component = syntax::Component { name, ..found.clone() };
        Some(Frame { types: file.types.clone(), component })
    }

    fn protocols(&mut self, path: &Name) -> Option<syntax::File> {
        match (self.read)(&path.text) {
            Err(unreadable) => {
                self.diagnostics.push(unreadable.at(path.span, ""));
                None
            }
            Ok((source, text)) => {
                let (file, diagnostics) = syntax::parse(source, &text);
                let is_usable = !diagnostics.iter().any(Diagnostic::is_error);
                self.diagnostics.extend(diagnostics);
                is_usable.then_some(file)
            }
        }
    }

    fn parts(&mut self, component: &tree::ComponentDeclaration) -> Vec<Part> {
        let mut parts = Vec::new();
        for part in &component.parts {
            let wanted = part.component();
            match self.system.find(&wanted.text) {
                Some(of) => parts.push(Part { name: part.name.clone(), of }),
                None => {
                    let message = format!("there is no component `{}`", wanted.text);
                    let diagnostic = Diagnostic::error(&codes::UNKNOWN_COMPONENT, message);
                    let known = self.system.names();
                    let diagnostic = advise(diagnostic.at(wanted.span, ""), &wanted.text, known);
                    self.diagnostics.push(diagnostic);
                }
            }
        }
        parts
    }

    fn links(
        &mut self,
        position: usize,
        component: &tree::ComponentDeclaration,
    ) -> (Vec<Connection>, Vec<(PartId, PortId)>) {
        let (mut connections, mut external) = (Vec::new(), Vec::new());
        let composite = self.system.components[position].clone();
        for link in &component.links {
            let span = link.span();
            let (client, server) = match link {
                ConnectionDeclaration::Bind { from, to } => (
                    self.end(&composite, from, Side::Required),
                    self.end(&composite, to, Side::Provided),
                ),
                ConnectionDeclaration::Delegate { from, to } => (
                    self.own(&composite, from, Side::Provided),
                    self.end(&composite, to, Side::Provided),
                ),
                ConnectionDeclaration::Subsume { from, to } => (
                    self.end(&composite, from, Side::Required),
                    self.own(&composite, to, Side::Required),
                ),
                ConnectionDeclaration::External(path) => {
                    if let Some((part, port, _)) = self.port(&composite, path) {
                        external.push((part, port));
                    }
                    continue;
                }
            };
            if let (Some(client), Some(server)) = (client, server) {
                connections.push(Connection { client, server, span });
            }
        }
        (connections, external)
    }

    /// An interface of the composite itself.
    fn own(&mut self, composite: &Component, name: &Name, side: Side) -> Option<End> {
        let Some(id) = composite.find_port(&name.text) else {
            let known = composite.ports.iter().map(|port| &port.name.text[..]);
            self.no_interface(&composite.name.text, &name.text, name.span, known);
            return None;
        };
        self.sided(composite.port(id), side, name.span)?;
        Some(End::Own(id))
    }

    /// An interface of a part, `part.Interface`.
    fn end(&mut self, composite: &Component, path: &Path, side: Side) -> Option<End> {
        let (part, port, found) = self.port(composite, path)?;
        self.sided(&found, side, path.span)?;
        Some(End::Part(part, port))
    }

    fn port(&mut self, composite: &Component, path: &Path) -> Option<(PartId, PortId, Port)> {
        let Some(part) = composite.find_part(path.interface()) else {
            let message = format!("`{}` has no part `{}`", composite.name.text, path.interface());
            let diagnostic = Diagnostic::error(&codes::UNKNOWN_COMPONENT, message);
            let known = composite.parts.iter().map(|part| &part.name.text[..]);
            let diagnostic = advise(diagnostic.at(path.span, ""), path.interface(), known);
            self.diagnostics.push(diagnostic);
            return None;
        };
        let inner = self.system.component(composite.part(part).of).clone();
        let Some(port) = inner.find_port(path.method()) else {
            let known = inner.ports.iter().map(|port| &port.name.text[..]);
            self.no_interface(path.interface(), path.method(), path.span, known);
            return None;
        };
        Some((part, port, inner.port(port).clone()))
    }

    fn no_interface<'n>(
        &mut self,
        who: &str,
        name: &str,
        span: Span,
        known: impl IntoIterator<Item = &'n str>,
    ) {
        let message = format!("`{who}` has no interface `{name}`");
        let diagnostic = Diagnostic::error(&codes::UNKNOWN_INTERFACE, message).at(span, "");
        self.diagnostics.push(advise(diagnostic, name, known));
    }

    fn sided(&mut self, port: &Port, side: Side, span: Span) -> Option<()> {
        if port.side == side {
            return Some(());
        }
        let (has, wants) = match port.side {
            Side::Provided => ("provided", "required"),
            Side::Required => ("required", "provided"),
        };
        let message = format!("`{}` is {has}; a {wants} interface belongs here", port.name.text);
        let help = "`bind` and `subsume` start at what a part requires; \
                    `bind` and `delegate` end at what a part provides";
        let diagnostic = Diagnostic::error(&codes::WRONG_SIDE, message).at(span, "");
        self.diagnostics.push(diagnostic.at(port.name.span, "declared here").help(help));
        None
    }

    /// Sorts components so that those inside others come first; takes out what closes a circle.
    fn order(&mut self) {
        let n_components = self.system.components.len();
        let mut missing: Vec<usize> =
            self.system.components.iter().map(|component| component.parts.len()).collect();
        let mut containers: Vec<Vec<usize>> = vec![Vec::new(); n_components];
        for (position, component) in self.system.components.iter().enumerate() {
            for part in &component.parts {
                containers[part.of.0 as usize].push(position);
            }
        }
        let mut done: Vec<bool> = vec![false; n_components];
        let mut ready: Vec<usize> =
            (0..n_components).rev().filter(|position| missing[*position] == 0).collect();
        loop {
            while let Some(position) = ready.pop() {
                if std::mem::replace(&mut done[position], true) {
                    continue;
                }
                self.system.order.push(ComponentId(position as u32));
                for &container in &containers[position] {
                    missing[container] -= 1;
                    if missing[container] == 0 {
                        ready.push(container);
                    }
                }
            }
            let Some(stuck) = (0..n_components).find(|position| !done[*position]) else { return };
            let first = self.circle(stuck, &done);
            // Known from here on, so that every circle is reported once.
            ready.push(first);
        }
    }

    /// Reports a circle that is reached from a component; gives one of its members.
    fn circle(&mut self, start: usize, done: &[bool]) -> usize {
        let mut way: Vec<usize> = Vec::new();
        let mut at = start;
        let from = loop {
            if let Some(from) = way.iter().position(|known| *known == at) {
                break from;
            }
            way.push(at);
            let inside = &self.system.components[at].parts;
            let Some(next) = inside.iter().find(|part| !done[part.of.0 as usize]) else {
                return at;
            };
            at = next.of.0 as usize;
        };
        let circle = &way[from..];
        let name = |position: usize| &self.system.components[position].name.text;
        let names: Vec<&str> = circle.iter().map(|position| &name(*position)[..]).collect();
        let message = format!("`{}` contains itself", names[0]);
        let mut diagnostic = Diagnostic::error(&codes::RECURSIVE, message);
        for (place, &position) in circle.iter().enumerate() {
            let next = circle[(place + 1) % circle.len()];
            let parts = self.system.components[position].parts.iter();
            for part in parts.filter(|part| part.of.0 as usize == next).take(1) {
                let text = format!("`{}` contains `{}`", name(position), name(next));
                diagnostic = diagnostic.at(part.name.span, text);
            }
        }
        self.diagnostics.push(diagnostic.help("take one of the parts out"));
        circle[0]
    }
}
