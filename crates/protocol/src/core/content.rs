//! Terms as bytes that are the same in every process, and back: numbers of terms depend on the order
//! in which they are met. A term is written as the list of its subterms, each once, the parts of a
//! subterm before it; so equal terms have equal bytes, and only they do.

use quadrille_diagnostic::{SourceId, Span};
use rustc_hash::FxHashMap;

use super::action::{Act, ActId, Message, RoleId};
use super::data::{Assignment, Data, Expr, ExprId, Operator, VariableId};
use super::step::Definitions;
use super::term::{DefinitionId, Term, TermId, Terms};
use super::{Role, Word};
use quadrille_model::InteractionKind;

/// By their numbers.
const OPERATORS: [Operator; 11] = [
    Operator::And,
    Operator::Or,
    Operator::Eq,
    Operator::Ne,
    Operator::Lt,
    Operator::Le,
    Operator::Add,
    Operator::Sub,
    Operator::Mul,
    Operator::Div,
    Operator::Mod,
];

/// Bytes that are written: numbers take as many as they need.
#[derive(Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Adds a number.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Adds numbers.
    pub fn numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|&number| self.number(number));
    }

    /// Adds a number with a sign.
    pub fn signed(&mut self, number: i64) {
        self.number((number << 1 ^ number >> 63) as u64);
    }

    /// Adds bytes and how many they are.
    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Adds a role.
    pub fn role(&mut self, role: &Role) {
        self.text(&role.name);
        self.list(role.indices.iter(), |out, &index| out.signed(index));
    }

    /// Adds a list.
    pub fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut each: impl FnMut(&mut Self, T),
    ) {
        self.number(items.len() as u64);
        items.for_each(|item| each(self, item));
    }

    /// What was written.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Bytes that are read; `None` where they do not say what is asked for.
pub struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    /// Reads from the beginning.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes }
    }

    /// Whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The next number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// The next number with a sign.
    pub fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(bytes)
    }

    /// The next text.
    pub fn text(&mut self) -> Option<&'b str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// The next role.
    pub fn role(&mut self) -> Option<Role> {
        Some(Role { name: self.text()?.to_owned(), indices: self.list(Reader::signed)? })
    }

    /// The next list.
    pub fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.number()?).map(|_| each(self)).collect()
    }

    fn one_of<T: Copy>(&mut self, table: &[T]) -> Option<T> {
        table.get(usize::try_from(self.number()?).ok()?).copied()
    }

    fn variable(&mut self, terms: &Terms) -> Option<VariableId> {
        let variable = u32::try_from(self.number()?).ok()?;
        ((variable as usize) < terms.variables().len()).then_some(VariableId(variable))
    }
}

impl Terms {
    /// A term as bytes.
    pub(super) fn write(&self, term: TermId, definitions: &dyn Definitions) -> Vec<u8> {
        let mut out = Writer::default();
        let mut places: FxHashMap<TermId, u64> = FxHashMap::default();
        let mut open = vec![(term, false)];
        while let Some((term, is_ready)) = open.pop() {
            if places.contains_key(&term) {
                continue;
            }
            if is_ready {
                self.write_node(term, &|part| places[&part], definitions, &mut out);
                places.insert(term, places.len() as u64);
                continue;
            }
            open.push((term, true));
            match self.term(term) {
                Term::Seq(one, two) | Term::Par(one, two) => {
                    open.extend([(two, false), (one, false)]);
                }
                Term::Choice(parts) => open.extend(parts.iter().rev().map(|&part| (part, false))),
                Term::Nested(part) | Term::Guard(_, part) | Term::Repeat { body: part, .. } => {
                    open.push((part, false));
                }
                Term::Stop | Term::Skip | Term::Act(..) | Term::Call(..) => {}
            }
        }
        out.finish()
    }

    fn write_node(
        &self,
        term: TermId,
        place: &dyn Fn(TermId) -> u64,
        definitions: &dyn Definitions,
        out: &mut Writer,
    ) {
        match self.term(term) {
            Term::Stop => out.number(0),
            Term::Skip => out.number(1),
            Term::Act(act, update) => {
                out.number(2);
                self.write_act(act, out);
                out.list(self.update_of(update).iter(), |out, assignment| {
                    out.number(u64::from(assignment.variable.0));
                    self.write_expr(assignment.value, out);
                });
            }
            Term::Seq(one, two) => out.numbers(&[3, place(one), place(two)]),
            Term::Par(one, two) => out.numbers(&[4, place(one), place(two)]),
            Term::Choice(parts) => {
                out.number(5);
                out.list(parts.iter(), |out, &part| out.number(place(part)));
            }
            Term::Nested(part) => out.numbers(&[6, place(part)]),
            Term::Guard(condition, part) => {
                out.numbers(&[7, place(part)]);
                self.write_expr(condition, out);
            }
            Term::Repeat { body, may_end } => {
                out.numbers(&[8, place(body), u64::from(may_end)]);
            }
            Term::Call(definition, arguments) => {
                out.numbers(&[9, u64::from(definition.0)]);
                out.list(arguments.iter(), |out, &word| {
                    let mut argument = Writer::default();
                    definitions.write_word(word, &mut argument);
                    out.bytes(&argument.finish());
                });
            }
        }
    }

    /// The term that bytes stand for.
    pub(super) fn read(&self, bytes: &[u8], definitions: &dyn Definitions) -> Option<TermId> {
        let mut reader = Reader::new(bytes);
        let mut known: Vec<TermId> = Vec::new();
        while !reader.is_empty() {
            let term = self.read_node(&mut reader, &known, definitions)?;
            known.push(term);
        }
        known.last().copied()
    }

    fn read_node(
        &self,
        reader: &mut Reader<'_>,
        known: &[TermId],
        definitions: &dyn Definitions,
    ) -> Option<TermId> {
        Some(match reader.number()? {
            0 => TermId::STOP,
            1 => TermId::SKIP,
            2 => {
                let act = self.read_act(reader)?;
                let assignments = reader.list(|reader| {
                    let variable = reader.variable(self)?;
                    Some(Assignment { variable, value: self.read_expr(reader)? })
                })?;
                self.action_with(act, self.update(assignments))
            }
            3 => self.intern(Term::Seq(reader.one_of(known)?, reader.one_of(known)?)),
            4 => self.intern(Term::Par(reader.one_of(known)?, reader.one_of(known)?)),
            5 => self.intern(Term::Choice(&reader.list(|reader| reader.one_of(known))?)),
            6 => self.intern(Term::Nested(reader.one_of(known)?)),
            7 => {
                let part = reader.one_of(known)?;
                self.intern(Term::Guard(self.read_expr(reader)?, part))
            }
            8 => {
                let body = reader.one_of(known)?;
                self.intern(Term::Repeat { body, may_end: reader.number()? == 1 })
            }
            9 => {
                let definition = DefinitionId(u32::try_from(reader.number()?).ok()?);
                let word = |reader: &mut Reader<'_>| definitions.read_word(reader.bytes()?);
                let arguments: Vec<Word> = reader.list(word)?;
                self.call(definition, &arguments)
            }
            _ => return None,
        })
    }

    /// Adds an action.
    pub(super) fn write_act(&self, act: ActId, out: &mut Writer) {
        let Act { kind, from, to, message } = self.act_of(act);
        out.number(*kind as u64);
        out.role(self.role_of(*from));
        out.list(to.iter(), |out, &role| out.role(self.role_of(role)));
        out.list(message.iter(), |out, Message { name, content }| {
            out.text(name);
            out.list(content.iter(), |out, content| out.text(content));
        });
        out.list(self.own_place(act).iter(), |out, place| {
            out.numbers(&[place.source.number(), place.start, place.end].map(u64::from));
        });
    }

    fn read_act(&self, reader: &mut Reader<'_>) -> Option<ActId> {
        let role = |reader: &mut Reader<'_>| -> Option<RoleId> { Some(self.role(reader.role()?)) };
        let (kind, from, to) =
            (reader.one_of(&InteractionKind::ALL)?, role(reader)?, reader.list(role)?);
        let message = reader.list(|reader| {
            let name = reader.text()?.to_owned();
            let content = reader.list(|reader| Some(reader.text()?.to_owned()))?.pop();
            Some(Message { name, content })
        })?;
        let place = reader.list(|reader| {
            let mut number = || u32::try_from(reader.number()?).ok();
            Some(Span { source: SourceId::new(number()?), start: number()?, end: number()? })
        })?;
        let act = Act { kind, from, to, message: message.into_iter().next() };
        Some(self.act_at(act, place.first().copied()))
    }

    fn write_expr(&self, id: ExprId, out: &mut Writer) {
        let mut parts = |number: u64, parts: &[ExprId]| {
            out.number(number);
            parts.iter().for_each(|&part| self.write_expr(part, out));
        };
        match self.expr(id) {
            Expr::Not(part) => parts(2, &[part]),
            Expr::If(test, then, other) => parts(3, &[test, then, other]),
            Expr::Binary(operator, a, b) => parts(4 + operator as u64, &[a, b]),
            Expr::Constant(value) => {
                out.number(0);
                out.signed(value);
            }
            Expr::Variable(variable) => out.numbers(&[1, u64::from(variable.0)]),
        }
    }

    fn read_expr(&self, reader: &mut Reader<'_>) -> Option<ExprId> {
        let expr = match reader.number()? {
            0 => Expr::Constant(reader.signed()?),
            1 => Expr::Variable(reader.variable(self)?),
            2 => Expr::Not(self.read_expr(reader)?),
            3 => {
                Expr::If(self.read_expr(reader)?, self.read_expr(reader)?, self.read_expr(reader)?)
            }
            code => {
                let &operator = OPERATORS.get(usize::try_from(code).ok()?.checked_sub(4)?)?;
                Expr::Binary(operator, self.read_expr(reader)?, self.read_expr(reader)?)
            }
        };
        Some(ExprId(self.exprs.intern(expr)))
    }
}
