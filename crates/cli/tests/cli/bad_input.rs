//! What users get wrong: a diagnostic and exit code 2 each, never a panic.

use expect_test::{Expect, expect};

use crate::folder::Folder;

/// Checks one file.
#[track_caller]
fn check(name: &str, content: &[u8], expected: &Expect) {
    Folder::new([(name, content)]).check(&["check", name], expected);
}

#[test]
fn a_file_of_unknown_kind() {
    check(
        "model.nte",
        b"participant P: a",
        &expect![[r#"
            exit 2
            --- stderr
            error[Q003]: unknown file type: `model.nte`
             |
             = note: .quad: protocols with their properties
             = note: .dcj: protocols in Discourje's language
             = note: .bp: components with their behavior protocols
             = note: .arch: an architecture of components
             = note: .qev: a design of relations and events
             = note: .tno: a design in Taino's form
             = note: .als: a specification in Alloy 6, for `check`, `test` and `eval`
             = note: .aut: a transition system in Aldebaran format
             = note: .net: a network of participants and channels
             = note: .pnml: a Petri net
             = note: .ia: a network in positional form
             = help: did you mean `.net`?
            see `quadrille explain Q003`
        "#]],
    );
    check(
        "model",
        b"",
        &expect![[r#"
            exit 2
            --- stderr
            error[Q003]: unknown file type: `model`
             |
             = note: .quad: protocols with their properties
             = note: .dcj: protocols in Discourje's language
             = note: .bp: components with their behavior protocols
             = note: .arch: an architecture of components
             = note: .qev: a design of relations and events
             = note: .tno: a design in Taino's form
             = note: .als: a specification in Alloy 6, for `check`, `test` and `eval`
             = note: .aut: a transition system in Aldebaran format
             = note: .net: a network of participants and channels
             = note: .pnml: a Petri net
             = note: .ia: a network in positional form
             = help: give the file one of these endings
            see `quadrille explain Q003`
        "#]],
    );
}

#[test]
fn a_file_that_is_not_there_or_is_a_folder() {
    let folder = Folder::new([]);
    folder.check(
        &["check", "missing.net"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q001]: cannot read `missing.net`
             |
             = note: No such file or directory (os error 2)
             = help: check the path; it is relative to the current folder
            see `quadrille explain Q001`
        "#]],
    );
    std::fs::create_dir(folder.path().join("folder.net")).expect("a folder");
    folder.check(
        &["states", "folder.net"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q001]: cannot read `folder.net`
             |
             = note: it is a directory
             = help: check the path; it is relative to the current folder
            see `quadrille explain Q001`
        "#]],
    );
}

#[test]
fn an_empty_file() {
    check(
        "empty.net",
        b"",
        &expect![[r#"
        exit 2
        --- stderr
        error[N008]: a network without participants
         --> empty.net:1:1
          |
        1 |
          | ^
          |
          = help: declare one: `participant Name: first second`
        see `quadrille explain N008`
    "#]],
    );
    check(
        "empty.aut",
        b"",
        &expect![[r#"
        exit 2
        --- stderr
        error[A001]: the file is empty
         --> empty.aut:1:1
          |
        1 |
          | ^
          |
          = help: start the file with `des (first, transitions, states)`
        see `quadrille explain A001`
    "#]],
    );
}

#[test]
fn bytes_that_are_no_text() {
    check(
        "latin.net",
        b"participant P: a\nparticipant Andr\xe9: a\n",
        &expect![[r#"
        exit 2
        --- stderr
        error[Q004]: `latin.net` is not UTF-8 at line 2, column 17
         --> latin.net:2:17
          |
        2 | participant Andr�: a
          |                 ^ the byte 0xe9 is not text
          |
          = help: convert the file to UTF-8
        see `quadrille explain Q004`
    "#]],
    );
}

#[test]
fn three_mistakes_in_one_file_are_all_reported() {
    let net = b"participant P: a b\ngo: P a -> c\nback: Q b -> a\nstay: P a => b\n";
    check(
        "three.net",
        net,
        &expect![[r#"
        exit 2
        --- stderr
        error[N002]: there is no state `c`
         --> three.net:2:12
          |
        2 | go: P a -> c
          |            ^
          |
          = help: one of `a`, `b`
        error[N002]: there is no participant, channel or counter `Q`
         --> three.net:3:7
          |
        3 | back: Q b -> a
          |       ^
          |
          = help: one of `P`
        error[N001]: expected `->`, `,` or the end of the line
         --> three.net:4:11
          |
        4 | stay: P a => b
          |           ^
          |
          = help: write `label: A here -> there, channel ! message`
        see `quadrille explain N002`
    "#]],
    );
    let aut = b"des (0, 3, 2)\n(0, \"a\", 5)\n0 a 1\n(1, \"b\"\n";
    check(
        "three.aut",
        aut,
        &expect![[r#"
        exit 2
        --- stderr
        error[A003]: there is no state 5
         --> three.aut:2:1
          |
        1 | des (0, 3, 2)
          | ------------- 2 states
        2 | (0, "a", 5)
          | ^^^^^^^^^^^
          |
          = help: states are numbered from 0; correct the number or the header
        error[A002]: expected `(`
         --> three.aut:3:1
          |
        3 | 0 a 1
          | ^
          |
          = help: a transition is written `(from, label, to)`
        error[A002]: expected `)` at the end
         --> three.aut:4:8
          |
        4 | (1, "b"
          |        ^
          |
          = help: a transition is written `(from, label, to)`
        see `quadrille explain A003`
    "#]],
    );
}

#[test]
fn a_line_of_fifty_megabytes() {
    for (name, start) in
        [("long.net", "participant P: "), ("long.aut", "des (0, "), ("long.ia", "<")]
    {
        let mut content = start.as_bytes().to_vec();
        content.resize(50_000_000, b'(');
        let folder = Folder::new([(name, content.as_slice())]);
        let output = folder.run(&["check", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(output.stderr.len() < 50_000, "{name}: {} bytes", output.stderr.len());
    }
}

#[test]
fn a_model_without_initial_state() {
    check(
        "headless.aut",
        b"des (7, 1, 2)\n(0, \"a\", 1)\n",
        &expect![[r#"
        exit 2
        --- stderr
        error[A003]: there is no state 7
         --> headless.aut:1:1
          |
        1 | des (7, 1, 2)
          | ^^^^^^^^^^^^^
          |
          = help: states are numbered from 0; correct the number or the header
        see `quadrille explain A003`
    "#]],
    );
}

#[test]
fn names_in_formulas_that_the_model_does_not_have() {
    let folder = Folder::with_examples();
    let check = |formula: &str, expected: &Expect| {
        folder.check(&["check", "philosophers.net", "--formula", formula], expected);
    };
    check(
        "G F \"plato.don\"",
        &expect![[r#"
        exit 2
        --- stderr
        error[Q006]: the model has no action `plato.don`
         --> formula 1:1:5
          |
        1 | G F "plato.don"
          |     ^^^^^^^^^^^
          |
          = help: did you mean "plato.done"?
        see `quadrille explain Q006`
    "#]],
    );
    check(
        "G (fest | \"feast\")",
        &expect![[r#"
        exit 2
        --- stderr
        error[Q007]: the model has no proposition `fest`
         --> formula 1:1:4
          |
        1 | G (fest | "feast")
          |    ^^^^
          |
          = help: did you mean feast?
        error[Q006]: the model has no action `feast`
         --> formula 1:1:11
          |
        1 | G (fest | "feast")
          |           ^^^^^^^
          |
          = help: `feast` is a proposition: write it without quotes
        see `quadrille explain Q007`
    "#]],
    );
    check(
        "F sleeping",
        &expect![[r#"
        exit 2
        --- stderr
        error[Q007]: the model has no proposition `sleeping`
         --> formula 1:1:3
          |
        1 | F sleeping
          |   ^^^^^^^^
          |
          = help: its propositions are feast, plato_eats
        see `quadrille explain Q007`
    "#]],
    );
}

#[test]
fn formulas_that_are_none() {
    let folder = Folder::with_examples();
    std::fs::write(folder.path().join("none"), "// nothing\n\n").expect("a file");
    folder.check(
        &["check", "door.aut", "--formula", "G (", "--formula", "", "--formula-file", "none"],
        &expect![[r#"
            exit 2
            --- stderr
            error[F002]: `)` is missing
             --> formula 1:1:3
              |
            1 | G (
              |   ^ opened here
              |
              = help: add `)`
            error[F001]: expected a proposition, an action in double quotes, `(` or `not`
             --> formula 1:1:4
              |
            1 | G (
              |    ^ the formula ends here
            error[F001]: expected a proposition, an action in double quotes, `(` or `not`
             --> formula 2:1:1
              |
            1 |
              | ^ the formula ends here
            error[Q013]: `none` holds no formula
             --> none:1:1
              |
            1 | // nothing
              | ^
            see `quadrille explain F002`
        "#]],
    );
}

#[test]
fn contradictions() {
    let folder = Folder::with_examples();
    let base = ["check", "door.aut", "--formula", "G F \"open\""];
    folder.check(
        &[&base[..], &["--fair", "weak", "--algorithm", "ndfs"]].concat(),
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: nested depth-first search cannot respect fairness
         |
         = help: leave --fair out, or use --algorithm scc
        see `quadrille explain Q012`
    "#]],
    );
    let branching = ["check", "door.aut", "--formula", "EF \"open\"", "--fair", "weak"];
    folder.check(
        &branching,
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: --runs and --fair do not apply to a formula of branching time
         --> formula 1:1:1
          |
        1 | EF "open"
          | ^^^^^^^^^ has path quantifiers
          |
          = help: leave the options out, or write a linear formula
        see `quadrille explain Q012`
    "#]],
    );
    let mixed = ["check", "door.aut", "--formula", "EF (G \"open\")"];
    folder.check(
        &mixed,
        &expect![[r#"
        exit 2
        --- stderr
        error[F005]: linear and branching time are mixed in one formula
         --> formula 1:1:1
          |
        1 | EF (G "open")
          | ^^^^^^^^^^^^^ has operators of both
          |
          = note: this would be a formula of CTL*, which is not supported
          = help: put `A` or `E` before every temporal operator or before none
        see `quadrille explain F005`
    "#]],
    );
    folder.check(
        &[&base[..], &["--fair", "weak=opne"]].concat(),
        &expect![[r#"
        exit 2
        --- stderr
        error[Q014]: the model has no group of steps `opne`
         |
         = help: did you mean open?
        see `quadrille explain Q014`
    "#]],
    );
}

#[test]
fn bad_usage() {
    let folder = Folder::with_examples();
    folder.check(
        &[],
        &expect![[r#"
            exit 2
            --- stderr
            Gets communication between concurrent parts right

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
              -q, --quiet    No progress and no remarks; results and errors only
              -h, --help     Print help (see more with '--help')
              -V, --version  Print version

            Exit codes: 0 holds, 1 violated, 2 cannot run (bad input or usage), 3 unknown.
            `quadrille help COMMAND` shows a command with an example.
        "#]],
    );
    folder.check(
        &["chekc", "door.aut"],
        &expect![[r#"
        exit 2
        --- stderr
        error: unrecognized subcommand 'chekc'

          tip: a similar subcommand exists: 'check'

        Usage: quadrille [OPTIONS] <COMMAND>

        For more information, try '--help'.
    "#]],
    );
    folder.check(&["check", "door.aut", "--timeout", "soon"], &expect![[r#"
        exit 2
        --- stderr
        error: invalid value 'soon' for '--timeout <DURATION>': write a time, such as 500ms, 10s, 5m or 1h

        For more information, try '--help'.
    "#]]);
    folder.check(&["check", "door.aut", "--fair", "sometimes"], &expect![[r#"
        exit 2
        --- stderr
        error: invalid value 'sometimes' for '--fair <weak|strong[=GROUP]>': write weak, strong, weak=NAME or strong=NAME

        For more information, try '--help'.
    "#]]);
    folder.check(
        &["check", "door.aut", "--trace-out", "trace.png"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q009]: cannot infer the trace format from `trace.png`
             |
             = help: end the name in .txt, .json, .itf.json, .svg or .mmd
            see `quadrille explain Q009`
        "#]],
    );
}

#[test]
fn output_that_cannot_be_written() {
    let folder = Folder::with_examples();
    folder.check(
        &["check", "mailbox.net", "--trace-out", "no/such/t.json"],
        &expect![[r#"
            exit 2
            --- stdout
            deadlock: after 4 steps  (10 states, 12 transitions; no reduction, no bounds)

                 start     Client: idle   Server: ready   requests: []   answers: []
              1  ask       Client: idle → waiting   requests: [] → [ask]
              2  cancel    Client: waiting → annoyed   requests: [ask] → [ask cancel]
              3  take      Server: ready → working   requests: [ask cancel] → [cancel]
              4  abandon   Server: working → ready   requests: [cancel] → []
              stuck: no step is possible, and the system may not end here
                Client waits for late: answers is []
                Server waits for take: requests is []
                Server waits for drop: requests is []

              replay: quadrille replay mailbox.net no/such/t.json

            --- stderr
            error[Q002]: cannot write `no/such/t.json`
             |
             = note: No such file or directory (os error 2)
             = help: the folder must exist and be writable
            see `quadrille explain Q002`
        "#]],
    );
    folder.check(
        &["check", "door.aut", "--junit", "no/such/j.xml"],
        &expect![[r#"
            exit 2
            --- stdout
            holds: no deadlock  (4 states, 6 transitions; no reduction, no bounds)
            --- stderr
            error[Q002]: cannot write `no/such/j.xml`
             |
             = note: No such file or directory (os error 2)
             = help: the folder must exist and be writable
            see `quadrille explain Q002`
        "#]],
    );
}

#[test]
fn a_trace_that_is_none() {
    let folder = Folder::with_examples();
    folder.check(
        &["replay", "door.aut", "door.aut"],
        &expect![[r#"
        exit 2
        --- stderr
        error[R001]: not a trace: expected value
         --> door.aut:1:1
          |
        1 | des (0, 6, 4)
          | ^
          |
          = help: `quadrille check … --trace-out FILE.json` writes traces that can be replayed
        see `quadrille explain R001`
    "#]],
    );
}
