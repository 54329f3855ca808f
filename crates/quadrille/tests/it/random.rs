//! Random protocols as modules: without faults, conforming, and giving the answers to random formulas that the protocol
//! gives itself.

use quadrille::{Answer, Conformance, Form, Limits, Verify};
use quadrille_diagnostic::{Sources, Span};
use quadrille_model::Verdict;
use quadrille_query::{Config, FormulaText, Question, Selection, Syntax, Unwatched, load_text};

use crate::letter::{modules, origin, try_plan};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn protocol(&mut self, language: Language, depth: u32) -> String {
        if depth == 0 || self.below(4) == 0 {
            return self.action(language);
        }
        let one = self.protocol(language, depth - 1);
        let other = self.protocol(language, depth - 1);
        let which = self.below(8);
        match language {
            Language::Dcj => match which {
                0 => format!("(s/par {one} {other})"),
                1 => format!("(s/* {one})"),
                2 => format!("(s/ω {one})"),
                3 => format!("(s/? {one})"),
                4 | 5 => format!("(s/alt {one} {other})"),
                _ => format!("(s/cat {one} {other})"),
            },
            Language::Quad => match which {
                0 => format!("par {{ {one} }} and {{ {other} }}"),
                1 => format!("loop {{ {one} }}"),
                2 => format!("repeat forever {{ {one} }}"),
                3 => format!("opt {{ {one} }}"),
                4 | 5 => format!("either {{ {one} }} or {{ {other} }}"),
                _ => format!("{one} {other}"),
            },
        }
    }

    fn action(&mut self, language: Language) -> String {
        let first = self.below(3);
        let way = 1 + self.below(2);
        let [from, to, third] =
            [first, first + way, first + 3 - way].map(|role| ["a", "b", "c"][role % 3]);
        let message = self.one_of(&["M", "N"]);
        let which = self.below(8);
        match language {
            Language::Dcj => match which {
                0 | 1 => format!("(s/close ::{from} ::{to})"),
                2 => format!("(s/--> {message} ::{from} ::{to})"),
                _ => format!("(s/-->> {message} ::{from} ::{to})"),
            },
            Language::Quad => match which {
                0 => format!("{from} closes {to};"),
                1 => format!("{from} does E;"),
                2 => format!("{message} from {from} to {to} sync;"),
                3 => format!("{message} from {from} to {to}, {third} sync;"),
                4 => format!("{message} from {from} to {to}, {third};"),
                _ => format!("{message} from {from} to {to};"),
            },
        }
    }

    fn formula(&mut self, depth: u32) -> String {
        if depth == 0 {
            let role = self.one_of(&["a", "b", "c", "*"]);
            return format!("{role} {} *", self.one_of(&["sends", "receives"]));
        }
        let (one, other) = (self.formula(depth - 1), self.formula(depth - 1));
        match self.below(7) {
            0 => format!("!({one})"),
            1 => format!("X ({one})"),
            2 => format!("G ({one})"),
            3 => format!("F ({one})"),
            4 => format!("(({one}) U ({other}))"),
            5 => format!("(({one}) -> ({other}))"),
            _ => format!("(({one}) & ({other}))"),
        }
    }
}

#[derive(Clone, Copy)]
enum Language {
    Dcj,
    Quad,
}

/// What the protocol itself says about a formula.
fn verdict(file: &str, text: &str, formula: &str, limits: Limits) -> Verdict {
    let mut sources = Sources::default();
    let source = sources.add(file, text);
    let (subject, _) = load_text(&mut sources, source, &Selection::default());
    let mut subject = subject.expect("a protocol");
    let source = sources.add("formula", formula);
    let span = Span::new(source, 0..formula.len());
    let text = FormulaText { span, syntax: Syntax::Own };
    let (property, _) = subject.formula(&sources, &text).expect("a formula");
    let config = Config { limits, ..Config::default() };
    let questions = [Question::Property(property)];
    let answers = subject.ask(&questions, &config, &mut Unwatched);
    let verdicts = answers.into_iter().map(|answer| answer.expect("an answer").verdict);
    verdicts.last().expect("one answer")
}

#[test]
fn modules_of_random_protocols_do_what_the_protocols_do() {
    let limits = Limits { states: Some(2_000), ..Limits::default() };
    let (mut n_faithful, mut n_projected, mut n_violated) = (0, 0, 0);
    for seed in 1..=1000u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (file, text) = if seed % 2 == 0 {
            let protocol = random.protocol(Language::Dcj, 3);
            ("random.dcj", format!("(s/defsession ::s [] {protocol})"))
        } else {
            let protocol = random.protocol(Language::Quad, 3);
            let head = "message M, N; event E; role a, b, c;";
            ("random.quad", format!("{head} protocol s {{ {protocol} }}"))
        };
        let context = format!("seed {seed}: {text}");
        let origin = origin(file, text.leak(), "s", &[]);
        let Some(plan) = try_plan(&origin, limits) else { continue };
        // A formula may only use names that the module has, and every role is one.
        if plan.roles.len() < 3 {
            continue;
        }
        let formula = random.formula(3);
        let check = modules(origin, &plan).limits(limits).conforms().ltl(&formula);
        let report = check.report();
        assert!(report.mistakes.is_empty(), "{context}: {formula}: {report}");
        let expected = verdict(origin.file, origin.text, &formula, limits);
        for form in &report.forms {
            assert!(form.faults.is_empty(), "{context}: {report}");
            if matches!(form.findings[0].answer, Answer::Unknown(_)) {
                continue;
            }
            let Answer::Conforms(how) = form.findings[0].answer else {
                panic!("{context}: {report}");
            };
            if how != Conformance::Protocol {
                assert_eq!(form.form, Form::Liberal, "{context}");
                n_projected += 1;
                continue;
            }
            n_faithful += 1;
            let is_violated = matches!(form.findings[1].answer, Answer::Violated(_));
            assert_eq!(is_violated, expected != Verdict::Holds, "{context}: {formula}: {report}");
            n_violated += usize::from(is_violated);
        }
    }
    // All of them occur often enough to mean something.
    let counts = [n_faithful, n_projected, n_violated];
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}
