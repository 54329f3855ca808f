//! `replay`, `draw`, `compare`, `explain`, `completions`, help.

use expect_test::expect;

use crate::folder::Folder;

const TRACE: [&str; 4] = ["check", "mailbox.net", "--trace-out", "t.json"];

#[test]
fn a_trace_that_does_not_fit_says_where() {
    let folder = Folder::with_examples();
    assert_eq!(folder.run(&TRACE).status.code(), Some(1));
    folder.check(
        &["replay", "philosophers.net", "t.json"],
        &expect![[r#"
        exit 1
        --- stdout
        does not fit: the states of trace and model differ in their slots, first in `Client`
        property: no deadlock

             start     Client: idle   Server: ready   requests: []   answers: []
          1  ask       Client: idle → waiting   requests: [] → [ask]
          2  cancel    Client: waiting → annoyed   requests: [ask] → [ask cancel]
          3  take      Server: ready → working   requests: [ask cancel] → [cancel]
          4  abandon   Server: working → ready   requests: [cancel] → []
          stuck: no step is possible, and the system may not end here
            Client waits for late: answers is []
            Server waits for take: requests is []
            Server waits for drop: requests is []
    "#]],
    );
    let changed =
        folder.read("mailbox.net").replace("abandon:  Server working", "abandon:  Server ready");
    std::fs::write(folder.path().join("mailbox.net"), changed).expect("a file");
    folder.check(
        &["replay", "mailbox.net", "t.json"],
        &expect![[r#"
        exit 1
        --- stdout
        does not fit: step 4, `abandon`, is not possible there; the model offers `answer`
        property: no deadlock

             start     Client: idle   Server: ready   requests: []   answers: []
          1  ask       Client: idle → waiting   requests: [] → [ask]
          2  cancel    Client: waiting → annoyed   requests: [ask] → [ask cancel]
          3  take      Server: ready → working   requests: [ask cancel] → [cancel]
          4  abandon   Server: working → ready   requests: [cancel] → []
          stuck: no step is possible, and the system may not end here
            Client waits for late: answers is []
            Server waits for take: requests is []
            Server waits for drop: requests is []
    "#]],
    );
    folder.check(&["draw", "mailbox.net", "--trace", "t.json"], &expect![[r#"
        exit 2
        --- stderr
        error[Q010]: the trace does not fit the model: step 4, `abandon`, is not possible there; the model offers `answer`
         |
         = help: check again to get a trace of the model as it is now
        see `quadrille explain Q010`
    "#]]);
}

#[test]
fn replay_reads_the_output_of_a_check_and_answers_in_json() {
    let folder = Folder::with_examples();
    let output = folder.run(&["check", "door.aut", "--formula", "F \"kick\"", "--format", "json"]);
    std::fs::write(folder.path().join("check.json"), output.stdout).expect("a file");
    folder.check(
        &["replay", "door.aut", "check.json", "--format", "json"],
        &expect![[r#"
        exit 0
        --- stdout
        {
          "schema": "quadrille/1",
          "file": "door.aut",
          "fits": true,
          "step": null,
          "message": null,
          "trace": {
            "property": "F \"kick\"",
            "participants": [],
            "initial": {
              "state": 0
            },
            "steps": [
              {
                "action": "open",
                "shape": {
                  "kind": "joint",
                  "participants": []
                },
                "changes": {
                  "state": 1
                }
              },
              {
                "action": "close",
                "shape": {
                  "kind": "joint",
                  "participants": []
                },
                "changes": {
                  "state": 0
                }
              }
            ],
            "ending": {
              "kind": "loop",
              "from": 0
            }
          }
        }
    "#]],
    );
}

#[test]
fn models_and_traces_are_drawn() {
    let folder = Folder::with_examples();
    let code = |arguments: &[&str]| folder.run(arguments).status.code();
    assert_eq!(code(&TRACE), Some(1));
    for name in ["door.svg", "door.mmd", "door.dot"] {
        assert_eq!(code(&["draw", "door.aut", "-o", name]), Some(0));
    }
    assert!(folder.read("door.svg").contains("door.aut"));
    expect![[r#"
        stateDiagram-v2
          s0 : 0
          [*] --> s0
          s1 : 1
          s2 : 2
          s3 : 3
          s0 --> s1 : open
          s0 --> s2 : lock
          s1 --> s0 : close
          s1 --> s3 : kick
          s2 --> s0 : unlock
          s3 --> s1 : repair
    "#]]
    .assert_eq(&folder.read("door.mmd"));
    expect![[r#"
        digraph "door.aut" {
          node [shape=box, style=rounded, fontname=monospace]
          edge [fontname=monospace]
          s0 [label="0", tooltip="state 0\nstate: 0"]
          start0 [shape=point]
          start0 -> s0
          s1 [label="1", tooltip="state 1\nstate: 1"]
          s2 [label="2", tooltip="state 2\nstate: 2"]
          s3 [label="3", tooltip="state 3\nstate: 3"]
          s0 -> s1 [label="open"]
          s0 -> s2 [label="lock"]
          s1 -> s0 [label="close"]
          s1 -> s3 [label="kick"]
          s2 -> s0 [label="unlock"]
          s3 -> s1 [label="repair"]
        }
    "#]]
    .assert_eq(&folder.read("door.dot"));
    assert_eq!(code(&["draw", "mailbox.net", "--trace", "t.json", "-o", "t.svg"]), Some(0));
    assert!(folder.read("t.svg").contains("Client"));
    folder.check(
        &["draw", "philosophers.net", "--max-states", "5"],
        &expect![[r#"
        exit 2
        --- stderr
        error[R003]: there are more than 5 states to draw
         |
         = help: raise --max-states, draw a trace with --trace, or write DOT
        see `quadrille explain R003`
    "#]],
    );
    folder.check(
        &["draw", "door.aut", "-o", "door.png"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q009]: cannot infer the format of the drawing from `door.png`
             |
             = help: end the name in .svg, .mmd or .dot
            see `quadrille explain Q009`
        "#]],
    );
}

#[test]
fn models_are_compared() {
    let folder = Folder::new([
        ("early.aut", b"des (0,3,4)\n(0,coin,1)\n(1,tea,2)\n(1,coffee,3)\n"),
        ("late.aut", b"des (0,4,5)\n(0,coin,1)\n(0,coin,2)\n(1,tea,3)\n(2,coffee,4)\n"),
        ("less.aut", b"des (0,3,4)\n(0,coin,1)\n(1,i,2)\n(2,tea,3)\n"),
    ]);
    let check =
        |a, b, relation| folder.run(&["compare", a, b, "--relation", relation]).status.code();
    assert_eq!(check("early.aut", "early.aut", "strong"), Some(0));
    assert_eq!(check("early.aut", "late.aut", "traces"), Some(0));
    assert_eq!(check("less.aut", "late.aut", "inclusion"), Some(0));
    folder.check(
        &["compare", "early.aut", "late.aut"],
        &expect![[r#"
            exit 1
            --- stdout
            different: early.aut and late.aut are not strongly bisimilar  (no reduction, no bounds)
              only early.aut starts where it
                can do "coin" then (can do "coffee" and can do "tea")
        "#]],
    );
    folder.check(
        &["compare", "early.aut", "less.aut", "--relation", "traces"],
        &expect![[r#"
            exit 1
            --- stdout
            different: early.aut and less.aut do not have the same traces  (no reduction, no bounds)
              only early.aut can do "coin", do "coffee"

                 start    state: 0
              1  coin     state: 0 → 1
              2  coffee   state: 1 → 3
        "#]],
    );
    folder.check(
        &["compare", "late.aut", "less.aut", "--relation", "inclusion", "--format", "json"],
        &expect![[r#"
            exit 1
            --- stdout
            {
              "schema": "quadrille/1",
              "left": "late.aut",
              "right": "less.aut",
              "relation": "inclusion",
              "verdict": "violated",
              "bound": null,
              "difference": {
                "kind": "trace",
                "side": "left",
                "observations": [
                  "do \"coin\"",
                  "do \"coffee\""
                ],
                "trace": {
                  "property": "every trace of left is one of right",
                  "participants": [],
                  "initial": {
                    "state": 0
                  },
                  "steps": [
                    {
                      "action": "coin",
                      "shape": {
                        "kind": "joint",
                        "participants": []
                      },
                      "changes": {
                        "state": 2
                      }
                    },
                    {
                      "action": "coffee",
                      "shape": {
                        "kind": "joint",
                        "participants": []
                      },
                      "changes": {
                        "state": 4
                      }
                    }
                  ],
                  "ending": {
                    "kind": "prefix"
                  }
                }
              },
              "runs": null,
              "fairness": null,
              "reduction": null,
              "limits": {
                "states": null,
                "bytes": null
              },
              "form": "global",
              "engine": "antichains",
              "seconds": …
            }
        "#]],
    );
}

#[test]
fn every_code_is_explained() {
    let folder = Folder::new([]);
    folder.check(
        &["explain", "q006"],
        &expect![[r#"
        exit 0
        --- stdout
        Q006: A formula asks for an action that the model does not have.

        An action is written by its label in double quotes, as the model writes it. If the action
        were simply never performed, `G !"label"` would hold for a typing mistake too; so a label
        that nothing bears is an error.

        ```text
        quadrille check examples/philosophers.net --formula 'G F "eat_with_chopsticks"'
        ```

        Correct the label, or write a proposition without quotes.
    "#]],
    );
    folder.check(
        &["explain", "Q06"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q008]: there is no diagnostic `Q06`
             |
             = help: did you mean Q006 or Q016 or Q026? `quadrille explain` lists all codes
            see `quadrille explain Q008`
        "#]],
    );
    let list = String::from_utf8(folder.run(&["explain"]).stdout).expect("text");
    for line in list.lines() {
        let code = line.split_whitespace().next().expect("a code");
        assert_eq!(folder.run(&["explain", code]).status.code(), Some(0), "{code}");
    }
}

#[test]
fn help_teaches_by_example() {
    let folder = Folder::new([]);
    folder.check(&["--help"], &expect![[r#"
        exit 0
        --- stdout
        Gets communication between concurrent parts right.

        Reads a model, explores every state it can reach, and says `holds`, `violated` (with a trace that
        shows why) or `unknown` (a bound was reached first).

        Usage: quadrille [OPTIONS] <COMMAND>

        Commands:
          check        Check a model: for deadlock, or for formulas
          eval         Evaluate an expression on the instance of a command of an Alloy specification
          test         Run tests: the properties of protocols and the formulas of suites, against what is
                       expected
          reduce       Leave out of components what cannot make a difference to whether they fit together
          substitute   Ask whether a component or role may take the place of another
          lint         Look for what is probably a mistake in a protocol, a formula or components
          project      Project a protocol to its roles, and say whether they do what it says
          generate     Write the Rust module of a protocol: typed roles, in a strict and a liberal variant
          monitor      Follow a protocol or components along the log of a running system, read from stdin
          frame        Derive frame protocols (.bp) from annotated Rust traits or from the roles of a
                       protocol
          double       Write Rust traits for a component, and a test double that plays its environment
          states       Count the states and transitions of a model
          runs         Show how far searches on disk came, or delete them
          cluster      Share a search out among processes, on this machine (`cluster local`) or on many
          step         Walk through a model: choose each step, go back, jump to a violation
          simulate     Walk through a model at random: what can be found where there are too many states to
                       explore
          estimate     Estimate how many states a model has, and what exploring them takes
          examine      Answer the examinations of the Model Checking Contest about a Petri net
          draw         Draw a small model as a graph, or a trace as a sequence diagram
          replay       Follow a trace on a model and say whether it fits
          compare      Compare two models: do they behave alike?
          convert      Write a model in another notation, or a formula as an automaton
          minimise     Write the smallest model that is equivalent to a model
          explain      Print the manual page of a diagnostic, or list all of them
          completions  Print a completion script for a shell
          man          Print the manual page of quadrille, or write the pages of all commands to a folder
          sim          Explore the schedules of a crate's tests, the crate and its dependencies as they are
          help         Print this message or the help of the given subcommand(s)

        Options:
          -q, --quiet
                  No progress and no remarks; results and errors only

          -h, --help
                  Print help (see a summary with '-h')

          -V, --version
                  Print version

        Exit codes: 0 holds, 1 violated, 2 cannot run (bad input or usage), 3 unknown.
        `quadrille help COMMAND` shows a command with an example.
    "#]]);
    folder.check(
        &["states", "--help"],
        &expect![[r#"
            exit 0
            --- stdout
            Count the states and transitions of a model

            Usage: quadrille states [OPTIONS] <FILE> [FILE]...

            Arguments:
              <FILE>
                      The model: .quad, .dcj, .bp, .arch, .qev, .net, .ia or .aut; or a folder of .bp files

            Options:
              -q, --quiet
                      No progress and no remarks; results and errors only

              -h, --help
                      Print help (see a summary with '-h')

            Components (.bp):
                  --bind <I.m>
                      An interface or a method that joins components; everything else is external then. May be
                      repeated [default: whatever two components mention]

                  --external <I.m>
                      An interface or a method that the environment takes part in. May be repeated

                  --throws <I.m=E,…>
                      The exceptions of a method of components. Methods that are not named throw nothing then.
                      May be repeated [default: whatever is caught]

                  --construction <CONSTRUCTION>
                      How the automata of components are made; verdicts are the same, sizes are not

                      Possible values:
                      - minimal:   As small as possible
                      - published: As in the published measurements: alternatives distributed, not minimised

                      [default: minimal]

              [FILE]...
                      Further files or folders of components (.bp)

            Architectures (.arch):
                  --composite <NAME>
                      The composite of an .arch file; needed where there are several and one model is wanted

                  --compliance <COMPLIANCE>
                      Its parts by themselves, or closed by its frame protocol [default: both are checked; as a
                      model, vertical where it has a frame protocol]

                      Possible values:
                      - horizontal: The parts by themselves
                      - vertical:   The parts with the frame protocol as their environment

            Designs (.qev):
                  --command <NAME>
                      The command of a .qev file in whose scope the design is explored [default: the first;
                      `check` and `test` take all]

            Protocols (.quad, .dcj):
                  --protocol <NAME>
                      The protocol (session) of the file; otherwise the first of a .quad file, the only one of a
                      .dcj file

                  --arg <VALUE>
                      An argument of the protocol, written as in its language; repeated, in order

                  --parameter <NAME=VALUE>
                      Another value for a parameter of a .quad file; may be repeated

                      [alias: --param]

                  --form <FORM>
                      Which form of the protocol is explored

                      Possible values:
                      - global:  The protocol itself
                      - strict:  What is run with one state for all roles
                      - liberal: What is run with a state per role and queues between them

                      [default: global]
                      [alias: --variant]

                  --by <BY>
                      Count the parts, too: steps per action or participant, states per depth

                      Possible values:
                      - action:      How many steps each action makes
                      - participant: How many steps each participant takes part in
                      - depth:       How many states are first met after so many steps

                  --order <ORDER>
                      Which state is expanded next; `depth` is known breadth-first only

                      Possible values:
                      - bfs: Breadth first: shortest traces
                      - dfs: Depth first: deep violations are often found sooner

                      [default: bfs]

                  --engine <ENGINE>
                      What explores the model

                      Possible values:
                      - auto:     State by state; a large model by sets of states first, under a small budget
                      - explicit: State by state
                      - symbolic: By sets of states
                      - sat:      Of specifications (.als): by the solver, up to the steps of the scope
                      - both:     Of specifications (.als): by the solver and state by state, which must agree

                      [default: auto]

            Store:
                  --store <STORE>
                      Where states are kept: in a table in `memory`; in sorted `runs`, which take one or two
                      bytes for each; or in such runs on `disk=FOLDER`, where `--max-memory` only bounds how
                      much is sorted at a time. Runs answer deadlock and invariants

                      [default: memory]

                  --resume
                      Go on with the search in the folder of `--store disk=FOLDER`, from its last complete
                      level; begin where there is none

                  --workers <N>
                      Threads that expand states; all processors by default. Answers do not depend on it

            Bounds:
                  --max-states <N>
                      Stop after this many states

                  --max-memory <SIZE>
                      Stop when the search uses this much memory, such as 800M or 4G

                  --timeout <DURATION>
                      Stop after this time, such as 500ms, 10s or 5m

                  --timeout-each <DURATION>
                      Give up a formula or another question after this time, and go on with the next

                  --progress <PROGRESS>
                      How to tell, on standard error, how far a search came

                      Possible values:
                      - auto:    A line that changes, on a terminal; nothing elsewhere
                      - json:    A JSON object each second, described in docs/json.md
                      - workers: The same, with an object for each worker of a cluster

                      [default: auto]

            Output:
                  --format <FORMAT>
                      How results are printed

                      Possible values:
                      - text: For people
                      - json: One JSON object, described in docs/json.md

                      [default: text]

            Example:
              quadrille states examples/philosophers.net
              quadrille states examples/philosophers.net --by action
              quadrille states examples/philosophers.net --format json
              quadrille states examples/components/airport.arch --composite TokenService
        "#]],
    );
    let of_models = ["check", "states", "draw", "replay", "compare", "explain", "completions"];
    for command in of_models.into_iter().chain(["test", "lint", "project", "monitor"]) {
        let output = folder.run(&[command, "--help"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let examples = text.lines().filter(|line| line.starts_with("  quadrille ")).count();
        assert!(examples >= 2, "{command}: {text}");
    }
}

#[test]
fn completions_name_the_commands() {
    let folder = Folder::new([]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = folder.run(&["completions", shell]);
        assert!(output.status.success());
        assert!(String::from_utf8_lossy(&output.stdout).contains("replay"), "{shell}");
    }
}

#[test]
fn cargo_runs_it_too() {
    let folder = Folder::with_examples();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cargo-quadrille"));
    command.args(["quadrille", "check", "door.aut"]).current_dir(folder.path());
    assert_eq!(command.output().expect("the command starts").status.code(), Some(0));
}
