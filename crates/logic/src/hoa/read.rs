//! Reads automata in the Hanoi format. What Quadrille cannot use (other acceptance, universal
//! branching, implicit labels) is said so, never guessed.

use std::collections::BTreeMap;

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};

use super::lexer::{Token, tokens};
use crate::automaton::{Automaton, Cube, Edge, Location, MAX_ATOMS, Marks};
use crate::codes;

/// Deepest nesting of a label.
const MAX_DEPTH: usize = 100;

/// Most conjunctions that one label becomes.
const MAX_CUBES: usize = 4_096;

/// Most locations that a file may announce.
const MAX_LOCATIONS: u32 = 1_000_000;

/// An automaton read from a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoaParsed {
    /// The automaton.
    pub automaton: Automaton,
    /// The names of its atoms.
    pub atoms: Vec<String>,
}

/// Reads the first automaton of a source. Later ones are left alone.
pub fn read_hoa(sources: &Sources, source: SourceId) -> Result<HoaParsed, Box<Diagnostic>> {
    let tokens = tokens(sources, source)?;
    Reader { tokens, at: 0, atoms: Vec::new(), aliases: BTreeMap::new() }.file()
}

type Read<T> = Result<T, Box<Diagnostic>>;

/// A disjunction of conjunctions.
type Label = Vec<Cube>;

struct Reader {
    tokens: Vec<(Token, Span)>,
    at: usize,
    atoms: Vec<String>,
    aliases: BTreeMap<String, Label>,
}

#[derive(Default)]
struct Header {
    initial: Vec<(u32, Span)>,
    n_sets: Option<u32>,
}

impl Reader {
    fn file(mut self) -> Read<HoaParsed> {
        let header = self.header()?;
        let Some(n_sets) = header.n_sets else {
            return Err(self.syntax("the header has no `Acceptance:`"));
        };
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        while *self.peek() != Token::Mark("--END--") {
            self.state(n_sets, &mut edges)?;
        }
        let mut initial = Vec::new();
        for (start, span) in header.initial {
            if start >= MAX_LOCATIONS {
                return Err(Self::too_large(span));
            }
            initial.push(Location(start));
        }
        let targets = edges.iter().flatten().map(|edge| edge.to);
        let highest = initial.iter().copied().chain(targets).max();
        let n_locations = highest.map_or(0, |highest| highest.index() + 1).max(edges.len());
        edges.resize(n_locations, Vec::new());
        Ok(HoaParsed { automaton: Automaton { initial, edges, n_sets }, atoms: self.atoms })
    }

    fn header(&mut self) -> Read<Header> {
        match (self.next(), self.next()) {
            (Token::Header(name), Token::Word(version)) if name == "HOA" && version == "v1" => {}
            _ => {
                self.at = 0;
                return Err(self.syntax("a file starts with `HOA: v1`"));
            }
        }
        let mut header = Header::default();
        loop {
            let span = self.span();
            match self.next() {
                Token::Mark("--BODY--") => return Ok(header),
                Token::Header(name) => self.header_item(&name, span, &mut header)?,
                _ => {
                    self.at -= 1;
                    return Err(self.syntax("expected a header line or `--BODY--`"));
                }
            }
        }
    }

    fn header_item(&mut self, name: &str, span: Span, header: &mut Header) -> Read<()> {
        match name {
            "Start" => {
                let span = self.span();
                let start = self.number()?;
                self.refuse_universal()?;
                header.initial.push((start, span));
            }
            "AP" => {
                let n_atoms = self.number()? as usize;
                while let Token::Text(name) = self.peek() {
                    let name = name.clone();
                    self.atoms.push(name);
                    self.at += 1;
                }
                if self.atoms.len() != n_atoms {
                    return Err(self.syntax("the number of names differs from the one announced"));
                }
                if n_atoms > MAX_ATOMS {
                    let message =
                        format!("the automaton has {n_atoms} atoms, more than {MAX_ATOMS}");
                    let diagnostic = Diagnostic::error(&codes::TOO_MANY_ATOMS, message);
                    return Err(Box::new(diagnostic.at(span, "too many")));
                }
            }
            "Alias" => {
                let Token::Alias(alias) = self.next() else {
                    self.at -= 1;
                    return Err(self.syntax("expected a name like `@a`"));
                };
                let label = self.disjunction(0)?;
                self.aliases.insert(alias, label);
            }
            "Acceptance" => header.n_sets = Some(self.acceptance()?),
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) && name != "States" => {
                return Err(Self::unsupported(&format!("the header line `{name}:`"), span));
            }
            _ => {
                while !matches!(self.peek(), Token::Header(_) | Token::Mark(_) | Token::End) {
                    self.at += 1;
                }
            }
        }
        Ok(())
    }

    /// `n Inf(0)&Inf(1)…` with every set once, in any order and with any parentheses.
    fn acceptance(&mut self) -> Read<u32> {
        let start = self.span();
        let n_sets = self.number()?;
        if n_sets > Marks::BITS {
            return Err(Self::unsupported("more than 32 acceptance sets", start));
        }
        let mut seen: Marks = 0;
        let mut is_true = false;
        while !matches!(self.peek(), Token::Header(_) | Token::Mark(_) | Token::End) {
            let span = self.span();
            match self.next() {
                Token::Word(word) if word == "Inf" => {
                    self.sign('(')?;
                    let set_span = self.span();
                    let set = self.number()?;
                    self.sign(')')?;
                    if set >= n_sets {
                        return Err(Self::wrong("there is no such acceptance set", set_span));
                    }
                    seen |= 1 << set;
                }
                Token::Word(word) if word == "t" => is_true = true,
                Token::Sign('&' | '(' | ')') => {}
                _ => {
                    return Err(Self::unsupported(
                        "acceptance that is not generalised Büchi",
                        span,
                    ));
                }
            }
        }
        let all = crate::automaton::all_marks(n_sets);
        if seen != all || (n_sets == 0 && !is_true) {
            return Err(Self::unsupported("acceptance that is not generalised Büchi", start));
        }
        Ok(n_sets)
    }

    fn state(&mut self, n_sets: u32, edges: &mut Vec<Vec<Edge>>) -> Read<()> {
        let span = self.span();
        if self.next() != Token::Header("State".to_owned()) {
            self.at -= 1;
            return Err(self.syntax("expected `State:` or `--END--`"));
        }
        let state_label = self.bracket()?;
        let number = self.number()?;
        if number >= MAX_LOCATIONS {
            return Err(Self::too_large(span));
        }
        if matches!(self.peek(), Token::Text(_)) {
            self.at += 1;
        }
        let state_marks = self.marks(n_sets)?;
        let location = number as usize;
        if edges.len() <= location {
            edges.resize(location + 1, Vec::new());
        }
        while matches!(self.peek(), Token::Sign('[') | Token::Number(_)) {
            let span = self.span();
            let label = match (self.bracket()?, &state_label) {
                (Some(label), None) => label,
                (None, Some(label)) => label.clone(),
                (Some(_), Some(_)) => {
                    return Err(Self::wrong("both the state and its edge have a label", span));
                }
                (None, None) => return Err(Self::unsupported("implicit labels", span)),
            };
            let to_span = self.span();
            let to = self.number()?;
            self.refuse_universal()?;
            if to >= MAX_LOCATIONS {
                return Err(Self::too_large(to_span));
            }
            let marks = state_marks | self.marks(n_sets)?;
            let edge = |label| Edge { label, marks, to: Location(to) };
            edges[location].extend(label.into_iter().map(edge));
        }
        Ok(())
    }

    fn marks(&mut self, n_sets: u32) -> Read<Marks> {
        let mut marks = 0;
        if *self.peek() != Token::Sign('{') {
            return Ok(marks);
        }
        self.at += 1;
        while *self.peek() != Token::Sign('}') {
            let span = self.span();
            let set = self.number()?;
            if set >= n_sets {
                return Err(Self::wrong("there is no such acceptance set", span));
            }
            marks |= 1 << set;
        }
        self.at += 1;
        Ok(marks)
    }

    fn bracket(&mut self) -> Read<Option<Label>> {
        if *self.peek() != Token::Sign('[') {
            return Ok(None);
        }
        self.at += 1;
        let label = self.disjunction(0)?;
        self.sign(']')?;
        Ok(Some(label))
    }

    fn disjunction(&mut self, depth: usize) -> Read<Label> {
        let mut label = self.conjunction(depth)?;
        while *self.peek() == Token::Sign('|') {
            self.at += 1;
            label.extend(self.conjunction(depth)?);
        }
        label.sort_unstable();
        label.dedup();
        Ok(label)
    }

    fn conjunction(&mut self, depth: usize) -> Read<Label> {
        let mut label = self.literal(depth)?;
        while *self.peek() == Token::Sign('&') {
            self.at += 1;
            let right = self.literal(depth)?;
            label = self.product(&label, &right)?;
        }
        Ok(label)
    }

    fn literal(&mut self, depth: usize) -> Read<Label> {
        let span = self.span();
        if depth > MAX_DEPTH {
            return Err(Self::too_large(span));
        }
        match self.next() {
            Token::Sign('!') => {
                let label = self.literal(depth + 1)?;
                self.negated(&label)
            }
            Token::Sign('(') => {
                let label = self.disjunction(depth + 1)?;
                self.sign(')')?;
                Ok(label)
            }
            Token::Word(word) if word == "t" => Ok(vec![Cube::TRUE]),
            Token::Word(word) if word == "f" => Ok(Vec::new()),
            Token::Number(atom) if (atom as usize) < self.atoms.len() => {
                Ok(vec![Cube { positive: 1 << atom, negative: 0 }])
            }
            Token::Number(_) => Err(Self::wrong("there is no such atom", span)),
            Token::Alias(alias) => match self.aliases.get(&alias) {
                Some(label) => Ok(label.clone()),
                None => Err(Self::wrong("this alias is not defined before", span)),
            },
            _ => {
                self.at -= 1;
                Err(self.syntax("expected an atom's number, `t`, `f`, `!`, `(` or an alias"))
            }
        }
    }

    fn product(&self, left: &[Cube], right: &[Cube]) -> Read<Label> {
        let pairs = left.iter().flat_map(|a| right.iter().filter_map(|b| a.and(*b)));
        let mut label: Label = pairs.take(MAX_CUBES + 1).collect();
        if label.len() > MAX_CUBES {
            return Err(Self::too_large(self.span()));
        }
        label.sort_unstable();
        label.dedup();
        Ok(label)
    }

    fn negated(&self, label: &[Cube]) -> Read<Label> {
        let mut result = vec![Cube::TRUE];
        for cube in label {
            let bits =
                |word: u64| (0..MAX_ATOMS).map(|bit| 1 << bit).filter(move |bit| word & bit != 0);
            let positive = bits(cube.negative).map(|bit| Cube { positive: bit, negative: 0 });
            let negative = bits(cube.positive).map(|bit| Cube { positive: 0, negative: bit });
            let literals: Label = positive.chain(negative).collect();
            result = self.product(&result, &literals)?;
        }
        Ok(result)
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)].0
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn span(&self) -> Span {
        self.tokens[self.at.min(self.tokens.len() - 1)].1
    }

    fn number(&mut self) -> Read<u32> {
        match *self.peek() {
            Token::Number(number) => {
                self.at += 1;
                Ok(number)
            }
            _ => Err(self.syntax("expected a number")),
        }
    }

    fn sign(&mut self, sign: char) -> Read<()> {
        if *self.peek() != Token::Sign(sign) {
            return Err(self.syntax(&format!("expected `{sign}`")));
        }
        self.at += 1;
        Ok(())
    }

    fn refuse_universal(&self) -> Read<()> {
        if *self.peek() == Token::Sign('&') {
            return Err(Self::unsupported("universal branching", self.span()));
        }
        Ok(())
    }

    fn syntax(&self, message: &str) -> Box<Diagnostic> {
        Self::wrong(message, self.span())
    }

    fn wrong(message: &str, span: Span) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(&codes::HOA_SYNTAX, message).at(span, "here"))
    }

    fn unsupported(what: &str, span: Span) -> Box<Diagnostic> {
        let diagnostic =
            Diagnostic::error(&codes::HOA_UNSUPPORTED, format!("not supported: {what}"));
        Box::new(
            diagnostic.at(span, "here").help("convert the automaton to generalised Büchi first"),
        )
    }

    fn too_large(span: Span) -> Box<Diagnostic> {
        let diagnostic =
            Diagnostic::error(&codes::AUTOMATON_TOO_LARGE, "the automaton is too large");
        Box::new(diagnostic.at(span, "from here on"))
    }
}
