//! Random designs of relations and events as texts (`.qev`): signatures, fields of every multiplicity,
//! events with parameters, choices, conditional and quantified effects, several initial states, numbers,
//! closures, facts, ends and commands. Well typed by construction; what goes wrong goes wrong in a step.

use crate::Choices;

/// A variable in scope: its name and the signature it ranges over.
type Local = (String, &'static str);

/// The signatures that expressions are about.
const SIGS: [&str; 3] = ["A", "B", "E"];
const LITERALS: [&str; 3] = ["E0", "E1", "E2"];

/// A design under construction.
struct Draft<'c> {
    choices: &'c mut Choices,
    locals: Vec<Local>,
    n_variables: usize,
    /// Whether helpers may be called: not in themselves.
    may_call: bool,
    /// The parameters of the events, by their signatures.
    events: Vec<Vec<&'static str>>,
    /// Whether there is a sequence.
    has_queue: bool,
}

/// A whole design.
pub fn design(choices: &mut Choices) -> String {
    let n_a = if choices.once_in(4) { 3 } else { 1 + choices.below(2) };
    let n_b = 1 + choices.below(2);
    let next = if choices.coin() { "  next : one A,\n" } else { "" };
    let has_queue = choices.once_in(4);
    let how_many = choices.pick(&["", "lone ", "one "]);
    let mut draft = Draft {
        choices,
        locals: Vec::new(),
        n_variables: 0,
        may_call: false,
        events: Vec::new(),
        has_queue,
    };
    let mut text = format!(
        "enum E {{ E0, E1, E2 }}\nsig A {{\n{next}  var f : one E,\n  var g : lone B,\n  \
         var h : set A,\n  var t : B -> lone A\n}}\nsig B {{ var k : some B }}\n\
         var sig v in A {{}}\n{how_many}var sig m in B {{}}\none sig G {{ var count : one Int{} }}\n",
        if has_queue { ", var line : seq E" } else { "" }
    );
    if draft.choices.once_in(3) {
        text += "overflow wraps\n";
    }
    text += &draft.helpers();
    for number in 0..1 + draft.choices.below(3) {
        text += &draft.event(number);
    }
    text += &draft.init(!next.is_empty());
    let fewest = if draft.choices.once_in(4) { "1.." } else { "" };
    let bound = if has_queue { ", 2 seq" } else { "" };
    text += &format!(" for {fewest}{n_a} A, {n_b} B, 0..3 Int{bound}\n");
    if draft.choices.once_in(4) {
        text += &format!("fact {{ always ({}) }}\n", draft.formula(2));
    }
    if draft.choices.once_in(3) {
        text += &format!("end {{ {} }}\n", draft.formula(2));
    }
    for number in 0..1 + draft.choices.below(3) {
        text += &draft.command(number);
    }
    text
}

impl Draft<'_> {
    fn helpers(&mut self) -> String {
        let mut text = String::new();
        self.locals = vec![("x".to_owned(), "A")];
        text += &format!("pred p[x : A] {{ {} }}\n", self.formula(2));
        text += &format!("fun q[x : A] : set A {{ {} }}\n", self.set("A", 2));
        self.locals.clear();
        self.may_call = true;
        text
    }

    fn event(&mut self, number: usize) -> String {
        let fair = self.choices.pick(&["", "fair ", "strong fair "]);
        let n_parameters = self.choices.below(3);
        let (mut parameters, mut sigs) = (Vec::new(), Vec::new());
        for _ in 0..n_parameters {
            let sig = self.choices.pick(&["A", "B", "A", "v"]);
            sigs.push(if sig == "v" { "A" } else { sig });
            let name = self.bind(if sig == "v" { "A" } else { sig });
            parameters.push(format!("{name} : {sig}"));
        }
        self.events.push(sigs);
        let brackets = if parameters.is_empty() {
            String::new()
        } else {
            format!("[{}]", parameters.join(", "))
        };
        let mut body = Vec::new();
        for _ in 0..self.choices.below(3) {
            body.push(self.formula(2));
        }
        for _ in 0..1 + self.choices.below(2) {
            body.push(self.effect(2));
        }
        self.locals.clear();
        let body: Vec<String> = body.iter().map(|part| format!("  ({part})")).collect();
        format!("{fair}event e{number}{brackets} {{\n{}\n}}\n", body.join("\n"))
    }

    /// Something that gives a field or a signature a value.
    fn effect(&mut self, depth: usize) -> String {
        if depth > 0 && self.choices.once_in(3) {
            return match self.choices.below(5) {
                0 => {
                    let condition = self.formula(1);
                    let (a, b) = (self.effect(depth - 1), self.effect(depth - 1));
                    format!("({condition}) implies ({a}) else ({b})")
                }
                1 => {
                    let condition = self.formula(1);
                    format!("({condition}) implies ({})", self.effect(depth - 1))
                }
                2 => format!("({}) or ({})", self.effect(depth - 1), self.effect(depth - 1)),
                kind => {
                    let word = if kind == 3 { "all" } else { "some" };
                    let sig = self.choices.pick(&["A", "B"]);
                    let set = self.set(sig, 1);
                    let before = self.locals.len();
                    let name = self.bind(sig);
                    let body = self.effect(depth - 1);
                    self.locals.truncate(before);
                    format!("{word} {name} : {set} | {body}")
                }
            };
        }
        if self.has_queue && self.choices.once_in(4) {
            let element = self.choices.pick(&LITERALS);
            return match self.choices.below(5) {
                0 => "some G.line and G.line' = G.line.rest".to_owned(),
                1 => format!("G.line' = G.line.insert[0, {element}]"),
                2 => format!("some G.line and G.line' = G.line.setAt[0, {element}].delete[1]"),
                3 => format!(
                    "no {element} & G.line.elems and G.line' = G.line.append[0 -> {element}]"
                ),
                _ => format!("#G.line < 2 and G.line' = G.line.add[{element}]"),
            };
        }
        match self.choices.below(11) {
            0 => format!("{}.f' = {}", self.atom("A"), self.one("E")),
            1 => format!("{}.g' = {}", self.atom("A"), self.one("B")),
            2 => format!("no {}.g'", self.atom("A")),
            3 => format!("{}.h' = {}", self.atom("A"), self.set("A", 2)),
            4 => format!("v' = {}", self.set("A", 2)),
            5 => format!("{}.f' in {}", self.atom("A"), self.set("E", 1)),
            6 => format!("{}.h' in {}", self.atom("A"), self.set("A", 1)),
            7 => format!("{}.({}.t') = {}", self.atom("B"), self.atom("A"), self.one("A")),
            8 => format!("m' = {}", self.one("B")),
            9 => format!("m' in {}", self.set("B", 1)),
            _ => match self.choices.below(3) {
                0 => "G.count < 3 and G.count' = plus[G.count, 1]".to_owned(),
                1 => format!("G.count' = #{}", self.tight("A")),
                // May go out of range, which is an error.
                _ => "G.count' = minus[G.count, 1]".to_owned(),
            },
        }
    }

    /// At most two things are left open: all that is open is tried out.
    fn init(&mut self, has_next: bool) -> String {
        let open = self.choices.below(6);
        let literal = self.choices.pick(&LITERALS);
        let mut parts = vec!["no g", "no t", "m = B$1"];
        let f = match open {
            1 => format!("some x : A | x.f = {literal}"),
            _ => format!("all x : A | x.f = {literal}"),
        };
        parts.push(&f);
        parts.push(if open == 2 { "all x : A - A$1 | no x.h" } else { "no h" });
        parts.push(if open == 3 { "B in B.k" } else { "all b : B | b.k = b" });
        parts.push(if open == 4 {
            "some v"
        } else {
            self.choices.pick(&["no v", "v = A", "v = A$1"])
        });
        if has_next {
            parts.push("all x : A | A in x.*next");
        }
        let count =
            if open == 5 { "< 2".to_owned() } else { format!("= {}", self.choices.below(3)) };
        if self.has_queue {
            parts.push("no G.line");
        }
        format!("init {{ {}  G.count {count} }}", parts.join("  "))
    }

    /// A command about runs.
    fn command(&mut self, number: usize) -> String {
        let kind = if self.choices.once_in(4) { "run" } else { "check" };
        let body = match self.choices.below(7) {
            0 => format!("always ({})", self.formula(2)),
            1 => format!("eventually ({})", self.formula(2)),
            2 => {
                let p = self.formula(2);
                format!("always (({p}) implies eventually ({}))", self.formula(2))
            }
            3 => format!("always eventually ({})", self.happens()),
            _ => self.temporal(3),
        };
        self.locals.clear();
        format!("{kind} c{number} {{ {body} }}\n")
    }

    /// A formula about runs, with at most so many temporal operators in each other.
    fn temporal(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.choices.below(4) {
                0 => self.happens(),
                1 => self.across(),
                _ => self.formula(1),
            };
        }
        let less = depth - 1;
        match self.choices.below(9) {
            0 => {
                let word = self.choices.pick(&["always", "eventually"]);
                format!("{word} ({})", self.temporal(less))
            }
            1 => {
                let word = self.choices.pick(&["after", "after", ""]);
                if word.is_empty() {
                    self.past(depth)
                } else {
                    format!("{word} ({})", self.temporal(less))
                }
            }
            2 => {
                let word = self.choices.pick(&["until", "releases", ";"]);
                format!("({}) {word} ({})", self.temporal(less), self.temporal(less))
            }
            3 => {
                let word = self.choices.pick(&["and", "or", "implies", "iff"]);
                format!("({}) {word} ({})", self.temporal(less), self.temporal(less))
            }
            4 => format!("not ({})", self.temporal(less)),
            5 => {
                let word = self.choices.pick(&["all", "some"]);
                let set = self.choices.pick(&["A", "v", "A.h"]);
                let before = self.locals.len();
                let name = self.bind("A");
                let body = self.temporal(less);
                self.locals.truncate(before);
                format!("({word} {name} : {set} | ({body}))")
            }
            6 => format!("always eventually ({})", self.temporal(less.min(1))),
            7 => format!("eventually always ({})", self.temporal(less.min(1))),
            _ => self.temporal(0),
        }
    }

    /// A formula about what was: nothing in it looks ahead.
    fn past(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.temporal(0);
        }
        let less = depth - 1;
        if self.choices.coin() {
            let word = self.choices.pick(&["before", "once", "historically"]);
            format!("{word} ({})", self.past(less))
        } else {
            let word = self.choices.pick(&["since", "triggered", "and", "or"]);
            format!("({}) {word} ({})", self.past(less), self.past(less))
        }
    }

    /// A formula about a state and the next.
    fn across(&mut self) -> String {
        match self.choices.below(8) {
            0 => "v' = v".to_owned(),
            1 => format!("{} in v'", self.atom("A")),
            2 => format!("{}.f' = {}.f", self.atom("A"), self.atom("A")),
            3 => format!("{}.h' = {}", self.atom("A"), self.set("A", 1)),
            4 => "#v' > #v".to_owned(),
            5 => "G.count' = plus[G.count, 1]".to_owned(),
            6 => "(all y : A | y.f' = y.f or some y.g')".to_owned(),
            _ => format!("({}) iff (some v' & {})", self.formula(1), self.set("A", 1)),
        }
    }

    /// That an event happens, with arguments or without.
    fn happens(&mut self) -> String {
        let number = self.choices.below(self.events.len());
        let sigs = self.events[number].clone();
        if sigs.is_empty() || self.choices.coin() {
            return format!("e{number}");
        }
        let atoms: Vec<String> = sigs.iter().map(|sig| self.atom(sig)).collect();
        format!("e{number}[{}]", atoms.join(", "))
    }

    fn bind(&mut self, sig: &'static str) -> String {
        self.n_variables += 1;
        let name = format!("x{}", self.n_variables);
        self.locals.push((name.clone(), sig));
        name
    }

    /// One atom of a signature: a variable, or a name.
    fn atom(&mut self, sig: &str) -> String {
        let fitting: Vec<String> = self
            .locals
            .iter()
            .filter(|local| local.1 == sig)
            .map(|local| local.0.clone())
            .collect();
        match (fitting.is_empty(), sig) {
            (false, _) => fitting[self.choices.below(fitting.len())].clone(),
            (true, "E") => self.choices.pick(&LITERALS).to_owned(),
            (true, sig) => format!("{sig}$1"),
        }
    }

    /// A set that mostly has one member.
    fn one(&mut self, sig: &'static str) -> String {
        match (self.choices.below(6), sig) {
            (4, "E") => format!("{}.f", self.atom("A")),
            (4, "B") => format!("{}.g", self.atom("A")),
            (5, _) if self.choices.once_in(3) => self.set(sig, 1),
            _ => self.atom(sig),
        }
    }

    fn tight(&mut self, sig: &'static str) -> String {
        format!("({})", self.set(sig, 1))
    }

    /// A set of atoms of a signature.
    fn set(&mut self, sig: &'static str, depth: usize) -> String {
        if depth == 0 || self.choices.once_in(3) {
            return match self.choices.below(3) {
                0 => self.atom(sig),
                1 => sig.to_owned(),
                _ if sig == "A" => "v".to_owned(),
                _ if sig == "B" => "m".to_owned(),
                _ => "none".to_owned(),
            };
        }
        let less = depth - 1;
        match self.choices.below(8) {
            0 => format!("({} + {})", self.set(sig, less), self.set(sig, less)),
            1 => format!("({} - {})", self.set(sig, less), self.set(sig, less)),
            2 => format!("({} & {})", self.set(sig, less), self.set(sig, less)),
            3 => {
                let condition = self.formula(less);
                format!(
                    "(({condition}) implies {} else {})",
                    self.set(sig, less),
                    self.set(sig, less)
                )
            }
            4 => {
                let within = self.set(sig, less);
                let before = self.locals.len();
                let name = self.bind(sig);
                let body = self.formula(less);
                self.locals.truncate(before);
                format!("{{ {name} : {within} | {body} }}")
            }
            _ => self.joined(sig, less),
        }
    }

    /// A join, by what leads to a signature.
    fn joined(&mut self, sig: &'static str, depth: usize) -> String {
        match sig {
            "A" => match self.choices.below(5) {
                0 => format!("{}.{}", self.set("A", depth), self.relation(depth)),
                1 => format!("{}.{}", self.relation(depth), self.set("A", depth)),
                2 => format!("f.{}", self.set("E", depth)),
                3 => format!("{}.({}.t)", self.set("B", depth), self.set("A", depth)),
                _ if self.may_call => format!("(q[{}])", self.atom("A")),
                _ => format!("{}.h", self.atom("A")),
            },
            "B" => match self.choices.below(3) {
                0 => format!("{}.g", self.set("A", depth)),
                1 => format!("{}.k", self.set("B", depth)),
                _ => format!("({}.t).{}", self.set("A", depth), self.set("A", depth)),
            },
            _ => format!("{}.f", self.set("A", depth)),
        }
    }

    /// A relation from A to A.
    fn relation(&mut self, depth: usize) -> String {
        match self.choices.below(9) {
            0 => "h".to_owned(),
            1 => "~h".to_owned(),
            2 => "^h".to_owned(),
            3 => "(A <: *h)".to_owned(),
            4 => format!("({} -> {})", self.set("A", depth), self.set("A", depth)),
            5 => format!("(h ++ {} -> {})", self.atom("A"), self.atom("A")),
            6 => format!("({} <: h)", self.set("A", depth)),
            7 => format!("(h :> {})", self.set("A", depth)),
            _ => "(h - ~h)".to_owned(),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        match self.choices.below(5) {
            0 => self.choices.below(4).to_string(),
            1 => "G.count".to_owned(),
            2 => format!("#{}", self.tight("A")),
            3 => format!("plus[#{}, {}]", self.tight("B"), self.choices.below(3)),
            _ if depth > 0 => "(sum x : A | #(x.h))".to_owned(),
            _ => "#h".to_owned(),
        }
    }

    /// A formula about one state.
    fn formula(&mut self, depth: usize) -> String {
        if depth > 0 && self.choices.once_in(2) {
            let less = depth - 1;
            return match self.choices.below(7) {
                0 => format!("not ({})", self.formula(less)),
                1 => format!("({}) and ({})", self.formula(less), self.formula(less)),
                2 => format!("({}) or ({})", self.formula(less), self.formula(less)),
                3 => format!("({}) implies ({})", self.formula(less), self.formula(less)),
                4 => format!("({}) iff ({})", self.formula(less), self.formula(less)),
                _ => {
                    let word = self.choices.pick(&["all", "some", "one", "lone", "no"]);
                    let sig = self.choices.pick(&SIGS);
                    let set = self.set(sig, less);
                    let before = self.locals.len();
                    let name = self.bind(sig);
                    let body = self.formula(less);
                    self.locals.truncate(before);
                    format!("({word} {name} : {set} | ({body}))")
                }
            };
        }
        let sig = self.choices.pick(&SIGS);
        let less = depth.saturating_sub(1);
        match self.choices.below(7) {
            0 => format!("{} in {}", self.set(sig, less), self.set(sig, less)),
            1 => format!("{} = {}", self.set(sig, less), self.set(sig, less)),
            2 => {
                let word = self.choices.pick(&["some", "no", "one", "lone"]);
                format!("{word} {}", self.set(sig, less))
            }
            3 => {
                let word = self.choices.pick(&["some", "no", "lone"]);
                format!("{word} {}", self.relation(less))
            }
            4 => {
                let sign = self.choices.pick(&["<", ">", "=<", ">=", "=", "!="]);
                format!("{} {sign} {}", self.number(less), self.number(less))
            }
            5 if self.may_call => format!("p[{}]", self.atom("A")),
            _ => format!("{} != {}", self.set(sig, less), self.set(sig, less)),
        }
    }
}
