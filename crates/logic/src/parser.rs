//! From text to [`Formula`], for every dialect and every syntax of atoms: precedence climbing over
//! the tables of `grammar`, with recovery, so that one pass reports every error.

use quadrille_diagnostic::{Diagnostic, Sources, Span};

use crate::codes;
use crate::formula::{Atoms, Contents, Formula, Objection, Path, Unary};
use crate::grammar::{self, Dialect, Infix, Prefix};
use crate::lexer::{Cursor, Symbol, Token, TokenKind};

/// Deepest nesting: the tree is walked recursively everywhere.
const MAX_DEPTH: usize = 200;

/// Most readings of bodies of quantifiers, all together.
const MAX_READINGS: usize = 20_000;

/// Most errors reported for one formula.
const MAX_ERRORS: usize = 20;

/// How a front end writes its atoms. The lexer and all operators are shared; a front end parses
/// what stands where an operand can stand and no operator does.
pub trait AtomSyntax {
    /// What an atom is.
    type Atom: Clone + Eq + std::hash::Hash;

    /// What an operand looks like, for messages: "a name or an action in double quotes".
    fn expected(&self) -> &'static str;

    /// Whether an atom starts at the cursor although the first word is an operator, as in `G.x`.
    fn claims(&self, cursor: &Cursor<'_>) -> bool {
        let _ = cursor;
        false
    }

    /// Takes the head of a quantifier, such as `for every i in 0..3:`. `None`, with the cursor where
    /// it was, when none starts here. The body is read once for each value, as far to the right as
    /// possible, between [`AtomSyntax::bind`] and [`AtomSyntax::unbind`].
    fn quantifier(&mut self, cursor: &mut Cursor<'_>) -> Option<Result<Quantifier, Diagnostic>> {
        let _ = cursor;
        None
    }

    /// The body of the innermost open quantifier is read for its value at this position. Where there
    /// is no value, the body is read for position 0 all the same, and what is found is dropped.
    fn bind(&mut self, position: usize) {
        let _ = position;
    }

    /// The innermost quantifier is done.
    fn unbind(&mut self) {}

    /// Takes the tokens of one atom. `None`, with the cursor where it was, when none starts here.
    fn atom(&mut self, cursor: &mut Cursor<'_>) -> Option<Result<Self::Atom, Diagnostic>>;
}

/// The head of a quantifier over finitely many values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quantifier {
    /// Whether the body must hold for every value, or for some.
    pub every: bool,
    /// How many values there are.
    pub n_values: usize,
}

/// What parsing gives.
#[derive(Clone, Debug)]
pub struct Parsed<A> {
    /// The formula; none exactly when some diagnostic is an error.
    pub formula: Option<Formula>,
    /// Its atoms.
    pub atoms: Atoms<A>,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a formula of our own language from a span.
pub fn parse<S: AtomSyntax>(sources: &Sources, span: Span, syntax: &mut S) -> Parsed<S::Atom> {
    parse_dialect(sources, span, syntax, Dialect::Own)
}

pub(crate) fn parse_dialect<S: AtomSyntax>(
    sources: &Sources,
    span: Span,
    syntax: &mut S,
    dialect: Dialect,
) -> Parsed<S::Atom> {
    let mut diagnostics = Vec::new();
    let cursor = Cursor::new(sources, span, &mut diagnostics);
    let mut parser = Parser {
        cursor,
        syntax,
        dialect,
        atoms: Atoms::default(),
        diagnostics,
        depth: 0,
        in_bracket: false,
        gave_up: false,
        n_readings: 0,
    };
    let tree = parser.whole();
    let Parser { atoms, mut diagnostics, .. } = parser;
    diagnostics.sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span.start));
    let formula = (!diagnostics.iter().any(Diagnostic::is_error)).then_some(tree.formula);
    Parsed { formula, atoms, diagnostics }
}

/// A subformula with what later messages need.
struct Tree {
    formula: Formula,
    span: Span,
    contents: Contents,
    /// Set for a word like `always` over an operand without parentheses or temporal operators.
    narrow: Option<Span>,
}

struct Parser<'a, 's, S: AtomSyntax> {
    cursor: Cursor<'a>,
    syntax: &'s mut S,
    dialect: Dialect,
    atoms: Atoms<S::Atom>,
    diagnostics: Vec<Diagnostic>,
    depth: usize,
    /// Whether a bare linear operator would be the one that `A[` or `E[` waits for.
    in_bracket: bool,
    gave_up: bool,
    n_readings: usize,
}

impl<S: AtomSyntax> Parser<'_, '_, S> {
    fn whole(&mut self) -> Tree {
        let mut tree = self.expression(0);
        while self.cursor.peek().kind != TokenKind::End && !self.gave_up {
            let token = self.cursor.peek();
            if is_closing(token) {
                let message = "nothing is open that this could close";
                self.error(
                    Diagnostic::error(&codes::UNBALANCED, message)
                        .at(token.span, "no partner")
                        .help("delete it, or open its partner before"),
                );
                self.cursor.bump();
            } else if grammar::infix(&self.cursor, self.dialect).is_none() {
                self.error(
                    Diagnostic::error(&codes::SYNTAX, "expected an operator or the end")
                        .at(token.span, "an operand already stands before this")
                        .help("join the two with `and`, `or`, `implies`, `until` …"),
                );
                self.expression(0);
                if self.cursor.peek().span == token.span {
                    self.cursor.bump();
                }
                continue;
            }
            tree = self.continued(tree, 0);
        }
        if let Err(Objection::Mixed) = tree.contents.kind() {
            self.error(
                Diagnostic::error(
                    &codes::MIXED_TIME,
                    "linear and branching time are mixed in one formula",
                )
                .at(tree.span, "has operators of both")
                .note("this would be a formula of CTL*, which is not supported")
                .help("put `A` or `E` before every temporal operator or before none"),
            );
        }
        tree
    }

    fn expression(&mut self, level: u32) -> Tree {
        let left = self.operand();
        self.continued(left, level)
    }

    /// Extends a left operand by the infix operators that bind at least as tightly as `level`.
    fn continued(&mut self, mut left: Tree, level: u32) -> Tree {
        while let Some((infix, n_tokens)) = self.infix() {
            let own_level = infix.level(self.dialect);
            if own_level < level {
                break;
            }
            for _ in 0..n_tokens {
                self.cursor.bump();
            }
            let flat = matches!(infix, Infix::And | Infix::Or);
            let right = self
                .nested(|parser| parser.expression(if flat { own_level + 1 } else { own_level }));
            left = self.join(infix, left, right);
        }
        left
    }

    fn infix(&self) -> Option<(Infix, usize)> {
        let found = grammar::infix(&self.cursor, self.dialect)?;
        let ends_bracket = matches!(found.0, Infix::Temporal(Path::This, _)) && self.in_bracket;
        (!ends_bracket).then_some(found)
    }

    fn join(&mut self, infix: Infix, left: Tree, right: Tree) -> Tree {
        let span = left.span.to(right.span);
        if let (Infix::Implies, Some(word)) = (infix, left.narrow) {
            let diagnostic = Diagnostic::warning(
                &codes::NARROW_OPERATOR,
                "this word covers only what stands before the implication",
            )
            .at(word, "binds more tightly than the implication")
            .help("put parentheses around what it is to cover");
            if !self.diagnostics.contains(&diagnostic) {
                self.diagnostics.push(diagnostic);
            }
        }
        let contents = left.contents.with(right.contents);
        let contents = match infix {
            Infix::Temporal(path, operator) => self.under(contents, path, operator.is_past(), span),
            _ => contents,
        };
        let formula = match infix {
            Infix::And => Formula::and([left.formula, right.formula]),
            Infix::Or => Formula::or([left.formula, right.formula]),
            Infix::Implies => left.formula.implies(right.formula),
            Infix::Iff => left.formula.iff(right.formula),
            Infix::Temporal(path, operator) => {
                Formula::Binary(path, operator, Box::new(left.formula), Box::new(right.formula))
            }
        };
        Tree { formula, span, contents, narrow: None }
    }

    fn under(&mut self, contents: Contents, path: Path, is_past: bool, span: Span) -> Contents {
        contents.under(path, is_past).unwrap_or_else(|_| {
            self.error(
                Diagnostic::error(
                    &codes::FUTURE_UNDER_PAST,
                    "an operator that looks back covers one that looks forward",
                )
                .at(span, "the outer operator looks back")
                .help("move the part that looks forward out of it, or check two formulas"),
            );
            contents
        })
    }

    fn operand(&mut self) -> Tree {
        if self.syntax.claims(&self.cursor) {
            return self.atom();
        }
        if let Some(head) = self.syntax.quantifier(&mut self.cursor) {
            return self.nested(|parser| parser.quantified_over(head));
        }
        let token = self.cursor.peek();
        if let Some(prefix) = grammar::prefix(&self.cursor, self.dialect) {
            return self.nested(|parser| parser.prefixed(prefix));
        }
        if token.kind == TokenKind::Symbol(Symbol::Open) {
            return self.nested(Self::parenthesised);
        }
        match self.cursor.word() {
            Some(constant @ ("true" | "false")) => {
                self.cursor.bump();
                let formula = if constant == "true" { Formula::True } else { Formula::False };
                leaf(formula, token.span)
            }
            Some(quantifier @ ("A" | "E")) if self.dialect == Dialect::Own => {
                let path = if quantifier == "A" { Path::All } else { Path::Some };
                self.nested(|parser| parser.quantified(path))
            }
            _ => self.atom(),
        }
    }

    fn prefixed(&mut self, prefix: Prefix) -> Tree {
        let token = self.cursor.bump();
        let has_parentheses = is_opening(self.cursor.peek());
        let inner = self.operand();
        let span = token.span.to(inner.span);
        match prefix {
            Prefix::Not => Tree { formula: !inner.formula, span, ..inner },
            Prefix::Temporal(path, operator) => {
                let contents = self.under(inner.contents, path, operator.is_past(), span);
                let spelled_out = token.span.end - token.span.start > 2;
                let lasting = matches!(operator, Unary::Always | Unary::Historically);
                let bare = !has_parentheses && inner.contents.is_timeless();
                let narrow = (spelled_out && lasting && bare).then_some(token.span);
                Tree {
                    formula: Formula::Unary(path, operator, Box::new(inner.formula)),
                    span,
                    contents,
                    narrow,
                }
            }
        }
    }

    /// A quantifier from its body on: the conjunction or disjunction of all readings of it.
    fn quantified_over(&mut self, head: Result<Quantifier, Diagnostic>) -> Tree {
        let (start, span) = (self.cursor.position(), self.cursor.peek().span);
        let quantifier = match head {
            Ok(quantifier) => quantifier,
            Err(diagnostic) => {
                self.error(diagnostic);
                self.skip(SkipUntil::Closing);
                return leaf(Formula::False, span);
            }
        };
        let (mut readings, mut contents) = (Vec::new(), Contents::default());
        let n_found = self.diagnostics.len();
        for position in 0..quantifier.n_values.max(1) {
            self.n_readings += 1;
            if self.n_readings > MAX_READINGS {
                let message = format!("quantifiers write out more than {MAX_READINGS} formulas");
                self.error(
                    Diagnostic::error(&codes::TOO_LARGE, message)
                        .at(span, "written out for each value")
                        .help("use a wildcard, or quantify over fewer values"),
                );
                self.give_up();
            }
            self.cursor.rewind(start);
            self.syntax.bind(position);
            let tree = self.expression(0);
            contents = contents.with(tree.contents);
            readings.push(tree.formula);
            if self.gave_up {
                self.give_up();
                break;
            }
        }
        self.syntax.unbind();
        if quantifier.n_values == 0 {
            readings.clear();
            self.diagnostics.truncate(n_found);
        }
        let span = span.to(self.cursor.previous().span);
        let formula = if quantifier.every { Formula::and(readings) } else { Formula::or(readings) };
        Tree { formula, span, contents, narrow: None }
    }

    fn parenthesised(&mut self) -> Tree {
        let open = self.cursor.bump();
        let outer = std::mem::replace(&mut self.in_bracket, false);
        let inner = self.expression(0);
        self.in_bracket = outer;
        self.close(open, Symbol::Close, ")");
        Tree { span: open.span.to(self.cursor.previous().span), narrow: None, ..inner }
    }

    /// `A[left U right]` and its like, from the quantifier on.
    fn quantified(&mut self, path: Path) -> Tree {
        let quantifier = self.cursor.bump();
        let open = self.cursor.peek();
        if !self.cursor.eat(Symbol::OpenBracket) {
            self.error(
                Diagnostic::error(&codes::SYNTAX, "expected `[` behind the path quantifier")
                    .at(quantifier.span, "quantifies over runs")
                    .help("write `A[p U q]`, `E[p U q]`, or one of `AG`, `AF`, `AX`, `EG` …"),
            );
            return self.operand();
        }
        let outer = std::mem::replace(&mut self.in_bracket, true);
        let left = self.expression(0);
        let operator = match grammar::infix(&self.cursor, self.dialect) {
            Some((Infix::Temporal(Path::This, operator), n_tokens)) => {
                for _ in 0..n_tokens {
                    self.cursor.bump();
                }
                Some(operator)
            }
            _ => None,
        };
        let tree = if let Some(operator) = operator {
            let right = self.expression(0);
            self.join(Infix::Temporal(path, operator), left, right)
        } else {
            let token = self.cursor.peek();
            self.error(
                Diagnostic::error(&codes::SYNTAX, "expected `U`, `W`, `R`, `M` or `S`")
                    .at(token.span, "between the two operands of a bracket")
                    .help("a bracket holds two operands, as in `A[p U q]`"),
            );
            left
        };
        self.in_bracket = outer;
        self.close(open, Symbol::CloseBracket, "]");
        Tree { span: quantifier.span.to(self.cursor.previous().span), narrow: None, ..tree }
    }

    fn close(&mut self, open: Token, symbol: Symbol, text: &str) {
        if self.cursor.eat(symbol) || self.gave_up {
            return;
        }
        let token = self.cursor.peek();
        if token.kind == TokenKind::End {
            self.error(
                Diagnostic::error(&codes::UNBALANCED, format!("`{text}` is missing"))
                    .at(open.span, "opened here")
                    .help(format!("add `{text}`")),
            );
            return;
        }
        self.error(
            Diagnostic::error(&codes::SYNTAX, format!("expected an operator or `{text}`"))
                .at(token.span, "does not fit here")
                .at(open.span, "opened here"),
        );
        self.skip(SkipUntil::Closing);
        self.cursor.eat(symbol);
    }

    fn atom(&mut self) -> Tree {
        let start = self.cursor.peek();
        match self.syntax.atom(&mut self.cursor) {
            Some(Ok(atom)) => {
                let span = start.span.to(self.cursor.previous().span);
                let atom = self.atoms.intern(atom, Some(span));
                return leaf(Formula::Atom(atom), span);
            }
            Some(Err(diagnostic)) => self.error(diagnostic),
            None => {
                let message = format!("expected {}", self.syntax.expected());
                let place = if start.kind == TokenKind::End {
                    "the formula ends here"
                } else {
                    "no operand starts with this"
                };
                let mut diagnostic =
                    Diagnostic::error(&codes::SYNTAX, message).at(start.span, place);
                if self.dialect == Dialect::Own && start.kind == TokenKind::Word {
                    diagnostic = diagnostic.help(format!(
                        "a proposition of this name is written `{}` in back quotes",
                        self.cursor.text(start)
                    ));
                }
                self.error(diagnostic);
            }
        }
        self.skip(SkipUntil::Operator);
        leaf(Formula::False, start.span)
    }

    /// Runs a part of the grammar one level deeper, or gives up on the rest of the text.
    fn nested(&mut self, part: impl FnOnce(&mut Self) -> Tree) -> Tree {
        let span = self.cursor.peek().span;
        if self.depth == MAX_DEPTH {
            self.error(
                Diagnostic::error(
                    &codes::TOO_LARGE,
                    format!("the formula is nested more than {MAX_DEPTH} levels deep"),
                )
                .at(span, "too deep from here on")
                .help("check the parts of the formula one by one"),
            );
            self.give_up();
            return leaf(Formula::False, span);
        }
        self.depth += 1;
        let tree = part(self);
        self.depth -= 1;
        tree
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        if self.gave_up || self.diagnostics.contains(&diagnostic) {
            return;
        }
        self.diagnostics.push(diagnostic);
        if self.diagnostics.len() >= MAX_ERRORS {
            self.give_up();
        }
    }

    fn give_up(&mut self) {
        self.gave_up = true;
        while self.cursor.peek().kind != TokenKind::End {
            self.cursor.bump();
        }
    }

    /// Skips to the end of the present parentheses, or before that to an operator.
    fn skip(&mut self, until: SkipUntil) {
        let mut open = 0usize;
        loop {
            let token = self.cursor.peek();
            let at_operator = until == SkipUntil::Operator
                && grammar::infix(&self.cursor, self.dialect).is_some();
            if token.kind == TokenKind::End || (open == 0 && (is_closing(token) || at_operator)) {
                return;
            }
            open = if is_opening(token) {
                open + 1
            } else {
                open.saturating_sub(usize::from(is_closing(token)))
            };
            self.cursor.bump();
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SkipUntil {
    Operator,
    Closing,
}

fn leaf(formula: Formula, span: Span) -> Tree {
    Tree { formula, span, contents: Contents::default(), narrow: None }
}

fn is_opening(token: Token) -> bool {
    matches!(token.kind, TokenKind::Symbol(Symbol::Open | Symbol::OpenBracket))
}

fn is_closing(token: Token) -> bool {
    matches!(token.kind, TokenKind::Symbol(Symbol::Close | Symbol::CloseBracket))
}
