//! Modules under stress: eight threads pass numbered messages, each giving way or sleeping now and then at
//! random, so that every queue runs full and empty and every kind of waiting happens. Each thread checks that
//! what it receives is the next of its sender.

use std::borrow::Cow;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use quadrille_runtime::plan::{
    Act, ActId, Edge, Kind, LabelId, LocalAutomaton, LocalId, LocalState, Packet, PacketId, Queue,
    RoleId,
};
use quadrille_runtime::{Form, Module, Payload, Plan, Role};

const N_ROLES: u16 = 8;

/// If nothing happens for so long, nothing will.
const HANGS: Duration = Duration::from_secs(60);

/// The number of a message.
#[derive(Clone, Debug)]
struct Numbered(u64);

impl Payload for Numbered {
    fn label(&self) -> Option<LabelId> {
        Some(LabelId(0))
    }
}

/// Makes about so many sends and receives, half of them along a line of roles through rings and slots, half
/// from many roles to one through an inbox. Whether all went well; what did not is printed.
pub fn run(n_actions: u64) -> io::Result<bool> {
    let along = n_actions / 2 / u64::from(2 * (N_ROLES - 1));
    let inward = along;
    let is_well = conversation("along a line", &line(), along, line_role)
        && conversation("from many to one", &star(), inward, star_role);
    if is_well {
        let made = (along + inward) * u64::from(2 * (N_ROLES - 1));
        println!(
            "{made} actions of {N_ROLES} threads: nothing lost, doubled or reordered, no hang"
        );
    }
    Ok(is_well)
}

/// What a role does with so many messages; says by the counter that it goes on.
type Part = fn(&mut Role<Numbered>, u64, &mut Whim) -> Result<(), String>;

/// Gives way at random, and counts.
struct Whim {
    random: u64,
    progress: Arc<AtomicU64>,
}

impl Whim {
    fn follow(&mut self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        match self.random >> 52 {
            0 => thread::sleep(Duration::from_micros(self.random % 50)),
            1..64 => thread::yield_now(),
            _ => {}
        }
    }
}

fn conversation(name: &str, plan: &Plan, n_messages: u64, part: Part) -> bool {
    let module = Module::new(plan, Form::Liberal).expect("a sound plan");
    let progress = Arc::new(AtomicU64::new(0));
    let (done, all_done) = mpsc::channel();
    for mut role in module.into_roles() {
        let mut whim = Whim {
            random: 0x9e37_79b9_7f4a_7c15 ^ u64::from(role.id().0 + 1),
            progress: Arc::clone(&progress),
        };
        let done = done.clone();
        thread::spawn(move || {
            let result = part(&mut role, n_messages, &mut whim);
            let result = result.and_then(|()| role.finish().map_err(|error| error.to_string()));
            // There is no receiver if another role was faster to complain.
            let _ = done.send(result);
        });
    }
    drop(done);
    let mut n_left = N_ROLES;
    while n_left > 0 {
        let before = progress.load(Ordering::Relaxed);
        match all_done.recv_timeout(HANGS) {
            Ok(Ok(())) => n_left -= 1,
            Ok(Err(why)) => {
                println!("{name}: {why}");
                return false;
            }
            Err(_) if progress.load(Ordering::Relaxed) != before => {}
            Err(_) => {
                println!("{name}: nothing has happened for {HANGS:?}, after {before} actions");
                return false;
            }
        }
    }
    true
}

/// Receives the next message of a sender.
fn receive(role: &mut Role<Numbered>, expected: &mut [u64], whim: &mut Whim) -> Result<(), String> {
    let received = role.recv(None).map_err(|error| error.to_string())?;
    let expected = &mut expected[received.from.index()];
    if received.payload.0 != *expected {
        let (name, number) = (role.name(), received.payload.0);
        return Err(format!("`{name}` received {number} instead of {expected}"));
    }
    *expected += 1;
    whim.follow();
    Ok(())
}

fn send(role: &mut Role<Numbered>, number: u64, whim: &mut Whim) -> Result<(), String> {
    role.send(Numbered(number), None).map_err(|error| error.to_string())?;
    whim.follow();
    Ok(())
}

fn line_role(role: &mut Role<Numbered>, n_messages: u64, whim: &mut Whim) -> Result<(), String> {
    let position = role.id().0;
    let mut expected = [0; N_ROLES as usize];
    for number in 0..n_messages {
        if position > 0 {
            receive(role, &mut expected, whim)?;
        }
        if position + 1 < N_ROLES {
            send(role, number, whim)?;
        }
    }
    Ok(())
}

fn star_role(role: &mut Role<Numbered>, n_messages: u64, whim: &mut Whim) -> Result<(), String> {
    let mut expected = [0; N_ROLES as usize];
    if role.id().0 == 0 {
        for _ in 0..n_messages * u64::from(N_ROLES - 1) {
            receive(role, &mut expected, whim)?;
        }
        return Ok(());
    }
    (0..n_messages).try_for_each(|number| send(role, number, whim))
}

/// Every role sends to the next, through queues of different sizes.
fn line() -> Plan {
    let hops: Vec<(u16, u16)> = (1..N_ROLES).map(|to| (to - 1, to)).collect();
    let capacities = [1, 2, 3, 1, 5, 8, 1];
    let queues = hops.iter().zip(capacities).map(|(&(from, to), capacity)| Queue {
        from: Some(RoleId(from)),
        to: RoleId(to),
        capacity,
        suffices: false,
    });
    let queues = queues.collect();
    plan(&hops, queues, |role| {
        let receives = (role > 0).then(|| 2 * u32::from(role - 1) + 1);
        let sends = (role + 1 < N_ROLES).then(|| 2 * u32::from(role));
        receives.into_iter().chain(sends).collect()
    })
}

/// Every role sends to the first, through one queue.
fn star() -> Plan {
    let hops: Vec<(u16, u16)> = (1..N_ROLES).map(|from| (from, 0)).collect();
    let queues = vec![Queue { from: None, to: RoleId(0), capacity: 3, suffices: false }];
    plan(&hops, queues, |role| match role {
        0 => Vec::new(),
        _ => vec![2 * u32::from(role - 1)],
    })
}

/// Roles that send along these hops for ever: act `2 * hop` sends, the next one receives. A role does its acts
/// in turn; one without does any that it receives.
fn plan(hops: &[(u16, u16)], queues: Vec<Queue>, acts_of: impl Fn(u16) -> Vec<u32>) -> Plan {
    let act = |kind, (from, to): (u16, u16), text: &str| Act {
        kind,
        from: RoleId(from),
        to: vec![RoleId(to)].into(),
        label: Some(LabelId(0)),
        text: Cow::Owned(format!("{from} {text} {to}")),
    };
    let acts = hops.iter().flat_map(|&hop| {
        [act(Kind::Send, hop, "sends to"), act(Kind::Receive, hop, "is heard by")]
    });
    let edge = |act: u32, to: usize| Edge {
        act: ActId(act),
        packet: Some(PacketId(act / 2)),
        to: LocalId(to as u32),
    };
    let local = |role: u16| {
        let acts = acts_of(role);
        let in_turn = acts.iter().enumerate().map(|(number, &act)| LocalState {
            edges: vec![edge(act, (number + 1) % acts.len())].into(),
            may_end: number == 0,
        });
        let mut states: Vec<LocalState> = in_turn.collect();
        if states.is_empty() {
            let any = (0..hops.len() as u32).map(|hop| edge(2 * hop + 1, 0));
            states.push(LocalState { edges: any.collect::<Vec<_>>().into(), may_end: true });
        }
        LocalAutomaton { states: states.into() }
    };
    Plan {
        protocol: "stress".into(),
        roles: (0..N_ROLES).map(|role| Cow::Owned(role.to_string())).collect::<Vec<_>>().into(),
        labels: vec!["Numbered".into()].into(),
        acts: acts.collect::<Vec<_>>().into(),
        strict: Vec::new().into(),
        locals: (0..N_ROLES).map(local).collect::<Vec<_>>().into(),
        packets: (0..hops.len() as u32)
            .map(|hop| Packet { act: ActId(2 * hop), variant: 0 })
            .collect::<Vec<_>>()
            .into(),
        queues: queues.into(),
    }
}

#[cfg(test)]
mod tests;
