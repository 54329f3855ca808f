//! What the modules do, in both forms: every message that a master or worker could send or receive, in every
//! order.

use quadrille::Verify;
use quadrille_example_kernels::generated::{cg, ft, is_sort, mg};

const MADE: &str = "there is a module for so many workers";

#[test]
fn requests_of_cg_are_answered() {
    cg::verify(2)
        .expect(MADE)
        .ltl("G (master sends Work to worker[1] -> F (worker[1] sends Done to master))")
        .ltl("!(worker[0] sends *) U (worker[0] receives *)")
        .ltl("G (master sends Exit -> G !(master sends Work))")
        .at_most(1)
        .no_deadlock()
        .assert();
    cg::verify(4)
        .expect(MADE)
        .ltl("G (master sends Work to worker[3] -> F (worker[3] sends Done to master))")
        .at_most(1)
        .no_deadlock()
        .assert();
}

#[test]
fn ft_transforms_before_it_evolves() {
    ft::verify(2).expect(MADE)
        .ltl("!(evolve[*] receives Step) U (fft[*] receives Transform)")
        .ltl("G (evolve[0] receives Step -> X (!(evolve[0] receives *) U (fft[0] receives Transform)))")
        .at_most(1)
        .no_deadlock()
        .assert();
}

#[test]
fn mg_smooths_after_interpolation() {
    mg::verify(2)
        .expect(MADE)
        .ltl(
            "G (interp[0] receives Work -> X (!(interp[0] receives *) U (psinv[0] receives Work)))",
        )
        .at_most(1)
        .no_deadlock()
        .assert();
}

#[test]
fn what_the_protocols_claim_is_true_of_the_modules() {
    cg::verify(2).expect(MADE).properties().assert();
    ft::verify(2).expect(MADE).properties().assert();
    is_sort::verify(2).expect(MADE).properties().assert();
    mg::verify(2).expect(MADE).properties().assert();
}
