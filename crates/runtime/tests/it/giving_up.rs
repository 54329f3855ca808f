//! Calls that are given up, forgotten or overtaken at a bad moment: no message is lost, and the next call gets what it
//! asks for.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use quadrille_runtime::plan::{LabelId, RoleId};
use quadrille_runtime::{Cause, Error, Form, Module, Payload, Policy, Received, Role};

use crate::support::{Note, both, both_quad, observer, soon};

fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Lets a role begin to receive and give up after something happened.
fn begin_to_receive<P: Payload>(
    role: &mut Role<P>,
    from: Option<RoleId>,
    meanwhile: impl FnOnce() -> Poll<Result<(), Error>>,
) {
    let mut receiving = role.recv_async(from);
    assert!(poll(&mut receiving).is_pending());
    assert!(matches!(meanwhile(), Poll::Ready(Ok(()))));
}

#[test]
fn all_messages_of_given_up_calls_are_kept() {
    for module in both("(s/cat (s/--> M ::a ::c) (s/--> N ::b ::c) (s/-->> O ::c ::a))") {
        let [mut a, mut b, mut c] = module.roles(["a", "b", "c"]);
        let (m, n) = (module.note("M", 1), module.note("N", 2));
        begin_to_receive(&mut c, None, || poll(&mut a.send_async(m, None)));
        begin_to_receive(&mut c, Some(module.id("b")), || poll(&mut b.send_async(n, None)));
        assert_eq!(c.recv(None).expect("kept").payload.1, 1, "{:?}", module.form);
        assert_eq!(c.recv(None).expect("kept").payload.1, 2, "{:?}", module.form);
    }
}

#[test]
fn a_kept_message_is_not_taken_for_something_else() {
    let [strict, _] = both("(s/cat (s/--> M ::a ::c) (s/-->> N ::b ::a) (s/-->> X ::c ::a))");
    let [mut a, _b, mut c] = strict.roles(["a", "b", "c"]);
    let m = strict.note("M", 1);
    begin_to_receive(&mut c, None, || poll(&mut a.send_async(m, None)));
    c.set_timeout(Some(Duration::from_millis(1)));
    let error = c.send(strict.note("X", 0), None).expect_err("it is not its turn");
    assert_eq!(error.cause, Cause::TimedOut);
    assert_eq!(c.recv(None).expect("kept").payload.1, 1);
}

#[test]
fn a_call_is_not_told_what_was_wrong_with_another() {
    let body = "(s/alt (s/cat (s/--> M ::a ::b) (s/--> X ::a ::b)) (s/cat (s/--> N ::b ::a) (s/--> Y ::b ::a)))";
    let [strict, _] = both(body);
    let [mut a, mut b] = strict.roles(["a", "b"]);
    let mut receiving = a.recv_async(None);
    assert!(poll(&mut receiving).is_pending());
    let Poll::Ready(Err(error)) = poll(&mut b.recv_async(None)) else { panic!("a deadlock") };
    assert!(matches!(error.cause, Cause::Deadlock { .. }), "{error}");
    drop(receiving);
    let mut sending = a.send_async(strict.note("M", 3), None);
    assert!(poll(&mut sending).is_pending(), "nobody receives yet");
    let mut receiving = b.recv_async(None);
    assert!(poll(&mut receiving).is_pending());
    assert!(matches!(poll(&mut sending), Poll::Ready(Ok(()))));
    assert!(matches!(poll(&mut receiving), Poll::Ready(Ok(received)) if received.payload.1 == 3));
}

#[test]
fn a_forgotten_call_is_given_up_by_the_next() {
    for module in both("(s/cat (s/alt (s/--> M ::a ::b) (s/--> N ::b ::a)) (s/--> O ::a ::b))") {
        let [mut a, mut b] = module.roles(["a", "b"]);
        let mut receiving = b.recv_async(None);
        assert!(poll(&mut receiving).is_pending());
        std::mem::forget(receiving);
        let mut sending = b.send_async(module.note("N", 1), None);
        assert!(poll(&mut sending).is_pending());
        let mut receiving = a.recv_async(None);
        assert!(poll(&mut receiving).is_pending(), "{:?}", module.form);
        assert!(matches!(poll(&mut sending), Poll::Ready(Ok(()))), "{:?}", module.form);
        assert!(matches!(poll(&mut receiving), Poll::Ready(Ok(_))));
        drop((sending, receiving));
        let mut receiving = b.recv_async(None);
        assert!(poll(&mut receiving).is_pending());
        let sent = poll(&mut a.send_async(module.note("O", 2), None));
        assert!(matches!(sent, Poll::Ready(Ok(()))), "{:?}", module.form);
        assert!(matches!(poll(&mut receiving), Poll::Ready(Ok(_))));
    }
}

#[test]
fn a_task_is_told_at_once_that_it_asks_for_something_wrong() {
    for module in both("(s/cat (s/-->> M ::a ::b) (s/-->> N ::c ::b))") {
        let [_a, mut b, _c] = module.roles(["a", "b", "c"]);
        let Poll::Ready(Err(error)) = poll(&mut b.recv_async(Some(module.id("c")))) else {
            panic!("{:?}: it waits for what it must not receive yet", module.form)
        };
        assert!(matches!(error.cause, Cause::NotAllowed { .. }), "{error}");
    }
}

/// A message that does something when it is duplicated.
#[derive(Clone)]
struct Loud(LabelId, Arc<Mutex<dyn FnMut() + Send>>);

impl Loud {
    fn new(label: LabelId, sound: impl FnMut() + Send + 'static) -> Self {
        Self(label, Arc::new(Mutex::new(sound)))
    }
}

impl Payload for Loud {
    fn label(&self) -> Option<LabelId> {
        Some(self.0)
    }

    fn duplicate(&self) -> Option<Self> {
        let mut sound = self.1.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        sound();
        Some(self.clone())
    }
}

/// A sender has made up its mind whom to pass a message to when another takes one of them away. It must not sleep then:
/// those whom it could turn to wait already, and nobody will tell it again.
#[test]
fn a_sender_that_comes_too_late_turns_to_others() {
    let text = "message M, N; role s, t, u, v, w, x, y, z; protocol p { repeat forever { either
        { M from s to u, x sync; } or { M from s to v, y sync; } or { M from s to w, z sync; }
        or { N from t to u sync; } or { N from t to v sync; } } }";
    let [_, liberal] = both_quad(text);
    let module = Module::<Loud>::new(&liberal.plan, Form::Liberal).expect("a good plan");
    let mut roles: Vec<_> =
        module.policy(Policy::First).into_roles().into_iter().map(Some).collect();
    let mut role = |name: &str| roles[liberal.id(name).index()].take().expect("it is there");
    let [mut s, mut t] = ["s", "t"].map(&mut role);
    let mut others = ["u", "v", "w", "x", "y", "z"].map(role);
    let mut receiving = others.each_mut().map(|role| role.recv_async(None));
    for future in &mut receiving {
        assert!(poll(future).is_pending());
    }
    let n = Loud::new(liberal.label("N"), || {});
    // Once when the sender looks, once more when it is about to sleep.
    let mut taken = ["u", "v"].map(|name| liberal.id(name)).into_iter();
    let m = Loud::new(liberal.label("M"), move || {
        if let Some(to) = taken.next() {
            let passed = poll(&mut t.send_async(n.clone(), Some(to)));
            assert!(matches!(passed, Poll::Ready(Ok(()))));
        }
    });
    assert!(matches!(poll(&mut s.send_async(m, None)), Poll::Ready(Ok(()))));
    let from = receiving.each_mut().map(|future| match poll(future) {
        Poll::Ready(Ok(Received { from, .. })) => Some(from),
        _ => None,
    });
    let (s, t) = (Some(liberal.id("s")), Some(liberal.id("t")));
    assert_eq!(from, [t, t, s, None, None, s]);
}

/// Whoever was about to get a message when its sender panicked is told so.
#[test]
fn a_panic_while_a_message_is_passed_lets_everybody_go() {
    for module in both_quad("message M; role s, u, v, w; protocol p { M from s to u, v, w sync; }")
    {
        soon(move || {
            let mut roles =
                Module::<Loud>::new(&module.plan, module.form).expect("a good plan").into_roles();
            let mut s = roles.remove(module.id("s").index());
            let waiting: Vec<_> = roles
                .into_iter()
                .map(|mut role| thread::spawn(move || role.recv(None).map(|_| ())))
                .collect();
            let mut n_copies = 0;
            let m = Loud::new(module.label("M"), move || {
                n_copies += 1;
                if n_copies == 2 {
                    std::panic::resume_unwind(Box::new("on purpose"));
                }
            });
            // If it waits, the strict machine passes the message for it, and tells it what went wrong.
            let sent = thread::spawn(move || s.send(m, None)).join();
            assert!(!matches!(sent, Ok(Ok(()))), "on purpose");
            let told: Vec<_> = waiting.into_iter().map(|it| it.join().expect("no panic")).collect();
            let is_its_fault = |told: &&Result<(), Error>| match told {
                Err(error) => match &error.cause {
                    Cause::Panicked { role, .. } | Cause::Dropped { role, .. } => role == "s",
                    _ => false,
                },
                Ok(()) => false,
            };
            assert!(told.iter().filter(is_its_fault).count() >= 2, "{told:?}");
        });
    }
}

/// The same where the strict machine passes it for a sender that waits, on the thread of another.
#[test]
fn a_panic_of_a_message_that_waits_is_its_senders() {
    let text = "message M, N; role s, u, v, w; protocol p { N from u to v; M from s to u, v, w; }";
    let [strict, _] = both_quad(text);
    soon(move || {
        let (observer, waits) = observer();
        let module = Module::<Loud>::new(&strict.plan, Form::Strict).expect("a good plan");
        let module = module.observe(observer);
        let mut roles: Vec<_> = module.into_roles().into_iter().map(Some).collect();
        let mut role = |name: &str| roles[strict.id(name).index()].take().expect("it is there");
        let [mut s, mut u, mut v, _w] = ["s", "u", "v", "w"].map(&mut role);
        let mut n_copies = 0;
        let m = Loud::new(strict.label("M"), move || {
            n_copies += 1;
            if n_copies == 2 {
                std::panic::resume_unwind(Box::new("on purpose"));
            }
        });
        let sends = thread::spawn(move || s.send(m, None).expect_err("it panics"));
        waits.until(1);
        u.send(Loud::new(strict.label("N"), || {}), None).expect("sent");
        v.recv(None).map(|_| ()).expect("received, and no panic");
        let error = sends.join().expect("no panic");
        assert!(matches!(&error.cause, Cause::Panicked { role, .. } if role == "s"), "{error}");
        let error = u.recv(None).map(|_| ()).expect_err("nobody sends it");
        assert!(matches!(&error.cause, Cause::Dropped { role, .. } if role == "s"), "{error}");
    });
}

/// All were told that nobody can go on. Then some of them do something else.
#[test]
fn what_is_over_can_begin_again() {
    let text = "message M, N; role a, b, c, d; protocol p { repeat forever { either
        { M from a to b; M from b to c; N from c to d; } or { M from d to b; M from c to b; N from b to a; } } }";
    let [_, liberal] = both_quad(text);
    soon(move || {
        let ([a, mut b, mut c, mut d], waits) = liberal.observed(["a", "b", "c", "d"]);
        drop(a);
        thread::scope(|scope| {
            for role in [&mut b, &mut c, &mut d] {
                scope.spawn(move || role.recv(None).expect_err("nobody can go on"));
            }
        });
        let m = liberal.label("M");
        d.send(Note(m, 1), None).expect("sent");
        assert_eq!(b.recv(None).expect("sent").payload.1, 1);
        // The three that waited for nothing.
        waits.until(3);
        let receives = thread::spawn(move || b.recv(None));
        let told = thread::spawn(move || d.recv(None));
        waits.until(2);
        c.send(Note(m, 2), None).expect("sent");
        assert_eq!(receives.join().expect("no panic").expect("sent").payload.1, 2);
        drop(c);
        told.join().expect("no panic").expect_err("nobody is left");
    });
}
