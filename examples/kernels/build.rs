//! Generates the modules of the protocols beside it.

fn main() {
    for kernel in ["cg", "ft", "is", "mg"] {
        quadrille_build::Protocol::new(format!("protocols/{kernel}.quad"))
            .parameter("k", "1..")
            .generate();
    }
}
