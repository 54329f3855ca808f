//! Small random networks: a few automata that share some actions.

use quadrille_model::{
    Automaton, LocalId, Network, NetworkBuilder, ParticipantId, Predicate, Template,
};

use crate::random::Random;

/// Two or three automata of two or three states each, with actions "0" to "3" and propositions
/// "p" and "q".
pub(crate) fn random_network(random: &mut Random) -> Network {
    let mut builder = NetworkBuilder::default();
    let sizes: Vec<u32> = (0..2 + random.below(2)).map(|_| 2 + random.below(2)).collect();
    for (number, &n_states) in sizes.iter().enumerate() {
        let ends = (0..n_states).filter(|_| random.below(4) == 0).map(LocalId::new);
        let states = (0..n_states).map(|state| format!("s{state}"));
        let automaton = Automaton::new(format!("P{number}"), states).ends(ends.collect::<Vec<_>>());
        builder.participant(automaton).expect("a good automaton");
    }
    for _ in 0..3 + random.below(7) {
        let mut template = Template::new(random.below(4).to_string());
        for (number, &n_states) in sizes.iter().enumerate() {
            if random.below(2) == 0 {
                let participant = ParticipantId::from_usize(number);
                let [from, to] = [0; 2].map(|_| LocalId::new(random.below(n_states)));
                template = template.when(participant, [from]).becomes(participant, [to]);
            }
        }
        builder.template(template).expect("a good template");
    }
    for name in ["p", "q"] {
        let participant = random.below(sizes.len() as u32);
        let value = random.below(sizes[participant as usize]);
        let predicate =
            Predicate::In(ParticipantId::new(participant), [value].into_iter().collect());
        builder.proposition(name, predicate).expect("a good proposition");
    }
    builder.build().expect("a good network")
}
