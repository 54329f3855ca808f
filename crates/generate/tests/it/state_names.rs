//! What typed states are called: by names in the text, by what the role can do, and what becomes of them when a protocol
//! grows.

use expect_test::{Expect, expect};
use quadrille_diagnostic::{Sources, Style, render};
use quadrille_engine::unobserved;
use quadrille_generate::{Request, Wanted, generate};

/// The states of a role, in order, and what is told about names.
fn states(text: &str, role: &str) -> (Vec<String>, String) {
    let mut sources = Sources::default();
    let source = sources.add("test.quad", text);
    let wanted = Wanted { accept_differences: true, ..Wanted::default() };
    let request = Request { wanted, ..Request::default() };
    let made = generate(&mut sources, source, &request, &mut unobserved);
    let made = made.unwrap_or_else(|refused| {
        panic!(
            "{}",
            refused.iter().map(|it| render(it, &sources, Style::Plain)).collect::<String>()
        )
    });
    let told = made.warnings.iter().filter(|warning| warning.code.id == "G012");
    let told = told.map(|warning| render(warning, &sources, Style::Plain)).collect();
    syn::parse_file(&made.text).expect("Rust");
    let module = made.text.split(&format!("pub mod {role} {{")).nth(1).expect("typed states");
    let module = &module[..module.find("\n}\n").expect("the module ends")];
    let names = module.lines().map(str::trim).filter_map(|line| line.strip_prefix('['));
    let names = names.map(|line| line.split([' ', ']']).next().expect("a name").to_owned());
    (names.collect(), told)
}

#[track_caller]
fn check(text: &str, role: &str, expected: &[&str]) {
    assert_eq!(
        states(text, role),
        (expected.iter().map(|&it| it.to_owned()).collect(), String::new())
    );
}

#[track_caller]
fn check_told(text: &str, role: &str, expected: &[&str], told: &Expect) {
    let found = states(text, role);
    assert_eq!(found.0, expected);
    told.assert_eq(&found.1);
}

const SALE: &str = "message Title, Quote, Buy, Leave; role buyer, seller;
protocol sale {
    Title from buyer to seller;
    state Quoting of seller;
    Quote from seller to buyer;
    state deciding of buyer;
    either { Buy from buyer to seller; } or { Leave from buyer to seller; }
    state Over of buyer, seller;
}
";

#[test]
fn states_have_the_names_of_the_text() {
    check(SALE, "buyer", &["Start", "AwaitQuote", "Deciding", "Over"]);
    check(SALE, "seller", &["Start", "Quoting", "AwaitBuyOrLeave", "Over"]);
}

#[test]
fn the_first_state_has_its_name_too() {
    let text = "message A; role a, b;
protocol p { state Ready of a; repeat forever { A from a to b; A from b to a; } }";
    check(text, "a", &["Ready", "AwaitA"]);
}

/// Nothing happens at a name: with and without, a module differs in names alone.
#[test]
fn names_change_nothing_else() {
    let bare: String = SALE
        .lines()
        .filter(|line| !line.trim().starts_with("state"))
        .fold(String::new(), |text, line| text + line + "\n");
    let text = |protocol: &str| {
        let mut sources = Sources::default();
        let source = sources.add("test.quad", protocol);
        let request = Request::default();
        let text =
            generate(&mut sources, source, &request, &mut unobserved).expect("generated").text;
        let (before, _) = text.split_once("typed buyer::").expect("typed states");
        let (_, plan) = text.split_once("runtime::plan!").expect("a plan");
        let roles = before.split_once("runtime::roles!").expect("roles").1.to_owned();
        (roles, plan.to_owned())
    };
    assert_eq!(text(SALE), text(&bare));
}

/// A name keeps its state, and the state its name, whatever comes before and after it.
#[test]
fn names_stay_when_the_protocol_grows() {
    let small = "message Job, Ack; role m, w;
protocol p { Job from m to w; Ack from w to m; state Idle of m; Job from m to w; Ack from w to m; }";
    let large = "message Job, Ack, Hello; role m, w;
protocol p {
    Hello from m to w; Ack from w to m;
    Job from m to w; Ack from w to m; Job from m to w; Ack from w to m;
    state Idle of m;
    loop { Job from m to w; Ack from w to m; }
    Hello from w to m;
}";
    for text in [small, large] {
        let (names, told) = states(text, "m");
        assert!(names.contains(&"Idle".to_owned()), "{names:?}");
        assert_eq!(told, "");
    }
}

/// What the role cannot tell apart has one name, and the other is told.
#[test]
fn two_names_of_one_state_are_told() {
    let text = "message Buy, Leave; role buyer, shop;
protocol p {
    either { state Sold of shop; Buy from buyer to shop; } or { state Left of shop; Leave from buyer to shop; }
}
";
    check_told(
        text,
        "shop",
        &["Sold", "End"],
        &expect![[r#"
        warning[G012]: no state of `shop` is called `Left`
         --> test.quad:3:65
          |
        3 |     either { state Sold of shop; Buy from buyer to shop; } or { state Left of shop; Leave from buyer to shop; }
          |              -------------------                                ^^^^^^^^^^^^^^^^^^^ this is the state `Sold`
          |              |
          |              the same, as far as the role can tell
          |
          = help: keep one of the names
    "#]],
    );
}

#[test]
fn names_of_roles_that_do_nothing_are_told() {
    let text = "message A; role a, b, c;
protocol p { A from a to b; state Bored of c; }
";
    check_told(
        text,
        "a",
        &["Start", "End"],
        &expect![[r#"
        warning[G012]: no state of `c` is called `Bored`
         --> test.quad:2:29
          |
        2 | protocol p { A from a to b; state Bored of c; }
          |                             ^^^^^^^^^^^^^^^^^ it takes part in nothing
          |
          = help: delete this
    "#]],
    );
}

/// Each member of a family has its own, by index; and in one text several states have numbers.
#[test]
fn names_of_members_and_of_rounds() {
    let text = "parameter k = 2; message Work, Done; role m, w[0..k];
protocol p {
    for i in 0..k { state Handing of m; Work from m to w[i]; }
    for i in 0..k { state Busy of w[i]; Done from w[i] to m; }
}
";
    check(text, "m", &["Handing", "Handing2", "AwaitDoneAfterWork", "AwaitDoneAfterDone", "End"]);
    check(text, "w", &["Start", "Busy", "End"]);
}

/// Guards, variables and values that are known at run time only.
#[test]
fn names_under_guards() {
    let text = "message Ask, Grant, Release; role server, client[0..2]; variable free: bool = true; variable last: 0..2;
protocol lock {
    par for i in 0..2 {
        loop {
            Ask from client[i] to server with last := i;
            when free { state Granting of server; Grant from server to client[i] with free := false; }
            state Holding of client[i];
            Release from client[i] to server with free := true;
        }
    }
}
";
    let (names, told) = states(text, "client");
    assert!(names.contains(&"Holding".to_owned()), "{names:?}");
    assert_eq!(told, "");
}

/// Where two states may do the same, what came before tells them apart, and a number only what that does not.
#[test]
fn numbers_are_for_what_nothing_else_tells_apart() {
    let text = "message A, B, Ack; role a, b;
protocol p {
    A from a to b; Ack from b to a;
    B from a to b; Ack from b to a;
    A from a to b; Ack from b to a;
}
";
    check(
        text,
        "a",
        &["Start", "AwaitAckAfterA", "SendB", "AwaitAckAfterB", "SendA", "AwaitAckAfterA2", "End"],
    );
}
