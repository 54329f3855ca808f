//! `--reduction` and `--symmetry`: used in large models where it is sound, said in every verdict.

use crate::folder::Folder;

/// Lamps that are switched on one by one: two to the power of `n` states.
fn lamps(n: usize) -> Folder {
    let names: Vec<String> = (0..n).map(|number| format!("L{number}")).collect();
    let mut text = format!("participant {}: off on\n", names.join(", "));
    for name in &names {
        text.push_str(&format!("{}.on: {name} off -> on\n", name.to_lowercase()));
    }
    text.push_str("prop both = L0 in on and L1 in on\n");
    Folder::new([("lamps.net", text.as_bytes())])
}

fn check(folder: &Folder, more: &[&str]) -> (Option<i32>, String) {
    let output = folder.run(&[&["check", "lamps.net", "--engine", "explicit"], more].concat());
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_large_model_is_reduced_and_the_verdict_says_so() {
    let folder = lamps(17);
    let asked = ["--allow-deadlock", "--symmetry", "off", "--formula", "F both"];
    let (code, text) = check(&folder, &asked);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("partial-order reduction: counts are of the reduced graph"), "{text}");
    assert!(text.contains("(19 states, 19 transitions; "), "{text}");
    let (code, json) = check(&folder, &[&asked[..], &["--format", "json"]].concat());
    assert_eq!(code, Some(0));
    assert!(json.contains("\"reduction\": \"partial-order reduction: counts"), "{json}");
    let (code, text) = check(&folder, &[&asked[..], &["--reduction", "off"]].concat());
    assert_eq!(code, Some(0));
    assert!(text.contains("131072 states") && text.contains("no reduction, no bounds"), "{text}");
}

#[test]
fn a_violation_of_a_reduced_model_is_shown_by_a_shortest_run() {
    let folder = lamps(17);
    let (code, text) = check(&folder, &["--allow-deadlock", "--formula", "G !both"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("l0.on") && text.contains("l1.on") && !text.contains("l2.on"), "{text}");
}

#[test]
fn what_needs_all_steps_is_not_reduced_and_the_verdict_says_why() {
    let folder = lamps(17);
    for (formula, more, reason) in [
        ("AG EF both", None, "no reduction (branching time)"),
        ("X X !both", None, "no reduction (the formula may see every step)"),
        ("F both", Some("weak"), "no reduction (fairness)"),
    ] {
        let fair: Vec<&str> = more.iter().flat_map(|fair| ["--fair", fair]).collect();
        let asked = ["--allow-deadlock", "--symmetry", "off", "--formula", formula];
        let (_, text) = check(&folder, &[&asked[..], &fair].concat());
        assert!(text.contains(reason), "{formula}: {text}");
    }
}

#[test]
fn both_ways_are_compared_when_asked() {
    let folder = lamps(6);
    let asked = ["--reduction", "check", "--formula", "F both", "--formula", "G !both"];
    let (code, text) = check(&folder, &asked);
    assert_eq!(code, Some(1), "{text}");
    assert_eq!(text.matches("explored with and without partial-order reduction").count(), 3);
}

#[test]
fn participants_that_are_alike_are_exchanged_and_the_verdict_says_so() {
    let folder = lamps(17);
    let asked = ["--allow-deadlock", "--reduction", "off"];
    let (code, text) = check(&folder, &[&asked[..], &["--formula", "F both"]].concat());
    assert_eq!(code, Some(0), "{text}");
    // How many of the two lamps that the formula names are on, and of the other fifteen.
    assert!(text.contains("(48 states, "), "{text}");
    assert!(text.contains(", symmetry: counts are of representatives"), "{text}");
    let (code, text) = check(&folder, &[&asked[..], &["--formula", "G !both"]].concat());
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("l0.on") && text.contains("l1.on") && !text.contains("l2.on"), "{text}");
    let (_, text) = check(&folder, &["--allow-deadlock", "--formula", "F both"]);
    let both = "symmetry and partial-order reduction: counts are of representatives";
    assert!(text.contains(both), "{text}");
    let (_, text) = check(&folder, &[&asked[..], &["--formula", "AG EF both"]].concat());
    assert!(text.contains("no symmetry (branching time)"), "{text}");
}

#[test]
fn representatives_are_compared_when_asked() {
    let folder = lamps(6);
    for (more, n_ways) in
        [(&[][..], "symmetry"), (&["--reduction", "check"], "symmetry and partial-order reduction")]
    {
        let asked = ["--symmetry", "check", "--formula", "F both", "--formula", "G !both"];
        let (code, text) = check(&folder, &[&asked[..], more].concat());
        assert_eq!(code, Some(1), "{text}");
        let said = format!("explored with and without {n_ways}");
        assert_eq!(text.matches(&said).count(), 3, "{text}");
    }
}

#[test]
fn one_step_represents_all_others_in_a_search_for_deadlocks() {
    let folder = lamps(17);
    let (code, text) = check(&folder, &["--reduction", "representatives"]);
    assert_eq!(code, Some(1), "{text}");
    // Switching lamps on one after the other is all that is left; the run is a shortest one.
    assert!(text.contains("l16.on"), "{text}");
    let (code, text) = check(&folder, &["--formula", "F both", "--reduction", "representatives"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("representatives keep deadlocks"), "{text}");
}
