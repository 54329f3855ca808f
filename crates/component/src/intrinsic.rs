//! Exceptions written out: a protocol without `try` and `throw` that means the same, with exceptions
//! as plain responses and everything that follows them repeated where it is needed.
//!
//! Each part is split into the traces that end as usual, those that leave (up to the event by which
//! they do), and the beginnings of traces, which are what a branch may have done when another leaves.
//! The text grows quickly, which is why the language has exceptions.

use crate::automata::Throws;
use crate::syntax::{Catch, Direction, Kind, Path, Phase, Protocol, Token};

/// The protocol without exceptions. `None` if it can never end, if a `throw` has no acceptance around
/// it, or if the text would be too long. Without `throws`, every method may throw what is caught on its interface.
pub fn intrinsic(protocol: &Protocol, throws: Option<&Throws>) -> Option<Protocol> {
    let mut writer = Writer { throws, around: Vec::new(), inverted: false, failed: false };
    let split = writer.split(protocol);
    if writer.failed || !split.leaving.is_empty() {
        return None;
    }
    split.usual
}

/// Most nodes of a part.
const MAX_SIZE: usize = 1 << 16;

/// A protocol taken apart.
#[derive(Clone)]
struct Split {
    /// What ends as usual, if anything does.
    usual: Option<Protocol>,
    /// Beginnings of everything.
    partial: Protocol,
    leaving: Vec<Leaving>,
}

/// What leaves: what happens before, the event by which it does, and where to.
#[derive(Clone)]
struct Leaving {
    before: Protocol,
    event: Protocol,
    to: Exit,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Exit {
    /// The scope, counted from outside.
    scope: usize,
    /// The handler, for a `try`.
    handler: usize,
}

enum Scope<'a> {
    Acceptance(&'a Path),
    Try(&'a [Catch]),
}

struct Writer<'a> {
    throws: Option<&'a Throws>,
    around: Vec<Scope<'a>>,
    inverted: bool,
    failed: bool,
}

fn like(protocol: &Protocol, kind: Kind) -> Protocol {
    Protocol { kind, span: protocol.span }
}

fn then(one: &Protocol, two: &Protocol) -> Protocol {
    match (&one.kind, &two.kind) {
        (Kind::Null, _) => two.clone(),
        (_, Kind::Null) => one.clone(),
        _ => like(one, Kind::Sequence(vec![one.clone(), two.clone()])),
    }
}

fn either(mut ways: Vec<Protocol>) -> Option<Protocol> {
    match ways.len() {
        0 => None,
        1 => ways.pop(),
        _ => {
            let span = ways[0].span;
            Some(Protocol { kind: Kind::Alternative(ways), span })
        }
    }
}

impl Split {
    /// Something that happens in one step, or nothing.
    fn plain(protocol: &Protocol) -> Self {
        let nothing = like(protocol, Kind::Null);
        let ways = vec![nothing, protocol.clone()];
        let partial = like(protocol, Kind::Alternative(ways));
        Self { usual: Some(protocol.clone()), partial, leaving: Vec::new() }
    }

    fn size(&self) -> usize {
        let before = self.leaving.iter().map(|one| &one.before);
        let mut size = 0;
        for protocol in self.usual.iter().chain([&self.partial]).chain(before) {
            protocol.walk(&mut |_| size += 1);
        }
        size
    }

    fn then(&self, next: &Split) -> Split {
        let Some(usual) = &self.usual else { return self.clone() };
        let partial = vec![self.partial.clone(), then(usual, &next.partial)];
        let mut leaving = self.leaving.clone();
        leaving.extend(next.leaving.iter().map(|one| one.after(usual)));
        Split {
            usual: next.usual.as_ref().map(|next| then(usual, next)),
            partial: like(usual, Kind::Alternative(partial)),
            leaving,
        }
    }
}

impl Leaving {
    fn after(&self, protocol: &Protocol) -> Self {
        Self { before: then(protocol, &self.before), ..self.clone() }
    }

    fn whole(&self) -> Protocol {
        then(&self.before, &self.event)
    }
}

impl<'a> Writer<'a> {
    fn event(&self, path: &str, direction: Direction, phase: Phase, at: &Protocol) -> Protocol {
        let direction = if self.inverted { direction.inverse() } else { direction };
        let path = Path { text: path.to_owned(), span: at.span };
        like(at, Kind::Event(Token { direction, path, phase }))
    }

    fn split(&mut self, protocol: &'a Protocol) -> Split {
        let nothing = like(protocol, Kind::Null);
        if self.failed {
            return Split::plain(&nothing);
        }
        let split = self.split_kind(protocol);
        if split.size() > MAX_SIZE {
            self.failed = true;
            return Split::plain(&nothing);
        }
        split
    }

    fn split_kind(&mut self, protocol: &'a Protocol) -> Split {
        if !has_exceptions(protocol) && self.around.is_empty() && !self.inverted {
            return Split::plain(protocol);
        }
        match &protocol.kind {
            Kind::Sequence(parts) => {
                let nothing = like(protocol, Kind::Null);
                let start =
                    Split { usual: Some(nothing.clone()), partial: nothing, leaving: Vec::new() };
                parts.iter().fold(start, |before, part| before.then(&self.split(part)))
            }
            Kind::Alternative(parts) => {
                let ways: Vec<Split> = parts.iter().map(|part| self.split(part)).collect();
                self.any(protocol, &ways)
            }
            Kind::Parallel(parts) => {
                let ways: Vec<Split> = parts.iter().map(|part| self.split(part)).collect();
                beside(protocol, &ways.iter().collect::<Vec<_>>())
            }
            Kind::OrParallel(parts) => {
                let ways: Vec<Split> = parts.iter().map(|part| self.split(part)).collect();
                if ways.len() > 8 {
                    self.failed = true;
                    return Split::plain(protocol);
                }
                let chosen = (1u32..1 << ways.len()).map(|chosen| {
                    let some = ways.iter().enumerate();
                    let some = some.filter(|(position, _)| chosen >> position & 1 == 1);
                    beside(protocol, &some.map(|(_, way)| way).collect::<Vec<_>>())
                });
                let all: Vec<Split> = chosen.collect();
                self.any(protocol, &all)
            }
            Kind::Repeat(inner) => {
                let once = self.split(inner);
                let turns = match &once.usual {
                    Some(usual) => like(protocol, Kind::Repeat(Box::new(usual.clone()))),
                    None => like(protocol, Kind::Null),
                };
                Split {
                    partial: then(&turns, &once.partial),
                    leaving: once.leaving.iter().map(|one| one.after(&turns)).collect(),
                    usual: Some(turns),
                }
            }
            Kind::Invert(inner) if has_exceptions(inner) || !self.around.is_empty() => {
                self.inverted = !self.inverted;
                let split = self.split(inner);
                self.inverted = !self.inverted;
                split
            }
            Kind::Call { direction, path, body, arguments, parameters }
                if arguments.is_empty() && parameters.is_empty() =>
            {
                self.call(protocol, *direction, path, body.as_deref())
            }
            Kind::Throw(exception) => self.throw(protocol, &exception.text),
            Kind::Try { body, catches } => self.try_catch(protocol, body, catches),
            Kind::Null => Split {
                usual: Some(protocol.clone()),
                partial: protocol.clone(),
                leaving: Vec::new(),
            },
            Kind::Event(token) => {
                let event = self.event(&token.path.text, token.direction, token.phase, protocol);
                Split::plain(&event)
            }
            // The rest has no beginnings that could be written down, or holds no exceptions.
            _ => {
                self.failed = true;
                Split::plain(protocol)
            }
        }
    }

    fn any(&mut self, protocol: &Protocol, ways: &[Split]) -> Split {
        let partial = ways.iter().map(|way| way.partial.clone()).collect();
        Split {
            usual: either(ways.iter().filter_map(|way| way.usual.clone()).collect()),
            partial: like(protocol, Kind::Alternative(partial)),
            leaving: ways.iter().flat_map(|way| way.leaving.iter().cloned()).collect(),
        }
    }

    fn call(
        &mut self,
        protocol: &'a Protocol,
        direction: Direction,
        path: &'a Path,
        body: Option<&'a Protocol>,
    ) -> Split {
        let request = self.event(&path.text, direction, Phase::Request, protocol);
        let response = self.event(&path.text, direction.inverse(), Phase::Response, protocol);
        let nothing = like(protocol, Kind::Null);
        let empty = Split { usual: Some(nothing.clone()), partial: nothing, leaving: Vec::new() };
        let is_accepted = direction == Direction::Accept;
        if is_accepted {
            self.around.push(Scope::Acceptance(path));
        }
        let mut inside = body.map_or(empty, |body| self.split(body));
        if is_accepted {
            self.around.pop();
        } else {
            for (exception, to) in self.caught(path) {
                let event = self.event(&exception, Direction::Accept, Phase::Response, protocol);
                inside.leaving.push(Leaving { before: inside.partial.clone(), event, to });
            }
        }
        let mut whole = inside.then(&Split::plain(&response));
        if is_accepted {
            let scope = self.around.len();
            let (thrown, further) =
                whole.leaving.iter().cloned().partition(|one| one.to.scope == scope);
            let thrown: Vec<Leaving> = thrown;
            whole.leaving = further;
            let ends = thrown.iter().map(Leaving::whole);
            whole.usual = either(whole.usual.into_iter().chain(ends.clone()).collect());
            let partial = std::iter::once(whole.partial).chain(ends).collect();
            whole.partial = like(protocol, Kind::Alternative(partial));
        }
        Split::plain(&request).then(&whole)
    }

    /// The exceptions that a call may bring, and which handler of which `try` they go to.
    fn caught(&self, method: &Path) -> Vec<(String, Exit)> {
        let mut found: Vec<(String, Exit)> = Vec::new();
        for (scope, around) in self.around.iter().enumerate().rev() {
            let Scope::Try(catches) = around else { continue };
            for (handler, catch) in catches.iter().enumerate() {
                for exception in &catch.exceptions {
                    let thrown = exception.interface() == method.interface()
                        && self.throws.is_none_or(|throws| {
                            let listed = throws.of(&method.text);
                            listed.iter().any(|listed| listed == exception.method())
                        });
                    if thrown && found.iter().all(|(known, _)| *known != exception.text) {
                        found.push((exception.text.clone(), Exit { scope, handler }));
                    }
                }
            }
        }
        found
    }

    fn throw(&mut self, protocol: &Protocol, exception: &str) -> Split {
        let method =
            self.around.iter().enumerate().rev().find_map(|(scope, around)| match around {
                Scope::Acceptance(method) => Some((scope, *method)),
                Scope::Try(_) => None,
            });
        let Some((scope, method)) = method else {
            self.failed = true;
            return Split::plain(protocol);
        };
        let path = match method.interface() {
            "" => exception.to_owned(),
            interface => format!("{interface}.{exception}"),
        };
        let before = like(protocol, Kind::Null);
        let event = self.event(&path, Direction::Emit, Phase::Response, protocol);
        let to = Exit { scope, handler: 0 };
        let leaving = vec![Leaving { before: before.clone(), event, to }];
        Split { usual: None, partial: before, leaving }
    }

    fn try_catch(
        &mut self,
        protocol: &Protocol,
        body: &'a Protocol,
        catches: &'a [Catch],
    ) -> Split {
        self.around.push(Scope::Try(catches));
        let tried = self.split(body);
        self.around.pop();
        let scope = self.around.len();
        let handlers: Vec<Split> = catches.iter().map(|catch| self.split(&catch.handler)).collect();
        let (caught, further) =
            tried.leaving.iter().cloned().partition(|one| one.to.scope == scope);
        let caught: Vec<Leaving> = caught;
        let mut ways = vec![Split { leaving: further, ..tried }];
        for one in &caught {
            let arrived = one.whole();
            let start =
                Split { usual: Some(arrived.clone()), partial: arrived, leaving: Vec::new() };
            ways.push(start.then(&handlers[one.to.handler]));
        }
        self.any(protocol, &ways)
    }
}

/// Branches side by side: when one leaves, the others have begun.
fn beside(protocol: &Protocol, branches: &[&Split]) -> Split {
    if let [only] = branches {
        return (*only).clone();
    }
    let parallel = |parts: Vec<Protocol>| like(protocol, Kind::Parallel(parts));
    let usual: Option<Vec<Protocol>> = branches.iter().map(|branch| branch.usual.clone()).collect();
    let mut leaving = Vec::new();
    for (position, branch) in branches.iter().enumerate() {
        for one in &branch.leaving {
            let mut parts = vec![one.before.clone()];
            for (other, beside) in branches.iter().enumerate() {
                if other != position {
                    parts.push(beside.partial.clone());
                }
            }
            leaving.push(Leaving { before: parallel(parts), ..one.clone() });
        }
    }
    Split {
        usual: usual.map(parallel),
        partial: parallel(branches.iter().map(|branch| branch.partial.clone()).collect()),
        leaving,
    }
}

fn has_exceptions(protocol: &Protocol) -> bool {
    let mut found = false;
    protocol.walk(&mut |inner| found |= matches!(inner.kind, Kind::Throw(_) | Kind::Try { .. }));
    found
}
