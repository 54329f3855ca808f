//! Text into tokens: words, numbers, strings, symbols. `fun/add` and its like are one word, `not` and
//! `!` join the comparison behind them, and a label before a command moves behind its first word, as
//! Alloy reads them.

use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use crate::codes::SYNTAX;

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum TokenKind {
    Word(String),
    Number(i64),
    Text(String),
    /// Also the reserved words, by their first spelling.
    Symbol(&'static str),
    End,
}

/// Longer ones first.
const SYMBOLS: [&str; 42] = [
    "<=>", ">>>", "&&", "||", "++", "->", "::", ":>", "<=", "<:", "<<", "=<", "=>", ">>", ">=",
    "!", "#", "&", "(", ")", "*", "+", ",", "-", ".", "/", ":", "<", "=", ">", "@", "[", "]", "^",
    "{", "|", "}", "~", ";", "'", "‘", "’",
];

/// Reserved words with the symbol they are.
const WORDS: [(&str, &str); 65] = [
    ("abstract", "abstract"),
    ("all", "all"),
    ("and", "&&"),
    ("assert", "assert"),
    ("as", "as"),
    ("but", "but"),
    ("check", "check"),
    ("disjoint", "disj"),
    ("disj", "disj"),
    ("else", "else"),
    ("enum", "enum"),
    ("exactly", "exactly"),
    ("exhaustive", "exh"),
    ("exh", "exh"),
    ("expect", "expect"),
    ("extends", "extends"),
    ("fact", "fact"),
    ("for", "for"),
    ("fun", "fun"),
    ("iden", "iden"),
    ("iff", "<=>"),
    ("implies", "=>"),
    ("Int", "Int"),
    ("int", "int"),
    ("in", "in"),
    ("let", "let"),
    ("lone", "lone"),
    ("module", "module"),
    ("none", "none"),
    ("not", "!"),
    ("no", "no"),
    ("one", "one"),
    ("open", "open"),
    ("or", "||"),
    ("partition", "part"),
    ("part", "part"),
    ("pred", "pred"),
    ("private", "private"),
    ("run", "run"),
    ("seq", "seq"),
    ("set", "set"),
    ("sig", "sig"),
    ("some", "some"),
    ("String", "String"),
    ("sum", "sum"),
    ("this", "this"),
    ("univ", "univ"),
    ("always", "always"),
    ("after", "after"),
    ("eventually", "eventually"),
    ("historically", "historically"),
    ("before", "before"),
    ("once", "once"),
    ("releases", "releases"),
    ("until", "until"),
    ("since", "since"),
    ("triggered", "triggered"),
    ("var", "var"),
    ("steps", "steps"),
    // What Alloy's own modules are made of.
    ("fun/add", "fun/add"),
    ("fun/sub", "fun/sub"),
    ("fun/mul", "fun/mul"),
    ("fun/div", "fun/div"),
    ("fun/rem", "fun/rem"),
    ("pred/totalOrder", "pred/totalOrder"),
];

pub(super) fn tokens(source: SourceId, text: &str) -> Result<Vec<Token>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if rest.starts_with("--") || rest.starts_with("//") {
            at += rest.find(['\n', '\r']).unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let Some(length) = comment.find("*/") else {
                let span = Span::new(source, at..at + 2);
                return Err(Diagnostic::error(&SYNTAX, "a comment has no end")
                    .at(span, "begins here")
                    .help("write `*/` behind it"));
            };
            at += length + 4;
        } else {
            let (kind, length) = token(source, text, at)?;
            tokens.push(Token { kind, span: Span::new(source, at..at + length) });
            at += length;
        }
    }
    let span = Span::new(source, text.len()..text.len());
    tokens.push(Token { kind: TokenKind::End, span });
    Ok(labelled(negative(negated(tokens))))
}

fn token(source: SourceId, text: &str, at: usize) -> Result<(TokenKind, usize), Diagnostic> {
    let rest = &text[at..];
    let first = rest.chars().next().unwrap_or(' ');
    if first == '"' {
        return string(source, rest, at);
    }
    if first.is_ascii_digit() {
        return number(source, rest, at);
    }
    if first.is_alphabetic() || first == '_' || first == '$' {
        for whole in ["fun/add", "fun/sub", "fun/mul", "fun/div", "fun/rem", "pred/totalOrder"] {
            if starts_with_word(rest, whole) {
                return Ok((TokenKind::Symbol(whole), whole.len()));
            }
        }
        for whole in ["fun/min", "fun/max", "fun/next"] {
            if starts_with_word(rest, whole) {
                return Ok((TokenKind::Symbol(whole), whole.len()));
            }
        }
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        let reserved = WORDS.iter().find(|(text, _)| *text == word);
        let kind = match reserved {
            Some((_, symbol)) => TokenKind::Symbol(symbol),
            None => TokenKind::Word(word.to_owned()),
        };
        return Ok((kind, length));
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => {
            let meaning = match *symbol {
                "::" => ".",
                "=<" => "<=",
                "‘" | "’" => "'",
                other => other,
            };
            Ok((TokenKind::Symbol(meaning), symbol.len()))
        }
        None => {
            let span = Span::new(source, at..at + first.len_utf8());
            let message = format!("`{first}` means nothing here");
            Err(Diagnostic::error(&SYNTAX, message).at(span, "").help("remove it"))
        }
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || c == '"'
}

fn starts_with_word(rest: &str, word: &str) -> bool {
    rest.strip_prefix(word).is_some_and(|behind| !behind.starts_with(is_part))
}

fn string(source: SourceId, rest: &str, at: usize) -> Result<(TokenKind, usize), Diagnostic> {
    let mut text = String::from("\"");
    let mut chars = rest.char_indices().skip(1);
    let fail = |length: usize, message: &str, help: &str| {
        let span = Span::new(source, at..at + length);
        Err(Diagnostic::error(&SYNTAX, message).at(span, "").help(help))
    };
    while let Some((position, c)) = chars.next() {
        match c {
            '"' if text.len() == 1 => {
                return fail(2, "a string is empty", "use an empty set instead");
            }
            '"' => {
                text.push('"');
                if rest[position + 1..].starts_with(is_part) {
                    let help = "put a space behind the string";
                    return fail(position + 1, "a name follows a string at once", help);
                }
                return Ok((TokenKind::Text(text), position + 1));
            }
            '\n' | '\r' => return fail(position, "a string ends with its line", "write `\\n`"),
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, c @ ('"' | '\\'))) => text.push(c),
                _ => {
                    let help = "there are `\\\\`, `\\n` and `\\\"`";
                    return fail(position + 1, "a string has an unknown escape", help);
                }
            },
            c => text.push(c),
        }
    }
    fail(rest.len().min(1), "a string has no end", "write `\"` behind it")
}

fn number(source: SourceId, rest: &str, at: usize) -> Result<(TokenKind, usize), Diagnostic> {
    let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    let word = rest[..length].replace('_', "");
    let parsed = match (word.strip_prefix("0x"), word.strip_prefix("0b")) {
        (Some(digits), _) => i64::from_str_radix(digits, 16),
        (_, Some(digits)) => i64::from_str_radix(digits, 2),
        _ => word.parse(),
    };
    match parsed {
        Ok(number) if number <= i64::from(i32::MAX) => Ok((TokenKind::Number(number), length)),
        _ => {
            let span = Span::new(source, at..at + length);
            let help = "names begin with a letter; numbers have at most 31 bits";
            let message = format!("`{}` is neither a name nor a number", &rest[..length]);
            Err(Diagnostic::error(&SYNTAX, message).at(span, "").help(help))
        }
    }
}

/// `!` or `not` before a comparison joins it.
fn negated(tokens: Vec<Token>) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::new();
    for token in tokens {
        let negated = match token.kind {
            TokenKind::Symbol("in") => "!in",
            TokenKind::Symbol("=") => "!=",
            TokenKind::Symbol("<") => "!<",
            TokenKind::Symbol("<=") => "!<=",
            TokenKind::Symbol(">") => "!>",
            TokenKind::Symbol(">=") => "!>=",
            _ => "",
        };
        match joined.last_mut() {
            Some(last) if last.kind == TokenKind::Symbol("!") && !negated.is_empty() => {
                last.kind = TokenKind::Symbol(negated);
                last.span = last.span.to(token.span);
            }
            _ => joined.push(token),
        }
    }
    joined
}

/// `-` before a number belongs to it, unless an operand stands before.
fn negative(tokens: Vec<Token>) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::new();
    for token in tokens {
        if let (TokenKind::Number(number), [.., before, minus]) = (&token.kind, &joined[..])
            && minus.kind == TokenKind::Symbol("-")
            && !ends_operand(&before.kind)
        {
            let kind = TokenKind::Number(-number);
            let span = minus.span.to(token.span);
            joined.pop();
            joined.push(Token { kind, span });
        } else {
            joined.push(token);
        }
    }
    joined
}

fn ends_operand(kind: &TokenKind) -> bool {
    match kind {
        TokenKind::Word(_) | TokenKind::Number(_) | TokenKind::Text(_) => true,
        TokenKind::Symbol(symbol) => matches!(
            *symbol,
            ")" | "]"
                | "}"
                | "disj"
                | "pred/totalOrder"
                | "int"
                | "sum"
                | "iden"
                | "this"
                | "univ"
                | "Int"
                | "none"
                | "fun/min"
                | "fun/max"
                | "fun/next"
        ),
        TokenKind::End => false,
    }
}

/// `name : run p` is `run name p`.
fn labelled(mut tokens: Vec<Token>) -> Vec<Token> {
    for at in 0..tokens.len().saturating_sub(3) {
        let is_label = matches!(tokens[at].kind, TokenKind::Word(_))
            && tokens[at + 1].kind == TokenKind::Symbol(":")
            && matches!(tokens[at + 2].kind, TokenKind::Symbol("run" | "check"))
            && matches!(tokens[at + 3].kind, TokenKind::Word(_) | TokenKind::Symbol("{"));
        if is_label {
            let label = tokens[at].clone();
            tokens[at] = tokens[at + 2].clone();
            tokens[at + 2] = label.clone();
            tokens[at + 1] = label;
            // The colon goes: its place holds nothing.
            tokens[at + 1].kind = TokenKind::Symbol("");
        }
    }
    tokens.retain(|token| token.kind != TokenKind::Symbol(""));
    tokens
}
