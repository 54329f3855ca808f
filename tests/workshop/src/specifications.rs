//! Random Alloy texts: small ones of which everything can be tried, and wide ones with many commands.

use std::fmt::Write;

use crate::Choices;

/// What formulas are made of.
struct Words {
    sets: Vec<String>,
    relations: Vec<String>,
    numbers: Vec<String>,
    is_temporal: bool,
    /// Whether everything is used that the language has.
    is_wide: bool,
    n_vars: usize,
}

impl Words {
    fn var(&mut self) -> String {
        self.n_vars += 1;
        format!("x{}", self.n_vars)
    }

    fn set(&mut self, choices: &mut Choices, depth: usize) -> String {
        let n = match (depth, self.is_wide) {
            (0, _) => 2,
            (_, false) => 9,
            (_, true) => 12,
        };
        if n == 2 || choices.below(n) < 2 {
            let at = choices.below(self.sets.len());
            return self.sets[at].clone();
        }
        let d = depth - 1;
        let (a, b) = (self.set(choices, d), self.set(choices, d));
        match choices.below(n - 2) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} & {b})"),
            3 => format!("({a}.({}))", self.relation(choices, d)),
            4 => format!("(({}).{a})", self.relation(choices, d)),
            5 if self.is_temporal => format!("({a})'"),
            5 | 6 => {
                let var = self.var();
                self.sets.push(var.clone());
                let body = self.formula(choices, d);
                self.sets.pop();
                format!("{{ {var} : {a} | {body} }}")
            }
            7 => format!("(({}) => {a} else {b})", self.formula(choices, d.min(1))),
            8 => format!("({})[{a}]", self.relation(choices, d)),
            _ => format!("(({a} + {b}) & {b})"),
        }
    }

    fn relation(&mut self, choices: &mut Choices, depth: usize) -> String {
        let n = if depth == 0 { 2 } else { 12 };
        if n == 2 || choices.below(n) < 2 {
            let at = choices.below(self.relations.len());
            return self.relations[at].clone();
        }
        let d = depth - 1;
        let r = self.relation(choices, d);
        match choices.below(10) {
            0 => format!("~({r})"),
            1 => format!("^({r})"),
            2 => format!("*({r})"),
            3 => format!("({} -> {})", self.set(choices, d), self.set(choices, d)),
            4 => format!("({} <: ({r}))", self.set(choices, d)),
            5 => format!("(({r}) :> {})", self.set(choices, d)),
            6 if self.is_temporal => format!("({r})'"),
            7 if self.is_wide => format!("(({r}).({}))", self.relation(choices, d)),
            8 if self.is_wide => format!("(({r}) - ({}))", self.relation(choices, d)),
            _ => format!("(({r}) ++ ({}))", self.relation(choices, d)),
        }
    }

    fn number(&mut self, choices: &mut Choices, depth: usize) -> String {
        if depth == 0 || choices.below(3) == 0 {
            return match choices.below(2 + usize::from(!self.numbers.is_empty())) {
                0 => choices.below(4).to_string(),
                1 => format!("#({})", self.set(choices, 1)),
                _ => {
                    let at = choices.below(self.numbers.len());
                    self.numbers[at].clone()
                }
            };
        }
        let d = depth - 1;
        let (a, b) = (self.number(choices, d), self.number(choices, d));
        match choices.below(6) {
            0 => format!("plus[{a}, {b}]"),
            1 => format!("minus[{a}, {b}]"),
            2 => format!("mul[{a}, {b}]"),
            3 => format!("#({})", self.relation(choices, 1)),
            4 => {
                let (set, var) = (self.set(choices, 0), self.var());
                format!("(sum {var} : {set} | {a})")
            }
            _ => format!("(({}) => {a} else {b})", self.formula(choices, 0)),
        }
    }

    fn atom(&mut self, choices: &mut Choices, depth: usize) -> String {
        let word = choices.pick(&["some", "no", "lone", "one"]);
        let d = depth.min(if self.is_wide { 2 } else { 1 });
        match choices.below(if self.is_wide { 8 } else { 5 }) {
            0 | 1 => format!("{word} {}", self.set(choices, d)),
            2 => format!("{} in {}", self.set(choices, d), self.set(choices, d)),
            3 => format!("({}) = ({})", self.relation(choices, d), self.relation(choices, d)),
            4 => {
                let set = self.set(choices, 0);
                format!("#{set} {} {}", choices.pick(&["<", "=", ">="]), choices.below(4))
            }
            5 => {
                let (a, b) = (self.number(choices, d), self.number(choices, d));
                format!("({a}) {} ({b})", choices.pick(&["<", "=", ">", "!=", "=<", "!<"]))
            }
            6 => {
                let mults = ["", "lone ", "one ", "some ", "set "];
                let (a, b) = (self.set(choices, 0), self.set(choices, 0));
                let (m, n) = (choices.pick(&mults[..4]), choices.pick(&mults));
                format!("({}) in {a} {m}-> {n}{b}", self.relation(choices, d))
            }
            _ => format!("{word} ({})", self.relation(choices, d)),
        }
    }

    fn quantified(&mut self, choices: &mut Choices, d: usize) -> String {
        let word = choices.pick(&["all", "some", "no", "lone", "one"]);
        let (bound, var) = (self.set(choices, d.min(1)), self.var());
        let second = (self.is_wide && choices.once_in(3)).then(|| self.var());
        self.sets.push(var.clone());
        self.sets.extend(second.clone());
        let body = self.formula(choices, d);
        self.sets.truncate(self.sets.len() - 1 - usize::from(second.is_some()));
        match second {
            None => format!("({word} {var} : {bound} | {body})"),
            Some(other) => {
                let disj = choices.pick(&["", "disj "]);
                format!("({word} {disj}{var}, {other} : {bound} | {body})")
            }
        }
    }

    fn formula(&mut self, choices: &mut Choices, depth: usize) -> String {
        if depth == 0 || choices.below(4) == 0 {
            return self.atom(choices, depth);
        }
        let d = depth - 1;
        let n = match (self.is_temporal, self.is_wide) {
            (true, _) => 18,
            (false, true) => 8,
            (false, false) => 6,
        };
        let at = choices.below(n);
        if at == 4 || at == 5 {
            return self.quantified(choices, d);
        }
        let a = self.formula(choices, d);
        match at {
            0 => return format!("not ({a})"),
            8 => return format!("always ({a})"),
            9 => return format!("eventually ({a})"),
            10 => return format!("after ({a})"),
            11 => return format!("before ({a})"),
            12 => return format!("once ({a})"),
            13 => return format!("historically ({a})"),
            _ => {}
        }
        let b = self.formula(choices, d);
        match at {
            1 => format!("({a}) and ({b})"),
            2 => format!("({a}) or ({b})"),
            3 => format!("({a}) iff ({b})"),
            6 => format!("(({a}) => ({b}) else ({}))", self.formula(choices, d)),
            7 if self.is_temporal => format!("(({a}) ; ({b}))"),
            7 => format!("(({a}) implies ({b}))"),
            14 => format!("({a}) until ({b})"),
            15 => format!("({a}) since ({b})"),
            16 => format!("({a}) releases ({b})"),
            _ => format!("({a}) triggered ({b})"),
        }
    }
}

fn words(sets: &[&str], relations: &[&str], is_temporal: bool, is_wide: bool) -> Words {
    let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Words {
        sets: own(sets),
        relations: own(relations),
        numbers: Vec::new(),
        is_temporal,
        is_wide,
        n_vars: 0,
    }
}

/// One command about something that never changes, with few places that are open.
pub fn fixed(choices: &mut Choices) -> String {
    let mult = choices.pick(&["set", "lone", "one", "some"]);
    let mut text = format!("sig A {{ f : {mult} A }}\n");
    let mut words = words(&["A", "(univ & A)"], &["f", "(iden & A->A)", "(A <: f)"], false, false);
    if choices.coin() {
        text.push_str("sig B extends A {}\n");
        words.sets.push("B".to_owned());
    } else {
        text.push_str("one sig O extends A {}\n");
        words.sets.push("O".to_owned());
    }
    if choices.coin() {
        text.push_str("lone sig C in A {}\n");
        words.sets.push("C".to_owned());
    }
    let fact = words.formula(choices, 1);
    let goal = words.formula(choices, 3);
    let scope = choices.pick(&["2 but 3 Int", "2 but exactly 2 A, 3 Int"]);
    let _ = write!(text, "fact {{ {fact} }}\nrun {{ {goal} }} for {scope}");
    text
}

/// One command about something that changes, with few places that are open.
pub fn changing(choices: &mut Choices) -> String {
    let mut text = String::from("sig A {}\nvar sig P in A {}\n");
    let mut words = if choices.coin() {
        text.push_str("one sig O { var f : lone A }\n");
        words(&["A", "P", "O.f"], &["(A -> O.f)", "(O.f -> P)"], true, false)
    } else {
        text.push_str("var sig Q in A {}\n");
        words(&["A", "P", "Q"], &["(P -> Q)", "(Q -> A)"], true, false)
    };
    let fact = words.formula(choices, 2);
    let goal = words.formula(choices, 4);
    let _ = write!(text, "fact {{ {fact} }}\nrun {{ {goal} }} for exactly 2 A, 3 Int, 1..3 steps");
    text
}

/// One command about events that say what the next state is.
pub fn events(choices: &mut Choices) -> String {
    let mut text = String::from("sig A {}\nvar sig P, Q in A {}\n");
    let mut now = words(&["A", "P", "Q"], &["(P -> Q)", "(Q -> A)"], false, false);
    let init = now.formula(choices, 1);
    let mut any = Vec::new();
    for at in 0..=choices.below(3) {
        now.sets.push("x".to_owned());
        let (guard, p, q) = (now.formula(choices, 1), now.set(choices, 1), now.set(choices, 1));
        now.sets.pop();
        // Now and then, what one set becomes is left open.
        let p = if choices.once_in(4) { format!("P' in {p}") } else { format!("P' = {p}") };
        let _ = writeln!(text, "pred e{at} [x : A] {{ {guard} and {p} and Q' = {q} }}");
        any.push(format!("e{at}[x]"));
    }
    let mut words = words(&["A", "P", "Q"], &["(P -> Q)", "(Q -> A)"], true, false);
    let fair = if choices.coin() { words.formula(choices, 2) } else { "some A".to_owned() };
    let goal = words.formula(choices, 3);
    let any = any.join(" or ");
    let _ = write!(
        text,
        "fact {{ {init} }}\nfact {{ always some x : A | {any} }}\nfact {{ {fair} }}\n\
         run {{ {goal} }} for exactly 2 A, 3 Int"
    );
    text
}

/// A specification with many commands, `c0` to `c(n - 1)`.
pub fn wide(choices: &mut Choices, is_temporal: bool, n: usize) -> String {
    let var = |choices: &mut Choices| if is_temporal && choices.coin() { "var " } else { "" };
    let mult = choices.pick(&["set", "lone", "one", "some"]);
    let abstract_ = choices.pick(&["", "abstract "]);
    let mut text = format!("{abstract_}sig A {{ {}f : {mult} A", var(choices));
    let mut words = words(&["A", "A", "univ & A"], &["f", "iden & A->A"], is_temporal, true);
    words.sets[2] = "(univ & A)".to_owned();
    if choices.coin() {
        let _ = write!(text, ", {}g : A {}-> {}A", var(choices), choices.pick(&["", "lone "]), {
            choices.pick(&["", "one ", "some "])
        });
        words.relations.push("A.g".to_owned());
        words.relations.push("g.A".to_owned());
    }
    if !is_temporal && choices.coin() {
        text.push_str(", n : Int");
        words.numbers.push("(sum A.n)".to_owned());
    }
    text.push_str(" }\n");
    for name in ["B", "C"] {
        let (var, mult) = (var(choices), choices.pick(&["", "", "lone ", "one ", "some "]));
        let word = choices.pick(&["extends", "in"]);
        let _ = writeln!(text, "{var}{mult}sig {name} {word} A {{}}");
        words.sets.push(name.to_owned());
    }
    if choices.coin() {
        let (var, mult) = (var(choices), choices.pick(&["one", "lone", "set", "disj set"]));
        let _ = writeln!(text, "sig D {{ {var}h : {mult} A }}");
        words.sets.extend(["D.h".to_owned(), "(h.A + A)".to_owned()]);
        words.relations.extend(["h".to_owned(), "(~h.h)".to_owned()]);
    }
    if is_temporal && !text.contains("var ") {
        text.push_str("var sig V in A {}\n");
        words.sets.push("V".to_owned());
    }
    if choices.coin() {
        let body = words.formula(choices, 1);
        let _ = writeln!(text, "fact {{ {body} }}");
    }
    for at in 0..n {
        let word = choices.pick(&["run", "check"]);
        let goal = words.formula(choices, 3);
        let scope = choices.pick(&["2", "3", "2 but exactly 2 A", "3 but 2 B"]);
        // What is a subset, changes or has one atom gets no scope.
        let scope = if text.contains("\nsig B extends") { scope } else { "3" };
        let (but, comma) = if scope.contains("but") { ("", ", ") } else { (" but", " ") };
        let steps = if is_temporal { ", 1..4 steps" } else { "" };
        let _ = writeln!(text, "{word} c{at} {{ {goal} }} for {scope}{but}{comma}3 Int{steps}");
    }
    text
}
