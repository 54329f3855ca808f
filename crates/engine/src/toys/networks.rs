//! Small random networks: a few automata that share some actions.

use quadrille_model::{
    Automaton, LocalId, Network, NetworkBuilder, ParticipantId, Predicate, Template,
};
use quadrille_workshop::Choices;

/// Two or three automata of two or three states each, with actions "0" to "3" and propositions
/// "p" and "q".
pub(crate) fn random_network(choices: &mut Choices) -> Network {
    let mut builder = NetworkBuilder::default();
    let sizes: Vec<u32> = (0..2 + choices.below_u32(2)).map(|_| 2 + choices.below_u32(2)).collect();
    for (number, &n_states) in sizes.iter().enumerate() {
        let ends = (0..n_states).filter(|_| choices.below_u32(4) == 0).map(LocalId::new);
        let states = (0..n_states).map(|state| format!("s{state}"));
        let automaton = Automaton::new(format!("P{number}"), states).ends(ends.collect::<Vec<_>>());
        builder.participant(automaton).expect("a good automaton");
    }
    for _ in 0..3 + choices.below_u32(7) {
        let mut template = Template::new(choices.below_u32(4).to_string());
        for (number, &n_states) in sizes.iter().enumerate() {
            if choices.coin() {
                let participant = ParticipantId::from_usize(number);
                let [from, to] = [0; 2].map(|_| LocalId::new(choices.below_u32(n_states)));
                template = template.when(participant, [from]).becomes(participant, [to]);
            }
        }
        builder.template(template).expect("a good template");
    }
    for name in ["p", "q"] {
        let participant = choices.below_u32(sizes.len() as u32);
        let value = choices.below_u32(sizes[participant as usize]);
        let predicate =
            Predicate::In(ParticipantId::new(participant), [value].into_iter().collect());
        builder.proposition(name, predicate).expect("a good proposition");
    }
    builder.build().expect("a good network")
}
