//! Reads an `.arch` text with the parser of protocols. After a mistake in a component, reading goes on
//! with its next line, so that one pass reports all of them.

use quadrille_diagnostic::{Diagnostic, SourceId};

use super::tree::{
    ArchitectureFile, ComponentDeclaration, ConnectionDeclaration, FrameSource, Interface, Method,
    PartDeclaration, PortDeclaration, Side,
};
use crate::syntax::{Lexeme, Mark, Name, Parser, Path, is_name};

/// Reads a file. The tree covers what could be understood; it is what the text says if no
/// diagnostic is an error.
pub fn parse(source: SourceId, text: &str) -> (ArchitectureFile, Vec<Diagnostic>) {
    let mut parser = Parser::new(source, text);
    let mut file = ArchitectureFile::default();
    while parser.peek() != Lexeme::End {
        match parser.peek() {
            Lexeme::Word("types") => parser.types(&mut file.types),
            Lexeme::Word("interface") => {
                let interface = interface(&mut parser);
                file.interfaces.push(interface);
            }
            Lexeme::Word("component") => {
                let component = component(&mut parser);
                file.components.push(component);
            }
            _ => {
                parser.expected(
                    "`interface` or `component`",
                    "a file describes interfaces and components",
                );
                skip_to(&mut parser, &["interface", "component", "types"]);
            }
        }
    }
    (file, parser.finish())
}

/// Skips at least one token, and all up to one of these words.
fn skip_to(parser: &mut Parser<'_>, words: &[&str]) {
    loop {
        parser.advance();
        match parser.peek() {
            Lexeme::End => return,
            Lexeme::Word(word) if words.contains(&word) => return,
            _ => {}
        }
    }
}

fn interface(parser: &mut Parser<'_>) -> Interface {
    let help = "write `interface ICard { pay throws Declined; revert }`";
    parser.advance();
    let name = parser.name("the name of an interface", help);
    let opened = parser.open(Mark::LeftBrace, help);
    let mut methods = Vec::new();
    while matches!(parser.peek(), Lexeme::Word(word) if is_name(word)) {
        let name = parser.name("a method", help);
        let mut throws = Vec::new();
        if parser.is_word("throws") {
            parser.advance();
            throws = parser.list(|parser| parser.name("the name of an exception", help));
        }
        methods.push(Method { name, throws });
        if !parser.eat(Mark::Semicolon) {
            break;
        }
    }
    parser.close(Mark::RightBrace, opened);
    Interface { name, methods }
}

const COMPONENT_HELP: &str = "a component has lines such as `provides Card : ICard`, `requires Log`, \
                              `contains visa : Bank`, `bind a.Log to b.Log`, `protocol { … }`";

/// What lines of a component begin with.
const LINES: [&str; 8] =
    ["provides", "requires", "contains", "bind", "delegate", "subsume", "external", "protocol"];

fn component(parser: &mut Parser<'_>) -> ComponentDeclaration {
    parser.advance();
    let name = parser.name("the name of a component", COMPONENT_HELP);
    let mut component = ComponentDeclaration {
        name,
        ports: Vec::new(),
        parts: Vec::new(),
        links: Vec::new(),
        frame: None,
    };
    let opened = parser.open(Mark::LeftBrace, COMPONENT_HELP);
    loop {
        match parser.peek() {
            Lexeme::End
            | Lexeme::Mark(Mark::RightBrace)
            | Lexeme::Word("component" | "interface" | "types") => break,
            Lexeme::Word(word) if LINES.contains(&word) => line(parser, word, &mut component),
            _ => {
                parser.expected("a line of a component", COMPONENT_HELP);
                skip_line(parser);
            }
        }
    }
    parser.close(Mark::RightBrace, opened);
    component
}

/// Skips to the next line of a component, or to its end.
fn skip_line(parser: &mut Parser<'_>) {
    let mut open = 0usize;
    loop {
        match parser.peek() {
            Lexeme::End => return,
            Lexeme::Mark(Mark::LeftBrace) => open += 1,
            Lexeme::Mark(Mark::RightBrace) if open == 0 => return,
            Lexeme::Mark(Mark::RightBrace) => open -= 1,
            Lexeme::Word(word)
                if LINES.contains(&word) || matches!(word, "component" | "interface") =>
            {
                return;
            }
            _ => {}
        }
        parser.advance();
    }
}

fn line(parser: &mut Parser<'_>, word: &str, component: &mut ComponentDeclaration) {
    let opened = parser.advance();
    match word {
        "provides" => component.ports.push(port(parser, Side::Provided)),
        "requires" => component.ports.push(port(parser, Side::Required)),
        "contains" => {
            let help = "write `contains visa : Bank`";
            let name = parser.name("the name of a part", help);
            let of = after_colon(parser, "the name of a component", help);
            component.parts.push(PartDeclaration { name, of });
        }
        "bind" => {
            let help = "write `bind tickets.Card to visa.Card`";
            let from = end(parser, help);
            to(parser, help);
            component.links.push(ConnectionDeclaration::Bind { from, to: end(parser, help) });
        }
        "delegate" => {
            let help = "write `delegate Reserv to tickets.Usr`";
            let from = parser.name("an interface of this component", help);
            to(parser, help);
            component.links.push(ConnectionDeclaration::Delegate { from, to: end(parser, help) });
        }
        "subsume" => {
            let help = "write `subsume tickets.Log to Log`";
            let from = end(parser, help);
            to(parser, help);
            let to = parser.name("an interface of this component", help);
            component.links.push(ConnectionDeclaration::Subsume { from, to });
        }
        "external" => {
            let path = end(parser, "write `external visa.Oper`");
            component.links.push(ConnectionDeclaration::External(path));
        }
        _ => {
            let frame = frame(parser);
            if component.frame.replace(frame).is_some() {
                let message = format!("`{}` has a second protocol", component.name.text);
                let diagnostic = Diagnostic::error(&super::codes::CLASH, message);
                parser.report(diagnostic.at(opened, "").help("leave one of them out"));
            }
        }
    }
    parser.eat(Mark::Semicolon);
}

fn port(parser: &mut Parser<'_>, side: Side) -> PortDeclaration {
    let help = "write `provides Card : ICard` or `requires Card : ICard`";
    let name = parser.name("the name of an interface", help);
    PortDeclaration { side, name, of: after_colon(parser, "the name of an interface", help) }
}

fn after_colon(parser: &mut Parser<'_>, what: &str, help: &str) -> Option<Name> {
    parser.eat(Mark::Colon).then(|| parser.name(what, help))
}

fn to(parser: &mut Parser<'_>, help: &str) {
    if parser.is_word("to") {
        parser.advance();
    } else {
        parser.expected("`to`", help);
    }
}

/// `part.Interface`
fn end(parser: &mut Parser<'_>, help: &str) -> Path {
    let what = "a part and its interface";
    match parser.peek() {
        Lexeme::Word(word) if word.split('.').count() == 2 => parser.path(what, help),
        _ => {
            parser.expected(what, help);
            let missing = Path { text: String::new(), span: parser.span() };
            if matches!(parser.peek(), Lexeme::Word(word) if !LINES.contains(&word)) {
                parser.advance();
            }
            missing
        }
    }
}

fn frame(parser: &mut Parser<'_>) -> FrameSource {
    let help = "write `protocol { … }` or `protocol in \"FILE.bp\"`";
    let mut variables = Vec::new();
    if parser.is_word("vars") {
        parser.variables(&mut variables);
    }
    if parser.is(Mark::LeftBrace) || !variables.is_empty() {
        return FrameSource::Here { variables, protocol: parser.braced(help) };
    }
    let component = match parser.peek() {
        Lexeme::Word(word) if word != "in" => Some(parser.name("the name of a component", help)),
        _ => None,
    };
    if parser.is_word("in") {
        parser.advance();
    } else {
        parser.expected("`{` or `in`", help);
    }
    let Lexeme::Text(path) = parser.peek() else {
        parser.expected("the path of a file in quotes", help);
        return FrameSource::File {
            component,
            path: Name { text: String::new(), span: parser.span() },
        };
    };
    let span = parser.advance();
    FrameSource::File { component, path: Name { text: path.to_owned(), span } }
}
