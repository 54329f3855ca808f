//! Text into tokens: words, numbers, strings, symbols. `fun/add` and its like are one word, `not` and
//! `!` join the comparison behind them, and a label before a command moves behind its first word, as
//! Alloy reads them. `event` and its like are words: the parser tells them apart.

use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use crate::Dialect;

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
    /// Whether it is the first of its line.
    pub(super) opens_line: bool,
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

/// Words of Alloy that are names in designs.
const ALLOYS_OWN: [&str; 7] = ["exhaustive", "exh", "int", "partition", "part", "steps", "String"];

/// The tokens of a text, the last of which is its end; with all mistakes.
pub(super) fn tokens(
    dialect: &Dialect,
    source: SourceId,
    text: &str,
) -> (Vec<Token>, Vec<Diagnostic>) {
    let (mut tokens, mut bad) = (Vec::new(), Vec::new());
    let (mut at, mut opens_line) = (0, true);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            opens_line |= first == '\n';
            at += first.len_utf8();
        } else if rest.starts_with("--") || rest.starts_with("//") {
            at += rest.find(['\n', '\r']).unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let Some(length) = comment.find("*/") else {
                let span = Span::new(source, at..at + 2);
                bad.push(
                    Diagnostic::error(dialect.syntax, "a comment has no end")
                        .at(span, "begins here")
                        .help("write `*/` behind it"),
                );
                break;
            };
            at += length + 4;
        } else {
            match token(dialect, text, at) {
                Ok((kind, length)) => {
                    let span = Span::new(source, at..at + length);
                    tokens.push(Token { kind, span, opens_line });
                    at += length;
                }
                Err(Mistake { length, message, help }) => {
                    let span = Span::new(source, at..at + length);
                    bad.push(Diagnostic::error(dialect.syntax, message).at(span, "").help(help));
                    at += length;
                }
            }
            opens_line = false;
        }
    }
    let span = Span::new(source, text.len()..text.len());
    tokens.push(Token { kind: TokenKind::End, span, opens_line: true });
    (labelled(negative(negated(tokens))), bad)
}

/// What cannot be read, how much of the text that is, and what to do.
struct Mistake {
    length: usize,
    message: String,
    help: &'static str,
}

type Read = Result<(TokenKind, usize), Mistake>;

fn token(dialect: &Dialect, text: &str, at: usize) -> Read {
    let rest = &text[at..];
    let first = rest.chars().next().unwrap_or(' ');
    if first == '"' {
        return string(rest);
    }
    if first.is_ascii_digit() {
        return number(dialect, rest);
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
        let is_name = dialect.has_events && ALLOYS_OWN.contains(&word);
        let reserved = WORDS.iter().find(|(text, _)| *text == word && !is_name);
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
            let message = format!("`{first}` means nothing here");
            Err(Mistake { length: first.len_utf8(), message, help: "remove it" })
        }
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || c == '"'
}

fn starts_with_word(rest: &str, word: &str) -> bool {
    rest.strip_prefix(word).is_some_and(|behind| !behind.starts_with(is_part))
}

fn string(rest: &str) -> Read {
    let mut text = String::from("\"");
    let mut chars = rest.char_indices().skip(1);
    let fail = |length: usize, message: &str, help| {
        Err(Mistake { length, message: message.to_owned(), help })
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
    fail(rest.len(), "a string has no end", "write `\"` behind it")
}

fn number(dialect: &Dialect, rest: &str) -> Read {
    let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    let word = rest[..length].replace('_', "");
    let parsed = match (word.strip_prefix("0x"), word.strip_prefix("0b")) {
        (Some(digits), _) => i64::from_str_radix(digits, 16),
        (_, Some(digits)) => i64::from_str_radix(digits, 2),
        _ => word.parse(),
    };
    match parsed {
        Ok(number) if dialect.has_events || number <= i64::from(i32::MAX) => {
            Ok((TokenKind::Number(number), length))
        }
        _ => {
            let help = match dialect.has_events {
                true => "names begin with a letter; numbers have 64 bits",
                false => "names begin with a letter; numbers have at most 31 bits",
            };
            let message = format!("`{}` is neither a name nor a number", &rest[..length]);
            Err(Mistake { length, message, help })
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
            let (span, minus_opens) = (minus.span.to(token.span), minus.opens_line);
            joined.pop();
            joined.push(Token { kind, span, opens_line: minus_opens });
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
