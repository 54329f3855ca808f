//! Meetings and the roll under every interleaving: a message is passed to all receivers or to none, and roles
//! that are left find out that nobody can go on, and only then.

use loom::sync::Condvar;
use loom::thread;

use crate::error::Cause;
use crate::event::Event;
use crate::plan::{LocalId, PacketId, RoleId};
use crate::queue::channel;
use crate::rendezvous::{Offer, Rendezvous};
use crate::sync::{Arc, Mutex};
use crate::termination::{IdleReport, TerminationDetector};
use crate::{explore, explore_with_preemptions};

const OFFER: Offer = Offer { state: LocalId(3), from: Some(RoleId(7)) };

/// Passes a number to all of these, or to none.
fn pass(rendezvous: &[Rendezvous<u32>], number: u32) -> bool {
    let holds =
        |rendezvous: &Rendezvous<u32>| rendezvous.look() == Some(OFFER) && rendezvous.hold(OFFER);
    if let Some(busy) = rendezvous.iter().position(|rendezvous| !holds(rendezvous)) {
        rendezvous[..busy].iter().for_each(Rendezvous::release);
        return false;
    }
    rendezvous.iter().for_each(|rendezvous| rendezvous.hand_over((PacketId(0), number)));
    true
}

#[test]
fn a_receiver_that_gives_up_is_met_or_not() {
    explore(|| {
        let rendezvous = Arc::new([Rendezvous::new()]);
        rendezvous[0].offer(OFFER);
        let sender = thread::spawn({
            let rendezvous = rendezvous.clone();
            move || pass(&*rendezvous, 1)
        });
        let taken = rendezvous[0].withdraw();
        let is_passed = sender.join().expect("no panic");
        assert_eq!(taken.is_some(), is_passed);
        assert_eq!(rendezvous[0].look(), None);
    });
}

#[test]
fn two_senders_never_share_receivers() {
    explore_with_preemptions(3, || {
        let rendezvous = Arc::new([Rendezvous::new(), Rendezvous::new()]);
        rendezvous.iter().for_each(|rendezvous| rendezvous.offer(OFFER));
        let senders = [1, 2].map(|number| {
            let rendezvous = rendezvous.clone();
            thread::spawn(move || pass(&*rendezvous, number))
        });
        let passed = senders.map(|sender| sender.join().expect("no panic"));
        assert_eq!(passed.iter().filter(|&&passed| passed).count(), 1, "one of them gets both");
        let winner = if passed[0] { 1 } else { 2 };
        for rendezvous in rendezvous.iter() {
            assert_eq!(rendezvous.take(), Some((PacketId(0), winner)));
        }
    });
}

#[test]
fn a_message_to_several_is_passed_to_all_or_to_none() {
    explore_with_preemptions(3, || {
        let rendezvous = Arc::new([Rendezvous::new(), Rendezvous::new()]);
        rendezvous.iter().for_each(|rendezvous| rendezvous.offer(OFFER));
        let sender = thread::spawn({
            let rendezvous = rendezvous.clone();
            move || pass(&*rendezvous, 1)
        });
        let second = rendezvous[1].withdraw();
        let is_passed = sender.join().expect("no panic");
        assert_eq!(second.is_some(), is_passed);
        assert_eq!(rendezvous[0].take().is_some(), is_passed);
        assert_eq!(rendezvous[0].look().is_some(), !is_passed, "the first goes on waiting");
    });
}

#[test]
fn a_sender_hears_of_a_receiver_that_comes_later() {
    explore(|| {
        let rendezvous = Arc::new([Rendezvous::new()]);
        let (sends, receives) = (Arc::new(Event::new()), Arc::new(Event::new()));
        // Not joined: loom takes a late wake-up for the end of the thread.
        thread::spawn({
            let (rendezvous, sends, receives) =
                (rendezvous.clone(), sends.clone(), receives.clone());
            move || {
                sends.wait(|| pass(&*rendezvous, 1).then_some(()), None);
                receives.notify();
            }
        });
        rendezvous[0].offer(OFFER);
        sends.notify();
        assert_eq!(receives.wait(|| rendezvous[0].take(), None), Some((PacketId(0), 1)));
    });
}

/// Wakes a role, without parking: loom forgets that a thread was unparked while it waits for a lock, such as that of
/// the roll, and would report deadlocks that are none.
struct Bell {
    is_rung: Mutex<bool>,
    rings: Condvar,
}

impl Bell {
    fn new() -> Self {
        Self { is_rung: Mutex::new(false), rings: Condvar::new() }
    }

    fn ring(&self) {
        *self.is_rung.lock().expect("no panic") = true;
        self.rings.notify_one();
    }

    fn wait(&self) {
        let mut is_rung = self.is_rung.lock().expect("no panic");
        while !*is_rung {
            is_rung = self.rings.wait(is_rung).expect("no panic");
        }
        *is_rung = false;
    }
}

/// What the roles of a small module share.
struct Hall {
    termination: TerminationDetector,
    bells: Vec<Bell>,
}

impl Hall {
    /// One role of three has left.
    fn new() -> Self {
        let hall = Self {
            termination: TerminationDetector::new(3),
            bells: (0..3).map(|_| Bell::new()).collect(),
        };
        hall.termination.leave(RoleId(2), &Cause::Finished { role: "c".to_owned() });
        hall
    }

    fn wake_others(&self, role: RoleId) {
        let others = self.bells.iter().enumerate().filter(|(other, _)| *other != role.index());
        others.for_each(|(_, bell)| bell.ring());
    }

    /// Waits as a role does; `Err` if nobody can go on.
    fn wait(&self, role: RoleId, mut look: impl FnMut() -> bool) -> Result<(), Cause> {
        loop {
            self.termination.withdraw_idle(role);
            let round = self.termination.round();
            if look() {
                self.termination.progressed();
                return Ok(());
            }
            match self.termination.report_idle(role, round) {
                IdleReport::Wait => self.bells[role.index()].wait(),
                IdleReport::LookAgain => self.wake_others(role),
                IdleReport::Over(cause) => {
                    self.wake_others(role);
                    return Err(cause);
                }
            }
        }
    }
}

#[test]
fn roles_that_wait_for_each_other_find_out() {
    explore_with_preemptions(2, || {
        let hall = Arc::new(Hall::new());
        let other = thread::spawn({
            let hall = hall.clone();
            move || hall.wait(RoleId(1), || false)
        });
        assert!(hall.wait(RoleId(0), || false).is_err());
        assert!(other.join().expect("no panic").is_err());
    });
}

#[test]
fn nobody_is_told_that_it_is_over_while_a_message_waits() {
    explore_with_preemptions(2, || {
        let hall = Arc::new(Hall::new());
        let (mut requests, mut asked) = channel(1);
        let (mut answers, mut answered) = channel(1);
        let other = thread::spawn({
            let hall = hall.clone();
            move || {
                let got = hall.wait(RoleId(1), || asked.try_pop().is_some());
                assert!(got.is_ok(), "it gets its message");
                assert!(answers.try_push(()).is_ok());
                hall.bells[0].ring();
                hall.wait(RoleId(1), || asked.try_pop().is_some())
            }
        });
        assert!(requests.try_push(()).is_ok());
        hall.bells[1].ring();
        let got = hall.wait(RoleId(0), || answered.try_pop().is_some());
        assert!(got.is_ok(), "it gets its answer");
        assert!(hall.wait(RoleId(0), || answered.try_pop().is_some()).is_err());
        assert!(other.join().expect("no panic").is_err());
    });
}
