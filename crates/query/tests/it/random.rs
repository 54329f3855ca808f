//! Random protocols: the liberal form loses no run unless messages overtake each other in it, keeps its
//! promises as a model, and is the same as a network.

use std::collections::{BTreeMap, VecDeque};

use quadrille_engine::equivalence::Observation;
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_model::Checked;
use quadrille_protocol::project::{Liberal, Queues};
use quadrille_query::protocol::{Explored, Faithfulness, InFlight, Which, liberal};
use quadrille_workshop::check;
use quadrille_workshop::protocols::{Shape, body};

use crate::protocol::protocol;

/// Whether a message overtakes another of the same sender and receiver.
fn overtakes(observations: &[Observation]) -> bool {
    let mut queues: BTreeMap<(String, String), VecDeque<String>> = BTreeMap::new();
    observations.iter().any(|observation| {
        let label = observation.to_string().replace("do \"", "").replace('"', "");
        let words: Vec<String> = label.split(' ').map(str::to_owned).collect();
        let [who, verb, message, _, whom] = &words[..] else { return false };
        let (who, whom) = (who.clone(), whom.clone());
        match verb.as_str() {
            "sends" => {
                queues.entry((who, whom)).or_default().push_back(message.clone());
                false
            }
            "receives" => {
                queues.entry((whom, who)).or_default().pop_front().as_ref() != Some(message)
            }
            _ => false,
        }
    })
}

#[test]
fn the_liberal_form_loses_no_run_but_where_messages_overtake() {
    let limits = Limits { states: Some(3_000), ..Limits::default() };
    let (mut n_faithful, mut n_added, mut n_unbounded) = (0, 0, 0);
    check(400, |choices| {
        let body = body(choices, &Shape::default(), 3);
        let session = protocol(&body);
        let Ok(explored) = Explored::new(&session.model, limits, &mut unobserved) else { return };
        let report = liberal(&explored, &Queues::PerPair, limits, &mut unobserved).expect("small");
        match &report.faithfulness {
            Faithfulness::Faithful => n_faithful += 1,
            Faithfulness::Differs(deviation) => {
                if deviation.which == Which::Lost {
                    assert!(overtakes(&deviation.observations), "{body}");
                } else {
                    let replayed = deviation.trace.replay(&report.liberal);
                    assert_eq!(replayed, Ok(()), "{body}");
                    n_added += 1;
                }
            }
            Faithfulness::Reordered(deviation) => {
                assert_eq!(deviation.trace.replay(&report.liberal), Ok(()), "{body}");
                n_added += 1;
            }
            Faithfulness::SameRuns(_) | Faithfulness::Unknown(_) => {}
        }
        let is_unknown = matches!(report.in_flight, InFlight::Unknown(_));
        assert!(!is_unknown || !body.contains("(s/*"), "a queue may grow, {body}");
        n_unbounded += usize::from(matches!(report.in_flight, InFlight::Unbounded(_)));
        if let InFlight::Bounded(most) = &report.in_flight {
            let by_model = Space::new(&report.liberal).tabulate(limits, &mut unobserved);
            let network = report.liberal.network(most).expect("fits");
            let by_network = Space::new(&network).tabulate(limits, &mut unobserved);
            let counts = |table: &quadrille_model::Explicit| (table.n_states(), table.n_edges());
            assert_eq!(by_model.as_ref().map(counts), by_network.as_ref().map(counts), "{body}");
            let projection = report.liberal.projection().clone();
            let shared = Liberal::new(projection, &Queues::PerReceiver);
            assert_eq!(Checked::new(&shared).walk(200), [], "{body}");
        }
    });
    let counts = [n_faithful, n_added, n_unbounded];
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}
