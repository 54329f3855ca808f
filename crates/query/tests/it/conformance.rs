//! The shared test data: findings of lint row by row, and what the liberal forms of its protocols do.

use std::collections::BTreeSet;
use std::path::Path;

use expect_test::expect;
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_protocol::project::Queues;
use quadrille_query::protocol::codes::{
    CAUSALITY, CLOSED_NEVER_USED, CLOSED_TWICE, CLOSED_UNUSED_ON_PATH, NOT_CLOSED,
    SENT_AFTER_CLOSE, SENT_TO_SELF, STAYS_OPEN, UNPROMPTED,
};
use quadrille_query::protocol::{Explored, Faithfulness, InFlight, liberal, lint};
use quadrille_workshop::conformance;
use quadrille_workshop::shared::{self, fields, text};

use crate::protocol::{Session, session};

fn start(folder: &Path, file: &str, name: &str, arguments: &str) -> Session {
    let text = text(&folder.join(file));
    session(&text, name, &arguments.split_whitespace().collect::<Vec<_>>())
}

#[conformance]
fn lint_finds_what_is_expected_row_by_row() {
    let folder = shared::path("protocols");
    let rules = [
        ("causality", &CAUSALITY),
        ("used-channels-must-be-closed", &NOT_CLOSED),
        ("closed-channel-must-be-used-in-path", &CLOSED_UNUSED_ON_PATH),
        ("closed-channel-must-be-used-in-protocol", &CLOSED_NEVER_USED),
        ("close-channels-only-once", &CLOSED_TWICE),
        ("do-not-send-after-close", &SENT_AFTER_CLOSE),
        ("do-not-send-to-self", &SENT_TO_SELF),
    ];
    let rows = fields(&folder.join("lint.tsv"));
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

#[conformance]
fn liberal_forms_of_the_case_studies() {
    let folder = shared::path("protocols");
    let mut shown = String::new();
    for row in fields(&folder.join("lts.tsv")) {
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
                Faithfulness::Reordered(deviation) => {
                    format!("reordered after {}", deviation.observations.len())
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
        cg.dcj: strict 20, PerPair 42 ≤1 reordered after 2, PerReceiver 43 ≤2 Added after 2
    "#]]
    .assert_eq(&shown);
}
