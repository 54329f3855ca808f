//! Generates the module of the protocol beside it.

fn main() {
    quadrille_build::Protocol::new("auction.quad").parameter("k", "3").tcp().generate();
}
