//! A model of which states that differ only in which member of a family is where are one: the wrapper
//! that explores representatives, and runs told of the members they are about.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use quadrille_model::{
    ActionId, Change, Effect, Ending, Explorer, Flow, GroupId, GuardId, Halt, Model, Problem,
    PropositionId, Signature, SlotId, Step, Successors, Trace, Value,
};

use crate::inner::like_the_model_within;
use crate::renaming::Renaming;
use crate::symmetry::{Letters, Symmetry};

/// Most steps of a run that is told: going round in a representative's loop may take several rounds
/// until each member is where it was.
const MAX_STEPS: usize = 1 << 16;

/// A model whose states are representatives: every state of the whole is like one of them.
///
/// For a question that [`Symmetry`] was made for, a run of the whole is like a run of this, of the
/// same length, and the other way round. The model below may be [`Reduced`](crate::Reduced), if that
/// knows what is exchanged ([`Seen::exchanged`](crate::Seen::exchanged)): its choice in a
/// representative stands for the same choice, renamed, in all states that are alike (Emerson, Jha &
/// Peled, TACAS 1997).
pub struct Symmetric<'m> {
    model: &'m dyn Model,
    symmetry: Symmetry,
    /// What is true of the wrapper: a step may move what members hold.
    signature: Signature,
    expanded: AtomicU64,
    alike: AtomicU64,
}

impl<'m> Symmetric<'m> {
    /// Explores representatives of a model.
    pub fn new(model: &'m dyn Model, symmetry: Symmetry) -> Self {
        let mut signature = model.signature().clone();
        signature.families.clear();
        let moved = symmetry.slots();
        for group in &mut signature.groups {
            group.reads.extend(&moved);
            group.reads.sort_unstable();
            group.reads.dedup();
            group.effects.retain(|effect| moved.binary_search(&effect.slot).is_err());
            let moves = |&slot: &SlotId| Effect { slot, change: Change::Any };
            group.effects.extend(moved.iter().map(moves));
            group.effects.sort_by_key(|effect| effect.slot);
        }
        let (expanded, alike) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { model, symmetry, signature, expanded, alike }
    }

    /// How many representatives were expanded so far, and how many states are like them.
    pub fn savings(&self) -> (u64, u64) {
        (self.expanded.load(Ordering::Relaxed), self.alike.load(Ordering::Relaxed))
    }

    /// A run of representatives as a run of the whole model, each step by the member that takes it.
    /// `letters` is what the question sees of actions. `None` if the whole does not have that run.
    pub fn run_of_whole(
        &self,
        whole: &dyn Model,
        run: &Trace,
        letters: &Letters<'_>,
    ) -> Option<Trace> {
        let mut teller = Teller { symmetric: self, whole, letters, steps: Vec::new() };
        let (initial, mut who) = teller.start(&run.initial)?;
        let mut state = initial.clone();
        let first = |ending: Ending| match ending {
            Ending::Loop { from } => from,
            _ => run.steps.len(),
        };
        let from = first(run.ending);
        for position in 0..from {
            (state, who) = teller.step(run, position, &state, &who)?;
        }
        if from == run.steps.len() {
            return Some(Trace { initial, steps: teller.steps, ending: run.ending });
        }
        let around = state.clone();
        loop {
            for position in from..run.steps.len() {
                (state, who) = teller.step(run, position, &state, &who)?;
            }
            if state == around {
                return Some(Trace { initial, steps: teller.steps, ending: Ending::Loop { from } });
            }
        }
    }
}

/// Tells a run step by step.
struct Teller<'t> {
    symmetric: &'t Symmetric<'t>,
    whole: &'t dyn Model,
    letters: &'t Letters<'t>,
    steps: Vec<Step>,
}

impl Teller<'_> {
    /// An initial state of the whole with this representative, and who is where in it.
    fn start(&self, representative: &[Value]) -> Option<(Vec<Value>, Renaming)> {
        let symmetry = &self.symmetric.symmetry;
        let mut found = None;
        let flow = self.whole.explorer().initial(&mut |state| {
            let mut own = state.to_vec();
            symmetry.represent(&mut own);
            if own != representative {
                return ControlFlow::Continue(());
            }
            found = Some((state.to_vec(), symmetry.renaming(state)));
            ControlFlow::Break(Halt::Enough)
        });
        let _ = flow;
        found
    }

    /// Takes the step at a position from a state of the whole.
    fn step(
        &mut self,
        run: &Trace,
        position: usize,
        state: &[Value],
        who: &Renaming,
    ) -> Option<(Vec<Value>, Renaming)> {
        if self.steps.len() >= MAX_STEPS {
            return None;
        }
        let Symmetric { model, symmetry, .. } = self.symmetric;
        let (from, step) = (run.state(position), &run.steps[position]);
        let mut reached = None;
        let _ = model.explorer().expand(from, &mut |group, action, next: &[Value]| {
            let mut own = next.to_vec();
            symmetry.represent(&mut own);
            if (group, action) != (step.group, step.action) || own != step.state {
                return ControlFlow::Continue(());
            }
            reached = Some(next.to_vec());
            ControlFlow::Break(Halt::Enough)
        });
        let reached = reached?;
        let target = who.applied(&reached);
        let letter = (self.letters)(&self.whole.action(step.action));
        let mut found = None;
        let _ = self.whole.explorer().expand(state, &mut |group, action, next: &[Value]| {
            if next != target || (self.letters)(&self.whole.action(action)) != letter {
                return ControlFlow::Continue(());
            }
            found = Some((group, action));
            ControlFlow::Break(Halt::Enough)
        });
        let (group, action) = found?;
        self.steps.push(Step { group, action, state: target.clone() });
        Some((target, who.after(&symmetry.renaming(&reached))))
    }
}

impl Model for Symmetric<'_> {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        let inner = self.model.explorer();
        Box::new(SymmetricExplorer { inner, symmetric: self, own: Vec::new() })
    }

    fn never_fails(&self) -> bool {
        self.model.never_fails()
    }

    fn allows_workers(&self) -> bool {
        self.model.allows_workers() && !self.symmetry.compares_interned(&self.signature)
    }

    like_the_model_within!();
}

/// The next-state function of representatives, for one worker.
struct SymmetricExplorer<'s> {
    inner: Box<dyn Explorer + 's>,
    symmetric: &'s Symmetric<'s>,
    /// Scratch: a successor that becomes a representative.
    own: Vec<Value>,
}

/// Hands representatives of successors on.
struct Representing<'r> {
    symmetry: &'r Symmetry,
    own: &'r mut Vec<Value>,
    sink: &'r mut dyn Successors,
}

impl Successors for Representing<'_> {
    fn next(&mut self, group: GroupId, action: ActionId, state: &[Value]) -> Flow {
        self.own.clear();
        self.own.extend_from_slice(state);
        self.symmetry.represent(self.own);
        self.sink.next(group, action, self.own)
    }
}

impl Explorer for SymmetricExplorer<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        let Self { inner, symmetric, own } = self;
        inner.initial(&mut |state| {
            own.clear();
            own.extend_from_slice(state);
            symmetric.symmetry.represent(own);
            sink(own)
        })
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let Self { inner, symmetric, own } = self;
        let symmetry = &symmetric.symmetry;
        inner.successors(group, state, &mut Representing { symmetry, own, sink })
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let Self { inner, symmetric, own } = self;
        let symmetry = &symmetric.symmetry;
        symmetric.expanded.fetch_add(1, Ordering::Relaxed);
        symmetric.alike.fetch_add(symmetry.n_alike(state), Ordering::Relaxed);
        inner.expand(state, &mut Representing { symmetry, own, sink })
    }

    fn guard(&mut self, guard: GuardId, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.inner.guard(guard, state)
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.inner.holds(proposition, state)
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.inner.may_end(state)
    }
}
