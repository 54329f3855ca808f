//! Reading and writing networks.

use expect_test::{Expect, expect};
use quadrille_diagnostic::Sources;
use quadrille_formats::{read_net, write_net};
use quadrille_model::Network;
use quadrille_workshop::networks::network;

fn read(text: &str) -> Result<Network, String> {
    let mut sources = Sources::default();
    let id = sources.add("in.net", text);
    let (network, diagnostics) = read_net(id, text);
    assert_eq!(network.is_some(), diagnostics.is_empty());
    network.ok_or_else(|| crate::rendered(&sources, &diagnostics))
}

/// What is read, written again; or what is wrong.
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&read(text).map_or_else(|wrong| wrong, |network| write_net(&network)));
}

#[test]
fn both_forms_mean_the_same() {
    check(
        "participants P:2 Q:3 // by position\nalpha: <0,_> -> <1,{0,2}>\nbeta: <,!1,> → <,,>\n\
         alpha: P 1, Q {0, 1} -> 2\n",
        &expect![[r#"
            participant P: 0 1
            participant Q: 0 1 2

            alpha: P 0 -> 1, Q -> {0, 2}
            alpha: P 1, Q !2 -> 2
            beta: Q !1
        "#]],
    );
}

#[test]
fn counters_are_tested_changed_and_compared() {
    check(
        "counter stock, \"5\" [9] starts 3\ncounter log [1]\n\
         buy: stock - 2 + 1, stock >= 1, stock <= 7, log != 1, \"5\" = 0\nidle: log < 2, stock > 0\n\
         prop many = 2 * stock - \"5\" + 1 > log + 3 or stock != log\nprop odd = -stock >= 4 - 7\n",
        &expect![[r#"
            counter stock [9] starts 3
            counter 5 [9] starts 3
            counter log [1]

            buy: stock >= 1, stock <= 7, "5" = 0, log = 0, stock - 2 + 1
            idle: stock >= 1

            prop many = "5" + log + 3 <= 2 * stock or not (stock <= log and log <= stock)
            prop odd = stock <= 3
        "#]],
    );
    check(
        "participant P: s\ncounter n [3] starts 4\ncounter m [2000000]\n",
        &expect![[r#"
            error[N006]: `4` is more than the counter can be
             --> in.net:2:22
              |
            2 | counter n [3] starts 4
              |                      ^
              |
              = help: at most 3
            error[N006]: `2000000` is no bound of a counter
             --> in.net:3:12
              |
            3 | counter m [2000000]
              |            ^^^^^^^
              |
              = help: a number from 0 to 1048575
        "#]],
    );
    check(
        "participant P: s\ncounter n [3]\na: n 2\nb: n >= 9\nc: n + 4\nd: n + 1, n - 1\ne: P >= 1\n\
         f: n ! m\nprop p = P + 1 <= n\nprop q = n\n",
        &expect![[r#"
            error[N001]: `n` is a counter
             --> in.net:3:4
              |
            3 | a: n 2
              |    ^^^
              |
              = help: write `n >= 1`, `n - 1` or `n + 1`
            error[N005]: `n` is never that: it is 0 to 3
             --> in.net:4:4
              |
            4 | b: n >= 9
              |    ^^^^^^
              |
              = help: ask for less
            error[N005]: `n` never has that: it is 0 to 3
             --> in.net:5:4
              |
            5 | c: n + 4
              |    ^^^^^
              |
              = help: take or add less
            error[N004]: `n` is used twice in one template
             --> in.net:6:11
              |
            6 | d: n + 1, n - 1
              |    -----  ^^^^^ again here
              |    |
              |    first here
              |
              = help: one clause per participant; one receive and one send per channel
            error[N002]: `P` is no counter
             --> in.net:7:4
              |
            7 | e: P >= 1
              |    ^
              |
              = help: declare it: `counter P [5]`
            error[N001]: `n` is a counter
             --> in.net:8:4
              |
            8 | f: n ! m
              |    ^^^^^
              |
              = help: write `n >= 1`, `n - 1` or `n + 1`
            error[N002]: `P` is no counter
             --> in.net:9:10
              |
            9 | prop p = P + 1 <= n
              |          ^
              |
              = help: declare it: `counter P [5]`
            error[N001]: expected `in`, `empty`, `full`, `contains`, `head` or a comparison
              --> in.net:10:11
               |
            10 | prop q = n
               |           ^ the line ends here
               |
               = help: write `A in {here, there}`, `c empty`, `c full`, `c contains m`, `c head m` or `n <= 3`
        "#]],
    );
}

#[test]
fn quotes_stars_and_line_ends() {
    check(
        "label 'x: A in -> out\n",
        &expect![[r#"
        error[N001]: expected `:` after the label of a template
         --> in.net:1:7
          |
        1 | label 'x: A in -> out
          |       ^ this character has no meaning here
          |
          = help: a line is a `participant`, a `channel`, a `counter`, a `prop`, or `label: template`
    "#]],
    );
    check(
        "\u{feff}prop p = not (A in in or c full) and (c head \"a b\" or\r\n true)\r\n\
         \"odd label\": A in ->\n  out, c ! m, c ? \"a b\"\n\
         participant A starts out: in, out*\nparticipant not.B', C: _ \"true\"\n\
         channel c* from A to C [3] of m \"a b\"\nidle:\n",
        &expect![[r#"
            participant A starts out: in out*
            participant not.B': "_" "true"
            participant C: "_" "true"
            channel c* from A to C [3] of m "a b"

            "odd label": A in -> out, c ? "a b", c ! m
            idle:

            prop p = not (A in in or c full) and (c head "a b" or true)
        "#]],
    );
}

#[test]
fn three_mistakes_are_three_diagnostics() {
    check(
        "participant A: idle busy\nparticipant B idle busy\nchannel c from A to A [4 of ping\n\
         go: A idle -> bussy\nstop: A busy => idle\n",
        &expect![[r#"
            error[N001]: expected `:`
             --> in.net:2:15
              |
            2 | participant B idle busy
              |               ^^^^
              |
              = help: write `participant Name: first second* third`
            error[N001]: expected `]`
             --> in.net:3:26
              |
            3 | channel c from A to A [4 of ping
              |                          ^^
              |
              = help: write `channel name from A to B [4] of ping pong`
            error[N002]: there is no state `bussy`
             --> in.net:4:15
              |
            4 | go: A idle -> bussy
              |               ^^^^^
              |
              = help: did you mean `busy`?
            error[N001]: expected `->`, `,` or the end of the line
             --> in.net:5:14
              |
            5 | stop: A busy => idle
              |              ^
              |
              = help: write `label: A here -> there, channel ! message`
        "#]],
    );
}

#[test]
fn names_that_do_not_fit() {
    check(
        "participant A, A: x y x\nchannel c [1] of m m\nchannel A [1] of m\n\
         t: A x -> y, A y, c ? n, c ! m, c ! m, D x\nu: c x, A ? m\n\
         prop p = A empty or c in x or A in z\nprop p = true\n",
        &expect![[r#"
            error[N003]: `A` is declared twice
             --> in.net:1:16
              |
            1 | participant A, A: x y x
              |             -  ^ again here
              |             |
              |             first here
              |
              = help: rename one of them
            error[N003]: `x` is declared twice
             --> in.net:1:23
              |
            1 | participant A, A: x y x
              |                   -   ^ again here
              |                   |
              |                   first here
              |
              = help: rename one of them
            error[N003]: `m` is declared twice
             --> in.net:2:20
              |
            2 | channel c [1] of m m
              |                  - ^ again here
              |                  |
              |                  first here
              |
              = help: rename one of them
            error[N003]: `A` is declared twice
             --> in.net:3:9
              |
            1 | participant A, A: x y x
              |             - first here
            2 | channel c [1] of m m
            3 | channel A [1] of m
              |         ^ again here
              |
              = help: rename one of them
            error[N004]: `A` is used twice in one template
             --> in.net:4:14
              |
            4 | t: A x -> y, A y, c ? n, c ! m, c ! m, D x
              |    --------  ^^^ again here
              |    |
              |    first here
              |
              = help: one clause per participant; one receive and one send per channel
            error[N002]: there is no message `n`
             --> in.net:4:23
              |
            4 | t: A x -> y, A y, c ? n, c ! m, c ! m, D x
              |                       ^
              |
              = help: one of `m`
            error[N004]: `c` is used twice in one template
             --> in.net:4:33
              |
            4 | t: A x -> y, A y, c ? n, c ! m, c ! m, D x
              |                          -----  ^^^^^ again here
              |                          |
              |                          first here
              |
              = help: one clause per participant; one receive and one send per channel
            error[N002]: there is no participant, channel or counter `D`
             --> in.net:4:40
              |
            4 | t: A x -> y, A y, c ? n, c ! m, c ! m, D x
              |                                        ^
              |
              = help: one of `A`, `c`
            error[N001]: `c` is a channel: expected `!` or `?` and one message
             --> in.net:5:4
              |
            5 | u: c x, A ? m
              |    ^^^
              |
              = help: write `c ! message` to send, `c ? message` to receive
            error[N002]: `A` is a participant, not a channel
             --> in.net:5:9
              |
            5 | u: c x, A ? m
              |         ^
              |
              = help: name a channel
            error[N002]: `A` is a participant, not a channel
             --> in.net:6:10
              |
            6 | prop p = A empty or c in x or A in z
              |          ^
              |
              = help: name a channel
            error[N002]: `c` is a channel, not a participant
             --> in.net:6:21
              |
            6 | prop p = A empty or c in x or A in z
              |                     ^
              |
              = help: name a participant
            error[N002]: there is no state `z`
             --> in.net:6:36
              |
            6 | prop p = A empty or c in x or A in z
              |                                    ^
              |
              = help: one of `x`, `y`
            error[N003]: `p` is declared twice
             --> in.net:7:6
              |
            6 | prop p = A empty or c in x or A in z
              |      - first here
            7 | prop p = true
              |      ^ again here
              |
              = help: rename one of them
        "#]],
    );
}

#[test]
fn sizes_that_do_not_fit() {
    check(
        "participants P:0 Q:99999999999 R:x S:2\nchannel c [5000] of m\nchannel d [0] of m\n\
         t: <0> -> <1,1>\nu: <!{0,1}> -> <_>\nv: <2> -> <{}>\n",
        &expect![[r#"
            error[N005]: participant `P` has no state
             --> in.net:1:16
              |
            1 | participants P:0 Q:99999999999 R:x S:2
              |                ^
              |
              = help: give it at least one
            error[N009]: more than 1048576 local states altogether
             --> in.net:1:20
              |
            1 | participants P:0 Q:99999999999 R:x S:2
              |                    ^^^^^^^^^^^
              |
              = help: split it into participants with fewer states
            error[N001]: expected a number of states
             --> in.net:1:34
              |
            1 | participants P:0 Q:99999999999 R:x S:2
              |                                  ^
              |
              = help: write a number
            error[N006]: `5000` is no capacity
             --> in.net:2:12
              |
            2 | channel c [5000] of m
              |            ^^^^
              |
              = help: a number from 1 to 4096
            error[N006]: `0` is no capacity
             --> in.net:3:12
              |
            3 | channel d [0] of m
              |            ^
              |
              = help: a number from 1 to 4096
            error[N007]: expected 1 fields, found 2
             --> in.net:4:11
              |
            4 | t: <0> -> <1,1>
              |           ^^^^^
              |
              = help: one field per participant, `_` where nothing is said
            error[N005]: this set has no state
             --> in.net:5:5
              |
            5 | u: <!{0,1}> -> <_>
              |     ^^^^^^
              |
              = help: name at least one state, or leave it out
            error[N002]: there is no state `2`
             --> in.net:6:5
              |
            6 | v: <2> -> <{}>
              |     ^
              |
              = help: one of `0`, `1`
            error[N005]: this set has no state
             --> in.net:6:12
              |
            6 | v: <2> -> <{}>
              |            ^^
              |
              = help: name at least one state, or leave it out
        "#]],
    );
}

#[test]
fn nothing_is_no_network() {
    check(
        "",
        &expect![[r#"
        error[N008]: a network without participants
         --> in.net:1:1
          |
        1 |
          | ^
          |
          = help: declare one: `participant Name: first second`
    "#]],
    );
    check(
        "prop p = true\n",
        &expect![[r#"
        error[N008]: a network without participants
         --> in.net:1:1
          |
        1 | prop p = true
          | ^
          |
          = help: declare one: `participant Name: first second`
    "#]],
    );
}

#[test]
fn deep_nesting_is_refused_and_wide_chains_are_not() {
    let deep = format!("participant A: x y\nprop p = {}A in x\n", "(".repeat(100_000));
    check(
        &deep.replace(&"(".repeat(99_000), &"(".repeat(300)),
        &expect![[r#"
            error[N010]: nested more than 100 deep
             --> in.net:2:111
              |
            2 | prop p = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((...
              |                                                                                                               ^
              |
              = help: simplify the proposition, or split it
        "#]],
    );
    assert!(read(&deep).is_err());
    let wide = format!("participant A: x y\nprop p = A in x{}\n", " or A in y".repeat(50_000));
    assert!(read(&wide).is_ok());
}

#[test]
fn a_million_bad_lines_get_a_short_answer() {
    let text = "go A\n".repeat(1_000_000);
    let mut sources = Sources::default();
    let id = sources.add("in.net", "");
    let (network, diagnostics) = read_net(id, &text);
    assert!(network.is_none());
    assert_eq!(diagnostics.len(), 50);
}

#[test]
fn an_enormous_line_is_one_diagnostic() {
    for line in ["{".repeat(50_000_000), "\"".to_owned() + &"a ".repeat(25_000_000)] {
        let mut sources = Sources::default();
        let id = sources.add("in.net", "");
        let (network, diagnostics) = read_net(id, &line);
        assert!(network.is_none());
        assert_eq!(diagnostics.len(), 1);
    }
}

#[test]
fn a_short_text_cannot_ask_for_much_memory() {
    let many: Vec<String> = (0..1000).map(|number| format!("P{number}:1000000")).collect();
    assert!(read(&format!("participants {}\n", many.join(" "))).is_err());
    let results: Vec<String> = (0..1000).map(|number| format!("P{number} -> {{a, b}}")).collect();
    let names: Vec<String> = (0..1000).map(|number| format!("P{number}")).collect();
    let text = format!("participant {}: a b\nt: {}\n", names.join(", "), results.join(", "));
    assert!(read(&text).is_err_and(|wrong| wrong.contains("N009")));
}

#[test]
fn random_networks_come_back_the_same() {
    quadrille_workshop::check(400, |choices| {
        let network = network(choices);
        let written = write_net(&network);
        let again = read(&written).unwrap_or_else(|wrong| panic!("{written}{wrong}"));
        assert_eq!(again, network, "{written}");
    });
}
