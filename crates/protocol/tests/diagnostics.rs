//! What bad files and bad arguments are answered with; and that no bytes make the reader fail.

use expect_test::{Expect, expect};
use quadrille_diagnostic::{Diagnostic, Sources, Style, render};
use quadrille_engine::Space;
use quadrille_model::StateId;
use quadrille_protocol::dcj;

/// Everything that is said about a file when it is loaded and its session `::main` explored.
fn said(text: &str, arguments: &[&str]) -> String {
    let mut sources = Sources::default();
    let source = sources.add("main.dcj", text);
    let (program, mut said) = dcj::load(source, text);
    if said.iter().all(|diagnostic| !diagnostic.is_error()) {
        match program.session(&mut sources, "main", arguments) {
            Ok(model) => {
                let mut space = Space::new(&model);
                let mut state = 0;
                while state < space.n_states().min(1_000) {
                    space.expand(StateId::from_usize(state));
                    state += 1;
                }
                said.extend(model.problems());
            }
            Err(diagnostics) => said.extend(diagnostics),
        }
    }
    said.iter().map(|diagnostic: &Diagnostic| render(diagnostic, &sources, Style::Plain)).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&said(text, &[]));
}

#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check_body(body: &str, expected: Expect) {
    expected.assert_eq(&said(&format!("(s/defsession ::main []\n  {body})"), &[]));
}

#[test]
fn unreadable_text() {
    check(
        "(s/defsession ::main [",
        expect![[r#"
        error[D001]: `]` is missing
         --> main.dcj:1:22
          |
        1 | (s/defsession ::main [
          |                      ^ opened here, never closed
        error[D001]: `)` is missing
         --> main.dcj:1:1
          |
        1 | (s/defsession ::main [
          | ^ opened here, never closed
    "#]],
    );
    check(
        "(s/defsession ::main [] (s/end]))",
        expect![[r#"
        error[D001]: expected `)`, found `]`
         --> main.dcj:1:31
          |
        1 | (s/defsession ::main [] (s/end]))
          |                         -     ^ does not match
          |                         |
          |                         opened here
        error[D001]: `)` closes nothing
         --> main.dcj:1:33
          |
        1 | (s/defsession ::main [] (s/end]))
          |                                 ^ nothing is open here
    "#]],
    );
    check(
        ")",
        expect![[r#"
        error[D001]: `)` closes nothing
         --> main.dcj:1:1
          |
        1 | )
          | ^ nothing is open here
    "#]],
    );
    check(
        "(def x \"open",
        expect![[r#"
        error[D001]: a string does not end
         --> main.dcj:1:8
          |
        1 | (def x "open
          |        ^ starts here
        error[D001]: `)` is missing
         --> main.dcj:1:1
          |
        1 | (def x "open
          | ^ opened here, never closed
    "#]],
    );
    check(
        "(def x 12abc)",
        expect![[r#"
        error[D001]: not a number
         --> main.dcj:1:8
          |
        1 | (def x 12abc)
          |        ^^^^^ not a 64-bit integer, ratio or decimal number
    "#]],
    );
    check(
        "(def x `(a ~b))",
        expect![[r#"
        error[D012]: ``` is not supported
         --> main.dcj:1:8
          |
        1 | (def x `(a ~b))
          |        ^ macros and references are not part of the pure language
        error[D012]: `~` is not supported
         --> main.dcj:1:12
          |
        1 | (def x `(a ~b))
          |            ^ macros and references are not part of the pure language
        warning[D011]: `a` has no meaning here
         --> main.dcj:1:10
          |
        1 | (def x `(a ~b))
          |          ^
    "#]],
    );
    check(
        "(def x {:a})",
        expect![[r#"
        error[D001]: a map has a key without a value
         --> main.dcj:1:8
          |
        1 | (def x {:a})
          |        ^^^^
    "#]],
    );
    check(
        "(def x #?(:clj 1))",
        expect![[r#"
        error[D012]: this reader form is not supported
         --> main.dcj:1:8
          |
        1 | (def x #?(:clj 1))
          |        ^^ known are `#{…}`, `#(…)`, `#_`, `#"…"`, `#'`
    "#]],
    );
    check(
        "(def x #(#(1)))",
        expect![[r#"
        error[D001]: `#(…)` inside `#(…)`
         --> main.dcj:1:10
          |
        1 | (def x #(#(1)))
          |          ^^ use `fn` here
    "#]],
    );
    check(
        "(def x \\nosuch)",
        expect![[r#"
        error[D001]: unknown character
         --> main.dcj:1:9
          |
        1 | (def x \nosuch)
          |         ^^^^^^
    "#]],
    );
    check(
        "(def x ')",
        expect![[r#"
        error[D001]: a form is missing before `)`
         --> main.dcj:1:8
          |
        1 | (def x ')
          |        ^ belongs to no form
    "#]],
    );
}

#[test]
fn deep_nesting_is_refused() {
    let text = format!("(def x {}{})", "[".repeat(100_000), "]".repeat(100_000));
    assert!(said(&text, &[]).starts_with("error[D002]: forms are nested too deeply"));
}

#[test]
fn bad_definitions() {
    check(
        "(s/defsession main)",
        expect![[r#"
        error[D003]: a session needs a name and parameters
         --> main.dcj:1:1
          |
        1 | (s/defsession main)
          | ^^^^^^^^^^^^^^^^^^^ write `(s/defsession ::name [parameter …] protocol …)`
    "#]],
    );
    check(
        "(s/defsession ::main [x x 5] (s/end))",
        expect![[r#"
        error[D003]: two parameters have one name
         --> main.dcj:1:25
          |
        1 | (s/defsession ::main [x x 5] (s/end))
          |                         ^
        error[D003]: a parameter is a name
         --> main.dcj:1:27
          |
        1 | (s/defsession ::main [x x 5] (s/end))
          |                           ^ not a name
    "#]],
    );
    check(
        "(s/defrole 5)",
        expect![[r#"
        error[D003]: a role needs a name
         --> main.dcj:1:1
          |
        1 | (s/defrole 5)
          | ^^^^^^^^^^^^^ write `(s/defrole ::name)`
    "#]],
    );
    check(
        "(defn f 5)\n(defn 5 [x] x)",
        expect![[r#"
        error[D003]: a function needs parameters
         --> main.dcj:1:1
          |
        1 | (defn f 5)
          | ^^^^^^^^^^ write `(defn name [x] …)`
        error[D003]: a function needs a name
         --> main.dcj:2:1
          |
        2 | (defn 5 [x] x)
          | ^^^^^^^^^^^^^^ write `(defn name [x] …)`
    "#]],
    );
    check(
        "(a/thread 1)\n(s/defsession ::main [] (s/end))",
        expect![[r#"
        warning[D004]: this form is passed over
         --> main.dcj:1:1
          |
        1 | (a/thread 1)
          | ^^^^^^^^^^^^ neither a role, a session nor a function
    "#]],
    );
    check(
        "(def x (rand))\n(s/defsession ::main [] (s/end))",
        expect![[r#"
        warning[D012]: `rand` is not part of the pure language
         --> main.dcj:1:8
          |
        1 | (def x (rand))
          |        ^^^^^^
    "#]],
    );
}

#[test]
fn bad_forms() {
    check_body(
        "(s/frobnicate ::a ::b)",
        expect![[r#"
        error[D005]: `s/frobnicate` is not a form that describes a protocol
         --> main.dcj:2:3
          |
        2 |   (s/frobnicate ::a ::b))
          |   ^^^^^^^^^^^^^^^^^^^^^^ not known to Discourje's language
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "5",
        expect![[r#"
        error[D005]: expected a protocol
         --> main.dcj:2:3
          |
        2 |   5)
          |   ^ not an action, a sequence, a choice or the like
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/--> Long ::a)",
        expect![[r#"
        error[D009]: expected a role
         --> main.dcj:2:10
          |
        2 |   (s/--> Long ::a))
          |          ^^^^ not a role
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/alt-every [i] (s/end))",
        expect![[r#"
        error[D006]: expected pairs of a name and a collection
         --> main.dcj:2:16
          |
        2 |   (s/alt-every [i] (s/end)))
          |                ^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/loop 5 [x 1] (s/end))",
        expect![[r#"
        error[D006]: this form has the wrong parts
         --> main.dcj:2:3
          |
        2 |   (s/loop 5 [x 1] (s/end)))
          |   ^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/loop l [x] (s/end))",
        expect![[r#"
        error[D006]: expected pairs of a name and a value
         --> main.dcj:2:13
          |
        2 |   (s/loop l [x] (s/end)))
          |             ^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/graph des (0) (0 \"what\" 1))",
        expect![[r#"
        error[D006]: expected `!(T,p,q)`, `?(p,q)`, `‽(T,p,q)` or `C(p,q)`
         --> main.dcj:2:20
          |
        2 |   (s/graph des (0) (0 "what" 1)))
          |                    ^^^^^^^^^^^^
          |
          = note: while unfolding `graph(0)`
    "#]],
    );
}

#[test]
fn unknown_sessions_roles_loops_and_wrong_counts() {
    check_body(
        "(::other 1)",
        expect![[r#"
        error[D007]: there is no session `other`
         --> main.dcj:2:3
          |
        2 |   (::other 1))
          |   ^^^^^^^^^^^ not defined
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(::main 1 2)",
        expect![[r#"
        error[D008]: session `main` takes 0 arguments, and 2 are given
         --> main.dcj:2:3
          |
        2 |   (::main 1 2))
          |   ^^^^^^^^^^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/--> Long ::a 5)",
        expect![[r#"
        error[D009]: expected a role
         --> main.dcj:2:19
          |
        2 |   (s/--> Long ::a 5))
          |                   ^ not a role
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/--> Long ::a nobody)",
        expect![[r#"
        error[D009]: expected a role
         --> main.dcj:2:19
          |
        2 |   (s/--> Long ::a nobody))
          |                   ^^^^^^ not a role
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/--> Long ::a (::b \"x\"))",
        expect![[r#"
        error[D009]: the index of a role is an integer, not a string
         --> main.dcj:2:24
          |
        2 |   (s/--> Long ::a (::b "x")))
          |                        ^^^ no integer
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/recur nowhere)",
        expect![[r#"
        error[D010]: there is no loop of this name around
         --> main.dcj:2:3
          |
        2 |   (s/recur nowhere))
          |   ^^^^^^^^^^^^^^^^^ nowhere to go on
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/loop l [x 1] (s/--> x ::a ::b) (s/recur l 1 2))",
        expect![[r#"
        error[D008]: the loop has 1 variables, and 2 values are given
         --> main.dcj:2:37
          |
        2 |   (s/loop l [x 1] (s/--> x ::a ::b) (s/recur l 1 2)))
          |                                     ^^^^^^^^^^^^^^^ goes on with these
          |
          = note: while unfolding `l(1)`
    "#]],
    );
    check(
        "(s/defsession ::other [] (s/end))",
        expect![[r#"
        error[D007]: there is no session `main`
         --> main.dcj:1:1
          |
        1 | (s/defsession ::other [] (s/end))
          | ^ not defined here
    "#]],
    );
}

#[test]
fn evaluation_that_fails() {
    check_body(
        "(s/--> Long ::a ::b) (s/if (= 1 (/ 1 0)) (s/end))",
        expect![[r#"
        error[D013]: division by zero
         --> main.dcj:2:35
          |
        2 |   (s/--> Long ::a ::b) (s/if (= 1 (/ 1 0)) (s/end)))
          |                                   ^^^^^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/alt-every [i 5] (s/--> i ::a ::b))",
        expect![[r#"
        error[D013]: 5 is no collection
         --> main.dcj:2:16
          |
        2 |   (s/alt-every [i 5] (s/--> i ::a ::b)))
          |                ^^^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/--> (foo) ::a ::b)",
        expect![[r#"
        error[D011]: `foo` has no meaning here
         --> main.dcj:2:11
          |
        2 |   (s/--> (foo) ::a ::b))
          |           ^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check(
        "(defn f [x] (f x))\n(s/defsession ::main [] (s/if (f 1) (s/end)))",
        expect![[r#"
        error[D014]: evaluation is nested too deeply
         --> main.dcj:1:13
          |
        1 | (defn f [x] (f x))
          |             ^^^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check(
        "(s/defsession ::main [] (::up 0))\n(s/defsession ::up [n] (::up (inc n)))",
        expect![[r#"
            error[P001]: no action comes before `up(999)`
             --> main.dcj:2:1
              |
            2 | (s/defsession ::up [n] (::up (inc n)))
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unfolded again and again without an action
              |
              = help: put an action before the recursive call, or give the recursion an end
        "#]],
    );
    check(
        "(defn p [] (p))\n(s/defsession ::main [] (p))",
        expect![[r#"
        error[D014]: a function that makes a protocol calls itself without end
         --> main.dcj:1:12
          |
        1 | (defn p [] (p))
          |            ^^^ use a session instead
          |
          = note: while unfolding `main()`
    "#]],
    );
}

#[test]
fn bad_arguments() {
    let text = "(s/defsession ::main [n] (s/end))";
    let check = |arguments: &[&str], expected: Expect| {
        expected.assert_eq(&said(text, arguments));
    };
    check(
        &[],
        expect![[r#"
        error[D008]: session `main` takes 1 argument, and 0 are given
         --> main.dcj:1:1
          |
        1 | (s/defsession ::main [n] (s/end))
          | ^
    "#]],
    );
    check(
        &["1", "2"],
        expect![[r#"
        error[D008]: session `main` takes 1 argument, and 2 are given
         --> main.dcj:1:1
          |
        1 | (s/defsession ::main [n] (s/end))
          | ^
    "#]],
    );
    check(
        &["(/ 1 0)"],
        expect![[r#"
        error[D013]: division by zero
         --> argument 1:1:1
          |
        1 | (/ 1 0)
          | ^^^^^^^
    "#]],
    );
    check(
        &["1 2"],
        expect![[r#"
        error[D015]: an argument is one value
         --> argument 1:1:1
          |
        1 | 1 2
          | ^^^ expected one form
    "#]],
    );
    check(
        &["three"],
        expect![[r#"
        error[D011]: `three` has no meaning here
         --> argument 1:1:1
          |
        1 | three
          | ^^^^^
    "#]],
    );
    check(
        &["("],
        expect![[r#"
        error[D001]: `)` is missing
         --> argument 1:1:1
          |
        1 | (
          | ^ opened here, never closed
    "#]],
    );
}

#[test]
fn every_code_has_a_page() {
    for code in dcj::ALL.iter().chain(quadrille_protocol::core::CODES) {
        assert!(code.lines.len() >= 3, "{} has no page worth the name", code.id);
    }
}

/// A small generator of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

const SAMPLE: &str = "(ns a.b (:require [c :as s])) ; comment
(s/defrole ::worker \"w\") (s/defroles ::a ::b)
(defn f [x & [y]] (let [z (if x 1/2 -3.5)] (+ z (count #{1 2 :k}) (reduce + (map #(* % 2) (range 3))))))
(s/defsession ::main [] (s/cat (s/* (s/-->> Long ::a (::worker 0))) (s/loop l [i 0]
  (s/par-every [j (range 2) k (remove #{j} [0 1])] (s/--> (fn [x] (= x i)) (::worker j) (::worker k)))
  (s/if (< i 3) (s/recur l (inc i)) (s/close ::a ::b))) (::sub {:a 1} \\x \"s\\n\" '(q) #\"r.*\")))
(s/defsession ::sub [a b c d e] (s/alt (s/+ (--> ::a ::b)) (s/? [(s/end)]) (s/any [::a ::b])))";

#[test]
fn no_mutation_of_a_file_makes_it_fail() {
    let pieces = [
        "(", ")", "[", "]", "{", "}", "#", "'", "\"", "::", "s/", "recur", " ", "%", "^", "é",
        "1e9", "\\",
    ];
    for seed in 1..=400u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut text = SAMPLE.to_owned();
        for _ in 0..=random.below(6) {
            let at = text.floor_char_boundary(random.below(text.len() + 1));
            let to = text.floor_char_boundary((at + random.below(30)).min(text.len()));
            match random.below(4) {
                0 => text.replace_range(at..to, ""),
                1 => text.insert_str(at, pieces[random.below(pieces.len())]),
                2 => {
                    let piece = text[at..to].to_owned();
                    let place = text.floor_char_boundary(random.below(text.len() + 1));
                    text.insert_str(place, &piece);
                }
                _ => text.replace_range(at..to, pieces[random.below(pieces.len())]),
            }
        }
        said(&text, &[]);
    }
}

#[test]
fn no_bytes_make_the_reader_fail() {
    for seed in 1..=300u64 {
        let mut random = Random(seed.wrapping_mul(0x2545_F491_4F6C_DD1D));
        let alphabet: Vec<char> =
            "()[]{}#'\"\\;:^`~@%&/s-> \n0189aωé\u{feff}\u{0}".chars().collect();
        let length = random.below(120);
        let text: String = (0..length).map(|_| alphabet[random.below(alphabet.len())]).collect();
        said(&text, &[]);
    }
}
