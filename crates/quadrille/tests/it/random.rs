//! Random protocols as modules: without faults, conforming, and giving the answers to random formulas that the protocol
//! gives itself.

use quadrille::{Answer, Conformance, Form, Limits, Verify};
use quadrille_check::{Checker, Claim, Method};
use quadrille_diagnostic::{Sources, Span};
use quadrille_engine::unobserved;
use quadrille_model::{Runs, Verdict};

use crate::letter::{modules, origin, protocol, try_plan};

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

    fn protocol(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(4) == 0 {
            let from = self.below(3);
            let to = (from + 1 + self.below(2)) % 3;
            let [from, to] = [from, to].map(|role| ["a", "b", "c"][role]);
            return match self.below(5) {
                0 => format!("(s/close ::{from} ::{to})"),
                1 => format!("(s/--> {} ::{from} ::{to})", self.one_of(&["M", "N"])),
                _ => format!("(s/-->> {} ::{from} ::{to})", self.one_of(&["M", "N"])),
            };
        }
        let (one, other) = (self.protocol(depth - 1), self.protocol(depth - 1));
        match self.below(8) {
            0 => format!("(s/par {one} {other})"),
            1 => format!("(s/* {one})"),
            2 => format!("(s/ω {one})"),
            3 => format!("(s/? {one})"),
            4 | 5 => format!("(s/alt {one} {other})"),
            _ => format!("(s/cat {one} {other})"),
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

#[test]
fn modules_of_random_protocols_do_what_the_protocols_do() {
    let limits = Limits { states: Some(2_000), ..Limits::default() };
    let (mut n_faithful, mut n_projected, mut n_violated) = (0, 0, 0);
    for seed in 1..=1000u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let text = format!("(s/defsession ::s [] {})", random.protocol(3));
        let context = format!("seed {seed}: {text}");
        let origin = origin("random.dcj", text.leak(), "s", &[]);
        let Some(plan) = try_plan(&origin, limits) else { continue };
        // A formula may only use names that the module has, and every role is one.
        if plan.roles.len() < 3 {
            continue;
        }
        let formula = random.formula(3);
        let check = modules(origin, &plan).limits(limits).conforms().ltl(&formula);
        let report = check.report();
        assert!(report.mistakes.is_empty(), "{context}: {formula}: {report}");
        let model = protocol(&origin);
        let mut sources = Sources::default();
        let source = sources.add("formula", formula.as_str());
        let span = Span::new(source, 0..formula.len());
        let claim = Claim::of_actions(&sources, span, model.terms()).expect("a formula");
        let mut checker = Checker::new(&model, Method::default(), limits);
        let asked = checker.answer(&[claim], Runs::Maximal, &mut unobserved);
        let (expected, _) = asked.expect("an answer");
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
