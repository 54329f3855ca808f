//! Generates the modules that are compared with channels written by hand.

use quadrille_build::{Protocol, Variants};

fn main() {
    let plain = |file| Protocol::new(format!("protocols/{file}.quad")).without_typed();
    let liberal =
        |file| plain(file).variants(Variants::Liberal).accept_differences().without_test();
    plain("ping_pong").without_test().generate();
    for (module, item) in [("bytes", "Byte"), ("lines", "Line")] {
        let stream = liberal("stream").capacity(1024).module(module);
        stream.message_type("Item", format!("crate::generated::{item}")).generate();
    }
    for (module, item) in [("numbers", "Number"), ("pages", "Page")] {
        let stream = liberal("stream").capacity(1024).module(module).tcp();
        stream.message_type("Item", format!("crate::generated::{item}")).generate();
    }
    liberal("rally").tcp().generate();
    liberal("fork_join").module("fork_join_4").generate();
    // So few states that what its queues hold is not computed.
    let many = liberal("fork_join").parameter("k", "12").max_states(10_000);
    many.module("fork_join_12").generate();
}
