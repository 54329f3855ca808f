//! A network whose values are numbered as they are met, differently in every process.

use std::ops::ControlFlow;
use std::sync::Mutex;

use quadrille_model::{
    ActionId, Domain, Explorer, Flow, GroupId, Model, Network, Problem, PropositionId, Signature,
    SlotId, Successors, Value,
};

pub(crate) struct Numbered {
    network: Network,
    signature: Signature,
    /// The first number that is given to a value.
    first: Value,
    /// Per slot, the values that were met, in order.
    met: Mutex<Vec<Vec<Value>>>,
}

impl Numbered {
    /// The processes of a cluster differ in `first`.
    pub fn new(network: Network, first: Value) -> Self {
        let mut signature = network.signature().clone();
        for slot in &mut signature.slots {
            slot.domain = Domain::Interned;
        }
        for group in &mut signature.groups {
            // What guards and effects say is about values that have other numbers here.
            group.guards.clear();
            group.guards_complete = false;
            let writes: Vec<SlotId> = group.may_write().collect();
            group.effects = writes.into_iter().map(quadrille_model::Effect::any).collect();
        }
        signature.guards.clear();
        let met = Mutex::new(vec![Vec::new(); signature.n_slots()]);
        Self { network, signature, first, met }
    }

    fn inward(&self, state: &[Value]) -> Vec<Value> {
        let met = self.met.lock().expect("no panic");
        state.iter().zip(&*met).map(|(&number, met)| met[(number - self.first) as usize]).collect()
    }

    fn outward(&self, state: &[Value]) -> Vec<Value> {
        let mut met = self.met.lock().expect("no panic");
        let number = |(value, met): (&Value, &mut Vec<Value>)| {
            let known = met.iter().position(|it| it == value);
            let at = known.unwrap_or_else(|| {
                met.push(*value);
                met.len() - 1
            });
            at as Value + self.first
        };
        state.iter().zip(met.iter_mut()).map(number).collect()
    }
}

impl Model for Numbered {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Walker { model: self, inner: self.network.explorer() })
    }

    fn content(&self, slot: SlotId, value: Value, out: &mut Vec<u8>) {
        let met = self.met.lock().expect("no panic");
        let value = met[slot.index()][(value - self.first) as usize];
        out.extend_from_slice(format!("value {value}").as_bytes());
    }

    fn value(&self, slot: SlotId, content: &[u8]) -> Option<Value> {
        let text = std::str::from_utf8(content).ok()?;
        let value: Value = text.strip_prefix("value ")?.parse().ok()?;
        let mut met = self.met.lock().expect("no panic");
        let met = &mut met[slot.index()];
        let known = met.iter().position(|&it| it == value);
        let at = known.unwrap_or_else(|| {
            met.push(value);
            met.len() - 1
        });
        Some(at as Value + self.first)
    }
}

struct Walker<'m> {
    model: &'m Numbered,
    inner: Box<dyn Explorer + 'm>,
}

impl Explorer for Walker<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        let model = self.model;
        self.inner.initial(&mut |state| sink(&model.outward(state)))
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let (model, state) = (self.model, self.model.inward(state));
        let mut outward = |group: GroupId, action: ActionId, next: &[Value]| {
            sink.next(group, action, &model.outward(next))
        };
        self.inner.successors(group, &state, &mut outward)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let (model, state) = (self.model, self.model.inward(state));
        let mut outward = |group: GroupId, action: ActionId, next: &[Value]| {
            sink.next(group, action, &model.outward(next))
        };
        match self.inner.expand(&state, &mut outward) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            halted => halted,
        }
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        let state = self.model.inward(state);
        self.inner.holds(proposition, &state)
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        let state = self.model.inward(state);
        self.inner.may_end(&state)
    }
}
