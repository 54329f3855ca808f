//! Random protocols: the liberal form loses no run unless messages overtake each other in it, keeps its
//! promises as a model, and is the same as a network.

use std::collections::{BTreeMap, VecDeque};

use quadrille_engine::equivalence::Observation;
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_model::Checked;
use quadrille_protocol::project::{Liberal, Queues};
use quadrille_query::protocol::{Explored, Faithfulness, InFlight, Which, liberal};

use crate::protocol::protocol;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn communication(&mut self) -> String {
        let arrow = ["-->>", "-->>", "-->", "close"][self.below(4) as usize];
        let from = self.below(3);
        let to = (from + 1 + self.below(2)) % 3;
        let message = ["M ", "N "][self.below(2) as usize];
        let message = if arrow == "close" { "" } else { message };
        format!(
            "(s/{arrow} {message}::{} ::{})",
            ["a", "b", "c"][from as usize],
            ["a", "b", "c"][to as usize]
        )
    }

    fn body(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(4) == 0 {
            return self.communication();
        }
        let (one, other) = (self.body(depth - 1), self.body(depth - 1));
        match self.below(7) {
            0 => format!("(s/par {one} {other})"),
            1 => format!("(s/* {one})"),
            2 => format!("(s/? {one})"),
            3 | 4 => format!("(s/alt {one} {other})"),
            _ => format!("(s/cat {one} {other})"),
        }
    }
}

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
    for seed in 1..=400u64 {
        let body = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)).body(3);
        let session = protocol(&body);
        let Ok(explored) = Explored::new(&session.model, limits, &mut unobserved) else { continue };
        let report = liberal(&explored, &Queues::PerPair, limits, &mut unobserved).expect("small");
        match &report.faithfulness {
            Faithfulness::Faithful => n_faithful += 1,
            Faithfulness::Differs(deviation) => {
                if deviation.which == Which::Lost {
                    assert!(overtakes(&deviation.observations), "seed {seed}: {body}");
                } else {
                    let replayed = deviation.trace.replay(&report.liberal);
                    assert_eq!(replayed, Ok(()), "seed {seed}: {body}");
                    n_added += 1;
                }
            }
            Faithfulness::SameRuns(_) | Faithfulness::Unknown(_) => {}
        }
        let is_unknown = matches!(report.in_flight, InFlight::Unknown(_));
        assert!(!is_unknown || !body.contains("(s/*"), "a queue may grow, seed {seed}: {body}");
        n_unbounded += usize::from(matches!(report.in_flight, InFlight::Unbounded(_)));
        if let InFlight::Bounded(most) = &report.in_flight {
            let by_model = Space::new(&report.liberal).tabulate(limits, &mut unobserved);
            let network = report.liberal.network(most).expect("fits");
            let by_network = Space::new(&network).tabulate(limits, &mut unobserved);
            let counts = |table: &quadrille_model::Explicit| (table.n_states(), table.n_edges());
            assert_eq!(
                by_model.as_ref().map(counts),
                by_network.as_ref().map(counts),
                "seed {seed}: {body}"
            );
            let projection = report.liberal.projection().clone();
            let checked = Checked::new(Liberal::new(projection, &Queues::PerReceiver));
            assert_eq!(checked.walk(200), [], "seed {seed}: {body}");
        }
    }
    let counts = [n_faithful, n_added, n_unbounded];
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}
