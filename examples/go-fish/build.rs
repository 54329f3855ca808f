//! Generates the modules of the protocols beside it.

fn main() {
    quadrille_build::Protocol::new("go-fish.quad").parameter("k", "2..=4").generate();
}
