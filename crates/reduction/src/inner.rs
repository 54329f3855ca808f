//! What a wrapper says as the model within it does.

/// The methods of [`Model`](quadrille_model::Model) that leaving out steps or renaming members does
/// not change, for a type with the model in its field `model`.
macro_rules! like_the_model_within {
    () => {
        fn n_actions(&self) -> usize {
            self.model.n_actions()
        }

        fn action(&self, action: quadrille_model::ActionId) -> quadrille_model::Action {
            self.model.action(action)
        }

        fn participant(
            &self,
            participant: quadrille_model::ParticipantId,
        ) -> quadrille_model::Participant {
            self.model.participant(participant)
        }

        fn meaning(
            &self,
            proposition: quadrille_model::PropositionId,
        ) -> Option<quadrille_model::Condition> {
            self.model.meaning(proposition)
        }

        fn ending(&self) -> Option<quadrille_model::Condition> {
            self.model.ending()
        }

        fn show(&self, slot: quadrille_model::SlotId, value: quadrille_model::Value) -> String {
            self.model.show(slot, value)
        }

        fn place(
            &self,
            slot: quadrille_model::SlotId,
            value: quadrille_model::Value,
        ) -> Option<quadrille_model::Place> {
            self.model.place(slot, value)
        }

        fn content(
            &self,
            slot: quadrille_model::SlotId,
            value: quadrille_model::Value,
            out: &mut Vec<u8>,
        ) {
            self.model.content(slot, value, out);
        }

        fn value(
            &self,
            slot: quadrille_model::SlotId,
            content: &[u8],
        ) -> Option<quadrille_model::Value> {
            self.model.value(slot, content)
        }

        fn bytes(&self) -> usize {
            self.model.bytes()
        }
    };
}

pub(crate) use like_the_model_within;
