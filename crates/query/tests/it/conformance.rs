//! The shared test data: findings of lint row by row, and what the liberal forms of its protocols do.
#![allow(clippy::disallowed_methods, clippy::print_stderr)] // reads test data, says when it is absent

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect;
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_protocol::project::Queues;
use quadrille_query::protocol::codes::{
    CAUSALITY, CLOSED_NEVER_USED, CLOSED_TWICE, CLOSED_UNUSED_ON_PATH, NOT_CLOSED,
    SENT_AFTER_CLOSE, SENT_TO_SELF, STAYS_OPEN, UNPROMPTED,
};
use quadrille_query::protocol::{Explored, Faithfulness, InFlight, liberal, lint};

use crate::protocol::{Session, session};

fn folder() -> Option<PathBuf> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/protocols");
    let path = Path::new(path);
    if !path.is_dir() {
        eprintln!("skipped: no {}", path.display());
        return None;
    }
    Some(path.to_owned())
}

fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).expect("a table");
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn start(folder: &Path, file: &str, name: &str, arguments: &str) -> Session {
    let text = fs::read_to_string(folder.join(file)).expect("a protocol");
    session(&text, name, &arguments.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn lint_finds_what_is_expected_row_by_row() {
    let Some(folder) = folder() else { return };
    let rules = [
        ("causality", &CAUSALITY),
        ("used-channels-must-be-closed", &NOT_CLOSED),
        ("closed-channel-must-be-used-in-path", &CLOSED_UNUSED_ON_PATH),
        ("closed-channel-must-be-used-in-protocol", &CLOSED_NEVER_USED),
        ("close-channels-only-once", &CLOSED_TWICE),
        ("do-not-send-after-close", &SENT_AFTER_CLOSE),
        ("do-not-send-to-self", &SENT_TO_SELF),
    ];
    let rows = rows(&folder.join("lint.tsv"));
    assert_eq!(rows.len(), 98);
    for row in rows {
        let [file, name, arguments, rule, expected, channels] = &row[..] else { panic!("{row:?}") };
        let model = start(&folder, file, name, arguments).model;
        let explored = Explored::new(&model, Limits::default(), &mut unobserved).expect("small");
        let findings = lint(&explored, Limits::default(), &mut unobserved).expect("small");
        let (_, code) = rules.iter().find(|(name, _)| name == rule).expect("a known rule");
        let found: BTreeSet<String> = findings
            .iter()
            .filter(|finding| {
                let found = finding.diagnostic.code;
                // Discourje has one rule each where there are two here.
                found == *code
                    || (*code == &NOT_CLOSED && found == &STAYS_OPEN)
                    || (*code == &CAUSALITY && found == &UNPROMPTED)
            })
            .filter_map(|finding| finding.channel.as_ref())
            .map(|(p, q)| format!("{p}->{q}"))
            .collect();
        let wanted: BTreeSet<String> = channels.split_whitespace().map(str::to_owned).collect();
        assert_eq!(found, wanted, "{file} {rule}");
        assert_eq!(found.is_empty(), expected == "holds", "{file} {rule}");
    }
}

#[test]
fn liberal_forms_of_the_case_studies() {
    let Some(folder) = folder() else { return };
    let mut shown = String::new();
    for row in rows(&folder.join("lts.tsv")) {
        let [file, name, arguments, ..] = &row[..] else { panic!("{row:?}") };
        let model = start(&folder, file, name, arguments).model;
        let explored = Explored::new(&model, Limits::default(), &mut unobserved).expect("small");
        shown += &format!("{file}: strict {}", explored.global().n_states());
        for queues in [Queues::PerPair, Queues::PerReceiver] {
            let report =
                liberal(&explored, &queues, Limits::default(), &mut unobserved).expect("small");
            let InFlight::Bounded(most) = &report.in_flight else { panic!("{file} is bounded") };
            let network = report.liberal.network(most).expect("fits");
            let mut space = Space::new(&network);
            let table = space.tabulate(Limits::default(), &mut unobserved).expect("small");
            let faithful = match &report.faithfulness {
                Faithfulness::Faithful => "faithful".to_owned(),
                Faithfulness::Differs(deviation) => {
                    format!("{:?} after {}", deviation.which, deviation.observations.len())
                }
                other => format!("{other:?}"),
            };
            let most = most.iter().max().unwrap_or(&0);
            shown += &format!(", {queues:?} {} ≤{most} {faithful}", table.n_states());
        }
        shown.push('\n');
    }
    expect![[r#"
        chess.dcj: strict 5, PerPair 6 ≤1 faithful, PerReceiver 6 ≤1 faithful
        tic-tac-toe.dcj: strict 5, PerPair 15 ≤2 Added after 2, PerReceiver 15 ≤2 Added after 2
        token-directed-ring.dcj: strict 8, PerPair 8 ≤1 faithful, PerReceiver 8 ≤1 faithful
        token-undirected-ring.dcj: strict 12, PerPair 12 ≤1 faithful, PerReceiver 12 ≤1 faithful
        token-star.dcj: strict 10, PerPair 10 ≤1 faithful, PerReceiver 10 ≤1 faithful
        token-binary-tree.dcj: strict 10, PerPair 10 ≤1 faithful, PerReceiver 10 ≤1 faithful
        token-full-mesh.dcj: strict 16, PerPair 16 ≤1 faithful, PerReceiver 16 ≤1 faithful
        token-2d-mesh.dcj: strict 12, PerPair 12 ≤1 faithful, PerReceiver 12 ≤1 faithful
        cg.dcj: strict 20, PerPair 42 ≤1 Added after 2, PerReceiver 43 ≤2 Added after 2
    "#]]
    .assert_eq(&shown);
}
