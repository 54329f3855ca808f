//! A module as a black box: every call that a program could make, on a fresh module for each sequence of
//! calls. Slow, and as simple as it can be.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use quadrille_runtime::plan::{ActId, Kind, LabelId, RoleId};
use quadrille_runtime::{Form, Module, Observe, Plan, Role};

use crate::support::Note;

/// What a program does.
#[derive(Clone, Debug)]
enum Call {
    Send(RoleId, LabelId, RoleId),
    Receive(RoleId, RoleId),
    Close(RoleId, RoleId),
    Act(RoleId, LabelId),
    /// The receivers wait for the sender, which passes something.
    Meet(RoleId, LabelId, Vec<RoleId>),
}

#[derive(Default)]
struct Log(Mutex<Vec<ActId>>);

impl Observe for Log {
    fn did(&self, _: &Plan, act: ActId) {
        self.0.lock().expect("no panic").push(act);
    }
}

/// Every sequence of acts up to a length that some calls bring about. Where one call may do several things the
/// policy decides; enough seeds show them all.
pub fn traces(plan: &Plan, form: Form, length: usize) -> BTreeSet<Vec<String>> {
    let calls = calls(plan);
    let n_seeds = if has_branches_alike(plan, form) { 12 } else { 1 };
    let mut found = BTreeSet::from([Vec::new()]);
    for seed in 0..n_seeds {
        let mut level: Vec<Vec<Call>> = vec![Vec::new()];
        for _ in 0..length {
            let mut next = Vec::new();
            let mut seen = BTreeSet::new();
            for before in &level {
                for call in &calls {
                    let mut sequence = before.clone();
                    sequence.push(call.clone());
                    let Some(acts) = play(plan, form, seed, &sequence) else { continue };
                    // Sequences that do the same from the same seed go on alike.
                    if seen.insert(acts.clone()) {
                        let text = |act: &ActId| plan.acts[act.index()].text.to_string();
                        found.insert(acts.iter().map(text).collect());
                        next.push(sequence);
                    }
                }
            }
            level = next;
        }
    }
    found
}

/// All that anybody could call.
fn calls(plan: &Plan) -> Vec<Call> {
    let roles = || (0..plan.roles.len()).map(|role| RoleId(role as u16));
    let mut calls = Vec::new();
    for one in roles() {
        for other in roles() {
            calls.push(Call::Receive(one, other));
            calls.push(Call::Close(one, other));
            for label in (0..plan.labels.len()).map(|label| LabelId(label as u32)) {
                calls.push(Call::Send(one, label, other));
                if one != other {
                    calls.push(Call::Meet(one, label, vec![other]));
                }
            }
        }
        let labels = (0..plan.labels.len()).map(|label| LabelId(label as u32));
        calls.extend(labels.map(|label| Call::Act(one, label)));
    }
    for act in plan.acts.iter().filter(|act| act.kind == Kind::Exchange && act.to.len() > 1) {
        let label = act.label.expect("an exchange has one");
        calls.push(Call::Meet(act.from, label, act.to.to_vec()));
    }
    calls
}

/// Whether one call may do several things in some state.
fn has_branches_alike(plan: &Plan, form: Form) -> bool {
    let twice = |acts: &mut dyn Iterator<Item = ActId>| {
        let mut seen = BTreeSet::new();
        acts.map(|act| &plan.acts[act.index()]).any(|act| match act.kind {
            Kind::Send | Kind::Exchange => !seen.insert((act.from, act.label, &act.to)),
            // The liberal form takes what is at the front.
            Kind::Receive => form == Form::Strict && !seen.insert((act.from, None, &act.to)),
            Kind::Close | Kind::Local => false,
        })
    };
    let mut strict = plan.strict.iter();
    let mut locals = plan.locals.iter().flat_map(|local| local.states.iter());
    match form {
        Form::Strict => strict.any(|it| twice(&mut it.edges.iter().map(|edge| edge.0))),
        Form::Liberal => locals.any(|it| twice(&mut it.edges.iter().map(|edge| edge.act))),
    }
}

/// What some calls bring about, if each of them brings about one thing.
fn play(plan: &Plan, form: Form, seed: u64, calls: &[Call]) -> Option<Vec<ActId>> {
    let log = Arc::new(Log::default());
    let module = Module::new(plan, form).expect("a good plan").seed(seed);
    let mut roles = module.observe(Arc::clone(&log) as Arc<dyn Observe>).into_roles();
    for (number, call) in calls.iter().enumerate() {
        if !make(&mut roles, call) || log.0.lock().expect("no panic").len() != number + 1 {
            return None;
        }
    }
    Some(std::mem::take(&mut *log.0.lock().expect("no panic")))
}

fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Whether a call went through at once.
fn make(roles: &mut [Role<Note>], call: &Call) -> bool {
    match call {
        Call::Send(role, label, to) => {
            let mut send = roles[role.index()].send_async(Note(*label, 1), Some(*to));
            matches!(poll(&mut send), Poll::Ready(Ok(())))
        }
        Call::Receive(role, from) => {
            let mut receive = roles[role.index()].recv_async(Some(*from));
            matches!(poll(&mut receive), Poll::Ready(Ok(_)))
        }
        Call::Close(role, to) => {
            matches!(poll(&mut roles[role.index()].close_async(*to)), Poll::Ready(Ok(())))
        }
        Call::Act(role, label) => {
            matches!(poll(&mut roles[role.index()].local_step_async(*label)), Poll::Ready(Ok(())))
        }
        Call::Meet(from, label, to) => {
            let (mut sender, mut receivers) = (None, Vec::new());
            for role in roles {
                if role.id() == *from {
                    sender = Some(role);
                } else if to.contains(&role.id()) {
                    receivers.push(role.recv_async(Some(*from)));
                }
            }
            if !receivers.iter_mut().all(|receive| poll(receive).is_pending()) {
                return false;
            }
            let sender = sender.expect("a role");
            let mut send = sender.send_async(Note(*label, 1), Some(to[0]));
            matches!(poll(&mut send), Poll::Ready(Ok(())))
                && receivers.iter_mut().all(|it| matches!(poll(it), Poll::Ready(Ok(_))))
        }
    }
}
