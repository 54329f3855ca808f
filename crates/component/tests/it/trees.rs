//! Random trees.

use quadrille_component::syntax::{
    Case, Catch, Component, Direction, Kind, Name, Parameter, Path, Phase, Protocol, Test, Token,
    parse,
};
use quadrille_diagnostic::{SourceId, Sources, Span};
use quadrille_workshop::{Choices, check};

/// Makes random trees of any kind, with meaning or without.
pub struct Gardener<'c> {
    choices: &'c mut Choices,
    span: Span,
    /// How many acceptances are around: only there may an exception be thrown.
    n_acceptances: u32,
}

impl<'c> Gardener<'c> {
    pub fn new(choices: &'c mut Choices) -> Self {
        let source: SourceId = Sources::default().add("tree", "");
        Self { choices, span: Span::new(source, 0..0), n_acceptances: 0 }
    }

    fn name(&mut self, names: &[&str]) -> Name {
        let text = self.choices.pick(names).to_owned();
        Name { text, span: self.span }
    }

    fn path(&mut self) -> Path {
        let Name { text, span } = self.name(&["a", "i.m", "i.n", "j.k.m_1"]);
        Path { text, span }
    }

    fn direction(&mut self) -> Direction {
        self.choices.pick(&[Direction::Emit, Direction::Accept])
    }

    fn token(&mut self) -> Token {
        let phase = self.choices.pick(&[Phase::Request, Phase::Response]);
        Token { direction: self.direction(), path: self.path(), phase }
    }

    fn list<T>(&mut self, least: u32, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let length = least + self.choices.below_u32(2);
        (0..length).map(|_| one(self)).collect()
    }

    fn boxed(&mut self, depth: u32) -> Box<Protocol> {
        Box::new(self.tree(depth))
    }

    pub fn tree(&mut self, depth: u32) -> Protocol {
        let n_kinds = if depth == 0 { 6 } else { 17 };
        let kind = match self.choices.below_u32(n_kinds) {
            0 => Kind::Null,
            1 => Kind::Event(self.token()),
            2 => Kind::Atomic(self.list(1, Self::token)),
            3 => Kind::Meet(self.path()),
            4 => Kind::Throw(self.name(&["e", "f"])),
            5 => Kind::Assign { variable: self.name(&["m"]), value: self.name(&["IDLE", "k"]) },
            6 => self.call(depth - 1),
            7 => Kind::Sequence(self.list(2, |g| g.tree(depth - 1))),
            8 => Kind::Alternative(self.list(2, |g| g.tree(depth - 1))),
            9 => Kind::Parallel(self.list(2, |g| g.tree(depth - 1))),
            10 => Kind::OrParallel(self.list(2, |g| g.tree(depth - 1))),
            11 => Kind::Repeat(self.boxed(depth - 1)),
            12 => Kind::Restrict(self.boxed(depth - 1), self.list(1, Self::path)),
            13 => {
                let names = self.list(1, Self::path);
                Kind::Adjust(self.boxed(depth - 1), names, self.boxed(depth - 1))
            }
            14 => Kind::Invert(self.boxed(depth - 1)),
            15 => {
                let catches = self.list(1, |g| Catch {
                    exceptions: g.list(1, Self::path),
                    handler: g.tree(depth - 1),
                });
                Kind::Try { body: self.boxed(depth - 1), catches }
            }
            _ => self.extended(depth - 1),
        };
        Protocol { kind, span: self.span }
    }

    fn call(&mut self, depth: u32) -> Kind {
        let direction = self.direction();
        let is_emission = direction == Direction::Emit;
        let with_data = self.choices.below_u32(4) == 0;
        let arguments = if with_data && is_emission {
            self.list(1, |g| g.name(&["IDLE", "m"]))
        } else {
            Vec::new()
        };
        let parameters = if with_data && !is_emission {
            self.list(1, |g| Parameter { of: g.name(&["Mode"]), name: g.name(&["x", "y"]) })
        } else {
            Vec::new()
        };
        let body = self.choices.coin().then(|| self.boxed(depth));
        Kind::Call { direction, path: self.path(), arguments, parameters, body }
    }

    fn extended(&mut self, depth: u32) -> Kind {
        let variable = self.name(&["m", "k"]);
        if self.choices.coin() {
            let equal = self.choices.coin();
            let test = Test { variable, equal, value: self.name(&["IDLE", "BUSY"]) };
            return Kind::While { test, body: self.boxed(depth) };
        }
        let cases =
            self.list(0, |g| Case { value: g.name(&["IDLE", "BUSY"]), protocol: g.tree(depth) });
        let default = self.choices.coin().then(|| self.boxed(depth));
        Kind::Switch { variable, cases, default }
    }
}

/// Trees with a meaning: small protocols over a few events, with exceptions.
impl Gardener<'_> {
    pub fn component(&mut self) -> Component {
        let name = self.name(&["X"]);
        let depth = 2 + self.choices.below_u32(3);
        Component { name, variables: Vec::new(), protocol: self.protocol(depth, true) }
    }

    fn protocol(&mut self, depth: u32, may_leave: bool) -> Protocol {
        let choice =
            if depth == 0 { self.choices.below_u32(4) } else { self.choices.below_u32(17) };
        let list =
            |g: &mut Self, may: bool| vec![g.protocol(depth - 1, may), g.protocol(depth - 1, may)];
        let kind = match choice {
            0 => Kind::Null,
            1 if may_leave && self.n_acceptances > 0 => Kind::Throw(self.name(&["e", "f"])),
            1..=3 => Kind::Event(self.single()),
            4..=6 => self.simple_call(depth - 1, may_leave),
            7 | 8 => Kind::Sequence(list(self, may_leave)),
            9 => Kind::Alternative(list(self, may_leave)),
            10 => Kind::Parallel(list(self, may_leave)),
            11 => Kind::OrParallel(list(self, may_leave)),
            12 => Kind::Repeat(Box::new(self.protocol(depth - 1, may_leave))),
            13 => {
                let name = self.name(&["i", "a", "i.m"]);
                let names = vec![Path { text: name.text, span: name.span }];
                Kind::Restrict(Box::new(self.protocol(depth - 1, false)), names)
            }
            14 => Kind::Invert(Box::new(self.protocol(depth - 1, false))),
            15 => {
                let name = self.name(&["i", "a"]);
                let names = vec![Path { text: name.text, span: name.span }];
                let [left, right] = [0, 1].map(|_| Box::new(self.protocol(depth - 1, false)));
                Kind::Adjust(left, names, right)
            }
            _ if may_leave => {
                let exception = |text: &str, span| Path { text: text.to_owned(), span };
                let first = vec![exception("i.e", self.span)];
                let body = Box::new(self.protocol(depth - 1, true));
                let mut catches =
                    vec![Catch { exceptions: first, handler: self.protocol(depth - 1, true) }];
                if self.choices.coin() {
                    let second = vec![exception("i.f", self.span)];
                    let handler = self.protocol(depth - 1, true);
                    catches.push(Catch { exceptions: second, handler });
                }
                Kind::Try { body, catches }
            }
            _ => Kind::Null,
        };
        Protocol { kind, span: self.span }
    }

    fn single(&mut self) -> Token {
        let Name { text, span } = self.name(&["a", "b", "i.m"]);
        Token { direction: self.direction(), path: Path { text, span }, phase: Phase::Request }
    }

    fn simple_call(&mut self, depth: u32, may_leave: bool) -> Kind {
        let direction = self.direction();
        let Name { text, span } = self.name(&["i.m", "i.n", "j.o"]);
        let is_accepted = direction == Direction::Accept && may_leave;
        self.n_acceptances += u32::from(is_accepted);
        let body =
            (self.choices.below_u32(3) > 0).then(|| Box::new(self.protocol(depth, may_leave)));
        self.n_acceptances -= u32::from(is_accepted);
        let path = Path { text, span };
        Kind::Call { direction, path, arguments: Vec::new(), parameters: Vec::new(), body }
    }
}

#[test]
fn printed_trees_read_back_the_same() {
    check(2000, |choices| {
        let tree = Gardener::new(choices).tree(4);
        let text = format!("X\n{tree}\n");
        let file = crate::read(&text);
        assert_eq!(file.components.len(), 1, "{text}");
        assert_eq!(file.to_string(), text);
        let again = parse(file.components[0].name.span.source, &file.to_string()).0;
        assert_eq!(again, file, "{text}");
    });
}
