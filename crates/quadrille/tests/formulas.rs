//! A suite of formulas in files, asked of modules: one test per formula and form.

#[path = "it/letter.rs"]
mod letter;

use letter::{origin, subject};

quadrille::suite!(
    "tests/formulas/suite.toml",
    subject(origin(
        "chess.quad",
        include_str!("../../../examples/protocols/chess.quad"),
        "chess",
        &[]
    )),
    subject(origin("door.dcj", include_str!("formulas/door.dcj"), "door", &[])),
);
