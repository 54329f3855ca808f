//! An auction by the generated module, and what must be true of every auction.

use std::thread;

use quadrille::Verify as _;
use quadrille_example_built::auction::{self, Bid, Roles};

#[test]
fn the_lot_is_sold() {
    let Roles { mut auctioneer, bidders } = auction::liberal().into_roles();
    thread::scope(|scope| {
        for mut bidder in bidders {
            scope.spawn(move || {
                // The first bidder begins and raises; everybody passes on what a neighbour raised.
                if bidder.index() == 0 {
                    bidder.send(Bid { raise: true }).expect("a bid");
                }
                match bidder.recv() {
                    Ok(Bid { raise: true }) => {
                        bidder.send(Bid { raise: bidder.index() == 1 }).expect("a bid");
                    }
                    Ok(Bid { raise: false }) => {
                        bidder.send(auction::Sold).expect("somebody has it");
                    }
                    Err(_) => assert!(bidder.may_end()),
                }
            });
        }
        auctioneer.recv().expect("it is sold");
    });
}

#[test]
fn nothing_is_sold_before_somebody_passes() {
    auction::verify().ltl("!(auctioneer receives Sold) W (bidder[*] receives Bid(false))").assert();
    auction::verify().ctl("AG EF (auctioneer receives Sold)").assert();
}
