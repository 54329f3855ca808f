//! Every event that a protocol mentions, with its place; abbreviations count as what they stand for.

use quadrille_diagnostic::Span;

use crate::automata::{Event, EventKind, Role};
use crate::syntax::{Direction, Kind, Path, Protocol};

/// An event in the text of a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventUse {
    /// What the component does.
    pub role: Role,
    /// Interface and method, or interface and exception.
    pub path: String,
    /// Request or response.
    pub kind: EventKind,
    /// Whether it is an exception: thrown if emitted, caught if accepted.
    pub is_exception: bool,
    /// The calls in whose braces it stands, outermost first.
    pub within: Vec<String>,
    /// Where.
    pub span: Span,
}

impl EventUse {
    /// Everything before the last dot; empty without one.
    pub fn interface(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(interface, _)| interface)
    }
}

/// Every event of a protocol, in the order of the text.
pub fn uses(protocol: &Protocol) -> Vec<EventUse> {
    let mut collector = Collector::default();
    collector.visit(protocol);
    collector.uses
}

/// Where a component emits an event: shown when no component accepts it.
pub fn emissions(protocol: &Protocol, event: &Event) -> Vec<Span> {
    let is_it =
        |one: &EventUse| one.role == Role::Emit && one.path == event.path && one.kind == event.kind;
    uses(protocol).into_iter().filter(is_it).map(|one| one.span).collect()
}

#[derive(Default)]
struct Collector<'a> {
    uses: Vec<EventUse>,
    inverted: bool,
    /// The calls around, innermost last.
    around: Vec<(Direction, &'a Path)>,
}

impl<'a> Collector<'a> {
    fn add(&mut self, role: Role, path: String, kind: EventKind, is_exception: bool, span: Span) {
        let role = if self.inverted { role.inverse() } else { role };
        let within = self.around.iter().map(|(_, path)| path.text.clone()).collect();
        self.uses.push(EventUse { role, path, kind, is_exception, within, span });
    }

    fn visit(&mut self, protocol: &'a Protocol) {
        match &protocol.kind {
            Kind::Event(token) => {
                let (role, kind) = (token.direction.into(), token.phase.into());
                self.add(role, token.path.text.clone(), kind, false, token.path.span);
            }
            Kind::Atomic(tokens) => {
                for token in tokens {
                    let (role, kind) = (token.direction.into(), token.phase.into());
                    self.add(role, token.path.text.clone(), kind, false, token.path.span);
                }
            }
            Kind::Meet(path) => {
                self.add(Role::Meet, path.text.clone(), EventKind::Meeting, false, path.span);
            }
            Kind::Call { direction, path, body, .. } => {
                let role = Role::from(*direction);
                self.add(role, path.text.clone(), EventKind::Request, false, path.span);
                self.around.push((*direction, path));
                body.iter().for_each(|body| self.visit(body));
                self.around.pop();
                let response = EventKind::Response;
                self.add(role.inverse(), path.text.clone(), response, false, path.span);
            }
            Kind::Throw(exception) => {
                let mut around = self.around.iter().rev();
                let accepted = around.find(|(direction, _)| *direction == Direction::Accept);
                let interface = accepted.map_or("", |(_, path)| path.interface());
                let path = match interface {
                    "" => exception.text.clone(),
                    _ => format!("{interface}.{}", exception.text),
                };
                self.add(Role::Emit, path, EventKind::Response, true, exception.span);
            }
            Kind::Try { body, catches } => {
                self.visit(body);
                for catch in catches {
                    for exception in &catch.exceptions {
                        let path = exception.text.clone();
                        self.add(Role::Accept, path, EventKind::Response, true, exception.span);
                    }
                    self.visit(&catch.handler);
                }
            }
            Kind::Invert(inner) => {
                self.inverted = !self.inverted;
                self.visit(inner);
                self.inverted = !self.inverted;
            }
            _ => protocol.for_each_part(|part| self.visit(part)),
        }
    }
}
