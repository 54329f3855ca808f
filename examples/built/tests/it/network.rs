//! The same roles in several processes, or as good as that: connected by sockets only.

use std::net::{TcpListener, TcpStream};
use std::thread;

use quadrille_example_built::auction::{self, Auctioneer, Bid, Bidder, Role, Sold};

/// Two ends of a connection.
fn pair() -> [TcpStream; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let one = TcpStream::connect(address).expect("somebody listens");
    [one, listener.accept().expect("somebody connects").0]
}

/// The connections of so many processes, each with all others, in an order of its own.
fn all_connected(n: usize) -> Vec<Vec<TcpStream>> {
    let mut peers: Vec<Vec<TcpStream>> = (0..n).map(|_| Vec::new()).collect();
    for one in 0..n {
        for other in 0..one {
            let [here, there] = pair();
            peers[one].push(here);
            peers[other].push(there);
        }
    }
    for (process, peers) in peers.iter_mut().enumerate() {
        peers.rotate_left(process % (n - 1));
    }
    peers
}

#[test]
fn everybody_elsewhere() {
    let mut peers = all_connected(4).into_iter();
    let mut next = || (auction::liberal(), peers.next().expect("enough of them"));
    thread::scope(|scope| {
        let (module, peers) = next();
        scope.spawn(move || {
            let (mut auctioneer, connections) = Auctioneer::connect(module, peers).expect("peers");
            auctioneer.recv().expect("it is sold");
            auctioneer.finish().expect("the end");
            connections.flush();
        });
        for index in 0..3 {
            let (module, peers) = next();
            scope.spawn(move || {
                let (mut bidder, connections) =
                    Bidder::connect(module, index, peers).expect("peers");
                if index == 0 {
                    bidder.send(Bid { raise: true }).expect("a bid");
                } else {
                    let raise = bidder.recv().expect("a bid").raise;
                    let sent =
                        if raise { bidder.send(Bid { raise: false }) } else { bidder.send(Sold) };
                    sent.expect("something is sent");
                }
                drop(bidder);
                connections.flush();
            });
        }
    });
}

/// The roles that run at one end of a connection.
fn connected(local: &[Role], peer: TcpStream) -> Vec<quadrille_runtime::Role<auction::Payload>> {
    let local: Vec<_> = local.iter().map(|role| role.id()).collect();
    let module = auction::liberal().into_untyped();
    module.connect(&local, vec![peer]).expect("the peer has the other roles").0
}

#[test]
fn two_roles_in_each_place() {
    let [here, there] = pair();
    let elsewhere = thread::spawn(move || {
        let roles = connected(&[Role::Bidder(1), Role::Bidder(2)], there);
        let mut bidders = roles.into_iter().filter_map(Bidder::from_untyped);
        let mut next = || bidders.next().expect("two bidders");
        let (mut first, mut second) = (next(), next());
        assert_eq!((first.index(), second.index()), (1, 2));
        assert_eq!(first.recv().expect("a bid"), Bid { raise: true });
        first.send(Bid { raise: false }).expect("a bid");
        assert_eq!(second.recv().expect("a bid"), Bid { raise: false });
        second.send(Sold).expect("the end");
    });
    let mut roles = connected(&[Role::Auctioneer, Role::Bidder(0)], here);
    let mut bidder = Bidder::from_untyped(roles.remove(1)).expect("a bidder");
    let mut auctioneer = Auctioneer::from_untyped(roles.remove(0)).expect("the auctioneer");
    bidder.send(Bid { raise: true }).expect("a bid");
    auctioneer.recv().expect("it is sold");
    elsewhere.join().expect("no panic");
}
