//! A generated module in a program that uses little of it. This file is a crate of its own, so that everything that it
//! does not use would be dead code.
#![deny(dead_code)]

mod auction {
    include!(concat!(env!("OUT_DIR"), "/auction.rs"));
}

#[test]
fn item_21_a_generated_module_has_no_dead_code() {
    let roles = auction::strict().into_roles();
    assert!(!roles.auctioneer.may_end());
}
