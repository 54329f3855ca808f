//! A short stress run.

#[test]
fn a_short_run_ends_well() {
    assert!(super::run(60_000).expect("nothing can go wrong"));
}
