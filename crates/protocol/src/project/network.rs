//! The liberal form as a [`Network`], where it is known how much its queues must hold.

use std::collections::BTreeMap;

use quadrille_model::{
    Automaton, Channel as NetworkChannel, ChannelId, InteractionKind, LocalId, MessageId, Network,
    NetworkBuilder, NetworkError, ParticipantId, Template,
};

use super::liberal::{Effect, Move};
use super::{Liberal, LocalAutomaton, PacketId};
use crate::core::RoleId;

impl Liberal {
    /// The same as a network whose queues hold this much each; participants are the roles by
    /// number. The behaviour is that of [`Liberal::bounded`]. An exchange becomes a template for each
    /// combination of states in which its parties may meet: many, where several have many states.
    pub fn network(&self, capacities: &[u32]) -> Result<Network, NetworkError> {
        let mut builder = NetworkBuilder::default();
        for local in &self.projection.locals {
            builder.participant(participant(self.projection.role(local.role), local))?;
        }
        for (position, channel) in self.channels.iter().enumerate() {
            let capacity = capacities.get(position).copied().unwrap_or(1).max(1);
            let messages = self.message_names(&channel.packets);
            let mut made = NetworkChannel::new(self.channel_name(position), capacity, messages);
            if let Some(from) = channel.from {
                made = made.between(from.participant(), channel.to.participant());
            }
            builder.channel(made)?;
        }
        for (local, moves) in self.projection.locals.iter().zip(&self.moves) {
            for (from, moves) in moves.iter().enumerate() {
                for step in moves {
                    self.templates(local.role, LocalId::from_usize(from), step, &mut builder)?;
                }
            }
        }
        builder.build()
    }

    /// A packet as people see it: the message, and a number where there are several of it.
    pub(super) fn packet_name(&self, packet: PacketId) -> String {
        let packet = self.projection.packet(packet);
        let message = self.projection.act(packet.act).message.as_ref();
        let message = message.map(ToString::to_string).unwrap_or_default();
        match packet.variant {
            0 => message,
            variant => format!("{message}#{}", variant + 1),
        }
    }

    /// Names of the packets of one channel, told apart where they would be equal.
    fn message_names(&self, packets: &[PacketId]) -> Vec<String> {
        let mut used: BTreeMap<String, u32> = BTreeMap::new();
        let mut names = Vec::with_capacity(packets.len());
        for &packet in packets {
            let name = self.packet_name(packet);
            let count = used.entry(name.clone()).or_default();
            *count += 1;
            names.push(if *count == 1 { name } else { format!("{name}'{count}") });
        }
        names
    }

    fn message(&self, channel: usize, packet: PacketId) -> (ChannelId, MessageId) {
        let packets = &self.channels[channel].packets;
        let position = packets.partition_point(|&other| other < packet);
        (ChannelId::from_usize(channel), MessageId::from_usize(position))
    }

    /// Adds the templates of one step of a role: one, but for an exchange one for each combination
    /// of states that the others may be in.
    fn templates(
        &self,
        role: RoleId,
        from: LocalId,
        step: &Move,
        builder: &mut NetworkBuilder,
    ) -> Result<(), NetworkError> {
        let action = self.projection.vocabulary.action(step.act);
        let mut template = Template::new(action.label.as_str())
            .interaction(action.interaction.clone())
            .step(role.participant(), from, step.to);
        match &step.effect {
            Effect::Alone => {}
            Effect::Put(packet, channels) => {
                for &channel in channels {
                    let (channel, message) = self.message(channel, *packet);
                    template = template.send(channel, message);
                }
            }
            Effect::Take(packet, channel) => {
                let (channel, message) = self.message(*channel, *packet);
                template = template.receive(channel, message);
            }
            Effect::Meet(packet, others) => {
                return self.meetings(step, *packet, others, template, builder);
            }
        }
        builder.template(template)
    }

    fn meetings(
        &self,
        step: &Move,
        packet: PacketId,
        others: &[RoleId],
        template: Template,
        builder: &mut NetworkBuilder,
    ) -> Result<(), NetworkError> {
        debug_assert_eq!(self.projection.act(step.act).kind, InteractionKind::Exchange);
        let Some((first, rest)) = others.split_first() else { return builder.template(template) };
        let local = &self.projection.locals[first.0 as usize];
        for (from, state) in local.states.iter().enumerate() {
            let meets = state.edges.iter().find(|e| e.act == step.act && e.packet == Some(packet));
            if let Some(edge) = meets {
                let participant: ParticipantId = first.participant();
                let with = template.clone().step(participant, LocalId::from_usize(from), edge.to);
                self.meetings(step, packet, rest, with, builder)?;
            }
        }
        Ok(())
    }
}

fn participant(name: &str, local: &LocalAutomaton) -> Automaton {
    let names = (0..local.states.len()).map(|state| state.to_string());
    let ends = local.states.iter().enumerate().filter(|(_, state)| state.may_end);
    Automaton::new(name, names).ends(ends.map(|(state, _)| LocalId::from_usize(state)))
}
