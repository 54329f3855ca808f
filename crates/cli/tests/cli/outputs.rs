//! What a check gives to programs: JSON, and files in many formats.

use expect_test::expect;

use crate::folder::{Folder, without_times};

#[test]
fn json_is_one_object() {
    let folder = Folder::with_examples();
    folder.check(
        &["states", "philosophers.net", "--format", "json"],
        &expect![[r#"
            exit 0
            --- stdout
            {
              "schema": "quadrille/1",
              "file": "philosophers.net",
              "complete": true,
              "bound": null,
              "states": 14,
              "transitions": 27,
              "deadlocks": 1,
              "depth": 3,
              "bytes": 512,
              "bytes_per_state": 36.57,
              "seconds": …
            }
        "#]],
    );
    folder.check(
        &["check", "mailbox.net", "--formula", "G !crowded", "--format", "json"],
        &expect![[r#"
            exit 1
            --- stdout
            {
              "schema": "quadrille/1",
              "file": "mailbox.net",
              "verdict": "violated",
              "findings": [
                {
                  "property": "G !crowded",
                  "verdict": "violated",
                  "expected": "holds",
                  "passed": false,
                  "bound": null,
                  "states": 10,
                  "transitions": 12,
                  "bytes": 512,
                  "product": null,
                  "seconds": …,
                  "runs": "maximal",
                  "fairness": "no fairness",
                  "reduction": null,
                  "limits": {
                    "states": null,
                    "bytes": null
                  },
                  "form": "global",
                  "engine": "breadth-first search",
                  "trace": {
                    "property": "G !crowded",
                    "participants": [
                      "Client",
                      "Server"
                    ],
                    "initial": {
                      "Client": "idle",
                      "Server": "ready",
                      "requests": "[]",
                      "answers": "[]"
                    },
                    "steps": [
                      {
                        "action": "ask",
                        "shape": {
                          "kind": "send",
                          "from": "Client",
                          "to": [
                            "Server"
                          ],
                          "message": "ask"
                        },
                        "changes": {
                          "Client": "waiting",
                          "requests": "[ask]"
                        }
                      },
                      {
                        "action": "cancel",
                        "shape": {
                          "kind": "send",
                          "from": "Client",
                          "to": [
                            "Server"
                          ],
                          "message": "cancel"
                        },
                        "changes": {
                          "Client": "annoyed",
                          "requests": "[ask cancel]"
                        }
                      }
                    ],
                    "ending": {
                      "kind": "prefix"
                    }
                  }
                },
                {
                  "property": "no deadlock",
                  "verdict": "violated",
                  "expected": "holds",
                  "passed": false,
                  "bound": null,
                  "states": 10,
                  "transitions": 12,
                  "bytes": 512,
                  "product": null,
                  "seconds": …,
                  "runs": null,
                  "fairness": null,
                  "reduction": null,
                  "limits": {
                    "states": null,
                    "bytes": null
                  },
                  "form": "global",
                  "engine": "breadth-first search",
                  "trace": {
                    "property": "no deadlock",
                    "participants": [
                      "Client",
                      "Server"
                    ],
                    "initial": {
                      "Client": "idle",
                      "Server": "ready",
                      "requests": "[]",
                      "answers": "[]"
                    },
                    "steps": [
                      {
                        "action": "ask",
                        "shape": {
                          "kind": "send",
                          "from": "Client",
                          "to": [
                            "Server"
                          ],
                          "message": "ask"
                        },
                        "changes": {
                          "Client": "waiting",
                          "requests": "[ask]"
                        }
                      },
                      {
                        "action": "cancel",
                        "shape": {
                          "kind": "send",
                          "from": "Client",
                          "to": [
                            "Server"
                          ],
                          "message": "cancel"
                        },
                        "changes": {
                          "Client": "annoyed",
                          "requests": "[ask cancel]"
                        }
                      },
                      {
                        "action": "take",
                        "shape": {
                          "kind": "receive",
                          "from": "Client",
                          "to": "Server",
                          "message": "ask"
                        },
                        "changes": {
                          "Server": "working",
                          "requests": "[cancel]"
                        }
                      },
                      {
                        "action": "abandon",
                        "shape": {
                          "kind": "receive",
                          "from": "Client",
                          "to": "Server",
                          "message": "cancel"
                        },
                        "changes": {
                          "Server": "ready",
                          "requests": "[]"
                        }
                      }
                    ],
                    "ending": {
                      "kind": "stuck",
                      "waits": [
                        {
                          "participant": "Client",
                          "step": "late",
                          "needs": [
                            {
                              "slot": "answers",
                              "is": "[]",
                              "wants": []
                            }
                          ]
                        },
                        {
                          "participant": "Server",
                          "step": "take",
                          "needs": [
                            {
                              "slot": "requests",
                              "is": "[]",
                              "wants": []
                            }
                          ]
                        },
                        {
                          "participant": "Server",
                          "step": "drop",
                          "needs": [
                            {
                              "slot": "requests",
                              "is": "[]",
                              "wants": []
                            }
                          ]
                        }
                      ]
                    }
                  }
                }
              ],
              "never": {
                "taken": [],
                "lines": [],
                "reached": [],
                "statements": []
              }
            }
        "#]],
    );
}

#[test]
fn traces_are_written_in_the_format_of_the_name() {
    let folder = Folder::with_examples();
    let names = ["t.txt", "t.json", "t.itf.json", "t.svg", "t.mmd"];
    let options = names.iter().flat_map(|name| ["--trace-out", name]);
    let arguments: Vec<&str> =
        ["check", "mailbox.net", "--junit", "junit.xml"].into_iter().chain(options).collect();
    folder.check(
        &arguments,
        &expect![[r#"
            exit 1
            --- stdout
            deadlock: after 4 steps  (10 states, 12 transitions; no reduction, no bounds)

                 start     Client: idle   Server: ready   requests: []   answers: []
              1  ask       Client: idle → waiting   requests: [] → [ask]
              2  cancel    Client: waiting → annoyed   requests: [ask] → [ask cancel]
              3  take      Server: ready → working   requests: [ask cancel] → [cancel]
              4  abandon   Server: working → ready   requests: [cancel] → []
              stuck: no step is possible, and the system may not end here
                Client waits for late: answers is []
                Server waits for take: requests is []
                Server waits for drop: requests is []

              replay: quadrille replay mailbox.net t.json

            --- stderr
            wrote t.txt
            wrote t.json
            wrote t.itf.json
            wrote t.svg
            wrote t.mmd
            wrote junit.xml
        "#]],
    );
    expect![[r#"
        property: no deadlock

             start     Client: idle   Server: ready   requests: []   answers: []
          1  ask       Client: idle → waiting   requests: [] → [ask]
          2  cancel    Client: waiting → annoyed   requests: [ask] → [ask cancel]
          3  take      Server: ready → working   requests: [ask cancel] → [cancel]
          4  abandon   Server: working → ready   requests: [cancel] → []
          stuck: no step is possible, and the system may not end here
            Client waits for late: answers is []
            Server waits for take: requests is []
            Server waits for drop: requests is []
    "#]]
    .assert_eq(&folder.read("t.txt"));
    expect![[r#"
        sequenceDiagram
          participant p0 as Client
          participant p1 as Server
          Note over p0,p1: no deadlock
          p0-)p1: ask
          p0-)p1: cancel
          Note over p1: receives ask
          Note over p1: receives cancel
          Note over p0,p1: stuck<br/>Client waits for late: answers is []<br/>Server waits for take: requests is []<br/>Server waits for drop: requests is []
    "#]].assert_eq(&folder.read("t.mmd"));
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="quadrille" tests="1" failures="1" errors="0" time="…">
          <testsuite name="mailbox.net" tests="1" failures="1" errors="0" time="…">
            <testcase name="no deadlock" classname="mailbox.net" time="…">
              <failure message="violated: no deadlock">property: no deadlock

             start     Client: idle   Server: ready   requests: []   answers: []
          1  ask       Client: idle → waiting   requests: [] → [ask]
          2  cancel    Client: waiting → annoyed   requests: [ask] → [ask cancel]
          3  take      Server: ready → working   requests: [ask cancel] → [cancel]
          4  abandon   Server: working → ready   requests: [cancel] → []
          stuck: no step is possible, and the system may not end here
            Client waits for late: answers is []
            Server waits for take: requests is []
            Server waits for drop: requests is []
        </failure>
            </testcase>
          </testsuite>
        </testsuites>
    "#]]
    .assert_eq(&without_times(&folder.read("junit.xml")));
    assert!(folder.read("t.svg").starts_with("<svg "));
    assert!(folder.read("t.itf.json").contains("\"format\": \"ITF\""));
    folder.check(
        &["replay", "mailbox.net", "t.json"],
        &expect![[r#"
        exit 0
        --- stdout
        fits: the model performs all 4 steps and ends as told
        property: no deadlock

             start     Client: idle   Server: ready   requests: []   answers: []
          1  ask       Client: idle → waiting   requests: [] → [ask]
          2  cancel    Client: waiting → annoyed   requests: [ask] → [ask cancel]
          3  take      Server: ready → working   requests: [ask cancel] → [cancel]
          4  abandon   Server: working → ready   requests: [cancel] → []
          stuck: no step is possible, and the system may not end here
            Client waits for late: answers is []
            Server waits for take: requests is []
            Server waits for drop: requests is []
    "#]],
    );
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 3 + names.len() + 1, "no temporary file is left behind");
}
