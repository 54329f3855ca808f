//! `--engine`: sets of states instead of states, when asked for and when a model is large.

use crate::folder::Folder;

/// Lamps that are switched on one by one, or together from the start: two to the power of `n` states.
fn lamps(n: usize) -> Folder {
    let names: Vec<String> = (0..n).map(|number| format!("L{number}")).collect();
    let mut text = format!("participant {}: off* on\n", names.join(", "));
    for name in &names {
        text.push_str(&format!("{}.on: {name} off -> on\n", name.to_lowercase()));
    }
    text.push_str("prop both = L0 in on and L1 in on\n");
    Folder::new([("lamps.net", text.as_bytes())])
}

/// Exit code and output of a run.
fn run(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String) {
    let output = folder.run(arguments);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_small_model_is_explored_state_by_state_unless_told_otherwise() {
    let folder = lamps(5);
    let (_, auto) = run(&folder, &["states", "lamps.net"]);
    assert!(auto.contains("states           32\n") && !auto.contains("symbolic"), "{auto}");
    let (code, symbolic) = run(&folder, &["states", "lamps.net", "--engine", "symbolic"]);
    assert_eq!(code, Some(0));
    assert!(symbolic.contains("states           32\n"), "{symbolic}");
    assert!(symbolic.contains("transitions      80\n"), "{symbolic}");
    assert!(symbolic.contains("engine           symbolic, "), "{symbolic}");
}

#[test]
fn a_large_model_is_counted_exactly() {
    let folder = lamps(80);
    let states = (1u128 << 80).to_string();
    let (code, text) = run(&folder, &["states", "lamps.net"]);
    assert_eq!(code, Some(0));
    assert!(text.contains(&format!("states           {states}\n")), "{text}");
    let (code, json) = run(&folder, &["states", "lamps.net", "--format", "json"]);
    assert_eq!(code, Some(0));
    assert!(json.contains(&format!("\"states\": \"{states}\"")), "{json}");
    assert!(json.contains("\"engine\": \"symbolic saturation\""), "{json}");
    let (code, text) = run(&folder, &["check", "lamps.net", "--formula", "G !both"]);
    assert_eq!(code, Some(1));
    assert!(text.contains(&format!("violated: G !both  ({states} states, ")), "{text}");
    assert!(text.contains("symbolically in "), "{text}");
    assert!(text.contains("deadlock: after 80 steps"), "{text}");
}

#[test]
fn both_engines_say_the_same() {
    let folder = lamps(6);
    for formula in [
        "G !both",
        "F both",
        "G F !both",
        "AG EF both",
        "EF (both & EX both)",
        "AF both",
        "A(!both U both)",
    ] {
        let words = |engine: &str| {
            let arguments = ["check", "lamps.net", "--formula", formula, "--engine", engine];
            let (code, text) = run(&folder, &arguments);
            let headlines = text.lines().filter(|line| line.contains("states, "));
            let words = headlines.map(|line| line.split("  (").next().unwrap_or("").to_owned());
            (code, words.collect::<Vec<_>>())
        };
        assert_eq!(words("symbolic"), words("explicit"), "{formula}");
    }
}

#[test]
fn what_the_symbolic_engine_does_not_do_is_refused() {
    let folder = lamps(3);
    let check = ["check", "lamps.net", "--engine", "symbolic", "--formula", "F both"];
    let (code, text) = run(&folder, &[&check[..], &["--fair", "weak"]].concat());
    assert_eq!(code, Some(2));
    assert!(text.contains("fairness") && text.contains("--engine explicit"), "{text}");
    let states = ["states", "lamps.net", "--engine", "symbolic", "--by", "depth"];
    let (code, text) = run(&folder, &states);
    assert_eq!(code, Some(2));
    assert!(text.contains("--by"), "{text}");
}

#[test]
fn limits_end_in_unknown() {
    let folder = lamps(80);
    let symbolic = ["--engine", "symbolic", "--max-states", "50"];
    let (code, text) = run(&folder, &[&["states", "lamps.net"], &symbolic[..]].concat());
    assert_eq!(code, Some(3));
    assert!(text.starts_with("unknown: "), "{text}");
    let (code, text) = run(&folder, &[&["check", "lamps.net"], &symbolic[..]].concat());
    assert_eq!(code, Some(3));
    assert!(text.starts_with("unknown: no deadlock"), "{text}");
    // Without sets, a limit of states is one of states.
    let (code, _) = run(&folder, &["check", "lamps.net", "--max-states", "1000"]);
    assert_eq!(code, Some(3));
}

/// A document without the seconds that it took.
fn timeless(json: &str) -> String {
    json.lines().filter(|line| !line.contains("\"seconds\"")).collect::<Vec<_>>().join("\n")
}

#[test]
fn answers_do_not_depend_on_the_number_of_workers() {
    let folder = lamps(13);
    let explicit = ["--engine", "explicit", "--format", "json"];
    for command in [
        &["states", "lamps.net"][..],
        &["states", "lamps.net", "--max-states", "7000"],
        &["check", "lamps.net"],
        &["check", "lamps.net", "--formula", "G !both", "--formula", "F both"],
        &["check", "lamps.net", "--allow-deadlock", "--formula", "AG EF both"],
        &["check", "lamps.net", "--max-memory", "100K"],
    ] {
        let answer = |workers: &str| {
            let (code, json) =
                run(&folder, &[command, &explicit, &["--workers", workers]].concat());
            (code, timeless(&json))
        };
        let alone = answer("1");
        for workers in ["2", "4", "7"] {
            assert_eq!(answer(workers), alone, "{command:?} {workers}");
        }
    }
    let (code, text) = run(&folder, &["states", "lamps.net", "--workers", "0"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("--workers"), "{text}");
}
