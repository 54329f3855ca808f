//! `test`: properties of protocols, suites of formulas, what is wrong with manifests.

use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect;
use quadrille_workshop::{conformance, shared};

use crate::folder::{Folder, without_times};

/// Two players in turn, for ever or until they stop.
pub const GAME: &str = "(s/defroles ::alice ::bob)
(s/defsession ::turn [p q] (s/-->> Ball p q))
(s/defsession ::game [] (s/* [(::turn ::alice ::bob) (::turn ::bob ::alice)]))
";

pub const ANSWERED: &str = "G(\"alice SEND <Ball> TO bob\" -> F \"bob SEND <Ball>\")";
pub const ALICE_TWICE: &str = "G(\"alice SEND *\" -> X F \"alice SEND *\")";
pub const NEVER: &str = "!F \"alice RECV games.Ball FROM bob\"";

pub const MANIFEST: &str = r#"
[[check]]
file = "game.dcj"
protocol = "game"
runs = "infinite"
formulas = ["*.owl"]
expect = { "Never.owl" = "violated" }

[[check]]
file = "game.dcj"
protocol = "turn"
args = [":a", ":b"]
formulas = ["Never.owl"]

[[check]]
file = "game.dcj"
protocol = "game"
variant = "liberal"
runs = "infinite"
types = { Ball = "Ball" }
formulas = ["Answered.owl"]
"#;

fn suite(manifest: &str) -> Folder {
    Folder::new([
        ("game.dcj", GAME.as_bytes()),
        ("Answered.owl", ANSWERED.as_bytes()),
        ("Twice.owl", ALICE_TWICE.as_bytes()),
        ("Never.owl", NEVER.as_bytes()),
        ("suite.toml", manifest.as_bytes()),
    ])
}

#[test]
fn a_suite_is_run() {
    suite(MANIFEST).check(
        &["test", "suite.toml"],
        &expect![[r#"
            exit 1
            --- stdout
            game.dcj game
              pass Answered.owl: holds (infinite runs, no fairness)
              FAIL Never.owl: holds, expected violated (infinite runs, no fairness)
              again: quadrille check game.dcj --protocol game --formula-file Never.owl --runs infinite

              pass Twice.owl: holds (infinite runs, no fairness)
              pass no deadlock: holds
            game.dcj turn(:a, :b)
              pass Never.owl: holds (maximal runs, no fairness)
              pass no deadlock: holds
            game.dcj game, liberal
              pass Answered.owl: holds (infinite runs of the liberal form, no fairness)
              pass no deadlock: holds (the liberal form)
            7 passed, 1 failed
        "#]],
    );
}

#[test]
fn an_unexpected_verdict_is_shown_with_its_trace() {
    let folder = suite(
        "[[check]]\nfile = \"game.dcj\"\nprotocol = \"game\"\nformulas = [\"Twice.owl\"]\n\
         [[check]]\nfile = \"game.dcj\"\nprotocol = \"game\"\nformulas = [\"Answered.owl\"]\n\
         expect = { \"Answered.owl\" = \"violated\" }",
    );
    folder.check(
        &["test", "suite.toml", "--junit", "out.xml"],
        &expect![[r#"
            exit 1
            --- stdout
            game.dcj game
              FAIL Twice.owl: violated, expected holds (maximal runs, no fairness)

              1  alice sends Ball to bob
              2  bob receives Ball from alice
              3  bob sends Ball to alice
              4  alice receives Ball from bob
              finished: the system may stop here, and nothing more need happen

              again: quadrille check game.dcj --protocol game --formula-file Twice.owl

              FAIL Answered.owl: holds, expected violated (maximal runs, no fairness)
              again: quadrille check game.dcj --protocol game --formula-file Answered.owl

              pass no deadlock: holds
            1 passed, 2 failed
            --- stderr
            wrote out.xml
        "#]],
    );
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="quadrille" tests="3" failures="2" errors="0" time="…">
          <testsuite name="game.dcj game" tests="3" failures="2" errors="0" time="…">
            <testcase name="Twice.owl" classname="game.dcj game" time="…">
              <failure message="violated (maximal runs, no fairness): Twice.owl">property: Twice.owl

          1  alice sends Ball to bob
          2  bob receives Ball from alice
          3  bob sends Ball to alice
          4  alice receives Ball from bob
          finished: the system may stop here, and nothing more need happen
        </failure>
            </testcase>
            <testcase name="Answered.owl" classname="game.dcj game" time="…">
              <failure message="holds (maximal runs, no fairness), expected violated: Answered.owl"/>
            </testcase>
            <testcase name="no deadlock" classname="game.dcj game" time="…"/>
          </testsuite>
        </testsuites>
    "#]]
    .assert_eq(&without_times(&folder.read("out.xml")));
}

#[test]
fn results_in_json() {
    let folder = suite(MANIFEST);
    let output = folder.run(&["test", "suite.toml", "--format", "json"]);
    let text = without_times(&String::from_utf8_lossy(&output.stdout));
    // Traces are shown elsewhere.
    let heads: Vec<&str> = text.lines().filter(|line| !line.starts_with("       ")).collect();
    expect![[r#"
        {
          "schema": "quadrille/1",
          "passed": 7,
          "failed": 1,
          "tests": [
            {
              "file": "game.dcj",
              "protocol": "game",
              "arguments": [],
              "property": "Answered.owl",
              "verdict": "holds",
              "expected": "holds",
              "passed": true,
              "bound": null,
              "states": 5,
              "transitions": 5,
              "bytes": 27988,
              "product": {
              },
              "seconds": …,
              "runs": "infinite",
              "fairness": "no fairness",
              "reduction": null,
              "limits": {
              },
              "form": "global",
              "engine": "strongly connected components",
              "trace": null
            },
            {
              "file": "game.dcj",
              "protocol": "game",
              "arguments": [],
              "property": "Never.owl",
              "verdict": "holds",
              "expected": "violated",
              "passed": false,
              "bound": null,
              "states": 5,
              "transitions": 5,
              "bytes": 27988,
              "product": {
              },
              "seconds": …,
              "runs": "infinite",
              "fairness": "no fairness",
              "reduction": null,
              "limits": {
              },
              "form": "global",
              "engine": "strongly connected components",
              "trace": null
            },
            {
              "file": "game.dcj",
              "protocol": "game",
              "arguments": [],
              "property": "Twice.owl",
              "verdict": "holds",
              "expected": "holds",
              "passed": true,
              "bound": null,
              "states": 5,
              "transitions": 5,
              "bytes": 27988,
              "product": {
              },
              "seconds": …,
              "runs": "infinite",
              "fairness": "no fairness",
              "reduction": null,
              "limits": {
              },
              "form": "global",
              "engine": "strongly connected components",
              "trace": null
            },
            {
              "file": "game.dcj",
              "protocol": "game",
              "arguments": [],
              "property": "no deadlock",
              "verdict": "holds",
              "expected": "holds",
              "passed": true,
              "bound": null,
              "states": 5,
              "transitions": 5,
              "bytes": 28024,
              "product": null,
              "seconds": …,
              "runs": null,
              "fairness": null,
              "reduction": null,
              "limits": {
              },
              "form": "global",
              "engine": "breadth-first search",
              "trace": null
            },
            {
              "file": "game.dcj",
              "protocol": "turn",
              "arguments": [
              ],
              "property": "Never.owl",
              "verdict": "holds",
              "expected": "holds",
              "passed": true,
              "bound": null,
              "states": 3,
              "transitions": 2,
              "bytes": 27348,
              "product": {
              },
              "seconds": …,
              "runs": "maximal",
              "fairness": "no fairness",
              "reduction": null,
              "limits": {
              },
              "form": "global",
              "engine": "strongly connected components",
              "trace": null
            },
            {
              "file": "game.dcj",
              "protocol": "turn",
              "arguments": [
              ],
              "property": "no deadlock",
              "verdict": "holds",
              "expected": "holds",
              "passed": true,
              "bound": null,
              "states": 3,
              "transitions": 2,
              "bytes": 27372,
              "product": null,
              "seconds": …,
              "runs": null,
              "fairness": null,
              "reduction": null,
              "limits": {
              },
              "form": "global",
              "engine": "breadth-first search",
              "trace": null
            },
            {
              "file": "game.dcj",
              "protocol": "game",
              "arguments": [],
              "property": "Answered.owl",
              "verdict": "holds",
              "expected": "holds",
              "passed": true,
              "bound": null,
              "states": 4,
              "transitions": 4,
              "bytes": 8664,
              "product": {
              },
              "seconds": …,
              "runs": "infinite",
              "fairness": "no fairness",
              "reduction": null,
              "limits": {
              },
              "form": "liberal",
              "engine": "strongly connected components",
              "trace": null
            },
            {
              "file": "game.dcj",
              "protocol": "game",
              "arguments": [],
              "property": "no deadlock",
              "verdict": "holds",
              "expected": "holds",
              "passed": true,
              "bound": null,
              "states": 4,
              "transitions": 4,
              "bytes": 8688,
              "product": null,
              "seconds": …,
              "runs": null,
              "fairness": null,
              "reduction": null,
              "limits": {
              },
              "form": "liberal",
              "engine": "breadth-first search",
              "trace": null
            }
          ],
          "never": [
            {
              "taken": [],
              "lines": [],
              "reached": [],
              "statements": []
            },
            {
              "taken": [],
              "lines": [],
              "reached": [],
              "statements": []
            },
            {
              "taken": [],
              "lines": [],
              "reached": [],
              "statements": []
            }
          ]
        }"#]]
    .assert_eq(&heads.join("\n"));
}

#[test]
fn folders_are_searched() {
    let folder = suite(MANIFEST);
    std::fs::create_dir(folder.path().join("more")).expect("a folder");
    let quad = "message Hello; role A, B; protocol greet { Hello from A to B; }\n\
                property said: F A sends Hello;\nproperty late (violated): X A sends Hello;\n";
    std::fs::write(folder.path().join("more/greet.quad"), quad).expect("a file");
    std::fs::write(folder.path().join("more/other.toml"), "[package]\n").expect("a file");
    let output = folder.run(&["test", "."]);
    let text = String::from_utf8_lossy(&output.stdout);
    expect![[r#"
        10 passed, 1 failed
          pass no deadlock: holds (the liberal form)
          pass Answered.owl: holds (infinite runs of the liberal form, no fairness)
        ./game.dcj game, liberal"#]]
    .assert_eq(&text.lines().rev().take(4).collect::<Vec<_>>().join("\n"));
    folder.check(
        &["test", "more/greet.quad"],
        &expect![[r#"
            exit 0
            --- stdout
            more/greet.quad greet
              pass said: holds (maximal runs, no fairness)
              pass late: violated (maximal runs, no fairness)
              pass no deadlock: holds
            3 passed, 0 failed
        "#]],
    );
}

#[test]
fn manifests_that_cannot_be_used() {
    let check = |manifest: &str, expected: &expect_test::Expect| {
        suite(manifest).check(&["test", "suite.toml"], expected);
    };
    check(
        "[[check]\n",
        &expect![[r#"
            exit 2
            --- stderr
            error[Q017]: unclosed array table, expected `]`
             --> suite.toml:1:9
              |
            1 | [[check]
              |         ^ here
              |
              = help: a suite has a `[[check]]` for each protocol: `file`, and where they are needed `protocol`, `args`, `form`, `runs`, `allow_deadlock`, `types`, `formulas`, `never`, `expect`; and a table `[lint]` of rules and levels
            see `quadrille explain Q017`
        "#]],
    );
    check(
        "[[check]]\nfile = \"game.dcj\"\nformula = [\"*.owl\"]\n",
        &expect![[r#"
            exit 2
            --- stderr
            error[Q017]: unknown field `formula`, expected one of `file`, `protocol`, `args`, `form`, `variant`, `runs`, `allow_deadlock`, `types`, `formulas`, `never`, `expect`
             --> suite.toml:3:1
              |
            3 | formula = ["*.owl"]
              | ^^^^^^^ here
              |
              = help: a suite has a `[[check]]` for each protocol: `file`, and where they are needed `protocol`, `args`, `form`, `runs`, `allow_deadlock`, `types`, `formulas`, `never`, `expect`; and a table `[lint]` of rules and levels
            see `quadrille explain Q017`
        "#]],
    );
    check(
        "[[check]]\nfile = \"game.dcj\"\nvariant = \"free\"\n",
        &expect![[r#"
            exit 2
            --- stderr
            error[Q017]: unknown variant `free`, expected one of `global`, `strict`, `liberal`
             --> suite.toml:3:11
              |
            3 | variant = "free"
              |           ^^^^^^ here
              |
              = help: a suite has a `[[check]]` for each protocol: `file`, and where they are needed `protocol`, `args`, `form`, `runs`, `allow_deadlock`, `types`, `formulas`, `never`, `expect`; and a table `[lint]` of rules and levels
            see `quadrille explain Q017`
        "#]],
    );
    check(
        "[[check]]\nfile = \"game.dcj\"\nformulas = [\"*.wol\", \"[\"]\n\
         [[check]]\nfile = \"game.dcj\"\nformulas = [\"Ne*.owl\"]\nexpect = { \"Nevr.owl\" = \"holds\" }\n\
         [[check]]\nfile = \"game.dcj\"\n",
        &expect![[r#"
            exit 2
            --- stderr
            error[Q017]: no file matches `*.wol`
             --> suite.toml:3:13
              |
            3 | formulas = ["*.wol", "["]
              |             ^^^^^^^
              |
              = help: patterns are relative to the manifest; `*` stands for any part of a name
            error[Q017]: `[` is no pattern
             --> suite.toml:3:22
              |
            3 | formulas = ["*.wol", "["]
              |                      ^^^ invalid range pattern
              |
              = help: patterns are relative to the manifest; `*` stands for any part of a name
            error[Q017]: `Nevr.owl` is none of the formulas
             --> suite.toml:7:12
              |
            7 | expect = { "Nevr.owl" = "holds" }
              |            ^^^^^^^^^^
              |
              = help: write the name of a file that `formulas` matches
            error[Q017]: there are no formulas
             --> suite.toml:9:8
              |
            9 | file = "game.dcj"
              |        ^^^^^^^^^^ has no properties of its own
              |
              = help: write `formulas = ["formulas/*.owl"]`
            see `quadrille explain Q017`
        "#]],
    );
    check(
        "[[check]]\nfile = \"gone.dcj\"\nformulas = [\"Never.owl\"]\n\
         [[check]]\nfile = \"game.dcj\"\nprotocol = \"gone\"\nformulas = [\"Never.owl\"]\n\
         [[check]]\nfile = \"game.dcj\"\nformulas = [\"Never.owl\"]\n",
        &expect![[r#"
            exit 2
            --- stderr
            error[Q001]: cannot read `gone.dcj`
             |
             = note: No such file or directory (os error 2)
             = help: check the path; it is relative to the current folder
            error[D007]: there is no session `gone`
             --> game.dcj:1:1
              |
            1 | (s/defroles ::alice ::bob)
              | ^ not defined here
              |
              = help: sessions here are: turn, game
            error[Q015]: `game.dcj` defines several sessions
             --> game.dcj:2:1
              |
            2 | (s/defsession ::turn [p q] (s/-->> Ball p q))
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ turn p q
            3 | (s/defsession ::game [] (s/* [(::turn ::alice ::bob) (::turn ::bob ::alice)]))
              | ------------------------------------------------------------------------------ game
              |
              = help: name one with --protocol, and give its arguments with --arg
            see `quadrille explain Q001`
        "#]],
    );
    suite("").check(
        &["test", "game.dcj"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q003]: `game.dcj` holds no tests
             |
             = help: name a .quad, .qev or .als file, a .toml manifest or a folder
            see `quadrille explain Q003`
        "#]],
    );
    Folder::new([]).check(
        &["test", "."],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q018]: there is nothing to test in `.`
             |
             = help: name a .quad, .qev or .als file, or a manifest, or a folder that holds one
            see `quadrille explain Q018`
        "#]],
    );
}

/// The rows of the shared table as a manifest: one entry per protocol, arguments, variant and types.
fn shared_manifest(data: &Path) -> String {
    let table = shared::text(&data.join("expected.tsv"));
    let mut entries: Vec<(Vec<&str>, Vec<&str>, Vec<&str>)> = Vec::new();
    for row in table.lines().skip(1) {
        let [file, session, arguments, variant, formula, types, expected] =
            row.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{row}")
        };
        let key = vec![file, session, arguments, variant, types];
        let position = entries.iter().position(|(known, _, _)| *known == key);
        let position = position.unwrap_or_else(|| {
            entries.push((key, Vec::new(), Vec::new()));
            entries.len() - 1
        });
        entries[position].1.push(formula);
        if expected == "violated" {
            entries[position].2.push(formula);
        }
    }
    let mut manifest = String::new();
    for (key, formulas, violated) in entries {
        let [file, session, arguments, variant, types] = key[..] else { panic!("{key:?}") };
        let path = |name: &str| format!("{:?}", data.join(name).display().to_string());
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let types = types.split([' ', ',', ';']).filter_map(|pair| pair.split_once('='));
        let types: Vec<String> = types.map(|(short, full)| format!("{short} = {full:?}")).collect();
        let formulas: Vec<String> = formulas.iter().map(|formula| path(formula)).collect();
        let violated: Vec<String> =
            violated.iter().map(|formula| format!("{} = \"violated\"", path(formula))).collect();
        let _ = write!(
            manifest,
            "[[check]]\nfile = {}\nprotocol = {session:?}\nargs = [{}]\nvariant = {variant:?}\n\
             runs = \"infinite\"\ntypes = {{ {} }}\nformulas = [{}]\nexpect = {{ {} }}\n\n",
            path(file),
            arguments.join(", "),
            types.join(", "),
            formulas.join(", "),
            violated.join(", "),
        );
    }
    manifest
}

#[conformance]
fn the_shared_suite_comes_out_as_published() {
    let manifest = shared_manifest(&shared::path("protocols"));
    let folder = Folder::new([("suite.toml", manifest.as_bytes())]);
    let output = folder.run(&["test", "suite.toml"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().last(), Some("81 passed, 0 failed"), "{text}");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn the_examples_pass() {
    let folder = Folder::new([]);
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let output = folder.run(&["test", examples]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with(" passed, 0 failed\n"), "{text}");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}
