//! Two buyers, a stream and a login, over threads and over sockets.

use std::thread;

use quadrille_example_network::{buyers, login, sign_in, stream, streaming, two_buyer};
use quadrille_runtime::tcp::{Listener, Network, Peer, Secret};

fn network() -> Network {
    Network::new().secret(Secret::new([5; 32]).expect("long enough"))
}

/// Three processes, each connected to the other two.
fn three() -> [Vec<Peer>; 3] {
    let listen = || network().listen("127.0.0.1:0").expect("a free port");
    let pair = |listener: &Listener| {
        let address = listener.address().expect("an address").to_string();
        let there = network().connect(&address).expect("a listener");
        (listener.accept().expect("a connection"), there)
    };
    let [first, second] = [listen(), listen()];
    let ((a, b), (c, d), (e, f)) = (pair(&first), pair(&first), pair(&second));
    [vec![a, c], vec![b, e], vec![d, f]]
}

fn price(_: &str) -> u32 {
    60
}

#[test]
fn a_book_is_bought_or_not() {
    for (budget, expected) in [(30, Some("Emma")), (29, None)] {
        let two_buyer::Roles { alice, bob, seller } = two_buyer::liberal().into_roles();
        let bought = thread::scope(|scope| {
            scope.spawn(|| buyers::seller(seller, price).expect("a sale or none"));
            let alice = scope.spawn(|| buyers::alice(alice, "Emma").expect("an answer"));
            let book = buyers::bob(bob, budget).expect("a quote");
            assert_eq!(alice.join().expect("no panic"), book.is_some());
            book
        });
        assert_eq!(bought.as_deref(), expected);
    }
}

#[test]
fn a_book_is_bought_over_a_network() {
    let [one, two, three] = three();
    let bought = thread::scope(|scope| {
        scope.spawn(move || {
            let (seller, connections) =
                two_buyer::Seller::connect(two_buyer::liberal(), one).expect("buyers");
            buyers::seller(seller, price).expect("a sale");
            connections.flush();
        });
        scope.spawn(move || {
            let (alice, connections) =
                two_buyer::Alice::connect(two_buyer::liberal(), two).expect("the others");
            assert!(buyers::alice(alice, "Emma").expect("an answer"));
            connections.flush();
        });
        let (bob, connections) =
            two_buyer::Bob::connect(two_buyer::liberal(), three).expect("the others");
        let book = buyers::bob(bob, 100).expect("a quote");
        connections.flush();
        book
    });
    assert_eq!(bought.as_deref(), Some("Emma"));
}

#[test]
fn a_stream_arrives_in_order() {
    let pieces: Vec<Vec<u8>> = (1..1000_u32).map(|number| number.to_le_bytes().to_vec()).collect();
    let streaming::Roles { source, sink } = streaming::liberal().into_roles();
    let mut got = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| stream::source(source, pieces.clone()).expect("credit"));
        stream::sink(sink, |piece| got.push(piece)).expect("items");
    });
    assert_eq!(got, pieces);

    let listener = network().listen("127.0.0.1:0").expect("a free port");
    let address = listener.address().expect("an address").to_string();
    let (mut got, sent) = (Vec::new(), pieces.clone());
    let sending = thread::spawn(move || {
        let peer = network().connect(&address).expect("a listener");
        let (source, connections) =
            streaming::Source::connect(streaming::liberal(), [peer]).expect("a sink");
        stream::source(source, sent).expect("credit");
        connections.flush();
    });
    let peer = listener.accept().expect("a connection");
    let (sink, connections) =
        streaming::Sink::connect(streaming::liberal(), [peer]).expect("a source");
    stream::sink(sink, |piece| got.push(piece)).expect("items");
    connections.flush();
    sending.join().expect("no panic");
    assert_eq!(got, pieces);
}

fn is_right(credentials: &sign_in::Credentials) -> bool {
    credentials.name == "ada" && credentials.password == "right"
}

/// Who the application thinks it was, and whether the user was welcome.
fn sign_in_with(passwords: &[&str]) -> (Option<String>, bool) {
    let [one, two, three] = three();
    thread::scope(|scope| {
        scope.spawn(move || {
            let (provider, connections) =
                login::Provider::connect(login::liberal(), one).expect("the others");
            sign_in::provider(provider, is_right, || 4711).expect("an end");
            connections.flush();
        });
        let app = scope.spawn(move || {
            let (app, connections) =
                login::App::connect(login::liberal(), two).expect("the others");
            let who = sign_in::app(app).expect("an end");
            connections.flush();
            who
        });
        let (user, connections) =
            login::User::connect(login::liberal(), three).expect("the others");
        let is_welcome = sign_in::user(user, "ada", passwords).expect("an end");
        connections.flush();
        (app.join().expect("no panic"), is_welcome)
    })
}

#[test]
fn users_are_welcome_with_the_right_password() {
    assert_eq!(sign_in_with(&["right"]), (Some("ada".to_owned()), true));
    assert_eq!(sign_in_with(&["wrong", "right"]), (Some("ada".to_owned()), true));
    assert_eq!(sign_in_with(&["wrong", "worse", "worst"]), (None, false));
}
