//! Runs of a protocol that explain a run of its liberal form, and may be ahead of it.
//!
//! What they have done and the liberal form has not is *owed*. A step is explained by what is owed, if nothing that is owed
//! comes before it in its thread, or by going further ahead, up to the same step in a thread beside all that is owed by its
//! roles.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_protocol::core::{ActId, ProtocolModel, RoleId, Thread, ThreadState};
use quadrille_protocol::project::Global;

use super::super::Stopped;

/// Most steps that are owed.
pub(super) const MOST_OWED: usize = 96;

/// How often a state of the protocol is met on the way to a step that is to be explained.
const MOST_ROUNDS: usize = 2;

/// Most runs that are tried on the way to one step.
const MOST_TRIED: usize = 4_096;

/// A run of the protocol that explains a run of the liberal form: where it is, and what the liberal form still owes it, in
/// the order of that run. In a form that runs which differ in the order of threads share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Explanation {
    at: ThreadState,
    owed: Vec<Owed>,
    /// How many compositions have a number.
    n_compositions: u32,
}

/// A step that is owed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Owed {
    act: ActId,
    thread: Thread,
}

/// What explains a run after one more step.
#[derive(Default)]
pub(super) struct After {
    pub(super) explanations: BTreeSet<Explanation>,
    /// Whether something was not tried.
    pub(super) is_cut: bool,
}

/// The runs of a protocol.
pub(super) struct Explanations<'p> {
    model: &'p ProtocolModel,
    /// By action: the roles that perform it.
    subjects: BTreeMap<ActId, Vec<RoleId>>,
    /// Sends, each with a receive of what it sends.
    received: BTreeSet<(ActId, ActId)>,
}

/// The protocol on its way to a step.
struct Ahead {
    at: ThreadState,
    owed: Vec<Owed>,
    n_compositions: u32,
    /// The states on the way, without the numbers of compositions.
    path: Vec<ThreadState>,
}

impl<'p> Explanations<'p> {
    pub(super) fn new(model: &'p ProtocolModel, global: &Global) -> Self {
        let subjects = global.act_ids().map(|act| (act, global.act(act).subjects()));
        let received = global.act_ids().flat_map(|send| {
            let receives = global
                .act_ids()
                .filter(move |&receive| global.act(send).is_received_by(global.act(receive)));
            receives.map(move |receive| (send, receive))
        });
        Self { model, subjects: subjects.collect(), received: received.collect() }
    }

    pub(super) fn start(&self) -> Result<Explanation, Stopped> {
        let at = self.model.thread_start()?;
        Ok(Explanation { at, owed: Vec::new(), n_compositions: 0 })
    }

    /// Whether a run may end by one of these.
    pub(super) fn some_ends(&self, all: &BTreeSet<Explanation>) -> Result<bool, Stopped> {
        for it in all.iter().filter(|it| it.owed.is_empty()) {
            if self.model.thread_may_end(&it.at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Explains one more step of the liberal form.
    pub(super) fn follow(
        &self,
        from: &Explanation,
        act: ActId,
        after: &mut After,
    ) -> Result<(), Stopped> {
        for position in 0..from.owed.len() {
            if from.owed[position].act == act && self.is_next(&from.owed, position) {
                let mut owed = from.owed.clone();
                owed.remove(position);
                after.explanations.insert(self.settled(&from.at, owed));
            }
        }
        let mut before = from.owed.iter().filter(|owed| self.depends(owed.act, act));
        if before.any(|owed| owed.thread.parts().is_empty()) {
            return Ok(());
        }
        self.go_ahead(from, act, after)
    }

    /// The protocol goes ahead, without the roles of a step, until it can do the same.
    fn go_ahead(&self, from: &Explanation, act: ActId, after: &mut After) -> Result<(), Stopped> {
        let n_known = from.owed.len();
        let mut stack = vec![Ahead {
            at: from.at.clone(),
            owed: from.owed.clone(),
            n_compositions: from.n_compositions,
            path: Vec::new(),
        }];
        let mut met = BTreeSet::new();
        while let Some(here) = stack.pop() {
            let steps = self.model.thread_steps(&here.at, here.n_compositions)?;
            for step in steps {
                if step.act == act {
                    let is_free = |owed: &Owed| {
                        !self.depends(owed.act, act) || owed.thread.is_parallel_to(&step.thread)
                    };
                    let is_needed = is_chain(&here.owed[n_known..], &step.thread);
                    if is_needed && here.owed.iter().all(is_free) {
                        after.explanations.insert(self.settled(&step.to, here.owed.clone()));
                    }
                    continue;
                }
                let is_out_of_turn = here.owed[n_known..].last().is_some_and(|last| {
                    last.thread.is_parallel_to(&step.thread) && step.thread < last.thread
                });
                // Of two steps in parallel parts either order would do.
                if self.share_role(step.act, act) || is_out_of_turn {
                    continue;
                }
                let shape = step.to.renumbered(|_| 0);
                let n_rounds = here.path.iter().filter(|before| **before == shape).count();
                if n_rounds >= MOST_ROUNDS || here.owed.len() >= MOST_OWED {
                    after.is_cut = true;
                    continue;
                }
                let mut n_compositions = here.n_compositions;
                let mut count = |number: u32| n_compositions = n_compositions.max(number + 1);
                step.to.compositions(&mut count);
                step.thread.parts().iter().for_each(|&(number, _)| count(number));
                let mut owed = here.owed.clone();
                owed.push(Owed { act: step.act, thread: step.thread });
                if met.len() > MOST_TRIED {
                    after.is_cut = true;
                } else if met.insert((step.to.clone(), owed.clone())) {
                    let mut path = here.path.clone();
                    path.push(shape);
                    stack.push(Ahead { at: step.to, owed, n_compositions, path });
                }
            }
        }
        Ok(())
    }

    fn share_role(&self, one: ActId, other: ActId) -> bool {
        let others = &self.subjects[&other];
        self.subjects[&one].iter().any(|role| others.contains(role))
    }

    /// Whether an action waits for an earlier one in its thread: one of the same role, or the send of what it receives.
    /// Otherwise equal messages of different threads could be taken for each other.
    fn depends(&self, first: ActId, then: ActId) -> bool {
        self.share_role(first, then) || self.received.contains(&(first, then))
    }

    /// Whether one thing must happen before another that stands behind it.
    fn is_before(&self, first: &Owed, then: &Owed) -> bool {
        self.depends(first.act, then.act) && !first.thread.is_parallel_to(&then.thread)
    }

    /// Whether nothing that is owed must happen before this.
    fn is_next(&self, owed: &[Owed], position: usize) -> bool {
        owed[..position].iter().all(|before| !self.is_before(before, &owed[position]))
    }

    /// The same explanation whatever order threads happened to be in, and without what no later step depends on.
    fn settled(&self, at: &ThreadState, mut owed: Vec<Owed>) -> Explanation {
        let mut ordered: Vec<Owed> = Vec::with_capacity(owed.len());
        while !owed.is_empty() {
            // Neither does a receive change places with a later send of an equal message, which is not its own.
            let stays = |first: &Owed, then: &Owed| {
                self.is_before(first, then) || self.is_before(then, first)
            };
            let is_free = |&position: &usize| {
                owed[..position].iter().all(|before| !stays(before, &owed[position]))
            };
            let next = (0..owed.len()).filter(is_free).min_by_key(|&position| owed[position].act);
            // The first never has anything before it.
            ordered.push(owed.remove(next.unwrap_or(0)));
        }
        let mut numbers = BTreeMap::new();
        let number_of = |composition: u32, numbers: &mut BTreeMap<u32, u32>| {
            let next = numbers.len() as u32;
            *numbers.entry(composition).or_insert(next)
        };
        at.compositions(|composition| {
            number_of(composition, &mut numbers);
        });
        let mut parts: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for &(composition, part) in ordered.iter().flat_map(|owed| owed.thread.parts()) {
            parts.entry(composition).or_default().insert(part);
        }
        for owed in &mut ordered {
            owed.thread = owed.thread.renumbered(|composition| {
                let matters = numbers.contains_key(&composition) || parts[&composition].len() > 1;
                matters.then(|| number_of(composition, &mut numbers))
            });
        }
        let at = at.renumbered(|composition| numbers[&composition]);
        Explanation { at, owed: ordered, n_compositions: numbers.len() as u32 }
    }
}

/// Whether each of these steps is needed for the last: not in parallel to all that is needed after it.
fn is_chain(ahead: &[Owed], last: &Thread) -> bool {
    let mut needed = vec![last];
    ahead.iter().rev().all(|step| {
        let is_needed = needed.iter().any(|after| !step.thread.is_parallel_to(after));
        needed.push(&step.thread);
        is_needed
    })
}
