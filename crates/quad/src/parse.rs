//! Declarations and the whole text, from tokens to [`File`]. Every mistake is reported; reading goes on
//! behind the next `;` or `}`.

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};
use quadrille_logic::{Cursor, Symbol, TokenKind};

use super::codes;
use super::expression::{
    Expressions, MAX_DEPTH, at, at_word, eat_word, expect, name, too_deep, unexpected,
};
use super::tree::{
    Expr, File, Item, MessageItem, Name, ParameterItem, PropertyItem, ProtocolItem, VariableItem,
};

/// Most mistakes reported for one text.
const MAX_ERRORS: usize = 50;

/// Words that start a declaration.
const ITEMS: &[&str] =
    &["parameter", "enum", "message", "event", "role", "variable", "protocol", "property"];

/// Reads a text. The tree has what could be read.
pub fn parse(sources: &Sources, source: SourceId) -> (File, Vec<Diagnostic>) {
    let text = sources.text(source);
    let skipped = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut found = Vec::new();
    let cursor = Cursor::new(sources, Span::new(source, skipped..text.len()), &mut found);
    let diagnostics = found.into_iter().map(own).collect();
    let mut parser = Parser { cursor, sources, diagnostics, depth: 0, ruined: false };
    let mut file = File::default();
    while parser.cursor.peek().kind != TokenKind::End && parser.diagnostics.len() < MAX_ERRORS {
        parser.depth = 0;
        if let Err(diagnostic) = parser.items(&mut file.items) {
            parser.report(diagnostic);
            parser.skip_item();
        }
    }
    parser.diagnostics.sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span));
    (file, parser.diagnostics)
}

/// What the lexer says about formulas, said about this language.
fn own(found: Diagnostic) -> Diagnostic {
    let message = match found.code {
        code if *code == quadrille_logic::codes::TOO_LARGE => "the text is too long",
        code if *code == quadrille_logic::codes::UNBALANCED => "the quotation does not end",
        _ => "no protocol contains this",
    };
    let own = Diagnostic::error(&codes::SYNTAX, message).help("delete it");
    found.labels.into_iter().fold(own, |own, label| own.at(label.span, label.text))
}

pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    sources: &'a Sources,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Blocks, and names bound in them, around the present place.
    pub(super) depth: usize,
    /// Whether a mistake leaves nothing to go on with.
    ruined: bool,
}

/// A part of the text, or what is wrong with it.
pub(super) type Read<T> = Result<T, Diagnostic>;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Read<Expr> {
        Expressions { cursor: &mut self.cursor, depth: self.depth }.whole()
    }

    /// A role: a name with its indices.
    pub(super) fn role(&mut self) -> Read<Expr> {
        Expressions { cursor: &mut self.cursor, depth: self.depth }.named()
    }

    pub(super) fn deeper(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(too_deep(self.cursor.peek().span)) } else { Ok(()) }
    }

    pub(super) fn semicolon(&mut self, or: &str) -> Read<()> {
        if self.cursor.eat(Symbol::Semicolon) {
            return Ok(());
        }
        let before = self.cursor.previous().span;
        let after = Span { start: before.end, ..before };
        let message = format!("expected {or}`;`");
        Err(Diagnostic::error(&codes::SYNTAX, message)
            .at(after, "here")
            .help("a declaration or statement without braces ends in `;`"))
    }

    fn items(&mut self, items: &mut Vec<Item>) -> Read<()> {
        let word = self.cursor.word().filter(|word| ITEMS.contains(word));
        let Some(word) = word else {
            return Err(unexpected(&self.cursor, "a declaration").help(
                "a text is made of `parameter`, `enum`, `message`, `event`, `role`, `variable`, \
                 `protocol` and `property`",
            ));
        };
        self.cursor.bump();
        match word {
            "parameter" => self.each(items, Self::parameter),
            "message" => self.each(items, Self::message),
            "event" => self.each(items, |parser| {
                name(&mut parser.cursor, "the name of an event").map(Item::Event)
            }),
            "role" => self.each(items, Self::role_item),
            "variable" => self.each(items, Self::variable),
            "enum" => self.enumeration().map(|item| items.push(item)),
            "protocol" => self.protocol().map(|item| items.push(item)),
            _ => self.property().map(|item| items.push(item)),
        }
    }

    /// Declarations of one kind between commas, then `;`.
    fn each(&mut self, items: &mut Vec<Item>, one: impl Fn(&mut Self) -> Read<Item>) -> Read<()> {
        loop {
            items.push(one(self)?);
            if !self.cursor.eat(Symbol::Comma) {
                return self.semicolon("`,` or ");
            }
        }
    }

    fn parameter(&mut self) -> Read<Item> {
        let name = name(&mut self.cursor, "the name of a parameter")?;
        expect(&mut self.cursor, Symbol::Equal, "`=` and the parameter's usual value")?;
        Ok(Item::Parameter(name, self.expression()?))
    }

    fn message(&mut self) -> Read<Item> {
        let name_ = name(&mut self.cursor, "the name of a message")?;
        let mut fields = Vec::new();
        if self.cursor.eat(Symbol::Open) {
            while !self.cursor.eat(Symbol::Close) {
                let field = name(&mut self.cursor, "the name of a field or `)`")?;
                expect(&mut self.cursor, Symbol::Colon, "`:` and the values of the field")?;
                fields.push((field, self.expression()?));
                if !self.cursor.eat(Symbol::Comma) && !at(&self.cursor, Symbol::Close) {
                    return Err(unexpected(&self.cursor, "`,` or `)`"));
                }
            }
        }
        let rust_type = if eat_word(&mut self.cursor, "as") { Some(self.path()?) } else { None };
        Ok(Item::Message(MessageItem { name: name_, fields, rust_type }))
    }

    /// A Rust type: names joined by `::`.
    fn path(&mut self) -> Read<Name> {
        let mut path = self.segment()?;
        while at(&self.cursor, Symbol::Colon) && self.cursor.is_joined(1, Symbol::Colon) {
            self.cursor.bump();
            self.cursor.bump();
            let next = self.segment()?;
            path.text = format!("{}::{}", path.text, next.text);
            path.span = path.span.to(next.span);
        }
        Ok(path)
    }

    fn segment(&mut self) -> Read<Name> {
        let Some(word) = self.cursor.word() else {
            return Err(unexpected(&self.cursor, "a Rust type such as `bank::Vote`"));
        };
        Ok(Name { text: word.to_owned(), span: self.cursor.bump().span })
    }

    fn role_item(&mut self) -> Read<Item> {
        let name = name(&mut self.cursor, "the name of a role")?;
        Ok(Item::Role(name, self.dimensions()?))
    }

    fn dimensions(&mut self) -> Read<Vec<Expr>> {
        let mut dimensions = Vec::new();
        while self.cursor.eat(Symbol::OpenBracket) {
            dimensions.push(self.expression()?);
            expect(&mut self.cursor, Symbol::CloseBracket, "an operator or `]`")?;
        }
        Ok(dimensions)
    }

    fn variable(&mut self) -> Read<Item> {
        let name = name(&mut self.cursor, "the name of a variable")?;
        let dimensions = self.dimensions()?;
        expect(&mut self.cursor, Symbol::Colon, "`:` and the values of the variable")?;
        let domain = self.expression_before_equals()?;
        let initial = if self.cursor.eat(Symbol::Equal) { Some(self.expression()?) } else { None };
        Ok(Item::Variable(VariableItem { name, dimensions, domain, initial }))
    }

    /// `=` behind the domain starts the initial value; it compares nothing.
    fn expression_before_equals(&mut self) -> Read<Expr> {
        let level = super::tree::RANGE;
        Expressions { cursor: &mut self.cursor, depth: self.depth }.binary(level)
    }

    fn enumeration(&mut self) -> Read<Item> {
        let name_ = name(&mut self.cursor, "the name of an enumeration")?;
        expect(&mut self.cursor, Symbol::OpenBrace, "`{`")?;
        let mut values = Vec::new();
        while !self.cursor.eat(Symbol::CloseBrace) {
            values.push(name(&mut self.cursor, "a value or `}`")?);
            if !self.cursor.eat(Symbol::Comma) && !at(&self.cursor, Symbol::CloseBrace) {
                return Err(unexpected(&self.cursor, "`,` or `}`"));
            }
        }
        Ok(Item::Enum(name_, values))
    }

    fn protocol(&mut self) -> Read<Item> {
        let name_ = name(&mut self.cursor, "the name of a protocol")?;
        let mut parameters = Vec::new();
        if self.cursor.eat(Symbol::Open) {
            while !self.cursor.eat(Symbol::Close) {
                parameters.push(self.protocol_parameter()?);
                if !self.cursor.eat(Symbol::Comma) && !at(&self.cursor, Symbol::Close) {
                    return Err(unexpected(&self.cursor, "`,` or `)`"));
                }
            }
        }
        let body = self.block()?;
        Ok(Item::Protocol(ProtocolItem { name: name_, parameters, body }))
    }

    fn protocol_parameter(&mut self) -> Read<ParameterItem> {
        let name = name(&mut self.cursor, "the name of a parameter or `)`")?;
        let type_name = if self.cursor.eat(Symbol::Colon) {
            let Some(word) = self.cursor.word() else {
                return Err(unexpected(&self.cursor, "a type")
                    .help("types are `int`, `bool`, `role`, `set` and enumerations"));
            };
            Some(Name { text: word.to_owned(), span: self.cursor.bump().span })
        } else {
            None
        };
        let default = if self.cursor.eat(Symbol::Equal) { Some(self.expression()?) } else { None };
        Ok(ParameterItem { name, type_name, default })
    }

    fn property(&mut self) -> Read<Item> {
        let name_ = name(&mut self.cursor, "the name of a property")?;
        let of = if eat_word(&mut self.cursor, "of") {
            let protocol = name(&mut self.cursor, "the name of a protocol")?;
            let given = at(&self.cursor, Symbol::Open) && !self.at_options();
            let arguments = if given {
                self.cursor.bump();
                Expressions { cursor: &mut self.cursor, depth: self.depth }
                    .list(Symbol::Close, "`)`")?
            } else {
                Vec::new()
            };
            Some((protocol, arguments))
        } else {
            None
        };
        let options = self.options()?;
        expect(&mut self.cursor, Symbol::Colon, "`:` and a formula")?;
        let first = self.cursor.peek();
        while !matches!(
            self.cursor.peek().kind,
            TokenKind::End | TokenKind::Symbol(Symbol::Semicolon)
        ) {
            self.cursor.bump();
        }
        if self.cursor.peek().span == first.span {
            return Err(unexpected(&self.cursor, "a formula"));
        }
        let formula = first.span.to(self.cursor.previous().span);
        self.semicolon("")?;
        let text = self.sources.slice(formula).to_owned();
        Ok(Item::Property(PropertyItem { name: name_, of, options, formula, text }))
    }

    /// Whether the parentheses ahead hold options, not arguments.
    fn at_options(&self) -> bool {
        self.cursor.nth_word(1).is_some_and(|word| super::properties::option(word).is_some())
    }

    fn options(&mut self) -> Read<Vec<Name>> {
        let mut options = Vec::new();
        if self.cursor.eat(Symbol::Open) {
            while !self.cursor.eat(Symbol::Close) {
                let option = name(&mut self.cursor, "an option or `)`")?;
                if super::properties::option(&option.text).is_none() {
                    let message = format!("`{}` says nothing about a property", option.text);
                    return Err(Diagnostic::error(&codes::SYNTAX, message)
                        .at(option.span, "unknown option")
                        .help("options are `holds`, `violated`; `maximal`, `infinite`, `finite`"));
                }
                options.push(option);
                if !self.cursor.eat(Symbol::Comma) && !at(&self.cursor, Symbol::Close) {
                    return Err(unexpected(&self.cursor, "`,` or `)`"));
                }
            }
        }
        Ok(options)
    }

    /// Goes on at the next declaration.
    fn skip_item(&mut self) {
        let mut open = 0usize;
        loop {
            let token = self.cursor.peek();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Word
                    if open == 0 && ITEMS.iter().any(|item| at_word(&self.cursor, item)) =>
                {
                    return;
                }
                TokenKind::Symbol(Symbol::OpenBrace) => open += 1,
                TokenKind::Symbol(Symbol::CloseBrace) => open = open.saturating_sub(1),
                _ => {}
            }
            self.cursor.bump();
        }
    }

    /// Goes on behind the next `;`, or behind the next block, or before the end of this one.
    pub(super) fn skip_statement(&mut self) {
        let mut open = 0usize;
        loop {
            match self.cursor.peek().kind {
                TokenKind::End => return,
                TokenKind::Symbol(Symbol::Semicolon) if open == 0 => {
                    self.cursor.bump();
                    return;
                }
                TokenKind::Symbol(Symbol::OpenBrace) => open += 1,
                TokenKind::Symbol(Symbol::CloseBrace) => match open {
                    0 => return,
                    1 => {
                        self.cursor.bump();
                        return;
                    }
                    _ => open -= 1,
                },
                _ => {}
            }
            self.cursor.bump();
        }
    }

    /// Takes note of a mistake. At the end of the text, and where nesting is too deep, only the first
    /// one says something.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.ruined {
            return;
        }
        if *diagnostic.code == codes::NESTED {
            self.cursor.rewind(usize::MAX);
        }
        self.ruined = self.cursor.peek().kind == TokenKind::End;
        self.diagnostics.push(diagnostic);
    }

    /// Whether so much is wrong that the rest is not looked at.
    pub(super) fn gave_up(&self) -> bool {
        self.diagnostics.len() >= MAX_ERRORS
    }
}
