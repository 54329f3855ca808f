//! Generated texts: everything generates or is refused with a reason, everything is Rust.
#![allow(clippy::disallowed_methods)] // reads the examples

use std::path::{Path, PathBuf};

use expect_test::{Expect, ExpectFile, expect, expect_file};
use quadrille_diagnostic::{Sources, Style, render};
use quadrille_engine::{Limits, unobserved};
use quadrille_generate::{Generated, Request, Session, Variants, Wanted, generate};
use quadrille_workshop::{conformance, shared};

/// A module, or why there is none.
pub fn made(file: &str, text: &str, request: &Request) -> Result<Generated, String> {
    let mut sources = Sources::default();
    let source = sources.add(file, text);
    generate(&mut sources, source, request, &mut unobserved).map_err(|refused| {
        refused.iter().map(|each| render(each, &sources, Style::Plain)).collect::<String>()
    })
}

fn small() -> Request {
    Request { limits: Limits { states: Some(200_000), ..Limits::default() }, ..Request::default() }
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).expect("a folder of the repository");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == ending));
    files.sort();
    files
}

#[test]
fn item_20_and_21_defaults_accept_every_example_and_name_its_states() {
    let mut shown = String::new();
    for file in files("../../examples/protocols", "quad") {
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).expect("readable");
        let module = made(&name, &text, &small()).expect("defaults accept every example");
        let is_numbered = |word: &str| {
            let number = word.strip_prefix("State").unwrap_or_default();
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        let mut words = module.text.split(|c: char| !c.is_alphanumeric() && c != '_');
        assert_eq!(words.find(|word| is_numbered(word)), None, "{name}: item 21, names of states");
        let has_liberal = module.text.contains("pub fn liberal(");
        assert!(module.text.contains("pub fn strict("), "{name}: strict always");
        let left_out = module.warnings.iter().find(|warning| warning.code.id == "G002");
        assert_eq!(
            has_liberal,
            left_out.is_none(),
            "{name}: a note where there is no liberal variant"
        );
        let found = left_out.map_or("strict and liberal", |warning| &warning.message);
        shown += &format!("{name}: {found}\n");
        let wanted = Wanted { accept_differences: true, ..Wanted::default() };
        let lenient = Request { wanted, ..small() };
        let module = made(&name, &text, &lenient).expect("generated");
        syn::parse_file(&module.text).expect("Rust");
        assert!(!module.text.contains("unsafe"), "{name}");
    }
    expect![[r#"
        chess.quad: strict and liberal
        go-fish.quad: strict and liberal
        job-queue.quad: the module has no liberal variant: the liberal form allows `worker[0] sends Ack to queue` where the protocol does not
        leader-election.quad: the module has no liberal variant: the liberal form does not allow `node[0] receives RequestVote from node[1]` where the protocol does
        login.quad: strict and liberal
        npb-cg.quad: strict and liberal
        npb-ft.quad: strict and liberal
        npb-is.quad: strict and liberal
        npb-mg.quad: strict and liberal
        rock-paper-scissors.quad: the module has no liberal variant: the liberal form allows `player[1] sends Show to player[0]` where the protocol does not
        tic-tac-toe.quad: the module has no liberal variant: the liberal form allows `player[1] sends Move to player[2]` where the protocol does not
        token-binary-tree.quad: strict and liberal
        token-directed-ring.quad: strict and liberal
        token-full-mesh.quad: strict and liberal
        token-grid.quad: strict and liberal
        token-star.quad: strict and liberal
        token-undirected-ring.quad: strict and liberal
        two-phase-commit.quad: strict and liberal
    "#]].assert_eq(&shown);
}

#[conformance]
fn every_shared_protocol_becomes_rust() {
    let folder = shared::path("protocols");
    for row in shared::fields(&folder.join("lts.tsv")) {
        let [file, session, arguments, ..] = &row[..] else { panic!("{row:?}") };
        let text = shared::text(&folder.join(file));
        let request = Request {
            session: Session {
                protocol: Some(session.clone()),
                arguments: arguments.split_whitespace().map(str::to_owned).collect(),
                ..Session::default()
            },
            wanted: Wanted { accept_differences: true, ..Wanted::default() },
            ..small()
        };
        let module = made(file, &text, &request).expect(file);
        syn::parse_file(&module.text).expect("Rust");
    }
}

/// The text of a module.
fn check(text: &str, expected: &ExpectFile) {
    let wanted = Wanted { accept_differences: true, ..Wanted::default() };
    let request = Request { wanted, ..small() };
    let module = made("test.quad", text, &request).expect("generated");
    let again = made("test.quad", text, &request);
    assert_eq!(Ok(&module), again.as_ref(), "the same input gives the same bytes");
    expected.assert_eq(&module.text);
}

#[test]
fn a_family_of_roles() {
    check(
        "message Work, Done; role master, worker[0..2];
protocol farm {
    for i in 0..2 { Work from master to worker[i]; }
    for i in 0..2 { Done from worker[i] to master; }
}
",
        &expect_file!["../texts/farm.rs"],
    );
}

#[test]
fn messages_with_content() {
    check(
        "enum Colour { red, green }
message Offer(c: Colour, price: 1..=2), Answer(yes: bool) as crate::Answer; role buyer, seller;
event Think;
protocol bargain {
    Offer(any c, any price) from buyer to seller;
    seller does Think;
    if c == red { Answer(any) from seller to buyer; } else { Answer(false) from seller to buyer; }
}
",
        &expect_file!["../texts/bargain.rs"],
    );
}

/// The calls of typed states of a role, and what they give.
#[track_caller]
fn check_states(text: &str, role: &str, expected: &Expect) {
    let wanted = Wanted { accept_differences: true, ..Wanted::default() };
    let request = Request { wanted, ..small() };
    let text = made("test.quad", text, &request).expect("generated").text;
    let states = text.split(&format!("pub mod {role} {{")).nth(1).expect("it has typed states");
    let end = states.find("\n}\n").expect("the module ends");
    let is_told = |line: &&str| line.starts_with("{ ") || line.starts_with('[');
    let lines: Vec<&str> = states[..end].lines().map(str::trim).filter(is_told).collect();
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

/// Whether a message is sent or passed, and to whom else, is not seen by who sends or receives it.
#[test]
fn typed_states_differ_by_what_a_role_sees() {
    let passed = "message N, X, Y; role a, b;
        protocol passed { either { N from a to b; X from b to a; } or { N from a to b sync; Y from b to a; } }";
    check_states(
        passed,
        "b",
        &expect![[r#"
            [Start { recv N => Payload::into_n, SendXOrY }]
            [SendXOrY
            { send X => Payload::X, None, End, send_x send_x_async }
            { send Y => Payload::Y, None, End, send_y send_y_async }
            [End { finish }]
        "#]],
    );
    check_states(
        passed,
        "a",
        &expect![[r#"
            [Start { send N => Payload::N, None, AwaitXOrY, send send_async }]
            [AwaitXOrY { recv ReceivedXOrY { X _, _, X(X), End } { Y _, _, Y(Y), End } }]
            [End { finish }]
        "#]],
    );
    let to_both = "message N, X; role a, b, c;
        protocol to_both { either { N from a to b; } or { N from a to b, c; X from a to c; } or { N from a to c; X from a to b; } }";
    check_states(
        to_both,
        "a",
        &expect![[r#"
            [Start
            { send N => Payload::N, Some(roles::B), SendXOrEnd, send_n_to_b send_n_to_b_async }
            { send N => Payload::N, Some(roles::C), SendX, send_n_to_c send_n_to_c_async }
            [SendXOrEnd { send X => Payload::X, None, End, send send_async } { finish }]
            [SendX
            { send X => Payload::X, Some(roles::B), End, send_x_to_b send_x_to_b_async }
            { send X => Payload::X, Some(roles::C), End, send_x_to_c send_x_to_c_async }
            [End { finish }]
        "#]],
    );
}

#[test]
fn a_state_without_a_way_out_is_one() {
    let stuck = "message N; role a, b; protocol stuck { N from a to b; choose i in 0..0 { N from b to a; } }";
    check_states(
        stuck,
        "a",
        &expect![[r#"
            [Start { send N => Payload::N, None, Deadlock, send send_async }]
            [Deadlock]
        "#]],
    );
}

fn refused(text: &str, parameters: &[(&str, &str)], expected: &Expect) {
    let parameters = parameters.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    let session = Session { parameters: parameters.collect(), ..Session::default() };
    let wanted = Wanted { variants: Variants::Both, ..Wanted::default() };
    let found = made("test.quad", text, &Request { session, wanted, ..small() });
    expected.assert_eq(&found.expect_err("refused"));
}

#[test]
fn a_count_needs_roles_that_are_alike() {
    let farm = "parameter k = 2, n = 1; message M; role a, w[0..k];
protocol p { for i in 0..k { M from a to w[i]; M from w[i] to a; } }";
    refused(
        farm,
        &[("k", "0..3")],
        &expect![[r#"
            error[G008]: `p` has no actions
             --> test.quad:2:10
              |
            2 | protocol p { for i in 0..k { M from a to w[i]; M from w[i] to a; } }
              |          ^ no role performs any action
              |
              = help: generate for other arguments
        "#]],
    );
    refused(
        farm,
        &[("k", "1..=3"), ("n", "1..2")],
        &expect![[r#"
        error[G007]: only one parameter can be chosen at run time
         |
         = help: give a value for the others
    "#]],
    );
    refused(
        farm,
        &[("k", "3..3")],
        &expect![[r#"
        error[G007]: `3..3` is not a range of 1 to 64 values
         |
         = help: write a range of 1 to 64 values: `k=1..=8`
    "#]],
    );
    refused(
        farm,
        &[("k", "1..=100")],
        &expect![[r#"
        error[G007]: `1..=100` is not a range of 1 to 64 values
         |
         = help: write a range of 1 to 64 values: `k=1..=8`
    "#]],
    );
    let moving = "parameter k = 2; message M; role a, w[k..k + 2];
protocol p { for i in k..k + 2 { M from a to w[i]; M from w[i] to a; } }";
    refused(
        moving,
        &[("k", "0..3")],
        &expect![[r#"
        error[G007]: there is a role `w[0]` for smaller k, but not for 1
         |
         = help: generate a module for each value
    "#]],
    );
}

#[test]
fn roles_that_run_in_different_processes() {
    let text = "message Ask, Pass; role a, b, c;
protocol p { Ask from a to b; Pass from b to c sync; }";
    let strict = Wanted { variants: Variants::Strict, ..Wanted::default() };
    let refused = made("test.quad", text, &Request { tcp: true, wanted: strict, ..small() });
    expect![[r#"
        error[G009]: roles of the strict variant cannot run in different processes
         |
         = help: generate the liberal variant, too, or leave out `tcp`
    "#]]
    .assert_eq(&refused.expect_err("refused"));
    let module = made("test.quad", text, &Request { tcp: true, ..small() }).expect("generated");
    assert_eq!(module.text.matches("{ connect ").count(), 1, "only `a` can be anywhere");
    assert!(module.text.contains("serde::Deserialize"));
}

#[test]
fn what_is_too_long_for_a_text_is_refused_before_it_is_compared() {
    let farm = "parameter k = 1; message Work, Done; role m, w[0..k];
        protocol farm { par for i in 0..k { Work from m to w[i] sync; Done from w[i] to m; } }";
    refused(
        farm,
        &[("k", "8")],
        &expect![[r#"
            error[G001]: cannot generate a module: the strict variant has 65536 states with 393216 steps, and at most 262144 steps are written as Rust
             |
             = help: generate the liberal variant alone, with `--variant liberal`, or for smaller arguments
        "#]],
    );
}

#[test]
fn a_short_difference_of_a_large_form_is_found_early() {
    let rounds = "parameter k = 1; message Work, Done; role m, w[0..k];
        protocol rounds { loop {
            for i in 0..k { Work from m to w[i]; }
            for i in 0..k { Done from w[i] to m; }
        }
        either { Work from m to w[0]; Work from w[1] to w[2]; } or { Done from m to w[0]; Done from w[1] to w[2]; } }";
    refused(
        rounds,
        &[("k", "16")],
        &expect![[r#"
            error[G002]: the liberal form allows `w[1] sends Work to w[2]` where the protocol does not
             --> test.quad:6:39
              |
            3 |             for i in 0..k { Work from m to w[i]; }
              |                             -------------------- the protocol goes on here
            ...
            6 |         either { Work from m to w[0]; Work from w[1] to w[2]; } or { Done from m to w[0]; Done from w[1] to w[2]; } }
              |                  -------------------- ^^^^^^^^^^^^^^^^^^^^^^^        -------------------- the protocol goes on here
              |                  |                    |
              |                  |                    happens out of turn
              |                  the protocol goes on here
              |
              = note: at the start
              = note: `w[1]` cannot tell from what it has done so far that it must wait
              = note: to change that, send a message to the role that must wait, or run the strict form
              = help: generate the strict variant alone with `--variant strict`, or accept this with `--accept-differences`; in a build script, `.variants(Variants::Strict)` or `.accept_differences()`
        "#]],
    );
}

/// A farm whose number of workers is chosen when the module is made.
const FARM: &str = "parameter k = 2; message Work, Done, Stop; role master, worker[0..k];
protocol farm {
    loop { par for i in 0..k { Work from master to worker[i]; Done from worker[i] to master; } }
    for i in 0..k { Stop from master to worker[i]; }
}
";

fn farm(parameter: &str) -> Result<String, String> {
    let parameters = vec![("k".to_owned(), parameter.to_owned())];
    let session = Session { parameters, ..Session::default() };
    made("test.quad", FARM, &Request { session, ..small() }).map(|made| made.text)
}

#[test]
fn any_number_of_workers_has_one_text() {
    let any = farm("1..").expect("generated");
    expect_file!["../texts/any_farm.rs"].assert_eq(&any);
    let n_lines = |text: &str| text.lines().count();
    assert!(n_lines(&any) <= 300, "{}", n_lines(&any));
    for parameter in ["2", "1..=8", "1..=64", "24", "200"] {
        let text = farm(parameter).expect("generated");
        assert!(n_lines(&text) <= 600, "{parameter}: {}", n_lines(&text));
    }
    let [some, many] =
        ["100", "200"].map(|parameter| n_lines(&farm(parameter).expect("generated")));
    assert_eq!(some, many);
}

/// Of protocols of so many lines, the texts have at most so many.
const LINES: (usize, usize) = (12, 400);

#[test]
fn short_protocols_have_short_modules() {
    let mut n_short = 0;
    let login = "message User, Pass, Good, Bad, Data, Bye; role user, server, store;
protocol login {
    User from user to server;
    Pass from user to server;
    User from server to store;
    either {
        Good from store to server; Good from server to user;
        loop { Data from user to server; Data from server to store; Data from store to user; }
        Bye from user to server; Bye from server to store;
    } or {
        Bad from store to server; Bad from server to user;
    }
}
";
    let mut texts = vec![("login.quad".to_owned(), login.to_owned())];
    for file in files("../../examples/protocols", "quad") {
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        texts.push((name, std::fs::read_to_string(&file).expect("readable")));
    }
    for (name, text) in texts {
        // The bodies of all its protocols.
        let mut is_within = false;
        let n_code = text.lines().filter(|line| {
            is_within = line.starts_with("protocol") || is_within && *line != "}";
            is_within && !line.trim().is_empty() && !line.trim().starts_with("//")
        });
        if n_code.count() > LINES.0 {
            continue;
        }
        n_short += 1;
        let module = made(&name, &text, &small()).expect("generated");
        let n_lines = module.file().lines().count();
        assert!(n_lines <= LINES.1, "{name}: {n_lines} lines");
    }
    assert!(n_short >= 8, "{n_short}");
}

#[test]
fn what_cannot_be_made_for_any_number_is_refused() {
    let of = |body: &str| {
        format!("parameter k = 2; message M, N; role a, w[0..k]; protocol p {{ {body} }}")
    };
    refused(
        &of("par for i in 0..k { M from a to w[i] sync; }"),
        &[("k", "1..")],
        &expect![[r#"
            error[G007]: the protocol cannot be generated for every k from 1 on
             |
             = note: that needs a .quad protocol of messages without content, whose indices are sums of the parameter and of bound names, and whose families have the same size
             = help: give a range with an end: `k=1..=8`
        "#]],
    );
    refused(
        &of(
            "either { M from a to w[0]; M from w[1] to w[2]; } or { N from a to w[0]; N from w[1] to w[2]; }",
        ),
        &[("k", "3..")],
        &expect![[r#"
            error[G007]: the protocol cannot be generated for every k from 3 on
             |
             = note: `w[1]` cannot know what to do: whether `w[1] sends M to w[2]` comes next
             = help: give a range with an end: `k=1..=8`
        "#]],
    );
}
