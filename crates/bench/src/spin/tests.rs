//! Reading the output of Spin's verifier.

use super::*;

const COMPLETE: &str = "
State-vector 84 byte, depth reached 346535, errors: 0
   439204 states, stored
  2838408 states, matched
1.5354508e+08 transitions (= stored+matched)

   43.561\tequivalent memory usage for states (stored*(State-vector + overhead))
   16.000\tactual memory usage for states (compression: 40.36%)
";

#[test]
fn reads_what_the_verifier_prints() {
    let figures = parse(COMPLETE).expect("figures");
    assert_eq!((figures.states, figures.transitions), (439_204, 153_545_080));
    assert_eq!(figures.bytes_per_state, 16.0 * 1_048_576.0 / 439_204.0);
}

#[test]
fn an_incomplete_search_has_no_figures() {
    assert_eq!(parse(&COMPLETE.replace("errors: 0", "errors: 1")), None);
    assert_eq!(parse(&format!("error: max search depth too small\n{COMPLETE}")), None);
}
