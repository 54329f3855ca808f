//! Programs with the generated modules: on threads and as futures, in both variants, and the errors of their roles.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use quadrille::Verify as _;
use quadrille_example_modules::bank::Vote;
use quadrille_example_modules::{
    chess, crew, farm, full_mesh, login, pool, two_phase_commit as commit,
};
use quadrille_runtime::Cause;

/// Wakes a thread.
struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The smallest executor there is.
fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn white_and_black_move_in_turn() {
    for module in [chess::strict(), chess::liberal()] {
        let chess::Roles { mut white, mut black } = module.into_roles();
        thread::scope(|scope| {
            scope.spawn(move || {
                for _ in 0..100 {
                    white.send(chess::Move).expect("a move");
                    white.recv().expect("an answer");
                }
                white.finish().expect("the game may be over");
            });
            scope.spawn(move || {
                while let Ok(chess::Move) = black.recv() {
                    black.send_to(chess::Role::White, chess::Move).expect("an answer");
                }
                assert!(black.may_end());
            });
        });
    }
}

#[test]
fn black_does_not_begin() {
    for module in [chess::strict(), chess::liberal()] {
        let mut roles = module.into_roles();
        let error = roles.black.send(chess::Move).expect_err("not its turn");
        assert!(error.to_string().contains("does not allow"), "{error}");
    }
}

#[test]
fn players_may_be_tasks() {
    for module in [chess::strict(), chess::liberal()] {
        let chess::Roles { mut white, mut black } = module.into_roles();
        let black = thread::spawn(move || {
            block_on(async {
                black.recv_async().await?;
                black.send_async(chess::Move).await?;
                black.finish()
            })
        });
        block_on(async {
            white.send_async(chess::Move).await.expect("a move");
            white.recv_from_async(chess::Role::Black).await.expect("an answer");
        });
        black.join().expect("no panic").expect("the game may be over");
    }
}

#[test]
fn the_content_of_messages_decides() {
    for (overdrawn, commits) in [(None, true), (Some("savings".to_owned()), false)] {
        for module in [commit::strict(), commit::liberal()] {
            let commit::Roles { mut coordinator, participants } = module.into_roles();
            thread::scope(|scope| {
                for mut participant in participants {
                    let bad = participant.index() == 1;
                    let vote = Vote { overdrawn: overdrawn.clone().filter(|_| bad) };
                    scope.spawn(move || {
                        participant.recv().expect("Prepare");
                        participant.send(vote).expect("a vote");
                        let decided = participant.recv().expect("a decision");
                        assert_eq!(
                            matches!(decided, commit::ParticipantReceives::Commit(_)),
                            commits
                        );
                        participant.send(commit::Ack).expect("an acknowledgement");
                    });
                }
                coordinator.send(commit::Prepare).expect("Prepare");
                let votes = (0..3).map(|_| coordinator.recv().expect("a vote"));
                let all_yes = votes.fold(true, |all, received| match received {
                    commit::CoordinatorReceives::Vote(vote) => all && vote.overdrawn.is_none(),
                    commit::CoordinatorReceives::Ack(_) => panic!("nothing was decided"),
                });
                assert_eq!(all_yes, commits);
                if all_yes {
                    coordinator.send(commit::Commit).expect("Commit");
                } else {
                    coordinator.send(commit::Abort).expect("Abort");
                }
                for _ in 0..3 {
                    let (who, _) = coordinator.recv_with_sender().expect("an acknowledgement");
                    assert!(matches!(who, commit::Role::Participant(_)));
                }
            });
        }
    }
}

#[test]
fn a_role_that_nobody_has_is_an_error() {
    let mut workers = full_mesh::liberal().into_roles().workers;
    let error = workers[0].send_to(full_mesh::Role::Worker(99), full_mesh::Token);
    error.expect_err("there is no such worker");
}

#[test]
fn who_waits_hears_that_the_other_is_gone() {
    for module in [login::strict(), login::liberal()] {
        let login::Roles { user, mut app, .. } = module.into_roles();
        drop(user);
        let error = app.recv().expect_err("the user is gone");
        assert!(error.to_string().contains("`user` was dropped"), "{error}");
    }
}

#[test]
fn who_waits_may_give_up_and_go_on() {
    for module in [chess::strict(), chess::liberal()] {
        let chess::Roles { mut white, mut black } = module.into_roles();
        black.set_timeout(Some(Duration::from_millis(2)));
        let error = black.recv().expect_err("white thinks");
        assert_eq!(error.cause, Cause::TimedOut);
        let failed = black.typed().recv().err().expect("white still thinks");
        assert_eq!(failed.cause, Cause::TimedOut);
        white.send(chess::Move).expect("a move");
        let mut black = failed.into_state();
        black.set_timeout(None);
        let (chess::Move, black) = black.recv().expect("a move");
        black.send(chess::Move).expect("an answer").finish().expect("the game may be over");
        white.recv().expect("an answer");
    }
}

#[test]
fn states_may_be_types() -> Result<(), quadrille_runtime::Error> {
    for module in [chess::strict(), chess::liberal()] {
        let chess::Roles { white, black } = module.into_roles();
        let black = thread::spawn(move || {
            let (chess::Move, black) = black.typed().recv()?;
            block_on(black.send_async(chess::Move))?.finish()
        });
        let (chess::Move, white) = white.typed().send(chess::Move)?.recv()?;
        black.join().expect("no panic")?;
        white.finish()?;
    }
    Ok(())
}

#[test]
fn what_is_received_decides_the_next_type() {
    use login::app::{ReceivedCodeOrDenied, ReceivedTokenOrRefused};

    for (tries, welcome) in [(1, true), (3, false)] {
        let login::Roles { mut user, app, mut provider } = login::liberal().into_roles();
        let app = thread::spawn(move || {
            let (login::Visit, app) = app.typed().recv()?;
            match app.send(login::Redirect)?.recv()? {
                ReceivedCodeOrDenied::Code(login::Code, app) => {
                    match app.send(login::Exchange)?.recv()? {
                        ReceivedTokenOrRefused::Token(login::Token, app) => {
                            app.send(login::Welcome)?.finish()
                        }
                        ReceivedTokenOrRefused::Refused(login::Refused, app) => {
                            app.send(login::Sorry)?.finish()
                        }
                    }
                }
                ReceivedCodeOrDenied::Denied(login::Denied, app) => {
                    app.send(login::Sorry)?.finish()
                }
            }
        });
        let provider = thread::spawn(move || {
            for _ in 1..=tries {
                provider.recv()?;
                if !welcome {
                    provider.send(login::Denied)?;
                }
            }
            if welcome {
                provider.send(login::Code)?;
                provider.recv()?;
                provider.send(login::Token)?;
            }
            provider.finish()
        });
        user.send(login::Visit).expect("a visit");
        user.recv().expect("a redirection");
        let mut granted = false;
        for _ in 0..tries {
            user.send(login::Credentials).expect("credentials");
            granted = matches!(user.recv(), Ok(login::UserReceives::Code(_)));
        }
        if granted {
            user.send(login::Code).expect("a code");
        } else {
            user.send(login::Denied).expect("the truth");
        }
        let end = user.recv().expect("an end");
        assert_eq!(matches!(end, login::UserReceives::Welcome(_)), welcome);
        app.join().expect("no panic").expect("an end");
        provider.join().expect("no panic").expect("an end");
    }
}

#[test]
fn the_number_of_workers_is_chosen_at_run_time() {
    for k in farm::COUNTS {
        for module in [farm::strict(k), farm::liberal(k)] {
            let farm::Roles { mut master, workers } =
                module.expect("made for so many").into_roles();
            assert_eq!(workers.len(), k);
            thread::scope(|scope| {
                for mut worker in workers {
                    scope.spawn(move || {
                        while let Ok(farm::WorkerReceives::Work(work)) = worker.recv() {
                            worker.send(work.part.cast_unsigned() * 10).expect("it is done");
                        }
                    });
                }
                for part in 0..k {
                    let work = farm::Work { part: part.cast_signed() as i64 };
                    master.send_to(farm::Role::Worker(part), work).expect("work");
                }
                let sum: u64 = (0..k).map(|_| master.recv().expect("done")).sum();
                assert_eq!(sum, (0..k as u64).map(|part| part * 10).sum::<u64>());
                for part in 0..k {
                    master.send_to(farm::Role::Worker(part), farm::Stop).expect("the end");
                }
            });
        }
    }
    assert!(farm::liberal(9).is_none());
}

#[test]
fn any_number_of_workers_in_parallel() {
    for (k, n_rounds) in [(1, 3), (2, 100), (5, 20), (40, 3)] {
        for module in [pool::strict(k), pool::liberal(k)] {
            let pool::Roles { mut master, workers } = module.expect("for any number").into_roles();
            assert_eq!(workers.len(), k);
            let sum: u64 = thread::scope(|scope| {
                for mut worker in workers {
                    scope.spawn(move || {
                        let index = worker.index() as u64;
                        while let pool::WorkerReceives::Work(_) = worker.recv().expect("a message")
                        {
                            worker.send(index).expect("it is done");
                        }
                        worker.finish().expect("the end");
                    });
                }
                let mut sum = 0;
                for round in 0..n_rounds {
                    // In any order, and the first may be done before the last is asked.
                    for part in 0..k {
                        let worker = pool::Role::Worker((part + round) % k);
                        master.send_to(worker, pool::Work).expect("work");
                        if part % 3 == 2 {
                            sum += master.recv().expect("done");
                        }
                    }
                    for _ in 0..k - k / 3 {
                        sum += master.recv().expect("done");
                    }
                }
                for part in 0..k {
                    master.send_to(pool::Role::Worker(part), pool::Stop).expect("the end");
                }
                master.finish().expect("the end");
                sum
            });
            assert_eq!(sum, (n_rounds * k * (k - 1) / 2) as u64);
        }
    }
    assert!(pool::liberal(0).is_none());
}

#[test]
fn deviations_in_parallel_parts_are_refused() {
    for module in [pool::strict(3), pool::liberal(3)] {
        let pool::Roles { mut master, mut workers } = module.expect("for any number").into_roles();
        master.send_to(pool::Role::Worker(1), pool::Work).expect("work");
        let again = master.send_to(pool::Role::Worker(1), pool::Work).expect_err("not twice");
        assert!(matches!(again.cause, Cause::NotAllowed { .. }), "{again}");
        let early = master.send_to(pool::Role::Worker(0), pool::Stop).expect_err("not yet");
        assert!(matches!(early.cause, Cause::NotAllowed { .. }), "{early}");
        let _ = workers[1].recv().expect("work");
        // A worker that leaves takes nobody along who does not need it.
        drop(workers.pop());
        workers[1].send(7).expect("done");
        assert_eq!(master.recv().expect("done"), 7);
        let error = master.send_to(pool::Role::Worker(2), pool::Work).expect_err("it is gone");
        assert!(matches!(error.cause, Cause::Dropped { .. } | Cause::Finished { .. }), "{error}");
    }
}

#[test]
fn modules_for_any_number_conform_to_their_protocol() {
    for k in [1, 2, 3] {
        pool::verify(k).expect("made for it").conforms().no_deadlock().assert();
    }
    let worker = crew::liberal().into_roles().workers.remove(0);
    // Its states have types; the master's do not, as parallel parts are under way in it.
    drop(worker.typed());
}

#[test]
fn one_form_alone_is_checked_too() {
    quadrille::check(&chess::strict())
        .ltl("G (White sends Move -> X Black receives Move)")
        .assert();
    let after = ["White sends Move to Black"];
    let played = quadrille::replay(&chess::liberal(), &after).expect("White begins");
    assert_eq!(played.next, ["Black receives Move from White"]);
}
