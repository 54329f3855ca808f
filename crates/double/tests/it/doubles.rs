//! Generated doubles: made anew, compiled, and run against implementations.

#[rustfmt::skip]
#[path = "generated/till.rs"]
mod till;

use expect_test::{Expect, expect, expect_file};
use quadrille_diagnostic::Sources;
use quadrille_double::generate::{GenerateError, double};
use quadrille_double::play::{Player, Trouble};

use till::{Card, CardException, Printer, Surroundings, Till, TillException};

fn generated(text: &str) -> Result<String, GenerateError> {
    let file = crate::read(&mut Sources::default(), text);
    double(&file.types, &file.components[0])
}

#[test]
fn the_double_is_up_to_date() {
    let text = generated(include_str!("generated/till.bp")).expect("a double");
    expect_file!["generated/till.rs"].assert_eq(&text);
}

/// A till that keeps to its frame, unless it is told to forget something.
struct Shop {
    around: Surroundings,
    prints_always: bool,
    hides_refusal: bool,
}

impl Till for Shop {
    fn open(&mut self) -> Result<(), TillException> {
        self.around.printer.warm_up();
        Ok(())
    }

    fn sell(&mut self) -> Result<(), TillException> {
        let charged = self.around.card.charge();
        if charged.is_ok() || self.prints_always {
            self.around.printer.print();
        }
        match charged {
            Err(CardException::Refused) if !self.hides_refusal => Err(TillException::NotSold),
            _ => Ok(()),
        }
    }

    fn close(&mut self) -> Result<(), TillException> {
        Ok(())
    }
}

/// The first deviation over many seeds, or the most events of a run.
fn check(prints_always: bool, hides_refusal: bool, expected: &Expect) {
    let make = |around| Shop { around, prints_always, hides_refusal };
    let runs: Result<Vec<usize>, _> = (0..100).map(|seed| till::play(seed, make)).collect();
    expected.assert_eq(&match runs {
        Ok(lengths) => format!("up to {} events\n", lengths.iter().max().expect("runs")),
        Err(failure) => format!("{failure}\n"),
    });
}

#[test]
fn right_and_wrong_implementations() {
    check(
        false,
        false,
        &expect![[r#"
            up to 30 events
        "#]],
    );
    check(
        true,
        false,
        &expect![[r#"
            seed 0: after ?Till.open^ !Printer.warmUp^ ?Printer.warmUp$ !Till.open$ ?Till.sell^ !Card.charge^ ?Card.Refused$, `!Printer.print^` is not allowed, but !Till.NotSold$
        "#]],
    );
    check(
        false,
        true,
        &expect![[r#"
            seed 0: after ?Till.open^ !Printer.warmUp^ ?Printer.warmUp$ !Till.open$ ?Till.sell^ !Card.charge^ ?Card.Refused$, `!Till.sell$` is not allowed, but !Till.NotSold$
        "#]],
    );
}

#[test]
fn a_player_says_what_it_cannot_play() {
    let player = Player::new("X ?X.run { !Y.go { ?X.back } }", 1);
    let calls = player.clone();
    let run = |player: &mut Player| {
        player.called("Y.go");
        None
    };
    let failure = player.drive(&mut calls.clone(), &[("X.run", run)]).expect_err("a call back");
    let allowed = vec!["?X.back^".to_owned()];
    assert_eq!(failure.trouble, Trouble::Unplayable { allowed });
}

#[test]
fn frames_without_a_double() {
    let refused = |text: &str| match generated(text) {
        Ok(text) => panic!("{text}"),
        Err(error) => format!("{error}\n"),
    };
    let texts = [
        "types { M = { A, B } } X ?i.set(M m)",
        "X ?open",
        "X ?i.a ; !i.b",
        "X ?i.giveBack + ?i.give_back",
        "X !i.a",
        "X [?i.a^, !j.b^]",
    ];
    let told: String = texts.into_iter().map(refused).collect();
    expect![[r#"
        `i.set(A)^` carries arguments, which doubles do not know
        `open` belongs to no interface
        the component both calls and offers `i`
        two names become `give_back` in Rust
        the component offers nothing to call
        atomic actions and meetings cannot be seen at the boundary of one component
    "#]]
    .assert_eq(&told);
}

#[test]
fn names_become_rust() {
    let text = generated("X ?type.loop { !a.b.selfTest + !a.b.Self }").expect("a double");
    assert!(generated("X ?_.1² ; ?_.π").expect("a double").contains("fn n1ub2"));
    for part in ["trait Type", "fn r#loop", "trait AB", "fn self_test", "fn self_", "pub a_b: AB"] {
        assert!(text.contains(part), "{part} in:\n{text}");
    }
}
