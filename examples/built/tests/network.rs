//! The same roles in two processes, or as good as that: connected by sockets only.

use std::net::{TcpListener, TcpStream};
use std::thread;

use quadrille_example_built::auction::{self, Auctioneer, Bid, Bidder, Role, Sold};

/// The roles that run at one end of a connection.
fn connected(local: &[Role], peer: TcpStream) -> Vec<quadrille_runtime::Role<auction::Payload>> {
    let local: Vec<_> = local.iter().map(|role| role.id()).collect();
    let module = auction::liberal().into_untyped();
    module.connect(&local, vec![peer]).expect("the peer has the other roles").0
}

#[test]
fn bidders_elsewhere() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let elsewhere = thread::spawn(move || {
        let stream = TcpStream::connect(address).expect("somebody listens");
        let roles = connected(&[Role::Bidder(1), Role::Bidder(2)], stream);
        let mut bidders = roles.into_iter().filter_map(Bidder::from_untyped);
        let mut next = || bidders.next().expect("two bidders");
        let (mut first, mut second) = (next(), next());
        assert_eq!((first.index(), second.index()), (1, 2));
        assert_eq!(first.recv().expect("a bid"), Bid { raise: true });
        first.send(Bid { raise: false }).expect("a bid");
        assert_eq!(second.recv().expect("a bid"), Bid { raise: false });
        second.send(Sold).expect("the end");
    });
    let (stream, _) = listener.accept().expect("somebody connects");
    let mut roles = connected(&[Role::Auctioneer, Role::Bidder(0)], stream);
    let mut bidder = Bidder::from_untyped(roles.remove(1)).expect("a bidder");
    let mut auctioneer = Auctioneer::from_untyped(roles.remove(0)).expect("the auctioneer");
    bidder.send(Bid { raise: true }).expect("a bid");
    auctioneer.recv().expect("it is sold");
    elsewhere.join().expect("no panic");
}
