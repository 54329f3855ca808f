//! Generates the modules that are not checked in.

use quadrille_build::Protocol;

fn main() {
    Protocol::new("protocols/names.quad").accept_differences().generate();
    Protocol::new("protocols/farm.quad").parameter("k", "1..=4").accept_differences().generate();
}
