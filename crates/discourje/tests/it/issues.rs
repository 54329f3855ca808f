//! Defects that were reported, by the number of the report.

use expect_test::expect;
use quadrille_diagnostic::Sources;
use quadrille_discourje as dcj;

use crate::forms::explore;
use crate::{check, said};

/// A string or a vector that doubles in each round: 80 rounds are nothing for fuel that counts calls alone.
#[test]
fn item_27_doubling_runs_out_of_fuel() {
    for (start, step, verb) in [
        ("\"ab\"", "(str x x)", "too large"),
        ("[0 0]", "[x x]", "too large"),
        ("[0 0]", "(vector x x)", "too large"),
        ("#{0 1}", "#{[x] [x x]}", "too large"),
        ("(fn [] 0)", "(partial x x)", "too large"),
        ("\"ab\"", "(.replace x \"b\" x)", "too l"),
        ("\"ab\"", "(clojure.string/join x [x x x])", "too large"),
    ] {
        let text = format!(
            "(defn grow [n x] (if (= n 0) x (recur (dec n) {step})))
             (s/defsession ::main [] (s/if (= (grow 80 {start}) (grow 80 {start})) (s/end)))"
        );
        let shown = said(&text, &[]);
        assert!(shown.contains("error[D014]") && shown.contains(verb), "{step}: {shown}");
    }
}

/// Values that are small enough to be kept are large enough to take long in their tens of thousands.
#[test]
fn item_27_comparing_large_values_costs_fuel() {
    let text = "(defn grow [n x] (if (= n 0) x (recur (dec n) [x x])))
        (defn spin [n x y] (if (= n 0) 0 (if (= x y) (recur (dec n) x y) 1)))
        (s/defsession ::main [] (s/if (= 0 (spin 100000 (grow 17 1) (grow 17 1))) (s/end)))";
    assert!(said(text, &[]).contains("error[D014]: evaluation does not seem to end"));
}

#[test]
fn item_28_any_among_a_set_of_roles() {
    let edges = |text| {
        let shown = explore(text);
        shown.lines().next().unwrap_or_default().matches('[').count()
    };
    assert_eq!(edges("(s/any #{::a ::b})"), 8);
    assert_eq!(edges("(s/any [::a ::b])"), 8);
}

#[test]
fn item_28_roles_as_values() {
    expect![[r#"
        0 [worker[1] passes Long to bob]→1
        1.
    "#]]
    .assert_eq(&explore("(s/let [w (s/role ::worker [1]) b (s/role \"bob\")] (s/--> Long w b))"));
    expect![[r#"
        0 [worker[1] passes Long to bob]→1
        1.
    "#]]
    .assert_eq(&explore("(s/--> Long (s/role ::worker [1]) (s/role \"bob\"))"));
}

#[test]
fn item_28_sessions_that_discourje_brings() {
    expect![[r#"
        0 [w[0] sends Long to w[1]]→1
        1 [w[1] receives Long from w[0]]→2
        2 [w[1] sends Long to w[2]]→3
        3 [w[2] receives Long from w[1]]→4
        4.
    "#]]
    .assert_eq(&explore("(::s/pipe Long ::w 3)"));
    expect![[r#"
        0 [w[1] sends Long to w[2]]→1
        1 [w[2] receives Long from w[1]]→2
        2.
    "#]]
    .assert_eq(&explore("(::s/pipe Long ::w 1 3)"));
    expect![[r#"
        0 [a sends (fn [x] (not= (type x) Long)) to b]→1
        1 [b receives (fn [x] (not= (type x) Long)) from a]→2
        2.
    "#]]
    .assert_eq(&explore("(::s/-->>not Long ::a ::b)"));
    // They are not announced, and a file may define its own.
    let text = "(s/defsession ::pipe [n] (s/end)) (s/defsession ::pipe [t r n] (s/end))";
    let (program, diagnostics) = dcj::load(Sources::default().add("main.dcj", text), text);
    assert_eq!((program.sessions().len(), diagnostics.len()), (2, 0));
}

#[test]
fn item_28_references_belong_to_code_that_runs_the_protocol() {
    check(
        "(def n @(atom 3))
(defmacro twice [x] `(do ~x ~@x))
(s/defsession ::main [] (s/if (= n @n) (s/end)))",
        expect![[r#"
            warning[D012]: `deref` is not part of the pure language
             --> main.dcj:1:8
              |
            1 | (def n @(atom 3))
              |        ^^^^^^^^^
            warning[D004]: this form is passed over
             --> main.dcj:2:1
              |
            2 | (defmacro twice [x] `(do ~x ~@x))
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ neither a role, a session nor a function
            error[D011]: `n` has no meaning here
             --> main.dcj:3:34
              |
            3 | (s/defsession ::main [] (s/if (= n @n) (s/end)))
              |                                  ^
              |
              = note: while unfolding `main()`
        "#]],
    );
}

#[test]
fn item_28_a_session_defined_twice() {
    check(
        "(s/defsession ::main [] (s/--> Long ::a ::b))
(s/defsession ::main [] (s/end))",
        expect![[r#"
            warning[D003]: session `main` with 0 parameters is defined twice
             --> main.dcj:2:1
              |
            1 | (s/defsession ::main [] (s/--> Long ::a ::b))
              | --------------------------------------------- this one is never used
            2 | (s/defsession ::main [] (s/end))
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this one is taken
              |
              = help: rename one of them, or remove it
        "#]],
    );
}
