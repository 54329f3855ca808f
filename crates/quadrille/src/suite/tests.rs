//! Suites that are read from files, and what is wrong with them.
#![allow(clippy::disallowed_methods)] // writes manifests to read

use std::fs;

use expect_test::{Expect, expect};

use super::*;
use crate::letter::{origin, subject};

const CHESS: &str = include_str!("../../../../examples/protocols/chess.quad");

/// Runs a suite on chess; the manifest stands beside a file with a formula and one with a mistake. What
/// is wrong with the suite, or the names of its tests and how many failed.
#[track_caller]
fn check(manifest: &str, filter: Option<&str>, expected: &Expect) {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("a file");
    };
    write("suite.toml", manifest);
    write("good.ltl", "G F (White sends Move) | F G !(White sends Move)");
    write("wrong.ltl", "G !(White sends Move)");
    write("misspelt.ltl", "G !(Withe sends Move)");
    let arguments = Arguments {
        filter: filter.map(str::to_owned),
        logfile: Some(folder.path().join("log").display().to_string()),
        test_threads: Some(1),
        ..Arguments::default()
    };
    let parts = vec![Part::from(subject(origin("chess.quad", CHESS, "chess", &[])))];
    let path = folder.path().join("suite.toml");
    let mut sources = Sources::default();
    let shown = match collect(&path, parts, &arguments, &mut sources) {
        Err(problem) => problem.replace(&folder.path().display().to_string(), ""),
        Ok(trials) => {
            let names: Vec<String> = trials.iter().map(|trial| trial.name().to_owned()).collect();
            let conclusion = libtest_mimic::run(&arguments, trials);
            format!("{}\n{} failed\n", names.join("\n"), conclusion.num_failed)
        }
    };
    expected.assert_eq(&shown);
}

#[test]
fn each_formula_is_a_test_in_each_form_it_is_about() {
    let manifest = r#"
        [[check]]
        file = "chess.quad"
        formulas = ["good.ltl", "wrong.ltl"]
        expect = { "wrong.ltl" = "violated" }
        [[check]]
        file = "../elsewhere/chess.quad"
        protocol = "chess"
        variant = "strict"
        formulas = ["wrong.ltl"]
    "#;
    check(
        manifest,
        None,
        &expect![[r#"
        chess/conforms/strict
        chess/good.ltl/strict
        chess/wrong.ltl/strict
        chess/wrong.ltl/strict#2
        chess/conforms/liberal
        chess/good.ltl/liberal
        chess/wrong.ltl/liberal
        1 failed
    "#]],
    );
    check(
        manifest,
        Some("good"),
        &expect![[r#"
        chess/good.ltl/strict
        chess/good.ltl/liberal
        0 failed
    "#]],
    );
}

#[test]
fn a_mistake_in_one_formula_fails_no_other() {
    let manifest = r#"
        [[check]]
        file = "chess.quad"
        variant = "liberal"
        formulas = ["good.ltl", "misspelt.ltl"]
    "#;
    check(
        manifest,
        None,
        &expect![[r#"
        chess/conforms/strict
        chess/conforms/liberal
        chess/good.ltl/liberal
        chess/misspelt.ltl/liberal
        1 failed
    "#]],
    );
}

#[test]
fn properties_of_the_file_are_tests() {
    let manifest = "[[check]]\nfile = \"chess.quad\"\nvariant = \"strict\"\n";
    check(
        manifest,
        Some("white"),
        &expect![[r#"
        chess/white_begins/strict
        chess/white_does_not_move_twice_at_once/strict
        chess/white_waits_for_the_answer/strict
        chess/black_waits_for_white/strict
        0 failed
    "#]],
    );
}

#[test]
fn all_modules_of_a_file_are_asked() {
    let text = "parameter k = 1; message M; role a, w[0..k];
protocol farm { for i in 0..k { M from a to w[i]; } } property p: F a sends M;";
    let values: [&[(&str, &str)]; 2] = [&[("k", "1")], &[("k", "2")]];
    let origins =
        values.map(|parameters| Origin { parameters, ..origin("farm.quad", text, "farm", &[]) });
    let parts = origins.map(|origin| Part::from(subject(origin))).into();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("suite.toml");
    fs::write(&path, "[[check]]\nfile = \"farm.quad\"\nvariant = \"strict\"").expect("a file");
    let trials = collect(&path, parts, &Arguments::default(), &mut Sources::default());
    let trials = trials.expect("a good suite");
    let names: Vec<&str> =
        trials.iter().map(Trial::name).filter(|name| name.contains("/p/")).collect();
    assert_eq!(names, ["farm[k=1]/p/strict", "farm[k=2]/p/strict"]);
}

#[test]
fn suites_that_cannot_be_used_say_why() {
    check(
        "[[check]]\nfile = 3",
        None,
        &expect![[r#"
            error[Q017]: invalid type: integer `3`, expected a string
             --> /suite.toml:2:8
              |
            2 | file = 3
              |        ^ here
              |
              = help: a suite has a `[[check]]` for each protocol: `file`, and where they are needed `protocol`, `args`, `form`, `runs`, `allow_deadlock`, `types`, `formulas`, `never`, `expect`; and a table `[lint]` of rules and levels
        "#]],
    );
    check(
        "[[check]]\nfile = \"ring.dcj\"\nformulas = [\"good.ltl\"]",
        None,
        &expect![[r#"
            error[Q017]: there is no module of `/ring.dcj`
             --> /suite.toml:2:8
              |
            2 | file = "ring.dcj"
              |        ^^^^^^^^^^ none of the modules is made from this
              |
              = note: modules here are: chess of `chess.quad`
              = help: give its `verify()` to `suite!`
        "#]],
    );
    check(
        "[[check]]\nfile = \"chess.quad\"\nformulas = [\"none.ltl\"]",
        None,
        &expect![[r#"
        error[Q017]: no file matches `none.ltl`
         --> /suite.toml:3:13
          |
        3 | formulas = ["none.ltl"]
          |             ^^^^^^^^^^
          |
          = help: patterns are relative to the manifest; `*` stands for any part of a name
    "#]],
    );
}
