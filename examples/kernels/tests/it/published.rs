//! The published answers of class S, found by every version.

use quadrille_example_kernels::{Carrier, Class, Kernel, Workers, cg, ft, is, mg};

/// Verifies the sequential version and the parallel one with several numbers of workers, 24 of them too.
fn check<K: Kernel>() {
    let sequential = K::verify(Class::S, &K::generate(Class::S).sequential());
    assert!(sequential.holds(), "sequential: {sequential}");
    for workers in (1..=4).chain([24]).filter_map(Workers::new) {
        let answer = parallel::<K>(Carrier::Channels, workers);
        let verification = K::verify(Class::S, &answer);
        assert!(verification.holds(), "{workers} workers: {verification}");
        for carrier in [Carrier::Channels, Carrier::Strict, Carrier::Liberal] {
            assert_eq!(answer, parallel::<K>(carrier, workers), "{workers} workers, {carrier:?}");
        }
    }
}

fn parallel<K: Kernel>(carrier: Carrier, workers: Workers) -> K::Answer {
    K::generate(Class::S).parallel(carrier, workers).expect("links that hold")
}

#[test]
fn conjugate_gradient() {
    check::<cg::Problem>();
}

#[test]
fn fourier_transform() {
    check::<ft::Problem>();
}

#[test]
fn integer_sort() {
    check::<is::Problem>();
}

#[test]
fn multigrid() {
    check::<mg::Problem>();
}

#[test]
fn dividing_planes_changes_no_bit() {
    let three = Workers::new(3).expect("not zero");
    assert_eq!(
        ft::Problem::generate(Class::S).sequential(),
        parallel::<ft::Problem>(Carrier::Channels, three)
    );
    assert_eq!(
        mg::Problem::generate(Class::S).sequential(),
        parallel::<mg::Problem>(Carrier::Channels, three)
    );
}
