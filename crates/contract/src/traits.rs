//! Frames of Rust traits. Lines of their documentation that begin with `protocol:` say in which state a
//! method may be called and where that leads; the frame is the protocol of that automaton. Traits
//! without such a line have no frame.
//!
//! ```text
//! /// protocol: starts closed, ends closed or broken
//! trait Till {
//!     /// protocol: closed -> open
//!     fn open(&mut self);
//!     /// protocol: open { !Card.charge } -> open, throws Refused -> broken
//!     fn sell(&mut self) -> Result<(), Refused>;
//!     /// protocol: open -> closed
//!     fn close(&mut self);
//!     fn look(&self);
//! }
//! ```
//!
//! The braces hold what the method calls in turn, as a behavior protocol. A method may have several
//! such lines; one that has none may be called in every state and changes nothing. Without a line
//! for the trait there is one state, in which it starts and may end, called `ready`.

use quadrille_component::regular::{Automaton, AutomatonState, NotRegular};
use quadrille_component::syntax::{
    Component, Direction, Kind, Name, Path, Protocol, parse as parse_protocols,
};
use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Item, ItemTrait, Lit, Meta, TraitItem, TraitItemFn};

use crate::codes;

/// Brackets, or marks in a row, that no person writes: the reader of Rust is recursive.
const DEEPEST: usize = 300;

/// The frames of all annotated traits of a Rust text, also of those in its modules.
pub fn frames(sources: &Sources, source: SourceId) -> (Vec<Component>, Vec<Diagnostic>) {
    let text = sources.text(source);
    let mut reader = Reader { source, text, diagnostics: Vec::new() };
    if let Some(at) = too_deep(text) {
        let diagnostic = Diagnostic::error(&codes::RUST, "the text is nested too deeply")
            .at(Span::new(source, at..at + 1), "here");
        return (Vec::new(), vec![diagnostic]);
    }
    let mut components = Vec::new();
    match syn::parse_file(text) {
        Ok(file) => reader.items(&file.items, &mut components),
        Err(error) => {
            let span = reader.span(error.span());
            let diagnostic = Diagnostic::error(&codes::RUST, "the Rust text cannot be read");
            reader.diagnostics.push(diagnostic.at(span, error.to_string()));
        }
    }
    (components, reader.diagnostics)
}

fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut row) = (0usize, 0usize);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match byte {
            b'*' | b'&' | b'!' | b'-' | b'|' => row += 1,
            b' ' | b'\n' => {}
            _ => row = 0,
        }
        if depth > DEEPEST || row > DEEPEST {
            return Some(at);
        }
    }
    None
}

struct Reader<'t> {
    source: SourceId,
    text: &'t str,
    diagnostics: Vec<Diagnostic>,
}

/// A `protocol:` line.
struct Line {
    text: String,
    /// The whole comment.
    span: Span,
}

/// What a line of a method says.
struct Rule<'l> {
    from: &'l str,
    body: Option<&'l str>,
    to: &'l str,
    /// Exceptions, and where they lead.
    throws: Vec<(&'l str, &'l str)>,
}

/// The states of a trait by name, the one it starts in first.
struct States(Vec<String>);

impl States {
    fn of(&mut self, name: &str) -> AutomatonState {
        let known = self.0.iter().position(|known| known == name);
        AutomatonState(known.unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        }))
    }
}

impl Reader<'_> {
    fn span(&self, span: proc_macro2::Span) -> Span {
        let range = span.byte_range();
        let end = range.end.min(self.text.len());
        Span::new(self.source, range.start.min(end)..end)
    }

    fn items(&mut self, items: &[Item], components: &mut Vec<Component>) {
        for item in items {
            match item {
                Item::Trait(item) => components.extend(self.component(item)),
                Item::Mod(module) => {
                    let inside = module.content.as_ref().map_or(&[][..], |content| &content.1);
                    self.items(inside, components);
                }
                _ => {}
            }
        }
    }

    /// The frame of a trait; `None` without annotations, or where they are wrong.
    fn component(&mut self, item: &ItemTrait) -> Option<Component> {
        let methods: Vec<&TraitItemFn> = item
            .items
            .iter()
            .filter_map(|item| match item {
                TraitItem::Fn(method) => Some(method),
                _ => None,
            })
            .collect();
        let own = self.lines(&item.attrs);
        let rules: Vec<Vec<Line>> =
            methods.iter().map(|method| self.lines(&method.attrs)).collect();
        if own.is_empty() && rules.iter().all(Vec::is_empty) {
            return None;
        }
        let n_before = self.diagnostics.len();
        let (mut states, end_names) = self.header(&own);
        let span = self.span(item.ident.span());
        let mut edges = Vec::new();
        let mut anywhere = Vec::new();
        for (method, lines) in methods.iter().zip(&rules) {
            let path = Path {
                text: format!("{}.{}", item.ident, method.sig.ident),
                span: self.span(method.sig.ident.span()),
            };
            if lines.is_empty() {
                anywhere.push(call(&path, None));
            }
            for line in lines {
                self.rule(line, &path, &mut states, &mut edges);
            }
        }
        let ends: Vec<AutomatonState> = end_names.iter().map(|name| states.of(name)).collect();
        let all = (0..states.0.len()).map(AutomatonState);
        edges.extend(
            all.clone()
                .flat_map(|state| anywhere.iter().map(move |one| (state, one.clone(), state))),
        );
        if self.diagnostics[n_before..].iter().any(Diagnostic::is_error) {
            return None;
        }
        let ends = all.map(|state| ends.contains(&state)).collect();
        let name = Name { text: item.ident.to_string(), span };
        match (Automaton { edges, ends, span }).protocol() {
            Ok(protocol) => return Some(Component { name, variables: Vec::new(), protocol }),
            Err(NotRegular::NeverEnds(AutomatonState(state))) => {
                let message = format!("`{}` cannot come to an end", name.text);
                let label = format!("not from state `{}`", states.0[state]);
                let diagnostic = Diagnostic::error(&codes::NEVER_ENDS, message).at(span, label);
                self.diagnostics.push(diagnostic);
            }
            Err(NotRegular::TooLarge) => {
                let message = format!("the protocol of `{}` would be too large", name.text);
                let diagnostic =
                    Diagnostic::error(&codes::TOO_LARGE, message).at(span, "this trait");
                self.diagnostics.push(diagnostic);
            }
        }
        None
    }

    fn lines(&self, attributes: &[Attribute]) -> Vec<Line> {
        let mut lines = Vec::new();
        for attribute in attributes {
            let Meta::NameValue(meta) = &attribute.meta else { continue };
            let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &meta.value else { continue };
            if !meta.path.is_ident("doc") {
                continue;
            }
            let span = self.span(attribute.span());
            for line in text.value().lines() {
                let line = line.trim_start_matches([' ', '*']);
                if let Some(rest) = line.strip_prefix("protocol:") {
                    lines.push(Line { text: rest.trim().to_owned(), span });
                }
            }
        }
        lines
    }

    fn wrong(&mut self, line: &Line, expected: &str) {
        let diagnostic = Diagnostic::error(&codes::ANNOTATION, "the annotation cannot be read")
            .at(line.span, format!("expected `protocol: {expected}`"));
        self.diagnostics.push(diagnostic);
    }

    /// Where the trait starts and may end.
    fn header(&mut self, lines: &[Line]) -> (States, Vec<String>) {
        let ready = "ready".to_owned();
        let Some(line) = lines.first() else { return (States(vec![ready.clone()]), vec![ready]) };
        let read = || {
            let (start, ends) = line.text.strip_prefix("starts ")?.split_once(',')?;
            let ends = ends.trim_start().strip_prefix("ends ")?;
            let ends: Vec<&str> = ends.split(" or ").map(str::trim).collect();
            let good = is_name(start.trim()) && ends.iter().all(|end| is_name(end));
            good.then(|| (start.trim().to_owned(), ends.into_iter().map(str::to_owned).collect()))
        };
        match read() {
            Some((start, ends)) if lines.len() == 1 => (States(vec![start]), ends),
            _ => {
                self.wrong(lines.last().unwrap_or(line), "starts STATE, ends STATE or STATE");
                (States(vec![ready]), Vec::new())
            }
        }
    }

    /// The steps that a line of a method stands for.
    fn rule(
        &mut self,
        line: &Line,
        path: &Path,
        states: &mut States,
        edges: &mut Vec<(AutomatonState, Protocol, AutomatonState)>,
    ) {
        let Some(rule) = Rule::read(&line.text) else {
            return self.wrong(line, "STATE { CALLS } -> STATE, throws EXCEPTION -> STATE");
        };
        let body = rule.body.and_then(|body| self.body(line, body));
        let (from, to) = (states.of(rule.from), states.of(rule.to));
        edges.push((from, call(path, body.clone()), to));
        for (exception, to) in rule.throws {
            let name = Name { text: exception.to_owned(), span: line.span };
            let throw = Protocol { kind: Kind::Throw(name), span: line.span };
            let parts: Vec<Protocol> = body.clone().into_iter().chain([throw]).collect();
            let thrown = Protocol { kind: Kind::Sequence(parts), span: line.span };
            edges.push((from, call(path, Some(thrown)), states.of(to)));
        }
    }

    /// What stands in braces, read where it stands, so that diagnostics point at it.
    fn body(&mut self, line: &Line, body: &str) -> Option<Protocol> {
        let range = line.span.range();
        let at = range.start + self.text.get(range)?.find(body)?;
        let padded = format!("X{}{body}", " ".repeat(at.saturating_sub(1)));
        let (file, diagnostics) = parse_protocols(self.source, &padded);
        self.diagnostics.extend(diagnostics);
        file.components.into_iter().next().map(|component| component.protocol)
    }
}

impl<'l> Rule<'l> {
    /// `STATE { CALLS } -> STATE, throws EXCEPTION -> STATE`
    fn read(text: &'l str) -> Option<Self> {
        let (from, body, rest) = match text.split_once('{') {
            Some((from, rest)) if !from.contains("->") => {
                let end = matching(rest)?;
                (from, Some(rest[..end].trim()), &rest[end + 1..])
            }
            _ => {
                let arrow = text.find("->")?;
                (&text[..arrow], None, &text[arrow..])
            }
        };
        let mut parts = rest.split(',');
        let to = parts.next()?.trim().strip_prefix("->")?.trim();
        let mut throws = Vec::new();
        for part in parts {
            let (exception, to) = part.trim().strip_prefix("throws ")?.split_once("->")?;
            throws.push((exception.trim(), to.trim()));
        }
        let from = from.trim();
        let mut names = throws.iter().flat_map(|(one, two)| [*one, *two]).chain([from, to]);
        names.all(is_name).then_some(Self { from, body, to, throws })
    }
}

/// Where the brace that is open at the beginning is closed.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 1usize;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn call(path: &Path, body: Option<Protocol>) -> Protocol {
    let kind = Kind::Call {
        direction: Direction::Accept,
        path: path.clone(),
        arguments: Vec::new(),
        parameters: Vec::new(),
        body: body.map(Box::new),
    };
    Protocol { kind, span: path.span }
}
