//! Protocols as sequence diagrams with fragments.

use expect_test::expect;
use quadrille_report::{Fragment, FrameOperator, Outline};

fn message(from: usize, to: &[usize], label: &str) -> Fragment {
    Fragment::Message { from, to: to.to_vec(), label: label.to_owned(), is_rendezvous: false }
}

fn commit() -> Outline {
    let note = |role, label: &str| Fragment::Note { role, label: label.to_owned() };
    Outline {
        title: "commit".to_owned(),
        roles: vec!["coordinator".to_owned(), "participant[0..n]".to_owned()],
        body: vec![
            message(0, &[1], "Prepare"),
            Fragment::Frame {
                operator: FrameOperator::Par,
                operands: vec![("for i in 0..n".to_owned(), vec![message(1, &[0], "Vote")])],
            },
            Fragment::Frame {
                operator: FrameOperator::Alt,
                operands: vec![
                    ("all_yes".to_owned(), vec![message(0, &[1], "Commit"), note(Some(0), "Log")]),
                    ("else".to_owned(), vec![note(None, "abort()")]),
                ],
            },
        ],
    }
}

#[test]
fn frames_nest_in_mermaid() {
    expect![[r#"
        sequenceDiagram
          participant p0 as coordinator
          participant p1 as participant[0..n]
          p0-)p1: Prepare
          par for i in 0..n
            p1-)p0: Vote
          end
          alt all_yes
            p0-)p1: Commit
            Note over p0: Log
          else else
            Note over p0,p1: abort()
          end
    "#]]
    .assert_eq(&commit().mermaid());
}

#[test]
fn every_frame_and_every_message_is_drawn() {
    let svg = commit().svg();
    crate::random::assert_balanced(&svg, "commit");
    assert_eq!(svg.matches("class=\"frame\"").count(), 2);
    assert_eq!(svg.matches("class=\"divider\"").count(), 1);
    assert_eq!(svg.matches("class=\"arrow\"").count(), 3);
    for text in ["[all_yes]", "[for i in 0..n]", "alt", "par", "Prepare", "abort()"] {
        assert!(svg.contains(text), "{text}");
    }
}
