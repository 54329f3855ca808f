//! What questions are asked about: a model with the vocabulary of its language and the way its runs are
//! shown.

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{Fairness, Limits, Observer};
use quadrille_model::{Expected, Model, Trace, Value};
use quadrille_petri::{Net, NetModel, Tokens};
use quadrille_protocol::core::Terms;

use crate::claim::Property;
use crate::languages::components::Composed;
use crate::languages::protocols::Protocol;
use crate::protocol::Stopped;
use crate::selection::{Form, Selection};
use crate::vocabulary::Vocabulary;

/// A behaviour that was loaded.
pub struct Subject<'m> {
    /// What selects it in its file.
    pub selection: Selection,
    /// The properties that its file declares for it.
    pub properties: Vec<Property>,
    /// Whether it must not get stuck, or its file expects that it does.
    pub no_deadlock: Expected,
    /// The scope of a design, where its file has several.
    pub scope: Option<String>,
    /// Which steps its file declares as fair; options may ask for more.
    pub fairness: Fairness,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) matter: Matter<'m>,
}

/// What a subject is made of.
pub(crate) enum Matter<'m> {
    /// A model and nothing else.
    Model(Box<dyn Model + 'm>),
    /// A Petri net.
    Net(Box<NetModel>),
    /// A session of a protocol.
    Protocol(Box<Protocol>),
    /// Components that are put together.
    Components(Box<Composed>),
}

impl<'m> Subject<'m> {
    /// A model that comes from no file.
    pub fn of_model(model: Box<dyn Model + 'm>, vocabulary: Vocabulary) -> Self {
        Self::new(Matter::Model(model), vocabulary, Selection::default(), Vec::new())
    }

    pub(crate) fn new(
        matter: Matter<'m>,
        vocabulary: Vocabulary,
        selection: Selection,
        properties: Vec<Property>,
    ) -> Self {
        let no_deadlock = Expected::Holds;
        let (scope, fairness) = (None, Fairness::default());
        Self { selection, properties, no_deadlock, scope, fairness, vocabulary, matter }
    }

    /// What is explored.
    pub fn model(&self) -> &dyn Model {
        match &self.matter {
            Matter::Model(model) => &**model,
            Matter::Net(net) => &**net,
            Matter::Protocol(protocol) => protocol.model(),
            Matter::Components(composed) => &composed.composition,
        }
    }

    /// The net, if it is one.
    pub fn net(&self) -> Option<&Net> {
        self.net_model().map(NetModel::net)
    }

    /// The marking that a state of a net is.
    pub fn marking(&self, state: &[Value]) -> Option<Vec<Tokens>> {
        self.net_model().map(|model| model.slots().marking(state))
    }

    /// The model of a net, if it is one.
    pub(crate) fn net_model(&self) -> Option<&NetModel> {
        match &self.matter {
            Matter::Net(net) => Some(net),
            Matter::Model(_) | Matter::Protocol(_) | Matter::Components(_) => None,
        }
    }

    /// Whether it is known that something grows without end: the place of a net.
    pub fn grows(&self) -> Option<&str> {
        let model = self.net_model()?;
        Some(&model.net().places[model.grows()?.index()])
    }

    /// The protocol, if it is one.
    pub fn protocol(&self) -> Option<&Protocol> {
        match &self.matter {
            Matter::Protocol(protocol) => Some(protocol),
            Matter::Model(_) | Matter::Net(_) | Matter::Components(_) => None,
        }
    }

    /// The protocol by itself, if it is one.
    pub fn into_protocol(self) -> Option<Protocol> {
        match self.matter {
            Matter::Protocol(protocol) => Some(*protocol),
            Matter::Model(_) | Matter::Net(_) | Matter::Components(_) => None,
        }
    }

    /// Why a protocol is stuck where a run ends, though it seems to go on: calls that unfold to nothing.
    pub fn empty_calls(&self, run: &Trace) -> Vec<Diagnostic> {
        match &self.matter {
            Matter::Protocol(protocol) if protocol.form.is_none() => {
                let last = run.steps.last().map_or(&run.initial, |step| &step.state);
                protocol.model.empty_calls(last)
            }
            _ => Vec::new(),
        }
    }

    /// The components, if it is made of some.
    pub fn components(&self) -> Option<&Composed> {
        match &self.matter {
            Matter::Components(composed) => Some(composed),
            Matter::Model(_) | Matter::Net(_) | Matter::Protocol(_) => None,
        }
    }

    /// Takes the form that the selection names, which needs an exploration unless that is the protocol
    /// itself.
    pub fn take_form(
        &mut self,
        limits: Limits,
        observer: &mut Observer<'_>,
    ) -> Result<(), Stopped> {
        match (&mut self.matter, self.selection.session.form) {
            (_, Form::Global) | (Matter::Model(_) | Matter::Net(_) | Matter::Components(_), _) => {
                Ok(())
            }
            (Matter::Protocol(protocol), form) => protocol.take_form(form, limits, observer),
        }
    }

    /// The participants of a protocol or a module, by which atoms name them.
    pub(crate) fn terms(&self) -> Option<&Terms> {
        match (&self.vocabulary, &self.matter) {
            (Vocabulary::Names(names), _) => Some(&names.terms),
            (_, Matter::Protocol(protocol)) => Some(protocol.model.terms()),
            (_, Matter::Model(_) | Matter::Net(_) | Matter::Components(_)) => None,
        }
    }
}
