//! The models of the workloads, each a function from a size to a [`Network`]. Each says where its
//! steps begin and end: that is what makes the counts of two tools comparable.

mod forkjoin;
mod leader;
mod pairs;
mod peterson;
mod phil;
mod prod;
mod ring;
mod twophase;

pub use forkjoin::forkjoin;
pub use leader::{Grain, leader};
pub use pairs::{pairs, parallel};
pub use peterson::peterson;
pub use phil::phil;
pub use prod::prod;
pub use ring::ring;
pub use twophase::twophase;

use quadrille_model::{
    Automaton, Channel, ChannelId, LocalId, Network, NetworkBuilder, ParticipantId, Predicate,
    Template,
};

/// A builder for parts that are right by construction: a part that does not fit is a bug here.
#[derive(Default)]
struct Parts(NetworkBuilder);

impl Parts {
    fn participant(&mut self, participant: Automaton) -> ParticipantId {
        self.0.participant(participant).expect("a participant that fits")
    }

    fn channel(&mut self, channel: Channel) -> ChannelId {
        self.0.channel(channel).expect("a channel that fits")
    }

    fn template(&mut self, template: Template) {
        self.0.template(template).expect("a template that fits");
    }

    fn proposition(&mut self, name: &str, predicate: Predicate) {
        self.0.proposition(name, predicate).expect("a proposition that fits");
    }

    fn build(self) -> Network {
        self.0.build().expect("a network of parts that fit")
    }
}

/// The local state at a position of a participant's list.
fn local(position: usize) -> LocalId {
    LocalId::from_usize(position)
}
