//! Alloy specifications, as the command answers them.

use expect_test::expect;

use crate::folder::Folder;

const LOCK: &str = "sig Node { var believes : lone Lock }
one sig Lock { var holder : lone Node }
fact start { no holder and no believes }
pred grant [n : Node] {
  no Lock.holder
  holder' = Lock -> n
  believes' = believes + n -> Lock
}
pred expire { some holder and no holder' and believes' = believes }
pred rest { holder' = holder and believes' = believes }
fact behaviour { always (rest or expire or some n : Node | grant[n]) }
assert holder_knows { always all n : Lock.holder | some n.believes }
check holder_knows for 3 expect 0
assert one_believer { always lone believes.Lock }
check one_believer for 2 expect 1
run held { always some holder } expect 1
";

fn lock() -> Folder {
    Folder::new([("lock.als", LOCK.as_bytes())])
}

#[test]
fn commands_have_their_verdicts_and_exit_codes() {
    lock().check(
        &["check", "lock.als", "--command", "holder_knows"],
        &expect![[r#"
            exit 0
            --- stdout
            holds: holder_knows  (holds for scope 3, every length; induction over 1 steps)
        "#]],
    );
    lock().check(
        &["check", "lock.als", "--command", "one_believer"],
        &expect![[r#"
            exit 1
            --- stdout
            violated: one_believer  (counterexample of 4 states, scope 2)

                 Node = Node$0 + Node$1
                 Lock = Lock$0
                 state 0: grant[Node$1]
                   Node<:believes = none
                   Lock<:holder = none
                 state 1: expire
                   Node<:believes = Node$1->Lock$0
                   Lock<:holder = Lock$0->Node$1
                 state 2: grant[Node$0]
                   Lock<:holder = none
                 state 3: rest
                   Node<:believes = Node$0->Lock$0 + Node$1->Lock$0
                   Lock<:holder = Lock$0->Node$0
                 back to state 3
        "#]],
    );
    lock().check(
        &["check", "lock.als", "--command", "held"],
        &expect![[r#"
            exit 1
            --- stdout
            none found: held  (no instance, scope 3, every length; 0 states, 0 transitions)
        "#]],
    );
    lock().check(
        &["check", "lock.als", "--command", "one_belever"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Y018]: the specification has no command `one_belever`
             |
             = help: did you mean `one_believer`?
            see `quadrille explain Y018`
        "#]],
    );
}

#[test]
fn tests_compare_with_what_is_expected() {
    lock().check(
        &["test", "lock.als"],
        &expect![[r#"
            exit 1
            --- stdout
            passed: lock.als: holder_knows: holds (holds for scope 3, every length; induction over 1 steps)
            passed: lock.als: one_believer: violated (counterexample of 4 states, scope 2)
            FAILED: lock.als: held: none found (no instance, scope 3, every length; 0 states, 0 transitions; expect 1)
        "#]],
    );
}

#[test]
fn expressions_are_evaluated_on_an_instance() {
    let asked = ["eval", "lock.als", "#believes", "--command", "one_believer", "--state", "3"];
    lock().check(
        &asked,
        &expect![[r#"
            exit 0
            --- stdout
            2
        "#]],
    );
}

#[test]
fn options_about_other_languages_are_refused() {
    lock().check(
        &["check", "lock.als", "--allow-deadlock"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: --allow-deadlock says nothing about specifications (.als)
         |
         = help: leave it out; `--command NAME` chooses a command, `--html` and `--xml` write files
        see `quadrille explain Q012`
    "#]],
    );
}

#[test]
fn engines_are_chosen() {
    lock().check(
        &["check", "lock.als", "--command", "held", "--engine", "sat"],
        &expect![[r#"
            exit 1
            --- stdout
            none found: held  (no instance up to 10 steps, scope 3)
        "#]],
    );
    lock().check(
        &[
            "check",
            "lock.als",
            "--command",
            "holder_knows",
            "--engine",
            "both",
            "--proof",
            "checked",
        ],
        &expect![[r#"
            exit 0
            --- stdout
            holds: holder_knows  (holds for scope 3, every length; 32 states, 83 transitions)
        "#]],
    );
    let fixed = Folder::new([("fixed.als", b"sig A {} check { no A } for 2" as &[u8])]);
    fixed.check(&["check", "fixed.als", "--engine", "explicit"], &expect![[r#"
        exit 2
        --- stderr
        error[Y017]: `check$1` cannot be answered state by state
         --> fixed.als:1:10
          |
        1 | sig A {} check { no A } for 2
          |          ^^^^^^^^^^^^^^^^^^^^
          |
          = note: that takes facts `always …` that say what the next state may be, and operators of time that do not stand below a set that changes with them
          = help: use `--engine sat`, or leave `--engine` out
        see `quadrille explain Y017`
    "#]]);
    lock().check(
        &["states", "lock.als", "--engine", "sat"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: --engine sat is for specifications (.als)
         |
         = help: leave it out, or choose `explicit` or `symbolic`
        see `quadrille explain Q012`
    "#]],
    );
}

#[test]
fn a_command_without_an_answer_does_not_hide_the_others() {
    let text = b"sig A {}\nsome_: run { some A } for 2\nwide: run { some A } for 2 but 40 Int\n";
    let folder = Folder::new([("a.als", text as &[u8])]);
    folder.check(
        &["check", "a.als"],
        &expect![[r#"
        exit 2
        --- stdout
        found: some_  (instance, scope 2)

             A = A$0 + A$1
        --- stderr
        error[Y012]: integers of 40 bits are not supported
         --> a.als:3:7
          |
        3 | wide: run { some A } for 2 but 40 Int
          |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: give `Int` between 1 and 12 bits
        see `quadrille explain Y012`
    "#]],
    );
}

#[test]
fn tests_are_told_to_machines() {
    let folder = lock();
    let output = folder.run(&["test", "lock.als", "--format", "json", "--junit", "out.xml"]);
    assert_eq!(output.status.code(), Some(1));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((document["passed"].as_u64(), document["failed"].as_u64()), (Some(2), Some(1)));
    let held = &document["specifications"][0]["commands"][2];
    assert_eq!(
        (held["command"].as_str(), held["verdict"].as_str()),
        (Some("held"), Some("none found"))
    );
    let xml = folder.read("out.xml");
    assert!(
        xml.contains("<testsuite name=\"lock.als\" tests=\"3\" failures=\"1\" errors=\"0\""),
        "{xml}"
    );
    assert!(xml.contains("<failure message=\"none found: no instance"), "{xml}");
}

#[test]
fn pages_show_states_events_and_projections() {
    let folder = lock();
    std::fs::write(folder.path().join("theme.txt"), "project Node\ncolour Lock #ffeedd\n")
        .expect("a file");
    let command = ["check", "lock.als", "--command", "one_believer", "--html", "out.html"];
    folder.run(&[&command[..], &["--theme", "theme.txt"]].concat());
    let page = folder.read("out.html");
    for part in [
        "grant[Node$1]",
        "expire",
        "<option>Node$1</option>",
        "#ffeedd",
        "data-state=\"3\"",
        "to state 3",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    // Seen from a node, what it believes marks the lock, and there is no arrow.
    assert!(!page.contains(">believes</tspan>"), "{page}");
}

#[test]
fn commands_about_states_say_which_read_specifications() {
    lock().check(
        &["step", "lock.als"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q003]: `lock.als` is an Alloy specification, which this cannot read
         |
         = help: `quadrille check lock.als` answers its commands; `test` and `eval` read it, too
        see `quadrille explain Q003`
    "#]],
    );
}

#[test]
fn integers_wrap_around_unless_told_otherwise() {
    let text = b"one sig Pool { size : Int, more : Int }
fact { Pool.size = 5 and Pool.more = 3 }
check grows { plus[Pool.size, Pool.more] >= Pool.size }
check each { all n : Int | plus[n, 1] > n }
run fits { some n : Int | plus[n, 1] < n }
run chosen { some n : Int | n = Pool.more }
";
    let folder = Folder::new([("pool.als", text as &[u8])]);
    folder.check(
        &["check", "pool.als"],
        &expect![[r#"
            exit 1
            --- stdout
            violated: grows  (counterexample, scope 3; integers wrap around in it: --overflow avoid)

                 Pool = Pool$0
                 Pool<:size = Pool$0->5
                 Pool<:more = Pool$0->3
            violated: each  (counterexample, scope 3)

                 Pool = Pool$0
                 Pool<:size = Pool$0->5
                 Pool<:more = Pool$0->3
                 $n = 7
            found: fits  (instance, scope 3)

                 Pool = Pool$0
                 Pool<:size = Pool$0->5
                 Pool<:more = Pool$0->3
                 $n = 7
            found: chosen  (instance, scope 3)

                 Pool = Pool$0
                 Pool<:size = Pool$0->5
                 Pool<:more = Pool$0->3
                 $n = 3
        "#]],
    );
    folder.check(
        &["check", "pool.als", "--overflow", "avoid"],
        &expect![[r#"
            exit 1
            --- stdout
            holds: grows  (no counterexample, scope 3)
            holds: each  (no counterexample, scope 3)
            none found: fits  (no instance, scope 3)
            found: chosen  (instance, scope 3)

                 Pool = Pool$0
                 Pool<:size = Pool$0->5
                 Pool<:more = Pool$0->3
                 $n = 3
        "#]],
    );
}

#[test]
fn all_states_give_a_counterexample_as_short_as_the_solver() {
    for engine in ["sat", "explicit"] {
        let command = ["check", "lock.als", "--command", "one_believer", "--engine", engine];
        let output = lock().run(&command);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            text.starts_with("violated: one_believer  (counterexample of 4 states, scope 2)\n")
        );
    }
}
