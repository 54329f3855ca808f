//! Lint as a gate: levels, groups, exceptions with reasons, the table of a manifest.

use std::path::{Path, PathBuf};
use std::process::Output;

use expect_test::expect;
use quadrille_query::{Group, RULES};

use crate::folder::Folder;

/// A choice that two roles decide: probably a mistake.
const RACE: &[u8] = b"message Hello; role a, b;
protocol greet {
    either { Hello from a to b; } or { Hello from b to a; }
}
";

/// A channel that is closed twice: a mistake for certain.
const TWICE: &[u8] = b"message Hello; role a, b;
protocol p { Hello from a to b; a closes b; a closes b; }
";

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn item_19_only_certain_mistakes_fail() {
    let folder = Folder::new([("race.quad", RACE), ("twice.quad", TWICE)]);
    folder.check(&["lint", "race.quad"], &expect![[r#"
        exit 0
        --- stdout
        warning[L011]: a choice between `a sends Hello to b` and `b sends Hello to a` is not decided by one role
         --> race.quad:3:14
          |
        3 |     either { Hello from a to b; } or { Hello from b to a; }
          |              ^^^^^^^^^^^^^^^^^^        ------------------ or this
          |              |
          |              either this
          |
          = note: at the start
          = help: let one role decide and tell the others
        1 finding: 1 warning; see `quadrille explain L011`
    "#]]);
    folder.check(&["lint", "twice.quad"], &expect![[r#"
        exit 1
        --- stdout
        error[L005]: the channel from a to b may be closed twice
         --> twice.quad:2:45
          |
        2 | protocol p { Hello from a to b; a closes b; a closes b; }
          |                                             ^^^^^^^^^^^ here
          |
          = note: shown by: a sends Hello to b; b receives Hello from a; a closes to b; a closes to b
          = help: close it once
        note[L029]: the liberal form is the same as the protocol up to reordering (twice.quad:2:33)
        2 findings: 1 error, 1 note; see `quadrille explain L005`
    "#]]);
}

#[test]
fn item_19_levels_of_rules_groups_and_all() {
    let folder = Folder::new([("race.quad", RACE), ("twice.quad", TWICE)]);
    let code = |words: &[&str]| folder.run(words).status.code();
    assert_eq!(code(&["lint", "race.quad", "--level", "L011=deny"]), Some(1));
    assert_eq!(code(&["lint", "race.quad", "--level", "choices=deny"]), Some(1));
    assert_eq!(code(&["lint", "twice.quad", "--level", "all=warn"]), Some(0));
    // The last one counts.
    let both = ["lint", "race.quad", "--level", "all=deny", "--level", "L011=allow"];
    assert_eq!(code(&both), Some(1), "L024 is one of all");
    let none = folder.run(&[&both[..], &["--level", "closing=allow"]].concat());
    assert_eq!((none.status.code(), &*text(&none)), (Some(0), "no findings\n"));
    let closing = text(&folder.run(&["lint", "race.quad", "--level", "closing=note"]));
    assert_eq!(closing.matches("note[L024]").count(), 2, "{closing}");
    folder.check(&["lint", "race.quad", "--level", "chioces=deny"], &expect![[r#"
        exit 2
        --- stderr
        error: invalid value 'chioces=deny' for '--level <RULE=LEVEL>': lint has no rule and no group of rules `chioces`; did you mean choices?

        For more information, try '--help'.
    "#]]);
    folder.check(&["lint", "race.quad", "--level", "choices=fatal"], &expect![[r#"
        exit 2
        --- stderr
        error: invalid value 'choices=fatal' for '--level <RULE=LEVEL>': `fatal` is no level: write allow, note, warn or deny

        For more information, try '--help'.
    "#]]);
}

#[test]
fn item_19_exceptions_need_a_reason_and_a_use() {
    let allow = |comment: &str| {
        let race = String::from_utf8_lossy(RACE)
            .replace("    either", &format!("    {comment}\n    either"));
        let folder = Folder::new([("race.quad", race.as_bytes())]);
        folder.run(&["lint", "race.quad", "--format", "json"])
    };
    let json = |output: &Output| -> serde_json::Value {
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let excepted = json(&allow("// allow L011: the role that is ready first greets"));
    assert_eq!(excepted["allowed"], 1);
    assert_eq!(excepted["findings"].as_array().map(Vec::len), Some(0), "{excepted}");
    for (comment, exit, codes) in [
        ("// a comment", 0, &["L011"][..]),
        ("// allow choices: the role that is ready first greets", 0, &[]),
        ("// allow L011", 1, &["L011", "L025"]),
        ("// allow L099: a slip of the pen", 1, &["L011", "L025"]),
        ("// allow L012: another rule", 0, &["L011", "L026"]),
    ] {
        let output = allow(comment);
        let json = json(&output);
        let findings = json["findings"].as_array().expect("findings");
        let found: Vec<&str> = findings.iter().filter_map(|it| it["code"].as_str()).collect();
        assert_eq!((output.status.code(), found), (Some(exit), codes.to_vec()), "{comment}");
        for finding in findings {
            let expected = if finding["code"] == "L025" { "deny" } else { "warn" };
            assert_eq!(finding["level"], expected);
        }
    }
}

#[test]
fn item_19_every_language_has_its_comments() {
    let folder = Folder::new([
        (
            "race.dcj",
            b"; allow L011: the first one greets\n(s/defsession ::race []\n  (s/alt (s/-->> Long ::a ::b) (s/-->> Long ::b ::a)))\n",
        ),
        (
            "clerk.bp",
            b"Clerk\n// allow C017: both do the same\n?Desk.ask ; !Log.a | ?Desk.ask { NULL }\n",
        ),
        (
            "shop.arch",
            b"interface Desk { ask }
component Client { requires Desk protocol { !Desk.ask } }
component Office {
  // allow S008: the desk comes later
  contains client : Client
}
",
        ),
    ]);
    for file in ["race.dcj", "clerk.bp"] {
        let output = text(&folder.run(&["lint", file]));
        assert_eq!(output, "no findings; 1 allowed by comments\n", "{file}");
    }
    // The call is the place, not the part.
    let output = folder.run(&["lint", "shop.arch"]);
    assert_eq!(output.status.code(), Some(1));
    let output = text(&output);
    assert!(output.contains("error[S008]") && output.contains("warning[L026]"), "{output}");
}

#[test]
fn item_19_a_table_in_the_manifest() {
    let folder = Folder::new([
        ("race.quad", RACE),
        ("quadrille.toml", b"[lint]\nL011 = \"deny\"\nchoices = \"allow\"\n"),
        (
            "suite.toml",
            b"[[check]]\nfile = \"race.quad\"\n[lint]\nall = \"deny\"\nclosing = \"allow\"\n",
        ),
        ("wrong.toml", b"[[check]]\nfile = \"race.quad\"\n[lint]\nL11 = \"deny\"\n"),
    ]);
    // Codes count more than groups, wherever they stand; options more than the manifest.
    assert_eq!(folder.run(&["lint", "race.quad"]).status.code(), Some(1));
    assert_eq!(folder.run(&["lint", "race.quad", "--level", "L011=note"]).status.code(), Some(0));
    assert_eq!(folder.run(&["lint", "suite.toml"]).status.code(), Some(1));
    assert_eq!(folder.run(&["lint", "suite.toml", "--level", "all=warn"]).status.code(), Some(0));
    assert_eq!(folder.run(&["test", "suite.toml"]).status.code(), Some(0));
    folder.check(
        &["lint", "wrong.toml"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q017]: lint has no rule and no group of rules `L11`
         --> wrong.toml:4:1
          |
        4 | L11 = "deny"
          | ^^^
          |
          = help: did you mean L011?
        see `quadrille explain Q017`
    "#]],
    );
}

#[test]
fn item_19_the_manual_lists_every_rule_with_its_level() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lint.md");
    let page = std::fs::read_to_string(page).expect("docs/lint.md");
    for rule in &RULES {
        let code = format!("`{}`", rule.code.id);
        let mut rows = page.lines().filter(|line| line.starts_with('|') && line.contains(&code));
        let row = rows.next().unwrap_or_else(|| panic!("docs/lint.md has no row of {code}"));
        assert!(row.contains(&format!("| {} |", rule.level.word())), "{row}");
        if rule.group != Group::Components {
            assert!(row.contains(&format!("| {} |", rule.group.word())), "{row}");
        }
    }
}

/// Files of a folder and of those below it that lint takes.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("examples") {
        let path = entry.expect("an example").path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, found);
        } else if path
            .extension()
            .is_some_and(|it| ["quad", "bp", "arch", "dcj"].iter().any(|known| it == *known))
        {
            found.push(path);
        }
    }
}

#[test]
fn item_19_our_own_examples_pass() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut files);
    assert!(files.len() > 25, "{files:?}");
    let folder = Folder::new([]);
    let mut n_allowed = 0;
    for file in files {
        let file = file.display().to_string();
        let output = folder.run(&["lint", &file, "--format", "json"]);
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(output.status.code(), Some(0), "{file}: {json}");
        for finding in json["findings"].as_array().expect("findings") {
            assert_eq!(finding["level"], "note", "{file}: {finding}");
        }
        n_allowed += json["allowed"].as_u64().expect("a number");
    }
    assert!(n_allowed < 40, "{n_allowed} exceptions are not few");
}

#[test]
fn item_19_pages_in_the_language_of_the_file() {
    let folder = Folder::new([(
        "race.dcj",
        b"(s/defsession ::race [] (s/alt (s/-->> Long ::a ::b) (s/-->> Long ::b ::a)))\n",
    )]);
    let found = text(&folder.run(&["lint", "race.dcj"]));
    assert!(found.ends_with("see `quadrille explain L011 --language dcj`\n"), "{found}");
    folder.check(
        &["explain", "L011"],
        &expect![[r#"
        exit 0
        --- stdout
        L011: A choice is not decided by one role.

        Two roles can act in one state, and what one does takes the possibility from the other. If
        each goes ahead without asking, both branches begin.

        ```quad
        message Offer; role a, b;
        protocol p { either { Offer from a to b; } or { Offer from b to a; } }
        ```

        Let one role decide, and tell the other.
    "#]],
    );
    let page = text(&folder.run(&["explain", "L011", "--language", "dcj"]));
    assert!(page.contains("(s/alt ") && !page.contains("protocol p"), "{page}");
}
