//! Defects that users met, by the number of their report.

use quadrille_component::assembly::{Assembly, Member};
use quadrille_component::automata::Construction;
use quadrille_component::composition::Wiring;
use quadrille_component::parse;
use quadrille_component::syntax::Kind;
use quadrille_diagnostic::Sources;
use quadrille_workshop::check;

use crate::consent::{outcome, protocol};

/// The first line of an outcome.
fn verdict(text: &str) -> String {
    outcome(text).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn item_3_or_parallel_is_composed_like_its_written_out_form() {
    for (left, right) in [
        ("!I.b || !J.c*", "?I.b || ?J.c*"),
        ("!I.b || !J.c", "?I.b || ?J.c"),
        ("!I.b || !J.c || !K.d", "?I.b || ?J.c || ?K.d"),
        ("!I.b + !J.c* + (!I.b | !J.c*)", "?I.b || ?J.c*"),
        ("!I.b || !J.c", "(?J.c | ?I.b) + ?I.b + ?J.c"),
        ("!I.b + !J.c + (!I.b | !J.c)", "?I.b + ?I.x + ?J.c + (?I.b | ?J.c)"),
    ] {
        assert_eq!(verdict(&format!("C0 ({left})\nC1 ({right})")), "no error", "{left}, {right}");
    }
    // At least one operand takes part, unless one may do nothing.
    assert_eq!(verdict("A ?I.b || ?I.c\nB ?I.x*"), "no activity: ε∅");
    assert_eq!(verdict("A ?I.b || ?I.c*\nB ?I.x*"), "no error");
}

#[test]
fn item_3_holds_for_random_operands() {
    let (mut n_compared, mut n_errors) = (0, 0);
    check(1_000, |choices| {
        let [one, two, other] = [2, 2, 3].map(|depth| protocol(choices, depth));
        // What the parser flattens does not read as `A + B + (A | B)` any more.
        let is_flat = |text: &String| {
            let kind = crate::read(&format!("X {text}")).components.remove(0).protocol.kind;
            matches!(kind, Kind::Parallel(_) | Kind::Alternative(_))
        };
        if one == two || is_flat(&one) || is_flat(&two) {
            return;
        }
        n_compared += 1;
        let short = format!("X ({one}) || ({two})\nY {other}");
        let long = format!("X ({one}) + ({two}) + (({one}) | ({two}))\nY {other}");
        assert_eq!(outcome(&short), outcome(&long), "{short}");
        n_errors += usize::from(verdict(&short) != "no error");
    });
    assert!(n_compared > 300 && (n_compared / 10..n_compared).contains(&n_errors), "{n_errors}");
}

#[test]
fn item_6_a_shared_interface_binds_all_its_methods() {
    let shop = "Shop !Bank.pay ; !Bank.refund\nBank ?Bank.pay*";
    assert_eq!(verdict(shop), "bad activity: τBank.pay^ ; τBank.pay$ ; ε!Bank.refund^");
    // An interface of one component alone stays open to the environment.
    assert_eq!(verdict("Shop !Bank.pay ; !Printer.print\nBank ?Bank.pay*"), "no error");
}

#[test]
fn item_13_files_that_share_no_interface_are_separate_systems() {
    let texts =
        ["A !I.a\nB ?I.a ; !J.b", "Alone !X.x", "C ?J.b", "Left &go\nOther !Y.y", "Right &go"];
    let mut sources = Sources::default();
    let mut members = Vec::new();
    for text in texts {
        let (file, _) = parse(sources.add("in.bp", text), text);
        members.extend(file.components.into_iter().map(|component| Member {
            types: Vec::new(),
            component,
            throws: None,
        }));
    }
    let assembly = Assembly::new(members, Construction::Minimal, Wiring::shared).expect("small");
    let systems: Vec<Vec<String>> = assembly
        .systems()
        .iter()
        .map(|system| {
            system.compose().expect("small");
            system.members().iter().map(|member| member.component.name.text.clone()).collect()
        })
        .collect();
    assert_eq!(systems, [vec!["A", "B", "C"], vec!["Alone"], vec!["Left", "Other", "Right"]]);
}
