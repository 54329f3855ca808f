//! Generated doubles: made anew, compiled, and run against implementations.

#[path = "generated/till.rs"]
mod till;

#[path = "generated/lamp.rs"]
mod lamp;

#[path = "generated/market.rs"]
mod market;

use expect_test::{Expect, expect, expect_file};
use quadrille_contract::generate::{GenerateError, Written, double};
use quadrille_contract::play::{Call, Failure, Method, Player, Trouble};
use quadrille_contract::traits::frames;
use quadrille_diagnostic::Sources;

use till::{Card, CardException, Printer, Surroundings, Till, TillException};

fn generated(text: &str) -> Result<String, GenerateError> {
    let file = crate::read(&mut Sources::default(), text);
    double(&file.types, &file.components[0], None)
}

#[test]
fn the_doubles_are_up_to_date() {
    let text = generated(include_str!("generated/till.bp")).expect("a double");
    expect_file!["generated/till.rs"].assert_eq(&text);
    let text = generated(include_str!("generated/lamp.bp")).expect("a double");
    expect_file!["generated/lamp.rs"].assert_eq(&text);
    let text = beside(include_str!("generated/market.rs")).expect("a double");
    expect_file!["generated/market_double.rs"].assert_eq(&text);
}

/// The double of the first annotated trait of a text.
fn beside(text: &str) -> Result<String, GenerateError> {
    let mut sources = Sources::default();
    let source = sources.add("in.rs", text);
    let (components, diagnostics) = frames(&sources, source);
    assert!(diagnostics.is_empty(), "{}", crate::rendered(&sources, &diagnostics));
    double(&[], &components[0], Some(Written { text, import: "super::*" }))
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
            up to 36 events
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
    let run = |player: &mut Player, _: &Call| {
        player.called("Y.go", &[]);
        None
    };
    let mut methods = [Method::new("X.run", run)];
    let failure = player.drive(&mut calls.clone(), &mut methods).expect_err("a call back");
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
        "types { M = { A, B } N = { B, C } } X vars { N n = B } ?i.a ; !j.set(n) ; n <- B ; !j.set(B)",
        "X ?open",
        "X ?i.a ; !i.b",
        "X ?i.giveBack + ?i.give_back",
        "X ?player.start",
        "X !i.a",
        "X [?i.a^, !j.b^]",
    ];
    let told: String = texts.into_iter().map(refused).collect();
    expect![[r#"
        the values of `j.set` are not of exactly one type
        `open` belongs to no interface
        the component both calls and offers `i`
        two names become `give_back` in Rust
        two names become `Player` in Rust
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

/// A lamp that tells when it is on; a hasty one tells always.
struct Bulb {
    around: lamp::Surroundings,
    is_hasty: bool,
}

impl lamp::Lamp for Bulb {
    fn set(&mut self, mode: lamp::Mode) {
        use lamp::Log as _;
        if mode == lamp::Mode::On || self.is_hasty {
            self.around.log.turned(mode);
        }
    }
}

#[test]
fn values_of_the_frame_are_arguments() {
    let play = |is_hasty| {
        (0..20)
            .try_for_each(|seed| lamp::play(seed, |around| Bulb { around, is_hasty }).map(|_| ()))
    };
    assert_eq!(play(false), Ok(()));
    let failure = play(true).expect_err("it tells too much").to_string();
    expect!["seed 0: after ?Lamp.set(OFF)^, `!Log.turned(OFF)^` is not allowed, but !Lamp.set$"]
        .assert_eq(&failure);
}

/// A stall; a forgetful one does not see when everything is sold, and borrows money in the end.
struct Seller {
    around: market::double::Surroundings,
    left: usize,
    n_sold: usize,
    forgets: bool,
}

impl market::Stall for Seller {
    fn open(&mut self, goods: &[u32]) {
        self.left = goods.len();
    }

    fn sell(&mut self, cents: u32, name: &str) -> Result<market::Receipt, market::SaleError> {
        use market::Bank as _;
        if self.left == 0 && !self.forgets {
            return Err(market::SaleError::SoldOut);
        }
        let paid = self.around.bank.charge(cents, name);
        let receipt = paid.map_err(|market::Refused| market::SaleError::NotPaid)?;
        self.left = self.left.saturating_sub(1);
        self.n_sold += 1;
        Ok(receipt)
    }

    fn n_sold(&self) -> usize {
        self.n_sold
    }

    fn close(&mut self) {
        use market::Bank as _;
        let bank = &mut self.around.bank;
        if !self.forgets {
            bank.total();
        } else if bank.is_open() {
            bank.lend(1);
        }
    }
}

fn values() -> market::double::Values {
    market::double::Values {
        bank_charge: Box::new(|random| market::Receipt((random % 100) as u32)),
        bank_charge_error: Box::new(|_| market::Refused),
        bank_lend: Box::new(|_| false),
        bank_total: Box::new(|random| random),
        stall_open: Box::new(|random| (vec![7; (random % 3) as usize],)),
        stall_sell: Box::new(|random| ((random % 50) as u32, "Ada".to_owned())),
        stall_sell_exception: Box::new(|error| match error {
            market::SaleError::NotPaid => "NotPaid",
            market::SaleError::SoldOut => "SoldOut",
        }),
    }
}

#[test]
fn values_that_the_frame_does_not_know_are_supplied() {
    let play = |forgets| -> Result<Vec<usize>, Failure> {
        let make = |around| Seller { around, left: 0, n_sold: 0, forgets };
        (0..50).map(|seed| market::double::play(seed, values(), make)).collect()
    };
    let lengths = play(false).expect("it keeps to its frame");
    assert!(lengths.iter().any(|length| *length > 10), "{lengths:?}");
    expect!["seed 2: after ?Stall.open^ !Stall.open$ ?Stall.sell^ !Bank.charge^ ?Bank.Refused$ !Stall.NotPaid$ ?Stall.sell^ !Bank.charge^ ?Bank.charge$ !Stall.sell$ ?Stall.n_sold^ !Stall.n_sold$ ?Stall.sell^ !Bank.charge^ ?Bank.charge$ !Stall.sell$ ?Stall.close^, `!Bank.lend^` is not allowed, but !Bank.total^"].assert_eq(&play(true).expect_err("it forgets").to_string());
}

#[test]
fn traits_without_a_double() {
    let refused = |method: &str| {
        let text = format!("/// protocol: starts a, ends a\npub trait X {{ {method} }}");
        match beside(&text) {
            Ok(text) => panic!("{text}"),
            Err(error) => format!("{error}\n"),
        }
    };
    let methods = [
        "fn take(self);",
        "fn new() -> u8;",
        "async fn wait(&self);",
        "fn all<T>(&self, of: T);",
        "fn show(&self, of: impl Clone);",
        "fn name(&self) -> &str;",
        "fn same(&self) -> Self;",
        "const N: usize; fn n(&self);",
        "/// protocol: a { !Y.go } -> a\nfn run(&self); } trait Y { fn other(&self);",
    ];
    let told: String = methods.into_iter().map(refused).collect();
    expect![[r#"
        `X.take` is called neither with `&self` nor with `&mut self`
        `X.new` is called neither with `&self` nor with `&mut self`
        `X.wait` is asynchronous or has parameters, which doubles do not know
        `X.all` is asynchronous or has parameters, which doubles do not know
        `X.show` takes what cannot be kept
        `X.name` gives what cannot be kept
        `X.same` gives what cannot be kept
        `X` has types or constants, which doubles do not know
        the trait of `Y.go` has no such method
    "#]]
    .assert_eq(&told);
}
