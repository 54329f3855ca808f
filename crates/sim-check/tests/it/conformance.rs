//! Protocols and frames as monitors of real threads.

use quadrille_sim::{event, sim};
use quadrille_sim_check::{Frame, Protocol};
use quadrille_sim_std::sync::mpsc::channel;
use quadrille_sim_std::thread;

const PING: &str = "message Ping, Pong; role Client, Server;
protocol ping { Ping from Client to Server; Pong from Server to Client; }";

/// A client and a server over channels; the server may be too eager, or never answer.
#[derive(Clone, Copy, PartialEq)]
enum Server {
    Right,
    Eager,
    Silent,
}

fn ping(server: Server) -> impl Fn() + Send + Sync + 'static {
    move || {
        let (ask, asked) = channel();
        let (answer, answered) = channel();
        let thread = thread::spawn(move || {
            if server == Server::Eager {
                event!("Server sends Pong to Client");
                answer.send(()).unwrap();
                return;
            }
            let () = asked.recv().unwrap();
            event!("Server receives Ping from Client");
            if server == Server::Right {
                event!("Server sends Pong to Client");
                answer.send(()).unwrap();
            }
        });
        event!("Client sends Ping to Server");
        let _ = ask.send(());
        if answered.recv().is_ok() {
            event!("Client receives Pong from Server");
        }
        thread.join().unwrap();
    }
}

fn conforms(server: Server) -> Option<String> {
    let protocol = Protocol::parse("ping.quad", PING).unwrap();
    let report = sim(ping(server)).monitor(move || protocol.clone()).exhaustive().run().unwrap();
    assert!(report.failure.is_some() || report.is_exhausted);
    report.failure.map(|failure| failure.to_string())
}

#[test]
fn threads_follow_a_protocol_or_deviate() {
    assert_eq!(conforms(Server::Right), None);
    let text = conforms(Server::Eager).unwrap();
    assert!(text.contains("Server sends Pong") && text.contains("conformance.rs:"), "{text}");
    let text = conforms(Server::Silent).unwrap();
    assert!(text.contains("ping") && text.contains("the protocol does not"), "{text}");
}

#[test]
fn threads_follow_a_frame_or_deviate() {
    let frame = Frame::parse("clerk.bp", "Clerk ?Desk.ask { !Files.look }*").unwrap();
    let clerk = |looks: bool| {
        move || {
            let (ask, asked) = channel();
            let thread = thread::spawn(move || {
                for () in asked {
                    event!("Clerk receives Desk.ask^");
                    if looks {
                        event!("Clerk sends Files.look^");
                        event!("Clerk receives Files.look$");
                    }
                    event!("Clerk sends Desk.ask$");
                }
            });
            ask.send(()).unwrap();
            drop(ask);
            thread.join().unwrap();
        }
    };
    let check = |looks: bool| {
        let frame = frame.clone();
        sim(clerk(looks)).monitor(move || frame.clone()).exhaustive().run().unwrap().failure
    };
    assert!(check(true).is_none());
    let text = check(false).unwrap().to_string();
    assert!(text.contains("deviates") && text.contains("!Files.look^"), "{text}");
}

#[test]
fn bad_texts_are_told() {
    assert!(Protocol::parse("a.quad", "protocol {").is_err());
    assert!(Frame::parse("a.bp", "Clerk ?Desk.ask {").is_err());
}
