//! Models that are too large to explore: random walks, estimates, searches that may leave states out.

use crate::folder::Folder;

/// Exit code and output of a run.
fn run(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String) {
    let output = folder.run(arguments);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

/// Counters that a step each moves on, and a lamp that goes on once all are at the end.
fn counters(n: usize) -> Folder {
    let mut text = String::new();
    for i in 0..n {
        text += &format!("participant C{i}: a* b c\nup{i}: C{i} a -> b\nmore{i}: C{i} b -> c\n");
        text += &format!("back{i}: C{i} c -> a\n");
    }
    text += "participant L: off* on\nlight: ";
    for i in 0..n {
        text += &format!("C{i} c -> c, ");
    }
    text += "L off -> on\nprop lit = L in on\n";
    Folder::new([("counters.net", text.as_bytes()), ("stuck.net", STUCK.as_bytes())])
}

const STUCK: &str = "participant P: start* left right dead\n\
    go: P start -> left\nback: P left -> start\nturn: P left -> right\nreturn: P right -> start\n\
    die: P right -> dead\nprop lost = P in dead\n";

#[test]
fn a_walk_that_gets_stuck_is_shortened_and_can_be_replayed() {
    let folder = counters(2);
    let (code, text) = run(&folder, &["simulate", "stuck.net", "--trace-out", "run.json"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.starts_with("deadlock: after 3 steps  (walk "), "{text}");
    assert!(text.contains("shortened to 3 steps, none is shorter"), "{text}");
    assert!(text.contains("replay: quadrille replay stuck.net run.json"), "{text}");
    let (code, text) = run(&folder, &["replay", "stuck.net", "run.json"]);
    assert_eq!(code, Some(0), "{text}");
    let asked = ["simulate", "stuck.net", "--allow-deadlock", "--formula", "G !lost"];
    let (code, text) = run(&folder, &asked);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("--allow-deadlock --seed 0 --walks 1000 --depth 10000"), "{text}");
}

#[test]
fn walks_that_find_nothing_prove_nothing() {
    let folder = counters(3);
    let few = ["--walks", "5", "--depth", "20"];
    let (code, text) = run(&folder, &[&["simulate", "counters.net"], &few[..]].concat());
    assert_eq!(code, Some(3), "{text}");
    assert!(text.starts_with("unknown: no deadlock\n"), "{text}");
    assert!(text.contains("random walks prove nothing"), "{text}");
    assert!(text.contains("never taken: light") || text.contains("actions taken    10 of 10"));
    // What no finite walk refutes is unknown, whatever is walked.
    for formula in ["G F lit", "F lit", "AG EF lit"] {
        let asked = ["simulate", "counters.net", "--formula", formula];
        let (code, text) = run(&folder, &[&asked[..], &few].concat());
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains("no finite walk refutes it"), "{text}");
        assert!(!text.contains("holds"), "{text}");
    }
}

#[test]
fn walks_are_the_same_for_any_number_of_workers() {
    let folder = counters(4);
    for asked in [
        &["simulate", "counters.net", "--walks", "200", "--depth", "300"][..],
        &["simulate", "counters.net", "--formula", "G !lit", "--seed", "5"],
        &["simulate", "counters.net", "--max-states", "20"],
    ] {
        let answer = |workers: &str| {
            let (code, json) =
                run(&folder, &[asked, &["--format", "json", "--workers", workers]].concat());
            let lines = json.lines().filter(|line| !line.contains("\"seconds\""));
            (code, lines.collect::<Vec<_>>().join("\n"))
        };
        let alone = answer("1");
        assert!(alone.1.contains("\"never_taken\""), "{}", alone.1);
        for workers in ["2", "4", "7"] {
            assert_eq!(answer(workers), alone, "{asked:?}");
        }
    }
}

#[test]
fn walks_go_through_every_language() {
    let folder = Folder::new([
        (
            "ping.quad",
            b"message Ping; role a, b; protocol p { repeat forever { Ping from a to b; } }\n\
            property quiet: G !(a sends Ping to b);\n",
        ),
        ("shop.bp", b"Client\n!I.a ; !I.b\nClerk\n?I.a ; ?I.b\n"),
        ("door.aut", b"des (0,2,2)\n(0,\"open\",1)\n(1,\"close\",0)\n"),
    ]);
    let (code, text) = run(&folder, &["simulate", "ping.quad", "--walks", "3", "--depth", "9"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("violated: quiet"), "{text}");
    for file in ["shop.bp", "door.aut"] {
        let (code, text) = run(&folder, &["simulate", file, "--walks", "3", "--depth", "9"]);
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains("random walks prove nothing"), "{text}");
    }
}

#[test]
fn estimates_are_exact_where_they_can_be_and_say_so() {
    let folder = counters(6);
    let (code, text) = run(&folder, &["estimate", "counters.net"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("1458, exactly: all were explored"), "{text}");
    let (code, text) = run(&folder, &["estimate", "counters.net", "--budget", "100"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("1458, exactly: counted by sets of states"), "{text}");
    // What they cost is not known as exactly.
    let is_range = |line: &str| line.starts_with("memory ") && line.contains(", between ");
    assert!(text.lines().any(is_range), "{text}");
    let (code, json) =
        run(&folder, &["estimate", "counters.net", "--budget", "100", "--format", "json"]);
    assert_eq!(code, Some(0), "{json}");
    assert!(json.contains("\"exact\": true") && json.contains("\"states\": 1458"), "{json}");
}

#[test]
fn a_lossy_search_never_says_holds() {
    let folder = counters(5);
    for mode in ["hash-compact", "bitstate=64K", "bitstate=8"] {
        let lossy = ["--lossy", mode];
        let (code, text) = run(&folder, &[&["check", "counters.net"], &lossy[..]].concat());
        assert_eq!(code, Some(3), "{text}");
        assert!(text.starts_with("unknown: no deadlock  (no violation found, omission"), "{text}");
        assert!(!text.contains("holds"), "{text}");
    }
    // What it finds is there, and replayed.
    let asked = ["check", "counters.net", "--formula", "G !lit", "--allow-deadlock"];
    let (_, exact) = run(&folder, &asked);
    let (code, text) = run(&folder, &[&asked[..], &["--lossy", "hash-compact"]].concat());
    assert_eq!(code, Some(1), "{text}");
    let steps = |text: &str| text.lines().filter(|line| line.contains("->")).count();
    assert!(steps(&text) == steps(&exact), "{text}\n{exact}");
    assert!(text.contains("--lossy hash-compact --trace-out"), "{text}");
}

#[test]
fn what_a_lossy_search_cannot_answer_is_refused() {
    let folder = counters(2);
    let lossy = ["check", "counters.net", "--lossy", "hash-compact"];
    for more in [
        &["--formula", "G F lit"][..],
        &["--formula", "F lit", "--fair", "weak"],
        &["--engine", "symbolic"],
        &["--reduction", "check"],
        &["--order", "dfs"],
    ] {
        let (code, text) = run(&folder, &[&lossy[..], more].concat());
        assert_eq!(code, Some(2), "{more:?}: {text}");
        assert!(text.contains("--lossy"), "{text}");
    }
    let (code, text) = run(&folder, &["check", "counters.net", "--lossy", "much"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("bitstate=SIZE"), "{text}");
}

#[test]
fn linear_time_by_sets_that_shrink_agrees_with_components() {
    let folder = counters(4);
    for formula in ["G F lit", "F lit", "G (lit -> X lit)", "F G lit"] {
        let answer = |algorithm: &str, workers: &str| {
            let asked = ["check", "counters.net", "--engine", "explicit", "--formula", formula];
            let with = ["--algorithm", algorithm, "--workers", workers, "--format", "json"];
            let (code, json) = run(&folder, &[&asked[..], &with].concat());
            let is_told =
                |line: &&str| !line.contains("\"seconds\"") && !line.contains("\"bytes\"");
            (code, json.lines().filter(is_told).collect::<Vec<_>>().join("\n"))
        };
        let (code, alone) = answer("owcty", "1");
        assert_eq!(answer("owcty", "4"), (code, alone), "{formula}");
        assert_eq!(answer("scc", "1").0, code, "{formula}");
    }
    let fair = ["check", "counters.net", "--formula", "G F lit", "--fair", "weak"];
    let (code, text) = run(&folder, &[&fair[..], &["--algorithm", "owcty"]].concat());
    assert_eq!(code, Some(2), "{text}");
}
