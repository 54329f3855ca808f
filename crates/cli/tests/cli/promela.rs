//! Models as Promela: the text, and what Spin says about it where it is installed.

use std::path::Path;
use std::process::Command;

use expect_test::expect;

use crate::folder::Folder;

#[test]
fn a_table_is_written_as_one_process_that_goes_from_state_to_state() {
    let table = "des (0, 3, 3)\n(0, \"work\", 1)\n(1, \"rest\", 0)\n(1, \"stop\", 2)\n";
    let folder = Folder::new([("work.aut", table.as_bytes())]);
    let output = folder.run(&["convert", "work.aut", "--out", "work.pml"]);
    assert_eq!(output.status.code(), Some(0));
    expect![[r#"
        /* 3 states, 3 steps */
        int state = 0;

        active proctype system() {
          goto going_on;
        going_on:
          if
          :: false -> goto going_on
          :: d_step { state == 0 -> state = 1 } goto going_on /* work */
          :: d_step { state == 1 -> state = 0 } goto going_on /* rest */
          :: d_step { state == 1 -> state = 2 } goto going_on /* stop */
          fi;
        end_here:
          if
          :: false -> goto end_here
          fi;
        }
    "#]]
    .assert_eq(&folder.read("work.pml"));
}

#[test]
fn where_a_system_may_end_decides_the_label_at_which_it_waits() {
    let net = "participant A: idle busy done*\nwork: A idle -> busy\nrest: A busy -> idle\n\
        stop: A busy -> done\nprop tired = A in {busy, done}\n";
    let folder = Folder::new([("work.net", net.as_bytes())]);
    let output = folder.run(&["convert", "work.net", "--out", "work.pml"]);
    assert_eq!(output.status.code(), Some(0));
    expect![[r#"
        /* 1 variables, 3 steps */
        byte A = 0; /* A : 0 idle, 1 busy, 2 done */
        /* tired */
        #define tired ((A == 1 || A == 2))

        active proctype system() {
          goto going_on;
        going_on:
          do
          :: false
          :: atomic { A == 0 -> A = 1; if :: ((A == 2)) -> goto end_here :: else -> goto going_on fi } /* work */
          :: atomic { A == 1 -> A = 0; if :: ((A == 2)) -> goto end_here :: else -> goto going_on fi } /* rest */
          :: atomic { A == 1 -> A = 2; if :: ((A == 2)) -> goto end_here :: else -> goto going_on fi } /* stop */
          od;
        end_here:
          do
          :: false
          :: atomic { A == 0 -> A = 1; if :: ((A == 2)) -> goto end_here :: else -> goto going_on fi } /* work */
          :: atomic { A == 1 -> A = 0; if :: ((A == 2)) -> goto end_here :: else -> goto going_on fi } /* rest */
          :: atomic { A == 1 -> A = 2; if :: ((A == 2)) -> goto end_here :: else -> goto going_on fi } /* stop */
          od;
        }
    "#]]
    .assert_eq(&folder.read("work.pml"));
}

#[test]
fn a_model_that_says_what_its_steps_do_is_written_step_by_step() {
    let design = "enum Light { Red, Green }\nsig Lamp { var shows : one Light, var seen : set Lamp }\n\
        event turn[l : Lamp] { l.shows = Red  l.shows' = Green }\n\
        event see[l, m : Lamp] { m.shows = Green  m not in l.seen  l.seen' = l.seen + m }\n\
        init { Lamp.shows = Red  no seen } for 1 Lamp\nend {}\n\
        check dark { always Lamp.shows = Red } expect 1\n";
    let folder = Folder::new([("lamp.qev", design.as_bytes())]);
    let output = folder.run(&["convert", "lamp.qev", "--out", "lamp.pml"]);
    assert_eq!(output.status.code(), Some(0));
    expect![[r#"
        /* 2 variables, 2 steps */
        bit Lamp1_shows = 0; /* Lamp$1.shows : 0 Red, 1 Green */
        bit Lamp1_in_Lamp1_seen = 0; /* Lamp$1 in Lamp$1.seen : 0 no, 1 yes */
        /* Lamp.shows = Red */
        #define p0 (Lamp1_shows == 0)

        active proctype system() {
        end_here:
          do
          :: false
          :: d_step { Lamp1_shows == 0 -> Lamp1_shows = 1 } /* turn[Lamp$1] */
          :: d_step { Lamp1_shows == 1 && Lamp1_in_Lamp1_seen == 0 -> Lamp1_in_Lamp1_seen = 1 } /* see[Lamp$1, Lamp$1] */
          od
        }
    "#]].assert_eq(&folder.read("lamp.pml"));
}

/// What Spin counts and finds: states stored, and errors (invalid end states).
fn spin(folder: &Folder, model: &str) -> Option<(u64, u64)> {
    let here = |program: &str, words: &[&str]| {
        Command::new(program).args(words).current_dir(folder.path()).output().ok()
    };
    here("spin", &["-a", model])?;
    let compiled = here("cc", &["-O0", "-DNOREDUCE", "-o", "pan", "pan.c"])?;
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let pan = folder.path().join("pan").display().to_string();
    // All errors are counted, and the search goes on behind them.
    let told = here(&pan, &["-c0", "-m100000"])?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let before = |mark: &str| -> Option<u64> {
        let line = told.lines().find(|line| line.contains(mark))?;
        line.split(mark).next()?.split_whitespace().last()?.parse().ok()
    };
    let errors = told.split("errors: ").nth(1)?.split_whitespace().next()?.parse().ok()?;
    Some((before(" states, stored")?, errors))
}

/// Without Spin there is nothing to compare with, which is said.
#[test]
#[allow(clippy::print_stderr)] // a test that does nothing says so
fn spin_counts_the_same_states_and_deadlocks_where_it_is_installed() {
    if Command::new("spin").arg("-V").output().is_err() {
        eprintln!("skipped: there is no `spin` on this machine");
        return;
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    // Every design, and a network; its states are counted by exploring, and one more where there are
    // several initial states, which Spin reaches from none of them.
    let mut models = vec![examples.join("philosophers.net")];
    let designs = std::fs::read_dir(examples.join("designs")).expect("the designs");
    models.extend(designs.map(|entry| entry.expect("a design").path()));
    models.retain(|path| path.extension().is_some_and(|it| it == "net" || it == "qev"));
    models.sort();
    assert!(models.len() > 10, "{models:?}");
    for path in models {
        let folder = Folder::new([]);
        let model = path.display().to_string();
        let output = folder.run(&["convert", &model, "--out", "model.pml"]);
        assert_eq!(output.status.code(), Some(0), "{model}");
        let text = folder.read("model.pml");
        // Step by step, not as a table of what can be reached.
        assert!(text.lines().next().is_some_and(|it| it.contains("variables")), "{model}");
        let counted = folder.run(&["states", &model, "--format", "json"]);
        let counted = String::from_utf8_lossy(&counted.stdout).into_owned();
        let figure = |name: &str| -> u64 {
            let rest = counted.split(&format!("\"{name}\": ")).nth(1).expect("a figure");
            rest.split(',').next().and_then(|it| it.trim().parse().ok()).expect("a number")
        };
        let several = u64::from(text.contains("system() {\n  if\n"));
        let (stored, errors) = spin(&folder, "model.pml").expect("Spin's results");
        let wanted = (figure("states") + several, figure("deadlocks") > 0);
        assert_eq!((stored, errors > 0), wanted, "{model}");
    }
}
