//! Atoms about the actions of a protocol whose roles and messages are not declared: any name will do.
//! They read as in `.quad` properties, `worker[0] sends Token to worker[*]`, or are the label of an
//! action in double quotes. Names with other characters stand in back quotes.

use quadrille_diagnostic::{Diagnostic, codes};
use quadrille_logic::{AtomSyntax, Cursor, Symbol, TokenKind, unquote};

use crate::{Atom, MessagePattern, Pattern, RolePattern, Verb};

codes! {
    ALL:

    /// An atom about the actions of a protocol cannot be read.
    ///
    /// Say who does what, and perhaps to whom or from whom; `*` stands for any role and any message.
    ///
    /// ```text
    /// white sends Move to black
    /// worker[0] receives Token from worker[*]
    /// worker[*] closes master
    /// ```
    ///
    /// Or write the label of the action in double quotes: `"white sends Move to black"`.
    O002 = BAD_ACTION;
}

/// Parses [`Atom`]s by their form alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct ActionAtoms;

/// Tokens looked at to find the verb behind a role.
const LOOKAHEAD: usize = 20;

impl ActionAtoms {
    /// The verb behind the role that the cursor stands before.
    fn verb(cursor: &Cursor<'_>) -> Option<Verb> {
        let first = cursor.peek().kind;
        let starts =
            matches!(first, TokenKind::Word | TokenKind::Quoted | TokenKind::Symbol(Symbol::Star));
        if !starts {
            return None;
        }
        let is = |ahead, symbol| cursor.peek_nth(ahead).kind == TokenKind::Symbol(symbol);
        let mut ahead = 1;
        while is(ahead, Symbol::OpenBracket) && ahead < LOOKAHEAD {
            ahead += if is(ahead + 1, Symbol::Minus) { 4 } else { 3 };
        }
        Verb::of(cursor.nth_word(ahead)?)
    }

    fn action(cursor: &mut Cursor<'_>, verb: Verb) -> Result<Pattern, Diagnostic> {
        let role = role(cursor)?;
        cursor.bump();
        let mut pattern =
            Pattern { role, verb, message: MessagePattern::Any, other: RolePattern::Any };
        if verb != Verb::Closes {
            pattern.message = message(cursor)?;
        }
        let before_other = match verb {
            Verb::Does => return Ok(pattern),
            Verb::Receives => "from",
            Verb::Sends | Verb::Passes | Verb::Closes => "to",
        };
        let follows = cursor.word() == Some(before_other);
        if follows {
            cursor.bump();
        }
        if follows || verb == Verb::Closes {
            pattern.other = self::role(cursor)?;
        }
        Ok(pattern)
    }
}

fn role(cursor: &mut Cursor<'_>) -> Result<RolePattern, Diagnostic> {
    if cursor.eat(Symbol::Star) {
        return Ok(RolePattern::Any);
    }
    let name = name(cursor, "the name of a role or `*`")?;
    let mut indices = Vec::new();
    while cursor.eat(Symbol::OpenBracket) {
        if cursor.eat(Symbol::Star) {
            indices.push(None);
        } else {
            let sign = if cursor.eat(Symbol::Minus) { "-" } else { "" };
            let number = format!("{sign}{}", cursor.text(cursor.peek()));
            let Ok(index) = number.parse() else {
                return Err(unexpected(cursor, "an index or `*`"));
            };
            indices.push(Some(index));
            cursor.bump();
        }
        if !cursor.eat(Symbol::CloseBracket) {
            return Err(unexpected(cursor, "`]`"));
        }
    }
    Ok(RolePattern::Named(name, indices))
}

/// The name of a type; in double quotes, with its content.
fn message(cursor: &mut Cursor<'_>) -> Result<MessagePattern, Diagnostic> {
    if cursor.eat(Symbol::Star) {
        return Ok(MessagePattern::Any);
    }
    let mut name = name(cursor, "the type of the message or `*`")?;
    while cursor.peek().span.start == cursor.previous().span.end && cursor.eat(Symbol::Dot) {
        name = format!("{name}.{}", self::name(cursor, "the next part of the name")?);
    }
    Ok(MessagePattern::Named(name, Vec::new()))
}

fn name(cursor: &mut Cursor<'_>, what: &str) -> Result<String, Diagnostic> {
    let text = cursor.text(cursor.peek());
    let name = match cursor.peek().kind {
        TokenKind::Word => text.to_owned(),
        TokenKind::Quoted => unquote(text),
        _ => return Err(unexpected(cursor, what)),
    };
    cursor.bump();
    Ok(name)
}

fn unexpected(cursor: &Cursor<'_>, expected: &str) -> Diagnostic {
    let token = cursor.peek();
    let found = match token.kind {
        TokenKind::End => "the end".to_owned(),
        _ => format!("`{}`", cursor.text(token)),
    };
    Diagnostic::error(&BAD_ACTION, format!("expected {expected}, found {found}"))
        .at(token.span, format!("expected {expected}"))
}

/// Passes over the rest of an atom that cannot be read, so that it is complained about once.
fn skip(cursor: &mut Cursor<'_>) {
    let inside = |kind| {
        let symbols = [Symbol::OpenBracket, Symbol::CloseBracket, Symbol::Dot, Symbol::Star];
        matches!(kind, TokenKind::Word | TokenKind::Number | TokenKind::Quoted)
            || symbols.iter().any(|&symbol| kind == TokenKind::Symbol(symbol))
    };
    while inside(cursor.peek().kind) {
        cursor.bump();
    }
}

impl AtomSyntax for ActionAtoms {
    type Atom = Atom;

    fn expected(&self) -> &'static str {
        "an action such as `white sends Move to black`, a label in double quotes, `(` or `not`"
    }

    fn claims(&self, cursor: &Cursor<'_>) -> bool {
        Self::verb(cursor).is_some()
    }

    fn atom(&mut self, cursor: &mut Cursor<'_>) -> Option<Result<Atom, Diagnostic>> {
        if let Some(verb) = Self::verb(cursor) {
            let action = Self::action(cursor, verb);
            if action.is_err() {
                skip(cursor);
            }
            return Some(action.map(Atom::Action));
        }
        let token = cursor.peek();
        (token.kind == TokenKind::Text).then(|| {
            cursor.bump();
            Ok(Atom::Label(unquote(cursor.text(token))))
        })
    }
}

#[cfg(test)]
mod tests;
