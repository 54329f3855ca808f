//! Generates the module of the protocol beside it.

fn main() {
    quadrille_build::Protocol::new("chess.quad").generate();
}
