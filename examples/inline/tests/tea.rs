//! Tea is served by the module, and what must be true of every serving.

use std::thread;

use quadrille::Verify as _;
use quadrille_example_inline::tea::{self, Enough, KitchenReceives, Order, Roles, Tea};

#[test]
fn tea_is_served() {
    let Roles { mut guest, mut kitchen } = tea::liberal().into_roles();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut n_cups = 0;
            while let KitchenReceives::Order(Order { .. }) = kitchen.recv().expect("an order") {
                kitchen.send(Tea).expect("a cup");
                n_cups += 1;
            }
            assert_eq!(n_cups, 2);
        });
        for sugar in [true, false] {
            guest.send(Order { sugar }).expect("an order");
            guest.recv().expect("a cup");
        }
        guest.send(Enough).expect("the end");
    });
}

#[test]
fn every_order_is_answered() {
    tea::verify().ltl("G (kitchen receives Order -> F guest receives Tea)").no_deadlock().assert();
}
