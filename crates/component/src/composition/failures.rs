//! A composition as a plain network in which every error that can be seen in one configuration is a
//! deadlock, so that any search for deadlocks finds it. Infinite activity is none: it needs a pass of
//! its own.

use quadrille_model::{Automaton, LocalId, Network, NetworkBuilder, ParticipantId, Template};

use super::compose::{ComposeError, Composition};
use crate::automata::Region;

/// The participant that says how things ended.
const OUTCOME: &str = "outcome";

impl Composition {
    /// The network with failure templates (Holub 2010): one more participant, `outcome`, is `running`
    /// until all components finish or an emission is not accepted. A deadlock while running is no
    /// activity, any other is the bad activity that the outcome names.
    pub fn with_failures(&self) -> Result<Network, ComposeError> {
        let mut builder = NetworkBuilder::default();
        for participant in self.network().participants() {
            builder.participant(participant.clone())?;
        }
        let [running, finished] = [LocalId::new(0), LocalId::new(1)];
        let states = ["running", "finished"].into_iter().map(str::to_owned);
        let states = states.chain(self.failures().map(|(name, _)| name.to_owned()));
        let outcome = builder.participant(Automaton::new(OUTCOME, states).ends([finished]))?;
        for template in self.network().templates() {
            builder.template(template.clone().when(outcome, [running]))?;
        }
        for (position, (name, regions)) in self.failures().enumerate() {
            let failed = LocalId::new(position as u32 + 2);
            for region in &regions {
                builder.template(within(name, region).step(outcome, running, failed))?;
            }
        }
        for region in self.all_ends() {
            builder.template(within("end", &region).step(outcome, running, finished))?;
        }
        Ok(builder.build()?)
    }
}

/// A template that is enabled in a region.
fn within(label: &str, region: &Region) -> Template {
    let mut template = Template::new(label);
    for (slot, set) in region.conditions() {
        template.conditions.push((ParticipantId::new(*slot), set.clone()));
    }
    template
}
