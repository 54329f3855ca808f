//! Petri nets: as models of every command, and examined as the contest does.

use crate::folder::Folder;

/// Exit code and output of a run on the example nets.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let buffer = include_bytes!("../../../../examples/petri/buffer/model.pnml");
    let bounds = include_bytes!("../../../../examples/petri/buffer/UpperBounds.xml");
    let linear = include_bytes!("../../../../examples/petri/buffer/LTLFireability.xml");
    let reach = include_bytes!("../../../../examples/petri/buffer/ReachabilityCardinality.xml");
    let forks = include_bytes!("../../../../examples/petri/forks/model.pnml");
    let expected = include_bytes!("../../../../examples/petri/expected.tsv");
    let wrong =
        String::from_utf8_lossy(expected).replace("items-on-their-way\t5", "items-on-their-way\t4");
    let folder = Folder::new([
        ("nets/buffer/model.pnml", &buffer[..]),
        ("nets/buffer/UpperBounds.xml", bounds),
        ("nets/buffer/LTLFireability.xml", linear),
        ("nets/buffer/ReachabilityCardinality.xml", reach),
        ("nets/forks/model.pnml", forks),
        ("nets/expected.tsv", expected),
        ("other/buffer/model.pnml", buffer),
        ("other/buffer/UpperBounds.xml", bounds),
        ("other/expected.tsv", wrong.as_bytes()),
    ]);
    let output = folder.run(arguments);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn nets_are_models_of_every_command() {
    let net = "nets/buffer/model.pnml";
    let (code, text) = run(&["states", net]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("16") && text.contains("28"), "{text}");
    assert_eq!(run(&["check", net]).0, Some(0));
    let (code, text) = run(&["check", "nets/forks/model.pnml"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("take_left") && text.contains("take_right"), "{text}");
    let asked = |formula: &str| run(&["check", net, "--formula", formula]);
    assert_eq!(asked("AG tokens(room, stock) <= 3").0, Some(0));
    assert_eq!(asked("G 3 >= tokens(room) + 0").0, Some(2));
    assert_eq!(asked("EF tokens(stock) > tokens(room)").0, Some(0));
    assert_eq!(asked("G tokens(stock) < 3").0, Some(1));
    assert_eq!(asked("G F (fireable(put, get) or deadlock)").0, Some(0));
    assert_eq!(asked("F \"get\"").0, Some(0));
    let (code, text) = asked("AG tokens(stok) <= 3");
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("did you mean `stock`?"), "{text}");
    let asked = ["check", net, "--properties", "nets/buffer/ReachabilityCardinality.xml"];
    let (code, text) = run(&asked);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("nothing-is-lost"), "{text}");
}

#[test]
fn examinations_are_answered_compared_and_printed_for_the_contest() {
    let (code, text) = run(&["examine", "nets"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("items-on-their-way: 5 ["), "{text}");
    assert!(text.contains("state space: 100 % of 2 answered; 2 as expected"), "{text}");
    let (code, text) = run(&["examine", "other", "--exam", "UpperBounds"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("5, WRONG: expected 4 ["), "{text}");
    let (code, text) = run(&["examine", "nets/forks", "--contest", "--exam", "statespace"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("STATE_SPACE STATES 6 TECHNIQUES DECISION_DIAGRAMS"), "{text}");
    let (code, text) = run(&["examine", "nets/buffer", "--exam", "LTL"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("LTLFireability"), "{text}");
    assert_eq!(run(&["examine", "nets/nothing"]).0, Some(2));
    assert_eq!(run(&["examine", "nets", "--without", "luck"]).0, Some(2));
}

/// Exit code and output of a run on these files.
fn run_on<const N: usize>(files: &[(&str, &[u8]); N], arguments: &[&str]) -> (Option<i32>, String) {
    let folder = Folder::new(*files);
    let output = folder.run(arguments);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn symmetric_nets_are_unfolded_with_their_names_kept() {
    let net = include_bytes!("../../../../examples/petri/philosophers/model.pnml");
    let files = [("nets/model.pnml", &net[..])];
    let asked = |formula: &str| {
        run_on(&files, &["check", "nets/model.pnml", "--allow-deadlock", "--formula", formula])
    };
    assert_eq!(asked("AG tokens(wait, eat) <= 4").0, Some(0));
    assert_eq!(asked("AG not (fireable(`done(x=ann)`) and fireable(`done(x=bob)`))").0, Some(0));
    assert_eq!(asked("EF (tokens(`eat(ann)`) = 1 and tokens(eat) = 2)").0, Some(0));
    let (code, text) = asked("AG not fireable(done)");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("right(x="), "{text}");
    assert_eq!(asked("F \"left\"").0, Some(0));
    let (code, text) = asked("F \"lefd\"");
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("did you mean `left`?"), "{text}");
    let (code, text) = run_on(&files, &["examine", "nets", "--contest"]);
    assert_eq!(code, Some(0), "{text}");
    for line in [
        "STATE_SPACE STATES 34 TECHNIQUES",
        "FORMULA ReachabilityDeadlock TRUE TECHNIQUES",
        "FORMULA OneSafe FALSE TECHNIQUES",
        "FORMULA QuasiLiveness TRUE TECHNIQUES",
        "FORMULA Liveness FALSE TECHNIQUES",
        "FORMULA StableMarking FALSE TECHNIQUES",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn nets_and_networks_are_written_as_nets() {
    let net = include_bytes!("../../../../examples/petri/philosophers/model.pnml");
    let shop = b"counter stock [3] starts 1\ncounter sold [2]\nsell: stock - 1, sold + 1\n\
                 fill: stock = 0, stock + 3\nback: sold >= 2, sold - 2\n";
    let files = [("net.pnml", &net[..]), ("shop.net", &shop[..])];
    let folder = Folder::new(files);
    for (file, states) in [("net.pnml", "34"), ("shop.net", "12")] {
        let output = folder.run(&["convert", file, "-o", "out.pnml"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let counted = |file: &str| {
            let output = folder.run(&["states", file]);
            String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("").to_owned()
        };
        assert_eq!(counted("out.pnml"), counted(file));
        assert!(counted(file).ends_with(&format!(" {states}")), "{}", counted(file));
    }
    let queue = b"participant A: s\nchannel c [2] of m\nput: A s, c ! m\n";
    let (code, text) = run_on(&[("q.net", queue)], &["convert", "q.net", "-o", "q.pnml"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("channel `c` keeps the order of its messages"), "{text}");
}

#[test]
fn the_place_that_grows_is_named() {
    let net = b"<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'>\
        <page id='g'><place id='heap'/><transition id='pour'/>\
        <arc id='a' source='pour' target='heap'/></page></net></pnml>";
    let files = [("nets/model.pnml", &net[..])];
    let (code, text) = run_on(&files, &["states", "nets/model.pnml", "--max-states", "1000"]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("place `heap` grows without end"), "{text}");
    let (code, text) = run_on(&files, &["examine", "nets", "--exam", "StateSpace"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("+inf") && text.contains("place `heap` grows without end"), "{text}");
    // Neither needs a limit to come to an end.
    for engine in ["auto", "explicit", "symbolic"] {
        let (code, text) = run_on(&files, &["states", "nets/model.pnml", "--engine", engine]);
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains("unknown: there are infinitely many states"), "{text}");
        let few = ["--allow-deadlock", "--formula", "AG tokens(heap) <= 2000000000"];
        let asked = [&["check", "nets/model.pnml", "--engine", engine], &few[..]].concat();
        let (code, text) = run_on(&files, &asked);
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains("there are infinitely many states"), "{text}");
        assert!(text.contains("place `heap` grows without end"), "{text}");
    }
}

#[test]
fn what_is_left_out_is_not_used() {
    let all = ["structural", "random", "symbolic", "explicit"];
    let without = all.iter().flat_map(|part| ["--without", part]);
    let arguments: Vec<&str> = ["examine", "nets/buffer"].into_iter().chain(without).collect();
    let (code, text) = run(&arguments);
    assert_eq!(code, Some(3), "{text}");
    let (code, text) =
        run(&["examine", "nets/buffer", "--without", "symbolic", "--exam", "StateSpace"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("[EXPLICIT]"), "{text}");
}

/// Eleven jobs that go through four stages as often as they like: 4^11 markings and more.
fn stages() -> String {
    let place = |id: &str, tokens: u32| {
        format!("<place id='{id}'><initialMarking><text>{tokens}</text></initialMarking></place>")
    };
    let mut text = "<pnml><net id='n' type='ptnet'><page id='g'>".to_owned() + &place("lock", 1);
    for job in 0..11 {
        for stage in 0..4 {
            text += &place(&format!("j{job}s{stage}"), u32::from(stage == 0));
        }
        for stage in 0..4 {
            let (t, next) = (format!("j{job}t{stage}"), (stage + 1) % 4);
            text += &format!(
                "<transition id='{t}'/><arc id='{t}a' source='j{job}s{stage}' target='{t}'/>\
                 <arc id='{t}b' source='{t}' target='j{job}s{next}'/>"
            );
        }
    }
    // The last stage of all jobs together takes the lock for good.
    text += "<transition id='end'/><arc id='l' source='lock' target='end'/>";
    for job in 0..11 {
        text += &format!("<arc id='e{job}' source='j{job}s3' target='end'/>");
    }
    text + "</page></net></pnml>"
}

#[test]
fn what_a_short_search_leaves_open_is_answered_by_the_portfolio() {
    let net = stages();
    let files = [("jobs.pnml", net.as_bytes())];
    let asked = |more: &[&str]| run_on(&files, &[&["check", "jobs.pnml"], more].concat());
    let (code, text) = asked(&[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("deadlock: after 34 steps  (by "), "{text}");
    assert!(text.contains("stuck: no step is possible"), "{text}");
    let safe = ["--allow-deadlock", "--formula", "AG tokens(j0s0, j0s1, j1s0) <= 2"];
    let (code, text) = asked(&safe);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("(by structural state-equation;"), "{text}");
    let formulas = ["--formula", "EF tokens(lock) = 0", "--formula", "G F tokens(lock) = 1"];
    let (code, text) = asked(&[&["--allow-deadlock"], &formulas[..]].concat());
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("holds: EF tokens(lock) = 0"), "{text}");
    assert!(text.contains("no run was kept: --engine explicit looks for one"), "{text}");
    let (_, text) = asked(&[&safe[..], &["--format", "json"]].concat());
    assert!(text.contains("\"engine\": \"structural state-equation\""), "{text}");
}

#[test]
fn nets_are_drawn_as_places_and_transitions_or_as_markings() {
    let net = "nets/forks/model.pnml";
    let (code, dot) = run(&["draw", net, "--to", "dot"]);
    assert_eq!(code, Some(0), "{dot}");
    assert!(dot.contains("[label=\"left \u{2022}\", tooltip=\"left: 1\", shape=ellipse"), "{dot}");
    assert!(dot.contains("[label=\"take_left\", tooltip=\"take_left\", style=solid]"), "{dot}");
    let (code, mermaid) = run(&["draw", net, "--to", "mermaid"]);
    assert_eq!(code, Some(0), "{mermaid}");
    assert!(mermaid.starts_with("flowchart TD\n  s0([\"left \u{2022}\"])\n"), "{mermaid}");
    let (code, svg) = run(&["draw", net]);
    assert_eq!(code, Some(0), "{svg}");
    assert!(svg.contains("eats_1") && svg.contains("leave_2"), "{svg}");
    let (code, states) = run(&["draw", net, "--view", "states", "--to", "dot"]);
    assert_eq!(code, Some(0), "{states}");
    assert!(states.contains("[label=\"has_left, has_right\""), "{states}");
    let (code, text) = run(&["draw", net, "--max-states", "3"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("more than 3 to draw"), "{text}");
}
