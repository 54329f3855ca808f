//! The Clojure reader: text to forms. Total: any bytes give forms and diagnostics. Knows no meaning.

use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use super::codes::{NESTED, UNREADABLE, UNSUPPORTED};
use super::form::{Form, FormKind, Name, Names};

/// Deepest nesting of forms.
const MAX_DEPTH: usize = 200;

/// Java classes whose static methods keep their class name.
const JAVA_CLASSES: [&str; 8] =
    ["Math", "Long", "Integer", "Double", "Float", "Boolean", "String", "Character"];

/// Reads all forms of a text.
pub(crate) fn read(
    source: SourceId,
    text: &str,
    names: &mut Names,
) -> (Vec<Form>, Vec<Diagnostic>) {
    let mut reader =
        Reader { source, text, at: 0, names, depth: 0, lambda: None, diagnostics: Vec::new() };
    let mut forms = Vec::new();
    loop {
        match reader.form() {
            Read::Form(form) => forms.push(form),
            Read::End | Read::TooDeep => break,
            Read::Close(closer, at) => reader.error(
                &UNREADABLE,
                at..at + 1,
                &format!("`{closer}` closes nothing"),
                "nothing is open here",
            ),
        }
    }
    (forms, reader.diagnostics)
}

/// What comes next in the text.
enum Read {
    Form(Form),
    Close(char, usize),
    End,
    /// Reported; the rest of the text is not read.
    TooDeep,
}

/// Parameters that were met inside a `#(…)`.
#[derive(Default)]
struct Lambda {
    n_parameters: usize,
    rest: bool,
}

struct Reader<'a> {
    source: SourceId,
    text: &'a str,
    at: usize,
    names: &'a mut Names,
    depth: usize,
    lambda: Option<Lambda>,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.source, start..self.at)
    }

    fn error(
        &mut self,
        code: &'static quadrille_diagnostic::Code,
        range: std::ops::Range<usize>,
        message: &str,
        label: &str,
    ) {
        let span = Span::new(self.source, range);
        self.diagnostics.push(Diagnostic::error(code, message).at(span, label));
    }

    /// Passes over white space (commas are such) and comments.
    fn skip_blank(&mut self) {
        while let Some(next) = self.peek() {
            if next == ';' || self.text[self.at..].starts_with("#!") {
                let rest = &self.text[self.at..];
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if next.is_whitespace() || next == ',' || next == '\u{feff}' {
                self.bump();
            } else {
                return;
            }
        }
    }

    fn form(&mut self) -> Read {
        if self.depth == MAX_DEPTH {
            self.error(
                &NESTED,
                self.at..self.at + 1,
                "forms are nested too deeply",
                "the rest of the file is not read",
            );
            return Read::TooDeep;
        }
        self.depth += 1;
        let read = self.form_within();
        self.depth -= 1;
        read
    }

    fn form_within(&mut self) -> Read {
        loop {
            self.skip_blank();
            let start = self.at;
            let Some(next) = self.bump() else { return Read::End };
            let kind = match next {
                '(' => self.parts(start, ')').map(|parts| FormKind::List(parts.into())),
                '[' => self.parts(start, ']').map(|parts| FormKind::Vector(parts.into())),
                '{' => self.parts(start, '}').map(|parts| self.map(start, parts)),
                ')' | ']' | '}' => return Read::Close(next, start),
                '"' => Ok(FormKind::Text(self.string(start).into())),
                '\\' => Ok(self.character()),
                '\'' => self.next_form(start).map(|form| FormKind::Quote(form.into())),
                '^' => match self.next_form(start) {
                    Ok(_) => continue,
                    Err(read) => Err(read),
                },
                '#' => match self.dispatch(start) {
                    Ok(Some(kind)) => Ok(kind),
                    Ok(None) => continue,
                    Err(read) => Err(read),
                },
                '@' => self.prefixed("deref", start),
                '`' => self.prefixed("syntax-quote", start),
                '~' => {
                    let splices = self.peek() == Some('@');
                    if splices {
                        self.bump();
                    }
                    self.prefixed(if splices { "unquote-splicing" } else { "unquote" }, start)
                }
                ':' => Ok(self.keyword(start)),
                _ => Ok(self.token(start)),
            };
            return match kind {
                Ok(kind) => Read::Form(Form { kind, span: self.span(start) }),
                Err(read) => read,
            };
        }
    }

    /// A form that must come next.
    fn next_form(&mut self, start: usize) -> Result<Form, Read> {
        match self.form() {
            Read::Form(form) => Ok(form),
            Read::Close(closer, at) => {
                self.at = at;
                let message = format!("a form is missing before `{closer}`");
                self.error(&UNREADABLE, start..at, &message, "belongs to no form");
                Ok(Form { kind: FormKind::Nil, span: self.span(start) })
            }
            Read::End => {
                self.error(&UNREADABLE, start..self.at, "a form is missing", "belongs to no form");
                Err(Read::End)
            }
            Read::TooDeep => Err(Read::TooDeep),
        }
    }

    /// A form behind a sign, as the call that the sign stands for. Macros and references belong to code that runs
    /// a protocol; where a protocol needs one, it is refused when it is evaluated.
    fn prefixed(&mut self, function: &str, start: usize) -> Result<FormKind, Read> {
        let name = self.names.intern(function);
        let head = Form { kind: FormKind::Symbol { name, text: name }, span: self.span(start) };
        Ok(FormKind::List([head, self.next_form(start)?].into()))
    }

    /// The forms up to the closing character.
    fn parts(&mut self, start: usize, closer: char) -> Result<Vec<Form>, Read> {
        let mut parts = Vec::new();
        loop {
            match self.form() {
                Read::Form(form) => parts.push(form),
                Read::Close(found, _) if found == closer => return Ok(parts),
                Read::Close(found, at) => {
                    let message = format!("expected `{closer}`, found `{found}`");
                    let open = Span::new(self.source, start..start + 1);
                    self.diagnostics.push(
                        Diagnostic::error(&UNREADABLE, message)
                            .at(Span::new(self.source, at..at + 1), "does not match")
                            .at(open, "opened here"),
                    );
                    return Ok(parts);
                }
                Read::End => {
                    let message = format!("`{closer}` is missing");
                    self.error(
                        &UNREADABLE,
                        start..start + 1,
                        &message,
                        "opened here, never closed",
                    );
                    return Ok(parts);
                }
                Read::TooDeep => return Err(Read::TooDeep),
            }
        }
    }

    fn map(&mut self, start: usize, parts: Vec<Form>) -> FormKind {
        if !parts.len().is_multiple_of(2) {
            self.error(&UNREADABLE, start..self.at, "a map has a key without a value", "");
        }
        FormKind::Map(parts.into())
    }

    /// What follows a `#`; nothing where it is to be passed over.
    fn dispatch(&mut self, start: usize) -> Result<Option<FormKind>, Read> {
        match self.bump() {
            Some('{') => Ok(Some(FormKind::Set(self.parts(start, '}')?.into()))),
            Some('(') => self.lambda(start).map(Some),
            Some('_') => self.next_form(start).map(|_| None),
            Some('^') => self.next_form(start).map(|_| None),
            Some('"') => Ok(Some(FormKind::Regex(self.raw_string(start).into()))),
            Some('\'') => self.next_form(start).map(|form| Some(form.kind)),
            Some('#') => Ok(Some(self.symbolic(start))),
            _ => {
                self.token_text();
                self.error(
                    &UNSUPPORTED,
                    start..self.at,
                    "this reader form is not supported",
                    "known are `#{…}`, `#(…)`, `#_`, `#\"…\"`, `#'`",
                );
                Ok(None)
            }
        }
    }

    fn symbolic(&mut self, start: usize) -> FormKind {
        match self.token_text().as_str() {
            "Inf" => FormKind::Float(f64::INFINITY),
            "-Inf" => FormKind::Float(f64::NEG_INFINITY),
            "NaN" => FormKind::Float(f64::NAN),
            _ => {
                self.error(&UNREADABLE, start..self.at, "unknown symbolic value", "");
                FormKind::Nil
            }
        }
    }

    fn lambda(&mut self, start: usize) -> Result<FormKind, Read> {
        let outer = self.lambda.replace(Lambda::default());
        if outer.is_some() {
            self.error(&UNREADABLE, start..self.at, "`#(…)` inside `#(…)`", "use `fn` here");
        }
        let parts = self.parts(start, ')');
        let Lambda { n_parameters, rest } = self.lambda.take().unwrap_or_default();
        self.lambda = outer;
        let body = Form { kind: FormKind::List(parts?.into()), span: self.span(start) };
        Ok(FormKind::Lambda { n_parameters, rest, body: body.into() })
    }

    fn string(&mut self, start: usize) -> String {
        let mut text = String::new();
        loop {
            match self.bump() {
                Some('"') => return text,
                Some('\\') => match self.bump() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('u') => text.push(self.unicode()),
                    Some(other) => text.push(other),
                    None => {}
                },
                Some(other) => text.push(other),
                None => {
                    self.error(
                        &UNREADABLE,
                        start..start + 1,
                        "a string does not end",
                        "starts here",
                    );
                    return text;
                }
            }
        }
    }

    /// A string in which a backslash stands for itself, except before a quote.
    fn raw_string(&mut self, start: usize) -> String {
        let mut text = String::new();
        loop {
            match self.bump() {
                Some('"') => return text,
                Some('\\') => {
                    text.push('\\');
                    text.extend(self.bump());
                }
                Some(other) => text.push(other),
                None => {
                    self.error(
                        &UNREADABLE,
                        start..start + 1,
                        "a pattern does not end",
                        "starts here",
                    );
                    return text;
                }
            }
        }
    }

    fn unicode(&mut self) -> char {
        let rest = &self.text[self.at..];
        let digits = rest.bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
        let code = u32::from_str_radix(&rest[..digits], 16).ok();
        self.at += digits;
        code.and_then(char::from_u32).unwrap_or('\u{fffd}')
    }

    fn character(&mut self) -> FormKind {
        let start = self.at;
        self.bump();
        let rest = self.token_text();
        let word = format!("{}{rest}", &self.text[start..self.at - rest.len()]);
        let mut chars = word.chars();
        let only = match (chars.next(), chars.next()) {
            (Some(only), None) => Some(only),
            (Some('u'), Some(_)) => {
                u32::from_str_radix(&word[1..], 16).ok().and_then(char::from_u32)
            }
            _ => match word.as_str() {
                "newline" => Some('\n'),
                "space" => Some(' '),
                "tab" => Some('\t'),
                "return" => Some('\r'),
                "backspace" => Some('\u{8}'),
                "formfeed" => Some('\u{c}'),
                _ => None,
            },
        };
        only.map_or_else(
            || {
                self.error(&UNREADABLE, start..self.at, "unknown character", "");
                FormKind::Nil
            },
            FormKind::Char,
        )
    }

    /// The characters up to the next delimiter.
    fn token_text(&mut self) -> String {
        let rest = &self.text[self.at..];
        let end = rest.find(is_delimiter).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }

    fn keyword(&mut self, start: usize) -> FormKind {
        let own = self.peek() == Some(':');
        if own {
            self.bump();
        }
        let text = self.token_text();
        if text.is_empty() {
            self.error(&UNREADABLE, start..self.at, "a keyword without a name", "");
        }
        let local = text.rsplit_once('/').map_or(text.as_str(), |(_, local)| local);
        let own = own || local.len() < text.len();
        FormKind::Keyword { name: self.names.intern(local), own }
    }

    /// A number or a symbol.
    fn token(&mut self, start: usize) -> FormKind {
        self.at = start;
        let text = self.token_text();
        if text.is_empty() {
            self.bump();
            self.error(&UNREADABLE, start..self.at, "this character starts no form", "");
            return FormKind::Nil;
        }
        let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
        if digits.starts_with(|first: char| first.is_ascii_digit()) {
            return number(&text).unwrap_or_else(|| {
                let label = "not a 64-bit integer, ratio or decimal number";
                self.error(&UNREADABLE, start..self.at, "not a number", label);
                FormKind::Nil
            });
        }
        match text.as_str() {
            "nil" => FormKind::Nil,
            "true" => FormKind::Bool(true),
            "false" => FormKind::Bool(false),
            _ => {
                self.note_parameter(&text);
                FormKind::Symbol { name: self.canonical(&text), text: self.names.intern(&text) }
            }
        }
    }

    /// `%`, `%2` and `%&` make parameters of the `#(…)` around them.
    fn note_parameter(&mut self, text: &str) {
        let (Some(lambda), Some(number)) = (&mut self.lambda, text.strip_prefix('%')) else {
            return;
        };
        match number {
            "" => lambda.n_parameters = lambda.n_parameters.max(1),
            "&" => lambda.rest = true,
            _ => {
                let number = number.parse::<usize>().unwrap_or(0).min(20);
                lambda.n_parameters = lambda.n_parameters.max(number);
            }
        }
    }

    /// A symbol without its namespace, unless that is a class of Java.
    fn canonical(&mut self, text: &str) -> Name {
        let name = match text.rsplit_once('/') {
            Some((namespace, local)) if !namespace.is_empty() && !local.is_empty() => {
                let class = namespace.strip_prefix("java.lang.").unwrap_or(namespace);
                if JAVA_CLASSES.contains(&class) {
                    format!("{class}/{local}")
                } else {
                    local.to_owned()
                }
            }
            _ if text == "%" => "%1".to_owned(),
            _ => text.to_owned(),
        };
        self.names.intern(&name)
    }
}

fn is_delimiter(character: char) -> bool {
    character.is_whitespace() || "()[]{}\"\\;,^`~@".contains(character)
}

/// A number as Clojure writes it.
fn number(text: &str) -> Option<FormKind> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let signed = |digits: &str, radix: u32| {
        let sign = if sign < 0 { "-" } else { "" };
        i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()
    };
    let plain = |digits: &str| digits.starts_with(|first: char| first.is_ascii_alphanumeric());
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return signed(hex, 16).filter(|_| plain(hex)).map(FormKind::Int);
    }
    if let Some((radix, digits)) = digits.split_once(['r', 'R']) {
        let radix: u32 = radix.parse().ok().filter(|radix| (2..=36).contains(radix))?;
        return signed(digits, radix).filter(|_| plain(digits)).map(FormKind::Int);
    }
    if let Some((upper, lower)) = digits.split_once('/') {
        let (upper, lower) = (signed(upper, 10)?, lower.parse::<i64>().ok().filter(|&n| n > 0)?);
        return Some(FormKind::Ratio(upper, lower));
    }
    let digits = digits.strip_suffix(['N', 'M']).unwrap_or(digits);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let octal = digits.len() > 1 && digits.starts_with('0');
        return signed(digits, if octal { 8 } else { 10 }).map(FormKind::Int);
    }
    let float: f64 = digits.parse().ok()?;
    Some(FormKind::Float(float * f64::from(sign)))
}
